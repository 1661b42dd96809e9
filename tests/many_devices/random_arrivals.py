"""Thousands of collectives to which devices come in a random order.

    PELLUCID_CPU_DEVICES=8 python -m tests.many_devices.random_arrivals 10000

Each device works for a random time before each of them, so that now one and now another comes first; which collective
is next is random, too.  All numbers are whole, so that the result is known to the last bit.  A run that hangs is ended
by an alarm, with the traceback of each thread.
"""

import faulthandler
import sys

import numpy as np

from pellucid import P, lax, make_mesh, shard_map

from .program import called_on_devices

COUNT = 8
LARGE = 4096  # elements that are not copied before devices meet


def program(x, delays, kinds):
    wide = np.zeros(LARGE)
    for k in range(len(kinds)):
        work = delays[0, k]
        while work > 1.0:
            work = 0.999 * work
        if kinds[k] == 0:
            x = (lax.psum(x, "i") + lax.axis_index("i")) % 1009.0
        elif kinds[k] == 1:
            x = (x + lax.ppermute(x, "i", [(k, (k + 1) % 8) for k in range(8)])) % 1009.0
        elif kinds[k] == 2:
            x = (3.0 * x + lax.all_to_all(x, "i", 0, 0, tiled=True)) % 1009.0
        elif kinds[k] == 3:
            x = (x + lax.psum_scatter(lax.all_gather(x, "i", tiled=True), "i", tiled=True)) % 1009.0
        else:
            wide = (lax.psum(wide + x[0], "i") + lax.axis_index("i")) % 1009.0
            x = (x + wide[-1]) % 1009.0
    return x


def expected(x, kinds):
    """The rows of all devices, by NumPy."""
    wide, number = np.zeros((COUNT, LARGE)), np.arange(COUNT)[:, None]
    for kind in kinds:
        if kind == 0:
            x = x.sum(axis=0) + number
        elif kind == 1:
            x = x + np.roll(x, 1, axis=0)
        elif kind == 2:
            x = 3.0 * x + x.T
        elif kind == 3:
            x = x + COUNT * x
        else:
            wide = ((wide + x[:, :1]).sum(axis=0) + number) % 1009.0
            x = x + wide[:, -1:]
        x = x % 1009.0
    return x


def main(length, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 1000, size=(COUNT, COUNT)).astype(float)
    kinds = rng.choice(5, size=length, p=[0.3, 0.25, 0.2, 0.2, 0.05])
    delays = np.exp(rng.exponential(0.3, size=(COUNT, length)))
    mapped = shard_map(program, mesh=make_mesh((COUNT,), ("i",)), in_specs=(P("i"), P("i"), P()), out_specs=P("i"))
    found, starts = called_on_devices(mapped, (x.ravel(), delays, kinds))
    assert starts == [COUNT], "the program of one device did not run"
    found = np.asarray(found).reshape(COUNT, COUNT)
    np.testing.assert_array_equal(found, expected(x, kinds))
    again = np.asarray(mapped(x.ravel(), delays[::-1].copy(), kinds)).reshape(COUNT, COUNT)
    np.testing.assert_array_equal(found, again)
    print(f"{length} collectives on {COUNT} devices, twice")


if __name__ == "__main__":
    faulthandler.dump_traceback_later(500, exit=True)
    main(int(sys.argv[1]))
