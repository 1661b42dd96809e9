"""Call a driver in lockstep with NumPy's arrays: copied to the machine, and the results copied back.

    in_lockstep(jacobi)(a, 10)     ->     an ndarray
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .memory import DeviceArray, to_device


def in_lockstep(driver: Callable[..., Any]) -> Callable[..., Any]:
    """The driver of a printed kernels file for arrays of the host."""

    def call(*arguments: Any) -> Any:
        given = [to_device(a) if isinstance(a, np.ndarray) else a for a in arguments]
        result = driver(*given)
        return tuple(map(_back, result)) if isinstance(result, tuple) else _back(result)

    return call


def _back(result: Any) -> Any:
    if not isinstance(result, DeviceArray):
        return result
    values = result.copy_to_host()
    return values if result.ndim else values[()]
