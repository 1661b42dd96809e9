"""Device functions as numba.cuda compiles them: all do, and a function of float32 stays in float32.

Needs numba-cuda and no GPU: `pip install "numba-cuda[cu12]"`.
"""

import re
from types import SimpleNamespace

import pytest

numba_cuda = pytest.importorskip("numba.cuda")
dispatcher = pytest.importorskip("numba.cuda.dispatcher")

from numba import boolean, float32, float64, int32, int64, uint8, uint64  # noqa: E402

from pellucid.runtime.kernels.loading import load  # noqa: E402

pytestmark = pytest.mark.long

CAPABILITY = (9, 0)
NAMED = {"f64": float64, "f32": float32, "i64": int64, "i32": int32, "u64": uint64, "u8": uint8}
INTEGERS = (int32, int64, uint8, uint64)
# Functions of floats alone; of integers alone; all others are for both.
OF_FLOATS = "heaviside signbit floor_divide remainder reciprocal cbrt rint logaddexp logaddexp2".split()
OF_INTEGERS = "left_shift right_shift floor_divide_integer remainder_integer fmod_integer power_integer".split()
PER_THREAD = "def kernel({parameters}, out):\n    i = cuda.grid(1)\n    out[i] = {call}\n"


@pytest.fixture(scope="module")
def functions():
    # A device function that a kernel calls is compiled for the GPU at hand, even where another one is named.
    before = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=CAPABILITY)
    yield load(numba_cuda)
    dispatcher.get_current_device = before


def dtypes_of(name):
    last = name.rpartition("_")[2]
    if last in NAMED:
        return (NAMED[last],)
    if name in ("row_any", "row_all"):
        return (boolean,)
    return (*(() if name in OF_INTEGERS else (float32, float64)), *(() if name in OF_FLOATS else INTEGERS))


CASES = [
    (name, dtype)
    for name, function in load(pytest.importorskip("pellucid.runtime.lockstep").cuda).items()
    if name != "ALL"
    for dtype in dtypes_of(name)
]


def ptx_of(function, count, dtype, is_choice):
    names = [f"x_{k}" for k in range(1 if is_choice else count)]
    values = [f"{name}[i]" for name in names]
    call = f"function({', '.join([*values, *(['i'] if is_choice else [])])}){'[1]' if is_choice else ''}"
    scope = {"cuda": numba_cuda, "function": function}
    exec(PER_THREAD.format(parameters=", ".join(names), call=call), scope)
    of_result = int64 if is_choice else dtype
    return numba_cuda.compile_ptx(scope["kernel"], (*(dtype[::1] for _ in names), of_result[::1]), cc=CAPABILITY)[0]


@pytest.mark.parametrize("name, dtype", CASES, ids=str)
def test_it_compiles_and_stays_in_its_dtype(name, dtype, functions):
    function = functions[name]
    text = ptx_of(function, function.py_func.__code__.co_argcount, dtype, "arg" in name)
    assert ".visible .entry" in text
    if dtype is float32:
        assert not re.findall(r"^\s*[\w.]+\.f64\b.*", text, re.MULTILINE)
