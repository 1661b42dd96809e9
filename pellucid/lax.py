"""Control flow, collectives and derivatives in the spellings of `jax.lax`.

    lax.fori_loop(0, n, lambda i, v: v * x[i], 1.0)     is     v = 1.0
                                                               for i in range(0, n): v = v * x[i]

    lax.psum(x, "batch")                                   is, inside `vmap(f, axis_name="batch")`, the sum of all x

Control flow is differentiated as the plain statements that it means are, `while_loop` too.
"""

from __future__ import annotations

from typing import TypeVar

from .numpy.collectives import (
    all_gather,
    all_to_all,
    axis_index,
    axis_size,
    pmax,
    pmean,
    pmin,
    ppermute,
    pshuffle,
    psum,
    psum_scatter,
    pswapaxes,
)
from .numpy.control_flow import associative_scan, cond, fori_loop, scan, select, switch, while_loop
from .numpy.control_flow import map_items as map
from .numpy.implicit import custom_linear_solve, custom_root

Value = TypeVar("Value")

__all__ = [
    "all_gather", "all_to_all", "associative_scan", "axis_index", "axis_size", "cond", "custom_linear_solve",
    "custom_root", "fori_loop", "map", "pmax", "pmean", "pmin", "ppermute", "pshuffle", "psum", "psum_scatter",
    "pswapaxes", "scan", "select", "stop_gradient", "switch", "while_loop",
]  # fmt: skip


def stop_gradient(x: Value) -> Value:
    """The value itself, through which no derivative passes.

    x   a number, an array, or a container of them
    """
    return x
