"""Local functions that are compiled on their own: the variables they see become arguments.

    k = x[1]                                    def power(n, k):
    def scaled(v): return v * k                     if n == 0: return 1.0
    def power(n):                        ->         t = power(n - 1, k)
        if n == 0: return 1.0                       return k * t
        return scaled(power(n - 1))

A function sees variables around it and, through the functions it mentions, those that they see.  In the compiled one,
all of them stand in frames of their own, so that no name of the place around it is mistaken for one of the function.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import gast

from ...records import dataclass
from .frame import Frame
from .values import Closure, Derived, Dropped, Leaf, Ref, Rows, Static, Undefined, Value, parts, with_parts


@dataclass(slots=True, eq=False)
class Seen:
    """What one local function sees: variables by the key they are passed under, and other local functions."""

    closure: Closure
    variables: dict[str, str] = field(default_factory=dict)
    functions: dict[str, tuple[int, Any]] = field(default_factory=dict)
    defaults: tuple[str, ...] = ()
    keyword_defaults: tuple[str | None, ...] = ()


class Passed(str):
    """The key of a variable that several functions may have under its name; as a parameter it goes by that."""

    name: str

    def __str__(self) -> str:
        return self.name


class Environment:
    """Everything that a local function sees, itself first, and the values to be passed.

    `prefix` begins the keys of what a function passes that is not the one called: its defaults are among them.
    """

    def __init__(self, closure: Closure, prefix: str = "") -> None:
        self.passed: dict[str, Value] = {}
        self.seen: list[Seen] = []
        self._keys: dict[tuple[int, str], str] = {}
        self._has_defaults = bool(prefix)
        self._visit(closure, prefix)

    @property
    def identity(self) -> tuple:
        """What is compiled, but for the values passed: functions, which mention each other and variables by name."""
        return tuple(
            (id(s.closure.node), tuple(s.variables.items()), tuple(s.functions.items()), s.defaults, s.keyword_defaults)
            for s in self.seen
        )

    def _visit(self, closure: Closure, prefix: str) -> int:
        for place, known in enumerate(self.seen):
            if is_one(known.closure, closure):
                return place
        made = Seen(closure)
        self.seen.append(made)
        place = len(self.seen) - 1
        for name in free_names(closure.node):
            value = closure.frame.lookup(name)
            match value:
                case Closure():
                    made.functions[name] = (self._visit(value, f"{name}."), None)
                case Derived():
                    made.functions[name] = (self._visit(value.closure, f"{name}."), value.transforms)
                case None | Undefined() | Dropped():
                    pass
                case _:
                    made.variables[name] = self._key(closure.frame, name, prefix, value)
                    for number, held in enumerate(_functions_in(closure.frame.tree(value))):
                        self._visit(held, f"{name}.{number}.")
        if prefix:  # those of the function that is called are among its arguments
            made.defaults = tuple(self._pass(f"{prefix}default_{k}", v) for k, v in enumerate(closure.defaults))
            made.keyword_defaults = tuple(
                None if v is None else self._pass(f"{prefix}keyword_{k}", v)
                for k, v in enumerate(closure.keyword_defaults)
            )
        return place

    def _key(self, frame: Frame, name: str, prefix: str, value: Value) -> str:
        holder = frame
        while name not in holder.variables and holder.outer is not None:
            holder = holder.outer
        if (id(holder), name) not in self._keys:
            key: str = f"{prefix}{name}"
            if self._has_defaults:
                key = passed = Passed(key)
                passed.name = name
            self._keys[id(holder), name] = self._pass(key, value)
        return self._keys[id(holder), name]

    def _pass(self, key: str, value: Value) -> str:
        self.passed[key] = value
        return key

    def enter(self, inner: Frame) -> None:
        """Put what was passed into frames around the function that is being compiled."""
        inner.outer = self.entered(inner).frame

    def entered(self, inner: Frame) -> Closure:
        """The function as it is inside the one that is being compiled, to which all that it sees was passed."""
        given: Mapping[str, Value] = {key: inner.variables.pop(key) for key in self.passed}
        frames = [
            Frame(
                inner.task, inner.builder, s.closure.frame.source, s.closure.frame.namespace,
                {name: given[key] for name, key in s.variables.items()},
            )
            for s in self.seen
        ]  # fmt: skip
        functions = [
            Closure(
                s.closure.node, frame,
                tuple(given[key] for key in s.defaults) if k or self._has_defaults else s.closure.defaults,
                tuple(None if key is None else given[key] for key in s.keyword_defaults)
                if k or self._has_defaults else s.closure.keyword_defaults,
            )
            for k, (s, frame) in enumerate(zip(self.seen, frames, strict=True))
        ]  # fmt: skip
        for s, frame in zip(self.seen, frames, strict=True):
            for name, (place, transforms) in s.functions.items():
                function = functions[place]
                frame.variables[name] = function if transforms is None else Derived(function, transforms)
        self._move_in(inner, frames, functions)
        return functions[0]

    def _move_in(self, inner: Frame, frames: Sequence[Frame], functions: Sequence[Closure]) -> None:
        """Put the functions in here in the place of those outside, in the containers that were passed."""

        def moved(value: Value) -> Value:
            match value:
                case Closure():
                    pairs = zip(self.seen, functions, strict=True)
                    return next((own for seen, own in pairs if is_one(seen.closure, value)), value)
                case Derived(closure=closure, transforms=transforms, environment=None):
                    return Derived(moved(closure), transforms)
            inside = parts(value)
            return with_parts(value, tuple(moved(part) for _, part in inside)) if inside else value

        for frame in frames:
            frame.variables.update({name: moved(value) for name, value in frame.variables.items()})
        contents = inner.builder.heap.contents
        contents.update({number: moved(value) for number, value in contents.items()})


def _functions_in(value: Value) -> list[Closure]:
    """The local functions that a value holds, but for those of pullbacks, which bring along what they saw."""
    match value:
        case Closure():
            return [value]
        case Derived(closure=closure, environment=None):
            return [closure]
        case Derived():
            return []
    return [found for _, part in parts(value) for found in _functions_in(part)]


def keeps_own_numbers(frame: Frame, value: Value) -> bool:
    """Whether a value has a function that keeps numbers of the run which are no variables of this place.

    Those are its defaults, and what a function around it, called to make it, had as variables.
    """
    if isinstance(value, Derived):
        return keeps_own_numbers(frame, value.closure)
    if not isinstance(value, Closure):
        return any(keeps_own_numbers(frame, part) for _, part in parts(value))
    kept = [v for v in (*value.defaults, *value.keyword_defaults) if v is not None]
    kept += [v for holder, v in _kept(value) if not _is_around(holder, frame)]
    return any(_is_of_the_run(frame, v) for v in kept)


def _is_of_the_run(frame: Frame, value: Value) -> bool:
    if isinstance(value, Static | Closure | Derived):
        return keeps_own_numbers(frame, value)
    inner = parts(value)
    return any(_is_of_the_run(frame, part) for _, part in inner) if inner else isinstance(value, Leaf | Ref | Rows)


def _kept(closure: Closure) -> list[tuple[Frame, Value]]:
    """The variables that a function sees, each with the frame that holds it."""
    found = []
    for name in free_names(closure.node):
        holder: Frame | None = closure.frame
        while holder is not None and name not in holder.variables:
            holder = holder.outer
        if holder is not None:
            found.append((holder, holder.variables[name]))
    return found


def _is_around(holder: Frame, frame: Frame) -> bool:
    inner: Frame | None = frame
    while inner is not None and inner is not holder:
        inner = inner.outer
    return inner is holder


def free_names(node: Any) -> list[str]:
    """The names that a function mentions and does not take as arguments."""
    spec = node.args
    own = {a.id for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs, spec.vararg, spec.kwarg) if a is not None}
    parts = [node.body] if isinstance(node, gast.Lambda) else node.body
    return sorted({n.id for part in parts for n in gast.walk(part) if isinstance(n, gast.Name)} - own)


def is_one(left: Closure, right: Closure) -> bool:
    """Whether two are one function; each run of the statements around a function makes another one."""
    return left.node is right.node and left.frame is right.frame


def joined_functions(left: Value, right: Value) -> Value | None:
    """The function that a variable stands for after two paths with a definition each; None where it may be another.

    A definition that is run again, as in the next turn of a loop, makes a function that does the same: the variables it
    sees are those of the place, whose values are the latest.  It is another object, whose identity only the run knows.
    """
    match left, right:
        case Closure(), Closure() if is_one(left, right) and _has_same_defaults(left, right):
            return dataclasses.replace(left)
        case Derived(transforms=transforms), Derived(transforms=others):
            if transforms == others and left.environment is right.environment:
                closure = joined_functions(left.closure, right.closure)
                return closure and dataclasses.replace(left, closure=closure)
    return None


def _has_same_defaults(left: Closure, right: Closure) -> bool:
    return (left.defaults, left.keyword_defaults) == (right.defaults, right.keyword_defaults)


def reaches_itself(closure: Closure) -> bool:
    """Whether a local function can call itself, directly or through other local functions."""
    if not any(isinstance(closure.frame.lookup(name), Closure | Derived) for name in free_names(closure.node)):
        return False
    queue, met = [closure], [closure]
    while queue:
        found = queue.pop()
        for name in free_names(found.node):
            value = found.frame.lookup(name)
            other = value.closure if isinstance(value, Derived) else value
            if not isinstance(other, Closure):
                continue
            if is_one(other, closure):
                return True
            if not any(is_one(other, known) for known in met):
                met.append(other)
                queue.append(other)
    return False
