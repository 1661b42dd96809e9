"""Take products of matrices that are written as loops out of them, as one product each.

    for i in range(n):                                  t = A @ B
        for j in range(l):                              for i in range(n):
            s = 0.0                              ->         for j in range(l):
            for p in range(m):                                  C[i, j] = alpha * t[i, j]
                s += A[i, p] * B[p, j]
            C[i, j] = alpha * s

The loop that adds up goes; all else stays where it is, as the product depends on nothing that the loops change.  Terms
are added in the order of the product.  Where lengths may not fit, the loops stay beside what is made, for the error
that they raise; where that is the only one, it is raised ahead.  Takes and gives typed programs; derivatives are taken
of what it gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

import gast

from ... import syntax
from ...analysis.def_use import def_use
from ...analysis.integers.nest_scope import NestScope
from ...analysis.memory.accesses import accesses
from ...analysis.memory.dependences import Dependences
from ...builder import Builder
from ...names import Names
from ...program import Decision, Function
from ...renaming import renamed, with_blocks
from ...tuning import BAND
from ...types import Array, symbols_of
from ..prune import prune
from ..simplify import simplify
from .apart import Apart
from .hulls import Check, plus_number
from .maps import in_whole
from .ready import Judge, Ready
from .running_sums import RunningSums
from .sums import is_dot, kernels
from .telling import is_told, product_told, sums_told
from .whole import Whole


def products(function: Function) -> Function:
    """The function with loops that are products of matrices replaced by those products."""
    if is_told(function) or not _holds_nests(function.body):
        return function  # of what is taken, loops are left for operands that are too short
    made = function
    left: list[gast.stmt] = []
    told: list[Decision] = []
    while True:
        taking = Taking(made, left)
        body = taking.block(list(made.body), NestScope())
        if not taking.decisions:
            break
        told += taking.decisions
        made = made.with_(body=tuple(body), types=taking.build.types)
    if not told:
        return function
    return prune(simplify(made.with_(decisions=(*function.decisions, *dict.fromkeys(told)))))


def _holds_nests(body: Iterable[gast.stmt]) -> bool:
    compound = [s for s in body if type(s) in syntax.COMPOUND]
    return any(_is_deep(s) or any(map(_holds_nests, syntax.blocks_of(s))) for s in compound)


def _is_deep(loop: gast.stmt) -> bool:
    return type(loop) is gast.For and any(type(inner) is gast.For or is_dot(inner) for inner in loop.body)

Make: TypeAlias = Callable[[Ready, Sequence[Check]], list[gast.stmt]]


class Taking:
    """One function on the way; `left` are loops that stay as they are."""

    def __init__(self, function: Function, left: list[gast.stmt]) -> None:
        self.left, self.facts = left, def_use(function)
        dependences = Dependences(function, {name: name for name in function.types})
        self.integers = dependences.integers
        types = dict(function.types)
        taken = {*types, *function.parameters, *(s for t in types.values() for s in symbols_of(t))}
        self.build = Builder(Names(taken), types, {})
        self.build.merged = {n for n, found in self.facts.definitions.items() if len(found) > 1}
        self._remember_lengths()
        self.judge = Judge(function.body, self.facts, dependences)
        self.apart, self.running_sums = Apart(self), RunningSums(self)
        self.decisions: list[Decision] = []

    def _remember_lengths(self) -> None:
        for name, found in self.facts.definitions.items():
            value = getattr(found[0], "value", None)
            if len(found) == 1 and value is not None and syntax.operator_of(value) == "dim":
                array = self.build.types[value.args[0].id]
                if isinstance(array, Array):
                    self.build.extents[name] = array.dims[syntax.static_of(value)["axis"]]

    def block(self, body: list[gast.stmt], scope: NestScope) -> list[gast.stmt]:
        made: list[gast.stmt] = []
        for statement in body:
            if any(statement is loop for loop in self.left):
                made.append(statement)
                continue
            if isinstance(statement, gast.For):
                taken = self._of_loop(statement, scope)
                if taken is not None:
                    made += taken
                    self.left += [s for s in syntax.walk(taken) if isinstance(s, gast.For) and _is_band(s)]
                    continue
            inside = scope
            if isinstance(statement, gast.For | gast.While):
                inside = scope.inside(self.integers.loop(statement))
            if syntax.blocks_of(statement):
                blocks = [self.block(list(block), inside) for block in syntax.blocks_of(statement)]
                statement = with_blocks(statement, blocks)
            made.append(statement)
        return made

    def _of_loop(self, loop: gast.For, scope: NestScope) -> list[gast.stmt] | None:
        """What comes in place of a loop; None where it holds no product."""
        if not _is_deep(loop):
            return None
        for one in self.ready(loop, scope):
            taken = self.taken(loop, one, self.product)
            if taken is not None:
                self.tell(one)
                return taken
        taken = self.running_sums.of_loop(loop, scope)
        if taken is not None:
            self.left.append(loop)
            self.decisions.append(sums_told(loop))
        return self.apart.of_loop(loop, scope) if taken is None else taken

    def ready(self, loop: gast.For, scope: NestScope, is_apart: bool = False) -> Iterator[Ready]:
        """The sums of a nest that may be taken."""
        touched = list(accesses([loop], scope, self.integers))
        for kernel in kernels(loop, self.facts, self.integers.types):
            one = self.judge.ready(kernel, scope, touched, is_apart)
            if one is not None:
                yield one

    def tell(self, one: Ready) -> None:
        loops = [level.loop for level in one.form.kernel.levels if not level.is_slice]
        self.decisions.append(product_told(loops, len(one.form.free) > 1))

    # --- taking it

    def start(self, loop: gast.For) -> None:
        self.build.body, self.build.span, self.build.inlined = [], loop.span, getattr(loop, "inlined", ())

    def taken(self, loop: gast.For, one: Ready, make: Make) -> list[gast.stmt] | None:
        """What comes in place of the loops; the loops themselves where they go beyond an operand.

        None where a value is loop-carried in both.
        """
        build, hulls = self.build, one.hulls
        self.start(loop)
        hulls.prepare(build)
        tests = [*self.judge.idle(one, build), *self.unequal(one)]
        if not tests and (not one.checks or self.judge.is_exact(one)):
            hulls.check(build, one.checks)
            return make(one, one.checks)
        if self.hands_on(loop):
            return None
        tests += hulls.is_short(build, one.checks)
        ahead, build.body = build.body, []
        test = self.either(tests, ahead)
        return [*ahead, *self.versions(loop, test, make(one, ()))]

    def unequal(self, one: Ready) -> list[gast.expr]:
        """What tells, ahead of the loops, that slices are not equally long."""
        build = self.build
        pairs = [(one.hulls.ahead(build, a), plus, one.hulls.ahead(build, b)) for a, plus, b in one.form.lengths]
        return [build.call("not_equal", plus_number(build, a, plus), b, hint="is_short") for a, plus, b in pairs]

    def product(self, one: Ready, checks: Sequence[Check]) -> list[gast.stmt]:
        """The products, with sums as long as what is checked, and the loops that read their elements."""
        build = self.build
        whole = Whole(one.form, one.hulls, build, self.judge.idle_in(one.form))
        whole.make(checks)
        if one.hulls.turned:
            whole.store()
            return build.body
        ahead, build.body = build.body, []
        is_long = not checks or self.judge.is_alone(one)
        long = {(c.operand.array, c.place, c.axis.variable) for c in one.checks if is_long and c.axis.offset >= 0}
        names = {made.name for made in whole.made}
        return [*ahead, *in_whole(whole.nest(), names, build, self.integers, one.hulls.scope, long)]

    # --- loops beside what is made of them

    def hands_on(self, loop: gast.For) -> bool:
        """Whether a value is loop-carried, or leaves the loop: two versions of the loop would both give it."""
        inside = {id(s) for s in syntax.walk([loop])}
        bound = {name for s in syntax.walk([loop]) for name in syntax.names_bound(s)}
        return any(id(s) not in inside for name in bound for s in self.facts.definitions[name])

    def either(self, tests: Sequence[gast.expr], ahead: list[gast.stmt]) -> gast.expr | None:
        """Append to `ahead` whether one of the tests holds; None where there are none."""
        if not tests:
            return None
        outer, self.build.body = self.build.body, ahead
        found, *others = tests
        for test in others:
            found = self.build.call("logical_or", found, test, hint="is_short")
        self.build.body = outer
        return found

    def versions(self, loop: gast.For, test: gast.expr | None, made: list[gast.stmt]) -> list[gast.stmt]:
        """What is made of a loop, or where the test holds the loop, which stays as it is."""
        if test is None:
            return made
        self.left.append(loop)
        made = self.apart_from(loop, made)
        return [syntax.at(syntax.if_(test, [loop], made), loop.span, getattr(loop, "inlined", ()))]

    def apart_from(self, loop: gast.For, made: list[gast.stmt]) -> list[gast.stmt]:
        """What is made with names of its own beside a loop."""
        names = {n for s in syntax.walk(made) for n in syntax.names_bound(s)} & self.integers.bound_in(loop)
        fresh = {name: self.build.names.fresh(name) for name in sorted(names)}
        self.build.types.update({new: self.build.types[old] for old, new in fresh.items()})
        return [renamed(statement, fresh) for statement in made]


def _is_band(loop: gast.For) -> bool:
    """Whether a loop is that of a triangle."""
    step = loop.iter.args[2]
    return isinstance(step, gast.Constant) and step.value == BAND
