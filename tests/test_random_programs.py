"""Random programs agree at every stage, and the gradients of smooth ones are right.

A failing example prints its text and its seed.  What once failed is kept below, as it was reduced.
"""

from hypothesis import given, settings

from tests.harness.agreement import agrees, gradient_agrees, second_derivative_agrees, tangent_agrees
from tests.harness.random_programs import programs
from tests.harness.stages import STAGES


@settings(max_examples=20)
@given(programs())
def test_every_stage_agrees_with_python(written):
    agrees(written, STAGES)


@settings(max_examples=20)
@given(programs(smooth=True))
def test_gradients_match_differences(written):
    gradient_agrees(written, ("typed", "llvm"))


@settings(max_examples=15)
@given(programs(smooth=True))
def test_tangents_are_gradients_times_directions(written):
    tangent_agrees(written, ("typed",))


@settings(max_examples=15)
@given(programs(smooth=True, parameters=("a", "b"), room=4))
def test_derivatives_of_derivatives_match_differences(written):
    second_derivative_agrees(written, ("typed", "llvm"))
