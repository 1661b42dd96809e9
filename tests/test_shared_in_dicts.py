"""Items of one container that another one has too: a change that both would show is refused, others are CPython's."""

import itertools
from collections import deque

import numpy as np
import pytest

import pellucid
from tests.harness.answers import agree, function_of, outcome
from tests.harness.stages import Stages

pytestmark = pytest.mark.drawn(5)

N = np.array([3, 1, 2, 0])
ROWS = "rows = [[1.0 * k] for k in n]; "
TABLE = "d = {k: [1.5] for k in n}; "
SHOWN_TWICE = (
    ROWS + "d = dict(zip(n, rows)); d[0].append(2.0); (d, rows)",
    ROWS + "d = dict(enumerate(rows)); rows[0].append(2.0); (d, rows)",
    ROWS + "d = {}; d.update((k, rows[k]) for k in n); d[0].append(2.0); rows",
    ROWS + "q = deque(rows); q[0].append(2.0); rows",
    ROWS + "q = deque(); q.extend(rows); rows[0].append(2.0); [list(r) for r in q]",
    ROWS + "q = deque(rows); p = deque(q); p[0].append(2.0); [list(r) for r in q]",
    TABLE + "e = {}; e.update(d); e[0].append(2.0); d",
    TABLE + "e = d.copy(); e[0].append(2.0); d",
    TABLE + "e = dict(d); d[0].append(2.0); e",
    TABLE + "e = {**d, 9: [2.0]}; d[0].append(2.0); e",
    TABLE + "e = {9: [2.0]}; e |= d; d[0].append(2.0); e",
    "d = dict.fromkeys((0, 1, 2, 3), [1.5]); d[n[0]].append(2.0); d",
    "d = dict.fromkeys((0, 1, 2, 3), [1.5]); d.setdefault(n[0], []).append(2.0); d",
    "b = [[1.0], [2.0]]; d = {0: b[0]}; d.setdefault(n[0], b[1]).append(1.5); (b, d)",
    "d = {k: [v] for v, k in enumerate(n)}; r = d.get(n[0], []); r.append(2); d",
    "d = {0: [1]}; for k in n: r = d.get(k, []) & r.append(2) & d[k] = r & d[k + 1] = r; d",
    "d = {0: [1]}; for k in n: r = d.get(k, []) & r.append(len(d)) & d[k] = r; d",
    "d = {0: [1]}; e = d; for k in n: r = d.get(k, []) & r.append(len(e)) & d[k] = r; d",
    "d = {0: [1]}; g = lambda: len(d); for k in n: r = d.get(k, []) & r.append(g()) & d[k] = r; d",
    "d = {}\nfor k in n:\n    r = d.get(k, [])\n    if k > 1: continue\n    r.append(1.0)\n    d[k] = r\nlen(d)",
    "d = {}\nfor k in n:\n    r = d.get(k, [])\n    if k > 1: break\n    r.append(1.0)\n    d[k] = r\nlen(d)",
    "d = {}\nfor k in n:\n    try:\n        r = d.get(k, [])\n        r.append(n[k + 1])\n        d[k] = r\n"
    "    except IndexError:\n        pass\nlen(d)",
    "rows = [[k] for k in n]; for k in n: r = rows[k] & r.append(2) & rows[k - 1] = r; rows",
    "a = [(k, [1.5]) for k in n]; b = [(k + 1, r) for k, r in a]; b[0][1].append(2.0); a",
)
# The other container is not in use any more, which is not known of these.
MOVED = (
    "d = dict((k, [1.5]) for k in n); d[0].append(2.0); d",
    ROWS + "d = dict(enumerate(rows)); d[0].append(2.0); d",
    TABLE + "e = {k + 1: r for k, r in d.items()}; e[1].append(2.0); e",
)
RIGHT = (
    ROWS + "rows.sort(); rows[0].append(2.0); rows",
    ROWS + "rows = [r for r in rows if r[0] > 0.5]; rows[0].append(2.0); rows",
    "d = {}; d.update((k, [1.5]) for k in n); d.update({9: [2.0]}); d[0].append(2.0); d",
    TABLE + "for k in n: r = d[k] & r.append(2.0) & d[k] = r; d",
    "d = {}; for k in n % 2: r = d.get(k, []) & r.append(1.0 * k) & d[k] = r; d",
    "d = {}; for i, k in enumerate(n): r = d.get((k, 1), [k]) & r.append(i) & d[k, 1] = r; list(d.values())",
    "rows = [[k] for k in n]; for k in n: r = rows[k] & r.append(2) & rows[k] = r & rows[0].append(3); rows",
    "rows = [[k] for k in n]; for a, b in it.pairwise(rows): b.append(a[0]); rows",
    "b = [[1.0], [2.0]]; d = {0: b[0]}; d.setdefault(1, b[1]).append(1.5); (b, d)",
    "d = dict.fromkeys((0, 1), [1.5]); d[0].append(2.0); d",
    ROWS + "d = {k: list(rows[k]) for k in n}; d[0].append(2.0); (d, rows)",
)


def program_of(line):
    function = function_of(line.replace("; ", "\n").replace(" & ", "; "), "n")
    function.__globals__.update(it=itertools, deque=deque)
    return function


def as_tuples(value):
    if isinstance(value, dict):
        return tuple((as_tuples(key), as_tuples(inner)) for key, inner in value.items())
    return tuple(map(as_tuples, value)) if isinstance(value, list | tuple) else float(value)


@pytest.mark.parametrize("line", SHOWN_TWICE + MOVED)
def test_what_two_would_show_is_refused(line):
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(program_of(line))(N)
    assert [d.code for d in caught.value.diagnostics] == ["R003"] and caught.value.diagnostics[0].help


@pytest.mark.parametrize("line", RIGHT)
def test_the_rest_is_cpythons(line):
    function = program_of(line)
    found = Stages(function).run("typed", N)
    assert found.error is None and agree(as_tuples(found.value), as_tuples(outcome(function, (N,))))


class Shelf:
    """One with a `get` of its own, which is no dict's."""

    def __init__(self):
        self.rows, self.asked = [[] for _ in range(3)], 0

    def get(self, k, default):
        self.asked += 1
        return self.rows[k]

    def setdefault(self, k, default):
        self.asked += 100
        return self.rows[k]

    def __setitem__(self, k, row):
        self.rows[k] = row


def test_a_get_of_the_users_own_is_called():
    def program(n):
        shelf, k = Shelf(), 1
        row = shelf.get(k, [])
        row.append(n[0])
        shelf[k] = row
        return shelf.asked

    assert pellucid.compile(program)(N) == program(N)
