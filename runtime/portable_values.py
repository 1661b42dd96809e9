"""`HeldValues` by Python alone, for systems without a C compiler: `native/arrays.c` without calls that go on.

    HeldValues(ndarray)._values    ->    a read-only view
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from . import asynchronous


class HeldValues:
    """An object around a read-only NumPy array."""

    __slots__ = ("__weakref__", "_device", "_values")

    _values: np.ndarray
    _device: int  # calls with it run on this one; -1 where the others decide

    def __init__(self, values: np.ndarray) -> None:
        view = values.view()
        view.setflags(write=False)
        self._values, self._device = view, -1

    def _give_away(self, known: int) -> bool:
        """Empty it.  Who else sees the memory is not known here."""
        del self._values
        return False

    def _take_back(self, values: np.ndarray) -> None:
        """The ndarray that was given away, after a call that failed."""
        self._values = values

    def __getattr__(self, name: str) -> Any:
        if name == "_values":
            raise RuntimeError(
                "this Array was given away: it went to a parameter that is declared with donate=, and the call took "
                "its memory; use the result of that call, or pass a copy"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def _place(self) -> int:
        """The number of the device that made it, or would."""
        return self._device if self._device >= 0 else asynchronous.default_device()

    def _on(self, number: int) -> Self:
        """The same values for calls on a device of this number."""
        made = object.__new__(type(self))
        made._values, made._device = self._values, number
        return made

    @property
    def _there(self) -> None:
        """The array on a device of CUDA, which only the native part can reach."""
        return None

    @property
    def _is_here(self) -> bool:
        """Whether the host has the elements."""
        return True

    @property
    def _plain(self) -> Any:
        """The ndarray, or the number that it stands for."""
        return self._values

    @property
    def _is_number(self) -> bool:
        """Whether it stands for a number, the result of a call that went on."""
        return False

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of every dimension."""
        return self._values.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of the elements."""
        return self._values.dtype

    @property
    def ndim(self) -> int:
        """How many dimensions."""
        return self._values.ndim

    @property
    def size(self) -> int:
        """How many elements."""
        return self._values.size

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self._values.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._values.nbytes

    def is_ready(self) -> bool:
        """Whether the values are there, or have failed: whether nothing would wait."""
        return True

    def _wait(self) -> None:
        """Wait for the values; raises the error of the call that should have made them."""
