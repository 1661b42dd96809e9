"""Values that have one of several structures are in compiled code what they are in CPython, errors included."""

import heapq
from collections import Counter, defaultdict, deque
from dataclasses import dataclass

import numpy as np
import pytest

import pellucid
from tests.corpus.several_structures import Circle, Count, Square, Total
from tests.harness.stages import STAGES, Stages, assert_same, in_python

pytestmark = pytest.mark.drawn(5)

INPUTS = [(np.array(x), a) for x in ([3.0, 1.0, 4.0], [-3.0, 0.2, 4.0], [-1.0, -2.0, -3.0]) for a in (-1.0, 2.5)]


def _shape(v, x):
    return Circle(v, x) if v > 0.5 else Square(v)


# --- returned --------------------------------------------------------------------------------------------------------


def one_of_two_classes(x, a):
    return _shape(x[0], x)


def one_of_many(x, a):
    for i, v in enumerate(x):
        if v > 3.5:
            return {"at": i, "value": v * a}
    if x[0] > a:
        return "none"
    if x[1] > 0.0:
        return None
    return x * a, a


def dicts_of_other_keys(x, a):
    if x[0] > 0.0:
        return {"value": x[0], "row": x}
    return {"value": a, "count": 0}


def lists_of_several(x, a):
    shapes = []
    for v in x:
        shapes.append(_shape(v, x))
    return shapes


def items_of_three_kinds(x, a):
    items = []
    for v in x:
        items.append(v if v > 1.0 else "small" if v > 0.0 else (v, a))
    return items, [item for item in items if isinstance(item, str)]


def nothing_at_first(x, a):
    best = None
    for v in x:
        shape = _shape(v, x)
        if v > a and (best is None or shape.area() > best.area()):
            best = shape
    return best


def instances_that_change(x, a):
    sink = Count() if x[0] > 0.0 else Total()
    for v in x:
        sink.add(v)
    return sink


def replaced_in_a_loop(x, a):
    sink = Count(3)
    for v in x:
        if v > a:
            sink = Total(v)
        sink.add(v)
    return sink


def caught(x, a):
    try:
        if x[0] > a:
            raise ValueError("too large")
        found = (x[0], x)
    except ValueError:
        found = "failed"
    return found


def list_or_dict(x, a):
    found = [x[0], a] if x[0] > 0.0 else {"first": a, "second": 2}
    return [key for key in found], len(found), found  # noqa: C416


def the_same_object(x, a):
    count, total = Count(), Total()
    chosen = count if x[0] > 0.0 else total
    chosen.add(2.0)
    return chosen is count, count, total


# --- one of two objects, of which one is changed and both are looked at ----------------------------------------------


def two_lists(x, a):
    up, down = [], [a]
    for v in x:
        side = up if v > 1.0 else down
        side.append(v)
    return up, down


def exchanged(x, a):
    first, second = [1.0], [x[0], x[1]]
    if x[0] > 0.0:
        first, second = second, first
    first.append(a)
    second[0] = 5.0
    return first, second


def one_of_three(x, a):
    first, second, third = [0.5], [1.0, 2.0], [x[0]]
    chosen = first if x[0] > 0.0 else second if a > 0.0 else third
    other = chosen
    chosen += [7.0, a]
    chosen[0] += 1.0
    del other[1]
    return first, second, third, chosen, chosen is first, len(other)


def two_heaps(x, a):
    low, high = [], []
    for k, v in enumerate(x):
        heap, sign = (high, -1.0) if v > 1.0 else (low, 1.0)
        heapq.heappush(heap, (sign * v, k))
        if len(heap) > 1:
            a += heapq.heappop(heap)[0]
    return a, low, high


def two_dicts(x, a):
    odd, even = defaultdict(float), defaultdict(float)
    for k, v in enumerate(x):
        (odd if k % 2 else even)[int(v)] += v * a
    return dict(odd), dict(even)


def passed_on(x, a):
    first, second = [x[0]], [2.0]

    def put(items, v):
        items.append(v)
        return items

    made = put(first if x[0] > 0.0 else second, a)
    return made, first, second


def found_or_not(x, a):
    first, second, chosen = [x[0]], [x[1]], None
    if x[0] > 0.0:
        chosen = first
    elif a > 0.0:
        chosen = second
    if chosen is not None:
        chosen.append(a)
    return first, second, chosen


def in_turn(x, a):
    first, second = [x[0]], [x[1]]
    chosen = first
    for v in x:
        chosen.append(v)
        chosen = second if chosen is first else first
    return first, second


def shared_from_a_turn_on(x, a):
    before, now = [0.0], [1.0]
    for i in range(4):
        if x[0] > i:
            before = now
        before[0] += a
    return before[0], now[0]


class Sum:
    def __init__(self, v):
        self.v = v

    def __iadd__(self, k):
        self.v += k
        return self

    def __add__(self, k):
        return Sum(-1.0)


class Product:
    def __init__(self, v):
        self.w = v

    def __iadd__(self, k):
        return Product(self.w * k)


def in_place_or_new(x, a):
    value = Sum(a) if x[0] > 0.0 else Product(a)
    before = value
    value += 3.0
    items = [Sum(1.0)]
    items[0] += 2.0
    return value is before, value.v if isinstance(value, Sum) else value.w, items[0].v


def made_of_either(x, a):
    found = {"ab": 2} if x[0] > 0.0 else ["ab", "c", "ab", "ab"]
    counts = Counter(found)
    ring = deque([1.0]) if a > 0.0 else deque([x[0], 2.0], maxlen=3)
    ring.append(a)
    return counts["ab"], len(counts), list(ring), [k for k in found]  # noqa: C416


# --- errors ----------------------------------------------------------------------------------------------------------


def missing_attribute(x, a):
    return _shape(x[0], x).radius


def missing_method(x, a):
    found = (1, 2) if x[0] > 0.0 else [1, 2]
    found.append(3)
    return found


def not_iterable(x, a):
    found = (x[0], "b") if x[0] > 0.0 else a
    return [1.0 for v in found]


def missing_key(x, a):
    found = {"first": x[0]} if x[0] > 0.0 else {"second": (a, 1)}
    return found["first"]


PROGRAMS = (
    one_of_two_classes, one_of_many, dicts_of_other_keys, lists_of_several, items_of_three_kinds, nothing_at_first,
    instances_that_change, replaced_in_a_loop, caught, list_or_dict, the_same_object, two_lists, exchanged,
    one_of_three, two_heaps, two_dicts, passed_on, found_or_not, in_turn, in_place_or_new, made_of_either,
    shared_from_a_turn_on,
    missing_attribute, missing_method, not_iterable, missing_key,
)  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_every_stage_agrees_with_python(function):
    stages = Stages(function)
    for x, a in INPUTS:
        want = in_python(function, x.copy(), a)
        for stage in STAGES:
            assert_same(stages.run(stage, x.copy(), a), want)


def test_an_error_says_what_pythons_says():
    for function in (missing_attribute, not_iterable):
        compiled, failed = pellucid.compile(function), 0
        for x, a in INPUTS:
            want = in_python(function, x, a)
            if want.error is not None:
                failed += 1
                with pytest.raises(type(want.error)) as caught:
                    compiled(x, a)
                assert str(caught.value) == str(want.error)
        assert failed


# --- derivatives -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spring:
    stiffness: float

    def energy(self, x):
        return 0.5 * self.stiffness * x * x


@dataclass(frozen=True)
class Wall:
    height: float
    place: np.ndarray

    def energy(self, x):
        return self.height * np.exp(x - self.place[0])


def total_energy(x, k):
    parts = [Spring(k), Wall(k * k, x), Spring(2.0)]
    chosen = parts[0] if x[0] > 0.0 else parts[1]
    total = chosen.energy(x[1])
    for v in x:
        part = Spring(v) if v > 0.5 else Wall(v, x)
        total += part.energy(k) + sum(p.energy(v) for p in parts)
    return total


def of_a_list(x, k):
    parts = []
    for v in x:
        parts.append(Spring(v * k) if v > 0.5 else Wall(v, x) if v > 0.0 else (v, k))
    total = 0.0
    for part in parts:
        total += part[0] * part[1] if isinstance(part, tuple) else part.energy(k)
    return total


def of_two_objects(x, k):
    count, total = Count(), Total()
    for v in x:
        sink = count if v > 3.5 else total
        sink.add(v * k)
    return total.value * count.steps + total.largest


@pytest.mark.parametrize("function", [total_energy, of_a_list, of_two_objects], ids=lambda f: f.__name__)
def test_slopes_are_those_of_the_structure_that_there_is(function):
    step = 1e-6
    for x, k in INPUTS:
        slopes = pellucid.grad(function, argnums=(0, 1))(x, k)
        forward = pellucid.jacfwd(function, argnums=(0, 1))(x, k)
        for i, direction in enumerate(np.eye(3)):
            wanted = (function(x + step * direction, k) - function(x - step * direction, k)) / (2 * step)
            np.testing.assert_allclose([slopes[0][i], forward[0][i]], wanted, rtol=1e-5, atol=1e-7)
        wanted = (function(x, k + step) - function(x, k - step)) / (2 * step)
        np.testing.assert_allclose([slopes[1], forward[1]], wanted, rtol=1e-5, atol=1e-7)


def test_a_tangent_has_the_structure_of_the_result():
    def found(x):
        return (x[0] * x[1], "up") if x[0] > 0.0 else {"down": np.sin(x)}

    x = np.array([2.0, 3.0])
    assert pellucid.jvp(found, (x,), (np.ones(2),)) == ((6.0, "up"), (5.0, None))
    value, tangent = pellucid.jvp(found, (-x,), (np.ones(2),))
    np.testing.assert_allclose(tangent["down"], np.cos(-x))


# --- refused ---------------------------------------------------------------------------------------------------------


def array_or_number(x, a):
    found = x if a > 0.0 else x[0]
    return found


def closures(x, a):
    change = (lambda v: v + a) if a > 0.0 else (lambda v: v * a)
    return change(x)


def an_attribute_of_one_path(x, a):
    sink = Count()
    if a > 0.0:
        sink.extra = a
    return sink.steps + sink.extra


def too_many(x, a):
    found = (a,)
    for v in x:
        found = (found, v)
    return found


def one_of_the_last_turn(x, a):
    first = [x[0]]
    chosen = first
    for v in x:
        chosen.append(v)
        chosen = [v]
    return first, chosen


def added(x, a):
    found = (1, 2) if x[0] > 0.0 else 5
    return found + 1


REFUSED = {
    array_or_number: "T002", closures: "T002", an_attribute_of_one_path: "T002", too_many: "T002", added: "T001",
    one_of_the_last_turn: "R003",
}  # fmt: skip


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_what_flags_cannot_tell_apart_is_refused(function):
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function)(np.array([3.0, 1.0]), 2.0)
    assert {fault.code for fault in caught.value.diagnostics} == {REFUSED[function]}


def test_what_has_no_one_structure_has_no_cotangents_and_no_batch():
    def found(x):
        return (x[0], 1) if x[0] > 0.0 else x

    with pytest.raises(pellucid.GradientError, match="has one of several structures"):
        pellucid.vjp(found, np.ones(2))
    with pytest.raises(pellucid.BatchError, match="examples may return different structures"):
        pellucid.vmap(found)(np.ones((3, 2)))
