"""An option on an average price, by random paths on all devices; its value and its slope are means of theirs."""

import sys
from functools import partial

import numpy as np

import pellucid.numpy as jnp
from pellucid import P, lax, make_mesh, random, shard_map

BY = (1, 2)
PATHS = 512


def build(count):
    mesh = make_mesh((count,), ("paths",))

    @partial(shard_map, mesh=mesh, in_specs=(P(), P(), P()), out_specs=(P(), P()))
    def price(key, spot, volatility):
        steps, rate = 12, 0.03
        draws = random.normal(key, (PATHS, steps))
        own = PATHS // count
        z = lax.dynamic_slice_in_dim(draws, lax.axis_index("paths") * own, own, 0)
        growth = (rate - 0.5 * volatility**2) / steps + volatility * z / jnp.sqrt(steps)
        average = jnp.mean(spot * jnp.exp(jnp.cumsum(growth, axis=1)), axis=1)
        paid = jnp.exp(-rate) * jnp.maximum(average - 100.0, 0.0)
        mean = lax.pmean(jnp.mean(paid), "paths")
        spread = lax.pmean(jnp.mean((paid - mean) ** 2), "paths")
        return mean, jnp.sqrt(spread / PATHS)

    return price


def given():
    return np.array([0, 19], dtype=np.uint32), 101.0, 0.2


if __name__ == "__main__":
    print(build(int(sys.argv[1]))(*given()))
