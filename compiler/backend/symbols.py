"""Addresses of the SciPy routines that compiled code names: BLAS and special functions.

    pellucid_blas_dgemm      scipy.linalg.cython_blas.dgemm
    pellucid_scipy_digamma   scipy.special.cython_special.psi of a double
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...runtime.native import capsule_address
from .float_emitters import SCIPY


def addresses(text: str) -> Iterator[tuple[str, int]]:
    """(symbol, address) of every such routine that a module declares."""
    for library, name in sorted(set(re.findall(r"@pellucid_(blas|scipy)_(\w+)\(", text))):
        if library == "blas":
            from scipy.linalg import cython_blas

            yield f"pellucid_blas_{name}", capsule_address(cython_blas.__pyx_capi__[name])
        else:
            from scipy.special import cython_special

            yield f"pellucid_scipy_{name}", capsule_address(cython_special.__pyx_capi__[SCIPY[name]])
