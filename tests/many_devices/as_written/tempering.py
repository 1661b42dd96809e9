"""Parallel tempering: walkers at eight temperatures, of which neighbours may change places (Swendsen and Wang 1986)."""

import sys
from functools import partial

import numpy as np

import pellucid.numpy as jnp
from pellucid import P, lax, make_mesh, random, shard_map

EXACT = True
COLDNESS = 8


def energy(x):
    return 5.0 * (x**2 - 1.0) ** 2 + 0.5 * x


def build(count):
    mesh = make_mesh((count,), ("i",))

    @partial(shard_map, mesh=mesh, in_specs=(P(), P("i"), P("i")), out_specs=(P("i"), P("i")), check_vma=False)
    def tempering(key, x, coldness):
        up = [(k, k + 1) for k in range(count - 1)]
        down = [(k + 1, k) for k in range(count - 1)]
        number = lax.axis_index("i") * x.shape[0] + jnp.arange(x.shape[0])

        def step(carry, turn):
            x, total = carry
            noise, accept, swap = random.split(random.fold_in(key, turn), 3)
            tried = x + 0.5 * random.normal(noise, (COLDNESS,))[number]
            gain = coldness * (energy(x) - energy(tried))
            x = jnp.where(jnp.log(random.uniform(accept, (COLDNESS,))[number]) < gain, tried, x)
            drawn = jnp.log(random.uniform(swap, (COLDNESS,)))

            def of_neighbours(v):
                before = jnp.concatenate([lax.ppermute(v[-1:], "i", up), v[:-1]])
                return before, jnp.concatenate([v[1:], lax.ppermute(v[:1], "i", down)])

            (x_before, x_after), (cold_before, cold_after) = of_neighbours(x), of_neighbours(coldness)
            is_first = (number + turn) % 2 == 0  # of a pair
            other = jnp.where(is_first, x_after, x_before)
            gap = coldness - jnp.where(is_first, cold_after, cold_before)
            has_other = jnp.where(is_first, number < COLDNESS - 1, number > 0)
            pair = jnp.where(is_first, number, number - 1) % COLDNESS
            swaps = has_other & (drawn[pair] < gap * (energy(x) - energy(other)))
            x = jnp.where(swaps, other, x)
            return (x, total + jnp.where(swaps, 1, 0)), None

        (x, total), _ = lax.scan(step, (x, 0 * number), jnp.arange(200))
        return x, total

    return tempering


def given():
    key = np.array([0, 13], dtype=np.uint32)
    return key, np.random.default_rng(13).normal(size=COLDNESS), 2.0 ** -np.arange(COLDNESS)


if __name__ == "__main__":
    print(build(int(sys.argv[1]))(*given()))
