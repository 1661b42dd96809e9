"""Check NumPy's result against Python's where an operand that is NumPy's in compiled code is Python's on one path.

    best - 1    of {int 0, np.uint8}     ->     if best == 0: raise OverflowError(...)      -1 is no np.uint8
    best - k                             ->     if best == 0: t = 0 - k; if t != best - k: raise OverflowError(...)
    best + 1                             ->     nothing, for 0 + 1 is 1 in both
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from .... import syntax
from ....builder import Builder
from ....dtypes import INT_WORD, NUMPY_DTYPE, is_bool, is_exact, is_inexact
from ....meanings import Meaning
from ....ops.schema import OPERATORS
from ....types import Scalar
from .meeting_paths import Path, error_of, is_whole, stop_where, tests

if TYPE_CHECKING:
    from ..frame import Frame

ROUNDED = 1e-2  # a relative difference larger than rounding to any float dtype can make


def is_the_same(frame: Frame, path: Path) -> bool:
    """Make sure that the result is Python's, or raise at run time; False where it never is."""
    declared = frame.builder.types[path.made]
    assert isinstance(declared, Scalar)
    if path.found.number is not None:
        return _is_known(frame, path, declared)
    if is_inexact(path.found.type.dtype) or keeps_other(path):
        return True
    if is_inexact(declared.dtype):
        _require_digits(frame, path, declared)
    elif declared.dtype != INT_WORD and not (is_bool(declared.dtype) and _decides_alike(frame.builder, path, declared)):
        _require_same(frame, path)
    return True


def _decides_alike(builder: Builder, path: Path, declared: Scalar) -> bool:
    """Whether a comparison or a test has the same operands in Python: no bits are lost on the way to it in either."""
    row, operands = OPERATORS[path.operator], list(path.operands(builder))
    mine = row.works_in([type_ for _, type_, _ in operands], declared)
    its = row.works_in([meaning.type for _, _, meaning in operands], path.found.type)
    known = [meaning.number for _, _, meaning in operands if meaning.number is not None]
    for (_, type_, meaning), words in zip(operands, zip(mine, its, strict=True), strict=True):
        is_one = meaning.type.dtype == type_.dtype and len({*words}) == 1
        if not is_one and not all(_is_kept(type_, meaning, word, known) for word in words):
            return False
    return True


def _is_kept(type_: Scalar, meaning: Meaning, dtype: str, known: Sequence[Any]) -> bool:
    """Whether a number is the same in another dtype, or an int rounds to none of the known numbers beside it.

    Of a path with a known number that one is asked alone.
    """
    if meaning.number is not None:
        with np.errstate(all="ignore"):
            return not is_inexact(dtype) or NUMPY_DTYPE[dtype].type(meaning.number).item() == meaning.number
    if meaning.type.dtype != type_.dtype:
        return False
    if is_whole(type_.dtype) and is_inexact(dtype) and known:
        return max(map(abs, known)) < 2 ** (np.finfo(NUMPY_DTYPE[dtype]).nmant + 1)
    return is_exact(type_.dtype, dtype)


def keeps_other(path: Path) -> bool:
    """Whether an operand that is known to be zero makes the result zero or the other operand."""
    keeps = OPERATORS[path.operator].meaning in (operator.add, operator.mul)
    return keeps and any(one.number == 0 for one in path.given)


def _is_known(frame: Frame, path: Path, declared: Scalar) -> bool:
    """Whether compiled code has the number that Python is known to have; if not, the program raises on this path."""
    wanted, found = path.found.number, _in_numpy(frame, path)
    if found is not None and (found == wanted or isinstance(wanted, float) and _differs_in_digits(found, wanted)):
        return True
    stop_where(frame, path, tests(frame.builder, path), "is another number")
    return False


def _in_numpy(frame: Frame, path: Path) -> Any:
    """The result of compiled code for the numbers of this path; None where it raises."""
    operands = [
        one.number if type_.weak else NUMPY_DTYPE[type_.dtype].type(one.number)
        for _, type_, one in path.operands(frame.builder)
    ]
    with np.errstate(all="ignore"):
        try:
            found = OPERATORS[path.operator].meaning(*operands)
        except (ArithmeticError, TypeError):
            return None
    return found.item()  # type: ignore[attr-defined]


def _differs_in_digits(found: float, wanted: float) -> bool:
    return not math.isfinite(wanted) or math.isclose(found, wanted, rel_tol=ROUNDED)


def _require_digits(frame: Frame, path: Path, declared: Scalar) -> None:
    """Raise where an int may have lost digits; those of a float64 are NumPy's."""
    dtype = NUMPY_DTYPE[declared.dtype]
    if declared.dtype == "f64":
        return
    largest = 2 ** (np.finfo(dtype).nmant + 1)
    builder = frame.builder
    ends = builder.call("less", path.made, largest), builder.call("greater", path.made, -largest)
    is_large = builder.call("logical_not", builder.call("logical_and", *ends))
    stop_where(frame, path, [*tests(builder, path), is_large], "has more digits")


def _require_same(frame: Frame, path: Path) -> None:
    """Raise where the ints that Python would have give another result."""
    builder = frame.builder
    conditions = tests(builder, path)
    with frame.captured() as inner:
        own = builder.call(path.operator, *(_in_python(frame, *one) for one in path.operands(builder)), **path.static)
        differs = builder.call("not_equal", own, path.made)
        builder.append(syntax.if_(differs, [error_of(frame, path, "wraps")]))
    for test in conditions[1:]:
        conditions[0] = builder.call("logical_and", conditions[0], test)
    for statement in [syntax.if_(conditions[0], inner)] if conditions else inner:
        builder.append(statement)


def _in_python(frame: Frame, atom: gast.expr, type_: Scalar, meaning: Any) -> gast.expr:
    """An operand as it is in Python on this path."""
    if meaning.type == type_:
        return atom
    if meaning.number is not None:
        return syntax.constant(meaning.number)
    return frame.builder.call("cast", atom, dtype=meaning.type.dtype, weak=meaning.type.weak)
