"""`compile` of what `functools.partial` makes: the function with some arguments given, by place or by name."""

import functools
import inspect
import pickle

import numpy as np
import pytest

import pellucid


def scaled(k, x, scale=1.0):
    """The sum of k x, times the scale."""
    return np.sum(k * x) * scale


def outer(f, x):
    return f(x) + 1.0


X = np.array([0.5, 1.5, -2.0])
GIVEN = (
    (functools.partial(scaled, 2), (X,)), (functools.partial(scaled, 2.0, scale=3.0), (X,)),
    (functools.partial(scaled, scale=2.0), (X, X)), (functools.partial(functools.partial(scaled, X), scale=0.5), (X,)),
)  # fmt: skip


@pytest.mark.parametrize("function, args", GIVEN)
def test_a_partial_is_compiled(function, args):
    compiled = pellucid.compile(function)
    assert compiled(*args) == function(*args) and inspect.signature(compiled) == inspect.signature(function)
    assert (compiled.__name__, compiled.__doc__) == (scaled.__name__, scaled.__doc__)
    assert "def scaled(k, x" in compiled.source("typed", *args) and str(compiled.explain(*args))
    assert compiled.debug("typed")(*args) == function(*args)


def test_what_is_made_of_it():
    compiled = pellucid.compile(functools.partial(scaled, 2.0))
    assert np.array_equal(pellucid.grad(compiled)(X), [2.0] * 3)
    assert outer(compiled, X) == pellucid.compile(outer)(compiled, X)
    assert np.array_equal(pellucid.vmap(compiled)(np.stack([X, X])), [compiled(X)] * 2)
    assert pickle.loads(pickle.dumps(compiled))(X) == compiled(X)


def test_errors_are_those_of_the_function():
    with pytest.raises(TypeError, match="scaled"):
        pellucid.compile(functools.partial(scaled, 2.0, size=1.0))(X)
    with pytest.raises(TypeError, match="not int"):
        pellucid.compile(3)
