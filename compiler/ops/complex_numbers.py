"""Rows: the parts of complex numbers, and numbers of parts.

    real(z)   imag(z)    c128[n] -> f64[n]         conjugate(z)         complex_of(x, y)    f64, f64 -> c128

Derivatives are those of JAX: a cotangent is `out_bar * partial` without a conjugate, and what meets a real operand
loses its imaginary part.  The gradient of a real function of z = x + i y is therefore d/dx - i d/dy, the conjugate of
the direction of steepest ascent; of an analytic function asked for with `holomorphic=True` it is the derivative.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..dtypes import FLOAT_WORD, NUMPY_DTYPE, part_of, promote_dtypes
from ..types import Type, dtype_of, promote
from .cotangents import Atom, Atoms, Static
from .in_kernels import InKernels, called
from .kinds import elementwise
from .schema import TOGETHER
from .type_rules import all_weak, is_weak, numeric, python_number, python_or
from .works_in import as_it_is, as_parts

if TYPE_CHECKING:
    from ..builder import Builder


def _part(name: str, types: Sequence[Type]) -> tuple[str, bool]:
    numeric(name, types)
    weak = is_weak(types[0])
    return part_of(python_number([dtype_of(types[0])]) if weak else dtype_of(types[0])), weak


def _conjugate(name: str, types: Sequence[Type]) -> tuple[str, bool]:
    """Python's numbers have the method too, and stay Python's."""
    return python_or(python_number, np.conjugate)(name, types)


def _of_parts(name: str, types: Sequence[Type]) -> tuple[str, bool]:
    numeric(name, types)
    weak = all_weak(types)
    part = FLOAT_WORD if weak else promote(*types)[0]  # type: ignore[arg-type]
    return complex_word(part), weak


def complex_word(part: str) -> str:
    """The dtype of complex numbers with such parts."""
    return promote_dtypes(part, COMPLEX_64)


PARTS = ("real", "imag")  # rows, and attributes of numbers and arrays
COMPLEX_64 = next(word for word, dtype in NUMPY_DTYPE.items() if dtype == np.complex64)


def real_meaning(x):
    return x.real.copy() if isinstance(x, np.ndarray) else x.real


def imag_meaning(x):
    return x.imag.copy() if isinstance(x, np.ndarray) else x.imag


def conjugate_meaning(x):
    return np.conjugate(x) if isinstance(x, np.ndarray | np.generic) else x.conjugate()


def complex_of(x, y):
    """x + i y, exactly: a product with the imaginary unit would make nan of infinities."""
    if not any(isinstance(part, np.ndarray | np.generic) for part in (x, y)):
        return complex(x, y)
    dtype = np.result_type(np.result_type(x, y), np.complex64)
    made = np.empty(np.broadcast_shapes(np.shape(x), np.shape(y)), dtype)
    made.real, made.imag = x, y
    return made if made.ndim else made[()]


def whole(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom:
    return out_bar


def imag_slope(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom:
    return builder.quote("complex_of(0.0, -out_bar)", out_bar=out_bar)


elementwise("real", "x", work="free", works_in=as_it_is, of_complex="own", type=_part, meaning=real_meaning,
            spelling="np.real({x})", scalar_spelling="{x}.real", linear=TOGETHER, partials=[whole],
            cuda=InKernels("{x}", pairs="{x}.real"), samples="complex_numbers", python=())  # fmt: skip
elementwise("imag", "x", work="free", works_in=as_it_is, of_complex="own", type=_part, meaning=imag_meaning,
            spelling="np.imag({x})", scalar_spelling="{x}.imag", linear=TOGETHER, partials=[imag_slope],
            cuda=called("imag", pairs="{x}.imag"), samples="complex_numbers", python=())  # fmt: skip
elementwise("conjugate", "x", work="free", of_complex="own", type=_conjugate,
            meaning=conjugate_meaning, spelling="np.conj({x})", scalar_spelling="{x}.conjugate()", linear=TOGETHER,
            partials=["vjp: conjugate(out_bar)"], samples="complex_numbers",
            cuda=InKernels("{x}", pairs="complex_conjugate({x})"),
            python=("numpy.conjugate", "numpy.conj"))  # fmt: skip
elementwise("complex_of", "x, y", work="free", works_in=as_parts, type=_of_parts, meaning=complex_of,
            spelling="pellucid.support.complex_of({x}, {y})", linear=TOGETHER,
            cuda=called("complex", "x, y"), partials=["vjp: real(out_bar)", "vjp: -imag(out_bar)"],
            samples="real_pairs", python=())  # fmt: skip
