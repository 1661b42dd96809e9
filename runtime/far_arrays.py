"""Arrays whose elements are on a GPU, without a way over the host: views, copies, and methods that kernels compute.

    x.T, x[1:-1], x.reshape(6, 2)     other strides over the same memory of the device
    x[3]                              the one element is copied, and not the array
    x.sum(axis=0)                     the compiled `np.sum`, as the operators are compiled functions

Views are NumPy's on the host as well where it has the elements already.  What is no view there and no method here is
NumPy's, on a copy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import operators
from .devices import is_on_gpu
from .devices.cuda import driver
from .values import HeldValues

SMALL = 1 << 16  # bytes of an array that comes to the host as a whole when one element is asked for
VIEWING = frozenset({"ravel", "reshape", "squeeze", "swapaxes", "transpose"})
COPYING = frozenset({"copy", "flatten"})
COMPUTED = frozenset({
    "all", "any", "argmax", "argmin", "clip", "cumprod", "cumsum", "dot", "max", "mean", "min", "prod", "round", "std",
    "sum", "trace", "var",
})  # fmt: skip


def elements_there(array: HeldValues) -> Any:
    """The `DeviceArray` of an Array that is on a GPU; None where its elements are on the host alone."""
    there: Any = array._there
    return there if there is not None and is_on_gpu(array._device) else None


def viewed(array: HeldValues, view: Callable[[Any], Any]) -> Any:
    """An Array over what `view` gives of the elements on the GPU, and of those that the host has; None where it has no
    such view there.
    """
    there = elements_there(array)
    try:
        found = None if there is None else view(there)
    except (TypeError, ValueError, AttributeError):  # NumPy says which error it is, or copies
        return None
    if found is None:
        return None
    cls: Any = type(array)
    return cls._over(found, array._device, view(array._values)) if array._is_here else cls._over(found, array._device)


def indexed(array: HeldValues, index: Any) -> Any:
    """A view by slices, ints, None and ..., or one element; None where NumPy chooses elements, or has them all."""
    there = elements_there(array)
    parts = index if isinstance(index, tuple) else (index,)
    if there is None or not all(map(_is_basic, parts)):
        return None
    if len(parts) != there.ndim or not all(map(_is_int, parts)):
        return viewed(array, lambda elements: elements[index])
    if array._is_here or there.nbytes <= SMALL:
        return None
    return driver.extension().fetch(there[(*parts, ...)])


def by_method(array: HeldValues, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a method of NumPy's gives, where it is a view or is computed on the GPU; NotImplemented else."""
    there = elements_there(array)
    if there is None or "out" in kwargs:
        return NotImplemented
    if name in VIEWING and not kwargs:
        found = viewed(array, lambda elements: _view_by(elements, name, args))
        return NotImplemented if found is None else found
    if name in COPYING and not args and not kwargs:
        return _copied(array, there, name)
    if name in COMPUTED and array.dtype in operators.COMPILED and not array._is_here:
        return operators.by_function(name, array, *args, **kwargs)
    return NotImplemented


def _view_by(elements: Any, name: str, args: tuple[Any, ...]) -> Any:
    """The view that a method gives without a copy; raises ValueError on a GPU where it has to copy."""
    if name == "ravel":
        if args:
            raise ValueError("an order asks for elements in the order of memory")
        return elements.reshape(-1)
    return getattr(elements, name)(*args)


def _copied(array: HeldValues, there: Any, name: str) -> Any:
    """A copy on the device: by the driver where it is one stretch of memory, else by a kernel."""
    if there.is_contiguous:
        return viewed(array, lambda e: e.copy() if name == "copy" else e.copy().reshape(-1))
    if array.dtype not in operators.COMPILED:
        return NotImplemented
    copied = operators.by_function("copy", array)
    return copied.reshape(-1) if name == "flatten" and copied is not NotImplemented else copied


def _is_int(part: Any) -> bool:
    return isinstance(part, int | np.integer) and not isinstance(part, bool)


def _is_basic(part: Any) -> bool:
    return part is None or part is Ellipsis or isinstance(part, slice) or _is_int(part)
