"""Closure conversion for functions compiled on their own: captured variables of local functions become arguments.

    k = x[1]                                    def power(n, k):
    def scaled(v): return v * k                     if n == 0: return 1.0
    def power(n):                        ->         t = power(n - 1, k)
        if n == 0: return 1.0                       return k * t
        return scaled(power(n - 1))

    newton(lambda y: y * y - x, 1.0, n)      ->     newton(1.0, n, x)

A function sees variables around it and, through the functions it mentions, those that they see.  In the compiled one,
all of them are in frames of their own, so that no name at the call is mistaken for one of the function.  Among what is
passed, a hole stands for each function: the hole is the same at every call, while the function is made anew.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache
from typing import Any

from ....records import dataclass
from ..frame import Frame
from ..functional import Closure, Derived
from ..iterables import GeneratorCall
from ..values import Dropped, Leaf, Static, Undefined, Value, parts, with_parts
from .local_functions import free_names, has_same_defaults, is_one

MOST_OF_ONE = 12  # functions from one definition, each of which sees the one before


class Hole:
    """A placeholder for a function among what is passed, by its position in the environment."""

    def __init__(self, place: int, transforms: tuple[Any, ...] | None = None) -> None:
        self.place, self.transforms = place, transforms


hole = cache(Hole)


@dataclass(slots=True, eq=False)
class Seen:
    """What one local function sees: variables by the key they are passed under, and other local functions.

    `unbound` has the variables that have no value yet, `call` the generator call where it is one.
    """

    closure: Closure
    variables: dict[str, str] = field(default_factory=dict)
    functions: dict[str, tuple[int, Any]] = field(default_factory=dict)
    unbound: frozenset[str] = frozenset()
    defaults: tuple[str, ...] = ()
    keyword_defaults: tuple[str | None, ...] = ()
    call: Any = None


class Passed(str):
    """The key of a variable whose name several functions may use; its parameter has that name."""

    name: str

    def __str__(self) -> str:
        return self.name


def _key(prefix: str, name: str) -> Passed:
    key = Passed(f"{prefix}{name}")
    key.name = name
    return key


class Environment:
    """Everything that local functions see, and the values to be passed.

    `closure` is the function that is called, where it is a local one, and `given` has the arguments: functions among
    them are seen, too.  `prefix` begins the keys of what the first function passes.
    """

    def __init__(
        self, frame: Frame, closure: Closure | None = None, prefix: str = "", given: Mapping[Any, Value] | None = None
    ) -> None:
        self.frame = frame
        self.passed: dict[str, Value] = {}
        self.seen: list[Seen] = []
        self.functions: list[Closure] = []
        self._keys: dict[tuple[int, str], str] = {}
        if closure is not None:
            self._visit(closure, prefix)
        for key, value in (given or {}).items():
            self._visit_inside(value, f"{key}.")

    @property
    def identity(self) -> tuple:
        """What is compiled, apart from the values passed: functions that mention each other and variables by name."""
        return tuple(
            (id(s.closure.node), tuple(s.variables.items()), tuple(s.functions.items()), s.defaults, s.keyword_defaults)
            for s in self.seen
        )

    # --- where it is called

    def _visit(self, closure: Closure, prefix: str, call: Any = None) -> int:
        place = self._place_of(closure, self.closures)
        if place is not None:
            return place
        made = Seen(closure, call=call)
        self._require_few(closure)
        self.seen.append(made)
        place = len(self.seen) - 1
        for name in free_names(closure.node):
            value = closure.frame.lookup(name)
            match value:
                case Closure():
                    made.functions[name] = (self._visit(value, f"{name}."), None)
                case Derived(environment=None):
                    made.functions[name] = (self._visit(value.closure, f"{name}."), value.transforms)
                case None | Undefined() | Dropped():
                    if _is_bound_around(closure.frame, name):
                        made.unbound |= {name}
                case _:
                    self._see(made, name, prefix, value)
        made.defaults = tuple(self._pass(_key(prefix, f"default_{k}"), v) for k, v in enumerate(closure.defaults))
        made.keyword_defaults = tuple(
            None if v is None else self._pass(_key(prefix, f"keyword_{k}"), v)
            for k, v in enumerate(closure.keyword_defaults)
        )
        return place

    def _see(self, made: Seen, name: str, prefix: str, value: Value) -> None:
        holder: Frame = made.closure.frame
        while name not in holder.variables and holder.outer is not None:
            holder = holder.outer
        made.variables[name] = self._key(holder, name, prefix, value)
        flag = holder.variables.get(is_set(name))
        if isinstance(flag, Leaf):
            made.variables[is_set(name)] = self._key(holder, is_set(name), prefix, flag)

    def _key(self, holder: Frame, name: str, prefix: str, value: Value) -> str:
        if (id(holder), name) not in self._keys:
            self._keys[id(holder), name] = self._pass(_key(prefix, name), value)
        return self._keys[id(holder), name]

    def _pass(self, key: Passed, value: Value) -> str:
        while key in self.passed:  # the variable of another function has the same name
            key = _key(f"{key!r} ", str(key))
        self.passed[key] = value
        self._visit_inside(value, f"{key}.")
        return key

    def _visit_inside(self, value: Value, prefix: str) -> None:
        for number, (found, call) in enumerate(_functions_in(self.frame.tree(value))):
            self._visit(found, f"{prefix}{number}.", call)

    def _require_few(self, closure: Closure) -> None:
        if sum(s.closure.node is closure.node for s in self.seen) >= MOST_OF_ONE:
            name = getattr(closure.node, "name", "lambda")
            message = f"each call makes a `{name}` that sees the one before, of which there may be any number"
            self.frame.fault("U018", message, self.frame.node, "called here", ("keep numbers or arrays instead",))

    @property
    def closures(self) -> list[Closure]:
        return [s.closure for s in self.seen]

    @staticmethod
    def _place_of(closure: Closure, among: Sequence[Closure]) -> int | None:
        same = (k for k, other in enumerate(among) if is_one(other, closure) and has_same_defaults(other, closure))
        return next(same, None)

    def with_holes(self, value: Value, among: Sequence[Closure] | None = None) -> Value:
        """A value with holes for its functions; those that are unknown here stay."""
        among = self.closures if among is None else among
        match value:
            case Closure() if (place := self._place_of(value, among)) is not None:
                return Static(hole(place))
            case Derived(environment=None) if (place := self._place_of(value.closure, among)) is not None:
                return Static(hole(place, value.transforms))
            case GeneratorCall(function=call) if call.outer is not None:
                place = self._place_of(Closure(call.source.tree, call.outer), among)
                value = value if place is None else dataclasses.replace(value, function=hole(place))
        inside = parts(value)
        return with_parts(value, tuple(self.with_holes(part, among) for _, part in inside)) if inside else value

    # --- inside the function that is compiled

    def enter(self, inner: Frame, is_around: bool = True) -> None:
        """Put what was passed into frames around the function that is being compiled, with functions in the holes."""
        self.entered(inner)
        if is_around:
            inner.outer = self.functions[0].frame

    def entered(self, inner: Frame) -> Closure | None:
        """The first function inside the one that is being compiled; all that it sees was passed."""
        given: Mapping[str, Value] = {key: inner.variables.pop(key) for key in self.passed}
        frames = [
            Frame(
                inner.task, inner.builder, s.closure.frame.source, s.closure.frame.namespace,
                is_library=s.closure.frame.is_library, local_names=s.unbound,
            )
            for s in self.seen
        ]  # fmt: skip
        made: dict[int, Closure] = {}

        def function(place: int) -> Closure:
            if place not in made:
                s = self.seen[place]
                defaults = tuple(filled(given[key]) for key in s.defaults)
                by_keyword = tuple(None if key is None else filled(given[key]) for key in s.keyword_defaults)
                made[place] = Closure(s.closure.node, frames[place], defaults, by_keyword)
            return made[place]

        def filled(value: Value) -> Value:
            match value:
                case Static(value=Hole(place=place, transforms=transforms)):
                    return function(place) if transforms is None else Derived(function(place), transforms)
                case GeneratorCall(function=Hole(place=place)):
                    call = dataclasses.replace(self.seen[place].call, outer=frames[place])
                    value = dataclasses.replace(value, function=call)
            inside = parts(value)
            return with_parts(value, tuple(filled(part) for _, part in inside)) if inside else value

        for s, frame in zip(self.seen, frames, strict=True):
            frame.variables = {name: filled(given[key]) for name, key in s.variables.items()}
            for name, (place, transforms) in s.functions.items():
                frame.variables[name] = function(place) if transforms is None else Derived(function(place), transforms)
        inner.variables = {key: filled(value) for key, value in inner.variables.items()}
        contents = inner.builder.heap.contents
        contents.update({number: filled(value) for number, value in contents.items()})
        self.functions = [function(place) for place in range(len(self.seen))]
        return self.functions[0] if self.functions else None

    # --- after the call

    def left(self, value: Value) -> Value:
        """What the compiled function returns, with holes for the functions that were passed to it."""
        return self.with_holes(value, self.functions)

    def taken_back(self, found: Hole) -> Value:
        """The function at the call that stands for a hole in what the call returned."""
        closure = self.seen[found.place].closure
        return closure if found.transforms is None else Derived(closure, found.transforms)


def is_set(name: str) -> str:
    """The hidden variable that says whether `name` has a value, where that is only known at run time."""
    return f"{name} is set"


def has_functions(value: Value) -> bool:
    """Whether a value holds local functions."""
    return bool(_functions_in(value))


def _functions_in(value: Value) -> list[tuple[Closure, Any]]:
    """The local functions that a value holds, except those of pullbacks, which carry what they captured."""
    match value:
        case Closure():
            return [(value, None)]
        case Derived(closure=closure, environment=None):
            return [(closure, None)]
        case Derived():
            return []
    found = [one for _, part in parts(value) for one in _functions_in(part)]
    if isinstance(value, GeneratorCall) and value.function.outer is not None:
        found.append((Closure(value.function.source.tree, value.function.outer), value.function))
    return found


def _is_bound_around(frame: Frame | None, name: str) -> bool:
    """Whether a name is a variable of the functions around a frame."""
    while frame is not None:
        if name in frame.local_names:
            return True
        frame = frame.outer
    return False
