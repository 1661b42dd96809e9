"""Hold an operator to one meaning where Python has a number of its own on one path and one of NumPy's on another.

    best = -1                      `best` is an int of Python's here, which `best + 1` never wraps,
    for v in img:                  or an np.uint8, which it does.  Compiled code has one type for both, and raises
        best = max(best, v)        where it cannot tell which it is and they differ: 255 + 1
    return best + 1

A number outside the narrow dtype was Python's for certain; where Python's number is known, all others were NumPy's.
Where the dtype of an array depends on the path, the operator is refused.  Floats have the digits of the one type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import gast

from .... import types
from ....builder import Builder, paths
from ....dtypes import NUMPY_DTYPE, holds, is_complex, is_exact, is_inexact, is_integer, order
from ....ops.schema import OPERATORS
from ....types import INT, Array, Scalar
from ..values import Leaf, Value
from . import own_numbers
from .meeting_paths import Path, is_own, is_whole, names_of, names_of_meanings, outside, stop_where, tests

if TYPE_CHECKING:
    from ..frame import Frame


def require_one(
    frame: Frame, operator: str, atoms: Sequence[gast.expr], made: Sequence[str], static: Mapping[str, Any],
    node: gast.AST,
) -> None:  # fmt: skip
    """Refuse an operator, or raise at run time, where its result would depend on whose number an operand is.

    The results are noted with the types that Python has for them on the paths on which the program continues.
    """
    builder, row = frame.builder, OPERATORS[operator]
    full = {**{k: v for k, v in row.static.items() if v is not ...}, **static}
    ways = list(paths(builder, row, atoms, full))
    is_held = operator == "cast" or not any(_may_be_numpys(builder, a.id) for a in atoms if isinstance(a, gast.Name))
    for position, name in enumerate(made if ways else ()):
        left = []
        for given, results in ways:
            path = Path(operator, atoms, full, given, name, results[position], node)
            if is_held or _goes_on(frame, path):
                left.append(path.found)
        builder.widen(name, [left])


def _may_be_numpys(builder: Builder, name: str) -> bool:
    """Whether a single number is NumPy's on some path and something else on another."""
    is_number = isinstance(builder.types[name], Scalar)
    return is_number and any(not one.type.weak for one in builder.widened.get(name, ()))


def _goes_on(frame: Frame, path: Path) -> bool:
    """Check the result of one path; whether the program continues there."""
    builder, found, declared = frame.builder, path.found.type, frame.builder.types[path.made]
    word = types.dtype_of(declared)
    if not isinstance(declared, Scalar):
        if word != found.dtype:
            refuse(frame, names_of_meanings(builder, path), word, found.dtype, path.node)
        return True
    own = is_own(builder, path)
    if word == found.dtype and (not own or not is_whole(word)) or found.weak and declared.weak or is_complex(word):
        return True
    if order(found.dtype) > order(word) and not (own and is_whole(found.dtype)):
        refuse(frame, names_of_meanings(builder, path), word, found.dtype, path.node)
    if is_inexact(found.dtype) and not (own or declared.weak or is_exact(found.dtype, word)):
        refuse(frame, names_of_meanings(builder, path), word, found.dtype, path.node)
    row = OPERATORS[path.operator]
    if row.taken or row.work == "free" or is_inexact(found.dtype) and not (own and found.weak):
        return True
    if not found.weak and word != found.dtype and (declared.weak or is_inexact(word) or is_exact(found.dtype, word)):
        stop_where(frame, path, [*_in_numpys(builder, path), *tests(builder, path)], "wraps")
        return True
    if not own:
        refuse(frame, names_of_meanings(builder, path), word, found.dtype, path.node)
    return own_numbers.is_the_same(frame, path)


def _in_numpys(builder: Builder, path: Path) -> list[gast.expr]:
    """The test of whether the result, or a Python int beside the operand, is outside NumPy's dtype."""
    word = path.found.type.dtype
    test = outside(builder, path.made, word)
    for atom, type_, meaning in path.operands(builder):
        if not type_ == meaning.type == INT or not is_integer(word):
            continue
        if not isinstance(atom, gast.Constant):
            test = builder.call("logical_or", test, outside(builder, atom, word))
        elif not holds(word, atom.value):
            return []
    return [test]


def is_numpys(frame: Frame, atoms: Sequence[gast.expr]) -> bool:
    """Whether a number of Python's among the operands is one of NumPy's on some path."""
    names = [a.id for a in atoms if isinstance(a, gast.Name) and getattr(frame.builder.types[a.id], "weak", False)]
    return any(_may_be_numpys(frame.builder, a) for a in names)


def beside_its_own(frame: Frame, value: Value, place: Array) -> Value:
    """A number beside an array of floats that is changed in place: it is NumPy's, as the dtype is that of the array."""
    found = frame.type_of(value)
    if not isinstance(value, Leaf) or not isinstance(found, Scalar) or value.name not in frame.builder.widened:
        return value
    if found.weak or not is_inexact(found.dtype) or not is_inexact(place.dtype):
        return value
    return Leaf(frame.builder.call("cast", value.name, dtype=found.dtype, weak=False).id)


def require_one_dtype(
    frame: Frame, parts: Sequence[Value], described: Sequence[Any], ask: Callable[..., Any], node: gast.AST
) -> None:
    """Refuse a result whose dtype follows from these parts, where it would be another on the path of one of them."""
    names = {k: p.name for k, p in enumerate(parts) if isinstance(p, Leaf) and _may_be_numpys(frame.builder, p.name)}
    if not names:
        return
    dtype = ask(*described)
    for place, name in names.items():
        for one in sorted(frame.builder.widened[name], key=str):
            other = ask(*described[:place], one.type, *described[place + 1 :])
            if other != dtype:
                refuse(frame, names_of(frame.builder, name), dtype, other, node)


def require_items(frame: Frame, name: str, node: gast.AST) -> None:
    """Refuse an array of the items of a list that may be Python's numbers or NumPy's of another dtype."""
    found, dtype = frame.builder.widened.get(name, ()), types.dtype_of(frame.builder.types[name])
    for one in sorted(found, key=str):
        if one.type.dtype != dtype and not all(other.type.weak for other in found):
            refuse(frame, names_of(frame.builder, name), dtype, one.type.dtype, node)


def refuse(frame: Frame, names: tuple[str, str], dtype: str, other: str, node: gast.AST) -> None:
    """Refuse a result with one dtype or another, as an operand may be of either of the two types named."""
    own, numpys = names
    is_own = not own.startswith("np.")
    either = f"one operand is {f'a Python {own}' if is_own else f'an {own}'} or an {numpys}"
    message = f"the dtype of this is {NUMPY_DTYPE[dtype]} or {NUMPY_DTYPE[other]}: {either}"
    help_ = (f"decide which: `{own}(...)` of NumPy's number, or `{numpys}(...)` of Python's",)
    help_ = help_ if is_own else (f"give it one dtype on all paths: `{numpys}(...)`",)
    frame.fault("T002", message, node, "found here", help_)
