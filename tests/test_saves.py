"""What the backward sweep keeps of the forward sweep, and that it is enough: derivatives against complex steps."""

import numpy as np
import pytest

import pellucid

STEP = 1e-30


def complex_step(f, x, *others):
    """The gradient of an analytic function, exact to rounding."""
    found = np.zeros(x.shape)
    for index in np.ndindex(x.shape):
        moved = x.astype(complex)
        moved[index] += STEP * 1j
        found[index] = np.imag(f(moved, *others)) / STEP
    return found


def below(x):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            s = np.sin(s) + x[i] * x[j]
    return s


def above(x):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            s = np.sin(s) + x[i] * x[j]
    return s


def far_below(x):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(i - 3):
            s = np.sin(s) + x[i] * x[j]
    return s


def downwards_by_steps(x):
    s = 0.0
    for i in range(0, x.shape[0], 2):
        for j in range(x.shape[0] - 1, i, -1):
            t = s * x[j]
            for k in range(j, x.shape[0]):
                t = np.sin(t) + x[k] * s
            s = np.cos(t) + s * 0.5
    return s


def band(x):
    s = 0.0
    for i in range(x.shape[0] - 2):
        for j in range(i, i + 3):
            s = np.sin(s) + x[i] * x[j]
    return s


@pytest.mark.parametrize("f", [below, above, far_below, downwards_by_steps, band], ids=lambda f: f.__name__)
def test_a_triangle_is_kept_in_an_array_and_a_band_on_a_list(f):
    gradient = pellucid.grad(f)
    assert (".append(" in gradient.source("reverse", "f64[n]")) == (f is band)
    for count in (0, 1, 2, 3, 6):
        x = np.linspace(0.3, 1.2, count)
        np.testing.assert_allclose(gradient(x), complex_step(f, x), rtol=1e-11, atol=1e-13)
