"""Derivatives of linear algebra on complex matrices, in JAX's convention; values are in `harness/numpy_calls.py`."""

import numpy as np
import pytest

import pellucid
from pellucid import compile, grad
from pellucid.compiler.request import Gradient, Tangent

from .harness.answers import function_of
from .harness.stages import Stages
from .test_complex import differences

pytestmark = pytest.mark.drawn(5)

RNG = np.random.default_rng(0)


def numbers(*shape):
    return RNG.normal(size=shape) + 1j * RNG.normal(size=shape)


SQUARE, TALL = numbers(3, 3), numbers(4, 3)
HERMITIAN, POSITIVE = SQUARE + SQUARE.conj().T, SQUARE @ SQUARE.conj().T + np.eye(3)
CASES = [
    ("np.linalg.cholesky(x)", POSITIVE),
    ("np.linalg.cholesky(x, upper=True)", POSITIVE),
    ("np.linalg.qr(x)[0]", TALL),
    ("np.linalg.qr(x)[1]", TALL),
    ("np.linalg.eigvalsh(x, 'U')", HERMITIAN),
    ("np.abs(np.linalg.eigh(x)[1])", HERMITIAN),
    ("np.linalg.svdvals(x)", TALL),
    ("np.abs(np.linalg.svd(x, full_matrices=False)[0])", TALL),
    ("(lambda u, s, vt: (u * np.sin(s)) @ vt)(*np.linalg.svd(x, full_matrices=False))", TALL),
    ("np.linalg.det(x)", SQUARE),
    ("np.linalg.slogdet(x)[0]", SQUARE),
    ("np.linalg.slogdet(x)[1]", SQUARE),
    ("np.linalg.eigvals(x)", SQUARE),
    ("np.linalg.pinv(x)", TALL),
    ("np.linalg.lstsq(x, x[:, 0] * 2j + x[0, 0])[0]", TALL),
]


@pytest.mark.parametrize(("text", "at"), CASES, ids=lambda part: part if isinstance(part, str) else "")
def test_gradients_are_slopes_in_both_modes(text, at):
    """Of a function of the sizes of all elements, by each element; vectors have no phase of their own."""
    loss = function_of(f"np.sum(np.abs({text} + 0.3 + 0.1j) ** 2.5)")
    slope = differences(loss, at)
    (found,) = Stages(loss, [Gradient((0,))]).run("typed", at).value
    np.testing.assert_allclose(found, slope, rtol=1e-5, atol=2e-6)
    direction = numbers(*at.shape)
    pushed = Stages(loss, [Tangent(with_value=False)]).run("typed", (at,), (direction,)).value
    np.testing.assert_allclose(pushed, np.sum(slope * direction).real, rtol=1e-5)


def test_what_has_no_derivative():
    with pytest.raises(pellucid.GradientError, match="eigenvectors of a matrix that is not symmetric"):
        grad(lambda x: np.sum(np.abs(np.linalg.eig(x)[1])))(SQUARE)


def solved_or_not(x):
    try:
        return np.linalg.cholesky(x)
    except np.linalg.LinAlgError:
        return x * 2j


@pytest.mark.parametrize("x", [POSITIVE, -POSITIVE])
def test_errors_are_caught(x):
    np.testing.assert_allclose(compile(solved_or_not)(x), solved_or_not(x))


@pytest.mark.parametrize("order", [1, -1, np.inf, -np.inf])
@pytest.mark.parametrize("x", [TALL, TALL.real])
def test_norms_tell_rows_from_columns(x, order):
    norms = function_of(f"np.linalg.norm(x, {order}, axis=(1, 0))".replace("inf", "np.inf"))
    np.testing.assert_allclose(compile(norms)(x), np.linalg.norm(x, order, axis=(1, 0)))


@pytest.mark.parametrize("x", [TALL * np.nan, TALL.real * np.nan])
def test_nan_has_no_singular_values(x):
    with pytest.raises(np.linalg.LinAlgError, match="SVD did not converge"):
        compile(function_of("np.linalg.svdvals(x)"))(x)
