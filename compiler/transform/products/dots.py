"""Take products of slices out of a nest of loops, all of them that are parts of products of matrices.

    for i in range(n):                                  whole = a @ b
        for j in range(m):                              for i in range(n):
            t = a[i, :] @ b[:, j]             ->            for j in range(m):
            c[i, j] = c[i, j] + t                               t = whole[i, j]
                                                                c[i, j] = c[i, j] + t

An operand may be stored into in the loops, as long as no turn reads what one has stored: then it means what it was
ahead of the loops.  Where lengths may not fit, the loops stay beside what is made, for the error that they raise; where
that is the only one, it is raised ahead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

import gast

from ... import syntax
from ...analysis.def_use import DefUse
from ...analysis.integers.affine import Affine
from ...analysis.integers.nest_scope import NestScope
from ...analysis.memory.accesses import Access, accesses
from ...analysis.memory.alias import stored_names
from ...analysis.memory.dependences import Dependences
from ...builder import Builder
from ...dtypes import has_dot
from ...ops.schema import row_of
from ...program import Decision, Function
from ...records import dataclass
from ...renaming import with_blocks
from ...tuning import LEAST_PRODUCT
from ...types import Array
from .forms import Operand
from .hulls import Check, Hulls
from .kernels import Level
from .maps import in_whole
from .slices import Dot, Reach, Reaches, dots
from .telling import product_told
from .versions import either, hands_on, versions
from .whole import Whole


@dataclass(frozen=True, slots=True, eq=False)
class Ready:
    """A product of slices that may be taken, and which axes may be too short for it."""

    dot: Dot
    added: Reach
    hulls: Hulls
    reaches: Reaches
    checks: tuple[Check, ...]


class Dots:
    """The products of slices of one function; `build` is where what is made goes."""

    def __init__(self, function: Function, facts: DefUse, dependences: Dependences, build: Builder) -> None:
        self.body, self.facts, self.dependences, self.build = function.body, facts, dependences, build
        self.integers = dependences.integers
        self.are_matrices = True  # what was taken last: products of matrices, not all of a matrix and a vector

    def of_loop(self, loop: gast.For, scope: NestScope) -> list[gast.stmt] | None:
        """What comes in the place of a loop; None where it makes no such products."""
        found = list(dots(loop, self.facts, self.integers))
        if not found:
            return None
        touched = list(accesses([loop], scope, self.integers))
        ready = [one for dot in found if (one := self._ready(dot, scope, touched)) is not None]
        if not scope.loops:  # what is copied in a loop is another one in each turn
            ready = [replace(one, dot=self._from_sources(one.dot, loop)) for one in ready]
        self.are_matrices = any(one.dot.left.free and one.dot.right.free for one in ready)
        return self._taken(loop, ready) if ready else None

    def told(self, loop: gast.For) -> Decision:
        return product_told([loop], self.are_matrices)

    # --- whether it may be taken

    def _ready(self, dot: Dot, scope: NestScope, touched: Sequence[Access]) -> Ready | None:
        sides = dot.left, dot.right
        if not self.fits(dot) or not self._is_kept(dot) or not _pays(dot, scope):
            return None
        if not all(self.is_old(side, scope, touched) for side in sides):
            return None
        hulls = Hulls([Level(loop, (), ()) for loop in dot.loops], "", self.integers, scope)
        if not hulls.is_known:
            return None
        reaches = Reaches(dot, self.integers, hulls)
        added = reaches.added()
        checks = [hulls.checks(side) for side in sides]
        if added is None or None in checks or self._is_small(dot, hulls) or not all(map(reaches.is_modest, sides)):
            return None
        return Ready(dot, added, hulls, reaches, tuple(check for some in checks for check in some or ()))

    def fits(self, dot: Dot) -> bool:
        """Whether the library knows the dtype of all."""
        names = [dot.statement.targets[0].id, dot.left.array, dot.right.array]
        dtypes = {getattr(self.integers.types[name], "dtype", "") for name in names}
        return len(dtypes) == 1 and has_dot(dtypes.pop())

    def _is_kept(self, dot: Dot) -> bool:
        """Whether the loops fill an array that is as large as the product: they may be there to do without one."""
        wanted = {self.integers.number_of(v) for side in (dot.left, dot.right) for v in side.variables}
        for statement in syntax.walk([dot.loops[0]]):
            if syntax.stored_base(statement) is not None:
                forms = [self.integers.of(item) for item in statement.targets[0].slice.elts if syntax.is_atom(item)]
                if wanted <= {unknown for form in forms if form is not None for unknown, _ in form.terms}:
                    return True
        return False

    def _is_small(self, dot: Dot, hulls: Hulls) -> bool:
        """Whether all lengths are known, and so short that loops are as good."""
        spans = [hulls.stops[v].form - hulls.starts[v].form for v in hulls.starts]
        types = [self.integers.types[side.array] for side in (dot.left, dot.right)]
        spans += [
            self.integers.of_extent(type_.dims[k])
            for side, type_ in zip((dot.left, dot.right), types, strict=True)
            for k, axis in enumerate(side.axes)
            if isinstance(axis.item, gast.Slice) and isinstance(type_, Array)
        ]
        return not any(span.terms for span in spans) and prod(span.constant for span in spans) < LEAST_PRODUCT

    def is_old(self, side: Operand, scope: NestScope, touched: Sequence[Access]) -> bool:
        """Whether what is read of an operand is what it was ahead of the loops."""
        stores = [(place, a) for place, a in enumerate(touched) if a.is_store and a.array == side.array]
        if not stores:
            return True
        if side.load is None:
            return False
        place, load = next((k, a) for k, a in enumerate(touched) if a.node is side.load.value)
        around = len(scope.loops)
        return not any(self.dependences.may_follow(store, load, k < place, around) for k, store in stores)

    def fails_there_alone(self, dot: Dot, hulls: Hulls, checks: Sequence[Check]) -> bool:
        """Whether a loop with this dot raises nothing but what one of the checks raises, at the place that it tells."""
        loop, ((array, place), *others) = dot.loops[0], [(check.operand.array, check.place) for check in checks]
        start, stop = hulls.starts[loop.target.id].form, hulls.stops[loop.target.id].form
        has_turns = start == Affine(0) or self.integers.is_natural(stop - start.plus(1), hulls.scope)
        if others or not has_turns or any(check.axis.offset for check in checks):
            return False
        if not all(isinstance(s, gast.Assign) for s in loop.body):
            return False
        for value in (s.value for s in loop.body if s is not dot.statement):
            row = row_of(syntax.operator_of(value))
            if row is not None and row.raises(list(map(self.build.type_of, value.args)), syntax.static_of(value)):
                return False
        for access in accesses([loop], hulls.scope, self.integers):
            dims = getattr(self.build.types[access.array], "dims", ())
            for axis, (item, extent) in enumerate(zip(access.items, dims, strict=True)):
                is_told = (access.array, axis) == (array, place) and getattr(item, "id", "") == loop.target.id
                is_slice = isinstance(item, gast.Slice)
                if item is None or not (is_told or is_slice or self.integers.is_inside(item, extent, access.scope)):
                    return False
        return True

    def _from_sources(self, dot: Dot, loop: gast.For) -> Dot:
        """Operands that are copies in which nothing has been stored yet are read where they were copied from."""
        left, right = (replace(side, array=self._source(side.array, loop)) for side in (dot.left, dot.right))
        return replace(dot, left=left, right=right)

    def _source(self, array: str, loop: gast.For) -> str:
        match self.facts.value_of(array):
            case gast.Call(func=gast.Name(id="copy"), args=[gast.Name(id=source)]) if loop in self.body:
                ahead = syntax.walk(self.body[: self.body.index(loop)])
                stored = {name for s in syntax.walk(self.body) for name in stored_names(s)}
                is_changed = source in stored or any(array in stored_names(s) for s in ahead)
                return array if is_changed else source
        return array

    # --- taking it

    def _taken(self, loop: gast.For, ready: Sequence[Ready]) -> list[gast.stmt] | None:
        build = self.build
        build.body, build.span, build.inlined = [], loop.span, getattr(loop, "inlined", ())
        wholes = [Whole(one.dot, one.added, build, one.hulls, one.reaches) for one in ready]
        tests: list[gast.expr] = []
        for one, whole in zip(ready, wholes, strict=True):
            one.hulls.prepare(build)
            own = whole.tests(one.checks)
            if len(ready) == 1 and one.checks and not own and self.fails_there_alone(one.dot, one.hulls, one.checks):
                one.hulls.check(build, one.checks)
                continue
            tests += [one.hulls.is_short(build, one.checks)] if one.checks else []
            tests += own
        if tests and hands_on(loop, self.facts):
            return None
        ahead, build.body = build.body, []
        names = [whole.make() for whole in wholes]
        made, build.body = build.body, []
        parts = {id(o.dot.statement): self._read(o.dot.statement, w, n) for o, w, n in zip(ready, wholes, names)}
        sides = [side for one in ready for side in (one.dot.left, one.dot.right)]
        parts.update((id(side.load), []) for side in sides if self.is_idle(side))
        checked = [check for one in ready for check in one.checks if check.axis.offset >= 0]
        long = {(check.operand.array, check.place, check.axis.variable) for check in checked}
        made += in_whole(_with(loop, parts), {*names}, build, self.integers, ready[0].hulls.scope, long)
        test = either(build, tests, ahead)
        return [*ahead, *versions(build, self.integers, loop, test, made)]

    def is_idle(self, side: Operand) -> bool:
        """Whether what is loaded of an operand was for the product alone."""
        return side.load is not None and self.facts.count[side.load.targets[0].id] == 1

    def _read(self, statement: gast.Assign, whole: Whole, name: str) -> list[gast.stmt]:
        """The statement with what it had computed, loaded."""
        build, target = self.build, statement.targets[0].id
        build.body, build.span, build.inlined = [], statement.span, getattr(statement, "inlined", ())
        loaded = build.types[whole.read(name).id]
        *before, load = build.body
        old = build.types[target]
        if isinstance(loaded, Array) and isinstance(old, Array):
            build.types[target] = Array(old.dtype, old.dims, loaded.layout)
        return [*before, syntax.at(syntax.assign(target, load.value), build.span, build.inlined)]


def _pays(dot: Dot, scope: NestScope) -> bool:
    """Whether a product with a vector does, which in each turn of loops may be short: columns are read by rows then."""
    sides = dot.left, dot.right
    return not scope.loops or all(side.free for side in sides) or any(side.free > (side.along,) for side in sides)


def _with(statement: gast.stmt, parts: Mapping[int, list[gast.stmt]]) -> list[gast.stmt]:
    if id(statement) in parts:
        return parts[id(statement)]
    blocks = syntax.blocks_of(statement)
    if not blocks:
        return [statement]
    return [with_blocks(statement, [[made for s in block for made in _with(s, parts)] for block in blocks])]
