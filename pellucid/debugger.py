"""Pdb for stages: breakpoints on the user's lines stop in the stage that runs, and `stage` goes on in another one.

    (Pdb) b model.py:14          stops where the stage does what line 14 of the user's file says
    (Pdb) stage loops            runs again from the start, in the loops stage, up to the line that this one is at
"""

from __future__ import annotations

import bdb
import pdb
import traceback
import types as python_types
from bdb import BdbQuit
from collections.abc import Callable
from types import FrameType
from typing import Any

from .compiler.diagnostics import Span
from .compiler.targets.python import definition as python_target


class Debugger(pdb.Pdb):
    """Pdb that says when the user leaves it: `runcall` of the base class gives None as if the function had."""

    def __init__(self, stages: tuple[str, ...] = (), goal: Span | None = None) -> None:
        """`stages` are those to go on in; `goal` is the line of the user's to go to at once."""
        super().__init__()
        self.left = False
        self.next_stage = ""
        self.place: Span | None = None
        self._stages, self._passed = stages, (0, 0, 0)
        if goal is not None:
            is_there = self.get_break(self.canonic(goal.file), goal.line)
            self.rcLines = [*([] if is_there else [f"tbreak {goal.file}:{goal.line}"]), "continue"]

    def set_quit(self) -> None:
        self.left = True
        super().set_quit()

    def runcall(self, *args: Any, **kwargs: Any) -> Any:
        result = super().runcall(*args, **kwargs)
        if self.left:
            raise BdbQuit
        return result

    # --- the user's own lines ---

    def break_anywhere(self, frame: FrameType) -> Any:
        files = {place.file for place in frame.f_globals.get(python_target.LINES, {}).values()}
        return super().break_anywhere(frame) or any(self.canonic(file) in self.get_all_breaks() for file in files)

    def break_here(self, frame: FrameType) -> bool:
        """Also where the first of the statements stands that a line of the user's became."""
        if super().break_here(frame):
            return True
        place = python_target.user_line(frame.f_globals, frame.f_lineno)
        if place is None:
            return False
        (known, line, at), self._passed = self._passed, (id(frame), place.line, frame.f_lineno)
        if known == id(frame) and line == place.line and at < frame.f_lineno:
            return False
        file = self.canonic(place.file)
        found = effective(self.get_breaks(file, place.line), frame)
        if found is None:
            return False
        self.currentbp = found.number
        if found.temporary:
            self.do_clear(str(found.number))
        return True

    # --- stages ---

    def do_stage(self, name: str) -> bool | None:
        """stage NAME: run again in another stage, up to the line of yours that this one is at."""
        if name not in self._stages:
            self.message(f"the stages to go on in are {', '.join(self._stages)}")
            return None
        self.next_stage = name
        self.place = python_target.user_line(self.curframe.f_globals, self.curframe.f_lineno)  # type: ignore[union-attr]
        self.set_quit()
        return True

    def complete_stage(self, text: str, *_: Any) -> list[str]:
        return [name for name in self._stages if name.startswith(text)]


def effective(breakpoints: list[bdb.Breakpoint], frame: FrameType) -> bdb.Breakpoint | None:
    """The one that stops here, as `bdb.effective` finds it for lines of the file that runs."""
    for found in breakpoints:
        if not found.enabled:
            continue
        found.hits += 1
        try:
            holds = not found.cond or eval(found.cond, frame.f_globals, frame.f_locals)
        except Exception:  # as in bdb: better to stop than to go past
            return found
        if holds and not found.ignore:
            return found
        found.ignore -= bool(holds)
    return None


def under_pdb(
    make: Callable[[str, Callable[..., Any]], Callable[[], Any]], stage: str, stages: tuple[str, ...]
) -> int:
    """Run a stage under pdb from its first line; after an error stay where it happened.  Gives an exit status.

    `make(stage, call)` is the program at a stage, run by `call`.
    """
    goal: Span | None = None
    while True:
        debugger = Debugger(stages, goal)
        try:
            result = make(stage, debugger.runcall)()
        except BdbQuit:
            if not debugger.next_stage:
                return 0
            stage, goal = debugger.next_stage, debugger.place
            continue
        except Exception as error:
            trace = in_stages(error)
            if trace is None:  # the stage was not reached
                raise
            traceback.print_exception(error.with_traceback(trace))
            print("The program failed; this is where. `q` leaves.")
            pdb.post_mortem(trace)
            return 1
        print(f"result: {result!r}")
        return 0


def in_stages(error: BaseException) -> python_types.TracebackType | None:
    """The traceback from the first line of a stage on; None where there is none."""
    trace = error.__traceback__
    while trace is not None and python_target.LINES not in trace.tb_frame.f_globals:
        trace = trace.tb_next
    return trace
