"""`vmap` is the loop over the examples: for the corpus, for random programs, for every operator, in any nesting."""

import dataclasses
import functools
import math
import re
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings

import pellucid
from pellucid import BatchError, compile, grad, jvp, value_and_grad, vmap
from pellucid.compiler.request import Batch
from tests.harness.batches import Apart, looped, mapped_agrees, stacked
from tests.harness.corpus import leaves, programs
from tests.harness.random_programs import programs as random_programs
from tests.harness.stages import STAGES, Stages, assert_same, module_of

pytestmark = pytest.mark.drawn(5)

RNG = np.random.default_rng(5)
PRINTED = ("typed", "loops", "llvm")


def agrees(function, *args, axes=None, stages=PRINTED):
    """The outcome of the loop, which all stages come to."""
    axes = axes or (0,) * len(args)
    want = looped(function, args, axes)
    runner = Stages(function, transforms=[Batch(axes)])
    for stage in stages:
        assert_same(runner.run(stage, *args), want)
    return want


# --- the corpus ----------------------------------------------------------------------------------------------------

# What the examples return is a list that grows, a leaf of no array, or `None` in some.
REFUSED = {
    "containers.mixed_leaves", "keyed.found_or_not", "keyed.reached", "keyed.sums_by_label",
    "optional_values.largest_and_where",
}  # fmt: skip


def mappable():
    for program in programs()[::12]:
        first = program.make_arguments(seed=1, size=4)[:1]
        if first and not any(leaf is None or isinstance(leaf, str) or callable(leaf) for leaf in leaves(first)):
            yield program


@pytest.mark.parametrize("program", list(mappable()), ids=str)
def test_the_corpus_mapped_over_its_first_argument(program):
    drawn = [program.make_arguments(seed=seed, size=4) for seed in (1, 2, 3)]
    args = (stacked([one[0] for one in drawn]), *drawn[0][1:])
    axes = (0, *[None] * (len(args) - 1))
    try:
        looped(program.function, args, axes)
        is_refused = str(program) in REFUSED
    except Apart:
        is_refused = True
    if is_refused:
        with pytest.raises(ValueError, match="B002|all need one shape"):
            vmap(program.function, in_axes=axes)(*args)
        return
    agrees(program.function, *args, axes=axes, stages=("typed", "llvm"))


@settings(max_examples=8)
@given(random_programs())
def test_random_programs(written):
    try:
        mapped_agrees(written, ("typed", "llvm"), seed=written.seed)
    except (Apart, BatchError):
        pass  # lengths that differ, or that only the run tells


# --- forms ---------------------------------------------------------------------------------------------------------


def affine(w, x, b):
    return np.tanh(w @ x + b)


def test_a_product_with_a_shared_matrix_is_one_product():
    w, x, b = RNG.normal(size=(3, 4)), RNG.normal(size=(5, 4)), RNG.normal(size=3)
    agrees(affine, w, x, b, axes=(None, 0, None))
    text = vmap(affine, in_axes=(None, 0, None)).source("typed", w, x, b)
    assert "np.tanh(x @ w.T + b)" in text


SIDES = {1: (4,), 2: (4, 4), 3: (2, 4, 4)}


@pytest.mark.parametrize("ranks", [(a, b) for a in (1, 2, 3) for b in (1, 2, 3)], ids=str)
@pytest.mark.parametrize("axes", [(0, 0), (0, None), (None, 0)], ids=str)
def test_products_of_all_ranks(ranks, axes):
    args = [RNG.normal(size=(5, *SIDES[r]) if k == 0 else SIDES[r]) for r, k in zip(ranks, axes)]
    agrees(lambda a, b: a @ b, *args, axes=axes, stages=("llvm",))


def test_a_shared_matrix_is_solved_once():
    a = RNG.normal(size=(4, 4)) + 4.0 * np.eye(4)
    solve = vmap(np_solve, in_axes=(None, 0))
    for b in (RNG.normal(size=(5, 4)), RNG.normal(size=(5, 4, 2))):
        agrees(np_solve, a, b, axes=(None, 0))
    assert "return np.linalg.solve(a, b.T).T" in solve.source("typed", a, RNG.normal(size=(5, 4)))
    assert "for b" not in solve.source("typed", a, RNG.normal(size=(5, 4)))
    agrees(np_solve, np.stack([a, 2.0 * a]), RNG.normal(size=(2, 4)))


def np_solve(a, b):
    return np.linalg.solve(a, b)


FORMS = {
    "rank": (lambda x, y: x * y + 1.0, (RNG.normal(size=4), RNG.normal(size=(4, 3))), (0, 0)),
    "last axis": (lambda x, y: x - y, (RNG.normal(size=(3, 4)), RNG.normal(size=(4, 3))), (-1, 0)),
    "middle axis": (lambda x: np.sum(x, axis=0), (RNG.normal(size=(3, 4, 2)),), (1,)),
    "reversed": (lambda x: x[::-1] - x.mean(), (RNG.normal(size=(4, 3)),), (0,)),
    "keepdims": (lambda x: x / np.max(x, axis=-1, keepdims=True), (RNG.normal(size=(4, 2, 3)),), (0,)),
    "place": (lambda x: np.argmax(x, axis=1), (RNG.normal(size=(4, 2, 3)),), (0,)),
    "place of all": (lambda x: np.argmin(x), (RNG.normal(size=(4, 2, 3)),), (0,)),
    "reshaped": (lambda x: x.reshape(-1), (RNG.normal(size=(4, 2, 3)),), (0,)),
    "transposed": (lambda x: x.T @ x, (RNG.normal(size=(4, 2, 3)),), (0,)),
    "joined": (lambda x, y: np.concatenate([x, y, x]), (RNG.normal(size=(4, 2)), RNG.normal(size=3)), (0, None)),
    "stacked": (lambda x, y: np.stack([x, y]), (RNG.normal(size=(4, 2)), RNG.normal(size=2)), (0, None)),
    "filled": (lambda x: np.full(3, x), (RNG.normal(size=4),), (0,)),
    "chosen": (lambda x, k: x[k], (RNG.normal(size=(4, 3)), np.array([0, 2, 1, 0])), (0, 0)),
    "chosen by arrays": (lambda x, k: x[k], (RNG.normal(size=(4, 3)), np.array([2, 2, 0])), (0, None)),
    "chosen apart": (lambda x, k: x[k, :, k], (RNG.normal(size=(4, 3, 2, 3)), np.array([2, 0])), (0, None)),
    "narrow": (lambda x, y: x * 2.0 + y, (RNG.normal(size=4).astype("f4"), RNG.normal(size=4).astype("f4")), (0, 0)),
    "python's": (lambda x: math.sin(x) * 2 + 1, (RNG.normal(size=4),), (0,)),
    "python's and narrow": (
        lambda x, y: y * math.sin(x), (RNG.normal(size=4), RNG.normal(size=(4, 3)).astype("f4")), (0, 0),
    ),
    "compared": (lambda x, y: y < float(x), (np.array([0.1, 0.2]), np.array([0.1, 0.2], "f4")), (0, 0)),
    "whole": (lambda x: x // 2 - x % 3, (np.arange(6),), (0,)),
    "truths": (lambda x: np.any(x > 0) and not np.all(x > 0), (RNG.normal(size=(6, 2)),), (0,)),
    "nothing of the example": (lambda x, y: y + 1.0, (RNG.normal(size=(3, 2)), np.ones(2)), (0, None)),
    "outer": (lambda x: np.outer(x, x), (RNG.normal(size=(4, 3)),), (0,)),
    "sums": (
        lambda x, y: np.einsum("ij,jk->ik", x, y), (RNG.normal(size=(4, 2, 3)), RNG.normal(size=(3, 2))), (0, None),
    ),
    "sorted": (lambda x: np.sort(x), (RNG.normal(size=(4, 5)),), (0,)),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_forms(name):
    function, args, axes = FORMS[name]
    agrees(function, *args, axes=axes, stages=("typed", "llvm"))


# --- loops, branches, recursion ------------------------------------------------------------------------------------


def newton(c):
    x = 1.0
    while abs(x * x - c) > 1e-12:
        x = 0.5 * (x + c / x)
    return x


def thomas(a, b, c, d):
    n = len(d)
    u, x = np.zeros(n), np.zeros(n)
    u[0] = c[0] / b[0]
    x[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * u[i - 1]
        u[i] = c[i] / m
        x[i] = (d[i] - a[i] * x[i - 1]) / m
    for i in range(n - 2, -1, -1):
        x[i] -= u[i] * x[i + 1]
    return x


def shell_sorted(x):
    out = x.copy()
    gap = len(x) // 2
    while gap > 0:
        for i in range(gap, len(x)):
            value, j = out[i], i
            while j >= gap and out[j - gap] > value:
                out[j] = out[j - gap]
                j -= gap
            out[j] = value
        gap //= 2
    return out


def early(x):
    y = np.sqrt(np.abs(x))
    if np.sum(y) > 2.0:
        return y
    return y + x


def grown(x):
    kept = []
    for value in x:
        if value > 0.0:
            kept.append(value * value)
    total = 0.0
    for value in kept:
        total += value
    return total, len(kept)


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def counted(x, k):
    total = 0.0
    for i in range(k):
        total += x[i] / (i + 1)
    return total


def test_each_example_leaves_its_loop_when_it_is_done():
    agrees(newton, RNG.uniform(0.5, 4.0, 9))
    alone, together = (compile(vmap(newton), rewrite=rewrite) for rewrite in (False, True))
    for text in (made.source("loops", "f64[n]") for made in (alone, together)):
        assert "for b in prange(" in text and "while" in text
    assert "in lanes" in together.explain("f64[n]") and "in lanes" not in alone.explain("f64[n]")


def test_a_recurrence_is_interchanged():
    a, c = RNG.normal(size=6), RNG.normal(size=6)
    axes = (None, None, None, 0)
    agrees(thomas, a, a + 6.0, c, RNG.normal(size=(4, 6)), axes=axes)
    text = vmap(thomas, in_axes=axes).source("typed", "f64[n]", "f64[n]", "f64[n]", "f64[b, n]")
    assert "for b in" not in text and "x[:, i] -= u[i] * x[:, i + 1]" in text
    agrees(thomas, *(RNG.normal(size=(4, 6)) + (6.0 if k == 1 else 0.0) for k in range(4)))


@pytest.mark.parametrize("function", [shell_sorted, early, grown], ids=lambda f: f.__name__)
def test_control_flow_of_each_example(function):
    agrees(function, RNG.normal(size=(6, 5)))


def test_counts_and_recursion_of_each_example():
    agrees(fibonacci, np.arange(7))
    agrees(counted, RNG.normal(size=(4, 5)), np.array([0, 5, 2, 3]))
    agrees(counted, RNG.normal(size=(4, 5)), 3, axes=(0, None))


def scattered(x, idx):
    out = np.zeros(5)
    for i in range(len(idx)):
        out[idx[i]] += x[i]
    return out


def added_at(x, idx):
    out = x.copy()
    np.add.at(out, idx, x[: len(idx)])
    out[idx] *= 2.0
    return out


@pytest.mark.parametrize("axes", [(0, 0), (0, None), (None, 0)], ids=str)
@pytest.mark.parametrize("function", [scattered, added_at], ids=lambda f: f.__name__)
def test_stores(function, axes):
    x, idx = RNG.normal(size=(3, 5)), RNG.integers(0, 5, (3, 4))
    agrees(function, *(a if k == 0 else a[0] for a, k in zip((x, idx), axes)), axes=axes)


# --- errors --------------------------------------------------------------------------------------------------------


def chooses(x, k):
    if x > 2.0:
        raise ValueError(f"too large: {x}")
    first = math.sqrt(x)
    return first + np.ones(3)[k]


def test_the_error_is_that_of_the_first_example():
    agrees(chooses, np.array([1.0, 4.0, -1.0]), np.array([0, 1, 9]))
    agrees(chooses, np.array([1.0, -1.0, 4.0]), np.array([0, 1, 9]))
    agrees(chooses, np.array([1.0, 1.0, 4.0]), np.array([0, 9, 1]))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: vmap(np_solve, in_axes=(0, 1))(np.ones((3, 2, 2)), np.ones(3)), "axis 1 of `b`"),
        (lambda: vmap(np_solve)(1.0, np.ones(3)), "axis 0 of `a`, which has no axes"),
        (lambda: vmap(np_solve, in_axes=-3)(np.ones((2, 2)), np.ones((2, 2))), "axis -3"),
        (lambda: vmap(np_solve, in_axes=None)(np.ones((2, 2)), np.ones(2)), "no argument has an axis"),
        (lambda: vmap(np_solve, in_axes=(0, 0, 0))(np.ones((2, 2, 2)), np.ones((2, 2))), "3 entries"),
        (lambda: vmap(np_solve, in_axes=(0,))(np.ones((2, 2, 2)), np.ones((2, 2))), "more arguments"),
        (lambda: vmap(lambda *xs: xs[0], in_axes=(0, 0))(*[np.ones(2)] * 3), "more arguments"),
        (lambda: vmap(lambda d: d["a"], in_axes=({"b": 0},))({"a": np.ones(3)}), "{'b': 0} for `d`"),
        (lambda: compile(lambda x: vmap(lambda a, b: a * b * x[0], in_axes=(0,))(x, x))(np.ones(3)), "more arguments"),
        (lambda: vmap(newton, in_axes=((0, 0),))(np.ones(3)), "no container"),
        (lambda: vmap(newton, in_axes="x")(np.ones(3)), "an axis is an int"),
        (lambda: vmap(newton, out_axes=1)(np.ones(3)), "out_axes says 1"),
        (lambda: vmap(newton, out_axes=None)(np.ones(3)), "depends on the example"),
        (lambda: vmap(newton, axis_size=4)(np.ones(1)), "axis_size is 4"),
        (lambda: vmap(np_solve, in_axes=0)(np.ones((1, 2, 2)), np.ones((3, 2))), "1 example"),
    ],
)
def test_axes_that_do_not_fit(make, words):
    with pytest.raises(ValueError, match="B001") as caught:
        make()
    assert words in str(caught.value)


def test_numbers_of_examples_that_differ():
    with pytest.raises(ValueError, match="`x` has length 3 along axis 0, but `b` has length 4"):
        vmap(affine, in_axes=(None, 0, 0))(np.ones((2, 5)), np.ones((3, 5)), np.ones((4, 2)))
    with pytest.raises(ValueError, match="declared as 4"):
        vmap(newton, axis_size=4)(np.ones(3))


def part(x):
    return x if x[0] > 0.0 else x[1:]


def test_results_of_different_lengths():
    with pytest.raises(BatchError, match="B002"):
        vmap(lambda x: [v * x for v in x])(np.ones((2, 3)))
    with pytest.raises(ValueError, match="an example has 3 elements .* where others have 2"):
        vmap(lambda x: x[x > 0.0])(np.array([[1.0, 1.0, 0.0], [2.0, 3.0, 1.0]]))
    with pytest.raises(ValueError, match="an example has 2 elements"):
        vmap(part)(np.array([[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0]]))
    assert vmap(part)(np.ones((2, 3))).shape == (2, 3)


def doubled_until(x):
    found = []
    while x < 10.0:
        found.append((x, len(found)))
        x = x * 2.0
    return found


def test_lists_that_grow():
    rows = np.arange(6.0).reshape(2, 3)
    for axis in (0, -1):
        squares = vmap(lambda x: {"of": [v * v for v in x]}, out_axes=axis)(rows)["of"]
        assert isinstance(squares, list)
        np.testing.assert_array_equal(squares, rows.T**2)
    (first, zeros), (second, ones) = vmap(doubled_until)(np.array([3.0, 4.0]))
    np.testing.assert_array_equal([first, second, zeros, ones], [[3, 4], [6, 8], [0, 0], [1, 1]])
    with pytest.raises(ValueError, match="an example has 1 elements .* where others have 2"):
        vmap(doubled_until)(np.array([3.0, 9.0]))
    twice = vmap(vmap(lambda x: [v * v for v in x]))(np.stack((rows, rows)))
    np.testing.assert_array_equal(twice, np.stack((rows.T, rows.T), axis=1) ** 2)
    slopes = grad(lambda x: np.sum(vmap(lambda row: [v * v for v in row])(x)[1]))(rows)
    np.testing.assert_array_equal(slopes, [[0.0, 2.0, 0.0], [0.0, 8.0, 0.0]])
    for axis in (1, -2):
        with pytest.raises(BatchError, match="out_axes says"):
            vmap(lambda x: [v * v for v in x], out_axes=axis)(rows)


def test_lengths_that_turn_out_to_be_equal():
    def positive(x):
        return x[x > 0.0], np.array([v * v for v in x]), np.array([np.array([v, 1.0]) for v in x if v < 0.0])

    given = np.array([[1.0, -1.0, 2.0], [3.0, 0.5, -2.0]])
    agrees(positive, given, stages=("typed", "loops", "llvm"))

    def total(x):
        return np.sum(vmap(positive)(x)[1] * 0.5)

    np.testing.assert_allclose(grad(total)(given), given)


def test_functions_that_change_their_arguments_are_refused():
    def double(out):
        out *= 2.0

    with pytest.raises(BatchError, match="B003"):
        vmap(compile(double, mutates="out"))(np.ones((3, 2)))


def test_no_examples():
    assert vmap(affine, in_axes=(None, 0, None))(np.ones((3, 4)), np.ones((0, 4)), np.ones(3)).shape == (0, 3)
    assert vmap(newton)(np.ones(0)).shape == (0,)
    assert vmap(early)(np.ones((0, 3))).shape == (0, 3)
    assert vmap(counted)(np.ones((0, 3)), np.ones(0, int)).shape == (0,)


# --- arguments and results -----------------------------------------------------------------------------------------


class Pair(NamedTuple):
    first: object
    second: object


@dataclasses.dataclass
class Model:
    weights: object
    bias: object


def predicted(model, x, scale=1.0):
    z = model.weights @ x + model.bias
    return {"z": z * scale, "pair": Pair(z.sum(), None)}


def test_containers_and_dataclasses():
    w, b, x = RNG.normal(size=(5, 2, 3)), RNG.normal(size=2), RNG.normal(size=(5, 3))
    got = vmap(predicted, in_axes=(Model(0, None), 0))(Model(w, b), x)
    want = [predicted(Model(w[k], b), x[k]) for k in range(5)]
    np.testing.assert_allclose(got["z"], [one["z"] for one in want])
    np.testing.assert_allclose(got["pair"].first, [one["pair"].first for one in want])
    assert got["pair"].second is None
    scaled = vmap(predicted, in_axes=(Model(0, None), 0))(Model(w, b), x, scale=np.arange(5.0))
    np.testing.assert_allclose(scaled["z"], np.arange(5.0)[:, None] * got["z"])
    moved = vmap(predicted, in_axes=({"weights": 0, "bias": None}, 0), out_axes={"z": -1, "pair": 0})(Model(w, b), x)
    np.testing.assert_allclose(moved["z"], np.asarray(got["z"]).T)


def test_nothing_is_mapped_but_the_number_of_examples_is_given():
    got = vmap(lambda x: x * 2.0, in_axes=None, axis_size=3)(np.ones(2))
    np.testing.assert_array_equal(got, np.full((3, 2), 2.0))
    shared = vmap(lambda x, y: y, in_axes=(0, None), out_axes=None)
    np.testing.assert_array_equal(shared(np.ones(3), np.ones(2)), [1, 1])


def test_starred_parameters():
    def total(*parts, **options):
        return parts[0] + parts[1] * options["scale"]

    got = vmap(total, in_axes=(0, None))(np.ones(3), 2.0, scale=np.arange(3.0))
    np.testing.assert_array_equal(got, 1.0 + 2.0 * np.arange(3.0))


# --- composed ------------------------------------------------------------------------------------------------------


def loss(w, x, y):
    return (np.tanh(w @ x) - y) ** 2


def test_per_example_gradients():
    w, x, y = RNG.normal(size=4), RNG.normal(size=(5, 4)), RNG.normal(size=5)
    got = vmap(grad(loss), in_axes=(None, 0, 0))(w, x, y)
    want = np.stack([grad(loss)(w, x[k], y[k]) for k in range(5)])
    np.testing.assert_allclose(got, want)
    together = grad(lambda w, x, y: np.sum(vmap(loss, in_axes=(None, 0, 0))(w, x, y)))
    np.testing.assert_allclose(together(w, x, y), want.sum(axis=0))
    values, slopes = vmap(value_and_grad(loss), in_axes=(None, 0, 0))(w, x, y)
    np.testing.assert_allclose(slopes, want)
    np.testing.assert_allclose(values, [loss(w, x[k], y[k]) for k in range(5)])


def test_gradients_of_a_while_per_example():
    c = RNG.uniform(0.5, 4.0, 6)
    np.testing.assert_allclose(vmap(grad(newton))(c), 0.5 / np.sqrt(c), rtol=1e-9)
    np.testing.assert_allclose(vmap(grad(grad(newton)))(c), -0.25 * c**-1.5, rtol=1e-6)
    np.testing.assert_allclose(grad(lambda c: np.sum(vmap(newton)(c)))(c), 0.5 / np.sqrt(c), rtol=1e-9)


def test_vmap_of_vmap():
    x, y = RNG.normal(size=3), RNG.normal(size=4)
    table = vmap(vmap(lambda a, b: a * b, (None, 0)), (0, None))
    np.testing.assert_array_equal(table(x, y), np.outer(x, y))
    twice = vmap(vmap(newton))
    c = RNG.uniform(0.5, 4.0, (2, 3))
    np.testing.assert_array_equal(twice(c), [[newton(v) for v in row] for row in c])


def inside(w, xs):
    def score(x, bias):
        return np.sum(np.tanh(w @ x)) + bias

    first = vmap(score, in_axes=(0, None))(xs, 1.0)
    second = vmap(functools.partial(score, bias=2.0))(xs)
    slopes = vmap(grad(score), in_axes=(0, None))(xs, 0.0)
    return first, second, slopes, vmap(newton)(1.0 + xs[:, 0] ** 2)


def test_inside_compiled_functions():
    w, xs = RNG.normal(size=(3, 4)), RNG.normal(size=(5, 4))
    got = compile(inside)(w, xs)
    scores = np.array([np.sum(np.tanh(w @ x)) for x in xs])
    np.testing.assert_allclose(got[0], scores + 1.0)
    np.testing.assert_allclose(got[1], scores + 2.0)
    np.testing.assert_allclose(got[2], [(1.0 - np.tanh(w @ x) ** 2) @ w for x in xs])
    np.testing.assert_allclose(got[3], np.sqrt(1.0 + xs[:, 0] ** 2))


@dataclasses.dataclass(frozen=True)
class Lens:
    power: float

    def bent(self, x, y):
        return x * self.power + y


def test_methods_and_partials():
    x = RNG.normal(size=4)
    np.testing.assert_allclose(vmap(Lens(2.0).bent, in_axes=(0, None))(x, 1.0), 2.0 * x + 1.0)
    np.testing.assert_allclose(vmap(Lens(2.0).bent)(x, x), 3.0 * x)
    of_all = vmap(functools.partial(affine, np.eye(4)), in_axes=(0, None))
    np.testing.assert_allclose(of_all(x[None], x), [np.tanh(2.0 * x)])
    to_one = vmap(functools.partial(loss, y=1.0))
    np.testing.assert_allclose(to_one(np.ones((2, 4)), np.ones((2, 4))), [loss(np.ones(4), np.ones(4), 1.0)] * 2)


def test_outside_arrays_and_options():
    module = module_of(
        "import numpy as np\nW = np.arange(6.0).reshape(2, 3)\n"
        "def linear(x, axis):\n    return np.sum(W @ x, axis=axis)\n"
    )
    x = RNG.normal(size=(4, 3))
    linear = compile(module["linear"], static="axis", freeze="W")
    np.testing.assert_allclose(vmap(linear, in_axes=(0, None))(x, 0), (x @ module["W"].T).sum(axis=1))


def test_what_is_said_of_it():
    text = vmap(newton).explain("f64[n]")
    assert "stays in a loop over the examples: its test depends on the example" in text
    told = vmap(affine, in_axes=(None, 0, None)).explain("f64[n, m]", "f64[b, m]", "f64[n]")
    assert "one product for all examples" in told
    assert vmap(newton).__name__ == "newton_vmap"
    np.testing.assert_allclose(vmap(newton).debug("typed")(np.array([4.0, 9.0])), [2.0, 3.0])
    assert pellucid.vmap is vmap and set(PRINTED) < set(STAGES)


@pellucid.custom_vjp
def square(x):
    return np.sum(x**2)


square.defvjp(lambda x: (np.sum(x**2), x), lambda x, out_bar: (3.0 * x * out_bar,))


def test_rules_of_derivatives_hold_for_every_example():
    x = RNG.normal(size=(4, 3))
    np.testing.assert_allclose(vmap(grad(square))(x), 3.0 * x)
    np.testing.assert_allclose(grad(lambda x: np.sum(vmap(square)(x)))(x), 3.0 * x)


def test_the_stage_of_one_example_is_not_run_on_all():
    with pytest.raises(ValueError, match="one example"):
        vmap(grad(newton)).debug("typed")(np.ones(3))


def test_the_head_of_the_stage_says_what_was_done():
    def scaled(x, k):
        return x * k

    pushed = jvp(vmap(scaled)).source("transformed", ("f64[n]", "f64[n]"), ("f64[n]", "f64[n]"))
    heads = [vmap(scaled, in_axes=(0, None)).source(stage, "f64[n]", "float") for stage in ("typed", "transformed")]
    for text in heads:
        assert re.search(r"^# scaled \(test_vmap.py:\d+\) for all examples of x\.$", text, re.MULTILINE)
        assert ", typed stage" not in text
    assert "for all examples of x, k." in pushed and "with tangents of x, k." in pushed
    assert pushed == jvp(vmap(scaled)).source("reverse", ("f64[n]", "f64[n]"), ("f64[n]", "f64[n]"))


@pytest.mark.parametrize("function", [
    lambda x: len(np.unique(x)), lambda x: x[x > 1.0].shape[0], lambda x: (len(x[x > 1.0]), np.sum(x[x > 1.0])),
], ids=["unique", "mask", "pair"])  # fmt: skip
def test_lengths_that_the_examples_tell(function):
    x = np.array([[1.0, 1.0, 2.0, 0.5], [1.5, 2.0, 3.0, 4.0]])
    np.testing.assert_array_equal(np.transpose(pellucid.vmap(function)(x)), [function(row) for row in x])


def test_a_number_of_examples_that_is_said_holds_inside_a_compiled_function():
    @compile
    def first(x):
        return vmap(lambda row: row, axis_size=4)(x)[0]

    @compile
    def doubled(x):
        return vmap(lambda row: 2.0 * row, axis_size=4)(x)

    x = np.arange(8.0).reshape(4, 2)
    np.testing.assert_array_equal(first(x), x[0])
    np.testing.assert_array_equal(doubled(x), 2.0 * x)
    for function in (first, doubled):
        with pytest.raises(ValueError, match="`x` has length 3 along axis 0, but it was declared as 4"):
            function(x[:3])
