"""The text of an error that shows arrays or lists, which machine code does not write: Python is asked for it.

    raise ValueError(f"bad rows {rows}")     ->     machine code raises ValueError("bad rows [...]"), the function is
                                                    run once more by CPython, and its error is the one that is raised

A function that compiles has no effects, so it may be run again; what it would change in place is a copy.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from .compiler.messages import UNSHOWN
from .compiler.request import Request


def has_gap(error: BaseException) -> bool:
    return any(isinstance(part, str) and UNSHOWN in part for part in error.args)


def retold(error: BaseException, request: Request, args: tuple[Any, ...], kwargs: dict[str, Any]) -> BaseException:
    """The error as CPython raises it, ending where the compiled one did; that one, where CPython does not agree."""
    given, named = copy.deepcopy((args, kwargs)) if request.mutates else (args, kwargs)
    with np.errstate(all="ignore"):
        try:
            request.python(*given, **named)
        except Exception as own:
            if type(own) is type(error):
                return own.with_traceback(error.__traceback__)
    return error
