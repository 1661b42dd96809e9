"""Programs of each generator agree with CPython, or are refused: values, errors, arguments, gradients.

The programs of a batch run in a process of their own, where one that crashes or never ends is a failure like any other.
`make fuzz` draws new ones for as long as asked, and shrinks what fails; `python -m tests.fuzz.run --generator numpy
--seed 17 --count 1` does it for one seed.
"""

import itertools
import pathlib
import subprocess
import sys

import pytest

from .harness.fuzz.case import Call, Case
from .harness.fuzz.isolate import checked

ROOT = pathlib.Path(__file__).resolve().parent.parent
BATCH = 20


SLOW = pytest.param("scientific", marks=pytest.mark.long)  # programs that compile derivatives of their own


@pytest.mark.parametrize("generator", ["numpy", "containers", "corpus", SLOW])
def test_programs_agree_with_cpython(generator):
    command = [
        sys.executable,
        "-m",
        "tests.fuzz.run",
        "--generator",
        generator,
        "--seed",
        "0",
        "--count",
        str(BATCH),
    ]
    done = subprocess.run([*command, "--short", "--no-shrink"], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert f"{generator}: {BATCH} programs, 0 failed" in done.stdout, done.stdout + done.stderr


def test_seeds_are_taken_as_they_are_needed():
    """A run by the clock has no last seed: nothing may ask for all of them."""
    case = Case("def program(x):\n    return x + 1\n", (Call("(2.0,)"),))
    found = checked(lambda seed: case, itertools.count(5), lambda seed: {})
    seed, _, (finding,) = next(found)
    found.close()
    assert (seed, finding.kind) == (5, "agreed")
