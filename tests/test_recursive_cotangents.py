"""Cotangents of arrays that recursive functions are handed, whole or in part: slopes against the complex step.

Second derivatives are held to differences of the first.
"""

import inspect

import numpy as np
import pytest

import pellucid
from pellucid.compiler.request import Gradient

from .harness.complex_step import ComplexNumPy, complex_slopes
from .harness.stages import Stages, module_of

pytestmark = pytest.mark.drawn(5)

PROGRAMS = {
    "sums of parts": """
        def g(y, k):
            if k == 0:
                return np.sum(y * y)
            m = len(y) // 2
            return np.sum(y[1:]) * y[-1] + g(y[:m], k - 1) * g(y[m:], k - 1)

        def f(x):
            return g(x, 2)
    """,
    "chosen elements of a part": """
        def g(y, k):
            if k == 0:
                return y[0]
            i = np.array([0, 1, 0])
            return np.sum(y[i] ** 2) + np.sum(y[y > 0.1]) + g(y[1:], k - 1)

        def f(x):
            return g(x, 3)
    """,
    "slices of parts": """
        def g(y, k):
            if k == 0:
                return y[-2] * y[1]
            z = y[1:-1]
            return np.sum(z[::2] ** 3) + np.sum(y[::-1][:2] * y[-2:]) + z[-1] + g(y[k:], k - 1)

        def f(x):
            return g(x, 2)
    """,
    "rows and columns": """
        def g(B, k):
            if k == 0:
                return np.sum(B @ B.T)
            return B[0, 0] * np.sum(B[0]) + B[-1, k] ** 2 + g(B[1:, :-1], k - 1)

        def f(x):
            A = x.reshape(4, 2) * np.ones((4, 2))
            return g(np.concatenate((A, A * A), axis=1), 2)
    """,
    "turned over": """
        def g(B, k):
            if k == 0:
                return B[0, 1] * B[1, 0]
            return B[1, 0] ** 2 + g(B.T, k - 1)

        def f(x):
            return g(np.outer(x[:3], x[3:6]), 3)
    """,
    "every other one": """
        def g(y):
            n = len(y)
            if n == 1:
                return y * 1.0
            even = g(y[::2])
            odd = g(y[1::2])
            return np.concatenate((even + 2.0 * odd, even * odd))

        def f(x):
            return np.sum(g(x) ** 2)
    """,
    "the same array twice": """
        def g(y, z, k):
            if k == 0:
                return y[0] * z[1]
            return y[k] * z[0] + g(z, y, k - 1) + g(y, y, k - 1)

        def f(x):
            return g(x, x, 3) + g(x, x * 2.0, 2) + g(x[1:], x, 1)
    """,
    "one of two": """
        def g(y, z, k):
            if k == 0:
                return y[0] * z[1]
            w = y if z[k] > 0.0 else z
            return w[k] * z[0] + g(z, y, k - 1)

        def f(x):
            return g(x, x[::-1], 4)
    """,
    "in loops and branches": """
        def g(y, k):
            if k == 0:
                return y[0]
            s = 0.0
            for i in range(k):
                s += y[i] * y[i]
                if y[i] > 0.0:
                    s += g(y[i:], k - 1) * y[i]
                else:
                    for j in range(i):
                        s += y[j] * 0.5
                    s += g(y, k - 1)
                s *= 0.9 + y[k] * 0.1
            return s

        def f(x):
            s = 0.0
            y = x * 1.0
            for i in range(3):
                y[i] = y[i] * y[i + 1]
                s += g(y, 2)
                s += g(y[i:], 2) * y[i]
            return s
    """,
    "an array of the way": """
        def g(y, k):
            if k == 0:
                return np.sum(y)
            z = y * y[k]
            return z[0] + g(z, k - 1) + g(y[1:], k - 1)

        def f(x):
            return g(x * 2.0, 2)
    """,
    "two that call each other": """
        def g(y, c, k):
            return y[0] if k == 0 else c * h(y[1:], c, k - 1)

        def h(y, c, k):
            return y[1] * c if k == 0 else np.sum(y) * g(y, c * y[0], k - 1)

        def f(x):
            return g(x, x[1], 4)
    """,
    "a part of it changes afterwards": """
        def g(y, k):
            return y[k] if k == 0 else y[k] * g(y, k - 1)

        def f(x):
            y = x * 1.0
            z = y[2:]
            s = g(z, 2)
            y[3] = s
            return g(y, 4) + g(y[1:], 3) + z[1]
    """,
    "carried around a loop": """
        def g(y, k):
            return y[k] if k == 0 else y[k] * g(y[1:], k - 1)

        def f(x):
            s = 0.0
            y = x * 1.0
            for i in range(3):
                s += g(y, 2)
                y = y * y + s
                if s > 0.0:
                    z = y * 2.0
                    s += g(z, 1) + g(y[i:], 1)
            return s + g(y, 1)
    """,
    "made on the way": """
        def g(y, k):
            if k == 0:
                return np.sum(y)
            joined = np.concatenate((y, y[1:] * y[0]))
            s = g(joined, k - 1)
            return s * y[0]

        def f(x):
            return g(x, 2)
    """,
    "results that are arrays": """
        def g(y, k):
            if k == 0:
                return y * 1.0
            z = g(y[1:], k - 1)
            return np.concatenate((z * y[0], y[:k]))

        def f(x):
            return np.sum(g(x, 3) ** 2)
    """,
}
N = 8


def functions(name):
    text = "import numpy as np\n\n\n" + inspect.cleandoc(PROGRAMS[name]) + "\n"
    real, twin = module_of(text), module_of(text)
    twin["np"] = ComplexNumPy()
    return real["f"], twin["f"]


def stages_of(name):
    """Machine code for every third program: from the loops stage on nothing is particular to these."""
    return ("typed", "llvm") if list(PROGRAMS).index(name) % 3 == 0 else ("typed",)


@pytest.mark.parametrize("name", PROGRAMS)
def test_slopes(name):
    function, twin = functions(name)
    x = np.random.default_rng(3).uniform(-0.9, 0.9, N)
    want = complex_slopes(twin, (x,))[0]
    gradient = Stages(function, [Gradient((0,))])
    for stage in stages_of(name):
        outcome = gradient.run(stage, x)
        assert outcome.error is None, f"{stage}: {outcome.error!r}"
        np.testing.assert_allclose(outcome.value[0], want, atol=1e-12, err_msg=stage)


@pytest.mark.parametrize("name", [
    "sums of parts", "slices of parts", "the same array twice", "in loops and branches", "two that call each other",
])  # fmt: skip
def test_second_derivatives(name):
    function, _ = functions(name)
    derivative = pellucid.grad(function)
    first = derivative.debug("reverse")
    along = pellucid.grad(lambda x, w: np.sum(derivative(x) * w)).debug("reverse")
    rng = np.random.default_rng(4)
    x, w = rng.uniform(-0.9, 0.9, N), rng.uniform(-1.0, 1.0, N)
    step = 1e-5
    want = (np.asarray(first(x + step * w)) - np.asarray(first(x - step * w))) / (2.0 * step)
    np.testing.assert_allclose(np.asarray(along(x, w)), want, rtol=1e-6, atol=1e-6)


def memoised(n, x, cache):
    if cache[n] > 0.0:
        return cache[n]
    if n < 2:
        cache[n] = x
    else:
        cache[n] = memoised(n - 1, x, cache) * x + memoised(n - 2, x, cache)
    return cache[n]


def memoised_in_a_dict(n, x, cache):
    if n not in cache:
        cache[n] = x if n < 2 else memoised_in_a_dict(n - 1, x, cache) * x + memoised_in_a_dict(n - 2, x, cache)
    return cache[n]


@pytest.mark.parametrize("function", [
    lambda x: memoised(5, x, [0.0] * 6), lambda x: memoised_in_a_dict(5, x, {}),
], ids=["list", "dict"])  # fmt: skip
def test_second_derivatives_of_a_memoised_recursion(function):
    """Its values are polynomials by the recurrence p(n) = x p(n - 1) + p(n - 2), p(0) = p(1) = x."""
    polynomials = [np.polynomial.Polynomial([0.0, 1.0])] * 2
    for _ in range(4):
        polynomials.append(polynomials[0] * polynomials[-1] + polynomials[-2])
    np.testing.assert_allclose(pellucid.grad(function)(0.3), polynomials[5].deriv()(0.3))
    np.testing.assert_allclose(pellucid.grad(pellucid.grad(function))(0.3), polynomials[5].deriv(2)(0.3))
