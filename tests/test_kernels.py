"""The kernels of the benchmarks at a small size: values against CPython, gradients against central differences."""

import sys
from pathlib import Path

import numpy as np
import pytest

import pellucid
from pellucid.compiler.request import Gradient

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))

from kernels import KERNELS, objective

from .harness.stages import Stages, assert_same, in_python

pytestmark = pytest.mark.drawn(5)

STEP = 1e-5


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_values_and_slopes(kernel):
    random = np.random.default_rng(5)
    args = kernel.make(kernel.small, random)
    assert_same(Stages(kernel.function).run("typed", *args), in_python(kernel.function, *args))
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


def _five_in_a_row(u):
    v = np.zeros(u.shape)
    v[2:-2] = u[4:] - 2.0 * u[3:-1] + 3.0 * u[2:-2] - 4.0 * u[1:-3] + 5.0 * u[:-4]
    return v


def _nine_in_the_plane(u):
    u = u.copy()
    u[1:-1, 1:-1] = (
        u[:-2, :-2] + 2.0 * u[:-2, 1:-1] + 3.0 * u[:-2, 2:] - u[1:-1, :-2] + 4.0 * u[1:-1, 1:-1]
        - 5.0 * u[1:-1, 2:] + 6.0 * u[2:, :-2] - 7.0 * u[2:, 1:-1] + 8.0 * u[2:, 2:]
    )  # fmt: skip
    return u


LINES = [(n,) for n in range(4, 11)]
PLANES = [(n, m) for n in (2, 3, 4, 5, 8) for m in (2, 3, 4, 7)]


@pytest.mark.parametrize("shapes", [LINES, PLANES], ids=["lines", "planes"])
def test_edges_of_stencils(shapes):
    """What a linear stencil gives back is the transpose of its matrix, whatever of the array are edges."""
    stencil = _five_in_a_row if len(shapes[0]) == 1 else _nine_in_the_plane
    pull = pellucid.grad(lambda u, weights: np.sum(weights * stencil(u)))
    for shape in shapes:
        size = int(np.prod(shape))
        matrix = np.array([stencil(column.reshape(shape)).ravel() for column in np.eye(size)])
        weights = np.random.default_rng(size).uniform(-1.0, 1.0, shape)
        found = np.asarray(pull(np.zeros(shape), weights))
        np.testing.assert_allclose(found.ravel(), matrix @ weights.ravel(), rtol=1e-13, atol=1e-13)


def _weighted(x, scale):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = np.sin(x[i]) * scale
    return np.sum(y)


def test_backward_loops_count_up():
    """What a number gives to all turns is summed in lanes, and sums of the user's keep their order."""
    pull = pellucid.grad(_weighted, (0, 1))
    x = np.linspace(-2.0, 3.0, 300)
    text = str(pull.source("loops", x, 0.7))
    assert "lanes(" in text and ", -1, -1)" not in text
    slopes = pull(x, 0.7)
    np.testing.assert_allclose(slopes[0], 0.7 * np.cos(x), rtol=1e-14)
    np.testing.assert_allclose(slopes[1], np.sum(np.sin(x)), rtol=1e-12)
