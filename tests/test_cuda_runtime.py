"""The runtime of devices of CUDA, on a driver without a device (`fake_libcuda`).

Its streams do what they are told when somebody waits, so what is done too early shows: memory that is freed or filled
again while something that needs it has not run. Values are held against NumPy's.
"""

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
import gc, threading
import tests.harness.other_extension
import numpy as np
import pytest
from tests.harness.fake_gpu import FakeGpu as Fake
import pellucid
from pellucid import Array, device_put, devices
from pellucid.runtime import native_part
from pellucid.runtime.devices.cuda import driver, kernels

fake = Fake()
native = driver.extension()
random = np.random.default_rng(7)
DTYPES = ["bool", "i1", "u1", "i2", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]

@fake.kernel("array f8 1", "array f8 1")
def doubled(grid, block, x, y):
    y[:] = 2.0 * x
"""


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    found = build(tmp_path_factory.mktemp("libcuda"))
    if found is None:
        pytest.skip("there is no C compiler")
    return found


@pytest.fixture
def runs(library, tmp_path):
    """A program that uses the driver says `fine`, and has done nothing that no program may do."""

    def run(text, head=HEAD, **environment):
        script = tmp_path / "program.py"
        script.write_text(f"{head}{text}\n{'fake.finish()' * (head is HEAD)}\nprint('fine')\n")
        done = subprocess.run(
            [sys.executable, str(script)],
            env=os.environ | {"PYTHONPATH": ROOT, "PELLUCID_LIBCUDA": library} | environment,
            capture_output=True, text=True, timeout=200,
        )  # fmt: skip
        assert done.stdout == "fine\n", done.stderr
        assert done.stderr == ""

    return run


# --- the driver ------------------------------------------------------------------------------------------------------


def test_it_is_looked_for_when_somebody_asks(runs):
    """Not by the import, and not by calls and devices of the processor."""
    runs("""
import os
import numpy as np
import pellucid
from pellucid.runtime.devices.cuda import driver

def is_loaded():
    with open("/proc/self/maps") as maps:
        return os.environ["PELLUCID_LIBCUDA"] in maps.read()

doubled = pellucid.compile(lambda x: x * 2.0)
array = pellucid.Array(np.ones(3))
doubled(doubled(array)), array + 1.0, array.device, array.devices()
array.to_device("cpu"), pellucid.device_put(np.ones(3))
assert pellucid.devices("cpu")[0] == "cpu" and not driver.was_asked() and not is_loaded()
assert list(map(str, pellucid.devices())) == ["cpu:0", "cuda:0"] and is_loaded()
assert pellucid.devices("cuda") == ["cuda"] and pellucid.device_count() == 2
""", head="")  # fmt: skip


def test_where_there_is_none(runs):
    runs("""
import pytest
import pellucid
told = r"there are no devices of the kind 'cuda'; there are cpu:0 \\(there is no driver of CUDA: /nowhere/libcuda.so"
with pytest.raises(ValueError, match=told):
    pellucid.devices("cuda")
with pytest.raises(ValueError, match=r"there is no device 'cuda:1'; there are cpu:0 \\(there is no driver of CUDA"):
    pellucid.device_put(1.0, "cuda:1")
assert pellucid.devices() == ["cpu"]
""", head="", PELLUCID_LIBCUDA="/nowhere/libcuda.so")  # fmt: skip


def test_without_the_native_part(runs):
    runs("""
import pytest
import pellucid
with pytest.raises(ValueError, match="devices of CUDA need the native part: PELLUCID_NATIVE=0"):
    pellucid.devices("cuda")
""", head="", PELLUCID_NATIVE="0")  # fmt: skip


def test_a_library_that_is_no_driver(runs):
    runs("""
import ctypes.util
import pytest
import pellucid
with pytest.raises(ValueError, match="is too old: it has no cuInit"):
    pellucid.devices("cuda")
""", head="", PELLUCID_LIBCUDA="libm.so.6")  # fmt: skip


def test_a_child_after_a_fork_is_told(runs):
    runs("""
import os
x = native.to_device(np.ones(3))
child = os.fork()
if child == 0:
    try:
        for use in (x.copy_to_host, lambda: native.to_device(np.ones(3)), lambda: doubled[1, 32](x, x), x.clear):
            with pytest.raises(native.CudaError, match="forked from one that used it.*spawn"):
                use()
        del x
        os._exit(0)
    except BaseException as error:
        print(error, flush=True)
        os._exit(1)
assert os.waitpid(child, 0)[1] == 0
assert (x.copy_to_host() == 1.0).all()
""")


# --- arrays ----------------------------------------------------------------------------------------------------------


def test_elements_come_back(runs):
    """Of every dtype and shape, of any layout on the host, and of views of any layout on the device."""
    runs("""
for dtype in DTYPES:
    for shape in ((), (1,), (0,), (3, 0, 2), (7,), (4, 5), (3, 4, 5)):
        values = random.integers(0, 100, shape).astype(dtype)
        x = native.to_device(values)
        assert (x.shape, x.dtype, x.ndim, x.size, x.nbytes) == (
            values.shape, values.dtype, values.ndim, values.size, values.nbytes)
        swapped = native.to_device(values.astype(values.dtype.newbyteorder()))
        for there, here in ((x, values), (swapped, values), (x.T, values.T), (native.to_device(values.T), values.T),
                            (x.copy(), values), (x.T.copy(), values.T), (x[..., None], values[..., None])):
            found = there.copy_to_host()
            assert found.dtype == here.dtype and found.flags.writeable
            np.testing.assert_array_equal(found, here)
assert native.fetch(native.to_device(np.array(2.5, "f4"))) == np.float32(2.5)
assert type(native.fetch(native.to_device(np.array(2.5, "f4")))) is np.float32
for number in (np.float32(2.5), np.complex64(1j), np.bool_(True), np.int8(-3), 2, 0.5, True):
    found = native.to_device(number)
    assert found.shape == () and found.dtype == np.asarray(number).dtype and native.fetch(found) == number
for wrong in (None, [1.0], "a", object()):
    with pytest.raises(TypeError, match="an ndarray or a number|hold numbers and bools"):
        native.to_device(wrong)
with pytest.raises(TypeError, match="hold numbers and bools, not object"):
    native.to_device(np.array([None]))
for dtype in ("longdouble", ">f8", "datetime64[s]", "U3"):
    with pytest.raises(TypeError, match="hold numbers and bools"):
        native.device_array(3, dtype)
with pytest.raises(ValueError, match="negative"):
    native.device_array((2, -1), "f8")
with pytest.raises(ValueError, match="too big"):
    native.device_array((2**40, 2**40), "f8")
""")


def test_views_are_numpys(runs):
    runs("""
values = np.arange(720.0).reshape(6, 8, 15)
x = native.to_device(values)
def part(length):
    kind = random.integers(5)
    if kind == 0:
        return int(random.integers(-length, length))
    ends = (None if random.integers(3) == 0 else int(random.integers(-length - 2, length + 2)) for _ in range(2))
    return slice(*ends, int(random.choice([-3, -2, -1, 1, 2, 3])))
count = 0
for _ in range(300):
    index = tuple(part(n) for n in values.shape[: random.integers(1, 4)])
    if random.integers(3) == 0:
        index = (*index[:1], None, *index[1:])
    if random.integers(3) == 0:
        index = (..., *index)
    here = values[index]
    if not isinstance(here, np.ndarray):
        with pytest.raises(TypeError, match="element of an array on a device is not read by the host.*copy_to_host"):
            x[index]
        continue
    there = x[index]
    assert (there.shape, there.strides) == (here.shape, here.strides), index
    np.testing.assert_array_equal(there.copy_to_host(), here)
    np.testing.assert_array_equal(there.copy().copy_to_host(), here)
    count += here.size > 0
assert count > 50
for axes in ((), (2, 0, 1), ((1, 2, 0),), (-1, 0, 1)):
    here, there = values.transpose(*axes), x.transpose(*axes)
    assert (there.shape, there.strides) == (here.shape, here.strides)
    np.testing.assert_array_equal(there.copy_to_host(), here)
with pytest.raises(ValueError, match="axes don't match array"):
    x.transpose(0, 1)
assert x.reshape(48, 15).shape == x.reshape((48, 15)).shape == x.reshape(-1, 15).shape == (48, 15)
with pytest.raises(ValueError, match="copy"):
    x.T.reshape(720)
with pytest.raises(IndexError):
    x[6]
with pytest.raises(IndexError):
    x[0, 0, 0, 0, ...]
""")


def test_the_host_reads_no_element_by_mistake(runs):
    runs("""
x, number = native.to_device(np.arange(3.0)), native.to_device(np.array(2.0))
for use in (lambda: x[0], lambda: float(number), lambda: int(number), lambda: bool(number), lambda: np.asarray(x),
            lambda: [1, 2, 3][number], lambda: np.array([x, x]), lambda: x[np.array([0])], lambda: x[True],
            lambda: x[x], lambda: native.fetch(x), lambda: x == x, lambda: x != 1.0, lambda: 1.0 < x):
    with pytest.raises(TypeError, match="copy_to_host"):
        use()
for use in (lambda: x + 1.0, lambda: np.ones(3) * x, lambda: np.sin(x), lambda: list(x)):
    with pytest.raises(TypeError):
        use()
assert native.fetch(3.0) == 3.0 and len(x) == 3
""")


def test_parts_are_written_from_the_host(runs):
    runs("""
values = np.zeros((5, 6))
x = native.to_device(values)
for index in (np.s_[1:3], np.s_[:, 2], np.s_[::2, ::-1], np.s_[...]):
    new = random.random(values[index].shape)
    values[index] = new
    x[index].copy_from_host(new)
    np.testing.assert_array_equal(x.copy_to_host(), values)
for wrong in (np.zeros(3), np.zeros((5, 6), "f4"), [0.0]):
    with pytest.raises(TypeError, match="same shape and dtype"):
        x.copy_from_host(wrong)
""")


# --- copies ----------------------------------------------------------------------------------------------------------


def test_copies_of_any_length(runs):
    """Pinned buffers are filled again and again, and the source may change when the copy has returned."""
    runs("""
MB = 1 << 20
for size in (1, 4 * MB - 1, 4 * MB, 4 * MB + 1, 8 * MB, 21 * MB + 5):
    values = random.integers(0, 255, size, dtype=np.uint8)
    given = values.copy()
    x = native.to_device(given)
    given[:] = 0
    np.testing.assert_array_equal(x.copy_to_host(), values)
    np.testing.assert_array_equal(x[1::2].copy_to_host(), values[1::2])
many = [random.random(random.integers(1, 3000)) for _ in range(2000)]
given = [values.copy() for values in many]
arrays = []
for values in given:
    arrays.append(native.to_device(values))
    values[:] = 0.0
assert fake.calls("cuEventSynchronize") > 0 and not native.cuda_is_idle(0)
for x, values in zip(arrays, many):
    np.testing.assert_array_equal(x.copy_to_host(), values)
""")


def test_threads_copy_and_launch(runs):
    runs("""
def work(seed):
    try:
        random = np.random.default_rng(seed)
        for _ in range(30):
            values = random.random(random.integers(1, 10**6 if seed == 0 else 1000))
            x = native.to_device(values)
            y = native.device_array(values.shape, "f8")
            doubled[1, 32](x, y)
            np.testing.assert_array_equal(y.copy_to_host(), 2.0 * values)
    except BaseException as error:
        wrong.append(error)
wrong = []
threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not wrong, wrong
""")


def test_a_wait_can_be_interrupted(runs):
    """The device goes on, and what it makes can be asked for again; a handler may copy, too."""
    runs("""
import os, signal, time
x = native.to_device(np.ones(3))
doubled[1, 32](x, x)
copied = []
def interrupt(*_):
    fake.library.fake_stall(0)
    copied.append(native.to_device(np.ones(3)).copy_to_host().sum())
    fake.library.fake_stall(1)
    raise KeyboardInterrupt
signal.signal(signal.SIGINT, interrupt)
for wait in (x.copy_to_host, x.wait, lambda: native.cuda_synchronize(0), lambda: native.fetch(x[0, ...])):
    fake.library.fake_stall(1)
    threading.Thread(target=lambda: (time.sleep(0.2), os.kill(os.getpid(), signal.SIGINT))).start()
    with pytest.raises(KeyboardInterrupt):
        wait()
fake.library.fake_stall(1)
threading.Thread(target=lambda: (time.sleep(0.3), fake.library.fake_stall(0))).start()
assert (x.copy_to_host() == 2.0).all() and copied == [3.0] * 4
""")


# --- memory ----------------------------------------------------------------------------------------------------------


def test_freed_memory_is_used_in_the_order_of_the_stream(runs):
    """The next array gets the block at once; what the last owner asked for still sees its own values."""
    runs("""
values, result = random.random(100), native.device_array(100, "f8")
x = native.to_device(values)
address = x.ptr
doubled[1, 32](x, result)
del x
y = native.to_device(np.zeros(100))
assert y.ptr == address and not native.cuda_is_idle(0)
np.testing.assert_array_equal(result.copy_to_host(), 2.0 * values)
view = y[3:]
del y
assert native.device_array(100, "f8").ptr != address
assert (view.copy_to_host() == 0.0).all()
""")


def test_blocks(runs):
    runs("""
assert native.cuda_memory(0)[0] == 0
empty, one = native.device_array(0, "f8"), native.device_array(1, "i1")
assert native.cuda_memory(0)[:3] == (512, 512, 512) and fake.live() == 512
del empty, one
assert native.cuda_memory(0)[:3] == (0, 512, 512)
asked = fake.calls("cuMemAllocAsync")
for size in (0, 1, 31, 32):
    native.device_array(size, "f8")
assert fake.calls("cuMemAllocAsync") == asked
for bytes_ in (257, 1000, 4097, 10**5, 3 * 10**6, 10**7, 10**8):
    x = native.device_array(bytes_, "u1")
    taken = native.cuda_memory(0)[0]
    assert bytes_ <= taken <= max(bytes_ * 1.125 + 256, bytes_ + 2**21), bytes_
    del x
    held = native.cuda_memory(0)[2]
    x = native.device_array(bytes_, "u1")
    assert native.cuda_memory(0)[2] == held
    del x
assert (fake.live() > 0) and native.cuda_trim(0) is None and fake.live() == 0 and native.cuda_memory(0)[2] == 0
""")


def test_no_memory_is_told_after_all_has_been_tried(runs):
    runs("""
fake.library.fake_capacity(10 << 20)
kept = native.device_array(4 << 20, "u1")
for _ in range(3):
    native.device_array(5 << 20, "u1")
    native.device_array(3 << 20, "u1")
with pytest.raises(MemoryError, match=r"cuda:0 has no memory for 8388608 bytes: arrays hold 4194304 bytes there, and "
                                      r"6291456 of the device's 10485760 bytes are free"):
    native.device_array(8 << 20, "u1")
assert native.device_array(6 << 20, "u1").size == 6 << 20
fake.fail("cuMemAllocAsync", 1, 2)
assert native.device_array(100 << 10, "u1").size == 100 << 10
kept.copy_to_host()
""")


def test_a_device_without_pools(runs):
    runs("""
values = random.random(1000)
for _ in range(3):
    np.testing.assert_array_equal(native.to_device(values).copy_to_host(), values)
native.cuda_trim(0)
assert fake.live() == 0 and fake.calls("cuMemAlloc_v2") == 1 and fake.calls("cuMemAllocAsync") == 0
""", FAKE_CUDA_NO_POOLS="1")  # fmt: skip


# --- launches --------------------------------------------------------------------------------------------------------


def test_what_a_kernel_gets(runs):
    """Numbers of every dtype and arrays of every layout, as they are; `read` looks at the words."""
    runs("""
NAMES = [f"scalar {dtype}" for dtype in DTYPES]
got = []
@fake.kernel(*NAMES)
def scalars(grid, block, *values):
    got.append((grid, block, values))
given = [np.dtype(dtype).type(1) for dtype in DTYPES]
scalars[(2, 3), (4, 5, 6)](*given)
numbers = [True, -3, 200, 1, 2, 2**62, 2**64 - 1, 0.5, 0.1, 0.1, 1.5 + 2.0j, 3]
scalars[7, 32](*numbers)
native.cuda_synchronize(0)
assert got[0][:2] == ((2, 3, 1), (4, 5, 6)) and got[1][:2] == ((7, 1, 1), (32, 1, 1))
assert list(got[0][2]) == given
assert [type(one) for one in got[1][2]] == [np.dtype(dtype).type for dtype in DTYPES]
assert list(got[1][2]) == [np.dtype(dtype).type(one) for dtype, one in zip(DTYPES, numbers)]

@fake.kernel("array i4 2 strided", "scalar f4", "array f8 0")
def arrays(grid, block, x, s, y):
    got.append((x.copy(), x.strides, s))
    y[()] = x.sum()
values, total = np.arange(12, dtype="i4").reshape(3, 4), native.device_array((), "f8")
x = native.to_device(values)
for index in (np.s_[:], np.s_[::-1, 1:3], np.s_[1:1], np.s_[:, ::2]):
    arrays[1, 32](x[index], 2.5, total)
    assert native.fetch(total) == values[index].sum()
    np.testing.assert_array_equal(got[-1][0], values[index])
    assert got[-1][1] == values[index].strides
arrays[1, 32](x.T, 2.5, total)
assert native.fetch(total) == 66.0 and got[-1][1] == (4, 16)
before = len(got)
arrays[(0, 1), 32](x, 2.5, total)
native.cuda_synchronize(0)
assert len(got) == before
""")


def test_arrays_without_elements_have_memory(runs):
    """A kernel that has failed reads the first element along an axis of length 0."""
    runs("""
addresses = []
@fake.kernel("array f8 2 strided", "array f8 2")
def looked(grid, block, x, y):
    addresses.append([v.__array_interface__["data"][0] for v in (x, y)])
full = native.to_device(np.ones((3, 4)))
before = native.cuda_memory(0)[0]
for shape in ((0, 5000), (5000, 0), (0,)):
    empty = native.device_array(shape, "f8")
    assert native.cuda_memory(0)[0] - before >= 8 * max(shape), shape
    assert empty.copy_to_host().shape == shape
    del empty
looked[1, 1](full[3:], full)
native.cuda_synchronize(0)
assert addresses[0][0] == addresses[0][1] == full.ptr
""")


def test_what_a_kernel_refuses(runs):
    runs("""
@fake.kernel("array f8 2", "scalar i4", "scalar f4")
def own(grid, block, *rest): pass
x = native.to_device(np.ones((3, 4)))
launch = own[1, 32]
for args, told in (
    ((x, 1), "own takes 3 arguments, not 2"),
    ((x, 1, 2.0, 3), "own takes 3 arguments, not 4"),
    ((np.ones((3, 4)), 1, 2.0), "(?s)argument 1 of own is array.*takes a contiguous array of 2 dimensions of float64"),
    ((x.reshape(12), 1, 2.0), "argument 1 of own is <device array .12,. of float64 on cuda:0>, where"),
    ((x.T, 1, 2.0), "argument 1 of own is the strided <device array"),
    ((native.to_device(np.ones((3, 4), "f4")), 1, 2.0), "argument 1 of own is <device array .3, 4. of float32"),
    ((x, 1.0, 2.0), "argument 2 of own is 1.0, where it takes a scalar of int32"),
    ((x, np.int64(1), 2.0), "argument 2 of own is np.int64.1., where it takes a scalar of int32"),
    ((x, True, 2.0), "argument 2 of own is True"),
    ((x, None, 2.0), "argument 2 of own is None"),
    ((x, 1, np.float64(2.0)), "argument 3 of own is np.float64.2.0., where it takes a scalar of float32"),
    ((x, 1, 1j), "argument 3 of own is 1j"),
):
    with pytest.raises(TypeError, match=told):
        launch(*args)
with pytest.raises(OverflowError):
    launch(x, 2**31, 2.0)
with pytest.raises(TypeError, match="no keywords"):
    launch(x, 1, s=2.0)
for shape, error in ((1, TypeError), ((1, 2, 3), TypeError), ((-1, 32), ValueError), (((1, 2, 3, 4), 32), ValueError),
                     ((1, ()), ValueError), ((2**31, 32), ValueError), ((1.5, 32), TypeError)):
    with pytest.raises(error):
        own[shape]
with pytest.raises(native.CudaError, match=r"cuLaunchKernel of own, grid \\(1, 1, 1\\), block \\(2048, 1, 1\\): "
                                           r"CUDA_ERROR_INVALID_VALUE \\(1\\)"):
    own[1, 2048](x, 1, 2.0)
assert fake.launched == []
for kinds in ([("array", 1, "f8")], [("list", "f8")], [3], [("array", -1, "f8", True)], [("scalar",)]):
    with pytest.raises((TypeError, ValueError)):
        native.Kernel(own.function, kinds)
assert own.function.attributes() == {
    "most_threads": 1024, "shared_bytes": 0, "constant_bytes": 0, "local_bytes": 0, "registers": 32}
""")


def test_errors_name_call_code_and_kernel(runs):
    runs("""
x = native.to_device(np.ones(3))
with pytest.raises(native.CudaError, match="cuModuleLoadDataEx .200.: ptxas fatal: this is no image"):
    native.Kernel(native.Module(b"nothing").function("f"), [])[1, 32]()
with pytest.raises(native.CudaError, match="cuModuleGetFunction .500.: the module has no kernel g"):
    native.Kernel(native.Module(b"fake\\nf 8\\n").function("g"), [])[1, 32]()
fake.fail("cuMemcpyHtoDAsync_v2", 1, 1)
with pytest.raises(native.CudaError, match="^cuMemcpyHtoDAsync: CUDA_ERROR_INVALID_VALUE .1.: the driver says no"):
    native.to_device(np.ones(3))
doubled[1, 32](x, x)
assert (x.copy_to_host() == 2.0).all()
doubled[1, 32](x, x)
fake.fail("cuStreamQuery", 1, 700, True)
told = ("cuStreamQuery: CUDA_ERROR_ILLEGAL_ADDRESS .700.: an illegal memory access was encountered; the last "
        "kernel launched on cuda:0 was doubled")
with pytest.raises(native.CudaError, match=told):
    native.cuda_synchronize(0)
for use in (x.copy_to_host, lambda: doubled[1, 32](x, x), x.clear, lambda: native.cuda_memory(0), x.wait,
            lambda: native.device_array(10**6, "f8")):
    with pytest.raises(native.CudaError, match="ILLEGAL_ADDRESS"):
        use()
assert issubclass(native.CudaError, RuntimeError)
""")


def test_the_context_of_another_library_stays(runs):
    runs("""
import ctypes
mine = ctypes.c_void_p()
fake.library.cuDevicePrimaryCtxRetain(ctypes.byref(mine), 1)
x = native.to_device(np.ones(3), 0)
fake.library.cuCtxPushCurrent_v2(mine)
doubled[1, 32](x, x)
assert (x.copy_to_host() == 2.0).all() and x.copy().number == 0
y = native.to_device(np.ones(3), 1)
doubled[1, 32](y, y)
now = ctypes.c_void_p()
fake.library.cuCtxGetCurrent(ctypes.byref(now))
assert now.value == mine.value
del x, y
native.cuda_trim(0), native.cuda_trim(1)
fake.library.cuCtxGetCurrent(ctypes.byref(now))
assert now.value == mine.value
""", FAKE_CUDA_DEVICES="2")  # fmt: skip


def test_two_devices(runs):
    runs("""
x, y = native.to_device(np.ones(3), 0), native.to_device(np.ones(3), 1)
with pytest.raises(ValueError, match="arguments of doubled are on different devices, cuda:0 and cuda:1"):
    doubled[1, 32](x, y)
assert native.cuda_use(1) == 0
assert native.device_array(3, "f8").number == 1 and native.cuda_memory(0)[0] == native.cuda_memory(1)[0]
doubled[1, 32](y, y)
assert (y.copy_to_host() == 2.0).all() and repr(y) == "<device array (3,) of float64 on cuda:1>"
assert native.cuda_use(0) == 1
with pytest.raises(ValueError, match="there is no device cuda:2"):
    native.to_device(np.ones(3), 2)
""", FAKE_CUDA_DEVICES="2")  # fmt: skip


# --- other libraries -------------------------------------------------------------------------------------------------


def test_arrays_of_other_libraries(runs):
    """Without a copy, both ways; the memory lives as long as either needs it, and streams wait for each other."""
    runs("""
class Theirs:
    def __init__(self, array, **more):
        self.array, self.__cuda_array_interface__ = array, array.__cuda_array_interface__ | more

values = np.arange(24.0).reshape(4, 6)
x = native.to_device(values)
for view, here in ((x, values), (x[1:, ::2], values[1:, ::2]), (x.T, values.T), (x[::-1], values[::-1]),
                   (x[1, 2, ...], values[1, 2]), (x[:0], values[:0])):
    found = view.__cuda_array_interface__
    assert found["version"] == 3 and found["typestr"] == "<f8" and found["shape"] == here.shape
    assert found["data"] == (view.ptr if here.size else 0, False) and found["stream"] == native.cuda_stream(0)
    assert (found["strides"] is None) == view.is_contiguous
    for given in (Theirs(view), Theirs(view, stream=1), Theirs(view, stream=None), view):
        back = native.device_array_from(given)
        assert back.shape == here.shape
        assert not here.size or (back.ptr, back.strides) == (view.ptr, here.strides)
        np.testing.assert_array_equal(back.copy_to_host(), here)
del back, view, given
assert native.cuda_memory(0)[0] == 256
with pytest.raises(TypeError, match="mask"):
    native.device_array_from(Theirs(x, mask=1))
with pytest.raises(TypeError, match="no array on a device"):
    native.device_array_from(3)

class ByDLPack:
    def __init__(self, array, versions): self.array, self.versions = array, versions
    def __dlpack_device__(self): return self.array.__dlpack_device__()
    def __dlpack__(self, *, stream=None, **more):
        if more and not self.versions: raise TypeError("no versions")
        assert stream == native.cuda_stream(0)
        return self.array.__dlpack__(stream=stream, **more)
for dtype in DTYPES:
    values = random.integers(0, 2, (4, 6)).astype(dtype)
    x = native.to_device(values)
    for view, here in ((x, values), (x[::-1, ::2], values[::-1, ::2]), (x[:0], values[:0])):
        for versions in (False, True):
            back = native.device_array_from(ByDLPack(view, versions))
            assert back.dtype == here.dtype and (not here.size or back.strides == here.strides)
            np.testing.assert_array_equal(back.copy_to_host(), here)
assert x.__dlpack_device__() == (2, 0)
copy = native.device_array_from(ByDLPack(x, True))
address = x.ptr
del x, view, back
assert copy.ptr == address and native.device_array((4, 6), "c16").ptr != address
capsule = copy.__dlpack__(stream=-1)
del copy
assert native.device_array((4, 6), "c16").ptr != address
del capsule
gc.collect()
assert native.cuda_memory(0)[0] == 0
x = native.to_device(np.ones(3))
for options, error in (({"stream": 0}, ValueError), ({"dl_device": (1, 0)}, BufferError)):
    with pytest.raises(error):
        x.__dlpack__(**options)
before = fake.calls("cuStreamWaitEvent")
x.__dlpack__(), x.__dlpack__(stream=2), x.__dlpack__(stream=-1), x.__dlpack__(copy=True, max_version=(1, 0))
assert fake.calls("cuStreamWaitEvent") == before + 3
""")


# --- kernels with their driver ---------------------------------------------------------------------------------------

LOADED = """
TEXT = '''
import math
import numpy as np

from pellucid.support import cuda, elements, faults, fetch, host, index, row_sum_f64


# x: f64[n]   y: f64[n]   failed: i64[1]
@cuda.jit
def f_1(x, y, failed):
    i = cuda.grid(1)


@host(changes=("out",))
def f_2(x, out):
    out[:] = np.cumsum(x)


# f (program.py:1), kernels stage
def f(x, n):
    failed = faults()
    y = cuda.device_array(x.shape[0], np.float64)
    f_1[elements(x.shape[0])](x, y, failed)
    BODY
'''
is_wrong = False

@fake.machine("array f8 1", "array f8 1", "array i8 1")
def f_1(grid, block, x, y, failed):
    assert (grid, block, failed[0]) == ((1, 1, 1), (256, 1, 1), 0)
    y[:] = 2.0 * x
    failed[0] = int(is_wrong)

def explain(x, n):
    raise IndexError(f"{n} is out of bounds for {x.shape}")

def loaded(body):
    return kernels.LoadedKernels({"f_1": f_1}, TEXT.replace("BODY", body.replace("; ", chr(10) + "    ")), explain)
values = np.arange(5.0)
x = native.to_device(values)
"""


def test_a_driver_runs_as_it_is_printed(runs):
    runs(LOADED + """
one = loaded("failed.check(); return y")
y = one(x, 3)
assert not native.cuda_is_idle(0)
np.testing.assert_array_equal(y.copy_to_host(), 2.0 * values)
assert y.verdict is None
several = loaded("z = cuda.device_array(x.shape[0], np.float64); f_2(y, z); failed.check(); "
                 "return z, n + 1, fetch(z[2, ...])")
z, number, element = several(x, 3)
np.testing.assert_array_equal(z.copy_to_host(), np.cumsum(2.0 * values))
assert number == 4 and type(element) is np.float64 and element == 6.0
assert loaded("return math.sqrt(n), index")(x, 4)[0] == 2.0
assert loaded("return x[1:]")(x, 4).copy_to_host().tolist() == values[1:].tolist()
with pytest.raises(ValueError, match="ends with its driver"):
    kernels.LoadedKernels({}, "import math")
del x, y, z, one
gc.collect()
assert native.cuda_memory(0)[0] == 0
""")  # fmt: skip


def test_a_fault_is_raised_where_results_are_read(runs):
    """By arrays when they come to the host, by later calls that used them, and at once by numbers of the host."""
    runs(LOADED + """
told = r"3 is out of bounds for \\(5,\\)"
array, number = loaded("failed.check(); return y"), loaded("failed.check(); return y, n")
is_wrong = True
y = array(x, 3)
view = y[1:]
for use in (y.copy_to_host, view.copy_to_host, y.wait, y.copy_to_host, lambda: native.fetch(y[0, ...]), y.copy().wait):
    with pytest.raises(IndexError, match=told):
        use()
for body in ("failed.check(); return y, n", "return fetch(y[0, ...])", "f_2(y, y); return y"):
    with pytest.raises(IndexError, match=told):
        loaded(body)(x, 3)
is_wrong = False
later = array(array(y, 4), 5)
with pytest.raises(IndexError, match=told):
    later.copy_to_host()
good = array(x, 3)
for _ in range(50):
    good = array(good, 3)
good.copy_to_host()
is_wrong = True
with pytest.raises(IndexError, match=told):
    for _ in range(50):
        good = array(good, 3)
silent = kernels.LoadedKernels({"f_1": f_1}, TEXT.replace("BODY", "failed.check(); return y"), lambda x, n: None)
with pytest.raises(RuntimeError, match="a kernel has found an error, and the program on the processor has not"):
    silent(x, 3).wait()
assert (x.copy_to_host() == values).all()
""")  # fmt: skip


# --- Array -----------------------------------------------------------------------------------------------------------


def test_an_array_on_a_device(runs):
    """Nothing is copied before somebody asks for elements, and then once."""
    runs("""
(gpu,) = devices("cuda")
values = np.arange(12.0).reshape(3, 4)
copies = lambda: (fake.calls("cuMemcpyHtoDAsync_v2"), fake.calls("cuMemcpyDtoHAsync_v2"))
x = device_put({"a": (values, 2.0)}, "cuda")["a"][0]
assert type(x) is Array and copies() == (1, 0)
assert (x.shape, x.dtype, x.ndim, x.size, x.nbytes, x.itemsize) == ((3, 4), values.dtype, 2, 12, 96, 8)
assert x.strides == (32, 8)
assert x.device == gpu == "cuda" and x.devices() == {gpu} and repr(x.device) == "<device cuda:0>" and len(x.shape) == 2
assert x.to_device("cuda:0") is x and device_put(x, gpu) is not None and copies() == (1, 0)
assert x.__cuda_array_interface__["data"][1] is True and x.__dlpack_device__() == (2, 0)
assert native.device_array_from(x).ptr == x.__cuda_array_interface__["data"][0]
x.block_until_ready(), gpu.finish()
assert x.is_ready() and gpu.in_flight() == 0 and copies() == (1, 0)
np.testing.assert_array_equal(np.asarray(x), values)
assert copies() == (1, 1)
assert str(x) == str(values) and x[1, 2] == 6.0 and (x + 1.0).device == gpu and bytes(memoryview(x)) == values.tobytes()
assert float(x.sum()) == 66.0 and x.tolist() == values.tolist() and x.T.device == gpu
assert not np.asarray(x).flags.writeable
assert copies() == (1, 1)
back = x.to_device("cpu")
assert back.device == "cpu" and not hasattr(back, "__cuda_array_interface__") and copies() == (1, 1)
assert back.__dlpack_device__() == (1, 0)
y = x + 1.0
np.testing.assert_array_equal(native.device_array_from(y).copy_to_host(), values + 1.0)
assert copies()[0] == 1 and y.__cuda_array_interface__["shape"] == (3, 4)
np.testing.assert_array_equal(x @ x.T, values @ values.T)
z, before = x[:, ::-1], copies()[0]
np.testing.assert_array_equal(native.device_array_from(z).copy_to_host(), values[:, ::-1])
assert copies()[0] == before
z = pellucid.Array(values[:, ::-1])._on(x._device)  # which the host made for the device
for _ in range(2):
    np.testing.assert_array_equal(native.device_array_from(z).copy_to_host(), values[:, ::-1])
    assert copies()[0] == before + 1
del z
stats = gpu.memory_stats()
assert stats["bytes_in_use"] == 512 and stats["bytes_limit"] == 2**34 and stats["peak_bytes_in_use"] >= 512
assert device_put(2.0, "cuda") == 2.0 and device_put(np.float32(2.0), "cuda").shape == ()
with pellucid.default_device("cuda"):
    assert device_put(values).device == gpu and Array(values).device == gpu
assert device_put(values).device == "cpu"
assert pellucid.device_get(x).tolist() == values.tolist()
del x, y, back
gc.collect()
assert gpu.memory_stats()["bytes_in_use"] == 0
""")


def test_what_is_not_computed_is_waited_for(runs):
    runs("""
@pellucid.compile
def halved(x, n):
    for _ in range(n):
        x = x * 0.5 + 1.0
    return x
x = Array(np.ones(3))
for n in (3, 3, 3, 3 * 10**7):
    y = halved(x, n)
z = device_put(y, "cuda")
np.testing.assert_allclose(z, [2.0, 2.0, 2.0])
""")


def test_arguments_on_different_devices_are_refused(runs):
    runs("""
first, second = devices("cuda")
added = pellucid.compile(lambda x, y: x + y)
x, y, z = device_put(np.ones(3), first), device_put(np.ones(3), second), device_put(np.ones(3), "cpu")
for _ in range(3):
    for left, right, told in ((x, y, "cuda:0 and cuda:1"), (z, y, "cpu:0 and cuda:1"), (x, z, "cuda:0 and cpu:0")):
        with pytest.raises(ValueError, match=f"arguments are on different devices, {told}; `pellucid.device_put`"):
            added(left, right)
moved = y.to_device(first)
assert moved.device == first and moved._there.number == 0 and y._there.number == 1
np.testing.assert_array_equal(native.device_array_from(moved).copy_to_host(), [1.0, 1.0, 1.0])
""", FAKE_CUDA_DEVICES="2", PELLUCID_CPU_DEVICES="2")  # fmt: skip
