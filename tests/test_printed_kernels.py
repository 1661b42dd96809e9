"""The text of a kernels stage is taken apart: kernels, their types, and what they see."""

import pytest

from pellucid.compiler.diagnostics import StageError
from pellucid.compiler.targets.cuda.machine import parameters_of, slots
from pellucid.compiler.targets.cuda.printed_kernels import read_kernels

from .cuda_kernels import TEXTS, text_of

HEAD = "import numpy as np\n\nfrom pellucid.support import cuda, row_sum_f64\n\nWIDTH = 4\n\n\n"
KERNEL = "# x: f32[n]   size: int\n@cuda.jit\ndef scale_1(x, size):\n    x[cuda.grid(1)] = size\n"


def types_of(comment, names):
    text = f"{HEAD}{comment}\n@cuda.jit\ndef k({names}):\n    pass\n"
    return read_kernels(text, "k.py").kernels["k"]


@pytest.mark.parametrize("name", TEXTS)
def test_kernels_are_those_that_are_launched(name):
    text = text_of(name)
    found = read_kernels(text, f"{name}.py")
    assert set(found.kernels) == {part.split("(")[0] for part in text.split("\n@cuda.jit\ndef ")[1:]}
    for kernel in found.kernels.values():
        assert kernel.text.splitlines() == text.splitlines()[kernel.line - 1 :][: len(kernel.text.splitlines())]


def test_types_are_those_of_the_comment():
    comment = "# x: any f64[n, m]   y: f16[]   k: int   b: bool   c: bool_   h: u8   z: c64"
    kernel = types_of(comment, "x, y, k, b, c, h, z")
    assert kernel.signature == "any f64[_, _], f16[], int, bool, bool_, u8, c64"
    assert parameters_of(kernel.parameters) == (
        ("array", "f64", 2, False), ("array", "f16", 0, True), ("scalar", "i64"), ("scalar", "bool"),
        ("scalar", "bool"), ("scalar", "u8"), ("scalar", "c64"),
    )  # fmt: skip


def test_a_comment_of_types_may_take_several_lines_and_follow_others():
    kernel = types_of("# a note\n# x: f64[n]\n# y: f64[n]", "x, y")
    assert list(kernel.parameters) == ["x", "y"]


def test_the_signature_forgets_names_of_lengths_and_keeps_layouts():
    one, other = (types_of(f"# x: f64[{n}, 3]   y: any f64[{n}]", "x, y").signature for n in ("n", "m + 1"))
    assert one == other == "f64[_, _], any f64[_]"


def test_arguments_are_passed_part_by_part():
    assert slots(("array", "f32", 2, True)) == slots(("array", "f32", 2, False)) == ("i64",) * 9
    assert slots(("array", "f32", 0, True)) == ("i64",) * 5
    assert slots(("scalar", "c128")) == ("f64", "f64") and slots(("scalar", "bool")) == ("bool",)


def test_lines_keep_their_numbers_and_the_driver_is_left_out():
    text = HEAD + KERNEL + "\n\n# x: f32[n]   ->   f32[n]\ndef scale(x):\n    return unknown\n"
    found = read_kernels(text, "scale.py")
    program = found.program(["scale_1"]).splitlines()
    for line in ("WIDTH = 4", "def scale_1(x, size):"):
        assert program.index(line) == text.splitlines().index(line)
    assert not any("unknown" in line or "import" in line for line in program)
    assert found.support == {"cuda": "cuda", "row_sum_f64": "row_sum_f64"}


def test_parts_of_the_host_and_their_imports_are_left_out():
    host = "\n\n# on the host: it sorts\n# x: f32[n]   ->   f32[n]\n@host(changes=('x',))\ndef h(x):\n    x.sort()\n"
    text = "import scipy.linalg\nfrom pellucid.support import gemm as product, host\n" + HEAD + KERNEL + host
    found = read_kernels(text, "k.py")
    assert list(found.kernels) == ["scale_1"] and "host" not in found.program(["scale_1"])
    assert found.support["product"] == "gemm"


def test_only_kernels_that_are_named_are_in_the_program():
    text = HEAD + KERNEL + "\n\n" + KERNEL.replace("scale_1", "scale_2")
    program = read_kernels(text, "scale.py").program(["scale_2"])
    assert "scale_2" in program and "scale_1" not in program and "WIDTH = 4" in program


FAULTS = [
    (KERNEL.replace("size: int", ""), "L002", 9, "the type of `size` is not said"),
    (KERNEL.replace("int", "i65"), "L002", 7, "not a type: 'i65'"),
    (KERNEL.replace("f32[n]", "[f32]"), "L002", 9, "a kernel takes no list, and `x` is one"),
    (KERNEL.replace("size: int", "size: int   more: int"), "L002", 7, "the header names `more`, which is no parameter"),
    (KERNEL.replace("size):", "size:"), "L001", 9, "this is not valid Python"),
    (KERNEL + "    return x[0]\n", "L001", 11, "a kernel returns nothing"),
    ("import os\n" + KERNEL, "L001", 7, "`import os` is no import of a kernels stage"),
    ("from numba import cuda\n" + KERNEL, "L001", 7, "`from numba import cuda` is no import of a kernels stage"),
    ("def scale(x):\n    return x\n", "L001", 1, "the text holds no kernel"),
]


@pytest.mark.parametrize("text, code, line, message", FAULTS)
def test_what_is_no_kernels_stage_is_refused_where_it_stands(text, code, line, message):
    head = "\n" * 6
    with pytest.raises(StageError) as caught:
        read_kernels(head + text, "scale.py")
    (fault,) = caught.value.diagnostics
    assert (fault.code, fault.span.line if line > 1 else 1) == (code, line) and message in fault.message
