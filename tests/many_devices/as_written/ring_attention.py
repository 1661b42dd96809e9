"""Attention over a sequence that is cut among devices: keys and values go round (Liu, Zaharia and Abbeel 2023)."""

import sys
from functools import partial

import numpy as np

import pellucid.numpy as jnp
from pellucid import P, lax, make_mesh, shard_map

BY = (0, 1, 2)


def build(count):
    mesh = make_mesh((count,), ("sp",))

    @partial(shard_map, mesh=mesh, in_specs=P("sp"), out_specs=P("sp"), check_vma=False)
    def attention(q, k, v):
        """Causal: a query sees what is not after it.  Sums are kept relative to the largest score so far."""
        ring = [(k, (k + 1) % count) for k in range(count)]
        own, length = lax.axis_index("sp"), q.shape[0]
        mine = own * length + jnp.arange(length)

        def turn(step, carry):
            k, v, largest, total, out = carry
            theirs = (own - step) % count * length + jnp.arange(length)
            scores = jnp.where(mine[:, None] >= theirs[None, :], q @ k.T / jnp.sqrt(q.shape[1]), -1e30)
            now = jnp.maximum(largest, jnp.max(scores, axis=1))
            weights = jnp.exp(scores - now[:, None])
            kept = jnp.exp(largest - now)
            total = total * kept + jnp.sum(weights, axis=1)
            out = out * kept[:, None] + weights @ v
            return lax.ppermute(k, "sp", ring), lax.ppermute(v, "sp", ring), now, total, out

        start = (k, v, jnp.full(length, -1e29), jnp.zeros(length), jnp.zeros(v.shape))
        _, _, _, total, out = lax.fori_loop(0, count, turn, start)
        return out / total[:, None]

    return attention


def given():
    rng = np.random.default_rng(6)
    return tuple(rng.normal(size=(16, 4)) for _ in range(3))


if __name__ == "__main__":
    print(build(int(sys.argv[1]))(*given()))
