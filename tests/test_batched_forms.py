"""The batched form of every row of the operator table: what the operator gives of each example, put together.

The samples of a row are the examples: one twice, with one operand or all of them varying.
"""

import itertools

import gast
import numpy as np
import pytest

from pellucid.compiler import syntax
from pellucid.compiler.ops.batching import Examples, Operand, batched_form, raises_by_example, stacked
from pellucid.compiler.ops.schema import TypeFault
from pellucid.compiler.types import Scalar, symbol

from .harness import operators as harness

CASES = [case for case in harness.operator_cases() if case.operands and case.row.name != "dim"]
BY_ROW = [list(group) for _, group in itertools.groupby(CASES, key=lambda case: case.row.name)]
COUNT = 2
# Rows that stay in a loop over the examples, whatever the sample: Python's functions of single numbers, and routines
# that take one matrix.  A row that gets a form leaves the list.
LOOPED = ("math_", "round_half_even", "arange", "cholesky", "lu_factor", "eigvals", "svdvals", "_fails",
          "determinant", "matrix_logarithm", "sylvester", "solve_banded")


def variants(case):
    """Which operands vary: all of them, or one."""
    places = range(len(case.operands))
    yield from {tuple(True for _ in places), *(tuple(k == one for k in places) for one in places)}


def batched(case, varies):
    """The value of the batched form for examples that are alike; None where there is none."""
    table = {f"x{k}": value for k, value in enumerate(case.operands)}
    types = {name: harness.type_of_value(value) for name, value in table.items()}
    values = {n: np.stack([np.asarray(v)] * COUNT) if varies[k] else v for k, (n, v) in enumerate(table.items())}
    builder = harness.builder_for(values)
    extent = symbol("batch")
    for k, name in enumerate(table):
        if varies[k]:
            builder.types[name] = stacked(types[name], extent)
    builder.names.take("batch")
    examples = Examples(syntax.constant(COUNT), COUNT)
    operands = [Operand(syntax.name(n), types[n], varies[k]) for k, n in enumerate(table)]
    result = harness.type_of_value(case.reference())
    static = dict(case.static)
    try:
        atom = batched_form(builder, case.row, operands, static, result, examples)
    except TypeFault:
        return None, result
    if atom is None:
        return None, result
    assert not raises_by_example(case.row, operands, static, has_form=True)
    assert isinstance(atom, gast.Name)
    return harness.run(builder.body, values)[atom.id], result


@pytest.mark.parametrize("cases", BY_ROW, ids=lambda cases: cases[0].row.name)
def test_batched_is_looped(cases):
    found = 0
    for case in cases:
        want = case.reference()
        for varies in variants(case):
            got, result = batched(case, varies)
            if got is None:
                continue
            found += 1
            assert np.shape(got) == (COUNT, *np.shape(want)), (case, varies)
            if not (isinstance(result, Scalar) and result.weak):
                assert np.asarray(got).dtype == np.asarray(want).dtype, (case, varies)
            for one in np.asarray(got):
                np.testing.assert_allclose(one, want, rtol=1e-6, equal_nan=True, err_msg=f"{case} {varies}")
    name = cases[0].row.name
    assert bool(found) != any(word in name for word in LOOPED), f"{name}: {found} forms"
