"""Print what the kernels of the texts cost: `python -m tests.cuda_kernels`."""

import os

from pellucid.compiler.targets.cuda.assemble import assemble
from pellucid.compiler.targets.cuda.listing import table

from . import TEXTS, text_of

CAPABILITIES = ((8, 0), (9, 0))


def main() -> None:
    machines = []
    started = os.times()
    for name, path in TEXTS.items():
        for capability in CAPABILITIES:
            machines += assemble(text_of(name), capability, path=str(path)).values()
    ended = os.times()
    for line in table(sorted(machines, key=lambda one: one.name)):
        print(line)
    ours, assemblers = (sum(ended[k : k + 2]) - sum(started[k : k + 2]) for k in (0, 2))
    print(f"{len(machines)} kernels, of the store or in {ours:.1f} s of processor time and {assemblers:.1f} s of ptxas")


if __name__ == "__main__":
    main()
