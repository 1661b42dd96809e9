"""Hold an operator to one meaning where Python has a number of its own on one path and one of NumPy's on another.

    best = -1                      `best` is an int of Python's here, which `best + 1` never wraps,
    for v in img:                  or an np.uint8, which it does.  Compiled code has one type for both, and raises
        best = max(best, v)        where it cannot tell the two apart and they differ: 255 + 1
    return best + 1

A number outside the narrow dtype was Python's for certain; where Python's number is known, all others were NumPy's.
Where the dtype of an array depends on the path, the operator is refused.  Floats have the digits of the one type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import gast

from ... import syntax, types
from ...builder import Builder, paths
from ...dtypes import NUMPY_DTYPE, holds, is_complex, is_exact, is_inexact, is_integer, order, promote_dtypes
from ...ops.schema import OPERATORS
from ...types import INT, Array, Scalar
from . import own_numbers
from .meeting_paths import Path, is_own, is_whole, names_of, names_of_meanings, outside, stop_where, tests
from .values import Leaf, Value

if TYPE_CHECKING:
    from .frame import Frame


def require_one(
    frame: Frame, operator: str, atoms: Sequence[gast.expr], made: Sequence[str], static: Mapping[str, Any],
    node: gast.AST,
) -> None:  # fmt: skip
    """Refuse an operator, or raise at run time, where its result would depend on whose number an operand is.

    The results are said to have what Python has for them on the paths on which the program goes on.
    """
    builder, row = frame.builder, OPERATORS[operator]
    full = {**{k: v for k, v in row.static.items() if v is not ...}, **static}
    ways = list(paths(builder, row, atoms, full))
    is_held = operator == "cast" or not any(_may_be_numpys(builder, a) for a in atoms if isinstance(a, gast.Name))
    for position, name in enumerate(made if ways else ()):
        left = []
        for given, results in ways:
            path = Path(operator, atoms, full, given, name, results[position], node)
            if is_held or _goes_on(frame, path):
                left.append(path.found)
        builder.widen(name, [left])


def _may_be_numpys(builder: Builder, atom: gast.Name) -> bool:
    """Whether a single number is NumPy's on some path and something else on another."""
    is_number = isinstance(builder.types[atom.id], Scalar)
    return is_number and any(not one.type.weak for one in builder.widened.get(atom.id, ()))


def _goes_on(frame: Frame, path: Path) -> bool:
    """Make sure of the result of one path; whether the program goes on there."""
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
    """The test of whether the result, or an int of Python's beside the operand, is none of NumPy's dtype."""
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
    names = [a for a in atoms if isinstance(a, gast.Name) and getattr(frame.builder.types[a.id], "weak", False)]
    return any(_may_be_numpys(frame.builder, a) for a in names)


def beside_its_own(frame: Frame, value: Value, place: Array) -> Value:
    """A number as it meets an array of floats that is changed in place: NumPy's, as the dtype is that of the array."""
    found = frame.type_of(value)
    is_float = isinstance(found, Scalar) and not found.weak and is_inexact(found.dtype) and is_inexact(place.dtype)
    if not isinstance(value, Leaf) or not is_float or value.name not in frame.builder.widened:
        return value
    return Leaf(frame.builder.call("cast", value.name, dtype=found.dtype, weak=False).id)


def require_one_dtype(frame: Frame, parts: Sequence[Value], node: gast.AST) -> None:
    """Refuse an array of parts of which one may be a number of NumPy's, and has another dtype on another path."""
    builder = frame.builder
    words = [types.dtype_of(found) for part in parts if (found := frame.type_of(part)) is not None]
    names = [p.name for p in parts if isinstance(p, Leaf) and _may_be_numpys(builder, syntax.name(p.name))]
    for name in names:
        others = [*words]
        others.remove(types.dtype_of(builder.types[name]))
        for one in sorted(builder.widened[name], key=str):
            if (other := promote_dtypes(one.type.dtype, *others)) != promote_dtypes(*words):
                refuse(frame, names_of(builder, name), promote_dtypes(*words), other, node)


def refuse(frame: Frame, names: tuple[str, str], dtype: str, other: str, node: gast.AST) -> None:
    """Refuse what has one dtype or another, as an operand has a name of one of the two."""
    own, numpys = names
    either = f"one operand is a Python {own} or an np.{numpys}"
    message = f"the dtype of this is {NUMPY_DTYPE[dtype]} or {NUMPY_DTYPE[other]}: {either}"
    help_ = (f"decide which: `{own}(...)` of NumPy's number, or `np.{numpys}(...)` of Python's",)
    frame.fault("T002", message, node, "found here", help_)
