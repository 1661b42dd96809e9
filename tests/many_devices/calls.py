"""`shard_map` and `pmap` against NumPy's program of the whole: from outside and inside, under all transformations."""

import functools
import traceback
from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from pellucid import (
    BatchError,
    NamedSharding,
    P,
    compile,
    device_put,
    devices,
    grad,
    jvp,
    lax,
    make_mesh,
    pmap,
    shard_map,
    value_and_grad,
    vjp,
    vmap,
)

RNG = np.random.default_rng(3)
MESH = make_mesh((2, 4), ("x", "y"))
BLOCKS = RNG.normal(size=(4, 8))
WEIGHTS = RNG.normal(size=(8, 3))
BARS = RNG.normal(size=(4, 3))
same = functools.partial(np.testing.assert_allclose, rtol=1e-12, atol=1e-12)


def product(a, w):
    return lax.psum(a @ w, "y")


PRODUCT = shard_map(product, mesh=MESH, in_specs=(P("x", "y"), P("y")), out_specs=P("x"))


def loss(a, w):
    return np.sum(PRODUCT(a, w) * BARS)


def test_a_product_of_blocks():
    cut = device_put(BLOCKS, NamedSharding(MESH, P("x", "y")))
    for a in (BLOCKS, pellucid.Array(BLOCKS), cut, device_put(BLOCKS, devices()[5])):
        found = PRODUCT(a, WEIGHTS)
        same(found, BLOCKS @ WEIGHTS)
        assert found.sharding == NamedSharding(MESH, P("x")) and found.dtype == np.float64
    same(PRODUCT(found @ np.ones((3, 8)), WEIGHTS), BLOCKS @ WEIGHTS @ np.ones((3, 8)) @ WEIGHTS)
    assert PRODUCT(BLOCKS.astype(np.float32), WEIGHTS.astype(np.float32)).dtype == np.float32


def test_other_lengths_and_the_name():
    same(PRODUCT(np.ones((6, 16)), np.ones((16, 5))), np.full((6, 5), 16.0))
    assert PRODUCT.__name__ == "product"
    text = PRODUCT.source("loops", BLOCKS, WEIGHTS)
    assert "lax.psum(a @ w" in text and "psum" not in text.replace("lax.psum", "")


def test_inside_a_compiled_function():
    @compile
    def outer(a, w):
        made = shard_map(product, mesh=MESH, in_specs=(P("x", "y"), P("y")), out_specs=P("x"))
        return made(a, w) + PRODUCT(a, w)

    @compile
    def with_a_local_function(a, w):
        scale = np.sum(a)

        def scaled(a, w):
            return lax.psum(scale * (a @ w), "y")

        return shard_map(scaled, mesh=MESH, in_specs=(P("x", "y"), P("y")), out_specs=P("x"))(a, w)

    same(outer(BLOCKS, WEIGHTS), 2.0 * BLOCKS @ WEIGHTS)
    same(with_a_local_function(BLOCKS, WEIGHTS), np.sum(BLOCKS) * (BLOCKS @ WEIGHTS))
    want = np.sum(BLOCKS @ WEIGHTS) + np.sum(BLOCKS) * np.ones((4, 3)) @ WEIGHTS.T
    same(grad(lambda a: np.sum(with_a_local_function(a, WEIGHTS)))(BLOCKS), want)


def test_derivatives():
    """The loss is bilinear: its slopes are products."""
    by_a, by_w = BARS @ WEIGHTS.T, BLOCKS.T @ BARS
    for found in (grad(loss, argnums=(0, 1))(BLOCKS, WEIGHTS), compile(grad(loss, argnums=(0, 1)))(BLOCKS, WEIGHTS),
                  value_and_grad(loss, argnums=(0, 1))(BLOCKS, WEIGHTS)[1]):  # fmt: skip
        same(found[0], by_a)
        same(found[1], by_w)
    value, pull = vjp(PRODUCT, BLOCKS, WEIGHTS)
    same(value, BLOCKS @ WEIGHTS)
    same(pull(BARS)[0], by_a)
    same(pull(BARS)[1], by_w)
    same(jvp(PRODUCT, (BLOCKS, WEIGHTS), (BLOCKS, WEIGHTS))[1], 2.0 * BLOCKS @ WEIGHTS)
    same(grad(lambda a: np.sum(grad(loss, argnums=1)(a, WEIGHTS) ** 2))(BLOCKS), 2.0 * BARS @ by_w.T)
    same(grad(lambda w: np.sum(PRODUCT(BLOCKS, w) ** 2))(WEIGHTS), 2.0 * BLOCKS.T @ (BLOCKS @ WEIGHTS))


def test_batches():
    many = np.stack([WEIGHTS, 2.0 * WEIGHTS, WEIGHTS - 1.0])
    same(vmap(PRODUCT, in_axes=(None, 0))(BLOCKS, many), BLOCKS @ many)
    same(vmap(grad(loss, argnums=0), in_axes=(None, 0))(BLOCKS, many), BARS @ many.swapaxes(1, 2))
    slope = grad(lambda w: np.sum(vmap(PRODUCT, in_axes=(None, 0))(BLOCKS, w)))(many)
    same(slope, np.stack([BLOCKS.T @ np.ones((4, 3))] * 3))


def test_what_all_devices_share_gets_the_sum_of_their_slopes():
    scaled = shard_map(lambda s, a: s * a, mesh=MESH, in_specs=(P(), P("x", "y")), out_specs=P("x", "y"))
    same(grad(lambda s: np.sum(scaled(s, BLOCKS)))(2.0), np.sum(BLOCKS))
    total = shard_map(lambda s, a: lax.psum(s * np.sum(a), ("x", "y")), mesh=MESH, in_specs=(P(), P("x", "y")),
                      out_specs=P())  # fmt: skip
    same(total(2.0, BLOCKS), 2.0 * np.sum(BLOCKS))
    same(grad(total, argnums=(0, 1))(2.0, BLOCKS)[0], np.sum(BLOCKS))
    same(grad(total, argnums=1)(2.0, BLOCKS), np.full(BLOCKS.shape, 2.0))


def test_a_result_that_may_differ():
    for f, told in [(lambda a: a, "y"), (lambda a: lax.psum(a, "y"), "x"), (lambda a: lax.psum(a, "x"), "y")]:
        with pytest.raises(BatchError, match=f"out_specs leaves out the mesh axis '{told}' for the result, which may"):
            shard_map(f, mesh=MESH, in_specs=P(("x", "y")), out_specs=P())(BLOCKS.ravel())
    first = shard_map(lambda a: a, mesh=MESH, in_specs=P(("x", "y")), out_specs=P(), check_vma=False)
    same(first(BLOCKS.ravel()), BLOCKS.ravel()[:4])
    same(grad(lambda a: np.sum(first(a) ** 2))(BLOCKS.ravel()), np.where(np.arange(32) < 4, 2.0 * BLOCKS.ravel(), 0.0))
    both = shard_map(lambda a: {"k": a, "s": lax.psum(a, "x")}, mesh=MESH, in_specs=P("x"),
                     out_specs={"k": P("x"), "s": P()}, check_vma=False)  # fmt: skip
    same(both(BLOCKS)["k"], BLOCKS)
    same(both(BLOCKS)["s"], BLOCKS[:2] + BLOCKS[2:])


def test_specs_in_containers():
    class Layer(NamedTuple):
        w: np.ndarray
        b: np.ndarray

    def apply(layers, x):
        for layer in layers:
            x = lax.psum(x @ layer["p"].w, "y") + layer["p"].b
        return {"x": x, "n": (lax.pmax(np.max(x), "x"),)}

    layers = [{"p": Layer(RNG.normal(size=(8, 8)), RNG.normal(size=8))} for _ in range(1)]
    want = BLOCKS @ layers[0]["p"].w + layers[0]["p"].b
    for specs in ([{"p": Layer(P("y"), P())}], [Layer(P("y"), P())], ):
        given = specs if isinstance(specs[0], dict) else [{"p": specs[0]}]
        f = shard_map(apply, mesh=MESH, in_specs=(given, P("x", "y")), out_specs={"x": P("x"), "n": P()})
        found = f(layers, BLOCKS)
        same(found["x"], want)
        same(found["n"][0], np.max(want))
        assert found["x"].sharding.spec == P("x")


def test_some_axes_of_the_mesh():
    half = shard_map(lambda a: lax.psum(a, "x"), mesh=MESH, in_specs=P("x"), out_specs=P(), axis_names={"x"})
    same(half(BLOCKS), BLOCKS[:2] + BLOCKS[2:])
    with pytest.raises(BatchError, match="in_specs has P\\('y'\\), and the axes of the mesh are 'x'"):
        shard_map(lambda a: a, mesh=MESH, in_specs=P("y"), out_specs=P("x"), axis_names={"x"})(BLOCKS)


def test_decorators_and_the_mesh_of_a_block():
    @functools.partial(shard_map, mesh=MESH, in_specs=P("x"), out_specs=P("x"))
    def numbered(a):
        return a + lax.axis_index("x")

    @shard_map(mesh=MESH, in_specs=P(None, ("y", "x")), out_specs=P(None, ("y", "x")))
    def counted(a):
        return a * 0.0 + 10 * lax.axis_index("y") + lax.axis_index("x")

    same(numbered(np.zeros(4)), [0, 0, 1, 1])
    same(counted(np.zeros((1, 8)))[0], [0, 1, 10, 11, 20, 21, 30, 31])
    with MESH:
        same(shard_map(lambda a: lax.psum(a, "x"), in_specs=P("x"), out_specs=P())(BLOCKS), BLOCKS[:2] + BLOCKS[2:])
    with pytest.raises(TypeError, match="takes `mesh=`, or is called inside `with mesh:`"):
        shard_map(lambda a: a, in_specs=P("x"), out_specs=P("x"))


def test_what_shard_map_refuses():
    def mapped(in_specs, out_specs=P(("x", "y")), f=lambda a: a):
        return shard_map(f, mesh=MESH, in_specs=in_specs, out_specs=out_specs)

    for made, args, told in [
        (mapped(P("x")), (np.ones(5),), "axis 0 of an argument has the length 5, which is not divided by the 2 devices "
         r"along 'x': fill it up to a multiple of 2 \(np.pad\), or leave this axis whole"),
        (mapped(P(None, ("x", "y"))), (np.ones((2, 4)),), "axis 1 .* length 4, .* by the 8 devices along 'x', 'y'"),
        (mapped((P("x"), P())), (np.ones(4),), "in_specs is .* which is not built like"),
        (mapped(P("z")), (np.ones(4),), r"in_specs has P\('z'\), and the axes of the mesh are 'x', 'y'"),
        (mapped(P("x"), P("x", "z"), f=lambda a: a + 1.0), (np.ones((4, 1)),), r"out_specs has P\('x', 'z'\), and"),
        (mapped(P(None, "x")), (np.ones(4),), r"in_specs has P\(None, 'x'\) for an array of 1 axis"),
        (mapped(P("x"), f=np.sum), (np.ones(4),), r"out_specs has P\(\('x', 'y'\)\) for an array of 0"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=told):
            made(*args)


def weighed(weights, x):
    return lax.psum(x @ weights, "x")


def test_messages_and_printed_stages_speak_of_the_users_function():
    mapped = shard_map(weighed, mesh=MESH, in_specs=(P(), P("x")), out_specs=P())
    text = mapped.source("typed", "f64[n]", "f64[m, k]")
    assert "def weighed(weights, x):" in text and "# weighed (calls.py:" in text and "sharded.py" not in text
    slope = grad(lambda w, x: np.sum(mapped(w, x))).source("typed", "f64[n]", "f64[m, k]")
    assert "sharded.py" not in slope
    for args, out_specs in [((np.ones(2), np.ones((3, 2))), P()), ((np.ones(2), np.ones((4, 2))), P("z")),
                            ((np.ones(2), np.ones((4, 2)), 1.0), P())]:  # fmt: skip
        with pytest.raises(ValueError, match="devices|out_specs|in_specs") as told:
            shard_map(weighed, mesh=MESH, in_specs=(P(), P("x")), out_specs=out_specs)(*args)
        shown = "".join(traceback.format_exception(told.value))
        assert "def weighed(weights, x)" in shown and "sharded.py" not in shown
    starred = shard_map(lambda first, *rest: first + rest[0] + rest[1], mesh=MESH, in_specs=P("x"), out_specs=P("x"))
    assert "(first, args_1, args_2):" in starred.source("typed", "f64[n]", "f64[n]", "f64[n]")
    same(starred(np.ones(2), np.ones(2), np.ones(2)), [3.0, 3.0])


# --- pmap ------------------------------------------------------------------------------------------------------------


def test_pmap_is_vmap_with_a_device_for_each():
    x = np.arange(4.0)
    shares = pmap(lambda x: x / lax.psum(x, "i"), axis_name="i")
    same(shares(x), x / 6.0)
    assert shares(x).sharding.spec == P("i") and shares(x).sharding.mesh.devices.tolist() == devices()[:4]
    rows = pmap(lambda a, s: (a * s, np.sum(a)), in_axes=(1, None), out_axes=(1, 0))(BLOCKS, 2.0)
    same(rows[0], 2.0 * BLOCKS)
    same(rows[1], BLOCKS.sum(axis=0))
    assert rows[0].sharding.spec == P(None, "devices") and rows[1].sharding.spec == P("devices")
    same(pmap(lambda: lax.axis_index("i"), axis_name="i", axis_size=3)(), [0, 1, 2])
    same(compile(lambda a: pmap(lambda r: lax.psum(r, "i"), axis_name="i")(a))(BLOCKS), [BLOCKS.sum(axis=0)] * 4)


def test_derivatives_and_batches_of_pmap():
    weighted = pmap(lambda x, w: lax.psum(x * w, "i"), axis_name="i", in_axes=(0, None))
    same(grad(lambda w: weighted(BLOCKS, w)[0, 0])(2.0), BLOCKS.sum(axis=0)[0])
    same(vmap(weighted, in_axes=(None, 0))(BLOCKS, np.arange(3.0))[2], 2.0 * np.stack([BLOCKS.sum(axis=0)] * 4))
    slopes = pmap(grad(lambda w, x: np.sum((x * w) ** 2)), in_axes=(None, 0))
    same(slopes(3.0, BLOCKS), 6.0 * np.sum(BLOCKS**2, axis=1))


def test_options_of_pmap():
    powers = pmap(lambda x, n: x**n, static_broadcasted_argnums=1)
    same(powers(np.arange(4.0), 3), np.arange(4.0) ** 3)
    assert pmap(lambda x: x, devices=devices()[4:])(np.ones(2)).sharding.mesh.devices.tolist() == devices()[4:6]
    same(pmap(lambda p: p["a"] + p["b"], in_axes=({"a": 0, "b": None},), donate_argnums=0)({"a": np.ones(2), "b": 1.0}),
         [2.0, 2.0])  # fmt: skip

    @functools.partial(pmap, axis_name="i")
    def decorated(x):
        return x - lax.pmean(x, "i")

    same(decorated(np.arange(8.0)), np.arange(8.0) - 3.5)


def test_more_examples_than_devices():
    for f, args in [(pmap(lambda x: x), (np.ones(9),)), (pmap(lambda x: x, devices=devices()[:2]), (np.ones(3),)),
                    (pmap(lambda p: p["a"], in_axes=({"a": 1},)), ({"a": np.ones((2, 9))},))]:  # fmt: skip
        with pytest.raises(ValueError, match="pmap: there are . examples, and . devices.  `vmap` takes any number"):
            f(*args)


def test_extremes_of_complex_numbers_are_numpys():
    nan = float("nan")
    x = np.array([1 + 2j, 1 - 1j, complex(nan, 0), 2j, 1 + 3j, complex(0, nan), 5, -1j] * 5000)
    for function, want in ((lax.pmax, np.maximum), (lax.pmin, np.minimum)):
        mapped = shard_map(lambda a, f=function: f(a, "x"), mesh=MESH, in_specs=P("x"), out_specs=P())
        for values in (x, x[:16], x[:16].astype(np.complex64), x[:15][::-1][:14]):
            upper, lower = np.split(values, 2)
            np.testing.assert_array_equal(mapped(values), want(upper, lower))


def of_unknown_axis(a):
    return lax.psum(a, "z")


def test_an_axis_that_the_mesh_has_not_is_told_with_those_that_it_has():
    with pytest.raises(pellucid.AxisNameError, match=r"unbound axis name: z[\s\S]*around it: `y`, `x`"):
        shard_map(of_unknown_axis, mesh=MESH, in_specs=P("x"), out_specs=P("x"))(np.ones(4))
    with pytest.raises(pellucid.AxisNameError, match=r"unbound axis name: z[\s\S]*around it: `i`"):
        pmap(of_unknown_axis, axis_name="i")(np.ones((2, 3)))
