"""One check for all indices of a loop, before it, in place of one for each iteration.

    for j in range(a, b):                      fits = 0 <= a + c and b - 1 + c < length of x
        y[i, j] = x[j + c]           ->        for j in range(a, b):
                                                   y[i, j] = x[j + c]       checked only where it does not fit

The loop stays one loop here: its accesses branch on a flag that does not change in it, and LLVM makes of that a loop
with checks, which raises where Python does, and one without, which it can vectorise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

import gast

from ... import syntax
from ...analysis.lanes import straight
from ...analysis.memory.storage import storage_classes
from ...lower.arithmetic import text_of
from ...ops.schema import row_of
from ...records import dataclass
from . import noalias
from .frame import ArrayPlace, Emission
from .storage import Apart, split_tags
from .text import TRUE, LlvmLine, SsaValue, Tag, Tags, int_

LARGEST = 2**52  # constants in indices: with lengths below that no sum here overflows


@dataclass(slots=True, eq=False)
class OpenLoop:
    """A loop whose body is being written.  Its variable runs from `low` to below `high`.

    place     where in the text of the function the loop begins
    assigned  the names that the body gives a value
    flag      the variable that says that everything tested fits
    tags      what LLVM is told of accesses that never meet others in this loop, by their nodes
    lines     the instructions before the loop
    tested    which accesses the tests among them speak of
    rows      the addresses among them (`rows.py`)
    """

    variable: str
    low: SsaValue
    high: SsaValue
    place: int
    assigned: frozenset[str]
    flag: SsaValue | None = None
    tags: Mapping[int, Tags] = field(default_factory=dict)
    lines: list[str | LlvmLine] = field(default_factory=list)
    tested: set[tuple[str, int, str]] = field(default_factory=set)
    is_innermost: bool = False
    rows: dict[tuple[str | int, ...], SsaValue] = field(default_factory=dict)


def open_loop(frame: Emission, node: gast.For, low: SsaValue, high: SsaValue) -> None:
    """What comes next is the loop: its head, then its body."""
    assigned = frozenset(n for s in syntax.walk(node.body) for n in syntax.names_changed(s))
    if frame.version is not None:
        tags = frame.version.tags
    else:
        tags = declare_apart(frame, node) if noalias.is_candidate(node) else {}
    innermost = straight(node.body)
    place, variable = len(frame.code.lines), node.target.id
    loop = OpenLoop(variable, low, high, place, assigned, tags=tags, is_innermost=innermost)
    frame.loops.append(loop)


def declare_apart(frame: Emission, node: gast.For) -> Mapping[int, Tags]:
    """Tags for accesses that stay where they are while others move past them."""
    node, classes = written_out(frame, node), storage_classes(frame.function)
    return declare_scopes(frame, noalias.fixed_and_moving(node, frame.integers(), frame.ranges, classes))


def declare_scopes(frame: Emission, groups: Iterable[Apart]) -> Mapping[int, Tags]:
    """Tags for accesses that are apart from here to the end of the loop that comes next."""
    known = {n: p.tags for n, p in frame.places.items() if isinstance(p, ArrayPlace)}
    tags, scopes = split_tags(frame.module, known, groups)
    for scope in scopes:  # one by one, as LLVM demands
        name = "llvm.experimental.noalias.scope.decl"
        frame.module.declare(name, f"declare void @{name}(metadata)")
        frame.code.effect(f"call void {frame.code.mention(name).text}(metadata ", (Tag("scope", scope),), end=")")
    return tags


def written_out(frame: Emission, node: gast.For) -> gast.For:
    """The loop with start, stop and step, as far as they are known here."""
    bounds = [_written_out(frame, argument) for argument in node.iter.args]
    if len(bounds) == 1:
        bounds.insert(0, syntax.constant(0))
    if len(bounds) == 2:
        bounds.append(syntax.constant(1))
    return syntax.rebuild(node, iter=syntax.rebuild(node.iter, args=bounds))


def _written_out(frame: Emission, node: gast.expr, depth: int = 4) -> gast.expr:
    """The expression with the values of the names that were given them right before this statement."""
    if not depth or not set(syntax.names_read(node)) & frame.preceding.keys():
        return node
    return _written_out(frame, syntax.map_names(node, lambda name: frame.preceding.get(name, name)), depth - 1)


def remember(frame: Emission, node: gast.stmt) -> None:
    """What the next statement of this block may take names for: values given in an unbroken row of assignments."""
    match node:
        case gast.Assign(targets=[gast.Name(id=name)], value=value) if frame.is_long(name):
            kept = {n: v for n, v in frame.preceding.items() if n != name and name not in syntax.names_read(v)}
            frame.preceding = kept if name in syntax.names_read(value) else {**kept, name: value}
        case _:
            frame.preceding = {}


def tags_of(frame: Emission, node: gast.Subscript) -> Tags:
    """What LLVM is told of the memory that an element access touches."""
    known = frame.loops[-1].tags.get(id(node)) if frame.loops else None
    return frame.array(node.value.id).tags if known is None else known


def close_loop(frame: Emission) -> None:
    """Put the tests that its accesses asked for before the loop."""
    loop = frame.loops.pop()
    frame.code.lines[loop.place : loop.place] = loop.lines


def fits(frame: Emission, array: str, axis: int, index: gast.expr) -> SsaValue | None:
    """Whether the index is in bounds in every iteration, as the loop's flag; None where one test cannot say so."""
    loop = frame.loops[-1] if frame.loops else None
    rest = _without(index, loop.variable) if loop is not None else None
    if loop is None or rest is None:
        return None
    if array in loop.assigned or loop.variable in loop.assigned or rest.name in loop.assigned:
        return None
    if rest.name and not frame.is_long(rest.name):
        return None
    if loop.flag is None:
        loop.flag = frame.code.variable("i1", "fits", TRUE)
        before_loop(frame, loop, lambda: frame.code.store(TRUE, loop.flag))
    key = (array, axis, text_of(index))
    if key not in loop.tested:
        loop.tested.add(key)
        before_loop(frame, loop, lambda: _test(frame, loop, array, axis, rest))
    return frame.code.load("i1", loop.flag)


@dataclass(frozen=True, slots=True)
class Rest:
    """What is added to the variable of a loop, where the index `moves` with it: a constant, or a name with its sign."""

    constant: int = 0
    name: str = ""
    sign: int = 1
    moves: bool = True


def _without(index: gast.expr, variable: str) -> Rest | None:
    """`j`, `j + 1`, `j - k`, `k + j` without `j`, and what does not mention `j`; None for every other form."""
    match index:
        case gast.Name(id=name):
            return Rest() if name == variable else Rest(0, name, moves=False)
        case gast.Constant(value=int() as value) if 0 <= value < LARGEST and not isinstance(value, bool):
            return Rest(value, moves=False)
        case gast.Call(args=[left, right]) if (row := row_of(syntax.operator_of(index))) is not None and row.is_sum:
            if getattr(left, "id", "") == variable:
                return _rest(right, row.sign, variable)
            if getattr(right, "id", "") == variable and row.sign > 0:
                return _rest(left, 1, variable)
    return None


def _rest(node: gast.expr, sign: int, variable: str) -> Rest | None:
    match node:
        case gast.Constant(value=int() as value) if not isinstance(value, bool) and abs(value) < LARGEST:
            return Rest(sign * value)
        case gast.Name(id=name) if name != variable:
            return Rest(0, name, sign)
    return None


def before_loop(frame: Emission, loop: OpenLoop, write) -> None:
    """Write instructions before the loop."""
    code = frame.code
    lines, terminated = code.lines, code.terminated
    code.lines, code.terminated = loop.lines, False
    write()
    code.lines, code.terminated = lines, terminated


def _test(frame: Emission, loop: OpenLoop, array: str, axis: int, rest: Rest) -> None:
    """flag = flag and low + rest >= 0 and high <= length - rest; sums stop at the ends of 64 bits."""
    code = frame.code
    length = code.load("i64", frame.array(array).dims[axis])
    added: SsaValue = int_(rest.constant)
    if rest.name:
        added = frame.scalar(rest.name)
    if rest.moves:
        lower, upper = ("sadd.sat", "ssub.sat") if rest.sign > 0 else ("ssub.sat", "sadd.sat")
        first, last = code.intrinsic(lower, loop.low, added), code.intrinsic(upper, length, added)
        within = code.binary("and", code.compare("sge", first, int_(0)), code.compare("sle", loop.high, last))
    else:
        within = code.compare("ult", added, length)
    code.store(code.binary("and", code.load("i1", loop.flag), within), loop.flag)  # type: ignore[arg-type]
