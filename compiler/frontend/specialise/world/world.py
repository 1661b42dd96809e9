"""Read what a function sees outside itself, and keep a guard for everything that was read.

    world.namespace(f).read("RATE")    ->    0.1, and Guard("global", f, "RATE", 0.1) among `world.guards`

A value that was read once stays the same for the rest of a compilation, whatever other threads do meanwhile.  The
functions of Pellucid's own library are known by its version and need no guards.
"""

from __future__ import annotations

import enum
import sys
import types as python_types
from collections.abc import Iterable
from typing import Any

from .....runtime.frozen import copied
from .....runtime.guards import ABSENT, WAYS_OF_MAKING, Guard, key_of, look_up
from .....runtime.values import is_by_value
from ....ops.python_names import is_in_library
from ....records import dataclass
from ...source.constant_names import is_constant_at

IMMUTABLE_TYPE = 1 << 8  # a flag of a class: its attributes cannot be changed


class World:
    """What one compilation has read from outside so far."""

    def __init__(self) -> None:
        self.guards: dict[tuple[str, int, str], Guard] = {}

    def read(self, kind: str, owner: Any, name: str) -> Any:
        """The value there, as it was when it was first read."""
        key = key_of(kind, owner, name)
        guard = self.guards.get(key)
        if guard is None:
            found = look_up(kind, owner, name)
            found = copied(found) if is_by_value(found) and is_constant_at(kind, owner, name) else found
            guard = self.guards[key] = Guard(kind, owner, sys.intern(name), found)
        return guard.found

    def include(self, guards: Iterable[Guard]) -> None:
        """Take over what another compilation read on behalf of this one."""
        for guard in guards:
            self.guards.setdefault(key_of(guard.kind, guard.owner, guard.name), guard)

    def namespace(self, function: python_types.FunctionType, is_library: bool = False) -> Namespace:
        """The names outside a function that is walked into from now on."""
        if not is_library:
            self.function(function)
        return Namespace(self, function, is_library)

    def function(self, function: python_types.FunctionType) -> None:
        """Guard the parts of a function: its code and its defaults."""
        for name in ("__code__", "__defaults__", "__kwdefaults__"):
            self.read("field", function, name)
        code = function.__code__
        if function.__kwdefaults__ is not None:
            for name in code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]:
                self.read("keyword", function, name)

    def attribute(self, owner: Any, name: str) -> Any:
        """`owner.name`, or ABSENT."""
        if isinstance(owner, enum.Enum) and name in ("name", "value"):
            return getattr(owner, name)
        if isinstance(owner, type) and is_in_library(owner.__module__):
            return getattr(owner, name, ABSENT)
        if isinstance(owner, type):
            self._through_classes(owner, name)
            return getattr(owner, name, ABSENT)
        if not hasattr(owner, "__dict__"):
            return getattr(owner, name, ABSENT)  # it is implemented in C and has no attributes that can be set
        found = self.read("attribute", owner, name)
        if found is not ABSENT:
            return found
        in_class = _of_fixed_class(owner, name)
        if isinstance(in_class, python_types.MethodDescriptorType):
            return getattr(owner, name)  # such as `np.add.reduce`
        return ABSENT if in_class is None else self.read("computed", owner, name)

    def has_attribute(self, owner: Any, name: str) -> bool:
        """Whether there is `owner.name`.

        Of what is implemented in C the class says it for good, which then needs no guard that only Python can ask.
        """
        if isinstance(owner, type) or not hasattr(owner, "__dict__"):
            return self.attribute(owner, name) is not ABSENT
        return _of_fixed_class(owner, name) not in (None, ABSENT) or self.attribute(owner, name) is not ABSENT

    def _through_classes(self, cls: type, name: str) -> None:
        """Guard the look-up of an attribute of a class: its own, those of its bases and its metaclass."""
        for way in (cls, type(cls)):
            if not _can_change(way):
                continue
            self.read("field", way, "__mro__")
            for base in filter(_can_change, way.__mro__):
                if self.read("attribute", base, name) is not ABSENT:
                    break

    def record(self, cls: type) -> None:
        """Guard how a NamedTuple or a dataclass is made."""
        for name in WAYS_OF_MAKING:
            found = self.attribute(cls, name)
            if isinstance(found, python_types.FunctionType):
                self.function(found)


@dataclass(frozen=True, slots=True, eq=False)
class Namespace:
    """The names that a function sees and does not bind itself."""

    world: World
    function: Any
    is_library: bool

    def read(self, name: str) -> Any:
        """The value of a variable around the function, a global or a builtin; ABSENT if there is none."""
        look = look_up if self.is_library else self.world.read
        if name in self.function.__code__.co_freevars:
            return look("cell", self.function, name)
        found = look("global", self.function, name)
        return found if found is not ABSENT else look("builtin", None, name)

    def attribute(self, owner: Any, name: str) -> Any:
        """`owner.name`, or ABSENT."""
        return getattr(owner, name, ABSENT) if self.is_library else self.world.attribute(owner, name)

    def has_attribute(self, owner: Any, name: str) -> bool:
        """Whether there is `owner.name`."""
        return hasattr(owner, name) if self.is_library else self.world.has_attribute(owner, name)


def _of_fixed_class(owner: Any, name: str) -> Any:
    """What a class that cannot be changed has under a name, None where it has nothing; else ABSENT.

    A module computes attributes by a function that is an attribute of its own.
    """
    if isinstance(owner, python_types.ModuleType) or any(map(_can_change, type(owner).__mro__)):
        return ABSENT
    return next((vars(base)[name] for base in type(owner).__mro__ if name in vars(base)), None)


def _can_change(cls: type) -> bool:
    return not cls.__flags__ & IMMUTABLE_TYPE
