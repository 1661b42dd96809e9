"""Collectives in groups of examples, and along several axes at once, against NumPy's sums and cuts of all examples."""

import numpy as np
import pytest

from pellucid import CompileError, compile, grad, lax, vmap

RNG = np.random.default_rng(2)
X = RNG.normal(size=(4, 4, 3))
GROUPS = [[0, 2], [3, 1]]
ORDERED = np.array([[0, 2], [3, 1], [0, 2], [3, 1]])  # the group of each example
PLACE = np.array([0, 1, 1, 0])


def over(f, x=X):
    return vmap(f, axis_name="i")(x)


@pytest.mark.parametrize(("collective", "reduce"), [(lax.psum, np.sum), (lax.pmean, np.mean), (lax.pmax, np.max),
                                                    (lax.pmin, np.min)])  # fmt: skip
def test_reductions_in_groups(collective, reduce):
    want = np.stack([reduce(X[group], axis=0) for group in ORDERED])
    np.testing.assert_allclose(over(lambda x: collective(x, "i", axis_index_groups=[[0, 2], [3, 1]])), want, rtol=1e-14)


def test_gathered_in_groups():
    groups = ((0, 2), (3, 1))
    np.testing.assert_array_equal(over(lambda x: lax.all_gather(x, "i", axis_index_groups=groups)), X[ORDERED])
    tiled = over(lambda x: lax.all_gather(x, "i", axis_index_groups=groups, axis=1, tiled=True))
    np.testing.assert_array_equal(tiled, [np.concatenate(X[group], axis=1) for group in ORDERED])
    last = over(lambda x: lax.all_gather(x, "i", axis_index_groups=groups, axis=-1))
    np.testing.assert_array_equal(last, [np.stack(X[group], axis=-1) for group in ORDERED])


def test_scattered_and_exchanged_in_groups():
    groups = ((0, 2), (3, 1))
    found = over(lambda x: lax.psum_scatter(x, "i", axis_index_groups=groups, tiled=True))
    want = [np.split(X[group].sum(axis=0), 2)[place] for group, place in zip(ORDERED, PLACE)]
    np.testing.assert_allclose(found, want, rtol=1e-14)
    two = X[:, :2]
    found = over(lambda x: lax.psum_scatter(x, "i", axis_index_groups=groups), two)
    np.testing.assert_allclose(found, [two[g].sum(axis=0)[k] for g, k in zip(ORDERED, PLACE)], rtol=1e-14)
    found = over(lambda x: lax.all_to_all(x, "i", 0, 1, axis_index_groups=groups, tiled=True))
    want = [np.concatenate([np.split(X[m], 2)[k] for m in g], axis=1) for g, k in zip(ORDERED, PLACE)]
    np.testing.assert_array_equal(found, want)
    found = over(lambda x: lax.all_to_all(x, "i", 0, 1, axis_index_groups=groups), two)
    np.testing.assert_array_equal(found, [np.stack([two[m][k] for m in g], axis=1) for g, k in zip(ORDERED, PLACE)])


def test_slopes_in_groups():
    bars = RNG.normal(size=X.shape)

    @compile
    def total(x, bars):
        return np.sum(bars * vmap(lambda x: lax.psum(x * x, "i", axis_index_groups=((0, 2), (3, 1))), axis_name="i")(x))

    want = np.stack([2.0 * X[k] * bars[ORDERED[k]].sum(axis=0) for k in range(4)])
    np.testing.assert_allclose(grad(total)(X, bars), want, rtol=1e-12)


def summed_in(groups):
    return lambda x: lax.psum(x, "i", axis_index_groups=groups)


def test_groups_that_cannot_be():
    for groups, told in [([[0, 1], [2]], "different sizes"), ([[0, 1], [1, 2]], "once"), ([[0, 4], [1, 2]], "once"),
                         ([], "lists of numbers"), ([[-1, 0]], "lists of numbers")]:  # fmt: skip
        with pytest.raises(CompileError, match=told):
            over(summed_in(tuple(map(tuple, groups))))
    with pytest.raises(ValueError, match="has 2 numbers, and there are 4 examples"):
        over(summed_in(((0, 1),)))


# --- several axes ----------------------------------------------------------------------------------------------------

Y = RNG.normal(size=(2, 3, 6, 2))
FLAT = Y.reshape(6, 6, 2)


def over_both(f):
    found = vmap(vmap(f, axis_name="j"), axis_name="i")(Y)
    return np.asarray(found).reshape(6, *found.shape[2:])


def test_along_several_axes():
    np.testing.assert_array_equal(over_both(lambda x: lax.all_gather(x, ("i", "j"))), [FLAT] * 6)
    np.testing.assert_array_equal(over_both(lambda x: lax.all_gather(x, ("i", "j"), axis=1, tiled=True)),
                                  [np.concatenate(FLAT, axis=1)] * 6)  # fmt: skip
    np.testing.assert_allclose(over_both(lambda x: lax.psum_scatter(x, ("i", "j"))), FLAT.sum(axis=0), rtol=1e-13)
    np.testing.assert_array_equal(over_both(lambda x: lax.all_to_all(x, ("i", "j"), 0, 0)), FLAT.swapaxes(0, 1))
    ring = tuple((k, (k + 1) % 6) for k in range(6))
    np.testing.assert_array_equal(over_both(lambda x: lax.ppermute(x, ("i", "j"), ring)), np.roll(FLAT, 1, axis=0))
    some = over_both(lambda x: lax.ppermute(x, ("i", "j"), ((0, 1), (3, 0))))
    np.testing.assert_array_equal(some, [FLAT[3], FLAT[0], *[np.zeros((6, 2))] * 4])
    np.testing.assert_array_equal(over_both(lambda x: lax.pcast(lax.pvary(x, "i"), "i", to="varying")), FLAT)
