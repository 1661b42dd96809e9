"""Gradients where lengths change: arrays that grow in loops, are cut, carried, stored into, listed, dead after a loop.

Each program is differentiated at the typed stage and lowered, and held against a complex step in CPython, for several
lengths of its arguments by one compile.
"""

import numpy as np
import pytest

import pellucid
from tests.harness import random_growth
from tests.harness.draws import seeds
from tests.harness.growth_agreement import slopes_agree

pytestmark = pytest.mark.drawn(5)

PROGRAMS = {
    "a list is replaced in a loop that is left early": """
        items, total, turns = [v * v for v in y], 0.0, 0
        while turns < 3:
            total = total + items[0] * s
            if turns == 2 and len(y) > 2:
                break
            turns += 1
            items = [v * 0.5 + total for v in items]
        return total + items[-1]
    """,
    "a list of ints is replaced in a loop": """
        queue, total, turns = [0, 1], 0.0, 0
        while turns < 3:
            total = total + y[queue[0]] * (1.0 + total) * s
            queue = [(q + 1) % len(y) for q in queue]
            turns += 1
        return total + y[queue[1]]
    """,
    "rows grow where they stand": """
        rows = [[v, v * s] for v in y]
        for i in range(len(y)):
            rows[0].append(y[i] * sum(rows[0]))
            rows[i] = [y[i]] * 3
            rows[i].pop()
        return sum(sum(row) ** 2 for row in rows)
    """,
    "items of another length replace others": """
        rows = [y[: i + 1] * 2.0 for i in range(len(y))]
        for i in range(len(y)):
            rows[i] = np.concatenate([rows[i - 1], y])
            rows[0] = y[:2] * np.sum(rows[i]) * s
        total = 0.0
        for row in rows:
            total = total + np.sum(row * row)
        return total
    """,
    "grows by concatenation": """
        z = np.zeros(1)
        for i in range(k):
            z = np.concatenate((z, np.full(2, s)))
        return np.sum(z**2)
    """,
    "grows and feeds back": """
        z = x
        for i in range(k):
            z = np.concatenate((z, y * z[0]))
            s = s + 0.1 * np.sum(z)
        return np.sum(z**2) + s
    """,
    "grows by rows": """
        M = A
        for i in range(k):
            M = np.concatenate((M, M[1:] * s))
        return np.sum(M * M)
    """,
    "grows by columns": """
        M = A
        for i in range(k):
            M = np.concatenate((M[:, 1:] * t, M), axis=1)
        return np.sum(M * M) * s
    """,
    "grows in a branch": """
        z = np.full(1, s)
        for i in range(k + 2):
            if i % 2 == 0:
                z = np.concatenate((z, y * t))
            else:
                z = z * 0.5
        return np.sum(z * z)
    """,
    "grows until it is long enough": """
        z = np.full(1, s)
        while len(z) < 7:
            z = np.concatenate((z, z * t))
        return np.sum(z**2)
    """,
    "shrinks from iteration to iteration": """
        w = y
        for i in range(k):
            s = s + np.sum(w * w)
            w = w[1:] * t
        return s
    """,
    "a length of its own, stored into in a branch, dead after the loop": """
        w = x
        for i in range(k):
            w = x[i:] + s
            if len(w) > 1:
                w[0] = s * 2.0
            s = s + w.sum() * 0.1
        return s
    """,
    "an array made before a loop and replaced in a nested one": """
        v = y * 0.5
        for i in range(3):
            for j in range(k):
                v = A[:, 0] * s
        return np.sum(v * v)
    """,
    "two lengths that change places": """
        v = y * t
        w = A[:, 0] * s
        while len(w) > 1:
            for j in range(1, k):
                v, w = w, v
            w = w[1:] * t
        return np.sum(v * v) + np.sum(w)
    """,
    "the same sum of lengths in a loop and after it": """
        z = y
        for i in range(k):
            u = np.concatenate((z[1:], x))
            u[0] = s * s
            s = s + np.sum(u) * 0.1
            z = np.concatenate((z, x))
        w = np.concatenate((z[1:], x))
        w[0] = t * s
        return np.sum(w) + s
    """,
    "a mask that changes between a load and a store": """
        z = y.copy()
        mask = y > 0.0
        v = z[mask]
        mask[:] = mask[::-1].copy()
        z[mask] = v + s
        return np.sum(z * z)
    """,
    "a loop that never runs": """
        z = y * s
        for i in range(0):
            z = np.concatenate((z, x))
        for i in range(k - 3):
            z = z[1:]
        return np.sum(z * z)
    """,
    "a later loop reads what an earlier one has grown": """
        z = x
        for i in range(k):
            z = np.concatenate((z, z * s))
        w = z[1:] * t
        for i in range(len(z) - 1):
            s = s + w[i] * z[i]
        return s + np.sum(w)
    """,
    "lengths that follow the variable of an outer loop": """
        for i in range(k):
            z = np.full(i + 1, t)
            for j in range(i, -1, -1):
                z = np.concatenate((z, y[:j] * s))
            s = s + np.sum(z * z) * 0.1
        return s
    """,
    "a list as long as an argument": """
        for v in x:
            values = []
            for i in range(len(y)):
                values.append(v * s)
            t = t + sum(values) * v
        return t
    """,
    "masks of an array that is made of a list": """
        rows = []
        for i in range(len(y) + 1):
            rows.append(x)
        M = np.array(rows)
        for v in y:
            M[M > v] += x[0] * s
        return np.sum(M)
    """,
    "a result that a loop may leave": """
        if np.all(s > -9.0):
            u = A
            for i in range(len(x)):
                if np.any(x[i] > 100.0):
                    return np.sum(u) * t
        v = A.T
        return np.sum(v * v)
    """,
    "left early": """
        z = y
        for i in range(k):
            z = np.concatenate((z, x * s))
            if len(z) > 6:
                break
            if i == 1:
                continue
            z = z * t
        return np.sum(z * z)
    """,
    "a list of arrays of several lengths": """
        rows = []
        for i in range(k):
            rows.append(y[i:] * s)
        for row in rows:
            t = t + np.sum(row * row)
        return t
    """,
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradient_of_arrays_whose_length_changes(name):
    text = random_growth.IMPORT + random_growth.SIGNATURE + PROGRAMS[name]
    assert slopes_agree(text, 1, ("typed", "loops", "llvm")) >= 3


@pytest.mark.parametrize("seed", seeds(0, 24))
def test_random_programs_whose_arrays_grow(seed):
    stages = ("typed", "loops") if seed % 4 == 0 else ("typed",)
    slopes_agree(random_growth.random_program(seed, size=3), seed, stages)


def stored_into_by_a_loop(y):
    items = []
    for i in range(len(y)):
        items.append(y[i])
    first = items[0]
    for _ in range(2):
        items[0] = 1.0
    return first


def test_slopes_go_through_a_list_that_a_loop_stores_into():
    slope = pellucid.grad(stored_into_by_a_loop)(np.arange(1.0, 4.0))
    assert np.asarray(slope).tolist() == [1.0, 0.0, 0.0]
