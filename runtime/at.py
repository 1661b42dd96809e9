"""Changed copies of an immutable array: `x.at[1:3].set(0.0)` is what `x[1:3] = 0.0` would make of a copy.

    y = x.at[i].add(v)      ->      y = x.copy();  np.add.at(y, i, v)

An index that occurs more than once counts every time, as in `numpy.ufunc.at`; with `set` the last value stays.  Index,
shape and casting errors are NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .values import HeldValues, placed, unwrap, wrap

# What each method makes of the elements and the value.
UFUNCS = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "mul": np.multiply, "divide": np.divide,
    "power": np.power, "min": np.minimum, "max": np.maximum,
}  # fmt: skip
METHODS = frozenset({"get", "set", "apply", *UFUNCS})
MODES = ("clip", "drop", "fill")
HINTS = ("indices_are_sorted", "unique_indices", "wrap_negative_indices", "out_sharding")


class At:
    """What `x.at` gives: the array, waiting for an index."""

    __slots__ = ("_array",)

    def __init__(self, array: HeldValues) -> None:
        self._array = array

    def __getitem__(self, index: Any) -> Place:
        return Place(self._array, index)

    def __repr__(self) -> str:
        return f"<at of {self._array!r}; write x.at[index].set(value)>"


class Place:
    """What `x.at[index]` gives: some elements of an array.  Every method gives a new array and leaves `x` as it is.

    The new array has the shape and the dtype of `x`; `value` broadcasts to the elements that the index picks.  Raises
    IndexError for an index outside, ValueError for a shape that does not fit, and TypeError where the dtype of `x`
    cannot hold the kind of `value`.

    mode  for an index of ints, numbers or arrays, which may lie outside: "clip" moves them to the last element; "drop"
          and "fill" leave out changes there, and `get` gives `fill_value` (by default nan, the least int, the largest
          one without a sign, True); None and "promise_in_bounds" raise IndexError

    What JAX is told of indices that are sorted or unique is taken, and changes nothing.
    """

    __slots__ = ("_array", "_index")

    def __init__(self, array: HeldValues, index: Any) -> None:
        self._array, self._index = array, index

    def get(self, *, fill_value: Any = None, **how: Any) -> Any:
        """The elements themselves: `x[index]`."""
        mode = _mode(how)
        if mode is None or not self._has_numbers():
            return self._array[self._index]  # type: ignore[index]
        values = self._array._values
        index, inside = self._moved_inside()
        found = values[index]
        if mode == "clip":
            return wrap(found, type(self._array))
        instead = filling(values.dtype) if fill_value is None else unwrap(fill_value)
        fits = inside.reshape(inside.shape + (1,) * (np.ndim(found) - inside.ndim))
        return wrap(np.where(fits, found, np.asarray(instead).astype(values.dtype))[()], type(self._array))

    def set(self, value: Any, **how: Any) -> Any:
        """The array with these elements replaced; `value` broadcasts and is cast to the array's dtype."""

        def store(copy: np.ndarray, index: Any, given: Any) -> None:
            copy[index] = given

        return self._changed(store, unwrap(value), _mode(how))

    def apply(self, function: Callable[[Any], Any], **how: Any) -> Any:
        """The array with these elements replaced by `function` of them."""
        if _mode(how) is not None:
            raise ValueError("`.at[...].apply` takes no mode; clip the places first")
        return self.set(function(self.get()))

    def add(self, value: Any, **how: Any) -> Any:
        """The array with `value` added to these elements."""
        return self._combined(np.add, value, how)

    def subtract(self, value: Any, **how: Any) -> Any:
        """The array with `value` subtracted from these elements."""
        return self._combined(np.subtract, value, how)

    def multiply(self, value: Any, **how: Any) -> Any:
        """The array with these elements times `value`."""
        return self._combined(np.multiply, value, how)

    mul = multiply

    def divide(self, value: Any, **how: Any) -> Any:
        """The array with these elements divided by `value`; of floats alone."""
        return self._combined(np.divide, value, how)

    def power(self, value: Any, **how: Any) -> Any:
        """The array with these elements to the power of `value`."""
        return self._combined(np.power, value, how)

    def min(self, value: Any, **how: Any) -> Any:
        """The array with each of these elements the smaller of itself and `value`; nan wins."""
        return self._combined(np.minimum, value, how)

    def max(self, value: Any, **how: Any) -> Any:
        """The array with each of these elements the larger of itself and `value`; nan wins."""
        return self._combined(np.maximum, value, how)

    def _combined(self, ufunc: np.ufunc, value: Any, how: dict[str, Any]) -> Any:
        held = self._array._values
        given = unwrap(value)
        # A Python number is weak (NEP 50), and ufunc.at does not know that; nor does it check what it casts to.
        weak = type(given) in (int, float, complex)
        operand = np.asarray(given, np.result_type(held, given) if weak else None)
        made = ufunc.resolve_dtypes((held.dtype, operand.dtype, None))[-1]
        if not np.can_cast(made, held.dtype, "same_kind"):
            raise TypeError(f"cannot cast {made} to {held.dtype} with casting rule 'same_kind'")
        return self._changed(lambda copy, index, given: ufunc.at(copy, index, given), operand, _mode(how))

    def _changed(self, change: Callable[[np.ndarray, Any, Any], None], value: Any, mode: str | None) -> Any:
        copy = np.array(self._array._values, order="C")
        index = unwrap(self._index)
        if mode is not None and self._has_numbers():
            index, inside = self._moved_inside()
            if mode != "clip":
                value = np.broadcast_to(value, inside.shape + copy.shape[len(index) :])[inside]
                index = tuple(part[inside] for part in index)
        change(copy, index, value)
        return placed(type(self._array)(copy), self._array)

    # --- indices that may lie outside

    def _parts(self) -> tuple[Any, ...]:
        index = unwrap(self._index)
        return index if isinstance(index, tuple) else (index,)

    def _has_numbers(self) -> bool:
        return any(map(_is_of_ints, self._parts()))

    def _moved_inside(self) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        """The nearest indices inside, and which of them were inside before."""
        parts, shape = self._parts(), self._array._values.shape
        if not all(map(_is_of_ints, parts)):
            raise ValueError("a mode needs an index of ints, a number or an array for each of the first axes")
        if len(parts) > len(shape):
            told = f"array is {len(shape)}-dimensional, but {len(parts)} were indexed"
            raise IndexError(f"too many indices for array: {told}")
        places = np.broadcast_arrays(*(np.asarray(part).astype(np.int64) for part in parts))
        counted = [np.where(place < 0, place + length, place) for place, length in zip(places, shape)]
        inside = np.logical_and.reduce([(place >= 0) & (place < length) for place, length in zip(counted, shape)])
        nearest = (np.clip(place, 0, max(length - 1, 0)) for place, length in zip(counted, shape))
        return tuple(nearest), inside

    def __repr__(self) -> str:
        return f"<elements [{self._index!r}] of {self._array!r}>"


def _mode(how: dict[str, Any]) -> str | None:
    """The mode among what a method is told; None where indices outside raise."""
    unknown = how.keys() - {"mode", *HINTS}
    if unknown:
        raise TypeError(f"`.at[...]` has no argument {sorted(unknown)[0]!r}")
    mode = how.get("mode")
    if mode not in (None, "promise_in_bounds", *MODES):
        raise ValueError(f"an index has the mode 'clip', 'drop', 'fill' or 'promise_in_bounds', not {mode!r}")
    return mode if mode in MODES else None


def _is_of_ints(part: Any) -> bool:
    if part is None or part is Ellipsis or isinstance(part, slice):
        return False
    found = np.asarray(part)
    return found.dtype.kind in "iu" and not isinstance(part, bool)


def filling(dtype: np.dtype[Any]) -> Any:
    """What stands where nothing is."""
    if dtype.kind in "fc":
        return np.nan
    if dtype.kind == "b":
        return True
    bounds = np.iinfo(dtype)
    return bounds.max if bounds.min == 0 else bounds.min
