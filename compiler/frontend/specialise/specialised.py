"""The result of specialisation: a typed program with its containers, and the functions compiled on their own in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from math import inf
from typing import Any, TypeAlias

from ....runtime.frozen import Place, PlaceKey
from ....runtime.guards import Guard
from ...meanings import Meanings
from ...program import Function, Program
from ...records import dataclass
from ...types import Type
from .values import Value

HiddenKey: TypeAlias = tuple[PlaceKey, int]


@dataclass(frozen=True, slots=True, eq=False)
class Hidden:
    """An array from outside that is a parameter of the program: a value's location, and which of its arrays it is."""

    place: Place
    index: int
    type: Type
    wish: str

    @property
    def key(self) -> HiddenKey:
        return self.place.key, self.index


@dataclass(frozen=True, slots=True, eq=False)
class Specialised:
    """A typed program and how its leaves relate to Python's containers.

    arguments   parameter name -> structure whose leaves are `Leaf`s naming the program's parameters
    result      structure whose leaves are `Out`s among the program's results
    mutated     the parameters to write back, one for each of the last results
    hidden      the last parameters, which come from outside rather than from the caller
    exceptions  the exception classes that it may raise, by name
    guards      what was read from outside
    cut         the pullback, if the derivative is in split mode
    """

    program: Program
    arguments: Mapping[str, Value]
    result: Value
    mutated: tuple[str, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    exceptions: Mapping[str, type[BaseException]] = field(default_factory=dict)
    guards: tuple[Guard, ...] = ()
    cut: Cut | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """The pullback of a derivative in split mode (`reverse/forward_and_pullback.py`).

    pullback    the name of its function in the program; the entry is the forward sweep
    first       the position of the first residual among the results of the entry
    cotangents  the structure of what is differentiated, over the parameters of the pullback
    slopes      the structure of the cotangents of the arguments, over the results of the pullback
    """

    pullback: str
    first: int
    cotangents: Value
    slopes: Value


@dataclass(slots=True, eq=False)
class Instance:
    """A recursive function compiled once for its argument types and called by name.

    `depth` counts the calls around it where it was compiled.  `reaches` is the least depth of a function that it calls
    and whose result was not settled yet: this one is compiled again when that result changes.  `changes` has the
    positions of the parameters whose elements it changes: it works on copies, which are its last results.  `handed`
    maps results to the parameters that they are.  `hidden` has arrays from outside that its callers pass as its last
    arguments.  `is_settled` says that its result, lengths included, is known: it was finished before it was called.
    `result` is a `Returned` if objects are copied in (`lending.py`).
    `meanings` says for each result which types Python has for it on the paths.
    `shown` has parameters that are results in Python, where the call returns copies of them.
    """

    name: str
    result: Any = None
    depth: float = 0
    reaches: float = inf
    result_types: tuple[Type, ...] = ()
    function: Function | None = None
    arguments: dict[str, Value] = field(default_factory=dict)
    may_change: bool = False
    changes: tuple[int, ...] = ()
    handed: dict[int, int] = field(default_factory=dict)
    hidden: tuple[Hidden, ...] = ()
    is_settled: bool = False
    meanings: list[Meanings] = field(default_factory=list)
    shown: tuple[int, ...] = ()

    @property
    def finished(self) -> Function:
        """Its function, of what is no longer being compiled."""
        assert self.function is not None
        return self.function
