"""PageRank of a graph whose pages are cut among devices: iterations until the ranks change no more."""

import sys
from functools import partial

import numpy as np

import pellucid.numpy as jnp
from pellucid import P, lax, make_mesh, shard_map


def build(count):
    mesh = make_mesh((count,), ("i",))

    @partial(shard_map, mesh=mesh, in_specs=P(None, "i"), out_specs=(P("i"), P()))
    def page_rank(links):
        """links[a, b] says that page b links to page a."""
        pages = links.shape[0]
        out = jnp.sum(links, axis=0)
        share = links / jnp.maximum(out, 1.0)

        def has_changed(state):
            return (state[1] > 1e-10) & (state[2] < 200)

        def step(state):
            rank, _, turns = state
            moved = lax.psum_scatter(share @ rank, "i", scatter_dimension=0, tiled=True)
            lost = lax.psum(jnp.sum(jnp.where(out == 0.0, rank, 0.0)), "i")
            new = 0.15 / pages + 0.85 * (moved + lost / pages)
            return new, lax.psum(jnp.sum(jnp.abs(new - rank)), "i"), turns + 1

        start = (0.0 * out + 1.0 / pages, jnp.inf, 0)
        rank, _, turns = lax.while_loop(has_changed, step, start)
        return rank, turns

    return page_rank


def given():
    links = (np.random.default_rng(11).random((24, 24)) < 0.2).astype(float)
    links[:, 3] = 0.0
    return (links,)


if __name__ == "__main__":
    print(build(int(sys.argv[1]))(*given()))
