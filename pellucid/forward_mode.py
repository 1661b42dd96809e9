"""`jvp`: derivatives in forward mode.

    jvp(f, (x, y), (x_dot, y_dot))     the value of f(x, y), and how it changes along (x_dot, y_dot)
    jvp(f)                             the compiled function of (primals, tangents) that gives both
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .compiler.request import Tangent, Transformation
from .own_frames import told_to_users
from .transformations import transformed, transformed_inside

MOST_KEPT = 256  # functions whose derivatives are kept, so that calls with their arguments compile them once


@told_to_users
def jvp(
    function: Callable[..., Any], primals: Any = None, tangents: Any = None, has_aux: bool = False
) -> Any:
    """The value of a function and its derivative along a direction, by forward mode: (value, tangent).

    function   a plain or a compiled function of any floats, with any results
    primals    a tuple of its arguments; parameters behind them that have numbers or text as defaults may be left out
    tangents   a tuple with one tangent for each primal, in its structure, dtypes and shapes; None for what does not
               change, be it a leaf or a container.  Integers, booleans and text have no tangent: None
    has_aux    the function returns (value, auxiliary), and the result is (value, tangent, auxiliary)

    The tangent of the result has the structure of the value; None stands where that has no float.  Without primals and
    tangents it gives the compiled `Function` of these two, which may be looked into, differentiated again and called
    inside compiled functions.  Where two branches meet (`maximum` of equals, `abs` at zero) the convention is that of
    `grad`.

    Raises GradientError for an argument that is no float and has a tangent (G001), an operator or a construct without
    derivative (G003, G004), tangents of another structure or dtype (G005); ValueError for tangents of another shape.

    Source: forward mode by source transformation; A. Griewank and A. Walther, Evaluating Derivatives (2008), chapter 3.
    """
    asked = Tangent(has_aux)
    if primals is None and tangents is None:
        return transformed(function, asked)
    return kept(function, asked)(primals, tangents)


def kept(function: Any, transform: Transformation) -> Any:
    """What a transformation makes of a function, the same one at every call."""
    try:
        return _kept(function, transform)
    except TypeError:  # a bound method of an object without a hash
        return transformed(function, transform)


_kept = functools.lru_cache(maxsize=MOST_KEPT)(transformed)

jvp.__pellucid_transform__ = Tangent  # type: ignore[attr-defined]
jvp.__pellucid_inside__ = transformed_inside  # type: ignore[attr-defined]
jvp.__pellucid_called__ = ("primals", "tangents")  # type: ignore[attr-defined]
