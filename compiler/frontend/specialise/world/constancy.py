"""Constants from outside; what can change is refused where the specialiser reads it.

    K = [1.0, 2.0]; K[0] * x     ->     P007, although `K` was a tuple when the function was decorated

At decoration `effects` judges the names that it sees then; what they stand for when the function is compiled, and
compiled again, is judged here.
"""

from __future__ import annotations

from typing import Any, NoReturn

import gast

from .....runtime.frozen import Place, why_not
from .....runtime.nature import article, nature
from ...source.constant_names import is_constant_at
from ...source.resolve import INSTEAD_OF_OBJECT, instead_of_reading, is_object
from ..frame import Frame


def require_constant(frame: Frame, value: Any, name: str, node: gast.AST, place: Place | None) -> None:
    """Refuse what can change, as at decoration; the name may have stood for something else then."""
    kind, what = nature(value)
    if kind == "mutable" and (place is None or not is_constant_at(place.kind, place.owner, place.name)):
        refuse(frame, name, what, node, place is not None, why_not(value))
    if not kind and is_object(value):
        message = f"the compiler cannot see into `{name}`: it is {article(type(value).__name__)}"
        frame.fault("P008", message, node, "used here", (INSTEAD_OF_OBJECT,))


def refuse(
    frame: Frame, name: str, what: str, node: gast.AST, has_place: bool = False, reason: str = ""
) -> NoReturn:  # fmt: skip
    """Refuse a value read from outside that can change; it can be frozen if its location has a name."""
    message = f"this function reads `{name}`, {article(what)} from outside that can change"
    help_ = instead_of_reading((name,), frame.task.freeze, reason) if has_place else "pass it as an argument"
    frame.fault("P007", message, node, "read here", (help_,))
