"""Programs in several LLVM modules, the first translated while the last are written: divided, joined, and kept."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
import threading

import numpy as np
import pytest

import pellucid
from pellucid.compiler.targets.llvm import cold_functions, llvm, split_module
from pellucid.compiler.targets.llvm.abi import EmitOptions
from pellucid.compiler.targets.llvm.text import AS_IT_STANDS, LlvmDefinition, Module
from pellucid.compiler.tuning import LEAST_TEXT
from pellucid.runtime import linking, machine_code, native
from pellucid.runtime.sources import Source
from pellucid.runtime.together import Together
from tests.harness.loops_text import read_loops
from tests.harness.regions import compiled, loops_of
from tests.harness.stages import module_of

pytestmark = pytest.mark.drawn(5)

LOOPS = """
def f(x: "f64[n, m]", y: "f64[n, m]"):
    a = empty((dim(x, 0), dim(x, 1)))
    b = empty((dim(x, 0), dim(x, 1)))
    c = empty((dim(x, 0), dim(x, 1)))
    for i in prange(dim(x, 0)):
        for j in range(dim(x, 1)):
            a[i, j] = sin(x[i, j]) + y[i, j]
    for i in prange(dim(x, 0)):
        for j in range(dim(x, 1)):
            b[i, j] = tanh(a[i, j]) * y[i, j]
    for i in prange(dim(x, 0)):
        for j in range(dim(x, 1)):
            c[i, j] = sin(b[i, j]) - x[i, j]
    return a, b, c
"""
MANY_KINDS = """
def f(x: "f64[n, m]", k: "i64[n]", h: "f16[n]"):
    a = empty((dim(x, 0), dim(x, 1)))
    for i in range(dim(x, 0)):
        h[i] = cast(x[i, 0] ** 2.5, "f16")
        for j in range(dim(x, 1)):
            if x[i, j] < a[i, 0]:
                a[i, j] = x[i, j] + a[i, 0]
    b = transpose(x, axes=(1, 0))
    c = empty((dim(x, 0), dim(x, 0)))
    gemm(c, x, b)
    y = x[k[0], k[1] ** 3]
    while y < 1.0:
        y = exp(y) + cast(h[0], "f64")
    if y > 1e9:
        raise ValueError("{} is too large", y)
    return a, y
"""
CALLEE = "define i64 @pellucid.part.one(i64 %x) {\n  %y = mul i64 %x, 3\n  ret i64 %y\n}\n"
CALLER = """
declare i64 @pellucid.part.one(i64)
define i64 @pellucid_both(i64 %x) {
  %y = call i64 @pellucid.part.one(i64 %x)
  %z = add i64 %y, ptrtoint (ptr @pellucid.part.one to i64)
  %w = sub i64 %z, ptrtoint (ptr @pellucid.part.one to i64)
  ret i64 %w
}
"""


def call_both(library):
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(library.address("pellucid_both"))(14)


@pytest.fixture
def small_parts(monkeypatch):
    """Every loop is long enough for a module of its own."""
    monkeypatch.setattr(split_module, "LEAST_TEXT", 1)


# --- dividing --------------------------------------------------------------------------------------------------------


def expected(x, y):
    a = np.sin(x) + y
    b = np.tanh(a) * y
    return a, b, np.sin(b) - x


def test_loops_get_modules_of_their_own(small_parts):
    program = compiled(LOOPS)
    texts = [source.text for source in program.sources]
    assert len(texts) == 4 and len(loops_of(program)) == 3
    assert all(len(re.findall(r"^define hidden", text, re.M)) == 1 for text in texts[:3])
    assert "define i64 @pellucid_entry" in texts[3] and "define hidden" not in texts[3]
    x, y = np.random.default_rng(3).standard_normal((2, 37, 11))
    for ours, numpys in zip(program([x, y]), expected(x, y), strict=True):
        np.testing.assert_allclose(ours, numpys, rtol=1e-14, atol=1e-15)


def test_a_part_has_what_it_mentions_and_nothing_else(small_parts):
    parts_of_program = compiled(LOOPS).sources
    sines, tanhs = map(str, parts_of_program[:2])
    assert "pellucid_math_sin" in sines and "pellucid_math_tanh" not in sines
    assert "pellucid_math_tanh" in tanhs and "pellucid_math_sin" not in tanhs
    for source in parts_of_program:
        assert set(re.findall(r"!\d+", source.text)) == set(re.findall(r"^(!\d+) =", source.text, re.M))


@pytest.mark.parametrize("text", [LOOPS, MANY_KINDS], ids=["loops", "many kinds"])
def test_a_definition_knows_what_it_mentions(text):
    """What its text says, read by the test alone, is what its record says."""
    module = Module()
    llvm.write_module(module, read_loops(text), EmitOptions())
    assert len(module.definitions) > 3
    for name, definition in module.definitions.items():
        mentioned = set(re.findall(r"@([\w.$]+)", definition.text())) - {name}
        assert mentioned == set(definition.uses) - {name}
        assert {int(n) for n in re.findall(r"!(\d+)", definition.text())} - {0} == set(definition.nodes)
    for number, node in module.metadata.items():
        assert {int(n) for n in re.findall(r"!(\d+)", node.text(number))} - {number} == set(node.parts)
    for late in (late for found in module.later.values() for late in found):
        assert set(re.findall(r"@([\w.$]+)", late.text)) - {late.name} == set(late.calls)


def test_short_programs_stay_whole():
    text = 'def f(x: "f64[n]"):\n    for i in prange(dim(x, 0)):\n        x[i] = x[i] + 1.0\n    return x\n'
    assert len(compiled(text).sources) == 1


@pytest.mark.parametrize("line_tables", [True, False])
def test_line_tables_want_one_file(small_parts, tmp_path, monkeypatch, line_tables):
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(tmp_path))
    f = module_of("import numpy as np\n\n\ndef f(x):\n    return np.sin(x), np.sum(np.tanh(x))\n")["f"]
    f = pellucid.compile(f, line_tables=line_tables)
    f(np.ones((3, 4)))
    [made] = f._compiled.values()
    assert (len(made.executable.sources) == 1) == line_tables


def test_a_loop_around_others_stays_with_the_rest():
    module, begun = Module(), []
    division = split_module.Division(module, begun.append)
    more, one, two = ["  ; more"] * (LEAST_TEXT // 8), "pellucid.loop.1", "pellucid.loop.2"
    inner = LlvmDefinition(one, "i64", ("ptr %x", "i64 %n"), [*more, "  ret i64 0"])
    calling = [*more, f"  %s = call i64 @{one}(ptr %x, i64 %n)", "  ret i64 %s"]
    module.define_movable(inner)
    module.define_movable(LlvmDefinition(two, "i64", ("ptr %x", "i64 %n"), calling, (one,)))
    outermost = [f"  %s = call i64 @{two}(ptr null, i64 0)", "  ret i64 %s"]
    module.define(LlvmDefinition("f", "i64", (), outermost, (two,), linkage=""))
    rest = division.rest().text
    assert len(begun) == 1 and "define hidden i64 @pellucid.loop.1(" in begun[0].text
    assert "declare i64 @pellucid.loop.1(ptr, i64) nounwind" in rest
    assert "define internal i64 @pellucid.loop.2(" in rest


def test_the_stage_shows_every_module(small_parts):
    @pellucid.compile
    def f(x, y):
        return np.sum(np.sin(x)), x[:, 0] * 2.0 - y

    arguments = np.ones((3, 4)), np.ones(3)
    shown, machine = f.source("llvm", *arguments), f.source("asm", *arguments)
    assert shown.count("define i64 @pellucid_entry") == 1 and "@pellucid.loop." in shown
    assert machine.count("pellucid_entry:") == 1 and re.search(r"^\"?pellucid\.loop\.\S+:", machine, re.M)


@pytest.mark.parametrize(("short", "level"), [(0, 0), (10**9, 3)])
def test_a_module_of_glue_is_translated_as_it_stands(small_parts, full_codegen, monkeypatch, short, level):
    monkeypatch.setattr(cold_functions, "SHORT_BODY", short)
    program = compiled(LOOPS)
    assert [source.level(3) for source in program.sources] == [3, 3, 3, level]
    assert program.sources[0].level(1) == 1
    shown, machine = [], native.machine
    monkeypatch.setattr(native, "machine", lambda given, target: shown.append(given) or machine(given, target))
    assert "pellucid_entry" in program.asm and shown[1::2] == shown[::2] == [3, 3, 3, level]
    monkeypatch.setenv(native.SETTING, native.QUICK)
    del shown[:]
    for source in program.sources:
        native.object_code(source)
    assert shown[1::2] == [3, 3, 3, level] and set(shown[::2]) == {0}
    x, y = np.random.default_rng(4).standard_normal((2, 5, 3))
    np.testing.assert_allclose(program([x, y])[2], expected(x, y)[2], rtol=1e-14, atol=1e-15)


# --- joining ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("own_loader", [True, False])
def test_a_module_calls_those_it_uses(tmp_path, monkeypatch, own_loader):
    monkeypatch.setenv("PELLUCID_CACHE", "0")
    if not own_loader:
        monkeypatch.setattr(linking, "is_possible", lambda: False)
    with machine_code.Making() as making:
        making.begin(Source(CALLEE + f"; {own_loader}\n"))
        library = making.library(Source(CALLER))
    assert call_both(library) == 42
    assert isinstance(library.loaded, linking.Linked if own_loader else native.LoadedByLLVM)


def test_the_cache_keeps_a_program_with_its_parts(tmp_path, monkeypatch):
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("PELLUCID_CACHE", raising=False)
    callee = CALLEE + "; kept\n"
    with machine_code.Making() as making:
        making.begin(Source(callee))
        library = making.library(Source(CALLER))
    key, used = library.key, library.uses[0].key
    del library, making
    assert key not in machine_code._LOADED and used not in machine_code._LOADED
    again = machine_code.stored_library(key)
    assert call_both(again) == 42 and [part.key for part in again.uses] == [used]


def test_a_program_whose_part_is_gone_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("PELLUCID_CACHE", raising=False)
    callee = CALLEE + "; gone\n"
    with machine_code.Making() as making:
        making.begin(Source(callee))
        library = making.library(Source(CALLER))
    key, used = library.key, library.uses[0].key
    del library, making
    [file] = tmp_path.rglob(used + machine_code.SUFFIX)
    file.unlink()
    assert machine_code.stored_library(key) is None


def test_equal_parts_are_loaded_once(small_parts):
    one, two = compiled(LOOPS), compiled(LOOPS.replace("return a, b, c", "return c, b, a"))
    shared = {part.key for part in one.library.uses} & {part.key for part in two.library.uses}
    assert len(shared) == 3 and one.library.key != two.library.key
    for key in shared:
        assert next(p for p in one.library.uses if p.key == key) is next(p for p in two.library.uses if p.key == key)


def test_programs_compiled_at_the_same_time_are_right(small_parts):
    """Eight threads, each with a program of its own in several modules."""
    x, y = np.random.default_rng(5).standard_normal((2, 9, 4))
    found = {}

    def work(number):
        text = LOOPS.replace("- x[i, j]", f"- x[i, j] * {number}.0")
        found[number] = compiled(text)([x, y])[2]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(8):
        np.testing.assert_allclose(found[number], expected(x, y)[2] + x - number * x, rtol=1e-13, atol=1e-14)


# --- working together ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [1, 2, 5])
def test_results_come_in_order(most):
    work = Together(lambda n: n * n, cost=lambda n: -n, most=most)
    for n in range(40):
        work.begin(n)
    assert work.results() == [n * n for n in range(40)]


@pytest.mark.parametrize("most", [1, 3])
def test_the_first_error_is_raised_when_all_have_ended(most):
    done = []

    def work(n):
        done.append(n)
        if n in (3, 5):
            raise ValueError(n)

    together = Together(work, cost=float, most=most)
    for n in range(8):
        together.begin(n)
    with pytest.raises(ValueError, match="3"):
        together.results()
    assert sorted(done) == list(range(8))


def test_the_most_costly_come_first():
    order = []
    together = Together(order.append, cost=float, most=1)
    for n in (2, 7, 1, 5):
        together.begin(n)
    together.results()
    assert order == [7, 5, 2, 1]


def test_nothing_waits_for_work_that_was_abandoned():
    together = Together(pytest.fail, cost=float, most=1)
    together.begin(1)
    together.abandon()
    assert together.results() == [None]


def test_text_that_is_optimised_costs_more():
    def cost(**words):
        module = Module()
        module.define(LlvmDefinition("f", "i64", (), ["  ret i64 0"] * 300, **words))
        return module.finished().cost

    assert cost() > 5 * cost(attributes=AS_IT_STANDS)


# --- the first call of a process -------------------------------------------------------------------------------------

FORKS = """
import os, pellucid
def f(x): return x + 1.0
f = pellucid.compile(f)
child = os.fork()
value = f(1.0)
if child == 0:
    os._exit(0 if value == 2.0 else 1)
print(value, os.waitpid(child, 0)[1])
"""
FAILS = """
import pellucid
def f(x):
    print(x)
    return x
try:
    pellucid.compile(f)
except Exception as error:
    print(type(error).__name__)
"""


@pytest.mark.parametrize(("script", "printed"), [(FORKS, "2.0 0"), (FAILS, "PurityError")])
def test_a_process_may_fork_or_end_while_llvm_is_made_ready(tmp_path, monkeypatch, script, printed):
    if script is FORKS and not hasattr(__import__("os"), "fork"):
        pytest.skip("no fork here")
    monkeypatch.setenv("PELLUCID_CACHE", "0")
    file = tmp_path / "program.py"
    file.write_text(script)
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == printed and done.stderr == ""
