"""Strings made by formats outside messages: f-strings, `str`, `format`, `%`, `hex`, of what is known now.

    f"row {3:03d}"     ->     "row 003"
    f"{word}s"         ->     the string known only at run time, with "s" appended (`built_strings.py`)
    f"k = {k}"         ->     U008, except in the message of an error, which Python words
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import gast

from .....runtime.nature import article
from ....diagnostics import Diagnostic
from ....messages import UNSHOWN
from ....types import Scalar
from .. import protocol, static_advice
from ..called_from import calls_to
from ..exceptions import raising
from ..frame import Frame, NeedsStatic
from ..interpreter import evaluate
from ..library.static_python import computed
from ..values import Leaf, Sequence, Static, Value
from . import built_strings
from .string_numbers import is_string

WAYS_OUT = ("return the number, and format it outside the compiled function",
            "format only in the messages of `raise` and `assert`")  # fmt: skip
COUNT_BITS = "`x.bit_count()` counts the ones of an int, and `x >> k & 1` is one of them"


def refuse(frame: Frame, value: Value, node: gast.AST, function: Any = None) -> NoReturn:
    """Raise a CompileError, or NeedsStatic for a number, so that a loop over a known range is unrolled."""
    message = f"the string of {article(frame.describe(value))} that is only known at run time is not in the language"
    if not isinstance(value, Leaf) or not isinstance(frame.type_of(value), Scalar):
        frame.fault("U008", message, node, "made here", WAYS_OUT)
    first = (COUNT_BITS,) if function is bin else WAYS_OUT
    help_ = (*first, *static_advice.ways_out(frame, value, ""))
    raise NeedsStatic(value.name, Diagnostic("U008", message, frame.here(node), "made here", calls_to(frame), help_))


def of_value(frame: Frame, args: list[Value], node: gast.AST) -> Value:
    """`str(value)`."""
    return formatted(frame, args[0], "", "", node) if args else Static("")


def formatted(frame: Frame, value: Value, conversion: str, form: str, node: gast.AST) -> Value:
    """`f"{value!conversion:form}"`."""
    if is_string(value) and not isinstance(value, Static) and conversion in ("", "s") and not form:
        return value
    if isinstance(value, Static):
        shown = raising.CONVERSIONS[conversion](value.value) if conversion else value.value
        return Static(computed(frame, format, node, shown, form))
    if not is_string(value) and not frame.is_scalar(value):
        values: list[gast.expr] = []
        text = raising.shown(frame, value, conversion, form, node, values)
        if not values and UNSHOWN not in text:
            return Static(text.replace("{{", "{").replace("}}", "}"))
    return refuse(frame, value, node)


def f_string(frame: Frame, node: gast.JoinedStr) -> Value:
    pieces: list[Value] = []
    for part in node.values:
        if isinstance(part, gast.Constant):
            pieces.append(Static(str(part.value)))
            continue
        value = evaluate.evaluate(frame, part.value)
        form = "" if part.format_spec is None else evaluate.static(frame, part.format_spec, "a format")
        pieces.append(formatted(frame, value, "" if part.conversion < 0 else chr(part.conversion), form, part))
    return built_strings.joined(frame, Static(""), Sequence(tuple(pieces)), node)


def by_builtin(frame: Frame, args: list[Value], node: gast.AST) -> Value:
    """`format(value, form)`."""
    form = protocol.known(frame, args[1], node, "a format") if len(args) > 1 else ""
    return formatted(frame, args[0], "", form, node)


def by_known(frame: Frame, function: Callable[..., str], values: list[Value], node: gast.AST) -> Value:
    """What Python makes of values that are all known now: `hex(value)`, `form % value`, `form.format(value)`."""
    for value in values:
        if not _is_known(frame, value):
            refuse(frame, value, node, function)
    given: list[Any] = [protocol.known(frame, value, node) for value in values]
    return Static(computed(frame, function, node, *given))


def _is_known(frame: Frame, value: Value) -> bool:
    held = frame.held(value)
    if isinstance(held, Sequence):
        return all(_is_known(frame, item) for item in held.items)
    return isinstance(held, Static)
