"""Two layers, cut among devices: columns of the first one's weights, rows of the second's (Shoeybi and others 2019)."""

import sys
from functools import partial

import numpy as np

import pellucid.numpy as jnp
from pellucid import P, lax, make_mesh, shard_map

BY = (0, 1, 2, 3, 4)


def build(count):
    mesh = make_mesh((count,), ("model",))
    specs = (P(), P(None, "model"), P("model"), P("model", None), P())

    @partial(shard_map, mesh=mesh, in_specs=specs, out_specs=P())
    def layers(x, w1, b1, w2, b2):
        hidden = jnp.tanh(x @ w1 + b1)
        return lax.psum(hidden @ w2, "model") + b2

    return layers


def given():
    rng = np.random.default_rng(2)
    return tuple(rng.normal(size=shape) for shape in [(3, 6), (6, 16), (16,), (16, 5), (5,)])


if __name__ == "__main__":
    print(build(int(sys.argv[1]))(*given()))
