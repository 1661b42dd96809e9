"""Rules of derivatives that are functions in the language, in `pellucid/numpy/derivatives.py`.

    vjp=[in_language("prod")]     ->     def prod(x, out, out_bar, axis, keepdims): ...

Such a function takes the operands, the result, the cotangent of the result as an array of its shape, and the static
parts by name; it gives the cotangent of the operand.  The specialiser walks through it where the cotangent is wanted.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .cotangents import Atom, Atoms, Static, filled

if TYPE_CHECKING:
    from ..builder import Builder

Rule = Callable[..., Any]
MODULE = "pellucid.numpy.derivatives"


def in_language(name: str) -> Rule:
    """The rule that walks through a function."""

    def rule(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom | None:
        function = getattr(import_module(MODULE), name)
        (value,) = builder.expand(function, [*operands, out, filled(builder, out_bar, out)], static)
        return value

    return rule
