"""Guards as the words that native code reads.

    Guard("cell", f, "k", 2.0)          ->    a word: where the cell keeps its content, the address of 2.0
    Guard("global", f, "RATE", 0.1)     ->    an item of the table for the globals: "RATE", the address of 0.1
    Guard("global", f, "LINKS", [1])    ->    a value: the globals, "LINKS", the address of a copy of the list

Fields of functions, classes and cells are single words of memory.  Variables stand in dicts; one that has not changed
since it was last looked into is seen by its version, where CPython keeps one, and else each name is looked up.
"""

from __future__ import annotations

import builtins
import ctypes
import gc
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from ..guards import ABSENT, Findings, Guard, Guards, cell_of
from ..values import CHANGING
from . import support
from .words import PLAN


class GuardPlaces:
    """Where the guards of one plan look, which stays so; it holds what it points to."""

    @classmethod
    def of(cls, guards: Guards) -> GuardPlaces | None:
        """None where one of them can only be asked in Python."""
        try:
            return cls(guards)
        except LookupError:
            return None

    def __init__(self, guards: Guards) -> None:
        self._guards = guards
        self.single: list[tuple[int, int]] = []  # the number of a guard, and its location
        self.listed: dict[int, list[int]] = {}  # numbers of guards by the address of the dict they look into
        self.compared: list[tuple[int, int]] = []  # the number of a guard, and the dict that holds its container
        self._dicts: dict[int, Any] = {}
        for number, guard in enumerate(guards):
            if (place := _word_place(guard)) is not None:
                self.single.append((number, place))
            else:
                holder = _dict_of(guard)
                self._dicts[id(holder)] = holder
                if type(guard.found) in CHANGING:
                    self.compared.append((number, id(holder)))
                    continue
                self.listed.setdefault(id(holder), []).append(number)

    def words(self, findings: Findings) -> GuardWords:
        """What native code compares with what is at these locations."""
        return GuardWords(self, tuple(self._guards), findings)


class GuardWords:
    """Guards in words, for what they found: comparisons of single words, items of dicts, and containers in them.

    Native code notes in them which version of a dict it has seen to agree; nothing else of them ever changes.
    """

    FIELDS: ClassVar = ("WORDS", "WORD_COUNT", "TABLES", "TABLE_COUNT", "VALUES", "VALUE_COUNT")

    def __init__(self, places: GuardPlaces, guards: Sequence[Guard], findings: Findings) -> None:
        expected = [_word(guard, found) for guard, found in zip(guards, findings.objects, strict=True)]
        words = [word for number, place in places.single for word in (place, expected[number])]
        tables: list[int] = []
        arrays = []
        for address, numbers in places.listed.items():
            arrays.append(_array([word for number in numbers for word in (id(guards[number].name), expected[number])]))
            tables += [address, 0, ctypes.addressof(arrays[-1]), len(numbers)]
        values = [word for number, at in places.compared for word in (at, id(guards[number].name), expected[number])]
        self._word_array, self._table_array, self._value_array = _array(words), _array(tables), _array(values)
        self._counts = len(words) // 2, len(places.listed), len(places.compared)
        self._held = places, guards, findings, arrays

    def plan_words(self) -> dict[str, int]:
        starts = map(ctypes.addressof, (self._word_array, self._table_array, self._value_array))
        pairs = zip(starts, self._counts, strict=True)
        return dict(zip(self.FIELDS, (word for pair in pairs for word in pair), strict=True))


class Question:
    """Whether guards hold, asked of native code from Python: `holds` is its function, which takes the words of a plan.

    The answer is what the guards find; None where they may not hold.
    """

    def __init__(self, guards: Guards, holds: Callable[[int], bool]) -> None:
        self._guards, self._places, self._holds = guards, GuardPlaces.of(guards), holds
        self._asked: tuple[Findings | None, Any, Any] = None, None, None

    def __call__(self) -> Findings | None:
        if self._places is None:
            return None
        asked = self._asked
        if asked[0] is not self._guards.findings:
            asked = self._asked = self._words_for(self._places, self._guards.findings)
        findings, words, _ = asked
        return findings if self._holds(ctypes.addressof(words)) else None

    @staticmethod
    def _words_for(places: GuardPlaces, findings: Findings) -> tuple[Findings, Any, GuardWords]:
        made = places.words(findings)
        given = made.plan_words()
        return findings, (ctypes.c_int64 * len(PLAN))(*[given.get(name, 0) for name in PLAN]), made


def _array(words: Sequence[int]) -> ctypes.Array[ctypes.c_int64]:
    return (ctypes.c_int64 * max(len(words), 1))(*words)


def _word(guard: Guard, found: Any) -> int:
    """The address of what is to be found; a function without defaults has no object for them."""
    is_nothing = found is ABSENT or guard.kind == "field" and found is None
    return 0 if is_nothing else id(found)


def _word_place(guard: Guard) -> int | None:
    """The address that holds the object; None for what stands in a dict.  Raises LookupError for other locations."""
    match guard.kind:
        case "cell":
            return int(support.extension().place(cell_of(guard.owner, guard.name), ""))
        case "field":
            return int(support.extension().place(guard.owner, guard.name))
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
            (found,) = gc.get_referents(vars(guard.owner)) or [None]  # the dict itself, of which `vars` returns a view
        case "attribute":
            found = vars(guard.owner)
        case _:
            raise LookupError(guard.kind)
    if not isinstance(found, dict) or type(guard.name) is not str:
        raise LookupError(guard.kind)
    return found
