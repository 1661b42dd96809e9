"""Statements: assign, choose branches that are decided, emit the others, carry variables around loops.

    acc = 0                            acc = 0.0
    for i in range(n):        ->       for i in range(0, n, 1):
        acc += x[i]                        t = x[i]
                                           acc_1 = acc + t
                                           acc = acc_1
"""

from __future__ import annotations

from collections.abc import Sequence as Statements
from typing import Any

import gast

from .. import syntax, types
from ..analysis import core_liveness
from ..syntax import operator_of
from ..types import Array, ListOf, Scalar
from . import evaluate, subscript
from .frame import Frame, NeedsStatic, Stopped, Unresolved
from .merge import (
    assign_parallel,
    copies,
    is_own_length,
    join,
    merged_names,
    named,
    own_length,
    place_holders,
)
from .values import (
    UNDEFINED,
    Conflict,
    Iteration,
    Leaf,
    Mapping_,
    Range,
    Record,
    Sequence,
    Static,
    Typed,
    Undefined,
    Value,
    map_leaves,
    parts,
    same_structure,
)

UNROLL_LIMIT = 2048


def execute(frame: Frame, body: Statements[gast.stmt]) -> None:
    for node in body:
        frame.at(node)
        statement(frame, node)


def statement(frame: Frame, node: gast.stmt) -> None:
    match node:
        case _Remaining():
            node.run(frame)
        case gast.Assign(targets=places, value=value):
            hint = places[0].id if isinstance(places[0], gast.Name) else "t"
            made = evaluate.evaluate(frame, value, hint)
            if getattr(node, "leaves_loop", False):
                made = kept_apart(frame, made, node)
            for place in places:
                bind(frame, place, made, node)
        case gast.AnnAssign(target=place, value=value):
            if value is not None:
                bind(frame, place, evaluate.evaluate(frame, value, getattr(place, "id", "t")), node)
        case gast.AugAssign():
            augmented(frame, node)
        case gast.If(test=test, body=body, orelse=orelse):
            branch(frame, node, test, body, orelse)
        case gast.For():
            for_loop(frame, node)
        case gast.While():
            while_loop(frame, node)
        case gast.Expr(value=value):
            if not isinstance(value, gast.Constant):
                evaluate.evaluate(frame, value)
        case gast.FunctionDef(name=name):
            frame.variables[name] = evaluate.closure(frame, node)
        case gast.Raise():
            raise_statement(frame, node)
        case gast.Assert(test=test, msg=message):
            assertion(frame, node, test, message)
        case gast.Pass():
            pass
        case _:
            frame.fault("U018", f"`{type(node).__name__}` is not in the language", node)


def kept_apart(frame: Frame, value: Value, node: gast.AST) -> Value:
    """What is returned from inside a loop, as it is now: the loop may go on to change arrays, on other paths."""

    def copied(part: Value, _: tuple) -> Value:
        return frame.emit("copy", part, node=node, hint="result") if frame.is_array(part) else part

    return map_leaves(value, copied)


# --- binding -------------------------------------------------------------------------------------------------------


def bind(frame: Frame, place: gast.expr, value: Value, node: gast.AST) -> None:
    match place:
        case gast.Name(id=name):
            frame.variables[name] = value
            frame.variables.pop(evaluate.is_set(name), None)
        case gast.Tuple(elts=elements) | gast.List(elts=elements):
            unpack(frame, elements, value, node)
        case gast.Subscript(value=base, slice=items):
            changed = subscript.store(frame, evaluate.evaluate(frame, base), items, value, node)
            if changed is not None:
                bind(frame, _as_target(base, frame), changed, node)
        case gast.Attribute(attr=attribute):
            frame.fault("P003", f"this assigns the attribute `{attribute}`", place, "assigned here")
        case _:
            frame.fault("U018", f"cannot assign to `{type(place).__name__}`", place)


def _as_target(node: gast.expr, frame: Frame) -> gast.expr:
    if not isinstance(node, gast.Name | gast.Subscript):
        frame.fault("P003", "this changes a container that is part of another", node, "changed here")
    return node


def unpack(frame: Frame, elements: list[gast.expr], value: Value, node: gast.AST) -> None:
    items = static_items(frame, value, node)
    stars = [i for i, e in enumerate(elements) if isinstance(e, gast.Starred)]
    if stars:
        first, after = stars[0], len(elements) - stars[0] - 1
        if len(items) >= len(elements) - 1:
            middle = Sequence(tuple(items[first : len(items) - after]), list)
            items = [*items[:first], middle, *items[len(items) - after :]]
            elements = [*elements[:first], elements[first].value, *elements[first + 1 :]]
    if len(items) != len(elements):
        few = "not enough values to unpack" if len(items) < len(elements) else "too many values to unpack"
        frame.fault("S003", f"{few} (expected {len(elements)}, got {len(items)})", node, "unpacked here")
    for element, item in zip(elements, items, strict=True):
        bind(frame, element, item, node)


def augmented(frame: Frame, node: gast.AugAssign) -> None:
    """`x += v`: a new value for scalars and tuples, a change in place for arrays and elements."""
    place, op = node.target, type(node.op)
    if isinstance(place, gast.Name):
        old = evaluate.read_name(frame, place.id, place)
        value = evaluate.evaluate(frame, node.value)
        if frame.is_array(old):
            return in_place(frame, old, op, value, node)
        if isinstance(old, Sequence) and old.kind is list and isinstance(value, Sequence):
            value = Sequence(value.items, list)
        bind(frame, place, evaluate.binary(frame, op, old, value, node, place.id), node)
        return None
    if not isinstance(place, gast.Subscript):
        frame.fault("P003", "this assigns an attribute", place, "assigned here")
    base = evaluate.evaluate(frame, place.value)
    found = frame.type_of(base)
    if isinstance(found, Array):
        items = subscript.normalised(frame, found, place.slice, place)
        old = subscript.element(frame, base, items, node)
        value = evaluate.binary(frame, op, old, evaluate.evaluate(frame, node.value), node)
        return subscript.store_items(frame, base, items, same_kind(frame, value, found, node), node)
    old = subscript.load(frame, base, place.slice, place)
    value = evaluate.binary(frame, op, old, evaluate.evaluate(frame, node.value), node)
    changed = subscript.store(frame, base, place.slice, value, node)
    if changed is not None:
        bind(frame, _as_target(place.value, frame), changed, node)
    return None


def in_place(frame: Frame, old: Leaf, op: type, value: Value, node: gast.AST) -> None:
    place = frame.type_of(old)
    result = evaluate.binary(frame, op, old, value, node)
    items = [syntax.slice_() for _ in range(place.ndim)]
    subscript.store_items(frame, old, items, same_kind(frame, result, place, node), node)


def same_kind(frame: Frame, value: Value, place: Array, node: gast.AST) -> Value:
    """NumPy refuses `ints += floats`: the result would be cut off."""
    found = frame.type_of(value)
    if found is not None and types.KIND[types.dtype_of(found)] > types.KIND[place.dtype]:
        message = f"an array of {place.dtype} cannot take the {types.dtype_of(found)} result of this operation in place"
        frame.fault("T001", message, node, "changed in place here", ("write `x = x + ...` for a new array",))
    return value


# --- errors --------------------------------------------------------------------------------------------------------


def raise_statement(frame: Frame, node: gast.Raise) -> None:
    exception, arguments = node.exc, []
    if isinstance(exception, gast.Call):
        exception, arguments = exception.func, exception.args
    cls = evaluate.static(frame, exception, "the exception")
    message, values = message_of(frame, arguments[0]) if arguments else ("", [])
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        frame.fault("T001", "`raise` takes an exception", exception, "raised here")
    frame.builder.append(syntax.raise_own(cls, message, *values, span=frame.here(node)))
    raise Stopped


def message_of(frame: Frame, node: gast.expr) -> tuple[str, list[gast.expr]]:
    """A message as a format and its values: `f"no root in {a}"` is ("no root in {}", [a])."""
    if isinstance(node, gast.JoinedStr):
        text, values = "", []
        for part in node.values:
            if isinstance(part, gast.Constant):
                text += str(part.value).replace("{", "{{").replace("}", "}}")
                continue
            value = evaluate.evaluate(frame, part.value)
            if isinstance(value, Static):
                text += str(value.value).replace("{", "{{").replace("}", "}}")
            else:
                text += "{}"
                values.append(frame.atom(value, part))
        return text, values
    value = evaluate.evaluate(frame, node)
    if isinstance(value, Static):
        return str(value.value).replace("{", "{{").replace("}", "}}"), []
    return "{}", [frame.atom(value, node)]


def assertion(frame: Frame, node: gast.Assert, test: gast.expr, message: gast.expr | None) -> None:
    holds = evaluate.truth(frame, evaluate.evaluate(frame, test), test)
    if isinstance(holds, Static) and holds.value:
        return
    text, values = ("", [])
    with frame.captured() as body:
        if message is not None:
            text, values = message_of(frame, message)
        frame.builder.append(syntax.raise_("AssertionError", text, *values, span=frame.here(node)))
    if isinstance(holds, Static):
        frame.builder.body += body
        raise Stopped
    frame.builder.append(syntax.if_(frame.atom(evaluate.negation(frame, holds, test), node), body))


# --- branches ------------------------------------------------------------------------------------------------------


def branch(frame: Frame, node: gast.If, test: gast.expr, body: list, orelse: list) -> None:
    decided = evaluate.truth(frame, evaluate.evaluate(frame, test), test)
    if isinstance(decided, Static):
        return execute(frame, body if decided.value else orelse)
    before = dict(frame.variables)
    sides: list[tuple[dict[str, Value] | None, list[gast.stmt]]] = []
    unresolved = 0
    for side in (body, orelse):
        frame.variables = dict(before)
        with frame.captured() as emitted:
            try:
                execute(frame, side)
                sides.append((frame.variables, emitted))
            except Stopped:
                sides.append((None, emitted))
            except Unresolved:
                unresolved += 1
                frame.task.left_out = True
                sides.append((None, emitted))
    frame.at(node)
    reached = [variables for variables, _ in sides if variables is not None]
    if not reached:
        frame.builder.append(syntax.if_(frame.atom(decided, test), sides[0][1], sides[1][1]))
        raise Unresolved if unresolved else Stopped
    live = frame.live_after.get(id(node))
    if len(reached) == 1:
        frame.variables = reached[0]
    else:
        frame.variables = join_branches(frame, before, sides, live, node)
    frame.builder.append(syntax.if_(frame.atom(decided, test), sides[0][1], sides[1][1]))


def join_branches(frame: Frame, before: dict, sides: list, live: frozenset[str] | None, node: gast.AST) -> dict:
    """The variables after both branches; the copies that merge them are added to the branches."""
    first, second = sides[0][0], sides[1][0]
    joined = dict(before)
    pairs: list[list[tuple[str, gast.expr]]] = [[], []]
    for name in dict.fromkeys([*first, *second]):
        if live is not None and name.split(" ")[0] not in live:
            joined.pop(name, None)
            continue
        left, right = _of_side(first, name), _of_side(second, name)
        if left is right or left == right and not isinstance(left, Static):
            joined[name] = left
            continue
        if isinstance(left, Undefined) != isinstance(right, Undefined) and name not in frame.made_names:
            flag = evaluate.is_set(name)
            first.setdefault(flag, Static(not isinstance(left, Undefined)))
            second.setdefault(flag, Static(not isinstance(right, Undefined)))
    for name in dict.fromkeys([*first, *second]):
        if live is not None and name.split(" ")[0] not in live:
            continue
        left, right = _of_side(first, name), _of_side(second, name)
        if left is right or left == right and not isinstance(left, Static):
            continue
        joined[name] = target = named(frame, _wish(name), join(frame, left, right))
        fresh = merged_names(target, frame)
        for value, side, into in ((left, sides[0], pairs[0]), (right, sides[1], pairs[1])):
            with frame.captured() as extra:
                place_holders(frame, target, value, fresh)
                into += copies(frame, target, value, fresh, node)
            side[1].extend(extra)
    for (_, body), into in zip(sides, pairs, strict=True):
        with frame.captured() as extra:
            assign_parallel(frame, into)
        body.extend(extra)
    return joined


def _of_side(variables: dict[str, Value], name: str) -> Value:
    if name in variables:
        return variables[name]
    if name.endswith(" is set"):
        return Static(name.removesuffix(" is set") in variables)
    return UNDEFINED


def _wish(name: str) -> str:
    return name.replace(" ", "_")


# --- loops ---------------------------------------------------------------------------------------------------------


def for_loop(frame: Frame, node: gast.For) -> None:
    iterable = evaluate.evaluate(frame, node.iter)
    stop, body = _stop_flag(node)
    if is_static_iterable(frame, iterable):
        return unroll(frame, node, static_items(frame, iterable, node), stop, body)
    saved = frame.snapshot()
    try:
        counted(frame, node, iterable, stop, body)
    except NeedsStatic as needed:
        if not isinstance(iterable, Range):
            raise
        if not all(isinstance(p, Static) for p in (iterable.start, iterable.stop, iterable.step)):
            raise
        frame.restore(saved)
        items = range(iterable.start.value, iterable.stop.value, iterable.step.value)
        if len(items) > UNROLL_LIMIT:
            raise needed from None
        frame.task.decide("loops", f"line {node.lineno}: unrolled, because the loop variable decides about structure")
        unroll(frame, node, [Static(i) for i in items], stop, body)


def _stop_flag(node: gast.For | gast.While) -> tuple[gast.expr | None, list[gast.stmt]]:
    """The condition of a closing `if flag: break`, and the body without it."""
    last = node.body[-1]
    if isinstance(last, gast.If) and len(last.body) == 1 and isinstance(last.body[0], gast.Break):
        return last.test, node.body[:-1]
    return None, node.body


def unroll(frame: Frame, node: gast.For, items: list[Value], stop: gast.expr | None, body: list) -> None:
    """One copy of the body per item; after a possible `break` the rest stands under a condition."""
    for position, item in enumerate(items):
        bind(frame, node.target, item, node.iter)
        execute(frame, body)
        if stop is None:
            continue
        decided = evaluate.truth(frame, evaluate.evaluate(frame, stop), stop)
        if isinstance(decided, Static):
            if decided.value:
                return
            continue
        rest = [_Remaining(node, items[position + 1 :], stop, body)]
        go_on = gast.copy_location(gast.UnaryOp(gast.Not(), stop), stop)
        table = dict(frame.live_after)
        made = gast.copy_location(gast.If(go_on, rest, []), node)
        table[id(made)] = core_liveness.live_in_loop(node, table) if id(node.body[-1]) in table else None
        frame.live_after = table
        branch(frame, made, go_on, rest, [])
        return


class _Remaining(gast.Pass):
    """The iterations that are left of an unrolled loop, as a statement."""

    def __init__(self, node: gast.For, items: list[Value], stop: gast.expr, body: list) -> None:
        super().__init__()
        gast.copy_location(self, node)
        self.run = lambda frame: unroll(frame, node, items, stop, body)


def counted(frame: Frame, node: gast.For, iterable: Value, stop: gast.expr | None, body: list) -> None:
    """A loop over a range or the positions of a sequence."""
    simple = isinstance(iterable, Range) and isinstance(node.target, gast.Name)
    if isinstance(iterable, Range):
        start, end, step = iterable.start, iterable.stop, iterable.step
    else:
        start, end, step = Static(0), length_of_iterable(frame, iterable, node), Static(1)
    if step == Static(0):
        frame.fault("S002", "range() arg 3 must not be zero", node.iter)
    if stop is not None:
        return stopping(frame, node, iterable, stop, body)
    wish = node.target.id if simple and node.target.id != "_" else "i"

    def make(variable: str, inner: list[gast.stmt]) -> gast.stmt:
        bounds = [frame.atom(v, node) for v in (start, end, step)]
        return syntax.for_range(variable, *bounds, inner, span=frame.here(node))

    def enter() -> str:
        variable = frame.builder.names.fresh(wish)
        frame.builder.types[variable] = types.INT
        bind(frame, node.target, Leaf(variable) if simple else item_at(frame, iterable, Leaf(variable), node), node)
        return variable

    carry(frame, node, body, enter, make)


def stopping(frame: Frame, node: gast.For, iterable: Value, stop: gast.expr, body: list) -> None:
    """A counted loop that may end early: `while position < trips and not broke`."""
    trips = length_of_iterable(frame, iterable, node)
    position = frame.builder.names.fresh("position")
    frame.builder.types[position] = types.INT
    frame.builder.merged.add(position)
    frame.builder.append(syntax.assign(position, syntax.constant(0)))

    def enter() -> str:
        item = item_at(frame, iterable, Leaf(position), node)
        bind(frame, node.target, item, node)
        return position

    def make(test: gast.expr, inner: list[gast.stmt]) -> gast.stmt:
        with frame.captured() as more:
            following = frame.emit("add", Leaf(position), Static(1), node=node, hint=position)
            frame.builder.append(syntax.assign(position, frame.atom(following, node)))
        in_range = syntax.call("less", position, frame.atom(trips, node))
        return syntax.while_(gast.BoolOp(gast.And(), [in_range, test]), inner + more, span=frame.here(node))

    going = gast.copy_location(gast.UnaryOp(gast.Not(), stop), stop)
    carry(frame, node, body, enter, make, test=lambda: nested_test(frame, going))


def carry(frame: Frame, node: gast.stmt, body: list, enter: Any, make: Any, test: Any = None) -> None:
    """Run the body once with the carried variables under names of their own, until their types hold.

    `test`, if any, is a function that gives the loop's condition from the variables at the head.
    """
    live = core_liveness.live_in_loop(node, frame.live_after) if id(node.body[-1]) in frame.live_after else None
    candidates = core_liveness.assigned(node.body)
    if isinstance(node, gast.For):
        candidates |= set(core_liveness.targets(node.target))
    # a store into an array leaves its name alone; a container that is known now is rebuilt by one
    candidates |= {n for n in core_liveness.changed_inside(node.body) if not isinstance(frame.lookup(n), Leaf)}
    candidates &= set(frame.variables) | core_liveness.assigned(node.body) | _targets(node)
    candidates = {n for n in candidates if not _only_in_place(frame, n, node)}
    carried = sorted(n for n in candidates if live is None or n in live)
    entry = {name: frame.variables.get(name, UNDEFINED) for name in carried}
    for name in carried:
        flag = evaluate.is_set(name)
        if flag in frame.variables or isinstance(entry[name], Undefined) and name not in frame.made_names:
            entry[flag] = frame.variables.get(flag, Static(False))
    for name in candidates - set(carried):
        frame.variables.pop(name, None)
    heads: dict[str, Any] = {name: _head(frame, value) for name, value in entry.items()}
    saved = frame.snapshot()
    for _ in range(8):
        frame.restore(saved)
        outcome = _try_body(frame, node, body, enter, entry, heads, test)
        if outcome.changed is None:
            break
        heads = outcome.changed
    else:
        frame.fault("T002", "the types of this loop's variables do not settle", node)
    _finish(frame, node, entry, outcome, make)


def _targets(node: gast.stmt) -> set[str]:
    return set(core_liveness.targets(node.target)) if isinstance(node, gast.For) else set()


def _only_in_place(frame: Frame, name: str, node: gast.stmt) -> bool:
    """Whether `x += v` is all that binds an array: that changes its elements, not the variable."""
    if not frame.is_array(frame.variables.get(name, UNDEFINED)):
        return False
    binding = [s for s in core_liveness.statements(node.body) if name in core_liveness.whole_targets(s)]
    return all(isinstance(s, gast.AugAssign) for s in binding) and name not in _targets(node)


class _Outcome:
    """One trial of a loop body: names at the head, statements, values at its end."""

    def __init__(self) -> None:
        self.changed: dict[str, Any] | None = None
        self.variable = ""
        self.heads: dict[str, Value] = {}
        self.body: list[gast.stmt] = []
        self.before: list[gast.stmt] = []
        self.test: gast.expr | None = None
        self.after: dict[str, Value] = {}


def _head(frame: Frame, value: Value) -> Any:
    """A carried variable at the head: numbers become names, everything else stays what it is."""

    def widen(part: Value, _: tuple) -> Any:
        found = frame.type_of(part)
        return part if found is None else Typed(found)

    return map_leaves(value, widen)


def _try_body(frame: Frame, node, body, enter, entry, heads, test) -> _Outcome:
    outcome = _Outcome()
    for name, head in heads.items():
        outcome.heads[name] = named(frame, _wish(name), head)
    fresh = {n for v in outcome.heads.values() for n in merged_names(v, frame)}
    with frame.captured() as before:
        pairs = []
        for name, target in outcome.heads.items():
            place_holders(frame, target, entry[name], merged_names(target, frame) & fresh)
            pairs += copies(frame, target, entry[name], fresh, node)
        assign_parallel(frame, pairs)
    outcome.before = before
    for name, value in outcome.heads.items():
        if isinstance(value, Undefined):
            frame.variables.pop(name, None)
        else:
            frame.variables[name] = value
    at_head = dict(frame.variables)
    outcome.after = at_head
    if test is not None:
        outcome.test = test()
    with frame.captured() as inner:
        try:
            outcome.variable = enter()
            execute(frame, body)
            ended = True
        except Stopped:
            ended = False
        frame.at(node)
        ends = {name: _of_side(frame.variables, name) for name in entry} if ended else dict(outcome.heads)
        outcome.changed = _settle(frame, heads, outcome.heads, ends, fresh)
        if outcome.changed is None:
            pairs = []
            for name, target in outcome.heads.items():
                pairs += copies(frame, target, ends[name], fresh, node)
            assign_parallel(frame, pairs)
    outcome.body = inner
    frame.variables = dict(at_head)
    return outcome


def _settle(frame: Frame, heads: dict, named_heads: dict, ends: dict, fresh: set[str]) -> dict | None:
    """The heads widened by what the body made of them; None when they hold already."""
    changed = False
    result = {}
    for name, head in heads.items():
        now, end = named_heads[name], ends[name]
        wanted = _merged_again(frame, join(frame, now, end), now, fresh)
        if isinstance(now, Undefined):
            wanted = _own_lengths(frame, wanted)
        if wanted != head and not _same_heads(frame, wanted, head):
            changed = True
        result[name] = wanted
    return result if changed else None


def _merged_again(frame: Frame, joined: Any, now: Value, fresh: set[str]) -> Any:
    def again(part: Any, _: tuple) -> Any:
        if isinstance(part, Leaf) and part.name in fresh:
            return Typed(frame.builder.types[part.name])
        return part

    return map_leaves(joined, again)


def _same_heads(frame: Frame, wanted: Any, head: Any) -> bool:
    """Equal up to lengths that are symbols of their own already."""
    if isinstance(wanted, Typed) and isinstance(head, Typed):
        a, b = wanted.type, head.type
        alike = isinstance(a, Array) and isinstance(b, Array) and a.dtype == b.dtype and a.ndim == b.ndim
        if alike and a.layout == b.layout:
            return all(x == y or is_own_length(y) for x, y in zip(a.dims, b.dims, strict=True))
        return a == b
    if same_structure(wanted, head):
        return all(_same_heads(frame, a, b) for (_, a), (_, b) in zip(parts(wanted), parts(head), strict=True))
    return isinstance(wanted, Conflict) and isinstance(head, Conflict)


def _own_lengths(frame: Frame, head: Any) -> Any:
    """A value first made in the loop keeps no length from one iteration to the next."""

    def own(part: Any, _: tuple) -> Any:
        if not isinstance(part, Typed) or not isinstance(part.type, Array):
            return part
        dims = tuple(d if isinstance(d, int) else own_length(frame) for d in part.type.dims)
        return Typed(Array(part.type.dtype, dims, part.type.layout))

    return map_leaves(head, own)


def _finish(frame: Frame, node: gast.stmt, entry: dict, outcome: _Outcome, make: Any) -> None:
    frame.builder.body += outcome.before
    if outcome.test is not None:
        frame.builder.append(make(outcome.test, outcome.body))
    else:
        frame.builder.append(make(outcome.variable, outcome.body))
    explain_types(frame, node, entry, outcome.heads)
    frame.variables = outcome.after


def explain_types(frame: Frame, node: gast.stmt, entry: dict, heads: dict) -> None:
    for name, value in heads.items():
        before, now = frame.type_of(entry[name]), frame.type_of(value)
        if before is not None and now is not None and before != now and isinstance(now, Scalar):
            change = f"`{name}` starts as {before} and becomes {now} in the loop at line {node.lineno}"
            text = f"{change}: it is {now} from the start"
            frame.task.decide("types", text)


def while_loop(frame: Frame, node: gast.While) -> None:
    stop, body = _stop_flag(node)
    test = node.test
    if stop is not None:
        going = gast.copy_location(gast.UnaryOp(gast.Not(), stop), stop)
        endless = isinstance(test, gast.Constant) and bool(test.value)
        test = going if endless else gast.copy_location(gast.BoolOp(gast.And(), [going, test]), test)
    saved = frame.snapshot()
    entered = decided_now(frame, test)
    frame.restore(saved)
    if entered is False:
        return
    try:
        carry(
            frame, node, body, lambda: "",
            lambda expr, inner: syntax.while_(expr, inner, span=frame.here(node)),
            test=lambda: nested_test(frame, test),
        )  # fmt: skip
    except _NotNested:
        frame.restore(saved)
        flagged_while(frame, node, test, body)
    except NeedsStatic as needed:
        frame.restore(saved)
        if entered is None or stop is not None:
            raise needed from None
        unroll_while(frame, node, test, body)


def decided_now(frame: Frame, test: gast.expr) -> bool | None:
    """Whether a loop is entered, where that is known already."""
    with frame.captured():
        value = evaluate.truth(frame, evaluate.evaluate(frame, test), test)
    return bool(value.value) if isinstance(value, Static) else None


def unroll_while(frame: Frame, node: gast.While, test: gast.expr, body: list) -> None:
    """A loop whose condition is known each time it is reached, and whose variables decide about structure."""
    for _ in range(UNROLL_LIMIT):
        truth = evaluate.truth(frame, evaluate.evaluate(frame, test), test)
        decided = evaluate.known(frame, truth, test, "the condition")
        if not decided:
            return
        execute(frame, body)
    frame.fault("R001", f"this loop was unrolled {UNROLL_LIMIT} times and has not ended", node, "unrolled")


class _NotNested(Exception):
    """A loop's condition needs statements of its own."""


def flagged_while(frame: Frame, node: gast.While, test: gast.expr, body: list) -> None:
    """A condition that needs statements moves into the body: `while running: if test: ... else: running = False`."""
    flag = "running"
    while frame.lookup(flag) is not None:
        flag += "_"

    def located(made: Any) -> Any:
        for inner in gast.walk(made):
            if not hasattr(inner, "lineno") and isinstance(inner, gast.stmt | gast.expr):
                gast.copy_location(inner, node)
        return made

    frame.variables[flag] = Static(True)
    stop = located(gast.Assign([syntax.target(flag)], syntax.constant(False), None))
    choice = located(gast.If(test, list(body), [stop]))
    loop = located(gast.While(syntax.name(flag), [choice], []))
    table = dict(frame.live_after)
    if id(node.body[-1]) in table:
        table[id(choice)] = core_liveness.live_in_loop(node, table) | {flag}
    kept, frame.live_after = frame.live_after, table
    carry(
        frame, loop, [choice], lambda: "",
        lambda expr, inner: syntax.while_(expr, inner, span=frame.here(node)),
        test=lambda: nested_test(frame, loop.test),
    )  # fmt: skip
    frame.live_after = kept
    frame.variables.pop(flag, None)


def nested_test(frame: Frame, node: gast.expr) -> gast.expr:
    """A loop's condition as one lazy expression of scalar operators; raises _NotNested where that cannot be."""
    match node:
        case gast.BoolOp(op=op, values=values):
            return gast.BoolOp(op, [nested_test(frame, v) for v in values])
        case gast.UnaryOp(op=gast.Not(), operand=operand):
            inner = nested_test(frame, operand)
            if isinstance(inner, gast.Constant):
                return syntax.constant(not inner.value)
            return syntax.call("logical_not", inner)
        case gast.Compare(ops=ops, comparators=[*middle, _]) if middle and all(map(syntax.is_atom, middle)):
            sides = [node.left, *node.comparators]
            steps = [gast.Compare(a, [op], [b]) for a, op, b in zip(sides, ops, sides[1:], strict=False)]
            return gast.BoolOp(gast.And(), [nested_test(frame, gast.copy_location(step, node)) for step in steps])
    with frame.captured() as emitted:
        value = evaluate.truth(frame, evaluate.evaluate(frame, node), node)
    return fold_statements(frame, emitted, frame.atom(value, node))


def fold_statements(frame: Frame, emitted: list[gast.stmt], result: gast.expr) -> gast.expr:
    """Substitute scalar temporaries into the expression that uses them."""
    known: dict[str, gast.expr] = {}
    uses: dict[str, int] = {}
    for made in emitted:
        for name in syntax.names_read(made):
            uses[name] = uses.get(name, 0) + 1
    for made in emitted:
        simple = isinstance(made, gast.Assign) and isinstance(made.targets[0], gast.Name)
        if not simple or not isinstance(frame.builder.types[made.targets[0].id], Scalar):
            raise _NotNested
        if uses.get(made.targets[0].id, 0) > 1 and operator_of(made.value) not in ("dim", None):
            raise _NotNested
        if any(isinstance(frame.builder.types.get(n), Array) for n in _operands(made.value)):
            raise _NotNested
        known[made.targets[0].id] = syntax.map_names(made.value, lambda n: known.get(n, n))
    return syntax.map_names(result, lambda n: known.get(n, n))


def _operands(node: gast.expr) -> list[str]:
    """The names an operator works on; the base of an element load and the array of `dim` are not among them."""
    if isinstance(node, gast.Subscript):
        return list(syntax.names_read(node.slice))
    if operator_of(node) in ("dim", "length"):
        return []
    return list(syntax.names_read(node))


# --- iteration -----------------------------------------------------------------------------------------------------


def is_static_iterable(frame: Frame, value: Value) -> bool:
    """Whether a loop over it is unrolled: tuples, lists and dicts whose length is known, and what is made of them."""
    match value:
        case Sequence() | Mapping_() | Record():
            return True
        case Static(value=tuple() | list() | dict() | str()):
            return True
        case Iteration(parts=inner):
            return any(is_static_iterable(frame, p) for p in inner)
    return False


def static_items(frame: Frame, value: Value, node: gast.AST) -> list[Value]:
    """The items of an iterable whose length is known now."""
    match value:
        case Sequence(items=items):
            return list(items)
        case Record(items=items) if value.is_tuple:
            return [v for _, v in items]
        case Mapping_(items=items):
            return [Static(k) for k, _ in items]
        case Static(value=tuple() | list() | dict() | str() as found):
            return [evaluate.outside(frame, v, "item", node) for v in found]
        case Range(start=start, stop=stop, step=step):
            bounds = [evaluate.known(frame, p, node, "a range that is unrolled") for p in (start, stop, step)]
            return [Static(i) for i in range(*bounds)]
        case Iteration(kind=kind, parts=inner, start=start):
            return iteration_items(frame, kind, inner, start, node)
    found = frame.type_of(value)
    if isinstance(found, Array) and found.ndim and isinstance(found.dims[0], int):
        return [item_at(frame, value, Static(i), node) for i in range(found.dims[0])]
    frame.needs_static(value, "the number of items", node)


def iteration_items(frame: Frame, kind: str, inner: tuple[Value, ...], start: Value, node: gast.AST) -> list[Value]:
    if kind == "reversed":
        return static_items(frame, inner[0], node)[::-1]
    columns = [static_items(frame, p, node) if _has_static_length(frame, p) else p for p in inner]
    shortest = min(len(c) for c in columns if isinstance(c, list))
    rows = []
    for position in range(shortest):
        row = [c[position] if isinstance(c, list) else item_at(frame, c, Static(position), node) for c in columns]
        if kind == "enumerate":
            number = evaluate.binary(frame, gast.Add, Static(position), start, node)
            rows.append(Sequence((number, row[0])))
        else:
            rows.append(Sequence(tuple(row)))
    for column in columns:
        if not isinstance(column, list):
            check_long_enough(frame, column, shortest, node)
    return rows


def check_long_enough(frame: Frame, column: Value, count: int, node: gast.AST) -> None:
    """A `zip` of a tuple and something shorter would end early, which an unrolled loop cannot."""
    length = length_of_iterable(frame, column, node)
    short = frame.emit("less", length, Static(count), node=node)
    error = syntax.raise_("ValueError", f"zip() of {count} items with an array that has fewer", span=frame.here(node))
    frame.builder.append(syntax.if_(frame.atom(short, node), [error]))


def _has_static_length(frame: Frame, value: Value) -> bool:
    found = frame.type_of(value)
    if isinstance(found, Array):
        return found.ndim > 0 and isinstance(found.dims[0], int)
    if isinstance(value, Range):
        return all(isinstance(p, Static) for p in (value.start, value.stop, value.step))
    if isinstance(value, Iteration):
        return all(_has_static_length(frame, p) for p in value.parts)
    return is_static_iterable(frame, value)


def length_of_iterable(frame: Frame, value: Value, node: gast.AST) -> Value:
    """How many items a loop will see."""
    match value:
        case Range(start=start, stop=stop, step=step):
            return range_length(frame, start, stop, step, node)
        case Iteration(kind="zip", parts=inner):
            lengths = [length_of_iterable(frame, p, node) for p in inner]
            result = lengths[0]
            for other in lengths[1:]:
                same = isinstance(result, Leaf) and isinstance(other, Leaf) and extents_equal(frame, result, other)
                result = result if same else frame.emit("minimum", result, other, node=node)
            return result
        case Iteration(parts=inner):
            return length_of_iterable(frame, inner[0], node)
    found = frame.type_of(value)
    if isinstance(found, Array) and found.ndim:
        return evaluate.length_of(frame, value, 0, node)
    if isinstance(found, ListOf):
        made = frame.builder.bind(syntax.call("length", value.name), types.INT, "count")
        return Leaf(made.id)
    if is_static_iterable(frame, value):
        return Static(len(static_items(frame, value, node)))
    frame.fault("T001", f"a {frame.describe(value)} cannot be iterated over", node, "iterated here")


def extents_equal(frame: Frame, left: Leaf, right: Leaf) -> bool:
    table = frame.builder.extents
    return left.name in table and table[left.name] == table.get(right.name)


def range_length(frame: Frame, start: Value, stop: Value, step: Value, node: gast.AST) -> Value:
    if start == Static(0) and step == Static(1):
        return stop
    parts_ = [gast.Sub, gast.Add, gast.Sub, gast.FloorDiv]
    span = evaluate.binary(frame, parts_[0], stop, start, node)
    if step == Static(1):
        return span
    sign = evaluate.fold(frame, lambda v: (v > 0) - (v < 0), node, step) if isinstance(step, Static) else None
    if sign is None:
        evaluate.known(frame, step, node, "the step of a range that `break` may leave")
    rounded = evaluate.binary(frame, gast.Add, span, Static(step.value - sign.value), node)
    return evaluate.binary(frame, gast.FloorDiv, rounded, step, node)


def item_at(frame: Frame, value: Value, position: Value, node: gast.AST) -> Value:
    """The item a loop sees at a position."""
    match value:
        case Range(start=start, step=step):
            offset = position if step == Static(1) else evaluate.binary(frame, gast.Mult, position, step, node)
            return offset if start == Static(0) else evaluate.binary(frame, gast.Add, start, offset, node)
        case Iteration(kind="reversed", parts=(inner,)):
            last = evaluate.binary(frame, gast.Sub, length_of_iterable(frame, inner, node), Static(1), node)
            return item_at(frame, inner, evaluate.binary(frame, gast.Sub, last, position, node), node)
        case Iteration(kind="enumerate", parts=(inner,), start=start):
            number = evaluate.binary(frame, gast.Add, position, start, node) if start != Static(0) else position
            return Sequence((number, item_at(frame, inner, position, node)))
        case Iteration(kind="zip", parts=inner):
            return Sequence(tuple(item_at(frame, p, position, node) for p in inner))
    found = frame.type_of(value)
    if isinstance(found, ListOf):
        made = frame.builder.bind(syntax.index(value.name, frame.atom(position, node)), found.element, "t")
        return Leaf(made.id)
    items = [frame.atom(position, node), *(syntax.slice_() for _ in range(found.ndim - 1))]
    return subscript.element(frame, value, items, node)
