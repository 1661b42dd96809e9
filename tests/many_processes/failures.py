"""Ways in which one of several processes fails: `mpiexec -n 3 python -m tests.many_processes.failures NAME`.

The last one fails; each line that is printed begins with the number of a process and the time.
"""

import os
import signal
import sys
import time

import numpy as np

import pellucid
from pellucid import P, lax, make_mesh, shard_map

pellucid.distributed.initialize()
OWN, COUNT = pellucid.process_index(), pellucid.process_count()
IS_LAST = OWN == COUNT - 1
MESH = make_mesh((len(pellucid.devices()),), ("i",))


def say(*words):
    os.write(1, (" ".join(map(str, (OWN, time.time(), *words))) + "\n").encode())  # in one piece


def summed(a):
    return lax.psum(a, "i")


def checked(a):
    total = lax.psum(a, "i")
    if a[0] > 5.0:
        raise ValueError(f"{a[0]} is too large")
    return lax.psum(total + a, "i")


SUM = shard_map(summed, mesh=MESH, in_specs=P("i"), out_specs=P())
CHECKED = shard_map(checked, mesh=MESH, in_specs=P("i"), out_specs=P())
LARGEST = shard_map(lambda a: lax.pmax(a, "i"), mesh=MESH, in_specs=P("i"), out_specs=P())
GOOD = np.ones(MESH.size * 2)
BAD = np.array([1.0] * (MESH.size * 2 - 2) + [7.0, 7.0])


def outside():
    """An exception between calls, while the others wait in one."""
    if IS_LAST:
        time.sleep(0.5)
        say("raises")
        raise KeyError("between two calls")
    np.asarray(SUM(GOOD))


def inside():
    """The program of a device fails between two collectives."""
    say("calls")
    np.asarray(CHECKED(BAD))


def caught():
    """All go on after an error in each, with other calls; of large arrays, too."""
    for turn in range(3):
        try:
            np.asarray(CHECKED(BAD))
        except ValueError as error:
            say("own", error)
        except pellucid.distributed.ProcessError as error:
            say("other", error)
        total = np.asarray(SUM(np.full(MESH.size * (2 if turn == 0 else 50_000), turn + 1.0)))
        assert np.all(total == MESH.size * (turn + 1.0))
    say("went on")


def killed():
    """The system ends one, while the others wait for it."""
    if IS_LAST:
        time.sleep(0.5)
        say("raises")
        os.kill(os.getpid(), signal.SIGKILL)
    np.asarray(SUM(GOOD))


def ended():
    """One ends early, with a status of its own."""
    if IS_LAST:
        say("raises")
        sys.exit(3)
    np.asarray(SUM(GOOD))


def other_call():
    """They come to different collectives."""
    say("calls")
    np.asarray((LARGEST if IS_LAST else SUM)(GOOD))


for known in (SUM, CHECKED, LARGEST):  # compiled before the time is taken
    np.asarray(known(GOOD))
globals()[sys.argv[1]]()
say("is done")
