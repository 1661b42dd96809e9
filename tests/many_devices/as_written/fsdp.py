"""Weights in pieces: each layer's are gathered when it needs them, and the sums of their gradients are scattered."""

import sys
from functools import partial

import numpy as np

import pellucid.numpy as jnp
from pellucid import P, grad, lax, make_mesh, shard_map

BY = (0, 1, 2)


def build(count):
    mesh = make_mesh((count,), ("fsdp",))

    def gathered(w):
        return lax.all_gather(w, "fsdp", axis=0, tiled=True)

    def scattered(w):
        return lax.psum_scatter(w, "fsdp", scatter_dimension=0, tiled=True) / count

    def loss(w1, w2, x, y):
        return jnp.mean((jnp.tanh(x @ w1) @ w2 - y) ** 2)

    @partial(shard_map, mesh=mesh, in_specs=P("fsdp"), out_specs=P("fsdp"), check_vma=False)
    def step(w1, w2, x, y):
        by_w1, by_w2 = grad(loss, argnums=(0, 1))(gathered(w1), gathered(w2), x, y)
        return w1 - 0.1 * scattered(by_w1), w2 - 0.1 * scattered(by_w2)

    return step


def given():
    rng = np.random.default_rng(15)
    return tuple(rng.normal(size=shape) for shape in [(8, 16), (16, 3), (24, 8), (24, 3)])


if __name__ == "__main__":
    print(build(int(sys.argv[1]))(*given()))
