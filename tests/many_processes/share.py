"""How many threads each process has: large loops, and the BLAS of compiled code."""

import numpy as np

import pellucid
from pellucid.runtime.blas_threads import blas_threads

before = pellucid.thread_count()
pellucid.distributed.initialize()
pellucid.compile(lambda a: a @ a)(np.ones((8, 8)))
counts = {library.count() for library in blas_threads()._found.values()}
print("threads", before, pellucid.thread_count(), *counts, flush=True)
