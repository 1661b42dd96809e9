"""`vmap` of random functions for as long as asked: `python -m tests.fuzz.mapped --minutes 10 --seed 1 --step 2`.

Prints what fails or is refused, and ends with 1 if something failed.
"""

import argparse
import os
import sys
import time
from collections import Counter

os.environ["PELLUCID_CACHE"] = "0"  # programs are new each time
os.environ["PELLUCID_VERIFY"] = "1"

from tests.harness.fuzz.limits import TooSlow, time_limit
from tests.harness.mapped_agreement import WAYS, outcome

LONGEST = 120.0  # seconds for one program, compiled for one example and for many


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="tests.fuzz.mapped", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--step", type=int, default=1, help="how far it is from one seed to the next")
    parser.add_argument("--size", type=int, default=4, help="statements of the outermost block")
    options = parser.parse_args(arguments)
    counts, seed, until = Counter(), options.seed, time.monotonic() + 60.0 * options.minutes
    while time.monotonic() < until:
        way = WAYS[seed // options.step % len(WAYS)]
        try:
            with time_limit(LONGEST):
                kind, what = outcome(seed, way, options.size)
        except TooSlow:
            kind, what = "slow", ""
        counts[kind] += 1
        if kind not in ("agreed", "raised"):
            print(f"{seed} {way}: {kind} {what}", end="\n\n", flush=True)
        seed += options.step
    print(dict(counts))
    return int(bool(counts["failed"]))


if __name__ == "__main__":
    sys.exit(main())
