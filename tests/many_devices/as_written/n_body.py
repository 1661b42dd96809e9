"""Bodies on all devices: a copy of each device's bodies goes round, and pulls at those that it meets."""

import sys
from functools import partial

import numpy as np

import pellucid.numpy as jnp
from pellucid import P, lax, make_mesh, shard_map

BY = (0, 1, 2)


def build(count):
    mesh = make_mesh((count,), ("i",))

    def pull(x, others, mass):
        apart = others[None, :, :] - x[:, None, :]
        square = jnp.sum(apart**2, axis=2) + 0.05
        return jnp.sum(mass[None, :, None] * apart / square[:, :, None] ** 1.5, axis=1)

    def acceleration(x, mass):
        ring = [(k, (k + 1) % count) for k in range(count)]
        total, others, theirs = 0.0 * x, x, mass
        for _ in range(count):
            total = total + pull(x, others, theirs)
            others, theirs = lax.ppermute((others, theirs), "i", ring)
        return total

    @partial(shard_map, mesh=mesh, in_specs=P("i"), out_specs=(P("i"), P("i"), P()))
    def n_body(x, v, mass):
        def step(_, state):
            x, v = state
            v = v + 0.01 * acceleration(x, mass)
            return x + 0.01 * v, v

        x, v = lax.fori_loop(0, 10, step, (x, v))
        return x, v, lax.psum(0.5 * jnp.sum(mass[:, None] * v**2), "i")

    return n_body


def given():
    rng = np.random.default_rng(18)
    return rng.normal(size=(16, 3)), 0.1 * rng.normal(size=(16, 3)), rng.uniform(0.5, 1.5, size=16)


if __name__ == "__main__":
    print(build(int(sys.argv[1]))(*given()))
