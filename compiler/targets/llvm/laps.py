"""Machine code that keeps time: what a call spent at each of the user's lines, for `profiler.line_profile`.

    z = x @ w            ->      call void @pellucid.lap(i64 1)      from now on the time counts for the first line
    return total / n     ->      call void @pellucid.lap(i64 0)      and from here on for none

Statements are timed, and blocks of branches; the body of a loop is where it holds another loop, a library routine or a
call of a function.  A loop of scalars alone, one in lanes and one that may run in parallel are timed as one: a clock
inside would take longer than what it times, and would forbid vectors.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import field

import gast

from ... import syntax
from ...diagnostics import Span
from ...ops.forms import FORMS
from ...program import Function
from ...records import dataclass
from .frame import Emission
from .operands import SsaValue, int_
from .text import Code, Module

LAP, TABLE, CLOCK = "pellucid.lap", "pellucid_laps", "clock_gettime"
SLOTS = 20_000  # of the table
SINCE, LINE, FIRST = 0, 1, 2  # slots of the table: when the lap began, of which line, then times and counts by line
AS_ONE = ("prange", "lanes")
Place = tuple[Span, ...]  # the calls that a statement was inlined through, and where it stands itself


@dataclass(slots=True, eq=False)
class Laps:
    """What is timed: the locations of the lines, whose numbers are 1, 2, ...; and the statements by identity."""

    places: dict[Place, int] = field(default_factory=dict)
    timed: dict[int, gast.stmt] = field(default_factory=dict)

    def choose(self, function: Function, called: Collection[str]) -> None:
        """Time the statements of a function; `called` are the names of those that it may call."""
        self.timed.update((id(statement), statement) for statement in _timed(function.body, called))


def _timed(body: Sequence[gast.stmt], called: Collection[str]) -> Iterator[gast.stmt]:
    for statement in body:
        yield statement
        if not isinstance(statement, gast.For | gast.While) or _holds_work(statement, called):
            for block in syntax.blocks_of(statement):
                yield from _timed(block, called)


def _holds_work(loop: gast.For | gast.While, called: Collection[str]) -> bool:
    """Whether what a loop does in an iteration takes longer than looking at a clock."""
    if isinstance(loop, gast.For) and getattr(getattr(loop.iter, "func", None), "id", "") in AS_ONE:
        return False
    return any(
        isinstance(inner, gast.For | gast.While)
        or any(_takes_long(syntax.operator_of(call), called) for call in syntax.calls_in(inner))
        for inner in syntax.walk(loop.body)
    )


def _takes_long(name: str | None, called: Collection[str]) -> bool:
    return name in called or name in FORMS and FORMS[name].is_library


def lap(frame: Emission, laps: Laps, statement: gast.stmt) -> None:
    """What is written from now on counts for the line of this statement, if it is timed."""
    if frame.in_region or id(statement) not in laps.timed:
        return
    span = getattr(statement, "span", None)
    if isinstance(statement, gast.Return) and frame.function.name == frame.program.entry:
        number = 0
    elif span is None:
        return
    else:
        place = (*getattr(statement, "inlined", ()), span)
        number = laps.places.setdefault(place, len(laps.places) + 1)
    if FIRST + 2 * number + 1 >= SLOTS:
        return  # its time counts for the line before it
    _define(frame.module)
    frame.code.call("void", LAP, int_(number))


def _define(module: Module) -> None:
    """The function that ends a lap and begins the next."""
    if LAP in module.definitions:
        return
    module.declare(TABLE, f"@{TABLE} = external global [{SLOTS} x i64]")
    module.declare(CLOCK, f"declare i32 @{CLOCK}(i32, ptr)")
    code = Code(module)
    read = code.value("ptr", "alloca [2 x i64]")
    code.call("i32", CLOCK, int_(time.CLOCK_MONOTONIC, "i32"), read)
    seconds = code.binary("mul", code.load("i64", read), int_(10**9))
    now = code.binary("add", seconds, code.load("i64", code.offset("i64", read, 1)))
    table = code.mention(TABLE)
    since, line = code.offset("i64", table, SINCE), code.offset("i64", table, LINE)
    took = code.binary("sub", now, code.load("i64", since))
    slot = code.binary("add", code.binary("mul", code.load("i64", line), int_(2)), int_(FIRST))
    total = code.offset("i64", table, slot)
    count = code.offset("i64", total, 1)
    code.store(code.binary("add", code.load("i64", total), took), total)
    code.store(code.binary("add", code.load("i64", count), int_(1)), count)
    code.store(SsaValue("i64", "%line"), line)
    code.store(now, since)
    code.finish("ret void")
    module.define(code.function(LAP, "void", ["i64 %line"], "noinline nounwind"))
