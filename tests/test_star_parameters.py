"""Functions that take any number of arguments: `*args` and `**options`, whose number a call says."""

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError

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


def test_a_derivative_by_a_star_parameter_is_refused():
    def outer(x):
        def inner(*parts):
            return parts[0] * parts[1]

        return pellucid.grad(inner)(x, 2.0 * x)

    for call in (lambda: pellucid.grad(handed_on, argnums=1)(X, X, 2.0), lambda: pellucid.compile(outer)(3.0)):
        with pytest.raises(CompileError) as refused:
            call()
        assert [d.code for d in refused.value.diagnostics] == ["T004"]
