"""Every program of the corpus, and its gradient, gives in lockstep what CPython and the loops stage give."""

import pytest

from pellucid.compiler.request import Gradient
from tests.harness.corpus import programs
from tests.harness.stages import Stages, assert_same, in_python
from tests.test_gradients import DIFFERENTIABLE, scalarised

SIZES = (33, 1, 4)
# Lockstep takes a microsecond's work of a GPU for a second or more: these are run at small sizes alone.
SMALL = frozenset(
    """
    complex_numbers.fourier_by_halves dynamic_programming.segmented_least_squares linear_algebra.gauss_jordan_inverse
    linear_algebra.jacobi_eigenvalues linear_algebra.kronecker_product machine_learning.convolution_layer
    recursion.binomial simulation.n_body_energy simulation.n_body_step statistics.kolmogorov_smirnov
""".split()
)


@pytest.mark.drawn(5)
@pytest.mark.parametrize("program", programs(), ids=str)
def test_kernels_agree_with_python(program):
    stages = Stages(program.function)
    for size in SIZES if str(program) not in SMALL else (6, 1, 4):
        args = program.make_arguments(seed=size, size=size)
        want = in_python(program.function, *args)
        assert want.error is None
        assert_same(stages.run("kernels", *args), want)


@pytest.mark.drawn(5)
@pytest.mark.parametrize("program", DIFFERENTIABLE, ids=str)
def test_slopes_agree_with_loops(program):
    """Those of the loops stage are held against differences in `test_gradients.py`."""
    problem = scalarised(program, program.make_arguments(seed=1, size=4))
    stages = Stages(problem.function, transforms=[Gradient(problem.argnums)])
    want = stages.run("loops", *problem.args)
    assert want.error is None
    assert_same(stages.run("kernels", *problem.args), want)
