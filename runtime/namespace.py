"""NumPy's functions as functions of Arrays: what the namespace `pellucid.numpy` is made of.

    ArrayFunction(np.sin, "numpy")([0.0, 1.0])   ->   Array([0., 0.84147098])
    of_numpy(pellucid.numpy.sin)                 ->   np.sin, which compiled code means by it

Whoever has the namespace says so with `use`; `Array.__array_namespace__` gives it.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from . import protocols
from .values import KINDS, HeldValues, over, unwrap

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")  # of the array API standard

_namespace: types.ModuleType | None = None
_array: type[HeldValues] = HeldValues


def use(namespace: types.ModuleType, array: type[HeldValues]) -> None:
    """Let Arrays say that this is their namespace, and functions of it give such Arrays."""
    global _namespace, _array
    _namespace, _array = namespace, array


def of_arrays(version: str | None = None) -> types.ModuleType:
    """The namespace of Arrays, which is that of the standard in all its versions; ValueError for another one."""
    if version is not None and version not in VERSIONS:
        raise ValueError(f"there is no version {version!r} of the array API standard here, but {', '.join(VERSIONS)}")
    if _namespace is None:
        raise RuntimeError("no namespace of Arrays is loaded")
    return _namespace


class ArrayFunction:
    """A function of NumPy's that takes what NumPy takes, Arrays among it, and gives Arrays.

    Numbers that NumPy's function gives are Arrays without dimensions.  Attributes are the function's own: `add.reduce`.
    """

    def __init__(self, function: Callable[..., Any], module: str) -> None:
        self._function = function
        self.__name__ = self.__qualname__ = function.__name__
        self.__module__ = module
        self.__doc__ = function.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        protocols.refuse_output(kwargs.get("out"))
        changed = protocols.CHANGING.get(self._function)
        if changed is not None:
            protocols.refuse_output(args[0] if args else kwargs.get(changed))
        return self._given(self._function(*unwrap(args), **unwrap(kwargs)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"{self.__name__!r} has no attribute {name!r}")
        found = getattr(self._function, name)
        return ArrayFunction(found, self.__module__) if callable(found) else found

    def __repr__(self) -> str:
        return f"<function {self.__name__} of pellucid.{self.__module__}>"

    def __reduce__(self) -> Any:
        return ArrayFunction, (self._function, self.__module__)

    def _given(self, result: Any) -> Any:
        if isinstance(result, np.vectorize):
            return ArrayFunction(result, self.__module__)
        return over(result, lambda part: _array(np.asarray(part)) if _is_of_numbers(part) else part)


def _is_of_numbers(part: Any) -> bool:
    return (type(part) is np.ndarray or isinstance(part, np.generic)) and part.dtype.kind in KINDS


def of_array(value: Any, module: str) -> Any:
    """A function of NumPy's as one that gives Arrays; classes (dtypes, `finfo`) and constants as they are."""
    is_plain_class = isinstance(value, type) and value is not np.vectorize
    return value if is_plain_class or not callable(value) else ArrayFunction(value, module)


def of_numpy(value: Any) -> Any:
    """What a function or module of the namespace stands for in compiled code; everything else as it is."""
    if type(value) is ArrayFunction:
        return value._function
    if _namespace is not None and type(value) is types.ModuleType and value.__name__.startswith(_namespace.__name__):
        below = value.__name__[len(_namespace.__name__) :]
        return {"": np, ".linalg": np.linalg, ".fft": np.fft}.get(below, value)
    return value
