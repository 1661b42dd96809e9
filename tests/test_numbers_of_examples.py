"""Inside a compiled function, arrays computed there are mapped together only where they have as many examples each."""

import numpy as np
import pytest

import pellucid
from pellucid import grad, lax, pmap, vmap
from tests.harness.stages import Stages, assert_same_value

PRINTED = ("raw", "typed", "loops", "llvm")
X = np.arange(10.0).reshape(5, 2)
TEXT = "`{}` has length {} along axis {}, but `{}` has length {} along axis {}: they have to be equal here"


def first_of(x, y):
    return vmap(lambda a, b: a)(x[x[:, 0] > 1.0], y)


def sums(x, y):
    return vmap(lambda a, b: a + b)(x[x[:, 0] > 1.0], y)


def in_a_dict(x, y):
    return vmap(lambda row: row["a"] * 2.0)({"a": x[x[:, 0] > 1.0], "b": y})


def in_a_list(x, y):
    return vmap(lambda row: row[0] * 2.0)([x[x[:, 0] > 1.0], y])


def beside_what_is_shared(x, y):
    return vmap(lambda w, a, b: a + w[0], in_axes=(None, 0, 0))(x, x[x[:, 0] > 1.0], y)


def on_other_axes(x, y):
    return vmap(lambda a, b: a, in_axes=(1, 0))(x[x[:, 0] > 1.0].T, y)


def nested(x, y):
    return vmap(lambda u: vmap(lambda a, b: a * u)(x[x[:, 0] > 1.0], y))(x[:, 0])


def twice_mapped(x, y):
    kept = x[x[:, 0] > 1.0].T
    return vmap(vmap(lambda a, b: a))(kept, np.stack([y[:, 0], y[:, 1]]))


def in_a_loop(x, y):
    total = np.zeros(2)
    for start in range(2):
        total += vmap(lambda a, b: a)(x[start:], y)[0]
    return total


def of_constants(x, y):
    return vmap(lambda a, b: a + b)(np.ones(4), np.arange(3.0)) + x[0, 0]


def on_devices(x, y):
    return pmap(lambda a, b: a + b)(x[x[:, 0] > 1.0], y)


def composed(x, y):
    return vmap(grad(lambda a, b: np.sum(a * b)))(x[x[:, 0] > 1.0], y)


def differentiated(x, y):
    return grad(lambda u: np.sum(vmap(lambda a, b: a * a)(u, y)))(x[x[:, 0] > 1.0])


UNEQUAL = {
    first_of: ("a", 4, 0, "b", 3, 0), sums: ("a", 4, 0, "b", 3, 0), in_a_dict: ("row_a", 4, 0, "row_b", 3, 0),
    in_a_list: ("row_0", 4, 0, "row_1", 3, 0), beside_what_is_shared: ("a", 4, 0, "b", 3, 0),
    on_other_axes: ("a", 4, 1, "b", 3, 0), nested: ("a", 4, 0, "b", 3, 0), twice_mapped: ("a", 4, 1, "b", 3, 1),
    in_a_loop: ("a", 5, 0, "b", 3, 0), of_constants: ("a", 4, 0, "b", 3, 0), composed: ("a", 4, 0, "b", 3, 0),
    on_devices: ("a", 4, 0, "b", 3, 0), differentiated: ("a", 4, 0, "b", 3, 0),
}  # fmt: skip


@pytest.mark.parametrize("function", UNEQUAL, ids=lambda f: f.__name__)
def test_what_is_computed_has_as_many_examples_at_every_stage(function):
    stages = Stages(function)
    for stage in PRINTED:
        error = stages.run(stage, X, np.ones((3, 2))).error
        assert type(error) is ValueError
        assert str(error) == TEXT.format(*UNEQUAL[function])


EQUAL = {
    first_of: lambda x, y: x[1:], sums: lambda x, y: x[1:] + y, in_a_dict: lambda x, y: 2.0 * x[1:],
    in_a_list: lambda x, y: 2.0 * x[1:], on_devices: lambda x, y: x[1:] + y,
    beside_what_is_shared: lambda x, y: x[1:] + x[0],
    on_other_axes: lambda x, y: x[1:], nested: lambda x, y: x[:, :1, None] * x[1:],
    twice_mapped: lambda x, y: x[1:].T, composed: lambda x, y: y, differentiated: lambda x, y: 2.0 * x[1:],
}  # fmt: skip


@pytest.mark.parametrize("function", EQUAL, ids=lambda f: f.__name__)
def test_as_many_examples_are_mapped_together(function):
    stages, y = Stages(function), np.linspace(0.5, 2.5, 8).reshape(4, 2)
    for stage in PRINTED:
        outcome = stages.run(stage, X, y)
        assert outcome.error is None
        assert_same_value(outcome.value, EQUAL[function](X, y))


def as_many_as_said(x):
    return vmap(lambda row: row * 2.0, axis_size=4)(x[:3])


def one_as_said(x):
    return vmap(lambda row: row * 2.0, axis_size=1)(x[x[:, 0] > 1.0])


def other_constants(x):
    return vmap(lambda a: a * 2.0, axis_size=4)(np.ones(3))


@pytest.mark.parametrize("function,found,said", [(as_many_as_said, 3, 4), (one_as_said, 4, 1), (other_constants, 3, 4)])
def test_the_number_that_is_said_holds_at_every_stage(function, found, said):
    stages = Stages(function)
    for stage in PRINTED:
        error = stages.run(stage, X).error
        assert type(error) is ValueError
        assert f"has length {found} along axis 0, but it was declared as {said}" in str(error)


def test_where_a_branch_maps_other_calls_need_no_equal_numbers():
    @pellucid.compile
    def chosen(x, y, flag):
        if flag:
            return vmap(lambda a, b: a + b)(x, y)
        return x

    x, y = np.arange(5.0), np.ones(2)
    np.testing.assert_array_equal(chosen(x, y, False), x)
    with pytest.raises(ValueError, match="`a` has length 5 along axis 0, but `b` has length 2"):
        chosen(x, y, True)


def test_a_number_that_is_wrong_can_be_caught():
    @pellucid.compile
    def or_zero(x):
        try:
            return vmap(lambda a: a * 2.0, axis_size=4)(np.ones(3))
        except ValueError:
            return x

    np.testing.assert_array_equal(or_zero(X), X)


def arguments(x, y):
    return vmap(lambda a, b: a * b)(x, y)


def halves(x, y):
    return vmap(lambda a, b: a * b)(2.0 * x, x + 1.0)


def filled(x, y):
    return vmap(lambda a, b: a * b)(np.zeros(x.shape[0]), np.ones(len(x)))


def of_the_same_mask(x, y):
    kept = x[x > 1.0]
    return vmap(lambda a, b: a * b)(kept, np.sqrt(kept))


@pytest.mark.parametrize("function", [arguments, halves, filled, of_the_same_mask])
def test_nothing_is_compared_where_the_numbers_are_known_to_be_equal(function):
    assert "raise" not in pellucid.compile(function).source("typed", np.ones(3), np.ones(3))


def test_what_scan_and_map_take_along_is_equally_long():
    @pellucid.compile
    def scanned(x, y):
        return lax.scan(lambda c, ab: (c + ab[0], c * ab[0]), 0.0, (x[x > 1.0], y))

    @pellucid.compile
    def mapped(x, y):
        return lax.map(lambda ab: ab[0] + 1.0, (x[x > 1.0], y))

    x = np.arange(5.0)
    for function in (scanned, mapped):
        with pytest.raises(ValueError, match="different leading axis sizes: 3, 2"):
            function(x, np.ones(2))
    np.testing.assert_array_equal(scanned(x, np.ones(3))[1], [0.0, 6.0, 20.0])
    np.testing.assert_array_equal(mapped(x, np.ones(3)), [3.0, 4.0, 5.0])


@pytest.mark.parametrize("make", [
    lambda x, y: pellucid.jvp(lambda a: a * a, (x[x > 1.0],), (y,))[1],
    lambda x, y: pellucid.vjp(lambda a: a * a, x[x > 1.0])[1](y)[0],
    lambda x, y: grad(lambda a, b: np.sum(a * b))(x[x > 1.0], y),
], ids=["jvp", "vjp", "grad"])  # fmt: skip
def test_tangents_and_cotangents_are_as_long_as_what_is_differentiated(make):
    with pytest.raises(ValueError, match="2"):
        pellucid.compile(make)(np.arange(5.0), np.ones(2))
    pellucid.compile(make)(np.arange(5.0), np.ones(3))
