"""Lists and dicts are objects: what is stored through one name is seen through all, in compiled code as in CPython."""

from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError
from tests.harness.stages import STAGES, Stages, assert_same, in_python

pytestmark = pytest.mark.drawn(5)


class Pair(NamedTuple):
    first: float
    rest: list


class Mine(Exception):
    pass


class WithTwo(ValueError):
    def __init__(self, one, two):
        super().__init__(one, two)


def two_empty_lists(x):
    losses, accuracies = [], []
    for i in range(len(x)):
        accuracies.append(x[i])
    return len(losses), accuracies


def a_second_name(x):
    a = [x[0], x[1]]
    b = a
    b[0] = 5.0
    b += [x[2]]
    return a, len(a), a is b


def a_second_name_of_a_dict(x):
    d = {"k": x[0]}
    e = d
    e["k"] = x[1]
    e["more"] = 2.0
    return d


def repeated_rows(x):
    rows = [[0.0] * 2] * 2
    rows[0][1] = x[0]
    return rows


def separate_rows(x):
    rows = [[0.0] * 2 for _ in range(2)]
    rows[0][1] = x[0]
    return rows


def a_row_by_name(x):
    rows = [[1.0, 2.0], [3.0, 4.0]]
    row = rows[0]
    row[1] = x[0]
    return rows


def an_array_in_a_dict(x):
    w = x.copy()
    d = {"w": w}
    d["w"] += 1.0
    return w, d


def an_array_in_a_list(x):
    xs = [x.copy(), x.copy()]
    y = xs[0]
    y[0] = 7.0
    return xs


def copies_are_lists_of_their_own(x):
    a = [1.0, 2.0]
    b, c, d = a[:], a.copy(), list(a)
    b[0] = x[0]
    c.append(3.0)
    d[1] = 7.0
    return a, b, c, d


def copies_of_a_list_that_grew(x):
    a = [0.5]
    for i in range(len(x)):
        a.append(x[i] + 0.5)
    b, c, d = a[:], a.copy(), list(a)
    b[0] = x[0] + 0.5
    c.append(x[1])
    d.pop()
    return a, b, c, d


def copies_are_shallow(x):
    a = [[1.0], [2.0]]
    b = list(a)
    b[0].append(x[0])
    b.append([3.0])
    return a, b


def in_a_named_tuple(x):
    p = Pair(1.0, [1.0])
    q = p
    rest = q.rest
    rest.append(x[1])
    return p


def in_a_tuple_twice(x):
    a = [x[0]]
    t = (a, a)
    b = t[0]
    b.append(1.0)
    return t[1]


def through_a_function(x):
    def last(items):
        return items[-1]

    a = [x[0]]
    b = a
    b.append(x[1])
    return last(a)


def a_stack(x):
    stack = [x[0], x[1]]
    total = 0.0
    while stack:
        v = stack.pop()
        total += v
        if v > 0.5 and len(stack) < 3:
            stack.append(v - 0.6)
    return total, len(stack)


def a_stack_of_known_length(x):
    stack, total = [x[0], x[1], 2.0], 0.0
    while stack:
        total = total * 2.0 + stack.pop()
    return total


def grown_in_a_branch(x):
    out = []
    if x[0] > 0.5:
        out.append(x[0])
    out.append(x[1])
    return out


def another_object_in_each_turn(x):
    best = [0.0, 0.0]
    for i in range(len(x)):
        candidate = [x[i], float(i)]
        if candidate[0] > best[0]:
            best = candidate
    best[1] += 10.0
    return best


def shifted_objects(x):
    before, now = [0.0], [1.0]
    for i in range(4):
        before = now
        now = [x[0] + i]
    return before, now


def chosen_and_only_read(x):
    a, b = [1.0], [2.0]
    c = a if x[0] > 0.5 else b
    return c[0] + a[0]


def filled_by_a_loop(x):
    h = [0.0] * 3
    for i in range(3):
        h[i] = x[i]
    return h


def lists_in_a_list(x):
    a = [[], []]
    first = a[0]
    for i in range(len(x)):
        first.append(x[i])
    a[1].append(1.0)
    return a


def a_loop_that_lengthens_its_list(x):
    a = [1.0, 2.0, 3.0]
    for v in a:
        if v < 2 and len(a) < 5:
            a.append(v + x[0])
    return a


def a_loop_that_lengthens_a_list_that_grew(x):
    a = []
    for i in range(len(x)):
        a.append(x[i])
    for v in a:
        if len(a) < 8:
            a.append(v * 0.5)
    return a


def entries_replaced_in_a_loop(x):
    d = {"a": 1.0, "b": 2.0}
    for k in d:
        d[k] = x[0]
    return d


def views_of_a_dict(x):
    d = {"a": x[0]}
    items = d.items()
    d["b"] = x[1]
    total = 0.0
    for k, v in items:
        total += v if k == "a" else 2.0 * v
    return total, len(d)


def methods_of_dicts(x):
    d = {"a": x[0], "b": 1.0}
    e = d.copy()
    e.update({"b": x[1]}, c=3.0)
    first = e.pop("a")
    return d, e, first, e.setdefault("z", 5.0), e.get("nope", 0.5), "z" in e


def methods_of_lists(x):
    a = [1.0, x[0]]
    a.insert(1, x[1])
    a.reverse()
    b = a.pop(0)
    a.extend((3.0, 4.0))
    return a, b, [1, 2, 2].count(2), [1, 2].index(2)


def comparisons(x):
    a = [1.0, 2.0]
    same = [x[0]] == [x[0]], [x[0], 1.0] == [x[1], 1.0], [1.0] != [1.0, 2.0], (1, 2) == (1, 2), [1] == (1,)
    return same, a is a, a is a[:], a == a[:], x[0] in [x[0]], {"a": x[0]} == {"a": x[1]}


def an_item_that_is_not_equal_to_itself(x):
    nan = x[0] * np.nan
    a = [nan]
    return a == a, [nan] == [nan], nan in a


def any_and_all(x):
    return any([x[0] > 0.0, x[1] > 2.0]), all([x[0] > 0.0, x[1] > 2.0]), any([]), all((x[0] > 0, True))


def extremes_by_key(x):
    pairs = [(1.0, 2.0), (0.5, x[0]), (x[1], 0.7)]
    return max([3.0, 1.0, x[0]], key=lambda v: -v), min(pairs, key=lambda p: p[1]), max(1.0, x[0], key=abs)


def pops_an_empty_list(x):
    a = [x[0]]
    a.pop()
    return a.pop()


def pops_an_empty_list_that_grew(x):
    a = []
    for i in range(len(x)):
        a.append(x[i])
    while True:
        if a.pop() > 100.0:
            break
    return a


def no_such_key(x):
    return {"a": x[0]}["b"]


def a_dict_that_grows_while_it_is_looped_over(x):
    d = {"a": 1.0}
    for k in d:
        d["b"] = x[0]
    return d


def assigned_in_the_test(x):
    i = 0
    while (y := x[i]) < 0.9:
        i += 1
    return y, i


def assigned_in_a_test_that_decides(x):
    n = 0
    while (n := n + 1) < 5:
        pass
    return n


def assigned_on_the_way(x):
    s = 0.0
    if (t := x[0] * 2) > 0.5 and (u := t + 1) > 1:
        s = u
    return s + t, [y := v * 2 for v in (x[0], x[1])], y


def a_test_of_arrays(x):
    k = 0
    while x.sum() > k:
        if x[0] > 0.2:
            k += 1
        k += 1
    return k


def a_test_of_numbers_and_arrays(x):
    k, r = 0, x.copy()
    while k < 9 and np.any(r > 0.4):
        if k > 2:
            r = r * 0.5
            if k == 5:
                k += 1
        k += 1
    return k, r


def a_norm_as_test(x):
    r, k = x * 8.0, 0
    while np.linalg.norm(r) > 0.1:
        if k % 2 == 0:
            r = r * 0.5
        else:
            r = r * 0.25
        k += 1
    return k


def functions_that_see_variables(x):
    k = x[1]

    def scaled(v, w=x[2]):
        return v * k + w

    def total(n):
        if n <= 0:
            return 0.0
        return scaled(x[0]) + total(n - 1)

    return total(len(x))


def functions_that_call_each_other(x):
    step = len(x) - 2

    def even(n):
        return True if n == 0 else odd(n - step)

    def odd(n):
        return False if n == 0 else even(n - step)

    return even(4), odd(3)


def raises_with_values(x):
    if x[0] > -1e9:
        raise Mine("mine", 3, x[1])
    return x[0]


def raises_what_has_its_own_init(x):
    if x[0] > -1e9:
        raise WithTwo(x[0], 2)
    return x[0]


def raises_with_formats(x):
    if x[0] > -1e9:
        raise ValueError(f"x is {x[0]:.3f} {{}} and {len(x):>5d}, {x[1]!r}, {2.5:8.2f}")
    return x[0]


def raises_a_number(x):
    if x[0] > -1e9:
        raise ValueError(3)
    return x[0]


PROGRAMS = [f for f in list(globals().values()) if getattr(f, "__module__", "") == __name__ and hasattr(f, "__code__")]
ARGUMENTS = [np.array([0.3, 0.7, 1.2]), np.array([0.9, 0.1, 1.5]), np.array([0.7, 0.95, 2.0])]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_every_stage_does_what_python_does(program):
    pellucid.compile(program)
    stages = Stages(program)
    for argument in ARGUMENTS:
        want = in_python(program, argument.copy())
        for stage in STAGES:
            got = stages.run(stage, argument)
            assert_same(got, want)
            if want.error is not None and stage == STAGES[-1]:
                assert repr(got.error.args) == repr(want.error.args)


def test_a_list_that_grew_is_a_list():
    @pellucid.compile
    def grown(x):
        numbers, rows = [], []
        for i in range(x.shape[0]):
            numbers.append(x[i] * 2.0)
            rows.append(x[:i])
        return numbers, rows

    for length in (0, 1, 4):
        for _ in range(5):  # later calls are native
            numbers, rows = grown(np.arange(length + 0.5)[:length])
            assert type(numbers) is list and type(rows) is list
            assert all(type(v) is np.float64 for v in numbers)
            assert [row.shape for row in rows] == [(i,) for i in range(length)]
            assert all(np.array_equal(row, np.arange(i + 0.5)[:i]) for i, row in enumerate(rows))


def changes_a_list_it_is_given(items):
    items += [1.0]
    return items


def changes_a_dict_it_is_given(items):
    held = items
    held["a"] = 2.0
    return held


REFUSED = {
    changes_a_list_it_is_given: ("P014", [1.0]), changes_a_dict_it_is_given: ("P01", {"a": 1.0}),
}  # fmt: skip


@pytest.mark.parametrize("program", REFUSED, ids=lambda f: f.__name__)
def test_what_cannot_be_told_is_refused(program):
    code, argument = REFUSED[program]
    with pytest.raises(CompileError) as refused:
        pellucid.compile(program)(argument)
    assert all(d.code.startswith(code) for d in refused.value.diagnostics)
    assert "help:" in str(refused.value)
