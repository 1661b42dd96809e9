"""Changed copies of an immutable array: `x.at[1:3].set(0.0)` is what `x[1:3] = 0.0` would make of a copy.

    y = x.at[i].add(v)      ->      y = x.copy();  np.add.at(y, i, v)

An index that occurs more than once counts every time, as in `numpy.ufunc.at`; with `set` the last value stays.  Index,
shape and casting errors are NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .values import HeldValues, placed, unwrap


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
    """

    __slots__ = ("_array", "_index")

    def __init__(self, array: HeldValues, index: Any) -> None:
        self._array, self._index = array, index

    def get(self) -> Any:
        """The elements themselves: `x[index]`."""
        return self._array[self._index]  # type: ignore[index]

    def set(self, value: Any) -> Any:
        """The array with these elements replaced; `value` broadcasts and is cast to the array's dtype."""

        def store(copy: np.ndarray, index: Any) -> None:
            copy[index] = unwrap(value)

        return self._changed(store)

    def apply(self, function: Callable[[Any], Any]) -> Any:
        """The array with these elements replaced by `function` of them."""
        return self.set(function(self.get()))

    def add(self, value: Any) -> Any:
        """The array with `value` added to these elements."""
        return self._combined(np.add, value)

    def subtract(self, value: Any) -> Any:
        """The array with `value` subtracted from these elements."""
        return self._combined(np.subtract, value)

    def multiply(self, value: Any) -> Any:
        """The array with these elements times `value`."""
        return self._combined(np.multiply, value)

    def divide(self, value: Any) -> Any:
        """The array with these elements divided by `value`; of floats alone."""
        return self._combined(np.divide, value)

    def power(self, value: Any) -> Any:
        """The array with these elements to the power of `value`."""
        return self._combined(np.power, value)

    def min(self, value: Any) -> Any:
        """The array with each of these elements the smaller of itself and `value`; nan wins."""
        return self._combined(np.minimum, value)

    def max(self, value: Any) -> Any:
        """The array with each of these elements the larger of itself and `value`; nan wins."""
        return self._combined(np.maximum, value)

    def _combined(self, ufunc: np.ufunc, value: Any) -> Any:
        held = self._array._values
        given = unwrap(value)
        # A Python number is weak (NEP 50), and ufunc.at does not know that; nor does it check what it casts to.
        weak = type(given) in (int, float, complex)
        operand = np.asarray(given, np.result_type(held, given) if weak else None)
        made = ufunc.resolve_dtypes((held.dtype, operand.dtype, None))[-1]
        if not np.can_cast(made, held.dtype, "same_kind"):
            raise TypeError(f"cannot cast {made} to {held.dtype} with casting rule 'same_kind'")
        return self._changed(lambda copy, index: ufunc.at(copy, index, operand))

    def _changed(self, change: Callable[[np.ndarray, Any], None]) -> Any:
        copy = np.array(self._array._values, order="C")
        change(copy, unwrap(self._index))
        return placed(type(self._array)(copy), self._array)

    def __repr__(self) -> str:
        return f"<elements [{self._index!r}] of {self._array!r}>"
