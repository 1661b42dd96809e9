"""Pass as residuals, from the forward sweep to the pullback, only what that reads and has not from its arguments.

    return z, x, y, n, 2.0                          return z, x, y
    def f_pullback(x, y, n, c, w, z_bar)     ->     def f_pullback(x, y, z_bar): n = x.shape[0]; c = 2.0; ...

Takes both functions once they are simplified, since much of what is written down first is read no longer.  Lengths are
asked of the arrays, and what is an argument of the function may be passed in again in place of a residual.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gast

from ... import syntax
from ...analysis.def_use import def_use
from ...program import Function
from .declared import array_type


def trim(
    forward: Function, pullback: Function, count: int, again: Sequence[str] = ()
) -> tuple[Function, Function, tuple[str, ...]]:
    """Both functions with the necessary residuals alone, and the parameters that are passed in again.

    The first `count` results are the function's own, the others residuals; parameters of the forward sweep in `again`
    come after the residuals, in their order.  The same objects where there is nothing to leave out.
    """
    atoms = forward.body[-1].value.elts
    names, bars = pullback.parameters[: len(atoms) - count], pullback.parameters[len(atoms) - count :]
    read = {name for statement in syntax.walk(pullback.body) for name in syntax.names_read(statement)}
    called: dict[str, str] = {}  # what the pullback calls the names of the forward sweep
    places: dict[str, int] = {}
    start: list[gast.stmt] = []
    for place, (name, atom) in enumerate(zip(names, atoms[count:], strict=True), count):
        if name not in read:
            continue
        if isinstance(atom, gast.Constant):
            start.append(syntax.assign(name, atom))
        elif atom.id in called:
            start.append(syntax.assign(name, syntax.name(called[atom.id])))
        else:
            called[atom.id], places[atom.id] = name, place
    lengths = {name: length for name in called if (length := _length(forward, name, called)) is not None}
    start[:0] = [syntax.assign(called[name], length) for name, length in lengths.items()]
    handed = tuple(p for p in again if p in called)
    residuals = [name for name in called if name not in lengths and name not in handed]
    if len(residuals) == len(names):
        return forward, pullback, ()
    kept = [*range(count), *(places[name] for name in residuals)]
    returned = syntax.rebuild(forward.body[-1], value=syntax.tuple_([atoms[k] for k in kept]))
    forward = forward.with_(
        body=(*forward.body[:-1], returned), results=tuple(forward.results[k] for k in kept)
    )  # fmt: skip
    span = next((s.span for s in pullback.body if getattr(s, "span", None) is not None), None)
    body = (*(syntax.at(statement, span) for statement in start), *pullback.body)
    parameters = (*(called[name] for name in (*residuals, *handed)), *bars)
    return forward, pullback.with_(parameters=parameters, body=body), handed


def _length(forward: Function, name: str, called: Mapping[str, str]) -> gast.expr | None:
    """A length of the forward sweep as that of an array which is an argument of the pullback; None for what is none."""
    match def_use(forward).value_of(name):
        case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=array)]) as call:
            extent = array_type(forward.types, array).dims[int(str(syntax.static_of(call)["axis"]))]
            for other, handed in called.items():
                dims = getattr(forward.types.get(other), "dims", ())
                if extent in dims:
                    return syntax.call("dim", handed, axis=dims.index(extent))
    return None
