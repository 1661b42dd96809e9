"""Elements that each iterate in a `while` of their own take their iterations together, in the lanes of a vector.

    for i in prange(n):                   for block in prange((n + 15) // 16):
        x = 1.0                               x_1 = empty(16); ...
        while abs(x * x - c[i]) > t:          for lane in lanes(16): x_1[lane] = 1.0; ...
            x = 0.5 * (x + c[i] / x)    ->    while left > 0 and spare > 0:
        out[i] = x                                left = 0
                                                  for lane in lanes(16): an iteration of each; left += going
                                                  if left < 4: spare -= 1
                                              if left > 0: for lane in range(16): the rest of its iterations
                                              for i in range(block * 16, minimum(block * 16 + 16, n)): out[i] = ...

Values are those of the loop as it stood: each lane takes the iterations of its element, in their order.  Where few
lanes are left for long, they finish one after the other.  Lanes past the end do the last element again, and store
nothing.  Where all elements have as many iterations, each iteration is one of all lanes.  An error in an iteration
would be that of another element than the first: loops that may raise stay as they are.  Takes and gives functions of
the loops stage.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

import gast

from .. import syntax
from ..analysis.integers.nest_scope import NestScope
from ..lower.arithmetic import minus, plus
from ..names import Names
from ..program import Decision, Function
from ..renaming import copied, copy_statement, placed, renamed
from ..tuning import FEW_LANES, LANES, SPARE_TURNS
from ..types import INT, Array, Scalar, Type
from .divergent import Divergent, Finder, names_bound_in, parts_of
from .in_blocks import in_blocks
from .lane_steps import LaneSteps, strong

COUNT = Scalar("i64")
TOLD = {
    gast.While: "each iterates until it is done, and where few are left for long they are finished one by one",
    gast.For: "an iteration of all of them comes before the next",
}


def block_lanes(function: Function) -> Function:
    """The function with such loops in blocks; the same object where there are none."""
    if function.as_written or not any(parts_of(s) for s in syntax.walk(function.body)):
        return function
    blocker = _Blocker(function)
    body = blocker.block(function.body, NestScope())
    if body is None:
        return function
    return function.with_(body=tuple(body), types=blocker.types, decisions=(*function.decisions, *blocker.told))


class _Blocker:
    def __init__(self, function: Function) -> None:
        self.types: dict[str, Type] = dict(function.types)
        self.names = Names({*function.types, *function.parameters})
        self.finder = Finder(function)
        self.told: list[Decision] = []

    def block(self, body: Sequence[gast.stmt], scope: NestScope) -> list[gast.stmt] | None:
        """The statements with such loops in blocks; None where nothing changes."""
        made = [self.statement(s, scope) for s in body]
        return made if any(new is not old for new, old in zip(made, body)) else None

    def statement(self, node: gast.stmt, scope: NestScope) -> gast.stmt:
        found = self.finder.divergent(node, scope)
        if found is not None:
            where = f"the loop at line {node.span.line}" if node.span else "a loop"
            how = f"takes {LANES} elements at a time, in lanes: {TOLD[type(found.turns)]}"
            self.told.append(Decision("loops", f"{where} {how}"))
            return placed([_Block(self.with_names(self.apart(found)), self.names, self.types).loop()], node)[0]
        return in_blocks(node, scope, self.finder.integers, self.block)

    def apart(self, found: Divergent) -> Divergent:
        """The same loop, whose own names are not those of its bounds, since every block reads the bounds."""
        bounds = {name for bound in found.loop.iter.args for name in syntax.names_read(bound)}
        body = [*found.before, found.turns, *found.after]
        names = {name: self.names.fresh(name) for name in sorted(bounds & names_bound_in(body))}
        if not names:
            return found
        self.types |= {new: self.types[old] for old, new in names.items()}
        loads = [copied(place, names) for place in found.loads.values()]
        before, after = ([renamed(s, names) for s in part] for part in (found.before, found.after))
        turns = renamed(found.turns, names)
        assert isinstance(turns, gast.While | gast.For)
        carried, read_after = (tuple([names.get(n, n) for n in part]) for part in (found.carried, found.read_after))
        places = {syntax.form_of(place): place for place in loads if isinstance(place, gast.Subscript)}
        return Divergent(found.loop, before, turns, after, places, carried, read_after)

    def with_names(self, found: Divergent) -> Divergent:
        """The same loop, where every element that the iterations read of an array has a name."""
        named = {form: self.names.fresh(place.value.id) for form, place in found.loads.items()}
        self.types |= {named[form]: self.finder.type_of(place) for form, place in found.loads.items()}
        before = [*found.before, *(syntax.assign(named[f], copied(p, {})) for f, p in found.loads.items())]
        turns = _with_loads(copy_statement(found.turns, lambda name: name, lambda name: name), named)
        assert isinstance(turns, gast.While | gast.For)
        return replace(found, before=before, turns=turns, loads={}, carried=(*found.carried, *named.values()))


class _Block:
    """Writes one such loop; `held` has the arrays of a number for each lane, by the names they stand for."""

    def __init__(self, found: Divergent, names: Names, types: dict[str, Type]) -> None:
        self.found, self.names, self.types = found, names, types
        self.start, self.stop, _ = found.loop.iter.args
        self.held = {name: self.array(name) for name in found.carried}
        self.block, self.lane = self.scalar("block", INT), self.scalar("lane", INT)

    def loop(self) -> gast.stmt:
        """The loop over blocks of so many elements as there are lanes."""
        count = syntax.call("floor_divide", plus(minus(self.stop, self.start), LANES - 1), LANES)
        made = [syntax.assign(array, self.empty(array)) for array in self.held.values()]
        inside = [*made, self.filled(), *self.together(), self.stored()]
        return syntax.for_range(self.block, 0, count, 1, inside, kind=str(syntax.operator_of(self.found.loop.iter)))

    def element(self, further: gast.expr | int) -> gast.expr:
        """The number of an element of the block."""
        first = plus(copied(self.start, {}), syntax.call("multiply", self.block, LANES))
        return plus(first, further)

    def end(self, further: int = 0) -> gast.expr:
        """Where the loop ends, or an element near to it."""
        return plus(copied(self.stop, {}), further)

    def filled(self) -> gast.stmt:
        """What every lane begins with: lanes past the end do what the last element does."""
        variable = self.found.loop.target.id
        element = self.scalar(variable, INT)
        place = syntax.call("minimum", self.element(syntax.name(self.lane)), self.end(-1))
        body = [
            syntax.assign(element, place),
            *(renamed(s, {variable: element}) for s in self.found.before),
            *(syntax.store(array, [self.lane], element if n == variable else n) for n, array in self.held.items()),
        ]
        return syntax.for_range(self.lane, 0, LANES, 1, body, kind="lanes")

    def together(self) -> list[gast.stmt]:
        """The iterations of all lanes."""
        turns, steps = self.found.turns, LaneSteps(self.lane, self.held, self.names, self.types)
        going, turn = steps.turn(turns, self.found.changed)
        if isinstance(turns, gast.While):
            return self.until_done(turns, going, turn)
        in_lanes = syntax.for_range(self.lane, 0, LANES, 1, turn, kind="lanes")
        return [syntax.rebuild(turns, body=placed([in_lanes], turns))]

    def until_done(self, turns: gast.While, going: str, turn: list[gast.stmt]) -> list[gast.stmt]:
        """The iterations of all lanes as long as enough go on, and the rest of them."""
        call, left, spare = syntax.call, self.scalar("left", COUNT), self.scalar("spare", INT)
        turn.append(syntax.assign(left, call("add", left, call("cast", going, dtype=COUNT.dtype))))
        again = gast.BoolOp(gast.And(), [call("greater", left, 0), call("greater", spare, 0)])
        inside = [
            syntax.assign(left, _count(0)),
            syntax.for_range(self.lane, 0, LANES, 1, turn, kind="lanes"),
            syntax.if_(call("less", left, FEW_LANES), [syntax.assign(spare, call("subtract", spare, 1))]),
        ]
        return [
            syntax.assign(left, _count(LANES)),
            syntax.assign(spare, syntax.constant(SPARE_TURNS)),
            syntax.while_(again, placed(inside, turns)),
            syntax.if_(call("greater", left, 0), [self.finished()]),
        ]

    def finished(self) -> gast.stmt:
        """The rest of the iterations of every lane, one lane after the other."""
        found, lane = self.found, self.lane
        kept = [name for name in found.changed if name in found.read_after]
        body = [
            *(syntax.assign(name, self.read(name, syntax.name(lane))) for name in found.carried),
            copy_statement(found.turns, lambda name: name, lambda name: name),
            *(syntax.store(self.held[name], [lane], name) for name in kept),
        ]
        return syntax.for_range(lane, 0, LANES, 1, body)

    def stored(self) -> gast.stmt:
        """What is done with the element after its iterations, element by element."""
        found, variable = self.found, self.found.loop.target.id
        bound = names_bound_in(found.after)
        lane = minus(syntax.name(variable), self.element(0))
        values = {name: self.read(name, copied(lane, {})) for name in found.read_after if name != variable}

        def read(name: str) -> str | gast.expr:
            return copied(values[name], {}) if name in values and name not in bound else name

        body = [
            *(syntax.assign(name, value) for name, value in values.items() if name in bound),
            *(copy_statement(s, read, lambda name: name) for s in found.after),
        ]
        behind = syntax.call("minimum", self.element(LANES), self.end())
        return syntax.for_range(variable, self.element(0), behind, 1, body)

    def read(self, name: str, lane: gast.expr) -> gast.expr:
        """The value of a name in a lane, as a number of the type of the name."""
        element, type_ = syntax.index(self.held[name], lane), self.types[name]
        assert isinstance(type_, Scalar)
        if type_ == strong(type_):
            return element
        return syntax.call("cast", element, dtype=type_.dtype, **({"weak": True} if type_.weak else {}))

    # --- names

    def scalar(self, wish: str, type_: Type) -> str:
        name = self.names.fresh(wish)
        self.types[name] = type_
        return name

    def array(self, name: str) -> str:
        type_ = self.types[name]
        assert isinstance(type_, Scalar)
        return self.scalar(name, Array(type_.dtype, (LANES,)))

    def empty(self, array: str) -> gast.expr:
        type_ = self.types[array]
        assert isinstance(type_, Array)
        return syntax.call("empty", shape=(LANES,), dtype=type_.dtype)


def _count(number: int) -> gast.expr:
    return syntax.call("cast", syntax.constant(number), dtype=COUNT.dtype)


def _with_loads(statement: gast.stmt, named: dict[Hashable, str]) -> gast.stmt:
    """A copy of a statement, in trees of its own, with names for elements."""

    class Named(gast.NodeTransformer):
        def visit_Subscript(self, node: gast.Subscript) -> gast.expr:
            name = named.get(syntax.form_of(node))
            return node if name is None else syntax.name(name)

    made: gast.stmt = Named().visit(statement)
    return made
