"""Types: scalars, arrays with symbolic dimensions, growable lists; promotion as in NumPy 2.

    f64        a NumPy float64 scalar          float    a Python float (weak, NEP 50)
    f64[n, m]  a C-contiguous array            any f64[n, m]   the same with any strides
    [f64]      a growable list of scalars      [f64[n]]        a growable list of arrays

A dimension is an `int` or a `Dim`: `max(0, constant + sum of coefficient * symbol)`, where every symbol stands for a
length and is therefore never negative.  Two dimensions are known to be equal when they are equal as values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from .dtypes import (
    BOOL_WORD,
    COMPLEX_WORD,
    DTYPE_OF_NUMPY,
    DTYPES,
    FLOAT_WORD,
    INT_WORD,
    STRONG_WORD,
    WEAK_WORD,
    beside_python,
    is_complex,
    is_inexact,
    order,
    promote_dtypes,
    python_word,
)
from .records import dataclass


@dataclass(frozen=True, slots=True)
class Dim:
    """A symbolic length, `max(0, constant + sum(coefficient * symbol))`; terms are sorted and never empty."""

    terms: tuple[tuple[str, int], ...]
    constant: int = 0

    def __str__(self) -> str:
        text = ""
        for symbol, coefficient in self.terms:
            sign = " - " if coefficient < 0 else " + "
            factor = "" if abs(coefficient) == 1 else f"{abs(coefficient)}*"
            text += (sign if text else "-" if coefficient < 0 else "") + factor + symbol
        if self.constant:
            text += f" - {-self.constant}" if self.constant < 0 else f" + {self.constant}"
        return text

    def symbols(self) -> tuple[str, ...]:
        return tuple(symbol for symbol, _ in self.terms)


Extent: TypeAlias = int | Dim


def symbol(name: str) -> Dim:
    return Dim(((name, 1),))


def affine(terms: dict[str, int], constant: int) -> Extent:
    """The dimension with these terms, an `int` where nothing symbolic is left."""
    kept = tuple(sorted((name, factor) for name, factor in terms.items() if factor))
    return Dim(kept, constant) if kept else max(0, constant)


def shift(extent: Extent, by: int) -> Extent:
    """The dimension `max(0, extent + by)`, which is exact only for `by <= 0` or a plain nonnegative extent."""
    return max(0, extent + by) if isinstance(extent, int) else Dim(extent.terms, extent.constant + by)


def is_plain(extent: Extent) -> bool:
    """Whether the clamp at zero is idle: the affine expression itself is never negative."""
    return isinstance(extent, int) or (extent.constant >= 0 and all(factor > 0 for _, factor in extent.terms))


def add(left: Extent, right: Extent) -> Extent | None:
    """The sum of two lengths, or None where a clamp makes it inexpressible."""
    if not (is_plain(left) and is_plain(right)):
        return None
    terms: dict[str, int] = {}
    constant = 0
    for side in (left, right):
        if isinstance(side, int):
            constant += side
            continue
        constant += side.constant
        for name, factor in side.terms:
            terms[name] = terms.get(name, 0) + factor
    return affine(terms, constant)


# The symbols of sums that are no plain sums, with those of their parts: what a name means follows from its spelling.
_SUMS: dict[str, frozenset[str]] = {}


def sum_of_lengths(left: Extent, right: Extent) -> Extent:
    """The sum as a dimension; a symbol of its own, the same for the same parts, where a clamp makes it no plain sum."""
    total = add(left, right)
    if total is not None:
        return total
    text = f"{right} + {left}" if isinstance(left, int) else f"{left} + {right}"  # a name begins with a letter
    for sign, word in ((" + ", "_plus_"), (" - ", "_minus_"), ("*", "_times_"), ("-", "minus_")):
        text = text.replace(sign, word)
    parts = [s for side in (left, right) if isinstance(side, Dim) for s in side.symbols()]
    _SUMS[text] = frozenset(s for part in parts for s in roots(part))
    return symbol(text)


def least_of(left: Extent, right: Extent) -> Extent:
    """The smaller of two lengths; a symbol of its own, the same for the same two, where that is not known."""
    if left == right or isinstance(left, int) and isinstance(right, int):
        return min(left, right, key=lambda extent: extent if isinstance(extent, int) else 0)
    one, other = sorted(map(str, (left, right)))
    text = f"least_{one}_{other}"
    for sign, word in ((" + ", "_plus_"), (" - ", "_minus_"), ("*", "_times_"), ("-", "minus_")):
        text = text.replace(sign, word)
    parts = [s for side in (left, right) if isinstance(side, Dim) for s in side.symbols()]
    _SUMS[text] = frozenset(s for part in parts for s in roots(part))
    return symbol(text)


# The symbols of lengths in backward loops: what has one may be known better, once it is simplified, than by its symbol.
BACKWARD: set[str] = set()


def roots(name: str) -> frozenset[str]:
    """The symbols on which a symbol depends: those of its parts where it stands for a sum, else itself."""
    return _SUMS.get(name, frozenset({name}))


@dataclass(frozen=True, slots=True)
class Scalar:
    dtype: str
    weak: bool = False

    def __str__(self) -> str:
        return WEAK_WORD[self.dtype] if self.weak else STRONG_WORD[self.dtype]


@dataclass(frozen=True, slots=True)
class Array:
    dtype: str
    dims: tuple[Extent, ...]
    layout: str = "C"

    @property
    def ndim(self) -> int:
        return len(self.dims)

    def __str__(self) -> str:
        prefix = "" if self.layout == "C" else "any "
        return f"{prefix}{STRONG_WORD[self.dtype]}[{', '.join(map(str, self.dims))}]"


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list that grows.  A box holds one array at most, which has no alias until it is taken out."""

    element: Scalar | Array
    is_box: bool = False

    def __str__(self) -> str:
        return f"[{self.element}]"


Type: TypeAlias = Scalar | Array | ListOf

BOOL, INT, FLOAT, COMPLEX = (Scalar(word, weak=True) for word in (BOOL_WORD, INT_WORD, FLOAT_WORD, COMPLEX_WORD))
_OF_PYTHON = {bool: BOOL, int: INT, float: FLOAT, complex: COMPLEX}


def type_of_number(value: object) -> Scalar | None:
    """The type of a number of Python's or NumPy's; None of anything else."""
    found = _OF_PYTHON.get(type(value))
    if isinstance(value, np.generic):
        return Scalar(DTYPE_OF_NUMPY[value.dtype]) if value.dtype in DTYPE_OF_NUMPY else None
    if found is None and isinstance(value, int | float | complex):  # of a class of numbers that is made of them
        return next(type_ for cls, type_ in _OF_PYTHON.items() if isinstance(value, cls))
    return found


_WORDS: dict[str, Scalar] = {
    str(s): s for d in DTYPES for s in (Scalar(d), *([Scalar(d, True)] if d in WEAK_WORD else []))
}


_TERM = r"\s*(?:\d+\s*\*\s*)?\w+\s*"


def parse_dim(text: str) -> Extent:
    """Read `n`, `3`, `n - 2`, `2*n + m + 1`."""
    if not re.fullmatch(rf"\s*-?{_TERM}(?:[+-]{_TERM})*", text):
        raise ValueError(f"not a length: {text.strip()!r}; write for example n, 3 or 2*n + 1")
    terms: dict[str, int] = {}
    constant = 0
    for sign, factor, word in re.findall(r"([+-]?)\s*(?:(\d+)\s*\*\s*)?(\w+)", text):
        scale = (-1 if sign == "-" else 1) * int(factor or 1)
        if word.isdigit():
            constant += scale * int(word)
        else:
            terms[word] = terms.get(word, 0) + scale
    return affine(terms, constant)


def parse(text: str) -> Type:
    """Read the notation of `str(type)`; raises ValueError naming what it could not read."""
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        element = parse(text[1:-1])
        if isinstance(element, ListOf):
            raise ValueError(f"a list of lists is not a type: {text!r}")
        return ListOf(element)
    layout = "C"
    if text.startswith("any "):
        layout, text = "A", text[4:].strip()
    if text in _WORDS:
        return _WORDS[text]
    match = re.fullmatch(r"(\w+)\[(.*)\]", text)
    words = {**_WORDS, WEAK_WORD[BOOL_WORD]: Scalar(BOOL_WORD)}
    if not match or match[1] not in words or (words[match[1]].weak):
        raise ValueError(f"not a type: {text!r}; write for example 'f64[n, m]', 'i32[3]', 'f64', 'float' or 'int'")
    inner = match[2].strip()
    dims = tuple(parse_dim(part) for part in inner.split(",")) if inner else ()
    return Array(words[match[1]].dtype, dims, layout)


def promote(*types: Scalar | Array) -> tuple[str, bool]:
    """(dtype, weak) of an arithmetic result under NEP 50: weak operands lend only their kind."""
    strong = [t.dtype for t in types if isinstance(t, Array) or not t.weak]
    weak = [t.dtype for t in types if isinstance(t, Scalar) and t.weak]
    if not strong:
        return max(weak, key=order), True
    return beside_python(promote_dtypes(*strong), max(weak, key=order, default=BOOL_WORD)), False


def join(left: Scalar, right: Scalar) -> Scalar:
    """The type of a variable that is the one or the other, which holds every value of both.

    A number of Python's that meets one of NumPy's of fewer bits stays one of Python's: its value may be any.
    """
    dtype, weak = promote(left, right)
    if left.weak == right.weak:
        return Scalar(dtype, weak)
    python, numpys = (left, right) if left.weak else (right, left)
    if promote_dtypes(python.dtype, numpys.dtype) == dtype:
        return Scalar(dtype)
    return Scalar(max(python.dtype, python_word(numpys.dtype), key=order), weak=True)


def of_elements(type_: Type) -> Scalar:
    """The type of an array's or a list's elements; of a number its own."""
    if isinstance(type_, ListOf):
        return of_elements(type_.element)
    return type_ if isinstance(type_, Scalar) else Scalar(type_.dtype)


def is_floating(type_: Type) -> bool:
    """Whether it is of numbers that have derivatives: floats and complex numbers."""
    return is_inexact(dtype_of(type_))


def of_complex(type_: Type) -> bool:
    return is_complex(dtype_of(type_))


def symbols_of(type_: Type) -> set[str]:
    """The symbols that the lengths of a type use."""
    array = type_.element if isinstance(type_, ListOf) else type_
    dims = array.dims if isinstance(array, Array) else ()
    return {name for extent in dims if isinstance(extent, Dim) for name in extent.symbols()}


def substitute(extent: Extent, lengths: Mapping[str, Extent]) -> Extent:
    """The length with other lengths, none of them clamped, in place of symbols."""
    if isinstance(extent, int):
        return extent
    terms: dict[str, int] = {}
    constant = extent.constant
    for name, factor in extent.terms:
        other = lengths.get(name, symbol(name))
        if isinstance(other, int):
            constant += factor * other
            continue
        constant += factor * other.constant
        for inner, times in other.terms:
            terms[inner] = terms.get(inner, 0) + factor * times
    return affine(terms, constant)


def with_lengths(type_: Type, lengths: Mapping[str, Extent]) -> Type:
    """The type with other lengths in place of symbols."""
    if isinstance(type_, ListOf):
        return replace(type_, element=with_lengths(type_.element, lengths))  # type: ignore[arg-type]
    if not isinstance(type_, Array) or not any(_mentions(d, lengths) for d in type_.dims):
        return type_
    return replace(type_, dims=tuple(substitute(d, lengths) for d in type_.dims))


def _mentions(extent: Extent, lengths: Mapping[str, Extent]) -> bool:
    return not isinstance(extent, int) and any(name in lengths for name, _ in extent.terms)


def with_dtype(type_: Scalar | Array, dtype: str, weak: bool = False) -> Scalar | Array:
    return Scalar(dtype, weak) if isinstance(type_, Scalar) else replace(type_, dtype=dtype)


def lengths_in_row(shapes: Array) -> int:
    """How many lengths each row of an array of shapes has, as many as the arrays have axes."""
    count = shapes.dims[1]
    assert isinstance(count, int)
    return count


def dtype_of(type_: Type) -> str:
    return type_.element.dtype if isinstance(type_, ListOf) else type_.dtype


def dims_of(type_: Type) -> tuple[Extent, ...]:
    """The lengths of an array; a number and a list have none."""
    return type_.dims if isinstance(type_, Array) else ()


def rank(type_: Type) -> int:
    return type_.ndim if isinstance(type_, Array) else 0
