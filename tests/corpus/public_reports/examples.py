"""Axes of `vmap`, and loops that each example leaves at its own time."""

import math

import numpy as np

import pellucid
from tests.harness.reports import Reports

REPORTS = Reports(__name__)


# Axes of `vmap`


def add3(x1, x2, a3):
    return x1 * x2 + a3


def by_keywords():
    return pellucid.vmap(add3)(np.ones(2), a3=np.arange(2.0), x2=np.array([3.0, 4.0]))


REPORTS.answer("keywords", by_keywords, np.array([3.0, 5.0]))


def short_keyword():
    return pellucid.vmap(add3)(np.ones(2), a3=np.ones(1), x2=np.ones(2))


REPORTS.refused("keyword too short", short_keyword, ValueError)


def dot_rows(a, b):
    return a @ b


def unequal():
    return pellucid.vmap(dot_rows, in_axes=(0, 1))(np.ones((10, 4)), np.ones((4, 2)))


REPORTS.refused("unequal lengths", unequal, ValueError)


def no_axis():
    return pellucid.vmap(add3, in_axes=None)(1.0, 2.0, 3.0)


REPORTS.refused("no axis at all", no_axis, ValueError)


def negative():
    return np.asarray(
        pellucid.vmap(dot_rows, in_axes=(-1, 0))(np.arange(6.0).reshape(3, 2), np.arange(12.0).reshape(2, 3, 2))
    )


REPORTS.answer(
    "negative axis",
    negative,
    lambda: np.stack([np.arange(6.0).reshape(3, 2)[:, k] @ np.arange(12.0).reshape(2, 3, 2)[k] for k in range(2)]),
)


def pair(x):
    return x, x * 2.0


def out_last():
    a, b = pellucid.vmap(pair, out_axes=(1, -1))(np.arange(6.0).reshape(3, 2))
    return np.asarray(a), np.asarray(b)


REPORTS.answer("out axes", out_last, lambda: (np.arange(6.0).reshape(3, 2).T, 2 * np.arange(6.0).reshape(3, 2).T))


def from_dict(d, y):
    return d["w"] * y + d["b"]


def of_dict():
    return np.asarray(
        pellucid.vmap(from_dict, in_axes=({"w": 0, "b": None}, 0))(
            {"w": np.array([1.0, 2.0]), "b": 3.0}, np.array([5.0, 7.0])
        )
    )


REPORTS.answer("axes of a dict", of_dict, np.array([8.0, 17.0]))


def empty_batch():
    return np.asarray(pellucid.vmap(dot_rows)(np.zeros((0, 3)), np.zeros((0, 3))))


REPORTS.answer("vmap of no examples", empty_batch, np.zeros(0))


def nested():
    f = pellucid.vmap(pellucid.vmap(lambda a, b: a * 10.0 + b, in_axes=(None, 0)), in_axes=(0, None))
    return np.asarray(f(np.arange(2.0), np.arange(3.0)))


REPORTS.answer("vmap nested", nested, np.array([[0.0, 1, 2], [10, 11, 12]]))


def swapped_nested():
    f = pellucid.vmap(pellucid.vmap(lambda a, b: a * 10.0 + b, in_axes=(0, None)), in_axes=(None, 0), out_axes=1)
    return np.asarray(f(np.arange(2.0), np.arange(3.0)))


REPORTS.answer("vmap nested, out axis", swapped_nested, np.array([[0.0, 1, 2], [10, 11, 12]]))


def int_result():
    return np.asarray(pellucid.vmap(lambda x: 3)(np.zeros(4)))


REPORTS.answer("vmap constant result", int_result, np.array([3, 3, 3, 3]))


# Roots, and loops of which each example leaves at its own time


def newton(f, guess):
    x = guess
    for _ in range(60):
        x = x - f(x) / 3.0
    return x


def root_of(a):
    return pellucid.custom_root(lambda x: x + 0.5 * np.sin(x) - a, 1.0, newton, lambda g, y: y / g(1.0))


def root_orders():
    x = float(pellucid.compile(root_of)(1.2))
    d = 1 / (1 + 0.5 * math.cos(x))
    first, second = pellucid.grad(root_of)(1.2), pellucid.grad(pellucid.grad(root_of))(1.2)
    return np.array([first - d, second - 0.5 * math.sin(x) * d**3]).round(8) + 0.0


REPORTS.answer("root, two orders", root_orders, np.zeros(2))


def root_hessian():
    x = float(pellucid.compile(root_of)(1.2))
    d = 1 / (1 + 0.5 * math.cos(x))
    return round(float(pellucid.hessian(root_of)(1.2)) - 0.5 * math.sin(x) * d**3, 8) + 0.0


REPORTS.answer("root, hessian", root_hessian, 0.0)


def masked_loop():
    f = pellucid.custom_jvp(lambda arr, mask: arr * mask)

    def rule(primals, tangents):
        arr, mask = primals
        t, _ = tangents
        return arr * mask, t * mask * 10.0

    f.defjvp(rule)

    def loss(x, mask):
        for _ in range(2):
            x = f(x, mask)
        return np.sum(x)

    return np.asarray(pellucid.grad(loss)(np.ones(4), np.array([True, False, True, False])))


REPORTS.answer("mask in a loop", masked_loop, np.array([100.0, 0.0, 100.0, 0.0]))


def count_while(a, b):
    k = 0
    x = a
    while x < b:
        x = x * 2.0 + 1.0
        k += 1
    return k


def nested_while():
    f = pellucid.vmap(pellucid.vmap(count_while, in_axes=(0, None)), in_axes=(None, 0))
    return np.asarray(f(np.array([0.0, 1.0, 5.0]), np.array([1.0, 2.0, 10.0, 100.0, 0.0])))


def nested_right():
    return np.array([[count_while(a, b) for a in (0.0, 1.0, 5.0)] for b in (1.0, 2.0, 10.0, 100.0, 0.0)])


REPORTS.answer("nested vmap of while", nested_while, nested_right)


def halve(x):
    k = 0
    while x > 1.0:
        x = x / 2.0
        k += 1
    return x, k


def halved():
    a, b = pellucid.vmap(halve)(np.array([0.5, 1.0, 9.0, 1024.0]))
    return np.asarray(a), np.asarray(b)


REPORTS.answer("loop not entered", halved, (np.array([0.5, 1.0, 0.5625, 1.0]), np.array([0, 0, 4, 10])))


def index_guard(x, i):
    while i < 2:
        x = x + x / (2.0 - i)
        i += 1
    return x


def guarded():
    return np.asarray(pellucid.vmap(index_guard)(np.array([1.0, 1.0, 1.0]), np.array([0, 1, 2]))), np.asarray(
        pellucid.vmap(pellucid.grad(index_guard))(np.array([1.0, 1.0, 1.0]), np.array([0, 1, 2]))
    )


REPORTS.answer("division only inside", guarded, (np.array([3.0, 2.0, 1.0]), np.array([3.0, 2.0, 1.0])))
