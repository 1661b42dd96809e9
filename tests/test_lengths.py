"""Lengths that change: no array keeps a buffer of another length, and no two lengths pass for one.

Random programs that make arrays longer and shorter in loops and branches agree with CPython at every stage; what failed
is kept in `harness/length_programs.py`, one program for each way in which two lengths were taken for one.
"""

import numpy as np
import pytest

from pellucid.compiler.diagnostics import CompileError

from .harness import length_programs
from .harness.random_lengths import function_of, random_arguments, random_program
from .harness.stages import STAGES, Stages, assert_same, in_python


def agree(function, *args):
    want, stages = in_python(function, *args), Stages(function)
    for stage in STAGES:
        assert_same(stages.run(stage, *args), want)


@pytest.mark.parametrize("seed", range(24))
def test_random_programs_agree(seed):
    stages = Stages(function_of(seed))
    for args in map(random_arguments, (seed, seed + 1)):
        want = in_python(stages.function, *args)
        for stage in STAGES:
            try:
                assert_same(stages.run(stage, *args), want)
            except CompileError as refused:
                # a list whose items are of one length that is a number does not take others
                assert {d.code for d in refused.diagnostics} == {"T002"}, random_program(seed)


@pytest.mark.parametrize("function", length_programs.CARRIED, ids=lambda f: f.__name__)
def test_a_carried_array_may_get_another_length(function):
    for n, m in ((5, 2), (2, 5), (60, 3), (3, 3)):
        agree(function, np.arange(1.0, n + 1), np.arange(2.0, m + 2))


@pytest.mark.parametrize("function", length_programs.DIFFERENT, ids=lambda f: f.__name__)
def test_two_lengths_are_not_one(function):
    agree(function, np.arange(5.0), np.arange(2.0))
