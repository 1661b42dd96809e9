"""Types without values: `eval_shape` says what a call would give, and does not make it."""

import pickle
from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from pellucid import ShapeDtypeStruct, compile, eval_shape, grad, jacrev, vjp, vmap

WEIGHTS = np.arange(20.0).reshape(4, 5)


class Layer(NamedTuple):
    weights: object
    bias: object


def shaped(x, y):
    return {
        "product": x @ y, "half": x[: len(x) // 2], "twice": np.concatenate([x, x]), "pairs": x.reshape(-1, 2),
        "length": len(x), "sum": np.sum(x), "mean": np.mean(x, axis=1, dtype=np.float32), "shape": x.shape,
        "squares": np.arange(x.shape[0] ** 2), "rows": np.repeat(x, 3, axis=0), "mask": x > 0, "words": ("a", None),
        "outer": np.outer(y, y)[1:], "complex": np.fft.rfft(y), "new": np.zeros((2 * len(x), 3), np.int8),
    }  # fmt: skip


def layered(layers, x):
    for layer in layers:
        x = np.tanh(x @ layer.weights + layer.bias)
    return Layer(x, np.sum(x, axis=0))


def from_outside(x):
    return x @ WEIGHTS, WEIGHTS[1:, 0]


def in_order(x):
    return {"b": x, "a": [x, x[0]]}


def struct(value):
    """What stands for a value, by NumPy alone."""
    weak = type(value) in (bool, int, float, complex)
    return ShapeDtypeStruct(np.shape(value), np.asarray(value).dtype, weak_type=weak)


def structs(value):
    return pellucid.tree.map(lambda leaf: leaf if isinstance(leaf, str) else struct(leaf), value)


CASES = [
    (shaped, (np.ones((6, 4)), np.ones(4))),
    (shaped, (np.ones((1, 2), np.float32), np.ones(2, np.float32))),
    (layered, ([Layer(np.ones((3, 4)), np.ones(4)), Layer(np.ones((4, 2)), np.ones(2))], np.ones((5, 3)))),
    (from_outside, (np.ones((3, 4)),)),
    (in_order, (np.ones((2, 3), np.complex64),)),
    (lambda x, y: (x * y, x + 1, y / 2, not x), (3, np.float32(2.0))),
]


@pytest.mark.parametrize("function, given", CASES)
def test_it_says_what_the_call_gives(function, given):
    expected = structs(function(*given))
    assert eval_shape(function, *given) == expected
    assert eval_shape(compile(function), *structs(given)) == expected


def quadratic(w, x):
    return np.sum((x @ w) ** 2)


TRANSFORMED = [
    (grad(quadratic), (np.ones(3), np.ones((5, 3)))),
    (grad(quadratic, argnums=(0, 1)), (np.ones(3), np.ones((5, 3), np.float32))),
    (vmap(quadratic, in_axes=(None, 0)), (np.ones(3), np.ones((7, 5, 3)))),
    (jacrev(lambda w, x: x @ w), (np.ones(3), np.ones((5, 3)))),
]


@pytest.mark.parametrize("function, given", TRANSFORMED)
def test_it_takes_what_transformations_give(function, given):
    assert eval_shape(function, *structs(given)) == structs(function(*given))


def test_nothing_is_run():
    def endless(x):
        while np.all(x == x):
            x = x + 1.0
        return x[:2]

    assert eval_shape(endless, ShapeDtypeStruct((10**6, 10**6), "f4")) == ShapeDtypeStruct((2, 10**6), np.float32)


def test_a_method_and_static_arguments():
    class Scaled:
        def __init__(self, factor):
            self.factor = factor

        @compile
        def times(self, x):
            return self.factor * x

    assert eval_shape(Scaled(np.ones(3)).times, ShapeDtypeStruct((2, 1), float)) == ShapeDtypeStruct((2, 3), float)
    sums = compile(lambda x, axis: np.sum(x, axis=axis), static=("axis",))
    assert eval_shape(sums, "f64[2, 3]", axis=0) == ShapeDtypeStruct((3,), float)


def test_shapes_that_depend_on_values_are_refused():
    with pytest.raises(ValueError, match="result 1 of positive is .* axis 0 depends on values"):
        eval_shape(compile(positive), ShapeDtypeStruct((3,), float))
    with pytest.raises(ValueError, match="depends on values"):
        eval_shape(lambda x: [v for v in x if v > 0.0], ShapeDtypeStruct((3,), float))


def positive(x):
    return x[x > 0]


def test_shapes_that_do_not_fit_are_found():
    with pytest.raises(pellucid.ShapeMismatchError):
        eval_shape(lambda x, y: x + y, ShapeDtypeStruct((3,), float), ShapeDtypeStruct((4,), float))


def test_source_and_explain_take_it_for_a_type():
    made = compile(quadratic)
    given = ShapeDtypeStruct((3,), np.float32), ShapeDtypeStruct((5, 3), float)
    values = np.ones(3, np.float32), np.ones((5, 3))
    for stage in ("typed", "loops"):
        assert made.source(stage, *given) == made.source(stage, *values)
    assert made.explain(*given) == made.explain(*values)
    number = compile(lambda x: x * 2)
    assert number.source("typed", ShapeDtypeStruct((), float, weak_type=True)) == number.source("typed", 1.0)
    assert number.source("typed", ShapeDtypeStruct((), float)) == number.source("typed", np.float64(1.0))


def test_a_call_refuses_it():
    with pytest.raises(pellucid.TypeMismatchError, match="ShapeDtypeStruct"):
        compile(quadratic)(ShapeDtypeStruct((3,), float), np.ones((5, 3)))


def test_the_struct_itself():
    one = ShapeDtypeStruct([3, 1], "f4")
    assert (one.shape, one.dtype, one.ndim, one.size, len(one)) == ((3, 1), np.float32, 2, 3, 3)
    assert one == ShapeDtypeStruct((3, 1), np.float32) != ShapeDtypeStruct((3, 1), float)
    assert hash(one) == hash(pickle.loads(pickle.dumps(one))) and pickle.loads(pickle.dumps(one)) == one
    assert repr(one) == "ShapeDtypeStruct(shape=(3, 1), dtype=float32)"
    with pytest.raises(AttributeError, match="cannot be changed"):
        one.shape = (2,)
    with pytest.raises(ValueError, match="not negative"):
        ShapeDtypeStruct((-1,), float)
    with pytest.raises(TypeError, match="datetime64"):
        ShapeDtypeStruct((2,), "M8[s]")
    with pytest.raises(ValueError, match="weak_type"):
        ShapeDtypeStruct((2,), float, weak_type=True)
    with pytest.raises(TypeError, match="no length"):
        len(ShapeDtypeStruct((), float))


def test_a_pullback_has_no_shape():
    with pytest.raises(ValueError, match="pullback"):
        eval_shape(compile(lambda x: vjp(quadratic, x, np.ones((5, 3)))), np.ones(3))
