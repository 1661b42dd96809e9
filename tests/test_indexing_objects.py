"""Slices as values, NumPy's objects that are indexed, lists as indices, and results that go into an array at hand.

Each line is held against NumPy at the typed stage, every fifth one in machine code.
"""

import re

import numpy as np
import pytest

import pellucid
from tests.harness.answers import agree, function_of, outcome
from tests.harness.stages import Stages

pytestmark = pytest.mark.drawn(5)

ARRAYS = {
    "A": np.array([[0.5, -1.5, 2.0], [3.0, 0.25, -0.75]]),
    "C": np.linspace(-1.0, 2.0, 24).reshape(2, 3, 4),
    "V": np.array([1.5, -0.25, 3.0, 0.75]),
    "N": np.array([3, 1, 2, 3, 1, 0]),
}
LINES = """
V[np.s_[1:3]]
s = np.s_[N[1]:N[0]]; V[s]
rows, cols = np.s_[N[5]:N[1]], np.s_[::-1]; A[rows, cols]
s = slice(N[1], None); (V[s], s.start, s.stop is None)
A[np.s_[0, N[1]:]]
ix = np.index_exp[0, 1:]; A[ix]
t = (slice(None), [0, 2]); A[t]
y = V.copy(); y[slice(N[1], 3)] = 9.0; y
np.delete(V, np.s_[N[1]:3])
np.delete(A, np.s_[1:], axis=1)
np.delete(V, slice(N[1], None, 2))
np.insert(V, np.s_[1:3], 7.0)
np.r_[V, 0.0, 1:4]
np.r_[0, N, N[0]:9:2]
np.r_[1, 2.5]
np.r_[A, A]
np.r_[V.astype(np.float32), 0.5]
np.c_[V, V ** 2]
np.c_[V, np.ones((4, 2)), V > 0]
np.c_[1, 2.5]
np.mgrid[0:2, N[1]:4]
np.mgrid[0:N[0]]
np.mgrid[-1:1:5j]
np.mgrid[0:1:3j, 0:1:2j]
np.ogrid[0:1:3j, 0:1:2j]
np.r_[-1:1:6j, [0] * 3, 5, 6]
A[A[:, 0] > 0, [1, 2]]
A[A[:, 0] > 9, A[0] > 1]
A[[1, 0], A[0] > 0]
A[np.array([True, True, False]), [0, 1]]
A[np.array([True]), [0]]
y = A.copy(); y[y[:, 0] > 0, [1, 2]] *= 3.0; y
y = A.copy(); y[[0, 1], y[0] > 0] = 7; y
C[:, C[0, :, 0] > -9, [1, 2, 3]]
C[C[:, :, 0] > 0, :][:, [0, 1]]
np.ogrid[0:2, 0:3]
np.ogrid[0:3, 0:1:5j]
np.ogrid[0:3, 0.5:2]
V[[0, 2]]
V[[0, 9]]
A[[0, 1], [2, N[1]]]
A[:, [2, 0]]
A[[]]
V[[True, False, True, False]]
free = [i for i in range(len(V)) if V[i] > 0]; V[free]
free = [i for i in range(len(V)) if V[i] > 9]; V[free]
free = [i for i in range(len(V)) if V[i] > 0]; y = V.copy(); y[free] = 7; y
free = [bool(v > 0) for v in V]; V[free]
y = np.zeros(4); np.multiply(V, 2, out=y); y
y = np.zeros(4); z = np.multiply(V, 2, out=y); z[0] = 5; y
y = np.zeros(4); z = np.multiply(V, 2, out=(y,)); z
y = np.ones((2, 3)); np.divide(1.0, A, out=y, where=A > 0); y
np.divide(1.0, A, out=np.zeros_like(A), where=A > 0)
np.sqrt(A, out=np.full_like(A, -1.0), where=[True, False, True])
y = A.copy(); np.maximum(y, 0, out=y); y
y = A.copy(); np.add(y[:, :2], y[:, 1:], out=y[:, :2]); y
y = np.zeros((2, 4)); np.add(V, 1, out=y); y
y = np.zeros(3); np.add(V, 1, out=y); y
y = A.copy(); np.multiply(y, y, y); y
y = np.zeros(4); z = np.add(V, 1, y); z[0] = 5; y
np.add(V, 1, None)
y = np.zeros(4); np.abs(V, y, where=V > 0); y
y = np.ndarray(V.shape, dtype=V.dtype); y[:] = V; y
y = np.ndarray(3, int); y[:] = V.shape; y
y = A.copy(); y.shape = 3, 2; y
y = A.copy(); y.flat = 7; y
y = A.copy(); y.flat = [1.0, V[0]]; z = y.T; y.flat = V; z
y = A.copy(); y[:, 1:].flat = np.arange(9.0); y
y = A.copy(); z = y; y[1].flat = V[:0]; z.flat = V[:0]; y
y = np.zeros(3, dtype=int); y.flat = V[1:]; y
y = A.copy(); z = y[1]; y.shape = -1; y[4] = 9; y + z[1]
y = V * 2; z = A + 1; y.shape = z.shape = (2, -1); (y, z, y.shape)
y = A.copy(); y.shape = 5; y
y = np.zeros(4, dtype=np.float32); np.add(V, 1, out=y); y
y = np.zeros(2); np.sum(A, axis=1, out=y); y
y = np.zeros(3); np.sum(A, axis=1, out=y); y
y = np.zeros(4); np.clip(V, 0, 1, out=y); y
y = V.copy(); y.clip(0, 1, out=y); y
y = np.zeros(4); np.cumsum(V, out=y); y
y = np.zeros((2, 2)); np.dot(A, A.T, out=y); y
y = np.zeros((2, 2)); np.matmul(A, A.T, out=y); y
y = A.copy(); y[1].sort(); y
y = A.copy(); y[:, 0].sort(); y
""".strip().splitlines()
REFUSED = {
    "np.r_['0,2', V, V]": "U012",
    "np.mgrid[V[0]]": "T001",
    "np.mgrid[1:] + V[0]": "T001",
    "np.add(V, 1, where=V > 0)": "U012",
    "np.median(V, where=V > 0)": "T004",
    "y = np.zeros(4, dtype=int); np.add(V, 0.5, out=y)": "T001",
    "y = np.zeros(4); np.sum(A, out=y)": "S003",
    "y = np.zeros(4); np.add(np.outer(V, V), 0.5, out=y)": "S003",
    "y = np.zeros(4); np.add(V, 1, out=y, where=V)": "T001",
    "np.add(V, 1, out=3.0)": "T001",
    "np.add(V, 1, out=V)": "P014",
    "np.add(V, 1, V)": "P014",
    "y = A.copy(); z = y; y.shape = 6; z": "P003",
    "y = A.copy(); t = [y]; y.shape = 6; t[0]": "P003",
    "y = A + 1; z = A if A[0, 0] > 0 else y; y.shape = 6; z": "P003",
    "y = A; y.shape = 6; y": "P003",
    "np.ndarray(3, float, V)": "U012",
    "A.flat = 1.0; A": "P003",
    "y = A; y.flat = V; A": "P003",
    "y = A.copy(); y.flat = V + 1j; y": "U017",
    "np.unique(V, out=np.zeros(4))": "T004",
    "math.sin(V[0], out=np.zeros(4))": "T004",
    "V[[0.5, 1.0]]": "T001",
    "V[slice(0.5)]": "T001",
}


def program_of(line):
    names = [name for name in ARRAYS if re.search(rf"\b{name}\b", line)]
    return function_of(line.replace("; ", "\n"), ", ".join(names)), [ARRAYS[name] for name in names]


@pytest.mark.parametrize("line", LINES)
def test_typed_stage_is_numpys(line):
    function, arrays = program_of(line)
    found = Stages(function).run("typed", *arrays)
    assert agree(found.error or found.value, outcome(function, arrays))


@pytest.mark.parametrize("line", LINES[::5])
def test_compiled_is_numpys(line):
    function, arrays = program_of(line)
    assert agree(outcome(pellucid.compile(function), arrays), outcome(function, arrays))


@pytest.mark.parametrize("line", REFUSED)
def test_the_rest_is_refused(line):
    function, arrays = program_of(line)
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function)(*arrays)
    assert [d.code for d in caught.value.diagnostics] == [REFUSED[line]]


def test_an_empty_list_of_bools_is_no_mask():
    def chosen(x, limit):
        mask = [bool(v > limit) for v in x if v > 5.0]
        return x[mask]

    with pytest.raises(IndexError, match="bools"):
        pellucid.compile(chosen)(np.arange(3.0), 1.0)
