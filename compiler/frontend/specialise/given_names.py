"""Note what the user calls a value that has only a temporary name, while a function is walked through.

    rate = speed(2.0 * x, k)      `t`, which is 2.0 * x, is the parameter `prey` of `speed`, its result `t_1` is `rate`

The first name of each value is in `Names.given`, which a trial run restores; the pass `give_names` renames.
"""

from __future__ import annotations

from ...names import base_of
from .frame import Frame
from .values import Leaf, Value

PASSING = ("t", "result")


def note_name(frame: Frame, name: str, value: Value, is_parameter: bool = False) -> None:
    """Note that the user calls this value so: as a target, or as a parameter of a function that is walked into."""
    if frame.is_library or name in frame.made_names or not name.isidentifier() or not isinstance(value, Leaf):
        return
    base = base_of(value.name)
    if base in PASSING and not _is_variable(frame, base, value):
        frame.builder.names.given.setdefault(value.name, (name, is_parameter))


def _is_variable(frame: Frame, name: str, value: Value) -> bool:
    """Whether a variable that the user called so holds this value, here or in a surrounding function."""
    around: Frame | None = frame
    while around is not None:
        if around.variables.get(name) == value:
            return True
        around = around.caller or around.outer
    return False
