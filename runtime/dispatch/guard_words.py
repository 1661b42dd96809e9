"""Guards as the words that native code reads.

    Guard("cell", f, "k", 2.0)          ->    a word: where the cell keeps its content, the address of 2.0
    Guard("global", f, "RATE", 0.1)     ->    an item of the table for the globals: "RATE", the address of 0.1

Fields of functions, classes and cells are single words of memory.  Variables stand in dicts; one that has not changed
since it was last looked into is told by its version, which CPython keeps until 3.12, and else each name is looked up.
"""

from __future__ import annotations

import builtins
import ctypes
import gc
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, ClassVar

from ..guards import ABSENT, Guard, Guards, cell_of
from . import support
from .words import GROUP, PLAN

VERSION_OFFSET = 24
LAST_WITH_VERSIONS = (3, 12)


class GuardWords:
    """The guards of one plan in words; they hold what they point to."""

    FIELDS: ClassVar = ("WORDS", "WORD_COUNT", "TABLES", "TABLE_COUNT")

    @classmethod
    def of(cls, guards: Guards) -> GuardWords | None:
        """None where one of them can only be asked in Python."""
        try:
            return cls(guards)
        except LookupError:
            return None

    def __init__(self, guards: Guards) -> None:
        self._guards, self._seen = guards, guards.version
        self._held: list[Any] = []
        items: dict[int, list[Guard]] = {}
        words: list[int] = []
        self._tables: list[tuple[ctypes.Array[ctypes.c_int64], list[Guard]]] = []
        self._words: list[Guard] = []
        dicts: dict[int, Any] = {}
        for guard in guards:
            if (place := _word_place(guard)) is not None:
                self._words.append(guard)
                words += [place, _word(guard)]
            else:
                holder = _dict_of(guard)
                dicts[id(holder)] = holder
                items.setdefault(id(holder), []).append(guard)
        while len(words) % (2 * GROUP):
            words += [ctypes.addressof(self._array([0])), 0]
        self._word_array = self._array(words)
        self._held.append(list(dicts.values()))
        tables: list[int] = []
        for address, listed in items.items():
            array = self._array([word for guard in listed for word in (id(guard.name), _word(guard))])
            self._tables.append((array, listed))
            tables += [address, 0, ctypes.addressof(array), len(listed)]
        self._table_array = self._array(tables)
        self._keep()

    def plan_words(self) -> dict[str, int]:
        addresses = ctypes.addressof(self._word_array), ctypes.addressof(self._table_array)
        return dict(zip(self.FIELDS, (addresses[0], len(self._word_array) // 2, addresses[1], len(self._tables))))

    def refresh(self) -> None:
        """Compare with the objects that the guards hold now."""
        if self._seen == self._guards.version:
            return
        self._seen, before = self._guards.version, self._objects
        for array, listed in ((self._word_array, self._words), *self._tables):
            for position, guard in enumerate(listed):
                array[2 * position + 1] = _word(guard)
        self._keep()
        del before  # what was compared with so far is held until here

    def _keep(self) -> None:
        self._objects = [(guard.owner, guard.name, guard.found) for guard in self._guards]

    def _array(self, words: Sequence[int]) -> ctypes.Array[ctypes.c_int64]:
        made = (ctypes.c_int64 * max(len(words), 1))(*words)
        self._held.append(made)
        return made


class Question:
    """Whether guards hold, asked of native code from Python: `holds` is its function, which takes a plan."""

    def __init__(self, guards: Guards, holds: Callable[[int], int]) -> None:
        self._words, self._holds = GuardWords.of(guards), holds
        given = {} if self._words is None else self._words.plan_words()
        self._plan = (ctypes.c_int64 * len(PLAN))(*[given.get(name, 0) for name in PLAN])
        self._address = ctypes.addressof(self._plan)

    def __call__(self) -> bool:
        if self._words is None:
            return False
        self._words.refresh()
        return self._holds(self._address) != 0


def _word(guard: Guard) -> int:
    """The address of what is to be found; a function without defaults has no object for them."""
    is_nothing = guard.found is ABSENT or guard.kind == "field" and guard.found is None
    return 0 if is_nothing else id(guard.found)


def _word_place(guard: Guard) -> int | None:
    """The address that holds the object; None for what stands in a dict.  Raises LookupError for other places."""
    if guard.kind == "cell":
        return id(cell_of(guard.owner, guard.name)) + offsets()["cell"]
    if guard.kind == "field":
        return id(guard.owner) + offsets()[guard.name]
    return None


def _dict_of(guard: Guard) -> dict[str, Any]:
    """The dict that holds the object.  Raises LookupError where there is none."""
    match guard.kind:
        case "global":
            found = guard.owner.__globals__
        case "builtin":
            found = vars(builtins)
        case "keyword":
            found = guard.owner.__kwdefaults__
        case "attribute" if isinstance(guard.owner, type):
            (found,) = gc.get_referents(vars(guard.owner)) or [None]  # behind the view that is given out
        case "attribute":
            found = vars(guard.owner)
        case _:
            raise LookupError(guard.kind)
    if not isinstance(found, dict) or type(guard.name) is not str:
        raise LookupError(guard.kind)
    return found


@lru_cache(maxsize=1)
def offsets() -> dict[str, int]:
    """Where objects keep what guards look at, found by looking at some; what is not found is left out."""

    def outer() -> Any:
        captured = [object()]

        def inner(*, k: Any = captured) -> Any:
            return captured, k

        inner.__defaults__ = (captured,)
        return inner

    class Sample:
        pass

    function = outer()
    cell = function.__closure__[0]
    wanted = {name: (function, getattr(function, name)) for name in ("__code__", "__defaults__", "__kwdefaults__")}
    wanted |= {"cell": (cell, cell.cell_contents), "__mro__": (Sample, Sample.__mro__)}
    found = {name: _offset(owner, held) for name, (owner, held) in wanted.items()}
    return {name: offset for name, offset in found.items() if offset is not None}


def _offset(owner: Any, held: Any) -> int | None:
    size = type(owner).__basicsize__
    places = [k for k in range(16, size, 8) if support.word(id(owner) + k) == id(held)]
    return places[0] if len(places) == 1 else None


def version_offset() -> int:
    """Where dicts keep a number that every change makes another one; 0 if they have none."""
    if sys.version_info[:2] > LAST_WITH_VERSIONS:
        return 0
    sample: dict[str, Any] = {"a": 1}
    seen = {support.word(id(sample) + VERSION_OFFSET)}
    for change in (lambda: sample.update(a=2), lambda: sample.update(b=3), lambda: sample.pop("a"), sample.clear):
        change()
        seen.add(support.word(id(sample) + VERSION_OFFSET))
    return VERSION_OFFSET if len(seen) == 5 else 0
