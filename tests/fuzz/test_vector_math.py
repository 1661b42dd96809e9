"""The error of every function of floating numbers on new random arguments each time: `make fuzz-hypothesis`, thousands.

    PELLUCID_ULP_ARGUMENTS=20000 python -m pytest tests/fuzz/test_vector_math.py -s    prints the largest errors
"""

import os

import numpy as np
import pytest
from hypothesis import settings

from pellucid.compiler.targets.llvm.vector_math.library import FUNCTIONS
from tests.harness.elementary import arguments, worst_error

IS_LONG = settings().max_examples > settings.get_profile("default").max_examples
COUNT = int(os.environ.get("PELLUCID_ULP_ARGUMENTS", "5000" if IS_LONG else "20"))


@pytest.mark.parametrize("dtype", ["f64", "f32"])
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_error(name, dtype):
    seed = np.random.SeedSequence().entropy if COUNT > 100 else 1
    worst, where = worst_error(name, dtype, *arguments(name, dtype, COUNT, np.random.default_rng(seed)))
    print(f"{name} {dtype}: {worst:.3f} at {where}")
    assert worst <= 2.0, (where, seed)
