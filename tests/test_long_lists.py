"""Long lists that are computed: CPython's answers, in code that does not grow with their length."""

import numpy as np
import pytest

import pellucid
from tests.harness.answers import agree, outcome
from tests.harness.stages import Stages

pytestmark = pytest.mark.drawn(5)

X = np.array([1.5, -0.25, 3.0, 0.75])


# --- programs as their fields write them, of any length --------------------------------------------------------------


def layers(x, n):
    """Layers of a network, by dicts."""
    made = [{"w": np.outer(x, x) * (0.02 * k), "b": x * 0.1 + 0.01 * k} for k in range(n)]
    h = x
    for layer in made:
        h = np.tanh(layer["w"] @ h + layer["b"])
    return np.sum(h * h) + len(made)


def fields(x, n):
    """Two lists of arrays side by side, and items by constant places afterwards."""
    us = [np.sin(x * (0.1 * k)) for k in range(n)]
    vs = [np.cos(x + 0.01 * k) for k in range(n)]
    total = 0.0
    for k, (u, v) in enumerate(zip(us, vs)):
        total += np.sum(u * v) / (k + 1)
    return total + np.sum(us[3] * vs[-1])


def springs(x, n):
    """Rest lengths of springs that are computed, between points of a chain."""
    ends = [(k % 4, (k + 1) % 4, 0.5 + 0.01 * k) for k in range(n)]
    rest = [np.sqrt((x[i] - x[j]) ** 2 + 0.1) for i, j, _ in ends]
    total = 0.0
    for (i, j, stiffness), length in zip(ends, rest):
        total += stiffness * (length - 1.0) ** 2 * x[i]
    return total


def gram(x, n):
    """A matrix of a kernel, as a list of lists."""
    made = np.array([[np.exp(-((x[i % 4] - 0.1 * x[j % 4]) ** 2)) * (i + 1.0) for j in range(n)] for i in range(n)])
    return np.sum(made[3] * made[n - 1])


def summed(x, n):
    """A list of numbers as an array, its extremes, its sum, and a part of it."""
    values = [np.sum(np.sin(x * (0.1 * k))) for k in range(n)]
    return np.sum(np.array(values) ** 2) + max(values) + sum(values) + sum(values[1:5] + values[-2:])


def particles(x, n):
    bodies = [(x[k % 4] * k, x[(k + 1) % 4] + 0.5 * k, 1.0 + k) for k in range(n)]
    total = 0.0
    for px, py, mass in bodies:
        total += np.sqrt(px * px + py * py + 1.0) / mass
    return total


def stacked(x, n):
    return np.sum(np.stack([np.sin(x * (0.1 * k)) for k in range(n)]) ** 2)


def some(x, n):
    """A list of which not every item is taken."""
    kept = [np.sin(x * (0.1 * k)) * x[k % 4] for k in range(n) if k % 3 != 1]
    total = 0.0
    for v in kept:
        total += np.sum(v)
    return total * len(kept)


def pairs(x, n):
    """All pairs of many bodies: a list of constants, but a long one."""
    total = 0.0
    for i, j in [(i, j) for i in range(n) for j in range(i)]:
        total += 1.0 / np.sqrt((x[i % 4] - x[j % 4]) ** 2 + 0.01 * (i + j))
    return total


def rows(x, n):
    """A table of constants as a list of lists."""
    table = [[0.01 * i * j for j in range(4)] for i in range(4 * n)]
    total = 0.0
    for row in table:
        inner = 0.0
        for k, a in enumerate(row):
            inner += a * x[k]
        total += np.tanh(inner)
    return total


PROGRAMS = (layers, fields, springs, gram, summed, particles, stacked, some, pairs, rows)


def of_length(program, n):
    """The program for a length that is known when it is compiled."""
    return lambda x: program(x, n)


def differences(function, x, step=1e-6):
    units = np.eye(x.size) * step
    return np.array([(function(x + unit) - function(x - unit)) / (2.0 * step) for unit in units])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_value_gradient_and_batch_are_cpythons(program):
    function = of_length(program, 40)
    np.testing.assert_allclose(pellucid.compile(function)(X), function(X), rtol=1e-12)
    np.testing.assert_allclose(pellucid.grad(function)(X), differences(function, X), rtol=1e-5, atol=1e-6)
    examples = np.stack([X, 0.9 * X, X + 0.05])
    np.testing.assert_allclose(pellucid.vmap(function)(examples), [function(x) for x in examples], rtol=1e-12)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_code_does_not_grow_with_the_length(program):
    short, long = (pellucid.compile(of_length(program, n)) for n in (64, 192))
    lines = [found.source("typed", X).count("\n") for found in (short, long)]
    constants = 2 * (192 - 64) * 3 if program is springs else 0  # what is known of each spring stands in tables
    assert lines[0] <= 60 + constants
    assert abs(lines[1] - lines[0]) <= constants


def test_the_derivative_does_not_grow_with_the_length():
    texts = [pellucid.grad(of_length(layers, n)).source("reverse", X) for n in (64, 256)]
    assert texts[0].count("\n") == texts[1].count("\n") < 120
    assert texts[0].count("for ") == texts[1].count("for ")


OFFSETS = tuple((k % 3 - 1, k % 5 - 2, 0.1 * k - 1.0) for k in range(60))


def stencil(x):
    """A sum that is a number before its first term makes it an array."""
    total = 0.0
    for di, dj, weight in OFFSETS:
        total = total + weight * np.roll(np.roll(x, di, 0), dj, 1)
    return np.sum(total * total)


def horner_backwards(x):
    found = 0.0
    for c in reversed([1.0 / (k + 1.0) for k in range(200)]):
        found = found * x * 0.2 + c
    return np.sum(found)


@pytest.mark.parametrize("function, x", [(stencil, np.outer(X, X)), (horner_backwards, X)], ids=["stencil", "horner"])
def test_the_first_iteration_may_make_a_number_an_array(function, x):
    np.testing.assert_allclose(pellucid.compile(function)(x), function(x), rtol=1e-12)
    wanted = differences(lambda flat: function(flat.reshape(x.shape)), x.ravel()).reshape(x.shape)
    np.testing.assert_allclose(pellucid.grad(function)(x), wanted, rtol=1e-5, atol=1e-5)
    text = pellucid.compile(function).source("typed", x)
    once = "np.roll" if function is stencil else "* 0.2"
    assert text.count(once) <= 12  # the body twice and the user's lines, not 60 or 200 bodies


# --- where the items have to be known --------------------------------------------------------------------------------


def ranks_by_length(x):
    items = [np.sum(x * k) + np.sum(x) for k in range(40)]
    return x.reshape((1,) * (len(items) - 38) + (4,)) * items[39]


def items_of_other_ranks(x):
    items = [np.ones((1,) * (k % 3 + 1)) * x[0] for k in range(40)]
    return items[1].ndim, items[2] + x[0]


def functions(x):
    made = [(lambda k: lambda v: v * k + np.sum(x) + np.sum(x * x))(k) for k in range(40)]
    total = 0.0
    for f in made:
        total += f(x[1])
    return total


def an_int_among_floats(x):
    items = [1 if k == 30 else x[0] * k + np.sum(x) + np.sum(x * k) for k in range(40)]
    return items[30], items[29], isinstance(items[30], int)


def none_among_numbers(x):
    items = [None if k % 2 else x[0] * k + np.sum(x) + np.sum(x * k) for k in range(60)]
    return items[3] is None, items[2]


def large_ints(x):
    items = [x[0] * (3**k % 97) + np.sum(x) + np.sum(x * (k * 10**17 * 10**17 % 13)) for k in range(70)]
    return items[69], sum(items)


def negative_powers(x):
    items = [x * 2 ** (k - 20) for k in range(40)]
    return items[3], sum(items)


def item_that_is_changed(x):
    items = [x * k for k in range(40)]
    other = items[3]
    other[0] = 100.0
    items[4][1] = 7.0
    return items[3][0] + items[4][1], sum([np.sum(v) for v in items])


def list_that_is_changed(x):
    items = [x * k for k in range(40)]
    items.append(x)
    items[0] = x + 1.0
    dropped = items.pop(3)
    return len(items), np.sum(items[0]), np.sum(np.array(items)), dropped


def unpacked(x):
    first, second, *others = [x * k for k in range(40)]
    return first, second, others[0], len(others)


def results(x):
    return [x * k for k in range(40)], {"sums": [np.sum(x * k) + np.sum(x) + x[0] for k in range(40)]}


def labels(x):
    items = [(k, np.sum(x * k) + np.sum(x), "abc"[k % 3]) for k in range(40)]
    total = 0.0
    for k, v, name in items:
        total += v * k if name == "a" else 1.0
    return total, items[4][2], items[4][0] / 2


def variable_of_the_comprehension(x):
    items = [(last := x * k) for k in range(40)]
    return last, items[2]


def sorted_and_searched(x):
    items = [np.sum(x * (7 * k % 40)) + np.sum(x) for k in range(40)]
    return sorted(items)[39], items.index(items[5]), items[5] in items, tuple(items)[-1]


def outside(x):
    return sum([x[k] * x[0] + np.sum(x) + np.sum(x * k) for k in range(40)])


KNOWN = (
    ranks_by_length, items_of_other_ranks, functions, an_int_among_floats, none_among_numbers, large_ints,
    negative_powers, item_that_is_changed, list_that_is_changed, unpacked, results, labels,
    variable_of_the_comprehension, sorted_and_searched, outside,
)  # fmt: skip


@pytest.mark.parametrize("function", KNOWN, ids=lambda f: f.__name__)
def test_every_stage_is_cpythons(function):
    runner = Stages(function)
    for stage in ("typed", "llvm"):
        found = runner.run(stage, X)
        assert agree(found.error or found.value, outcome(function, (X,)))


def test_a_list_that_is_a_result_keeps_its_structure():
    def sums(x):
        return [np.sum(x * k) + np.sum(x) + x[0] for k in range(40)]

    slopes = pellucid.jacrev(sums)(X)
    assert len(slopes) == 40
    np.testing.assert_allclose(slopes[3], 4.0 + np.eye(4)[0])


def stages(x):
    """Twelve stages of a method of high order: short lists stay what they are, however much is done with an item."""
    nodes = [k / 12 for k in range(12)]
    slopes = [np.sin(x + c * np.cos(x)) for c in nodes]
    total = 0.0 * x
    for weight, slope in zip(nodes, slopes):
        total = total + weight * slope
    return np.sum(total)


def test_short_lists_are_written_out():
    assert "append" not in pellucid.compile(stages).source("typed", X)
    np.testing.assert_allclose(pellucid.grad(stages)(X), differences(stages, X), rtol=1e-5, atol=1e-6)
