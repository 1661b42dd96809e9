"""`itertools`, generator expressions that are passed on, `zip(*rows)`, lists of lists and blocks: CPython's answers."""

import bisect
import functools
import itertools
import math
import operator
import re
from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from tests.harness.answers import agree, function_of, outcome
from tests.harness.stages import Stages

pytestmark = pytest.mark.drawn(5)


class Pair(NamedTuple):
    value: float
    count: int


ARRAYS = {
    "A": np.array([[0.5, -1.5, 2.0], [3.0, 0.25, -0.75]]),
    "V": np.array([1.5, -0.25, 3.0, 0.75]),
    "N": np.array([3, 1, 2, 3, 1, 0]),
}
LINES = """
[i * v for i, v in enumerate(v * v for v in V)]
g = (v + 1 for v in V); first = next(g); (first, sum(g))
sum(a * b for a, b in zip((v for v in V), (n for n in N)))
out = []; out.extend(v * 2 for v in V if v > 0); np.array(out)
f = lambda xs: sum(xs); f(v for v in V)
k = 2.0; g = (v * k for v in V); k = 3.0; list(g)
[a + b for a, b in enumerate(u * v for u, v in zip(V, N))]
[a * b for a, b in it.product((1, 2), repeat=2)]
[a * b for a, b in it.product(V, range(3))]
[a * b * c for a, b, c in it.product(V, (1.0, 2.0), N)]
[a * b for a, b in it.combinations(V, 2)]
[a * b * c for a, b, c in it.combinations((1, 2, 3, 4), 3)]
[a - b for a, b in it.permutations(V, 2)]
[a - b for a, b in it.pairwise(V)]
[a - b for a, b in it.pairwise(V[:0])]
[a - b for a, b in it.pairwise([1, 2, 3])]
list(it.accumulate(V))
list(it.accumulate(V[:0]))
list(it.accumulate(V, max))
list(it.accumulate(N, lambda a, b: a * b, initial=N[0]))
list(it.chain(N, N[:2]))
list(it.chain((1, 2), (3,)))
list(map(lambda k: None if k == 0 else 1.5 * k, range(N[0])))
list(map(lambda k: "a" if k == 0 else "b", range(N[0])))
list(it.chain.from_iterable([[v, v * 2] for v in V]))
[k * v for k, v in zip(it.count(1), V)]
[v * r for v, r in zip(V, it.repeat(2.0, 3))]
rows = [(v, 2 * v) for v in V]; a, b = zip(*rows); (np.array(a), sum(b), b[0], max(b), list(a))
rows = [(v, 2 * v) for v in V]; a, b = (np.array(c) for c in zip(*rows)); (a, b)
rows = [(v, 2 * v) for v in V if v > 9.0]; a, b = zip(*rows); sum(a)
rows = [Pair(v, 1) for v in V]; a, b = zip(*rows); (np.array(a), sum(b))
rows = [(v, 2 * v) for v in V]; a, b = zip(*rows); (a, b[1:], a + b)
ys = [v for v in V]; for i, v in enumerate(ys): ys[(i + 1) % len(ys)] += v; ys
ys = [1, 2, 3]; for i, v in enumerate(ys): ys[N[1]] += v; ys
ys = [v for v in V]; for v, w in zip(ys, reversed(ys)): ys[-1] += v * w; ys
next(filter(lambda v: v > 2.0, V), None)
next(filter(lambda v: v > 9.0, V), None)
next(filter(lambda v: v > 9.0, V))
g = iter(V); first = next(g); (first, list(it.islice(g, 2)), next(filter(None, V)))
d = dict.fromkeys(N, 0.0); d[1] += 2.0; d
d = dict.fromkeys((0, 1), [V[0]]); d[0].append(1.0); d
dict.fromkeys("ab", 1)
s = frozenset((1, 2, 2)); (1 in s, N[0] in s, len(s), s | {3}, s.union((4,)), s, sorted(s))
(1.5, 2.5, 3.5)[N[0] - 1]
(1, 2, 3)[N[0]]
[(1, 1, 0)[k % 3] * v for k, v in zip(N, V)]
rows = [[v] for v in V]; x = rows[0].pop(); (rows.index([]), [] in rows, rows.count([]), rows[1] == [])
t = np.array(V[0]); for v in V: t = t * v; t + 1.0
last = None; for k in range(3): last = V[k]; last + 1.0
np.array([*V, 0.5, *N[:2] * 1.0])
np.array([0.5, *(v * v for v in V)])
sum([*(1.0, 2.0), *[3.0], 4.0])
g = (v for v in V if v > 0); [v for v in g]
g = (u * v for u in V for v in N); [v for v in g]
list(it.islice(V, 2))
list(it.islice(V, 1, None, 2))
list(it.islice((1, 2, 3), 1, N[0]))
list(it.islice(V, N[1] - 4))
list(it.islice(V, 0, 3, 0))
list(it.islice(V, 0, 4, N[1]))
g = (v * v for v in V if v > 0); list(it.islice(g, N[1]))
s = 0; for a, b, c in it.permutations(N, 3): s = s * 2 % 1009 + a * b - c; s
[v * k for v, k in zip(it.islice(V, 1, 3), range(9))]
g = (v * v for v in V); list(it.islice(g, 2))
list(it.islice(it.count(3), 2, 9, 3))
list(it.starmap(lambda a, b: a * b, zip(V, N)))
list(it.starmap(pow, [(2, 5), (3, 2)]))
r = range(7, 0, -2); (r[N[1]], r[-1], [r[k] for k in range(len(r))])
range(3)[N[0]]
functools.reduce(lambda a, b: a * 0.5 + b, V)
functools.reduce(lambda a, b: a * 0.5 + b, V, N[0])
functools.reduce(max, [v for v in V if v < 9])
functools.reduce(lambda a, b: a * b, range(1, N[0] + 1))
functools.reduce(lambda a, b: a * b, V[:0])
functools.reduce(operator.add, (v for v in V if v > 9), 0.0)
functools.reduce(lambda a, b: a if a > b else b, map(abs, V))
s = sorted(V); bisect.insort(s, V[3]); (s, bisect.bisect_left(s, V[3]), bisect.bisect(s, V[3]), bisect.insort(s, V[1]))
[bisect.bisect_right([1, 2, 2, 3], n) for n in N]
bisect.bisect_left((1, 2, 2, 3), 2, lo=N[2], hi=4)
bisect.bisect_left(V, 1.0, lo=N[5] - 1)
bisect.bisect(sorted(V, reverse=True), -1.0, key=lambda v: -v)
math.fsum(V)
(math.fsum([0.1] * 10), math.fsum([1e16, 1.0, 1e-16]), math.fsum(V[:0]))
math.fsum([math.inf, V[0], -math.inf])
math.fsum([math.nan, V[0], math.inf])
math.fsum([1e308, 1e308, V[0]])
(math.dist(V, V * 2), math.dist((1, 2), (4, 6)), math.dist((N[0],), (N[1],)))
math.dist(V, V[1:])
A.tolist()
np.array(N.reshape(2, 3).tolist())
np.block([[A, A], [A * 2, A]])
np.block([V, 1.0])
np.block([[A], [A]])
np.block([[1.0, 2.0], [3.0, 4.0]])
[a * b + c for a, b, c in it.combinations(V, 3)]
max(sum(p) for p in it.combinations(list(N), 4))
list(it.permutations(V, 3))
list(it.product(N[:2], repeat=4))
[p[0] for p in it.combinations(V[:2], 3)]
xs = list(V); ys = it.combinations(xs, 3); xs[0] = 9.0; list(ys)
""".strip().splitlines()
REFUSED = {
    "it.tee(V)": "U012",
    "[list(group) for _, group in it.groupby(N)]": "U012",
    "list(zip(V, it.repeat(1.0)))": "U018",
    "[v * k for k, v in zip(range(9), it.combinations(V, 2))]": "U004",
    "g = iter(V); a = list(it.islice(g, 1)); (a, list(g))": "R003",
    "[k for k in zip(it.count(0.5), V)]": "U012",
    "list(it.permutations(V))": "U018",
    "np.block([[V], V])": "S002",
    "frozenset(N)": "U018",
    "dict.fromkeys(N, [])": "R003",
    "ys = [v for v in V]; for i, v in enumerate(ys): ys.append(v); ys": "R003",
    "t = np.array(V[0]); u = V[1] * 2.0 if V[2] > 0.0 else t; u[...] = 2.0; u": "T002",
}


def program_of(line):
    names = [name for name in ARRAYS if re.search(rf"\b{name}\b", line)]
    function = function_of(line.replace("; ", "\n"), ", ".join(names))
    modules = {"it": itertools, "bisect": bisect, "math": math, "functools": functools, "operator": operator}
    function.__globals__.update(modules, Pair=Pair)
    return function, [ARRAYS[name] for name in names]


def as_tuples(value):
    return tuple(map(as_tuples, value)) if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("line", LINES)
def test_typed_stage_is_cpythons(line):
    function, arrays = program_of(line)
    found = Stages(function).run("typed", *arrays)
    assert agree(as_tuples(found.error or found.value), as_tuples(outcome(function, arrays)))


@pytest.mark.parametrize("line", LINES[::5])
def test_compiled_is_cpythons(line):
    function, arrays = program_of(line)
    assert agree(as_tuples(outcome(pellucid.compile(function), arrays)), as_tuples(outcome(function, arrays)))


@pytest.mark.parametrize("line", REFUSED)
def test_the_rest_is_refused(line):
    function, arrays = program_of(line)
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function)(*arrays)
    assert [d.code for d in caught.value.diagnostics] == [REFUSED[line]]
    assert caught.value.diagnostics[0].help or REFUSED[line] == "S002"


def first_of_each(x):
    found = []
    for k in itertools.count():
        if k >= len(x) or x[k] < 0.0:
            break
        found.append(x[k] * k)
    return np.array(found), k


def left_in_the_middle(x):
    total = 0.0
    for a, b in itertools.product(range(len(x)), range(3)):
        total = total * 0.5 + x[a] * b
        if total > 4.0:
            break
    for i, (j, k) in enumerate(itertools.combinations(x, 2)):
        total += j * k
        if total > 20.0:
            return total, i
    return total, a, b


def test_nested_loops_are_left_at_once():
    compiled = pellucid.compile(left_in_the_middle)
    for x in (np.array([1.0, 2.0, 1.5, 3.0]), np.array([0.5, -1.0])):
        assert compiled(x) == left_in_the_middle(x)


def test_a_count_ends_where_the_loop_does():
    compiled = pellucid.compile(first_of_each)
    for x in (np.ones(4), np.array([1.0, -1.0, 2.0])):
        assert all(map(np.array_equal, compiled(x), first_of_each(x)))
