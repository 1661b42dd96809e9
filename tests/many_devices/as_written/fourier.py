"""A Fourier transform of one long signal in six steps, three of them transposes between all devices (Bailey 1990)."""

import sys
from functools import partial

import numpy as np

import pellucid.numpy as jnp
from pellucid import P, lax, make_mesh, shard_map

BY = (0,)
EXACT = True


def build(count):
    mesh = make_mesh((count,), ("i",))

    def transposed(x):
        """Rows of a matrix to rows of its transpose."""
        return lax.all_to_all(x, "i", split_axis=1, concat_axis=0, tiled=True).T

    @partial(shard_map, mesh=mesh, in_specs=P("i"), out_specs=P("i"))
    def spectrum(x):
        """|F x|^2 of x[n], given as a matrix [n1, n2] with n = n2 + n1 * width, its rows cut."""
        across = transposed(x)  # [n2, n1]
        length = across.shape[1]
        across = jnp.fft.fft(across, axis=1)  # [n2, k1]
        n2 = lax.axis_index("i") * across.shape[0] + jnp.arange(across.shape[0])
        angle = -2.0 * jnp.pi * n2[:, None] * jnp.arange(length)[None, :] / (length * x.shape[1])
        twisted = transposed(across * jnp.exp(1j * angle))  # [k1, n2]
        whole = transposed(jnp.fft.fft(twisted, axis=1))  # [k2, k1]: frequency k1 + k2 * length
        return jnp.abs(whole) ** 2

    return spectrum


def given():
    return (np.random.default_rng(7).normal(size=(8, 16)),)


if __name__ == "__main__":
    print(build(int(sys.argv[1]))(*given()))
