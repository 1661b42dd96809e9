"""Rules of the user's under `vmap`, in loops, and beside what has none."""

import math

import numpy as np

import pellucid
from tests.harness.reports import Reports

REPORTS = Reports(__name__)


# Rules of the user's under `vmap` and in loops


def safe_root():
    def safe(x):
        return np.sqrt(x)

    f = pellucid.custom_jvp(safe)

    def rule(primals, tangents):
        (x,) = primals
        (t,) = tangents
        r = np.sqrt(x)
        return r, 0.5 * t / np.where(x > 0, r, np.inf)

    f.defjvp(rule)

    def dist(pos, shift):
        d = pos[:, None, :] - (pos[None, :, :] + shift)
        return np.sum(f(np.sum(d * d, axis=2)))

    def total(pos):
        return np.sum(pellucid.vmap(dist, in_axes=(None, 0))(pos, np.array([[0.0, 0, 0], [1.0, 0, 0]])))

    pos = np.array([[0.0, 0, 0], [0.0, 2.0, 0]])
    return np.asarray(pellucid.grad(total)(pos))


REPORTS.answer(
    "safe root under vmap",
    safe_root,
    lambda: np.array([[0.0, -2 - 4 / math.sqrt(5), 0.0], [0.0, 2 + 4 / math.sqrt(5), 0.0]]),
)


def make_root(how):
    def root(x):
        return np.sqrt(x)

    if how == "jvp":
        f = pellucid.custom_jvp(root)

        def rule(primals, tangents):
            (x,) = primals
            (t,) = tangents
            r = np.sqrt(x)
            return r, 0.5 * t / r

        f.defjvp(rule)
    else:
        f = pellucid.custom_vjp(root)
        f.defvjp(lambda x: (np.sqrt(x), x), lambda x, g: (0.5 * g / np.sqrt(x),))
    return f


POINTS = np.array([[0.5, 1.0, 2.0], [3.0, 4.0, 5.0]])

SHIFTS = np.array([[1.0, 0, 0], [0.5, 0, 0.25]])


def slopes_of_points():
    return sum(POINTS / np.sqrt(POINTS * POINTS + s) for s in SHIFTS)


def literal_shift(how):
    def run():
        f = make_root(how)

        def g(pos, shift):
            return np.sum(f(pos * pos + shift))

        def total(pos):
            return np.sum(pellucid.vmap(g, in_axes=(None, 0))(pos, np.array([[1.0, 0, 0], [0.5, 0, 0.25]])))

        return np.asarray(pellucid.grad(total)(POINTS))

    return run


REPORTS.answer("custom_jvp, literal", literal_shift("jvp"), slopes_of_points)
REPORTS.answer("custom_vjp, literal", literal_shift("vjp"), slopes_of_points)


def literal_shift_value():
    f = make_root("jvp")

    def g(pos, shift):
        return np.sum(f(pos * pos + shift))

    def total(pos):
        return np.sum(pellucid.vmap(g, in_axes=(None, 0))(pos, np.array([[1.0, 0, 0], [0.5, 0, 0.25]])))

    return float(pellucid.compile(total)(POINTS))


REPORTS.answer("value", literal_shift_value, lambda: float(sum(np.sum(np.sqrt(POINTS * POINTS + s)) for s in SHIFTS)))


def literal_shift_forward():
    f = make_root("jvp")

    def g(pos, shift):
        return np.sum(f(pos * pos + shift))

    def total(pos):
        return np.sum(pellucid.vmap(g, in_axes=(None, 0))(pos, np.array([[1.0, 0, 0], [0.5, 0, 0.25]])))

    return float(pellucid.jvp(total, (POINTS,), (np.ones((2, 3)),))[1])


REPORTS.answer("forward mode", literal_shift_forward, lambda: float(np.sum(slopes_of_points())))


def literal_rows():
    f = make_root("jvp")

    def g(pos, shift):
        return np.sum(f(pos * pos + shift))

    def total(pos):
        return np.sum(pellucid.vmap(g)(pos, np.array([[1.0, 0, 0], [0.5, 0, 0.25]])))

    return np.asarray(pellucid.grad(total)(POINTS))


REPORTS.answer("both mapped", literal_rows, lambda: POINTS / np.sqrt(POINTS * POINTS + SHIFTS))


def loop_literal():
    f = make_root("jvp")

    def total(pos):
        shifts = np.array([[1.0, 0, 0], [0.5, 0, 0.25]])
        out = 0.0
        for k in range(2):
            out += np.sum(f(pos * pos + shifts[k]))
        return out

    return np.asarray(pellucid.grad(total)(POINTS))


REPORTS.answer("loop", loop_literal, slopes_of_points)


def loop_over_literal():
    f = make_root("vjp")

    def total(pos):
        out = 0.0
        for s in np.array([[1.0, 0, 0], [0.5, 0, 0.25]]):
            out += np.sum(f(pos * pos + s))
        return out

    return np.asarray(pellucid.grad(total)(POINTS))


REPORTS.answer("loop over rows", loop_over_literal, slopes_of_points)


def helper_vmapped():
    def g(pos, shift):
        return np.sum(np.sqrt(pos * pos + shift))

    def total(pos):
        return np.sum(pellucid.vmap(g, in_axes=(None, 0))(pos, np.array([[1.0, 0, 0], [0.5, 0, 0.25]])))

    return np.asarray(pellucid.grad(total)(POINTS))


REPORTS.answer("no rule", helper_vmapped, slopes_of_points)


def checkpointed():
    f = pellucid.checkpoint(lambda x: np.sqrt(x))

    def g(pos, shift):
        return np.sum(f(pos * pos + shift))

    def total(pos):
        return np.sum(pellucid.vmap(g, in_axes=(None, 0))(pos, np.array([[1.0, 0, 0], [0.5, 0, 0.25]])))

    return np.asarray(pellucid.grad(total)(POINTS))


REPORTS.answer("checkpoint", checkpointed, slopes_of_points)


def per_row():
    f = make_root("jvp")

    def g(row):
        return np.sum(f(row * row + np.array([1.0, 0.0, 0.5])))

    return np.asarray(pellucid.vmap(pellucid.grad(g))(POINTS))


REPORTS.answer("per row", per_row, lambda: POINTS / np.sqrt(POINTS * POINTS + np.array([1.0, 0.0, 0.5])))


def ruled():
    f = pellucid.custom_jvp(lambda x: x * x)

    def rule(primals, tangents):
        (x,) = primals
        (t,) = tangents
        return x * x, 2.0 * x * t

    f.defjvp(rule)
    return f


POSITIONS = np.array([1.0, 2.0, 3.0])


def constant_shifts():
    f = ruled()

    def g(pos, s):
        return np.sum(f(pos + s))

    def t(pos):
        return np.sum(pellucid.vmap(g, in_axes=(None, 0))(pos, np.ones((2, 3))))

    return np.asarray(pellucid.grad(t)(POSITIONS))


REPORTS.answer("rule under vmap with ones((2, 3))", constant_shifts, np.array([8.0, 12.0, 16.0]))
