"""Compiled functions of sharded arrays: values are NumPy's, and results are cut as the program says."""

import pickle

import numpy as np
import pytest

from pellucid import (
    Array,
    NamedSharding,
    P,
    compile,
    device_put,
    devices,
    grad,
    jit,
    lax,
    make_array_from_callback,
    make_array_from_single_device_arrays,
    make_mesh,
    value_and_grad,
    vmap,
)
from pellucid.compiler.diagnostics import BatchError
from pellucid.runtime.sharding.sharded import ShardedArray
from pellucid.sharding import AxisType
from pellucid.tree import leaves

MESH = make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
V = np.arange(1.0, 33.0).reshape(4, 8) / 10.0
W = np.cos(np.arange(32.0)).reshape(8, 4)


def put(values, *spec):
    return device_put(values, NamedSharding(MESH, P(*spec)))


GRID, ROWS, WEIGHTS = put(V, "x", "y"), put(V, "x"), put(W, "y")


def check(f, specs, *args):
    """The values of NumPy, and the specs of the results; None for what is on no device in particular."""
    found = leaves(compile(f)(*args))
    wanted = leaves(f(*map(np.asarray, args)))
    for one, want, spec in zip(found, wanted, specs, strict=True):
        np.testing.assert_allclose(one, want, rtol=1e-13)
        assert (one.sharding.spec if isinstance(one, ShardedArray) else None) == spec
        for shard in one.addressable_shards if spec is not None else ():
            np.testing.assert_allclose(shard.data, want[shard.index], rtol=1e-13)


def test_elements_and_sums():
    check(lambda x: np.tanh(x) * 2.0 + 1.0, [P("x", "y")], GRID)
    check(lambda x: (np.sum(x, axis=1), x.sum(axis=0)), [P("x"), P("y")], GRID)
    check(lambda x: (np.max(x, axis=1, keepdims=True), np.any(x > 3.0, axis=1)), [P("x"), P("x")], GRID)
    check(lambda x: x - np.mean(x, axis=0), [P("x", "y")], GRID)
    check(lambda x: np.exp(x) / np.sum(np.exp(x), axis=1, keepdims=True), [P("x", "y")], GRID)
    check(lambda x: {"a": np.where(x > 1.0, x, 0.0), "n": x.sum()}, [P("x", "y"), None], GRID)
    check(lambda x: (np.argmax(x, axis=1), np.argmax(x, axis=0)), [P("x"), None], ROWS)


def test_products_and_structure():
    check(lambda x, w: np.tanh(x @ w), [P("x")], GRID, WEIGHTS)
    check(lambda x, w: np.einsum("ij,jk->ki", x, w), [P(None, "x")], ROWS, W)
    check(lambda x: (x.T, x.reshape(-1), x.reshape(2, 2, 8)), [P(None, "x"), P("x"), P("x")], ROWS)
    check(lambda x: x.reshape(x.shape[0], 2, 4), [P("x")], ROWS)
    check(lambda x: (x[:, 0], x[:, 1:3], x[:, None], x[0], x[1:]), [P("x"), P("x"), P("x"), None, None], ROWS)
    check(lambda x, k: x[:, k], [P("x")], ROWS, np.array([5, 1]))
    check(lambda x: (np.concatenate([x, x], axis=1), np.concatenate([x, x], axis=0)), [P("x"), None], ROWS)
    check(lambda x: np.fft.fft(x).real, [P("x")], ROWS)


def by_columns(x):
    made = np.zeros_like(x)
    for k in range(x.shape[1]):
        made[:, k] = np.sin(x[:, k]) + k
    return made


def test_loops_and_what_is_cut_otherwise():
    check(by_columns, [P("x", "y")], GRID)
    check(lambda x, y: x + y, [None], GRID, put(V, "y"))
    check(lambda x, y: x * y, [P("x")], ROWS, put(V))
    check(lambda x: np.stack([x, x]), [P(None, "x")], ROWS)


def test_derivatives_and_batches():
    slope = grad(lambda x: np.sum(np.tanh(x) ** 2))(GRID)
    np.testing.assert_allclose(slope, 2.0 * np.tanh(V) / np.cosh(V) ** 2)
    assert slope.sharding.spec == P("x", "y")
    value, by_w = value_and_grad(lambda w, x: np.mean((x @ w) ** 2))(put(W), ROWS)
    np.testing.assert_allclose(by_w, V.T @ (V @ W) / 8.0)
    assert by_w.sharding.spec == P() and by_w.is_fully_replicated and isinstance(value, float)
    each = vmap(lambda r: r / np.sum(r))(ROWS)
    np.testing.assert_allclose(each, V / V.sum(axis=1, keepdims=True))
    assert each.sharding.spec == P("x")


def test_a_step_keeps_where_parameters_are():
    step = jit(lambda p, x: {k: v - 0.1 * g for (k, v), g in zip(p.items(), grad(loss)(p, x).values())})
    params = {"w": put(W), "b": put(np.zeros(4))}
    for _ in range(2):
        params = step(params, ROWS)
    assert {k: v.sharding.spec for k, v in params.items()} == {"w": P(), "b": P()}


def loss(p, x):
    return np.mean((x @ p["w"] + p["b"]) ** 2)


def test_the_same_memory_cut_in_two_ways_and_other_meshes():
    again = device_put(ROWS, NamedSharding(MESH, P(None, "y")))
    found = compile(lambda a, b: (a * 2.0, b * 3.0))(ROWS, again)
    assert [one.sharding.spec for one in found] == [P("x"), P(None, "y")]
    with pytest.raises(ValueError, match="the operands are not on the devices in the same way"):
        compile(lambda a, b: a + b)(ROWS, device_put(V, NamedSharding(make_mesh((8,), ("i",)), P(None, "i"))))
    assert type(compile(lambda a: a[:3])(put(V, None, "y"))) is ShardedArray
    assert type(compile(lambda a: np.concatenate([a, a[:, :1]], axis=1))(ROWS)) is ShardedArray


# --- constraints, and shardings of compiled functions ----------------------------------------------------------------


def test_a_constraint_says_where_a_result_is():
    cut = NamedSharding(MESH, P("x", "y"))
    f = compile(lambda x: lax.with_sharding_constraint(x @ x.T, cut))
    assert f(ROWS).sharding == cut and type(f(V)) is Array
    np.testing.assert_allclose(f(V), V @ V.T)
    assert 'with_sharding(x @ x.T, spec=(("x",), ("y",)))' in f.source("typed", V)
    np.testing.assert_allclose(grad(lambda x: np.sum(f(x)))(V), 2.0 * np.ones((4, 1)) * V.sum(axis=0))
    each = vmap(lambda r: lax.with_sharding_constraint(r * 2.0, P("y")))
    assert 'spec=(None, ("y",))' in each.source("transformed", V) and each(ROWS).sharding.spec == P(None, "y")
    many = compile(lambda d: lax.with_sharding_constraint(d, {"a": cut, "b": (P("y"), None)}))
    found = many({"a": ROWS, "b": (put(W), 2.0)})
    assert found["a"].sharding == cut and found["b"][0].sharding.spec == P("y") and found["b"][1] == 2.0
    with pytest.raises(BatchError, match="is for an array of 2 axes at least, and this one has 1"):
        compile(lambda x: lax.with_sharding_constraint(x, cut))(np.ones(4))


def test_a_constraint_in_a_loop():
    cut = NamedSharding(MESH, P("x"))

    def settled(x):
        while np.sum(lax.with_sharding_constraint(x, cut)) > 1.0:
            x = lax.with_sharding_constraint(x * 0.5, cut)
        return x

    expected = V.copy()
    while expected.sum() > 1.0:
        expected *= 0.5
    assert compile(settled)(ROWS).sharding == cut
    np.testing.assert_array_equal(compile(settled)(V), expected)
    np.testing.assert_allclose(grad(lambda x: np.sum(settled(x)))(V), np.full(V.shape, expected[0, 1] / V[0, 1]))


def test_a_constraint_outside_puts_an_array():
    assert lax.with_sharding_constraint(V, NamedSharding(MESH, P("x"))).sharding.spec == P("x")
    with MESH:
        assert lax.with_sharding_constraint({"a": V}, P("y"))["a"].sharding == NamedSharding(MESH, P("y"))
    with pytest.raises(ValueError, match="says nothing of the mesh"):
        lax.with_sharding_constraint(V, P("x"))


def test_shardings_of_compiled_functions():
    rows = NamedSharding(MESH, P("x"))
    f = jit(lambda x: {"a": x * 2.0, "b": x.sum()}, out_shardings={"a": rows, "b": None})
    for x in (V, GRID):
        assert f(x)["a"].sharding == rows and isinstance(f(x)["b"], float)
    g = jit(lambda x, y: x + y, in_shardings=(rows, None), out_shardings=rows)
    assert g(V, 1.0).sharding == g(ROWS, V).sharding == pickle.loads(pickle.dumps(g))(V, 1.0).sharding == rows
    np.testing.assert_array_equal(grad(lambda x: np.sum(g(x, 1.0)))(V), np.ones((4, 8)))
    for args, kwargs, told in [
        ((put(V, "y"), 1.0), {}, "in_shardings says .* and an argument was put as"),
        ((V,), {"y": 1.0}, "by position"), ((V,), {}, "has 2 entries for 1 arguments"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=told):
            g(*args, **kwargs)
    with pytest.raises(TypeError, match="are for functions"):
        jit(Model().apply, out_shardings=rows)

    @jit(out_shardings=rows)
    def decorated(x):
        return x - 1.0

    assert decorated(V).sharding == rows and decorated.__name__ == "decorated"


class Model:
    def apply(self, x):
        return x


# --- arrays of parts -------------------------------------------------------------------------------------------------


def test_arrays_of_parts():
    rows = NamedSharding(MESH, P("x"))
    asked = []
    made = make_array_from_callback((4, 8), rows, lambda index: asked.append(index) or V[index])
    np.testing.assert_array_equal(made, V)
    assert made.sharding == rows and len(asked) == 2 and made.addressable_data(7).device == devices()[7]
    np.testing.assert_array_equal(made.addressable_data(7), V[2:])
    again = make_array_from_single_device_arrays((4, 8), rows, [shard.data for shard in made.addressable_shards])
    np.testing.assert_array_equal(again, V)
    assert again.is_fully_addressable and not again.is_fully_replicated and rows.with_spec(P("y")).spec == P("y")
    np.testing.assert_array_equal(Array(V).addressable_data(0), V)
    with pytest.raises(ValueError, match="there are 1 arrays for 8 devices"):
        make_array_from_single_device_arrays((4, 8), rows, [V])
    with pytest.raises(ValueError, match=r"a part has the shape \(1, 8\), and each device has \(2, 8\)"):
        make_array_from_callback((4, 8), rows, lambda index: V[:1])
