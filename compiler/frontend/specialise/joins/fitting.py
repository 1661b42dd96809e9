"""Convert a Python int before an operator that takes it as a NumPy number, where the dtype may not hold it.

    x + k    of i8[n] and int     ->     t = np.int8(k); x + t

The conversion is what raises OverflowError: as a statement of its own it is kept even if nothing reads the result, runs
only on its path, and is seen by a surrounding `try`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

import gast

from ....dtypes import INT_WORD, holds, is_integer
from ....ops.schema import OPERATORS
from ....ops.works_in import as_result
from ....types import INT, ListOf, dtype_of, promote
from ..values import Leaf, Static, Value
from . import two_meanings

if TYPE_CHECKING:
    from ..frame import Frame


def converted(frame: Frame, operator: str, atoms: list[gast.expr], node: gast.AST) -> list[gast.expr]:
    """The operands, with each int that the dtype may not hold converted to a NumPy number."""
    row = OPERATORS[operator]
    if row.kind != "elementwise" or row.works_in is not as_result or len(atoms) < 2 or row.is_comparison:
        return atoms
    operands = [found for a in atoms if not isinstance(found := frame.builder.type_of(a), ListOf)]
    if INT not in operands or len(operands) < len(atoms):
        return atoms
    word, weak = promote(*operands)
    if weak or word == INT_WORD or not is_integer(word):
        return atoms
    if frame.builder.widened and two_meanings.is_numpys(frame, atoms):
        return atoms  # it is NumPy's on some path, and nothing is converted there
    made = dtype_of(row.type_rule(tuple(operands), **{k: v for k, v in row.static.items() if v is not ...}))
    if made != word:
        return atoms
    return [atom if kept(atom, t, word) else as_numpys(frame, atom, word, node) for atom, t in zip(atoms, operands)]


def kept(atom: gast.expr, type_: object, word: str) -> bool:
    return type_ != INT or isinstance(atom, gast.Constant) and holds(word, atom.value)


def as_numpys(frame: Frame, atom: gast.expr, word: str, node: gast.AST) -> gast.expr:
    value = Static(atom.value) if isinstance(atom, gast.Constant) else Leaf(atom.id)
    return frame.atom(frame.emit("cast", value, node=node, dtype=word, weak=False), node)


def is_held(value: Value, dtype: str) -> TypeGuard[Static]:
    """Whether an int that is known now is in the range of a dtype; some dtypes are wider than compiled ints."""
    return isinstance(value, Static) and type(value.value) is int and is_integer(dtype) and holds(dtype, value.value)
