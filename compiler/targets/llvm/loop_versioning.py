"""An innermost loop in pieces: most of it in a version in which nothing meets, which LLVM can make vectors of.

    for j in range(n):                        while now < n:
        if d[i, k] + d[k, j] < d[i, j]:           if i == k or now == k:   one turn (all, if i == k), as it stands
            d[i, j] = d[i, k] + d[k, j]   ->      else:                    up to k, or to the end: rows are apart

What has to be tested is found by `runtime_checks.py`.  Both versions hold the same instructions with the same checks;
one tells LLVM which accesses never meet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import gast

from ... import syntax
from ...analysis.memory.storage import storage_classes
from .checks import declare_scopes, written_out
from .frame import Emission, Version
from .here import wrapping
from .noalias import is_candidate
from .runtime_checks import Meetings, meetings
from .text import TRUE, SsaValue, int_

LowerBlock = Callable[[Emission, Sequence[gast.stmt]], None]
LowerLoop = Callable[[Emission, gast.For, SsaValue, SsaValue, SsaValue, LowerBlock], None]

ONE = int_(1)


def lower_in_pieces(
    frame: Emission, node: gast.For, start: SsaValue, stop: SsaValue, lower_loop: LowerLoop, lower_block: LowerBlock
) -> bool:
    """Write the loop in two versions; False, and nothing written, where that does not help."""
    if syntax.operator_of(node.iter) != "range" or not is_candidate(node):
        return False
    found = meetings(written_out(frame, node), frame.integers(), frame.ranges, storage_classes(frame.function))
    if found is None:
        return False
    code, variable = frame.code, node.target.id
    rest, cuts = _conditions(frame, found, {variable: start}), _cuts(frame, found, variable)
    now, end = (code.variable("i64", kind, int_(0), of=variable) for kind in ("piece", "end"))
    head, piece, free, plain, after, done = map(code.label, ("pieces", "piece", "apart", "plain", "after", "done"))
    code.store(start, now)
    code.start(head)
    first = code.load("i64", now)
    code.branch(code.compare("slt", first, stop), piece, done)
    code.start(piece)
    meets, limit = _nearest(frame, first, stop, cuts)
    code.branch(code.binary("and", rest, code.binary("xor", meets, TRUE)), free, plain)

    def write(last: SsaValue, version: Version) -> None:
        code.store(last, end)
        frame.version = version
        lower_loop(frame, node, first, last, ONE, lower_block)
        frame.version = None
        code.jump(after)

    code.start(free)
    write(limit, Version(declare_scopes(frame, found.apart)))
    code.start(plain)
    one = code.select(rest, code.binary("add nsw", first, ONE), stop)
    write(one, Version({}, is_plain=found.is_final))
    code.start(after)
    code.store(code.load("i64", end), now)
    code.jump(head)
    code.start(done)
    return True


def _cuts(frame: Emission, found: Meetings, variable: str) -> list[SsaValue]:
    """The turns in which something meets: an index that moves is the variable and what it is where that is zero."""
    return [
        frame.code.binary("sub", _value(frame, still, {}), _value(frame, moving, {variable: int_(0)}))
        for still, moving in found.cuts
    ]


def _conditions(frame: Emission, found: Meetings, first: Mapping[str, SsaValue]) -> SsaValue:
    """Whether elements are apart in every turn but those of the cuts."""
    code, holds = frame.code, TRUE
    for a, b in found.differ:
        holds = code.binary("and", holds, code.compare("ne", _value(frame, a, {}), _value(frame, b, {})))
    for index in found.naturals:
        holds = code.binary("and", holds, code.compare("sge", _value(frame, index, first), int_(0)))
    return holds


def _nearest(frame: Emission, first: SsaValue, stop: SsaValue, cuts: Sequence[SsaValue]) -> tuple[SsaValue, SsaValue]:
    """Whether something meets in the first turn, and where the next such turn is, or the end."""
    code, meets, limit = frame.code, SsaValue("i1", "false"), stop
    for cut in cuts:
        meets = code.binary("or", meets, code.compare("eq", first, cut))
        ahead = code.binary("and", code.compare("sgt", cut, first), code.compare("slt", cut, limit))
        limit = code.select(ahead, cut, limit)
    return meets, limit


def _value(frame: Emission, index: gast.expr, given: Mapping[str, SsaValue]) -> SsaValue:
    """What a sum of ints comes to, or what is left of it where 64 bits do not hold it: then the loop itself fails."""
    match index:
        case gast.Name(id=name):
            return given[name] if name in given else frame.scalar(name)
        case gast.Constant(value=value):
            return int_(value)
        case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=array)]):
            axis = int(syntax.static_of(index)["axis"])
            return frame.code.load("i64", frame.array(array).dims[axis])
    parts = (_value(frame, part, given) for part in index.args)
    return wrapping(frame.code, str(syntax.operator_of(index)), *parts)
