"""What the library asks of NumPy's universal functions while a program is compiled.

    identity_of(np.add)    ->    0              is_reorderable(np.subtract)    ->    False
"""

from __future__ import annotations

import numpy as np

from ..dtypes import NUMPY_DTYPE
from .schema import TypeFault
from .static import StaticFunction, word_of


@StaticFunction
def identity_of(function: np.ufunc) -> object:
    """What a reduction begins with; None where that is the first element."""
    return function.identity


@StaticFunction
def is_reorderable(function: np.ufunc) -> bool:
    """Whether a reduction may take several axes: NumPy has it for what begins with a number, and for extremes."""
    return function.identity is not None or function in (np.maximum, np.minimum, np.fmax, np.fmin)


@StaticFunction
def fold_dtype(function: np.ufunc, word: str) -> str:
    """The dtype word in which a function takes its results again."""
    try:
        loop = function.resolve_dtypes((None, NUMPY_DTYPE[word], None), reduction=True)
    except TypeError:
        raise TypeFault("T001", f"`{function.__name__}` of {word} cannot be taken together along an axis") from None
    return word_of(loop[0])
