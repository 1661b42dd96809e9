"""Errors of `shard_map` on several GPUs: of one device, of NCCL, where it is missing, and what the fake of it finds."""

import pytest

import pellucid

from .harness.many_gpus import build_all, run_on_gpus

pytestmark = pytest.mark.skipif(
    pellucid.runtime.native_part.extension() is None, reason="devices of CUDA need the native part"
)


@pytest.fixture(scope="session")
def libraries(tmp_path_factory):
    return build_all(tmp_path_factory.mktemp("libcuda")) or pytest.skip("there is no C compiler")


@pytest.fixture
def runs(libraries, tmp_path):
    return lambda text, **environment: run_on_gpus(text, tmp_path, libraries, **environment)


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
with pytest.raises(IndexError):
    g(x, k).block_until_ready()
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
import os
assert os.environ["NCCL_P2P_DIRECT_DISABLE"] == "1"  # NCCL is not to read memory of one GPU from another
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


def test_nccl_of_a_wheel(runs, tmp_path):
    runs(f"""
import os, pathlib, sys
folder = pathlib.Path({str(tmp_path)!r}) / "packages"
(folder / "nvidia/nccl/lib").mkdir(parents=True)
(folder / "nvidia/nccl/lib/libnccl.so.2").symlink_to(
    pathlib.Path(os.environ.pop("PELLUCID_CUDA_LIBRARIES")) / "libnccl.so.2")
total = shard_map(lambda x: lax.psum(x, "i"), mesh=mesh, in_specs=P("i"), out_specs=P())
sys.path.append(str(folder))
np.testing.assert_array_equal(np.asarray(total(np.arange(8.0))), [12.0, 16.0])
assert gpu.libraries.called.count("ncclAllReduce") == 4
""")


def test_what_is_refused(runs):
    runs("""
x = np.arange(8.0)
def twice(x):
    return 2.0 * x

g = shard_map(twice, mesh=mesh, in_specs=P("i"), out_specs=P("i"))
with pytest.raises(TypeError, match="keyword"):
    g(x=x)
two = make_mesh((2, 2), ("i", "j"), devices=gpus)
one = shard_map(twice, mesh=two, in_specs=P("i"), out_specs=P("i"), axis_names=("i",))
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
