"""One expression on operands of every kind, compiled and in CPython: value, dtype, shape and error must agree.

    outcomes("np.mean(x, dtype=int)", {"x": "i32[n]"})    ->    (arguments, what was found, what NumPy says), ...

A *form* is a dtype and how the number comes: Python's (`float`), NumPy's scalar (`f64`), an array without dimensions
(`f64[]`), of one element (`f64[1]`), of some and of none (`f64[n]`), a matrix (`f64[n, m]`).  Each has awkward values.
"""

from __future__ import annotations

import ast
import itertools
import linecache
import math
import warnings
import zlib
from collections.abc import Callable, Iterator

import numpy as np

import pellucid
from pellucid.compiler.dtypes import DTYPE, NUMPY_DTYPE, PYTHON_TYPE, is_complex, is_inexact

AWKWARD = {
    "bool": (True, False, True, True), "i32": (2, -3, 0, 5), "i64": (3, -2, 0, 2**53 + 1),
    "f32": (1.5, -0.0, math.nan, math.inf), "f64": (-0.0, 2.5, math.nan, -math.inf),
}  # fmt: skip
PLAIN = {
    "bool": (True, False, True, True), "i32": (2, 3, 1, 4), "i64": (3, 2, 1, 5), "f32": (1.5, 0.5, 0.25, 2.0),
    "f64": (0.75, 2.5, 1.25, 3.0),
}  # fmt: skip
RARE = [word for word in DTYPE if word not in AWKWARD]  # dtypes that fewer combinations are made of
COMPLEX = (1.5 - 2j, -0.5 + 0.25j, 2j, 0.75 + 0j)
AWKWARD_COMPLEX = (2.5 - 3j, complex(-0.0, 1.5), complex(math.nan, 1.0), complex(math.inf, -2.0))
RARE_PLAIN = {
    word: COMPLEX if is_complex(word) else (1.5, 0.5, 0.25, 2.0) if is_inexact(word) else (2, 3, 1, 4) for word in RARE
}
RARE_AWKWARD = {
    word: AWKWARD_COMPLEX if is_complex(word) else (-0.0, 65504.0, math.nan, math.inf) if is_inexact(word) else
    (2, int(DTYPE[word].least), 0, int(DTYPE[word].greatest) // (1 if DTYPE[word].bits < 64 else 2)) for word in RARE
}  # fmt: skip


def _values(numbers: dict) -> dict[str, list]:
    found: dict[str, list] = {}
    for dtype, row in numbers.items():
        array = np.array(row).astype(NUMPY_DTYPE[dtype])
        found[f"{dtype}[n]"] = [array, array[:0]]
        found[f"{dtype}[1]"] = [array[:1], array[2:3]]
        found[f"{dtype}[]"] = [array[k : k + 1].reshape(()) for k in (0, 2)]
        found[dtype] = [array[0], array[2], array[3]]
        found[f"{dtype}[n, m]"] = [np.stack([array, array[::-1]])]
        if dtype in PYTHON_TYPE:
            found[PYTHON_TYPE[dtype].__name__ + "()"] = [PYTHON_TYPE[dtype](row[k]) for k in (0, 2, 3)]
    return found


FORMS, TAME = _values(AWKWARD), _values(PLAIN)
RARE_FORMS = _values(RARE_AWKWARD)
ALL_AWKWARD, ALL_TAME = FORMS | RARE_FORMS, TAME | _values(RARE_PLAIN)


def function_of(text: str, parameters: str = "") -> Callable:
    """`lambda x, y: text` as a function with a source; statements where there are lines, the last one an expression."""
    parameters = parameters or ", ".join(k for k in "xy" if _uses(text, k))
    lines = text.split("\n")
    body = "\n".join(f"    {line}" for line in (*lines[:-1], f"return {lines[-1]}"))
    source = f"def f({parameters}):\n{body}\n"
    name = f"<answers {zlib.crc32(source.encode())}>.py"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    names: dict = {"np": np, "math": math}
    exec(compile(source, name, "exec"), names)
    return names["f"]


def _uses(text: str, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(ast.parse(text)))


def outcome(function: Callable, arguments: tuple) -> object:
    """The result, or the exception."""
    given = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*given)
        except Exception as error:
            return error


def outcomes(text: str, forms: tuple[str, ...], tame: bool = False) -> Iterator[tuple[tuple, object, object]]:
    """Every combination of the forms' values, until the compiler refuses one; a refusal answers nothing."""
    python = function_of(text)
    compiled = pellucid.compile(python)
    awkward = [] if tame else list(itertools.product(*(ALL_AWKWARD[f] for f in forms)))[:9]
    for arguments in (*awkward, *itertools.product(*(ALL_TAME[f] for f in forms))):
        found = outcome(compiled, arguments)
        if isinstance(found, pellucid.CompileError):
            return
        yield arguments, found, outcome(python, arguments)


def agree(found: object, wanted: object, *, same_type: bool = True, same_zero: bool = True) -> bool:
    """Whether an answer is NumPy's, to rounding.

    An array without dimensions and NumPy's scalar are one.  Without `same_type` only the value counts, without
    `same_zero` 0.0 and -0.0 are one.
    """
    if isinstance(wanted, Exception):
        alike = type(found).__name__ == type(wanted).__name__  # a printed stage has a class of its own
        alike = alike or isinstance(found, type(wanted))
        return alike or isinstance(found, Exception) and isinstance(wanted, type(found))
    if isinstance(found, Exception):
        return isinstance(found, OverflowError) and type(wanted) is int and not -(2**63) <= wanted < 2**63
    if isinstance(wanted, tuple | list):
        return isinstance(found, tuple | list) and len(found) == len(wanted) and all(map(agree, found, wanted))
    is_numpys = [isinstance(v, np.ndarray | np.generic | pellucid.Array) for v in (found, wanted)]
    left, right = np.asarray(found), np.asarray(wanted)
    if same_type and (is_numpys[0] != is_numpys[1] or left.dtype != right.dtype):
        return False
    if left.shape != right.shape or (left.ndim > 0) != isinstance(found, pellucid.Array | np.ndarray) and left.ndim:
        return False
    return _close(left, right, same_zero)


def _close(left: np.ndarray, right: np.ndarray, same_zero: bool) -> bool:
    if "c" in (left.dtype.kind, right.dtype.kind):
        return _close_pairs(left, right)
    if right.dtype.kind != "f" or left.dtype.kind != "f":
        return bool(np.all(left == right))
    tolerance = {2: 2e-3, 4: 3e-6}.get(min(left.dtype.itemsize, right.dtype.itemsize), 1e-12)
    with np.errstate(all="ignore"):
        equal = (left == right) & ((right != 0) | (np.signbit(left) == np.signbit(right)) | (not same_zero))
        near = (np.abs(left - right) <= tolerance * np.abs(right)) & (right != 0)
    return bool(np.all(equal | near | (np.isnan(left) & np.isnan(right))))


def _close_pairs(left: np.ndarray, right: np.ndarray) -> bool:
    """Complex numbers: near by their distance, nan where one of the parts is, infinite ones alike."""
    tolerance = 3e-6 if min(left.dtype.itemsize, right.dtype.itemsize) == 8 else 1e-12
    with np.errstate(all="ignore"):
        near = np.abs(left - right) <= tolerance * np.abs(right)
        same = [(a == b) | (np.isnan(a) & np.isnan(b)) for a, b in ((left.real, right.real), (left.imag, right.imag))]
    return bool(np.all(near | (same[0] & same[1]) | (np.isnan(left) & np.isnan(right))))
