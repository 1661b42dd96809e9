"""Derivatives of NumPy's functions that are written in the language, against differences.

Each call is taken apart into a weighted sum of all its floats, whose slope along one direction is compared.
"""

import numpy as np
import pytest

from pellucid.compiler.request import Gradient, Tangent
from tests.harness.answers import function_of
from tests.harness.library_calls import ARRAYS, letters
from tests.harness.stages import Stages

pytestmark = pytest.mark.drawn(5)

# Written so that no two elements change places within the step that differences take.
SMOOTH = """
np.sort(V)
np.sort(A, axis=0)
np.median(V)
np.median(A, axis=0)
np.percentile(V, [5.0, 60.0])
np.quantile(A, 0.3, axis=1, method="hazen")
np.unique(V)
V[np.argsort(A[0])]
np.take_along_axis(A, I % 3, axis=1)
np.compress([True, False, True], V)
np.bincount(N, weights=np.append(V, V[:2] ** 2))
np.histogram(np.arange(4.0), bins=3, weights=V)[0]
np.sinc(V)
np.unwrap(V * 9.0)
np.i0(V)
np.append(V[1:], V[0] * V[1])
np.insert(V, 1, V[2] * V[3])
np.delete(A, 1, axis=1)
np.split(V, 2)[1]
np.pad(V, (3, 2), mode="reflect")
np.pad(A, 1, mode="linear_ramp")
np.gradient(V, V[0])
np.gradient(A)[1]
np.gradient(V, np.cumsum(V * V))
np.gradient(V, V[2] * np.arange(4.0) ** 2, edge_order=2)
np.diff(V, prepend=V[3])
np.cov(A)
np.cov(A, aweights=W * W)
np.corrcoef(A)
np.nanmean(np.where(V > 2.0, np.nan, V))
np.nanvar(G, axis=0, ddof=0)
np.nanmedian(np.where(V > 2.0, np.nan, V))
np.select([V > 1, V > 0], [V * V, 3 * V], 2.0 * V)
np.choose([0, 1, 1, 0], [V, V * V])
np.piecewise(V, [V < 0], [lambda v: v * v, lambda v: 2 * v])
np.logspace(V[0], V[2], 4)
np.geomspace(V[0], V[2], 4)
np.multiply.reduce(A)
np.logaddexp.reduce(V)
np.maximum.accumulate(V)
np.subtract.outer(V, W)
np.multiply.reduceat(V, [0, 2])
np.correlate(V, W)
np.repeat(V, [2, 0, 1, 3])
np.roll(A, (1, -1), axis=(0, 1))
np.reshape(C, (4, 6), order="F")
np.sum(A, axis=0, where=A > 0)
np.max(V, where=V < 2.5, initial=-1.0)
np.mean(A, axis=1, where=A < 1)
np.linalg.lstsq(A.T, W)[0]
np.linalg.pinv(A)
np.polyfit(np.cumsum(W * W), W, 1)
np.vander(V, 3)
np.apply_along_axis(lambda v: v * v[0], 0, A)
np.take(A, [4, -5], axis=1, mode="wrap")
np.interp(0.9 * V, [0.0, 1.0, 2.5], W, period=3.0)
np.r_[V[0], 2.0, V[1:] ** 2]
np.dstack((A, A * A))
np.modf(0.7 * V)[0] * np.frexp(0.7 * W)[0][0]
np.ldexp(V, N[:4])
np.poly(V)
np.polydiv(V, W)[0]
np.polyint(V, 2, k=W[:2])
np.linalg.multi_dot((A, A.T, A))
np.linalg.tensorsolve((np.eye(4) + np.outer(V, V)).reshape(2, 2, 4), A[:, :2])
np.vectorize(lambda x, y: x * y if x > y + 0.1 else y)(A, W)
np.cumulative_prod(V, include_initial=True)
np.histogram2d(np.arange(4.0), [2, 1, 1, 0], bins=2, weights=V)[0]
np.matvec(A, W) + np.vecmat(W, A.T)
np.trim_zeros(np.append(V, [0, 0]))
np.divide(1.0, A, out=np.zeros_like(A), where=A > 0)
np.unique(A, axis=1)
np.polynomial.chebyshev.chebval(A, V)
np.polynomial.polynomial.polyfit(np.cumsum(V * V), V, 1)
(np.poly1d(V) * np.poly1d(W))(V)
np.poly1d(V).deriv()(W)
np.kron(A, W)
np.pad(A, (2, 3), "reflect", reflect_type="odd")
A[A[:, 0] > 0, [1, 2]] ** 2
np.linspace(V, V * V, 3, axis=1)
np.linspace(V[0], V[1], 4, retstep=True)[1]
np.cross(A.T, A.T * A.T, axisa=0, axisb=0)
np.polyfit(np.cumsum(V * V), V, 1, cov=True)[1]
np.einsum(A, [0, 1], A, [2, 1], [0, 2])
np.lib.stride_tricks.sliding_window_view(A, (2, 2))
np.array([i * x * x for (i, j), x in np.ndenumerate(A)])
np.array([x * y for x, y in np.nditer([A, W])])
A.flat[1:4] ** 2
A[:, range(2)] ** 2
np.std(A, axis=1, where=A > -1)
np.var(A, mean=0.5 * V[0], where=A < 2.5)
np.nanvar(G, axis=1, where=A > 0.3)
np.nanmax(G, axis=0, initial=0.0, where=A < 2.5)
np.add.reduce(A, where=A > 0, initial=V[0])
np.average(V, weights=V * V, returned=True)
np.linalg.solve(T[:, None], B[None])
np.linalg.solve(T, W)
np.linalg.inv(T)
np.linalg.det(T)
np.linalg.slogdet(T).logabsdet
np.linalg.cholesky(Q + Q.mT)
np.linalg.eigh(Q + Q.mT)[0]
np.linalg.eigh(Q + Q.mT)[1] ** 2
np.linalg.eigvals(T + T.mT).real
np.linalg.svd(R).U ** 2
np.linalg.svd(R.mT).U[..., 3] ** 2
np.linalg.svd(A.T @ np.eye(2))[0] ** 2
np.linalg.svd(Q + Q.mT, hermitian=True).Vh ** 2
np.linalg.qr(R.mT, mode="complete").Q
np.linalg.qr(R.mT, mode="r")
np.linalg.pinv(R)
np.linalg.cond(T, "fro")
np.linalg.matrix_power(T, -2)
np.linalg.norm(T, "nuc", axis=(0, 2))
""".strip().splitlines()
NOT_SMOOTH = ("np.argsort(V)", "np.flatnonzero(V > 0)", "np.digitize(V, [0.0, 1.0])", "np.searchsorted(W, V)")


def total_of(text):
    """The call as a sum of all its floats, each with a weight of its own."""
    names = letters(text)
    steps = f"y = np.ravel({text})\nnp.sum(y * (1.0 + 0.3 * np.arange(y.size)))"
    return function_of(steps, ", ".join(names)), names


def gradient_of(function, places, arrays):
    """The derivative as it is printed, run in CPython; from there on machine code has the stages of any program."""
    found = Stages(function, [Gradient(places)]).run("typed", *arrays)
    assert found.error is None, found.error
    return found.value


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("text", SMOOTH)
def test_gradient_is_the_slope(text):
    function, names = total_of(text)
    arrays = [ARRAYS[name] for name in names]
    floats = tuple(k for k, array in enumerate(arrays) if array.dtype.kind == "f")
    directions = [np.random.default_rng(k).normal(size=array.shape) for k, array in enumerate(arrays)]

    def along(h):
        return function(*[a + h * d if k in floats else a for k, (a, d) in enumerate(zip(arrays, directions))])

    found = gradient_of(function, floats, arrays)
    slope = sum(np.nansum(bar * directions[k]) for k, bar in zip(floats, found))
    h = 1e-4
    wanted = (8.0 * (along(h) - along(-h)) - along(2.0 * h) + along(-2.0 * h)) / (12.0 * h)
    np.testing.assert_allclose(slope, wanted, rtol=1e-7, atol=1e-9)
    along = tuple(d if k in floats else None for k, d in enumerate(directions))
    pushed = Stages(function, [Tangent(with_value=False)]).run("typed", tuple(arrays), along)
    assert pushed.error is None, pushed.error
    np.testing.assert_allclose(pushed.value, wanted, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("text", NOT_SMOOTH)
def test_places_have_no_slope(text):
    function, names = total_of(text)
    (found, *_) = gradient_of(function, (0,), [ARRAYS[name] for name in names])
    assert not found.any()
