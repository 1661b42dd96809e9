"""Every pair of transformations on fifty programs: `python -m tests.fuzz.pairs [--first 0] [--step 1]`.

Prints what disagrees with differences of the program itself, and ends with 1 if something did.
"""

import argparse
import sys

from tests.harness.pair_programs import PROGRAMS
from tests.harness.pairs import PAIRS, compared

CASES = [(program, *pair) for pair in PAIRS for program in PROGRAMS]
TOLERANCE = 2e-6  # of differences of differences


def held(number):
    """None, or what is wrong with a case."""
    program, outer, inner = CASES[number]
    name = f"{number}: {outer}({inner}({program.__name__}))"
    try:
        found, wanted = compared(program, outer, inner)
    except Exception as error:
        return f"{name}: {type(error).__name__}: {error}"
    if abs(found - wanted) <= TOLERANCE * max(1.0, abs(wanted)):
        return None
    return f"{name}: {found}, and by differences {wanted}"


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="tests.fuzz.pairs", description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--step", type=int, default=1, help="how far it is from one case to the next")
    options = parser.parse_args(arguments)
    numbers = range(options.first, len(CASES), options.step)
    faults = 0
    for number in numbers:
        if (fault := held(number)) is not None:
            faults += 1
            print(fault, end="\n\n", flush=True)
    print(f"{len(numbers)} of {len(CASES)} cases, {faults} disagree")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
