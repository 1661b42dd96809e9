"""Values that may be None mean in compiled code what they mean in CPython, errors included."""

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError
from tests.harness.stages import STAGES, Stages, assert_same, in_python

pytestmark = pytest.mark.drawn(5)


def found_above(x, a):
    found = None
    for v in x:
        if v > a:
            found = v
            break
    return found


def added(x, a):
    return found_above(x, a) + 1.0


def subtracted(x, a):
    return x[0] - found_above(x, a)


def compared(x, a):
    return found_above(x, a) < 3.0


def negated(x, a):
    return -found_above(x, a)


def rows(x, a):
    row = None
    if x[0] > a:
        row = x * 2.0
    return row


def indexed(x, a):
    return rows(x, a)[0]


def an_attribute(x, a):
    return rows(x, a).shape[0]


def stored(x, a):
    y = rows(x, a)
    y[0] = 1.0
    return y


def gone_over(x, a):
    total = 0.0
    for v in rows(x, a):
        total += v
    return total


def called(x, a):
    function = None
    if x[0] > a:
        function = lambda v: v + a  # noqa: E731
    return function(x)


def a_ufunc(x, a):
    return np.sin(rows(x, a))


def told_apart(x, a):
    v = found_above(x, a)
    return v is None, v is not None, v == None, v != None, isinstance(v, float), not v  # noqa: E711


def equal_to_numbers(x, a):
    v = found_above(x, a)
    return v == 3.0, 3.0 != v


def false_and_none(x, a):
    v = found_above(x * 0.0, a)
    return (v or 7.0) + 0.0, 1 if v else 2


def deep(x, a):
    outer = None
    if x[0] > a:
        outer = (None, x[0])
        if x[1] > a:
            outer = (x[1], x[0])
    if outer is None:
        return 0.0
    first, second = outer
    return second if first is None else first * second


def recursive(x, n):
    if n == 0:
        return None
    below = recursive(x, n - 1)
    return x if below is None else below + x


def forgets_again(x, a):
    best, seen = None, 0
    for v in x:
        if v > a:
            best = v
        elif best is not None:
            best, seen = None, seen + 1
    return best, seen


def a_list_or_none(x, a):
    kept = None
    for v in x:
        if v > a:
            if kept is None:
                kept = []
            kept.append(v)
    return kept


def text_or_none(x, a):
    mode = None
    if x[0] > a:
        mode = "up"
    return x if mode == "up" else -x


PROGRAMS = (
    found_above, added, subtracted, compared, negated, rows, indexed, an_attribute, stored, gone_over, called,
    told_apart, equal_to_numbers, false_and_none, deep, forgets_again, a_list_or_none, text_or_none,
)  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_every_stage_agrees_with_python(function):
    stages = Stages(function)
    for a in (-1.0, 2.5, 9.0):
        args = np.array([3.0, 1.0, 4.0]), a
        want = in_python(function, *args)
        for stage in STAGES:
            assert_same(stages.run(stage, *args), want)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_results_and_errors_are_those_of_python_on_every_call(function):
    """The third call is native; the error has CPython's class and words."""
    compiled = pellucid.compile(function)
    for a in (-1.0, 9.0, 2.5, 9.0, -1.0):
        args = np.array([3.0, 1.0, 4.0]), a
        want = in_python(function, *args)
        if want.error is None:
            assert (compiled(*args) is None) == (want.value is None)
            continue
        with pytest.raises(type(want.error)) as caught:
            compiled(*args)
        assert str(caught.value) == str(want.error)


def test_a_ufunc_of_none_is_a_type_error():
    compiled = pellucid.compile(a_ufunc)
    assert compiled(np.ones(2), 0.0).shape == (2,)
    with pytest.raises(TypeError):
        compiled(np.ones(2), 2.0)


def test_recursion_may_end_in_none():
    compiled = pellucid.compile(recursive)
    assert [compiled(2.0, n) for n in range(4)] == [None, 2.0, 4.0, 6.0]


def test_an_error_comes_where_the_value_is_used_first():
    def once(x, a):
        v = found_above(x, a)
        first = v + 1.0
        return first + v

    text = pellucid.compile(once).source("typed", np.ones(2), 0.5)
    assert text.count("raise TypeError") == 1


def array_or_none_compared(x, a):
    return rows(x, a) == 1.0


def identity_of_two(x, a):
    return rows(x, a) is rows(x, a + 1.0)


def none_and_number(x, a):
    return None + x


def none_in_a_growing_list(x, a):
    kept = []
    for v in x:
        kept.append(v if v > a else None)
    return kept


@pytest.mark.parametrize(
    "function", [array_or_none_compared, identity_of_two, none_and_number], ids=lambda f: f.__name__
)
def test_what_cannot_be_told_is_refused(function):
    with pytest.raises(CompileError):
        pellucid.compile(function)(np.array([3.0, 1.0]), 2.0)


def test_a_list_that_grows_may_hold_none():
    assert pellucid.compile(none_in_a_growing_list)(np.array([3.0, 1.0]), 2.0) == [3.0, None]
# --- what a test says of a variable, and where -----------------------------------------------------------------------


def largest(x, a):
    best = None
    for v in x:
        if best is None or v > best:
            best = v
    return best


def first_above(x, a):
    best, k = None, 0
    while best is None or best < a:
        best = x[k]
        k += 1
    return best, k


def until_found(x, a):
    best, k = None, 0
    while best is None:
        if x[k] > a:
            best = x[k]
        k += 1
    return best * 2.0


def in_a_row(x, a):
    found = found_above(x, a)
    total = 0.0
    if not (found is None or found < 0.0) and found < 100.0:
        total = found
    return total + (0.0 if found is None or found < 2.0 else found)


def while_there_is_one(x, a):
    found = found_above(x, a)
    turns = 0
    while found is not None and found > 0.5:
        found = found / 2.0 if found > 0.6 else None
        turns += 1
    return turns, found is None


def left_alone_in_the_loop(x, a):
    found = found_above(x, a)
    total, k = 0.0, 0
    while found is not None and k < 3:
        total += found
        k += 1
    return total, found


def left_by_a_break(x, a):
    found, k = None, 0
    while found is None:
        if x[k] > a:
            found = x[k]
        k += 1
        if k == 2:
            break
    return found


NARROWED = [largest, first_above, until_found, in_a_row, while_there_is_one, left_alone_in_the_loop, left_by_a_break]


@pytest.mark.parametrize("function", NARROWED, ids=lambda f: f.__name__)
def test_what_a_test_says_holds_where_it_came_out_so(function):
    stages = Stages(function)
    for a in (0.0, 1.5, 2.5):
        x = np.array([1.0, 3.0, 2.0])
        wanted = in_python(function, x, a)
        for stage in STAGES:
            assert_same(stages.run(stage, x, a), wanted)
    assert "NoneType" not in stages.texts["typed"]


def test_behind_such_a_loop_it_may_be_none_again():
    def after(x, a):
        found, k = found_above(x, a), 0
        while found is not None and k < 2:
            k += 1
        return found + 1.0

    compiled = pellucid.compile(after)
    assert compiled(np.array([1.0, 3.0]), 2.0) == 4.0
    with pytest.raises(TypeError, match="NoneType"):
        compiled(np.array([1.0, 3.0]), 5.0)
