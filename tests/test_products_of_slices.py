"""Products of slices that loops make are parts of products of matrices, and read nothing that the loops do not read."""

import numpy as np
import pytest

import pellucid
from pellucid.compiler.request import Gradient
from pellucid.compiler.tuning import BAND

from .harness.complex_step import ComplexNumPy, complex_slopes
from .harness.stages import Stages, in_python, module_of
from .test_products import is_told

pytestmark = pytest.mark.drawn(5)

N = BAND + 5  # a whole band and a part of one
RNG = np.random.default_rng(7)
A, B = RNG.random((N, N)), RNG.random((N, 3))

# bodies of `def f(x, y)`, each with its arguments, and others whose lengths do not fit
TAKEN = {
    "rows times columns": (
        """
        c = np.zeros((x.shape[0], y.shape[1]))
        for i in range(x.shape[0]):
            for j in range(y.shape[1]):
                c[i, j] = 2.0 * (x[i] @ y[:, j]) + c[i, j]
        return c
        """,
        (A[:4, :6], B[:6]),
        [(A[:4], B[:6]), (A[:4, :6], B), (A[:0], B[:2]), (A[:2], B[:4, :0]), (A[:3, :0], B[:0])],
    ),
    "below the diagonal, into an operand": (
        """
        y = y.copy()
        for i in range(y.shape[0]):
            for j in range(y.shape[1]):
                y[i, j] += x[i + 1 :, i] @ y[i + 1 :, j]
                y[i, j] *= 1.5
        return y
        """,
        (A, B),
        [(A, B[:4]), (A[:9], B), (A[:, :9], B), (A[:0, :0], B[:0]), (A[:1, :1], B[:1])],
    ),
    "before the diagonal": (
        """
        c = np.ones((x.shape[0], y.shape[1]))
        for i in range(x.shape[0]):
            for j in range(1, y.shape[1]):
                c[i, j] -= y[:i, j] @ x[i, :i]
        return c
        """,
        (A, B),
        [(A[:, :4], B), (A, B[:4]), (A[:5, :4], B[:4]), (A[:1], B[:0])],
    ),
    "upper rows of all pairs": (
        """
        c = np.zeros((x.shape[1], x.shape[1]))
        for i in range(x.shape[1] - 1):
            c[i, i + 1 :] = x[:, i] @ x[:, i + 1 :] / 3.0
            c[i + 1 :, i] = c[i, i + 1 :]
        return c * y[0, 0]
        """,
        (A[:4, :6], B),
        [(A[:0, :3], B), (A[:3, :0], B), (A[:3, :1], B)],
    ),
    "rows of a stack, each in its own place": (
        """
        t = x[:8].reshape(2, 4, x.shape[1]) * 1.0
        for r in range(2):
            for q in range(4):
                t[r, q, :] = t[r, q, :] @ y
        return t
        """,
        (A[:, :5], A[:5, :5]),
        [(A[:, :5], A[:4, :5]), (A[:, :5], A[:5, :4])],
    ),
    "rows added to rows": (
        """
        c = np.ones((x.shape[0], y.shape[1]))
        for i in range(x.shape[0]):
            for k in range(x.shape[1]):
                c[i, :] -= 2.0 * x[i, k] * y[k, :]
        return c
        """,
        (A[:4, :6], B[:6]),
        [(A[:4], B[:6]), (A[:4, :6], B), (A[:0], B[:2]), (A[:2], B[:4, :0]), (A[:3, :0], B[:0])],
    ),
    "parts of columns added up": (
        """
        y = y.copy()
        for k in range(x.shape[1] - 1):
            for j in range(y.shape[1]):
                y[1:5, j] += x[:4, k + 1] * x[k, j]
        return y
        """,
        (A[:7, :5], B[:8]),
        [(A[:3, :5], B[:8]), (A[:7, :1], B[:3]), (A[:7, :5], B[:4]), (A[:7, :6], B[:0])],
    ),
    "half of a product with its transpose": (
        """
        c = y.copy()
        for i in range(x.shape[0]):
            for k in range(x.shape[1]):
                c[i, : i + 1] += 1.5 * (x[: i + 1, k] * y[i, k] + y[: i + 1, k] * x[i, k])
        return c
        """,
        (A[:5, :5], A[1:6, 1:6]),
        [(A[:5, :4], A[:5, :4]), (A[:5, :0], A[:2, :2]), (A[:5, :5], A[:4, :5]), (A[:2, :5], A[:5, :5]),
         (A[:0], A[:1]), (A[:5, :5], A[:5, :4])],
    ),
    "a part of the rows": (
        """
        c = np.zeros((x.shape[0], y.shape[1]))
        for i in range(1, x.shape[0] - 1):
            for j in range(y.shape[1]):
                c[i, j] = x[i + 1] @ y[:, j]
        return c
        """,
        (A[:7, :6], B[:6]),
        [(A[:7, :4], B[:6]), (A[:2], B), (A[:2, :4], B)],
    ),
    "two axes in each turn of a loop": (
        """
        t = x[:8].reshape(2, 4, x.shape[1])
        c = np.zeros((2, 4, 4)) + y[0, 0]
        for i in range(4):
            for q in range(4):
                for r in range(2):
                    c[r, q, i] = t[r, q, :i] @ x[:i, i]
        return c
        """,
        (A[:9, :7], B),
        [(A[:8, :2], B), (A[:8, :1], B), (A[:9, :3], B)],
    ),
    "every other row": (
        """
        c = np.zeros((8, 3))
        for i in range(0, 8, 2):
            for j in range(3):
                c[i, j] = x[i] @ y[:, j]
        return c
        """,
        (A[:8, :5], B[:5]),
        [(A[:8, :5], B[:4]), (A[:5, :5], B[:5]), (A[:8, :5], B[:5, :2]), (A[:8, :0], B[:0]), (A[:3, :4], B[:5])],
    ),
    "the transposed product": (
        """
        c = np.zeros((y.shape[1], x.shape[0]))
        w = y[0, 0] + x[0]
        for i in range(x.shape[0]):
            for j in range(y.shape[1]):
                t = x[i] @ y[:, j]
                c[j, i] = w[0] * t + y[0, j]
        return c
        """,
        (A[:4, :6], B[:6]),
        [(A[:4], B[:6]), (A[:4, :6], B), (A[:2], B[:4, :0])],
    ),
}

LEFT = {
    "what an earlier turn has stored": """
        x = x.copy()
        for i in range(x.shape[0]):
            for j in range(x.shape[0]):
                x[i, j] -= 0.001 * (x[i, :j] @ x[:j, j])
        return x
    """,
    "one variable in both": """
        c = np.zeros((4, 4))
        for i in range(4):
            for j in range(4):
                c[i, j] = x[i] @ x[i]
        return c
    """,
    "windows that move with the turn": """
        c = np.zeros((4, 30))
        for i in range(4):
            for j in range(30):
                c[i, j] = x[i, j : j + 3] @ x[j : j + 3, i]
        return c
    """,
    "what is added to is read": """
        x = x.copy()
        for i in range(x.shape[0]):
            for k in range(x.shape[0]):
                x[i, :] += 0.01 * x[i, k] * x[k, :]
        return x
    """,
    "ends that may count from the end": """
        c = np.zeros((5, x.shape[0]))
        for i in range(5):
            for k in range(5):
                c[i, : i - 1] += x[i, k] * x[: i - 1, k]
        return c
    """,
    "a square of what is added up": """
        c = np.zeros((4, 3))
        for i in range(4):
            for k in range(5):
                c[i, :] += x[i, k] * x[i, k] * y[k, :]
        return c
    """,
    "a column beside a row": """
        c = np.zeros((3, 3))
        for i in range(3):
            for k in range(3):
                c[i, :] += x[i, k] * y[:3, k] * y[k, :]
        return c
    """,
    "pairs that nobody keeps": """
        most = 0.0
        for i in range(x.shape[0]):
            for j in range(x.shape[0]):
                most = max(most, x[i] @ x[j])
        return np.array([most])
    """,
    "a state beside a product that may not fit": """
        state = np.zeros(y.shape[1])
        c = np.empty((x.shape[0], y.shape[1]))
        for i in range(x.shape[0]):
            state = np.tanh(x[i] @ y + 0.5 * state)
            c[i] = state
        return c + state
    """,
}


def text_of(body):
    return "import numpy as np\n\n\ndef f(x, y):\n" + "\n".join(line[4:] for line in body.splitlines()) + "\n"


def function_of(body):
    return module_of(text_of(body))["f"]


@pytest.mark.parametrize("name", [*TAKEN, *LEFT])
def test_values_and_errors_are_those_of_the_loops(name):
    body, args, others = TAKEN.get(name) or (LEFT[name], (A, B), [])
    function = function_of(body)
    runner = Stages(function)
    for given in (args, *others):
        want = in_python(function, *given)
        for stage in ("typed", "llvm") if given is args and name in TAKEN else ("typed",):
            got = runner.run(stage, *given)
            shapes = [one.shape for one in given]
            assert type(got.error) is type(want.error), f"{stage} at {shapes}: {got.error!r}, not {want.error!r}"
            # where it computes in place NumPy says the shape of the place a second time
            assert str(want.error).startswith(str(got.error).rstrip()), f"{stage} at {shapes}"
            if want.error is None:
                np.testing.assert_allclose(got.value, want.value, rtol=1e-12, atol=1e-12)
    assert is_told(function, args) == (name in TAKEN)


@pytest.mark.parametrize("name", TAKEN)
def test_derivatives_are_those_of_the_loops(name):
    body, args, _ = TAKEN[name]
    inner, twin = function_of(body), function_of(body)
    twin.__globals__["np"] = ComplexNumPy()

    def total(x, y):
        z = inner(x, y)
        return np.sum(z * z)

    want = complex_slopes(lambda x, y: np.sum(twin(x, y) ** 2), args)
    found = Stages(total, [Gradient((0, 1))]).run("typed", *args)
    assert found.error is None, repr(found.error)
    for got, slopes in zip(found.value, want, strict=True):
        np.testing.assert_allclose(got, slopes, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("name", ["below the diagonal, into an operand", "before the diagonal"])
def test_what_is_outside_of_a_triangle_is_not_read(name):
    """Neither it nor, for the first rows, what their sums have no terms of may be inf or nan for the worse."""
    function = function_of(TAKEN[name][0])
    below = name.startswith("below")
    x = np.where(np.tril(np.ones((N, N)), -1) > 0.0, A, np.nan)
    y = B.copy()
    y[0 if below else -2] = np.inf  # which one row has a term of, its own or the last one's
    want, got = function(x, y), pellucid.compile(function)(x, y)
    np.testing.assert_allclose(got, want, rtol=1e-12)
    assert np.isfinite(got).sum() == y.size - (3 if below else 2)


def test_the_gradient_of_a_triangular_product_is_made_of_products():
    function = function_of(TAKEN["below the diagonal, into an operand"][0])
    text = pellucid.grad(lambda x, y: np.sum(function(x, y)), (0, 1)).source("reverse", A, B)
    assert text.count(" @ ") >= 3
