"""What the inputs of a program may change: values, lengths, which statements run; and what of it bends or jumps.

    y = 2.0 * x + w[k]            x changes y, and no slope
    y = x * x                     x changes y, which bends
    y = floor(x)                  x changes y by jumps: nothing of its derivative passes
    k = argmax(x); z = w[k]       x changes k and z by jumps
    if k > 0: s = a               x changes s by jumps
    n = dim(x, axis=0)            x changes n only where its length follows from values, as that of `x[x > 0]` does

Names are followed without regard to the order of statements, and functions that call each other are solved together.
A length has a node of its own, `x#`, as has the length of a list; `xs@` is that of the arrays in a list.  What bends
has one more, `~x`, and what jumps has `!x`; so has all that they change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import gast

from .. import syntax
from ..builder import Specialiser
from ..diagnostics import Span
from ..program import Function, Program
from ..records import dataclass
from ..types import ListOf
from .activity import calls_of, closure, result_names, results_of
from .linearity import bending, jumping, values_read

Edge = tuple[str, str]
Nodes = set[str]
BENT, JUMPED = "~", "!"
MARKS = ("", BENT, JUMPED)  # a later one goes over an earlier one


@dataclass(frozen=True, slots=True)
class Influence:
    """The names of the entry that are changed, and lengths as `x#`; those among them that bend or jump; that jump."""

    changed: Nodes
    bent: Nodes
    jumped: Nodes


def influenced(program: Program, parameters: Iterable[str]) -> Nodes:
    """The names of the entry, and lengths as `x#`, that change where these parameters do."""
    return {_marked(node)[1] for node in _Ways(program).reached(parameters)}


def influence(program: Program, parameters: Iterable[str], specialiser: Specialiser) -> Influence:
    """How the names of the entry change where these parameters do.

    A function with a rule for its derivative bends as far as its rule speaks, and jumps beyond that.
    """
    touched = _Ways(program).touched(parameters)
    found: dict[str, Nodes] = {mark: set() for mark in MARKS}
    for node in _Ways(program, touched, specialiser).reached(parameters):
        mark, name = _marked(node)
        for lower in MARKS[: MARKS.index(mark) + 1]:
            found[lower].add(name)
    return Influence(*found.values())


def first_jump(program: Program, parameters: Iterable[str]) -> Span | None:
    """Where the entry first takes a float that these parameters change to something that jumps."""
    found, function = influenced(program, parameters), program.main
    for statement in syntax.walk(function.body):
        match statement:
            case gast.If(test=test) | gast.While(test=test):
                jumps = set(syntax.names_read(test))
            case gast.Assign(targets=[gast.Name() | gast.Tuple()]):
                jumps = jumping(statement, function.types)
            case _:
                continue
        if jumps & found and (span := getattr(statement, "span", None)) is not None:
            return span
    return None


class _Ways:
    """From which parameters and lengths a change gets to which results, and lists that are passed in, of each function.

    `touched` are the nodes of each function that are changed at all, by which it is known what bends; without them
    nothing does.
    """

    def __init__(
        self, program: Program, touched: Mapping[str, Nodes] | None = None, specialiser: Specialiser | None = None
    ) -> None:
        self.program, self.is_touched, self.specialiser = program, touched, specialiser
        self.found: dict[str, set[Edge]] = {name: set() for name in program.functions}
        changed = True
        while changed:
            changed = False
            for name, function in program.functions.items():
                found = self.of_function(function)
                changed |= found != self.found[name]
                self.found[name] = found

    def reached(self, parameters: Iterable[str]) -> Nodes:
        """The nodes of the entry that these parameters change."""
        return closure(parameters, self.edges(self.program.main))

    def touched(self, parameters: Iterable[str]) -> dict[str, Nodes]:
        """The nodes of every function that are changed where these parameters of the entry are."""
        found: dict[str, Nodes] = {name: set() for name in self.program.functions}
        found[self.program.entry] = set(parameters)
        edges = {name: list(self.edges(function)) for name, function in self.program.functions.items()}
        changed = True
        while changed:
            changed = False
            for name, function in self.program.functions.items():
                found[name] |= {_marked(node)[1] for node in closure(found[name], edges[name])}
                for statement, callee in calls_of(function, self.program):
                    names = self.program.functions[callee].parameters
                    given = {
                        inner for parameter, a in zip(names, statement.value.args) if isinstance(a, gast.Name)
                        for inner, outer in zip(_nodes(parameter), _nodes(a.id)) if outer in found[name]
                    }  # fmt: skip
                    changed |= not given <= found[callee]
                    found[callee] |= given
        return found

    def of_function(self, function: Function) -> set[Edge]:
        edges = list(self.edges(function))
        outs: dict[str, list[str]] = {}
        for k, name in enumerate(result_names(function)):
            for node in _nodes(name) if name else ():
                outs.setdefault(node, []).append(f"{k}{node[len(name) :]}")
        lists = {node for p in function.parameters if isinstance(function.types[p], ListOf) for node in _nodes(p)}
        found: set[Edge] = set()
        for start in (node for parameter in function.parameters for node in _nodes(parameter)):
            for reached in closure({start}, edges):
                mark, name = _marked(reached)
                found |= {(start, mark + out) for out in outs.get(name, ())}
                if name in lists and reached != start:
                    found.add((start, reached))
        ruled = _of_rule(function)
        jumps = {(start, JUMPED + node) for start, out in ruled for node in _nodes(out)}
        return found - jumps | {(start, BENT + out) for start, out in ruled}

    def edges(self, function: Function) -> Iterator[Edge]:
        for source, target in self.of_block(function.body, (), function):
            to, name = _marked(target)
            for mark in MARKS:
                yield mark + source, max(mark, to, key=MARKS.index) + name

    def of_block(self, body: Sequence[gast.stmt], control: tuple[str, ...], function: Function) -> Iterator[Edge]:
        """`control` are the nodes that decide whether the statements run."""
        for statement in body:
            match statement:
                case gast.If(test=test) | gast.While(test=test) | gast.For(iter=test):
                    inner = (*control, *_read(test))
                    yield from ((s, JUMPED + name) for s in inner for name in syntax.names_bound(statement))
                    for block in syntax.blocks_of(statement):
                        yield from self.of_block(block, inner, function)
                case gast.Assign(value=value) | gast.Expr(value=value):
                    made = list(self.of_simple(statement, value, function))
                    changed = [*_changed(statement, function), *(_marked(target)[1] for _, target in made)]
                    yield from made
                    yield from ((source, JUMPED + target) for source in control for target in dict.fromkeys(changed))

    def of_simple(self, statement: gast.stmt, value: gast.expr, function: Function) -> Iterator[Edge]:
        operator = syntax.operator_of(value) or ""
        if operator in self.program.functions:
            yield from self.of_call(statement, value, self.program.functions[operator])
            return
        read = _read(value)
        lengths = [f"{name}#" for name in syntax.names_read(value)]
        match statement:
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base), slice=items)]):
                yield from ((source, base) for source in (*read, *_read(items)))
                yield from ((length, f"{base}@") for length in lengths)
            case gast.Expr(value=gast.Call(args=[gast.Name(id=base), *given])):
                yield from ((source, base) for one in given for source in _read(one))
                yield from ((f"{name}#", f"{base}@") for one in given for name in syntax.names_read(one))
            case _:
                shapes = [*lengths, *_read_for_shape(value), *(f"{n}@" for n in syntax.names_read(value))]
                jumps, bends = jumping(statement, function.types), self.bending(statement, function)
                for name in syntax.names_bound(statement):
                    for source in read:
                        mark = JUMPED if source in jumps else BENT if source in bends else ""
                        yield source, mark + name
                    yield from ((source, f"{name}#") for source in shapes)
                    yield from ((f"{n}@", f"{name}@") for n in syntax.names_read(value))

    def bending(self, statement: gast.stmt, function: Function) -> set[str]:
        if self.is_touched is None or self.specialiser is None:
            return set()
        return bending(statement, self.is_touched[function.name], function.types, self.specialiser)

    def of_call(self, statement: gast.stmt, call: gast.Call, callee: Function) -> Iterator[Edge]:
        argument_of = {p: a.id for p, a in zip(callee.parameters, call.args) if isinstance(a, gast.Name)}
        places = results_of(statement)
        for source, out in self.found[callee.name]:
            name, part = _split(source)
            target, end = _split(out)
            mark, target = _marked(target)
            place = places[int(target)] if target.isdigit() else argument_of[target]
            if name in argument_of:
                yield argument_of[name] + part, mark + place + end


def _of_rule(function: Function) -> set[Edge]:
    """What the user gives a slope of, whatever is in the function."""
    rule = function.rule
    if rule is None or rule.kind not in ("vjp", "jvp"):
        return set()
    return {(function.parameters[k], str(out)) for k in rule.wrt for out in rule.outs}


def _marked(node: str) -> tuple[str, str]:
    return (node[0], node[1:]) if node[0] in (BENT, JUMPED) else ("", node)


def _nodes(name: str) -> tuple[str, str, str]:
    return name, f"{name}#", f"{name}@"


def _changed(statement: gast.stmt, function: Function) -> Iterator[str]:
    """What a statement gives a value, or changes in place: of a list its length as well."""
    for name in syntax.names_bound(statement):
        yield from _nodes(name)
    if (base := syntax.stored_base(statement)) is not None:
        yield base
    for call in syntax.calls_in(statement):
        yield from (n for a in call.args if isinstance(a, gast.Name) and isinstance(function.types.get(a.id), ListOf)
                    for n in _nodes(a.id) if syntax.operator_of(call) != "length")  # fmt: skip


def _split(node: str) -> tuple[str, str]:
    return (node[:-1], node[-1]) if node[-1] in "#@" else (node, "")


def _read(node: gast.AST) -> list[str]:
    """The nodes that an expression reads: of an array or a list that is asked for a length only that."""
    asked = [call.args[0] for call in syntax.calls_in(node) if syntax.operator_of(call) in ("dim", "length")]
    return [*values_read(node), *(f"{array.id}#" for array in asked if isinstance(array, gast.Name))]


def _read_for_shape(value: gast.expr) -> list[str]:
    """The names whose values decide on the lengths of a result: bounds of slices, masks, and static shapes."""
    if isinstance(value, gast.Subscript):
        return _read(value.slice)
    return [name for keyword in getattr(value, "keywords", ()) for name in _read(keyword.value)]
