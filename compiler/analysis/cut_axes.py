"""How the axes of results are cut, given how those of arguments are.

    y = multiply(x, w)             x: (a, None), w: (None,)     y: (a, None)
    s = sum(y, axis=1)                                          s: (a,)
    t = sum(y, axis=0)             every device adds up what it has, and these sums are added up: t is cut nowhere
    n = dim(x, axis=0); z = zeros(n)                            z: (a,)
    u = concatenate(y, y, axis=0)  takes what others have: where u is is not said

Takes a typed program and, for each parameter of the entry, a label for each axis that is cut, and None for others.
Gives for each result labels, or None for an array that is made of what other devices have, but for sums and their kin.
Labels are tuples of names, of which each cuts one axis of an array at most.

What an operator does with axes is what its row says: its kind, and the rule of its batched form.  A name with several
definitions is cut where all of them are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import gast

from .. import syntax, types
from ..ops import batching
from ..ops.schema import Operator, row_of
from ..ops.type_rules import normal_axes, normal_axis
from ..program import Function, Program
from ..records import dataclass
from .activity import result_names

Labels: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Cut:
    """An array: a label for each axis, and whether it was made of what other devices have."""

    labels: Labels = ()
    is_gathered: bool = False


@dataclass(frozen=True, slots=True)
class LengthOf:
    """The length of an axis with this label."""

    label: Any


State: TypeAlias = Cut | LengthOf
NOTHING = Cut()


def cut_results(program: Program, given: Sequence[Labels]) -> list[Labels | None]:
    """The labels of each result; None where it is made of what other devices have, and is cut nowhere."""
    found = _Functions(program).results(program.main, tuple(map(Cut, given)))
    kept = [state if isinstance(state, Cut) else NOTHING for state in found]
    return [None if state.is_gathered and not any(map(_is_label, state.labels)) else state.labels for state in kept]


def _is_label(label: Any) -> bool:
    return label is not None


class _Functions:
    """The results of each function of a program for what it may be called with."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.known: dict[Any, list[State] | None] = {}

    def results(self, function: Function, given: tuple[State, ...]) -> list[State]:
        key = function.name, given
        if key not in self.known:
            self.known[key] = None
            self.known[key] = _Names(function, given, self).results()
        found = self.known[key]
        if found is None:  # it calls itself
            return [_unknown(type_) for type_ in function.results]
        return found


def _unknown(type_: types.Type) -> Cut:
    return Cut((None,) * types.rank(type_), True)


class _Names:
    """How the arrays of one function are cut."""

    def __init__(self, function: Function, given: tuple[State, ...], functions: _Functions) -> None:
        self.function, self.functions = function, functions
        self.given = dict(zip(function.parameters, given, strict=True))
        self.states: dict[str, State] = {}

    def results(self) -> list[State]:
        self.states, before = dict(self.given), None
        while before != self.states:  # what a loop changes may be cut in fewer places than before it
            before = dict(self.states)
            self.block(self.function.body)
        names = result_names(self.function)
        types_ = self.function.results
        return [Cut((None,) * types.rank(t)) if n is None else self.state(n) for n, t in zip(names, types_)]

    def state(self, name: str) -> State:
        found = self.states.get(name)
        type_ = self.function.types.get(name)
        if found is None:
            return Cut((None,) * (types.rank(type_) if type_ is not None else 0))
        return found

    def labels(self, atom: gast.expr) -> Labels:
        """Of an operand; () for a number."""
        state = self.state(atom.id) if isinstance(atom, gast.Name) else NOTHING
        return state.labels if isinstance(state, Cut) else ()

    def block(self, body: Sequence[gast.stmt]) -> None:
        for statement in body:
            self.statement(statement)
            for block in syntax.blocks_of(statement):
                self.block(block)

    def statement(self, statement: gast.stmt) -> None:
        match statement:
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base))], value=value):
                state = self.state(base)
                if isinstance(state, Cut) and not any(map(_is_label, state.labels)) and self._reads_cut(value):
                    self.states[base] = Cut(state.labels, True)
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                self.bind(name, self.value(value, name))
            case gast.Assign(targets=[gast.Tuple(elts=targets)], value=value):
                for target, state in zip(targets, self.values(value, [t.id for t in targets])):
                    self.bind(target.id, state)

    def bind(self, name: str, state: State) -> None:
        before = self.states.get(name)
        if before is None or before == state:
            self.states[name] = state
        elif isinstance(before, Cut) and isinstance(state, Cut) and len(before.labels) == len(state.labels):
            labels = tuple(a if a == b else None for a, b in zip(before.labels, state.labels))
            self.states[name] = Cut(labels, before.is_gathered or state.is_gathered)
        else:
            self.states[name] = _unknown(self.function.types[name])

    # --- expressions

    def value(self, value: gast.expr, name: str) -> State:
        type_ = self.function.types[name]
        if isinstance(value, gast.Name):
            return self.state(value.id)
        if syntax.operator_of(value) == "dim":
            return self._length(value)
        if not isinstance(type_, types.Array):
            return NOTHING
        found = self.array(value, type_)
        if found is None:
            return Cut((None,) * type_.ndim, self._reads_cut(value))
        return Cut(_once(found), any(self._is_gathered(one) for one in syntax.names_read(value)))

    def _length(self, call: gast.Call) -> State:
        labels, axis = self.labels(call.args[0]), int(syntax.static_of(call)["axis"])
        return LengthOf(labels[axis]) if -len(labels) <= axis < len(labels) and labels[axis] is not None else NOTHING

    def _is_gathered(self, name: str) -> bool:
        state = self.states.get(name)
        return isinstance(state, Cut) and state.is_gathered

    def _reads_cut(self, value: gast.expr) -> bool:
        """Whether an array of which it is not known where it is depends on one that is cut, or on another such one."""
        names = syntax.names_read(value)
        return any(self._is_gathered(n) or any(map(_is_label, self.labels(syntax.name(n)))) for n in names)

    def values(self, value: gast.expr, names: Sequence[str]) -> Sequence[State]:
        callee = self.functions.program.functions.get(syntax.operator_of(value) or "")
        if callee is None or not isinstance(value, gast.Call):
            is_cut = self._reads_cut(value)
            return [Cut((None,) * types.rank(self.function.types[n]), is_cut) for n in names]
        given = tuple(self.state(a.id) if isinstance(a, gast.Name) else NOTHING for a in value.args)
        return self.functions.results(callee, given)

    def array(self, value: gast.expr, type_: types.Array) -> Labels | None:
        """The labels of an array; None where an operator takes more than each device has, or is not known here."""
        if isinstance(value, gast.Subscript):
            return self._loaded(value)
        operator = syntax.operator_of(value) or ""
        if operator in self.functions.program.functions:
            (state,) = self.values(value, [""])
            return state.labels if isinstance(state, Cut) and not state.is_gathered else None
        row = row_of(operator)
        if row is None or not isinstance(value, gast.Call):
            return None
        rule = RULES.get(row.batch or row.kind)
        return rule(self, value, row, type_) if rule is not None else None

    def aligned(self, atoms: Sequence[gast.expr], wanted: int) -> Labels | None:
        """The labels of arrays that are broadcast together; None where they are cut otherwise than one another."""
        found: list[Any] = [None] * wanted
        for atom in atoms:
            labels = self.labels(atom)
            for place, label in enumerate(labels, wanted - len(labels)):
                if label is not None and found[place] not in (None, label):
                    return None
                found[place] = found[place] if label is None else label
        return tuple(found)

    def shape(self, call: gast.Call, wanted: int) -> Labels:
        """The labels of the axes whose lengths are those of axes that are cut."""
        keyword = next((k.value for k in call.keywords if k.arg == "shape"), None)
        lengths = keyword.elts if isinstance(keyword, gast.Tuple) else []
        states = [self.states.get(e.id) if isinstance(e, gast.Name) else None for e in lengths]
        labels = [state.label if isinstance(state, LengthOf) else None for state in states]
        return tuple(labels) if len(labels) == wanted else (None,) * wanted

    def _loaded(self, load: gast.Subscript) -> Labels | None:
        """All of an axis that is cut is taken; along others any part."""
        labels = [*self.labels(load.value)]
        items = load.slice.elts if isinstance(load.slice, gast.Tuple) else [load.slice]
        ranks = [self._rank_of_item(item) for item in items]
        if sum(rank > 0 for rank in ranks) > 1:
            return None
        found: list[Any] = []
        for item, rank in zip(items, ranks):
            if isinstance(item, gast.Constant) and item.value is None:
                found.append(None)
                continue
            label = labels.pop(0) if labels else None
            if isinstance(item, gast.Slice) and item.lower is item.upper is item.step is None:
                found.append(label)
            elif label is not None:
                return None
            elif isinstance(item, gast.Slice):
                found.append(None)
            else:
                found += [None] * rank
        return (*found, *labels)

    def _rank_of_item(self, item: gast.expr) -> int:
        type_ = self.function.types.get(getattr(item, "id", ""))
        return types.rank(type_) if type_ is not None and not isinstance(item, gast.Slice) else 0


def _once(labels: Labels) -> Labels:
    """What would cut two axes cuts the first."""
    used: set[str] = set()
    made: list[Any] = []
    for label in labels:
        made.append(None if label is None or used & {*label} else label)
        used |= {*(label or ())}
    return tuple(made)


# --- what operators do -----------------------------------------------------------------------------------------------

Rule: TypeAlias = Callable[[_Names, gast.Call, Operator, types.Array], Labels | None]


def _elements(names: _Names, call: gast.Call, row: Operator, type_: types.Array) -> Labels | None:
    return names.aligned(call.args, type_.ndim)


def _reduced(names: _Names, call: gast.Call, row: Operator, type_: types.Array) -> Labels | None:
    labels, static = names.labels(call.args[0]), syntax.static_of(call)
    gone = normal_axes(static["axis"], len(labels))
    if any(labels[axis] is not None for axis in gone) and not _is_of_parts(row):
        return None
    if static.get("keepdims"):
        return tuple(None if k in gone else label for k, label in enumerate(labels))
    return tuple(label for k, label in enumerate(labels) if k not in gone)


def _is_of_parts(row: Operator) -> bool:
    """Whether a reduction of reductions is one: not so for the place of an extreme."""
    return row.fold is not None and not (row_of(row.fold.combine) or row).is_comparison


def _filled(names: _Names, call: gast.Call, row: Operator, type_: types.Array) -> Labels | None:
    own, shape = names.aligned(call.args, type_.ndim), names.shape(call, type_.ndim)
    return None if own is None else tuple(a if a is not None else b for a, b in zip(own, shape))


def _transposed(names: _Names, call: gast.Call, row: Operator, type_: types.Array) -> Labels:
    labels = names.labels(call.args[0])
    return tuple(labels[normal_axis(axis, len(labels))] for axis in syntax.static_of(call)["axes"])


def _reshaped(names: _Names, call: gast.Call, row: Operator, type_: types.Array) -> Labels | None:
    """Axes at both ends that stay, and between them the first one, of which each device has a run of elements."""
    (x,) = call.args[:1]
    labels, given = names.labels(x), names.function.types.get(getattr(x, "id", ""))
    before = given.dims if isinstance(given, types.Array) else ()
    first = last = 0
    while first < min(len(before), type_.ndim) and before[first] == type_.dims[first]:
        first += 1
    while last < min(len(before), type_.ndim) - first and before[-1 - last] == type_.dims[-1 - last]:
        last += 1
    inner, count = labels[first : len(before) - last], type_.ndim - first - last
    if any(map(_is_label, inner[1:])) or (not count and any(map(_is_label, inner))):
        return None
    made = [None] * count
    made[:1] = inner[:1] if count and inner else made[:1]
    return (*labels[:first], *made, *labels[len(before) - last :])


def _joined(names: _Names, call: gast.Call, row: Operator, type_: types.Array) -> Labels | None:
    axis = normal_axis(syntax.static_of(call)["axis"], type_.ndim)
    is_cut = any(names.labels(a)[axis : axis + 1] != (None,) for a in call.args)
    return None if is_cut else names.aligned(call.args, type_.ndim)


def _product(names: _Names, call: gast.Call, row: Operator, type_: types.Array) -> Labels:
    """Rows of the first, columns of the second; sums along what is contracted are added up."""
    a, b = map(names.labels, call.args)
    rows, columns = a[-2:-1] if len(a) > 1 else (), b[-1:] if len(b) > 1 else ()
    stack = type_.ndim - len(rows) - len(columns)
    pairs = [(None,) * (stack - len(part)) + part for part in (a[:-2], b[:-2])]
    outer = tuple(x if y is None else y if x is None or x == y else None for x, y in zip(*pairs, strict=True))
    return (*outer, *rows, *columns)


def _letters(names: _Names, call: gast.Call, row: Operator, type_: types.Array) -> Labels:
    inputs, _, out = syntax.static_of(call)["subscripts"].partition("->")
    found: dict[str, set[Any]] = {}
    for word, atom in zip(inputs.split(","), call.args, strict=True):
        for letter, label in zip(word, names.labels(atom)):
            found.setdefault(letter, set()).update([] if label is None else [label])
    return tuple(next(iter(found[k])) if len(found.get(k, ())) == 1 else None for k in out)


def _by_rows(names: _Names, call: gast.Call, row: Operator, type_: types.Array) -> Labels | None:
    labels = names.labels(call.args[0])
    return labels if labels[-1] is None else None


def _by_columns(names: _Names, call: gast.Call, row: Operator, type_: types.Array) -> Labels | None:
    a, b = map(names.labels, call.args)
    return b if not any(map(_is_label, (*a, b[0]))) else None


def _placed(names: _Names, call: gast.Call, row: Operator, type_: types.Array) -> Labels:
    return tuple(syntax.static_of(call)["spec"])


# By the kind of a row, or by the rule of its batched form, which says more.
RULES: Mapping[Any, Rule] = {
    "elementwise": _elements, "reduction": _reduced, batching.copy: _elements, batching.pairwise: _elements,
    batching.filled: _filled, batching.broadcast_to: _filled, batching.transpose: _transposed,
    batching.reshape: _reshaped, batching.concatenate: _joined, batching.matmul: _product,
    batching.with_sharding: _placed, batching.einsum: _letters, batching.rows_below: _by_rows,
    batching.right_sides: _by_columns,
}  # fmt: skip
