"""Kernels go through numba-cuda and ptxas, without a GPU: `make cuda-check`."""

import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import StageError
from pellucid.compiler.targets.cuda.assemble import assemble, parameters_in, shared_in
from pellucid.compiler.targets.cuda.listing import lint, opcodes, sass, table
from pellucid.compiler.targets.cuda.machine import slots
from pellucid.compiler.targets.cuda.toolkit import toolkit
from pellucid.runtime import lockstep
from pellucid.runtime.kernels.loading import load

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))

from kernels import KERNELS

from .cuda_kernels import TEXTS, text_of

pytestmark = pytest.mark.cuda
pytest.importorskip("numba_cuda", reason="numba-cuda is not installed: `make cuda-check` does that")
CAPABILITIES = ((8, 0), (9, 0))
OF_PTX = {"i64": "u64", "f64": "f64", "f32": "f32", "f16": "u16", "bool": "u8", "i8": "u8"}


@pytest.fixture(autouse=True)
def own_store(tmp_path, monkeypatch):
    monkeypatch.setenv("PELLUCID_CACHE", "1")
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def machines():
    """Every kernel of the texts, by name and capability."""
    found = {}
    for name, path in TEXTS.items():
        for capability in CAPABILITIES:
            for machine in assemble(text_of(name), capability, path=str(path)).values():
                found[machine.name, capability] = machine, text_of(name)
    return found


def test_nothing_spills_and_nothing_is_hidden(machines):
    assert {one.spills for one, _ in machines.values()} == {0}
    assert [line for one, text in machines.values() for line in lint(one, text)] == []
    assert all(0 < one.registers <= 64 and one.cubin.startswith(b"\x7fELF") for one, _ in machines.values())
    assert all(one.entry.encode() in one.cubin for one, _ in machines.values())


def test_arguments_are_passed_as_described(machines):
    """The `.param` list that numba-cuda made is the one that `slots` promises the launch."""
    for machine, _ in machines.values():
        promised = [OF_PTX[slot] for parameter in machine.parameters for slot in slots(parameter)]
        assert list(parameters_in(machine.ptx)) == promised, machine.name


def test_ptx_and_assembler_agree_on_shared_memory(machines):
    for machine, _ in machines.values():
        assert machine.shared_bytes == shared_in(machine.ptx)
    assert machines["xent_1", (9, 0)][0].shared_bytes == 512 and machines["kinds", (9, 0)][0].shared_bytes == 33 * 4


def test_the_array_of_an_argument_is_read_where_it_is_said_to_be():
    """`x[i, j]` of a strided array: address, lengths and strides are words 4, 5, 6 and 7, 8 of its slots."""
    text = """
import numpy as np

from pellucid.support import cuda


# x: any f64[n, m]   where: i64[n]
@cuda.jit
def words(x, where):
    where[0] = x.shape[0]
    where[1] = x.shape[1]
    where[2] = x.strides[0]
    where[3] = x.strides[1]
    where[4] = x.size
"""
    ptx = assemble(text)["words"].ptx
    read = dict(re.findall(r"ld\.param\.u64\s+(%rd\d+), \[words_param_(\d+)\];", ptx))
    stored = [read[register] for register in re.findall(r"st(?:\.global)?\.u64\s+\[[^\]]+\], (%rd\d+);", ptx)]
    assert stored == ["5", "6", "7", "8", "2"]


@pytest.mark.skipif(not toolkit().nvdisasm, reason="nvdisasm is not installed")
def test_products_and_sums_are_contracted_under_fastmath_alone():
    for capability in CAPABILITIES:
        plain = opcodes(sass(assemble(text_of("poly"), capability)["poly_1"]))
        fused = opcodes(sass(assemble(text_of("poly"), capability, fastmath=True)["poly_1"]))
        assert plain.count("FADD") == plain.count("FMUL") == 2 and "FFMA" not in plain
        assert "FFMA" in fused and fused.count("FADD") + fused.count("FMUL") < 4
        exact = opcodes(sass(assemble(text_of("jacobi"), capability)["jacobi_2"]))
        assert exact.count("DADD") == 3 and exact.count("DMUL") == 1 and "DFMA" not in exact


def test_fastmath_keeps_functions_exact():
    """It contracts; it takes no approximations of functions, and subnormal numbers stay."""
    ptx = assemble(WIDE, fastmath=True, kernels=["sine", "quotient"])
    ptx = "".join(one.ptx for one in ptx.values())
    assert "div.rn.f32" in ptx and "sqrt.rn.f32" in ptx
    assert not re.search(r"(?:sin|div|sqrt|mul|add|fma\.rn)\.(?:approx|ftz)", ptx)


@pytest.mark.skipif(not toolkit().nvdisasm, reason="nvdisasm is not installed")
def test_a_table_tells_what_kernels_cost(machines):
    lines = list(table(one for one, _ in machines.values()))
    assert lines[0].split() == ["kernel", "sm", "registers", "spills", "shared", "SASS", "instructions"]
    assert len(lines) == 1 + len(machines)
    row = next(line for line in lines if line.startswith("poly_1") and "sm_90" in line)
    assert "1 LDG 1 STG 2 FADD 2 FMUL" in row


WIDE = """
import numpy as np

from pellucid.support import cuda


# x: f32[n]   y: f32[n]   size: int
@cuda.jit
def wide(x, y, size):
    i = cuda.grid(1)
    if i < size:
        y[i] = 0.3 * x[i]


# x: f32[n]   y: f32[n]   size: int
@cuda.jit
def narrow(x, y, size):
    i = cuda.grid(1)
    if i < size:
        y[i] = np.float32(0.3) * x[i]


# x: f32[n]   y: f32[n]   size: int
@cuda.jit
def sine(x, y, size):
    i = cuda.grid(1)
    if i < size:
        y[i] = math.sin(x[i])


# x: f32[n]   y: f32[n]   size: int
@cuda.jit
def quotient(x, y, size):
    i = cuda.grid(1)
    if i < size:
        y[i] = math.exp(x[i]) / math.sqrt(y[i])


# x: f64[n]   y: f64[n]   size: int
@cuda.jit
def stack(x, y, size):
    i = cuda.grid(1)
    local = cuda.local.array(40, np.float64)
    for k in range(40):
        local[k] = k * x[k]
    if i < size:
        y[i] = local[i]
"""


def test_lint_finds_constants_that_are_not_cast_and_memory_of_threads():
    found = {name: lint(machine, WIDE) for name, machine in assemble(WIDE).items()}
    assert "float64 instructions in a kernel of float32" in found.pop("wide")[0]
    assert found.pop("stack") == ("stack (sm_90): 320 bytes of each thread are in local memory",)
    assert set(found.values()) == {()}


# --- what the compiler prints --------------------------------------------------------------------------------------

WORDS = ("f64", "f32", "i64", "i32", "u64", "u8", "c128", "c64")
OF_INTS = ("left_shift", "right_shift", "index", "natural_index")
OF_COMPLEX = "log_of_size"  # beside those that have it in their names
GIVEN = {"failed": "failed", "place": "np.int64(x[0])", "lane": "7"}
FIRST = ("row_argmax", "row_argmin", "block_scan", "in_tile")  # which give two values
CALL = """

# x: {word}[n]   y: {word}[n]   failed: i64[1]
@cuda.jit
def with_{word}(x, y, failed):
    y[0] = {call}
"""


def calls_of(name, function):
    """Kernels that call a device function, for each dtype that it is for."""
    own = name.rpartition("_")[2]
    if own in WORDS:
        words = (own,)
    elif "complex" in name or name == OF_COMPLEX:
        words = ("c128",) if name.startswith("checked") else ("c128", "c64")
    elif "integer" in name or name in OF_INTS:
        words = ("i64", "i32")
    else:
        # what is checked is a number of Python's
        words = ("f64", "i64") if name.startswith("checked") else ("f64", "f32")
    for word in words:
        parameters = list(inspect.signature(function.py_func).parameters)
        value = "{} > y[0]" if name in ("row_any", "row_all") else "{}"
        given = [GIVEN.get(parameter, value.format(f"x[{place}]")) for place, parameter in enumerate(parameters)]
        call = f"{name}({', '.join(given)})" + ("[0]" if name.startswith(FIRST) else "")
        if name == "row_sync":
            call = f"x[1]\n    {call}"
        yield CALL.format(word=word, call=call)


DEVICE_FUNCTIONS = {name: one for name, one in load(lockstep.cuda).items() if name != "ALL"}


@pytest.mark.parametrize("name", DEVICE_FUNCTIONS)
def test_device_functions_compile_and_stay_in_their_dtypes(name):
    head = f"import numpy as np\n\nfrom pellucid.support import cuda, {name}\n"
    text = head + "".join(calls_of(name, DEVICE_FUNCTIONS[name]))
    for capability in CAPABILITIES:
        for machine in assemble(text, capability).values():
            assert lint(machine, text) == ()


def softmax_cross_entropy(logits, labels):
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    logp = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(np.sum(labels * logp, axis=1))


def cube(x):
    return x + x**2 + x**3


def column_sum(x):
    return np.sum(x, axis=0)


M, S = np.ones((3, 4)), np.ones((3, 4), np.float32)
PROGRAMS = {
    "cube": (cube, (S,)),
    "column_sum": (column_sum, (S,)),
    "entropy": (softmax_cross_entropy, (M, M)),
    "entropy_f32": (softmax_cross_entropy, (S, S)),
    "entropy_grad": (pellucid.grad(softmax_cross_entropy), (M, M)),
    **{kernel.name: (kernel.function, kernel.make(kernel.small, np.random.default_rng(5))) for kernel in KERNELS},
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_printed_stages_compile(name):
    function, arguments = PROGRAMS[name]
    compiled = function if hasattr(function, "source") else pellucid.compile(function)
    text = str(compiled.source("kernels", *arguments))
    if "@cuda.jit" not in text:
        pytest.skip("all of it stays on the host")
    for machine in assemble(text, path=f"{name}.py").values():
        assert lint(machine, text) == ()
        assert machine.cubin and machine.registers <= 128


# --- processes and the store ---------------------------------------------------------------------------------------

PROGRAM = """
import json, sys
from pellucid.compiler.targets.cuda.assemble import assemble
found = assemble(open({path!r}).read())
used = [name for name in ("numba", "numba_cuda", "llvmlite") if name in sys.modules]
print(json.dumps([used, {{name: [one.ptx, one.cubin.hex(), one.registers] for name, one in found.items()}}]))
"""


def assembled_elsewhere(name, cache):
    program = PROGRAM.format(path=str(TEXTS[name]))
    environment = {**os.environ, "PELLUCID_CACHE": "1", "PELLUCID_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True,
                          cwd=Path(__file__).parents[1])  # fmt: skip
    return json.loads(done.stdout)


def test_what_is_in_the_store_needs_no_numba(tmp_path):
    used, first = assembled_elsewhere("xent", tmp_path / "cache")
    assert "numba_cuda" in used
    used, second = assembled_elsewhere("xent", tmp_path / "cache")
    assert used == [] and second == first


def test_every_process_makes_the_same_code(tmp_path):
    """Numba counts its functions in their names, which are replaced."""
    _, elsewhere = assembled_elsewhere("xent", tmp_path / "other")
    for name, machine in assemble(text_of("xent"), kernels=["xent_3", "xent_2", "xent_1"]).items():
        assert elsewhere[name] == [machine.ptx, machine.cubin.hex(), machine.registers]


# --- faults --------------------------------------------------------------------------------------------------------

HALF = """
from pellucid.support import cuda


# x: f16[n]
@cuda.jit
def half(x):
    x[0] = x[1] * x[2]
"""


def test_float16_has_no_arithmetic_of_its_own():
    """numba-cuda would have it from CUDA C++, which NVRTC compiles: it is computed in float32, as on the CPU."""
    with pytest.raises(StageError, match="`half`: it calls .*; numbers of 16 bits are computed with as float32"):
        assemble(HALF)
    inner = "np.float16(np.float32(x[1]) * np.float32(x[2]))"
    ptx = assemble("import numpy as np\n" + HALF.replace("x[1] * x[2]", inner))["half"].ptx
    assert "mul.rn.f32" in ptx and "cvt.rn.f16.f32" in ptx


FAULTS = [
    ("result_flat[i] = x_flat", "setitem(array(float32, 1d, C), int64, array(float32, 1d, C))"),
    ("result_flat[i] = unknown(x_flat[i])", "name 'unknown' is not defined"),
    ("result_flat[i] = elements(3)", "name 'elements' is not defined"),
    ("result_flat[i] = len({1: 2})", "<built-in function len>"),
    ("x_flat.append(2)", "Unknown attribute 'append' of type array(float32, 1d, C)"),
    ("result_flat[i] = cuda.shared.array(size, np.float32)[i]", "array(int64, class(float32))"),
]


@pytest.mark.parametrize("path", ["poly_kernels.py", "/somewhere/poly.py"])
@pytest.mark.parametrize("statement, words", FAULTS)
def test_what_numba_refuses_is_told_in_one_line_where_it_stands(statement, words, path):
    lines = text_of("poly").splitlines()
    number = next(k for k, text in enumerate(lines) if text.strip().startswith("result_flat[i] ="))
    lines[number] = f"        {statement}"
    with pytest.raises(StageError) as caught:
        assemble("\n".join(lines) + "\n", path=path)
    (fault,) = caught.value.diagnostics
    assert fault.code == "L003" and fault.span.file == path and fault.span.line == number + 1
    assert fault.message.startswith("numba-cuda does not compile the kernel `poly_1`: ") and words in fault.message
    assert "\n" not in fault.message and len(fault.message) < 400
