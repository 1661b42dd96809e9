"""From a forward sweep and a pullback to a Jacobian: one forward sweep, and a pullback per element of the result.

    out, residuals = f_vjp(x)
    J = empty((out.shape[0], x.shape[0]))
    for i in range(out.shape[0]):                      ->     floating_results, jacobian_by_rows, then `inline`
        out_bar = zeros(out.shape[0])
        out_bar[i] = 1.0
        J[i, :] = f_pullback(residuals, out_bar)

Leaves it to `inline` to replace calls by bodies, and to `hoist` to take out of the loop what is the same
for all elements.  An entry of the result is an array for each result and each argument, with the axes of the result
first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import gast

from ... import syntax, types
from ...builder import Builder
from ...dtypes import DTYPE, FLOAT_WORD
from ...frontend.specialise.specialised import Cut, Specialised
from ...frontend.specialise.values import Out, Rows, Value, leaves, map_leaves, parts
from ...frontend.specialise.values import Sequence as SequenceValue
from ...names import Names
from ...program import Decision, Function, Program
from ...types import INT, Extent, Scalar
from ..batch.directions import Blocks, of_many
from ..derivatives import (
    Wanted,
    check_holomorphic,
    chosen,
    fault,
    floats_of,
    keep_results,
    require_real_results,
    split,
    with_value,
)
from ..inline import lengths_here


def floating_results(made: Specialised, wanted: Wanted) -> Specialised:
    """Raise a GradientError where a result or an argument has no place in a Jacobian."""
    check_holomorphic(made, wanted)
    out, _ = split(made, wanted)
    for leaf in leaves(out):
        found = made.program.main.results[leaf.index] if isinstance(leaf, Out) else None
        if found is not None and not types.is_floating(found):
            message = f"a Jacobian is of a function that returns floats, and this one returns {found}"
            fault(wanted.where, "G002", message, ("return it beside them: (value, auxiliary) with has_aux=True",))
    results = [made.program.main.results[leaf.index] for leaf in leaves(out) if isinstance(leaf, Out)]
    require_real_results(made, wanted, results)
    if any(map(_has_rows, chosen(made, wanted))):
        fault(wanted.where, "G001", "a Jacobian with respect to a list of any length is not made",
              ("pass an array or a tuple",))  # fmt: skip
    return made


def _has_rows(value: Value) -> bool:
    return isinstance(value, Rows) or any(_has_rows(part) for _, part in parts(value))


def jacobian_by_rows(made: Specialised, wanted: Wanted) -> Specialised:
    """The function with one forward sweep, and a pullback for every element of the result."""
    cut = made.cut
    assert cut is not None and isinstance(cut.slopes, SequenceValue)
    out, auxiliary = split(made, wanted)
    places = [leaf.index for leaf in leaves(out) if isinstance(leaf, Out)]
    writer = Writer(made.program, cut, places, floats_of(made, chosen(made, wanted)))
    blocks = {place: writer.block(number) for number, place in enumerate(places)}
    function = writer.function(wanted.transform.suffix)
    slopes = cut.slopes if isinstance(wanted.transform.argnums, tuple) else cut.slopes.items[0]

    def entry(part: Value, _: tuple) -> Value:
        if not isinstance(part, Out):
            return part
        return map_leaves(slopes, lambda of, _: Out(blocks[part.index][of.index]) if isinstance(of, Out) else of)

    found = map_leaves(out, entry)
    program = Program(function.name, {function.name: function, **made.program.functions, **writer.made})
    program, result = keep_results(program, with_value(wanted, out, auxiliary, found))
    return replace(made, program=program, result=result, cut=None)


class Writer:
    """The statements of a Jacobian: `block` adds those for one result, `function` puts them together.

    `places` are those of the results that are differentiated, among all results; `parameters` are the leaves of the
    arguments that they are differentiated by.
    """

    def __init__(self, program: Program, cut: Cut, places: Sequence[int], parameters: Sequence[str]) -> None:
        self.parameters = parameters
        self.known: dict[Extent, gast.expr] = {}
        self.forward, self.pullback = program.main, program.functions[cut.pullback]
        own = {name: self.forward.types[name] for name in self.forward.parameters}
        self.build = Builder(Names({*own, *program.functions}), own)
        self.build.span = getattr(self.forward.body[-1], "span", None)
        self.names = Names(program.functions)
        self.functions, self.made = program.functions, dict[str, Function]()
        values = self._called(self.forward, list(map(syntax.name, self.forward.parameters)))
        self.results: list[gast.expr] = [*values[: cut.first]]
        self.residuals = values[cut.first :]
        self.outputs = [values[place] for place in places]
        self.hints = self.pullback.parameters[len(self.residuals) :]
        self.lengths = [self._lengths(output) for output in self.outputs]
        self.zeros = [self._zero(number) for number in range(len(places))] if len(places) > 1 else []

    def function(self, suffix: str) -> Function:
        name = self.names.fresh(f"{self.forward.origin.name}_{suffix}")
        returned = syntax.return_(self.results, self.build.span)
        decision = Decision("jacobian", "one backward sweep for every element of the result")
        return self.forward.with_(
            name=name,
            body=(*self.build.body, returned),
            types=self.build.types,
            results=tuple(map(self.build.type_of, self.results)),
            notes=(*self.pullback.notes[:1], "One backward sweep for every element of the result."),
            decisions=(*self.forward.decisions, decision),
        )

    def block(self, number: int) -> list[int]:
        """The derivatives of one result by all arguments; their positions among the results of the new function."""
        first, type_ = len(self.results), self.build.type_of(self.outputs[number])
        if isinstance(type_, Scalar):
            self.results += self._pulled(number, self._number(1.0, type_))
        else:
            self.results += self._rows(number)
        return [*range(first, len(self.results))]

    def _rows(self, number: int) -> list[gast.expr]:
        """The same where the result is an array: a loop over its elements."""
        many = self._of_many(number)
        if many is not None:
            return self._in_blocks(number, many)
        build, lengths = self.build, self.lengths[number]
        tables = [self._table(lengths, parameter) for parameter in self.parameters]
        places = [build.names.fresh(wish) for wish in ("i", "j", "k", "l", *"m" * len(lengths))[: len(lengths)]]
        build.types.update(dict.fromkeys(places, INT))
        outer, build.body = build.body, []
        here = [syntax.name(place) for place in places]
        bar = self._zeros(number)
        dtype = types.dtype_of(build.type_of(bar))
        build.append(syntax.store(bar.id, here, self._number(1.0, Scalar(dtype, weak=dtype == FLOAT_WORD))))
        for table, slope in zip(tables, self._pulled(number, bar), strict=True):
            whole = [syntax.slice_()] * types.rank(build.type_of(slope))
            build.append(syntax.store(table.id, [*here, *whole], slope))
        body, build.body = build.body, outer
        for place, length in zip(places[::-1], lengths[::-1], strict=True):
            loop = syntax.for_range(place, 0, length, 1, body, build.span)
            loop.hoists = True  # type: ignore[attr-defined]  # told to `hoist`
            body = [loop]
        for statement in body or ():
            build.append(statement)
        return list(tables)

    def _of_many(self, number: int) -> Function | None:
        """The pullback for many cotangents of a result at once, if there is one."""
        program = Program(self.pullback.name, self.functions)
        along = self.pullback.parameters[len(self.residuals) + number]
        many = of_many(program, [along], range(len(self.pullback.results)), self.pullback.origin)
        if many is None:
            return None
        many = many.with_(name=self.names.fresh(many.name))
        self.made[many.name] = many
        return many

    def _in_blocks(self, number: int, many: Function) -> list[gast.expr]:
        """The same with many elements of the result at once."""
        build, lengths, bar = self.build, self.lengths[number], types.dtype_of(self.build.type_of(self.outputs[number]))
        size = lengths[0]
        for length in lengths[1:]:
            size = build.call("multiply", size, length, hint="size")
        tables = [self._table([size], parameter) for parameter in self.parameters]
        blocks = Blocks(build, size, bar)
        seeds = self._seeds(number, blocks.shaped(lengths))
        for table, slope in zip(tables, self._called(many, (*self.residuals, *seeds)), strict=True):
            blocks.store(table, slope)
        blocks.close()
        if len(lengths) == 1:
            return list(tables)
        shapes = ([*lengths, *self._lengths(syntax.name(parameter))] for parameter in self.parameters)
        return [
            build.call("reshape", table, shape=syntax.tuple_(shape), hint=table.id)
            for table, shape in zip(tables, shapes, strict=True)
        ]

    def _pulled(self, number: int, bar: gast.expr) -> list[gast.expr]:
        """The cotangents of the arguments, for this one of a result and zeros for the others."""
        return list(self._called(self.pullback, (*self.residuals, *self._seeds(number, bar))))

    def _seeds(self, number: int, bar: gast.expr) -> list[gast.expr]:
        return [bar if other == number else zero for other, zero in enumerate(self.zeros)] or [bar]

    # --- parts

    def _called(self, function: Function, arguments: Sequence[gast.expr]) -> list[gast.Name]:
        """Names for the results of a call."""
        known = {s for a in arguments if isinstance(a, gast.Name) for s in types.symbols_of(self.build.types[a.id])}
        here = lengths_here(function, dict(zip(function.parameters, arguments, strict=True)), self.build.types)
        unknown = {s for t in function.results for s in types.symbols_of(t)} - known - {*here}
        fresh = {**{s: self.build.fresh_symbol(s) for s in sorted(unknown)}, **here}
        names = []
        for atom, type_ in zip(function.body[-1].value.elts, function.results, strict=True):
            names.append(self.build.names.fresh(atom.id if isinstance(atom, gast.Name) else "value"))
            self.build.types[names[-1]] = types.with_lengths(type_, fresh)
        call = syntax.call(function.name, *arguments)
        target = names[0] if len(names) == 1 else names
        self.build.append(syntax.assign(target, call) if names else syntax.expression(call))
        return [syntax.name(name) for name in names]

    def _lengths(self, array: gast.expr) -> list[gast.expr]:
        dims = getattr(self.build.type_of(array), "dims", ())
        return [self._length(array, axis, extent) for axis, extent in enumerate(dims)]

    def _length(self, array: gast.expr, axis: int, extent: Extent) -> gast.expr:
        """A length of an array, asked of an argument that has it where there is one."""
        if isinstance(extent, int):
            return syntax.constant(extent)
        if extent not in self.known:
            for name in self.forward.parameters:
                dims = getattr(self.build.types[name], "dims", ())
                if extent in dims:
                    array, axis = syntax.name(name), dims.index(extent)
                    break
            self.known[extent] = self.build.call("dim", array, axis=axis, hint="n")
        return self.known[extent]

    def _table(self, lengths: list[gast.expr], parameter: str) -> gast.Name:
        """An array for the derivatives of all elements of a result by one argument."""
        shape = syntax.tuple_([*lengths, *self._lengths(syntax.name(parameter))])
        dtype = types.dtype_of(self.build.types[parameter])
        return self._array("empty", shape, dtype, f"{parameter}_jacobian")

    def _zero(self, number: int) -> gast.expr:
        """Zero like a result."""
        type_ = self.build.type_of(self.outputs[number])
        return self._number(0.0, type_) if isinstance(type_, Scalar) else self._zeros(number)

    def _zeros(self, number: int) -> gast.Name:
        dtype = types.dtype_of(self.build.type_of(self.outputs[number]))
        return self._array("zeros", syntax.tuple_(self.lengths[number]), dtype, self.hints[number])

    def _array(self, operator: str, shape: gast.Tuple, dtype: str, hint: str) -> gast.Name:
        made = self.build.call(operator, shape=shape, dtype=dtype, hint=hint)
        assert isinstance(made, gast.Name)
        return made

    def _number(self, value: float, type_: Scalar) -> gast.expr:
        if type_.weak:
            return syntax.constant(DTYPE[type_.dtype].python_type(value))
        return self.build.call("cast", value, dtype=type_.dtype, weak=False, hint="seed")
