"""Rows: functions that a library computes, on matrices in memory.

    solve    the x of `a @ x == b`:  f64[n, n], f64[n] -> f64[n];  f64[n, n], f64[n, k] -> f64[n, k]
    eigh     f64[n, n] -> f64[n], f64[n, n]

The types follow from the row of the routine (`routines.py`), which the loops stage calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dtypes import FLOAT_WORD, complex_of
from ..types import Array, Extent, Scalar, Type, dtype_of, least_of, rank
from . import exchanges, fourier, lapack, lapack_status, orders  # noqa: F401  the rows of routines
from .batching import right_sides, rows_below
from .kinds import library
from .raising import always, never
from .routines import ROUTINES, Routine, formula
from .rules import Rule, in_language, series_of_moved, tangent_in_language, without_slope
from .schema import Operator, TypeFault
from .type_rules import dims_of, in_floats, numeric, real_only


def by_routine(name: str, routine: str, spelling: str, *, vjp: Sequence[str | Rule | None], **more: Any) -> Operator:
    """The operator that a routine computes; `vjp` has a rule for each operand, in the language if it is a name.

    The rule for tangents is called like the operator.
    """
    row = ROUTINES[routine]
    is_linear = "linear" in more
    jvp = more.pop("jvp", tangent_in_language(name) if any(vjp) and not is_linear else None)
    backwards = [in_language(v) if isinstance(v, str) else v for v in vjp]
    called = spelling.partition("(")[0].replace("pellucid.support", "np.fft")

    def rule(types: Sequence[Type], **static: Any) -> Any:
        if "complex" not in row.kinds:
            real_only(called, types)
        return types_of(called, row, types, static.get("shape"))

    return library(
        name, " ".join(o.name for o in row.read), is_light=False, type=rule, meaning=row.meaning, routine=routine,
        raises=always if row.can_fail else never, results=len(row.results), vjp=backwards,
        jvp=jvp, samples=row.samples, static={**row.static, **({"shape": ...} if row.is_shaped else {})},
        spelling=spelling, of_complex="own" if "complex" in row.kinds else "", **more,
    )  # fmt: skip


def types_of(
    name: str, row: Routine, types: Sequence[Type], shape: tuple[Extent, ...] | None = None
) -> Type | tuple[Type, ...]:
    """The types of the results: matrices and vectors in the lengths that the operands have, or in the shape given."""
    numeric(name, types)
    known: dict[str, Extent] = {}
    lacking = False
    for operand, type_ in zip(row.read, types, strict=True):
        if not operand.has_rank(rank(type_)):
            kinds = " and ".join("a vector or matrix" if o.may_lack_axis else "a matrix" for o in row.read)
            what = f"{kinds}, not {' and '.join(map(str, types))}"
            raise TypeFault("S002", f"`{name}` takes {what}")
        lacking |= rank(type_) < len(operand.lengths)
        for length, extent in zip(operand.lengths, dims_of(type_)):
            other = known.setdefault(length, extent)
            if isinstance(other, int) and isinstance(extent, int) and other != extent:
                raise TypeFault("S003", f"`{name}` of {' and '.join(map(str, types))}: {other} is not {extent}")
    for length, rule in row.computed.items():
        known[length] = least_of(*(known[a.id] for a in formula(rule).args))
    dtype = dtype_of(types[-1]) if row.keeps_dtype else in_floats(name, types)
    if row.kinds == ("complex",):
        dtype = complex_of(dtype)
    made: list[Type] = []
    for result in row.results:
        if not result.lengths:
            made.append(Scalar(FLOAT_WORD))
            continue
        lengths = result.lengths[:-1] if lacking and result.may_lack_axis else result.lengths
        made.append(Array(result.dtype(dtype), shape or tuple(known[length] for length in lengths)))
    return made[0] if len(made) == 1 else tuple(made)


by_routine("solve", "gesv", "np.linalg.solve({a}, {b})", vjp=["solve_matrix", "solve_right_side"],
           batch=right_sides, in_parts=("factors_of", "solve_by_factors"))  # fmt: skip
# What stands for a matrix in solving has the matrix's own slope: that of the triangles is never needed.
by_routine("factors_of", "getrf_kept", "pellucid.support.factors_of({a})", vjp=["matrix_slopes:factors_of"])
by_routine("solve_by_factors", "getrs",
           "pellucid.support.solve_by_factors({factors}, {pivots}, {b}, transposed={transposed})",
           vjp=["matrix_slopes:solve_by_factors", None, "matrix_slopes:right_side_by_factors"],
           batch=right_sides)  # fmt: skip
by_routine("solve_triangular", "trtrs", "scipy.linalg.solve_triangular({a}, {b}, lower={lower})",
           vjp=["triangle", "triangle_right_side"], batch=right_sides)  # fmt: skip
by_routine("cholesky", "potrf", "np.linalg.cholesky({a})", vjp=["cholesky"])
by_routine("lu_factor", "getrf", "scipy.linalg.lu_factor({a})", vjp=["lu_factor"])
by_routine("qr", "geqrf", "np.linalg.qr({a})", vjp=["qr"])
by_routine("qr_complete", "geqrf_complete", "pellucid.support.qr_complete({a})", vjp=["qr_complete"])
by_routine("qr_raw", "geqrf_raw", "pellucid.support.qr_raw({a})", vjp=["qr_raw"])
by_routine("eigh", "syevd", "np.linalg.eigh({a}, UPLO={UPLO})", vjp=["eigh"])
by_routine("svd", "gesdd", "np.linalg.svd({a}, full_matrices=False)", vjp=["svd"])
by_routine("svd_full", "gesdd_full", "pellucid.support.svd_full({a})", vjp=["svd_full"])
by_routine("eigvalsh", "syevd_values", "np.linalg.eigvalsh({a}, UPLO={UPLO})", vjp=["eigvalsh"])
by_routine("svdvals", "gesdd_values", "np.linalg.svdvals({a})", vjp=["svdvals"])
NOT_UNIQUE = without_slope("the factors of Schur's form, which are not unique,")
by_routine("schur", "gees", "scipy.linalg.schur({a})", vjp=[NOT_UNIQUE], jvp=NOT_UNIQUE)
by_routine("schur_of_complex", "gees_of_complex", "pellucid.support.schur_of_complex({a})", vjp=[NOT_UNIQUE],
           jvp=NOT_UNIQUE)  # fmt: skip
by_routine("sylvester", "trsyl", "scipy.linalg.solve_sylvester({a}, {b}, {q})",
           vjp=[f"matrix_slopes:sylvester_{side}" for side in ("left", "right", "whole")])  # fmt: skip
by_routine("solve_banded", "gbsv", "pellucid.support.solve_banded({below}, {ab}, {b})",
           vjp=[None, "matrix_slopes:band", "matrix_slopes:band_right_side"])  # fmt: skip
by_routine("parts_of_eig", "geev", "pellucid.support.parts_of_eig({a})", vjp=["parts_of_eig"])
for _name, _routine, _spelling in (
    ("fft", "c2c_forward", "np.fft.fft({a})"), ("ifft", "c2c_backward", "np.fft.ifft({a}, norm='forward')"),
    ("rfft", "r2c", "pellucid.support.rfft({a}, shape={shape})"),
    ("irfft", "c2r", "pellucid.support.irfft({a}, shape={shape})"),
):  # fmt: skip
    by_routine(_name, _routine, _spelling, vjp=[_name], linear="together", batch=rows_below)
by_routine("parts_of_eigvals", "geev_values", "pellucid.support.parts_of_eigvals({a})", vjp=["parts_of_eigvals"])
by_routine("eig_of_complex", "geev_of_complex", "pellucid.support.eig_of_complex({a})", vjp=["eig_of_complex"])
by_routine("eigvals_of_complex", "geev_values_of_complex", "pellucid.support.eigvals_of_complex({a})",
           vjp=["eigvals_of_complex"])  # fmt: skip

by_routine("sort_rows", "sort_into", "np.sort({a})", vjp=["sort_rows"], series=series_of_moved("sort_rows"),
           batch=rows_below)  # fmt: skip
by_routine("order_rows", "order_into", "np.argsort({a}, kind='stable')", vjp=[None], batch=rows_below)

# Whether an operator raises LinAlgError: what a `try` asks before it.
for _name, _routine in (
    ("solve", "gesv"), ("solve_triangular", "trtrs"), ("cholesky", "potrf"), ("eigh", "syevd"), ("eigvalsh", "syevd"),
    ("svd", "gesdd"), ("svdvals", "gesdd"),
):  # fmt: skip
    _static = "".join(f", {key}={{{key}}}" for key in ROUTINES[f"{_routine}_fails"].static)
    by_routine(f"{_name}_fails", f"{_routine}_fails", f"pellucid.support.{_name}_fails({{a}}{_static})", vjp=[None])
