"""`jvp`, `jacfwd`, `hessian` and `hvp` as users call them: containers, methods, closures, defaults, refusals.

Values and slopes are held against SciPy's closed forms, against `grad`, and against central differences.
"""

import dataclasses
import functools
from typing import NamedTuple

import numpy as np
import pytest
import scipy.optimize

from pellucid import (
    GradientError,
    TypeMismatchError,
    compile,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacrev,
    jvp,
    value_and_jacfwd,
)
from pellucid.compiler.request import Gradient, Jacobian, Tangent
from tests.harness.corpus import is_float, leaves, map_leaves, programs
from tests.harness.stages import STAGES, Stages, in_python

pytestmark = pytest.mark.drawn(5)


def rosen(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1 - x[:-1]) ** 2.0)


X, V = np.linspace(-1.0, 1.3, 5), np.arange(1.0, 6.0)


# --- closed forms -----------------------------------------------------------------------------------------------------


def test_rosenbrock_is_scipys():
    value, slope = jvp(rosen, (X,), (V,))
    assert value == scipy.optimize.rosen(X)
    np.testing.assert_allclose(slope, scipy.optimize.rosen_der(X) @ V, rtol=1e-13)
    np.testing.assert_allclose(jacfwd(rosen)(X), scipy.optimize.rosen_der(X), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(hessian(rosen)(X), scipy.optimize.rosen_hess(X), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(hvp(rosen, (X,), (V,)), scipy.optimize.rosen_hess_prod(X, V), rtol=1e-12)


def energy(x, v):
    s = 0.0
    for i in range(len(x)):
        s = np.tanh(s * v[i]) + x[i] ** 2 * v[i]
    return s


NESTINGS = {
    "jvp of grad": (Gradient(0), Tangent(with_value=False)),
    "grad of jvp": (Tangent(with_value=False), Gradient(0)),
    "jvp of jvp": (Tangent(with_value=False), Tangent(with_value=False)),
    "jacfwd of grad": (Gradient(0), Jacobian(0)),
    "jacfwd of jacfwd": (Jacobian(0), Jacobian(0)),
}


@pytest.mark.parametrize("name", NESTINGS)
@pytest.mark.parametrize("stage", ["typed", "llvm"])
def test_nestings_give_one_second_derivative(name, stage):
    x, v, w = X[:3], V[:3] / 4.0, np.array([0.3, -0.5, 1.0])
    stages = Stages(energy, NESTINGS[name])
    h = 1e-6
    slopes = [grad(energy)(x + s * h * w, v) for s in (1.0, -1.0)]
    wanted = (slopes[0] - slopes[1]) / (2.0 * h)
    given = {
        "jvp of grad": ((x, v), (w, None)),
        "grad of jvp": ((x, v), (w, None)),
        "jvp of jvp": (((x, v), (w, None)), ((w, None), None)),
    }.get(name, (x, v))
    outcome = stages.run(stage, *given)
    assert outcome.error is None, outcome.error
    found = outcome.value
    if name == "grad of jvp":
        found = found[0]
    if name == "jvp of jvp":
        wanted = wanted @ w
    elif name.startswith("jacfwd"):
        found = found @ w
    np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-8)


def test_perturbations_are_not_confused():
    """d/dx (x * d/dy (x + y)) is 1, not 2: each derivative has a direction of its own."""

    @compile
    def outer(x):
        return jvp(lambda x: x * jvp(lambda y: x + y, (1.0,), (1.0,))[1], (x,), (1.0,))[1]

    @compile
    def mixed(x):
        return grad(lambda x: x * jvp(lambda y: x * y, (2.0,), (1.0,))[1])(x)

    @compile
    def other_way(x):
        return jvp(lambda x: x * grad(lambda y: x * y)(2.0), (x,), (1.0,))[1]

    assert outer(3.0) == 1.0
    assert mixed(3.0) == other_way(3.0) == 6.0


# --- calling ----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Layer:
    weights: np.ndarray
    bias: float
    count: int = 3

    def loss(self, x):
        return np.sum(self.weights * x) ** 2 + self.bias


class Pair(NamedTuple):
    left: object
    right: object


def network(layer, x):
    return {"out": layer.weights * x * layer.bias, "count": layer.count, "pair": Pair(layer.bias**2, "text")}


W = np.arange(1.0, 4.0)


def test_containers_and_what_has_no_tangent():
    layer = Layer(W, 2.0)
    value, slope = jvp(network, (layer, np.ones(3)), (Layer(np.ones(3), 1.0, None), None))
    np.testing.assert_array_equal(slope["out"], 2.0 + W)
    assert value["count"] == 3 and slope["count"] is None
    assert slope["pair"] == Pair(4.0, None) and list(slope) == list(value)


def test_none_is_the_tangent_of_what_does_not_change():
    text = jvp(energy).source("transformed", ("f64[n]", "f64[n]"), ("f64[n]", None))
    assert "x_dot" in text and "v_dot" not in text
    everything = jvp(energy, (X, V), (V, np.zeros(5)))
    assert jvp(energy, (X, V), (V, None)) == everything
    assert jvp(energy, (X, V), (None, None)) == (energy(X, V), 0.0)


def test_methods_partials_and_closures():
    layer = Layer(W, 2.0)
    assert jvp(layer.loss, (np.ones(3),), (np.ones(3),)) == (38.0, 72.0)
    np.testing.assert_array_equal(hessian(layer.loss)(np.ones(3)), 2.0 * np.outer(W, W))

    def power(a, b, c):
        return a * b**2 * c

    @compile
    def inside(layer, x):
        k = x[0]
        pushed = jvp(lambda z: np.sum(z**3) * k)
        return (
            jvp(layer.loss, (x,), (x,)),
            jvp(functools.partial(power, 2.0, c=3.0), (k,), (1.0,)),
            pushed((x,), (x,)),
            hvp(lambda z: np.sum(z**3) * k, (x,), (x,)),
        )

    of_method, of_partial, of_closure, product = inside(layer, np.full(3, 2.0))
    assert of_method == (146.0, 288.0)
    assert of_partial == (24.0, 24.0)
    assert of_closure == (48.0, 144.0)
    np.testing.assert_array_equal(product, np.full(3, 48.0))


def test_defaults_static_parameters_and_frozen_arrays():
    def scaled(x, factor=3.0, *, shift=1.0):
        return x * factor + shift

    assert jvp(scaled, (2.0,), (1.0,)) == (7.0, 3.0)
    assert jvp(scaled, (2.0, 4.0), (1.0, 0.5)) == (9.0, 5.0)

    def along(x, axis):
        return np.sum(x, axis=axis)

    matrix = np.arange(6.0).reshape(2, 3)
    value, slope = jvp(compile(along, static="axis"))((matrix,), (matrix,), axis=1)
    np.testing.assert_array_equal(slope, np.sum(matrix, axis=1))

    def linear(x):
        return W @ x

    assert jvp(compile(linear, freeze="W"), (np.ones(3),), (W,)) == (6.0, 14.0)


def test_auxiliary_results():
    def with_count(x):
        return np.sum(x**2), len(x)

    assert jvp(with_count, (W,), (W,), has_aux=True) == (14.0, 28.0, 3)
    slope, count = jacfwd(with_count, has_aux=True)(W)
    np.testing.assert_array_equal(slope, 2.0 * W)
    assert count == 3


def test_the_function_is_compiled_once():
    from pellucid.forward_mode import kept

    assert kept(rosen, Tangent()) is kept(rosen, Tangent())
    assert jvp(rosen).__name__ == "rosen_jvp"


def test_the_stages_before_it_run_the_function_itself():
    pushed, given = jvp(network), ((Layer(W, 2.0), W), (Layer(W, 1.0, None), None))
    whole = pushed(*given)
    for stage in ("core", "typed"):
        value = pushed.debug(stage)(*given)
        np.testing.assert_array_equal(value["out"], whole[0]["out"])
    for stage in ("reverse", "loops"):
        value, slope = pushed.debug(stage)(*given)
        np.testing.assert_array_equal(value["out"], whole[0]["out"])
        np.testing.assert_allclose(slope["out"], whole[1]["out"], rtol=1e-14)
    assert "def network(layer, x)" in pushed.source("core")
    assert "layer_weights_dot: f64[" in pushed.source("reverse", *given)


def test_arguments_by_name():
    for transform in (grad, jacfwd, hessian):
        by_name, by_number = transform(energy, "v")(X, V / 4.0), transform(energy, 1)(X, V / 4.0)
        np.testing.assert_array_equal(by_name, by_number)
        with pytest.raises(ValueError, match="argnums names `u`, and the parameters are x, v"):
            transform(energy, ("x", "u"))
    layer = Layer(W, 2.0)
    np.testing.assert_array_equal(grad(layer.loss, "x")(W), grad(layer.loss)(W))

    @compile
    def inside(a, b):
        return grad(lambda x, y: x * y**2, argnums=("y", "x"))(a, b)

    assert inside(3.0, 5.0) == (30.0, 25.0)
    with pytest.raises(TypeMismatchError, match="argnums names `z`"):
        compile(lambda a: grad(lambda x: x * x, argnums="z")(a))(1.0)


# --- Jacobians --------------------------------------------------------------------------------------------------------


def fields(x, p):
    return {"a": np.sin(x[:, None]) * p["m"], "b": (np.sum(p["m"]) * p["s"], 3), "c": x * p["s"]}


@pytest.mark.parametrize("stage", ["typed", "llvm"])
def test_jacobians_have_the_axes_of_results_then_of_arguments(stage):
    x, p = np.array([0.3, 0.4]), {"m": np.arange(6.0).reshape(2, 3), "s": 1.5}
    outcome = Stages(fields, [Jacobian((0, 1))]).run(stage, x, p)
    assert outcome.error is None, outcome.error
    found = outcome.value
    shapes = map_leaves(np.shape, {k: found[k] for k in "ac"})
    assert shapes["a"] == ((2, 3, 2), {"m": (2, 3, 2, 3), "s": (2, 3)})
    assert shapes["c"] == ((2, 2), {"m": (2, 2, 3), "s": (2,)})
    assert found["b"][1] is None
    v = {"m": np.cos(p["m"]), "s": 0.7}
    along = jvp(fields, (x, p), (x, v))[1]
    for key in "ac":
        by_x, by_p = found[key]
        total = by_x @ x + np.tensordot(by_p["m"], v["m"], 2) + by_p["s"] * v["s"]
        np.testing.assert_allclose(total, along[key], rtol=1e-12)
    by_x, by_p = found["b"][0]
    np.testing.assert_allclose(by_x @ x + np.sum(by_p["m"] * v["m"]) + by_p["s"] * v["s"], along["b"][0], rtol=1e-12)


def test_what_is_the_same_along_all_directions_is_done_once():
    text = jacfwd(lambda x: np.exp(x) * np.sum(x)).source("transformed", "f64[n]")
    before, _, loop = text.partition("for k")
    assert "np.exp" in before and "np.exp" not in loop


def test_jacobian_through_loops_stores_and_recursion():
    def path(x, k):
        y = x.copy()
        for t in range(k):
            for i in range(1, len(x)):
                y[i] = y[i] + y[i - 1] * x[t % len(x)]
        return y

    found, h = jacfwd(path)(X, 3), 1e-6
    for k in range(5):
        e = h * (np.arange(5) == k)
        np.testing.assert_allclose(found[:, k], (path(X + e, 3) - path(X - e, 3)) / (2.0 * h), rtol=1e-7, atol=1e-8)
    value, again = value_and_jacfwd(path)(X, 3)
    np.testing.assert_array_equal(again, found)
    np.testing.assert_array_equal(value, path(X, 3))
    assert jacfwd(path)(np.zeros(0), 2).shape == (0, 0)


def test_a_hessian_of_several_arguments_is_one_of_blocks():
    def product(a, b):
        return np.sum(np.outer(a, b) ** 2)

    a, b = W, X
    blocks = hessian(product, argnums=(0, 1))(a, b)
    np.testing.assert_allclose(blocks[0][1], 4.0 * np.outer(a, b), rtol=1e-12)
    np.testing.assert_allclose(blocks[1][0], np.transpose(blocks[0][1]), rtol=1e-12)
    np.testing.assert_allclose(blocks[1][1], 2.0 * np.sum(a**2) * np.eye(5), rtol=1e-12)


# --- refusals ---------------------------------------------------------------------------------------------------------


def counted(x, n):
    return x * n


def scaled_in_place(x):
    x[0] = 2.0
    return x[1]


REFUSED = [
    ("G005", lambda: jvp(rosen, X, V)),
    ("G005", lambda: jvp(rosen, (X,), (V.astype(np.float32),))),
    ("G005", lambda: jvp(rosen, (X,), (1.0,))),
    ("G005", lambda: jvp(rosen, (X,), (V[:1],))),
    ("G005", lambda: jvp(rosen, (X,), ())),
    ("G005", lambda: jvp(rosen, (X,), None)),
    ("G005", lambda: jvp(counted, (2.0, 3), (1, None))),
    ("G005", lambda: jvp(network, (Layer(W, 2.0), W), ((W, 1.0), None))),
    ("G001", lambda: jvp(counted, (2.0, 3), (1.0, 0))),
    ("G001", lambda: jacfwd(counted)(2, 3)),
    ("T004", lambda: jvp(counted, (2.0,), (1.0,))),
    ("T004", lambda: jvp(counted, (2.0, 3, 4), (1.0, None, None))),
    ("T004", lambda: jacfwd(counted, argnums=2)(2.0, 3)),
    ("G002", lambda: jvp(counted, (2.0, 3), (1.0, None), has_aux=True)),
    ("G004", lambda: jvp(compile(scaled_in_place, mutates="x"), (X,), (V,))),
    ("G004", lambda: jacfwd(lambda xs: np.array(xs) * 2.0)([1.0] * 200)),
]


@pytest.mark.parametrize(("code", "call"), REFUSED)
def test_refused(code, call):
    with pytest.raises((GradientError, TypeMismatchError)) as caught:
        call()
    assert [d.code for d in caught.value.diagnostics] == [code]
    assert "tuple index" not in str(caught.value)


def test_a_tangent_of_another_length_is_an_error_of_the_call():
    with pytest.raises(ValueError, match="x_dot"):
        jvp(rosen, (X,), (V[:3],))
    inside = compile(lambda x, v: jvp(rosen, (x,), (v,)))
    with pytest.raises(ValueError, match="length 3 where its primal has 5"):
        inside(X, V[:3])


# --- programs of all kinds --------------------------------------------------------------------------------------------


def direction(args, seed):
    rng = np.random.default_rng(seed)

    def one(leaf):
        if not is_float(leaf):
            return None
        made = rng.standard_normal(np.shape(leaf))
        return made.astype(leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(made)

    return map_leaves(one, args)


def moved(args, along, h):
    def one(leaf, d):
        if d is None:
            return leaf
        return leaf + leaf.dtype.type(h) * d if isinstance(leaf, np.ndarray) else type(leaf)(leaf + h * d)

    return map_leaves(one, args, along)


@pytest.mark.parametrize("program", [p for p in programs() if p.has_gradient][::10], ids=str)
def test_programs_of_the_corpus_against_differences(program):
    """Along all arguments, and along the last one that has a tangent: then fewer names have one."""
    args = program.make_arguments(seed=4, size=4)
    along = tuple(direction(args, 5))
    assert_slope(program, args, along)
    moving = [k for k, part in enumerate(along) if any(leaf is not None for leaf in leaves(part))]
    if len(moving) > 1:
        still = [map_leaves(lambda leaf: None, part) for part in along[: moving[-1]]]
        assert_slope(program, args, (*still, *along[moving[-1] :]))


def assert_slope(program, args, along):
    outcome = Stages(program.function, [Tangent()]).run("typed", tuple(args), tuple(along))
    assert outcome.error is None, outcome.error
    value, slope = outcome.value
    want = in_python(program.function, *args).value
    single = any(np.asarray(leaf).dtype == np.float32 for leaf in (*leaves(args), *leaves(want)))
    h, tolerance = (1e-3, 3e-2) if single else (1e-6, 1e-5)
    sides = [leaves(in_python(program.function, *moved(args, along, s * h)).value) for s in (1.0, -1.0)]
    for one, dot, other, up, down in zip(leaves(value), leaves(slope), leaves(want), *sides, strict=True):
        if not is_float(other):
            assert dot is None
            continue
        assert np.shape(dot) == np.shape(other) and np.asarray(dot).dtype == np.asarray(other).dtype
        np.testing.assert_allclose(one, other, rtol=1e-6)
        difference = (np.asarray(up, np.float64) - np.asarray(down, np.float64)) / (2.0 * h)
        scale = max(1.0, float(np.max(np.abs(difference), initial=0.0)))
        np.testing.assert_allclose(dot, difference, rtol=tolerance, atol=tolerance * scale)


def softmax_loss(w, x, t):
    z = x @ w
    e = np.exp(z - np.max(z, axis=1)[:, None])
    p = e / np.sum(e, axis=1)[:, None]
    s = 0.0
    for i in range(len(t)):
        s -= np.log(p[i, t[i]])
    return s / len(t)


@pytest.mark.parametrize("stage", [s for s in STAGES if s not in ("core", "raw")])
def test_every_stage_carries_tangents(stage):
    rng = np.random.default_rng(0)
    w, x, t, v = rng.normal(size=(3, 4)), rng.normal(size=(5, 3)), np.array([0, 3, 1, 1, 2]), rng.normal(size=(3, 4))
    outcome = Stages(softmax_loss, [Tangent()]).run(stage, (w, x, t), (v, None, None))
    value, slope = outcome.value
    np.testing.assert_allclose(value, softmax_loss(w, x, t), rtol=1e-13)
    np.testing.assert_allclose(slope, np.sum(grad(softmax_loss)(w, x, t) * v), rtol=1e-12)


LINEAR_ALGEBRA = {
    "solve": lambda a, b: np.linalg.solve(a, b),
    "solve of a matrix": lambda a, b: np.linalg.solve(a, a.T * b),
    "inverse": lambda a, b: np.linalg.inv(a) @ b,
    "cholesky": lambda a, b: np.linalg.cholesky(a) @ b,
    "determinant": lambda a, b: np.linalg.det(a) * b,
    "logarithm of it": lambda a, b: np.linalg.slogdet(a)[1] * b,
    "values": lambda a, b: np.linalg.eigvalsh(a) * b,
    "values and vectors": lambda a, b: np.linalg.eigh(a)[1] ** 2 @ b + np.linalg.eigh(a)[0],
    "factors": lambda a, b: np.linalg.qr(a)[0] ** 2 @ b + np.linalg.qr(a)[1] @ b,
    "singular values": lambda a, b: np.linalg.svd(a, compute_uv=False) * b,
    "singular vectors": lambda a, b: np.linalg.svd(a, full_matrices=False)[0] ** 2 @ b
    + np.linalg.svd(a, full_matrices=False)[2] ** 2 @ b,
    "norm": lambda a, b: np.linalg.norm(a) * b + np.linalg.norm(b),
}


@pytest.mark.parametrize("name", LINEAR_ALGEBRA)
def test_linear_algebra_against_differences(name):
    function, rng = LINEAR_ALGEBRA[name], np.random.default_rng(3)
    m, v, w = rng.normal(size=(4, 4)), rng.normal(size=(4, 4)), rng.normal(size=4)
    a, b = m @ m.T + np.diag([1.0, 2.0, 3.0, 4.0]), rng.normal(size=4)
    v = v + v.T
    outcome = Stages(function, [Tangent()]).run("typed", (a, b), (v, w))
    assert outcome.error is None, outcome.error
    h = 1e-5
    wanted = (np.array(function(a + h * v, b + h * w)) - np.array(function(a - h * v, b - h * w))) / (2.0 * h)
    np.testing.assert_allclose(outcome.value[1], wanted, rtol=1e-6, atol=1e-7)


def test_static_parameters_among_the_primals():
    def powers(x, n, y):
        return x**n * y

    compiled = compile(powers, static="n")
    assert jvp(compiled, (2.0, 3, 5.0), (1.0, None, 0.5)) == (40.0, 64.0)
    assert jvp(compiled)((2.0, 5.0), (1.0, 0.5), n=3) == (40.0, 64.0)
    with pytest.raises(ValueError, match="`n` is static and does not change"):
        jvp(compiled, (2.0, 3, 5.0), (1.0, 1, 0.5))


@pytest.mark.parametrize("derivative", [grad, jacfwd, jacrev, hessian], ids=lambda d: d.__name__)
def test_derivatives_raise_what_a_function_always_raises(derivative):
    def of_matrix(x):
        if x.ndim != 2:
            raise ValueError("a matrix is needed")
        return np.sum(x)

    with pytest.raises(ValueError, match="a matrix is needed"):
        derivative(of_matrix)(np.ones(3))
    np.testing.assert_array_equal(derivative(of_matrix)(np.ones((1, 2))).sum(), 0.0 if derivative is hessian else 2.0)
