"""Where compiled loops look whether a signal ends the call.

    while error > 1e-9:       ->     while error > 1e-9:
        ...                              if a signal came: leave with the status of this line
                                         ...

Every iteration of a `while`, of a `for` that calls other functions or products, and every call of a recursive function
looks: a load of one word and a branch that is never taken.  Other loops go in strips of as many iterations as are
expected to take some hundred microseconds, and look in between, so that the iterations themselves cost what they did.
A run of plain statements as long as an array never looks if it is cheap or stands in another loop: it is over in one
pass through memory.  Nor do loops that are known to be short.  Loops on threads are divided by the runtime, which looks
in between.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ... import syntax
from ...analysis.lanes import straight
from ...ops.forms import LIBRARY
from ...ops.schema import row_of
from ...tuning import CHEAP_TURN, SHORT_LOOP, STRIP_TIME, STRIP_TURNS
from .abi import INTERRUPTED
from .cost import Estimate, block_length
from .frame import Emission
from .lengths import is_length
from .operands import SsaValue, float_, int_

SIGNALS, LOOK, ARM = "pellucid_signals", "pellucid_look", "pellucid_arm"
CONTEXT = SsaValue("ptr", "%context")
TO_INT = "llvm.fptosi.sat.i64.f64"


def poll(frame: Emission, long: bool = False) -> None:
    """Leave if a signal ends this call; the function of a loop, which several callers may share, says only that.

    `long` is the way to this point: then the call is armed here, without waiting until it has taken long.
    """
    code = frame.code
    frame.module.declare(SIGNALS, f"@{SIGNALS} = external global i32")
    frame.module.declare(LOOK, f"declare i64 @{LOOK}(ptr)")
    frame.module.declare(ARM, f"declare void @{ARM}(ptr)")
    look, stop, on = code.label("look"), code.label("stop"), code.label("on")
    # It is volatile, since the signal handler changes it.
    word = code.value("i32", f"load volatile i32, {code.mention(SIGNALS)}")
    code.branch(code.compare("ne", word, int_(0, "i32")), look, on, unlikely=True)
    answer, leaves = "%" + code.fresh("answer"), "%" + code.fresh("leaves")
    code.cold += [
        f"{look}:",
        *([f"  call void {code.mention(ARM).text}({CONTEXT})"] if long else []),
        f"  {answer} = call i64 {code.mention(LOOK).text}({CONTEXT})",
        f"  {leaves} = icmp ne i64 {answer}, 0",
        f"  br i1 {leaves}, label %{stop}, label %{on}",
        f"{stop}:",
        f"  store i64 {INTERRUPTED if frame.is_outlined else site_of(frame)}, {frame.status}",
        "  br label %leave",
    ]
    code.start(on)


def site_of(frame: Emission) -> int:
    """The status of a call that is stopped at this line."""
    return frame.site("KeyboardInterrupt", "", ())


def polls_each_turn(frame: Emission, node: gast.For) -> bool:
    """Whether a `for` looks in every iteration: what it calls, or a loop that never looks, may take long itself."""
    return _calls(frame, node.body) or _holds_unknown_length(frame, node)


def _holds_unknown_length(frame: Emission, node: gast.For) -> bool:
    """Whether a loop inside, which does not look, is as long as something that is not known before this one."""
    changing, lengths = _changing(node), frame.lengths()
    known = _lengths_inside(node).keys() | {n for n in lengths if n not in changing}

    def is_known(bound: gast.expr) -> bool:
        if isinstance(bound, gast.Name):
            return bound.id in known
        if syntax.operator_of(bound) == "minimum":
            return any(map(is_known, bound.args))
        row = row_of(syntax.operator_of(bound))
        is_sum = row is not None and row.is_sum and all(map(is_known, bound.args))
        return isinstance(bound, gast.Constant) or is_sum or _is_dim(bound, changing)

    for inner in (s for s in syntax.walk(node.body) if isinstance(s, gast.For) and straight(s.body)):
        bounds = inner.iter.args
        never_looks = all(is_length(bound, lengths) for bound in bounds)
        in_blocks = len(bounds) > 1 and block_length(*bounds[:2])
        if never_looks and not in_blocks and not is_known(bounds[min(len(bounds), 2) - 1]):
            return True
    return False


def _changing(node: gast.For) -> frozenset[str]:
    return frozenset([n for s in syntax.walk([node]) for n in syntax.names_changed(s)])


def _lengths_inside(node: gast.For) -> dict[str, gast.expr]:
    """Names that a loop assigns once, a length of what it does not change: `m = dim(x, axis=0)`."""
    changing = _changing(node)
    values: dict[str, list[gast.expr]] = {}
    for statement in syntax.walk([node]):
        for name in syntax.names_changed(statement):
            values.setdefault(name, []).append(getattr(statement, "value", gast.Constant(None, None)))
    return {n: found[0] for n, found in values.items() if len(found) == 1 and _is_dim(found[0], changing)}


def _is_dim(node: gast.expr, changing: frozenset[str]) -> bool:
    return syntax.operator_of(node) == "dim" and changing.isdisjoint(syntax.names_read(node))


def strip_length(frame: Emission, node: gast.For) -> SsaValue | None:
    """After how many iterations a loop looks, by what an iteration is expected to cost; None for never."""
    if polls_each_turn(frame, node) or _is_short(frame, node):
        return None
    if frame.in_region and not frame.depth:  # the runtime cuts this loop
        return None
    plain = straight(node.body)
    if plain and all(is_length(bound, frame.lengths()) for bound in node.iter.args):
        if frame.depth or _cost(frame, node) <= CHEAP_TURN:
            return None
    cost = Estimate(frame, _changing(node), _lengths_inside(node)).block(node.body)
    if isinstance(cost, float):
        turns = min(STRIP_TURNS, int(STRIP_TIME / max(cost, 0.01)))
        return int_(max(64, turns // 64 * 64) if plain else max(1, turns))
    quotient = frame.code.binary("fdiv", float_(STRIP_TIME), cost)
    frame.module.declare(TO_INT, f"declare i64 @{TO_INT}(double)")
    whole = frame.code.call("i64", TO_INT, frame.code.intrinsic("minnum", quotient, float_(float(STRIP_TURNS))))
    return frame.code.intrinsic("smax", whole, int_(1))


def _calls(frame: Emission, body: Sequence[gast.stmt]) -> bool:
    """Whether a body calls what may take long itself."""
    called = {str(syntax.operator_of(getattr(s, "value", None) or gast.Pass())) for s in syntax.walk(body)}
    return not called.isdisjoint(LIBRARY) or not called.isdisjoint(frame.program.functions)


def _cost(frame: Emission, node: gast.For) -> float:
    """Of one iteration of a run of plain statements."""
    cost = Estimate(frame, frozenset()).block(node.body)
    return cost if isinstance(cost, float) else STRIP_TIME


def _is_short(frame: Emission, node: gast.For) -> bool:
    """Whether a loop, and all that it holds, has known trip counts and is over before a loop around it looks."""
    if _calls(frame, node.body) or any(isinstance(s, gast.While) for s in syntax.walk(node.body)):
        return False
    return _time(frame, node) < (STRIP_TIME if frame.depth else SHORT_LOOP)


def _time(frame: Emission, node: gast.For) -> float:
    turns = _known_turns(node)
    if turns is None:
        return STRIP_TIME
    inner = [s for s in syntax.walk(node.body) if isinstance(s, gast.For)]
    turn = sum(_time(frame, s) for s in inner) if inner else _cost(frame, node)
    return turns * max(turn, 0.01)


def _known_turns(node: gast.For) -> int | None:
    """How often a loop iterates, or how often at most where it runs over a block."""
    parts = node.iter.args
    bounds = [part.value for part in parts if isinstance(part, gast.Constant)]
    if len(bounds) == len(parts):
        return None if bounds[2:] == [0] else len(range(*bounds))
    length = block_length(*parts[:2]) if len(parts) > 1 else 0
    step = parts[2] if len(parts) > 2 else syntax.constant(1)
    has_step = isinstance(step, gast.Constant) and step.value > 0
    return -(-length // step.value) if length and has_step else None
