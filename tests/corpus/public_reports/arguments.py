"""Arguments whose meaning would be lost, and ints in derivatives."""

import decimal
import fractions

import numpy as np
import scipy.sparse

import pellucid
from tests.harness.reports import Reports

REPORTS = Reports(__name__)


# Classes and dtypes that other compilers took for plain arrays


def square(x):
    return x**2


class Tagged(np.ndarray):
    """A class of the user's with a meaning of its own."""


def compiled_for(make):
    return lambda: pellucid.compile(square)(make())


REPORTS.refused("masked array", compiled_for(lambda: np.ma.array([1.0, 2, 3], mask=[True, False, True])))
REPORTS.refused("masked array of no mask", compiled_for(lambda: np.ma.array([1.0, 2, 3])))
REPORTS.refused("matrix", compiled_for(lambda: np.matrix([[1.0, 2], [3, 4]])))
REPORTS.refused("subclass", compiled_for(lambda: np.zeros(3).view(Tagged)))
REPORTS.refused("record array", compiled_for(lambda: np.rec.array([(1, 2.0)], dtype=[("a", int), ("b", float)])))
REPORTS.refused("objects", compiled_for(lambda: np.array([1, 2.5], dtype=object)))
REPORTS.refused("array of texts", compiled_for(lambda: np.array(["a", "b"])))
REPORTS.refused("dates", compiled_for(lambda: np.array(["2024-01-01"], dtype="M8[D]")))
REPORTS.refused("time differences", compiled_for(lambda: np.array([1, 2], dtype="m8[s]")))
REPORTS.refused("date scalar", compiled_for(lambda: np.datetime64("2024-01-01")))
REPORTS.refused("long double", compiled_for(lambda: np.ones(2, np.longdouble)))
REPORTS.refused("long double scalar", compiled_for(lambda: np.longdouble(1) / 3))
REPORTS.refused("int of more than 64 bits", compiled_for(lambda: 2**70))
REPORTS.refused("set", compiled_for(lambda: {1, 2}))
REPORTS.refused("fraction", compiled_for(lambda: fractions.Fraction(1, 3)))
REPORTS.refused("decimal", compiled_for(lambda: decimal.Decimal("0.1")))
REPORTS.refused("memoryview", compiled_for(lambda: memoryview(np.zeros(3))))
REPORTS.refused("sparse array", compiled_for(lambda: scipy.sparse.csr_array(np.eye(2))))


# Ints in derivatives


def square_sum(x):
    return np.sum(x * x)


def linear(x, y):
    return 2 * x + 3 * y


REPORTS.refused("slope of a ufunc by an int", lambda: pellucid.grad(np.tanh)(2), pellucid.GradientError)
REPORTS.refused("slope of a square by an int", lambda: pellucid.grad(square)(3), pellucid.GradientError)
REPORTS.refused("slope by an array of ints", lambda: pellucid.grad(square_sum)(np.arange(3)), pellucid.GradientError)
REPORTS.refused("slope of a vector", lambda: pellucid.grad(square)(np.ones(3)), pellucid.GradientError)
REPORTS.refused("slope of an int result", lambda: pellucid.grad(lambda x: int(x))(3.5), pellucid.GradientError)
REPORTS.refused("argnums beyond the arguments", lambda: pellucid.grad(linear, argnums=2)(1.0, 2.0))


def argnums_of_an_array():
    nums = np.array([0, 1])
    return float(pellucid.grad(linear, argnums=nums[1])(2.0, 2.0)), float(pellucid.grad(linear, argnums=-1)(2.0, 2.0))


REPORTS.answer("argnums of an array", argnums_of_an_array, (3.0, 3.0))


def int_beside(x, n, k):
    return x**n * k


REPORTS.slope("ints beside floats", int_beside, 2.0, 3, np.int32(5), want=60.0)


def rule_with_an_int():
    f = pellucid.custom_jvp(lambda x, y: x + y)

    def rule(primals, tangents):
        x, y = primals
        t, u = tangents
        return x + y, t * 2.0

    f.defjvp(rule)
    return float(pellucid.jvp(lambda x: f(x, 1), (1.0,), (1.0,))[1])


REPORTS.answer("rule with an int", rule_with_an_int, 2.0)


def root_with_a_count():
    def newton(f, guess):
        x = guess
        steps = 0
        while abs(f(x)) > 1e-13 and steps < 50:
            x = x - f(x) / (3.0 * x * x)
            steps += 1
        return x

    def cbrt(a):
        return pellucid.custom_root(lambda x: x**3 - a, 1.0, newton, lambda g, y: y / g(1.0))

    return float(pellucid.compile(cbrt)(2.0)), float(pellucid.grad(cbrt)(2.0))


REPORTS.answer("root with a count", root_with_a_count, (2 ** (1 / 3), 2 ** (-2 / 3) / 3))


def bessel(x):
    return np.i0(x)


REPORTS.slope("i0 near zero", bessel, 1e-300, want=5e-301)
REPORTS.slope("i0 at 2", bessel, 2.0, want=1.5906368546373288)
