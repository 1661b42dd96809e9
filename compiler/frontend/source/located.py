"""Give generated nodes a location in the user's file: that of the node they are generated for."""

from __future__ import annotations

from typing import TypeVar

import gast

Made = TypeVar("Made", bound=gast.AST)


def located(made: Made, like: gast.AST, anew: bool = False) -> Made:
    """The tree with the location of another node for every part that has none, or with `anew` for all."""
    for part in gast.walk(made):
        if isinstance(part, gast.stmt | gast.expr) and (anew or getattr(part, "lineno", None) is None):
            gast.copy_location(part, like)
    return made
