"""The exceptions that a statement may raise, each with its test, and what such tests are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import gast

from .... import syntax
from ....builder import Builder
from ....messages import Message, escaped
from ....records import dataclass
from ....types import Scalar, Type, dims_of

ZERO_DIVISION, VALUE, OVERFLOW, INDEX, LINALG = (
    "ZeroDivisionError", "ValueError", "OverflowError", "IndexError", "LinAlgError",
)  # fmt: skip
Atom: TypeAlias = gast.expr
Wants: TypeAlias = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Case:
    """An exception, the test for it, and its message as a format with its values; None: not known."""

    exception: str
    test: Atom
    words: Message | None = None
    values: tuple[Atom, ...] = ()


class Untold(Exception):
    """It is not known where a statement raises this."""


def known(atom: Atom) -> Any:
    return atom.value if isinstance(atom, gast.Constant) else None


def both(builder: Builder, *tests: Atom) -> Atom:
    result = tests[0]
    for test in tests[1:]:
        result = builder.call("logical_and", result, test)
    return result


def either(builder: Builder, *tests: Atom) -> Atom:
    result = tests[0]
    for test in tests[1:]:
        result = builder.call("logical_or", result, test)
    return result


def are_pythons(types: Sequence[Type]) -> bool:
    return all(isinstance(t, Scalar) and t.weak for t in types)


def words_of(function: Callable[[], object]) -> Message:
    """The message that the running interpreter gives."""
    try:
        function()
    except (ArithmeticError, ValueError) as error:
        strings = [escaped(a) if isinstance(a, str) else (a,) for a in error.args]
        return strings[0] if len(strings) == 1 and isinstance(strings[0], str) else tuple(strings)
    raise AssertionError("this was meant to fail")


def length(builder: Builder, array: Atom, axis: int) -> Atom:
    extent = dims_of(builder.type_of(array))[axis]
    return syntax.constant(extent) if isinstance(extent, int) else builder.call("dim", array, axis=axis)


def unlike(builder: Builder, one: Atom, other: Atom, broadcasts: bool) -> Atom:
    """Whether two lengths do not match; a length of 1 matches any where NumPy broadcasts."""
    tests = [builder.call("not_equal", one, other)]
    if broadcasts:
        tests += [builder.call("not_equal", side, 1) for side in (one, other) if isinstance(side, gast.Name)]
    return both(builder, *tests)


RULES: dict[str, Any] = {}


def fails(name: str, *given: Any) -> Callable[[Any], Any]:
    """Register the cases in which an operator raises, or all of a kind."""

    def declared(rule: Any) -> Any:
        RULES[name] = rule(*given) if given else rule
        return rule

    return declared
