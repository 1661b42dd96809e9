"""Dependences of random nests for as long as asked: `python -m tests.fuzz.dependences --minutes 10 --seed 1000`.

Prints the first programs in which something happens that the analysis does not tell, and the share of what never
happened that it rules out.  Ends with 1 if one was found.
"""

import argparse
import itertools
import sys
import time

from tests.harness.dependence_agreement import KINDS, counted

MOST = 5  # programs that are printed


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="tests.fuzz.dependences", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5, help="how long")
    parser.add_argument("--seed", type=int, default=1000, help="the first one")
    options = parser.parse_args(arguments)
    counts, failures = {kind: [0, 0] for kind in KINDS}, []
    end = time.monotonic() + 60 * options.minutes
    for seed in itertools.count(options.seed):
        if time.monotonic() > end or len(failures) == MOST:
            break
        for kind in KINDS:
            try:
                for place, count in enumerate(counted(seed, kind, runs=12)):
                    counts[kind][place] += count
            except AssertionError as error:
                failures.append(str(error))
    print("\n".join(failures))
    for kind, (refused, never) in counts.items():
        print(f"{kind}: {refused} of {never} that never happened are ruled out")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
