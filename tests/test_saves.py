"""What the backward sweep keeps of the forward sweep, and that it is enough: derivatives against complex steps."""

import numpy as np
import pytest

import pellucid

pytestmark = pytest.mark.drawn(5)

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


# --- arrays that are changed in place, again and again


def sweeps(a, b):
    x = np.zeros_like(b * a[0, 0])
    for _ in range(3):
        for i in range(b.shape[0]):
            s = b[i]
            for j in range(b.shape[0]):
                if j != i:
                    s = s - a[i, j] * x[j]
            x[i] = s / a[i, i]
    return np.sum(x * x)


def sweeps_by_slices(a, b):
    x = np.zeros_like(b * a[0, 0])
    for _ in range(3):
        for i in range(b.shape[0]):
            x[i] = (b[i] - a[i, :i] @ x[:i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return np.sum(x)


def stencil(a, b):
    a = a.copy()
    for _ in range(2):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[0] - 1):
                a[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i, j] + a[i + 1, j] * a[i, j + 1]) * np.sin(a[i, j])
    return np.sum(a * a)


def rows(a, b):
    a = a.copy()
    for t in range(4):
        for i in range(1, a.shape[0]):
            a[i] = np.sin(a[i - 1]) * a[i] + a[i] * a[i] * b[t]
    return np.sum(a)


def with_branches(a, b):
    a = a.copy()
    for t in range(3):
        for i in range(1, a.shape[0]):
            if i % 2 == t % 2:
                a[i, 0] = np.sin(a[i, 0] * a[i - 1, 1]) + a[i, 0] * a[0, 0] * a[i - 1, 1]
            else:
                a[i, 1] = a[i, 1] * a[i - 1, 0] * np.cos(a[i, 1] + a[i, 0])
    return np.sum(a)


def two_stores(a, b):
    a = a.copy()
    for t in range(3):
        for i in range(a.shape[0] - 1):
            p = a[i, 0] * a[i + 1, 1]
            q = np.sin(a[i, 0] + a[i + 1, 1]) * a[i, 1]
            a[i, 2] = p * q * a[i, 2]
            a[i + 1, 1] = q + p * p * a[i, 0] * np.cos(a[i + 1, 1]) * np.cos(a[i, 2])
            a[i, 0] = p * q * np.sin(q)
    return np.sum(a)


def read_behind(a, b):
    a = a.copy()
    s = a[0, 0]
    for t in range(3):
        s = s * a[t, t]
        for i in range(a.shape[0]):
            a[i, t] = np.sin(a[i, t] * a[t, i]) * a[i, t] * s
            s = s + a[i, t] * a[t, i]
        s = s * a[0, t]
    return s + np.sum(a[1] * a[0])


def while_it_is_large(a, b):
    a = a.copy()
    k = 0
    while k < 5:
        for i in range(1, a.shape[0]):
            a[i, i] = np.sin(a[i, i] * a[i - 1, i - 1]) * a[i, i] * a[i - 1, i - 1]
        k += 2
    return np.sum(a)


def stored_before(a, b):
    x = b * a[0, 0]
    x[0] = a[0, 1] * x[1]
    s = x[0]
    for i in range(1, b.shape[0]):
        s = s + x[i] * np.sin(x[i - 1] * s)
    x[1] = s * x[0]
    for t in range(3):
        for i in range(1, b.shape[0]):
            x[i] = x[i] * x[i - 1] * np.sin(x[i] + x[i - 1])
    for i in range(1, b.shape[0]):
        s = s + x[i] * np.sin(x[i - 1] * s)
    return s


def stored_behind(a, b):
    x = b * a[0, 0]
    for t in range(3):
        for i in range(1, b.shape[0]):
            x[i] = x[i] * x[i - 1] * np.sin(x[i] + x[i - 1])
    x[0] = x[1] * x[2]
    return np.sum(x * x)


RESTORED = [sweeps, sweeps_by_slices, stencil, rows, with_branches, two_stores, while_it_is_large, stored_before]


@pytest.mark.parametrize("f", [*RESTORED, read_behind, stored_behind], ids=lambda f: f.__name__)
def test_what_is_changed_in_place_again_and_again_is_brought_back(f):
    rng = np.random.default_rng(3)
    gradient = pellucid.value_and_grad(f)
    if f in RESTORED:
        assert "overwrite is saved" in str(gradient.explain("f64[n, n]", "f64[n]"))
    for count in (4, 5):
        a, b = rng.uniform(0.4, 1.2, (count, count)), rng.uniform(0.4, 1.2, count)
        value, slope = gradient(a, b)
        np.testing.assert_allclose(value, f(a, b), rtol=1e-12)
        np.testing.assert_allclose(slope, complex_step(f, a, b), rtol=1e-10, atol=1e-13)


def test_a_result_that_is_brought_back_keeps_its_elements():
    def last(a, b):
        a = a.copy()
        for t in range(2):
            for i in range(1, a.shape[0]):
                a[i] = np.sin(a[i - 1]) * a[i] + a[i] * a[i] * b[t] * a[i - 1]
        return np.sum(a * a), a

    a, b = np.random.default_rng(4).uniform(0.4, 1.2, (4, 3)), np.ones(3)
    (value, whole), slope = pellucid.value_and_grad(last, has_aux=True)(a, b)
    np.testing.assert_allclose(whole, last(a, b)[1], rtol=1e-14)
    np.testing.assert_allclose(slope, complex_step(lambda *args: last(*args)[0], a, b), rtol=1e-11)
