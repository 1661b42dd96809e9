"""The machine on which a printed kernels file runs in plain CPython, without numba and without a GPU.

    from pellucid.support import cuda, rows       what a printed file imports
    y = driver(cuda.to_device(x))                 a launch runs block after block, each thread to its next barrier
    with counting() as counts: ...                sectors of memory that each access moves: print(counts.report())

What a GPU would do without a word is an error here, with kernel, line and thread: an index out of bounds, a barrier
that not all threads come to, a shuffle with lanes missing, a race, an element that was never written, a value of
another dtype than the array's.

    sources      where a function stands         rewriting   its text for the machine
    kernels      functions, and launches         threads     what a thread can do
    blocks       threads from barrier to barrier memory      arrays, and what is known of each element
    order        what is a race                  numbers     where numba's numbers are not CPython's
    counts       what memory moves               machine     `cuda`
    calling      drivers for arrays of the host
"""

from __future__ import annotations

from .calling import in_lockstep
from .errors import KernelFault, LockstepError
from .machine import counting, cuda
from .memory import DeviceArray, FaultWord, faults, fetch
from .sources import load

__all__ = ["DeviceArray", "FaultWord", "KernelFault", "LockstepError", "counting", "cuda", "faults", "fetch",
           "in_lockstep", "load"]  # fmt: skip
