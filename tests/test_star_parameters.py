"""Functions that take any number of arguments: `*args` and `**options`, whose number a call says."""

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError

pytestmark = pytest.mark.drawn(5)

X = np.array([0.5, 1.5, -2.0])


def product(*parts):
    return parts[0] * sum(parts[1:])


def with_all_kinds(x, *rest, scale=1.0, **options):
    total = x * scale
    for r in rest:
        total = total + r
    return total, len(rest), options.get("offset", 2.0)


def loss(a, b, c):
    return np.sum(a * b) + c


def handed_on(x, *a, **options):
    return loss(x, *a, **options)


@pytest.mark.parametrize("program, args, options", [
    (product, (1.0, 2.0, X), {}), (product, (2.0, 5.0), {}), (product, (X,), {}), (with_all_kinds, (X,), {}),
    (with_all_kinds, (X, 1.0, 2.0), {"scale": 2.0, "offset": 1, "other": 3}), (handed_on, (X, X, 2.0), {}),
    (handed_on, (X,), {"c": 1.0, "b": X}),
])  # fmt: skip
def test_a_call_says_how_many_there_are(program, args, options):
    compiled, want = pellucid.compile(program), program(*args, **options)
    for _ in range(3):
        got = compiled(*args, **options)
        for one, other in zip(*((v if isinstance(v, tuple) else (v,)) for v in (got, want)), strict=True):
            assert np.array_equal(one, other) and np.asarray(one).dtype == np.asarray(other).dtype


def test_a_derivative_by_a_parameter_with_a_name():
    assert np.allclose(pellucid.grad(handed_on)(X, 2.0 * X, 1.0), 2.0 * X)


def sine_of_rest(a, *rest, k=2.0, **more):
    return a * rest[0] * np.sin(rest[1]) * k * more.get("scale", 1.0)


def test_numbers_count_the_arguments_of_the_call():
    first, second, third = 12.0 * np.sin(0.5), 8.0 * np.sin(0.5), 24.0 * np.cos(0.5)  # of (2, 3, 0.5), k = 2, scale 2
    args, more = (2.0, 3.0, 0.5), {"scale": 2.0}
    for argnums, wanted in [(0, first), (1, second), ((2, 0), (third, first)), (-1, third), ("a", first)]:
        np.testing.assert_allclose(pellucid.grad(sine_of_rest, argnums)(*args, **more), wanted)
        np.testing.assert_allclose(pellucid.jacfwd(sine_of_rest, argnums)(*args, **more), wanted)
        np.testing.assert_allclose(pellucid.jacrev(sine_of_rest, argnums)(*args, **more), wanted)
    assert pellucid.grad(sine_of_rest, "rest")(*args, **more) == pytest.approx((second, third))
    assert pellucid.grad(sine_of_rest, "k")(*args, **more) == pytest.approx(first)
    assert pellucid.grad(sine_of_rest, "more")(*args, **more) == {"scale": pytest.approx(first)}
    assert pellucid.vjp(sine_of_rest, 2.0, 3.0, 0.5)[1](2.0) == pytest.approx((first, second, third))


def test_numbers_inside_a_compiled_function():
    def outer(x):
        def inner(*parts):
            return parts[0] * parts[1] ** 2

        return pellucid.grad(inner, 1)(x, 2.0 * x) + pellucid.grad(sine_of_rest, argnums=1)(x, x, x)

    assert pellucid.compile(outer)(3.0) == pytest.approx(36.0 + 6.0 * np.sin(3.0))


def test_a_number_beyond_the_arguments():
    for number in (3, 4, -4):  # `k` is passed by name only, and has no number
        there = r"there are `a`, `rest\[0\]`, `rest\[1\]`"
        with pytest.raises(CompileError, match=f"argnums={number} names no argument: {there}"):
            pellucid.grad(sine_of_rest, argnums=number)(1.0, 2.0, 3.0)
