"""Joining what a list of any length holds, and the rows of an array."""

import numpy as np
import pytest

import pellucid
from tests.harness.answers import agree, function_of, outcome
from tests.harness.stages import Stages

OF_A_LIST = """
np.stack([x * k for k in range(n)])
np.stack([x * k for k in range(n)], axis=-1)
np.stack([x[0] * k for k in range(n)])
np.column_stack([x * k for k in range(n)])
np.vstack([x * k for k in range(n)])
np.hstack([x * k for k in range(n)])
np.concatenate([x[:k] for k in range(n)])
np.concatenate([x[None, :k] for k in range(n)], axis=1)
np.concatenate([x[None, :k] for k in range(n)], axis=None)
np.concatenate([x[None] * k for k in range(n)], dtype=np.float32)
np.hstack([x[None, :k] for k in range(n)])
np.column_stack([x[:, None] * k for k in range(n)])
np.concatenate([x[:2][None, : k // 2] for k in range(2, n)])
""".strip().splitlines()
OF_ROWS = ["np.concatenate(x)", "np.concatenate(x, axis=None)", "np.stack(x, 1)", "np.vstack(x)", "np.column_stack(x)"]
X = np.array([1.5, -0.25, 3.0])


@pytest.mark.parametrize("text", OF_A_LIST)
@pytest.mark.parametrize("n", [3, 0])
def test_items_of_a_list(text, n):
    function = function_of(text, "x, n")
    found, wanted = Stages(function).run("typed", X, n), outcome(function, (X, n))
    assert agree(found.error or found.value, wanted)


@pytest.mark.parametrize("text", OF_ROWS)
def test_rows_of_an_array(text):
    function, rows = function_of(text, "x"), np.arange(6.0).reshape(2, 3)
    found = Stages(function).run("typed", rows)
    assert agree(found.error or found.value, function(rows))


def test_items_of_a_list_have_their_slopes():
    function = function_of("np.sum(np.concatenate([x[:k] ** k for k in range(n)]) ** 2)", "x, n")
    found = pellucid.grad(function)(X, 4)
    wanted = [sum(2 * k * X[j] ** (2 * k - 1) for k in range(j + 1, 4)) for j in range(3)]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
