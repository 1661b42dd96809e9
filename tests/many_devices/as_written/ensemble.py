"""An ensemble of oscillators (van der Pol), each device with some of them; their mean at each moment."""

import sys
from functools import partial

import numpy as np

import pellucid.numpy as jnp
from pellucid import lax, pmap, vmap

BY = (0, 1)


def slope(y, rate):
    return jnp.stack([y[1], rate * (1.0 - y[0] ** 2) * y[1] - y[0]])


def follow(y, rate):
    """The position at each moment, by the method of Runge and Kutta."""
    h = 0.05

    def step(y, _):
        a = slope(y, rate)
        b = slope(y + 0.5 * h * a, rate)
        c = slope(y + 0.5 * h * b, rate)
        d = slope(y + h * c, rate)
        y = y + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
        return y, y[0]

    return lax.scan(step, y, None, length=20)


def build(count):
    @partial(pmap, axis_name="members")
    def of_device(y, rate):
        last, path = vmap(follow)(y, rate)
        return last, lax.pmean(jnp.mean(path, axis=0), "members")

    def ensemble(y, rate):
        last, mean = of_device(y.reshape(count, -1, 2), rate.reshape(count, -1))
        return last.reshape(-1, 2), mean[0]

    return ensemble


def given():
    rng = np.random.default_rng(12)
    return rng.normal(size=(16, 2)), rng.uniform(0.5, 1.5, size=16)


if __name__ == "__main__":
    print(build(int(sys.argv[1]))(*given()))
