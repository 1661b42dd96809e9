"""Times by the user's lines: each line that does something has one, and the function stays what it is."""

import re

import numpy as np
import pytest

from pellucid import compile, grad
from pellucid.line_times import table, timed
from pellucid.profiler import line_profile

X = np.arange(12.0).reshape(4, 3)
W = np.ones(3)


def sorted_parts(z):
    return np.sort(z)


def steps(w, x, n):
    z = x @ w
    ordered = sorted_parts(z)
    total = 0.0
    for i in range(n):
        y = x @ (w + i)
        total = total + np.sum(y)
    e = 1.0
    while e < 1e6:
        e = e * 1.00001
    return total + ordered[0] + e


def lines_of(function, *names):
    """Where the lines with these texts stand."""
    with open(function.__code__.co_filename, encoding="utf-8") as file:
        texts = [line.strip() for line in file]
    return {texts.index(name) + 1 for name in names}


def test_the_result_is_that_of_the_function():
    told = []
    assert line_profile(steps, write=told.append)(W, X, 3) == steps(W, X, 3)
    assert grad(steps)(W, X, 3).tolist() == line_profile(grad(steps), write=told.append)(W, X, 3).tolist()
    assert [text.partition(":")[0] for text in told] == ["steps", "steps_grad"]


def test_lines_that_do_something_have_a_time():
    result, found = timed(compile(steps), (W, X, 3), {}, 1)
    timed_ = {one.line for one in found.lines}
    assert timed_ >= lines_of(steps, "z = x @ w", "return np.sort(z)", "y = x @ (w + i)", "while e < 1e6:")
    assert not timed_ & lines_of(steps, "e = e * 1.00001", "e = 1.0")  # a loop of scalars alone is timed as one
    assert {one.file for one in found.lines} == {__file__}
    assert all(one.nanoseconds >= 0 for one in found.lines)
    assert 0 < sum(one.nanoseconds for one in found.lines) <= found.total


def test_most_time_is_told_for_the_line_that_takes_most():
    _, found = timed(compile(steps), (W, X, 3), {}, 1)  # 1.4 million turns against a handful of products
    assert {max(found.lines, key=lambda one: one.nanoseconds).line} == lines_of(steps, "while e < 1e6:")


def test_times_of_several_calls_are_sums():
    function = compile(steps)
    once, often = (timed(function, (W, X, 3), {}, calls)[1] for calls in (1, 20))
    assert often.calls == 20 and often.total > 2 * once.total
    assert sum(one.nanoseconds for one in often.lines) > 2 * sum(one.nanoseconds for one in once.lines)
    with pytest.raises(ValueError, match="from 1 on"):
        timed(function, (W, X, 3), {}, 0)


def test_the_library_counts_for_the_line_that_calls_it():
    _, found = timed(compile(lambda x: np.median(x)), (X,), {}, 1)
    assert {one.file for one in found.lines} == {__file__}


def test_the_table(capsys):
    assert line_profile(steps)(W, X, 3) == steps(W, X, 3)
    head, _, columns, first, *rest = capsys.readouterr().out.splitlines()
    start = steps.__code__.co_firstlineno
    assert re.fullmatch(r"steps: \S+ \S+ in one call", head)
    assert re.fullmatch(r" +line +time +% +source: test_line_times.py", columns)
    assert re.fullmatch(rf" *{start - 3} .*    return np.sort\(z\)", first)
    (product,) = [row for row in rest if row.endswith("z = x @ w")]
    assert re.fullmatch(r" *\d+ +[\d.]+ (ns|us|ms|s) +[\d.]+ +z = x @ w", product)
    assert rest[-1].endswith("the call itself")
    shares = [float(share) for row in rest[:-2] + [first] for share in re.findall(r"[num]?s +(\d+\.\d)  ", row)]
    assert 50.0 < sum(shares) <= 101.0


def test_an_error_is_raised_as_usual():
    def checked(x, i):
        if x[i] < 0.0:
            raise ValueError(f"{x[i]} is below zero")
        return x[i]

    told = []
    profile = line_profile(checked, write=told.append)
    with pytest.raises(ValueError, match=r"^-1.5 is below zero$"):
        profile(np.array([1.0, -1.5]), 1)
    with pytest.raises(IndexError):
        profile(np.array([1.0, -1.5]), 2)
    assert told == [] and profile(np.array([1.0, -1.5]), 0) == 1.0 and len(told) == 1


def test_arguments_that_are_changed_are_changed_once():
    def raised(a):
        a += 1.0

    values = np.zeros(3)
    line_profile(compile(raised, mutates=("a",)), calls=5, write=lambda text: None)(values)
    assert values.tolist() == [1.0] * 3


def test_methods():
    class Scaled:
        def __init__(self, factor):
            self.factor = factor

        @compile
        def times(self, x):
            return np.sum(self.factor * x)

    assert line_profile(Scaled(2.0).times, write=lambda text: None)(X) == 2.0 * X.sum()


def test_other_code_keeps_no_time():
    function = compile(steps)
    timed(function, (W, X, 3), {}, 1)
    assert "pellucid.lap" not in function.source("llvm", W, X, 3)
    assert next(table(timed(function, (W, X, 3), {}, 2)[1])).endswith("in 2 calls")
