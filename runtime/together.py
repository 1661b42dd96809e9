"""Do independent pieces of work on several cores, from Python: for compiling, which is long and releases the GIL.

    work = Together(translate, cost=len)
    work.begin(text); work.begin(other)       at once, while the caller goes on to the next text
    work.results()                            [translate(text), translate(other)]

Loops of compiled programs have threads of their own (`threads.py`); these here end when there is nothing to do.  They
are no daemons: at its end the interpreter waits for LLVM rather than pull the library away under it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from .cores import default_threads

Item = TypeVar("Item")
Result = TypeVar("Result")


def interruptible(work: Callable[[], Result]) -> Result:
    """The result of work that holds no GIL; on the main thread a signal ends the waiting for it.

    Another thread does the work then, and goes on with it: what it calls cannot be stopped.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    together: Together[Callable[[], Result], Result] = Together(lambda item: item(), cost=lambda item: 0.0, most=2)
    together.begin(work)
    together.wait()
    return together.results()[0]


class Together(Generic[Item, Result]):
    """Pieces of work that have begun; those that wait for a thread are taken the most costly first.

    `most` is the number of threads, the caller's included: the cores that this process may use, if it is not given.
    """

    def __init__(
        self, work: Callable[[Item], Result], cost: Callable[[Item], float], most: int | None = None
    ) -> None:
        self._work, self._cost = work, cost
        self._most = default_threads() if most is None else most
        self._lock = threading.Lock()
        self._waiting: list[tuple[float, int, Item]] = []
        self._results: list[Any] = []
        self._errors: dict[int, BaseException] = {}
        self._helpers: dict[threading.Thread, threading.Event] = {}  # with what is set at the end of each

    def begin(self, item: Item) -> None:
        with self._lock:
            self._waiting.append((self._cost(item), -len(self._results), item))
            self._waiting.sort(key=lambda entry: entry[:2])
            self._results.append(None)
            if len(self._helpers) < self._most - 1:
                over = threading.Event()
                helper = threading.Thread(target=self._help, args=(over,), name="pellucid-compile")
                self._helpers[helper] = over
                helper.start()

    def results(self) -> list[Result]:
        """What became of the pieces, in the order in which they began.

        The caller works too.  Raises the exception of the first piece that has one, when all have ended.
        """
        while self._take():
            pass
        self.wait()
        if self._errors:
            raise self._errors[min(self._errors)]
        return self._results

    def wait(self) -> None:
        """Until all that other threads have begun is done.

        A `join` that Ctrl-C interrupts takes the thread for ended in some versions of CPython, so an event comes first.
        """
        for helper, over in list(self._helpers.items()):
            over.wait()
            helper.join()

    def abandon(self) -> None:
        """Begin no more of what waits."""
        with self._lock:
            self._waiting.clear()

    def _help(self, over: threading.Event) -> None:
        while self._take():
            pass
        over.set()

    def _take(self) -> bool:
        """Do one piece; False where none waits, and a helper is gone then."""
        with self._lock:
            if not self._waiting:
                self._helpers.pop(threading.current_thread(), None)
                return False
            _, number, item = self._waiting.pop()
        try:
            self._results[-number] = self._work(item)
        except BaseException as error:
            if not isinstance(error, Exception) and threading.current_thread() not in self._helpers:
                self.abandon()  # Ctrl-C: the caller has no use for the rest
                raise
            self._errors[-number] = error
        return True
