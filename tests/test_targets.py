"""PELLUCID_TARGET: code for another processor is compiled, kept apart and read, and runs where it can."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

import pellucid
from pellucid.runtime import llvm, machine_code, native, target_questions
from pellucid.runtime import targets as runtime_targets
from pellucid.runtime.sources import Source
from tests.harness import targets
from tests.harness.loops_programs import PROGRAMS
from tests.harness.regions import compiled

X86 = llvm.host()[0].startswith("x86_64")
FOREIGN = "aarch64" if X86 else "x86-64-v3"
ADD = "define i64 @add(i64 %x) {\n %y = add i64 %x, 1\n ret i64 %y\n}\n"


def scaled(x, k):
    return 2.0 * x + k


def parts_of(target):
    return runtime_targets.words(target)[:2]


@pytest.mark.parametrize("text, architecture, name", [
    ("x86-64-v3", "x86_64", "x86-64-v3"), ("znver4", "x86_64", "znver4"), ("x86_64", "x86_64", "x86-64"),
    ("neoverse-n1", "aarch64", "neoverse-n1"), ("aarch64", "aarch64", "generic"), ("arm64", "aarch64", "generic"),
    ("aarch64-linux", "aarch64", "generic"), ("aarch64-unknown-linux-gnu", "aarch64", "generic"),
])  # fmt: skip
def test_names_of_targets(text, architecture, name):
    triple, found = parts_of(text)
    assert triple.startswith(f"{architecture}-") and found == name
    if "linux" in text:
        assert triple == f"{architecture}-unknown-linux-gnu"


@pytest.mark.parametrize("wrong", ["i9000", "x86-64-v9", "help", "avx2 fma", "x86-64-v3,", "../x86-64-v3"])
def test_a_target_that_nobody_knows_is_refused(wrong, monkeypatch, capfd):
    targets.on(monkeypatch, wrong)
    with pytest.raises(ValueError, match="PELLUCID_TARGET is a processor that LLVM knows") as refused:
        pellucid.compile(scaled)(np.ones(3), 1.0)
    assert repr(wrong) in str(refused.value) and capfd.readouterr().err == ""


def test_native_is_the_present_processor(monkeypatch):
    assert runtime_targets.asked() == targets.on(monkeypatch, "") == targets.PRESENT
    monkeypatch.setenv(runtime_targets.SETTING, "native")
    assert runtime_targets.asked() == runtime_targets.running() == targets.PRESENT


def test_what_others_write_while_llvm_is_asked_is_not_lost(capfd):
    with target_questions._complaints() as said:
        os.write(2, b"first\n'i9000' is not a recognized processor for this target (ignoring processor)\n")
    assert capfd.readouterr().err == "first\n" and len(said) == 2


@pytest.mark.skipif(not X86, reason="levels of x86-64")
def test_what_levels_offer():
    """By the document of the x86-64 psABI that defines the levels."""
    offered = {level: runtime_targets.features(f"x86-64-{level}") for level in ("v2", "v3", "v4")}
    assert {"sse4.2", "popcnt"} <= offered["v2"] < offered["v3"] < offered["v4"]
    assert "avx2" not in offered["v2"] and "avx512f" not in offered["v3"]
    assert {"avx2", "fma", "bmi2"} <= offered["v3"] and {"avx512f", "avx512vl", "avx512dq"} <= offered["v4"]


@pytest.mark.skipif(not X86, reason="levels of x86-64")
@pytest.mark.parametrize("level, flag", [("x86-64-v2", "sse4_2"), ("x86-64-v3", "avx2"), ("x86-64-v4", "avx512f")])
def test_what_runs_here_is_what_the_system_lists(level, flag):
    if not os.path.exists("/proc/cpuinfo"):
        pytest.skip("no list of flags")
    with open("/proc/cpuinfo") as file:
        assert runtime_targets.runs_here(level) == (f" {flag} " in file.read())


def test_the_present_processor_by_its_name_runs_here():
    assert runtime_targets.runs_here(llvm.host()[1])
    assert not runtime_targets.runs_here(FOREIGN)


@pytest.mark.parametrize("target", targets.LEVELS)
def test_a_target_that_runs_here_runs_and_others_are_refused(target, monkeypatch):
    targets.on(monkeypatch, target)
    function = pellucid.compile(scaled)
    assert targets.has_vectors(function.source("llvm", "f64[n]", "float"), "fmul", target)
    if runtime_targets.runs_here(target):
        for _ in range(3):
            assert np.array_equal(np.asarray(function(np.arange(9.0), 1.0)), scaled(np.arange(9.0), 1.0))
        return
    for _ in range(2):
        with pytest.raises(RuntimeError, match=rf"PELLUCID_TARGET={target}: this processor \(.*\) cannot run"):
            function(np.ones(3), 1.0)
    monkeypatch.delenv(runtime_targets.SETTING)
    assert np.asarray(pellucid.compile(scaled)(np.ones(3), 1.0)).tolist() == [3.0] * 3


@pytest.mark.parametrize("target", targets.LEVELS)
def test_machine_code_has_the_registers_of_the_target(target, monkeypatch):
    targets.on(monkeypatch, target)
    text = pellucid.compile(scaled).source("asm", "f64[n]", "float")
    wider = {16: r"%[yz]mm", 32: r"%zmm", 64: "none"}[targets.vector_bytes(target)]
    assert re.search(targets.registers(target), text) and not re.search(wider, text)
    assert ("%rax" in text) == runtime_targets.words(target)[0].startswith("x86_64")


@pytest.mark.parametrize("target", ["x86-64-v2", "x86-64-v4", "aarch64"])
@pytest.mark.parametrize("name", list(PROGRAMS)[::12])
def test_programs_compile_for_every_target(name, target, monkeypatch):
    """Lists, branches, strings of errors, recursion, products: all that the translation to LLVM has."""
    targets.on(monkeypatch, target)
    program = compiled(PROGRAMS[name][0])
    assert "pellucid_entry" in program.asm


def test_targets_are_kept_apart_in_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(tmp_path))
    here = machine_code.library(ADD)
    foreign = machine_code.library(ADD, target=FOREIGN)
    assert here.key != foreign.key and machine_code.library(ADD, target=FOREIGN) is foreign
    assert here.address("add")
    with pytest.raises(RuntimeError, match="cannot run"):
        foreign.address("add")
    assert native.object_code(Source(ADD)) != native.object_code(Source(ADD), target=FOREIGN)
    assert len({machine_code.platform(target) for target in targets.ALL}) == len(targets.ALL)


def test_the_key_of_a_named_target_does_not_depend_on_this_processor(monkeypatch):
    """What one machine compiles is found by another."""
    key = runtime_targets.identity("x86-64-v3")
    monkeypatch.setattr(runtime_targets, "processor", lambda: b"another one")
    assert runtime_targets.identity("x86-64-v3") == key
    assert runtime_targets.identity(targets.PRESENT) == b"another one"


PROGRAM = """
import numpy as np
import pellucid
@pellucid.compile
def f(x):
    return np.sum(x * x)
print(float(f(np.arange(4.0))))
"""


def test_a_process_starts_from_the_cache_of_its_target(tmp_path):
    level = "x86-64-v2" if X86 else "aarch64"
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = os.environ | {"PELLUCID_CACHE_DIR": str(tmp_path / "cache"), "PELLUCID_TARGET": level}
    for _ in range(2):
        command = [sys.executable, tmp_path / "program.py"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert (done.stdout, done.stderr) == ("14.0\n", "")


def test_the_command_line_shows_foreign_machine_code(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM.replace("print", "len").replace("len(float(f(np.arange(4.0))))", ""))
    command = [sys.executable, "-m", "pellucid", "emit", "program.py:f", "--stage", "asm", "--args", "f64[n]"]
    environment = os.environ | {"PELLUCID_TARGET": FOREIGN}
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and ("fmul" if X86 else "%ymm") in done.stdout, done.stderr
