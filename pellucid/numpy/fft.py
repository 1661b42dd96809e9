"""`numpy.fft` with functions that give `Array`s."""

from __future__ import annotations

from typing import Any as _Any

import numpy as _np

from ..runtime import namespace as _namespace

__all__ = list(_np.fft.__all__)


def __getattr__(name: str) -> _Any:
    """A function of NumPy's, when it is asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = _namespace.of_array(getattr(_np.fft, name), "numpy.fft")
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
