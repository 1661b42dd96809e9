"""Derivatives inside `shard_map`: what all devices share is one value, whose derivative is the sum over the devices.

The numbers are those of JAX 0.10.2 with `check_vma=True`, but where another oracle is named.
"""

import numpy as np
import pytest

from pellucid import P, compile, grad, hessian, jacrev, jvp, lax, make_mesh, pmap, shard_map, value_and_grad, vjp, vmap
from pellucid.compiler.diagnostics import BatchError

MESH = make_mesh((4,), ("i",))
GRID = make_mesh((2, 4), ("a", "b"))
X = np.arange(4.0) + 1.0
W = np.array([2.0, 3.0])
GRIDDED = np.arange(8.0).reshape(2, 4)


def loss(w, x):
    return np.sum((w * x) ** 2)


def both(f, in_specs, out_specs, *args, mesh=MESH):
    """What a call on all devices gives, which is what the program of all of them gives."""
    mapped = shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs)
    found = mapped(*args)
    np.testing.assert_allclose(compile(lambda *args: mapped(*args))(*args), found, rtol=1e-14)
    return found


def check(f, want, *args, out_specs=P(), mesh=MESH, in_specs=(P(), P("i"))):
    np.testing.assert_allclose(both(f, in_specs, out_specs, *(args or (2.0, X)), mesh=mesh), want, rtol=1e-6, atol=1e-7)


def test_a_loss_of_each_device_and_one_of_all():
    check(lambda w, x: grad(loss)(w, x), 120.0)
    check(lambda w, x: grad(lambda w, x: lax.psum(loss(w, x), "i"))(w, x), 120.0)
    check(lambda w, x: grad(lambda w, x: lax.pmean(loss(w, x), "i"))(w, x), 30.0)
    check(lambda w, x: grad(lambda w, x: lax.psum(loss(w, x), "i") + w**2)(w, x), 124.0)
    check(lambda w, x: grad(lambda w, x: loss(w, x) + w**2)(w, x), 136.0)
    check(lambda w, x: value_and_grad(lambda w: lax.psum(loss(w, x), "i"))(w)[1], 120.0)


def test_by_what_each_device_has():
    check(lambda w, x: grad(lambda x: lax.psum(np.sum(w * x**2), "i"))(x), [4.0, 8.0, 12.0, 16.0], out_specs=P("i"))
    check(lambda w, x: grad(lambda w: np.sum((w * x) ** 2))(lax.pvary(w, "i")) * np.ones(1), [4.0, 16.0, 36.0, 64.0],
          out_specs=P("i"))  # fmt: skip
    check(lambda w, x: grad(lambda w: np.sum((lax.pcast(w, "i", to="varying") * x) ** 2))(w), 120.0)
    check(lambda w, x: grad(lambda w: w * lax.axis_index("i"))(w), 6.0)


def test_collectives():
    check(lambda w, x: grad(lambda w: lax.psum(w**2, "i"))(w), 16.0)
    check(lambda w, x: grad(lambda w: np.sum((w * lax.all_gather(x, "i")) ** 2))(w), 480.0)
    check(lambda w, x: grad(lambda w: np.sum(lax.ppermute(w * x, "i", [(0, 1), (1, 2)]) * x))(w), 8.0)
    check(lambda w, x: grad(lambda w: np.sum(lax.ppermute(w, "i", [(0, 1), (1, 2)]) * x))(w), 5.0)
    check(lambda w, x: grad(lambda w: lax.pmax(np.sum(w * x), "i"))(w), 4.0)  # JAX has none: d/dw max(w x) is 4
    check(lambda w, x: grad(lambda x: lax.pmin(np.sum(w * x), "i"))(x), [2.0, 0.0, 0.0, 0.0], out_specs=P("i"))


def test_second_derivatives():
    check(lambda w, x: grad(grad(lambda v: lax.psum(np.sum(v**3 * x), "i")))(w), 120.0)
    check(lambda w, x: grad(lambda w: np.sum(grad(lambda x: lax.psum(np.sum(x), "i") * w)(x)))(w), 4.0)
    check(lambda w, x: hessian(lambda w: loss(w, x))(w), 60.0)
    check(lambda w, x: jvp(grad(lambda w: np.sum(w**3 * x[0])), (w,), (w,))[1], [240.0, 540.0], W, X)
    outer = shard_map(lambda w, x: grad(lambda w: lax.psum(np.sum((w * x) ** 3), "i"))(w), mesh=MESH,
                      in_specs=(P(), P("i")), out_specs=P())  # fmt: skip
    np.testing.assert_allclose(grad(outer)(2.0, X), 1200.0)


def test_arrays_batches_and_jacobians():
    check(lambda w, x: grad(lambda w: np.sum(w * x[:, None]))(w), [10.0, 10.0], W, X)
    check(lambda w, x: jacrev(lambda w: lax.psum(w**2 * x[0], "i"))(w), [[40.0, 0.0], [0.0, 60.0]], W, X)
    check(lambda w, x: vmap(grad(loss), (0, None))(np.array([1.0, 2.0]) * w / w, x), [60.0, 120.0])


def step(w, x):
    return grad(lambda w: np.sum(w * x[0]))(w)


def test_a_function_that_is_called_with_both():
    mapped = shard_map(lambda w, x: (step(w, x), step(lax.pvary(w, "i"), x)), mesh=MESH, in_specs=(P(), P("i")),
                       out_specs=(P(), P("i")))  # fmt: skip
    shared, own = mapped(W, X)
    np.testing.assert_array_equal(shared, [10.0, 10.0])
    np.testing.assert_array_equal(own, [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0])
    np.testing.assert_array_equal(compile(step)(W, X), [1.0, 1.0])  # no devices around


def descent(w, x):
    for _ in range(3):
        w = w - 0.1 * grad(lambda w: lax.pmean(np.sum((w * x[0] - 1.0) ** 2), "i"))(w)
    return w


def repeated(w, x):
    a = lax.pvary(w, "i")
    for _ in range(3):
        a = a * w + x[0]
    return a


def steps_of_its_own(w, x):
    a = x[0]
    while a < 10.0:
        a = a * w + 1.0
    return a


def test_loops_and_branches():
    check(descent, [0.125, 0.0], W, X)
    check(lambda w, x: grad(repeated)(w, x), 178.0)
    check(lambda w, x: grad(lambda w: w**2 if x[0] > 2.0 else w * 3.0)(w), 14.0)  # as JAX with `where`, not `cond`
    slopes = [grad(steps_of_its_own)(2.0, np.array([x])) for x in X]
    check(lambda w, x: grad(steps_of_its_own)(w, x), sum(slopes))


def test_two_axes():
    specs = (P(), P("a", "b"))
    check(lambda w, y: grad(lambda w: lax.psum(np.sum((w * y) ** 2), "a"))(w), 560.0, 2.0, GRIDDED, mesh=GRID,
          in_specs=specs)  # fmt: skip
    check(lambda w, y: grad(lambda w: lax.psum(np.sum((w * y) ** 2), ("a", "b")))(w), [0.0, 52.0, 160.0, 348.0],
          np.arange(4.0), GRIDDED, mesh=GRID, in_specs=(P("b"), P("a", "b")), out_specs=P("b"))  # fmt: skip


def test_pullbacks():
    check(lambda w, x: vjp(lambda w: lax.psum(w * x[0], "i"), w)[1](w)[0], [20.0, 30.0], W, X)
    with pytest.raises(BatchError, match="the cotangent differs between the devices along `i`"):
        both(lambda w, x: vjp(lambda w: lax.psum(w * x[0], "i"), w)[1](x[0] * w)[0], (P(), P("i")), P(), W, X)


def test_where_nothing_is_looked_at_every_device_has_its_own():
    f = shard_map(lambda w, x: grad(lambda w, x: lax.psum(loss(w, x), "i"))(w, x), mesh=MESH, in_specs=(P(), P("i")),
                  out_specs=P(), check_vma=False)  # fmt: skip
    np.testing.assert_allclose(f(2.0, X), 16.0)
    own = pmap(lambda w, x: grad(lambda w: lax.psum(loss(w, x), "i"))(w), axis_name="i", in_axes=(None, 0))
    np.testing.assert_allclose(own(2.0, X), 16.0 * X**2)
    slopes = vmap(lambda w: grad(lambda w: np.sum(lax.pvary(w, "i") ** 2))(w), axis_name="i")
    np.testing.assert_allclose(slopes(X), 2 * X)


def test_a_result_that_differs_is_refused_with_the_line():
    with pytest.raises(BatchError, match="out_specs leaves out the mesh axis 'i'") as told:
        both(lambda w, x: w * lax.axis_index("i"), (P(), P("i")), P(), 2.0, X)
    assert "shared_values.py" in str(told.value)
    own = shard_map(lambda x: x + 1.0 if lax.axis_index("i") > 1 else x, mesh=MESH, in_specs=P("i"), out_specs=P("i"))
    np.testing.assert_array_equal(own(X), [1.0, 2.0, 4.0, 5.0])  # they need not come together: nothing is exchanged
