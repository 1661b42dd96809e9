"""`shard_map` and `pmap` on several GPUs, on a driver and an NCCL that are not there (`fake_libcuda`).

Values are those of the devices of the processor, whose sums are taken in the same order as the fake takes them.
"""

import os
import pathlib
import subprocess
import sys

import pytest

import pellucid

from .fake_libcuda import build
from .fake_libcuda.libraries import build as build_libraries

ROOT = pathlib.Path(__file__).parent.parent
PROGRAMS = sorted(path.stem for path in (ROOT / "tests/many_devices/as_written").glob("[a-z]*.py"))
QUICK = ("experts", "fourier", "heat", "layer_norm", "summa", "tensor_parallel")

pytestmark = pytest.mark.skipif(
    pellucid.runtime.native_part.extension() is None, reason="devices of CUDA need the native part"
)

HEAD = """
import numpy as np
import pytest
from tests.harness.fake_gpu import FakeGpu
import pellucid
from pellucid import Array, NamedSharding, P, device_put, devices, grad, lax, make_mesh, pmap, shard_map

gpu = FakeGpu()
gpus = devices("gpu")
mesh = make_mesh((4,), ("i",), devices=gpus)
nccl = gpu.libraries._parts["nccl"] if gpu.libraries else None

def on_devices(function, in_specs, out_specs, *args, shape=(4,), names=("i",), **options):
    "The results of a function on GPUs and on devices of the processor."
    found = []
    for there in (gpus, devices("cpu")):
        where = make_mesh(shape, names, devices=there)
        found.append(shard_map(function, mesh=where, in_specs=in_specs, out_specs=out_specs, **options)(*args))
    for got, want in zip(*map(pellucid.tree.leaves, found), strict=True):
        assert {shard.data.device.platform for shard in got.addressable_shards} == {"cuda"}
        np.testing.assert_array_equal(np.asarray(got), np.asarray(want))
        assert got.dtype == want.dtype and got.shape == want.shape
    return found[0]
"""


@pytest.fixture(scope="session")
def libraries(tmp_path_factory):
    folder = tmp_path_factory.mktemp("libcuda")
    driver = build(folder)
    if driver is None:
        pytest.skip("there is no C compiler")
    return {"PELLUCID_LIBCUDA": driver, "PELLUCID_CUDA_LIBRARIES": build_libraries(folder, ("cublas", "nccl")),
            "PELLUCID_CPU_DEVICES": "4", "FAKE_CUDA_DEVICES": "4", "PYTHONPATH": str(ROOT)}  # fmt: skip


@pytest.fixture
def runs(libraries, tmp_path):
    """A program on four GPUs says `fine`, and its kernels, its collectives and its memory are in order."""

    def run(text, **environment):
        script = tmp_path / "program.py"
        script.write_text(f"{HEAD}{text}\ngpu.finish()\nprint('fine')\n")
        done = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, cwd=ROOT, timeout=300,
            env=os.environ | libraries | environment,
        )  # fmt: skip
        assert done.returncode == 0 and done.stdout.endswith("fine\n"), done.stdout + done.stderr

    return run


# --- arrays ----------------------------------------------------------------------------------------------------------


def test_arrays_and_calls_on_each(runs):
    runs("""
assert [str(one) for one in gpus] == ["cuda:0", "cuda:1", "cuda:2", "cuda:3"] == [str(one) for one in devices("cuda")]
assert pellucid.device_put(1.5 * np.ones(2), "gpu:3").device == gpus[3]

@pellucid.compile
def twice(x):
    return 2.0 * x

x = np.arange(6.0)
for device in gpus:
    y = twice(device_put(x, device))
    assert y.device == device and device.memory_stats()["bytes_in_use"] > 0
    np.testing.assert_array_equal(np.asarray(y), 2.0 * x)
with pytest.raises(ValueError, match="different devices, cuda:0 and cuda:2"):
    pellucid.compile(lambda a, b: a + b)(device_put(x, gpus[0]), device_put(x, gpus[2]))
""")


def test_copies_between_gpus_do_not_pass_the_host(runs):
    runs("""
twice = pellucid.compile(lambda x: 2.0 * x)
for x in (np.arange(600.0), np.float32(3.0) * np.ones((3, 4)).T, np.ones(0), np.array(2, np.int16)):
    there = twice(device_put(x, gpus[1]))
    before = gpu.calls("cuMemcpyDtoHAsync_v2"), gpu.calls("cuMemcpyHtoDAsync_v2")
    other = there.T.to_device("cuda:3")
    del there  # its memory may go to others before the copy has been made
    junk = twice(device_put(7.0 + x, gpus[1])) if x.size > 100 else None
    if junk is None:
        assert before == (gpu.calls("cuMemcpyDtoHAsync_v2"), gpu.calls("cuMemcpyHtoDAsync_v2"))
    assert other.device == gpus[3]
    np.testing.assert_array_equal(np.asarray(other), (2.0 * x).T)
    assert np.asarray(other).dtype == (2.0 * x).dtype
assert gpu.calls("cuMemcpyPeerAsync") == 3
""")


def test_arrays_cut_among_gpus(runs):
    runs("""
x = np.arange(24.0).reshape(8, 3)
y = device_put(x, NamedSharding(mesh, P("i")))
assert [shard.data.device for shard in y.addressable_shards] == gpus
for k, shard in enumerate(y.addressable_shards):
    np.testing.assert_array_equal(np.asarray(shard.data), x[2 * k : 2 * k + 2])
    assert shard.data._there.number == k
np.testing.assert_array_equal(np.asarray(y), x)
assert [shard.data.device for shard in y.addressable_shards] == gpus, "reading it leaves the parts where they are"
same = device_put(x, NamedSharding(mesh, P()))
assert [shard.data.shape for shard in same.addressable_shards] == [x.shape] * 4
with pytest.raises(ValueError, match="divide"):
    device_put(np.ones(6), NamedSharding(mesh, P("i")))
with pytest.raises(ValueError, match="of one kind, not cpu and cuda"):
    shard_map(lambda x: x, mesh=make_mesh((2,), ("i",), devices=[gpus[0], devices("cpu")[0]]), in_specs=P(), out_specs=P())
""")


# --- collectives -----------------------------------------------------------------------------------------------------

COLLECTIVES = {
    "psum": ('lambda x: lax.psum(x, "i")', 'P("i")', "P()"),
    "pmax": ('lambda x: lax.pmax(x, "i")', 'P("i")', "P()"),
    "pmin": ('lambda x: lax.pmin(x, "i")', 'P("i")', "P()"),
    "all_gather": ('lambda x: lax.all_gather(x, "i")', 'P("i")', 'P(None, "i")'),
    "all_gather_tiled": ('lambda x: lax.all_gather(x, "i", axis=1, tiled=True)', 'P("i")', 'P("i")'),
    "psum_scatter": ('lambda x: lax.psum_scatter(x, "i", tiled=True)', 'P(None, "i")', 'P("i")'),
    "all_to_all": ('lambda x: lax.all_to_all(x, "i", 1, 0, tiled=True)', 'P("i")', 'P(None, "i")'),
    "ppermute": ('lambda x: lax.ppermute(x, "i", [(k, (k + 1) % 4) for k in range(4)])', 'P("i")', 'P("i")'),
    "ppermute_to_some": ('lambda x: lax.ppermute(x, "i", [(0, 2), (3, 0)])', 'P("i")', 'P("i")'),
    "axis_index": ('lambda x: x * np.asarray(lax.axis_index("i"), x.dtype)', 'P("i")', 'P("i")'),
}


@pytest.mark.parametrize("name", COLLECTIVES)
def test_collectives(runs, name):
    function, given, made = COLLECTIVES[name]
    runs(f"""
random = np.random.default_rng(3)
for word in ("f8", "f4", "f2", "i8", "u4", "i2", "i1", "bool", "c16"):
    x = np.asarray(100.0 * random.normal(size=(8, 4))).astype(word)
    if word[0] == "c" and "{name}" in ("pmax", "pmin", "axis_index"):
        continue
    if word == "bool" and "{name}" in ("axis_index",):
        continue
    if word == "f8":
        x[1, 1], x[2, 2], x[3, 3] = np.nan, np.inf, -0.0
    on_devices({function}, {given}, {made}, x)
""")


def test_one_axis_of_two_and_groups(runs):
    runs("""
def f(x):
    row, column = lax.psum(x, "r"), lax.psum(x, "c")
    both = lax.pmax(x, ("r", "c"))
    pairs = lax.ppermute(x, "c", [(0, 1), (1, 0)])
    return row, column, both, pairs, lax.all_gather(x, "r", tiled=True)

x = np.random.default_rng(0).normal(size=(6, 10))
both = P("r", "c")
on_devices(f, both, (P(None, "c"), P("r"), P(), both, both), x, shape=(2, 2), names=("r", "c"))
assert {tuple(sorted(numbers)) for clique, _ in nccl.places.values() for numbers in [clique.numbers]} == {
    (0, 2), (1, 3), (0, 1), (2, 3)}

def g(x):
    return lax.psum(x, "i", axis_index_groups=[[0, 3], [1, 2]]), lax.all_gather(x, "i", axis_index_groups=[[0, 1], [2, 3]])

on_devices(g, P("i"), (P("i"), P(None, "i")), x[:4])
""")


def test_streams_get_the_work_of_all_in_one_order(runs):
    """Many collectives of two axes before anybody waits, in a loop whose length the host does not know."""
    runs("""
def f(x):
    total = x
    while lax.psum(np.sum(np.abs(total)), ("r", "c")) < 1e6:
        total = 1.5 * lax.psum(total, "r") + lax.ppermute(total, "c", [(0, 1), (1, 0)])
        total = lax.pmean(total, "c") + lax.psum(total, "r")
        total = 0.5 * total + lax.psum(total, ("r", "c"))
    return total

on_devices(f, P("r", "c"), P("r", "c"), np.random.default_rng(0).normal(size=(4, 6)) + 1.0, shape=(2, 2), names=("r", "c"))
for _ in range(3):
    on_devices(lambda x: lax.fori_loop(0, 20, lambda _, y: 0.5 * lax.psum(y, "i"), x), P("i"), P("i"), np.arange(8.0))
""")


def test_steps_stay_on_the_gpus(runs):
    runs("""
def step(w, x, y):
    def error(w):
        return lax.pmean(np.mean((x @ w - y) ** 2), "i")
    return w - 0.1 * grad(error)(w)

x, y = np.random.default_rng(0).normal(size=(16, 3)), np.arange(16.0)
on_devices(step, (P(), P("i"), P("i")), P(), np.zeros(3), x, y)
train = shard_map(step, mesh=mesh, in_specs=(P(), P("i"), P("i")), out_specs=P())
own = shard_map(step, mesh=make_mesh((4,), ("i",), devices=devices("cpu")), in_specs=(P(), P("i"), P("i")), out_specs=P())
rows = NamedSharding(mesh, P("i"))
there, w, v = device_put((x, y), rows), device_put(np.zeros(3), NamedSharding(mesh, P())), np.zeros(3)
w = train(w, *there)
before = gpu.calls("cuMemcpyDtoHAsync_v2"), gpu.calls("cuMemcpyHtoDAsync_v2")
for _ in range(4):
    w = train(w, *there)
assert before == (gpu.calls("cuMemcpyDtoHAsync_v2"), gpu.calls("cuMemcpyHtoDAsync_v2"))
for _ in range(5):
    v = own(v, x, y)
np.testing.assert_array_equal(np.asarray(w), np.asarray(v))
""")


def test_pmap(runs):
    runs("""
x = np.random.default_rng(0).normal(size=(4, 5))
def f(x, scale, word):
    return scale * x / lax.psum(np.sum(x), "i"), lax.axis_index("i"), lax.pmax(x, "i")

found = []
for there in (gpus, devices("cpu")):
    f_ = pmap(f, axis_name="i", in_axes=(0, None, None), static_broadcasted_argnums=2, devices=there)
    found.append(f_(x, 2.0, "word"))
    two = pmap(lambda x: x + lax.psum(x, "i"), "i", in_axes=1, out_axes=1, devices=there)(x[:, :2])
    assert {device.platform for device in two.devices()} == {there[0].platform}
    found[-1] = (*found[-1], two)
for got, want in zip(*found, strict=True):
    assert [shard.data.device for shard in got.addressable_shards] == gpus[: len(got.addressable_shards)]
    np.testing.assert_array_equal(np.asarray(got), np.asarray(want))
    for one, other in zip(got.addressable_shards, want.addressable_shards):
        assert one.index == other.index
        np.testing.assert_array_equal(np.asarray(one.data), np.asarray(other.data))
assert pmap(lambda x: 2.0 * x, backend="gpu")(x).devices() == set(gpus)
with pellucid.default_device("gpu"):
    assert pmap(lambda x: 2.0 * x)(x).devices() == set(gpus) == set(make_mesh((4,), ("i",)).devices.flat)
with pytest.raises(ValueError, match="5 examples, and 4 devices"):
    pmap(lambda x: x, backend="gpu")(np.ones(5))
""")


def test_what_the_first_device_has(runs):
    runs("""
on_devices(lambda x: x + 1.0, P("i"), P(), np.arange(4.0), check_vma=False)
""")


# --- errors ----------------------------------------------------------------------------------------------------------


def test_the_error_of_one_device(runs):
    runs("""
import traceback

def f(x, k):
    y = lax.psum(x, "i")
    return y + x[k[0]]           # the line of the error

g = shard_map(f, mesh=mesh, in_specs=(P("i"), P("i")), out_specs=P("i"))
x, k = np.arange(8.0), np.array([0, 1, 7, 0])
np.testing.assert_array_equal(np.asarray(g(x, k % 2)), np.tile([12.0, 16.0], 4) + np.repeat([0.0, 3.0, 5.0, 6.0], 2))
y = g(x, k)
for shard in y.addressable_shards:  # whichever part is read
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 2") as caught:
        np.asarray(shard.data)
    assert "the line of the error" in "".join(traceback.format_exception(caught.value))
with pytest.raises(IndexError):
    np.asarray(y)
with pytest.raises(IndexError):  # through what is made of it
    np.asarray(shard_map(lambda y: lax.psum(y, "i"), mesh=mesh, in_specs=P("i"), out_specs=P())(y))

def h(x):
    if np.sum(x) > 10.0:
        raise ValueError("too much")
    return lax.psum(x, "i")

with pytest.raises(ValueError, match="too much"):
    shard_map(h, mesh=mesh, in_specs=P("i"), out_specs=P())(x)
np.testing.assert_array_equal(np.asarray(shard_map(h, mesh=mesh, in_specs=P("i"), out_specs=P())(x / 8)), [1.5, 2.0])
""")


def test_errors_of_the_libraries(runs):
    runs("""
g = shard_map(lambda x: lax.psum(x, "i"), mesh=mesh, in_specs=P("i"), out_specs=P())
x = np.arange(8.0)
g(x)
nccl.fails["ncclAllReduce"] = 4
with pytest.raises(RuntimeError, match="ncclAllReduce gives the status 4: invalid argument"):
    g(x)
np.testing.assert_array_equal(np.asarray(g(x)), [12.0, 16.0])
gpu.fail("cuLaunchKernel", 2, 700)
with pytest.raises(RuntimeError, match="700"):
    shard_map(lambda x: lax.psum(2.0 * x, "i"), mesh=mesh, in_specs=P("i"), out_specs=P())(x)
""")


def test_without_nccl(runs, tmp_path):
    runs("""
x = np.arange(8.0)
def total(x):
    return lax.psum(x, "i")

with pytest.raises(pellucid.DeviceError) as caught:
    shard_map(total, mesh=mesh, in_specs=P("i"), out_specs=P())(x)
told = str(caught.value)
assert "NCCL, which lets several GPUs meet, is not installed" in told and "pip install 'pellucid[nccl]'" in told, told
assert "program.py" in told and "def total(x):" in told, told
y = shard_map(lambda x: 2.0 * x, mesh=mesh, in_specs=P("i"), out_specs=P("i"))(x)  # which needs none
np.testing.assert_array_equal(np.asarray(y), 2.0 * x)
alone = make_mesh((1,), ("i",), devices=gpus[2:])
y = shard_map(total, mesh=alone, in_specs=P("i"), out_specs=P())(x)
assert y.devices() == {gpus[2]}
np.testing.assert_array_equal(np.asarray(y), x)
""", PELLUCID_CUDA_LIBRARIES=str(tmp_path))  # fmt: skip


def test_what_is_refused(runs):
    runs("""
x = np.arange(8.0)
def twice(x):
    return 2.0 * x

g = shard_map(twice, mesh=mesh, in_specs=P("i"), out_specs=P("i"))
with pytest.raises(TypeError, match="keyword"):
    g(x=x)
one = shard_map(twice, mesh=make_mesh((2, 2), ("i", "j"), devices=gpus), in_specs=P("i"), out_specs=P("i"), axis_names=("i",))
with pytest.raises(ValueError, match="twice runs on GPUs, .* all axes of the mesh are mapped"):
    one(x)
with pytest.raises(ValueError, match="not divided by the 4 devices"):
    g(np.ones(6))
with pytest.raises(pellucid.CompileError, match="out_specs"):
    shard_map(twice, mesh=mesh, in_specs=P("i"), out_specs=P())(x)
""")


def test_the_fake_knows_what_would_wait_for_ever(runs):
    """The checks that the tests above rely on."""
    runs("""
from pellucid.runtime.devices.cuda import collectives, driver, libraries
native = driver.extension()
x = [native.to_device(np.arange(4.0), k) for k in range(2)]
y = [native.device_array(4, np.float64, k) for k in range(2)]
nccl_ = libraries.library("nccl")
group = collectives._communicators(nccl_, (0, 1))
streams = [libraries.stream(k) for k in range(2)]

def in_group(*calls):
    with libraries.on_device(0):
        nccl_.call("ncclGroupStart")
        for name, *arguments in calls:
            nccl_.call(name, *arguments)
        nccl_.call("ncclGroupEnd")

def both(second):
    return [("ncclAllReduce", x[0].ptr, y[0].ptr, 4, 8, 0, group[0], streams[0]), second]

for second in (
    ("ncclAllReduce", x[1].ptr, y[1].ptr, 3, 8, 0, group[1], streams[1]),
    ("ncclAllReduce", x[1].ptr, y[1].ptr, 4, 7, 0, group[1], streams[1]),
    ("ncclAllReduce", x[1].ptr, y[1].ptr, 4, 8, 2, group[1], streams[1]),
    ("ncclAllGather", x[1].ptr, y[1].ptr, 2, 8, group[1], streams[1]),
    ("ncclSend", x[1].ptr, 4, 8, 0, group[1], streams[1]),
):
    with pytest.raises(RuntimeError, match="status 5"):
        in_group(*both(second))
    assert "different calls" in gpu.forgotten_faults()
with pytest.raises(RuntimeError, match="status 5"):
    in_group(("ncclSend", x[1].ptr, 4, 8, 0, group[1], streams[1]))
assert "what devices send is not what they receive" in gpu.forgotten_faults()
in_group(*both(("ncclAllReduce", x[1].ptr, y[1].ptr, 4, 8, 0, group[1], streams[0])))
assert "a stream of another context" in gpu.forgotten_faults()
in_group(*both(("ncclAllReduce", x[0].ptr, y[1].ptr, 4, 8, 0, group[1], streams[1])))
assert "memory of cuda:0 for cuda:1" in gpu.forgotten_faults()
with libraries.on_device(0), pytest.raises(RuntimeError):
    nccl_.call("ncclAllReduce", x[0].ptr, y[0].ptr, 4, 8, 0, group[0], streams[0])
assert "outside of a group" in gpu.forgotten_faults()
for k in range(2):
    gpus[k].finish()
gpu.forgotten_faults()
""")


# --- programs --------------------------------------------------------------------------------------------------------


def check_program(runs, name, counts):
    runs(f"""
import importlib
program = importlib.import_module("tests.many_devices.as_written.{name}")
args = program.given()
for count in {counts}:
    want = program.build(count)(*args)
    with pellucid.default_device("gpu"):
        function = program.build(count)
    found = function(*args)
    for got, wanted in zip(*map(pellucid.tree.leaves, (found, want)), strict=True):
        np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=1e-12, atol=1e-12)
        assert np.asarray(got).dtype == np.asarray(wanted).dtype
        assert not isinstance(got, Array) or {{one.platform for one in got.devices()}} == {{"cuda"}}
""")


@pytest.mark.parametrize("name", QUICK)
def test_programs(runs, name):
    check_program(runs, name, (2, 4))


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_all_programs(runs, name):
    check_program(runs, name, (1, 2) if name in ("jacobi", "monte_carlo", "tempering") else (1, 2, 4))
