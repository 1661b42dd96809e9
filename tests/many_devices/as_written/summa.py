"""A product of matrices on a grid of devices: panels go along rows and columns of it (van de Geijn and Watts 1997)."""

import sys
from functools import partial

import numpy as np

import pellucid.numpy as jnp
from pellucid import P, lax, make_mesh, shard_map

BY = (0, 1)
GRIDS = {1: (1, 1), 2: (1, 2), 4: (2, 2), 8: (2, 4)}


def build(count):
    mesh = make_mesh(GRIDS[count], ("rows", "columns"))
    blocks = P("rows", "columns")
    panels = max(GRIDS[count])

    def panel(whole, k):
        """The panel of this number, from the device of its row or column that has it: all others put zeros."""
        values, name, axis = whole
        width = values.shape[axis] * lax.axis_size(name) // panels
        first = k * width
        owner, start = first // values.shape[axis], first % values.shape[axis]
        own = lax.dynamic_slice_in_dim(values, start, width, axis)
        return lax.psum(jnp.where(lax.axis_index(name) == owner, own, 0.0), name)

    @partial(shard_map, mesh=mesh, in_specs=(blocks, blocks), out_specs=blocks)
    def product(a, b):
        c = jnp.zeros((a.shape[0], b.shape[1]))
        for k in range(panels):
            c = c + panel((a, "columns", 1), k) @ panel((b, "rows", 0), k)
        return c

    return product


def given():
    rng = np.random.default_rng(3)
    return rng.normal(size=(8, 8)), rng.normal(size=(8, 12))


if __name__ == "__main__":
    print(build(int(sys.argv[1]))(*given()))
