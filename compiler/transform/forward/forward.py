"""Write the function that carries tangents along: the derivative in forward mode.

    def f(x):                          def f_jvp(x, x_dot):
        y = sin(x)            ->           y = sin(x)
        z = multiply(y, 2.0)               y_dot = x_dot * cos(x)
        return (z,)                        z = multiply(y, 2.0)
                                           z_dot = multiply(y_dot, 2.0)
                                           return (z, z_dot)

Takes typed programs, gives typed programs, so that it can be applied again.  Every statement is followed by that of its
tangent, in the same loops and branches; the values are computed as before.  Only names that depend on a parameter that
has a tangent, and that a result depends on, have one (`analysis/activity`); a name of which that holds on one path only
has zeros where paths meet.  Keeps spans: a tangent has that of its statement.  Leaves values that nothing reads to
`prune`, copies of arrays that live longer now to `copies`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import gast

from ... import syntax
from ...analysis.activity import Activity, activity
from ...builder import Specialiser
from ...names import Names, base_of
from ...program import Function, Program
from ...records import dataclass
from ...types import Array, Type
from ..in_parts import in_parts
from ..reachable import reachable
from ..reverse.calls import passing_names, used_types
from ..reverse.settle import settle
from .blocks import interleaved
from .tangents import Tangents, dotted


@dataclass(frozen=True, slots=True, eq=False)
class Pushed:
    """The program with tangents.

    The entry has the parameters it had and after them `tangents[p, 1]`, the tangent of each parameter p that has one;
    it returns the results it had and after them the tangents of those that were asked for.  Those of the second
    order, `tangents[p, 2]`, come after all of the first.
    """

    program: Program
    tangents: Mapping[tuple[str, int], str]


def forward(
    program: Program, wrt: Mapping[str, Sequence[Type | None]], outputs: Sequence[int],
    specialiser: Specialiser | None = None, is_dependence: bool = False, names: Names | None = None,
) -> Pushed:  # fmt: skip
    """The program that gives the tangents of these results too, given those of some parameters, in these types.

    Of a parameter there are the derivatives of the first order, the second and so on, None for one that is zero.  With
    `is_dependence` all slopes are one (`ops/dependence`).  `names` are those that functions must not have.
    """
    settled = in_parts(program, tuple(wrt), outputs).map(settle)
    order = max(map(len, wrt.values()), default=1)
    facts = activity(settled, tuple(wrt), outputs)
    made = _Forward(settled, facts, specialiser, is_dependence, order, names or Names(settled.functions))
    entry, tangents = made.entry(wrt, outputs)
    functions = {entry.name: entry, **made.callees(), **settled.functions}
    for rule in made.rules.values():
        functions.update(rule.program.functions)
    return Pushed(reachable(Program(entry.name, functions)), tangents)


class _Forward:
    """All functions with tangents: those that are called are written when a call is met."""

    def __init__(
        self, program: Program, facts: Mapping[str, Activity], specialiser: Specialiser | None, is_dependence: bool,
        order: int, names: Names,
    ) -> None:  # fmt: skip
        self.program, self.facts, self.specialiser = program, facts, specialiser
        self.is_dependence, self.order, self.names = is_dependence, order, names
        self.called: dict[str, str] = {}
        self.rules: dict[str, Pushed] = {}

    def rule(self, name: str, wrt: Sequence[str], outputs: Sequence[int]) -> Pushed:
        """A rule of tangents with derivatives along the curve, of one order less than is asked for."""
        if name not in self.rules:
            types = self.program.functions[name].types
            given = {p: [as_any(types[p])] * (self.order - 1) for p in wrt}
            program = Program(name, self.program.functions)
            self.rules[name] = forward(program, given, outputs, self.specialiser, names=self.names)
        return self.rules[name]

    def callee(self, name: str) -> str:
        """What a function that is called is named with tangents."""
        if name not in self.called:
            self.called[name] = self.names.fresh(f"{name}_{self.suffix}")
        return self.called[name]

    def entry(
        self, wrt: Mapping[str, Sequence[Type | None]], outputs: Sequence[int]
    ) -> tuple[Function, dict[tuple[str, int], str]]:
        function = self.program.main
        state = Tangents(function, self.facts[function.name], self)
        state.at(function.body[0])
        added: dict[tuple[str, int], str] = {}
        for one in state.orders:
            for name, given in wrt.items():
                if (type_ := given[one.order - 1]) is not None:
                    added[name, one.order] = one.parameter(name, type_)
                elif name in one.active:
                    one.dots[name] = one.zero(syntax.name(name), one.hint(name))
        made = self._function(
            state, self.names.fresh(f"{function.name}_{self.suffix}"), wrt, tuple(added.values()), outputs
        )
        return made, added

    @property
    def suffix(self) -> str:
        return "jvp" if self.order == 1 else "jet"

    def callees(self) -> dict[str, Function]:
        """The functions that are called, directly or not."""
        made: dict[str, Function] = {}
        while missing := [name for name in self.called if self.called[name] not in made]:
            for name in missing:
                function, facts = self.program.functions[name], self.facts[name]
                state = Tangents(function, facts, self)
                state.at(function.body[0])
                taken = [(one, p, as_any(function.types[p])) for one in state.orders for p in facts.parameters]
                added = [one.parameter(p, type_) for one, p, type_ in taken]
                made[self.called[name]] = self._function(
                    state, self.called[name], facts.parameters, added, facts.results
                )
        return made

    def _function(
        self, state: Tangents, name: str, wrt: Collection[str], added: Sequence[str], outputs: Sequence[int]
    ) -> Function:
        function, end = state.function, state.function.body[-1]
        for parameter in function.parameters:
            if parameter not in wrt:
                for one in state.orders:
                    one.unchanged(parameter)
        state.builder.body += interleaved(state, function.body[:-1])
        state.at(end)
        last = [_result(one, end.value.elts[k], function.results[k]) for one in state.orders for k in outputs]
        body = [*state.builder.body, syntax.return_([*end.value.elts, *last], state.builder.span)]
        parameters = (*function.parameters, *added)
        return function.with_(
            name=name,
            rule=None,
            parameters=parameters,
            body=tuple(body),
            types=used_types(parameters, body, state.types),
            results=(*function.results, *map(state.builder.type_of, last)),
            notes=(*function.notes, _note(function, wrt, self.order)),
            temporaries=passing_names(function, state.types) | _passing_tangents(function, state.types, self.order),
        )


def _result(state: Tangents, atom: gast.expr, type_: Type) -> gast.expr:
    """The tangent of a result, whole, and in C order where that is."""
    is_ordered = isinstance(type_, Array) and type_.layout == "C"
    return state.full(atom, is_ordered, state.hint(atom.id) if isinstance(atom, gast.Name) else "result_dot")


def as_any(type_: Type) -> Type:
    """The type of a tangent that is passed to a function: in the lengths of its primal, in any order in memory."""
    return Array(type_.dtype, type_.dims, "A") if isinstance(type_, Array) else type_


def _passing_tangents(function: Function, table: Mapping[str, Type], order: int) -> frozenset[str]:
    """The tangents of names that the compiler made, which say as little as those."""
    passing = passing_names(function, function.types)
    orders = range(1, order + 1)
    bases = {dotted(base_of(name), k) for name in passing for k in orders} | {dotted("t", k) for k in orders}
    return frozenset(name for name in table if name not in function.types and base_of(name) in bases)


def _note(function: Function, wrt: Iterable[str], order: int) -> str:
    if order > 1:
        return f"{function.spoken} along a curve: its derivatives to order {order}."
    return f"{function.spoken} with tangents of {', '.join(wrt)}."
