"""Which loops of users are marked parallel: those whose iterations cannot see each other, and no others."""

import numpy as np
import pytest

import pellucid
from pellucid.compiler.optimise.independent import mark_independent
from pellucid.compiler.targets.python.printer import print_function
from tests.harness.loops_text import read_loops

INDEPENDENT = {
    "rows by the variable": """
def f(x: "f64[n, m]"):
    y: "f64[n, m]" = empty((dim(x, 0), dim(x, 1)), "f64")
    for i in range(0, dim(x, 0), 1):
        for j in range(0, dim(x, 1), 1):
            y[i, j] = x[i, j] * 2.0
    return y
""",
    "a private accumulator": """
def f(x: "f64[n, m]"):
    y: "f64[n]" = empty((dim(x, 0),), "f64")
    for i in range(0, dim(x, 0), 1):
        total: "f64" = 0.0
        for j in range(0, dim(x, 1), 1):
            total = total + x[i, j]
        y[i] = total
    return y
""",
    "a row above the range": """
def f(x: "f64[n, n]", k: "int"):
    a: "f64[n, n]" = empty((dim(x, 0), dim(x, 0)), "f64")
    for k in range(0, dim(x, 0), 1):
        for i in range(k + 1, dim(x, 0), 1):
            for j in range(0, dim(x, 0), 1):
                a[i, j] = a[i, j] - a[k, j]
    return a
""",
    "the inner loop alone": """
def f(x: "f64[n, n]"):
    a: "f64[n, n]" = empty((dim(x, 0), dim(x, 0)), "f64")
    for k in range(0, dim(x, 0), 1):
        for i in range(k, dim(x, 0), 1):
            for j in range(0, dim(x, 0), 1):
                a[i, j] = a[i, j] - a[k, j]
    return a
""",
    "below a time loop, with a test": """
def f(x: "f64[n, m]", steps: "int"):
    a: "f64[n, m]" = empty((dim(x, 0), dim(x, 1)), "f64")
    t: "int" = steps
    while t > 0:
        for i in range(0, dim(x, 0), 1):
            for j in range(0, dim(x, 1), 1):
                if a[i, j] > 0.0:
                    a[i, j] = a[i, j] * 0.5 + x[i, j]
        t = t - 1
    return a
""",
    "an index that may be negative, once around": """
def f(x: "f64[n]", shift: "int"):
    y: "f64[n]" = empty((dim(x, 0),), "f64")
    for i in range(0, dim(x, 0), 1):
        y[i - shift] = x[i]
    return y
""",
}
MARKED = {
    "rows by the variable": "ij", "a row above the range": "ij", "the inner loop alone": "j",
    "below a time loop, with a test": "ij",
}  # fmt: skip

DEPENDENT = {
    "a running sum": """
def f(x: "f64[n]"):
    y: "f64[n]" = empty((dim(x, 0),), "f64")
    total: "f64" = 0.0
    for i in range(0, dim(x, 0), 1):
        total = total + x[i]
        y[i] = total
    return y
""",
    "the element before": """
def f(x: "f64[n]"):
    y: "f64[n]" = empty((dim(x, 0),), "f64")
    for i in range(1, dim(x, 0), 1):
        y[i] = y[i - 1] + x[i]
    return y
""",
    "two parameters that may be one": """
def f(x: "f64[n]", y: "f64[n]"):
    for i in range(1, dim(x, 0), 1):
        x[i] = y[i - 1]
    return x
""",
    "one element for all": """
def f(x: "f64[n]"):
    y: "f64[n]" = empty((dim(x, 0),), "f64")
    for i in range(0, dim(x, 0), 1):
        y[0] = x[i]
    return y
""",
    "an index that is looked up": """
def f(x: "f64[n]", places: "i64[n]"):
    y: "f64[n]" = empty((dim(x, 0),), "f64")
    for i in range(0, dim(x, 0), 1):
        y[places[i]] = x[i]
    return y
""",
    "a value read behind the loop": """
def f(x: "f64[n]"):
    y: "f64[n]" = empty((dim(x, 0),), "f64")
    last: "f64" = 0.0
    for i in range(0, dim(x, 0), 1):
        last = x[i]
        y[i] = last
    return y, last
""",
    "an index that counts from both ends": """
def f(x: "f64[n]"):
    y: "f64[n]" = empty((dim(x, 0),), "f64")
    for i in range(0 - dim(x, 0), dim(x, 0), 1):
        y[i] = x[0]
    return y
""",
    "the row of the range itself": """
def f(x: "f64[n, n]"):
    a: "f64[n, n]" = empty((dim(x, 0), dim(x, 0)), "f64")
    for k in range(0, dim(x, 0), 1):
        for i in range(k, dim(x, 0), 1):
            for j in range(0, dim(x, 0), 1):
                a[i, j] = a[i, j] - a[k, 0]
    return a
""",
    "a name for what an int was before": """
def f(x: "f64[n]", k: "int"):
    a: "f64[n]" = empty((dim(x, 0),), "f64")
    t: "int" = k
    while t > 0:
        m: "int" = t + 1
        t = t - 1
        if m < dim(x, 0):
            for i in range(t + 2, dim(x, 0), 1):
                a[i] = a[i] * 0.5 + a[m]
    return a
""",
    "opposite ways": """
def f(x: "f64[n]"):
    y: "f64[n]" = empty((dim(x, 0),), "f64")
    for i in range(0, dim(x, 0), 1):
        y[i] = y[dim(x, 0) - 1 - i] + x[i]
    return y
""",
}


def parallel_loops(text):
    marked = mark_independent(read_loops(text).main)
    return [line.strip() for line in print_function(marked).split("\n") if "prange" in line]


@pytest.mark.parametrize("name", INDEPENDENT)
def test_loops_of_independent_iterations_are_marked(name):
    marked = "".join(line.removeprefix("for ")[0] for line in parallel_loops(INDEPENDENT[name]))
    assert marked == MARKED.get(name, "i")


@pytest.mark.parametrize("name", DEPENDENT)
def test_iterations_that_may_meet_are_not(name):
    function = read_loops(DEPENDENT[name]).main
    assert mark_independent(function) is function


@pytest.mark.parametrize("name", INDEPENDENT)
def test_marking_again_changes_nothing(name):
    marked = mark_independent(read_loops(INDEPENDENT[name]).main)
    assert mark_independent(marked) is marked


def escape_counts(side, limit):
    counts = np.zeros((side, side), np.int64)
    for i in range(side):
        for j in range(side):
            x = y = 0.0
            count = 0
            while count < limit and x * x + y * y <= 4.0:
                x, y = x * x - y * y + 3.0 * j / side - 2.0, 2.0 * x * y + 3.0 * i / side - 1.5
                count += 1
            counts[i, j] = count
    return counts


def inverse_rows(x):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        if x[i] == 0.0:
            raise ZeroDivisionError(f"row {i}")
        y[i] = 1.0 / x[i]
    return y


def earlier_and_later(x, k):
    a = x.copy()
    t = k
    while t > 0:
        m = t + 1
        t = t - 1
        if m < x.shape[0]:
            for i in range(2, x.shape[0] - t):
                a[i + t] = a[i + t] * 0.5 + a[m]
    return a


def test_an_element_is_not_kept_where_its_name_is_older_than_the_loop():
    x = np.arange(15.0)
    np.testing.assert_array_equal(np.asarray(pellucid.compile(earlier_and_later)(x, 3)), earlier_and_later(x, 3))


def test_a_loop_of_the_users_runs_in_parallel_and_agrees():
    compiled = pellucid.compile(escape_counts)
    assert "for i in prange(side):" in compiled.source("loops", 8, 5)
    np.testing.assert_array_equal(np.asarray(compiled(60, 50)), escape_counts(60, 50))


def test_the_error_is_that_of_the_first_iteration():
    compiled = pellucid.compile(inverse_rows)
    x = np.ones(300_000)
    x[[299_000, 1234, 150_000]] = 0.0
    assert "prange" in compiled.source("loops", x)
    with pytest.raises(ZeroDivisionError, match="row 1234"):
        compiled(x)


def test_one_place_in_each_row_is_for_each_iteration_alone():
    def add_to_places(z, places):
        z = z.copy()
        z[np.arange(len(places)), places] += 1.0
        return z

    z, places = np.arange(12.0).reshape(4, 3), np.array([2, 0, -1, 1])
    compiled = pellucid.compile(add_to_places)
    loops = compiled.source("loops", z, places)
    assert "range(" in loops and " in range(" not in loops
    np.testing.assert_array_equal(np.asarray(compiled(z, places)), add_to_places(z, places))
