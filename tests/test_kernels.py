"""The kernels of the benchmarks at a small size: values against CPython, gradients against central differences."""

import sys
from pathlib import Path

import numpy as np
import pytest

from pellucid.compiler.request import Gradient

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))

from kernels import KERNELS, objective

from .harness.stages import Stages, assert_same, in_python

STEP = 1e-5


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_values_and_slopes(kernel):
    random = np.random.default_rng(5)
    args = kernel.make(kernel.small, random)
    assert_same(Stages(kernel.function).run("loops", *args), in_python(kernel.function, *args))
    if not kernel.wrt:
        return
    total, by, rest = objective(kernel.function), args[: kernel.wrt], args[kernel.wrt :]
    outcome = Stages(total, [Gradient((0,))]).run("typed", by, rest)
    assert outcome.error is None, repr(outcome.error)
    for place, slopes in enumerate(outcome.value[0]):
        for _ in range(3):
            way = random.uniform(-1.0, 1.0, by[place].shape)
            moved = [(*by[:place], by[place] + h * way, *by[place + 1 :]) for h in (STEP, -STEP)]
            ahead, behind = (total(one, rest) for one in moved)
            np.testing.assert_allclose(np.sum(slopes * way), (ahead - behind) / (2.0 * STEP), rtol=1e-5, atol=1e-5)
