"""The gradient of a program costs a constant times the program, whatever its form: counted, not timed.

    work(gradient, n) / (work(value, n) + the lengths of the arguments)      must not grow with n

The lengths count because the cotangent of each argument is an array that has to be made.
"""

import inspect

import numpy as np
import pytest

from pellucid.compiler.request import Gradient

from .harness.complex_step import ComplexNumPy, complex_slopes
from .harness.stages import Stages, module_of
from .harness.work import work_of

SMALL, LARGE = 24, 96
GROWTH = 1.3  # of the ratio, where the lengths grow fourfold

# bodies of `def f(x)`, x: f64[n], or `def f(x, A)`, A: f64[n, n]; elements are read by another name than the owner's
FORMS = {
    "a transpose in the loop": """
        s = 0.0
        for k in range(len(x)):
            for i in range(len(x)):
                b = A.T
                s += b[i, 0] * b[i, 0]
        return s
    """,
    "an array read from its end": """
        y = x[::-1]
        s = 0.0
        for i in range(len(x)):
            s += y[i] * y[i]
        return s
    """,
    "reversed in the loop": """
        s = 0.0
        for i in range(len(x)):
            y = x[::-1]
            s += y[i] * y[i]
        return s
    """,
    "a column in the loop": """
        s = 0.0
        for k in range(len(x)):
            for i in range(len(x)):
                c = A[:, i]
                for j in range(3):
                    s += c[j] * c[j]
        return s
    """,
    "a row in the loop": """
        s = 0.0
        for k in range(len(x)):
            for i in range(len(x)):
                r = A[i]
                s += r[0] * r[1]
        return s
    """,
    "a part in the loop": """
        s = 0.0
        for i in range(1, len(x) - 3):
            y = x[i:]
            s += y[0] * y[2] + y[-1]
        return s
    """,
    "another shape": """
        s = 0.0
        for i in range(len(x) // 2):
            y = x.reshape(-1, 2)
            s += y[i, 1] * y[i, 0]
        return s
    """,
    "views of views": """
        s = 0.0
        for k in range(len(x)):
            for i in range(len(x) - 2):
                y = A.T[1:, i][::-1]
                s += y[0] * y[1]
        return s
    """,
    "a slice of a row": """
        s = 0.0
        for k in range(len(x)):
            for i in range(2, len(x) - 2):
                r = A[i]
                s += np.sum(r[1:3] * r[i:i + 2])
        return s
    """,
    "either of two": """
        s = 0.0
        for k in range(len(x)):
            for i in range(len(x)):
                z = x if i % 3 == 0 else A[0]
                s += z[i] * z[i]
        return s
    """,
    "either of two rows": """
        s = 0.0
        for k in range(len(x)):
            for i in range(len(x) - 1):
                if x[i] > 0.1:
                    z = A[i]
                else:
                    z = A[:, i]
                s += z[i] * z[i + 1]
        return s
    """,
    "two buffers swapped": """
        a = x * 1.0
        b = x * 2.0
        for i in range(len(x) - 1):
            b[i + 1] = a[i] * a[i]
            a, b = b, a
        return a[-1] + b[-1]
    """,
    "an element made again": """
        B = A * 1.0
        for k in range(len(x)):
            for i in range(len(x)):
                B[i, i] = np.sin(B[i, i])
        return np.sum(B)
    """,
    "elements that may be the same": """
        y = x * 1.0
        s = 0.0
        for i in range(len(x)):
            j = i // 2 * 2
            u = np.sin(y[i])
            v = y[j] * y[i]
            y[j] = v
            y[i] = u
            w = y[j] * 2.0
            y[i] = y[i] * y[i] + y[j]
            s += w * y[j]
        return s + np.sum(y)
    """,
    "an element added to a view's": """
        y = x * 1.0
        for i in range(1, len(x)):
            z = y[::-1]
            t = z[i - 1]
            y[i] = y[i] + t * t
        return np.sum(y)
    """,
    "a row stored and read": """
        B = A * 1.0
        for k in range(len(x)):
            for i in range(1, len(x)):
                r = B[i - 1]
                B[i, 0] = r[0] * r[1]
        return np.sum(B)
    """,
}  # fmt: skip
FUNCTIONS = {
    "bisection by recursion": """
        def total(y, lo, hi):
            if hi - lo == 1:
                return y[lo] * y[lo]
            mid = (lo + hi) // 2
            return total(y, lo, mid) + total(y, mid, hi)

        def f(x):
            return total(x, 0, len(x))
    """,
    "the rest by recursion": """
        def norm(y, k):
            if k == 0:
                return 0.0
            return y[0] * y[0] + norm(y[1:], k - 1)

        def f(x):
            return norm(x, len(x))
    """,
    "halves by recursion": """
        def total(y):
            if len(y) == 1:
                return y[0] * y[0]
            m = len(y) // 2
            return total(y[:m]) + total(y[m:])

        def f(x):
            return total(x)
    """,
    "a search in a loop": """
        def place(y, v, lo, hi):
            if hi - lo <= 1:
                return y[lo] * v
            mid = (lo + hi) // 2
            if y[mid] > v:
                return place(y, v, lo, mid)
            return place(y, v, mid, hi)

        def f(x):
            s = 0.0
            for i in range(len(x)):
                s += place(x, 0.5, 0, i + 1)
            return s
    """,
    "a matrix by recursion": """
        def path(B, i, j):
            if i == 0 or j == 0:
                return B[i, j]
            if B[i - 1, j] < B[i, j - 1]:
                return B[i, j] * 0.5 + path(B, i - 1, j)
            return B[i, j] * 0.5 + path(B, i, j - 1)

        def f(x, A):
            s = 0.0
            for k in range(len(x)):
                s += path(A, len(x) - 1, k)
            return s
    """,
}


def parameters(body):
    return "x, A" if "A" in body else "x"


def forms():
    for name, body in FORMS.items():
        yield name, f"def f({parameters(body)}):\n    " + inspect.cleandoc(body).replace("\n", "\n    ") + "\n"
    for name, text in FUNCTIONS.items():
        yield name, inspect.cleandoc(text) + "\n"


PROGRAMS = dict(forms())


def arguments(name, n):
    rng = np.random.default_rng(n)
    x, A = rng.uniform(-0.9, 0.9, n), rng.uniform(-0.9, 0.9, (n, n))
    return (x, A) if "def f(x, A)" in PROGRAMS[name] else (x,)


def ratio(value, gradient, *args):
    return work_of(gradient, *args) / (work_of(value, *args) + sum(map(np.size, args)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_gradient_costs_a_constant_times_the_value(name):
    text = "import numpy as np\n\n\n" + PROGRAMS[name]
    function, twin = module_of(text)["f"], module_of(text)["f"]
    twin.__globals__["np"] = ComplexNumPy()
    value, gradient = Stages(function), Stages(function, [Gradient(tuple(range(len(arguments(name, 1)))))])
    small, large = (ratio(value, gradient, *arguments(name, n)) for n in (SMALL, LARGE))
    assert large <= GROWTH * small, f"{small:.1f} times the value's work, then {large:.1f}"
    args = arguments(name, 8)
    want = complex_slopes(twin, args)
    for stage in ("typed", "loops", "llvm"):
        outcome = gradient.run(stage, *args)
        assert outcome.error is None, f"{stage}: {outcome.error!r}"
        for got, slopes in zip(outcome.value, want, strict=True):
            np.testing.assert_allclose(got, slopes, atol=1e-12, err_msg=stage)
