"""Functions that call themselves: a forward form that records, and a backward form that reads the record from its end.

    y = g(x, n)                    y = g_forward(x, n, a_saved)
                          ->       ...
                                   x_bar_1 = g_backward(n, y_bar, a_saved)

What the backward form needs of one activation lies on lists that are passed through all calls, or is passed in again
where it is a parameter.  Cotangents of the results are arguments, cotangents of the parameters that are numbers are
results; those of arrays are passed in, in boxes (`ownership.py`), and added to in place; a list that is passed in has a
list of cotangents that is passed in too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.activity import Activity, calls_of, results_of
from ...builder import Specialiser
from ...names import Names, base_of
from ...program import Function, Program
from ...records import dataclass
from ...types import Array, ListOf, Scalar, Type
from ..int_atoms import IntAtoms
from .cotangents import Cotangents
from .plan import plan
from .ruled import Again, again, by_rule
from .saves import Saved, save
from .sweep import Seeds, Sweep, backward

if TYPE_CHECKING:
    from collections.abc import Mapping

PASSING = frozenset({"last", "stop", "span", "offset", "back", "lower", "upper", "count", "share", "attained"})


def backward_call(sweep: Sweep, frame: Cotangents, statement: gast.stmt) -> None:
    """The backward form of a call; the call itself records from now on."""
    node = statement.value
    rule = sweep.derivative.rules.get(node.func.id)
    if rule is not None:
        return by_rule(sweep, frame, statement, rule)
    if sweep.program.functions[node.func.id].rule is not None:
        return again(sweep, frame, statement)
    callee = sweep.derivative.callee(node.func.id)
    places = results_of(statement)
    lists = [
        (p, a.id)
        for p, a in zip(callee.function.parameters, node.args)
        if isinstance(callee.function.types[p], ListOf) and p in callee.activity.names and isinstance(a, gast.Name)
    ]
    wanted = [places[k] for k in callee.activity.results]
    if not lists and not any(name in frame.bars for name in wanted):
        return None
    arguments: list[gast.expr] = [
        sweep.atom(statement, a) for p, a in zip(callee.function.parameters, node.args) if p in callee.passed
    ]
    arguments += [frame.full(name, frame.bars.get(name)) for name in wanted]
    arguments += [frame.list_in_place(name) for _, name in lists]
    for name in wanted:
        frame.bars.pop(name, None)
    arguments += map(syntax.name, _handed_boxes(sweep, frame, statement, callee))
    arguments += _starts(sweep, frame, statement, callee)
    targets = [(p, a) for p, a in zip(callee.function.parameters, node.args) if p in callee.outputs()]
    made = [_result_name(sweep, frame, callee.function.types[p], a, p) for p, a in targets]
    call = syntax.call(callee.backward, *arguments)
    frame.builder.append(syntax.assign(made, call) if made else syntax.expression(call))
    for name, (_, argument) in zip(made, targets):
        if isinstance(argument, gast.Name) and argument.id in sweep.active:
            frame.add(argument.id, syntax.name(name))
    forward = syntax.rebuild(node, func=syntax.name(callee.forward))
    sweep.forward_calls[id(statement)] = syntax.rebuild(statement, value=forward)


def _handed_boxes(sweep: Sweep, frame: Cotangents, statement: gast.stmt, callee: Callee) -> Iterator[str]:
    """The boxes for the cotangents of array parameters."""
    arguments = dict(zip(callee.function.parameters, statement.value.args))
    for parameter in callee.arrays():
        root, _ = sweep.ownership.of_call[id(statement)].get(parameter, ("", ()))
        yield sweep.ownership.closed[root] if root else sweep.ownership.own(frame, arguments[parameter].id)


def _starts(sweep: Sweep, frame: Cotangents, statement: gast.stmt, callee: Callee) -> Iterator[gast.expr]:
    """Where the parts that are arguments begin in the arrays whose cotangents are passed in."""
    ints = IntAtoms(frame.builder)
    for parameter in callee.arrays():
        _, starts = sweep.ownership.of_call[id(statement)].get(parameter, ("", ()))
        for axis in sorted(sweep.derivative.sections.get((callee.function.name, parameter), ())):
            total: gast.expr = syntax.constant(0)
            for start in (starts[axis] or ()) if starts else ():
                total = ints.plus(total, start)
            yield total


def _result_name(sweep: Sweep, frame: Cotangents, type_: Type, argument: gast.expr, parameter: str) -> str:
    """A name for the cotangent of an argument that is a number."""
    name = sweep.names.fresh(frame.hint(argument.id if isinstance(argument, gast.Name) else parameter))
    sweep.types[name] = type_
    return name


@dataclass(slots=True)
class Callee:
    """One function that is called: its activity, the names of its two forms, and the parameters passed in again."""

    function: Function
    activity: Activity
    forward: str
    backward: str
    passed: set[str] = field(default_factory=set)

    def outputs(self) -> list[str]:
        """The parameters whose cotangents the backward form returns."""
        return [p for p in self.activity.parameters if isinstance(self.function.types[p], Scalar)]

    def arrays(self) -> list[str]:
        """The parameters whose cotangents the backward form takes in boxes, and adds to."""
        return [p for p in self.activity.parameters if isinstance(self.function.types[p], Array)]

    def lists(self) -> list[str]:
        return [p for p in self.activity.parameters if isinstance(self.function.types[p], ListOf)]


class Derivative:
    """All functions of a derivative: which are needed, what they pass each other."""

    def __init__(
        self, program: Program, facts: Mapping[str, Activity], specialiser: Specialiser | None,
        reverse: Callable[..., Program], being_made: Mapping[str, Again],
    ) -> None:  # fmt: skip
        self.program, self.facts, self.specialiser = program, facts, specialiser
        self.names = Names(program.functions)
        self.callees: dict[str, Callee] = {}
        self.saved: dict[str, Saved] = {}
        self.sections: dict[tuple[str, str], set[int]] = {}
        self._written_with = 0
        self.reverse = reverse
        self.again: dict[str, Again] = {}  # by name, the functions whose calls the backward sweep recomputes
        self.being_made = being_made  # the derivatives that this one is a part of
        rules = [function.rule for function in program.functions.values()]
        self.rules = {rule.functions[0]: rule for rule in rules if rule is not None and rule.is_split}

    def sections_of(self, function: str) -> Iterator[tuple[str, set[int]]]:
        """The parameters of a function that are sections of longer arrays, and on which axes they begin later."""
        return ((parameter, axes) for (name, parameter), axes in self.sections.items() if name == function and axes)

    def is_ruled(self, name: str) -> bool:
        """Whether a rule says what the backward form of a call is."""
        return name in self.rules or self.program.functions[name].rule is not None

    def callee(self, name: str) -> Callee:
        if name not in self.callees:
            forward, backward = self.names.fresh(f"{name}_forward"), self.names.fresh(f"{name}_backward")
            self.callees[name] = Callee(self.program.functions[name], self.facts[name], forward, backward)
        return self.callees[name]

    def write_callees(self) -> bool:
        """Write every function that is called so far; whether all was settled: nothing more has to be passed in."""
        settled = True
        while missing := [name for name in self.callees if name not in self.saved]:
            for name in missing:
                settled &= self._write(self.callees[name])
        axes = sum(map(len, self.sections.values()))
        settled &= axes == self._written_with
        self._written_with = axes
        return settled

    def _write(self, callee: Callee) -> bool:
        planned = plan(self.program, callee.function, callee.activity, lasting=False)
        swept = backward(planned, self, lambda sweep: _handed_in(sweep, callee), callee.outputs())
        made = self.saved[callee.function.name] = save(swept)
        read = {n for s in made.statements for n in syntax.names_read(s)}
        passed = {p for p in callee.function.parameters if p in read}
        settled = passed <= callee.passed
        callee.passed |= passed
        return settled

    # --- tapes

    def tapes_of(self, name: str) -> list[tuple[str, str]]:
        """(function, tape) for all that an activation of a function writes on, also in the functions it calls."""
        found, waiting = [], [name]
        while waiting:
            current = waiting.pop(0)
            if current in found:
                continue
            found.append(current)
            waiting.extend(self._called_by(self.saved[current].backward.sweep))
        return [(f, tape) for f in found for tape in self.saved[f].tapes]

    def _called_by(self, sweep: Sweep) -> Iterator[str]:
        for statement, callee in calls_of(sweep.function, self.program):
            if id(statement) in sweep.forward_calls:
                yield callee

    def local_name(self, saved: Saved, tape: tuple[str, str]) -> str:
        """What a function calls a tape: its own name where it owns it, else a fresh one."""
        owner, name = tape
        sweep = saved.backward.sweep
        if owner == sweep.function.name and not sweep.lasting:
            return name
        if tape not in saved.tape_names:
            saved.tape_names[tape] = sweep.names.fresh(name)
            sweep.types[saved.tape_names[tape]] = self.saved[owner].tapes[name]
        return saved.tape_names[tape]

    def with_tapes(self, saved: Saved, body: Sequence[gast.stmt]) -> list[gast.stmt]:
        """Pass the tapes to the calls of a finished body."""
        made: list[gast.stmt] = []
        forms = {name: callee for callee in self.callees.values() for name in (callee.forward, callee.backward)}
        for statement in body:
            changes: dict[str, object] = {}
            for part in ("body", "orelse"):
                if isinstance(statement, gast.If | gast.For | gast.While) and getattr(statement, part, None):
                    changes[part] = self.with_tapes(saved, getattr(statement, part))
            value = getattr(statement, "value", None)
            if isinstance(value, gast.Call) and value.func.id in forms:
                changes["value"] = self._call_with_tapes(saved, value, forms[value.func.id])
            made.append(syntax.rebuild(statement, **changes) if changes else statement)
        return made

    def _call_with_tapes(self, saved: Saved, node: gast.Call, callee: Callee) -> gast.Call:
        tapes = [syntax.name(self.local_name(saved, t)) for t in self.tapes_of(callee.function.name)]
        name = node.func.id
        if not tapes and name == callee.forward:
            name = callee.function.name
        return syntax.rebuild(node, func=syntax.name(name), args=[*node.args, *tapes])

    # --- the functions

    def functions(self) -> Iterator[Function]:
        """The forward and backward forms of all that is called."""
        for name, callee in self.callees.items():
            saved = self.saved[name]
            forward, back = self._forward(callee, saved), self._backward(callee, saved)
            if self.tapes_of(name):
                yield forward
            yield back
        for made in self.again.values():
            yield from made.program.functions.values()

    def _tape_parameters(self, callee: Callee, saved: Saved) -> tuple[str, ...]:
        return tuple(self.local_name(saved, t) for t in self.tapes_of(callee.function.name))

    def _forward(self, callee: Callee, saved: Saved) -> Function:
        function, types = callee.function, saved.backward.sweep.types
        body = self.with_tapes(saved, [*saved.forward, function.body[-1]])
        parameters = (*function.parameters, *self._tape_parameters(callee, saved))
        note = f"{function.name}, recording what its derivative needs."
        return function.with_(
            name=callee.forward, parameters=parameters, body=tuple(body), notes=(note,),
            types=used_types(parameters, body, types), temporaries=passing_names(function, types),
        )  # fmt: skip

    def _backward(self, callee: Callee, saved: Saved) -> Function:
        function, sweep = callee.function, saved.backward.sweep
        end = syntax.return_(saved.backward.returned)
        statements = [*saved.statements, syntax.at(end, getattr(function.body[-1], "span", None))]
        body = self.with_tapes(saved, statements)
        handed = [p for p in function.parameters if p in callee.passed]
        parameters = (*handed, *saved.backward.seeds.parameters, *self._tape_parameters(callee, saved))
        return function.with_(
            name=callee.backward, parameters=parameters, body=tuple(body),
            types=used_types(parameters, body, sweep.types),
            results=tuple(sweep.primal_type(p) for p in callee.outputs()),
            notes=(f"Derivative of {function.name}: from the cotangents of its results to those of its parameters.",),
            temporaries=passing_names(function, sweep.types),
        )  # fmt: skip


def _handed_in(sweep: Sweep, callee: Callee) -> Seeds:
    """The cotangents of the results, and the lists of cotangents of lists, as parameters."""
    leaves = sweep.function.body[-1].value.elts
    results = [leaves[position].id for position in callee.activity.results]
    types = [*map(sweep.primal_type, results), *(sweep.types[name] for name in callee.lists())]
    made: list[tuple[str, gast.expr]] = []
    for name, type_ in zip((*results, *callee.lists()), types):
        bar = sweep.names.fresh(sweep.root.hint(name))
        sweep.types[bar] = type_
        made.append((name, syntax.name(bar)))
    sections = [(name, sweep.sections.get(name)) for name in callee.arrays()]
    wholes = [found.whole if found else name for name, found in sections]
    boxes = [(whole, sweep.names.fresh(f"{sweep.root.hint(whole)}s")) for whole in wholes]
    sweep.types.update((box, sweep.ownership.box_type(whole)) for whole, box in boxes)
    starts = [start for _, found in sections if found for start in found.starts]
    bars = (*(bar.id for _, bar in made), *(box for _, box in boxes), *starts)
    return Seeds(bars, tuple(made), tuple(boxes))


def used_types(parameters: Sequence[str], body: Sequence[gast.stmt], table: Mapping[str, Type]) -> dict[str, Type]:
    """The types of the names that a body mentions."""
    names = dict.fromkeys(parameters)
    for statement in syntax.walk(body):
        names.update(dict.fromkeys(syntax.names_bound(statement)))
        names.update(dict.fromkeys(n for n in syntax.names_read(statement) if n in table))
    return {name: table[name] for name in names if name in table}


def passing_names(function: Function, table: Mapping[str, Type]) -> frozenset[str]:
    """The names of temporaries, their cotangents and bounds of loops, which the user did not write."""
    own = {base_of(name) for name in function.types if name not in function.temporaries}
    bases = {base_of(name) for name in function.temporaries} - own | {"t"}
    passing = bases | {f"{base}_bar" for base in bases} | PASSING
    found = {name for name in table if "@" not in name and base_of(name) in passing and name not in function.types}
    if function.temporaries:
        return function.temporaries | found
    return frozenset(found | {name for name in function.types if base_of(name) == "t"})
