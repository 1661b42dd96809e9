"""Print what the kernels of the texts cost: `python -m tests.cuda_kernels`."""

import time

from pellucid.compiler.targets.cuda.assemble import assemble
from pellucid.compiler.targets.cuda.listing import table

from . import TEXTS, text_of

CAPABILITIES = ((8, 0), (9, 0))


def main() -> None:
    machines = []
    started = time.process_time()
    for name, path in TEXTS.items():
        for capability in CAPABILITIES:
            machines += assemble(text_of(name), capability, path=str(path)).values()
    spent = time.process_time() - started
    for line in table(sorted(machines, key=lambda one: one.name)):
        print(line)
    print(f"{len(machines)} kernels, {spent:.1f} s of processor time without the assembler's")


if __name__ == "__main__":
    main()
