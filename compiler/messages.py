"""The arguments of an exception as a program holds them: formats, constants, values.

    raise Mine(f"no root in {a:.3f}", 3, b)     ->     ("no root in {:.3f}", (3,), None), with the values a and b

What is no number (an array, a list) is written `[...]`: a compiled function asks Python for the string then.
"""

from __future__ import annotations

from typing import Any

# a format, `(c,)` for a constant, None for the next value as it is
Argument = str | tuple[Any] | None
# the arguments, or the format of the only one; "" for none
Message = str | tuple[Argument, ...]


UNSHOWN = "[...]"


def message_arguments(message: Message) -> tuple[Argument, ...]:
    """A message with an entry for each argument."""
    return message if isinstance(message, tuple) else (message,) if message else ()


def has_gap(message: Message) -> bool:
    """Whether something is left out that Python would show."""
    return any(isinstance(part, str) and UNSHOWN in part for part in message_arguments(message))


def escaped(text: str) -> str:
    """A format that stands for this string."""
    return text.replace("{", "{{").replace("}", "}}")
