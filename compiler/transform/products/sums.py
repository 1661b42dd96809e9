"""Find the statements of a nest that add up products, each with the loops around it.

    for i in range(0, n, 1):
        for j in range(0, l, 1):                       Kernel: the loops i, j, p, of which p adds up,
            s = 0.0                          ->                s += A[i, p] * B[p, j],
            for p in range(0, m, 1):                           and what stands before and after the inner loops
                t = A[i, p]
                t_1 = B[p, j]
                t_2 = multiply(t, t_1)
                s_1 = add(s, t_2)
                s = s_1

A slice is such a loop as well, an implicit one:

    for i in range(0, n, 1):                           the loops i, k and one along the slices:
        for k in range(0, m, 1):             ->            c[i, q] += 2.0 * a[i, k] * b[k, q]
            c[i, :] += 2.0 * a[i, k] * b[k, :]

    for i in range(0, n, 1):                           the loops i, j and one that adds up, from i + 1 on:
        for j in range(0, l, 1):             ->            t += A[p, i] * B[p, j]
            t = A[i + 1:, i] @ B[i + 1:, j]

Takes functions in which every name is assigned once, but for those that loops carry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

import gast

from ... import syntax
from ...analysis.def_use import DefUse
from ...ops.schema import row_of
from ...records import dataclass
from ...types import Array, Scalar, Type

ALONG, ADDED = ("along the slice", "along the other slice"), "along what is added up"  # the variables of slices
MOST_TERMS = 4  # a sum of more terms is not divided.  No row


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """One of the loops, and the statements of its body around the next one; the innermost has the kernel's own.

    One that is a slice has a variable that stands nowhere in the program.
    """

    loop: gast.For
    before: tuple[gast.stmt, ...]
    after: tuple[gast.stmt, ...]
    is_slice: bool = False

    @property
    def variable(self) -> str:
        return str(self.loop.target.id)


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """Elements of an array, or slices by the loops that they are; without a statement it is all of the array."""

    array: str
    items: tuple[gast.expr, ...]
    slices: tuple[str, ...]
    statement: gast.Assign | None

    @property
    def name(self) -> str:
        return "" if self.statement is None else str(self.statement.targets[0].id)


@dataclass(frozen=True, slots=True)
class Term:
    """`sign * (product of factors)`: those that are elements of arrays, and the atoms of the others."""

    sign: int = 1
    loads: tuple[Load, ...] = ()
    scalars: tuple[gast.expr, ...] = ()

    def times(self, other: Term) -> Term:
        return Term(self.sign * other.sign, (*self.loads, *other.loads), (*self.scalars, *other.scalars))


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """`target += (sum of terms)` inside of loops, outermost first.

    target     elements of an array, or the name that a loop carries or that a product of slices has
    load       where it is an array, the statement that reads the element that is added to
    value      the name of what is assigned to the target
    """

    levels: tuple[Level, ...]
    target: gast.Subscript | str
    load: gast.stmt | None
    value: str
    terms: tuple[Term, ...]

    @property
    def inner(self) -> tuple[gast.stmt, ...]:
        return tuple(self.levels[-1].loop.body)

    @property
    def is_dot(self) -> bool:
        return self.levels[-1].variable == ADDED


def kernels(loop: gast.For, facts: DefUse, types: Mapping[str, Type]) -> Iterator[Kernel]:
    """The kernels inside a loop, each with all loops from this one inward."""
    for levels, statement in _ways((), loop):
        finder = _Finder(levels, facts, types)
        found = finder.kernel() if statement is None else finder.dot(statement)
        if found is not None:
            yield found


def _ways(outer: tuple[Level, ...], loop: gast.For) -> Iterator[tuple[tuple[Level, ...], gast.stmt | None]]:
    """Every way from a loop to one that holds no other, and to products of slices."""
    body = loop.body
    if not any(isinstance(s, gast.For) for s in body):
        yield (*outer, Level(loop, (), ())), None
    for place, statement in enumerate(body):
        level = Level(loop, tuple(body[:place]), tuple(body[place + 1 :]))
        if isinstance(statement, gast.For):
            yield from _ways((*outer, level), statement)
        elif is_dot(statement):
            yield (*outer, level), statement


def is_dot(statement: gast.stmt) -> bool:
    return type(statement) is gast.Assign and syntax.operator_of(statement.value) == "matmul"


class _Finder:
    """One way inward."""

    def __init__(self, levels: tuple[Level, ...], facts: DefUse, types: Mapping[str, Type]) -> None:
        self.levels, self.facts, self.types = levels, facts, types
        outer = [s for level in levels for s in level.before]
        self.visible = {id(s) for s in (*outer, *levels[-1].loop.body)}

    def kernel(self) -> Kernel | None:
        body = self.levels[-1].loop.body
        if not all(isinstance(s, gast.Assign) for s in body):
            return None
        stores = [s for s in body if not isinstance(s.targets[0], gast.Name)]
        copies = [s for s in body if isinstance(s.targets[0], gast.Name) and not self.facts.is_single(s.targets[0].id)]
        match stores, copies:
            case [gast.Assign(targets=[gast.Subscript() as place], value=gast.Name(id=value))], []:
                return self._along_slices(place)._into_array(place, value)
            case [], [gast.Assign(targets=[gast.Name(id=name)], value=gast.Name(id=value))]:
                return self._into_name(name, value)
        return None

    def _along_slices(self, place: gast.Subscript) -> _Finder:
        """This with one more loop where what is added to is one slice of an array."""
        slices = [(k, item) for k, item in enumerate(place.slice.elts) if isinstance(item, gast.Slice)]
        match slices:
            case [(axis, gast.Slice(step=None) as item)]:
                *outer, last = self.levels
                along = _along(ALONG[0], place.value.id, axis, item, last.loop.body)
                return _Finder((*outer, Level(last.loop, (), ()), along), self.facts, self.types)
        return self

    def _into_array(self, place: gast.Subscript, value: str) -> Kernel | None:
        for start, product, sign in self._sums(value):
            load = self._definition(start)
            if load is not None and isinstance(load.value, gast.Subscript) and _same_place(load.value, place):
                return self._made(place, load, value, product, sign)
        return None

    def _into_name(self, name: str, value: str) -> Kernel | None:
        for start, product, sign in self._sums(value):
            if isinstance(start, gast.Name) and start.id == name and _reads(self.levels[-1].loop.body, name) == 1:
                return self._made(name, None, value, product, sign)
        return None

    def _sums(self, value: str) -> Iterator[tuple[gast.expr, gast.expr, int]]:
        """What a sum or difference adds to, what it adds, and with which sign."""
        made = self._definition(syntax.name(value))
        row = row_of(syntax.operator_of(made.value)) if made is not None else None
        if made is not None and row is not None and row.is_sum:
            left, right = made.value.args
            yield left, right, row.sign
            if row.sign > 0:
                yield right, left, 1

    def _definition(self, atom: gast.expr) -> gast.Assign | None:
        """The assignment of a name in the loops, where it is the only one."""
        if not isinstance(atom, gast.Name) or not self.facts.is_single(atom.id):
            return None
        (found,) = self.facts.definitions[atom.id]
        return found if isinstance(found, gast.Assign) and id(found) in self.visible else None

    def _made(
        self, target: gast.Subscript | str, load: gast.stmt | None, value: str, product: gast.expr, sign: int
    ) -> Kernel | None:
        terms = self._terms(product)
        if not terms or len(terms) > MOST_TERMS:
            return None
        return Kernel(self.levels, target, load, value, tuple(Term(sign).times(term) for term in terms))

    def _terms(self, atom: gast.expr) -> list[Term]:
        """What a sum of products adds up; nothing where a factor is no number."""
        made = self._definition(atom)
        match None if made is None else made.value:
            case gast.Call(func=gast.Name(id="multiply"), args=[left, right]):
                return [one.times(other) for one in self._terms(left) for other in self._terms(right)]
            case gast.Call(args=[left, right]) as call if self._adds(call) and self.are_loads(atom):
                terms, others = self._terms(left), self._terms(right)
                sign = row_of(syntax.operator_of(call)).sign
                return [*terms, *(Term(sign).times(other) for other in others)] if terms and others else []
            case gast.Subscript(value=gast.Name(id=array), slice=place) if isinstance(self.types[array], Array):
                slices = tuple(ALONG[0] for item in place.elts if isinstance(item, gast.Slice))
                return [Term(1, (Load(array, tuple(place.elts), slices, made),))] if self._is_number(atom) else []
        return [Term(1, (), (atom,))] if not isinstance(atom, gast.Name) or self._is_scalar(atom) else []

    def _adds(self, call: gast.Call) -> bool:
        row = row_of(syntax.operator_of(call))
        return row is not None and row.is_sum

    def are_loads(self, atom: gast.expr) -> bool:
        """Whether a sum has elements in it: one of numbers that stay the same is a factor as it is."""
        made = self._definition(atom)
        match None if made is None else made.value:
            case gast.Call(args=args):
                return any(map(self.are_loads, args))
            case gast.Subscript():
                return True
        return False

    def _is_number(self, atom: gast.expr) -> bool:
        type_ = self.types[atom.id]
        is_along = isinstance(type_, Array) and type_.ndim == 1 and self.levels[-1].is_slice
        return isinstance(type_, Scalar) or is_along

    def _is_scalar(self, atom: gast.expr) -> bool:
        return isinstance(self.types[atom.id], Scalar)

    # --- products of slices

    def dot(self, statement: gast.Assign) -> Kernel | None:
        """A product of slices, by the loops that these are: the one that adds up comes last."""
        loads = self._factor(statement.value.args[0], True), self._factor(statement.value.args[1], False)
        if loads[0] is None or loads[1] is None:
            return None
        along: dict[str, Level] = {}
        for load in loads:
            axes = [k for k, item in enumerate(load.items) if isinstance(item, gast.Slice)]
            for axis, variable in zip(axes, load.slices, strict=True):
                along.setdefault(variable, _along(variable, load.array, axis, load.items[axis], [statement]))
        levels = (*self.levels, *(along[variable] for variable in sorted(along, key=(*ALONG, ADDED).index)))
        name = statement.targets[0].id
        return Kernel(levels, name, None, name, (Term(1, loads),))

    def _factor(self, atom: gast.expr, is_left: bool) -> Load | None:
        array, items, statement = self._source(atom.id)
        ranks = [k for k, item in enumerate(items) if isinstance(item, gast.Slice)]
        if len(ranks) == 1:
            return Load(array, items, (ADDED,), statement)
        pair = (ALONG[0], ADDED) if is_left else (ADDED, ALONG[1])
        return Load(array, items, pair, statement) if len(ranks) == 2 else None

    def _source(self, name: str) -> tuple[str, tuple[gast.expr, ...], gast.Assign | None]:
        """The array of a slice, and what it takes of it: all, where it is no slice of the loops."""
        bound = {n for s in syntax.walk([self.levels[0].loop]) for n in syntax.names_bound(s)}
        if name not in bound:
            return name, tuple(syntax.slice_() for _ in getattr(self.types[name], "dims", ())), None
        if self.facts.is_single(name):
            (made,) = self.facts.definitions[name]
            if isinstance(made, gast.Assign) and isinstance(made.value, gast.Subscript):
                return made.value.value.id, tuple(made.value.slice.elts), made
        return "", (), None


def _along(variable: str, array: str, axis: int, item: gast.Slice, body: Sequence[gast.stmt]) -> Level:
    """The loop that a slice is."""
    start = syntax.constant(0) if item.lower is None else item.lower
    stop = syntax.call("dim", syntax.name(array), axis=axis) if item.upper is None else item.upper
    return Level(syntax.for_range(variable, start, stop, 1, body), (), (), True)


def _same_place(left: gast.Subscript, right: gast.Subscript) -> bool:
    return bool(left.value.id == right.value.id) and syntax.same(left.slice, right.slice)


def _reads(statements: Sequence[gast.stmt], name: str) -> int:
    return sum(syntax.names_read(s).count(name) for s in statements)


def are_values(statements: Sequence[gast.stmt]) -> bool:
    return all(isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) for s in statements)


def leading_to(wanted: AbstractSet[str], statements: Sequence[gast.stmt]) -> list[gast.stmt]:
    """The statements that these names come from, directly or not."""
    needed = {*wanted}
    found: list[gast.stmt] = []
    for statement in reversed(statements):
        if needed & {*syntax.names_bound(statement)}:
            found.insert(0, statement)
            needed |= {*syntax.names_read(statement)}
    return found
