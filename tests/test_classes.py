"""Classes of the user's: compiled methods, what is seen to change, what is refused and how it says so."""

import dataclasses
import enum
import functools
import pickle
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from pellucid import CompileError, compile, grad, value_and_grad

X = np.array([0.5, -1.0, 2.0])


@dataclass(frozen=True)
class Model:
    w: np.ndarray
    b: float

    @compile
    def loss(self, x):
        return np.sum((self.w * x + self.b) ** 2)

    def scaled(self, x, y=1.0):
        return np.sum((self.w * x) ** 2) * y

    @classmethod
    def flat(cls, n, b):
        return cls(np.ones(3) * n, b)

    @functools.cached_property
    def table(self):
        return [self.b, 2.0 * self.b]

    @functools.cached_property
    def grid(self):
        return self.w * 2.0

    def shown(self):
        print(self.b)
        return self.b


MODEL = Model(np.array([1.0, 2.0, 3.0]), 0.5)


class Mode(enum.IntEnum):
    FAST = 1
    SLOW = 2


class Side(enum.Enum):
    LEFT = "left"
    RIGHT = "right"


class Counter:
    __slots__ = ("n",)

    def __init__(self, n):
        self.n = n

    def add(self, k):
        self.n += k

    def down(self, x):
        if x <= 0.0:
            return 0.0
        return 1.0 + self.down(x - 1.0)


@dataclass
class State:
    x: float
    seen: int = 0


class Pair(NamedTuple):
    a: float
    b: float = 1.0


def test_a_compiled_method_is_called_through_an_instance():
    want = np.sum((MODEL.w * X + MODEL.b) ** 2)
    for _ in range(4):
        np.testing.assert_allclose(MODEL.loss(X), want)
    assert "loss" in MODEL.loss.source("typed", X) and MODEL.loss.explain(X)
    np.testing.assert_allclose(MODEL.loss.debug("typed")(X), want)
    assert MODEL.loss == MODEL.loss and MODEL.loss.__name__ == "loss"
    assert pickle.loads(pickle.dumps(MODEL.loss))(X) == MODEL.loss(X)


def test_derivatives_of_bound_methods():
    np.testing.assert_allclose(grad(MODEL.loss)(X), 2 * (MODEL.w * X + MODEL.b) * MODEL.w)
    np.testing.assert_allclose(grad(MODEL.scaled)(X), 2 * MODEL.w**2 * X)
    value, (by_x, by_y) = value_and_grad(MODEL.scaled, argnums=(0, 1))(X, 2.0)
    np.testing.assert_allclose((value, by_y), (2 * np.sum((MODEL.w * X) ** 2), np.sum((MODEL.w * X) ** 2)))
    np.testing.assert_allclose(by_x, 4 * MODEL.w**2 * X)
    np.testing.assert_allclose(compile(lambda m, x: grad(m.scaled)(x))(MODEL, X), 2 * MODEL.w**2 * X)
    np.testing.assert_allclose(compile(MODEL.scaled)(X, y=2.0), value)


def by_enum(x, side):
    if side is Side.LEFT:
        return x * Mode.SLOW
    return x + Mode(1).value if side == Side.RIGHT else x


def by_int_enum(x, mode):
    return x * mode if mode is Mode.FAST else x - mode


@pytest.mark.parametrize("function, members", [(by_enum, Side), (by_int_enum, Mode)])
def test_members_of_enumerations_are_known(function, members):
    compiled = compile(function)
    for _ in range(3):
        for member in members:
            assert compiled(2.5, member) == function(2.5, member)


def test_a_method_that_is_replaced_is_seen(monkeypatch):
    def f(m, x):
        return m.scaled(x) + Model.flat(2.0, 1.0).scaled(x)

    compiled = compile(f)
    for _ in range(3):
        np.testing.assert_allclose(compiled(MODEL, X), f(MODEL, X))
    monkeypatch.setattr(Model, "scaled", lambda self, x, y=1.0: np.sum(x) * self.b)
    np.testing.assert_allclose(compiled(MODEL, X), f(MODEL, X))


def test_functions_and_methods_as_arguments():
    def f(g, x):
        return g(x)

    for g in (MODEL.scaled, functools.partial(Model.scaled, MODEL, y=3.0), MODEL.loss):
        np.testing.assert_allclose(compile(f)(g, X), f(g, X))


def test_an_object_that_recurses():
    assert compile(lambda x: Counter(1).down(x))(3.5) == 4.0


def test_an_object_that_is_returned():
    def f(x):
        state = State(x)
        state.seen += 1
        state.x *= 2.0
        return state, Pair(x)

    state, pair = compile(f)(1.5)
    assert (state, pair) == (State(3.0, 1), Pair(1.5, 1.0))


def changes_argument(state):
    state.x = 1.0
    return state.x


def changes_argument_by_a_helper(state):
    return changes_argument(state)


def changes_a_tuple(p):
    q = Pair(p.a)
    q.a = 2.0
    return q.a


def changes_what_is_frozen(m):
    n = dataclasses.replace(m, b=1.0)
    n.b = 2.0
    return n.b


def changes_what_is_kept(x):
    m = Model.flat(x, x)
    m.table.append(1.0)
    return m.table[0]


def stores_into_what_is_kept(x):
    m = Model.flat(x, x)
    grid = m.grid
    grid[0] = 1.0
    return grid + m.grid


def prints(m):
    return m.shown()


def has_no_such_attribute(m):
    return m.bias


def has_no_such_slot(x):
    c = Counter(x)
    c.m = x
    return c.m


def too_many(x):
    return Pair(x, x, x)


def through_a_slot_on_one_path(x):
    c = State(x)
    if x > 1.0:
        c.extra = x
    return c.extra


REFUSED = [
    (changes_argument, (State(1.0),), "P003"), (changes_argument_by_a_helper, (State(1.0),), "P014"),
    (changes_a_tuple, (Pair(1.0),), "P003"), (changes_what_is_frozen, (MODEL,), "P003"),
    (changes_what_is_kept, (1.0,), "P010"), (stores_into_what_is_kept, (1.0,), "R003"),
    (prints, (MODEL,), "P004"), (has_no_such_attribute, (MODEL,), "U013"), (has_no_such_slot, (1.0,), "U013"),
    (too_many, (1.0,), "T004"), (through_a_slot_on_one_path, (1.0,), None),
]  # fmt: skip


@pytest.mark.parametrize("function, args, code", REFUSED, ids=lambda v: getattr(v, "__name__", None))
def test_what_is_refused(function, args, code):
    with pytest.raises(CompileError) as caught:
        compile(function)(*args)
    assert code in (None, caught.value.diagnostics[0].code), str(caught.value)


def test_a_fault_in_a_method_shows_the_calls_that_lead_there():
    def middle(m):
        return m.shown()

    def outer(m):
        return middle(m) + 1.0

    with pytest.raises(pellucid.PurityError) as caught:
        compile(outer)(MODEL)
    said = [label.text for label in caught.value.diagnostics[0].labels]
    assert said == ["`outer` calls `middle` here"] or said[-1] == "`outer` calls `middle` here", said


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return np.sum(self.factor * x**2)


def test_objects_that_are_called():
    scale = Scale(3.0)
    np.testing.assert_allclose(grad(scale)(X), 6.0 * X)
    np.testing.assert_allclose(pellucid.vmap(scale)(np.stack((X, 2.0 * X))), [scale(X), 4.0 * scale(X)])
    assert compile(scale)(X) == scale(X)
