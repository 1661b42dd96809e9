"""Take the products of a nest that does something else as well, each out of loops of its own (`distribute`).

    for i in range(n):                                  for i in range(n):
        for j in range(m):                                  for j in range(m):
            c[:i, j] += b[i, j] * a[i, :i]     ->               c[i, j] = 1.2 * c[i, j]
            c[i, j] = 1.2 * c[i, j]                     c[:n - 1] += (the triangle of a below its diagonal).T @ b

Where an element may not be there, the nest stays beside what is made of it, for the error that it raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.integers.affine import Affine
from ...analysis.integers.nest_scope import NestScope
from ...analysis.memory.accesses import Access, accesses
from .distribute import splits
from .forms import Axis, Operand
from .hulls import Check, Hulls
from .ready import Ready
from .sums import Level

if TYPE_CHECKING:
    from .products import Taking


class Apart:
    """The nests of one function, whose products `taking` takes."""

    def __init__(self, taking: Taking) -> None:
        self.taking, self.build, self.integers = taking, taking.build, taking.integers

    def of_loop(self, loop: gast.For, scope: NestScope) -> list[gast.stmt] | None:
        """What comes in place of a nest; None where it holds no product beside something else."""
        facts, dependences = self.taking.facts, self.taking.judge.dependences
        if self.taking.hands_on(loop):
            return None
        first: list[Ready | gast.For] = []
        last: list[Ready | gast.For] = []
        rest = loop
        while (split := next(splits(rest, scope, facts, dependences, lambda p: self._product_in(p, scope)), None)):
            rest = split.rest
            (first if split.is_first else last).append(split.found)
        if not first and not last or self.taking.judge.raises(syntax.walk([rest])):
            return None
        return self._taken(loop, scope, [*first, self._product_in(rest, scope) or rest, *reversed(last)])

    def _product_in(self, part: gast.For, scope: NestScope) -> Ready | None:
        """The product that the loops of one store are."""
        found = (one for one in self.taking.ready(part, scope, is_apart=True) if one.form.place is not None)
        return next((one for one in found if _all_checks(one) is not None), None)

    def _taken(
        self, loop: gast.For, scope: NestScope, parts: Sequence[Ready | gast.For]
    ) -> list[gast.stmt] | None:
        build, taking = self.build, self.taking
        taking.start(loop)
        checks = self._needed(loop, scope)
        if checks is None:
            return None
        tests: list[gast.expr] = []
        for part in parts:
            if isinstance(part, Ready):
                part.hulls.prepare(build)
                tests += [*taking.judge.idle(part, build), *taking.unequal(part)]
                checks += [(part.hulls, check) for check in _all_checks(part) or ()]
        known: dict[object, gast.expr] = {}
        for hulls, check in checks:
            hulls.is_short(build, [check], known)
        ahead, made = build.body, []
        for part in parts:
            build.body = []
            if isinstance(part, Ready):
                taking.tell(part)
                made += taking.apart_from(loop, taking.product(part, ()))
            else:
                made.append(part)
        test = taking.either([*tests, *known.values()], ahead)
        return [*ahead, *taking.versions(loop, test, made)]

    def _needed(self, loop: gast.For, scope: NestScope) -> list[tuple[Hulls, Check]] | None:
        """The axes that may be too short for the elements of the nest; None where that is not known ahead of it."""
        found: list[tuple[Hulls, Check]] = []
        for access in accesses([loop], scope, self.integers):
            levels = [Level(inner.statement, (), ()) for inner in access.scope.loops[len(scope.loops) :]]
            operand = self._operand(access, [level.variable for level in levels])
            hulls = Hulls(levels, "", self.integers, scope) if levels else None
            checks = hulls.checks(operand) if operand is not None and hulls is not None and hulls.is_known else None
            if checks is None or hulls is None:
                return None
            found += [(hulls, check) for check in checks]
        return found

    def _operand(self, access: Access, variables: Sequence[str]) -> Operand | None:
        """What is accessed, by loops; an index that is surely inside is no matter, and neither is a slice."""
        dims = getattr(self.build.types[access.array], "dims", ())
        numbers = {self.integers.number_of(variable): variable for variable in variables}
        axes = []
        for item, extent in zip(access.items, dims, strict=True):
            if item is None:
                return None
            if isinstance(item, gast.Slice) or self.integers.is_inside(item, extent, access.scope):
                axes.append(Axis(syntax.slice_()))
                continue
            match self.integers.of(item):
                case Affine(terms=((unknown, 1),), constant=offset) if unknown in numbers:
                    axes.append(Axis(item, numbers[unknown], offset))
                case _:
                    return None
        return Operand(access.array, tuple(axes))


def _all_checks(one: Ready) -> list[Check] | None:
    """What all that a product reads and adds to needs, slices by the bounds that they reach."""
    assert one.form.place is not None
    return one.hulls.needed([*one.form.operands, one.form.place], with_slices=True)
