"""What drivers call for products, linear algebra and transforms: a library of CUDA, or the host where it has none.

    routines(rows, fallback)    {"gemm": ..., "potrf": ..., "c2r": ...}

They are called as those of the loops stage are, `gemm(c, a, b)`, with arrays of one device, and return before the
library has computed anything.  What a library does not take (ints, arrays of no elements) and what has no library here
runs on the host, with copies of the arrays; what devices of a mesh tell each other is NCCL's (`collectives.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from . import products
from .collectives import collectives
from .libraries import library
from .solving import Row, by_steps
from .verdicts import present

Routine = Callable[..., Any]
PRODUCTS: dict[str, Routine] = {
    name: getattr(products, name) for name in ("gemm", "gemv", "dot", "gemm_batched", "gemv_batched")
}


def routines(rows: Iterable[Row], fallback: Callable[[str], Routine]) -> dict[str, Routine]:
    """All routines of a driver; `fallback(name)` is the one of the host."""
    ours = {**PRODUCTS, **{row.name: by_steps(row) for row in rows if row.cuda and _has_libraries(row)}}
    names = [*PRODUCTS, *(row.name for row in rows)]
    return {name: _of(fallback(name), ours.get(name)) for name in names} | collectives()


def _has_libraries(row: Row) -> bool:
    wanted = ("cublas", "cufft" if "along_rows" in row.cuda else "cusolver")
    return all(library(name) is not None for name in wanted)


def _of(host: Routine, ours: Routine | None) -> Routine:
    """A routine that does on the host what it cannot do on the device, once no kernel before it has failed."""

    def call(*operands: Any, **static: Any) -> Any:
        result = NotImplemented if ours is None else ours(*operands, **static)
        if result is NotImplemented:
            present().judge()
            return host(*operands, **static)
        if result is not None:
            present().judge()
        return result

    return call
