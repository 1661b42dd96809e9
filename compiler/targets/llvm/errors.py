"""From the status of a native call to the exception that Python raises.

    site 3: IndexError, "index {} is out of bounds for axis 0 with size {}", values 7, 5, physics.py:12
        ->    IndexError: index 7 is out of bounds for axis 0 with size 5, its traceback ending at physics.py:12
"""

from __future__ import annotations

import builtins
import struct
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from string import Formatter
from typing import TYPE_CHECKING, Any

import numpy as np

from ....runtime import interrupts
from ....runtime.traceback_frames import Line, show
from ...dtypes import NUMPY_DTYPE
from ...messages import message_arguments
from ...types import Scalar
from .abi import TRACE, TRACE_COUNT, TRACE_LENGTH, VALUES, EmitOptions, ErrorSite, scalar_slots

if TYPE_CHECKING:
    from ...diagnostics import Span

ERRNO_RESULT_TOO_LARGE = 34


def make_error(
    sites: Sequence[ErrorSite], number: int, slots: Any, options: EmitOptions
) -> BaseException:
    """The exception of an error site, with the values and the calls that the context recorded.

    An exception that the handler of a signal raised comes before it; only that has a number below zero.
    """
    interrupt = interrupts.taken()
    if interrupt is not None:
        return show(interrupt, _places(sites, number, slots), interrupt.__traceback__)
    site = sites[number]
    arguments = _arguments(site, slots)
    class_ = _exception_class(site.exception, options.exceptions)
    if class_ is OverflowError and arguments == ["Numerical result out of range"]:
        arguments = [ERRNO_RESULT_TOO_LARGE, *arguments]  # Python's float power raises it with the number of the error
    return show(class_(*arguments), _places(sites, number, slots))


def _places(sites: Sequence[ErrorSite], number: int, slots: Any) -> list[Line]:
    """The calls that the context recorded, and the location of the site."""
    calls = [sites[slots[TRACE + k]] for k in reversed(range(min(slots[TRACE_LENGTH], TRACE_COUNT)))]
    return [line for place in (*calls, *(sites[number:number + 1] if number >= 0 else ())) for line in _lines(place)]


def _arguments(site: ErrorSite, slots: Any) -> list[Any]:
    """What the exception is made with: formats filled in, constants, values as they are."""
    places = accumulate(map(scalar_slots, site.values), initial=VALUES)
    values = iter([read_slot(slots, place, type_) for place, type_ in zip(places, site.values)])
    arguments: list[Any] = []
    for argument in message_arguments(site.message):
        if isinstance(argument, str):
            arguments.append(_text(argument, values))
        else:
            arguments.append(next(values) if argument is None else argument[0])
    return arguments


def _text(template: str, values: Iterator[Any]) -> str:
    if "{" not in template and "}" not in template:
        return template
    fields = sum(field is not None for _, field, _, _ in Formatter().parse(template))
    return template.format(*(next(values) for _ in range(fields)))


def read_slot(slots: Any, position: int, type_: Scalar) -> object:
    """A scalar from its slots: a Python number if weak, else a NumPy scalar, which is there as in memory."""
    count = scalar_slots(type_)
    held = struct.pack(f"{count}q", *slots[position : position + count])
    number = np.frombuffer(held, NUMPY_DTYPE[type_.dtype], 1)[0]
    return number.item() if type_.weak else number


def _exception_class(name: str, given: Mapping[str, type[BaseException]]) -> type[BaseException]:
    found = given.get(name) or getattr(builtins, name, None) or getattr(np.linalg, name, None)
    if isinstance(found, type) and issubclass(found, BaseException):
        return found
    return RuntimeError


def _lines(site: ErrorSite) -> list[Line]:
    """The spans of a site, outermost first; the functions of inlined calls are looked up in the source."""
    given = [s for s in (*site.inlined, site.span) if s is not None]
    spans = [s for k, s in enumerate(given) if given[k + 1 : k + 2] != [s]]
    return [_line(span, site.function if k == 0 else "") for k, span in enumerate(spans)]


def _line(span: Span, function: str) -> Line:
    return Line(span.file, span.line, span.column, span.end_line, span.end_column, function)


