"""The texts of the kernels stage: `targets/cuda/kernels/*.case`, programs of the loops stage before and after.

What is printed also runs: in lockstep it gives what the loops give in CPython, on random inputs.
"""

import copy
import dataclasses

import pytest

from pellucid.compiler.languages import verifier
from pellucid.compiler.stages import LOOPS
from pellucid.compiler.targets.cuda.kernels import kernels
from pellucid.runtime.lockstep import KernelFault, in_lockstep

from .harness.cases import FOLDER, callable_of, outcome, random_arguments, read_cases, write_cases
from .harness.loops_text import read_loops
from .harness.stages import assert_same_value, entry_of

FILES = [file.relative_to(FOLDER).as_posix() for file in sorted((FOLDER / "targets/cuda/kernels").glob("*.case"))]


def all_cases():
    for file in FILES:
        for case in read_cases(file):
            yield pytest.param(file, case, id=f"{file.removesuffix('.case')}: {case.title}")


@pytest.mark.parametrize("file, case", list(all_cases()))
def test_case(file, case, update_cases):
    program = read_loops(case.before, case.file.name)
    assert not verifier.verify(program.main, LOOPS), verifier.verify(program.main, LOOPS)
    made = kernels(program)
    if update_cases:
        cases = [dataclasses.replace(c, after=made.text) if c.title == case.title else c for c in read_cases(file)]
        write_cases(case.file, cases)
    else:
        assert made.text == case.after
    driver, function = in_lockstep(entry_of(made.text, made.entry, case.file.name)), callable_of(program.main)
    for seed in range(4):
        arguments = random_arguments(program.main, seed)
        want, _ = raised_or_given(function, copy.deepcopy(arguments))
        got, _ = raised_or_given(driver, arguments)
        if isinstance(want, Exception):
            assert isinstance(got, KernelFault) or type(got) is type(want)
        else:
            assert_same_value(got, want)


def raised_or_given(function, arguments):
    found = outcome(function, arguments)
    return (found, arguments) if isinstance(found, Exception) else found


@pytest.mark.parametrize("file", FILES)
def test_titles_are_unique(file):
    titles = [case.title for case in read_cases(file)]
    assert len(titles) == len(set(titles))
