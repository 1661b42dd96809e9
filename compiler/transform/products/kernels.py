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

Takes functions in which every name is assigned once, but for those that loops carry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import gast

from ... import syntax
from ...analysis.def_use import DefUse
from ...ops.schema import row_of
from ...records import dataclass
from ...types import Array, Scalar, Type


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """One of the loops, and the statements of its body around the next one; the innermost has the kernel's own."""

    loop: gast.For
    before: tuple[gast.stmt, ...]
    after: tuple[gast.stmt, ...]

    @property
    def variable(self) -> str:
        return str(self.loop.target.id)


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """`target += sign * (product of factors)` inside of loops, outermost first.

    target     the place of an array, or the name that a loop carries
    load       where it is an array, the statement that reads the element that is added to
    value      the name of what is assigned to the target
    factors    the statements that load the factors that are elements, and the atoms of all others
    """

    levels: tuple[Level, ...]
    target: gast.Subscript | str
    load: gast.stmt | None
    value: str
    sign: int
    loads: tuple[gast.Assign, ...]
    scalars: tuple[gast.expr, ...]

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
                return self._into_array(place, value)
            case [], [gast.Assign(targets=[gast.Name(id=name)], value=gast.Name(id=value))]:
                return self._into_name(name, value)
        return None

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
        loads: list[gast.Assign] = []
        scalars: list[gast.expr] = []
        if not self._take_apart(product, loads, scalars):
            return None
        return Kernel(self.levels, target, load, value, sign, tuple(loads), tuple(scalars))

    def _take_apart(self, atom: gast.expr, loads: list[gast.Assign], scalars: list[gast.expr]) -> bool:
        """Collect the factors of a product; False where one is no number."""
        made = self._definition(atom)
        match None if made is None else made.value:
            case gast.Call(func=gast.Name(id="multiply"), args=[left, right]):
                return self._take_apart(left, loads, scalars) and self._take_apart(right, loads, scalars)
            case gast.Subscript(value=gast.Name(id=array)) if isinstance(self.types[array], Array):
                assert made is not None
                loads.append(made)
            case _:
                scalars.append(atom)
        return not isinstance(atom, gast.Name) or isinstance(self.types[atom.id], Scalar)


def _same_place(left: gast.Subscript, right: gast.Subscript) -> bool:
    return bool(left.value.id == right.value.id) and syntax.same(left.slice, right.slice)


def _reads(statements: Sequence[gast.stmt], name: str) -> int:
    return sum(syntax.names_read(s).count(name) for s in statements)
