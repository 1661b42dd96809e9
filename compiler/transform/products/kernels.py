"""Find the statement that adds up products, and the loops around it.

    for i in range(0, n, 1):
        for j in range(0, l, 1):                       Kernel: the loops i, j, p, of which p adds up,
            s = 0.0                          ->                s += A[i, p] * B[p, j],
            for p in range(0, m, 1):                           and what stands before and behind the inner loops
                t = A[i, p]
                t_1 = B[p, j]
                t_2 = multiply(t, t_1)
                s_1 = add(s, t_2)
                s = s_1

A statement of slices is such a loop as well, which nobody wrote:

    for i in range(0, n, 1):                           the loops i, k and one along the slices:
        for k in range(0, m, 1):             ->            c[i, q] += 2.0 * a[i, k] * b[k, q]
            c[i, :] += 2.0 * a[i, k] * b[k, :]

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

ALONG = "along the slice"  # the variable of the loop that a slice is
MOST_TERMS = 4  # of a sum that is taken apart.  No row


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


@dataclass(frozen=True, slots=True)
class Term:
    """`sign * (product of factors)`: the statements that load factors that are elements, and the atoms of others."""

    sign: int = 1
    loads: tuple[gast.Assign, ...] = ()
    scalars: tuple[gast.expr, ...] = ()

    def times(self, other: Term) -> Term:
        return Term(self.sign * other.sign, (*self.loads, *other.loads), (*self.scalars, *other.scalars))


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """`target += (sum of terms)` inside of loops, outermost first.

    target     the place of an array, or the name that a loop carries
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


def kernels(loop: gast.For, facts: DefUse, types: Mapping[str, Type]) -> Iterator[Kernel]:
    """The kernels inside a loop, each with all loops from this one inward."""
    for path in _paths(loop):
        found = _Finder(path, facts, types).kernel()
        if found is not None:
            yield found


def _paths(loop: gast.For) -> Iterator[tuple[Level, ...]]:
    """Every way from a loop to one that holds no other."""
    inner = [s for s in loop.body if isinstance(s, gast.For)]
    if not inner:
        yield (Level(loop, (), ()),)
    for statement in inner:
        place = next(k for k, s in enumerate(loop.body) if s is statement)
        for rest in _paths(statement):
            yield (Level(loop, tuple(loop.body[:place]), tuple(loop.body[place + 1 :])), *rest)


class _Finder:
    """One way inward."""

    def __init__(self, levels: tuple[Level, ...], facts: DefUse, types: Mapping[str, Type]) -> None:
        self.levels, self.facts, self.types = levels, facts, types
        outer = [s for level in levels[:-1] for s in level.before]
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
            case [(axis, gast.Slice(lower=lower, upper=upper, step=None))]:
                *outer, last = self.levels
                start = syntax.constant(0) if lower is None else lower
                stop = syntax.call("dim", place.value, axis=axis) if upper is None else upper
                along = syntax.for_range(ALONG, start, stop, 1, last.loop.body)
                levels = (*outer, Level(last.loop, (), ()), Level(along, (), (), True))
                return _Finder(levels, self.facts, self.types)
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
            case gast.Subscript(value=gast.Name(id=array)) if isinstance(self.types[array], Array):
                assert made is not None
                return [Term(1, (made,))] if self._is_number(atom) else []
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
