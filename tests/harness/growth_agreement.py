"""Hold the gradient of a program whose arrays change their lengths against the complex step, for several lengths."""

import numpy as np

from pellucid.compiler.diagnostics import CompileError
from pellucid.compiler.request import Gradient

from . import random_growth
from .complex_step import ComplexNumPy, complex_slopes
from .stages import Stages, in_python, module_of

LENGTHS = ((3, 4, 2), (5, 2, 3), (1, 0, 2))


def slopes_agree(text, seed, stages):
    """How many gradients were compared at these stages; a refusal while compiling is an answer, too."""
    function, twin = module_of(text)["f"], module_of(text)["f"]
    twin.__globals__["np"] = ComplexNumPy()
    gradient = Stages(function, [Gradient((0, 1, 2, 3, 4))])
    compared = 0
    for lengths in LENGTHS:
        args = random_growth.arguments(seed, lengths)
        value = in_python(function, *args)
        if value.error is not None or not abs(value.value) < 1e6:
            continue
        with np.errstate(all="ignore"):
            want = complex_slopes(twin, args)
        for stage in stages:
            try:
                got = gradient.run(stage, *args)
            except CompileError:
                return compared
            assert got.error is None, f"{stage} raised {got.error!r} at {lengths}:\n{text}"
            assert_slopes(got.value, want, f"{stage}, {lengths}:\n{text}")
            compared += 1
    return compared


def assert_slopes(got, want, where):
    for number, (one, other) in enumerate(zip(got, want, strict=True)):
        scale = 1.0 + np.max(np.abs(other), initial=0.0)
        message = f"argument {number}, {where}"
        np.testing.assert_allclose(one, other, rtol=0.0, atol=1e-9 * scale, err_msg=message)
