"""Control flow, collectives and derivatives in the spellings of `jax.lax`.

    lax.fori_loop(0, n, lambda i, v: v * x[i], 1.0)     is     v = 1.0
                                                               for i in range(0, n): v = v * x[i]

    lax.psum(x, "batch")                                   is, inside `vmap(f, axis_name="batch")`, the sum of all x

Control flow is differentiated as the plain statements that it means are, `while_loop` too.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, TypeVar

from .numpy.control_flow import associative_scan, cond, fori_loop, scan, select, switch, while_loop
from .numpy.control_flow import map_items as map
from .numpy.implicit import custom_linear_solve, custom_root

if TYPE_CHECKING:
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


def __getattr__(name: str) -> Any:
    """A collective: they name operators, which come with the compiler, and `import pellucid` goes without."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(".numpy.collectives", __package__), name)
    return found
