"""What a row of the table is: a function, its arguments, how the peers take it, and the bars that it is held to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

COPY = "copy"


@dataclass(frozen=True, slots=True)
class Bar:
    """What our median is held to: `limit` times a contender's, the best of several, or that of another workload.

    against  names of contenders (`copy` moves the same bytes into a ready buffer), or of one workload; nothing: `limit`
             is in seconds
    """

    limit: float
    against: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Workload:
    """One row of the table.

    transform  "grad", "value_and_grad", "sparse_jacobian" or "sparse_hessian": the derivative is measured, not the
               function; a version in JAX's own words for "sparse_jacobian" gives the blocks itself
    argnums    the arguments that it is taken by
    in_axes    where the examples are, of a function that is mapped over many; nothing: it is called as it is
    by_hand    what NumPy runs instead, where the function itself is not what it should be measured with; None: NumPy
               takes no part
    numba      the function is within Numba's language; a name: that function of `peers.py`
    jax        True: the same function over jax.numpy; a name: that function of `peers.py`; False: no part
    moves      bytes that the work cannot do without reading or writing
    flops      additions and multiplications of a product of matrices, and their dtype
    """

    name: str
    function: Callable[..., Any]
    arguments: Callable[[np.random.Generator], tuple[Any, ...]]
    transform: str = ""
    argnums: int | tuple[int, ...] = 0
    in_axes: tuple[int | None, ...] = ()
    by_hand: Callable[..., Any] | bool | None = True
    numba: bool | str = True
    jax: bool | str = True
    moves: Callable[..., int] | None = None
    flops: tuple[float, str] | None = None
    bars: tuple[Bar, ...] = ()
