"""Rules of derivatives that are functions in the language, in `pellucid/numpy/derivatives.py` and `tangents.py`.

    vjp=[in_language("prod")]         ->     def prod(x, out, out_bar, axis, keepdims): ...
    jvp=tangent_in_language("prod")   ->     def prod(x, out, x_dot, axis, keepdims): ...

Such a function takes the operands, the result, the cotangent of the result as an array of its shape, and the static
parts by name; it gives the cotangent of the operand.  Of several results, all come before all of their cotangents, of
which those that are not needed are None.  A rule for tangents takes those of the operands, None for zeros, and gives
those of the results, None for one that has none.  The specialiser walks through it where the derivative is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from math import factorial
from typing import TYPE_CHECKING, Any, NoReturn

from .. import syntax
from .cotangents import Atom, Atoms, Static, filled
from .schema import TypeFault

if TYPE_CHECKING:
    from ..builder import Builder

Rule = Callable[..., Any]
NOTHING = syntax.constant(None)
LIBRARY = "pellucid.numpy"
SLOPES = "pellucid.scipy"
SCHEDULES = f"{LIBRARY}.schedules"


def function_of(name: str, module: str) -> Any:
    """A function of the library, in this module of it unless the name says another: `banded_slopes:solve_banded`."""
    inside, _, last = name.rpartition(":")
    return getattr(import_module(f"{LIBRARY}.{inside or module}"), last)


def schedule(name: str) -> Any:
    """A function in the language that says when states are kept."""
    return getattr(import_module(SCHEDULES), name)


def in_language(name: str) -> Rule:
    """The rule that walks through a function."""

    def rule(
        builder: Builder, operands: Atoms, static: Static, out: Atom | Atoms, out_bar: Atom | Sequence[Atom | None]
    ) -> Atom | None:
        function = function_of(name, "derivatives")
        outs: Any = out if isinstance(out, Sequence) else [out]
        bars: Any = out_bar if isinstance(out_bar, Sequence) else [out_bar]
        full = [NOTHING if bar is None else filled(builder, bar, o) for o, bar in zip(outs, bars, strict=True)]
        (value,) = builder.expand(function, [*operands, *outs, *full], static)
        return value

    return rule


def slope_in_language(name: str, file: str = "slopes") -> Rule:
    """The partial derivative of an elementwise row that is a function of the operands and the result."""

    def rule(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom:
        (value,) = builder.expand(getattr(import_module(f"{SLOPES}.{file}"), name), [*operands, out], static)
        return builder.call("multiply", out_bar, value)

    return rule


def series_in_language(name: str) -> Rule:
    """The rule that walks through a function of the coefficients of the polynomial that the operand is along the curve,
    which gives the highest coefficient of the result."""

    def rule(builder: Builder, operands: Atoms, terms: Sequence[Sequence[Atom]], static: Static) -> Atom:
        (x,), (given,) = operands, terms
        scaled = [given[0], *(builder.call("multiply", t, 1 / factorial(k)) for k, t in enumerate(given[1:], 2))]
        (value,) = builder.expand(function_of(name, "tangents"), [x, scaled], static)
        return builder.call("multiply", value, float(factorial(len(given))))

    return rule


def series_of_moved(name: str) -> Rule:
    """The rule of what moves elements alone, by the function for tangents: those of every order go the same way."""
    first = tangent_in_language(name)

    def rule(builder: Builder, operands: Atoms, terms: Sequence[Sequence[Atom]], static: Static) -> Atom:
        (given,) = terms
        made: Atom = first(builder, operands, [given[-1]], static, operands[0])
        return made

    return rule


def tangent_in_language(name: str) -> Rule:
    """The rule that walks through a function of the same name for tangents."""

    def rule(
        builder: Builder, operands: Atoms, tangents: Sequence[Atom | None], static: Static, out: Atom | Atoms
    ) -> Atom | tuple[Atom | None, ...] | None:
        function = function_of(name, "tangents")
        outs: Any = out if isinstance(out, Sequence) else [out]
        given = [NOTHING if tangent is None else tangent for tangent in tangents]
        values = builder.expand(function, [*operands, *outs, *given], static)
        return values if isinstance(out, Sequence) else values[0]

    return rule


def without_slope(what: str) -> Rule:
    """The rule of what has no derivative that is known here, backwards or forwards: refused rather than wrong."""

    def rule(*_: object) -> NoReturn:
        raise TypeFault("G003", f"{what} have no derivative here")

    return rule
