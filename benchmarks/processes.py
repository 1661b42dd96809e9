"""Sums between processes, beside those of mpi4py: the same floats, in processes that `mpiexec` has started.

    .venv/bin/mpiexec -n 2 .venv/bin/python benchmarks/processes.py

Ours are the `psum`s of a loop in a program, mpi4py's are calls of `Allreduce`; each is of half of the one before.  The
least of many short turns counts, since the processes may not have cores of their own all the time.
"""

import time

import numpy as np
from mpi4py import MPI

import pellucid
from pellucid import NamedSharding, P, lax, make_mesh, shard_map

SIZES, TURNS, TIMES = (1, 1000, 100_000), 60, 400


def summed(x, n):
    for _ in range(n):
        x = lax.psum(x, "i") * 0.5
    return x


def seconds_of_ours(mapped, x, n):
    begun = time.perf_counter()
    mapped(x, n).block_until_ready()
    return time.perf_counter() - begun


def seconds_of_mpi4py(communicator, x, n):
    own, total = x.copy(), np.empty_like(x)
    begun = time.perf_counter()
    for _ in range(n):
        communicator.Allreduce(own, total)
        np.multiply(total, 0.5, out=own)
    return time.perf_counter() - begun


def least(measure, by, x, n):
    """Microseconds of one sum: what n of them take more than one, each the least of all turns; and those of one."""
    found = []
    for times in (1, n):
        every = []
        for _ in range(TURNS):
            MPI.COMM_WORLD.Barrier()
            every.append(measure(by, x, times))
        found.append(min(every))
    return 1e6 * (found[1] - found[0]) / (n - 1), 1e6 * found[0]


def main():
    count = pellucid.process_count()
    mesh = make_mesh((count,), ("i",))
    mapped = shard_map(summed, mesh=mesh, in_specs=(P("i"), P()), out_specs=P("i"), check_vma=False)
    for size in SIZES:
        x = pellucid.device_put(np.random.default_rng(size).normal(size=size * count), NamedSharding(mesh, P("i")))
        own = np.asarray(x.addressable_data(0)).copy()
        mapped(x, 1).block_until_ready()
        times = TIMES if size < 10_000 else TIMES // 20
        ours, call = least(seconds_of_ours, mapped, x, times)
        theirs, _ = least(seconds_of_mpi4py, MPI.COMM_WORLD, own, times)
        if pellucid.process_index() == 0:
            print(f"{size:7} floats between {count}: {ours:8.2f} us, mpi4py {theirs:8.2f} us, {ours / theirs:5.2f} x;  "
                  f"a call of one {call:8.2f} us", flush=True)  # fmt: skip


if __name__ == "__main__":
    pellucid.distributed.initialize()
    main()
