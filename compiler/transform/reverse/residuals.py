"""Pass as residuals, from the forward sweep to the pullback, only what that reads and has not from its arguments.

    return z, x, y, n, 2.0                          return z, x, y
    def f_pullback(x, y, n, c, w, z_bar)     ->     def f_pullback(x, y, z_bar): n = x.shape[0]; c = 2.0; ...

Lengths are asked of the arrays, one that no array has is passed once, and what is an argument of the function may be
passed in again in place of a residual.
It is done as soon as the two are parted, so that the arrays of the pullback have lengths that it knows, and once more
when both are simplified, since much of what is written down first is read no longer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gast

from ... import syntax
from ...analysis.def_use import def_use
from ...ops.schema import OPERATORS
from ...program import Function
from ...types import INT, Extent
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
    lengths = _Lengths(forward, called, taken={*pullback.types, *pullback.parameters})
    for name in [n for n in called if forward.types.get(n) == INT]:
        lengths.make(name)
    start[:0] = lengths.statements
    handed = tuple(p for p in again if p in called)
    residuals = [name for name in called if name not in lengths.made and name not in handed]
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
    types = {**dict.fromkeys(lengths.made.values(), INT), **pullback.types}
    return forward, pullback.with_(parameters=parameters, body=body, types=types), handed


class _Lengths:
    """Ints made of lengths, made again in the pullback from the arrays that it is passed.

    Arrays there have lengths that are told by these ints, so that an int that is passed would be another length.
    """

    def __init__(self, forward: Function, called: Mapping[str, str], taken: set[str]) -> None:
        self.forward, self.called, self.taken = forward, called, taken
        self.values = def_use(forward)
        self.made: dict[str, str] = {}  # the names of the forward sweep -> of the pullback
        self.passed: dict[Extent, str] = {}  # the lengths that are passed -> the names of the forward sweep
        self.lasting = {name for statement in forward.body for name in syntax.names_bound(statement)}
        self.statements: list[gast.stmt] = []

    def make(self, name: str) -> str | None:
        """The name that such an int has in the pullback; None for what is none."""
        if name in self.made:
            return self.made[name]
        is_free = name in self.called or name not in self.taken
        found = self.values.value_of(name)
        value = self._value(found) if is_free else None
        if value is None:
            value = self._passed_already(name, found)
        if value is None:
            return None
        here = self.made[name] = self.called.get(name, name)
        self.statements.append(syntax.assign(here, value))
        return here

    def _value(self, value: gast.expr | None) -> gast.expr | None:
        match value:
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=array)]) as call:
                extent = self._extent(array, call)
                for other, passed in self.called.items():
                    dims = getattr(self.forward.types.get(other), "dims", ())
                    if extent in dims:
                        return syntax.call("dim", passed, axis=dims.index(extent))
            case gast.Call(args=operands) as call:
                row = OPERATORS.get(syntax.operator_of(call) or "")
                if row is None or row.kind != "elementwise":
                    return None
                again = [o if isinstance(o, gast.Constant) else self._operand(o) for o in operands]
                return None if None in again else syntax.rebuild(call, args=again)
        return None

    def _extent(self, array: str, call: gast.Call) -> Extent:
        return array_type(self.forward.types, array).dims[int(str(syntax.static_of(call)["axis"]))]

    def _passed_already(self, name: str, value: gast.expr | None) -> gast.expr | None:
        """Another int that is passed and is the same length, as the types say: the pullback could not tell that."""
        match value:
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=array)]) if name in self.called:
                first = self.passed.setdefault(self._extent(array, value), name) if name in self.lasting else name
                return None if first == name else syntax.name(self.called[first])
        return None

    def _operand(self, operand: gast.expr) -> gast.expr | None:
        if self.forward.types.get(operand.id) != INT:
            return None
        made = self.make(operand.id)
        return None if made is None else syntax.name(made)
