"""Kernels in lockstep: programs give NumPy's numbers, and what a GPU would not report is found."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

from pellucid.runtime.lockstep import KernelFault, LockstepError, cuda, fetch

PROGRAMS = Path(__file__).parent / "kernels"
LENGTHS = [0, 1, 31, 32, 33, 1000]


def load(path):
    """A file of kernels as a module, outside of any package, as a user runs it."""
    spec = importlib.util.spec_from_file_location(f"kernels_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def program(name):
    return load(PROGRAMS / f"{name}.py")


def on_device(*arrays):
    return tuple(map(cuda.to_device, arrays))


@pytest.fixture
def draws():
    return np.random.default_rng(7)


# --- programs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("m", [1, 5])
def test_poly(n, m, draws):
    x = draws.standard_normal((n, m)).astype(np.float32)
    found = program("poly").poly(cuda.to_device(x)).copy_to_host()
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, x + x * x + x * x * x)


@pytest.mark.parametrize("n, m", [*((n, 4) for n in LENGTHS), *((3, m) for m in LENGTHS[1:])])
def test_cross_entropy(n, m, draws):
    logits, labels = draws.standard_normal((n, m)), draws.random((n, m))
    if n and m > 2:
        logits[0, 0] = logits[0, 2] = 9.0  # a maximum that is there twice
    module = program("cross_entropy")
    shifted = logits - logits.max(1, keepdims=True)
    exponentials = np.exp(shifted)
    total = exponentials.sum(1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):  # of no rows, the mean is nan
        found = module.entropy_grad(*on_device(logits, labels)).copy_to_host()
        value = -(labels * (shifted - np.log(total))).sum() / np.float64(n)
        slope = -(labels - exponentials / total * labels.sum(1, keepdims=True)) / n
    np.testing.assert_allclose(fetch(module.entropy(*on_device(logits, labels))), value, rtol=1e-12)
    np.testing.assert_allclose(found, slope, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("n", LENGTHS)
def test_network(n, draws):
    shapes = (3, 40), (40,), (40, 2), (2,), (n, 3), (n, 2)
    w1, b1, w2, b2, x, y = given = [draws.standard_normal(shape) for shape in shapes]
    with np.errstate(divide="ignore"):  # of no rows
        found = program("network").network_grad(*on_device(*given))
    h = np.tanh(x @ w1 + b1)
    t = 2 * (h @ w2 + b2 - y) / max(n * 2, 1)
    h_bar = (t @ w2.T) * (1 - h * h)
    for one, wanted in zip(found, (x.T @ h_bar, h_bar.sum(0), h.T @ t, t.sum(0)), strict=True):
        np.testing.assert_allclose(one.copy_to_host(), wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n, m", [(0, 3), (1, 1), (31, 32), (32, 33), (33, 31), (1000, 3)])
def test_jacobi(n, m, draws):
    a = draws.standard_normal((n, m))
    u = a.copy()
    for _ in range(3):
        v = u.copy()
        v[1:-1, 1:-1] = 0.25 * (u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1])
        u = v
    np.testing.assert_array_equal(program("jacobi").jacobi(cuda.to_device(a), 3).copy_to_host(), u)


@pytest.mark.parametrize("n", LENGTHS)
def test_mandelbrot(n, draws):
    cr, ci = draws.uniform(-2, 1, n), draws.uniform(-1, 1, n)
    wanted = []
    for a, b in zip(cr, ci):
        x = y = np.float64(0)
        k = 0
        while x * x + y * y <= 4 and k < 20:
            x, y, k = x * x - y * y + a, 2 * x * y + b, k + 1
        wanted.append(k)
    np.testing.assert_array_equal(program("mandelbrot").mandelbrot(*on_device(cr, ci), 20).copy_to_host(), wanted)


@pytest.mark.parametrize("n", [*LENGTHS, 5000])
@pytest.mark.parametrize("bins", [7, 1100])
def test_histogram(n, bins, draws):
    idx, w = draws.integers(-bins, bins, n), draws.standard_normal(n)
    wanted = np.zeros(bins)
    for place, term in zip(idx, w):
        wanted[place] += term
    found = program("histogram").histogram(*on_device(idx, w), bins).copy_to_host()
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("bins", [7, 1100])
def test_a_kernel_that_finds_the_program_failing_says_so(bins, draws):
    idx = draws.integers(0, bins, 40)
    idx[33] = bins
    with pytest.raises(KernelFault, match="the program fails on these arguments"):
        program("histogram").histogram(*on_device(idx, np.ones(40)), bins)


@pytest.mark.parametrize("n", [*LENGTHS, 20000])
def test_scan(n, draws):
    x = draws.standard_normal(n)
    found = program("scan").scan(cuda.to_device(x)).copy_to_host()
    np.testing.assert_allclose(found, np.cumsum(x), rtol=1e-9, atol=1e-9)


# --- planted faults ------------------------------------------------------------------------------------------------


def entropy(module):
    return module.entropy_grad(*on_device(np.eye(20, 70), np.ones((20, 70))))


def sums(module):
    return module.column_sums(cuda.to_device(np.ones((20, 20))))


def scan(module):
    return module.scan(cuda.to_device(np.ones(1000)))


def jacobi(module):
    return module.jacobi(cuda.to_device(np.ones((20, 70))), 1)


def histogram(bins):
    return lambda module: module.histogram(*on_device(np.arange(40) % 7, np.ones(40)), bins)


def poly(module):
    return module.poly(cuda.to_device(np.ones((20, 3), np.float32)))


# name of the program, what stands in it, what stands there instead, how it is run, the message
FAULTS = {
    "an index too large": (
        "jacobi", "u[i - 1, j] + u[i + 1, j]", "u[i - 1, j] + u[i + 2, j]", jacobi,
        "kernel jacobi_2 (jacobi.py:19), thread (1, 2) of block (0, 2): index 20 is out of bounds of axis 0 of u with"
        " length 20",
    ),
    "a negative index": (
        "jacobi", "1 <= j and j <", "0 <= j and j <", jacobi,
        "kernel jacobi_2 (jacobi.py:19), thread (0, 1) of block (0, 0): index -1 is out of bounds of axis 1 of u with"
        " length 70",
    ),
    "one index for two dimensions": (
        "jacobi", "u[i, j] = a[i, j]", "u[i, j] = a[i]", jacobi,
        "kernel jacobi_1 (jacobi.py:11), thread (0, 0) of block (0, 0): a has 2 dimensions, and its index 1",
    ),
    "an index that is a float": (
        "poly", "result_flat[i] = x_flat[i] +", "result_flat[i] = x_flat[i * 1.0] +", poly,
        "kernel poly_1 (poly.py:11), thread 0 of block 0: x_flat is indexed by 0.0, which is no integer",
    ),
    "a barrier that some threads do not come to": (
        "network", "    if j < t.shape[1]:\n        for i", "    if j < t.shape[1]:\n       "
        " cuda.syncthreads()\n        for i",
        sums,
        "kernel network_grad_3 (network.py:42), thread (0, 0) of block 0: threads of the block wait at two barriers:"
        " thread (20, 0) waits on line 47",
    ),
    "a barrier after which threads have ended": (
        "scan", "    tile = cuda", "    if cuda.threadIdx.x == 40:\n        return\n    tile = cuda", scan,
        "kernel scan_3 (scan.py:75), thread 0 of block 0: not all threads of the block come to this barrier: 63 of 64"
        " do, and thread 40 has ended",
    ),
    "a fold that some lanes do not come to": (
        "cross_entropy", "        labels_bar = row_sum", "        if cuda.threadIdx.x < 30:\n            total"
        " = row_sum_f64(total)\n"
        "        labels_bar = row_sum", entropy,
        "kernel entropy_grad_1 (cross_entropy.py:83), thread (0, 0) of block 0: in row_sum_f64 (folds.py),"
        " cuda.shfl_xor_sync with lanes missing: lane 30 waits at cuda.shfl_xor_sync, line 84",
    ),
    "a shuffle in a warp of 16": (
        "histogram", "[number, 32]", "[number, 16]", histogram(7),
        "kernel histogram_1 (histogram.py:17), thread 0 of block 0: cuda.syncwarp with lanes missing: lane 16 is not"
        " there, for the block is no multiple of 32",
    ),
    "a shuffle with another mask": (
        "histogram", "shfl_sync(ALL, term", "shfl_sync(0xFFFF, term", histogram(7),
        "kernel histogram_1 (histogram.py:34), thread 0 of block 0: cuda.shfl_sync takes all lanes in lockstep:"
        " the mask"
        " is 0xffff",
    ),
    "a shuffle of what it cannot carry": (
        "histogram", "shfl_sync(ALL, term", "shfl_sync(ALL, np.uint8(1)", histogram(7),
        "kernel histogram_1 (histogram.py:34), thread 0 of block 0: cuda.shfl_sync carries int32, int64, float32 and"
        " float64, not np.uint8(1)",
    ),
    "no barrier between store and load": (
        "scan", "    cuda.syncthreads()\n    own = ", "    own = ", scan,
        "kernel scan_3 (scan.py:76), thread 0 of block 0: reads element [1] of tile, which nobody has written yet",
    ),
    "no barrier between load and store": (
        "network", "    if cuda.threadIdx.y == 0 and j",
        "    if cuda.threadIdx.y == 1:\n        of_rows[1, cuda.threadIdx.x] = 0.0\n    if cuda.threadIdx.y =="
        " 0 and j", sums,
        "kernel network_grad_3 (network.py:48), thread (0, 1) of block 0: a race: it stores element [1, 0] of of_rows,"
        " which thread (0, 0) reads on line 51 with no barrier between",
    ),
    "no barrier of the warp": (
        "histogram", "its\n        cuda.syncwarp(ALL)\n", "its\n", histogram(7),
        "kernel histogram_1 (histogram.py:36), thread 0 of block 0: a race: it reads element [4] of mine, which"
        " thread 4"
        " stores on line 36 with no barrier between",
    ),
    "an addition that is not atomic": (
        "histogram", "cuda.atomic.add(out, place + out.shape[0] if place < 0 else place, w[i])", "out[place] += w[i]",
        histogram(1100),
        "kernel histogram_4 (histogram.py:68), thread 7 of block 0: a race: it reads element [0] of out, which thread 0"
        " stores on line 68 with no barrier between",
    ),
    "an addition that is sometimes atomic": (
        "histogram", "            cuda.atomic", "            w_i = out[0]\n            cuda.atomic", histogram(1100),
        "kernel histogram_4 (histogram.py:68), thread 1 of block 0: a race: it reads element [0] of out, which thread 0"
        " changes atomically on line 69 with no barrier between",
    ),
    "a stencil in place": (
        "jacobi", "](u, v)", "](u, u)", jacobi,
        "kernel jacobi_2 (jacobi.py:19), thread (1, 1) of block (0, 0): a race: it reads element [1, 0] of u, which"
        " thread (0, 1) stores on line 21 with no barrier between",
    ),
    "threads of a block that store into one element": (
        "cross_entropy", "losses[i] = loss", "losses[0] = loss",
        lambda module: module.entropy(*on_device(*np.ones((2, 20, 3)))),
        "kernel entropy_1 (cross_entropy.py:27), thread (0, 1) of block 0: a race: it stores element [0] of losses,"
        " which thread (0, 0) stores on line 27 with no barrier between",
    ),
    "blocks that store into one element": (
        "scan", "sums[cuda.blockIdx.x] = total", "sums[0] = total", scan,
        "kernel scan_1 (scan.py:43), thread 0 of block 1: a race: it stores element [0] of sums, which thread 0"
        " of block 0"
        " stores on line 43 with no barrier between",
    ),
    "shared memory that was never written": (
        "histogram", "mine[j] = 0.0", "pass", histogram(7),
        "kernel histogram_1 (histogram.py:36), thread 0 of block 0: reads element [0] of mine, which nobody has written"
        " yet",
    ),
    "an array that was never written": (
        "jacobi", "    jacobi_1[", "    False and jacobi_1[", jacobi,
        "kernel jacobi_2 (jacobi.py:21), thread (0, 0) of block (0, 0): reads element [0, 0] of u, which nobody has"
        " written yet",
    ),
    "a sum into what was never written": (
        "histogram", "        histogram_3[", "        False and histogram_3[", histogram(1100),
        "kernel histogram_4 (histogram.py:68), thread 0 of block 0: changes element [0] of out, which nobody"
        " has written"
        " yet",
    ),
    "a result that is not complete": (
        "poly", "if i < size", "if i < size - 2", lambda module: poly(module).copy_to_host(),
        "copy_to_host: 2 of 60 elements were never written, the first of them [19, 1]",
    ),
    "a value of another dtype": (
        "poly", "np.float32)\n", "np.float64)\n", poly,
        "kernel poly_1 (poly.py:11), thread 0 of block 0: a value of dtype float32 for result_flat, which holds"
        " float64",
    ),
    "a Python number of another dtype": (
        "histogram", "out[j] = 0.0", "out[j] = 0", histogram(1100),
        "kernel histogram_3 (histogram.py:56), thread 0 of block 0: a value of dtype int64 for out, which holds"
        " float64",
    ),
    "too large a block": (
        "poly", "elements(size)", "1, 1025", poly,
        "kernel poly_1: a block of (1025, 1, 1) threads; it has 1 to 1024 of them",
    ),
    "a grid without blocks": (
        "poly", "elements(size)", "0, 256", poly,
        "kernel poly_1: a grid of (0, 1, 1) blocks; it has 1 to (2147483647, 65535, 65535)",
    ),
    "too much shared memory": (
        "histogram", "ROOM = 1024", "ROOM = 6145", histogram(7),
        "kernel histogram_1 (histogram.py:13), thread 0 of block 0: the block has 49160 bytes of shared memory,"
        " of at most"
        " 49152",
    ),
}  # fmt: skip


def planted(tmp_path, name, old, new):
    text = (PROGRAMS / f"{name}.py").read_text("utf-8")
    assert old in text
    path = tmp_path / f"{name}.py"
    path.write_text(text.replace(old, new), "utf-8")
    return load(path)


@pytest.mark.parametrize("name, old, new, use, message", FAULTS.values(), ids=list(FAULTS))
def test_a_planted_fault_is_found(name, old, new, use, message, tmp_path):
    module = planted(tmp_path, name, old, new)
    use(program(name))
    with pytest.raises(LockstepError) as caught:
        use(module)
    assert re.sub(r"folds.py:\d+", "folds.py", str(caught.value)) == message
