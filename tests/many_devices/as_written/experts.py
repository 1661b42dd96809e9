"""Experts on all devices: each token goes to the one that its gate names, and comes back (Lepikhin and others 2020)."""

import sys
from functools import partial

import numpy as np

import pellucid.numpy as jnp
from pellucid import P, lax, make_mesh, shard_map

BY = (0, 1, 2)
EXPERTS = 8


def build(count):
    mesh = make_mesh((count,), ("expert",))

    @partial(shard_map, mesh=mesh, in_specs=P("expert"), out_specs=P("expert"))
    def layer(x, gate, w):
        """Every expert has room for all tokens of a device, so that none is dropped."""
        logits = jnp.exp(gate - jnp.max(gate, axis=1, keepdims=True))
        share = logits / jnp.sum(logits, axis=1, keepdims=True)
        chosen = jnp.argmax(gate, axis=1)
        mask = chosen[:, None] == jnp.arange(EXPERTS)[None, :]
        sent = jnp.einsum("te,td->etd", jnp.where(mask, 1.0, 0.0), x)
        arrived = lax.all_to_all(sent, "expert", split_axis=0, concat_axis=1, tiled=True)
        done = jnp.tanh(jnp.einsum("etd,edf->etf", arrived, w))
        returned = lax.all_to_all(done, "expert", split_axis=1, concat_axis=0, tiled=True)
        return jnp.einsum("te,etf->tf", jnp.where(mask, share, 0.0), returned)

    return layer


def given():
    rng = np.random.default_rng(9)
    return rng.normal(size=(16, 3)), rng.normal(size=(16, EXPERTS)), rng.normal(size=(EXPERTS, 3, 4))


if __name__ == "__main__":
    print(build(int(sys.argv[1]))(*given()))
