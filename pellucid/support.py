"""The few functions that printed stages need and NumPy does not have.

A file that `pellucid emit` prints imports them from here, so that it runs in plain CPython with the results of the
compiled code.
"""

from __future__ import annotations

from typing import Any

from .compiler.ops import OPERATORS
from .compiler.ops.forms import ROUTINES
from .runtime.kernels.host import routine_of

_QUESTIONS = {name: row.meaning for name, row in OPERATORS.items() if row.spelling.startswith("pellucid.support.")}

__all__ = ["folding", "lanes", "noalias", "prange", *ROUTINES, *_QUESTIONS]

prange = range
"""A loop whose iterations are independent; in CPython they run in order."""

lanes = range
"""A loop whose sums `total += term` and extremes `best = np.maximum(best, term)` may be taken in any order.

Compiled code takes several terms at once, one in each lane of a vector, long sums on several threads, and adds the sums
of blocks with compensation; in CPython terms come one after the other, and rounding may take more of a long sum.
"""

folding = range
"""A loop of the user's whose sums, products, extremes and places of extremes may be taken by parts.

A GPU does that, in an order that lengths alone fix; all else takes the turns one after the other.
"""

noalias = range
"""A loop in which no element that is stored by one index is reached by another; in CPython that changes nothing.

In `for j in noalias(k + 1, n): a[i, j] -= a[i, k] * a[k, j]` compiled code may read `a[i, k]` once, and rows of `a[k]`
ahead of those of `a[i]`.
"""

# The routines of libraries, by their rows: `gemm(out, a, b)` is `out[...] = a @ b`, `dot(x, y)` gives the number.
globals().update((name, routine_of(row.in_place, len(row.given) - len(row.read))) for name, row in ROUTINES.items())

# The same for stacks of operands: `gemm_batched(out, a, b)`.
globals().update((row.batched, routine_of(row.in_places, 1)) for row in ROUTINES.values() if row.batched)

# Whether a function of linear algebra raises LinAlgError: `cholesky_fails(a)`.
globals().update(_QUESTIONS)


def __getattr__(name: str) -> Any:
    """What kernels files import (`cuda`, `rows`, `row_sum_f64`): made on demand, as few stages have kernels."""
    if name.startswith("__"):
        raise AttributeError(name)
    from .runtime.kernels.names import NAMES

    if name not in NAMES:
        raise AttributeError(f"pellucid.support has no {name!r}")
    globals().update(NAMES)
    return NAMES[name]
