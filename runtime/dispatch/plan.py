"""A plan: how native dispatch calls one piece of machine code, as the words that it reads.

    CallPlan(code, leaves=[(ARRAY, 63, dtype)], recipe=[])    ->    .address of eight words, and what they refer to
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..guards import Guards
from .guard_words import GuardWords
from .words import LEAVES, PLAN, RECIPE, RESULTS, SLOTS

LeafWords: TypeAlias = tuple[int, int, Any]  # `leaf_kind`, slot, operand
RecipeWords: TypeAlias = tuple[str, int, Any]  # word, how many objects it takes from the stack, operand


@dataclass(frozen=True, slots=True)
class Constant:
    """An operand that is an object even where it is an int."""

    value: Any


@dataclass(slots=True, eq=False)
class CallPlan:
    """How to call machine code.

    code     address of the entry            leaves   one per result: kind, slot, dtype or function
    hidden   gives the words of the last arguments, which come from outside, and what holds their memory
    recipe   how leaves become the result; empty for a single leaf
    limit    elements of arguments from which on the GIL is released
    fail     (site, address of slots) -> exception
    guards   what has to be as it was when the code was made
    """

    code: int
    leaves: Sequence[LeafWords]
    recipe: Sequence[RecipeWords]
    fail: Callable[[int, int], BaseException]
    limit: int = 0
    hidden: Callable[[], tuple[Sequence[int], object]] = lambda: ((), None)
    slot_count: int = 0
    keep: Any = None
    guards: Guards = field(default_factory=Guards)
    held: list[Any] = field(default_factory=list)
    address: int = 0
    _words: Any = None
    _hidden_words: Any = None
    _guard_words: GuardWords | None = None
    _holder: object = None
    _seen: int = 0

    def __post_init__(self) -> None:
        leaves = [word for kind, slot, operand in self.leaves for word in (kind, slot, self._word(operand))]
        recipe = [
            word for name, taken, operand in self.recipe for word in (RECIPE.index(name), taken, self._word(operand))
        ]
        self._seen = self.guards.version
        hidden, self._holder = self.hidden()
        self._hidden_words = (ctypes.c_int64 * max(len(hidden), 1))(*hidden)
        words = {
            "CODE": self.code,
            "HIDDEN": ctypes.addressof(self._hidden_words),
            "HIDDEN_COUNT": len(hidden),
            "HOLDER": id(self._holder),
            "GIL_LIMIT": self.limit,
            "FAIL": self._word(self.fail),
            "LEAVES": self._array(leaves),
            "LEAF_COUNT": len(self.leaves),
            "RECIPE": self._array(recipe),
            "RECIPE_COUNT": len(self.recipe),
            **self._guards(),
        }
        self.address = self._array([words[name] for name in PLAN])
        self._words = self.held[-1]

    def _guards(self) -> dict[str, int]:
        self._guard_words = GuardWords.of(self.guards)
        return self._guard_words.plan_words() if self._guard_words is not None else dict.fromkeys(GuardWords.FIELDS, 0)

    def refresh(self) -> None:
        """Tell native code of objects that took the places of equal ones, arrays for arguments among them."""
        if self._seen != self.guards.version:
            self._seen, before = self.guards.version, self._holder
            hidden, self._holder = self.hidden()
            self._hidden_words[: len(hidden)] = list(hidden)
            self._words[PLAN.index("HOLDER")] = id(self._holder)
            del before  # native code has it no more
        if self._guard_words is not None:
            self._guard_words.refresh()

    def is_possible(self) -> bool:
        """Whether a call stays within the room that native dispatch has, and native code can ask all guards."""
        if self._guard_words is None:
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
        made = (ctypes.c_int64 * max(len(words), 1))(*words)
        self.held.append(made)
        return ctypes.addressof(made)


def leaf_kind(name: str, rank: int = 0, shift: int = 0) -> int:
    """The first word of a leaf: what it is, and the dimensions and size of elements of an array."""
    return LEAVES.index(name) | rank << 8 | shift << 16
