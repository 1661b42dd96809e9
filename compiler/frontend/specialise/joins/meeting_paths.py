"""An operator on one of the paths that meet in its operands, and the tests of whether control may have taken it.

    best + 1    on the path where `best` is an np.uint8       0 <= best <= 255
                on that where it is the 0 of the beginning    best == 0
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import gast

from .... import syntax, types
from ....builder import Builder
from ....dtypes import DTYPE, INT_WORD, LARGEST_EXACT, NUMPY_DTYPE, WEAK_WORD, is_bool, is_exact, is_inexact, is_integer
from ....meanings import Meaning
from ....records import dataclass
from ....types import INT, Scalar, dtype_of
from ..limits import limit

if TYPE_CHECKING:
    from ..frame import Frame


@dataclass(frozen=True, slots=True)
class Path:
    """An operator on a path where its operands, and one of its results, have these meanings in Python.

    atoms     the operands as the program has them, before any conversion
    made      the name of the result
    """

    operator: str
    atoms: Sequence[gast.expr]
    static: Mapping[str, Any]
    given: tuple[Meaning, ...]
    made: str
    found: Meaning
    node: gast.AST

    def operands(self, builder: Builder) -> Iterator[tuple[gast.expr, Scalar, Meaning]]:
        """The operands that are single numbers, with their types and what they are on this path."""
        for atom, meaning in zip(self.atoms, self.given, strict=True):
            type_ = builder.type_of(atom)
            if isinstance(type_, Scalar):
                yield atom, type_, meaning


def is_own(builder: Builder, path: Path) -> bool:
    """Whether an operand that is NumPy's in compiled code is Python's on this path, or has more bits there."""
    return any(_is_larger(meaning.type, type_) for _, type_, meaning in path.operands(builder))


def _is_larger(meaning: Scalar, declared: Scalar) -> bool:
    if declared.weak or meaning.weak:
        return meaning.weak and not declared.weak
    return is_whole(meaning.dtype) and is_whole(declared.dtype) and not is_exact(meaning.dtype, declared.dtype)


def tests(builder: Builder, path: Path) -> list[gast.expr]:
    """Tests that all hold if control may have taken this path."""
    found = []
    for atom, type_, meaning in path.operands(builder):
        if meaning.type == type_:
            continue
        if meaning.type.weak and meaning.number is not None:
            found.append(builder.call("equal", atom, syntax.constant(meaning.number)))
        elif meaning.type == INT and DTYPE[type_.dtype].greatest > DTYPE[INT_WORD].greatest:
            found.append(outside(builder, atom, INT_WORD, denied=True))
        elif not meaning.type.weak and not is_inexact(meaning.type.dtype):
            found.append(outside(builder, atom, meaning.type.dtype, denied=True))
    return found


def outside(builder: Builder, atom: gast.expr | str, word: str, denied: bool = False) -> gast.expr:
    """Whether a number is outside this dtype of ints or bools; `denied`: whether it is inside."""
    least, greatest = int(DTYPE[word].least), int(DTYPE[word].greatest)
    is_float = is_inexact(dtype_of(builder.type_of(syntax.atom(atom))))
    found = []
    if is_float:
        greatest = min(greatest, LARGEST_EXACT)
        found.append(builder.call("equal", builder.call("floor", atom), atom))
    if is_float or DTYPE[dtype_of(builder.type_of(syntax.atom(atom)))].signed:
        found.append(builder.call("greater_equal", atom, max(least, -LARGEST_EXACT) if is_float else least))
    if is_float or greatest <= DTYPE[INT_WORD].greatest:
        found.append(builder.call("less_equal", atom, greatest))
    test = reduce(lambda one, other: builder.call("logical_and", one, other), found)
    return test if denied else builder.call("logical_not", test)


def stop_where(frame: Frame, path: Path, conditions: Sequence[gast.expr], reason: str) -> None:
    """Raise where all conditions hold: two numbers meet in one variable, and nothing says which of them it is."""
    error = error_of(frame, path, reason)
    if not conditions:
        frame.builder.append(error)
        return
    test = reduce(lambda one, other: frame.builder.call("logical_and", one, other), conditions)
    frame.builder.append(syntax.if_(test, [error]))


def error_of(frame: Frame, path: Path, reason: str) -> gast.Raise:
    own, numpys = names_of_meanings(frame.builder, path)
    meeting = f"{own} and {numpys} meet in one variable"
    message = f"{meeting}, and this {reason} for one: take {own}(...) or {numpys}(...)"
    return limit("OverflowError", message, span=frame.here(path.node))


def names_of_meanings(builder: Builder, path: Path) -> tuple[str, str]:
    """The same for the first operand of a path that has several meanings."""
    return names_of(builder, next(a for a in path.atoms if isinstance(a, gast.Name) and a.id in builder.widened))


def names_of(builder: Builder, atom: gast.expr | str) -> tuple[str, str]:
    """Two types that a number has in Python: `int` and `np.uint8`; `np.int8` and `np.uint8`, if neither is Python's."""
    declared = types.of_elements(builder.type_of(syntax.atom(atom)))
    found = sorted((one.type for one in builder.meanings_of(atom)), key=str)
    strong = [t for t in found if not t.weak and t != declared] or [declared]
    own = next((WEAK_WORD[t.dtype] for t in found if t.weak), f"np.{NUMPY_DTYPE[strong[0].dtype]}")
    return own, f"np.{NUMPY_DTYPE[strong[-1].dtype]}"


def is_whole(word: str) -> bool:
    return is_integer(word) or is_bool(word)
