"""`vmap` of random functions with derivatives inside and outside agrees with a loop over the examples.

Longer: `python -m tests.fuzz.mapped`.
"""

import numpy as np
import pytest

import pellucid
from pellucid import grad, vmap
from tests.harness.mapped_agreement import WAYS, outcome


@pytest.mark.parametrize("seed", range(8))
def test_mapping_is_a_loop_over_the_examples(seed):
    kind, what = outcome(seed, WAYS[seed % len(WAYS)], size=2)
    assert kind in ("agreed", "raised"), what


# --- what random functions have found -------------------------------------------------------------------------------


@pellucid.custom_jvp
def clipped(v):
    return np.minimum(v, 1.0)


@clipped.defjvp
def clipped_jvp(primals, tangents):
    (v,), (v_dot,) = primals, tangents
    return clipped(v), v_dot * np.where(v < 1.0, 1.0, 0.0)


def test_a_shared_array_meets_examples_of_known_length():
    """Its cotangent is gathered in a loop as one of the known length, which a guard says is its own."""

    def total(position):
        return np.sum(vmap(lambda p, w: np.sum(clipped(p - w)), in_axes=(None, 0))(position, np.ones((2, 3))))

    def carried(position):
        def one(p, w):
            t = p.copy()
            for _ in range(3):
                t = t * 0.5 + clipped(t * w)
            return np.sum(t)

        return np.sum(vmap(one, in_axes=(None, 0))(position, np.ones((2, 3))))

    point = np.array([0.2, 0.7, 2.5])
    np.testing.assert_array_equal(grad(total)(point), [2.0, 2.0, 2.0 * (1.5 < 1.0)])
    np.testing.assert_allclose(grad(carried)(np.array([0.1, 0.2, 0.25])), [2.0 * 1.5**3] * 3)
    with pytest.raises(ValueError, match="broadcast"):
        grad(total)(np.ones(4))


def test_examples_are_rounded():
    found = vmap(lambda x: (round(x, 1), round(x)))(np.array([1.26, -2.55, 0.05]))
    np.testing.assert_array_equal(found[0], np.round([1.26, -2.55, 0.05], 1))
    np.testing.assert_array_equal(found[1], [1, -3, 0])
