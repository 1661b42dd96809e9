"""The long version of the random tests: `make fuzz-hypothesis`.

The profile `long` draws new programs every time, thousands of them; a failure prints the program, its seed, and a blob
that reproduces it.  In the suite a handful of programs shows that this file works.
"""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest import MonkeyPatch

from tests.harness.agreement import agrees, gradient_agrees, second_derivative_agrees
from tests.harness.growth_agreement import slopes_agree
from tests.harness.nests_agreement import nests_agree
from tests.harness.random_growth import random_program
from tests.harness.random_programs import programs
from tests.harness.regions import last_iteration_first
from tests.harness.stages import STAGES

IS_LONG = settings().max_examples > settings.get_profile("default").max_examples
many = settings(
    max_examples=settings().max_examples if IS_LONG else 3,
    suppress_health_check=list(HealthCheck),
)


@many
@given(programs())
def test_every_stage_agrees_with_python(written):
    agrees(written, STAGES)


@many
@given(programs(room=25))
def test_long_programs_agree(written):
    agrees(written, STAGES)


@many
@given(programs(smooth=True))
def test_gradients_match_differences(written):
    gradient_agrees(written, ("typed", "loops", "llvm"))


@many
@given(programs(smooth=True, parameters=("a", "b"), room=6))
def test_derivatives_of_derivatives_match_differences(written):
    second_derivative_agrees(written, ("typed", "loops", "llvm"))


@many
@given(st.integers(0, 2**31))
def test_gradients_of_arrays_that_grow_match_complex_steps(seed):
    slopes_agree(random_program(seed, size=6), seed, ("typed", "loops", "llvm"))


@many
@given(st.integers(0, 2**31))
def test_loops_of_users_agree_whatever_the_order(seed):
    with MonkeyPatch.context() as patch, last_iteration_first(patch):
        nests_agree(seed)
