"""What is said while functions are compiled: why, how long it takes, and that there are many.

    PELLUCID_LOG=compile     pellucid: drift(x: f64[_], dt: float) compiled in 83 ms: `x` was f32[_] before

Without being asked: a line where compiling takes more than two seconds, and a warning at the tenth compilation of one
function.  All of it goes to standard error.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import warnings
from collections.abc import Mapping
from typing import Any

from .compiler.frontend.specialise.values import Column, Mapping_, Sequence, Typed, Value, leaves, parts
from .compiler.types import Array, Scalar
from .flatten import description, key_of
from .runtime.guards import Guards

PATIENCE = 2.0  # seconds
MANY = 10
LONGEST_TYPE = 80  # characters of an argument's type in a line of this kind


class PerformanceWarning(UserWarning):
    """Something is right, and slower than it need be."""


class Announcer:
    """The compilations of one function."""

    def __init__(self, name: str, is_own: bool) -> None:
        """`is_own` says that the user wrote the function."""
        self._name, self._is_own = name, is_own
        self._before: list[Mapping[str, Value]] = []

    def compiling(self, arguments: Mapping[str, Value], outdated: Guards | None) -> Compilation:
        """One more of them, as a context; `outdated` are the guards of code that was made for these types before."""
        why = changed_outside(outdated) if outdated is not None else reason(arguments, self._before)
        self._before.append(arguments)
        if self._is_own and len(self._before) == MANY:
            warn(f"`{self._name}` has been compiled {MANY} times, the last time because {why}; PELLUCID_LOG=compile "
                 "prints each time and its reason")  # fmt: skip
        words = ", ".join(f"{name}: {in_short(value)}" for name, value in arguments.items())
        return Compilation(f"{self._name}({words})", why)


class Compilation:
    """A context that watches the time, and tells of it where that is asked for."""

    def __init__(self, what: str, why: str) -> None:
        self._what, self._why = what, why
        self._watch: threading.Timer | None = None

    def __enter__(self) -> Compilation:
        self._start = time.perf_counter()
        return self

    def begins(self) -> None:
        """It was not on disk: from here on it may take long."""
        self._watch = threading.Timer(PATIENCE, say, [f"compiling {self._what} takes more than {PATIENCE:g} seconds"])
        self._watch.daemon = True
        self._watch.start()

    @property
    def was_cached(self) -> bool:
        """Whether the code was on disk."""
        return self._watch is None

    def __exit__(self, *failed: Any) -> None:
        if self._watch is not None:
            self._watch.cancel()
        if "compile" in os.environ.get("PELLUCID_LOG", "").split(",") and failed[0] is None:
            took = 1000.0 * (time.perf_counter() - self._start)
            did = "taken from the cache" if self._watch is None else "compiled"
            say(f"{self._what} {did} in {took:.{1 if took < 10 else 0}f} ms: {self._why}")


def say(text: str) -> None:
    if sys.stderr is not None:
        print(f"pellucid: {text}", file=sys.stderr, flush=True)


def warn(text: str) -> None:
    """Warn at the line of the user that led here."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "pellucid":
        frame = frame.f_back
    code, registry = frame.f_code, frame.f_globals.setdefault("__warningregistry__", {})
    module = frame.f_globals.get("__name__")
    warnings.warn_explicit(text, PerformanceWarning, code.co_filename, frame.f_lineno, module, registry)


def in_short(value: Value) -> str:
    """The types in words; of a large container only what it is, and how many leaves it has: `Model of 48 leaves`."""
    text = description(value)
    if len(text) <= LONGEST_TYPE or not parts(value):
        return text
    otherwise = dict if isinstance(value, Mapping_) else list
    kind = getattr(value, "cls", None) or getattr(value, "kind", None) or otherwise
    count = sum(1 for leaf in leaves(value) if isinstance(leaf, Typed))
    return f"{kind.__name__} of {count} leaves"


# --- reasons -------------------------------------------------------------------------------------------------------


def changed_outside(guards: Guards) -> str:
    """What is no more as it was when the code was made."""
    broken = next((guard for guard in guards if not guard.holds()), None)
    return "something outside it has changed" if broken is None else f"it is no more so that {broken}"


def reason(arguments: Mapping[str, Value], before: list[Mapping[str, Value]]) -> str:
    """How these arguments differ from those of the compilation that is most like this one."""
    if not before:
        return "this is its first call"
    told = [[text for name in arguments for text in differences(f"`{name}`", arguments[name], old[name])]
            for old in before if old.keys() == arguments.keys()]  # fmt: skip
    least = min(reversed(told), key=lambda texts: (len(texts), "dimension" in " ".join(texts)), default=[])
    return " and ".join(least) if least else "its parameters have changed"


def differences(name: str, new: Value, old: Value) -> list[str]:
    """What is new in one argument, in words."""
    inside, were = parts(new), parts(old)
    same_shape = type(new) is type(old) and [k for k, _ in inside] == [k for k, _ in were]
    if inside and same_shape and getattr(new, "cls", None) is getattr(old, "cls", None):
        pairs = zip(inside, were, strict=True)
        return [text for (key, a), (_, b) in pairs for text in differences(_part(name, new, key), a, b)]
    if isinstance(new, Typed) and isinstance(old, Typed):
        return _of_types(name, new.type, old.type, f"{name} is {in_short(new)} and was {in_short(old)}")
    if key_of(new) == key_of(old):
        return []
    return [f"{name} is {in_short(new)} and was {in_short(old)}"]


def _of_types(name: str, new: Any, old: Any, otherwise: str) -> list[str]:
    if new == old:
        return []
    if not isinstance(new, Array) or not isinstance(old, Array):
        return [otherwise]
    if new.ndim != old.ndim:
        return [f"{name} has {new.ndim} dimension{'s' * (new.ndim != 1)} and had {old.ndim}"]
    found = [f"{name} is of {Scalar(new.dtype)} and was of {Scalar(old.dtype)}"] if new.dtype != old.dtype else []
    for axis, (a, b) in enumerate(zip(new.dims, old.dims, strict=True)):
        if (a == 1) != (b == 1):
            found.append(f"the length of axis {axis} of {name} {'became' if a == 1 else 'is no more'} 1")
    if new.layout != old.layout:
        found.append(f"{name} is {'' if new.layout == 'C' else 'not '}contiguous now")
    return found


def _part(name: str, value: Value, key: Any) -> str:
    inner = name.strip("`")
    by_key = isinstance(value, Sequence | Column) or not isinstance(key, str)
    return f"`{inner}[{key!r}]`" if by_key or type(value).__name__ == "Mapping_" else f"`{inner}.{key}`"
