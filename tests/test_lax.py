"""The spellings of `jax.lax`: they mean plain statements, run in plain Python, and are differentiated in reverse.

The oracle is CPython, where each is the statement that its name says, and differences of it.
"""

import numpy as np
import pytest

import pellucid
from pellucid import GradientError, grad, lax
from pellucid.compiler.request import Gradient

from .harness.stages import Stages
from .test_custom_rules import differences

X = np.array([0.5, -1.0, 2.0, 0.3])


def choices(x, k):
    a = lax.cond(x[0] > k, lambda a, b: np.sum(a * b), lambda a, b: np.sum(a), x, x * x)
    b = lax.cond(k < 9, lambda v: {"a": v * v, "b": (v, 1)}, lambda v: {"a": v, "b": (v, 2)}, x[1])
    c = lax.switch(k, [lambda v: np.sum(v), lambda v: np.sum(v * v), lambda v: v[0] * 3.0], x)
    return a + b["a"] * b["b"][0] * b["b"][1] + c + np.sum(lax.select(x > 0.0, x * x, x))


def counted(x, k):
    a, b = lax.fori_loop(1, len(x), lambda i, v: (v[0] * x[i] + 1.0, v[1] + v[0]), (1.0, 0.0))
    return a * b + lax.fori_loop(0, k, lambda i, v: v * x[0], 1.0)


def until(x, k):
    def grows(v):
        return {"a": v["a"] * 1.5 + v["b"], "b": v["b"], "n": v["n"] + 1}

    end = lax.while_loop(lambda v: v["a"] < 20.0 + k, grows, {"a": np.abs(x[0]), "b": x[3], "n": 0})
    return end["a"] * end["n"]


def scans(x, k):
    _, running = lax.scan(lambda c, v: (c * v, c + v), 1.0, x)
    _, whole = lax.scan(lambda c, v: (c + v, c), 0, x)
    last, none = lax.scan(lambda c, v: (c * v, None), 1.0, x, reverse=True)
    _, states = lax.scan(lambda c, _: (np.sin(c), c * c), x, None, length=k + 2)
    assert none is None
    return np.sum(running * whole) * last + np.sum(states)


def scan_of_containers(x, k):
    def body(c, v):
        h = np.tanh(c["h"] * v["a"] + v["b"])
        return {"h": h, "n": c["n"] + 1}, (h, {"s": np.sum(h)})

    rows = {"a": x[:, None] * np.ones(3), "b": x}
    c, (hs, sums) = lax.scan(body, {"h": np.ones(3), "n": 0}, rows, reverse=True)
    return np.sum(hs * sums["s"][:, None]) + c["n"] + np.sum(c["h"]) + k


def maps(x, k):
    one = lax.map(lambda v: np.sin(v) * v, x)
    two, _ = lax.map(lambda v: (v[0] * v[1], v[1] + k), (x, one))
    return np.sum(two * x)


def prefixes(x, k):
    a = lax.associative_scan(lambda l, r: l * r, x)
    b = lax.associative_scan(lambda l, r: l + r, x, reverse=True)
    c, d = lax.associative_scan(lambda l, r: (l[0] * r[0], l[1] * r[0] + r[1]), (x, x * x))
    rows = lax.associative_scan(lambda l, r: l * r, np.outer(x, x + 1.0), axis=1)
    return np.sum(a * b * c + d) + np.sum(rows * x) + k


PROGRAMS = [choices, counted, until, scans, scan_of_containers, maps, prefixes]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_values_and_gradients(program):
    plain, slope = Stages(program), Stages(program, [Gradient(0)])
    for k in (0, 1, 3):
        for stage in ("raw", "llvm"):
            np.testing.assert_allclose(plain.run(stage, X, k).value, program(X, k), rtol=1e-12)
        slopes = differences(program, X, k)
        np.testing.assert_allclose(slope.run("llvm", X, k).value, slopes, rtol=1e-6, atol=1e-7)


def test_a_scan_over_nothing_has_empty_results():
    def program(x):
        c, ys = lax.scan(lambda c, v: (c + v, (v, np.ones(2) * c)), 1.0, x)
        return c, ys[0], ys[1]

    for made in (program, pellucid.compile(program)):
        c, first, second = made(np.zeros(0))
        assert c == 1.0 and np.shape(first) == (0,) and np.shape(second) == (0, 2)


def test_a_scan_is_a_loop_that_stores():
    text = pellucid.compile(lambda x: lax.scan(lambda c, v: (c * v, c + v), 1.0, x)).source("typed", X)
    assert "append" not in text and "for step in range" in text and text.count("np.empty") == 1


def test_an_index_that_is_out_of_range_is_taken_to_the_nearest():
    last = pellucid.compile(lambda k, x: lax.switch(k, (lambda v: v, lambda v: v * 10.0), x))
    assert [last(k, 2.0) for k in (-5, 0, 1, 7)] == [2.0, 2.0, 20.0, 20.0]


def sum_of_products(xs, ys):
    return lax.scan(lambda c, x: (c + x[0] * x[1], c), 0.0, (xs, ys))[0]


def products(xs, ys):
    return lax.map(lambda x: x["a"] * x["b"], {"a": xs, "b": ys})


def running(xs, ys):
    return lax.associative_scan(lambda a, b: (a[0] * b[0], a[1] + b[1]), (xs, ys))[0]


@pytest.mark.parametrize(("function", "words"), [
    (sum_of_products, "different leading axis sizes: 3, 4"), (products, "different leading axis sizes: 3, 4"),
    (running, "must have the same first dimension"),
])  # fmt: skip
def test_leaves_of_different_lengths_are_refused(function, words):
    for called in (function, pellucid.compile(function)):
        with pytest.raises(ValueError, match=words):
            called(np.ones(3), np.ones(4))


def test_wrong_lengths_are_refused():
    with pytest.raises(ValueError, match="length"):
        pellucid.compile(lambda x: lax.scan(lambda c, v: (c, v), 0.0, x, length=3))(X)


# --- equations -----------------------------------------------------------------------------------------------------


def newton(f, x):
    for _ in range(40):
        step = 1e-6
        x = x - f(x) * 2.0 * step / (f(x + step) - f(x - step))
    return x


def dense(matvec, b):
    n = len(b)
    rows = np.zeros((n, n))
    for k in range(n):
        unit = np.zeros(n)
        unit[k] = 1.0
        rows[:, k] = matvec(unit)
    return np.linalg.solve(rows, b)


def cube_root(x):
    power = 3
    return lax.custom_root(lambda z: z**power - x[0] * x[2], 1.0, newton, lambda g, y: y / g(1.0)) * x[2]


def two_equations(x):
    def equations(p):
        return {"a": p["a"] * x[2] - p["b"] - x[0], "b": p["b"] * x[2] + p["a"] * x[3] - 1.0}

    def solve(f, p):
        det = x_of(f, 1.0, 0.0), x_of(f, 0.0, 1.0), f({"a": 0.0, "b": 0.0})
        (ca, cb), (da, db), zero = det[0], det[1], det[2]
        ca, da, cb, db = ca - zero["a"], da - zero["a"], cb - zero["b"], db - zero["b"]
        full = ca * db - da * cb
        return {"a": (-zero["a"] * db + da * zero["b"]) / full, "b": (-ca * zero["b"] + zero["a"] * cb) / full}

    def x_of(f, a, b):
        found = f({"a": a, "b": b})
        return found["a"], found["b"]

    def linear(g, y):
        return solve(lambda p: {"a": g(p)["a"] - y["a"], "b": g(p)["b"] - y["b"]}, y)

    root = lax.custom_root(equations, {"a": 0.0, "b": 0.0}, solve, linear)
    return root["a"] * root["b"]


def linear_system(x):
    rows = np.outer(x, x * x) + 3.0 * np.eye(4)
    return np.sum(lax.custom_linear_solve(lambda v: rows @ v, x * x, dense, dense) * x)


def symmetric_system(x):
    rows = np.outer(x, x) + 3.0 * np.eye(4)
    return np.sum(lax.custom_linear_solve(lambda v: rows @ v, x * x, dense, symmetric=True) ** 2)


EQUATIONS = [cube_root, two_equations, linear_system, symmetric_system]


@pytest.mark.parametrize("program", EQUATIONS, ids=lambda p: p.__name__)
def test_implicit_derivatives(program):
    x = np.abs(X)
    np.testing.assert_allclose(pellucid.compile(program)(x), program(x), rtol=1e-12)
    np.testing.assert_allclose(grad(program)(x), differences(program, x), rtol=1e-5)


def test_implicit_derivatives_have_derivatives():
    def slope(x):
        g = grad(cube_root)(x)
        return g[0] + 3.0 * g[2]

    np.testing.assert_allclose(grad(slope)(np.abs(X)), differences(pellucid.compile(slope), np.abs(X)), rtol=1e-5)


def test_the_way_to_a_root_is_not_differentiated():
    """A `solve` whose steps have no slope at all."""

    def bisection(f, _):
        low, high = 0.0, 10.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            if f(middle) > 0.0:
                high = middle
            else:
                low = middle
        return 0.5 * (low + high)

    def root(a):
        return lax.custom_root(lambda z: z * z - a, 1.0, bisection, lambda g, y: y / g(1.0))

    np.testing.assert_allclose([grad(root)(2.0), grad(grad(root))(2.0)], [0.5 / 2**0.5, -0.25 / 2**1.5], rtol=1e-12)


def test_reverse_mode_needs_a_solution_with_the_transpose():
    def one_way(x):
        rows = np.outer(x, x * x) + 3.0 * np.eye(4)
        return np.sum(lax.custom_linear_solve(lambda v: rows @ v, x * x, dense))

    np.testing.assert_allclose(pellucid.compile(one_way)(X), one_way(X))
    with pytest.raises(GradientError, match="transpose_solve"):
        grad(one_way)(X)
