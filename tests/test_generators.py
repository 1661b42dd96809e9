"""Generator functions: what a loop over one does is done in Python's order, at every stage."""

import math

import numpy as np
import pytest

import pellucid
from tests.harness.stages import STAGES, Stages, assert_same, in_python

pytestmark = pytest.mark.drawn(5)

X = np.array([1.0, 2.0, 3.0, 0.5])


def squares(n):
    k = 0
    while k < n:
        yield k * k
        k += 1


def around(site, width):
    if site % width > 0:
        yield site - 1
    if site % width < width - 1:
        yield site + 1
    if site >= width:
        yield site - width


def windows(x, n):
    padded = np.concatenate([np.zeros(n - 1), x])
    for k in range(len(x)):
        yield padded[k : k + n][::-1]


def capped(x, limit):
    for v in x:
        if v > limit:
            return
        yield v, v * 2


def numbers():
    k = 0
    while True:
        yield k
        k += 1


def both(x, n):
    yield from squares(n)
    yield -1
    yield from x


def nested(n):
    if n > 0:
        yield from nested(n - 1)
        yield n


def checked(x):
    for v in x:
        if v < 0.0:
            raise ValueError("negative")
        yield v


# --- programs --------------------------------------------------------------------------------------------------------


def a_loop(x, n):
    total = 0.0
    for v in squares(n):
        total += v * x[0]
    return total


def several_yields(x, n):
    total = 0
    for s in range(9):
        for other in around(s, 3):
            if other == 4:
                continue
            total += other * s
            if total > 60:
                break
    return total


def beside_an_array(x, n):
    out, k = np.zeros(len(x)), 0
    for u, d in zip(windows(x, 3), x):
        out[k] = u @ u + d
        k += 1
    return out


def the_shorter_ends(x, n):
    total = 0.0
    for v, w in zip(squares(n), x):
        total += v * w
    return total


def all_at_once(x, n):
    return list(squares(n)), sum(squares(3)), max(v for v in squares(4)), [a + b for a, b in capped(x, 2.5)]


def counted_and_left(x, n):
    for k, (a, b) in enumerate(capped(x, 2.5), start=1):
        if b > 3.0:
            return k, a
    return -1, 0.0


def sees_what_changes(x, n):
    scale, total = 2.0, 0.0

    def scaled():
        for v in x:
            yield v * scale

    for v in scaled():
        total += v
        scale += 1.0
    return total, scale


def one_in_another(x, n):
    total = 0.0
    for v in squares(4):
        for w in squares(v):
            if w > 5:
                break
            total += w
        else:
            total += 100
    return total


def found_or_none(x, n):
    found = None
    for v in capped(x, 100.0):
        if v[0] > 1.5:
            found = v[1]
            break
    return found


def without_end(x, n):
    total = 0
    for k in numbers():
        if k > n:
            break
        total += k
    return total


def delegated(x, n):
    return sum(both(x, n)), np.array([v * 2.0 for v in both(x, 2)])


def goes_over_itself(x, n):
    return sum(v * v for v in nested(3))


def errors_in_their_order(x, n):
    total = 0.0
    for k, v in enumerate(checked(x - 1.5)):
        total += x[k + n]
        if total > 100.0:
            break
    return total


def caught_inside(x, n):
    try:
        for v in checked(x - 0.75):
            n += 1
    except ValueError:
        return n
    return -n


def words_of_the_compiler(x):
    each, stopped, items, item = 2.0, 3.0, 4.0, 5.0
    yield from x
    yield each * items
    yield stopped * item


def own_words(x, n):
    item, items, place, ended, total = 0.5, 2.0, 3.0, 4.0, 0.0
    for v in words_of_the_compiler(x):
        total += v * items
        if v > 7.0:
            break
    some = [v for k, v in enumerate(item * v for v in x if v > item)]
    first = next(filter(lambda v: v > item, x))
    for k, v in enumerate(place * v for v in x):
        total += k * v * ended
    return total, some, first, [v for v in words_of_the_compiler(x)][-1]


def expressions_with_conditions(x, n):
    kept = (v * w for v in x if v > 0.5 for w in range(n) if w != 1)
    total = 0.0
    for k, v in enumerate(kept):
        if v > 5.0:
            break
        total += k * v
    pairs = [a - b for a, b in zip((v for v in x if v > 0.5), x)]
    return total, pairs, sum(map(lambda v: v + 1.0, (v for v in x if v > 0.5))), sorted(v for v in x if v < 2.0)


def first_item(x, n):
    g = squares(n)
    return next(g), next((v for v in x if v > 90.0), -1.0), next(map(lambda v: 1.0 / (v - 0.5), filter(None, x)))


def left_for_good(x, n):
    squared = (v * v for v in x if v > 0.0)
    total = 0.0
    for v in squared:
        total += v
        if v > 4.0:
            break
    return total, math.prod(v for v in x if v > 0.5)


def endless_first(x, n):
    return list(zip(numbers(), x)), [k * v for k, v in zip(numbers(), x) if v > 1.0]


PROGRAMS = (
    a_loop, several_yields, beside_an_array, the_shorter_ends, all_at_once, counted_and_left, sees_what_changes,
    one_in_another, found_or_none, without_end, delegated, goes_over_itself, errors_in_their_order, caught_inside,
    own_words, expressions_with_conditions, first_item, endless_first, left_for_good,
)  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_every_stage_is_cpythons(program):
    stages = Stages(program)
    for n in (3, 0, 6):
        wanted = in_python(program, X, n)
        for stage in STAGES if n == 3 else ("typed",):
            assert_same(stages.run(stage, X, n), wanted)


def test_the_derivative_goes_through():
    def loss(x):
        total = 0.0
        for u, d in zip(windows(x, 2), x):
            total += (u @ u) * d
        return total

    slope = pellucid.grad(loss)(X)
    steps = 1e-6 * np.eye(len(X))
    assert np.allclose(slope, [(loss(X + h) - loss(X - h)) / 2e-6 for h in steps], rtol=1e-6)


# --- refused ---------------------------------------------------------------------------------------------------------


def rows(x):
    for i in range(x.shape[0]):
        yield x[i]


def answered(x):
    got = yield x
    yield got


def endless_beside(x, n):
    return list(zip(x, numbers()))


def asked_for_two(x, n):
    g = squares(n)
    return next(g), next(g)


def left_and_asked_again(x, n):
    g = squares(n)
    for v in g:
        if v > 1:
            break
    return sum(g)


def behind_another(x, n):
    total = 0.0
    for v, w in zip(x, squares(n)):
        total += v * w
    return total


def sent_to(x, n):
    return list(answered(x))


def returned(x, n):
    return squares(n)


def itself_one(x, n):
    yield n


def changes_an_argument(x, n):
    for row in rows(x.reshape(2, 2)):
        row[0] = 1.0
    return x


def over_itself_at_run_time(x, n):
    return sum(v for v in nested(n))


REFUSED = {
    endless_beside: "U004", asked_for_two: "R003", left_and_asked_again: "R003", behind_another: "U004",
    sent_to: "U004", returned: "T003", itself_one: "U004", changes_an_argument: "P015", over_itself_at_run_time: "U004",
}  # fmt: skip


@pytest.mark.parametrize("program", REFUSED, ids=lambda f: f.__name__)
def test_what_would_stop_in_the_middle_is_refused(program):
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(program)(X, 3)
    assert [d.code for d in caught.value.diagnostics] == [REFUSED[program]]
    assert caught.value.diagnostics[0].help


def test_the_way_out_works():
    def advised(x, n):
        total = 0.0
        for v, w in zip(x, list(squares(n))):
            total += v * w
        return total

    assert pellucid.compile(advised)(X, 3) == behind_another(X, 3)
