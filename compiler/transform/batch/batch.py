"""Write the function of all examples, given that of one.

    def f(w, x):                 def f_vmap(w, x):            w: f64[m, n]   x: f64[batch, n]
        y = matmul(w, x)    ->       batch = dim(x, axis=0)
        return (y,)                  y = matmul(x, w.T)
                                     return (y,)

Takes a typed program whose entry is the function of one example, and which of its parameters have an axis of examples;
gives the function of all, typed, so that it can be differentiated or batched again.  The values are those of the loop
over the examples, but where sums are taken in another order.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ... import syntax
from ...builder import Builder
from ...diagnostics import Span
from ...names import Names
from ...ops.batching import Examples
from ...program import Function, Program, Reason
from ...records import dataclass
from ...renaming import rename
from ...types import Array, Extent, rank, symbols_of
from .crossing import require_together, with_axis
from .distribute import Distributor
from .lengths import Unknown
from .looping import Computed
from .varying import Varying, varying


@dataclass(frozen=True, slots=True, eq=False)
class Mapped:
    """A parameter that has an axis of examples: its type with that axis, and where the axis is."""

    name: str
    type: Array
    axis: int


@dataclass(frozen=True, slots=True)
class Returned:
    """A result: which one of the function of one example, and where the examples go; None where all share it."""

    index: int
    axis: int | None


class Ragged(Exception):
    """The results of the examples have different lengths."""

    def __init__(self, span: Span | None) -> None:
        super().__init__()
        self.span = span


def varying_results(program: Program, mapped: Sequence[Mapped], axis_name: str | None = None) -> list[bool]:
    """Which results vary with the example."""
    main = program.main
    found = varying(main, [one.name for one in mapped], axis_name)
    return [isinstance(atom, gast.Name) and atom.id in found.names for atom in main.body[-1].value.elts]


def batch(
    program: Program, mapped: Sequence[Mapped], extent: Extent | None, returned: Sequence[Returned], where: Span,
    axis_name: str | None = None, may_loop: bool = True,
) -> Function:  # fmt: skip
    """The function of all examples, whose axis has this name; raises Ragged and Divergent.

    Without `may_loop` it raises Looped where statements would stay in a loop over the examples.
    """
    computed: frozenset[str] = frozenset()
    while True:
        try:
            return _written(program, mapped, extent, returned, where, axis_name, computed, may_loop)
        except Computed as more:
            computed |= more.names


def _written(
    program: Program, mapped: Sequence[Mapped], extent: Extent | None, returned: Sequence[Returned], where: Span,
    axis_name: str | None, computed: frozenset[str], may_loop: bool,
) -> Function:  # fmt: skip
    """The same, where it is known what loops over the examples compute; raises Computed where that is more."""
    function = program.main
    names = Names({*function.types, *function.parameters, *program.functions, *_symbols(function)})
    moved = {one.name: names.fresh(one.name) for one in mapped if one.axis}
    own = rename(function, moved).with_(parameters=tuple(moved.get(p, p) for p in function.parameters))
    extent, own = _with_extent(extent, own, axis_name, names)
    found = varying(own, [*(moved.get(one.name, one.name) for one in mapped), *computed], axis_name)
    require_together(own.body, axis_name, found.reads)
    builder = Builder(names, {**own.types})
    span = next((s.span for s in own.body if getattr(s, "span", None) is not None), where)
    builder.span = span
    parameters = _declare(builder, function, mapped, moved, extent)
    examples = _count(builder, mapped, extent)
    _move(builder, mapped, moved)
    taken = Distributor(own, found, builder, examples, axis_name, may_loop)
    for name in own.parameters:
        taken.lengths.note(name)
    try:
        taken.block(own.body[:-1])
    except Unknown:
        raise Ragged(builder.span) from None
    end = own.body[-1]
    atoms = _results(taken, end, returned, found)
    builder.append(syntax.return_(atoms, getattr(end, "span", None)))
    kept = {*moved.values(), getattr(examples.count, "id", "")}
    name = names.fresh(f"{function.name}_vmap")
    used = syntax.names_of(parameters, builder.body)
    reasons = {**function.reasons, **{(one.name, one.axis): Reason(where) for one in mapped}}
    return function.with_(
        name=name, body=tuple(builder.body), types={n: builder.types[n] for n in used if n in builder.types},
        results=tuple(map(builder.type_of, atoms)), reasons=_shifted(reasons, function, mapped),
        decisions=(*function.decisions, *taken.decisions), notes=(*function.notes, _note(function, mapped)),
        temporaries=(function.temporaries | {*builder.types} - {*function.types}) - kept,
    )  # fmt: skip


def _note(function: Function, mapped: Sequence[Mapped]) -> str:
    return f"{function.spoken} for all examples{' of ' * bool(mapped)}{', '.join(one.name for one in mapped)}."


def _with_extent(
    extent: Extent | None, function: Function, axis_name: str | None, names: Names
) -> tuple[Extent, Function]:
    """How many examples there are, and the function of one that knows it."""
    known = extent if extent is not None else Builder(Names(()), {**function.types}).fresh_symbol("batch")
    return known, with_axis(function, axis_name, known, names)


def _symbols(function: Function) -> set[str]:
    return {s for t in function.types.values() for s in symbols_of(t)}


def _declare(
    builder: Builder, function: Function, mapped: Sequence[Mapped], moved: dict[str, str], extent: Extent
) -> tuple[str, ...]:
    """Give the parameters that are mapped their axis."""
    for one in mapped:
        own = function.types[one.name]
        dims = list(own.dims) if isinstance(own, Array) else []
        dims.insert(one.axis, extent)
        builder.types[one.name] = Array(own.dtype, tuple(dims), one.type.layout)
    return function.parameters


def _count(builder: Builder, mapped: Sequence[Mapped], extent: Extent) -> Examples:
    if isinstance(extent, int) or not mapped:
        return Examples(syntax.constant(extent), extent)
    count = builder.call("dim", mapped[0].name, axis=mapped[0].axis, hint="batch")
    return Examples(count, extent)


def _move(builder: Builder, mapped: Sequence[Mapped], moved: dict[str, str]) -> None:
    """Take the axis of the examples to the front."""
    for one in mapped:
        if one.name in moved:
            order = (one.axis, *(k for k in range(one.type.ndim) if k != one.axis))
            made = builder.call("transpose", one.name, axes=order)
            builder.body[-1] = syntax.rebuild(builder.body[-1], targets=[syntax.target(moved[one.name])])
            builder.types[moved[one.name]] = builder.types.pop(made.id)


def _results(
    taken: Distributor, end: gast.Return, returned: Sequence[Returned], found: Varying
) -> list[gast.expr]:
    """The atoms of the results, with the axis of the examples where it is wanted."""
    builder, atoms = taken.builder, []
    builder.span = getattr(end, "span", None) or builder.span
    for one in returned:
        atom = end.value.elts[one.index]
        if isinstance(atom, gast.Name) and found.is_ragged(atom.id) and atom.id not in taken.collected:
            raise Ragged(builder.span)
        if one.axis is None:
            atoms.append(atom)
            continue
        type_ = taken.stacking.type_of(atom)
        if not (isinstance(atom, gast.Name) and atom.id in found.names):
            atom = taken.stacking.spread(atom, type_)
        if one.axis:
            order = list(range(1, rank(type_) + 1))
            order.insert(one.axis, 0)
            atom = builder.call("transpose", atom, axes=tuple(order))
        atoms.append(atom)
    return atoms


def _shifted(
    reasons: dict[tuple[str, int], Reason], function: Function, mapped: Sequence[Mapped]
) -> dict[tuple[str, int], Reason]:
    """Reasons by axis, those after the axis of the examples one further back."""
    places = {one.name: one.axis for one in mapped}
    made: dict[tuple[str, int], Reason] = {}
    for (name, axis), reason in function.reasons.items():
        made[name, axis + (name in places and axis >= places[name])] = reason
    return {**{(n, a): reasons[n, a] for n, a in reasons if (n, a) not in function.reasons}, **made}

