"""Variables that loops bind, read behind them: what `for` binds is bound, whatever the variable held before."""

import textwrap

import numpy as np
import pytest

import pellucid
from tests.harness.stages import STAGES, Stages, assert_same, in_python, module_of

pytestmark = pytest.mark.drawn(5)


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


UPDATES = {
    "in place": "t = t * 2.0 + 1.0",
    "all of it": "t = t[::-1] + t",
    "chosen": "t = np.where(t < 1.0, x, 1.0)",
    "of two": "t, w = w + 1.0, t * 0.5",
}
LOOPS = {
    "once": "for a in range(1):\n",
    "nested": "for a in range(2):\n    for b in range(3):\n",
    "deep": "for a in range(2):\n    for b in range(2):\n        for c in range(n):\n",
    "over rows": "for r in B:\n    for q in r:\n",
    "while": "k = 0\nwhile k < 2:\n    k += 1\n    for b in range(n):\n",
    "in a branch": "for a in range(3):\n    if a != n:\n        for b in range(2):\n",
}
FIRST = {"ours": "x * 1.0", "an argument": "x", "a row": "B[0]", "chosen": "(x if n > 1 else B[0]) * 1.0"}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("update", UPDATES)
def test_the_first_value_of_an_array_that_nested_loops_carry_is_left_alone(loop, update):
    """Another name keeps it: whichever loop hands its buffer on, and wherever the buffers are made."""
    header = LOOPS[loop]
    depth = header.rstrip("\n").rpartition("\n")[2]
    inner = " " * (len(depth) - len(depth.lstrip()) + 4)
    for first, value in FIRST.items():
        body = f"t = {value}\nu = t\nw = t\n{header}{inner}{UPDATES[update]}\nreturn t, u, w"
        text = "import numpy as np\n\n\ndef f(x, B, n):\n" + textwrap.indent(body, "    ") + "\n"
        function = module_of(text)["f"]
        compiled = pellucid.compile(function)
        for n in (2, 0):
            x, B = np.arange(4.0), np.arange(8.0).reshape(2, 4) - 3.0
            for got, want in zip(compiled(x, B, n), function(x, B, n), strict=True):
                np.testing.assert_array_equal(got, want, err_msg=f"{first}\n{text}")


def nothing_but_a_step(A, k):
    for i in range(0, len(A), k):
        pass
    return k


def items_at_bools(A, k):
    items = [1.0, 2.0, 3.0]
    items.append(4.0)
    return items[k > 1], items[True]


@pytest.mark.parametrize("program", [nothing_but_a_step, items_at_bools])
@pytest.mark.parametrize("k", [2, 0, -1])
def test_steps_and_places(program, k):
    stages, A = Stages(program), np.ones((3, 2))
    for stage in STAGES[1:]:
        assert_same(stages.run(stage, A, k), in_python(program, A, k))


def counted(h):
    total = 0
    for i in range(h):
        total += i
    return total


def placed(h):
    return [1.0, 2.0][h]


@pytest.mark.parametrize("program", [counted, placed])
def test_numpys_bool_does_not_count(program):
    with pytest.raises(TypeError):
        program(np.bool_(True))
    with pytest.raises(pellucid.CompileError, match="integers"):
        pellucid.compile(program)(np.bool_(True))


@pytest.mark.parametrize("change", [
    "xs[0:2] += [1.0]", "xs[1:] *= 2", "xs[:] += [4.0]", "xs[1:1] += [4.0]", "xs[-1:] += (9.0, 8.0)", "xs[::2] += []",
    "xs[::-1] += xs", "xs[::2] = [1.0, v]", "xs[5:] += [v]",
])  # fmt: skip
def test_slices_of_lists_change_in_place(change):
    """The slice is a list of its own, which is put back in its place."""
    text = f"def f(v):\n    xs = [v, 2.0, 3.0]\n    ys = xs\n    {change}\n    return xs, ys\n"
    function = module_of(text)["f"]
    stages, want = Stages(function), in_python(function, 5.0)
    for stage in STAGES[1:]:
        assert_same(stages.run(stage, 5.0), want)


RESTARTS = {
    "a copy": "z = np.zeros(4)\nz[0] = r + 1.0\ny = z.copy()",
    "a copy of an argument": "y = x.copy()",
    "a view": "z = x * (r + 1.0)\ny = z.reshape(2, 2).reshape(4)",
    "the same": "z = np.zeros(4)\nz[1] = x[0]\ny = z",
    "two": "z = x.copy()\ny = z.copy()",
}
STEPS = {
    "reversed": "y = y + y[::-1]",
    "a square": "y = (y.reshape(2, 2) + y.reshape(2, 2).T).reshape(4)",
    "rolled": "y = np.concatenate((y[1:], y[:1])) + np.sin(y[::-1])",
    "two states": "y, w = w + y[::-1], y * 0.5",
}


@pytest.mark.parametrize("start", RESTARTS)
@pytest.mark.parametrize("step", STEPS)
def test_a_carried_array_that_starts_anew_in_each_turn_of_an_outer_loop(start, step):
    """After an odd number of turns its buffers have changed places."""
    body = textwrap.indent(f"{RESTARTS[start]}\nw = y * 2.0\nfor t in range(n):\n    {STEPS[step]}\nout[r] = y", "    ")
    text = f"out = np.zeros((3, 4))\nfor r in range(3):\n{body}\nreturn out"
    function = module_of("import numpy as np\n\n\ndef f(x, n):\n" + textwrap.indent(text, "    ") + "\n")["f"]
    stages, x = Stages(function), np.arange(1.0, 5.0)
    for n in (0, 1, 2, 3):
        for stage in ("loops", "llvm"):
            assert_same(stages.run(stage, x, n), in_python(function, x, n))


def test_jacobians_of_a_loop_that_carries_a_copy():
    def turned(x, n):
        y = x.copy()
        for _ in range(n):
            y = y + 0.1 * np.sin(y[::-1])
        return y

    x = np.array([0.1, -0.2, 0.3, 0.05])
    for n in (1, 2, 3):
        np.testing.assert_allclose(pellucid.jacfwd(turned)(x, n), pellucid.jacrev(turned)(x, n), rtol=1e-12)
