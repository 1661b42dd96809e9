"""Functions of NumPy, SciPy and `math` may be compiled and transformed as those of the user."""

import math
import pickle

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
import scipy.special

import pellucid
from pellucid import compile, grad, jacobian, vmap
from pellucid.compiler.ops.python_names import BINDINGS, UFUNC_METHODS, object_of
from pellucid.of_library import own_function

X = np.array([0.3, 0.7, 1.9])


def test_they_are_transformed():
    assert grad(np.sin)(0.3) == math.cos(0.3) and grad(math.log)(2.0) == 0.5
    assert grad(scipy.special.gammaln)(2.0) == pytest.approx(scipy.special.digamma(2.0), rel=1e-15)
    np.testing.assert_allclose(vmap(grad(np.tanh))(X), 1.0 - np.tanh(X) ** 2, rtol=1e-15)
    assert jacobian(np.cumsum)(X).tolist() == np.tri(3).tolist()
    a, b = np.arange(12.0).reshape(4, 3), np.arange(3.0)
    assert vmap(np.dot, in_axes=(0, None))(a, b).tolist() == (a @ b).tolist()
    systems = np.stack([np.eye(3) * k for k in (1.0, 2.0, 4.0)])
    assert vmap(np.linalg.solve)(systems, a[1:]).tolist() == (a[1:] / [[1.0], [2.0], [4.0]]).tolist()
    assert vmap(np.where)(X > 0.5, X, -X).tolist() == [-0.3, 0.7, 1.9]


def test_what_says_what_is_done_is_static():
    x = np.arange(6.0).reshape(2, 3)
    assert compile(np.sum)(x, axis=1).tolist() == [3.0, 12.0] and compile(np.sum)(x) == 15.0
    assert compile(np.sort)(x[:, ::-1], axis=0).tolist() == x[:, ::-1].tolist()
    assert grad(np.sum)(x).tolist() == np.ones((2, 3)).tolist()
    assert compile(np.average)(X, weights=X) == np.average(X, weights=X)
    assert compile(np.trapezoid)(X, dx=0.5) == np.trapezoid(X, dx=0.5)


def test_they_are_pickled_and_shown():
    f = pickle.loads(pickle.dumps(grad(np.exp)))
    assert f(0.5) == math.exp(0.5)
    assert "return np.exp(x)" in compile(np.exp).source("typed", "f64[n]")
    assert pellucid.jet(np.sin, (0.5,), ((1.0,),)) == (math.sin(0.5), [math.cos(0.5)])


def test_every_name_of_the_table_has_such_a_function():
    found = [d for d, b in BINDINGS.items() if b.kind in ("operator", "function") and object_of(d) is not None]
    bare = [d for d in found if own_function(object_of(d)) is None]
    assert len(found) > 400 and all(d.rpartition(".")[2] in UFUNC_METHODS for d in bare)


@pytest.mark.parametrize("function", [np.array2string, np.base_repr, abs])
def test_others_are_refused(function):
    with pytest.raises(pellucid.UnsupportedError, match="is not supported"):
        compile(function)


@pytest.mark.parametrize("function, name, help_", [
    (scipy.special.diric, "scipy.special.diric", "write it with supported functions"),
    (scipy.optimize.rosen, "scipy.optimize.rosen", "write it with supported functions"),
    (scipy.linalg.signm, "scipy.linalg.signm", "write it with supported functions"),
    (np.frompyfunc, "numpy.frompyfunc", "write the loop"),
], ids=lambda v: getattr(v, "__name__", ""))  # fmt: skip
def test_a_function_that_is_not_in_the_language_is_told_by_its_name(function, name, help_):
    with pytest.raises(pellucid.UnsupportedError) as caught:
        pellucid.compile(function)
    (fault,) = caught.value.diagnostics
    assert fault.code == "U012" and fault.message == f"`{name}` is not supported"
    assert fault.help[0].startswith(help_) and fault.span.file == __file__
