"""Products, linear algebra and transforms on a GPU, one that is not there: by the fake libraries, and without them."""

import os
import pathlib
import subprocess
import sys

import pytest

import pellucid

from .fake_libcuda import build
from .fake_libcuda.libraries import build as build_libraries

ROOT = str(pathlib.Path(__file__).parent.parent)

pytestmark = pytest.mark.skipif(
    pellucid.runtime.native_part.extension() is None, reason="devices of CUDA need the native part"
)

HEAD = """
import numpy as np
import pytest
from tests.harness.fake_gpu import FakeGpu
import pellucid
from pellucid import Array, compile, device_put, devices, grad, value_and_grad, vmap

gpu = FakeGpu()
called = gpu.libraries.called
random = np.random.default_rng(7)

def there(x):
    return device_put(x, "cuda")

def same(got, want, tolerance=1e-9):
    want = np.asarray(want)
    assert type(got) is Array and got.device.platform == "cuda", got
    assert got.dtype == want.dtype and got.shape == want.shape, (got.dtype, got.shape, want.dtype, want.shape)
    np.testing.assert_allclose(np.asarray(got), want, rtol=tolerance, atol=tolerance)

def on_host(f, *args):
    return [np.asarray(v) for v in (lambda r: r if isinstance(r, tuple) else (r,))(f(*args))]

def agrees(f, *args, tolerance=1e-9):
    got = f(*map(there, args))
    for one, want in zip(got if isinstance(got, tuple) else (got,), on_host(f, *args), strict=True):
        same(one, want, tolerance)

def square(n, dtype=np.float64):
    made = random.normal(size=(n, n)) + 3.0 * np.eye(n)
    if np.dtype(dtype).kind == "c":
        made = made + 1j * random.normal(size=(n, n))
    return made.astype(dtype)

def definite(n, dtype=np.float64):
    made = square(n, dtype)
    return (made @ made.conj().T + n * np.eye(n)).astype(dtype)
"""


@pytest.fixture(scope="session")
def libraries(tmp_path_factory):
    """The driver, and a folder with the libraries."""
    folder = tmp_path_factory.mktemp("libraries")
    driver = build(folder)
    if driver is None:
        pytest.skip("there is no C compiler")
    return driver, build_libraries(folder)


@pytest.fixture
def runs(libraries, tmp_path):
    """A program on the GPU says `fine`, and its calls and its memory are in order."""
    driver, folder = libraries

    def run(text, folder=folder):
        script = tmp_path / "program.py"
        script.write_text(f"{HEAD}{text}\ngpu.finish()\nprint('fine')\n")
        settings = {"PELLUCID_LIBCUDA": driver, "PELLUCID_CUDA_LIBRARIES": str(folder), "PYTHONPATH": ROOT}
        done = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, cwd=ROOT, env={**os.environ, **settings},
            timeout=300,
        )  # fmt: skip
        assert done.returncode == 0 and done.stdout.endswith("fine\n"), done.stdout + done.stderr

    return run


def test_products(runs):
    runs("""
@compile
def products(a, b, x):
    return a @ b, b.T @ a.T, a @ x, x @ b

for dtype, tolerance in ((np.float32, 1e-4), (np.float64, 1e-10)):
    for n, k, m in ((3, 4, 5), (1, 7, 1), (6, 1, 2), (0, 3, 2), (2, 0, 3)):
        a, b, x = (random.normal(size=s).astype(dtype) for s in ((n, k), (k, m), k))
        agrees(products, a, b, x, tolerance=tolerance)
assert "cublasSgemm_v2" in called and "cublasDgemm_v2" in called
""")


def test_batched_products(runs):
    runs("""
@compile
def stacked(batch, a, x):
    return batch @ a, a @ batch, batch @ x, batch @ batch.transpose(0, 2, 1)

for n, p, k in ((4, 3, 5), (1, 2, 2), (7, 1, 6), (0, 2, 3)):
    agrees(stacked, random.normal(size=(n, p, k)), random.normal(size=(k, p)), random.normal(size=k))
assert called.count("cublasDgemmStridedBatched") == 4

@compile
def deep(a, b):
    return a @ b

for shapes in (((2, 3, 4, 5), (2, 3, 5, 6)), ((2, 3, 4, 5), (3, 5, 6)), ((1, 3, 4, 5), (1, 3, 5, 6))):
    agrees(deep, *(random.normal(size=shape) for shape in shapes))

@compile
def heads(x):
    n = len(x)
    y = x.reshape(n, 3, -1).transpose(1, 0, 2)
    return (y @ y.transpose(0, 2, 1)) @ y

agrees(heads, random.normal(size=(5, 12)))
agrees(grad(lambda x: np.sum(heads(x) ** 2)), random.normal(size=(5, 12)))

def loss(a, b):
    return np.sum((a @ b) ** 2)

slope = grad(loss)
agrees(slope, random.normal(size=(3, 4, 5)), random.normal(size=(3, 5, 2)))
agrees(slope, random.normal(size=(3, 4, 5)), random.normal(size=(5, 2)))
agrees(vmap(lambda a, b: a @ b), random.normal(size=(3, 4, 5)), random.normal(size=(3, 5, 2)))
""")


def test_a_shared_matrix_makes_one_product(runs):
    """All rows of a stack go into one product where they are multiplied by the same matrix."""
    runs("""
@compile
def layer(x, w):
    return x @ w

agrees(layer, random.normal(size=(6, 4, 3)), random.normal(size=(3, 2)))
assert called.count("cublasDgemm_v2") == 1 and "cublasDgemmStridedBatched" not in called
""")


def test_systems(runs):
    runs("""
@compile
def solved(a, b):
    return np.linalg.solve(a, b)

@compile
def inverse(a):
    return np.linalg.inv(a), np.linalg.det(a)

for dtype, tolerance in ((np.float32, 1e-3), (np.float64, 1e-9)):
    for n in (1, 2, 5):
        agrees(solved, square(n, dtype), random.normal(size=n).astype(dtype), tolerance=tolerance)
        agrees(solved, square(n, dtype), random.normal(size=(n, 3)).astype(dtype), tolerance=tolerance)
        agrees(inverse, square(n, dtype), tolerance=tolerance)
agrees(solved, square(4).T, random.normal(size=(3, 4)).T)
assert {"cusolverDnDgetrf", "cusolverDnDgetrs"} <= set(called)
called.clear()
agrees(grad(lambda a, b: np.sum(np.linalg.solve(a, b) ** 2)), square(4), random.normal(size=4))
assert [list(called).count(f"cusolverDnD{name}") for name in ("getrf", "getrs")] == [1, 2], called
agrees(vmap(np.linalg.solve), np.stack([square(3) for _ in range(4)]), random.normal(size=(4, 3)))
wrong = solved(there(np.ones((3, 3))), there(np.ones(3)))
with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
    np.asarray(wrong)
""")


def test_positive_definite(runs):
    runs("""
@compile
def root(a):
    return np.linalg.cholesky(a)

@compile
def likelihood(a, x):
    return -0.5 * np.sum(x * np.linalg.solve(a, x)) - np.sum(np.log(np.diag(np.linalg.cholesky(a))))

for dtype, tolerance in ((np.float32, 1e-4), (np.float64, 1e-10)):
    for n in (1, 3, 6):
        agrees(root, definite(n, dtype), tolerance=tolerance)
a, x = definite(5), random.normal(size=5)
a_with_rubbish = a + np.triu(random.normal(size=(5, 5)), 1)
same(root(there(a_with_rubbish)), np.linalg.cholesky(a))
value, slope = value_and_grad(likelihood)(there(a), there(x))
want, wanted = value_and_grad(likelihood)(a, x)
np.testing.assert_allclose(float(value), want)
same(slope, np.asarray(wanted))
agrees(vmap(root), np.stack([definite(3) for _ in range(4)]))
assert "cusolverDnDpotrf" in called and "cublasDtrsm_v2" in called
wrong = root(there(-a))
with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
    np.asarray(wrong)
""")


def test_questions(runs):
    """What a `try` asks is asked of the library, and waited for."""
    runs("""
@compile
def careful(a):
    try:
        return np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        return np.zeros_like(a)

a = definite(4)
agrees(careful, a)
agrees(careful, -a)
assert called.count("cusolverDnDpotrf") >= 3
""")


def test_orthogonal(runs):
    """Signs of eigenvectors and singular vectors are the library's own: what they make up is what is the same."""
    runs("""
@compile
def by_qr(a):
    q, r = np.linalg.qr(a)
    return q, r

@compile
def by_svd(a):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return u * s @ vt, s

@compile
def singular(a):
    return np.linalg.svd(a, compute_uv=False)

@compile
def by_eigh(a):
    w, v = np.linalg.eigh(a)
    return v * w @ v.T, w

@compile
def values(a):
    return np.linalg.eigvalsh(a)

for shape in ((4, 4), (5, 3), (3, 5), (1, 4), (4, 1)):
    a = random.normal(size=shape)
    agrees(by_qr, a)
    agrees(by_svd, a)
    agrees(singular, a)
a = definite(4)
agrees(by_eigh, a)
agrees(values, a)
agrees(grad(lambda a: np.sum(np.linalg.eigvalsh(a) ** 3)), a)
names = set(called)
assert {"cusolverDnDgeqrf", "cusolverDnDorgqr", "cusolverDnDsyevd", "cusolverDnDgesvd"} <= names
""")


def test_transforms(runs):
    runs("""
@compile
def there_and_back(x):
    return np.fft.irfft(np.fft.rfft(x, axis=-1), n=x.shape[-1], axis=-1)

@compile
def spectrum(x):
    return np.abs(np.fft.fft(x)) ** 2

for n in (1, 2, 5, 8):
    for shape in ((n,), (3, n)):
        agrees(there_and_back, random.normal(size=shape))
        agrees(spectrum, random.normal(size=shape))
agrees(grad(lambda x: np.sum(spectrum(x) ** 2)), random.normal(size=6))
assert {"cufftExecD2Z", "cufftExecZ2D", "cufftExecZ2Z"} <= set(called)
""")


def test_without_libraries(runs, tmp_path):
    """What has no library runs on the host, and gives the same, errors too."""
    runs("""
@compile
def all_of_it(a, x):
    return a @ x, np.stack((a, a)) @ a, np.linalg.solve(a, x), np.fft.irfft(np.fft.rfft(x), n=len(x))

agrees(all_of_it, square(4), random.normal(size=4))
assert not called
with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
    np.asarray(all_of_it(there(np.ones((3, 3))), there(np.ones(3))))
""", folder=tmp_path)  # fmt: skip


ROWS = """
import itertools
from pellucid.compiler.ops.routine_samples import ROUTINE_SAMPLES
from pellucid.compiler.ops.routines import ROUTINES
from pellucid.runtime.devices.cuda.routines import routines
from pellucid.runtime.devices.cuda.verdicts import Verdict, judged
from pellucid import support
from tests.test_routines import MADE_OF, ROWS, buffers, in_dtype

native = pellucid.runtime.devices.cuda.driver.extension()
ours = routines(ROUTINES.values(), lambda name: getattr(support, name))
LAYOUTS = {
    "rows": native.to_device,
    "columns": lambda a: native.to_device(np.ascontiguousarray(a.T)).T,
    "reversed": lambda a: native.to_device(np.ascontiguousarray(a[::-1]))[::-1],
    "apart": lambda a: native.to_device(np.repeat(a, 2, axis=-1))[..., ::2],
}
DTYPES = {np.float32: 2e-4, np.float64: 1e-10, np.complex64: 2e-4, np.complex128: 1e-10}

class Failed(Exception):
    pass

def explain():
    raise Failed

def on_device(row, static, operands, results, layout):
    made = [LAYOUTS[layout](r) for r in results]
    with judged(explain) as run:
        number = ours[row.name](*made, *(LAYOUTS[layout](a) for a in operands), **static)
        Verdict([(tuple(run.noted), explain)])()
    return [number] if row.gives_number else [array.copy_to_host() for array in made]

def of_host(row, static, operands, results):
    with np.errstate(all="ignore"):
        number = row.in_place(*results, *operands, **static)
    return [number] if row.gives_number else results

def check(row, static, operands, layout, tolerance):
    results = [] if row.gives_number else list(buffers(row, operands))
    try:
        want = of_host(row, static, operands, [r.copy() for r in results])
    except (ValueError, np.linalg.LinAlgError) as error:
        with pytest.raises((Failed, type(error))):
            on_device(row, static, operands, results, layout)
        return
    got = on_device(row, static, operands, results, layout)
    if row.name in MADE_OF:
        got, want = MADE_OF[row.name](*got), MADE_OF[row.name](*want)
    for one, other in zip(got, want, strict=True):
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance * max(1, np.size(operands[0]) ** 0.5))

def of_rows(names):
    for (row, static), (dtype, tolerance), layout in itertools.product(ROWS, DTYPES.items(), LAYOUTS):
        kind = "complex" if np.dtype(dtype).kind == "c" else "float"
        if row.name not in names or kind not in row.kinds and not row.is_product:
            continue
        for operands in ROUTINE_SAMPLES[row.samples]:
            word = {np.float32: "f32", np.float64: "f64", np.complex64: "c64", np.complex128: "c128"}[dtype]
            if any(np.isnan(a).any() for a in operands) and row.name not in ("gesv", "getrf"):
                continue  # what the library makes of nan is its own affair
            check(row, static, [placed(a, word) for a in operands], layout, tolerance)

def rows_back(n, dtype):  # of an even length, too, whose last number is its own conjugate
    row = ROUTINES["c2r"]
    a = (random.normal(size=(3, n // 2 + 1)) + 1j * random.normal(size=(3, n // 2 + 1))).astype(dtype)
    for layout in LAYOUTS:
        result = [np.empty((3, n), a.real.dtype)]
        want = of_host(row, {}, [a], [result[0].copy()])
        np.testing.assert_allclose(on_device(row, {}, [a], result, layout)[0], want[0], rtol=2e-4, atol=2e-4)

def placed(sample, word):
    made = in_dtype(sample, "c128" if word == "c64" else word)
    return made.astype(np.complex64) if word == "c64" else made
"""


@pytest.mark.parametrize("names", ["gemm gemv dot", "gesv getrf trtrs", "getrf_kept getrs", "potrf geqrf",
                                   "syevd syevd_values",
                                   "gesdd gesdd_full gesdd_values", "gesv_fails potrf_fails trtrs_fails",
                                   "c2c_forward c2c_backward r2c c2r"])  # fmt: skip
def test_rows(runs, names):
    """Every routine by its row: all dtypes, and operands that lie in any way, against what it means in CPython."""
    runs(f"{ROWS}\nof_rows({names.split()!r})\n")


def test_transforms_back(runs):
    runs(f"{ROWS}\nfor n in (1, 2, 5, 6):\n    rows_back(n, np.complex64)\n    rows_back(n, np.complex128)\n")


def test_misuse_is_found(runs):
    """The libraries that are not there look at what they are given."""
    runs("""
import ctypes
import threading
from pellucid.runtime.devices.cuda.libraries import library, number_of, on_device

native = pellucid.runtime.devices.cuda.driver.extension()
blas, solver = library("cublas"), library("cusolver")
a = native.to_device(np.ones((4, 4)))
info = native.device_array(1, np.int32)

def told(words):
    found = gpu.forgotten_faults()
    assert words in found, found

one = number_of("D", 1.0)
with on_device(0):
    handle = blas.handle(0)
    with pytest.raises(RuntimeError, match="status 7"):
        blas.call("cublasDgemm_v2", handle, 0, 0, 4, 4, 4, one, a.ptr, 3, a.ptr, 4, one, a.ptr, 4)
    told("cublasDgemm_v2: parameter 3 has an illegal value")
    blas.call("cublasDgemm_v2", handle, 0, 0, 4, 4, 4, one, a.ptr, 4, a.ptr, 10**7, one, a.ptr, 4)
    told("beyond its end")
    solver.call("cusolverDnDpotrf", solver.handle(0), 0, 4, a.ptr, 4, a.ptr, 16, info.ptr)
    told("nobody has asked how much work it wants")
    blas.call("cublasDcopy_v2", ctypes.c_void_p(8), 4, a.ptr, 1, a.ptr, 1)
    told("a handle that nobody made")
thread = threading.Thread(target=blas.call, args=("cublasDcopy_v2", handle, 0, a.ptr, 1, a.ptr, 1))
thread.start()
thread.join()
told("no context is current")
""")
