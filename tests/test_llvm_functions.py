"""LLVM by llvmlite's public interface (`runtime/llvm.py`): nothing else of it is used, what is wrong is said, and
threads and forks may compile.
"""

import ast
import os
import pathlib
import re
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor

import pytest

from pellucid.runtime import llvm, native, targets
from pellucid.runtime.sources import Source

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = sorted(path for folder in ("compiler", "runtime", "pellucid") for path in (ROOT / folder).rglob("*.py"))
MODULE = "define i64 @twice(i64 %x) {\n %y = add i64 %x, %x\n ret i64 %y\n}\n"
FOUR = "define i64 @four() {\n %y = call i64 @twice(i64 2)\n ret i64 %y\n}\n"


# --- the interface -------------------------------------------------------------------------------------------------


def test_one_module_imports_llvmlite_and_only_its_interface():
    found = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Import(names=names):
                    imported = [alias.name for alias in names]
                case ast.ImportFrom(module=str(module), level=0):
                    imported = [module]
                case _:
                    continue
            found |= {(path.relative_to(ROOT).as_posix(), name) for name in imported if name.startswith("llvmlite")}
    assert found == {("runtime/llvm.py", "llvmlite.binding")}


def test_no_private_part_of_llvmlite_is_used():
    """Neither names that begin with an underscore, nor `ffi`, which has the functions of the shared library."""
    users = []
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        assert "libllvmlite" not in text and "LLVMPY" not in text, path
        if re.search(r"\bllvm\.(?!py)|llvmlite\.binding", text) and path.is_relative_to(ROOT / "runtime"):
            users.append(path.name)
            attributes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)]
            for node in attributes:
                assert not node.attr.startswith("_") and node.attr != "ffi", f"{path}:{node.lineno}: .{node.attr}"
    assert {"llvm.py", "native.py", "target_questions.py"} <= set(users)


def test_any_newer_llvmlite_will_do():
    """Numba asks for one version of llvmlite: a bound of ours would keep both from being installed."""
    described = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    [needed] = [needed for needed in described["project"]["dependencies"] if needed.startswith("llvmlite")]
    assert re.fullmatch(r"llvmlite>=[\d.]+", needed)


# --- what it does --------------------------------------------------------------------------------------------------


def test_modules_are_optimised_linked_and_translated():
    assert "ret i64 4" in native.optimise(Source(MODULE + FOUR))
    machine = llvm.target_machine(3, llvm.host())
    context = llvm.binding().create_context()
    module = llvm.parse("declare i64 @twice(i64)\n", machine, context)
    module.link_in(llvm.parse(MODULE, machine, context))
    assert "define i64 @twice" in str(module)
    assert machine.emit_object(module)[:4] in (b"\x7fELF", b"\xcf\xfa\xed\xfe")
    assert "twice" in machine.emit_assembly(module)


def test_the_level_says_how_much_is_done():
    """Hand-written text is tidied, not optimised: variables become values, a loop keeps its shape."""
    loop = (
        "define i64 @sum(ptr %x, i64 %n) {\nentry:\n  %place = alloca i64\n  store i64 0, ptr %place\n"
        "  br label %loop\nloop:\n  %k = phi i64 [0, %entry], [%next, %loop]\n  %s = load i64, ptr %place\n"
        "  %p = getelementptr i64, ptr %x, i64 %k\n  %v = load i64, ptr %p\n  %t = add i64 %s, %v\n"
        "  store i64 %t, ptr %place\n  %next = add i64 %k, 1\n  %more = icmp ult i64 %next, %n\n"
        "  br i1 %more, label %loop, label %end\nend:\n  %r = load i64, ptr %place\n  ret i64 %r\n}\n"
    )
    plain, tidy, full = (str(native.optimise(Source(text), level)) for text, level in ((loop, 0), (loop, 2), (loop, 3)))
    assert "alloca" not in plain + tidy + full
    vector = f"<{max(targets.vector_bytes(targets.PRESENT), 16) // 8} x i64>"
    assert "x i64>" not in tidy and vector in full


def test_what_is_wrong_is_said():
    machine = llvm.target_machine(0, llvm.host())
    with pytest.raises(RuntimeError, match="expected top-level entity"):
        llvm.parse("no module", machine)
    with pytest.raises(RuntimeError, match="Instruction does not dominate all uses"):
        llvm.parse("define i64 @f() {\n %a = add i64 %b, 1\n %b = add i64 %a, 1\n ret i64 %b\n}\n", machine)
    context = llvm.binding().create_context()
    module = llvm.parse(MODULE, machine, context)
    with pytest.raises(RuntimeError, match="symbol multiply defined"):
        module.link_in(llvm.parse(MODULE, machine, context))


def test_the_processor_is_known():
    triple, name, features = llvm.host()
    assert "-" in triple and name and features.split(",") == sorted(features.split(","), key=lambda f: f[1:])
    assert targets.words(targets.PRESENT)[:2] == (triple, name) and targets.name_of_host() == name
    assert targets.words(targets.PRESENT)[2].startswith(features)


# --- threads and processes -----------------------------------------------------------------------------------------


def test_several_threads_may_compile():
    with ThreadPoolExecutor(4) as pool:
        codes = list(pool.map(native.object_code, [Source(MODULE)] * 12))
    assert codes == codes[:1] * 12


STARTS = """
import threading
from pellucid.runtime import llvm, native
from pellucid.runtime.sources import Source
codes = []
threads = [threading.Thread(target=lambda: codes.append(native.object_code(Source({text!r})))) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(len(codes), len(set(codes)))
"""


def test_threads_may_be_the_first_to_use_llvm():
    script = STARTS.format(text=MODULE)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["8", "1"]


FORKS = """
import os, signal, threading
from pellucid.runtime import native
from pellucid.runtime.sources import Source
text = {text!r}
many = "".join(text.replace("twice", f"f{{k}}") for k in range(300))
over = threading.Event()

def work():
    while not over.is_set():
        native.object_code(Source(many))

native.object_code(Source(text))
thread = threading.Thread(target=work)
thread.start()
ends = []
for _ in range(5):
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        os._exit(0 if native.object_code(Source(text)) else 1)
    ends.append(os.waitpid(child, 0)[1])
over.set()
thread.join()
print(ends)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_compiles_though_a_thread_of_its_parent_did():
    script = FORKS.format(text=MODULE)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split("\n")[-2] == str([0] * 5)
