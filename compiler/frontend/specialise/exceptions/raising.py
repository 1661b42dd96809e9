"""`raise` and `assert`, and the arguments of exceptions.

    raise ValueError(f"no root in {a:.3f}")     ->     the format "no root in {:.3f}", filled in when it is raised
"""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import gast

from .....runtime.nature import article
from .... import syntax
from ....diagnostics import UnsupportedError
from ....messages import UNSHOWN, Argument, Message, escaped
from .. import protocol
from ..frame import Frame, NeedsStatic, Stopped
from ..interpreter import choices, evaluate
from ..library.static_python import stop
from ..values import Caught, Mapping_, Record, Sequence, Static, Value, is_sequence
from . import trying


def raise_statement(frame: Frame, node: gast.Raise) -> None:
    exception, arguments = node.exc, []
    if isinstance(exception, gast.Call):
        if exception.keywords:
            frame.fault("U018", "keyword arguments of an exception are not in the language", node, "raised here",
                        ("pass them by position",))  # fmt: skip
        exception, arguments = exception.func, exception.args
    if exception is None:
        handled = frame.builder.protection.handled if frame.builder.protection is not None else ()
        return trying.raise_again(frame, handled[-1] if handled else None, node)
    raised = evaluate.evaluate(frame, exception)
    if isinstance(raised, Caught):
        return trying.raise_again(frame, raised, node)
    cls = protocol.known(frame, raised, exception, "the exception")
    message, values = message_of(frame, arguments)
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        frame.fault("T001", "`raise` takes an exception", exception, "raised here")
    if not frame.task.note_exception(cls):
        frame.fault("U018", f"another exception class is called `{cls.__name__}` too", exception, "raised here",
                    ("give them names of their own",))  # fmt: skip
    frame.builder.append(syntax.raise_own(cls, message, *values, span=frame.here(node)))
    raise Stopped


def message_of(frame: Frame, arguments: list[gast.expr]) -> tuple[Message, list[gast.expr]]:
    """The arguments of an exception as formats, constants and values.

    f"no root in {a:.3f}"   is   ("no root in {:.3f}",), [a]
    "mine", 3, a            is   ("mine", (3,), None), [a]
    """
    message: list[Argument] = []
    values: list[gast.expr] = []
    for node in arguments:
        if isinstance(node, gast.JoinedStr):
            message.append(format_of(frame, node, values))
            continue
        value = made_now(frame, node)
        message.append(UNSHOWN if value is None else argument(frame, value, node, values))
    return tuple(message), values


def made_now(frame: Frame, node: gast.expr) -> Value | None:
    """What a message shows; None for a string built at run time: Python words that message itself."""
    before = frame.built
    try:
        return evaluate.evaluate(frame, node)
    except NeedsStatic as needed:
        is_string = needed.diagnostic.code == "U008"
        if not is_string and (not isinstance(node, gast.Call) or needed.list is not None or needed.keys is not None):
            raise
    except UnsupportedError as refused:
        if refused.diagnostics[0].code != "U008":
            raise
    frame.built = before
    return None


def argument(frame: Frame, value: Value, node: gast.AST, values: list[gast.expr]) -> Argument:
    """One argument of an exception."""
    if isinstance(value, Static):
        return escaped(value.value) if isinstance(value.value, str) else (value.value,)
    if is_sequence(value, tuple):
        return shown(frame, value, "r", "", node, values)
    if not frame.is_scalar(value):
        return UNSHOWN
    values.append(frame.atom(value, node))
    return None


def format_of(frame: Frame, node: gast.JoinedStr, values: list[gast.expr]) -> str:
    """An f-string as a format; what is known now is written out."""
    text = ""
    for part in node.values:
        if isinstance(part, gast.Constant):
            text += escaped(str(part.value))
            continue
        specification = "" if part.format_spec is None else static_text(frame, part.format_spec)
        conversion = "" if part.conversion < 0 else chr(part.conversion)
        value = made_now(frame, part.value)
        if specification is None or value is None:
            text += UNSHOWN
        else:
            text += shown(frame, value, conversion, specification, part, values)
    return text


def shown(
    frame: Frame, value: Value, conversion: str, specification: str, node: gast.AST, values: list[gast.expr]
) -> str:
    """The format of one value: a container is its brackets around the `repr` of each item, as Python writes it."""

    def inside(item: Value) -> str:
        return shown(frame, item, "r", "", node, values)

    match frame.held(value):
        case Caught() as caught:
            written = None if conversion or specification else trying.format_of(frame, caught, node)
            if written is not None:
                values += [frame.atom(part, node) for part in written[1]]
                return written[0]
            return escaped(format(CONVERSIONS[conversion or "s"](trying.text_of(frame, caught, node)), specification))
        case Static(value=known):
            return escaped(format(CONVERSIONS[conversion](known) if conversion else known, specification))
        case _ if specification and not conversion and not frame.is_scalar(value):
            what = article(frame.describe(value))
            frame.fault("U008", f"the format `:{specification}` of {what} is not supported", node, "shown here",
                        ("show its numbers one by one",))  # fmt: skip
        case Sequence() | Mapping_() | Record() if specification:
            return UNSHOWN
        case Sequence(items=items, kind=kind):
            parts = ", ".join(map(inside, items))
            return f"[{parts}]" if kind is list else f"({parts},)" if len(items) == 1 else f"({parts})"
        case Mapping_(items=items):
            return "{{" + ", ".join(f"{escaped(repr(key))}: {inside(item)}" for key, item in items) + "}}"
        case Record(cls=cls) as record if (names := fields_shown(cls)) is not None:
            for name in names:
                if record.get(name) is None:  # a field that `__init__` does not take, and nothing has assigned
                    stop(frame, "AttributeError", f"'{cls.__name__}' object has no attribute '{name}'", node)
            parts = ", ".join(f"{name}={inside(part)}" for name in names if (part := record.get(name)) is not None)
            return f"{cls.__name__ if record.is_tuple else cls.__qualname__}({parts})"
    if not frame.is_scalar(value):
        return UNSHOWN
    values.append(frame.atom(value, node))
    return "{" + f"!{conversion}" * bool(conversion) + f":{specification}" * bool(specification) + "}"


def fields_shown(cls: type) -> list[str] | None:
    """The fields that the generated `repr` of a class shows; None if the class defines its own."""
    method = cls.__repr__
    if issubclass(cls, tuple):
        fields: tuple[str, ...] = cls._fields  # type: ignore[attr-defined]
        return list(fields) if method.__code__.co_filename == namedtuple.__code__.co_filename else None
    written = getattr(method, "__wrapped__", method)  # a dataclass wraps its own against infinite recursion
    if not dataclasses.is_dataclass(cls) or getattr(written, "__code__", None) is None:
        return None
    return [f.name for f in dataclasses.fields(cls) if f.repr] if written.__code__.co_filename == "<string>" else None


CONVERSIONS: dict[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}


def static_text(frame: Frame, node: gast.JoinedStr) -> str | None:
    """The string that an f-string gives if all its values are known now; else None."""
    values: list[gast.expr] = []
    text = format_of(frame, node, values)
    return None if values or UNSHOWN in text else text.replace("{{", "{").replace("}}", "}")


def assertion(frame: Frame, node: gast.Assert, test: gast.expr, message: gast.expr | None) -> None:
    holds = choices.condition(frame, test)
    if isinstance(holds, Static) and holds.value:
        return
    text: Message = ""
    values: list[gast.expr] = []
    with frame.captured() as body:
        if message is not None:
            text, values = message_of(frame, [message])
        frame.builder.append(syntax.raise_("AssertionError", text, *values, span=frame.here(node)))
    if isinstance(holds, Static):
        frame.builder.body += body
        raise Stopped
    frame.builder.append(syntax.if_(frame.atom(protocol.negation(frame, holds, test), node), body))
