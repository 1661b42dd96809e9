"""Derivatives of derivatives, in every order of modes."""

import math

import numpy as np

import pellucid
from tests.harness.reports import Reports

REPORTS = Reports(__name__)


# Derivatives of derivatives, in every order of modes


def field(y):
    return np.array([np.dot(y, y), np.sin(np.dot(y, y))])


def iterate_jvp():
    def one(x):
        return pellucid.jvp(field, (x,), (field(x),))[1]

    def two(x):
        return pellucid.jvp(one, (x,), (field(x),))[1]

    y = np.array([0.3, 0.5])
    return (
        np.asarray(one(y)),
        np.asarray(two(y)),
        np.asarray(pellucid.jacrev(field)(y) @ field(y)),
        np.asarray(pellucid.jacfwd(lambda x: pellucid.jacrev(field)(x) @ field(x))(y) @ field(y)),
    )


def right_iterates():
    y = np.array([0.3, 0.5])
    s = y @ y
    J = np.array([2 * y, np.cos(s) * 2 * y])
    f = np.array([s, np.sin(s)])
    one = J @ f
    H = np.array([2 * np.eye(2), np.cos(s) * 2 * np.eye(2) - np.sin(s) * 4 * np.outer(y, y)])
    D = np.einsum("kij,j->ki", H, f) + J @ J
    return one, D @ f, one, D @ f


REPORTS.answer("iterated derivatives", iterate_jvp, right_iterates)


def reverse_cumprod(x):
    return np.cumprod(x[::-1])[::-1]


def both_modes():
    x = np.array([-1.5, 0.0, 2.0, -0.5])
    a, b = np.asarray(pellucid.jacrev(reverse_cumprod)(x)), np.asarray(pellucid.jacfwd(reverse_cumprod)(x))
    return np.allclose(a, b, equal_nan=False), b


def right_cumprod():
    x = np.array([-1.5, 0.0, 2.0, -0.5])
    J = np.zeros((4, 4))
    for i in range(4):
        for j in range(i, 4):
            J[i, j] = np.prod([x[k] for k in range(i, 4) if k != j])
    return True, J


REPORTS.answer("reversed cumprod, both modes", both_modes, right_cumprod)


def powers(y, t):
    return y**t


def power_nan():
    y = np.array([1.0, 2.0, np.nan])
    h = pellucid.jacfwd(pellucid.jacfwd(powers, argnums=1), argnums=1)(y, 1.0)
    return np.asarray(h)


REPORTS.answer("second derivative beside nan", power_nan, lambda: np.array([0.0, 2 * math.log(2) ** 2, math.nan]))


def clipped_index(x):
    ind = np.argmin(x.reshape((-1, 1)) - x.reshape((1, -1)), axis=1)
    ind = np.clip(ind, 1, len(x) - 2)
    return np.sum(x[ind] ** 2)


REPORTS.curvature(
    "clipped index, second order", clipped_index, np.linspace(0, 4, 5), want=np.diag([0.0, 0, 0, 10.0, 0])
)


def abs_fourth(x):
    return np.sum(np.abs(x)) ** 4 + np.exp(x[..., 1])


REPORTS.slope("abs at zero", abs_fourth, np.array([1.0, 0.0]), want=np.array([4.0, 1.0]))


def wave2(x, y):
    return -(1 / (2 * np.pi**2)) * np.sin(x * np.pi) * np.sin(y * np.pi)


def orders():
    return [
        float(f(0.7, 0.7))
        for f in (
            pellucid.grad(pellucid.grad(wave2)),
            pellucid.jacfwd(pellucid.jacfwd(wave2)),
            pellucid.jacrev(pellucid.jacrev(wave2)),
            pellucid.jacrev(pellucid.jacfwd(wave2)),
            pellucid.jacfwd(pellucid.jacrev(wave2)),
            pellucid.hessian(wave2),
        )
    ]


REPORTS.answer("all orders", orders, [math.sin(0.7 * math.pi) ** 2 / 2] * 6)
