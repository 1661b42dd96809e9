"""Functions of elements on sharded arrays: values are NumPy's, and results are cut as the operands are."""

import numpy as np
import pytest

from pellucid import Array, NamedSharding, P, device_put, devices, make_mesh

MESH = make_mesh((2, 4), ("x", "y"))
VALUES = np.arange(1.0, 33.0).reshape(4, 8)
ROWS, BOTH, WHOLE = (NamedSharding(MESH, spec) for spec in (P("x"), P("x", "y"), P()))


def is_cut(found, want, spec):
    np.testing.assert_array_equal(found, want)
    assert isinstance(found, Array) and found.dtype == want.dtype and found.sharding.is_equivalent_to(
        NamedSharding(MESH, spec), found.ndim
    )  # fmt: skip


def test_operands_that_are_cut_alike():
    x, y = device_put(VALUES, BOTH), device_put(VALUES * 2.0, BOTH)
    w = device_put(VALUES[0], NamedSharding(MESH, P("y")))
    is_cut(x + y, VALUES * 3.0, P("x", "y"))
    is_cut(-x, -VALUES, P("x", "y"))
    is_cut(2.0 * x - 1, 2.0 * VALUES - 1, P("x", "y"))
    is_cut(x > y, VALUES > VALUES * 2.0, P("x", "y"))
    is_cut(x == x, np.ones((4, 8), bool), P("x", "y"))
    is_cut(np.sin(x), np.sin(VALUES), P("x", "y"))
    is_cut(np.maximum(x, y), VALUES * 2.0, P("x", "y"))
    is_cut(x + w, VALUES + VALUES[0], P("x", "y"))
    is_cut(w + x, VALUES + VALUES[0], P("x", "y"))
    is_cut(np.divmod(x, 2.0)[1], VALUES % 2.0, P("x", "y"))


def test_what_every_device_has_goes_with_any():
    x = device_put(VALUES, ROWS)
    for other in (device_put(VALUES, WHOLE), VALUES, Array(VALUES), np.float64(3.0), device_put(VALUES[0], WHOLE)):
        for found, want in [(x * other, VALUES * np.asarray(other)), (other - x, np.asarray(other) - VALUES)]:
            is_cut(found, want, P("x"))
    row = device_put(VALUES[:, :1], ROWS)
    is_cut(x + row, VALUES + VALUES[:, :1], P("x"))
    is_cut(device_put(VALUES[:1], NamedSharding(MESH, P(None, "y"))) + row, VALUES[:1] + VALUES[:, :1], P("x", "y"))


def test_operands_that_are_cut_otherwise():
    x = device_put(VALUES, ROWS)
    other = make_mesh((8,), ("i",))
    for y in (device_put(VALUES, BOTH), device_put(VALUES, NamedSharding(MESH, P(None, "y"))),
              device_put(VALUES, devices()[1]), device_put(VALUES, NamedSharding(other, P(None, "i")))):  # fmt: skip
        for call in (lambda y=y: x + y, lambda y=y: y + x, lambda y=y: np.add(x, y)):
            with pytest.raises(ValueError, match=r"add: .* not on the devices in the same way .*device_put\(x, other"):
                call()
        is_cut(x + device_put(y, x.sharding), VALUES * 2.0, P("x"))


def test_functions_of_numpy_and_methods():
    x, rows = device_put(VALUES, BOTH), device_put(VALUES, ROWS)
    for f, both, of_rows in [
        (lambda x: x.sum(axis=0), P("y"), P()), (lambda x: np.mean(x, axis=1), P("x"), P("x")),
        (lambda x: x.max(axis=1, keepdims=True), P("x"), P("x")), (lambda x: x.T, P("y", "x"), P(None, "x")),
        (lambda x: np.transpose(x, (1, 0)), P("y", "x"), P(None, "x")),
        (lambda x: x.transpose(1, 0), P("y", "x"), P(None, "x")),
        (lambda x: np.swapaxes(x, 0, 1), P("y", "x"), P(None, "x")), (lambda x: x.astype(int), P("x", "y"), P("x")),
        (lambda x: np.where(x > 3.0, x, 0.0), P("x", "y"), P("x")), (lambda x: x @ VALUES.T, P("x"), P("x")),
        (lambda x: np.expand_dims(x, 0), P(None, "x", "y"), P(None, "x")),
        (lambda x: x.clip(2.0, 9.0), P("x", "y"), P("x")),
        (lambda x: x[..., None], P("x", "y"), P("x")), (lambda x: x.std(axis=1), P("x"), P("x")),
    ]:
        is_cut(f(x), f(VALUES), both)
        is_cut(f(rows), f(VALUES), of_rows)
    is_cut(rows[:, 1:3], VALUES[:, 1:3], P("x"))
    is_cut(rows[:, -1], VALUES[:, -1], P("x"))
    is_cut(rows.reshape(4, 2, 4), VALUES.reshape(4, 2, 4), P("x"))
    is_cut(rows.reshape(-1), VALUES.reshape(-1), P("x"))


def test_everything_else_reads_the_one_buffer():
    x = device_put(VALUES, BOTH)
    for found, want in [(x[1], VALUES[1]), (x[:2], VALUES[:2]), (x[x > 3.0], VALUES[VALUES > 3.0]),
                        (x[[0, 1]], VALUES[:2]), (np.concatenate([x, x]), np.concatenate([VALUES, VALUES])),
                        (x.argmax(axis=0), VALUES.argmax(axis=0)), (np.trim_zeros(x[0]), VALUES[0])]:  # fmt: skip
        np.testing.assert_array_equal(found, want)
        assert type(found) is Array and found.sharding.num_devices == 1
    with pytest.raises(IndexError):
        x[9]
    with pytest.raises(IndexError):
        x[0, 0, 0]
    assert float(x.sum()) == VALUES.sum() and len(x) == 4 and [row.sum() for row in x] == list(VALUES.sum(axis=1))
    assert np.add.reduce(x, axis=None) == VALUES.sum() and (x + object.__new__(Other)) == "other"
    assert type(x[1, 2]) is np.float64 and x.tolist() == VALUES.tolist() and x.item(3) == VALUES.item(3)


class Other:
    __array_ufunc__ = None

    def __radd__(self, _):
        return "other"
