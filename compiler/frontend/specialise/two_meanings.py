"""Hold an operator to one meaning where Python has a number of its own on one path and one of NumPy's on another.

    best = -1                      `best` is an int of Python's here, which `best + 1` never wraps,
    for v in img:                  or an np.uint8, which it does.  Compiled code has the int, and raises where it
        best = max(best, v)        cannot tell the two apart and they differ: 255 + 1
    return best + 1

A number outside the narrow dtype was Python's for certain.  Where the dtype of the result depends on the path, and
that of compiled code does not hold NumPy's, the operator is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...builder import Builder
from ...dtypes import (
    DTYPE,
    INT_WORD,
    NUMPY_DTYPE,
    WEAK_WORD,
    is_bool,
    is_complex,
    is_exact,
    is_inexact,
    is_integer,
    is_python,
    python_word,
)
from ...types import Scalar, dtype_of
from .limits import limit

if TYPE_CHECKING:
    from .frame import Frame


def require_one(frame: Frame, operator: str, atoms: list[gast.expr], made: str, node: gast.AST) -> None:
    """Refuse an operator, or raise at run time, where its result would depend on whose number an operand is."""
    builder = frame.builder
    narrow = narrow_words(frame, atoms)
    found = builder.types[made]
    if not narrow or operator == "cast" or is_bool(dtype_of(found)):
        return
    is_pythons = isinstance(found, Scalar) and found.weak
    for word in sorted(builder.dtypes_of(made) - {dtype_of(found)}):
        is_int = is_integer(word)
        if not (is_pythons or is_exact(word, dtype_of(found)) or is_int and is_inexact(dtype_of(found))):
            refuse(frame, narrow, dtype_of(found), word, node)
        elif is_int and not is_python(word) and isinstance(found, Scalar) and not is_complex(found.dtype):
            require_value(frame, narrow, made, word, node)


def narrow_words(frame: Frame, atoms: list[gast.expr]) -> dict[str, frozenset[str]]:
    """The operands that are NumPy's of fewer bits on some path, with the dtypes that they have there."""
    words = {}
    for name in (a.id for a in atoms if isinstance(a, gast.Name) and a.id in frame.builder.widened):
        found = frame.builder.types[name]
        if isinstance(found, Scalar):
            others = frame.builder.widened[name] - {found.dtype}
            words[name] = frozenset(w for w in others if not is_python(w) and (found.weak or is_integer(w)))
    return {name: found for name, found in words.items() if found}


def require_value(frame: Frame, narrow: dict[str, frozenset[str]], made: str, word: str, node: gast.AST) -> None:
    """Raise where NumPy's ints of this dtype would have wrapped, if that is what the operands are."""
    builder = frame.builder
    test = outside(builder, made, word)
    for name, words in narrow.items():
        for one in sorted(filter(is_integer, words)):
            test = builder.call("logical_and", test, inside(builder, name, one))
    numpys, other = f"np.{NUMPY_DTYPE[word]}", DTYPE[dtype_of(builder.types[made])].kind
    message = f"{other} and {numpys} meet in one variable, and this wraps for one: take {other}(...) or {numpys}(...)"
    builder.append(syntax.if_(test, [limit("OverflowError", message, span=frame.here(node))]))


def inside(builder: Builder, name: str, word: str) -> gast.expr:
    """Whether a number may be one of this dtype of ints."""
    fits = builder.call("logical_not", outside(builder, name, word))
    if is_integer(dtype_of(builder.types[name])):
        return fits
    return builder.call("logical_and", fits, builder.call("equal", builder.call("floor", name), name))


def outside(builder: Builder, name: str, word: str) -> gast.expr:
    """Whether a number is none of this dtype of ints."""
    row = DTYPE[word]
    below = builder.call("less", name, int(row.least))
    if row.greatest > DTYPE[INT_WORD].greatest:
        return below
    return builder.call("logical_or", below, builder.call("greater", name, int(row.greatest)))


def refuse(frame: Frame, narrow: dict[str, frozenset[str]], dtype: str, word: str, node: gast.AST) -> None:
    name, words = next(iter(narrow.items()))
    own, numpys = WEAK_WORD[python_word(dtype_of(frame.builder.types[name]))], NUMPY_DTYPE[min(words)]
    either = f"one operand is a Python {own} or an np.{numpys}"
    message = f"the dtype of this is {NUMPY_DTYPE[dtype]} or {NUMPY_DTYPE[word]}: {either}"
    help_ = (f"decide which: `{own}(...)` of NumPy's number, or `np.{numpys}(...)` of Python's",)
    frame.fault("T002", message, node, "found here", help_)
