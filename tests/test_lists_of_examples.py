"""Lists that mapped functions make and change: each example has its own, and so have its tangents and cotangents."""

import heapq

import numpy as np
import pytest

from pellucid import grad, jvp, vmap

pytestmark = pytest.mark.drawn(5)

RNG = np.random.default_rng(12)


def shortest(w):
    n = len(w)
    distance, done = [1e9] * n, [False] * n
    distance[0] = 0.0
    for _ in range(n):
        u = -1
        for i in range(n):
            if not done[i] and (u < 0 or distance[i] < distance[u]):
                u = i
        done[u] = True
        for v in range(n):
            if distance[u] + w[u, v] < distance[v]:
                distance[v] = distance[u] + w[u, v]
    return distance[n - 1]


def squares(values, x):
    for v in x:
        values.append(v * v)


def filled_by_a_helper(x):
    values = []
    squares(values, x)
    values[0] += values[1]
    return values[0] * values[-1]


def of_one_number(x):
    total = [0.0] * len(x)
    for i in range(len(x)):
        total[i] = total[i] + x[i] * x[i] * (i + 1)
    return total[0] + total[1] * total[2]


def copied(x):
    first = [1.0] * len(x)
    second, third = first.copy(), list(first)
    for i in range(len(x)):
        second[i] *= x[i]
        third[i] += second[i]
    return second[0] * second[1] + third[2] * first[0]


def under_two_names(x):
    a = [0.0] * len(x)
    b = a
    for i in range(len(x)):
        b[i] += x[i] ** 2
    return a[0] * a[1] + b[2]


def that_change_places(x):
    a, b = [0.0] * len(x), [1.0] * len(x)
    for i in range(len(x)):
        a[i] += x[i]
        a, b = b, a
    return a[0] * a[1] + b[0] * b[2]


def of_one_path(x):
    a = [0.0] * len(x)
    if x[0] > 0.5:
        a[1] = x[1]
    else:
        a = [2.0] * len(x)
        a[0] += x[2]
    return a[0] * x[0] + a[1] * x[1]


def of_pairs(x):
    rows = [(0.0, 1.0)] * len(x)
    for i in range(len(x)):
        rows[i] = (rows[i][0] + x[i], rows[i][1] * x[i])
    return rows[0][0] * rows[1][1] + rows[2][1]


def that_grow_and_shrink(x):
    stack, total = [0.0] * len(x), 1.0
    for v in x:
        stack.append(v)
        total += stack.pop() * v
    stack[0] = total
    return stack[0] * stack.pop() + total


def a_heap(x):
    heap, total = [0.0] * len(x), 0.0
    for v in x:
        heapq.heappush(heap, v)
    while heap:
        total = total * 0.5 + heapq.heappop(heap)
    return total


def of_many_rounds(x):
    sums, total = [0.0] * len(x), 0.0
    for _ in range(3):
        for i in range(len(x)):
            sums[i] += x[i]
        total += sums[0] * sums[1]
    return total


@pytest.mark.parametrize("function", [
    shortest, filled_by_a_helper, of_one_number, copied, under_two_names, that_change_places, of_one_path, of_pairs,
    that_grow_and_shrink, a_heap, of_many_rounds,
])  # fmt: skip
def test_each_example_has_lists_of_its_own(function):
    x = RNG.random((4, 5, 5)) if function is shortest else RNG.random((4, 3))
    along, step = RNG.random(x.shape), 1e-6
    values = np.array([function(one) for one in x])
    slopes = (np.array([function(one) for one in x + step * along])
              - np.array([function(one) for one in x - step * along])) / (2.0 * step)  # fmt: skip
    np.testing.assert_allclose(vmap(function)(x), values)
    pushed = jvp(vmap(function), (x,), (along,))
    np.testing.assert_allclose(pushed[0], values)
    np.testing.assert_allclose(pushed[1], slopes, rtol=1e-5)
    pulled = grad(lambda x: np.sum(vmap(function)(x)))(x)
    np.testing.assert_allclose(np.sum(pulled * along), np.sum(slopes), rtol=1e-5)
