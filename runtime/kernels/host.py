"""Parts of a driver that stay on the host: functions of NumPy arrays, called with arrays of a device.

    @host(changes=("out",))
    def scan_2(x, out): ...          scan_2(x, out) of device arrays copies both, and `out` back
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def host_of(to_device: Callable[[np.ndarray], Any]) -> Callable[..., Any]:
    """The decorator `host` for a device that has `to_device`."""

    def host(function: Callable[..., Any] | None = None, *, changes: Sequence[str] = ()) -> Any:
        if function is None:
            return functools.partial(host, changes=changes)
        return on_host(function, changes, to_device)

    return host


def on_host(function: Callable[..., Any], changes: Sequence[str], to_device: Callable[[np.ndarray], Any]) -> Any:
    """The function for arrays of a device: those in `changes` are copied back, and arrays that it gives are copied."""
    names = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        given = [_on_host(argument) for argument in arguments]
        result = function(*given)
        for name, argument, value in zip(names, arguments, given, strict=True):
            if name in changes:
                argument.copy_from_host(value)
        if isinstance(result, tuple):
            return tuple(to_device(part) if isinstance(part, np.ndarray) else part for part in result)
        return to_device(result) if isinstance(result, np.ndarray) else result

    return call


def _on_host(argument: Any) -> Any:
    """An array of the device as an ndarray; what the part does not read need not have been written yet."""
    return argument.copy_to_host(partly=True) if hasattr(argument, "copy_to_host") else argument


def routine_of(function: Callable[..., Any], outs: int) -> Callable[..., Any]:
    """A routine of a library, whose first operands are its results, for arrays of the host and of a device.

    With arrays of a device it runs on copies, where the device has no library of its own.
    """

    @functools.wraps(function)
    def call(*operands: Any, **static: Any) -> Any:
        if not any(hasattr(operand, "copy_from_host") for operand in operands):
            return function(*operands, **static)
        given = [_on_host(operand) for operand in operands]
        result = function(*given, **static)
        for operand, value in zip(operands[:outs], given):
            operand.copy_from_host(value)
        return result

    return call
