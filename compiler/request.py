"""What a `Function` asks of the compiler, apart from its arguments.

    grad(loss, argnums=(0, 1))    ->    Request(loss, transforms=(Gradient((0, 1)),))
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable
from dataclasses import field, fields, replace
from types import FunctionType
from typing import Any, ClassVar

from ..runtime.frozen import Freeze, Frozen
from .records import dataclass


class Transformation:
    """What is asked of a function: its derivative, its batched form.  `transforming.py` says how it is made.

    suffix     what the name of the new function ends with
    signature  the parameters of the new function, given those of the function that it is made of
    """

    __slots__ = ()
    suffix: ClassVar[str]

    def signature(self, given: inspect.Signature) -> inspect.Signature:
        return given

    def behind(self, count: int, named: tuple[str, ...] = ()) -> Transformation:
        """The same asked of a function whose first arguments are given, as a method's is, and some by name."""
        raise NotImplementedError

    def options(self) -> tuple[Any, ...]:
        """The class and the options, as plain data."""
        return type(self).__name__, *(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Gradient(Transformation):
    """A request to differentiate with respect to the arguments at these places."""

    suffix = "grad"
    argnums: int | tuple[int, ...] = 0
    has_aux: bool = False
    with_value: bool = False

    def behind(self, count: int, named: tuple[str, ...] = ()) -> Gradient:
        numbers = self.argnums if isinstance(self.argnums, tuple) else (self.argnums,)
        moved = tuple(number + count if number >= 0 else number for number in numbers)
        return replace(self, argnums=moved if isinstance(self.argnums, tuple) else moved[0])


@dataclass(frozen=True, slots=True)
class Tangent(Transformation):
    """A request to carry tangents along: of (primals, tangents), two tuples.

    kept   how many parameters stay in front, and have no tangent: those that a method or a `partial` is given
    named  those that a `partial` is given by name
    """

    suffix = "jvp"
    has_aux: bool = False
    with_value: bool = True
    kept: int = 0
    named: tuple[str, ...] = ()

    def signature(self, given: inspect.Signature) -> inspect.Signature:
        parameters = list(given.parameters.values())
        kept = [p.replace(default=p.empty) for p in parameters[: self.kept]]
        named = [p.replace(kind=p.KEYWORD_ONLY) for p in parameters if p.name in self.named]
        held = {p.name for p in (*kept, *named)}
        return inspect.Signature([*kept, *(_plain(n, held) for n in ("primals", "tangents")), *named])

    def behind(self, count: int, named: tuple[str, ...] = ()) -> Tangent:
        return replace(self, kept=self.kept + count, named=(*self.named, *named))


def _plain(name: str, taken: set[str]) -> inspect.Parameter:
    """A parameter that is called so, or nearly so where one that stays has the name."""
    while name in taken:
        name = f"{name}_"
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def wants_line_tables() -> bool:
    """Whether the environment asks for them in all functions."""
    return os.environ.get("PELLUCID_LINE_TABLES", "0") not in ("", "0")


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """A Python function and the options it is compiled with.

    `frozen` keeps the values of what `freeze` names; derivatives of the function share them.
    """

    python: Any
    static: tuple[str, ...] = ()
    mutates: tuple[str, ...] = ()
    freeze: Freeze = ()
    fastmath: bool = False
    parallel: bool = True
    rewrite: bool = True
    line_tables: bool = field(default_factory=wants_line_tables)
    transforms: tuple[Transformation, ...] = ()
    frozen: Frozen = field(default_factory=Frozen)

    def signature(self) -> inspect.Signature:
        """The parameters of the function behind all transformations."""
        found = inspect.signature(self.python)
        for transform in self.transforms:
            found = transform.signature(found)
        return found


def suffixes(transforms: Iterable[Transformation]) -> str:
    """What the name of a function ends with behind these transformations."""
    return "".join(f"_{transform.suffix}" for transform in transforms)


def namespace_of(function: FunctionType) -> dict[str, Any]:
    """The globals of a function and, over them, the variables it closes over."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    held = {}
    for name, cell in cells:
        try:
            held[name] = cell.cell_contents
        except ValueError:
            continue
    return {**function.__globals__, **held}
