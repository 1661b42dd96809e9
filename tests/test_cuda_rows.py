"""Every row with a spelling for kernels, on its samples: in lockstep it gives what NumPy does, and nothing is left out.

The table is the list: a row that gets the column `cuda` is tested from then on.
"""

import atexit
import functools
import importlib.util
import pathlib
import shutil
import tempfile

import numpy as np
import pytest

import pellucid
from pellucid.compiler.dtypes import DTYPE_OF_NUMPY, is_bool, is_inexact
from pellucid.compiler.ops import OPERATORS
from pellucid.compiler.ops.reduction import FOLDS, reduction_by

from .harness.every import every
from .harness.operators import operator_cases, type_of_value

ROWS = [row for row in OPERATORS.values() if row.cuda is not None]
DTYPES = ("f32", "f64", "i64", "i32", "bool")


def written(row):
    """How a user writes a call of the row on arrays."""
    named = [name for name in row.python if name.startswith("pellucid.")]
    operands = ", ".join(row.operands)
    return f"{named[0]}({operands})" if named else row.spelling.format(**{name: name for name in row.operands})


@functools.cache
def functions():
    """Each row in a function of one line, from a file as a user's are."""
    lines = [f"import {name}" for name in ("math", "numpy as np", "pellucid", "pellucid.support", "scipy.special")]
    for row in ROWS:
        lines += ["", f"def on_{row.name}({', '.join(row.operands)}):", f"    return {written(row)}", ""]
    path = pathlib.Path(tempfile.mkdtemp(prefix="pellucid")) / "rows_in_kernels.py"
    path.write_text("\n".join(lines))
    atexit.register(shutil.rmtree, path.parent)
    spec = importlib.util.spec_from_file_location("rows_in_kernels", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {row.name: pellucid.compile(getattr(module, f"on_{row.name}")) for row in ROWS}


def cases():
    """Arrays of one shape that have elements, of the dtypes that kernels are for."""
    for case in operator_cases("elementwise"):
        arrays = all(isinstance(o, np.ndarray) and o.size and o.ndim == 1 for o in case.operands)
        if case.row.cuda is None or not arrays or len({o.shape for o in case.operands}) > 1:
            continue
        if all(DTYPE_OF_NUMPY[o.dtype] in DTYPES for o in case.operands):
            yield case


def has_kernels(case):
    """Whether the row says nothing to the contrary of the dtypes."""
    return case.row.cuda.ints is not None or any(o.dtype.kind == "f" for o in case.operands)


CASES = list(cases())
# A function of a library rounds as it likes; what NumPy computes with vectors may be off by some bits itself.
ROUNDING = {"f32": 1e-6, "f64": 1e-14, "c64": 1e-6, "c128": 1e-14}


def test_every_such_row_has_cases():
    assert {case.row.name for case in CASES} == {row.name for row in ROWS}


@every(CASES, by=lambda case: case.row.name)
def test_kernels_give_what_numpy_does(case):
    function = functions()[case.row.name]
    wanted = np.asarray(case.reference())
    dtype = DTYPE_OF_NUMPY[wanted.dtype]
    stays = case.row.raises([type_of_value(o) for o in case.operands], {}) or not has_kernels(case)
    assert ("@host" in function.source("kernels", *case.operands)) == stays
    with np.errstate(all="ignore"):
        found = function.debug("kernels")(*case.operands)
    assert found.dtype == wanted.dtype
    if is_inexact(dtype):
        np.testing.assert_allclose(found, wanted, rtol=ROUNDING[dtype], atol=0.0)
        for one, other in ((found.real, wanted.real), (found.imag, wanted.imag)):
            np.testing.assert_array_equal(np.signbit(one[one == 0]), np.signbit(other[one == 0]))
    else:
        np.testing.assert_array_equal(found, wanted)


# --- complex numbers -------------------------------------------------------------------------------------------------

OF_COMPLEX = [row for row in ROWS if row.cuda.pairs]
NUMBERS = np.array([0.4 - 2.3j, -0.7 + 1.1j, 1.9 + 0.0j, -3.2 - 0.5j, 0.3 + 0.4j, -0.0 - 1.0j])
OTHERS = np.array([1.7 + 0.2j, -1.2 - 2.0j, 0.6 + 0.0j, 2.0 + 0.0j, 0.3 + 0.4j, 0.5 - 1.0j])


def complex_operands(row, dtype):
    """Complex numbers for every operand of a row; the first of a choice is a truth."""
    operands = [values.astype(dtype) for values in (NUMBERS, OTHERS)]
    return [np.arange(6) % 2 == 0, *operands] if row.name == "where" else operands[: len(row.operands)]


def test_every_row_that_takes_complex_numbers_has_kernels_for_them():
    takes = {row.name for row in ROWS if row.of_complex and row.samples not in ("conversions", "stopped")}
    assert takes == {row.name for row in OF_COMPLEX}


@pytest.mark.parametrize("row", OF_COMPLEX, ids=lambda row: row.name)
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128], ids=lambda dtype: dtype.__name__)
def test_kernels_of_complex_numbers_give_what_numpy_does(row, dtype):
    function, operands = functions()[row.name], complex_operands(row, dtype)
    assert "@host" not in function.source("kernels", *operands)
    with np.errstate(all="ignore"):
        wanted, found = row.meaning(*operands), function.debug("kernels")(*operands)
    assert found.dtype == wanted.dtype
    eps = np.finfo(dtype).eps if wanted.dtype.kind in "fc" else 0
    np.testing.assert_allclose(found, wanted, rtol=16 * eps, atol=0.0)


@pytest.mark.parametrize("row", OF_COMPLEX, ids=lambda row: row.name)
def test_python_s_complex_numbers_in_kernels(row):
    """A number of Python's beside an array takes its size."""
    operands = complex_operands(row, np.complex64)
    if len(operands) == 1:
        return  # there is no other
    mixed = [*operands[:-1], complex(OTHERS[3])]
    function = functions()[row.name]
    assert "@host" not in function.source("kernels", *mixed)
    with np.errstate(all="ignore"):
        wanted, found = row.meaning(*mixed), function.debug("kernels")(*mixed)
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=2e-6, atol=0.0)


# --- float16 ---------------------------------------------------------------------------------------------------------

HALVES = [case for case in CASES if all(o.dtype == np.float32 for o in case.operands)]
ON_HOST = {"nextafter"}  # of which the result for float32 says nothing


def as_halves(case):
    return [operand.astype(np.float16) for operand in case.operands]


@every(HALVES, by=lambda case: case.row.name)
def test_float16_is_computed_as_float32_and_rounded_once(case):
    function, operands = functions()[case.row.name], as_halves(case)
    with np.errstate(all="ignore"):
        wanted = np.asarray(case.reference(*operands))
        found = function.debug("kernels")(*operands)
    assert ("@host" in function.source("kernels", *operands)) == (case.row.name in ON_HOST)
    assert found.dtype == wanted.dtype
    if wanted.dtype.kind == "b":
        np.testing.assert_array_equal(found, wanted)
    else:  # a function that is off in the last bit of a float32 is seldom rounded otherwise
        rounding = ROUNDING.get(DTYPE_OF_NUMPY[wanted.dtype], np.finfo(np.float16).eps)
        np.testing.assert_allclose(found, wanted, rtol=rounding, atol=0.0)


def test_small_integers_keep_their_dtype_in_kernels():
    """Numba adds them as i64."""
    x = np.array([2**31 - 1, -(2**31), 5], np.int32)
    text = functions()["add"].source("kernels", x, x)
    assert "np.int32(" in text
    np.testing.assert_array_equal(functions()["add"].debug("kernels")(x, x), x + x)


@pytest.mark.parametrize("operator", FOLDS)
def test_folds_are_named_by_their_reductions(operator):
    name = reduction_by(operator)
    row = OPERATORS.get(name)
    assert (row is None) == OPERATORS[operator].is_comparison
    assert row is None or row.fold is FOLDS[operator]


def test_truths_have_kernels_where_a_row_takes_them():
    """A mask is made of masks: that must not leave the device."""
    for row in ROWS:
        takes = any(all(is_bool(DTYPE_OF_NUMPY[o.dtype]) for o in case.operands) for case in CASES if case.row is row)
        assert not takes or row.cuda.truths, row.name


@pytest.mark.cuda
@every([case for case in CASES if all(o.dtype == np.float32 for o in case.operands)], by=lambda case: case.row.name)
def test_float32_stays_float32_in_machine_code(case):
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed: `make cuda-check` does that")
    from pellucid.compiler.targets.cuda.assemble import assemble
    from pellucid.compiler.targets.cuda.listing import lint

    text = functions()[case.row.name].source("kernels", *case.operands)
    if "@cuda.jit" not in text:
        return  # the result is the argument
    for machine in assemble(text, (9, 0)).values():
        assert [line for line in lint(machine, text) if "float64" in line] == []


@pytest.mark.cuda
@every(HALVES, by=lambda case: case.row.name)
def test_float16_has_no_float64_in_machine_code(case):
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed: `make cuda-check` does that")
    from pellucid.compiler.targets.cuda.assemble import assemble
    from pellucid.compiler.targets.cuda.listing import lint

    text = functions()[case.row.name].source("kernels", *as_halves(case))
    if "@cuda.jit" not in text:
        return  # the result is the argument, or the row stays on the host
    for machine in assemble(text, (9, 0)).values():
        assert [line for line in lint(machine, text) if "float64" in line] == []


@pytest.mark.cuda
@pytest.mark.parametrize("row", OF_COMPLEX, ids=lambda row: row.name)
@pytest.mark.parametrize("capability", [(8, 0), (9, 0)], ids=str)
def test_complex64_stays_of_float32_in_machine_code(row, capability):
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed: `make cuda-check` does that")
    from pellucid.compiler.targets.cuda.assemble import assemble
    from pellucid.compiler.targets.cuda.listing import lint

    for dtype in (np.complex64, np.complex128):
        text = functions()[row.name].source("kernels", *complex_operands(row, dtype))
        if "@cuda.jit" not in text:
            continue  # the result is the argument
        for machine in assemble(text, capability).values():
            assert lint(machine, text) == ()
