"""Whether lengths that share a symbol are equal: each is worked out again and held against the table of types.

    u = diff(t)   with t: f64[length]    ->    `u` is declared f64[length], and its length is length - 1

A symbol belongs to the parameter, or else to the name, that has it first: what that name is assigned defines it.  Any
other name may have it only where its value surely has that length: by the rule of its operator, by a guard that the
operator implies (`x + y`), by the shape of its buffer on the loops stage, or as what goes in step with its owner: a
tangent is assigned after its primal, and in the same length.  What cannot be worked out is let pass.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import gast

from .. import syntax
from ..analysis.def_use import def_use
from ..analysis.integers.shape_extents import extent_of, trees_of
from ..analysis.length_owners import owners
from ..builder import Builder, infer
from ..diagnostics import InternalError
from ..dtypes import is_integer
from ..lower.arithmetic import text_of
from ..lower.webs import with_separate_numbers
from ..names import Names
from ..ops import indexing, schema
from ..ops.forms import WHOLE
from ..program import Function
from ..types import BACKWARD, Array, Dim, Extent, ListOf, Scalar, Type, dtype_of, substitute, symbol, symbols_of

Fault = tuple[gast.stmt, str]


def length_faults(function: Function) -> Iterator[Fault]:
    """Assignments of arrays that have not the lengths of their types."""
    return _faults(with_separate_numbers(function), _Lengths)


def _faults(function: Function, analysis: type[_Lengths]) -> Iterator[Fault]:
    if not any(isinstance(t, Array) for t in function.types.values()):
        return
    lengths = analysis(function)
    faults = list(_faults_of_block(lengths, function.body))
    if faults and (kept := lengths.kept_through_loops()):
        again = analysis(function)
        again.meant = kept
        faults = list(_faults_of_block(again, function.body))
    yield from faults


def _faults_of_block(lengths: _Lengths, body: Sequence[gast.stmt]) -> Iterator[Fault]:
    outer, lengths.steps = lengths.steps, {}
    known = lengths.guarded
    for statement in body:
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                message = lengths.fault(name, value)
                if message:
                    yield statement, message
            case gast.If(test=test, body=[*_, gast.Raise()], orelse=[]):
                lengths.guarded |= frozenset(lengths.equal_after(test))
        for block in syntax.blocks_of(statement):
            yield from _faults_of_block(lengths, block)
    lengths.guarded = known
    inner, lengths.steps = lengths.steps, outer
    for extent in inner:
        lengths.steps.pop(extent, None)


def loop_variables(function: Function) -> Iterator[str]:
    for statement in syntax.walk(function.body):
        if isinstance(statement, gast.For):
            yield from syntax.names_bound(statement)


class _Lengths:
    """What is known of lengths while a function is walked in its order."""

    def __init__(self, function: Function) -> None:
        self.types, self.parameters = function.types, frozenset(function.parameters)
        self.owners = owners(function)
        self.known = {s for t in function.types.values() for s in symbols_of(t)}
        self.builder = Builder(Names({*function.types, *self.known}), dict(function.types), {})
        self.steps: dict[Extent, list[Extent]] = {}  # what lengths are where their owner was assigned in this block
        self.opaque: set[str] = set()  # lengths that are such an int and may be another length as well
        self.unknown: set[str] = set()  # lengths of what was made with one that cannot be worked out
        self.recorded: set[str] = set()  # ints out of an array or a list, such as a length from the forward sweep
        self.of_recorded: set[str] = set()  # the lengths of arrays out of a list
        self.counters = set(loop_variables(function))
        self.values: dict[str, gast.expr] = {}  # what ints are
        self.copies: dict[str, set[str]] = {}  # the ints that an int is a copy of, one on each path
        self.held: dict[Extent, Extent] = {}  # by length, the int that it is, where that is no sum of lengths
        self.better: dict[Extent, Extent] = {}  # by symbol, the length that it has turned out to be
        self.meant: dict[str, Extent] = {}  # by symbol, the other length that it is
        self.slices: dict[tuple[Extent, str], Extent] = {}  # by the length of an axis, the length of a slice of it
        self.guarded: frozenset[tuple[Extent, Extent]] = frozenset()  # lengths that are equal from a guard on
        self.of_merged: dict[str, set[Extent | None]] = {}  # the lengths of names assigned more than once
        facts = def_use(function)
        self.builder.merged = {n for n in function.types if not facts.is_constant(n)}

    def fault(self, name: str, value: gast.expr) -> str:
        declared = self.types[name]
        if isinstance(declared, Scalar):
            self.learn(name, value)
            return ""
        if not isinstance(declared, Array):
            return ""
        if syntax.operator_of(value) == "pop":
            self.of_recorded |= {s for s in symbols_of(declared) if self.owners.get(s) == name}
        if "?" in symbols_of(declared):
            return f"`{name}` has an unknown length in its type, which passes for any other unknown one"
        self.learn_slices(declared, value)
        try:
            ways = self.ways(value)
        except (schema.TypeFault, InternalError, KeyError, IndexError):
            return ""  # what has no type at all is found by other checks
        operator = syntax.operator_of(value)
        for extent, given in zip(declared.dims, ways):
            self.note_merged(name, extent, given)
            if given and isinstance(extent, Dim) and any(self.owners.get(s) == name for s in extent.symbols()):
                self.steps[extent] = given
            elif extent in self.steps and self.looked_through(self.steps[extent]) == self.looked_through(given):
                continue
            if not given and isinstance(extent, Dim):
                self.unknown.update(s for s in extent.symbols() if self.owners.get(s) == name)
            if not given or any(self.agrees(name, extent, other) for other in given):
                continue
            # what holds the place of a value that is never read has no length (`ops/placeholders.py`)
            row = schema.row_of(operator)
            if given != [0] or row is None or row.kind != "creation":
                return f"`{name}` is declared {declared}, and its length is {given[0]}, not {extent}"
        return ""

    def learn_slices(self, declared: Array, value: gast.expr) -> None:
        """Slices with the same bounds of axes of the same length have the same length: so `lower` makes one of two."""
        match value:
            case gast.Subscript(value=gast.Name(id=base), slice=gast.Tuple(elts=items)):
                type_ = self.types[base]
            case _:
                return
        if not isinstance(type_, Array) or not all(isinstance(item, gast.Slice) for item in items):
            return
        varying = self.counters | self.builder.merged
        for item, axis, extent in zip(items, type_.dims, declared.dims):
            if not isinstance(extent, Dim) or not varying.isdisjoint(syntax.names_read(item)):
                continue
            whole = substitute(axis, self.meant) if isinstance(axis, Dim) else axis
            used = (*extent.symbols(), *(whole.symbols() if isinstance(whole, Dim) else ()))
            if not self.builder.merged.isdisjoint(self.owners.get(s, s) for s in used):
                continue  # an array that gets other lengths
            known = self.slices.setdefault((whole, text_of(item)), extent)
            if known != extent and extent == symbol(extent.symbols()[0]):
                self.meant[extent.symbols()[0]] = known

    def note_merged(self, name: str, declared: Extent, given: list[Extent]) -> None:
        if name in self.builder.merged and isinstance(declared, Dim) and declared not in given:
            for owned in declared.symbols():
                if self.owners.get(owned) == name:
                    whole = given and declared == symbol(owned)
                    self.of_merged.setdefault(owned, set()).add(given[0] if whole else None)

    def kept_through_loops(self) -> dict[str, Extent]:
        """The symbols that are one length all along: what is assigned to their owners has that one, or theirs."""
        return {s: e for s, found in self.of_merged.items() if len(found) == 1 and (e := next(iter(found))) is not None}

    def looked_through(self, given: list[Extent]) -> list[Extent]:
        """Lengths by the symbols that others have turned out to be."""
        return [substitute(e, self.meant) if isinstance(e, Dim) else e for e in given]

    def learn(self, name: str, value: gast.expr) -> None:
        """Remember an int that is a sum of lengths."""
        operator = syntax.operator_of(value)
        taken = value.args[0] if operator == "cast" else value
        if isinstance(taken, gast.Subscript) or operator == "pop" or getattr(taken, "id", "") in self.recorded:
            self.recorded.add(name)
        self.values[name] = value
        if isinstance(value, gast.Name):
            self.copies.setdefault(name, set()).add(value.id)
        known = self.builder.extents.get(getattr(value, "id", ""))
        if known is not None and name not in self.builder.merged:
            self.builder.extents[name] = known  # a copy, until it is looked through
        if operator is None or name in self.builder.merged or not all(map(syntax.is_atom, value.args)):
            return
        try:
            fact = self.builder.extent_of_result(operator, value.args, syntax.static_of(value))  # type: ignore[arg-type]
        except (InternalError, KeyError, AttributeError):
            return
        if fact is not None:
            self.builder.extents[name] = fact

    def agrees(self, name: str, declared: Extent, given: Extent) -> bool:
        if declared == given or not self.guarded.isdisjoint([(declared, given), (given, declared)]):
            return True
        if not self.is_known(given):
            variables = self.variables(given)
            if variables and isinstance(declared, Dim):
                self.opaque.update(s for s in declared.symbols() if self.owners.get(s) == name)
            if not variables or not self.recorded.isdisjoint(variables):
                return True
            return self.one_int(self.held.setdefault(declared, given), given)
        if isinstance(given, Dim) and not self.opaque.isdisjoint(given.symbols()):
            return True
        if any(isinstance(e, Dim) and not self.unknown.isdisjoint(e.symbols()) for e in (declared, given)):
            return True
        if isinstance(declared, Dim) and any(self.owners.get(s) == name for s in declared.symbols()):
            if name not in self.builder.merged and declared == symbol(declared.symbols()[0]):
                self.meant[declared.symbols()[0]] = given  # an int that has turned out to be this length, as `k - k`
            return True
        if declared in self.held and given in self.held:
            return self.one_int(self.held[declared], self.held[given])
        if not isinstance(declared, Dim):
            return False
        if substitute(declared, self.meant) == given or self.one_int(declared, given):
            return True
        return self.known_better(declared, given)

    def equal_after(self, test: gast.expr) -> Iterator[tuple[Extent, Extent]]:
        """The lengths that a guard compares, which are equal where it does not raise; only buffers have such guards."""
        return iter(())

    def known_better(self, declared: Dim, given: Extent) -> bool:
        """Whether a value may be known better, once it is simplified, than by the symbol that it was made with.

        So it is in backward loops, and where the symbol belongs to a value that is made once: it is one length alone.
        """
        if not BACKWARD.isdisjoint(declared.symbols()):
            return True
        given_first = self.parameters | self.builder.merged
        owners = {self.owners.get(s) for s in declared.symbols()}
        return owners.isdisjoint(given_first) and self.better.setdefault(declared, given) == given

    def variables(self, extent: Extent) -> list[str]:
        return [name for name, its in self.builder.extents.items() if its == extent]

    def one_int(self, left: Extent, right: Extent) -> bool:
        """Whether two lengths that are ints of the program are computed alike."""
        ways = itertools.product(self.variables(left), self.variables(right))
        return left == right or any(self.same(one, other) for one, other in ways)

    def same(self, left: str, right: str) -> bool:
        """Whether two ints are made alike, as where the backward sweep recomputes one in a loop of its own.

        One that the forward sweep has recorded stands for what was recorded, which nothing here can tell, and one that
        it merges out of a branch is what it was there, as the backward sweep reads it in the same branch.
        """
        if left == right or {left, right} <= self.counters:
            return True
        left, right = self.unclamped(left), self.unclamped(right)
        one, other = self.values.get(left), self.values.get(right)
        if left == right or not self.recorded.isdisjoint((left, right)):
            return True
        if left in self.copies.get(right, ()) or right in self.copies.get(left, ()):
            return True
        known, also = self.builder.extents.get(left), self.builder.extents.get(right)
        if known is not None and (known == also or self.is_recorded(known) or self.is_recorded(also)):
            return True
        if not (isinstance(one, gast.Call) and isinstance(other, gast.Call)) or len(one.args) != len(other.args):
            return False
        if syntax.operator_of(one) != syntax.operator_of(other) or syntax.static_of(one) != syntax.static_of(other):
            return False
        return all(
            self.same(a.id, b.id) if isinstance(a, gast.Name) and isinstance(b, gast.Name)
            else isinstance(a, gast.Constant) and isinstance(b, gast.Constant) and a.value == b.value
            for a, b in zip(one.args, other.args)
        )  # fmt: skip

    def is_recorded(self, extent: Extent | None) -> bool:
        """Whether it is the length of an array that the forward sweep has recorded."""
        return isinstance(extent, Dim) and not self.of_recorded.isdisjoint(extent.symbols())

    def unclamped(self, name: str) -> str:
        """The int that is held at zero, as every length is, or that this one is a copy of."""
        value = self.values.get(name)
        if isinstance(value, gast.Name) and self.builder.merged.isdisjoint((name, value.id)):
            return self.unclamped(value.id)
        if not isinstance(value, gast.Call) or not isinstance(value.args[0], gast.Name):
            return name
        operator = syntax.operator_of(value)
        if operator == "cast" and is_integer(dtype_of(self.types[value.args[0].id])):
            return self.unclamped(value.args[0].id)
        return value.args[0].id if operator == "maximum" and _is_zero(value.args[1]) else name

    def is_known(self, extent: Extent) -> bool:
        return isinstance(extent, int) or self.known.issuperset(extent.symbols())

    def ways(self, value: gast.expr) -> list[list[Extent]]:
        """For each axis of a value the lengths that are surely its own; none where nothing is known."""
        match value:
            case gast.Name(id=id_):
                return _each(self.types[id_])
            case gast.Subscript(value=gast.Name(id=base), slice=gast.Tuple(elts=items)):
                type_ = self.types[base]
                return [] if isinstance(type_, ListOf) else _each(indexing.index_type(self.builder, type_, items))
            case gast.Call(func=gast.Name(id=operator)) if operator in schema.OPERATORS:
                return self.of_operator(schema.OPERATORS[operator], value)
        return []

    def of_operator(self, row: schema.Operator, call: gast.Call) -> list[list[Extent]]:
        static = {k: v for k, v in row.static.items() if v is not ...} | syntax.static_of(call)
        ways = _each(infer(self.builder, row, call.args, static))
        operands = [self.builder.type_of(a) for a in call.args]
        shapes = [t.dims for t in operands if isinstance(t, Array)]
        # lengths that the operator needs to be equal, and checks at run time
        if row.kind == "elementwise":
            for shape in shapes:
                for way, extent in zip(ways[::-1], shape[::-1]):
                    way += [extent] if extent != 1 else []
        elif row.kind == "contraction":
            for way in ways:
                way += [extent for shape in shapes for extent in shape if extent != 1]
        elif row.name == "concatenate":
            for axis, way in enumerate(ways):
                way += [shape[axis] for shape in shapes if axis != static["axis"] % len(ways)]  # type: ignore[operator]
        return ways


def _is_zero(tree: gast.expr) -> bool:
    return isinstance(tree, gast.Constant) and tree.value == 0


def _each(type_: Type) -> list[list[Extent]]:
    return [[d] for d in type_.dims] if isinstance(type_, Array) else []


# --- loops ---------------------------------------------------------------------------------------------------------


def buffer_length_faults(function: Function) -> Iterator[Fault]:
    """On the loops stage: buffers, aliases and views that have not the lengths of their types."""
    return _faults(function, _Buffers)


class _Buffers(_Lengths):
    """The same where an int is a nested expression, and an array a buffer or a view of one."""

    def learn(self, name: str, value: gast.expr) -> None:
        fact = None if name in self.builder.merged else self.extent(value)
        if fact is not None:
            self.builder.extents[name] = fact

    def ways(self, value: gast.expr) -> list[list[Extent]]:
        match value:
            case gast.Call(func=gast.Name(id="transpose"), args=[gast.Name()]):
                return super().ways(value)
            case gast.Call(func=gast.Name(id=operator)) if operator in WHOLE:
                found = map(self.extent, trees_of(value))
                return [[] if extent is None else [extent] for extent in found]
            case gast.Name() | gast.Subscript():
                return super().ways(value)
        return []

    def equal_after(self, test: gast.expr) -> Iterator[tuple[Extent, Extent]]:
        match test:
            case gast.BoolOp(op=gast.Or(), values=parts):
                for part in parts:
                    yield from self.equal_after(part)
            case gast.Call(func=gast.Name(id="not_equal"), args=args):
                left, right = map(self.extent, args)
                if left is not None and right is not None:
                    yield left, right

    def extent(self, tree: gast.expr) -> Extent | None:
        return extent_of(tree, self.types, self.of_name)

    def of_name(self, name: str) -> Extent | None:
        return None if name in self.builder.merged else self.builder.extents.get(name)
