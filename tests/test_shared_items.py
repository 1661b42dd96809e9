"""One list or dict that stands several times in lists that grow, or in two containers, does not change; others may."""

import bisect
import collections
import dataclasses

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError

pytestmark = pytest.mark.drawn(5)

X = np.array([1.5, -2.0, 3.0, 0.5])


@dataclasses.dataclass
class P:
    x: float
    v: float = 1.0


def mk(x):
    return [P(float(v)) for v in x]


# --- one that is made before the loop ---------------------------------------------------------------------------------


def in_every_item(x):
    q = [1.0]
    b = [q for _ in x]
    b[0].append(3.0)
    return b


def appended_in_every_turn(x):
    q, b = P(1.0), []
    for _ in x:
        b.append(q)
    b[0].x = 9.0
    return [p.x for p in b]


def inserted_in_every_turn(x):
    q, b = P(1.0), []
    for _ in x:
        b.insert(0, q)
    b[0].x = 9.0
    return [p.x for p in b]


def dict_in_every_item(x):
    q = {"a": 1.0}
    b = [q for _ in x]
    b[0]["a"] = 3.0
    return [d["a"] for d in b]


def value_of_every_key(x):
    q = [1.0]
    b = {int(v): q for v in x}
    b[1].append(3.0)
    return [b[int(v)] for v in x]


def of_an_outer_turn(x):
    b = []
    for v in x:
        q = [float(v)]
        for _ in x:
            b.append(q)
    b[0].append(3.0)
    return b


def part_of_every_item(x):
    q = [1.0]
    b = [(q, float(v)) for v in x]
    b[0][0].append(3.0)
    return b


@dataclasses.dataclass
class Body:
    place: P
    mass: float


def attribute_of_every_item(x):
    q = P(1.0)
    b = [Body(q, float(v)) for v in x]
    for body in b:
        body.place.x += 1.0
    return [body.place.x for body in b]


# --- one that is an item already --------------------------------------------------------------------------------------


def inserted_again(x):
    rows = [[float(v)] for v in x]
    rows.insert(0, rows[-1])
    for r in rows:
        r.append(1.0)
    return rows


def inserted_into_another(x):
    ps, qs = mk(x), mk(x)
    qs.insert(0, ps[0])
    qs[0].x = 40.0
    return [p.x for p in ps]


def inserted_in_order(x):
    ps = mk(x)
    bisect.insort(ps, ps[0], key=lambda p: p.x)
    ps[0].x -= 1.0
    return [p.x for p in ps]


def mapped(x):
    b = [[float(v)] for v in x]
    c = list(map(lambda r: r, b))
    c[0].append(4.0)
    return b


def mapped_to_one(x):
    ps = mk(x)
    ps = list(map(lambda p: ps[0], ps))
    for p in ps:
        p.x += 1.0
    return [p.x for p in ps]


def numbered(x):
    b = [[float(v)] for v in x]
    d = {i: r for i, r in enumerate(b)}
    d[0].append(4.0)
    return b


def put_under_keys(x):
    b, d = [[float(v)] for v in x], {}
    for i, r in enumerate(b):
        d[i] = r
    d[0].append(4.0)
    return b


# --- items that another list takes over ----------------------------------------------------------------------------


def chosen_while_in_use(x):
    rows = [[float(v), v + 1.0] for v in x]
    out = [r for r in rows if r[0] > 0.2]
    out[0][1] = 7.0
    return sum(r[1] for r in rows)


def read_before_and_changed(x):
    rows = [[float(v), v + 1.0] for v in x]
    first = rows[0]
    rows = [r for r in rows if r[0] > -2.5]
    first[1] = 7.0
    return sum(r[1] for r in rows)


def read_before_and_looked_at(x):
    rows = [[float(v), v + 1.0] for v in x]
    first = rows[0]
    rows = [r for r in rows if r[0] > -2.5]
    rows[0][1] = 7.0
    return first[1]


def under_two_names(x):
    rows = [[float(v), v + 1.0] for v in x]
    others = rows
    rows = [r for r in rows if r[0] > -2.5]
    rows[0][1] = 7.0
    return others[0][1]


def chosen_in_every_turn(x):
    rows = [[float(v), v + 1.0] for v in x]
    for t in range(2):
        out = [r for r in rows if r[0] > -2.5]
        out[0][1] += 7.0
    return out[0][1]


def chosen_twice(x):
    rows = [[float(v), v + 1.0] for v in x]
    rows = [r for r in rows for k in range(2)]
    rows[0][1] = 7.0
    return rows[1][1]


def in_a_list_of_its_own(x):
    rows = [[float(v), v + 1.0] for v in x]
    others = [rows[0]]
    rows = [r for r in rows if r[0] > -2.5]
    rows[0][1] = 7.0
    return others[0][1]


def read_before_the_sort(x):
    rows = [[float(v), v + 1.0] for v in x]
    first = rows[0]
    rows.sort()
    first[1] = 9.0
    return sum(k*r[1] for k, r in enumerate(rows))


def sorted_while_in_use(x):
    rows = [[float(v), v + 1.0] for v in x]
    others = rows
    rows = sorted(rows)
    rows[0][1] = 9.0
    return sum(k*r[1] for k, r in enumerate(others))


def held_by_a_dict(x):
    rows = [[float(v), v + 1.0] for v in x]
    d = {0: rows}
    rows = rows[1:]
    rows[0][1] = 9.0
    return sum(k*r[1] for k, r in enumerate(d[0]))


def seen_by_a_function(x):
    rows = [[float(v), v + 1.0] for v in x]
    get = lambda: rows0[1][1]
    rows0 = rows
    rows = rows[1:]
    rows[0][1] = 9.0
    return get()


def sliced_twice(x):
    rows = [[float(v), v + 1.0] for v in x]
    rows = rows[1:] + rows[:2]
    rows[0][1] = 9.0
    return rows


def sliced_beside_a_function(x):
    rows = [[float(v), v + 1.0] for v in x]
    rest = lambda: rows[1:]  # noqa: E731
    rows0 = rest() + rows[:2]
    rows0[0][1] = 9.0
    return rows0


def sliced_in_a_test(x):
    rows, k = [[float(v), v + 1.0] for v in x], 0
    first = []
    while len(first := rows[k:]) > 2:
        first[0][1] += 1.0
        k += 1
    return first[0][1]


def of_the_turn_before(x):
    rows = [[float(v), v + 1.0] for v in x]
    keep = rows
    total = 0.0
    for t in range(3):
        total += keep[0][1]
        keep = rows
        rows = [r for r in rows if r[0] > 0.1 * t]
        rows[0][1] += 1.0
    return total


def chosen_while_looped_over(x):
    rows = [[float(v), v + 1.0] for v in x]
    s = 0.0
    for r in rows:
        rows = [q for q in rows if q[0] > -2.5]
        for q in rows:
            q[1] += 1.0
        s += r[1]
    return s


def turned_round_while_looped_over(x):
    rows = [[float(v), v + 1.0] for v in x]
    s = 0.0
    for k, r in enumerate(rows):
        rows = rows[::-1]
        rows[0][1] += 5.0
        s += r[1]*k
    return s


SHARED = [
    in_every_item, dict_in_every_item, value_of_every_key, of_an_outer_turn, part_of_every_item, inserted_again, mapped,
    numbered, put_under_keys,
    chosen_while_in_use, read_before_and_changed, read_before_and_looked_at, under_two_names,
    chosen_in_every_turn, chosen_twice, in_a_list_of_its_own, read_before_the_sort,
    sorted_while_in_use, held_by_a_dict, seen_by_a_function, of_the_turn_before,
    chosen_while_looped_over, turned_round_while_looped_over, sliced_twice, sliced_beside_a_function, sliced_in_a_test,
    sliced_twice, sliced_beside_a_function, sliced_in_a_test,
]  # fmt: skip


@pytest.mark.parametrize("function", SHARED, ids=lambda f: f.__name__)
def test_what_stands_in_two_places_does_not_change(function):
    with pytest.raises(CompileError) as caught:
        pellucid.compile(function)(X)
    assert caught.value.diagnostics[0].code == "R003"


# --- what may ---------------------------------------------------------------------------------------------------------


def only_read(x):
    q = [1.0]
    b = [q for _ in x]
    d = {i: r for i, r in enumerate(b)}
    b.insert(0, b[-1])
    return b, d[1], list(map(lambda r: r, b))


def new_in_every_turn(x):
    b = [[1.0] for _ in x]
    d = {i: [float(v)] for i, v in enumerate(x)}
    b.insert(0, [2.0])
    b[0].append(3.0)
    d[0].append(4.0)
    return b, d[0], d[1]


def new_once_full(x):
    cur, rows = [], []
    for v in x:
        cur.append(float(v))
        if len(cur) == 3:
            rows.append(cur)
            cur = []
    rows[0].append(9.0)
    return rows


def replaced_in_every_turn(x):
    last, ps = P(0.0), []
    for v in x:
        ps.append(last)
        last = P(float(v))
    ps[0].x = 7.0
    return [p.x for p in ps]


def inserted_new(x):
    ps = mk(x)
    for v in x:
        ps.insert(0, P(float(v)))
    ps.insert(0, ps.pop())
    for p in ps:
        p.x += 1.0
    return [p.x for p in ps]


def inserted_in_order_new(x):
    ps = []
    for v in x:
        bisect.insort(ps, P(float(v)), key=lambda p: p.x)
    for p in ps:
        p.x += 1.0
    return [p.x for p in ps]


def mapped_to_new(x):
    b = [[float(v)] for v in x]
    c = list(map(lambda r: r.copy(), b))
    c[0].append(4.0)
    return b, c


def grouped(x):
    groups = {}
    for v in x:
        groups.setdefault(int(v) % 2, []).append(float(v))
    for v in x:
        if int(v) not in groups:
            groups[int(v)] = []
        groups[int(v)].append(float(v))
    return [groups[int(v)] for v in x]


def beside_a_part_of_every_item(x):
    q = P(1.0)
    b = [Body(q, float(v)) for v in x]
    for body in b:
        body.mass += body.place.x
    return [body.mass for body in b]


def taken_from_a_queue(x):
    queue = collections.deque()
    for v in x:
        queue.append(P(float(v)))
    found = []
    while queue:
        p = queue.popleft()
        p.x += 1.0
        found.append(p.x)
    return found


def new_part_of_every_item(x):
    b = [Body(P(1.0), float(v)) for v in x]
    for body in b:
        body.place.x += body.mass
    return [body.place.x for body in b]


def merged_intervals(x):
    intervals = sorted([float(v), v + 1.0] for v in x)
    out = []
    for a, b in intervals:
        if out and a <= out[-1][1]:
            out[-1][1] = max(out[-1][1], b)
        else:
            out.append([a, b])
    return sum(b - a for a, b in out)


def chosen_of_them(x):
    rows = [[float(v), v + 1.0] for v in x]
    rows = [r for r in rows if r[0] > 0.2]
    rows[0][1] = 7.0
    return sum(r[1] for r in rows)


def sorted_in_place(x):
    rows = [[float(v), v + 1.0] for v in x]
    rows.sort(key=lambda r: -r[1])
    for r in rows:
        r[0] += 1.0
    return sum(r[0]*k for k, r in enumerate(rows))


def one_after_the_other(x):
    rows = [[float(v), v + 1.0] for v in x]
    rows = [r for r in rows if r[0] > 0.1]
    rows = rows[1:]
    rows.sort(key=lambda r: -r[0])
    rows = sorted(rows)
    for r in rows:
        r[0] += 3.0
    return sum(k*r[0] for k, r in enumerate(rows))


INSTANCES = [
    appended_in_every_turn, inserted_in_every_turn, attribute_of_every_item, inserted_into_another, inserted_in_order,
    mapped_to_one,
]  # fmt: skip
ALONE = [
    merged_intervals, chosen_of_them, sorted_in_place, one_after_the_other,
    beside_a_part_of_every_item, taken_from_a_queue,
    new_part_of_every_item, only_read, new_in_every_turn, new_once_full,
    replaced_in_every_turn, inserted_new, inserted_in_order_new, mapped_to_new, grouped,
]  # fmt: skip


@pytest.mark.parametrize("function", ALONE + INSTANCES, ids=lambda f: f.__name__)
def test_instances_and_what_stands_in_one_place_change(function):
    assert pellucid.compile(function)(X) == function(X)
