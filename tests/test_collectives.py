"""Collectives inside `vmap`: against examples that run side by side in plain Python and meet at every collective."""

import threading

import numpy as np
import pytest

import pellucid
from pellucid import BatchError, compile, grad, jvp, lax, vmap
from pellucid.compiler.request import Batch, Gradient
from tests.harness.stages import Stages

pytestmark = pytest.mark.drawn(5)

RNG = np.random.default_rng(7)
COUNT = 4


def same(found, want):
    """Equal but for rounding, in dtype and structure too."""
    if isinstance(want, dict | tuple):
        assert type(found) is type(want) and len(found) == len(want)
        for key in want if isinstance(want, dict) else range(len(want)):
            same(found[key], want[key])
        return
    assert np.asarray(found).dtype == np.asarray(want).dtype
    np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-13)


class Together:
    """Examples along one axis in threads of their own: each puts its value down, waits for all, and reads theirs."""

    def __init__(self, name, count):
        self.name, self.count = name, count
        self.meeting, self.values = threading.Barrier(count), [None] * count
        self.here = threading.local()

    def run(self, function, *args):
        """What the function gives for each example along the first axis of the arguments, stacked."""
        results = [None] * self.count

        def one(k):
            self.here.number = k
            try:
                results[k] = function(*(a[k] for a in args))
            except Exception as error:
                results[k] = error
                self.meeting.abort()

        threads = [threading.Thread(target=one, args=(k,)) for k in range(self.count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            if isinstance(result, Exception) and not isinstance(result, threading.BrokenBarrierError):
                raise result
        return np.stack(results)

    def all(self, value):
        self.values[self.here.number] = np.copy(value)
        self.meeting.wait()
        found = np.stack(self.values)
        self.meeting.wait()
        return found

    def axis_index(self, name):
        return self.here.number

    def axis_size(self, name):
        return self.count

    def psum(self, x, name):
        return self.all(x).sum(axis=0)

    def pmean(self, x, name):
        return self.all(x).mean(axis=0)

    def pmax(self, x, name):
        return self.all(x).max(axis=0)

    def pmin(self, x, name):
        return self.all(x).min(axis=0)

    def all_gather(self, x, name, axis=0, tiled=False):
        return np.concatenate(self.all(x), axis=axis) if tiled else np.moveaxis(self.all(x), 0, axis)

    def psum_scatter(self, x, name, scatter_dimension=0, tiled=False):
        parts = np.split(self.all(x).sum(axis=0), self.count, axis=scatter_dimension)[self.here.number]
        return parts if tiled else np.squeeze(parts, scatter_dimension)

    def all_to_all(self, x, name, split_axis, concat_axis, tiled=False):
        mine = [np.split(x, self.count, axis=split_axis)[self.here.number] for x in self.all(x)]
        if tiled:
            return np.concatenate(mine, axis=concat_axis)
        return np.stack([np.squeeze(part, split_axis) for part in mine], axis=concat_axis)

    def ppermute(self, x, name, perm):
        found = self.all(x)
        return next((found[s] for s, place in perm if place == self.here.number), np.zeros_like(x))

    def pshuffle(self, x, name, perm):
        return self.all(x)[perm[self.here.number]]

    def pswapaxes(self, x, name, axis):
        return self.all_to_all(x, name, axis, axis)


# --- programs, written for `pellucid.lax` and for `Together` --------------------------------------------------------


def softmax(lax):
    def f(x):
        e = np.exp(x - lax.pmax(x, "i"))
        return e / lax.psum(e, "i")

    return f


def until_all_are_near(lax):
    """A `while` whose test is the same for all examples."""

    def f(x):
        y = x * 1.0
        worst = lax.pmax(np.max(np.abs(y)), "i")
        while worst > 0.5:
            y = 0.5 * y + 0.1 * lax.pmean(y, "i")
            worst = lax.pmax(np.max(np.abs(y)), "i")
        return y

    return f


def asked_in_a_test(lax):
    def f(x):
        y = x * 1.0
        k = 0
        while k < 20 and lax.psum(y @ y, "i") > 1.0:
            y = y * (0.5 + 0.1 * np.sin(x))
            k = k + 1
        return y + k

    return f


def passed_around(lax):
    """A ring in a counted loop, beside statements of one example."""

    def f(x):
        total = np.zeros(x.shape)
        carried = x * x
        for step in range(3):
            total = total + (step + 1.0) * np.sin(carried)
            carried = lax.ppermute(carried, "i", [(0, 1), (1, 2), (2, 3), (3, 0)])
        return total

    return f


def under_a_common_test(lax):
    def f(x):
        total = lax.psum(np.sum(x), "i")
        if total > 0.0:
            y = x / total
        else:
            y = x + lax.pmin(x, "i")
        return y

    return f


def with_loops_of_its_own(lax):
    """Each example has a `while` of its own on either side."""

    def f(x):
        y = np.abs(x[0]) * 3.0
        while y > 1.0:
            y = 0.5 * y
        mean = lax.pmean(y, "i")
        z = mean + y
        while z < 2.0:
            z = z * 1.5 + 0.1
        return z * x

    return f


def carried_from_a_loop_over_examples(lax):
    """What a loop carries is made by statements of each example, and all examples meet in the loop."""

    def f(x):
        y = np.abs(x[0]) * 3.0
        while y > 1.0:
            y = 0.5 * y
        x = x * y
        for _ in range(3):
            x = np.sin(x) + 0.1 * lax.psum(x, "i")
            y = y + lax.ppermute(y, "i", [(0, 1), (1, 2)])
        return x * y

    return f


def sorted_and_carried(lax):
    def f(x):
        x = np.sort(x)
        for _ in range(2):
            x = x * lax.pmean(x, "i") - np.sort(lax.ppermute(x, "i", [(0, 1), (1, 0), (2, 3)]))
        return x

    return f


def numbered(lax):
    return lambda x: x * lax.axis_index("i") + lax.axis_size("i") * lax.psum(x * lax.axis_index("i"), "i")


PROGRAMS = {
    "psum": lambda lax: lambda x: x * lax.psum(x * x, "i"),
    "psum of what all share": lambda lax: lambda x: x * lax.psum(2.0, "i"),
    "pmean": lambda lax: lambda x: np.sin(x) * lax.pmean(x * x, "i"),
    "pmax": lambda lax: lambda x: x * lax.pmax(np.sin(x), "i"),
    "pmin": lambda lax: lambda x: x * lax.pmin(np.sin(x), "i"),
    "all_gather": lambda lax: lambda x: np.sum(lax.all_gather(x * x, "i") * (x + 1.0), axis=0),
    "all_gather behind": lambda lax: lambda x: lax.all_gather(x * x, "i", axis=-1) @ lax.all_gather(x[0], "i"),
    "all_gather tiled": lambda lax: lambda x: np.sin(x)[0] * lax.all_gather(x * x, "i", tiled=True),
    "psum_scatter": lambda lax: lambda x: x * lax.psum_scatter(np.outer(np.sin(x), x), "i"),
    "psum_scatter tiled": lambda lax: lambda x: x[0] * lax.psum_scatter(np.outer(np.sin(x), x), "i", tiled=True,
                                                                       scatter_dimension=1),
    "all_to_all": lambda lax: lambda x: np.outer(x, lax.all_to_all(x * x, "i", 0, 0)),
    "all_to_all apart": lambda lax: lambda x: lax.all_to_all(np.outer(x * x, x[:2]), "i", 0, 1),
    "all_to_all tiled": lambda lax: lambda x: lax.all_to_all(np.outer(x * x, x[:2]), "i", 0, 1, tiled=True),
    "pswapaxes": lambda lax: lambda x: lax.pswapaxes(np.outer(x[:2], x * x), "i", 1),
    "ppermute": lambda lax: lambda x: x * lax.ppermute(x * x, "i", [(2, 0), (0, 1), (1, 3)]),
    "pshuffle": lambda lax: lambda x: x * lax.pshuffle(x * x, "i", [1, 3, 2, 0]),
    "numbered": numbered,
    "carried from a loop over examples": carried_from_a_loop_over_examples,
    "sorted and carried": sorted_and_carried,
    "softmax": softmax,
    "until all are near": until_all_are_near,
    "asked in a test": asked_in_a_test,
    "passed around": passed_around,
    "under a common test": under_a_common_test,
    "with loops of its own": with_loops_of_its_own,
}  # fmt: skip


def total_of(function):
    return lambda x: np.sum(np.sin(function(x)))


def typed(function, *transforms):
    """The function of the typed stage, in Python."""
    runner = Stages(function, transforms=transforms)

    def run(*args):
        outcome = runner.run("typed", *args)
        if outcome.error is not None:
            raise outcome.error
        return outcome.value

    return run


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_derivatives(name):
    f, x = PROGRAMS[name](lax), RNG.normal(size=(COUNT, 4))
    direction, all_examples = RNG.normal(size=x.shape), Batch(axis_name="i")

    def stacked(x):
        meeting = Together("i", COUNT)
        return meeting.run(PROGRAMS[name](meeting), x)

    same(typed(f, all_examples)(x), stacked(x))
    h = 1e-6
    slope = (stacked(x + h * direction) - stacked(x - h * direction)) / (2.0 * h)
    of_each = typed(lambda x, d: jvp(f, (x,), (d,))[1], all_examples)(x, direction)
    np.testing.assert_allclose(of_each, slope, rtol=1e-6, atol=1e-7)
    change = np.sum(np.cos(stacked(x)) * slope)
    outside = typed(total_of(vmap(f, axis_name="i")), Gradient())(x)
    assert np.sum(outside * direction) == pytest.approx(change, rel=1e-6, abs=1e-7)
    if name == "asked in a test":  # what the backward sweep reads of its turns is in a list of each example
        with pytest.raises(BatchError, match="a list around it is one for each example"):
            typed(total_of(f), Gradient(), all_examples)(x)
        return
    of_each = typed(total_of(f), Gradient(), all_examples)(x)  # the cotangents of all examples come together in each
    np.testing.assert_allclose(of_each, outside, rtol=1e-9, atol=1e-12)


def test_printed_stages_run_in_python():
    f, x = softmax(lax), RNG.normal(size=(COUNT, 3))
    mapped = vmap(f, axis_name="i")
    text = mapped.source("typed", x)
    assert "np.exp(x - np.max(x, axis=0))" in text.replace("value", "np.max(x, axis=0)") and "for b" not in text
    runner = Stages(f, transforms=[Batch(axis_name="i")])
    want = np.exp(x - x.max(axis=0)) / np.exp(x - x.max(axis=0)).sum(axis=0)
    for stage in ("typed", "loops", "llvm"):
        same(runner.run(stage, x).value, want)
    assert "`psum` takes the values of all examples" in mapped.explain(x)


def normalised(x, w):
    centred = x - lax.pmean(x, "rows")
    return centred / lax.pmax(np.abs(centred), ("rows", "columns")) * w + lax.axis_index(("rows", "columns"))


def test_two_axes():
    x, w = RNG.normal(size=(3, 5)), RNG.normal(size=5)
    mapped = typed(normalised, Batch(axis_name="columns"), Batch((0, None), axis_name="rows"))
    centred = x - x.mean(axis=0)
    same(mapped(x, w), centred / np.abs(centred).max() * w + np.arange(15.0).reshape(3, 5))
    turned = typed(normalised, Batch((0, None), axis_name="rows"), Batch((1, 0), 1, axis_name="columns"))(x, w)
    same(turned - np.arange(15.0).reshape(3, 5), mapped(x, w) - np.arange(15.0).reshape(3, 5))
    # an axis without a name between the two
    stacked = RNG.normal(size=(2, 3, 5))
    between = vmap(vmap(vmap(normalised, axis_name="columns"), in_axes=(0, None), axis_name="rows"), in_axes=(0, None))
    between = between(stacked, w)
    same(between, np.stack([mapped(one, w) for one in stacked]))


OVER_ANOTHER_AXIS = {
    "all_gather": lambda x: lax.all_gather(x, "i", axis=1),
    "psum_scatter": lambda x: lax.psum_scatter(np.outer(x, x), "i", scatter_dimension=1),
    "all_to_all": lambda x: lax.all_to_all(np.outer(x[:2], x), "i", 1, 0),
    "ppermute": lambda x: lax.ppermute(x, "i", [(0, 2)]),
    "psum": lambda x: lax.psum(x, "i"),
    "axis_index": lambda x: x * lax.axis_index("i"),
}


@pytest.mark.parametrize("name", OVER_ANOTHER_AXIS)
def test_an_axis_inside_the_one_of_the_collective(name):
    f, x = OVER_ANOTHER_AXIS[name], RNG.normal(size=(COUNT, 3, COUNT))
    one = typed(f, Batch(axis_name="i"))
    want = np.stack([one(x[:, k]) for k in range(3)], axis=1)
    same(typed(f, Batch(), Batch(axis_name="i"))(x), want)
    same(typed(f, Batch(axis_name="i"), Batch(1, 1))(x), want)


def test_dtypes_and_containers():
    x = np.arange(4)
    together = Batch(out_axes=None, axis_name="i")
    mapped = typed(lambda x: lax.psum({"a": x, "b": (x > 1, x.astype(np.float32))}, "i"), together)
    found = mapped(x.astype(np.int32))
    same(found, {"a": np.int32(6), "b": (2, np.float32(6.0))})
    assert typed(lambda x: lax.pmean(x, "i"), together)(x.astype(np.float32)).dtype == np.float32
    same(typed(lambda: lax.axis_index("i"), Batch(axis_name="i", axis_size=3))(), np.arange(3))


def test_ties_share_the_derivative_of_the_largest():
    x = np.array([1.0, 3.0, 3.0, 2.0])
    same(typed(lambda x: lax.pmax(x, "i"), Gradient(), Batch(axis_name="i"))(x), np.array([0.0, 2.0, 2.0, 0.0]))


def positive_part(x):
    if x[0] < 0.0:
        raise ValueError("below zero")
    total = lax.psum(x, "i")
    if x[1] > 1.0:
        raise ArithmeticError("above one")
    return total * x


def test_errors_before_a_collective_come_first():
    mapped = vmap(positive_part, axis_name="i")
    with pytest.raises(ValueError, match="below zero"):
        mapped(np.array([[1.0, 2.0], [-1.0, 0.0]]))
    with pytest.raises(ArithmeticError, match="above one"):
        mapped(np.array([[1.0, 0.0], [1.0, 2.0]]))


# --- what is refused -----------------------------------------------------------------------------------------------


def own_test(x):
    return lax.psum(x, "i") if x > 0.0 else x


def own_loop(x):
    while x > 0.5:
        x = x - 0.1 * lax.pmean(x, "i")
    return x


def own_length(x):
    kept = x[x > 0.0]
    return np.sum(kept * lax.psum(x[0], "i"))


def own_parts(x):
    return lax.psum(x[x > 0.0], "i")


def halved(x, k):
    return lax.psum(x, "i") if k <= 0 else x + halved(0.5 * x, k - 1)


@pellucid.custom_jvp
def with_a_rule(x):
    return lax.psum(x * x, "i")


@with_a_rule.defjvp
def its_rule(primals, tangents):
    return with_a_rule(primals[0]), lax.psum(2.0 * primals[0] * tangents[0], "i")


def collected(x):
    found = []
    for k in range(3):
        found.append(k * lax.pmean(x, "i") * x)
    return np.array(found)


REFUSED = {
    "in a recursion": (lambda x: halved(x, int(x.shape[0])), RNG.normal(size=(3, 4)), "stands in `halved`"),
    "with a rule": (grad(with_a_rule), RNG.normal(size=3), "stands in `with_a_rule`"),
    "beside a list": (collected, RNG.normal(size=3), "a list around it is one for each example"),
    "own test": (own_test, RNG.normal(size=3), "a test around it depends on the example"),
    "own loop": (own_loop, RNG.normal(size=3), "how often a loop around it runs depends on the example"),
    "own length": (own_length, RNG.normal(size=(3, 4)), "the length of `kept` depends on the example"),
    "own parts": (own_parts, RNG.normal(size=(3, 4)), "the length of an array depends on the example"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_examples_that_do_not_come_together(name):
    function, x, reason = REFUSED[name]
    with pytest.raises(BatchError, match=rf"B003[\s\S]*{reason}"):
        vmap(function, axis_name="i")(x)


def test_an_axis_without_that_name():
    x = np.arange(3.0)
    for function in (compile(softmax(lax)), vmap(softmax(lax)), vmap(softmax(lax), axis_name="j"), softmax(lax)):
        with pytest.raises(NameError, match="unbound axis name: i"):
            function(x)
    with pytest.raises(pellucid.AxisNameError, match="B004"):
        grad(total_of(softmax(lax)))(x)


def test_misfits():
    with pytest.raises(ValueError, match="perm names number 7"):
        vmap(lambda x: lax.ppermute(x, "i", [(0, 7)]), axis_name="i")(np.arange(3.0))
    with pytest.raises(pellucid.CompileError, match="twice as destination"):
        vmap(lambda x: lax.ppermute(x, "i", [(0, 1), (2, 1)]), axis_name="i")(np.arange(3.0))
    with pytest.raises(ValueError, match="not one element for each of the 3 examples"):
        vmap(lambda x: lax.all_to_all(x, "i", 0, 0), axis_name="i")(np.ones((3, 2)))
    with pytest.raises(ValueError, match="not divided by the 3 examples"):
        vmap(lambda x: lax.all_to_all(x, "i", 0, 0, tiled=True), axis_name="i")(np.ones((3, 4)))
