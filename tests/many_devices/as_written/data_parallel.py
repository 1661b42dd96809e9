"""A step of a network in which every device has some of the examples: the mean of their gradients is taken."""

import sys
from functools import partial

import numpy as np

import pellucid.numpy as jnp
from pellucid import P, lax, make_mesh, shard_map, value_and_grad

BY = (0, 1)


def predict(params, x):
    *hidden, (w_last, b_last) = params
    for w, b in hidden:
        x = jnp.tanh(jnp.dot(x, w) + b)
    return jnp.dot(x, w_last) + b_last


def loss(params, x, y):
    return jnp.mean((predict(params, x) - y) ** 2)


def build(count):
    mesh = make_mesh((count,), ("data",))

    @partial(shard_map, mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=(P(), P()), check_vma=False)
    def update(params, x, y):
        value, slopes = value_and_grad(loss)(params, x, y)
        slopes = [(lax.pmean(dw, "data"), lax.pmean(db, "data")) for dw, db in slopes]
        return [(w - 0.1 * dw, b - 0.1 * db) for (w, b), (dw, db) in zip(params, slopes)], lax.pmean(value, "data")

    return update


def given():
    rng = np.random.default_rng(1)
    sizes = [6, 10, 3]
    params = [(0.5 * rng.normal(size=(m, n)), 0.1 * rng.normal(size=n)) for m, n in zip(sizes[:-1], sizes[1:])]
    return params, rng.normal(size=(16, 6)), rng.normal(size=(16, 3))


if __name__ == "__main__":
    print(build(int(sys.argv[1]))(*given()))
