"""Which expressions and statements can raise an error that CPython would raise too.

    x + y           of equal lengths cannot        x[i], 1 / k for Python numbers, math.sqrt(x)    can
    x + y           of unknown lengths can         x[1:-1], x.shape[0], np.sqrt(x)                 cannot

The answer errs towards "can": it decides what `prune` may drop and what the printer may move.  Failing loads are told
apart from the rest: two of them may be reordered, since both say `IndexError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from itertools import combinations

import gast

from .. import syntax
from ..dtypes import FLOAT_WORD
from ..ops import schema
from ..ops.forms import FORMS, is_never_negative
from ..ops.raising import conversion, never
from ..program import Function, remembered
from ..records import dataclass
from ..types import Array, Extent, ListOf, Scalar, Type
from .def_use import def_use
from .integers.range_state import Pair
from .integers.ranges import ranges
from .result_types import UNKNOWN, load_type, result_type

NOTHING, INDEX, ANY = 0, 1, 2



@remembered
def failures(function: Function) -> Failures:
    """The facts of one function."""
    return Failures(function.types, natural_names(function))


@remembered
def natural_names(function: Function) -> frozenset[str]:
    """The names that hold lengths, and sums and products of lengths: never negative."""
    facts = def_use(function)
    known: dict[str, bool] = {}

    def is_natural(name: str) -> bool:
        if name not in known:
            known[name] = False
            value = facts.value_of(name)
            if isinstance(value, gast.Call):
                known[name] = is_never_negative(syntax.operator_of(value), map(holds_natural, value.args))
        return known[name]

    def holds_natural(atom: gast.expr) -> bool:
        if isinstance(atom, gast.Constant):
            return isinstance(atom.value, int) and atom.value >= 0
        return isinstance(atom, gast.Name) and is_natural(atom.id)

    return frozenset(filter(is_natural, facts.definitions))


@dataclass(frozen=True, slots=True, eq=False)
class Failures:
    """What can fail, given the types of names and the names that are never negative.

    `alike` has what is known of equal lengths besides what types say (`Ranges.alike`).
    """

    types: Mapping[str, Type]
    natural: frozenset[str] = frozenset()
    alike: Mapping[int, frozenset[Pair]] = field(default_factory=dict)

    def can_fail(self, node: gast.AST | None) -> bool:
        """Whether evaluating an expression can raise."""
        return self.kind(node) != NOTHING

    def statement_can_fail(self, statement: gast.stmt) -> bool:
        """Whether a statement can raise, the bodies of a compound one included."""
        return self.statement_kind(statement) != NOTHING

    def kind(self, node: gast.AST | None) -> int:
        """NOTHING, INDEX where only an index can be out of bounds, or ANY."""
        match node:
            case None | gast.Name() | gast.Constant():
                return NOTHING
            case gast.Call():
                parts = (*node.args, *(k.value for k in node.keywords))
                return max([ANY if self._operation_fails(node) else NOTHING, *map(self.kind, parts)])
            case gast.Subscript(value=gast.Name(id=base), slice=items):
                return max(self.kind(items), self._load(self.types.get(base), items))
        children = [c for c in gast.iter_child_nodes(node) if isinstance(c, gast.expr)]
        return max(map(self.kind, children), default=NOTHING)

    def statement_kind(self, statement: gast.stmt) -> int:
        match statement:
            case gast.Assign(targets=[gast.Subscript() as place], value=value):
                return max(self.kind(value), self.kind(place), ANY if self._store_fails(place, value) else NOTHING)
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Call(func=gast.Name(id="broadcast_to")) as node):
                return NOTHING if self._spreads(node, name) else self.kind(node)
            case gast.Assign(value=value) | gast.Expr(value=value) | gast.Return(value=value):
                return self.kind(value)
            case gast.For(iter=iter_, body=body):
                step = iter_.args[2]
                still = isinstance(step, gast.Constant) and step.value != 0
                return max([NOTHING if still else ANY, self.kind(iter_), *map(self.statement_kind, body)])
            case gast.If(test=test) | gast.While(test=test):
                inner = [s for block in syntax.blocks_of(statement) for s in block]
                return max([self.kind(test), *map(self.statement_kind, inner)])
            case gast.Delete():
                return NOTHING
        return ANY

    def _store_fails(self, place: gast.Subscript, value: gast.expr) -> bool:
        """Whether a value may not fit its target: by its lengths, or as inf does not fit an int."""
        stored, base = result_type(value, self.types), self.types.get(place.value.id)
        if stored is None or isinstance(base, ListOf):
            return stored is None
        if isinstance(stored, Scalar):
            return isinstance(base, Array) and conversion([stored], {"dtype": base.dtype})
        known = self.alike.get(id(place), frozenset())
        return not isinstance(stored, Array) or not _fills(stored, load_type(base, place.slice, self.types), known)

    def _spreads(self, node: gast.Call, name: str) -> bool:
        """Whether the lengths of what is spread are known to fit those that the result is declared to have."""
        given, made = result_type(node.args[0], self.types), self.types.get(name)
        fits = not isinstance(given, Array) or _fills(given, made)
        return fits and self._is_natural(syntax.static_of(node)["shape"])

    def _load(self, base: Type | None, items: gast.expr) -> int:
        if not isinstance(base, Array):
            return INDEX
        elements = items.elts if isinstance(items, gast.Tuple) else [items]
        arrays = [e for e in elements if isinstance(result_type(e, self.types), Array)]
        if arrays:
            return ANY  # shapes of index arrays may not fit
        return NOTHING if all(isinstance(e, gast.Slice) or _is_new_axis(e) for e in elements) else INDEX

    def _operation_fails(self, node: gast.Call) -> bool:
        """Whether the operation itself fails on some operands of these types."""
        operator = syntax.operator_of(node)
        if operator in FORMS:
            return FORMS[operator].raises
        row = schema.OPERATORS.get(operator or "")
        if row is None:
            return True
        operands = [result_type(a, self.types) for a in node.args]
        if any(t is None for t in operands):
            return True
        static = {k: v for k, v in row.static.items() if v is not ...} | syntax.static_of(node)
        match row.kind:
            case "elementwise":
                return elementwise_fails(row.name, operands, static, self.alike.get(id(node), frozenset()))
            case "contraction":
                has_one_stack = row.name == "matmul" and any(getattr(t, "ndim", 3) < 3 for t in operands)
                if has_one_stack and (0, 0, 1) in self.alike.get(id(node), ()):
                    return False
                return not _fits(row.name, operands, static)
        shape = static.get("shape", ())
        return row.raises(operands, static) or not self._is_natural(shape)

    def _is_natural(self, shape: object) -> bool:
        """Whether no length of a shape can be negative."""
        lengths = shape.elts if isinstance(shape, gast.Tuple) else [syntax.literal(s) for s in shape]  # type: ignore
        return all(
            length.id in self.natural if isinstance(length, gast.Name) else isinstance(length, gast.Constant)
            and isinstance(length.value, int) and length.value >= 0
            for length in lengths
        )  # fmt: skip


def _fills(stored: Array, place: Type | None, alike: frozenset[Pair] = frozenset()) -> bool:
    """Whether the lengths of an array are known to spread over the elements that it is stored into."""
    dims = place.dims if isinstance(place, Array) else ()
    if UNKNOWN in stored.dims or stored.ndim > len(dims):
        return False
    pairs = enumerate(zip(stored.dims[::-1], dims[::-1]))
    return all(own in (1, extent) or (axis, 0, 1) in alike for axis, (own, extent) in pairs)


def _is_new_axis(item: gast.expr) -> bool:
    return isinstance(item, gast.Constant) and item.value is None


def may_fail_on_scalars(name: str) -> bool:
    """Whether there are scalars on which an elementwise operator fails."""
    return schema.OPERATORS[name].raises is not never


def elementwise_fails(
    name: str, operands: list[Type], static: Mapping[str, object], alike: frozenset[Pair] = frozenset()
) -> bool:
    lengths_fit = _agree(t for t in operands if isinstance(t, Array)) or _are_alike(operands, alike)
    return not lengths_fit or schema.OPERATORS[name].raises(operands, static)


def _agree(arrays: Iterable[Array]) -> bool:
    """Whether the lengths are known to broadcast."""
    shapes = [t.dims for t in arrays]
    for axis in range(1, max(map(len, shapes), default=0) + 1):
        lengths = {s[-axis] for s in shapes if len(s) >= axis and s[-axis] != 1}
        if len(lengths) > 1 or (UNKNOWN in lengths and len(shapes) > 1):
            return False
    return True


def _are_alike(operands: list[Type], alike: frozenset[Pair]) -> bool:
    """Whether all lengths that are not 1 by their types are known to be equal."""
    shapes = [t.dims if isinstance(t, Array) else () for t in operands]
    for first, second in combinations(range(len(shapes)), 2):
        for axis, (a, b) in enumerate(zip(reversed(shapes[first]), reversed(shapes[second]))):
            if 1 not in (a, b) and (a != b or a == UNKNOWN) and (axis, first, second) not in alike:
                return False
    return bool(alike)


def _fits(name: str, operands: list[Type | None], static: Mapping[str, object]) -> bool:
    """Whether the lengths that a contraction sums over are known to be equal."""
    if len(operands) != 2 or not all(isinstance(t, Array) for t in operands):
        return False
    left, right = (t.dims for t in operands)
    if UNKNOWN in (*left, *right):
        return False
    if name == "matmul":
        batch = _agree([Array(FLOAT_WORD, left[:-2]), Array(FLOAT_WORD, right[:-2])])
        return batch and left[-1] == (right[-2] if len(right) > 1 else right[0])
    words = str(static.get("subscripts", "")).split("->")[0].split(",")
    if [len(word) for word in words] != [len(left), len(right)]:
        return False
    lengths: dict[str, Extent] = {}
    pairs = [(letter, dim) for word, dims in zip(words, (left, right)) for letter, dim in zip(word, dims)]
    return all(lengths.setdefault(letter, dim) == dim for letter, dim in pairs)


def never_fails(function: Function, statement: gast.stmt) -> bool:
    """Whether a simple statement cannot raise, by what is proved of its indices and lengths if need be."""
    facts = failures(function)
    kind = facts.statement_kind(statement)
    if kind == ANY and _is_of_arrays(statement, function.types):
        kind = replace(facts, alike=ranges(function).alike).statement_kind(statement)
    if kind != INDEX:
        return kind == NOTHING
    accesses = [node for node in gast.walk(statement) if isinstance(node, gast.Subscript)]
    return all(ranges(function).proves(access) for access in accesses)


def _is_of_arrays(statement: gast.stmt, types: Mapping[str, Type]) -> bool:
    """Whether it is the lengths of arrays that may not fit."""
    return isinstance(statement, gast.Assign) and any(
        isinstance(types.get(name), Array) for name in syntax.names_read(statement.value)
    )


def can_fail(node: gast.AST | None, types: Mapping[str, Type]) -> bool:
    """Whether evaluating an expression can raise, as far as the types of names tell."""
    return Failures(types).can_fail(node)
