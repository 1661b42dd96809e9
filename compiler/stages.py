"""The stages of a program by the names that `source`, `debug` and the command line give them, in their order.

    f.source("typed", x)                   as it is after specialisation
    vmap(f).source("transformed", x)       after all transformations that were asked for, in the same language
    grad(f).source("reverse", x)           the same stage, by the name that it has where it is a derivative backwards
"""

from __future__ import annotations

SOURCE, CORE, TYPED, TRANSFORMED, REVERSE = "source", "core", "typed", "transformed", "reverse"
LOOPS, LLVM, ASM = "loops", "llvm", "asm"
KERNELS, PTX, SASS = "kernels", "ptx", "sass"
OF_GPU = (PTX, SASS)  # they need numba-cuda
STAGES = (SOURCE, CORE, TYPED, TRANSFORMED, REVERSE, LOOPS, LLVM, ASM, KERNELS, PTX, SASS)
IN_TYPED = (TYPED, TRANSFORMED, REVERSE)  # the stages that are written in the typed language
READABLE = (*IN_TYPED, LOOPS)  # what is printed of them can be read back
EDITABLE = (*READABLE, KERNELS)  # what is printed of them becomes a function again
RUNNABLE = (CORE, *EDITABLE)  # what is printed of them is Python
MACHINE = (LLVM, ASM, PTX, SASS)


def named(stages: tuple[str, ...]) -> str:
    """`typed, reverse and loops`."""
    return f"{', '.join(stages[:-1])} and {stages[-1]}"
