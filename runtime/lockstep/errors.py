"""The two ways in which a kernel ends badly: it is wrong itself, or it says that the program it runs has failed."""

from __future__ import annotations


class KernelFault(Exception):
    """A kernel stored into the word of `faults()`: the program fails on these arguments, as it does on a CPU."""


class LockstepError(RuntimeError):
    """A kernel, or the driver that launches it, does what a GPU would not report: a fault of the printed file.

    The message names the kernel, the line and the thread; the traceback leads to the line in the printed file.
    """
