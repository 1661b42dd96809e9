"""Weak and strong scaling of three programs, as the simulator predicts it: pictures of `docs/many-devices.md`.

    PELLUCID_CPU_DEVICES=2 python benchmarks/scaling.py docs/static

The network is one of a cluster (2 microseconds, 10 GB/s): of this machine there is only the time that a device
computes, which is measured.
"""

import sys
from functools import partial
from pathlib import Path

import numpy as np

from pellucid import P, ShapeDtypeStruct, grad, lax, shard_map, simulate
from pellucid.network import Network
from pellucid.simulation import imagined_mesh

CLUSTER = Network(latency=2e-6, bandwidth=10e9)
COUNTS = (1, 2, 4, 8, 16, 64, 256, 1024, 4096, 10_000)


def of_floats(*shape):
    return ShapeDtypeStruct(shape, np.float64)


def pairs(count):
    """From each device to the next one, and to the one before."""
    return tuple((k, k + 1) for k in range(count - 1)), tuple((k + 1, k) for k in range(count - 1))


def heat(count, cells):
    """A plate in strips of `cells` rows of 1000, ten steps: halos of neighbours."""

    up, down = pairs(count)

    @partial(shard_map, mesh=imagined_mesh((count,), ("i",)), in_specs=P("i"), out_specs=P("i"))
    def step(u):
        for _ in range(10):
            before, after = lax.ppermute(u[-1:], "i", up), lax.ppermute(u[:1], "i", down)
            tall = np.concatenate([before, u, after])
            u = u + 0.2 * (tall[:-2] + tall[2:] - 2.0 * u)
        return u

    return step, (of_floats(count * cells, 1000),)


def network(count, examples):
    """A step of two layers of 512 units, the gradients of `examples` on each device added up."""

    def loss(w1, w2, x):
        return np.mean((np.tanh(x @ w1) @ w2) ** 2)

    @partial(shard_map, mesh=imagined_mesh((count,), ("i",)), in_specs=(P(), P(), P("i")), out_specs=(P(), P()),
             check_vma=False)  # fmt: skip
    def step(w1, w2, x):
        by_w1, by_w2 = grad(loss, argnums=(0, 1))(w1, w2, x)
        return w1 - 0.1 * lax.pmean(by_w1, "i"), w2 - 0.1 * lax.pmean(by_w2, "i")

    return step, (of_floats(512, 512), of_floats(512, 512), of_floats(count * examples, 512))


def gradients(count, length):
    """Twenty steps of conjugate gradients for a difference equation: halos and two dot products each."""

    up, down = pairs(count)

    @partial(shard_map, mesh=imagined_mesh((count,), ("i",)), in_specs=P("i"), out_specs=P("i"))
    def solve(b):
        def dot(x, y):
            return lax.psum(np.sum(x * y), "i")

        x, r, p, rr = np.zeros(b.shape), b, b, dot(b, b)
        for _ in range(20):
            before, after = lax.ppermute(p[-1:], "i", up), lax.ppermute(p[:1], "i", down)
            tall = np.concatenate([before, p, after])
            ap = 2.5 * p - tall[:-2] - tall[2:]
            alpha = rr / dot(p, ap)
            x, r = x + alpha * p, r - alpha * ap
            new = dot(r, r)
            p, rr = r + new / rr * p, new
        return x

    return solve, (of_floats(count * length),)


# A program, its size on each device for weak scaling, and the size that strong scaling divides.
PROGRAMS = {
    "heat on a plate": (heat, 20, 10_000 * 2),
    "a network's step": (network, 4, 10_000 * 2),
    "conjugate gradients": (gradients, 5_000, 10_000 * 200),
}


def weak(make, size):
    """Seconds of each number of devices, each with as much."""
    alone = None
    for count in COUNTS:
        function, args = make(count, size)
        alone = alone or simulate(function, *args, network=CLUSTER)
        yield alone.compute + simulate(function, *args, network=CLUSTER, compute=False).communication


def strong(make, whole):
    """Seconds of each number of devices that divide a whole; what one computes is measured for a hundredth of it."""
    part = whole // 100
    function, args = make(1, part)
    each = simulate(function, *args, network=CLUSTER).compute / part
    yield each * whole
    for count in COUNTS[1:]:
        function, args = make(count, max(whole // count, 1))
        told = simulate(function, *args, network=CLUSTER, compute=False)
        yield each * whole / count + told.communication


def picture():
    """Efficiency of weak scaling, and speed-up of strong scaling."""
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9.6, 4.0), layout="constrained")
    for name, (make, size, whole) in PROGRAMS.items():
        taken = np.array(list(weak(make, size)))
        left.semilogx(COUNTS, taken[0] / taken, marker="o", label=name)
        taken = np.array(list(strong(make, whole)))
        right.loglog(COUNTS, taken[0] / taken, marker="o", label=name)
        print(name, flush=True)
    right.loglog(COUNTS, COUNTS, color="grey", linestyle=":", label="as many times as devices")
    left.set(title="weak scaling: each device has as much", xlabel="devices", ylabel="efficiency", ylim=(0.0, 1.05))
    right.set(title="strong scaling: one problem is divided", xlabel="devices", ylabel="times as fast as one device")
    right.legend()
    return figure


if __name__ == "__main__":
    picture().savefig(Path(sys.argv[1]) / "scaling.png", dpi=110)
