"""Whether results differ only in the type of numbers whose paths meet: a documented limit.

    c1 = min(z[0], 1.0)    of a bool that is smaller:    np.True_ in NumPy, np.float64(1.0) in compiled code

A variable has one type, whichever path is taken, and so has the sum of a list that may be empty.  The number must be
the same after its conversion to the wider type, and only programs in which something can meet have this excuse.
"""

import ast

import numpy as np

from .compare import Difference, difference

MEETING = (ast.If, ast.IfExp, ast.For, ast.While, ast.BoolOp)
MEETING_FUNCTIONS = ("min", "max", "sum")


def explains(source, got, want) -> bool:
    """Whether wider types of single numbers are all that makes `got` another value than `want`."""
    if not any(map(_meets, ast.walk(ast.parse(source)))):
        return False
    try:
        difference(_as_wanted(got, want), want, 0.0)
    except Difference:
        return False
    return True


def _meets(node):
    is_function = isinstance(node, ast.Call) and getattr(node.func, "id", "") in MEETING_FUNCTIONS
    return is_function or isinstance(node, MEETING)


def _as_wanted(got, want):
    """`got` with the numbers of `want` where they have been widened."""
    if isinstance(want, dict) and isinstance(got, dict) and list(got) == list(want):
        return {key: _as_wanted(got[key], want[key]) for key in want}
    if isinstance(want, tuple | list) and type(got) is type(want) and len(got) == len(want):
        parts = [_as_wanted(one, other) for one, other in zip(got, want)]
        return type(want)(*parts) if hasattr(want, "_fields") else type(want)(parts)
    return want if _is_widened(got, want) else got


def _is_widened(got, want) -> bool:
    numbers = bool | int | float | np.generic
    if not (isinstance(got, numbers) and isinstance(want, numbers)):
        return False
    one, other = np.asarray(got), np.asarray(want)
    is_wider = np.promote_types(one.dtype, other.dtype) == one.dtype
    takes_digits = isinstance(want, float) and one.dtype == np.float32  # np.float64 is a float, too
    if not is_wider and not (takes_digits and not isinstance(want, np.generic)):
        return False
    with np.errstate(all="ignore"):
        return np.allclose(one, other.astype(one.dtype), rtol=1e-3, equal_nan=True)
