"""Functions that recursive functions are given, and those that comprehensions make: each sees the names of its place.

Programs have names in common on purpose: `x`, `n`, `k` are variables of both functions.  CPython says what they give,
and differences of its values what their slopes are.
"""

import functools
from dataclasses import dataclass

import numpy as np
import pytest

import pellucid
from pellucid import grad, lax, vmap

from .harness.answers import agree

pytestmark = pytest.mark.drawn(5)


def newton(f, x, n):
    if n == 0:
        return x
    slope = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    return newton(f, x - f(x) / slope, n - 1)


def summed(f, n):
    if n == 0:
        return f(1.0)
    return summed(f, n - 1) + f(2.0)


def tree_map(f, tree):
    if isinstance(tree, dict):
        return {k: tree_map(f, v) for k, v in tree.items()}
    return f(tree)


def even(f, n):
    return f(n) if n == 0 else odd(f, n - 1) + f(1)


def odd(f, n):
    return 0.0 if n == 0 else even(f, n - 1) + f(2)


def first_and_second(fs, n):
    if n == 0:
        return fs[0](1.0)
    return first_and_second(fs, n - 1) + fs[1](2.0)


def picked(fs, n):
    return fs[0] if n == 0 else picked(fs, n - 1)


def counted(d, n):
    if n == 0:
        return 0.0
    d["sum"] = d["sum"] + d["f"](n)
    return counted(d, n - 1)


@dataclass
class Scaled:
    f: object
    factor: float

    def at(self, y):
        return self.f(y) * self.factor

    def repeated(self, n):
        return self.f(1.0) if n == 0 else self.repeated(n - 1) + self.at(2.0)


class Walk:
    def __init__(self, f):
        self.f, self.total = f, 0.0

    def go(self, n):
        if n == 0:
            return self.total
        self.total = self.total + self.f(self.total)
        return self.go(n - 1)


def a_root(x, k):
    return newton(lambda y: y * y - x, 1.0 + 0.0 * x, 8)


def the_same_names(n, k):
    return summed(lambda y: n * y + k, k)


def no_such_name_there(x, k):
    return summed(lambda y: y * x, k)


def leaves_of_a_dict(tree, k):
    made = tree_map(lambda k: k * tree, {"a": 1.0, "b": {"c": 2.0}})
    return made["a"] + made["b"]["c"]


def two_that_call_each_other(n, k):
    return even(lambda i: n * i, k)


def functions_that_see_functions(x, k):
    inner = lambda y: y * x  # noqa: E731
    return summed(lambda y: inner(y) + x, k)


def in_a_list(n, k):
    return first_and_second([lambda y: y * n, lambda y: y + n], k)


def in_a_tuple(n, k):
    return first_and_second((lambda y: y * n, lambda y: y + n), k)


def in_a_partial(n, k):
    def scaled(a, y):
        return a * y + n

    return summed(functools.partial(scaled, n), k)


def in_an_instance(n, k):
    return Scaled(lambda y: y * n, n).repeated(k) + summed(Scaled(lambda y: y + n, n).at, k)


def in_an_object_that_changes(n, k):
    walk = Walk(lambda y: y * n + 1.0)
    return walk.go(k) + walk.total + walk.f(1.0)


def in_defaults(n, k):
    plus = lambda y: y + n  # noqa: E731
    return summed(lambda y, c=n: y * c + n, k) + summed(lambda y, c=plus: c(y) * n, k)


def in_a_dict_that_changes(n, k):
    d = {"f": lambda y: y * n, "sum": 0.0}
    counted(d, k)
    return d["sum"] + d["f"](2.0)


def of_two_defaults(x, k):
    return first_and_second([lambda y, c=c: y * c * x for c in (2.0, 3.0)], k)


def its_own_default(x, n):
    y = x * x

    def go(n, c=y):
        return c if n == 0 else go(n - 1) + 2.0 * c

    return go(n, x)


def returned(n, k):
    return picked([lambda y: y * n, lambda y: y], k)(2.0)


def a_local_recursion(n, k):
    def go(f, n):
        return f(1.0) if n == 0 else go(f, n - 1) + f(2.0)

    return go(lambda y: y * n, k)


def a_list_that_a_local_recursion_sees(x, k):
    fs = [lambda y: y * x, lambda y: y + x]

    def go(x):
        return fs[0](1.0) if x == 0 else go(x - 1) + fs[1](2.0)

    return go(k)


def made_anew_in_the_recursion(x, k):
    def around(f, n):
        return summed(lambda y: f(y) + n, n)

    return around(lambda y: y * k * x, 2) + around(lambda y: y * x, 3)


def of_two_places(x, k):
    def times(n):
        return lambda y: y * n * x

    return summed(times(2.0), k) + summed(times(x), k)


def derivatives(n, k):
    return summed(grad(lambda y: y * y * n), k)


def differentiated_in_the_recursion(x, k):
    def product(f, n):
        return f(1.0) if n == 0 else grad(f)(2.0) * product(f, n - 1)

    return product(lambda y: y * y * x, k)


def that_changes_a_list(x, k):
    log = [0.0]

    def noted(y):
        log[0] += y * x
        return y

    return summed(noted, k) + log[0]


def that_rebinds(x, k):
    total = 0.0

    def noted(y):
        nonlocal total
        total += y * x
        return y

    return summed(noted, k) + total


def rebound_meanwhile(x, n):
    k = x * 2.0
    f = lambda y: y * k  # noqa: E731
    k = x * 5.0
    return summed(f, n)


def that_may_be_unbound(x, n):
    if n > 1:
        k = 2.0 * x
    return summed(lambda y: y * k, n)


def in_loops(x, n):
    total = 0.0
    for k in range(n):
        total += summed(lambda y: y * k * x, k)  # noqa: B023
    return total + lax.fori_loop(0, n, lambda i, v: v + summed(lambda y: y * x * i, i), 0.0)


def generator_functions(t, n):
    def items(m):
        for i in range(m):
            yield i * t

    def go(g, n):
        if n == 0:
            return 0.0
        t = 0.0
        for v in g(n):
            t += v
        return t + go(g, n - 1)

    return go(items, n)


def area(f, b):
    return f(b) * b


def given_to_derivatives(x, k):
    def local(f, b):
        return f(b) * b * x

    slope = grad(area, argnums=1)(lambda y: y * k * x, x)
    return slope + grad(local, argnums=1)(lambda y: y * k, x)


def given_to_vmap(x, k):
    return sum(vmap(area, in_axes=(None, 0))(lambda y: y * k * x, np.array([1.0, 2.0]) * x))


def of_a_comprehension(x, n):
    fs = [lambda y: y * k * x for k in (1.0, 2.0, 3.0)]  # noqa: B023
    return fs[0](2.0) + fs[1](x)


def of_a_nested_one(x, n):
    fs = [[lambda y: y * k * j * x for k in (1.0, 2.0)] for j in (1.0, 3.0)]  # noqa: B023
    return fs[0][0](2.0) + fs[1][0](1.0)


def of_other_comprehensions(x, n):
    d = {k: lambda y: y * k * x for k in (1, 2)}  # noqa: B023
    fs = list(lambda y: y * k * x for k in (1.0, 2.0))  # noqa: B023, C400
    total = d[1](2.0) + fs[0](1.0)
    for f in (lambda y: y * k * x for k in (1.0, 2.0)):  # noqa: B023
        total += f(2.0)
    return total


def a_recursion_in_a_comprehension(x, n):
    return sum([summed(lambda y: y * k * x, n) for k in (1.0, 2.0, 3.0)]) + sum(  # noqa: B023
        summed(lambda y: y * k * x, n) for k in range(n)  # noqa: B023
    )


@pytest.mark.parametrize("function", [
    a_root, the_same_names, no_such_name_there, leaves_of_a_dict, two_that_call_each_other,
    functions_that_see_functions, in_a_list, in_a_tuple, in_a_partial, in_an_instance, in_an_object_that_changes,
    in_defaults, in_a_dict_that_changes, of_two_defaults, its_own_default, returned, a_local_recursion,
    a_list_that_a_local_recursion_sees, made_anew_in_the_recursion, of_two_places, derivatives,
    differentiated_in_the_recursion, that_changes_a_list, that_rebinds, rebound_meanwhile, that_may_be_unbound,
    in_loops, generator_functions, given_to_derivatives, given_to_vmap, of_a_comprehension, of_a_nested_one,
    of_other_comprehensions, a_recursion_in_a_comprehension,
])  # fmt: skip
def test_names_are_those_of_the_place(function):
    x, step = 1.7, 1e-6
    agree(pellucid.compile(function)(x, 3), function(x, 3))
    slope = (function(x + step, 3) - function(x - step, 3)) / (2.0 * step)
    np.testing.assert_allclose(grad(function)(x, 3), slope, rtol=1e-6)


def methods_of_arrays(x, n):
    def go(m, n):
        return m() if n == 0 else go(m, n - 1) + m()

    return go((x * 2.0).sum, n) * go(x.max, n)


def arrays(x, n):
    return summed(lambda y: np.sum(x * y), n)


def keys_of_sorted(x, n):
    def first(values, key, n):
        return values[0] if n == 0 else first(sorted(values, key=key), key, n - 1)

    return first([x[0], x[1], x[2]], lambda v: -v * x[0], n)


@pytest.mark.parametrize("function", [methods_of_arrays, arrays, keys_of_sorted])
def test_functions_that_see_arrays(function):
    x = np.array([3.0, 1.0, 2.0])
    agree(pellucid.compile(function)(x, 3), function(x, 3))


def test_what_has_no_value_yet_raises():
    with pytest.raises(NameError, match="k"):
        pellucid.compile(that_may_be_unbound)(1.7, 1)


def composed(f, n):
    return f(1.0) if n == 0 else composed(lambda y: f(y) * 2.0, n - 1)


def a_chain_without_end(x, n):
    return composed(lambda y: y * x, n)


def test_functions_that_see_those_before_are_refused():
    message = "each call makes a `lambda` that sees the one before"
    with pytest.raises(pellucid.UnsupportedError, match=message):
        pellucid.compile(a_chain_without_end)(1.7, 3)
