"""Questions that library functions ask while the specialiser walks through them.

    rank(x)  ->  2        element(x)  ->  "f32"        dtype_name(np.float64)  ->  "f64"        axis_of(-1, 3)  ->  2

A `StaticFunction` is asked about *descriptions* of its arguments and answers with a static Python value.  An array, or
a number or list known at run time only, is described by its `Type`; a static value describes itself; a tuple or list
is described by the tuple of the descriptions of its parts.  The specialiser calls `ask` with descriptions; in CPython
the function is called with the values and describes them itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..dtypes import (
    DTYPE_OF_NUMPY,
    FLOAT_WORD,
    NUMPY_DTYPE,
    NUMPY_NAMES,
    PYTHON_TYPE,
    accumulator,
    as_float,
    is_inexact,
    part_of,
    promote_dtypes,
)
from ..dtypes import is_signed as has_sign
from ..dtypes import python_word as word_of_python
from ..dtypes import summed as summed_word
from ..records import dataclass
from ..types import Array, ListOf, Scalar, Type, of_complex, promote, type_of_number
from . import type_rules
from .schema import TypeFault

NO_ARRAYS = "need at least one array: how many dimensions what is made of a list has does not depend on its length"
LIST_OF_RECORDS = object()  # describes a list of any length whose items are containers; of others `ListOf` is the type


@dataclass(frozen=True, slots=True)
class StaticFunction:
    """A function of descriptions; TypeFault where the answer is a refusal."""

    ask: Callable[..., object]

    @property
    def name(self) -> str:
        return self.ask.__name__

    def __call__(self, *values: object) -> Any:
        return self.ask(*map(describe, values))


def describe(value: object) -> object:
    """The description of a value in CPython, where all numbers are known."""
    if isinstance(value, np.ndarray):
        return Array(word_of(value.dtype), value.shape)
    if isinstance(value, np.generic):
        return Scalar(word_of(value.dtype))
    if isinstance(value, tuple | list):
        return tuple(map(describe, value))
    return value


def word_of(dtype: np.dtype) -> str:
    if dtype not in DTYPE_OF_NUMPY:
        raise TypeFault("U015", f"the dtype {dtype} is not supported", f"use one of {NUMPY_NAMES}")
    return DTYPE_OF_NUMPY[dtype]


def type_of(description: object) -> Type:
    """The type of a description that stands for a number or an array."""
    found = description if isinstance(description, Scalar | Array | ListOf) else type_of_number(description)
    if found is not None:
        return found
    raise TypeFault("T001", f"a number or an array is needed here, not {type_rules.shown(description)}")


# --- questions about values ----------------------------------------------------------------------------------------


@StaticFunction
def is_sequence(value: object) -> bool:
    """Whether this is a tuple or a list, rather than one number, array or None."""
    return isinstance(value, tuple)


@StaticFunction
def is_list(value: object) -> bool:
    """Whether this is a list of any length, which a tuple or list of known length is not."""
    return isinstance(value, ListOf) or value is LIST_OF_RECORDS


@StaticFunction
def rank(value: object) -> int:
    """The number of dimensions; 0 of a number."""
    type_ = type_of(value)
    return type_.ndim if isinstance(type_, Array) else 0


@StaticFunction
def is_array(value: object) -> bool:
    return isinstance(value, Array)


@StaticFunction
def is_weak(value: object) -> bool:
    """Whether this is a Python number."""
    return type_rules.is_weak(type_of(value))


@StaticFunction
def element(value: object) -> str:
    """The dtype word of a number or of an array's elements."""
    type_ = type_of(value)
    type_rules.numeric("this function", (type_,))
    return type_.dtype  # type: ignore[union-attr]


@StaticFunction
def kind(value: object) -> str:
    """`bool`, `int`, `float` or `complex`."""
    return type_rules.kind_word(type_of(value))


@StaticFunction
def common(*values: object) -> str:
    """The dtype word that arithmetic on these values gives, NEP 50 included."""
    return promote(*map(type_of, values))[0]  # type: ignore[arg-type]


@StaticFunction
def strict_common(*values: object) -> str:
    """The dtype word that holds all these values when Python numbers count as NumPy's: what `np.array` takes."""
    return promote_dtypes(*(type_of(v).dtype for v in values)) if values else FLOAT_WORD  # type: ignore[union-attr]


@StaticFunction
def floating(word: str) -> str:
    """The dtype word in which NumPy averages: floats stay, everything else is float64."""
    return as_float(word)


@StaticFunction
def of_functions(word: str) -> str:
    """The dtype word in which NumPy evaluates a function of floats, such as a square root."""
    return DTYPE_OF_NUMPY[np.sqrt.resolve_dtypes((NUMPY_DTYPE[word], None))[-1]]


@StaticFunction
def accumulated(word: str) -> str:
    """The dtype word in which sums are taken before they are rounded to this one."""
    return accumulator(word)


@StaticFunction
def keeps_first(word: str) -> bool:
    """Whether the larger of two equals is the first one, as for what NumPy computes in another dtype."""
    return accumulator(word) != word


@StaticFunction
def largest(word: str) -> float:
    """The largest number of a dtype of floats."""
    return float(np.finfo(NUMPY_DTYPE[word]).max)


@StaticFunction
def python_word(word: str) -> str:
    """The dtype word of the Python number that holds such a value."""
    return word_of_python(word)


@StaticFunction
def limits(word: str) -> object:
    """NumPy's record of the limits of a dtype: `eps`, `max`, `tiny`, ..."""
    dtype: Any = NUMPY_DTYPE[word]
    return np.finfo(dtype) if is_inexact(word) else np.iinfo(dtype)


@StaticFunction
def is_float_word(word: str) -> bool:
    """Whether these are floats or complex numbers."""
    return is_inexact(word)


@StaticFunction
def is_complex(value: object) -> bool:
    """Whether this is a complex number, or an array of them."""
    return of_complex(type_of(value))


@StaticFunction
def real_word(word: str) -> str:
    """The dtype word of the real parts of such numbers."""
    return part_of(word)


# --- static arguments ----------------------------------------------------------------------------------------------

_PYTHON_DTYPES = {python: word for word, python in PYTHON_TYPE.items()}


@StaticFunction
def dtype_name(dtype: object) -> str:
    """The dtype word for what users write: np.float32, "float32", float, np.dtype("f4")."""
    if isinstance(dtype, str) and dtype in NUMPY_DTYPE:
        return dtype
    if isinstance(dtype, type) and dtype in _PYTHON_DTYPES:
        return _PYTHON_DTYPES[dtype]
    if isinstance(dtype, Scalar | Array | tuple | bool | int | float | complex) or dtype is None:
        what = "a dtype must be known when the function is compiled, such as np.float64"
        raise TypeFault("R001", f"{what}, not {type_rules.shown(dtype)}")
    try:
        return word_of(np.dtype(dtype))  # type: ignore[call-overload]
    except (TypeError, ValueError):
        raise TypeFault("U015", f"{dtype!r} is not a dtype") from None


@StaticFunction
def axis_of(axis: object, rank_: int) -> int:
    """One axis, counted from the front; S002 where there is none such."""
    return type_rules.normal_axis(axis, rank_)


@StaticFunction
def axes_of(axis: object, rank_: int) -> tuple[int, ...]:
    """The axes that None, an int or a tuple names, in order."""
    return type_rules.normal_axes(axis, rank_)


@StaticFunction
def first_axes(axes: tuple[int, ...]) -> tuple[int, ...]:
    """As many axes in front."""
    return tuple(range(len(axes)))


@StaticFunction
def reduced(axis: object, rank_: int) -> object:
    """`axis` as reductions take it: None where every axis is meant, an int where one is, else a tuple in order."""
    axes = type_rules.normal_axes(axis, rank_)
    if axis is None or (len(axes) == rank_ and rank_):
        return None
    return axes[0] if len(axes) == 1 else axes


@StaticFunction
def is_axis(axis: object) -> bool:
    """Whether this is a single axis, not None or a tuple."""
    return isinstance(axis, int | np.integer)


@StaticFunction
def order_of(axes: object, rank_: int) -> tuple[int, ...]:
    """The axes of a transposition, counted from the front; None reverses them."""
    if axes is None:
        return tuple(range(rank_))[::-1]
    order = tuple(type_rules.normal_axis(k, rank_) for k in axes) if isinstance(axes, tuple) else ()
    if sorted(order) != list(range(rank_)):
        raise TypeFault("S002", f"axes {axes} do not name each axis of an array of dimension {rank_} once")
    return order


@StaticFunction
def position(letters: Sequence[object], letter: object) -> int:
    """Where a character stands in a string or tuple; -1 where it does not."""
    found = [k for k, other in enumerate(letters) if other == letter]
    return found[0] if found else -1


@StaticFunction
def is_static(value: object) -> bool:
    """Whether the value is known now."""
    return not isinstance(value, Scalar | Array | ListOf)


@StaticFunction
def refuse(code: str, message: str, *help: str) -> None:
    """Refuse the call with this diagnostic."""
    raise TypeFault(code, message, *help)


@StaticFunction
def summed(word: str) -> str:
    """The dtype word in which NumPy adds up: bools and int32 in int64."""
    return summed_word(word)


@StaticFunction
def swapped_order(rank_: int, first: object, second: object) -> tuple[int, ...]:
    """The transposition that exchanges two axes."""
    order = list(range(rank_))
    a, b = type_rules.normal_axis(first, rank_), type_rules.normal_axis(second, rank_)
    order[a], order[b] = order[b], order[a]
    return tuple(order)


@StaticFunction
def moved_order(rank_: int, source: object, destination: object) -> tuple[int, ...]:
    """The transposition that moves axes to new positions and keeps the others in order."""
    sources, places = (axis_list(a, rank_) for a in (source, destination))
    if len(sources) != len(places):
        raise TypeFault("S002", "`source` and `destination` arguments must have the same number of elements")
    order = [k for k in range(rank_) if k not in sources]
    for place, axis in sorted(zip(places, sources)):
        order.insert(place, axis)
    return tuple(order)


def axis_list(axis: object, rank_: int) -> list[int]:
    axes = axis if isinstance(axis, tuple) else (axis,)
    found = [type_rules.normal_axis(a, rank_) for a in axes]
    if len(set(found)) < len(found):
        raise TypeFault("S002", f"repeated axis in {axis}")
    return found


@StaticFunction
def unit_axes(value: object) -> tuple[int, ...]:
    """The axes that are known to have length 1."""
    return tuple(k for k, extent in enumerate(type_rules.dims_of(type_of(value))) if extent == 1)


@StaticFunction
def open_shape(front: object, back: object) -> str:
    """NumPy's words for a shape with one open place: `(2,newaxis)`; it leaves out an open place in front."""
    words = [[str(d) if isinstance(d, int) else "n" for d in side] for side in (front, back)]  # type: ignore[attr-defined]
    return f"({','.join([*words[0], *(['newaxis'] if words[0] else []), *words[1]])})"


@StaticFunction
def grid_axes(count: int, indexing: str) -> tuple[int, ...]:
    """The axis of a grid that each of its coordinates runs along."""
    return (1, 0, *range(2, count)) if indexing == "xy" and count > 1 else tuple(range(count))


@StaticFunction
def is_empty(value: object) -> bool:
    """Whether an array is known to have no elements."""
    return 0 in type_rules.dims_of(type_of(value))


@StaticFunction
def known_length(value: object) -> int:
    """The length of the first axis, where it must be known now, because so many arrays are made."""
    (length, *_) = type_rules.dims_of(type_of(value))
    return known_int.ask(length)  # type: ignore[return-value]


@StaticFunction
def is_signed(value: object) -> bool:
    return has_sign(type_of(value).dtype)  # type: ignore[union-attr]


@StaticFunction
def part(value: object, place: int) -> object:
    """One part of a tuple, or the value itself where it stands for all of them."""
    return value[place] if isinstance(value, tuple) else value


@StaticFunction
def is_text(value: object) -> bool:
    return isinstance(value, str)


@StaticFunction
def known_int(value: object) -> int:
    """An int that must be known now, because so many arrays are made."""
    if not isinstance(value, int | np.integer):
        raise TypeFault("R001", f"how many parts there are must be static, not {value!r}")
    return int(value)


@StaticFunction
def two_axes(axes: object, rank_: int) -> tuple[int, ...]:
    found = tuple(axis_list(axes, rank_))
    if len(found) != 2:
        raise TypeFault("S002", "two axes are needed")
    return found


@StaticFunction
def can_cast(value: object, word: str, casting: str) -> bool:
    """Whether NumPy stores such a value in a dtype by a rule of casting; a Python number lends its kind alone."""
    type_ = type_of(value)
    if type_rules.is_weak(type_):
        return casting == "unsafe" or casting != "no" and promote(type_, Scalar(word))[0] == word  # type: ignore[arg-type]
    return np.can_cast(NUMPY_DTYPE[type_.dtype], NUMPY_DTYPE[word], casting)  # type: ignore[union-attr, arg-type]


# --- functions of two elements ---------------------------------------------------------------------------------------


@StaticFunction
def ufunc_name(function: object) -> str:
    return function.__name__  # type: ignore[attr-defined]
