"""Write the function that gives Jacobians: forward mode along every direction, one after the other.

    def f(x): ...         ->           def f_jacfwd(x):
                                           y = f(x)
                                           columns = empty(shape=(len(x), len(y)))
                                           for k in range(0, len(x), 1):
                                               direction = zeros(shape=(len(x),)); direction[k] = 1.0
                                               y_1, y_dot = f_jvp(x, direction)
                                               columns[k] = y_dot
                                           return (y, columns.T)

Takes typed programs, gives typed programs.  Leaves it to `inline` to replace calls by bodies, and to
`hoist` to take out of the loop what does not depend on the direction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import gast

from ... import syntax
from ...builder import Builder, Specialiser
from ...dtypes import DTYPE
from ...names import Names
from ...ops.cotangents import length, shape_of
from ...program import Function, Program
from ...types import INT, Array, Extent, Type, symbols_of, with_lengths
from ..batch.directions import Blocks, of_many
from ..clone_procedures import clone_procedures
from ..inline import lengths_here
from ..reachable import reachable
from .forward import Pushed, forward


def jacobians(
    program: Program, wrt: Sequence[str], outputs: Sequence[int], specialiser: Specialiser | None = None
) -> Program:
    """The program whose entry returns its results, then for each of `outputs` the Jacobian by each of `wrt`."""
    names = Names(program.functions)
    functions = dict(program.functions)
    pushed, in_blocks = {}, set[str]()
    for name in wrt:
        apart = clone_procedures(program, (name,), outputs)
        found = forward(apart, {name: [program.main.types[name]]}, outputs, specialiser)
        many = _of_many(found, name, len(program.main.results))
        made = _under_own_names(found.program if many is None else many, names)
        functions.update(made.functions)
        pushed[name] = made.main
        if many is not None:
            in_blocks.add(name)
    main = _Main(program.main, pushed, tuple(outputs), in_blocks).function(names.fresh(f"{program.main.name}_jacfwd"))
    return Program(main.name, {main.name: main, **functions})


def _of_many(found: Pushed, name: str, count: int) -> Program | None:
    """The program with tangents for many directions of a parameter at once, or None."""
    program = found.program
    along = found.tangents[name, 1]
    if not (isinstance(type_ := program.main.types[along], Array) and type_.ndim):
        return None
    outputs = range(count, len(program.main.results))
    many = of_many(program, [along], outputs, program.main.origin)
    return None if many is None else reachable(Program(many.name, {**program.functions, many.name: many}))


def _under_own_names(program: Program, names: Names) -> Program:
    """The functions of a program under names that no other has."""
    renamed = {name: names.fresh(name) for name in program.functions}

    def statement(given: gast.stmt) -> gast.stmt:
        changes: dict[str, object] = {}
        for part in ("body", "orelse"):
            if getattr(given, part, None):
                changes[part] = [statement(inner) for inner in getattr(given, part)]
        value = getattr(given, "value", None)
        if isinstance(value, gast.Call) and syntax.operator_of(value) in renamed:
            changes["value"] = syntax.rebuild(value, func=syntax.name(renamed[value.func.id]))
        return syntax.rebuild(given, **changes) if changes else given

    functions = {
        renamed[name]: function.with_(name=renamed[name], body=tuple(map(statement, function.body)))
        for name, function in program.functions.items()
    }
    return Program(renamed[program.entry], functions)


class _Main:
    """The entry while it is written."""

    def __init__(
        self, function: Function, pushed: Mapping[str, Function], outputs: tuple[int, ...], in_blocks: Collection[str]
    ) -> None:
        self.function_, self.pushed, self.outputs, self.in_blocks = function, pushed, outputs, in_blocks
        self.types: dict[str, Type] = {p: function.types[p] for p in function.parameters}
        self.builder = Builder(Names({*function.parameters}), self.types)
        self.builder.span = getattr(function.body[-1], "span", None)

    def function(self, name: str) -> Function:
        function, build = self.function_, self.builder
        values = self.call(function, [])
        found = {wrt: self.of_parameter(wrt, pushed, values) for wrt, pushed in self.pushed.items()}
        leaves = [found[wrt][place] for place in range(len(self.outputs)) for wrt in self.pushed]
        body = (*build.body, syntax.return_([*values, *leaves], build.span))
        results = tuple(build.type_of(leaf) for leaf in (*values, *leaves))
        note = f"Jacobian of {function.spoken} with respect to {', '.join(self.pushed)}."
        return function.with_(
            name=name, body=body, types=dict(self.types), results=results, notes=(*function.notes, note),
            temporaries=frozenset(self.types) - {*function.parameters},
        )  # fmt: skip

    def call(self, callee: Function, more: Sequence[gast.expr]) -> list[gast.Name]:
        """The results of a function of the same parameters, and of these."""
        hints = [e.id if isinstance(e, gast.Name) else "result" for e in callee.body[-1].value.elts]
        made = [self.builder.names.fresh(hint) for hint in hints]
        arguments = [*map(syntax.name, self.function_.parameters), *more]
        known = lengths_here(callee, dict(zip(callee.parameters, arguments, strict=True)), self.types)
        for name, type_ in zip(made, callee.results, strict=True):
            self.types[name] = self.own_lengths(name, with_lengths(type_, known), known.values())
        call = gast.Call(syntax.name(callee.name), arguments, [])
        self.builder.append(
            syntax.assign(made[0] if len(made) == 1 else made, call) if made else syntax.expression(call)
        )
        return [syntax.name(name) for name in made]

    def own_lengths(self, name: str, type_: Type, known: Iterable[Extent]) -> Type:
        """The type of a result: lengths that are none of the arguments' are lengths of its own."""
        if not isinstance(type_, Array):
            return type_
        given = {s for p in self.function_.parameters for s in symbols_of(self.types[p])}
        given |= {s for extent in known if not isinstance(extent, int) for s in extent.symbols()}
        fresh = self.builder.fresh_symbol
        dims = (d if isinstance(d, int) or given.issuperset(d.symbols()) else fresh(name) for d in type_.dims)
        return Array(type_.dtype, tuple(dims), type_.layout)

    def of_parameter(self, wrt: str, pushed: Function, values: Sequence[gast.Name]) -> list[gast.expr]:
        """For each output the Jacobian by one parameter."""
        build, type_ = self.builder, self.types[wrt]
        count = len(self.function_.results)
        if not isinstance(type_, Array) or type_.ndim == 0:
            shape = syntax.tuple_([])
            one: gast.expr = syntax.constant(DTYPE[type_.dtype].python_type(1.0))
            if isinstance(type_, Array):
                one = build.call("full", one, shape=shape, dtype=type_.dtype, hint="direction")
            elif not type_.weak:
                one = build.call("cast", one, dtype=type_.dtype, weak=False, hint="direction")
            return list(self.call(pushed, [one])[count:])
        size = self.size(wrt)
        made = [self.room(values[k], size) for k in self.outputs]
        (self.blocks if wrt in self.in_blocks else self.loop)(wrt, pushed, size, made)
        return [self.shaped(wrt, one, values[k]) for one, k in zip(made, self.outputs)]

    def size(self, wrt: str) -> gast.expr:
        parts = [length(self.builder, syntax.name(wrt), k) for k in range(self.types[wrt].ndim)]
        total = parts[0]
        for part in parts[1:]:
            total = self.builder.call("multiply", total, part, hint="size")
        return total

    def room(self, value: gast.Name, size: gast.expr) -> gast.Name:
        """An array for the tangents of a result along all directions, the direction its first axis."""
        type_ = self.types[value.id]
        shape = syntax.tuple_([size, *shape_of(self.builder, value).elts])
        return self.builder.call("empty", shape=shape, dtype=type_.dtype, hint="columns")  # type: ignore[return-value]

    def loop(self, wrt: str, pushed: Function, size: gast.expr, made: Sequence[gast.Name]) -> None:
        build, type_ = self.builder, self.types[wrt]
        k = build.names.fresh("k")
        self.types[k] = INT
        outer, build.body = build.body, []
        flat = build.call("zeros", shape=syntax.tuple_([size]), dtype=type_.dtype, hint="direction")
        build.append(syntax.store(flat.id, [syntax.name(k)], 1.0))
        along = flat
        if type_.ndim > 1:
            along = build.call("reshape", flat, shape=shape_of(build, syntax.name(wrt)), hint="direction")
        if isinstance(along, gast.Name):
            self.types[along.id] = Array(type_.dtype, type_.dims)
        slopes = self.call(pushed, [along])[len(self.function_.results) :]
        for room, slope in zip(made, slopes, strict=True):
            items = [syntax.name(k), *[syntax.slice_()] * (self.types[room.id].ndim - 1)]
            build.append(syntax.store(room.id, items, slope))
        inner, build.body = build.body, outer
        statement = syntax.for_range(k, 0, size, 1, inner, build.span)
        statement.hoists = True  # type: ignore[attr-defined]  # told to `hoist`
        build.append(statement)

    def blocks(self, wrt: str, pushed: Function, size: gast.expr, made: Sequence[gast.Name]) -> None:
        """Many directions at once, in place of the loop over them."""
        blocks = Blocks(self.builder, size, self.types[wrt].dtype)
        along = blocks.shaped(shape_of(self.builder, syntax.name(wrt)).elts)
        slopes = self.call(pushed, [along])[len(self.function_.results) :]
        for room, slope in zip(made, slopes, strict=True):
            blocks.store(room, slope)
        blocks.close()

    def shaped(self, wrt: str, made: gast.Name, value: gast.Name) -> gast.expr:
        """The Jacobian with the axes of the result, then those of the parameter."""
        rank: int = self.types[made.id].ndim
        whole: gast.expr = made
        if rank > 1:
            whole = self.builder.call("transpose", made, axes=(*range(1, rank), 0), hint="jacobian")
        if self.types[wrt].ndim == 1:
            return whole
        lengths = [*shape_of(self.builder, value).elts, *shape_of(self.builder, syntax.name(wrt)).elts]
        return self.builder.call("reshape", whole, shape=syntax.tuple_(lengths), hint="jacobian")
