"""The linear part of a function at a place, and the transpose of a linear function.

    out, push = linearize(f, x)            push(x_dot)      as often as wanted
    transpose = linear_transpose(f, x)     transpose(y)     for the f whose matrix nobody writes down
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from . import tree
from .own_frames import told_to_users
from .pullback import halves_of_linear, transposed, vjp


class Linear(functools.partial):
    """The derivative of a function at a place, as a linear function of tangents: the second thing `linearize` gives.

    It is a container of what was computed on the way forward; it may be passed to compiled functions.
    """

    __slots__ = ()

    def source(self, stage: str) -> str:
        """The function that it calls, at a stage; see `Function.source`."""
        text: str = self.args[0].source(stage)
        return text

    def explain(self) -> str:
        """What was decided for it; see `Function.explain`."""
        text: str = self.args[0].explain()
        return text

    def __repr__(self) -> str:
        return f"<linear part of {self.args[0].func.__pellucid__.python.__qualname__}>"


def linearize(function: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """The value of a function, and its derivative there as a linear function of tangents: (out, push).

    function  a plain or a compiled function; its result is any container of numbers and arrays
    primals   the arguments
    has_aux   the function returns (out, auxiliary), and the result is (out, push, auxiliary)

    `push(*tangents)` takes one tangent for each primal, of its structure, shapes and dtypes, and None for what is no
    float; it gives the tangent of `out`, as `jvp` does.  It is the transpose of the pullback: what does not depend on
    the tangents is computed once, here, which costs a way forward and a way back; a push costs about a way back.  For a
    single direction `jvp` costs less.

    Raises GradientError as `grad` does.
    """
    out, pullback, *auxiliary = vjp(function, *primals, has_aux=has_aux)
    _, push = transposed(pullback, tree.map(_float_or_none, out))
    return (out, Linear(pushed, push), *auxiliary)


def pushed(push: Any, *tangents: Any) -> Any:
    """The tangent of the result, for those of the arguments."""
    return push(tangents)[0]


def _float_or_none(leaf: Any) -> Any:
    return leaf if np.asarray(leaf).dtype.kind in "fc" else None


@told_to_users
def linear_transpose(function: Callable[..., Any], *primals: Any) -> Any:
    """The transpose of a linear function: transpose(out_bar) is the tuple of the cotangents of the arguments.

    function  a plain or a compiled function that is linear in its arguments taken together
    primals   arguments, or anything that has their `shape` and `dtype`; the values of floats do not count.  What is no
              float stays as it is, and its cotangent is None

    The function is evaluated once, at zero.  Raises GradientError where its derivative depends on its arguments, or it
    jumps (G004), and ValueError where it is not zero at zero.  A function with a rule for its derivative is as linear
    as the rule says.
    """
    out, transpose = halves_of_linear(function, *tree.map(_zeros, list(primals)))
    if any(np.any(leaf) for leaf in tree.leaves(out)):
        raise ValueError(f"`{function.__name__}` is not linear: it is not zero where its arguments are zero")
    return transpose


def _zeros(leaf: Any) -> Any:
    if isinstance(leaf, float | complex):
        return type(leaf)(0)
    if not hasattr(leaf, "dtype"):
        return leaf
    zeros = np.zeros(leaf.shape, leaf.dtype)[()]
    return zeros if zeros.dtype.kind in "fc" else leaf
