"""Calls whose arguments are on a GPU, one that is not there (`harness.fake_gpu`): values, dtypes, devices, errors."""

import os
import pathlib
import subprocess
import sys

import pytest

import pellucid

from .fake_libcuda import build

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
from pellucid.runtime.devices.cuda import driver

gpu = FakeGpu()
random = np.random.default_rng(7)

def there(x):
    return device_put(x, "cuda")

def same(got, want, tolerance=1e-10):
    assert type(got) is Array and got.device.platform == "cuda", got
    assert got.dtype == want.dtype and got.shape == want.shape, (got.dtype, got.shape)
    np.testing.assert_allclose(np.asarray(got), want, rtol=tolerance, atol=tolerance)
"""


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    found = build(tmp_path_factory.mktemp("libcuda"))
    if found is None:
        pytest.skip("there is no C compiler")
    return found


@pytest.fixture
def runs(library, tmp_path):
    """A program on the GPU says `fine`, and its kernels and its memory are in order."""

    def run(text):
        script = tmp_path / "program.py"
        script.write_text(f"{HEAD}{text}\ngpu.finish()\nprint('fine')\n")
        environment = {**os.environ, "PELLUCID_LIBCUDA": str(library), "PYTHONPATH": ROOT}
        done = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, cwd=ROOT, env=environment, timeout=300
        )
        assert done.returncode == 0 and done.stdout.endswith("fine\n"), done.stdout + done.stderr

    return run


def test_results_stay_there(runs):
    runs("""
@compile
def poly(x):
    return x + x**2 + x**3

for shape in ((3,), (0,), (40, 33), (2, 3, 4)):
    x = random.normal(size=shape)
    y = poly(there(x))
    same(y, x + x**2 + x**3)
    same(poly(y), poly(np.asarray(y)))
assert type(poly(x)) is Array and poly(x).device == "cpu"
x = random.normal(size=5).astype(np.float32)
same(poly(there(x)), x + x**2 + x**3, 1e-5)
""")


def test_gradients_batches_and_containers(runs):
    runs("""
@compile
def loss(weights, x, labels):
    z = np.tanh(x @ weights["w"] + weights["b"])
    return np.mean((z - labels) ** 2)

weights = {"w": random.normal(size=4), "b": 0.5}
x, labels = random.normal(size=(10, 4)), random.normal(size=10)
value, slope = value_and_grad(loss)(there(weights), there(x), there(labels))
want, wanted = value_and_grad(loss)(weights, x, labels)
np.testing.assert_allclose(float(value), want)
assert slope["w"].device == "cuda"
np.testing.assert_allclose(np.asarray(slope["w"]), np.asarray(wanted["w"]), rtol=1e-10)
np.testing.assert_allclose(float(slope["b"]), wanted["b"])

@compile
def rows(x):
    return np.sum(x * x)

same(vmap(rows)(there(x)), np.sum(x * x, axis=1))
""")


def test_arrays_of_the_host_come_along(runs):
    runs("""
@compile
def scaled(x, y, k):
    return k * x + y

x, y = random.normal(size=(4, 5)), random.normal(size=5)
same(scaled(there(x), y, 2.0), 2.0 * x + y)
same(scaled(x, there(y), np.float64(3.0)), 3.0 * x + y)
""")


def test_views_are_read_in_place(runs):
    runs("""
@compile
def total(x):
    return x.sum(axis=0) * 2.0

x = random.normal(size=(6, 5))
same(total(there(x)), x.sum(axis=0) * 2.0)
""")


def test_errors_come_when_the_result_is_read(runs):
    runs("""
@compile
def taken(x, k):
    out = np.empty(k.shape[0])
    for i in range(k.shape[0]):
        out[i] = x[k[i]]
    return out

x = random.normal(size=4)
same(taken(there(x), there(np.array([0, -1, 3]))), x[[0, -1, 3]])
wrong = taken(there(x), there(np.array([0, 4])))
assert wrong.shape == (2,)
with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 4"):
    np.asarray(wrong)
""")


def test_the_error_of_a_kernel_comes_before_those_of_the_host_after_it(runs):
    runs("""
@compile
def shifted(x, k, divisor):
    out = np.empty(k.shape[0])
    for i in range(k.shape[0]):
        out[i] = x[k[i]]
    if k.shape[0] > 2:
        raise ValueError("too long")
    return out, 12 // divisor

@compile
def taken(x, k):
    out = np.empty(k.shape[0])
    for i in range(k.shape[0]):
        out[i] = x[k[i]]
    return out

@compile
def joined(x, y):
    return x + np.concatenate((y, y))

x = there(random.normal(size=4))
wrong = there(np.array([0, 4, 1]))
for places, divisor in ((wrong, 1), (wrong[:2], 0)):
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 4"):
        shifted(x, there(np.asarray(places)), divisor)
right = there(np.array([0, 1, 2]))
with pytest.raises(ValueError, match="too long"):
    shifted(x, right, 1)
with pytest.raises(ZeroDivisionError):
    shifted(x, there(np.array([0])), 0)
result = taken(x, there(np.array([0, 4])))
with pytest.raises(IndexError, match="index 4"):
    joined(result, x)
""")


def test_numbers_of_python_are_numbers(runs):
    """Beside float32 they stay in float32, as an array of float64 would not."""
    runs("""
@compile
def numbers(x, a):
    return float(x[0]), {"count": int(x[1] * 8.0), "is": bool(x[2] > 0.0), "sum": x.sum()}, a * float(x[0]), a

@compile
def first(x):
    return float(x[0])

@compile
def loss(x, b):
    return np.sum((x + b) ** 2)

x = random.normal(size=5).astype(np.float32)
for _ in range(3):
    number, of, product, a = numbers(there(x), 3)
    assert (number, of["count"], of["is"], product, a) == (float(x[0]), int(x[1] * 8.0), x[2] > 0.0, 3 * float(x[0]), 3)
    assert [type(v) for v in (number, of["count"], of["is"], product, a)] == [float, int, bool, float, int]
    same(of["sum"], x.sum(), 1e-6)
    assert type(first(there(x))) is float and first(there(x)) == float(x[0])
b = 0.5
for _ in range(3):
    value, slopes = value_and_grad(loss, argnums=(0, 1))(there(x), b)
    assert value.dtype == slopes[0].dtype == np.float32 and type(slopes[1]) is float
    np.testing.assert_allclose(slopes[1], 2.0 * np.sum(x + np.float32(b)), rtol=1e-5)
    b -= 0.02 * slopes[1]
with pytest.raises(IndexError, match="index 0 is out of bounds for axis 0 with size 0"):
    first(there(x[:0]))
""")


def test_loops_of_launches_and_host_parts(runs):
    runs("""
@compile
def settle(x, steps):
    u = x.copy()
    for _ in range(steps):
        v = u.copy()
        v[1:-1] = 0.5 * (u[:-2] + u[2:])
        u = v
    return u

@compile
def cascade(x):
    y = np.empty(x.shape[0])
    y[0] = x[0]
    for i in range(1, x.shape[0]):
        y[i] = np.tanh(0.5 * y[i - 1]) + x[i]
    return y

@compile
def until(x):
    error, turns = 1.0, 0
    while error > 1e-3:
        x = 0.5 * x
        error = np.max(np.abs(x))
        turns += 1
    return x, turns

x = random.normal(size=50)
same(settle(there(x), 7), np.asarray(settle(x, 7)))
same(cascade(there(x)), np.asarray(cascade(x)))
got, turns = until(there(x))
want, wanted = until(x)
same(got, np.asarray(want))
assert turns == wanted
""")


def test_sums_scans_and_histograms(runs):
    runs("""
@compile
def count(places, weights, bins):
    out = np.zeros(bins)
    for i in range(places.shape[0]):
        out[places[i]] += weights[i]
    return out

@compile
def statistics(x):
    return x.mean(axis=0), x.std(axis=1), np.cumsum(x[:, 0]), x.max(), np.prod(x[0])

x = random.normal(size=(70, 9))
for got, want in zip(statistics(there(x)), (x.mean(axis=0), x.std(axis=1), np.cumsum(x[:, 0]), x.max(), np.prod(x[0]))):
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-10)
places, weights = random.integers(-8, 8, size=5000), random.random(5000)
want = np.zeros(8)
np.add.at(want, places, weights)
same(count(there(places), there(weights), 8), want)
""")


def test_mutates_is_of_the_host(runs):
    runs("""
@compile(mutates=("x",))
def doubled(x):
    x *= 2.0

with pytest.raises(ValueError, match="mutates= is for arrays of the host"):
    doubled(there(np.ones(3)))
""")


def test_a_compile_serves_all_lengths_and_no_array_is_copied_back(runs):
    runs("""
@compile
def poly(x):
    return x * x + 1.0

before = None
for n in (5, 700, 2):
    y = poly(poly(there(random.normal(size=n))))
    assert len(poly._on_gpu) == 1
copies = gpu.calls("cuMemcpyDtoHAsync_v2")
z = poly(y)
assert gpu.calls("cuMemcpyDtoHAsync_v2") == copies
""")


def test_operators_without_an_assembler(runs):
    """Nothing makes kernels where numba-cuda is missing: NumPy computes operators, and compiled functions say so."""
    runs("""
from pellucid.compiler.targets.cuda import assemble as assembling
from pellucid.compiler.targets.cuda.toolkit import MissingTool

def missing(*arguments):
    raise MissingTool("numba-cuda")

assembling.assemble = missing
x = random.normal(size=5)
same(there(x) * 2.0, x * 2.0)
with pytest.raises(pellucid.DeviceError, match="pip install 'pellucid"):
    compile(lambda x: x + 1.0)(there(x))
""")


def test_elements_and_tests_that_the_host_needs(runs):
    """The host reads an element as a view of no dimensions; a test over a row is one fold, of whatever it is."""
    runs("""
@compile
def first(x):
    if x[0] > 0.5:
        return x * x[1]
    return x + x[-1]

@compile
def largest(x):
    return np.argmax(x, axis=1)

@compile
def tests(x):
    return np.any(x > 0.9, axis=1), np.all(x > 0.1, axis=1), np.any(x > 0.9), np.all(x > 0.01)

for x in (np.array([0.75, 3.0, 2.0]), np.array([0.25, 3.0, 2.0])):
    same(first(there(x)), x * 3.0 if x[0] > 0.5 else x + 2.0)
for shape in ((1, 1), (9, 50)):
    x = random.random(shape)
    same(largest(there(x)), np.argmax(x, axis=1))
    want = np.any(x > 0.9, axis=1), np.all(x > 0.1, axis=1), np.any(x > 0.9), np.all(x > 0.01)
    for got, right in zip(tests(there(x)), want):
        np.testing.assert_array_equal(np.asarray(got), right)
""")


def test_what_the_way_back_needs_stays_there(runs):
    runs("""
@compile
def recurrent(weights, recurrence, inputs):
    h = np.zeros(recurrence.shape[0])
    for x in inputs:
        h = np.tanh(weights @ x + recurrence @ h)
    return h.sum()

@compile
def settled(x):
    total = np.sum(x * x)
    while total > 1.0:
        x = 0.9 * np.sin(x)
        total = np.sum(x * x)
    return total

given = random.normal(size=(4, 3)), random.normal(size=(4, 4)), random.normal(size=(6, 3))
back = grad(recurrent, (0, 1))
assert "on the host" not in back.source("kernels", *given)
for got, want in zip(back(*map(there, given)), back(*given)):
    same(got, want)
x = random.normal(size=50)
assert "on the host" not in grad(settled).source("kernels", x)
same(grad(settled)(there(x)), grad(settled)(x))
""")


def test_the_store_keeps_kernels_and_their_driver(runs):
    runs("""
from pellucid.compiler import driver as compiler
from pellucid.compiler.targets.cuda import assemble as assembling
from pellucid.runtime.store import store

@compile
def softmax(x, scale):
    e = np.exp(scale * (x - x.max(axis=1, keepdims=True)))
    return {"rows": e / e.sum(axis=1, keepdims=True), "scale": scale, "largest": (x.max(), x[0, 0] > 0.5)}

@compile
def spread(x):
    return np.sum(softmax(x, 2.0)["rows"] ** 2)

def refuse(*args, **kwargs):
    raise AssertionError("compiled again")

def leaves(result):
    return [np.asarray(leaf) for leaf in pellucid.tree.leaves(result)]

assert store() is not None
x = there(random.random((6, 5)))
calls = [(softmax, (x, 2.0)), (grad(spread), (x,)), (value_and_grad(spread), (x,))]
first = [leaves(function(*args)) for function, args in calls]
compiler.derive = assembling.assemble = refuse
for (function, args), want in zip(calls, first):
    function._on_gpu.clear()
    function._known_on_gpu = None
    got = function(*args)
    assert len(leaves(got)) == len(want)
    for one, other in zip(leaves(got), want):
        np.testing.assert_array_equal(one, other)
assert list(softmax(x, 2.0)) == ["rows", "scale", "largest"] and softmax(x, 2.0)["scale"] == 2.0

with pytest.raises(AssertionError, match="compiled again"):
    softmax(x, 2)
""")


def test_complex_numbers(runs):
    """Arrays, numbers of Python's as arguments of kernels, sums that stay, results, and what is fetched for a test."""
    runs("""
@compile
def turned(z, angle, shift):
    w = z * np.exp(1j * angle) + shift
    return w / np.abs(w), np.sum(w), np.angle(w)

@compile
def larger(z):
    total = np.sum(z)
    if abs(total) > 2.0:
        return z / total
    return np.conj(z) + total

@compile
def size(z):
    return np.sum(np.abs(z) ** 2)

for dtype in (np.complex128, np.complex64):
    z = (random.normal(size=40) + 1j * random.normal(size=40)).astype(dtype)
    tolerance = 1e-10 if dtype == np.complex128 else 1e-4
    for got, want in zip(turned(there(z), 0.3, 1 - 2j), turned(z, 0.3, 1 - 2j)):
        same(got, want, tolerance)
    same(turned(there(z), 0.3, there(z[1:2]))[0], turned(z, 0.3, z[1:2])[0], tolerance)
    for some in (z, z[:1] * dtype(1e-3)):
        same(larger(there(some)), larger(some), tolerance)
    same(grad(size)(there(z)), grad(size)(z), tolerance)
    back = np.from_dlpack(there(z).to_device("cpu"))
    np.testing.assert_array_equal(back, z)
    assert there(z).__cuda_array_interface__["typestr"] == np.dtype(dtype).str

@compile
def inverse(p):
    y = np.zeros(p.shape[0], complex)
    for i in range(p.shape[0]):
        y[i] = 1.0 / complex(float(p[i]), 0.0)
    return y

with pytest.raises(ZeroDivisionError):
    np.asarray(inverse(there(np.arange(3))))
same(inverse(there(np.arange(1, 4))), inverse(np.arange(1, 4)))
""")
