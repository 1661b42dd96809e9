"""Whether the kernels of a call have failed: read with its results.

    failed = faults()          a word on the device, 0; kernels that find an error store 1
    failed.check()             the call is to be judged by it, when its results come to the host
    verdict()                  reads the words; raises the error that the program raises on these arguments

A call returns before its kernels have run, so a result carries the verdict on its call, and on the calls before it that
its arguments came from and that have not been judged yet.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from .driver import DeviceArray

MOST_PENDING = 16  # calls that a result may wait for; they hold their arguments, so that their errors can be reported

Explain = Callable[[], Any]  # raises the error of the call


class Verdict:
    """Whether calls have failed."""

    def __init__(self, pending: Iterable[tuple[tuple[Any, ...], Explain]]) -> None:
        self.pending = tuple(pending)

    def __call__(self) -> None:
        """Raise the error of the first call that has failed; waits for it."""
        for words, explain in self.pending:
            if any(word.copy_to_host().any() for word in words):
                explain()
                raise RuntimeError("a kernel has found an error, and the program on the processor has not")
        self.pending = ()


@dataclass(slots=True)
class Run:
    """A call of a driver, while it runs: the words that were made for it, and those that judge its results."""

    explain: Explain
    words: list[Any] = field(default_factory=list)
    noted: list[Any] = field(default_factory=list)

    def judge(self) -> None:
        """Raise the error of the call if a kernel has found it by now, before the host goes on with what it made."""
        if self.words:
            Verdict([(tuple(self.words), self.explain)])()


class _Runs(threading.local):
    def __init__(self) -> None:
        self.stack: list[Run] = []


_RUNS = _Runs()


def present() -> Run:
    """The call that runs on this thread.  Raises RuntimeError outside of one."""
    if not _RUNS.stack:
        raise RuntimeError("faults are those of a driver's call")
    return _RUNS.stack[-1]


class judged:
    """A block in which a driver runs on this thread; `explain` raises the error of its call.  Gives the `Run`."""

    def __init__(self, explain: Explain) -> None:
        self._run = Run(explain)

    def __enter__(self) -> Run:
        _RUNS.stack.append(self._run)
        return self._run

    def __exit__(self, *error: object) -> None:
        _RUNS.stack.pop()


def verdict_on(run: Run, arguments: Iterable[Any]) -> Verdict | None:
    """The verdict that the results of a call carry; None where nothing can have failed."""
    pending: dict[int, tuple[tuple[Any, ...], Explain]] = {}
    for argument in arguments:
        earlier = getattr(argument, "verdict", None)
        if isinstance(earlier, Verdict):
            pending.update((id(one), one) for one in earlier.pending)
    if len(pending) >= MOST_PENDING:
        Verdict(pending.values())()
        pending.clear()
    found = list(pending.values())
    if run.noted:
        found.append((tuple(run.noted), run.explain))
    return Verdict(found) if found else None


def carrying(results: Any, verdict: Verdict | None) -> Any:
    """Results of a driver that raise the error of their calls when they come to the host; those there already, now."""
    if verdict is None:
        return results
    if isinstance(results, tuple):
        return tuple(carrying(result, verdict) for result in results)
    if not isinstance(results, DeviceArray):
        verdict()
        return results
    found = DeviceArray(results)  # the array itself may be an argument, which is good in any case
    found.verdict = verdict
    return found
