"""Rows that SciPy's compiled functions compute: the right one is called, its operands in their order, on grids."""

import itertools

import numpy as np
import pytest

from pellucid.compiler.ops import schema
from pellucid.compiler.targets.llvm.llvm import compile_program
from pellucid.compiler.types import Scalar
from tests.harness.loops_text import read_loops
from tests.test_emitters import INF, NAN, NUMPY, OF_SCIPY, REALS

pytestmark = pytest.mark.filterwarnings("ignore")

OF_ONE = [*REALS, 0.3, 4.2, 17.5, -3.3, -20.1]
TAME = [0.25, 0.6, 1.0, 2.5]  # where the hypergeometric functions of SciPy come to an end soon
OF_MORE = {2: [*OF_ONE[:-5:2], 0.3, 4.2, 17.5], 3: [0.0, 0.25, 1.0, 1.5, 3.0, -2.0, INF, NAN], 4: [0.0, 0.3, 1.0, 2.0]}


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_functions_of_scipy(count):
    """The addresses, the operands in their order, the result of several: on grids, as the ufuncs give it."""
    rows = [row for row in OF_SCIPY if len(row.operands) == count and row.name not in ORDERS]
    for row, dtype in itertools.product(rows, ("f64", "f32")):
        values = TAME if row.name.startswith(("hyp", "lpmv")) else OF_ONE if count == 1 else OF_MORE[count]
        grids = [g.ravel().astype(NUMPY[dtype]) for g in np.meshgrid(*[values] * count)]
        with np.errstate(all="ignore"):
            (got,) = scipy_program(row, [dtype] * count)(grids)
            wanted = row.meaning(*grids)
        assert got.dtype == wanted.dtype
        rtol = 1e-12 if dtype == "f64" else 2e-4
        np.testing.assert_allclose(got, wanted, rtol=rtol, atol=rtol * 1e-3, err_msg=row.name)


def scipy_program(row, dtypes):
    names = ["x", "y", "z", "w"][: len(dtypes)]
    parameters = ", ".join(f"{n}: '{d}[n]'" for n, d in zip(names, dtypes))
    result = schema.OPERATORS[row.name].type_rule(tuple(Scalar(d) for d in dtypes)).dtype
    return compile_program(read_loops(f"""
def main({parameters}):
    out = empty(dim(x, 0), '{result}')
    for i in range(dim(x, 0)):
        out[i] = {row.name}({', '.join(f'{n}[i]' for n in names)})
    return out
"""))


ORDERS = [row.name for row in OF_SCIPY if row.works_in.__name__ == "of_orders"]


@pytest.mark.parametrize("name", ORDERS)
def test_functions_of_an_order(name):
    """Ints take SciPy's loop for ints: a polynomial has a recurrence there."""
    row = schema.OPERATORS[name]
    orders, share = np.array([0, 1, 2, 5, 11]), np.array([0.2, 0.5, 0.85])
    grids = [g.ravel() for g in np.meshgrid(*[orders] * (len(row.operands) - 1), share)]
    works = row.works_in([Scalar("i64")] * (len(grids) - 1) + [Scalar("f64")], Scalar("f64"))
    grids = [g.astype(NUMPY[dtype]) for g, dtype in zip(grids, works)]
    assert "i64" in works
    with np.errstate(all="ignore"):
        (got,) = scipy_program(row, works)(grids)
        np.testing.assert_allclose(got, row.meaning(*grids), rtol=1e-12)
