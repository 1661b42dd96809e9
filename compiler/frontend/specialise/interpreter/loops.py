"""Loops: unroll those over what is known now, count those over ranges and arrays, keep `while` with its condition.

    for a, b in zip(xs, ys):     ->     for i in range(0, minimum(n, m), 1): a = xs[i]; b = ys[i]; ...
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import gast

from .... import syntax, types
from ....analysis import core_liveness
from ...source.located import located
from .. import protocol
from ..derivatives import checkpointing
from ..frame import Frame, NeedsStatic, Stopped
from ..iterables import Iteration, Range
from ..kinds import classes, containers, forms, iterations, iterators, keyed, list_positions, optional, ranges, tables
from ..objects import keyed_loops, sites
from ..objects.heap import reachable
from ..values import Leaf, Ref, Sequence, Static, Value, is_none
from . import branches, carrying, choices, constant_tables, evaluate, execute, loop_tests
from .trial import attempt, looking_ahead

UNROLL_LIMIT = 2048


def for_loop(frame: Frame, node: gast.For) -> None:
    _over(frame, evaluate.evaluate(frame, node.iter), node)


@protocol.lifted()
def _over(frame: Frame, iterable: Value, node: gast.For) -> None:
    made = classes.iterator_of(frame, iterable, node.iter)
    with_lists_that_grow(frame, node, lambda: iterators.for_loop(frame, node, made))


def with_lists_that_grow(frame: Frame, node: gast.stmt, run: Callable[[], None]) -> None:
    """Run a loop; once more if it reads an item of a list of numbers at a position known only at run time."""
    while (needed := attempt(frame, run, NeedsStatic).refused) is not None:
        if needed.keys is not None:
            sites.learn(frame, *needed.keys, node)
        if not list_positions.let_numbers_grow(frame, needed.list, node):
            raise needed


def for_items(frame: Frame, node: gast.For, iterable: Value) -> None:
    stop, body = stop_flag(node)
    if isinstance(iterable, Iteration) and keyed.shown_by(frame, iterable) is not None:
        return keyed_loops.for_view(frame, node, iterable, stop, body)
    write = lambda tabled: counted(frame, node, tabled, stop, body)  # noqa: E731
    first = None if stop is not None else lambda: first_turn(frame, node, iterable, body)
    if constant_tables.loop(frame, iterable, node, body, write, first):
        return None
    if protocol.is_unrolled(frame, iterable) and unrolled(frame, node, iterable, stop, body):
        return None
    refused = attempt(frame, lambda: counted(frame, node, iterable, stop, body), _Grew, NeedsStatic).refused
    if isinstance(refused, _Grew):
        live_list(frame, node, refused.list, refused.form, stop, body)
    elif refused is not None:
        items = ranges.known_range(iterable)
        if items is None or len(items) > UNROLL_LIMIT:
            raise refused
        frame.task.decide("loops", f"line {node.lineno}: unrolled, because the loop variable decides about structure")
        unroll(frame, node, iterators.Items(frame, Sequence(tuple(map(Static, items))), node), stop, body)


def unrolled(frame: Frame, node: gast.For, iterable: Value, stop: gast.expr | None, body: list) -> bool:
    """Unroll a loop; False where it has to be counted, over a list that grows from here on."""
    before = frame.built
    try:
        unroll(frame, node, iterators.Items(frame, iterable, node), stop, body)
    except _Grew as grew:
        frame.built = before
        live_list(frame, node, grew.list, grew.form, stop, body)
    except NeedsStatic:
        grown = [(part, frame.held(part)) for part in iterations.gone_over(iterable) if isinstance(part, Ref)]
        known = [(part, form) for part, held in grown if forms.grows(frame, held)
                 and (form := forms.form_of_items(frame, held)) is not None]  # fmt: skip
        if not known:
            raise
        frame.built = before
        for part, form in known:
            containers.let_grow(frame, part, form, node)
        return False
    return True


def stop_flag(node: gast.For | gast.While) -> tuple[gast.expr | None, list[gast.stmt]]:
    """The condition of a closing `if flag: break`, and the body without it."""
    last = node.body[-1]
    if isinstance(last, gast.If) and len(last.body) == 1 and isinstance(last.body[0], gast.Break):
        return last.test, node.body[:-1]
    return None, node.body


class _Grew(Exception):
    """A loop changes the length of the list that it iterates over; the items of that list have this form."""

    def __init__(self, list_: Ref, form: Value) -> None:
        super().__init__(str(form))
        self.list, self.form = list_, form


def check_still_known(frame: Frame, iterable: Value) -> None:
    held = frame.held(iterable)
    if isinstance(iterable, Ref) and forms.grows(frame, held):
        form = forms.form_of_items(frame, held)
        assert form is not None
        raise _Grew(iterable, form)


def changed_while_looped(frame: Frame, node: gast.For) -> NoReturn:
    frame.fault("R003", "this loop changes the list that it goes over", node.iter, "looped over here",
                ("loop over a copy: `for ... in list(...)`",))  # fmt: skip


def unroll(frame: Frame, node: gast.For, items: Any, stop: gast.expr | None, body: list) -> None:
    """One copy of the body per item; after a possible `break` the rest is conditional."""
    while (item := items.next(frame)) is not None:
        execute.bind(frame, node.target, item, node.iter)
        execute.execute(frame, body)
        if stop is None:
            continue
        decided = choices.condition(frame, stop)
        if isinstance(decided, Static):
            if decided.value:
                return
            continue
        rest = [Doing(node, lambda frame: unroll(frame, node, items, stop, body))]
        go_on = gast.copy_location(gast.UnaryOp(gast.Not(), stop), stop)
        table = dict(frame.live_after)
        made = gast.copy_location(gast.If(go_on, rest, []), node)
        if (live := core_liveness.live_in_loop(node, table)) is not None:
            table[id(made)] = live
        frame.live_after = table
        branches.branch(frame, made, go_on, rest, [])
        return


def first_turn(frame: Frame, node: gast.For, iterable: Value, body: list) -> None:
    """A copy of the body for the first item alone."""
    execute.bind(frame, node.target, protocol.item_of_unrolled(frame, iterable, 0, node.iter), node.iter)
    execute.execute(frame, body)


class Doing(gast.Pass):
    """An action of the compiler among statements, as one of them."""

    def __init__(self, node: gast.AST, run: Callable[[Frame], None]) -> None:
        super().__init__()
        gast.copy_location(self, node)
        self.run = run


def counted(frame: Frame, node: gast.For, iterable: Value, stop: gast.expr | None, body: list) -> None:
    """A loop over a range or the positions of a sequence."""
    simple = isinstance(iterable, Range) and isinstance(node.target, gast.Name)
    if isinstance(iterable, Range):
        start, end, step = iterable.start, iterable.stop, iterable.step
    else:
        start, end, step = Static(0), protocol.length(frame, iterable, node), Static(1)
    if step == Static(0):
        frame.fault("S002", "range() arg 3 must not be zero", node.iter)
    if stop is not None:
        return stopping(frame, node, iterable, stop, body)
    wish = node.target.id if simple and node.target.id != "_" else "i"

    def make(variable: str, inner: list[gast.stmt]) -> gast.stmt:
        first, last, by = [frame.atom(v, node) for v in (start, end, step)]
        made = syntax.for_range(variable, first, last, by, inner, span=frame.here(node))
        if isinstance(iterable, Range) and iterable.segments is not None:
            setattr(made, "segments", iterable.segments)  # noqa: B010
            setattr(made, "budget", iterable.budget)  # noqa: B010
        return made

    def enter() -> str:
        variable = frame.builder.names.fresh(wish)
        frame.builder.types[variable] = types.INT
        with frame.emitting():
            item = Leaf(variable) if simple else protocol.item(frame, iterable, Leaf(variable), node)
        execute.bind(frame, node.target, item, node)
        return variable

    looped(frame, node, iterable, lambda: carrying.carry(frame, node, body, enter, make, surely=has_a_turn(iterable)))


def looped(frame: Frame, node: gast.For, iterable: Value, run: Callable[[], None]) -> None:
    """Run a counted loop: no list that it iterates over may change its length, as the trip count is computed before."""
    view = iterable if isinstance(iterable, Iteration) and keyed.shown_by(frame, iterable) is not None else None
    items = list(iterations.gone_over((keyed.shown_by(frame, view) if view is not None else None) or iterable))
    sources = items if view is None else [keyed_loops.gone_over(frame, view)]
    over = reachable(sources, {})
    before = len(frame.heap.changes if view is not None else frame.heap.resized)
    frame.builder.looped_over.append(frozenset(over))
    try:
        run()
    finally:
        frame.builder.looped_over.pop()
    changed = (frame.heap.changes if view is not None else frame.heap.resized)[before:]
    if any(frame.heap.may_be_one(c, o) for c in dict.fromkeys(changed) for o in over):
        if view is not None:
            raise keyed_loops.Changed
        check_still_known(frame, iterable)
        changed_while_looped(frame, node)


def live_list(
    frame: Frame, node: gast.For, iterable: Ref, form: Value, stop: gast.expr | None, body: list
) -> None:
    """A loop that changes the list it iterates over: as in Python, each item is read when its iteration begins."""
    containers.let_grow(frame, iterable, form, node)
    now = lambda: tables.length_now(frame, frame.held(iterable))  # noqa: E731
    stepping(frame, node, iterable, stop, body, lambda position: syntax.call("less", position, now()))


def stopping(frame: Frame, node: gast.For, iterable: Value, stop: gast.expr, body: list) -> None:
    """A counted loop that may end early: `while position < trips and not broke`."""
    trips = frame.atom(protocol.length(frame, iterable, node), node)
    in_range = lambda position: syntax.call("less", position, trips)  # noqa: E731
    looped(frame, node, iterable, lambda: stepping(frame, node, iterable, stop, body, in_range))


def stepping(
    frame: Frame, node: gast.For, iterable: Value, stop: gast.expr | None, body: list,
    in_range: Callable[[str], gast.expr], check: Callable[[], None] = lambda: None,
) -> None:  # fmt: skip
    """A loop with a position of its own: `in_range` says whether there is an item, `check` runs before it is read."""
    position = frame.builder.names.fresh("position")
    frame.builder.types[position] = types.INT
    frame.builder.merged.add(position)
    frame.builder.append(syntax.assign(position, syntax.constant(0)))

    def enter() -> str:
        check()
        with frame.emitting():
            item = protocol.item(frame, iterable, Leaf(position), node)
        execute.bind(frame, node.target, item, node)
        return position

    def make(test: gast.expr, inner: list[gast.stmt]) -> gast.stmt:
        with frame.captured() as more:
            following = frame.emit("add", Leaf(position), Static(1), node=node, hint=position)
            frame.builder.append(syntax.assign(position, frame.atom(following, node)))
        end = len(inner)
        while end and not frame.builder.merged.isdisjoint(syntax.names_bound(inner[end - 1])):
            end -= 1  # what the loop carries is assigned last
        together = [*inner[:end], *more[:-1], *inner[end:], more[-1]]
        return syntax.while_(test, together, span=frame.here(node))

    def test() -> gast.expr:
        there_is = in_range(position)
        if stop is None:
            return there_is
        going = gast.copy_location(gast.UnaryOp(gast.Not(), stop), stop)
        return gast.BoolOp(gast.And(), [there_is, loop_tests.nested_test(frame, going)])

    carrying.carry(frame, node, body, enter, make, test=test, surely=has_a_turn(iterable))


def has_a_turn(iterable: Value) -> bool:
    """Whether a loop over it is known to have a first iteration."""
    found = ranges.known_range(iterable)
    return found is not None and len(found) > 0


def while_loop(frame: Frame, node: gast.While) -> None:
    stop, body = stop_flag(node)
    test, node = without_mark(frame, node)
    if stop is not None:
        going = gast.copy_location(gast.UnaryOp(gast.Not(), stop), stop)
        endless = isinstance(test, gast.Constant) and bool(test.value)
        test = going if endless else gast.copy_location(gast.BoolOp(gast.And(), [going, test]), test)
    with looking_ahead(frame):
        entered = decided_now(frame, test)
    if entered is not False:
        unrolls = entered is not None and stop is None
        with_lists_that_grow(frame, node, lambda: while_entered(frame, node, test, body, unrolls))


def without_mark(frame: Frame, node: gast.While) -> tuple[gast.expr, gast.While]:
    """The test of a loop, and the loop, marked if its test is inside `checkpoint`."""
    inside = checkpointing.test_inside(frame, node.test)
    if inside is None:
        return node.test, node
    marked = gast.copy_location(gast.While(inside, node.body, node.orelse), node)
    setattr(marked, "segments", 0)  # noqa: B010
    return inside, marked


def made_while(frame: Frame, node: gast.While) -> Callable[[gast.expr, list[gast.stmt]], gast.While]:
    """A function that makes the typed loop of its test and its body."""

    def make(test: gast.expr, inner: list[gast.stmt]) -> gast.While:
        made = syntax.while_(test, inner, span=frame.here(node))
        if getattr(node, "segments", None) is not None:
            setattr(made, "segments", 0)  # noqa: B010
        return made

    return make


def while_entered(frame: Frame, node: gast.While, test: gast.expr, body: list, unrolls: bool) -> None:
    known, before = dict[str, Value](), dict[str, Value]()

    def enter() -> str:
        """The test is true: in the body, variables are not None where the test says so."""
        known.clear()
        before.update(frame.variables)
        said = optional.known_from(frame, test, True)
        known.update({name: value for name, value in said.items() if not is_none(value)})
        frame.variables.update(known)
        return ""

    ended = Doing(node, lambda frame: optional.forget(frame.variables, known, before))

    def carried() -> None:
        carrying.carry(
            frame, node, [*body, ended], enter, made_while(frame, node),
            test=lambda: loop_tests.nested_test(frame, test),
        )  # fmt: skip
        frame.variables.update(optional.known_from(frame, test, False))

    refused = attempt(frame, carried, loop_tests.NotNested, NeedsStatic).refused
    if isinstance(refused, loop_tests.NotNested):
        flagged_while(frame, node, test, body)
    elif refused is not None and not unrolls:
        raise refused
    elif refused is not None:
        try:
            unroll_while(frame, node, test, body)
        except NeedsStatic as more:
            raise refused if more.list is None else more from None


def decided_now(frame: Frame, test: gast.expr) -> bool | None:
    """Whether a loop is entered, if that is already known."""
    with frame.captured():
        try:
            value = choices.condition(frame, test)
        except Stopped:
            return None
    return bool(value.value) if isinstance(value, Static) else None


def unroll_while(frame: Frame, node: gast.While, test: gast.expr, body: list) -> None:
    """A loop whose condition is known each time it is reached, and whose variables decide the structure."""
    for _ in range(UNROLL_LIMIT):
        truth = choices.condition(frame, test)
        decided = protocol.known(frame, truth, test, "the condition")
        if not decided:
            return
        execute.execute(frame, body)
    frame.fault("R001", f"this loop was unrolled {UNROLL_LIMIT} times and has not ended", node, "unrolled")


def flagged_while(frame: Frame, node: gast.While, test: gast.expr, body: list) -> None:
    """A condition that needs statements moves into the body: `while running: if test: ... else: running = False`."""
    flag = "running"
    while frame.lookup(flag) is not None:
        flag += "_"
    frame.variables[flag] = Static(True)
    choice = gast.If(test, list(body), [gast.Assign([syntax.target(flag)], syntax.constant(False), None)])
    loop = located(gast.While(syntax.name(flag), [choice], []), node)
    table = dict(frame.live_after)
    if (live := core_liveness.live_in_loop(node, table)) is not None:
        table[id(choice)] = live
    kept, frame.live_after, pinned = frame.live_after, table, frame.pinned
    frame.pinned |= {flag}
    carrying.carry(
        frame, loop, [choice], lambda: "", made_while(frame, node),
        test=lambda: loop_tests.nested_test(frame, loop.test),
    )  # fmt: skip
    frame.live_after, frame.pinned = kept, pinned
    frame.variables.pop(flag, None)
