"""Two values, or two outcomes, held against each other: containers, kinds, dtypes, shapes, and numbers to rounding.

difference([1, a], (1, a))      raises Difference("structure", ...)
moved_by(outcome, nudged)       how far rounding moves a result, as a part of its size
"""

import dataclasses
import math

import numpy as np

from ..corpus import leaves

TOLERANCE = {"float16": 1e-2, "float32": 1e-3, "float64": 1e-9}


class Difference(Exception):
    """Two values differ; `kind` says in what."""

    def __init__(self, kind, text):
        self.kind = kind
        super().__init__(text)


def difference(got, want, moved, place="result", exact=False):
    """Raise Difference where `got` is not `want`; with `moved` None the numbers may be any."""
    match want:
        case dict():
            if not isinstance(got, dict) or list(got) != list(want):
                raise Difference("structure", f"{place}: {got!r}, not {want!r}")
            for key in want:
                difference(got[key], want[key], moved, f"{place}[{key!r}]", exact)
        case tuple() | list():
            if type(got) is not type(want) and not (hasattr(want, "_fields") and same_class(got, want)):
                raise Difference("structure", f"{place} is a {type(got).__name__}, not a {type(want).__name__}")
            if len(got) != len(want):
                raise Difference("length of a container", f"{place} has {len(got)} parts, not {len(want)}")
            for number, (one, other) in enumerate(zip(got, want)):
                difference(one, other, moved, f"{place}[{number}]", exact)
        case _ if dataclasses.is_dataclass(want) or "__init__" in vars(type(want)) and hasattr(want, "__dict__"):
            if not same_class(got, want):
                raise Difference("structure", f"{place} is a {type(got).__name__}, not a {type(want).__name__}")
            for name in vars(want):
                difference(getattr(got, name), getattr(want, name), moved, f"{place}.{name}", exact)
        case bool() | int() | float() | np.generic() | np.ndarray():
            leaf_difference(got, want, moved, place, exact)
        case _ if callable(want):
            return
        case _ if got != want:
            raise Difference("value", f"{place} is {got!r}, not {want!r}")


def same_class(got, want):
    """Whether two records are of one class: each run of a case defines its classes anew."""
    return type(got).__name__ == type(want).__name__ and type(got).__qualname__ == type(want).__qualname__


def leaf_difference(got, want, moved, place, exact):
    if not isinstance(got, bool | int | float | np.generic | np.ndarray):
        raise Difference("structure", f"{place} is a {type(got).__name__}, not a {type(want).__name__}")
    if isinstance(got, np.ndarray) != isinstance(want, np.ndarray):
        raise Difference("structure", f"{place} is a {type(got).__name__}, not a {type(want).__name__}")
    if isinstance(want, int) and not isinstance(want, bool) and not -(2**63) <= want < 2**63:
        if type(got) is type(want) and got == want:
            return
        raise Difference("value", f"{place} is {got!r}, not {want!r}")
    one, other = np.asarray(got), np.asarray(want)
    if one.dtype != other.dtype:
        raise Difference("dtype", f"{place} has dtype {one.dtype}, not {other.dtype}")
    if isinstance(got, np.bool_) != isinstance(want, np.bool_):
        raise Difference("kind of bool", f"{place} is a {type(got).__name__}, not a {type(want).__name__}")
    if one.shape != other.shape:
        if moved is None:
            return  # a length that rounding decides
        raise Difference("shape", f"{place} has shape {one.shape}, not {other.shape}")
    if moved is None:
        return
    if other.dtype.kind != "f" or exact:
        if not np.array_equal(one, other, equal_nan=other.dtype.kind == "f"):
            raise Difference("value", f"{place} is {got!r}, not {want!r}")
        return
    tolerance = max(TOLERANCE[other.dtype.name], 1e3 * moved)
    with np.errstate(all="ignore"):
        scale = max(1.0, float(np.max(np.abs(other[np.isfinite(other)]), initial=0.0)))
        if not np.allclose(one, other, rtol=tolerance, atol=tolerance * scale, equal_nan=True):
            raise Difference("value", f"{place} is {got!r}, not {want!r}")


def moved_by(want, near) -> float:
    """How far a nudge of the arguments moves the outcome, as a part of its size; infinite where it changes the path."""
    if want.error is not None or near.error is not None:
        return 0.0 if type(want.error) is type(near.error) else math.inf
    ones, others = leaves(want.value), leaves(near.value)
    if len(ones) != len(others):
        return math.inf
    return max((_distance(one, other) for one, other in zip(ones, others)), default=0.0)


def _distance(one, other):
    try:
        one, other = np.asarray(one), np.asarray(other)
    except (ValueError, OverflowError):
        return math.inf
    if one.shape != other.shape or one.dtype != other.dtype:
        return math.inf
    if one.dtype.kind != "f":
        return 0.0 if np.array_equal(one, other) else math.inf
    finite = np.isfinite(one)
    if not np.array_equal(one[~finite], other[~finite], equal_nan=True) or not np.all(np.isfinite(other[finite])):
        return math.inf
    with np.errstate(all="ignore"):
        scale = max(1.0, float(np.max(np.abs(one[finite]), initial=0.0)))
        return float(np.max(np.abs(one[finite] - other[finite]), initial=0.0)) / scale
