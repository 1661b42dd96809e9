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

from .threads import default_threads

Item = TypeVar("Item")
Result = TypeVar("Result")


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
        self._helpers: set[threading.Thread] = set()

    def begin(self, item: Item) -> None:
        with self._lock:
            self._waiting.append((self._cost(item), -len(self._results), item))
            self._waiting.sort(key=lambda entry: entry[:2])
            self._results.append(None)
            if len(self._helpers) < self._most - 1:
                helper = threading.Thread(target=self._help, name="pellucid-compile")
                self._helpers.add(helper)
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
        """Until all that other threads have begun is done."""
        for helper in list(self._helpers):
            helper.join()

    def abandon(self) -> None:
        """Begin no more of what waits."""
        with self._lock:
            self._waiting.clear()

    def _help(self) -> None:
        while self._take():
            pass

    def _take(self) -> bool:
        """Do one piece; False where none waits, and a helper is gone then."""
        with self._lock:
            if not self._waiting:
                self._helpers.discard(threading.current_thread())
                return False
            _, number, item = self._waiting.pop()
        try:
            self._results[-number] = self._work(item)
        except BaseException as error:
            self._errors[-number] = error
        return True
