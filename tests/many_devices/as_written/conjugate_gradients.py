"""Conjugate gradients on a plate that is cut in strips: products need neighbours, and dot products all devices."""

import sys
from functools import partial

import numpy as np

import pellucid.numpy as jnp
from pellucid import P, lax, make_mesh, shard_map

BY = (0, 1)


def build(count):
    mesh = make_mesh((count,), ("i",))

    @partial(shard_map, mesh=mesh, in_specs=(P("i"), P()), out_specs=(P("i"), P()))
    def solve(b, shift):
        up = [(k, k + 1) for k in range(count - 1)]
        down = [(k + 1, k) for k in range(count - 1)]

        def apply(x):
            """(shift - Laplacian) x, with zeros around."""
            tall = jnp.concatenate([lax.ppermute(x[-1:], "i", up), x, lax.ppermute(x[:1], "i", down)])
            wide = jnp.pad(x, ((0, 0), (1, 1)))
            return (4.0 + shift) * x - tall[:-2] - tall[2:] - wide[:, :-2] - wide[:, 2:]

        def dot(x, y):
            return lax.psum(jnp.sum(x * y), "i")

        def is_far(state):
            return (state[3] > 1e-20) & (state[4] < 100)

        def step(state):
            x, r, p, rr, turns = state
            ap = apply(p)
            alpha = rr / dot(p, ap)
            x, r = x + alpha * p, r - alpha * ap
            new = dot(r, r)
            return x, r, r + new / rr * p, new, turns + 1

        x, _, _, _, turns = lax.while_loop(is_far, step, (0.0 * b, b, b, dot(b, b), 0))
        return x, turns

    return solve


def given():
    return np.random.default_rng(14).normal(size=(16, 6)), 0.5


if __name__ == "__main__":
    print(build(int(sys.argv[1]))(*given()))
