"""Dicts, sets, deques, counters and heaps of dynamic values: CPython's answers and errors, at all stages."""

import heapq
import itertools
from collections import Counter, defaultdict, deque

import numpy as np
import pytest

import pellucid
from tests.harness.random_keyed import random_program
from tests.harness.stages import Stages, assert_same, assert_same_at_all_stages, in_python

pytestmark = pytest.mark.drawn(5)

rng = np.random.default_rng(5)
KEYS = rng.integers(0, 7, 24)
VALUES = rng.normal(size=24)
NUMBERS = itertools.count()


CODONS = {a + b + c: 16 * i + 4 * j + k for i, a in enumerate("TCAG") for j, b in enumerate("TCAG")
          for k, c in enumerate("TCAG")}  # fmt: skip


def test_many_known_items_are_put_into_a_dict_of_the_run_in_a_loop():
    def translated(x):
        text, codons = "".join("TCAG"[int(v) % 4] for v in x), dict(CODONS)
        seen = dict.fromkeys(codons.values(), 0.5)
        for i in range(0, len(text) - 2, 3):
            seen[codons[text[i : i + 3]]] += 1.0
        return [codons[text[i : i + 3]] for i in range(0, len(text) - 2, 3)], sum(seen.values())

    x = np.arange(30.0) ** 2 % 7
    compiled = pellucid.compile(translated, freeze=("CODONS",))
    assert compiled(x) == translated(x)
    assert compiled.source("typed", x).count("append") < 400


def deleted(k):
    d = {}
    for i in range(len(k)):
        d[int(k[i])] = i
    del d[int(k[0])]
    taken = d.pop(int(k[1]), -1), d.pop(99, -1), d.popitem()
    d[int(k[0])] = 1000
    return taken, d, list(d), list(d.values()), list(d.items()), max(d, key=d.get), sum(d.values())


def updated(k):
    d = dict(zip(k.tolist(), range(len(k))))
    other = dict(d)
    other.update({99: 7})
    other.update(zip([1, 2], [5, 6]))
    return other, d == other, d | {5: 0}, len(other), other.setdefault(99, 1), other.setdefault(98, 2)


def keyed_by_both(k):
    d = {}
    for a, b in zip(k, k[1:]):
        d[int(a), float(b) * 0.5] = d.get((int(a), float(b) * 0.5), 0) + 1
    return d, (int(k[0]), float(k[1]) * 0.5) in d, (77, 0.5) in d


def looked_up(k):
    primes = {2: 10, 3: 20, 5: 30}
    return [primes[int(v)] for v in k if int(v) in primes], [primes.get(int(v)) for v in k]


def set_in_a_loop_over_it(k):
    d = {}
    for v in k:
        d[int(v)] = 1
    for key in d:
        d[key] = d[key] + key
    for key, value in d.items():
        d[key] += value
    for key in list(d):
        if key > 3:
            del d[key]
    for key in d:
        if key == 1:
            del d[key]
            break
    return d


def grown_in_a_loop_over_it(k):
    d = {}
    for v in k:
        d[int(v)] = 1
    for key in d:
        d[key + 100] = 1
    return d


def shrunk_in_a_loop_over_it(k):
    d = {}
    for v in k:
        d[int(v)] = 1
    for key in d.keys():
        if key == int(k[-1]):
            d.pop(key)
    return d


def no_such_key(k):
    d = {}
    for v in k:
        d[int(v)] = 1
    return d[1000]


def no_such_key_of_the_run(k):
    d = {}
    for v in k:
        d[int(v)] = 1
    del d[int(k[0])]
    return d[int(k[0])]


def no_such_item(k):
    s = {int(v) for v in k}
    s.remove(1000)
    return s


def operators(k):
    a, b = set(k[:8].tolist()), {int(v) for v in k[10:]}
    a = a | {1, 2}
    a.discard(77)
    both = {0, 9} | b, {int(k[0]), 100} & a, a - set(), a - {1, 2}, set() | a
    return a & b, {0, 100} - a, both, a == b, a != b, a == set(a), sorted(b), len(a), sum(b), max(a), a - a == set()


def apart_from_its_copy(k):
    a = set(k.tolist())
    b, c = set(a), a
    a.discard(int(k[0]))
    return a, b, c, b - a


def equal_sets(k):
    a, b, c = set(k.tolist()), {int(v) for v in k[::-1]}, {0, 1, 2}
    same = a == b, a != b, b == a, a == set(a), a - {0} == b, {0} | a == {0} | b, a & b == b & a
    mixed = c == a & c, a & c == c, frozenset((0, 1, 2)) == c & a, a & c == frozenset((0, 1)), set() == a - b
    return same, mixed, [a] == [b], (a, 1) == (b, 2), a in [c, b], a == 3, a != [1], {1: a} == {1: b}


def emptied(k):
    left, order = set(range(len(k))) - {0}, [0]
    while left:
        nearest = min(left, key=lambda i: (abs(k[i] - k[order[-1]]), i))
        left.remove(nearest)
        order.append(nearest)
    return order


def known_now(k):
    letters = set("abracadabra")
    few, none = frozenset("ab").union("c"), frozenset()
    asked = letters > {"a", "b"}, few.isdisjoint("xyz"), few <= {"a", "b", "c"}, few ^ {"a"}, {1, 2} ^ {2}, none
    return len(letters), "b" in letters, sorted(letters - {"a"}), int(k[0]) in {0, 1, 2}, asked


def ring(k):
    q = deque()
    for i in range(len(k)):
        q.appendleft(int(k[i]))
        if i % 4 == 3:
            q.pop()
    q.extend([1, 2])
    q[0] = q[-1] + q[2]
    return q, list(q), 4 in q, len(q), max(q), deque(q, 3), q == deque(q)


def ring_that_ran_dry(k):
    q = deque(k.tolist())
    while True:
        q.popleft()


def ring_changed_in_a_loop(k):
    q = deque(k.tolist())
    for v in q:
        q.append(v)
    return q


def counted(k):
    c, d = Counter(k.tolist()), Counter(k[:8].tolist())
    c[99] -= 3
    return c, c.most_common(3), c[1000], c + d, sum(c.values()), Counter("abba")


def defaults(k):
    rows, counts = defaultdict(list), defaultdict(int)
    for i in range(len(k)):
        rows[int(k[i])].append(i)
        counts[int(k[i])] += 2
    return rows, counts, counts[500], len(rows), rows.get(3), 3 in counts


def grouped(k):
    groups = {}
    for i in range(len(k)):
        groups.setdefault(int(k[i]) % 2, []).append(i)
    return groups


def heaps(k):
    heap = []
    for v in k:
        heapq.heappush(heap, (int(v) % 3, -int(v)))
    arranged = list(heap)
    out = [heapq.heappop(heap) for _ in range(4)]
    numbers = k.tolist()
    heapq.heapify(numbers)
    least = heapq.heappushpop(numbers, 3), heapq.heapreplace(numbers, 9)
    return arranged, out, heap, numbers, least, heapq.nsmallest(3, numbers), heapq.nlargest(2, numbers)


def may_be_none(k):
    items = [None]
    for v in k:
        items.append(int(v) if v > 2 else None)
    items.append((1 if k[0] > 3 else None))
    return items, items.count(None), [v for v in items if v is not None], items == items[:]


def of_static_keys_at_first(k):
    d = {0: 0}
    for i in range(3):
        d[i] = i
    s = set()
    for _ in range(2):
        s.add(0)
    e = {"a": 1}
    e["b"] = int(k[0])
    return d, s, e


def unlike_keys(k):
    d = {}
    for v in k:
        d[int(v)] = 1
        d[int(v), 1] = 1
    return d


def unlike_values(k):
    d = {}
    for v in k:
        d[int(v)] = 1 if v > 2 else (1, 2)
    return d


def texts_and_numbers(k):
    d = {}
    for v in k:
        d["up" if v > 2 else "down"] = 1
        d[v] = 2
    return d


def numbers_and_arrays(k):
    d = {}
    for v in k:
        d[int(v)] = 1 if v > 2 else k
    return d


PROGRAMS = [grown_in_a_loop_over_it, ring_that_ran_dry, may_be_none, of_static_keys_at_first, unlike_keys,
            unlike_values, texts_and_numbers, numbers_and_arrays]  # fmt: skip
SHORTER = [deleted, no_such_key_of_the_run, ring, grouped, keyed_by_both, looked_up, known_now]
LONGER = [updated, equal_sets, apart_from_its_copy, set_in_a_loop_over_it, shrunk_in_a_loop_over_it, emptied, operators,
          counted, defaults, heaps]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_it_is_as_in_python(function):
    assert_same_at_all_stages(function, [KEYS, KEYS[:5]])


@pytest.mark.parametrize("function", SHORTER, ids=lambda f: f.__name__)
def test_machine_code_is_as_in_python(function):
    assert_same(Stages(function).run("llvm", KEYS), in_python(function, KEYS))


@pytest.mark.parametrize("function", LONGER, ids=lambda f: f.__name__)
def test_what_is_printed_is_as_in_python(function):
    """Of programs whose methods are written out at many places, the text: their machine code takes seconds to make."""
    assert_same(Stages(function).run("typed", KEYS), in_python(function, KEYS))


def test_an_error_names_the_key():
    for function in (no_such_key, no_such_item):
        with pytest.raises(KeyError) as caught:
            pellucid.compile(function)(KEYS)
        assert caught.value.args == (1000,)
    with pytest.raises(RuntimeError, match="dictionary changed size during iteration"):
        pellucid.compile(grown_in_a_loop_over_it)(KEYS)


def test_slopes_go_through_what_is_kept_under_keys():
    def loss(x, k):
        sums, window, result = {}, deque(maxlen=3), 0.0
        for i in range(len(x)):
            sums[int(k[i])] = sums.get(int(k[i]), 0.0) + x[i] * x[i]
            window.append(np.sin(x[i]))
            result += sum(window) * sums[int(k[i])]
        for key, value in sums.items():
            result += value * value * key
        return result

    slopes, step = pellucid.grad(loss)(VALUES, KEYS), 1e-20
    for i in range(0, len(VALUES), 5):
        moved = VALUES.astype(complex)
        moved[i] += 1j * step
        assert np.isclose(slopes[i], loss(moved, KEYS).imag / step, rtol=1e-10)


# --- refused ---------------------------------------------------------------------------------------------------------


def in_order(k):
    return [v for v in {int(v) for v in k}]  # noqa: C416


def any_item(k):
    return {int(v) for v in k}.pop()


def any_item_of_known_ones(k):
    return {1, 2}.pop()


def changed_by_an_operator(k):
    a = set(k.tolist())
    b = a
    a |= {99}
    return b


def changed_by_an_operator_in_an_object(k):
    held = {"a": {1, 2}}
    held["a"] -= {1}
    return held


def added_to_a_counter(k):
    c, d = Counter(k.tolist()), Counter([1])
    c += d
    return c


def without_a_counter(k):
    return Counter(k.tolist()) - Counter([1])


def turned_around(k):
    q = deque(k.tolist())
    q.rotate(1)
    return q


def exclusive_or(k):
    return set(k.tolist()) ^ {1}


def in_one_another(k):
    return set(k.tolist()) <= {1}


def named_operation(k):
    return set(k.tolist()).union({1})


def named_operation_of_known_ones(k):
    return {1, 2}.issubset({1})


def frozen_and_of_the_run(k):
    return frozenset((1, 2)) | set(k.tolist())


def added_to_by_another(k):
    a = set(k.tolist())
    a.update(k.tolist())
    return a


def with_a_key(k):
    return sorted({int(v) for v in k}, key=lambda v: v % 2)


def sum_of_floats(k):
    return sum({float(v) for v in k})


def vectors_and_matrices(k):
    d = {}
    for v in k:
        d[int(v)] = k if v > 2 else np.outer(k, k)
    return d


def array_as_key(k):
    d = {}
    d[k] = 1
    return d


def place_in_a_set(k):
    known = {1.0, 2.0}
    return known[0]


def place_in_a_set_of_the_run(k):
    return set(k)[0]


REFUSED = {
    in_order: "U007", any_item: "U007", sum_of_floats: "U007", vectors_and_matrices: "T002",
    array_as_key: "T001", place_in_a_set: "T001", place_in_a_set_of_the_run: "T001",
    ring_changed_in_a_loop: "R003", any_item_of_known_ones: "U007", changed_by_an_operator: "U018",
    changed_by_an_operator_in_an_object: "U018", exclusive_or: "U018", in_one_another: "U018",
    named_operation: "U013", named_operation_of_known_ones: "U013", frozen_and_of_the_run: "U018",
    added_to_by_another: "U013", with_a_key: "U007", added_to_a_counter: "U018", without_a_counter: "T001",
    turned_around: "U013",
}  # fmt: skip


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_what_has_no_answer_is_refused(function):
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function)(KEYS)
    assert {fault.code for fault in caught.value.diagnostics} == {REFUSED[function]}
    assert "Typed(" not in str(caught.value)


def test_what_depends_on_the_order_of_a_set_raises():
    def one_of_two(k):
        return min({int(v) for v in k}, key=lambda v: v % 2)

    with pytest.raises(ValueError, match="order"):
        pellucid.compile(one_of_two)(KEYS)


# --- dicts that are arguments ---


def looked_up_in_an_argument(table, places):
    total, missing = 0.0, 0
    for place in places:
        total += table.get(int(place), -0.5)
        missing += int(place) not in table
    return total, missing, table[int(places[0])], len(table), sorted(table), sum(table.values())


def rewritten(rules, times):
    word = "X"
    for _ in range(times):
        word = "".join(rules.get(letter, letter) for letter in word)
    return word


def in_two_arguments(names, weights):
    return [(names[k], weights[names[k]]) for k in range(len(names))], names, weights


def missing_in_an_argument(table, places):
    return [table[int(place)] for place in places]


TABLE = {0: 1.0, 1: 2.5, 3: 4.0}
ASKED = [
    (looked_up_in_an_argument, (TABLE, np.array([1, 0, 5]))), (rewritten, ({"X": "F[X]", "F": "FF"}, 3)),
    (in_two_arguments, ({0: "a", 1: "b"}, {"a": 0.5, "b": 2.0})),
    (missing_in_an_argument, (TABLE, np.array([1, 2]))),
]  # fmt: skip


@pytest.mark.parametrize("function, arguments", ASKED, ids=[f.__name__ for f, _ in ASKED])
def test_a_dict_that_is_an_argument_is_asked_for_keys_of_the_run(function, arguments):
    stages = Stages(function)
    for stage in ("typed", "llvm"):
        assert_same(stages.run(stage, *arguments), in_python(function, *arguments))


def test_such_a_dict_has_slopes_and_is_not_changed():
    def loss(table, x):
        return sum(table[int(v)] * v for v in x)

    x = np.array([1.0, 0.0, 3.0, 3.0])
    assert pellucid.grad(loss)(TABLE, x) == {0: 0.0, 1: 1.0, 3: 6.0}

    def changing(table, k):
        table[k] = 1.0
        return table

    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(changing)(TABLE, 3)
    assert caught.value.diagnostics[0].code == "P014"


# --- by chance -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_programs_drawn_by_chance(seed, tmp_path):
    """Machine code of every one; all stages of the first."""
    function = random_program(seed, tmp_path)
    if seed == 0:
        assert_same_at_all_stages(function, [KEYS[:9]])
        return
    stages = Stages(function)
    for size in (9, 4):
        assert_same(stages.run("llvm", KEYS[:size]), in_python(function, KEYS[:size]))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64", "float16"])
def test_keys_of_any_dtype(dtype):
    """Equal numbers are one key, whatever their dtype."""

    def counted(x, table):
        seen, found = set(), {}
        for k, v in enumerate(x):
            seen.add(v)
            found[v, k % 2] = found.get((v, k % 2), 0) + 1
        return len(seen), len(found), found[x[0], 0], x[0] in table, table[x[1]], table.get(x[2], 0.5)

    x = np.array([3, 1, 100, 3, 1], dtype)
    table = {1: 1.5, 3: 2.5}
    assert pellucid.compile(counted)(x, table) == counted(x, table)


PRICES = {"bolt": (0.5, 2.0), "nut": (0.25, 1.0)}
STEPS = {1: 10.0, 5: 50.0}
ORDER = ["nut", "bolt", "nut", "washer"]


def asked_by_the_run(k):
    total = 0.0
    for i in range(k):
        part = ORDER[i % 4]
        if part in PRICES:
            price, weight = PRICES[part]
            total += price * weight
    for i in range(k):
        if i in STEPS:
            total += STEPS[i]
    return total, STEPS.get(k, -1.0), len(STEPS), STEPS[1]


@pytest.mark.parametrize("k", [1, 5, 7])
def test_dicts_from_outside_are_asked_for_keys_of_the_run(k):
    assert pellucid.compile(asked_by_the_run, freeze=True)(k) == asked_by_the_run(k)


def test_a_key_that_is_not_there():
    frozen = pellucid.compile(lambda k: STEPS[k], freeze=("STEPS",))
    assert frozen(5) == 50.0
    with pytest.raises(KeyError, match="2"):
        frozen(2)
