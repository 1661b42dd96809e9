"""Variables that loops bind, read behind them: what `for` binds is bound, whatever the variable held before."""

import numpy as np
import pytest

from tests.harness.stages import STAGES, Stages, assert_same, in_python


def rows_behind(A):
    row = A[0]
    for row in A:
        pass
    return row


def rows_in_turn(A):
    for i in range(2):
        for row in A[i:]:
            pass
        row = row * 2.0
    return row


def rows_compared(A):
    count = 0
    for _ in range(len(A)):
        for row in A:
            pass
        if np.any(row > 4.0):
            count += 1
    return count


def rows_of_two(A):
    for _ in range(2):
        for k, (row, twice) in enumerate(zip(A, A * 2.0)):
            pass
        total = row + twice
    return total, k


def rows_while(A):
    row = A[0]
    while row.sum() < 100.0:
        for row in A * row.sum():
            pass
    return row


def rows_deep(A):
    row = A[0]
    for i in range(2):
        if i > 0:
            for row in A:
                for row in (row * 2.0, row + 1.0):
                    pass
    return row


def rows_in_place(A):
    row = A[0] * 1.0
    for i in range(len(A)):
        row += A[i]
    for _ in range(2):
        row *= 2.0
        for other in A:
            row -= other
    return row


def rows_walrus(A):
    row = A[0]
    for i in range(len(A)):
        if (row := A[i])[0] > 2.0:
            break
    return row


def early(A):
    row = A[0]
    for row in A:
        if row[0] > 2.0:
            break
    return row


PROGRAMS = (
    rows_behind, rows_in_turn, rows_compared, rows_of_two, rows_while, rows_deep, rows_in_place, rows_walrus, early,
)  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_what_a_loop_binds_is_bound_behind_it(program):
    stages = Stages(program)
    for shape in ((3, 2), (1, 2), (4, 1)):
        A = np.arange(1.0, 1.0 + shape[0] * shape[1]).reshape(shape)
        for stage in STAGES[1:]:
            assert_same(stages.run(stage, A), in_python(program, A))
