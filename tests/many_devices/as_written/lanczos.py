"""The largest eigenvalue of a matrix whose rows are cut among devices: Lanczos, then power iteration to polish it."""

import sys
from functools import partial

import numpy as np

import pellucid.numpy as jnp
from pellucid import P, lax, make_mesh, shard_map

BY = (0,)
STEPS = 8


def build(count):
    mesh = make_mesh((count,), ("i",))

    @partial(shard_map, mesh=mesh, in_specs=(P("i"), P("i")), out_specs=(P(), P(), P()))
    def lanczos(a, start):
        def dot(x, y):
            return lax.psum(jnp.dot(x, y), "i")

        def apply(x):
            return a @ lax.all_gather(x, "i", tiled=True)

        v = start / jnp.sqrt(dot(start, start))
        before, beta = 0.0 * v, 0.0
        alphas, betas = [], []
        for _ in range(STEPS):
            w = apply(v) - beta * before
            alpha = dot(w, v)
            w = w - alpha * v
            beta = jnp.sqrt(dot(w, w))
            before, v = v, w / beta
            alphas.append(alpha)
            betas.append(beta)
        alphas, betas = jnp.stack(alphas), jnp.stack(betas)
        t = jnp.diag(alphas) + jnp.diag(betas[:-1], 1) + jnp.diag(betas[:-1], -1)

        def power(_, x):
            y = t @ x
            return y / jnp.sqrt(y @ y)

        x = lax.fori_loop(0, 60, power, 0.0 * alphas + 1.0)
        return x @ t @ x, alphas, betas

    return lanczos


def given():
    rng = np.random.default_rng(20)
    a = rng.normal(size=(16, 16))
    return a + a.T + 8.0 * np.diag(np.arange(16.0)), rng.normal(size=16)


if __name__ == "__main__":
    print(build(int(sys.argv[1]))(*given()))
