"""Lloyd's iteration: sums and counts of the points that belong to each centre, of all devices."""

import sys
from functools import partial

import numpy as np

import pellucid.numpy as jnp
from pellucid import P, lax, make_mesh, shard_map

BY = (0,)


def build(count):
    mesh = make_mesh((count,), ("data",))

    @partial(shard_map, mesh=mesh, in_specs=(P("data"), P()), out_specs=(P(), P("data")))
    def k_means(points, centres):
        def nearest(centres):
            return jnp.argmin(jnp.sum((points[:, None] - centres[None]) ** 2, axis=2), axis=1)

        def step(_, centres):
            belongs = jnp.where(nearest(centres)[:, None] == jnp.arange(3)[None, :], 1.0, 0.0)
            sums = lax.psum(belongs.T @ points, "data")
            counts = lax.psum(jnp.sum(belongs, axis=0), "data")
            return sums / jnp.maximum(counts, 1.0)[:, None]

        centres = lax.fori_loop(0, 8, step, centres)
        return centres, nearest(centres)

    return k_means


def given():
    rng = np.random.default_rng(10)
    points = np.concatenate([rng.normal(size=(8, 2)) + centre for centre in ([0, 0], [4, 4], [0, 6])])
    return rng.permutation(points), points[[0, 8, 16]]


if __name__ == "__main__":
    print(build(int(sys.argv[1]))(*given()))
