"""Rules of derivatives that are functions in the language, in `pellucid/numpy/derivatives.py`.

    vjp=[in_language("prod")]     ->     def prod(x, out, out_bar, axis, keepdims): ...

Such a function takes the operands, the result, the cotangent of the result as an array of its shape, and the static
parts by name; it gives the cotangent of the operand.  Of several results, all come before all of their cotangents, of
which those that nobody asks for are None.  The specialiser walks through it where the cotangent is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .. import syntax
from .cotangents import Atom, Atoms, Static, filled

if TYPE_CHECKING:
    from ..builder import Builder

Rule = Callable[..., Any]
NOTHING = syntax.constant(None)
MODULE = "pellucid.numpy.derivatives"


def in_language(name: str) -> Rule:
    """The rule that walks through a function."""

    def rule(
        builder: Builder, operands: Atoms, static: Static, out: Atom | Atoms, out_bar: Atom | Sequence[Atom | None]
    ) -> Atom | None:
        function = getattr(import_module(MODULE), name)
        outs: Any = out if isinstance(out, Sequence) else [out]
        bars: Any = out_bar if isinstance(out_bar, Sequence) else [out_bar]
        full = [NOTHING if bar is None else filled(builder, bar, o) for o, bar in zip(outs, bars, strict=True)]
        (value,) = builder.expand(function, [*operands, *outs, *full], static)
        return value

    return rule
