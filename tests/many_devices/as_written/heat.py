"""Heat along a rod: each device has a piece, and its neighbours' edges at every step."""

import sys
from functools import partial

import numpy as np

import pellucid.numpy as jnp
from pellucid import P, lax, make_mesh, shard_map

BY = (0, 1)
EXACT = True


def build(count):
    mesh = make_mesh((count,), ("i",))

    @partial(shard_map, mesh=mesh, in_specs=(P("i"), P()), out_specs=P("i"))
    def heat(u, rate):
        up = [(k, k + 1) for k in range(count - 1)]
        down = [(k + 1, k) for k in range(count - 1)]

        def step(_, u):
            before = lax.ppermute(u[-1:], "i", up)  # beyond the ends it is cold
            after = lax.ppermute(u[:1], "i", down)
            padded = jnp.concatenate([before, u, after])
            return u + rate * (padded[:-2] - 2.0 * u + padded[2:])

        return lax.fori_loop(0, 25, step, u)

    return heat


def given():
    return np.random.default_rng(4).normal(size=32), 0.3


if __name__ == "__main__":
    print(build(int(sys.argv[1]))(*given()))
