"""`vmap` of random functions with derivatives inside and outside agrees with a loop over the examples.

Longer: `python -m tests.fuzz.mapped`.
"""

import numpy as np
import pytest

import pellucid
from pellucid import grad, vmap
from tests.harness.mapped_agreement import WAYS, outcome

pytestmark = pytest.mark.drawn(5)


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


def test_a_length_of_the_forward_sweep_is_held_at_zero():
    """The diagonal of a matrix whose sides differ, with a mask that keeps the examples in a loop of their own."""

    def one(x, y):
        v = np.concatenate((y[1:], x[:1]))
        return np.sum(y[y > 0.1]) + np.trace(np.outer(v, y))

    def over_rows(x, y):
        total = 0.0
        for b in range(x.shape[0]):
            total += one(x[b], y[b])
        return total

    x, y = np.arange(6.0).reshape(2, 3), np.arange(1.0, 7.0).reshape(2, 3)
    pairs = zip(y, x[:, 0], strict=True)
    y_slopes = np.stack([1.0 + np.concatenate(([0.0], r[:2])) + np.concatenate((r[1:], [s])) for r, s in pairs])
    x_slopes = np.stack([[r[2], 0.0, 0.0] for r in y])
    for f in (over_rows, lambda x, y: np.sum(vmap(one)(x, y))):
        found = grad(f, argnums=(0, 1))(x, y)
        np.testing.assert_allclose(found[0], x_slopes)
        np.testing.assert_allclose(found[1], y_slopes)


def test_a_length_that_leaves_a_branch_is_the_one_of_the_branch():
    def one(x, y):
        s = 1.0
        if y[-1] > 0.0:
            m = np.outer(np.concatenate((x[1:], x[:1])), y)
            for i in range(m.shape[0]):
                m[:, i] *= m[i, i]
            s = np.trace(m)
        return s

    def closed(x, y):  # the diagonal is squared, but for what stands on it when its column is multiplied
        v = np.concatenate((x[1:], x[:1]))
        return np.sum((v * y) ** 2) if y[-1] > 0.0 else 1.0

    x, y = np.arange(1.0, 7.0).reshape(2, 3), np.array([[1.0, 2.0, 3.0], [1.0, 2.0, -3.0]])
    found = vmap(grad(one, argnums=(0, 1)))(x, y)
    for number in range(2):
        assert one(x[number], y[number]) == closed(x[number], y[number])
        wanted = [2.0 * x[number] * np.roll(y[number] ** 2, 1), 2.0 * y[number] * np.roll(x[number], -1) ** 2]
        for slopes, want in zip(found, wanted, strict=True):
            np.testing.assert_allclose(np.asarray(slopes)[number], want * (y[number, -1] > 0.0))


def test_examples_are_rounded():
    found = vmap(lambda x: (round(x, 1), round(x)))(np.array([1.26, -2.55, 0.05]))
    np.testing.assert_array_equal(found[0], np.round([1.26, -2.55, 0.05], 1))
    np.testing.assert_array_equal(found[1], [1, -3, 0])
