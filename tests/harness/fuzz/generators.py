"""The generators by name, and at which stages each of their programs is run."""

import dataclasses

from . import closures, containers, instances, meetings, mutate_corpus, run_while_writing, scientific

GENERATORS = {
    "numpy": run_while_writing.case, "containers": containers.case, "corpus": mutate_corpus.case,
    "outside": closures.case, "instances": instances.case, "meetings": meetings.case,
    "scientific": scientific.case,
}  # fmt: skip
EVERY_STAGE = ("native", "typed", "loops")


def plan_of(generator: str, share: int = 6):
    """What `check` is told for a seed: machine code always, every stage for one in `share`, gradients for two."""

    def plan(seed):
        if generator in ("containers", "outside", "instances", "meetings"):  # have no loss
            return {"stages": EVERY_STAGE if seed % share == 0 else ("native",), "gradient": False}
        chosen = seed % share in (1, 2) or generator == "scientific"  # where half have a loss
        return {"stages": EVERY_STAGE if seed % share == 0 else ("native",), "gradient": chosen}

    return plan


def in_kernels(seed: int):
    """The plan for a driver and kernels, which lockstep takes so long for that nothing else is run."""
    return {"stages": ("kernels",), "gradient": False}


def in_short(generator: str):
    """The generator with fewer compilations: of calls with other layouts, dtypes or a length of 1 only one each."""

    def make(seed):
        case = GENERATORS[generator](seed)
        if generator != "numpy":
            return case
        kept = {0, 1, 4, 6, (2, 3, 5)[seed % 3]}
        return dataclasses.replace(case, calls=tuple(call for k, call in enumerate(case.calls) if k in kept))

    return make
