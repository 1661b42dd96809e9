"""Numbers in order over all devices, by exchanges between neighbours, and a histogram of them."""

import sys
from functools import partial

import numpy as np

import pellucid.numpy as jnp
from pellucid import P, lax, make_mesh, shard_map

EXACT = True


def build(count):
    mesh = make_mesh((count,), ("i",))

    @partial(shard_map, mesh=mesh, in_specs=(P("i"), P()), out_specs=(P("i"), P()))
    def in_order(x, edges):
        own, length = lax.axis_index("i"), x.shape[0]
        x = jnp.sort(x)

        def shared(x, first):
            """Every second device from this one on has the lower half of its numbers and the next one's."""
            pairs = [(a, a + 1) for a in range(first, count - 1, 2)]
            other = lax.ppermute(x, "i", pairs + [(b, a) for a, b in pairs])
            is_lower = (own + first) % 2 == 0
            has_other = jnp.where(is_lower, own < count - 1, own > 0)
            both = jnp.sort(jnp.concatenate([x, other]))
            return jnp.where(has_other, jnp.where(is_lower, both[:length], both[length:]), x)

        for _ in range((count + 1) // 2):
            x = shared(shared(x, 0), 1)
        places = jnp.searchsorted(x, edges)
        return x, lax.psum(places[1:] - places[:-1], "i")

    return in_order


def given():
    return np.random.default_rng(17).normal(size=64), np.linspace(-2.0, 2.0, 9)


if __name__ == "__main__":
    print(build(int(sys.argv[1]))(*given()))
