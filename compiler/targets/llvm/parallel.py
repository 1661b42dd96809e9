"""Large parallel loops on several threads: the loop is outlined as a native function over a part of its range.

    for i in prange(n):        ->    define i64 @pellucid.loop.1(ptr %captures, ptr %context, i64 %first, i64 %last)
        y[i] = f(x[i])               status = pellucid_parallel_for(@pellucid.loop.1, captures of x, y, ..., 0, n, cost)

What the body reads from outside is passed in a struct; what it assigns is private.  Arrays of outside come without
their owner, so that nothing in the body counts references that other threads count too.  `runtime/threads.py` decides
by the cost whether the function is called once or on several threads, and reports the error of the first iteration.

Only the outermost `prange` is taken, and only where iterations cannot see each other's names: no name is carried from
one to the next or read after the loop, no list is touched, and no other function is called (recursion measures the
stack of the thread it began on; BLAS has threads of its own).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

import gast

from ... import syntax
from ...analysis.def_use import reads_of
from ...analysis.integers.ranges import FRONT
from ...analysis.lanes import straight
from ...analysis.liveness import liveness
from ...dtypes import is_complex, part_of
from ...ops.forms import LIBRARY
from ...tuning import GRANULE, SMALL_LOOP
from ...types import Array, ListOf
from . import lists, polls
from .abi import ARGUMENTS, ITEM_BYTES, REGISTER
from .cold_functions import is_short
from .cost import Estimate, as_value
from .frame import ArrayPlace, Emission, ScalarPlace, ScalarValue, places_of
from .merge_functions import define_once
from .operands import SsaValue, int_, is_pair
from .text import Code, identifier

PARALLEL_FOR = "pellucid_parallel_for"
DECLARATION = f"declare i64 @{PARALLEL_FOR}(ptr, ptr, ptr, i64, i64, i64, i64, double, i64, i64, i64)"
CAPTURES, CONTEXT, FIRST, LAST = (
    SsaValue("ptr", "%captures"), SsaValue("ptr", "%context"), SsaValue("i64", "%first"), SsaValue("i64", "%last"),
)  # fmt: skip

LowerBlock = Callable[[Emission, Sequence[gast.stmt]], None]
LowerCall = Callable[[], SsaValue]
LowerLoop = Callable[[Emission, gast.For, SsaValue, SsaValue, SsaValue, LowerBlock], None]


def lower_parallel(
    frame: Emission, node: gast.For, start: SsaValue, stop: SsaValue, lower_loop: LowerLoop, lower_block: LowerBlock
) -> bool:
    """Write the loop as a region of its own; False, and nothing written, where it has to stay where it is."""
    if frame.in_region or not frame.options.parallel or syntax.operator_of(node.iter) != "prange":
        return False
    captured = captured_names(frame, node, frame.live().after(node))
    if captured is None:
        return False
    estimate = Estimate(frame, frozenset(assigned_names(node)))
    cost = estimate.block(node.body)
    if isinstance(cost, float) and _is_small(cost, start, stop):
        return False
    places = [p for n in captured for p in _variables(frame, n)]
    result = streamed_result(frame, node, captured)
    name = _outlined(frame, node, captured, lower_loop, lower_block, in_region=True)
    granule = GRANULE if straight(node.body) else 1
    frame.module.declare(PARALLEL_FOR, DECLARATION)
    captures = _captures(frame, places)

    def on_threads() -> SsaValue:
        return frame.code.call(
            "i64", PARALLEL_FOR, frame.code.mention(name), captures, CONTEXT, int_(ARGUMENTS), start, stop,
            int_(granule), as_value(cost), int_(len(places)), *_stream(frame, places, result),
        )  # fmt: skip

    if frame.depth and isinstance(cost, float):
        longest = int_(int(SMALL_LOOP / cost))
        _follow(frame, _if_short(frame, start, stop, longest, [name, captures, CONTEXT, start, stop], on_threads))
    else:
        _follow(frame, on_threads())
    return True


def _if_short(
    frame: Emission, start: SsaValue, stop: SsaValue, longest: SsaValue, call: list[Any], otherwise: LowerCall
) -> SsaValue:
    """Call a loop's function itself where it has few iterations: merely to ask the pool would take too long."""
    code = frame.code
    status = code.variable("i64", "looped", int_(0))
    short, long, behind = code.label("short"), code.label("long"), code.label("behind")
    code.branch(code.compare("slt", code.binary("sub", stop, start), longest), short, long)
    code.start(short)
    code.store(code.call("i64", *call), status)
    code.jump(behind)
    code.start(long)
    code.store(otherwise(), status)
    code.jump(behind)
    code.start(behind)
    return code.load("i64", status)


def lower_apart(
    frame: Emission, node: gast.For, start: SsaValue, stop: SsaValue, lower_loop: LowerLoop, lower_block: LowerBlock
) -> bool:
    """Write a loop that stays on this thread as a function too, where the one around it is better off without."""
    if not frame.is_glue or is_short(frame, node):
        return False
    captured = captured_names(frame, node, frame.live().after(node))
    if captured is None:
        return False
    places = [p for n in captured for p in _variables(frame, n)]
    name = _outlined(frame, node, captured, lower_loop, lower_block, in_region=False)
    _follow(frame, frame.code.call("i64", name, _captures(frame, places), CONTEXT, start, stop))
    return True


def _is_small(cost: float, start: SsaValue, stop: SsaValue) -> bool:
    return start.is_int and stop.is_int and cost * (int(stop.text) - int(start.text)) < SMALL_LOOP


# --- which names -----------------------------------------------------------------------------------------------------


def assigned_names(node: gast.For) -> list[str]:
    """The names that a loop gives a value or takes it from, in program order."""
    return list(dict.fromkeys(n for s in syntax.walk([node]) for n in syntax.names_changed(s)))


def captured_names(frame: Emission, node: gast.For, live: AbstractSet[str]) -> list[str] | None:
    """What the body needs from outside; None where iterations are not each on their own."""
    function = frame.function
    assigned = set(assigned_names(node))
    mentioned = list(dict.fromkeys(n for s in syntax.walk(node.body) for n in reads_of(s)))
    if any(isinstance(function.types.get(n), ListOf) for n in (*mentioned, *assigned)):
        return None
    if _calls_out(frame, node):
        return None
    exposed = liveness(function.with_(body=tuple(node.body))).at_entry - {node.target.id}
    if exposed & assigned or live & assigned:
        return None
    return [n for n in mentioned if n in function.types and n not in assigned]


def _calls_out(frame: Emission, node: gast.For) -> bool:
    for statement in syntax.walk(node.body):
        if isinstance(statement, gast.Return):
            return True
        operator = syntax.operator_of(getattr(statement, "value", None) or gast.Pass())
        if operator in LIBRARY or operator in frame.program.functions:
            return True
    return False


# --- what is passed --------------------------------------------------------------------------------------------------


def _variables(frame: Emission, name: str) -> list[tuple[str, SsaValue]]:
    """(LLVM type, variable or value) of everything that a name stands for, but the owner of an array."""
    match frame.places[name]:
        case ScalarPlace(type=type_, place=variable):
            part, count = part_of(type_.dtype), 1 + is_complex(type_.dtype)
            kind = REGISTER[part]
            return [(kind, frame.code.offset(kind, variable, k) if k else variable) for k in range(count)]
        case ScalarValue(value=SsaValue() as value):
            return [(v.type, v) for v in (frame.code.parts(value) if is_pair(value.type) else (value,))]
        case ArrayPlace() as place:
            return [("ptr", place.data), *(("i64", v) for v in (*place.dims, *place.strides))]
    return []


def _constants(frame: Emission, name: str) -> dict[int, int]:
    """Lengths of an array that the code itself fixes: those of parameters, which entry has checked."""
    type_ = frame.function.types[name]
    if not isinstance(type_, Array) or name not in frame.function.parameters or frame.array(name).owned:
        return {}
    return {axis: extent for axis, extent in enumerate(type_.dims) if isinstance(extent, int)}


def _captures(frame: Emission, places: Sequence[tuple[str, SsaValue]]) -> SsaValue:
    code = frame.code
    captures = code.variable(f"[{max(1, len(places))} x i64]", "captures")
    for number, (type_, variable) in enumerate(places):
        value = code.load(type_, variable) if variable.type == "ptr" else variable
        code.store(value, code.offset("i64", captures, number))
    return captures


def _follow(frame: Emission, status: SsaValue) -> None:
    """Leave with the status of a loop that failed."""
    code = frame.code
    failed, fine = code.label("failed"), code.label("looped")
    code.branch(code.compare("ne", status, int_(0)), failed, fine, unlikely=True)
    code.start(failed)
    interrupted = code.compare("slt", status, int_(0))
    code.store(code.select(interrupted, int_(polls.site_of(frame)), status), frame.status)
    code.jump("leave")
    code.start(fine)


def streamed_result(frame: Emission, node: gast.For, captured: Sequence[str]) -> str | None:
    """The array whose every element the loop stores once, at its own position, without anybody reading it.

    Such a store may go past the caches (`runtime/threads.py`).  Arrays that may share its memory count as readers.
    """
    if not all(isinstance(s, gast.Assign) for s in node.body):
        return None
    stores = [s.targets[0] for s in node.body if syntax.stored_base(s) is not None]
    if len(stores) != 1 or stores[0].value.id not in captured:
        return None
    place = frame.array(stores[0].value.id)
    others = [n for n in captured if n != stores[0].value.id and isinstance(frame.places[n], ArrayPlace)]
    shares = any(not place.tags or frame.array(n).tags == place.tags for n in others)
    reads = sum(n == stores[0].value.id for s in node.body for n in reads_of(s))
    own = _is_at(frame, stores[0], node.target.id)
    return stores[0].value.id if own and not shares and reads == 1 and place.type.layout == "C" else None


def _is_at(frame: Emission, place: gast.Subscript, variable: str) -> bool:
    items = place.slice.elts if isinstance(place.slice, gast.Tuple) else [place.slice]
    proven = frame.ranges.of(place, 0) == FRONT
    return proven and len(items) == 1 and isinstance(items[0], gast.Name) and items[0].id == variable


def _stream(frame: Emission, places: Sequence[tuple[str, SsaValue]], result: str | None) -> list[SsaValue]:
    """Where among the captures the result's address is, and the bytes of an element; -1 for none."""
    if result is None:
        return [int_(-1), int_(0)]
    place = frame.array(result)
    return [int_([variable for _, variable in places].index(place.data)), int_(ITEM_BYTES[place.type.dtype])]


# --- the function of the loop ----------------------------------------------------------------------------------------


def _outlined(
    frame: Emission, node: gast.For, captured: Sequence[str], lower_loop: LowerLoop, lower_block: LowerBlock,
    in_region: bool,
) -> str:  # fmt: skip
    """The name of a function that does a part of the loop."""
    frame.calls_loops = True
    frame.module.loops += 1
    name = f"pellucid.loop.{frame.module.loops}.{identifier(frame.function.name)}"
    inner = _inner_frame(frame, node, name, captured, in_region)
    code = inner.code
    number = 0
    for outer in captured:
        fixed = _constants(frame, outer)
        place = inner.places[outer]
        dims = place.dims if isinstance(place, ArrayPlace) else ()
        for type_, variable in _variables(inner, outer):
            value = code.load(type_, code.offset("i64", CAPTURES, number))
            axis = dims.index(variable) if variable in dims else -1
            code.store(int_(fixed[axis]) if axis in fixed else value, variable)
            number += 1
    lower_loop(inner, node, FIRST, LAST, int_(1), lower_block)
    _leave(inner)
    return define_once(frame.module, code.function(name, "i64", [str(v) for v in (CAPTURES, CONTEXT, FIRST, LAST)]))


def _inner_frame(frame: Emission, node: gast.For, name: str, captured: Sequence[str], in_region: bool) -> Emission:
    """A frame with the variables that the loop mentions; it owns what it assigns."""
    code = Code(frame.module, frame.code.flags, keeps_names=False)
    if frame.module.line_writer is not None:
        frame.module.line_writer.enter(code, frame.function.name, name)
        frame.module.line_writer.at(code, node)
    assigned = assigned_names(node)
    owned = frozenset(n for n in assigned if not isinstance(frame.places[n], ScalarPlace | ScalarValue))
    names = dict.fromkeys((*captured, *assigned))  # their order does not depend on their names
    tags = {n: p.tags for n in names if isinstance(p := frame.places[n], ArrayPlace)}
    certain = frozenset(n for n in assigned if isinstance(frame.places[n], ScalarValue))
    places = places_of(code, frame.function.types, names, owned, tags, certain)
    status = code.variable("i64", "status", int_(0))
    return replace(
        frame, code=code, places=places, status=status, in_lanes=False, tags={}, rows={}, in_region=in_region,
        is_glue=False, is_outlined=True, depth=0,
    )  # fmt: skip


def _leave(frame: Emission) -> None:
    """The one way out, as in `native_calls.leave`."""
    code = frame.code
    lists.release_all(frame)
    code.finish(f"ret {code.load('i64', frame.status)}")
