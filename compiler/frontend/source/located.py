"""The places in the user's file of what is made beside it: those of what it is made for."""

from __future__ import annotations

from typing import TypeVar

import gast

Made = TypeVar("Made", bound=gast.AST)


def located(made: Made, like: gast.AST, anew: bool = False) -> Made:
    """The tree with the place of another node for every part that has none, or `anew` for all."""
    for part in gast.walk(made):
        if isinstance(part, gast.stmt | gast.expr) and (anew or getattr(part, "lineno", None) is None):
            gast.copy_location(part, like)
    return made
