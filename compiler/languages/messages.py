"""The arguments of a printed exception, as a program holds them.

    ValueError(f"bad {x} at {i:03}")    ->    "bad {} at {:03}" and the values x, i
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ..messages import Argument, Message, escaped


def message_of(arguments: Sequence[gast.expr]) -> tuple[Message, list[gast.expr]]:
    """The printed arguments of an exception as `syntax.raise_` takes them: formats, constants and values."""
    message: list[Argument] = []
    values: list[gast.expr] = []
    for argument in arguments:
        match argument:
            case gast.Constant(value=str() as text):
                message.append(escaped(text))
            case gast.Constant(value=value):
                message.append((value,))
            case gast.JoinedStr(values=pieces):
                message.append("".join(map(_format_of, pieces)))
                values += [piece.value for piece in pieces if not isinstance(piece, gast.Constant)]
            case _:
                message.append(None)
                values.append(argument)
    return tuple(message), values


def _format_of(piece: gast.expr) -> str:
    if isinstance(piece, gast.Constant):
        return escaped(str(piece.value))
    assert isinstance(piece, gast.FormattedValue)
    conversion = "" if piece.conversion < 0 else f"!{chr(piece.conversion)}"
    form = "" if piece.format_spec is None else ":" + "".join(p.value for p in piece.format_spec.values)
    return "{" + conversion + form + "}"
