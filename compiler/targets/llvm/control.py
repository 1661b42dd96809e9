"""Branches and loops, as blocks and jumps.

    for i in range(a, b):      ->      head: br %i < %b, body, done      body: ...; %i + 1; br head      done:

The statements inside are lowered by the function that is passed along (`llvm.lower_block`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gast

from ... import syntax
from ...analysis.def_use import reads_of
from ...analysis.lanes import straight
from ...diagnostics import Span
from ...records import dataclass
from ...tuning import LONG_BODY
from ...types import Scalar
from . import polls
from .address_hoisting import bounds, rows
from .cold_functions import is_short
from .expressions import lower_int, lower_test
from .frame import Emission
from .noalias import declared
from .operands import SsaValue, int_
from .parallel import lower_apart, lower_parallel
from .text import Code, Tag, Tags

ONE = int_(1)
LEAVE_ALONE = ('!{{!"llvm.loop.vectorize.enable", i1 false}}', '!{{!"llvm.loop.unroll.disable"}}')
LowerBlock = Callable[[Emission, Sequence[gast.stmt]], None]


def lower_if(frame: Emission, node: gast.If, lower_block: LowerBlock) -> None:
    code = frame.code
    done = code.label("joined")
    then = code.label("then") if node.body else done
    otherwise = code.label("else") if node.orelse else done
    code.branch(lower_test(frame, node.test), then, otherwise)
    for label, body in ((then, node.body), (otherwise, node.orelse)):
        if not body:
            continue
        code.start(label)
        lower_block(frame, body)
        code.jump(done)
    code.start(done)


def lower_while(frame: Emission, node: gast.While, lower_block: LowerBlock) -> None:
    code = frame.code
    span, inlined = frame.span, frame.inlined
    frame.holds_loops = True
    head, body, done = code.label("while"), code.label("body"), code.label("done")
    code.start(head)
    frame.span, frame.inlined = span, inlined
    code.branch(lower_test(frame, node.test), body, done)
    code.start(body)
    _lower_body(frame, node, lower_block)
    frame.span, frame.inlined = span, inlined
    polls.poll(frame)
    code.jump(head)
    code.start(done)


def _lower_body(frame: Emission, node: gast.For | gast.While, lower_block: LowerBlock) -> None:
    frame.depth += 1
    lower_block(frame, node.body)
    frame.depth -= 1


def lower_for(frame: Emission, node: gast.For, lower_block: LowerBlock) -> None:
    """A step of 1 or -1 counts itself; any other goes by the number of iterations, which cannot overflow."""
    arguments = [lower_int(frame, a) for a in node.iter.args]
    start, stop = arguments[:2] if len(arguments) > 1 else (int_(0), arguments[0])
    step = arguments[2] if len(arguments) > 2 else int_(1)
    for lower in (lower_parallel, lower_apart) if step.text == "1" else ():
        if lower(frame, node, start, stop, _count_by_one, lower_block):
            return
    outer, frame.in_lanes = frame.in_lanes, syntax.operator_of(node.iter) == "lanes"
    if step.text in ("1", "-1"):
        _count_by_one(frame, node, start, stop, step, lower_block)
    else:
        _count_by_step(frame, node, start, stop, step, lower_block)
    frame.in_lanes = outer


def _set_counter(frame: Emission, node: gast.For, value: SsaValue) -> None:
    """Begin the body of a loop that stays where it is."""
    frame.holds_loops = frame.holds_loops or not is_short(frame, node)
    frame.set_scalar(node.target.id, value)


def _advice(frame: Emission, node: gast.For, before: tuple[int, ...]) -> Tags:
    """What LLVM should not do to a loop, where that makes code and not speed: two copies of a row, for instance.

    One vector function keeps the processor busy.  Where the next waits for its result, and the next for that, other
    elements have to be on their way at the same time.  Of a loop whose iterations do not wait for each other two
    vectors at a time are enough, and of a long one a single one; with more, LLVM adds a second loop for the rest.
    """
    module, marks, together = frame.module, [], 0
    is_innermost = straight(node.body)
    if not is_innermost:
        marks.append(module.add_metadata('!{{!"llvm.loop.unroll.runtime.disable"}}'))
    lines, calls, checks = (now - then for now, then in zip(_written(frame.code), before))
    if calls:
        together = 1 if calls == 1 else 2 if calls == 2 else 4
    elif is_innermost and not _carries(frame, node):
        together = 2 if lines < LONG_BODY else 1
    if together:
        marks.append(module.add_metadata(f'!{{{{!"llvm.loop.interleave.count", i32 {together}}}}}'))
    if checks and is_innermost:
        marks += map(module.add_metadata, LEAVE_ALONE)
    if not marks:
        return ()
    return (Tag("llvm.loop", module.add_metadata(f"distinct !{{{{{{self}}{', {}' * len(marks)}}}}}", *marks)),)


def _written(code: Code) -> tuple[int, ...]:
    """How many lines there are by now, calls of functions that have variants for vectors, and lines of errors."""
    return len(code.lines), code.vector_calls, len(code.cold)


def _carries(frame: Emission, node: gast.For) -> bool:
    """Whether an iteration reads a scalar that the one before it set."""
    types = frame.function.types
    later = {n for s in node.body for n in syntax.names_changed(s) if isinstance(types.get(n), Scalar)}
    for statement in node.body:
        if not later.isdisjoint(reads_of(statement)):
            return True
        later.difference_update(syntax.names_changed(statement))
    return False


def _count_by_one(
    frame: Emission, node: gast.For, start: SsaValue, stop: SsaValue, step: SsaValue, lower_block: LowerBlock
) -> None:
    code = frame.code
    current = code.variable("i64", "now", int_(0), of=node.target.id)
    head, body, done = code.label("for"), code.label("body"), code.label("done")
    if straight(node.body):
        start, stop = bounds(frame, node, start, stop)
        frame.tags, frame.rows = declared(frame, node), rows(frame, node)
    code.store(start, current)
    strip = _begin_strip(frame, node, current, stop, step)
    end = stop if strip is None else strip.end
    code.start(head)
    now = code.load("i64", current)
    code.branch(code.compare("slt" if step.text == "1" else "sgt", now, end), body, done)
    code.start(body)
    before = _written(code)
    if strip is not None and step.text == "1" and not straight(node.body):
        code.assume(code.compare("sge", now, start))  # LLVM cannot tell that no strip begins before the loop does
    _set_counter(frame, node, now)
    if polls.polls_each_turn(frame, node):
        polls.poll(frame, long=True)
    _lower_body(frame, node, lower_block)
    code.store(code.binary("add nsw", now, step), current)
    code.jump(head, _advice(frame, node, before))
    frame.tags, frame.rows = {}, {}
    code.start(done)
    if strip is not None:
        _end_strip(frame, node, strip, stop, step)


def _count_by_step(
    frame: Emission, node: gast.For, start: SsaValue, stop: SsaValue, step: SsaValue, lower_block: LowerBlock
) -> None:
    code = frame.code
    frame.fail_if(code.compare("eq", step, int_(0)), "ValueError", "range() arg 3 must not be zero")
    if step.is_int:
        first, last = (stop, start) if int(step.text) < 0 else (start, stop)
        some, way, size = code.compare("slt", first, last), code.binary("sub", last, first), int_(abs(int(step.text)))
    else:
        backward = code.compare("slt", step, int_(0))
        some = code.select(backward, code.compare("sgt", start, stop), code.compare("slt", start, stop))
        way = code.select(backward, code.binary("sub", start, stop), code.binary("sub", stop, start))
        size = code.select(backward, code.binary("sub", int_(0), step), step)
    whole = code.binary("udiv", code.binary("sub", way, int_(1)), size)
    count = code.select(some, code.binary("add", whole, int_(1)), int_(0))
    number = code.variable("i64", "count", int_(0), of=node.target.id)
    head, body, done = code.label("for"), code.label("body"), code.label("done")
    code.store(int_(0), number)
    strip = _begin_strip(frame, node, number, count, ONE)
    end = count if strip is None else strip.end
    code.start(head)
    now = code.load("i64", number)
    code.branch(code.compare("ult", now, end), body, done)
    code.start(body)
    before = _written(code)
    _set_counter(frame, node, code.binary("add", start, code.binary("mul", now, step)))
    if polls.polls_each_turn(frame, node):
        polls.poll(frame, long=True)
    _lower_body(frame, node, lower_block)
    code.store(code.binary("add nuw", now, int_(1)), number)
    code.jump(head, _advice(frame, node, before))
    code.start(done)
    if strip is not None:
        _end_strip(frame, node, strip, count, ONE)


# --- strips ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Strip:
    """A part of a loop between two looks for signals: the block where it begins, its end, where the loop began."""

    head: str
    end: SsaValue
    current: SsaValue
    place: tuple[Span | None, tuple[Span, ...]]


def _begin_strip(frame: Emission, node: gast.For, current: SsaValue, stop: SsaValue, step: SsaValue) -> Strip | None:
    """The first or the next strip of a loop that goes from `current` to `stop`; None where it is not cut."""
    length = polls.strip_length(frame, node)
    if length is None:
        return None
    code = frame.code
    head = code.label("strip")
    code.start(head)
    first = code.load("i64", current)
    if step.text == "1":
        end = code.intrinsic("smin", code.intrinsic("sadd.sat", first, length), stop)
    else:
        end = code.intrinsic("smax", code.intrinsic("ssub.sat", first, length), stop)
    return Strip(head, end, current, (frame.span, frame.inlined))


def _end_strip(frame: Emission, node: gast.For, strip: Strip, stop: SsaValue, step: SsaValue) -> None:
    """Go on after a strip, if more is left."""
    code = frame.code
    more, done = code.label("more"), code.label("done")
    comparison = "slt" if step.text == "1" else "sgt"
    code.branch(code.compare(comparison, strip.end, stop), more, done, unlikely=True)
    code.start(more)
    frame.span, frame.inlined = strip.place
    polls.poll(frame, long=True)
    code.jump(strip.head)
    code.start(done)
