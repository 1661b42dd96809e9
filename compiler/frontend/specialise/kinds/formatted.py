"""Texts made by formats: f-strings, `format`, `%` and the builtins that write an int, of what only the run knows.

    f"{name}-{k:03d}"      ->     the letters of name, "-", the digits of k behind as many zeros as are missing
    "%d of %d" % (k, n)    ->     as f"{k:d} of {n:d}"
    hex(k)                 ->     as f"{k:#x}"

Texts and whole numbers are written; the shortest digits of a float are Python's own work, and are refused (U008) but in
the message of an error, which Python words.

Source: the format specification language of Python's `string` module.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from typing import NamedTuple, NoReturn

import gast

from ....dtypes import INT_WORD, NUMPY_DTYPE
from ....dtypes import is_bool as is_bool_dtype
from ....messages import UNSHOWN
from ....types import Scalar, dtype_of
from .. import protocol
from ..exceptions import raising
from ..frame import Frame
from ..interpreter import evaluate
from ..library import builtin_calls
from ..library.static_python import computed
from ..values import Sequence, Static, Text, Value
from . import built_texts, texts
from .text_numbers import as_text, is_text

WAYS_OUT = ("return the number, and show it there", "keep the text of floats to the messages of `raise` and `assert`")
SPECIFICATION = re.compile(r"(?:(.)?([<>=^]))?([-+ ])?(#)?(0)?([0-9]+)?([dboxXs])?", re.DOTALL)
BASES = {"d": 10, "b": 2, "o": 8, "x": 16, "X": 16}
PERCENT = re.compile(r"%(?P<name>\(\w*\))?(?P<flags>[-+ 0#]*)(?P<width>\d+)?(?P<precision>\.\d*)?(?P<kind>[a-zA-Z%])")


class Specification(NamedTuple):
    """What stands behind the colon: `{k:>5d}`."""

    fill: str
    align: str
    sign: str
    shows_base: bool
    width: int
    kind: str


def refuse(frame: Frame, value: Value, node: gast.AST, form: str = "") -> NoReturn:
    shown = f"the form `{form}` of" if form else "the text of"
    message = f"{shown} a {frame.describe(value)} that only the run knows is not in the language"
    frame.fault("U008", message, node, "made here", WAYS_OUT)


# --- one value -------------------------------------------------------------------------------------------------------


def of_value(frame: Frame, args: list[Value], node: gast.AST) -> Value:
    """`str(value)`."""
    return formatted(frame, args[0], "", "", node) if args else Static("")


def formatted(frame: Frame, value: Value, conversion: str, form: str, node: gast.AST) -> Value:
    """`f"{value!conversion:form}"`."""
    if (known := _known(frame, value, conversion, form, node)) is not None:
        return known
    found = frame.type_of(value)
    is_bool = isinstance(found, Scalar) and is_bool_dtype(found.dtype)
    as_numpy = conversion in ("r", "a") and isinstance(found, Scalar) and not found.weak
    if is_text(value) and conversion in ("", "s"):
        letters = value
    elif is_bool and (conversion or not form):
        letters = _truth(frame, value, ("False", "True") if not as_numpy else ("np.False_", "np.True_"), node)
    elif frame.is_integer(value) or is_bool:
        if not conversion:
            return _of_int(frame, value, _read(frame, value, form, "", node), node)
        letters = _digits(frame, value, 10, node)
        if as_numpy:
            around = Static(f"np.{NUMPY_DTYPE[dtype_of(found)]}("), letters, Static(")")
            letters = _in_a_row(frame, list(around), node)
    else:
        refuse(frame, value, node, form or conversion and f"!{conversion}")
    wanted = _read(frame, value, form, "s", node)
    if wanted.sign or wanted.shows_base or wanted.align == "=":
        refuse(frame, value, node, form)
    return _aligned(frame, letters, wanted, wanted.align or "<", node)


def _known(frame: Frame, value: Value, conversion: str, form: str, node: gast.AST) -> Static | None:
    """The text of what is known now."""
    if isinstance(value, Static):
        shown = raising.CONVERSIONS[conversion](value.value) if conversion else value.value
        return Static(computed(frame, format, node, shown, form))
    if is_text(value) or frame.is_scalar(value):
        return None
    values: list[gast.expr] = []
    text = raising.shown(frame, value, conversion, form, node, values)
    return None if values or UNSHOWN in text else Static(text.replace("{{", "{").replace("}}", "}"))


def _read(frame: Frame, value: Value, form: str, kind: str, node: gast.AST) -> Specification:
    """What a format asks for, of a text (`s`) or of a number."""
    found = SPECIFICATION.fullmatch(form)
    if found is None or found[7] and (found[7] == "s") != (kind == "s"):
        refuse(frame, value, node, form)
    fill, align, sign, base, zero, width, written = found.groups()
    if zero:
        fill, align = fill or "0", align or ("<" if kind == "s" else "=")
    kind = written or kind or "d"
    return Specification(fill or " ", align or "", sign or "", base is not None, int(width or 0), kind)


def _truth(frame: Frame, value: Value, names: tuple[str, str], node: gast.AST) -> Text:
    whole = frame.emit("cast", value, node=node, dtype=INT_WORD, weak=True)
    numbers = tuple(as_text(frame, Static(name)).number for name in names)
    return Text(texts.entry(frame, numbers, whole, INT_WORD, node, "text"))


def _digits(frame: Frame, value: Value, base: int, node: gast.AST) -> Value:
    found = frame.type_of(value)
    if found is not None and found.dtype == "u64":
        letters = built_texts.in_language(frame, "digits_of_unsigned", [value, Static(base)], node)
    else:
        whole = builtin_calls.as_int(frame, value, node)
        letters = built_texts.in_language(frame, "digits", [whole, Static(base)], node)
    return built_texts.of_letters(frame, letters, node)


def _of_int(frame: Frame, value: Value, wanted: Specification, node: gast.AST) -> Value:
    letters = _digits(frame, value, BASES[wanted.kind], node)
    if wanted.kind == "X":
        letters = built_texts.call_method(frame, letters, "upper", [], node)
    if wanted == Specification(" ", "", "", False, 0, wanted.kind):
        return letters
    prefix = f"0{wanted.kind}" if wanted.shows_base and wanted.kind != "d" else ""
    sign = wanted.sign.replace("-", "")
    given = [built_texts.spelled(frame, one, node) for one in (letters, Static(sign), Static(prefix))]
    signed = built_texts.of_letters(frame, built_texts.in_language(frame, "signed", given, node), node)
    if wanted.align != "=":
        return _aligned(frame, signed, wanted, wanted.align or ">", node)
    return _filled(frame, "behind_sign", signed, wanted, prefix, node)


def _aligned(frame: Frame, text: Value, wanted: Specification, align: str, node: gast.AST) -> Value:
    return _filled(frame, "aligned", text, wanted, align, node)


def _filled(frame: Frame, name: str, text: Value, wanted: Specification, where: str, node: gast.AST) -> Value:
    """A text with as many letters at least as its format asks for."""
    if not wanted.width:
        return text
    letters = [built_texts.spelled(frame, one, node) for one in (text, Static(wanted.fill), Static(where))]
    given = [letters[0], Static(wanted.width), letters[1], Static(where) if name == "aligned" else letters[2]]
    return built_texts.of_letters(frame, built_texts.in_language(frame, name, given, node), node)


# --- whole formats ---------------------------------------------------------------------------------------------------


def f_string(frame: Frame, node: gast.JoinedStr) -> Value:
    pieces: list[Value] = []
    for part in node.values:
        if isinstance(part, gast.Constant):
            pieces.append(Static(str(part.value)))
            continue
        value = evaluate.evaluate(frame, part.value)
        form = "" if part.format_spec is None else evaluate.static(frame, part.format_spec, "a format")
        pieces.append(formatted(frame, value, "" if part.conversion < 0 else chr(part.conversion), form, part))
    return _in_a_row(frame, pieces, node)


def _in_a_row(frame: Frame, pieces: list[Value], node: gast.AST) -> Value:
    return built_texts.joined(frame, Static(""), Sequence(tuple(pieces)), node)


def by_method(frame: Frame, text: str, args: list[Value], kwargs: dict[str, Value], node: gast.AST) -> Value:
    """`text.format(*args, **kwargs)` where some of them are known by the run alone."""
    pieces: list[Value] = []
    places = iter(range(len(args)))
    for literal, field, form, conversion in computed(frame, lambda: list(string.Formatter().parse(text)), node):
        pieces.append(Static(literal))
        if field is None:
            continue
        value = _field(field, args, kwargs, places)
        if value is None or "{" in form:
            frame.fault("U008", f"the field `{{{field}}}` of this format is not in the language", node, "used here",
                        ("write an f-string: `f\"{value}\"`",))  # fmt: skip
        pieces.append(formatted(frame, value, conversion or "", form, node))
    return _in_a_row(frame, pieces, node)


def _field(field: str, args: list[Value], kwargs: dict[str, Value], places: Iterator[int]) -> Value | None:
    if field in kwargs:
        return kwargs[field]
    place = next(places, len(args)) if field == "" else int(field) if field.isdecimal() else len(args)
    return args[place] if place < len(args) else None


def by_percent(frame: Frame, text: str, given: Value, node: gast.AST) -> Value:
    """`text % given` where some of it is known by the run alone."""
    held = frame.held(given)
    args = list(held.items) if isinstance(held, Sequence) and held.kind is tuple else [given]
    pieces: list[Value] = []
    end = 0
    for found in PERCENT.finditer(text):
        pieces.append(Static(text[end : found.start()]))
        end = found.end()
        if found[0] == "%%":
            pieces.append(Static("%"))
        elif not args or found["name"] or found["kind"] == "%":
            break
        else:
            pieces.append(_by_conversion(frame, found, args.pop(0), node))
    else:
        if not args and "%" not in text[end:]:
            return _in_a_row(frame, [*pieces, Static(text[end:])], node)
    frame.fault("U008", "this `%` of a text is not in the language", node, "used here",
                ("write an f-string: `f\"{value}\"`",))  # fmt: skip


def _by_conversion(frame: Frame, found: re.Match[str], value: Value, node: gast.AST) -> Value:
    """One `%5d` of a format."""
    if isinstance(value, Static):
        return Static(computed(frame, lambda: found[0] % (value.value,), node))
    flags, width, kind = found["flags"], found["width"] or "", found["kind"].replace("i", "d")
    if found["precision"] or kind not in ("d", "x", "X", "o", "s", "r"):
        refuse(frame, value, node, found[0])
    if kind in ("s", "r"):
        return formatted(frame, value, kind, (("<" if "-" in flags else ">") + width) if width else "", node)
    if kind != "d":
        _require_integer(frame, value, f"`%{kind}`", node)
    sign = "+" if "+" in flags else " " if " " in flags else ""
    align = "<" if "-" in flags else ""
    zero = "0" if "0" in flags and not align else ""
    form = align * bool(width) + sign + "#" * ("#" in flags) + zero * bool(width) + width + kind
    return formatted(frame, value, "", form, node)


def by_builtin(frame: Frame, args: list[Value], node: gast.AST) -> Value:
    """`format(value, form)`."""
    form = protocol.known(frame, args[1], node, "a format") if len(args) > 1 else ""
    return formatted(frame, args[0], "", form, node)


def in_base(frame: Frame, value: Value, function: Callable[..., str], form: str, node: gast.AST) -> Value:
    """`bin(value)`, `oct(value)` and `hex(value)`, which is written as `form` says."""
    if isinstance(value, Static):
        return Static(computed(frame, function, node, value.value))
    _require_integer(frame, value, f"{function.__name__}()", node)
    return formatted(frame, value, "", form, node)


def _require_integer(frame: Frame, value: Value, what: str, node: gast.AST) -> None:
    """Raise a CompileError unless Python takes a value for an integer, which it does of its own bools alone."""
    found = frame.type_of(value)
    if not frame.is_integer(value) or isinstance(found, Scalar) and is_bool_dtype(found.dtype) and not found.weak:
        frame.fault("T001", f"{what} takes an integer, not a {frame.describe(value)}", node, "called here")
