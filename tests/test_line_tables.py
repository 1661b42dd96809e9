"""Line tables: gdb and perf see the printed loops stage."""

import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pellucid
from pellucid.compiler import driver
from pellucid.compiler.request import Request
from pellucid.compiler.targets.llvm import llvm
from pellucid.compiler.targets.llvm.abi import EmitOptions
from pellucid.compiler.targets.llvm.line_tables import with_lines
from pellucid.compiler.targets.llvm.text import Module
from pellucid.flatten import flatten
from pellucid.runtime import linking

pytestmark = pytest.mark.usefixtures("full_codegen")
PROGRAM = '''
import math

import numpy as np

import pellucid


@pellucid.compile(line_tables=True)
def rows(x):
    total = 0.0
    for i in range(x.shape[0]):
        if x[i, 0] > 0.0:
            total += math.sqrt(x[i, 0])
    return total


if __name__ == "__main__":
    print(float(rows(np.arange(12.0).reshape(4, 3))))
'''


def rows(x):
    total = 0.0
    for i in range(x.shape[0]):
        if x[i, 0] > 0.0:
            total += x[i, 0] * 2.0
    return total


def roots(c):
    out = np.zeros(len(c))
    for k in range(len(c)):
        x = 1.0
        while abs(x * x - c[k]) > 1e-12:
            x = 0.5 * (x + c[k] / x)
        out[k] = x
    return out


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


def lowered(function, *args):
    names = inspect.signature(function).parameters
    flat = flatten(dict(zip(names, args, strict=True)), (), function)
    return driver.loops(driver.typed(Request(function), flat.arguments).program)


def test_every_statement_has_the_line_it_is_printed_on(folder):
    program, table = with_lines(lowered(rows, np.ones((4, 3))))
    text = table.path.read_text().split("\n")
    [loop] = [s for s in program.main.body if type(s).__name__ == "For"]
    assert text[table.statements[loop.number] - 1].strip().startswith("for i in ")
    branch = loop.body[-1]
    assert text[table.statements[branch.number] - 1].strip() == "if t > 0.0:"
    for statement in branch.body:  # the product is folded into the addition
        assert text[table.statements[statement.number] - 1].strip() == "total += t * 2.0"
    assert text[table.functions["rows"] - 1].startswith("def rows(")


def test_instructions_point_to_lines(folder):
    text = llvm.lower_program(lowered(rows, np.ones((4, 3))), EmitOptions(line_tables=True))[0].text
    [multiplication] = [line for line in text.split("\n") if " fmul " in line]
    number = re.search(r"!dbg (!\d+)", multiplication)[1]
    [location] = [line for line in text.split("\n") if line.startswith(f"{number} = !DILocation(")]
    line = int(re.search(r"line: (\d+)", location)[1])
    [printed] = (folder / "home").rglob("*rows_loops.py")
    assert "2.0" in printed.read_text().split("\n")[line - 1]


def test_a_loop_in_blocks_points_to_the_loop_that_is_printed(folder):
    module = Module()
    options = EmitOptions(line_tables=True)
    llvm.write_module(module, lowered(roots, np.ones(40)), options, driver.for_llvm)
    text = module.finished().text
    [printed] = (folder / "home").rglob("*roots_loops.py")
    lines = printed.read_text().split("\n")
    divisions = re.findall(r" fdiv .*!dbg (!\d+)", text)
    assert len(divisions) == 2  # in the lanes, and where the last ones are finished
    for number in divisions:
        [line] = re.findall(rf"^{number} = !DILocation\(line: (\d+)", text, re.MULTILINE)
        assert lines[int(line) - 1].strip() == "x = 0.5 * (x + c[k] / x)"


def test_without_line_tables_there_is_no_trace_of_them():
    text = llvm.lower_program(lowered(rows, np.ones((4, 3))), EmitOptions())[0].text
    assert "!dbg" not in text and "DICompileUnit" not in text


def test_the_environment_asks_for_them(monkeypatch):
    monkeypatch.setenv("PELLUCID_LINE_TABLES", "1")
    assert pellucid.compile(rows).__pellucid__.line_tables
    assert not pellucid.compile(rows, line_tables=False).__pellucid__.line_tables
    monkeypatch.setenv("PELLUCID_LINE_TABLES", "0")
    assert not pellucid.compile(rows).__pellucid__.line_tables


def test_results_and_errors_are_the_same(folder):
    def pick(x, i):
        return np.sum(np.exp(x)) + x[i]

    x = np.linspace(0.0, 1.0, 50)
    plain, lined = pellucid.compile(pick), pellucid.compile(pick, line_tables=True)
    assert plain(x, 3) == lined(x, 3)
    with pytest.raises(IndexError, match="index 50 is out of bounds"):
        lined(x, 50)


needs_linux = pytest.mark.skipif(not linking.is_possible(), reason="the libraries are for x86-64 Linux")


def tool(name):
    return pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed")


@pytest.fixture
def script(folder):
    place = folder / "physics.py"
    place.write_text(PROGRAM)
    return place


@needs_linux
@tool("objdump")
def test_the_library_on_disk_has_code_and_lines(script):
    subprocess.run([sys.executable, script], check=True, capture_output=True)
    [library] = (script.parent / "home").rglob("physics_rows_loops_*.so")
    shown = subprocess.run(["objdump", "-dl", library], check=True, capture_output=True, text=True).stdout
    assert "<physics_rows_loops>:" in shown
    [printed] = (script.parent / "home").rglob("physics_rows_loops.py")
    [line] = [k for k, text in enumerate(printed.read_text().split("\n"), 1) if "sqrt" in text and "#" not in text]
    # LLVM may take the root whether it counts or not: then it belongs to the line of the condition
    assert re.search(rf"physics_rows_loops\.py:({line}|{line - 2})\b[^<]*?v?sqrtsd", shown)


@needs_linux
@tool("gdb")
def test_gdb_stops_in_the_printed_stage_and_steps(script):
    subprocess.run([sys.executable, script], check=True, capture_output=True)
    [printed] = (script.parent / "home").rglob("physics_rows_loops.py")
    lines = printed.read_text().split("\n")
    [line] = [number for number, text in enumerate(lines, 1) if text.strip().startswith("for i in range")]
    commands = ["set pagination off", "set debuginfod enabled off", "set breakpoint pending on",
                f"break physics_rows_loops.py:{line}", "run", "next", "next", "kill"]  # fmt: skip
    shown = subprocess.run(
        ["gdb", "-q", "-nx", "-batch", *[a for c in commands for a in ("-ex", c)], "--args", sys.executable, script],
        check=False, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    if "ptrace" in shown.stderr:
        pytest.skip("this system does not let gdb run programs")
    stops = [found for found in re.findall(r"^(\d+)\t(.*)$", shown.stdout, re.MULTILINE)]
    assert len(stops) >= 2
    assert all(lines[int(number) - 1] == text for number, text in stops)


@needs_linux
def test_a_second_process_has_them_from_the_cache(script):
    for _ in range(2):
        done = subprocess.run([sys.executable, script], check=True, capture_output=True, text=True)
        assert float(done.stdout) == pytest.approx(3.0**0.5 + 6.0**0.5 + 3.0)
    assert len(list((script.parent / "home").rglob("physics_rows_loops_*.so"))) == 1
    assert not [p for p in Path(script.parent / "home").rglob(".*") if p.is_file()]
