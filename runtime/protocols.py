"""NumPy's functions on arrays: what `__array_ufunc__` and `__array_function__` do.

    np.sin(a), np.add.reduce(a)   ->   the ufunc on NumPy arrays
    np.concatenate([a, b])        ->   the function on NumPy arrays
    np.add(a, b, out=a)           ->   TypeError: an Array cannot be changed

Results are NumPy's; `Array` wraps them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .values import HeldValues, over, unwrap

# Functions that change an argument: which one.
CHANGING = {
    np.copyto: "dst", np.fill_diagonal: "a", np.place: "arr", np.put: "a", np.put_along_axis: "arr", np.putmask: "a",
}  # fmt: skip
# Functions that convert to NumPy's arrays: they give these, and no Array.  `np.asarray` and its kin come here for
# `like=` alone, which asks for an Array.
CONVERTING = frozenset({np.atleast_1d, np.atleast_2d, np.atleast_3d, np.copy})
# What an array is told to be before its elements are there: to ask for them would wait, or bring them from elsewhere.
KNOWN_BEFORE = {np.shape: "shape", np.ndim: "ndim"}
# To those that save, `out` is a name like any other.
SAVING = frozenset({np.save, np.savez, np.savez_compressed, np.savetxt})


def call_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A ufunc, or a method of one, on arrays; NotImplemented where another class has its own way."""
    outputs = kwargs.get("out", ())
    refuse_output(outputs)
    if any(_has_own_way(part) for part in (*inputs, *outputs)):
        return NotImplemented
    if method == "at":
        refuse_output(inputs[0])
    return getattr(ufunc, method)(*unwrap(inputs), **unwrap(kwargs))


def call_function(
    function: Callable[..., Any], types: Iterable[type], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A function of NumPy's on arrays, also inside containers; NotImplemented where another class is among them."""
    if not all(issubclass(type_, HeldValues | np.ndarray) for type_ in types):
        return NotImplemented
    if function in KNOWN_BEFORE and len(args) == 1 and not kwargs and isinstance(args[0], HeldValues):
        return getattr(args[0], KNOWN_BEFORE[function])
    if function not in SAVING:
        refuse_output(kwargs.get("out"))
    if function in CHANGING:
        refuse_output(args[0] if args else kwargs.get(CHANGING[function]))
    if function in CONVERTING:
        args, kwargs = over(args, _converted), over(kwargs, _converted)
    return function(*unwrap(args), **unwrap(kwargs))


def _converted(part: Any) -> Any:
    """An ndarray that may be written to, as the caller's own."""
    return np.array(part) if isinstance(part, HeldValues) else part


def refuse_output(target: Any) -> None:
    """Raise TypeError for an Array where something is to be written."""
    parts = target if isinstance(target, tuple) else (target,)
    if any(isinstance(part, HeldValues) for part in parts):
        raise TypeError("an Array cannot be changed; `x.at[index].set(value)` gives a changed copy")


def defer(ufunc: np.ufunc, left: Any, right: Any, other: Any) -> Any:
    """An operator between an Array and an object that is no number: the other class decides, if it can."""
    own_way = getattr(type(other), "__array_ufunc__", False)
    if own_way is None or (own_way is False and not hasattr(other, "__array__")):
        return NotImplemented
    return ufunc(left, right)


def _has_own_way(part: Any) -> bool:
    """Whether a ufunc's operand is of a class that handles ufuncs itself, and is neither ours nor plain NumPy."""
    own_way = getattr(type(part), "__array_ufunc__", None)
    return own_way not in (None, np.ndarray.__array_ufunc__) and not isinstance(part, HeldValues)
