"""Objects in several places, told apart only at run time: who shares one sees its changes."""

import dataclasses
import importlib

import numpy as np
import pytest

import pellucid
from pellucid.compiler import driver, syntax
from pellucid.compiler.frontend.specialise.interpreter.constant_tables import UNROLLED
from tests.harness.stages import STAGES, Stages, assert_same, in_python

# a function of the same name hides the module as an attribute of its package
specialising = importlib.import_module("pellucid.compiler.frontend.specialise.specialise")
pytestmark = pytest.mark.drawn(5)


@dataclasses.dataclass
class P:
    x: float
    v: float = 1.0


def mk(n, x):
    return [P(x * k) for k in range(n)]


def tot(ps):
    return sum(p.x * (k + 1.0) for k, p in enumerate(ps))


def cull(ps, limit):
    return [p for p in ps if p.x < limit]


def cull_named(ps, limit):
    ps = [p for p in ps if p.x < limit]
    return ps


# --- moved to another list -------------------------------------------------------------------------------------------


def kept_in_a_comprehension(n, x):
    ps = mk(n, x)
    for t in range(3):
        for p in ps:
            p.x += p.v
        ps = [p for p in ps if p.x < 4.0]
    return tot(ps)


def kept_by_a_loop(n, x):
    ps = mk(n, x)
    for t in range(3):
        keep = []
        for p in ps:
            p.x += p.v
            if p.x < 4.0:
                keep.append(p)
        ps = keep
        for p in ps:
            p.v *= 0.5
    return tot(ps)


def under_another_name(n, x):
    ps = mk(n, x)
    near = [p for p in ps if p.x < 2.0]
    for p in near:
        p.x += 10.0
    return tot(near)


def in_a_function(n, x):
    ps = mk(n, x)
    for t in range(2):
        for p in ps:
            p.x += p.v
        ps = cull(ps, 5.0)
    return tot(ps)


def in_a_function_with_a_name(n, x):
    ps = mk(n, x)
    ps = cull_named(ps, 3.0)
    ps[0].x = 9.0
    return tot(ps)


def counted(n, x):
    ps = mk(n, x)
    ps = [p for k, p in enumerate(ps) if k % 2 == 0]
    for p in ps:
        p.x += 1.0
    return tot(ps)


def sorted_anew(n, x):
    ps = mk(n, x)
    ps = sorted(ps, key=lambda p: -p.x)
    for p in ps:
        p.x += 1.0
    return tot(ps)


def sliced(n, x):
    ps = mk(n, x)
    ps = ps[1:]
    ps[0].x += 5.0
    return tot(ps)


def filtered(n, x):
    ps = mk(n, x)
    ps = list(filter(lambda p: p.x < 3.0, ps))
    ps[0].x += 5.0
    return tot(ps)


def sorted_in_place(n, x):
    ps = mk(n, x)
    ps.sort(key=lambda p: -p.x)
    ps[0].x += 5.0
    return tot(ps)


def one_after_the_other(n, x):
    ps = mk(n, x)
    qs = [p for p in ps]
    for p in qs:
        p.x += 1.0
    rs = [p for p in qs]
    for p in rs:
        p.x += 1.0
    return tot(rs)


def changed_in_the_new_list(n, x):
    ps = mk(n, x)
    qs = []
    for p in ps:
        qs.append(p)
        qs[0].x += 1.0
    return tot(qs)


def the_ones_that_are_gone(n, x):
    ps = mk(n, x)
    left = 0.0
    for t in range(3):
        for p in ps:
            p.x += p.v
        gone = [p for p in ps if p.x > 3.0]
        left += sum(p.v for p in gone)
        ps = [p for p in ps if p.x <= 3.0]
        ps.append(P(0.5))
    return tot(ps) + left


def joined_with_new_ones(n, x):
    ps = mk(n, x)
    for i in range(3):
        alive = []
        for p in ps:
            p.x += 1.0
            if p.x > 2.0:
                alive.append(p)
            else:
                alive.append(P(p.x + 3.0))
        ps = alive + [P(0.5)]
    return tot(ps)


# --- shared ----------------------------------------------------------------------------------------------------------


def the_old_one_is_looked_at(n, x):
    ps = mk(n, x)
    qs = [p for p in ps if p.x > 1.0]
    for p in qs:
        p.x += 5.0
    return tot(ps)


def put_in_twice(n, x):
    ps = mk(n, x)
    qs = []
    for p in ps:
        qs.append(p)
        qs.append(p)
    qs[0].x = 9.0
    return tot(qs)


def put_in_by_an_inner_loop(n, x):
    ps = mk(n, x)
    qs = []
    for p in ps:
        for k in range(2):
            qs.append(p)
    qs[0].x = 9.0
    return tot(qs)


def put_in_by_a_second_for(n, x):
    ps = mk(n, x)
    qs = [p for p in ps for k in range(n)]
    qs[0].x = 9.0
    return tot(qs)


def gone_over_twice(n, x):
    ps = mk(n, x)
    qs = []
    for t in range(2):
        for p in ps:
            qs.append(p)
    qs[0].x = 9.0
    return tot(qs)


def item_read_before(n, x):
    ps = mk(n, x)
    first = ps[0]
    ps = [p for p in ps if p.x < 3.0]
    first.x = 7.0
    return tot(ps)


def item_looked_at_later(n, x):
    ps = mk(n, x)
    first = ps[0]
    ps = [p for p in ps if p.x < 3.0]
    ps[0].x = 7.0
    return first.x


def changed_by_its_place(n, x):
    ps = mk(n, x)
    qs = []
    for p in ps:
        qs.append(p)
        ps[0].x = 5.0
    qs[1].x = 2.0
    return tot(qs)


def changed_after_that(n, x):
    ps = mk(n, x)
    qs = []
    for p in ps:
        qs.append(p)
        p.x += 1.0
    return tot(qs)


def under_two_names(n, x):
    ps = mk(n, x)
    alias = ps
    ps = [p for p in ps if p.x < 3.0]
    ps[0].x = 7.0
    return tot(alias)


def in_a_list_of_lists(n, x):
    ps = mk(n, x)
    qss = [[p for p in ps if p.x < t] for t in range(4)]
    qss[3][0].x = 7.0
    return tot(qss[2])


def zipped_with_itself(n, x):
    ps = mk(n, x)
    qs = [p for p, q in zip(ps, ps)] + [q for p, q in zip(ps, ps)]
    qs[0].x = 7.0
    return tot(qs)


def both_of_a_zip(n, x):
    ps = mk(n, x)
    qs = []
    for p, q in zip(ps, ps):
        qs.append(p)
        qs.append(q)
    qs[0].x = 7.0
    return tot(qs)


def read_by_place(n, x):
    ps = mk(n, x)
    qs = []
    for i in range(len(ps)):
        qs.append(ps[0])
    qs[0].x = 7.0
    return tot(qs)


def seen_by_a_function(n, x):
    ps = mk(n, x)
    get = lambda: ps[0].x  # noqa: E731
    qs = [p for p in ps if p.x < 3.0]
    qs[0].x = 7.0
    return get()


def held_by_a_dict(n, x):
    ps = mk(n, x)
    d = {0: ps}
    ps = [p for p in ps if p.x < 3.0]
    ps[0].x = 7.0
    return d[0][0].x


def in_a_pair(n, x):
    ps = mk(n, x)
    a, b = cull(ps, 3.0), ps
    a[0].x = 7.0
    return tot(b)


def last_of_a_loop(n, x):
    ps = mk(n, x)
    qs = []
    last = ps[0]
    for p in ps:
        qs.append(p)
        last = p
    last.x = 50.0
    return tot(qs)


def of_an_outer_loop(n, x):
    ps = mk(n, x)
    for t in range(2):
        qs = [p for p in ps if p.x < 3.0]
        for q in qs:
            q.x += 1.0
    return tot(qs)


def sorted_while_in_use(n, x):
    ps = mk(n, x)
    qs = sorted(ps, key=lambda p: -p.x)
    qs[0].x = 99.0
    return tot(ps)


def sliced_while_in_use(n, x):
    ps = mk(n, x)
    qs = ps[1:]
    qs[0].x = 99.0
    return tot(ps)


def sliced_twice(n, x):
    ps = mk(n, x)
    qs = ps[1:] + ps[:2]
    qs[0].x = 99.0
    return tot(qs)


def sorted_under_an_item(n, x):
    ps = mk(n, x)
    first = ps[0]
    ps.sort(key=lambda p: -p.x)
    first.x = 50.0
    return tot(ps)


def for_each_of_others(n, x):
    ps = mk(n, x)
    qs = [p for p in ps for q in ps[1:]]
    qs[0].x = 3.0
    return tot(qs)


def bumped(ps, k):
    if k == 0:
        return 0
    ps[0].x += 1.0
    return bumped(ps, k - 1)


def in_a_tuple(n, x):
    ps = mk(n, x)
    pairs = [(k, p) for k, p in enumerate(ps)]
    ps[0].x = 55.0
    return pairs[0][1].x + ps[0].x


def of_the_turn_before(n, x):
    ps = mk(n, x)
    prev = ps
    s = 0.0
    for t in range(3):
        for p in ps:
            p.x += 1.0
        s += prev[0].x
        prev = ps
        ps = [p for p in ps if p.x < 5.0]
    return s + tot(ps)


def kept_in_a_list(n, x):
    ps = mk(n, x)
    groups = []
    for t in range(3):
        near = [p for p in ps if p.x < 2.0]
        groups.append(near)
    ps[0].x = 70.0
    return groups[1][0].x


def between_two_arguments(n, x):
    ps = mk(n, x)
    def total(qs, y):
        return tot(qs) + y
    def bump():
        ps[0].x = 70.0
        return 1.0
    return total([p for p in ps if p.x < 2.0], bump())


def changed_by_a_recursive_function(n, x):
    ps = mk(n, x)
    bumped(ps, 1)
    qs = [p for p in ps if p.x < 3.0]
    bumped(ps, 1)
    return tot(qs)


def parted_in_two(n, x):
    ps = mk(n, x)
    near, far = [], []
    for p in ps:
        if p.x < 2.0:
            near.append(p)
        else:
            far.append(p)
    for p in near:
        p.x += 10.0
    for p in far:
        p.x -= 1.0
    return tot(near) + tot(far)


def age(ps):
    keep = []
    for p in ps:
        p.x += 1.0
        keep.append(p)
    return keep


def put(ps, qs):
    for p in ps:
        qs.append(p)


def put_some(ps, qs, flag):
    for p in ps:
        p.x += 1.0
        if flag:
            qs.append(p)


def gone_over_twice_by_a_function(n, x):
    ps = mk(n, x)
    a = age(ps)
    b = age(ps)
    return tot(a) + tot(b)


def put_in_twice_by_a_function(n, x):
    ps = mk(n, x)
    qs = []
    put(ps, qs)
    put(ps, qs)
    qs[0].x = 44.0
    return tot(qs)


def chosen_twice(n, x):
    ps = mk(n, x)
    near = cull(ps, 2.0)
    far = cull(ps, 9.0)
    far[0].x = 44.0
    return tot(near)


def changed_by_the_same_loop(n, x):
    ps = mk(n, x)
    qs, rs = [], []
    put_some(ps, qs, True)
    put_some(ps, rs, False)
    return tot(qs) + tot(ps)


def of_the_turn_before_that_changes(n, x):
    ps = mk(n, x)
    old = []
    s = 0.0
    for t in range(3):
        for p in ps:
            p.x += 1.0
        s += tot(old)
        old = [p for p in ps if p.x > 2.0]
    return s


def chosen_on_two_paths(n, x):
    ps = mk(n, x)
    if n > 3:
        qs = [p for p in ps if p.x > 1.0]
    else:
        qs = [p for p in ps]
    ps[1].x = 50.0
    ps[4].x = 60.0
    return tot(qs)


def put_into_two(n, x):
    ps = mk(n, x)
    near, far = [], []
    for p in ps:
        if p.x < 3.0:
            near.append(p)
        if p.x > 1.0:
            far.append(p)
    near[2].x = 90.0
    return tot(far)


def put_in_by_each_turn(n, x):
    ps = mk(n, x)
    for t in range(3):
        if t == 0:
            keep = []
        for p in ps:
            keep.append(p)
    keep[0].x = 33.0
    return tot(keep)


def kept_behind_a_loop(n, x):
    ps = mk(n, x)
    old = []
    for t in range(2):
        old = [p for p in ps if p.x > 2.0]
    ps[4].x = 50.0
    return tot(old)


def put_in_behind_a_loop(n, x):
    ps = mk(n, x)
    qs = []
    for t in range(n):
        qs = []
        put(ps, qs)
    put(ps, qs)
    qs[0].x = 5.0
    return tot(qs)


def put_in_before(n, x):
    ps = mk(n, x)
    qs = [ps[0]]
    for p in ps:
        qs.append(p)
    qs[0].x = 5.0
    return tot(qs)


def in_a_tuple_by_place(n, x):
    ps = mk(n, x)
    pairs = []
    for k in range(n):
        pairs.append((k, ps[k]))
    ps[0].x = 55.0
    return pairs[0][1].x + ps[0].x


# --- linked by reference ---------------------------------------------------------------------------------------------


class Node:
    def __init__(self, key, value):
        self.key, self.value = key, value
        self.left = self.right = None

    def insert(self, other):
        if other.key < self.key:
            if self.left is None:
                self.left = other
            else:
                self.left.insert(other)
        elif self.right is None:
            self.right = other
        else:
            self.right.insert(other)

    def total(self):
        total = self.value
        if self.left is not None:
            total += 0.5 * self.left.total()
        if self.right is not None:
            total -= 0.25 * self.right.total()
        return total


def searched_tree(n, x):
    root = Node(0.5, x)
    for k in range(n):
        root.insert(Node((k * 0.618) % 1.0, x * k))
    return root.total()


def linked_list(n, x):
    head = None
    for k in range(n):
        node = Node(k, x * k)
        node.left = head
        head = node
    total, weight = 0.0, 1.0
    while head is not None:
        total += weight * head.value
        head.value = -1.0
        weight *= 0.9
        head = head.left
    return total


def sorted_links(n, x):
    """A list by reference, of which an item is taken out and put in elsewhere."""
    nodes = [Node(k, x * k) for k in range(n)]
    for a, b in zip(nodes, nodes[1:]):
        a.right = b
    moved = nodes[1]
    nodes[0].right = moved.right
    moved.right = None
    nodes[-1].right = moved
    total, k, node = 0.0, 1.0, nodes[0]
    while node is not None:
        total += k * node.value
        k += 1.0
        node = node.right
    return total


# --- identity and equality -------------------------------------------------------------------------------------------


class Q:
    def __init__(self, x):
        self.x = x

    def moved(self, d):
        self.x += d
        return self


def which_is_it(n, x):
    qs = [Q(x * k) for k in range(n)]
    last = qs[-1]
    return [q is last for q in qs], [q is not last and q.x > 1.0 for q in qs], qs.index(last), last in qs


def equal_by_fields(n, x):
    ps = mk(n, x)
    twin = P(x * 2.0)
    return ps[2] == twin, ps[2] is twin, ps[1] != ps[1], ps.index(twin), ps.count(twin)


def nearest_of_all(n, x):
    qs = [Q(x * k * k) for k in range(n)]
    total = 0.0
    for q in qs:
        best = None
        for other in qs:
            if other is not q and (best is None or abs(other.x - q.x) < abs(best.x - q.x)):
                best = other
        best.x += 0.25 * q.x
        total += best.x
    return total


def method_that_returns_it(n, x):
    qs = [Q(x * k) for k in range(n)]
    rs = [q.moved(1.0) for q in qs]
    rs[0].moved(2.0).moved(3.0)
    return tot(qs) + tot(rs)


# --- attributes ------------------------------------------------------------------------------------------------------


class Cell:
    def __init__(self, name, x):
        self.name = name
        self.x = np.array([x, 2.0 * x])
        self.near = []
        self.best = None
        self.count = 0

    @property
    def size(self):
        return self.x.sum() + self.count


def with_arrays_and_lists(n, x):
    cells = [Cell("even" if k % 2 == 0 else "odd", x * k) for k in range(n)]
    for k, cell in enumerate(cells):
        for other in cells[max(k - 1, 0) : k + 2]:
            if other is not cell:
                cell.near.append(other)
    for cell in cells:
        for other in cell.near:
            other.x += 0.5 * cell.x
            other.x[0] -= 1.0
            other.count += 1
            if cell.best is None or other.size > cell.best.size:
                cell.best = other
        if cell.name == "odd":
            cell.best.name = "chosen"
    return [cell.size for cell in cells], [len(cell.near) for cell in cells], [cell.name for cell in cells]


def swapped(n, x):
    ps, qs = mk(n, x), mk(n, -x)
    for k in range(n - 1):
        ps[k], qs[k + 1] = qs[k + 1], ps[k]
    ps[0].x += 100.0
    return tot(ps), tot(qs), qs[1].x


def of_two_classes(n, x):
    things = []
    for k in range(n):
        things.append(P(x * k) if k % 2 == 0 else Q(x * k))
    others = things[::-1]
    for one in others:
        if isinstance(one, P):
            one.v += 1.0
        one.x += 1.0
    return tot(things), sum(one.v for one in things if isinstance(one, P))


def given_back(n, x):
    ps = mk(n, x)
    qs = ps[1:]
    qs[0].x = 9.0
    return ps, qs[-1], {"first": qs[0], "rest": qs[1:]}


class Weight:
    def __init__(self, x):
        self.x = x

    def __contains__(self, v):
        return v == self.x

    def __call__(self, v):
        return v * self.x

    def __iadd__(self, other):
        self.x += other
        return self

    def __add__(self, other):
        return self.x + other

    def __radd__(self, other):
        return 10.0 * self.x + other

    def __lt__(self, other):
        return self.x < other.x

    def __getitem__(self, k):
        return self.x + k

    def __len__(self):
        return 3

    def __bool__(self):
        return self.x > 1.0

    def __neg__(self):
        return -self.x

    def __iter__(self):
        return iter([self.x, 2.0 * self.x])

    @property
    def twice(self):
        return 2.0 * self.x


class Heavier(Weight):
    def __init__(self, x):
        super().__init__(x)
        self.more = 1.0

    @property
    def twice(self):
        return super().twice + self.more


def operators_of_the_class(n, x):
    first = [Weight(x * k) for k in range(n)]
    others = first[:]
    others[1].x = 5.0
    one, other = first[1], others[2]
    one += 1.0
    tests = 5.0 in one, 6.0 in others[1], one < other, bool(one), bool(first[0])
    return tests, one(3.0), one + 1.0, 1.0 + one, one[2], len(one), -one, sum([v for v in other]), one.twice


def super_of_an_instance(n, x):
    first = [Heavier(x * k) for k in range(n)]
    for one in first[::2]:
        one.more += 1.0
    return [one.twice for one in first]


def equal_to_others(n, x):
    ps = [P(x * k, float("nan")) for k in range(n)]
    qs = ps[:]
    qs[0].x = 5.0
    k = int(x)
    same = ps[k] == qs[k], ps[k] == qs[k + 1], ps[k] != qs[k], ps[k] is qs[k], ps[0] is qs[k], qs[k] in ps
    return same, ps[0] == 3, ps[0] != "three", None in ps, ps == qs, ps[1:] == qs[:-1]


@dataclasses.dataclass
class Pair:
    p: P
    z: float


def fields_of_fields(n, x):
    ps = mk(n, x)
    qs = ps[:]
    qs[0].x = 5.0
    pair = Pair(ps[0], 2.0)
    table, items = dataclasses.asdict(pair), dataclasses.astuple(pair)
    other = dataclasses.replace(ps[0], v=3.0)
    ps[0].x, other.x = 9.0, 7.0
    return table["p"]["x"], items, pair.p.x, other.x, other.v


def with_a_long_list(n, x):
    waves = [np.sin(x * k) for k in range(200)]
    ps = mk(n, x)
    for p in ps[:]:
        p.x += waves[3] + waves[190]
    return float(tot(ps))


def by_their_places(n, x):
    ps = []
    by = {}
    for k in range(n):
        p = P(x * k)
        ps.append(p)
        by[k] = p
    for k in range(n):
        by[k].x = by[k].x * 3.0
    return tot(ps)


def the_last_of_each_cell(n, x):
    ps = mk(n, x)
    cells = {}
    for p in ps:
        cells[int(p.x * 1.3)] = p
    for cell, p in cells.items():
        p.x += 0.5 * cell
    for p in cells.values():
        p.v = p.x
    return tot(ps) + sum(p.v for p in ps)


def parents_by_their_places(n, x):
    nodes = []
    for k in range(n):
        node = Node(k, x * k)
        if k > 0:
            node.left = nodes[(k - 1) // 2]
        nodes.append(node)
    for node in nodes:
        above = node.left
        while above is not None:
            above.value += 0.5 * node.value
            above = above.left
    return sum(node.value * (k + 1.0) for k, node in enumerate(nodes))


def last_of(node):
    while node.left is not None:
        node = node.left
    return node


def joined_sets(n, x):
    nodes = [Node(k, x * (k * 7 % 5)) for k in range(n)]
    for k in range(1, n):
        one, other = last_of(nodes[k]), last_of(nodes[k * 3 // 4])
        if one is not other:
            other.left = one
            one.value += other.value
        if one.left is one or nodes[0].left is nodes[1].left:
            one.value += 0.25
    return sum(node.value**2 for node in nodes if node.left is None)


PROGRAMS = [
    parents_by_their_places, joined_sets, by_their_places, the_last_of_each_cell,
    kept_in_a_comprehension, kept_by_a_loop, under_another_name, in_a_function, in_a_function_with_a_name,
    counted, sorted_anew, sliced, filtered, sorted_in_place, one_after_the_other, changed_in_the_new_list,
    the_ones_that_are_gone, joined_with_new_ones, the_old_one_is_looked_at, put_in_twice, put_in_by_an_inner_loop,
    put_in_by_a_second_for, gone_over_twice, item_read_before, item_looked_at_later, changed_by_its_place,
    changed_after_that, under_two_names, in_a_list_of_lists, zipped_with_itself, both_of_a_zip, read_by_place,
    seen_by_a_function, held_by_a_dict, in_a_pair, last_of_a_loop, of_an_outer_loop, sorted_while_in_use,
    sliced_while_in_use, sliced_twice, sorted_under_an_item, for_each_of_others, in_a_tuple, of_the_turn_before,
    kept_in_a_list, between_two_arguments, changed_by_a_recursive_function, parted_in_two,
    gone_over_twice_by_a_function, put_in_twice_by_a_function, chosen_twice, changed_by_the_same_loop,
    of_the_turn_before_that_changes, chosen_on_two_paths, put_into_two, put_in_by_each_turn, kept_behind_a_loop,
    put_in_behind_a_loop, put_in_before, in_a_tuple_by_place, searched_tree, linked_list, sorted_links,
    which_is_it, equal_by_fields, nearest_of_all, method_that_returns_it, with_arrays_and_lists, swapped,
    of_two_classes, given_back, operators_of_the_class, super_of_an_instance, equal_to_others, fields_of_fields,
    with_a_long_list,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_who_shares_an_object_sees_its_changes(function):
    compiled = pellucid.compile(function)
    for n in (5, 7):
        assert compiled(n, 1.0) == function(n, 1.0)


DIFFERENTIATED = [
    kept_in_a_comprehension, kept_by_a_loop, in_a_list_of_lists, linked_list, nearest_of_all, sorted_links,
    by_their_places, the_last_of_each_cell, parents_by_their_places, joined_sets,
]  # fmt: skip


@pytest.mark.parametrize("function", DIFFERENTIATED, ids=lambda f: f.__name__)
def test_at_every_stage_and_in_derivatives(function):
    stages = Stages(function)
    for stage in STAGES:
        assert_same(stages.run(stage, 5, 0.9), in_python(function, 5, 0.9))
    slope = (function(5, 0.9 + 1e-6) - function(5, 0.9 - 1e-6)) / 2e-6
    np.testing.assert_allclose(pellucid.grad(function, argnums=1)(5, 0.9), slope, rtol=1e-7)
    np.testing.assert_allclose(pellucid.jvp(function, (5, 0.9), (None, 1.0))[1], slope, rtol=1e-7)
    batch = pellucid.vmap(function, in_axes=(None, 0))(5, np.array([0.9, 1.1, 2.0]))
    np.testing.assert_allclose(batch, [function(5, v) for v in (0.9, 1.1, 2.0)], rtol=1e-12)


# --- refused ---------------------------------------------------------------------------------------------------------


def returned_whole(n, x):
    head = None
    for k in range(n):
        node = Node(k, x * k)
        node.left = head
        head = node
    return head


def used_as_a_number(n, x):
    ps = mk(n, x)
    for p in ps[:]:
        p.x += 1.0
    return -ps[0]


def of_numbers(n, x):
    ps = mk(n, x)
    for p in ps[:]:
        p.x += 1.0
    return np.array(ps)


class Mark:
    pass


def without_attributes(n, x):
    marks = []
    for _ in range(n):
        marks.append(Mark())
    others = marks[:]
    return others[0] is marks[0]


def needed_now(n, x):
    ps = mk(n, x)
    return np.stack([ps[0].x, 1.0], axis=int(ps[1].x))


REFUSED = {
    returned_whole: ["T002", "T003"], used_as_a_number: ["R003", "T001"], of_numbers: ["R003", "T001"],
    without_attributes: ["T002", "U018"], needed_now: ["R001"],
}  # fmt: skip


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_what_pools_do_not_help_is_refused_for_both_reasons(function):
    """The first is that of the program as it is; one reason at one place is told once."""
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function)(5, 0.9)
    assert [fault.code for fault in caught.value.diagnostics] == REFUSED[function]


# --- walks -----------------------------------------------------------------------------------------------------------


def used_as_a_number_beside_a_long_list(n, x):
    return waves_on(mk(n, x), [np.sin(x * k) for k in range(200)])


def waves_on(ps, waves):
    for p in ps[:]:
        p.x += waves[3]
    return -ps[0]


def walks_through(function, monkeypatch):
    """The program of a function, None where it is refused, and of each walk: whether with pools, lists unrolled."""
    walked, seen = specialising.walked, []

    def noted(task, *others):
        seen.append((bool(task.learned.pools), UNROLLED in task.learned.forms))
        return walked(task, *others)

    monkeypatch.setattr(specialising, "walked", noted)
    stages = Stages(function)
    try:
        made = driver.derive(stages.request, stages.flatten((5, 0.9)).arguments)
    except pellucid.CompileError:
        return None, seen
    return made.program, seen


def test_long_lists_are_not_unrolled_for_what_pools_help(monkeypatch):
    program, walks = walks_through(with_a_long_list, monkeypatch)
    assert list(dict.fromkeys(walks)) == [(False, False), (False, True), (True, False)]
    statements = [s for function in program.functions.values() for s in syntax.walk(function.body)]
    assert len(statements) < 200


def test_few_walks_tell_that_a_program_is_refused(monkeypatch):
    program, walks = walks_through(used_as_a_number_beside_a_long_list, monkeypatch)
    assert program is None and len(walks) <= 6
    assert list(dict.fromkeys(walks)) == [(False, False), (False, True), (True, False), (True, True)]
