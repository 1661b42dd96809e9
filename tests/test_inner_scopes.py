"""Inner functions that rebind variables around them (`nonlocal`), and imports inside functions: CPython's answers."""

import numpy as np
import pytest

import pellucid
from pellucid import grad, vmap
from tests.harness.answers import agree, outcome
from tests.harness.stages import Stages

pytestmark = pytest.mark.drawn(5)

X = np.array([1.3, -2.0, 3.0, 0.5])


def least_and_count(x):
    count = 0
    best = None

    def note(v):
        nonlocal count, best
        count += 1
        if best is None or v < best:
            best = v
        return v * count

    total = 0.0
    for v in x:
        if v > 0:
            total += note(v)
    return total, count, best


def a_parameter(x, k=2.0):
    def bump(by=k):
        nonlocal k
        k = k * by + 1.0
        return k

    return bump() * x.sum() + bump(0.5) * k


def by_recursion(x):
    calls = 0

    def fibonacci(n):
        nonlocal calls
        calls += 1
        return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

    return fibonacci(int(x[0]) + 4), calls


def bound_together(x):
    t, y = 0.0, x.copy()

    def step(dt):
        nonlocal t, y
        y = y + dt * np.cos(t)
        t += dt

    while t < 1.0:
        step(0.1)
    return t, y


def of_two_levels(x):
    a: float = 0.0

    def outer():
        b = 1.0

        def inner(v):
            nonlocal a, b
            a += v * b
            b *= 2

        for v in x:
            inner(v)
        return b

    return outer(), a, [a * k for k in range(2)]


def a_stream_of_numbers(x):
    state = x[0]

    def draw():
        nonlocal state
        state = (state * 1.7 + 0.3) % 1.0
        return state

    return np.array([draw() for _ in range(4)]), max(draw(), draw())


def a_name_of_its_own(x):
    n = 1.0

    def count():
        nonlocal n
        n += 1.0

    def other(n):
        return n * 2.0

    count()
    return other(x[0]) + n + (lambda n: n)(3.0)


def imports(x):
    from math import sin as s
    from math import tau

    import numpy as np

    def of(v):
        import math

        return math.exp(v) if v < 1 else np.log(v)

    if x[0] > 0:
        from numpy.linalg import norm

        y = norm(x)
    else:
        y = 0.0
    return y + sum(of(v) for v in x) + s(x[0]) * tau


def imports_of_python(x):
    import bisect
    import heapq
    import itertools as it
    from collections import deque

    last, heap = deque(maxlen=2), []
    for v in x:
        last.append(v)
        heapq.heappush(heap, v)
    return list(last), heapq.heappop(heap), bisect.bisect([1.0, 2.0], x[0]), [a * b for a, b in it.pairwise(x)]


def imports_a_module_of_a_package(x):
    import numpy.linalg

    return numpy.linalg.norm(x)


def a_parameter_named_like_its_function(x):
    saved = []
    for k in range(len(x)):

        def put(put, v):
            return put + v

        saved.append(put(x[k], k))
    return saved


def imported_in_a_loop(x):
    total = 0.0
    for v in x:
        import math as m

        total += m.sin(v)
    return total * m.pi


def as_tuples(value):
    return tuple(map(as_tuples, value)) if isinstance(value, list | tuple) else value


PROGRAMS = [
    least_and_count, a_parameter, by_recursion, bound_together, of_two_levels, a_stream_of_numbers, a_name_of_its_own,
    a_parameter_named_like_its_function, imported_in_a_loop, imports, imports_of_python, imports_a_module_of_a_package,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS)
def test_every_stage_is_cpythons(function):
    want = outcome(function, [X])
    runner = Stages(function)
    for stage in ("typed", "llvm"):
        found = runner.run(stage, X)
        assert agree(as_tuples(found.error or found.value), as_tuples(want))


@pytest.mark.parametrize("function", [least_and_count, a_parameter, imports])
def test_gradients(function):
    first = lambda x: function(x)[0] if function is least_and_count else function(x)  # noqa: E731
    found, gaps = grad(first)(X), np.eye(len(X)) * 1e-6
    np.testing.assert_allclose(found, [(first(X + h) - first(X - h)) / 2e-6 for h in gaps], rtol=1e-6)


def test_examples_have_variables_of_their_own():
    both = np.stack([X, X + 1.0])
    np.testing.assert_allclose(vmap(a_parameter)(both), [a_parameter(row) for row in both])


def test_what_is_printed_has_plain_variables():
    text = pellucid.compile(bound_together).source("typed", X)
    assert "t_1 += 0.1" in text and "[0]" not in text


def bound_in_a_branch(x):
    if x[0] > 0:
        n = 1.0

    def count():
        nonlocal n
        n += 1.0

    count()
    return n


def deleted(x):
    n = 1.0

    def forget():
        nonlocal n
        del n

    forget()
    return x


def imported_and_assigned(x):
    import math  # noqa: F811

    math = 3.0  # noqa: F811
    return x * math


def not_installed(x):
    import numpi  # noqa: F401

    return x


def not_there(x):
    from numpy import summ

    return summ(x)


def random_numbers(x):
    import random

    return x * random.random()


REFUSED = {
    bound_in_a_branch: "P002", deleted: "P002", imported_and_assigned: "U006", not_installed: "U006",
    not_there: "U012", random_numbers: "P005",
}  # fmt: skip


@pytest.mark.parametrize("function", REFUSED)
def test_the_rest_is_refused(function):
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function)(X)
    found = caught.value.diagnostics
    assert REFUSED[function] in [d.code for d in found] and all(d.help for d in found)


def test_a_variable_of_a_function_that_is_not_compiled():
    n = 0.0

    def count(x):
        nonlocal n
        n += 1.0
        return x

    with pytest.raises(pellucid.PurityError, match="P002"):
        pellucid.compile(count)


def mapped_in_turn(x):
    calls, seen, heights = 0, [], np.zeros(3)

    def counted(v):
        nonlocal calls
        calls += 1
        seen.append(v)
        return v * calls

    def raised(k):
        heights[k] += 1.0
        return heights.sum()

    total = 0.0
    for y in list(map(counted, x)):
        total += y * y
    found = sum(map(counted, x)), max(map(counted, x)), np.array(list(map(counted, x))), sorted(map(counted, x))
    return tuple(map(counted, x)), found, total, calls, len(seen), list(map(raised, range(3))), heights


def test_calls_that_change_something_are_made_one_after_the_other():
    found, want = pellucid.compile(mapped_in_turn)(X), mapped_in_turn(X)
    assert agree(as_tuples(found), as_tuples(want))
    derivative, gaps = grad(lambda x: mapped_in_turn(x)[2])(X), np.eye(len(X)) * 1e-6
    rises = [(mapped_in_turn(X + h)[2] - mapped_in_turn(X - h)[2]) / 2e-6 for h in gaps]
    np.testing.assert_allclose(derivative, rises, rtol=1e-6)


def stops_somewhere(x):
    calls = 0

    def counted(v):
        nonlocal calls
        calls += 1
        return v > 0

    return any(map(counted, x)), calls


def test_how_many_calls_are_made_is_not_guessed():
    with pytest.raises(pellucid.CompileError, match="U018"):
        pellucid.compile(stops_somewhere)(X)
