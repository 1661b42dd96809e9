"""What memory a call needs: its buffers, their sizes in terms of lengths, when they are there, and the most at once.

    e = empty(n, m)                  `e`: 8*n*m bytes, line 3 to the result
    total = empty(n)         ->      `total`: 8*n bytes, lines 4 to 5
    ...; del total                   at most 8*n*m + 8*n bytes at once
    return e

Arguments are the caller's and do not count.  The bound holds for what the loops stage
allocates itself; small arrays on the stack are none of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import gast

from .. import syntax
from ..dtypes import NUMPY_DTYPE
from ..ops.forms import BUFFERS, FORMS, WHOLE
from ..ops.routines import ROUTINES
from ..ops.schema import row_of
from ..program import Decision, Function
from ..types import Array, Dim, ListOf
from .small_arrays import small_arrays

State = dict[str, frozenset[int]]


@dataclass(slots=True)
class _Buffer:
    name: str
    dims: str
    item: int
    first: int
    last: int
    repeated: bool
    returned: bool = False


def footprint(function: Function) -> Iterator[Decision]:
    """(topic, message) pairs for `explain`."""
    made = (s for s in syntax.walk(function.body) if isinstance(s, gast.Assign))
    if small_arrays(function).issuperset(s.targets[0].id for s in made if syntax.operator_of(s.value) in BUFFERS):
        yield Decision("memory", "nothing is allocated")
        return
    walker = _Walker(function)
    walker.block(function.body, {}, False)
    for buffer in walker.buffers.values():
        yield Decision("memory", f"`{buffer.name}`: {_bytes({buffer.dims: buffer.item})}, {_when(buffer)}")
    peaks = _largest(walker.peaks)
    totals = list(dict.fromkeys(_bytes(_sum(peak, walker.buffers)) for peak in peaks))
    most = totals[0] if len(totals) == 1 else f"the largest of {'; '.join(totals)}"
    yield Decision("memory", f"at most {most} at once{''.join(f', and {more}' for more in walker.others)}")


def _when(buffer: _Buffer) -> str:
    """The lines between which a buffer is there."""
    if buffer.returned:
        when = f"line {buffer.first} to the result"
    else:
        when = f"line {buffer.first}" if buffer.first == buffer.last else f"lines {buffer.first} to {buffer.last}"
    return f"{when}, made anew in each iteration of a loop" if buffer.repeated else when


class _Walker:
    """Follows which names hold which buffers."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.buffers: dict[int, _Buffer] = {}
        self.peaks: list[Counter[int]] = []
        self.others: list[str] = []
        self.known = {s for p in function.parameters for s in _symbols(function.types[p])}

    def block(self, statements: Sequence[gast.stmt], state: State, repeated: bool) -> State:
        for statement in statements:
            state = self.statement(statement, state, repeated)
        return state

    def statement(self, node: gast.stmt, state: State, repeated: bool) -> State:
        line = getattr(getattr(node, "span", None), "line", 0)
        for name in {*syntax.names_read(node), *syntax.names_bound(node)} if state else ():
            for buffer in state.get(name, ()):
                self.buffers[buffer].last = max(self.buffers[buffer].last, line)
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if isinstance(
                self.function.types.get(name), Array | ListOf
            ):
                return self._bound(name, value, state, line, repeated)
            case gast.Assign(targets=[gast.Tuple(elts=places)], value=gast.Tuple(elts=values)):
                return {**state, **{p.id: state.get(v.id, frozenset()) for p, v in zip(places, values, strict=True)}}
            case gast.Assign(targets=[gast.Tuple()], value=gast.Call() as call):
                self._other(f"what `{syntax.operator_of(call)}` needs")
            case gast.Expr(value=gast.Call(func=gast.Name(id="append"))):
                self._other("what its lists hold")
            case gast.Expr(value=gast.Call(func=gast.Name(id=id_))) if id_ in ROUTINES and ROUTINES[id_].takes_memory:
                self._other(f"what `{id_}` needs")
            case gast.Delete(targets=targets):
                return {n: held for n, held in state.items() if n not in {t.id for t in targets}}
            case gast.If(body=body, orelse=orelse):
                return _joined(self.block(body, state, repeated), self.block(orelse, state, repeated))
            case gast.For(body=body) | gast.While(body=body):
                once = _joined(state, self.block(body, state, True))
                return _joined(once, self.block(body, once, True))
            case gast.Return():
                for name in syntax.names_read(node):
                    for buffer in state.get(name, ()):
                        self.buffers[buffer].returned = True
        return state

    def _bound(self, name: str, value: gast.expr, state: State, line: int, repeated: bool) -> State:
        operator = syntax.operator_of(value)
        if name in small_arrays(self.function):
            return state
        if operator in BUFFERS:
            number = id(value)
            if number not in self.buffers:
                self.buffers[number] = self._buffer(name, value, line, repeated)
            state = {**state, name: state.get(name, frozenset()) | {number} if repeated else frozenset({number})}
            self.peaks.append(self._live(state))
            return {**state, name: frozenset({number})}
        if isinstance(value, gast.Call) and operator not in WHOLE and operator not in FORMS:
            self._other(f"what `{operator}` needs")
        held = [state.get(n, frozenset()) for n in syntax.names_read(value)]
        return {**state, name: frozenset().union(*held)}

    def _live(self, state: State) -> Counter[int]:
        """How often each buffer may be there: once, or for every name that holds it if it is made again and again."""
        count: Counter[int] = Counter(buffer for held in state.values() for buffer in held)
        return Counter({b: n if self.buffers[b].repeated else 1 for b, n in count.items()})

    def _buffer(self, name: str, value: gast.expr, line: int, repeated: bool) -> _Buffer:
        keywords = {k.arg: k.value for k in value.keywords}
        shape = keywords["shape"]
        trees = shape.elts if isinstance(shape, gast.Tuple) else [shape]
        dims = self.function.types[name].dims  # type: ignore[union-attr]
        factors = [self._length(tree, extent) for tree, extent in zip(trees, dims, strict=True)]
        text = "*".join(f for f in factors if f != "1")
        return _Buffer(name, text, NUMPY_DTYPE[keywords["dtype"].value].itemsize, line, line, repeated)

    def _length(self, tree: gast.expr, extent: object) -> str:
        if isinstance(extent, int) or (isinstance(extent, Dim) and set(extent.symbols()) <= self.known):
            text = str(extent)
            return f"({text})" if " " in text else text
        return spelled(tree)

    def _other(self, text: str) -> None:
        if text not in self.others:
            self.others.append(text)


def spelled(tree: gast.expr) -> str:
    """An int expression as it is written in Python."""
    match tree:
        case gast.Name(id=name):
            return name
        case gast.Constant(value=value):
            return str(value)
        case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=array)]):
            return f"{array}.shape[{syntax.static_of(tree)['axis']}]"
        case gast.Call(func=gast.Name(id=operator), args=[left, right]) if (row := row_of(operator)) and row.precedence:
            return f"({row.spelling.format(x=spelled(left), y=spelled(right))})"
        case gast.Call(func=gast.Name(id=operator), args=args):
            return f"{operator}({', '.join(map(spelled, args))})"
    return "?"


def _symbols(type_: object) -> list[str]:
    dims = type_.dims if isinstance(type_, Array) else ()
    return [s for extent in dims if isinstance(extent, Dim) for s in extent.symbols()]


def _joined(left: State, right: State) -> State:
    return {n: left.get(n, frozenset()) | right.get(n, frozenset()) for n in {**left, **right}}


def _largest(peaks: list[Counter[int]]) -> list[Counter[int]]:
    """Without those that another one contains."""
    kept: list[Counter[int]] = []
    for peak in peaks:
        if not any(peak <= other for other in kept):
            kept = [other for other in kept if not other <= peak] + [peak]
    return kept


def _sum(peak: Counter[int], buffers: dict[int, _Buffer]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for number, buffer in buffers.items():
        if peak[number]:
            total[buffer.dims] += buffer.item * peak[number]
    return dict(total)


def _bytes(sizes: dict[str, int]) -> str:
    parts = [f"{item}*{dims}" if dims else str(item) for dims, item in sizes.items()]
    return f"{' + '.join(parts)} bytes"
