"""Programs of many devices as they are written for JAX: learning and linear algebra."""

from functools import partial

import numpy as np
from numpy.testing import assert_allclose

from pellucid import P, grad, jit, lax, make_mesh, pmap, shard_map, value_and_grad

from .agreement import agrees

RNG = np.random.default_rng(5)
DATA = make_mesh((8,), ("data",))
MODEL = make_mesh((4,), ("model",))
GRID = make_mesh((2, 2), ("rows", "columns"))


# --- a convolution, each device with a piece of the signal (from JAX's page about pmap) ------------------------------


def convolve(x, w):
    output = []
    for i in range(1, len(x) - 1):
        output.append(np.dot(x[i - 1 : i + 2], w))
    return np.array(output)


@partial(pmap, axis_name="i", in_axes=(0, None))
def convolve_pieces(x, w):
    right = lax.ppermute(x[:1], "i", perm=[(i, (i - 1) % 4) for i in range(4)])
    left = lax.ppermute(x[-1:], "i", perm=[(i, (i + 1) % 4) for i in range(4)])
    return convolve(np.concatenate([left, x, right]), w)


def test_convolution_of_pieces():
    def whole(x, w):
        flat = x.reshape(-1)
        return sum(w[k] * np.roll(flat, 1 - k) for k in range(3)).reshape(x.shape)

    agrees(convolve_pieces, whole, RNG.normal(size=(4, 5)), RNG.normal(size=3), by=(0, 1), inside=True)


def test_shares_of_a_sum():
    agrees(pmap(lambda x: x / lax.psum(x, "i"), axis_name="i"), lambda x: x / x.sum(), np.arange(1.0, 5.0), by=(0,))


# --- a network: gradients on each device, and their mean -------------------------------------------------------------

SIZES = [6, 10, 5, 3]
PARAMS = [(0.3 * RNG.normal(size=(m, n)), 0.1 * RNG.normal(size=n)) for m, n in zip(SIZES[:-1], SIZES[1:])]
INPUTS = RNG.normal(size=(8, 4, 6))
TARGETS = RNG.normal(size=(8, 4, 3))


def predict(params, inputs):
    for w, b in params[:-1]:
        inputs = np.tanh(np.dot(inputs, w) + b)
    w, b = params[-1]
    return np.dot(inputs, w) + b


def loss(params, batch):
    inputs, targets = batch
    return np.mean((predict(params, inputs) - targets) ** 2)


@partial(pmap, axis_name="batch", in_axes=(None, 0), out_axes=None)
def spmd_update(params, batch):
    value, slopes = value_and_grad(loss)(params, batch)
    slopes = [(lax.pmean(dw, "batch"), lax.pmean(db, "batch")) for dw, db in slopes]
    stepped = [(w - 0.1 * dw, b - 0.1 * db) for (w, b), (dw, db) in zip(params, slopes)]
    return stepped, lax.pmean(value, "batch")


def test_the_step_of_a_network():
    """Against the step on all examples at once: every device has as many."""
    every = (INPUTS.reshape(-1, 6), TARGETS.reshape(-1, 3))
    params, want = PARAMS, PARAMS
    for _ in range(3):
        params, value = spmd_update(params, (INPUTS, TARGETS))
        expected, slopes = value_and_grad(loss)(want, every)
        want = [(w - 0.1 * dw, b - 0.1 * db) for (w, b), (dw, db) in zip(want, slopes)]
        assert_allclose(value, expected, rtol=1e-12)
    for one, other in zip(params, want):
        assert_allclose(one[0], other[0], rtol=1e-12)
        assert_allclose(one[1], other[1], rtol=1e-12)


@partial(shard_map, mesh=DATA, in_specs=(P(), P("data"), P("data")), out_specs=P())
def data_parallel_loss(w, x, y):
    return lax.pmean(np.mean((np.tanh(x @ w) - y) ** 2), "data")


@jit
def data_parallel_step(w, x, y):
    return w - 0.1 * grad(data_parallel_loss)(w, x, y)


def test_a_step_with_the_gradient_outside():
    w, x, y = RNG.normal(size=(5, 2)), RNG.normal(size=(16, 5)), RNG.normal(size=(16, 2))

    def whole(w, x, y):
        out = np.tanh(x @ w)
        return w - 0.1 * x.T @ (2.0 * (out - y) * (1.0 - out**2)) / y.size

    agrees(data_parallel_step, whole, w, x, y)
    agrees(data_parallel_loss, lambda w, x, y: np.mean((np.tanh(x @ w) - y) ** 2), w, x, y, by=(0, 1))


@partial(shard_map, mesh=MODEL, in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()), out_specs=P())
def tensor_parallel(x, w1, b1, w2, b2):
    hidden = np.maximum(x @ w1 + b1, 0.0)
    return lax.psum(hidden @ w2, "model") + b2


def test_layers_cut_among_devices():
    args = [RNG.normal(size=s) for s in [(3, 6), (6, 8), (8,), (8, 5), (5,)]]
    agrees(tensor_parallel, lambda x, w1, b1, w2, b2: np.maximum(x @ w1 + b1, 0.0) @ w2 + b2, *args, by=(0, 1, 2, 3, 4))


@partial(shard_map, mesh=MODEL, in_specs=(P("model"), P("model"), P("model")), out_specs=P())
def weights_gathered(w1, w2, x):
    """Fully sharded data parallel: the weights of a layer are gathered when they are needed."""
    w1 = lax.all_gather(w1, "model", axis=0, tiled=True)
    hidden = np.tanh(x @ w1)
    w2 = lax.all_gather(w2, "model", axis=0, tiled=True)
    return lax.pmean(np.mean((hidden @ w2) ** 2), "model")


def test_weights_that_are_gathered():
    args = [RNG.normal(size=s) for s in [(8, 4), (4, 2), (12, 8)]]
    agrees(weights_gathered, lambda w1, w2, x: np.mean((np.tanh(x @ w1) @ w2) ** 2), *args, by=(0, 1, 2))


# --- products of matrices --------------------------------------------------------------------------------------------


@partial(shard_map, mesh=GRID, in_specs=(P("rows", "columns"), P("rows", "columns")), out_specs=P("rows", "columns"))
def summa(a, b):
    """Each device adds up the products of a row of blocks and a column of blocks, a panel at a time."""
    rows = lax.all_gather(a, "columns")
    columns = lax.all_gather(b, "rows")
    c = np.zeros((a.shape[0], b.shape[1]))
    for k in range(2):
        c = c + rows[k] @ columns[k]
    return c


def test_a_product_on_a_grid_of_devices():
    agrees(summa, lambda a, b: a @ b, RNG.normal(size=(4, 6)), RNG.normal(size=(6, 8)), by=(0, 1), inside=True)


@partial(shard_map, mesh=MODEL, in_specs=(P("model"), P(None, "model")), out_specs=P("model"))
def scattered_product(a, b):
    """a.T @ b.T, where every device has some rows of a: the sums are scattered."""
    return lax.psum_scatter(a.T @ b.T, "model", scatter_dimension=0, tiled=True)


def test_a_product_whose_sums_are_scattered():
    agrees(scattered_product, lambda a, b: a.T @ b.T, RNG.normal(size=(8, 12)), RNG.normal(size=(3, 8)), by=(0, 1))


# --- stencils --------------------------------------------------------------------------------------------------------

FOUR = 4
TO_RIGHT = [(i, (i + 1) % FOUR) for i in range(FOUR)]
TO_LEFT = [(i, (i - 1) % FOUR) for i in range(FOUR)]


@partial(shard_map, mesh=MODEL, in_specs=P("model"), out_specs=P("model"))
def heat(u):
    for _ in range(5):
        left = lax.ppermute(u[-1:], "model", TO_RIGHT)
        right = lax.ppermute(u[:1], "model", TO_LEFT)
        padded = np.concatenate([left, u, right])
        u = u + 0.2 * (padded[:-2] - 2.0 * u + padded[2:])
    return u


def heat_of_all(u):
    for _ in range(5):
        u = u + 0.2 * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1))
    return u


def test_a_stencil_with_halos():
    agrees(heat, heat_of_all, RNG.normal(size=16), by=(0,))


def shifted(x, name, axis):
    """What the neighbours have at the edges of a block, where the outermost ones have zeros."""
    first, last = np.take(x, np.array([0]), axis=axis), np.take(x, np.array([-1]), axis=axis)
    before, after = lax.ppermute(last, name, [(0, 1)]), lax.ppermute(first, name, [(1, 0)])
    return np.concatenate([before, x, after], axis=axis)


@partial(shard_map, mesh=GRID, in_specs=(P("rows", "columns"), P("rows", "columns")), out_specs=P("rows", "columns"))
def jacobi(u, f):
    for _ in range(4):
        tall, wide = shifted(u, "rows", 0), shifted(u, "columns", 1)
        u = 0.25 * (tall[:-2] + tall[2:] + wide[:, :-2] + wide[:, 2:] + f)
    return u


def jacobi_of_all(u, f):
    for _ in range(4):
        p = np.pad(u, 1)
        u = 0.25 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] + f)
    return u


def test_a_stencil_in_two_dimensions():
    agrees(jacobi, jacobi_of_all, RNG.normal(size=(6, 8)), RNG.normal(size=(6, 8)), by=(0, 1))
