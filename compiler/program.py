"""The records that travel through the pipeline: `Program`, `Function`, `Origin`.

A function is parameters, a body of gast statements and a table from every name to its type.  Records are never changed:
a pass returns a new one, or the same object when there was nothing to do.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from functools import wraps
from typing import Any, TypeVar

import gast

from .diagnostics import Span
from .records import dataclass
from .types import Type


@dataclass(frozen=True, slots=True)
class Unnumbered:
    """The parameters of a user's function that are not one argument each by position: `*args` and `**options`, which
    take any number, and those that are given by name only.
    """

    starred: frozenset[str] = frozenset()
    by_name: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a function stands in the user's file, and its own lines there."""

    file: str
    name: str
    line: int
    text: str = field(repr=False, default="")

    @property
    def place(self) -> str:
        return f"{os.path.basename(self.file)}:{self.line}"


@dataclass(frozen=True, slots=True)
class Reason:
    """Where the user's program needs two lengths to be equal, and for which operator, as that is written."""

    span: Span | None
    inlined: tuple[Span, ...] = ()
    operator: str = ""

    @property
    def words(self) -> str:
        return "they have to be equal here" + (f", for `{self.operator}`" if self.operator else "")


@dataclass(frozen=True, slots=True)
class Decision:
    """What `explain` says about a topic.  Where an array is `stored` that another step may do without, its name, and
    `place`, how it is spoken of.
    """

    topic: str
    text: str
    stored: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """How a function of the program is differentiated, where the user says so: by calling others, never its own body.

    kind       `vjp`: `functions` are the one called in its place in the forward sweep, which gives its results and what
               `backward` reads of them, the residuals, and `backward`, which takes residuals, the parameters
               `given`, and the cotangents of `outs`, and gives the cotangents of `wrt`.
               `jvp`: `functions` is the one that takes the parameters and the tangents of `wrt` and gives the results
               and the tangents of `outs`.
               `checkpoint`: the function that is run again in its place, or none: the function itself
               `split`:  as `vjp`, made by the compiler; `given` are passed in again, and may have a derivative
    wrt        the parameters, by number, that have a derivative, as far as the rule speaks of them
    outs       the results, by number, that have one
    given      the parameters, by number, that the rule reads and that have none; no derivative may reach them
    arguments  how many parameters there are, those from outside left aside, which come last in all of these functions
    in_forward  the rule for forward mode, of kind `jvp`, where the user gives one beside that for reverse mode
    """

    kind: str
    functions: tuple[str, ...]
    wrt: tuple[int, ...]
    outs: tuple[int, ...]
    given: tuple[int, ...]
    arguments: int
    in_forward: Rule | None = None

    @property
    def everything(self) -> tuple[str, ...]:
        """All functions that derivatives call."""
        return (*self.functions, *(self.in_forward.functions if self.in_forward is not None else ()))

    @property
    def is_split(self) -> bool:
        """Whether the first of its functions is called in place of the function, and the second goes backwards."""
        return self.kind in ("vjp", "split")

    def renamed(self, names: Mapping[str, str]) -> Rule:
        other = None if self.in_forward is None else self.in_forward.renamed(names)
        return replace(self, functions=tuple(names.get(name, name) for name in self.functions), in_forward=other)


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """One function at one stage.  `types` is empty before the typed stage; `results` are the leaves returned.

    `notes` are lines for the head of the printed form; `decisions` are for `explain`.
    `reasons` say of axes of parameters which statement needs them to have the length that their types share with
    others.  `temporaries` are names that the compiler made, which the printer may fold away, besides those that
    `made_names` finds to be in none of the user's lines; `unnamed` are results that the header gives no name although
    they have one.  `given` says what the user calls values that have a passing
    name, and whether as parameters, for the pass `give_names`.  `wishes` says what local names would rather be called,
    for the pass `tidy_names`.  `rule` says how the user has it differentiated; calls of such a function stay calls
    until all derivatives are taken, and those of a function that `is_kept` for good; one that `is_shared` stands for
    many calls, and a transformation may inline it again.  `walked_into` has the functions that were, by the places
    of their calls.  Of one that `is_judged` it is known that no store shows through another name.  What the results of
    one share that `keeps_apart` is relied on: no pass lets them share more.  Loops stay `as_written` where the user
    forbids to replace them.
    `changed` are the parameters, by number, that the last results are written back to, and `in_place` those of them
    whose elements the function stores itself: the call has seen to it that they share memory with no other argument.
    `donated` are those whose memory the call gives away: a result may take it, and they are `in_place` then.
    `held` is where analyses keep their answers (`remembered`).
    """

    name: str
    parameters: tuple[str, ...]
    body: tuple[gast.stmt, ...]
    stage: str
    origin: Origin
    types: Mapping[str, Type] = field(default_factory=dict)
    results: tuple[Type, ...] = ()
    notes: tuple[str, ...] = ()
    decisions: tuple[Decision, ...] = ()
    temporaries: frozenset[str] = frozenset()
    reasons: Mapping[tuple[str, int], Reason] = field(default_factory=dict)
    unnamed: frozenset[str] = frozenset()
    given: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    wishes: Mapping[str, str] = field(default_factory=dict)
    rule: Rule | None = None
    is_kept: bool = False
    is_shared: bool = False
    walked_into: Mapping[Span, Origin] = field(default_factory=dict)
    is_judged: bool = False
    keeps_apart: bool = False
    as_written: bool = False
    changed: tuple[int, ...] = ()
    in_place: tuple[int, ...] = ()
    donated: tuple[int, ...] = ()
    held: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def spoken(self) -> str:
        """What a note calls it: `energy (physics.py:12)`."""
        return f"{self.name} ({self.origin.place})" if self.origin.line else self.name

    def with_(self, **changes: object) -> Function:
        return replace(self, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """The functions of one compilation; `entry` names the one that is called from Python."""

    entry: str
    functions: Mapping[str, Function]

    @property
    def main(self) -> Function:
        return self.functions[self.entry]

    def map(self, change) -> Program:
        """Apply `change` to every function; the same program when every function came back as it was."""
        changed = {name: change(function) for name, function in self.functions.items()}
        if all(changed[name] is function for name, function in self.functions.items()):
            return self
        return Program(self.entry, changed)


Facts = TypeVar("Facts")


def remembered(analysis: Callable[[Function], Facts]) -> Callable[[Function], Facts]:
    """An analysis that is made once per function: the record never changes, and neither does the answer.

        facts = def_use(function)    walks the body
        again = def_use(function)    the same object
    """

    @wraps(analysis)
    def ask(function: Function) -> Facts:
        held = function.held
        if analysis not in held:
            held[analysis] = analysis(function)
        found: Facts = held[analysis]
        return found

    return ask


def hand_on(analysis: Callable[[Function], Facts], before: Function, after: Function) -> None:
    """Let the answer of a remembered analysis, where there is one, stand for a function that it holds for as well."""
    key = analysis.__wrapped__  # type: ignore[attr-defined]  # what `remembered` was put around
    if key in before.held:
        after.held[key] = before.held[key]
