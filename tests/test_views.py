"""Arrays that change through views of them: NumPy's meaning, or a refusal where the path decides which array it is.

The programs of `corpus/views.py` say what people write; here are random ones, and those that are refused.
"""

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError
from pellucid.compiler.request import Gradient
from tests.harness.random_views import random_views
from tests.harness.stages import STAGES, Stages, assert_same, in_python, module_of
from tests.test_stores import gradient_agrees, is_limit

pytestmark = pytest.mark.drawn(5)

REFUSED = {"R003", "T002"}  # one of two arrays, by the path; two ranks in one name


@pytest.mark.parametrize("seed", (*range(12), 1175, 1389))
def test_random_views_agree_at_every_stage(seed):
    written = random_views(seed)
    stages = Stages(written.function())
    for turn in (0, 1):
        args = written.arguments(turn)
        want = in_python(stages.function, *args)
        for stage in STAGES:
            try:
                got = stages.run(stage, *args)
            except CompileError as refused:
                assert {d.code for d in refused.diagnostics} <= REFUSED
                return
            if want.error is not None or not is_limit(got.error):
                assert_same(got, want)


def test_few_random_views_are_refused():
    refused = 0
    for seed in range(100, 130):
        written = random_views(seed)
        try:
            Stages(written.function()).program("typed", Stages(written.function()).flatten(written.arguments()))
        except CompileError:
            refused += 1
    assert refused <= 6


@pytest.mark.parametrize("seed", range(4))
def test_gradients_of_random_views(seed):
    written = random_views(seed, smooth=True)
    gradient_agrees(Stages(written.function(), [Gradient((0, 1))]), written.arguments(), (0, 1))


PROGRAMS = """import numpy as np


def one_of_two(x):
    a, b = x * 2.0, x * 3.0
    c = a if x[0] > 0.0 else b
    c[0] = 1.0
    return a + b


def in_a_list_that_grows(x):
    a, found = x * 2.0, []
    for _ in range(len(x)):
        a[0] += 1.0
        found.append(a)
    return np.array(found)


def read_only(x):
    a = np.outer(x, x)
    d = np.diagonal(a)
    d[0] = 1.0
    return a


def perhaps_a_copy(x):
    a = np.outer(x, x)
    flat = a.T.reshape(-1)
    flat[0] = 5.0
    return a


def of_an_argument(x):
    def put(out):
        out[1:][0] = 1.0

    row = x[1:]
    put(row)
    return x


def in_two_arguments(x):
    def mix(a, b, k):
        if k > 0:
            a[0] += b[0]
            mix(a, b, k - 1)

    y = x.copy()
    mix(y, y[:2], 3)
    return y


def of_an_argument_by_recursion(x):
    def count(a, k):
        if k > 0:
            a[k] += 1.0
            count(a, k - 1)

    count(x, 2)
    return x


def order_of_an_argument(A):
    b = A * 2.0
    flat = b.reshape(-1)
    flat[1] = 5.0
    return b
"""
CODES = {
    "one_of_two": "R003", "in_a_list_that_grows": "R003", "read_only": "R003", "perhaps_a_copy": "R003",
    "of_an_argument": "P0", "in_two_arguments": "R003", "of_an_argument_by_recursion": "P014",
}  # fmt: skip


@pytest.mark.parametrize("name", CODES)
def test_what_the_run_decides_is_refused(name):
    with pytest.raises(CompileError) as caught:
        pellucid.compile(module_of(PROGRAMS)[name])(np.array([1.0, 2.0, 3.0]))
    assert caught.value.diagnostics[0].code.startswith(CODES[name])


def test_another_shape_of_an_array_in_another_order_is_no_view():
    """NumPy gives results the order of the operands, and copies to reshape those in Fortran's."""
    python = module_of(PROGRAMS)["order_of_an_argument"]
    rows = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(pellucid.compile(python)(rows), python(rows))
    with pytest.raises(CompileError, match="R003"):
        pellucid.compile(python)(np.asfortranarray(rows))


def test_an_index_out_of_bounds_of_a_view_raises():
    def beyond(x, k):
        y = x.copy()
        part, flat = y[1:3], y.reshape(-1, 2)
        part[k] = 5.0
        flat[0, k] = 2.0
        return y, part

    compiled = pellucid.compile(beyond)
    x = np.arange(6.0)
    for k in range(-3, 4):
        if -2 <= k < 2:
            for got, want in zip(compiled(x, k), beyond(x, k)):
                np.testing.assert_array_equal(got, want)
        else:
            with pytest.raises(IndexError, match=f"index {k} is out of bounds for axis 0 with size 2"):
                compiled(x, k)


def test_derivatives_inside_of_a_function_see_changes_through_views():
    def slope(x):
        def loss(w):
            a = w * 1.0
            tail = a[1:]
            a[1] = 5.0 * w[0]
            return np.sum(tail * tail)

        return pellucid.grad(loss)(x)

    x = np.array([0.5, 1.5, -2.0])
    np.testing.assert_allclose(pellucid.compile(slope)(x), [25.0, 0.0, -4.0])


def turned(x, k):
    total, line = 0.0, x
    for d in (1, 2):
        if k > d:
            line = x[::-1]
            total += line[0] ** 2
        total += np.sum(line[1:] * line[:-1] ** 2)
    return total


@pytest.mark.parametrize("k", [1, 2, 3])
def test_part_of_what_is_a_reversed_view_in_one_branch(k):
    x, near = np.linspace(0.1, 1.0, 4), 1e-6
    slopes = [(turned(x + near * e, k) - turned(x - near * e, k)) / (2.0 * near) for e in np.eye(4)]
    np.testing.assert_allclose(pellucid.grad(turned)(x, k), slopes, rtol=1e-7, atol=1e-8)
