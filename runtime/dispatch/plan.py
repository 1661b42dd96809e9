"""A plan: how native dispatch calls one piece of machine code, as the words that it reads.

    CallPlan(code, leaves=[(ARRAY, 63, dtype)], recipe=[])    ->    .place, a word that has the address of the current
                                                                     words, which hold what they refer to

Words never change once native code may see them.  Where the guards find other objects, new words are made, and one
store puts them in place of the former, which live until the last call that reads them is over.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..guards import Findings, Guards
from .guard_words import GuardPlaces, GuardWords
from .words import LEAVES, PLAN, RECIPE, RESULTS, SLOTS

LeafWords: TypeAlias = tuple[int, int, Any]  # `leaf_kind`, slot, operand
TargetWords: TypeAlias = tuple[int, int, int, int, Any]  # slots of result and argument, rank, exponent, dtype
RecipeWords: TypeAlias = tuple[str, int, Any]  # word, how many objects it takes from the stack, operand


@dataclass(frozen=True, slots=True)
class Hidden:
    """The last arguments of a call, which come from outside.

    words   their slots
    holder  what holds their memory
    copied  slot, rank and exponent of the bytes of an element, of each array that may change after the call
    """

    words: Sequence[int]
    holder: object
    copied: Sequence[tuple[int, int, int]] = ()


@dataclass(frozen=True, slots=True)
class Queueing:
    """How a call may go on after it has returned.

    limit    elements of arguments from which on it does; every other one waits for its arguments
    lengths  of the results, by those of the arguments: the words of `native/queued_calls.c`
    """

    limit: int
    lengths: Sequence[int]


@dataclass(frozen=True, slots=True)
class Constant:
    """An operand that is an object even where it is an int."""

    value: Any


@dataclass(slots=True, eq=False)
class PlanWords:
    """The words of a plan for what the guards found, with all that they refer to; a call holds a reference to it."""

    findings: Findings
    held: tuple[Any, ...]
    words: Any = None


@dataclass(slots=True, eq=False)
class CallPlan:
    """How to call machine code.

    code     address of the entry            leaves   one per result: kind, slot, dtype or function
    hidden   findings -> the last arguments, which come from outside
    recipe   how leaves become the result; empty for a single leaf
    limit    elements of arguments from which on the GIL is released
    fail     (site, address of slots) -> exception; None where Python makes the call again and says it
    guards   what has to be as it was when the code was made
    queueing how the call may go on after it has returned; None where it may not
    targets  the arguments that are changed in place
    first    the slot after the arguments that are given; 0 where it is not known
    """

    code: int
    leaves: Sequence[LeafWords]
    recipe: Sequence[RecipeWords]
    fail: Callable[[int, int], BaseException | None]
    limit: int = 0
    hidden: Callable[[Findings], Hidden] = lambda _: Hidden((), None)
    slot_count: int = 0
    keep: Any = None
    guards: Guards = field(default_factory=Guards)
    queueing: Queueing | None = None
    targets: Sequence[TargetWords] = ()
    first: int = 0
    held: list[Any] = field(default_factory=list)
    _place: Any = field(default_factory=ctypes.c_int64)
    _fixed: dict[str, int] = field(default_factory=dict)
    _guard_places: GuardPlaces | None = None
    _current: PlanWords | None = None

    def __post_init__(self) -> None:
        leaves = [word for kind, slot, operand in self.leaves for word in (kind, slot, self._word(operand))]
        recipe = [
            word for name, taken, operand in self.recipe for word in (RECIPE.index(name), taken, self._word(operand))
        ]
        targets = [word for target in self.targets for word in (*target[:-1], self._word(target[-1]))]
        self._fixed = {
            "CODE": self.code,
            "GIL_LIMIT": self.limit,
            "FAIL": self._word(self.fail),
            "LEAVES": self._array(leaves),
            "LEAF_COUNT": len(self.leaves),
            "RECIPE": self._array(recipe),
            "RECIPE_COUNT": len(self.recipe),
            "SLOT_COUNT": self.slot_count,
            "QUEUE_LIMIT": -1 if self.queueing is None else self.queueing.limit,
            "TARGETS": self._array(targets),
            "TARGET_COUNT": len(self.targets),
            "LENGTHS": self._array([] if self.queueing is None else self.queueing.lengths),
        }
        self._guard_places = GuardPlaces.of(self.guards)
        self.refresh(self.guards.findings)

    @property
    def place(self) -> int:
        """Where native code finds the address of the current words."""
        return ctypes.addressof(self._place)

    def refresh(self, findings: Findings) -> None:
        """Let native code compare with these objects, and pass the arrays among them; one thread at a time."""
        if self._current is not None and self._current.findings is findings:
            return
        before, made = self._current, self._words_for(findings)
        self._place.value = ctypes.addressof(made.words)
        self._current = made
        del before  # it was held until native code could no longer find it

    def _words_for(self, findings: Findings) -> PlanWords:
        hidden = self.hidden(findings)
        hidden_words, copied_words = _words(hidden.words), _words([word for one in hidden.copied for word in one])
        guards = None if self._guard_places is None else self._guard_places.words(findings)
        made = PlanWords(findings, (hidden, hidden_words, copied_words, guards, self.held, self.keep))
        words = {
            "OWNER": id(made),
            "HIDDEN": ctypes.addressof(hidden_words),
            "HIDDEN_COUNT": len(hidden.words),
            "COPIED": ctypes.addressof(copied_words),
            "COPIED_COUNT": len(hidden.copied),
            "PACE": 0,
            **self._fixed,
            **(dict.fromkeys(GuardWords.FIELDS, 0) if guards is None else guards.plan_words()),
        }
        made.words = (ctypes.c_int64 * len(PLAN))(*[words[name] for name in PLAN])
        return made

    def is_possible(self) -> bool:
        """Whether a call stays within the room that native dispatch has, and native code can ask all guards."""
        if self._guard_places is None:
            return False
        deepest = depth = 0
        for _, taken, _ in self.recipe:
            depth += 1 - taken
            deepest = max(deepest, depth)
        return self.slot_count <= SLOTS and len(self.leaves) <= RESULTS and deepest <= RESULTS

    def _word(self, operand: Any) -> int:
        """A number as it is, an object by its address."""
        if type(operand) is int:
            return operand
        if isinstance(operand, Constant):
            operand = operand.value
        self.held.append(operand)
        return id(operand)

    def _array(self, words: Sequence[int]) -> int:
        made = _words(words)
        self.held.append(made)
        return ctypes.addressof(made)


def _words(words: Sequence[int]) -> ctypes.Array[ctypes.c_int64]:
    return (ctypes.c_int64 * max(len(words), 1))(*words)


def leaf_kind(name: str, rank: int = 0, shift: int = 0) -> int:
    """The first word of a leaf: what it is, and the dimensions and size of elements of an array."""
    return LEAVES.index(name) | rank << 8 | shift << 16
