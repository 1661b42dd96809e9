"""Split mode: the derivative of a function as its forward sweep, and a pullback that may be called many times.

    def f(x):                      def f_vjp(x):                     def f_pullback(x, y, y_bar):
        y = exp(x)         ->          y = exp(x)                        z_bar = ...
        z = y * x                      z = y * x                         x_bar = z_bar * y + z_bar * x * y
        return (z,)                    return z, x, y                    return (x_bar,)

Both sweeps of a function are functions, as the textbooks have it; `reverse.py` writes the joint
mode.  Takes a typed program; gives the two, the first as the entry.  What the pullback reads of the forward sweep are
the residuals: the last results of the one, the first parameters of the other.  Lists are passed in arrays
(`packed_lists.py`).  The cotangents of the results come last, and are held to their shapes.  Leaves residuals that no
simplified statement reads to `residuals.py`, and copies of those that the backward sweep stores into to `copies`.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ... import syntax
from ...builder import Specialiser
from ...messages import escaped
from ...names import base_of
from ...program import Function, Program
from ...records import dataclass
from ...types import Array, ListOf
from .calls import passing_names, used_types
from .given_rules import erase, with_rules
from .packed_lists import pack, unpack
from .residuals import trim
from .reverse import decisions, functions_around, note, sweeps
from .saves import Saved
from .settle import settle
from .sweep import Seeds, Sweep


@dataclass(frozen=True, slots=True)
class Output:
    """A result that is differentiated: its position among the results, and how the user would write it.

    `what` is the word for what is pulled back.  `holds` says what the result is: a value, the `items` of a list of
    numbers, or of a list of arrays the `elements` of all of them, or their `shapes`.  These have no cotangent: what is
    passed on in its place are the shapes of the cotangents, which have to be the same.
    """

    place: int
    words: str
    what: str = "cotangent"
    holds: str = "value"


@dataclass(frozen=True, slots=True, eq=False)
class SplitDerivative:
    """The program of both functions, and the name of the second one."""

    program: Program
    pullback: str


def split_derivative(
    program: Program, wrt: Sequence[str], outputs: Sequence[Output], specialiser: Specialiser | None = None,
    is_trusted: bool = False,
) -> SplitDerivative:  # fmt: skip
    """A function that returns all results and the residuals, and one from cotangents of results to those of `wrt`.

    The shapes of the cotangents are checked unless the callers are trusted.
    """
    places = [output.place for output in outputs]
    settled = with_rules(program, wrt, places, specialiser).map(settle)
    derivative, entry = sweeps(settled, wrt, places, lambda sweep: _seeds(sweep, outputs, is_trusted), specialiser)
    sweep, function = entry.backward.sweep, settled.main
    span = getattr(function.body[-1], "span", None)
    late = len(sweep.lengths.late)
    forward = derivative.with_tapes(entry, [*entry.forward, *entry.statements[:late]])
    back = derivative.with_tapes(entry, [*entry.statements[late:], syntax.return_(entry.backward.returned, span)])
    forward = [*(syntax.assign(t, syntax.call("new_list"), span) for t in entry.tape_names.values()), *forward]
    names = _read_of(function.parameters, forward, back)
    kept = {name: pack(sweep, name, span) for name in names if isinstance(sweep.types[name], ListOf)}
    residuals = [part for name in names for part in (kept[name].parts if name in kept else (name,))]
    forward += [statement for packed in kept.values() for statement in packed.statements]
    start = [statement for name in kept for statement in unpack(sweep, name, kept[name], span)]
    first = _forward(entry, forward, residuals, derivative.names.fresh(f"{function.name}_vjp"))
    second = _pullback(entry, [*start, *back], residuals, wrt, derivative.names.fresh(f"{function.name}_pullback"))
    first, second, _passed = trim(first, second, len(function.results))  # lengths are told by ints that it makes itself
    functions = {first.name: first, second.name: second, **functions_around(settled, derivative)}
    return SplitDerivative(erase(Program(first.name, functions)), second.name)


def _read_of(parameters: Sequence[str], forward: Sequence[gast.stmt], back: Sequence[gast.stmt]) -> list[str]:
    """What the pullback reads of the forward sweep, in the order in which it is made."""
    read = {name for statement in syntax.walk(back) for name in syntax.names_read(statement)}
    made = [*parameters, *(name for statement in forward for name in _made_by(statement))]
    return [name for name in dict.fromkeys(made) if name in read]


def _made_by(statement: gast.stmt) -> list[str]:
    return [name for inner in syntax.walk([statement]) for name in syntax.names_bound(inner)]


def _forward(entry: Saved, body: list[gast.stmt], residuals: list[str], name: str) -> Function:
    sweep = entry.backward.sweep
    function, end = sweep.function, sweep.function.body[-1]
    returned = syntax.return_([*end.value.elts, *residuals], getattr(end, "span", None))
    return function.with_(
        name=name,
        body=(*body, returned),
        types=used_types(function.parameters, [*body, returned], sweep.types),
        results=(*function.results, *(sweep.types[r] for r in residuals)),
        notes=(*function.notes, f"{function.name}, and what its derivative needs."),
        decisions=(*function.decisions, *decisions(entry)),
        temporaries=passing_names(function, sweep.types),
    )


def _pullback(entry: Saved, body: list[gast.stmt], residuals: list[str], wrt: Sequence[str], name: str) -> Function:
    sweep = entry.backward.sweep
    function = sweep.function
    parameters = (*residuals, *entry.backward.seeds.parameters)
    return function.with_(
        name=name,
        parameters=parameters,
        body=tuple(body),
        types=used_types(parameters, body, sweep.types),
        results=tuple(sweep.primal_type(p) for p in wrt),
        notes=(note(function, wrt), "From cotangents of the results to those of the arguments."),
        temporaries=passing_names(function, sweep.types),
        reasons={},
    )


# --- the cotangents of the results ---------------------------------------------------------------------------------


def _seeds(sweep: Sweep, outputs: Sequence[Output], is_trusted: bool) -> Seeds:
    """A parameter for each result that is differentiated; those of arrays must have the shapes of the results."""
    leaves = sweep.function.body[-1].value.elts
    sweep.root.builder.span = getattr(sweep.function.body[-1], "span", None)
    parameters: list[str] = []
    cotangents: list[tuple[str, gast.expr]] = []
    for output in outputs:
        leaf, type_ = leaves[output.place], sweep.function.results[output.place]
        wish = base_of(leaf.id) if isinstance(leaf, gast.Name) else "result"
        bar = sweep.names.fresh(f"{'out' if wish in ('t', 'result') else wish}_bar")
        parameters.append(bar)
        if isinstance(type_, Array) and is_trusted:
            sweep.types[bar] = Array(type_.dtype, type_.dims)
        elif isinstance(type_, Array):
            told = (1,) if output.holds == "shapes" else ()  # how many axes the arrays have, the type says
            fresh = sweep.root.builder.fresh_symbol
            dims = tuple(d if axis in told else fresh(bar) for axis, d in enumerate(type_.dims))
            sweep.types[bar] = Array(type_.dtype, dims)
            _require_alike(sweep, bar, leaf.id, output)
        else:
            sweep.types[bar] = type_
        if output.holds != "shapes" and isinstance(leaf, gast.Name) and leaf.id in sweep.active:
            cotangents.append((leaf.id, syntax.name(bar)))
    return Seeds(tuple(parameters), tuple(cotangents))


def _require_alike(sweep: Sweep, bar: str, result: str, output: Output) -> None:
    """A cotangent has the shape of its result; that of a list of arrays is held to it by the shapes of both."""
    build, name = sweep.root.builder, escaped(output.words)
    if output.holds == "value":
        _require_shape(sweep, bar, result, output)
    elif output.holds != "elements":
        given = build.call("dim", bar, axis=0, hint="count")
        wanted = sweep.shape(result, sweep.root)[0]
        differs = build.call("not_equal", given, wanted, hint="differs")
        message = f"the {output.what} of `{name}` has {{}} items, where `{name}` has {{}}"
        build.append(syntax.if_(differs, [syntax.raise_("ValueError", message, given, wanted, span=build.span)]))
    if output.holds == "shapes":
        differs = build.call("any", build.call("not_equal", bar, result, hint="differs"), hint="differs")
        message = f"the {output.what} of `{name}` has an item of another shape than `{name}` has there"
        build.append(syntax.if_(differs, [syntax.raise_("ValueError", message, span=build.span)]))


def _require_shape(sweep: Sweep, bar: str, result: str, output: Output) -> None:
    build, name = sweep.root.builder, escaped(output.words)
    for axis, wanted in enumerate(sweep.shape(result, sweep.root)):
        given = build.call("dim", bar, axis=axis, hint="length")
        differs = build.call("not_equal", given, wanted, hint="differs")
        message = f"the {output.what} of `{name}` has length {{}} along axis {axis}, where `{name}` has length {{}}"
        build.append(syntax.if_(differs, [syntax.raise_("ValueError", message, given, wanted, span=build.span)]))
