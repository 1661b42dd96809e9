"""Stores whose right side reads the array that is stored into: values, the caller's arrays, gradients.

The programs that were wrong once stand here as they were found; random ones of their kind come from
`harness/random_stores.py`.
"""

import re

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError
from pellucid.compiler.request import Gradient
from tests.harness.random_stores import random_stores
from tests.harness.stages import STAGES, Stages, assert_same, assert_same_value, attempt, in_python, module_of

pytestmark = pytest.mark.drawn(5)

# A length that turns out to be 1 only when the program runs is refused in a broadcast (docs/limits.md).
LENGTH_ONE = re.compile(r"at run time|shape \((\d+,)*1(,\d*)*\)|assign 1 input")


PROGRAMS = """import numpy as np


def through_itself(x, idx):
    x = x.copy()
    x[idx] = x
    return x


def part_of_itself(x, idx):
    x = x.copy()
    x[idx[:3]] = x[:3]
    return x


def rows(A):
    A = A.copy()
    A[[2, 0, 1]] = A
    return A


def columns(A):
    A = A.copy()
    A[:, [1, 2, 0]] = A
    return A


def its_own_index(p):
    p = p.copy()
    p[p] += 1
    return p


def index_spoiled_on_the_way(p):
    p = p.copy()
    p[p] = 7 * p
    return p


def mask_changed_before_the_sum_is_stored(x, mask):
    x, mask = x.copy(), mask.copy()
    t = x[mask]
    mask[...] = ~mask
    x[mask] = t + 1.0
    return x
"""
X, SQUARE, PLACES = np.array([0.5, -1.0, 2.0, -3.0]), np.arange(9.0).reshape(3, 3), np.array([3, 1, 0, 2])
CASES = [
    ("through_itself", (X, PLACES)), ("through_itself", (X, np.array([1, 1, -4, 2]))), ("part_of_itself", (X, PLACES)),
    ("rows", (SQUARE,)), ("columns", (SQUARE,)), ("its_own_index", (PLACES,)), ("index_spoiled_on_the_way", (PLACES,)),
    ("mask_changed_before_the_sum_is_stored", (X, X > 0.0)),
]  # fmt: skip


@pytest.mark.parametrize("name, args", CASES)
def test_what_the_store_reads_is_read_before(name, args):
    stages = Stages(module_of(PROGRAMS)[name])
    want = in_python(stages.function, *args)
    for stage in STAGES:
        assert_same(stages.run(stage, *args), want)


@pytest.mark.parametrize("seed", range(14))
def test_random_stores_agree_at_every_stage(seed):
    written = random_stores(seed)
    if written.mutates:
        agree_in_place(written)
        return
    stages = Stages(written.function())
    for turn in (0, 1):
        args = written.arguments(turn)
        want = in_python(stages.function, *args)
        for stage in STAGES:
            got = stages.run(stage, *args)
            if want.error is not None or not is_limit(got.error):
                assert_same(got, want)


def agree_in_place(written):
    """The arguments that a function declares to change are what NumPy makes of them."""
    function = written.function()
    compiled = pellucid.compile(function, mutates=written.mutates)
    for turn in (0, 1):
        mine, theirs = written.arguments(turn), written.arguments(turn)
        want, got = attempt(function, *theirs), attempt(compiled, *mine)
        if is_limit(got.error):
            continue
        assert type(got.error) is type(want.error)
        if want.error is None:  # one that raises leaves its arguments as they were (docs/limits.md)
            assert_same_value(mine, theirs)
            assert_same_value(tuple(map(np.asarray, got.value)), want.value)


@pytest.mark.parametrize("seed", range(500, 508))
def test_random_stores_through_views_agree_or_are_refused(seed):
    written = random_stores(seed, views=True)
    function = written.function()
    args = written.arguments()
    want = in_python(function, *args)
    try:
        got = Stages(function).run("llvm", *args)
    except CompileError as refused:
        assert {d.code for d in refused.diagnostics} == {"R003"}
        return
    if not is_limit(got.error):
        assert_same(got, want)


def is_limit(error):
    return error is not None and LENGTH_ONE.search(str(error)) is not None


def test_a_mask_that_shows_what_it_selects_is_refused():
    def flipped(mask):
        mask = mask.copy()
        mask[mask[::-1]] = False
        return mask

    with pytest.raises(CompileError, match="R003"):
        pellucid.compile(flipped)(X > 0.0)


# --- gradients -----------------------------------------------------------------------------------------------------


SCALARS = """import numpy as np


def swapped_rows(B):
    B = B.copy()
    B[[0, 2]] = B[[2, 0]]
    return np.sum(B * np.arange(9.0).reshape(3, 3) ** 2)


def one_place_for_all(B):
    B = B.copy()
    B[np.array([1]), np.array([0, 2, -3])] = B[0] * B[2]
    return np.sum(B * np.arange(9.0).reshape(3, 3) ** 2)


def mask_changes_before_the_sum_is_stored(B):
    y, mask = B[0].copy(), np.array([True, True, False])
    t = y[mask]
    mask[:] = mask[::-1]
    y[mask] = t + B[1, :2]
    return np.sum(y * np.array([1.0, 2.0, 3.0]))
"""


@pytest.mark.parametrize("name", ["swapped_rows", "one_place_for_all", "mask_changes_before_the_sum_is_stored"])
def test_gradients_of_scattered_stores(name):
    args = (np.linspace(0.5, 2.0, 9).reshape(3, 3),)
    gradient_agrees(Stages(module_of(SCALARS)[name], [Gradient((0,))]), args, (0,))


@pytest.mark.parametrize("seed", range(6))
def test_gradients_of_random_stores(seed):
    written = random_stores(seed, smooth=True)
    gradient_agrees(Stages(written.function(), [Gradient((0, 1))]), written.arguments(), (0, 1))


def gradient_agrees(stages, args, numbers):
    """Reverse mode against the complex step, which is exact for these functions."""
    for stage in ("typed", "llvm"):
        got = stages.run(stage, *args)
        if is_limit(got.error):
            continue
        assert got.error is None, got.error
        found = got.value if isinstance(got.value, tuple) else (got.value,)
        for number, one in zip(numbers, found, strict=True):
            np.testing.assert_allclose(one, complex_step(stages.function, args, number), rtol=1e-9, atol=1e-9)


def complex_step(function, args, number, step=1e-30):
    slopes = np.zeros(args[number].shape)
    for place in np.ndindex(slopes.shape):
        moved = [a.astype(complex) if a.dtype.kind == "f" else a.copy() for a in args]
        moved[number][place] += 1j * step
        slopes[place] = function(*moved).imag / step
    return slopes


@pytest.mark.parametrize("place", ["0", "-1:", ":", "np.array([1, 0])", "j > 5"])
@pytest.mark.parametrize("value", [np.inf, np.nan, 1e30, 2.0])
def test_a_store_that_nobody_reads_raises_what_it_raises(place, value):
    """An int array takes no inf, also where it is not looked at any more."""
    function = module_of(f"import numpy as np\n\n\ndef f(j, s):\n    x = j.copy()\n    x[{place}] = s\n")["f"]
    stages, args = Stages(function), (np.array([1, 7]), value)
    for stage in STAGES[1:]:
        assert_same(stages.run(stage, *args), in_python(function, *args))


@pytest.mark.parametrize("place", ["k", "-k", "2", "-3", "k, 1", "1, -k"])
@pytest.mark.parametrize("number", [1.5, np.nan, np.inf, -np.inf])
def test_the_place_is_looked_at_before_the_number(place, number):
    """Where both fail, NumPy says that the index is out of bounds."""
    shape = "3" if "," not in place else "(3, 2)"

    def agree(body):
        text = f"import numpy as np\n\n\ndef program(k, s):\n    y = np.zeros({shape}, int)\n{body}"
        program = module_of(text)["program"]
        stages = Stages(program)
        for k in (0, 1, 3, 4, -4):
            want = in_python(program, k, number)
            for stage in STAGES:
                assert_same(stages.run(stage, k, number), want)

    agree(f"    y[{place}] = s\n    return y\n")
    if "," in place:
        agree(f"    y[{place.split(',')[0]}] = s\n    return y\n")
        agree(f"    y[:, {place.split(',')[1]}] = s\n    return y\n")
        agree(f"    y[:2, {place.split(',')[1]}] = np.array([1.0, s])\n    return y\n")
    agree(f"    for i in range(2):\n        y[{place}] = s * i\n    return y\n")
