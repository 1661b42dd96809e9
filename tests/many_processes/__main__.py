"""Run all programs on the devices of all processes, and keep what they give.

    PELLUCID_CPU_DEVICES=8 python -m tests.many_processes FILE alone
    PELLUCID_CPU_DEVICES=4 mpiexec -n 2 python -m tests.many_processes FILE
"""

import sys

import numpy as np

import pellucid
from tests.many_processes import programs


def whole(leaf):
    """An array of one process or of all; every process has to give the same."""
    if pellucid.process_count() == 1:
        return np.asarray(leaf)
    if not getattr(leaf, "is_fully_addressable", True):
        return pellucid.distributed.process_allgather(leaf, tiled=True)
    every = pellucid.distributed.process_allgather(leaf)
    for one in every[1:]:
        np.testing.assert_array_equal(one, every[0])
    return np.asarray(leaf)


if sys.argv[2:] != ["alone"]:
    pellucid.distributed.initialize()
found = {}
for name, program in list(vars(programs).items()):
    if name.startswith("program_"):
        for k, leaf in enumerate(pellucid.tree.leaves(program())):
            found[f"{name.removeprefix('program_')}_{k}"] = whole(leaf)
if pellucid.process_index() == 0:
    np.savez(sys.argv[1], **found)
