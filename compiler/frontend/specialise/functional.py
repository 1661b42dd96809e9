"""Kinds of values that are called: local functions, their derivatives, methods, functions with bound arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...records import dataclass
from .values import Kind, Parts, Value, renewed

if TYPE_CHECKING:
    import gast


@dataclass(frozen=True, slots=True, eq=False)
class Closure(Kind):
    """A function defined inside the compiled one: its tree and the frame whose variables it sees.

    `attributes` are known values, which were assigned to it after it was defined.
    """
    node: gast.FunctionDef | gast.Lambda
    frame: Any
    defaults: tuple[Value, ...] = ()
    keyword_defaults: tuple[Value | None, ...] = ()
    attributes: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Derived(Kind):
    """A derivative of a function defined inside the compiled one; `environment` is what that of a pullback captured."""
    closure: Closure
    transforms: tuple[Any, ...]
    environment: Any = None


@dataclass(frozen=True, slots=True)
class Bound(Kind):
    """A method of a value, before it is called: `x.sum`."""
    receiver: Value
    method: str

    def inside(self) -> Parts:
        return (("receiver", self.receiver),)

    def around(self, new: tuple[Value, ...]) -> Value:
        return Bound(new[0], self.method)

    def facts(self) -> Any:
        return self.method


@dataclass(frozen=True, slots=True)
class Partial(Kind):
    """A function with its first arguments and some by name: `functools.partial(f, 1.0)`, the method `lens.apply`."""
    function: Value
    args: tuple[Value, ...] = ()
    named: tuple[tuple[str, Value], ...] = ()

    def inside(self) -> Parts:
        return ("function", self.function), *enumerate(self.args), *self.named

    def around(self, new: tuple[Value, ...]) -> Value:
        count = 1 + len(self.args)
        return Partial(new[0], new[1:count], renewed(self.named, new[count:]))


@dataclass(frozen=True, slots=True)
class Super(Kind):
    """`super()`: the attributes of a value, or of a class, looked up after `cls` in its method resolution order."""
    cls: type
    receiver: Value

    def inside(self) -> Parts:
        return (("receiver", self.receiver),)

    def around(self, new: tuple[Value, ...]) -> Value:
        return Super(self.cls, new[0])

    def facts(self) -> Any:
        return self.cls
