"""Which operator is meant by what Python calls it: the spellings of the rows, inverted.

    np.sum(x, axis=0)        ->    sum         np.linalg.solve(a, b)    ->    solve
    math.sqrt(x)             ->    math_sqrt   scipy.special.erf(x)     ->    erf
    scipy.special.sici(x)[0] ->    sici_si
    x.reshape((n, m))        ->    reshape     np.float32, float        ->    f32, float
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import gast

from ..dtypes import DTYPE_OF_NUMPY, DTYPES, NUMPY_DTYPE, STRONG_WORD, WEAK_WORD
from ..ops import schema
from ..targets.python.templates import parse_spelling

# (dtype, weak) by what a conversion is called
CASTS: dict[str, tuple[str, bool]] = {
    **{word: (word, False) for word in DTYPES},
    **{STRONG_WORD[word]: (word, False) for word in DTYPES},
    **{str(numpy): (word, False) for numpy, word in DTYPE_OF_NUMPY.items()},
    **{f"{NUMPY_DTYPE[word].name}": (word, False) for word in DTYPES},
    **{python: (word, True) for word, python in WEAK_WORD.items()},
}


def dotted_name(node: gast.expr) -> str:
    """`np.linalg.solve` of a callee; empty for what is no name with dots."""
    match node:
        case gast.Name(id=id_):
            return str(id_)
        case gast.Attribute(value=value, attr=attr) if base := dotted_name(value):
            return f"{base}.{attr}"
    return ""


@cache
def functions() -> dict[str, str]:
    """The operator of each function that a spelling calls by name."""
    return {name: row.name for name, row in _calls()}


@cache
def fixed_parts(function: str) -> Mapping[str, object]:
    """What the spelling that calls a function says of it by keyword, always the same: part of what it is called."""
    trees = (tree for tree, _ in _trees() if isinstance(tree, gast.Call) and dotted_name(tree.func) == function)
    return {k.arg: k.value.value for tree in trees for k in tree.keywords if isinstance(k.value, gast.Constant)}


@cache
def methods() -> dict[str, str]:
    """The operator of each method that a spelling calls."""
    found = {}
    for tree, row in _trees():
        match tree:
            case gast.Call(func=gast.Attribute(value=gast.Name(id=hole), attr=attr)) if hole.startswith("__"):
                found[attr] = row.name
    return found


@cache
def results() -> dict[tuple[str, object], str]:
    """The operator that is one of several results of a function: `scipy.special.sici(x)[0]`."""
    found = {}
    for tree, row in _trees():
        match tree:
            case gast.Subscript(value=gast.Call(func=func), slice=gast.Constant(value=number)) if dotted_name(func):
                found[dotted_name(func), number] = row.name
    return found


def _calls() -> list[tuple[str, schema.Operator]]:
    found = [(dotted_name(tree.func), row) for tree, row in _trees() if isinstance(tree, gast.Call)]
    return [(name, row) for name, row in found if name and not name.startswith("__")]


def _trees() -> list[tuple[gast.expr, schema.Operator]]:
    found = []
    for row in schema.OPERATORS.values():
        several = row.operands[-1][1:] if row.operands and row.operands[-1].startswith("*") else ""
        for spelling in filter(None, (row.spelling, row.scalar_spelling)):
            found.append((parse_spelling(spelling, several), row))
    return found
