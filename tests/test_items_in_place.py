"""Items of lists that grow, changed where they stand; lists repeated, cut and joined; arrays of lists."""

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError
from tests.harness.stages import assert_same_at_all_stages

pytestmark = pytest.mark.drawn(5)

X = np.array([0.3, 0.6, 2.0, 0.5, 1.5])


def pairs(x):
    rows = [[0.0, 0.0] for v in x]
    for i in range(len(x)):
        rows[i][0] = x[i]
        rows[i][1] += 2.0 * x[i]
    rows[1][-1] = 7.0
    return rows


def tables(x):
    n = len(x)
    table = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            table[i][j] = x[i] * x[j] + (table[i - 1][j] if i > 0 else 0.0)
    return np.array(table), sum(map(sum, table)), max(max(row) for row in table), table[1]


def groups(x):
    found = [[] for _ in range(len(x))]
    for i, v in enumerate(x):
        found[int(v)].append(i)
    found[0] += [9]
    return found, [len(group) for group in found]


def dicts(x):
    boxes = [{"sum": 0.0, "count": 0} for _ in range(len(x))]
    for v in x:
        boxes[int(v)]["sum"] += v
        boxes[int(v)]["count"] += 1
    return boxes


def chosen_of_known_length(x):
    rows = [[0.0, 1.0], [2.0, 3.0]]
    for v in x:
        rows[int(v) % 2][0] += v
    return rows


def sorted_rows(x):
    rows = [[v, 1.0 - v, v * v] for v in x]
    for i in range(len(rows)):
        rows[i].sort()
        rows[i].reverse()
    return rows


def items_deleted(x):
    xs, known, d = list(x), [1, 2, 3], {"a": 1.0, "b": x[0]}
    del xs[1], known[0], d["a"]
    del xs[-3:-1]
    del known[:1]
    k = 0
    rows = [[v, v] for v in x]
    while k < len(rows):
        if rows[k][0] < 0.55:
            del rows[k]
        else:
            k += 1
    return xs, known, d, rows


def deleted_from_nothing(x):
    xs = [v for v in x if v > 100.0]
    del xs[0]
    return xs


def slices_assigned(x):
    xs, ys, zs = list(range(len(x))), [v for v in x], [v for v in x]
    xs[1:3] = [7, 8, 9]
    ys[3:1] = (1.0, 2.0)
    zs[-2:] = []
    zs[:0] = ys
    return xs, ys, zs


def repeated(x):
    n = len(x)
    counts, pattern = [0] * n, n * [1.0, 2.0]
    for v in x:
        counts[int(v)] += 1
    return counts, pattern, counts * 2, [v for v in x] * 0, [0.0] * -n


def best_tuples(x):
    options = ((x[0], 1), (x[1], 2), (x[2] - 2.0, 0))
    score, place = min(options)
    far = max(enumerate(x), key=lambda pair: pair[1])
    return score, place, max(options), far, min(range(len(x)), key=lambda i: x[i]), min((v, i) for i, v in enumerate(x))


def arrays_of_lists(x):
    return (
        np.array([[i * v for v in x] for i in range(3)]),
        np.array([[i * j for j in range(len(x))] for i in range(len(x))]),
        np.array([x * v for v in x]),
        np.array([[[v, w] for v in x] for w in x[:2]]) if False else np.array([(v, v * 2.0) for v in x]),
    )


def arrays_stacked(x):
    columns = [x * v for v in x]
    numbers = [int(v) for v in x]
    return (
        np.column_stack(columns), np.stack(columns), np.stack(columns, axis=-1), np.vstack(columns),
        np.concatenate(columns), np.hstack(columns), np.hstack(numbers), np.vstack(numbers), np.column_stack(numbers),
        np.stack([(v, 2.0 * v) for v in x], axis=1), np.concatenate([[v, 2.0 * v] for v in x]),
    )  # fmt: skip


def arrays_of_any_length(x):
    parts = [np.arange(i + 1) * v for i, v in enumerate(x)]
    wide = [np.ones((2, i + 1)) * i for i in range(len(x))]
    matrix = np.outer(x, x)
    return (
        np.concatenate(parts), np.hstack(parts), np.concatenate(wide, axis=1), np.hstack(wide), np.column_stack(wide),
        np.concatenate(wide, axis=None), np.concatenate(parts, dtype=np.float32), np.vstack(matrix),
        np.concatenate(matrix), np.stack(matrix, axis=1), np.concatenate([w.T for w in wide], axis=0),
    )  # fmt: skip


def arrays_that_do_not_fit(x):
    return np.concatenate([np.ones((i + 1, i + 1)) for i in range(len(x))])


PROGRAMS = [
    pairs, tables, groups, dicts, chosen_of_known_length, sorted_rows, items_deleted, deleted_from_nothing,
    slices_assigned, repeated, best_tuples, arrays_of_lists, arrays_stacked, arrays_of_any_length,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_it_is_what_it_is_in_python(program):
    assert_same_at_all_stages(program, (X, X[:4]))


def test_arrays_that_do_not_fit_are_not_joined():
    with pytest.raises(ValueError, match="must match exactly"):
        pellucid.compile(arrays_that_do_not_fit)(X)


@pytest.mark.parametrize("program", [
    lambda x: sum(map(sum, tables(x)[0])),
    lambda x: pairs(x)[2][1] ** 2 * x[0],
    lambda x: np.sum(np.concatenate([v * x[:k] for k, v in enumerate(x)]) ** 2),
    lambda x: np.prod(np.column_stack([v * x for v in x]).sum(axis=0)),
    lambda x: min((v * v, -v) for v in x)[1] ** 3,
])  # fmt: skip
def test_slopes_go_through_lists_changed_in_place(program):
    slope = np.asarray(pellucid.grad(program)(X))
    steps = 1e-6 * np.eye(len(X))
    assert np.allclose(slope, [(program(X + h) - program(X - h)) / 2e-6 for h in steps], rtol=1e-5, atol=1e-7)


def row_that_is_still_used(x):
    row, rows = [0.0, 0.0], []
    for v in x:
        rows.append(row)
    rows[0][0] = 1.0
    return row


def row_that_was_read(x):
    rows = [[v, v] for v in x]
    row = rows[0]
    rows[1][0] = 1.0
    return row


def row_of_a_loop(x):
    rows, total = [[v, v] for v in x], 0.0
    for row in rows:
        rows[0][1] = 5.0
        total += row[1]
    return total


def argument(x, rows):
    rows[int(x[0])][0] = 1.0
    return rows


ROWS = [[1.0, 2.0]] * 12


@pytest.mark.parametrize("program, arguments, code", [
    (row_that_is_still_used, (), "R003"), (row_that_was_read, (), "R003"), (row_of_a_loop, (), "R003"),
    (argument, (ROWS,), "P014"), (argument, (ROWS[:3],), "P014"),
])  # fmt: skip
def test_a_change_that_others_would_see_is_refused(program, arguments, code):
    with pytest.raises(CompileError) as refused:
        pellucid.compile(program)(X, *arguments)
    assert [d.code for d in refused.value.diagnostics] == [code]


# --- items that are items twice --------------------------------------------------------------------------------------


def rows_of(k):
    return [[0.0] * k for _ in range(k)]


def repeated(k):
    rows = rows_of(k)
    twice = rows * 2
    rows[0].pop()
    return twice


def sliced(k):
    rows = rows_of(k)
    others = rows[:]
    rows[0].pop()
    return others


def listed(k):
    rows = rows_of(k)
    others = list(rows)
    rows[0].append(1.0)
    return others


def joined(k):
    rows = rows_of(k)
    others = rows + rows
    others[0].append(1.0)
    return others


def chosen(k):
    rows = rows_of(k)
    others = [row for row in rows if len(row) > 1]
    rows[0].append(1.0)
    return others


def one_row_twice(k):
    rows = [[0.0]] * 2
    for _ in range(k):
        rows += [[1.0]]
        rows[0][0] = 5.0
    return rows


def one_row_many_times(k):
    rows = [[0.0]] * k
    rows[0][0] = 5.0
    return rows


def two_names_for_a_row(k):
    row = [0.0]
    rows = [row, row]
    for _ in range(k):
        rows.append([1.0])
    rows[0][0] = 5.0
    return rows


def shared_in_the_turn_before(k):
    rows, others = rows_of(k), rows_of(1)
    for i in range(k):
        rows[0].append(1.0)
        others.append(rows[0])
    return others


@pytest.mark.parametrize("program", [
    repeated, sliced, listed, joined, chosen, one_row_twice, one_row_many_times, two_names_for_a_row,
    shared_in_the_turn_before,
], ids=lambda f: f.__name__)  # fmt: skip
def test_an_item_that_two_lists_have_is_not_changed_in_one(program):
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(program)(3)
    assert [d.code for d in caught.value.diagnostics] == ["R003"]


def copied(k):
    rows = rows_of(k)
    others = [row[:] for row in rows]
    rows[0].append(1.0)
    return rows, others


def moved(k):
    rows, others = rows_of(k), rows_of(1)
    while rows:
        others.append(rows.pop())
    others[-1].append(1.0)
    return others


@pytest.mark.parametrize("program", [copied, moved], ids=lambda f: f.__name__)
def test_copies_and_items_that_move_are_changed(program):
    assert pellucid.compile(program)(3) == program(3)
