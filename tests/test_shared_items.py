"""One object that stands several times in lists that grow, or in two containers, does not change; others may."""

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


SHARED = [
    in_every_item, appended_in_every_turn, inserted_in_every_turn, dict_in_every_item, value_of_every_key,
    of_an_outer_turn, part_of_every_item, attribute_of_every_item, inserted_again, inserted_into_another,
    inserted_in_order, mapped, mapped_to_one, numbered, put_under_keys,
]  # fmt: skip


@pytest.mark.parametrize("function", SHARED, ids=lambda f: f.__name__)
def test_an_object_that_stands_in_two_places_does_not_change(function):
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


ALONE = [
    beside_a_part_of_every_item, taken_from_a_queue,
    new_part_of_every_item, only_read, new_in_every_turn, new_once_full,
    replaced_in_every_turn, inserted_new, inserted_in_order_new, mapped_to_new, grouped,
]  # fmt: skip


@pytest.mark.parametrize("function", ALONE, ids=lambda f: f.__name__)
def test_an_object_that_stands_in_one_place_changes(function):
    assert pellucid.compile(function)(X) == function(X)
