"""A second process calls what the first one compiled: same results, same errors, and no compiler in sight."""

import os
import pathlib
import re
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import pellucid
from pellucid import cache_command, compile
from pellucid.cli import main
from pellucid.runtime import linking, machine_code, native
from pellucid.runtime.sources import Source
from pellucid.runtime.store import store

HEAD = """
import sys, traceback, math
from dataclasses import dataclass
from typing import NamedTuple
import numpy as np
import pellucid
from pellucid import compile, grad, value_and_grad, Array


class Point(NamedTuple):
    x: np.ndarray
    y: float


@dataclass(frozen=True)
class Line:
    start: Point
    slope: float = 2.0


class Divergence(ArithmeticError):
    pass


def show(call, *args):
    try:
        found = call(*args)
        print(type(found).__name__, repr(found), getattr(found, "dtype", ""))
    except Exception as error:
        print("".join(traceback.format_exception(error)))


x = np.linspace(0.0, 1.0, 7)
"""
TAIL = """
compiled = [name for name in ("llvmlite", "gast", "pellucid.compiler.pipeline") if name in sys.modules]
print("COMPILER", compiled, file=sys.stderr)
"""
PROGRAMS = {
    "arrays and scalars": """
@compile
def f(x, k):
    return np.sum(np.tanh(x) * k) + math.sin(k), np.float32(2) * k, len(x), x > 0.5, True

show(f, x, 2.0); show(f, x, 3); show(f, x.astype(np.float32), 2.0); show(f, x[::2], 1.0)
""",
    "containers": """
@compile
def f(p, d):
    line = Line(Point(p.x * 2, p.y), 3.0)
    return {"line": line, "all": [p, (p.y, None, "text")], 3: d["a"], "same": np.float32, "empty": ()}

show(f, Point(x, 1.5), {"a": x[:2]})
show(compile(lambda line: line), Line(Point(x, 2.0)))
""",
    "products, special functions and lists": """
import scipy.special

@compile
def f(a, b):
    found = []
    for row in a:
        if row[0] > 0.3:
            found.append(row @ b)
    return np.array(found), a @ b, scipy.special.digamma(b)

show(f, np.arange(12.0).reshape(4, 3) / 5, np.ones(3))
""",
    "derivatives": """
@compile
def loss(w, x):
    total = 0.0
    while total < 3.0:
        total = total + np.sum(np.exp(w * x)) + 0.5
    return total

show(grad(loss), 0.3, x); show(value_and_grad(loss, (0, 1)), 0.1, x)
show(grad(lambda p: np.sum(p.x) * p.y), Point(x, 2.0))
""",
    "pullbacks": """
def waves(x, k):
    y = np.sin(x) * k
    return {"y": y[1:], "n": 3}, y @ y

out, pullback = pellucid.vjp(waves, x, 2.0)
show(pullback, ({"y": np.ones(6), "n": None}, 0.5)); show(pullback, 1.0)
show(pellucid.jacrev(lambda x, k: np.sin(x) * k, argnums=("k",)), x, 2.0)
""",
    "recursion and functions as arguments": """
@compile(static="g")
def apply(g, x, n):
    def power(x, n):
        return 1.0 if n == 0 else x * power(x, n - 1)
    return g(power(x, n))

def twice(x): return 2 * x

show(apply, twice, 3.0, 5); show(apply, lambda x: x + 1, 3.0, 5); show(apply, lambda x: x + 2, 3.0, 5)
""",
    "changed and frozen arrays": """
bias = np.arange(7.0)

@compile(mutates="a", freeze="bias")
def f(a, k):
    a += k * bias
    return a[1]

show(f, x, 2.0); print(x)
show(f, np.broadcast_to(1.0, (7,)), 2.0)
""",
    "values from outside": """
from pellucid import Array

table = {"w": [np.arange(7.0), 2.0], "f": lambda v: v * scale[0], "long": [0.5 * k for k in range(20)]}
scale = [3.0]
weights = (Array(np.arange(7.0)), 1.5)

def power(x, n):
    return weights[0] @ x if n == 0 else power(x + table["w"][0], n - 1)

@compile(freeze=("table", "scale"))
def f(x, k):
    return table["f"](x) * table["w"][1] + table["long"][k] + power(x, 2) * weights[1]

show(f, x, 2)
weights = (Array(np.ones(7)), 1.5)
show(f, x, 2)
table["w"][1] = 100.0
show(f, x, 3)
""",
    "one of several structures": """
@compile
def f(x, k):
    if k < 0:
        return None
    if k > 1:
        return Point(x, 1.0) if k > 2 else (k, "two")
    return {"k": k} if k else Line(Point(x, 2.0))

for k in range(-1, 4):
    show(f, x, k)
""",
    "errors": """
@compile
def f(x, i, mode):
    if i > 100:
        raise Divergence(f"step {i} of {mode} at {x[0]}")
    return inner(x, i) / (i - 3)

def inner(x, i):
    return x[i] + 1 / (i - 4)

for i in (2, 3, 4, 9, 101):
    show(f, x, i, 0.5)
""",
}


def run(path, folder, **environment):
    """(standard output, whether the compiler was there) of a script with a cache of its own."""
    done = started(path, folder, **environment)
    return done.stdout, "COMPILER []" not in done.stderr


def started(path, folder, **environment):
    settings = {k: v for k, v in os.environ.items() if not k.startswith("PELLUCID_")}
    settings |= {"PELLUCID_CACHE_DIR": str(folder), **environment}
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, env=settings, cwd=path.parent)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture
def script(tmp_path):
    def write(text, name="program.py"):
        path = tmp_path / name
        path.write_text(HEAD + textwrap.dedent(text) + TAIL)
        return path

    return write


ALL = """
import runpy
for path in {paths}:
    runpy.run_path(path, run_name="__main__")
    print({mark!r})
"""
MARK = "--- the next program"


@pytest.fixture(scope="module")
def three_processes(tmp_path_factory):
    """What every program prints, and whether there was a compiler by its end: in one that compiles, one that need
    not, and one that has no cache.
    """
    folder = tmp_path_factory.mktemp("programs")
    paths = [str(folder / f"program_{number}.py") for number in range(len(PROGRAMS))]
    for path, text in zip(paths, PROGRAMS.values()):
        pathlib.Path(path).write_text(HEAD + text + TAIL)
    (folder / "all.py").write_text(ALL.format(paths=paths, mark=MARK))
    found = []
    for setting in ("1", "1", "0"):
        done = started(folder / "all.py", folder / "cache", PELLUCID_CACHE=setting)
        compiled = ["COMPILER []" not in line for line in done.stderr.splitlines() if line.startswith("COMPILER")]
        found.append(dict(zip(PROGRAMS, zip(done.stdout.split(MARK), compiled, strict=False))))
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_second_process_compiles_nothing(name, three_processes):
    first, second, uncached = (process[name] for process in three_processes)
    assert first[1] and first[0].strip()
    assert second == (first[0], False)
    assert uncached == first


def test_what_is_wrong_is_refused_again(script, tmp_path):
    path = script("""
        def refused(function, *args):
            try:
                compile(function)(*args)
            except pellucid.CompileError as error:
                print(type(error).__name__, str(error).splitlines()[1])

        table = [1.0]
        refused(lambda x: print(x), 1.0)
        refused(lambda x: table[0] * x, 1.0)
        refused(lambda x: x[0], 1.0)
    """)
    first, _ = run(path, tmp_path / "cache")
    assert first.count("error[") == 3 and run(path, tmp_path / "cache")[0] == first


def test_an_edit_is_compiled(script, tmp_path):
    def results(rate, body):
        return run(script(f"RATE = {rate}\ng = lambda x: {body}\nshow(compile(lambda x: RATE * g(x)), 3.0)"), cache)

    cache = tmp_path / "cache"
    assert [results(*given)[0] for given in (("2", "x"), ("4", "x"), ("4", "-x"), ("2", "x"))] == [
        f"float {value} \n" for value in (6.0, 12.0, -12.0, 6.0)
    ]
    assert not results("4", "-x")[1]


def test_settings_and_options_are_part_of_the_key(script, tmp_path):
    text = "show(compile(lambda x: x + 1.0, fastmath={}), 1.0)"
    for fast in (False, True):
        assert run(script(text.format(fast)), tmp_path / "cache")[1]
        assert not run(script(text.format(fast)), tmp_path / "cache")[1]
        assert run(script(text.format(fast)), tmp_path / "cache", PELLUCID_SOMETHING="1")[1]


def test_without_assertions_nothing_is_kept(script, tmp_path):
    path = script("show(compile(lambda x: x + 1.0), 1.0)")
    assert run(path, tmp_path / "cache", PYTHONOPTIMIZE="1")[1]
    assert run(path, tmp_path / "cache", PYTHONOPTIMIZE="1")[1]


# --- damage --------------------------------------------------------------------------------------------------------


def test_damaged_entries_are_compiled_again(script, tmp_path):
    path, cache = script(PROGRAMS["arrays and scalars"]), tmp_path / "cache"
    want, _ = run(path, cache)
    for change in (lambda data: data[: len(data) // 2], lambda data: data[:-1] + b"?", lambda data: b""):
        for file in cache.iterdir():
            file.write_bytes(change(file.read_bytes()))
        assert run(path, cache) == (want, True)
        assert run(path, cache) == (want, False)


def test_parts_may_be_missing(script, tmp_path):
    path, cache = script(PROGRAMS["arrays and scalars"]), tmp_path / "cache"
    want, _ = run(path, cache)
    for suffix in (".code", ".function", ".checked"):
        for file in cache.glob(f"*{suffix}"):
            file.unlink()
        assert run(path, cache) == (want, True)
        assert run(path, cache) == (want, False)


def test_a_folder_that_cannot_be_used_is_no_error(script, tmp_path):
    path = script(PROGRAMS["errors"])
    want, _ = run(path, tmp_path / "cache")
    (tmp_path / "file").write_text("")
    assert run(path, tmp_path / "file" / "cache") == (want, True)
    os.chmod(tmp_path / "cache", 0o777)
    assert run(path, tmp_path / "cache") == (want, True)


# --- many processes ------------------------------------------------------------------------------------------------


def test_many_processes_at_once(script, tmp_path):
    path = script(PROGRAMS["derivatives"])
    settings = {k: v for k, v in os.environ.items() if not k.startswith("PELLUCID_")}
    settings["PELLUCID_CACHE_DIR"] = str(tmp_path / "cache")
    command = [sys.executable, str(path)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=settings) for _ in range(4)]
    outputs = {process.communicate()[0] for process in started}
    assert len(outputs) == 1 and all(process.returncode == 0 for process in started)
    assert run(path, tmp_path / "cache") == (outputs.pop(), False)
    assert not list((tmp_path / "cache").glob("*.tmp"))


def test_a_killed_process_does_no_harm(script, tmp_path):
    path = script(PROGRAMS["containers"])
    settings = {k: v for k, v in os.environ.items() if not k.startswith("PELLUCID_")}
    settings["PELLUCID_CACHE_DIR"] = str(tmp_path / "cache")
    process = subprocess.Popen([sys.executable, str(path)], stdout=subprocess.DEVNULL, env=settings)
    deadline = time.time() + 60
    while time.time() < deadline and process.poll() is None and not list(tmp_path.glob("cache/*.code")):
        time.sleep(0.001)
    process.kill()
    process.wait()
    want, _ = run(path, tmp_path / "cache")
    assert run(path, tmp_path / "cache") == (want, False)
    assert run(path, tmp_path / "other") == (want, True)


# --- inside one process --------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(tmp_path / "kept"))
    return tmp_path / "kept"


def twice():
    return compile(lambda x: 2.0 * x)  # the same code every time


def test_code_from_the_cache_can_be_looked_into(folder):
    x = np.ones(3)
    assert twice()(x).tolist() == [2, 2, 2]
    cached = twice()
    assert cached(x).tolist() == [2, 2, 2]
    (held,) = cached._compiled.values()
    assert not held.executable.text
    assert "2.0 * x" in cached.source("source") and "2.0 * x" in cached.source("loops", x)
    assert "double" in cached.source("llvm", x) and "pellucid_entry" in cached.source("asm", x)
    assert "x: f64" in cached.explain(x)
    assert cached.debug("loops")(x).tolist() == [2, 2, 2] == cached(x).tolist()


def test_equal_kernels_are_loaded_once(folder):
    made = [compile(lambda x: x * 7.0 - 1.0), compile(lambda x: x * 7.0 - 1.0, parallel=True)]
    assert [f(np.ones(2)).tolist() for f in made] == [[6, 6]] * 2
    one, two = (next(iter(f._compiled.values())).executable.library for f in made)
    assert one is two


def test_code_is_let_go(folder):
    text = "define i64 @pellucid_test() {\n  ret i64 42\n}\n"
    library = machine_code.library(text)
    assert machine_code.stored_library(library.key) is library
    key = library.key
    del library
    assert key not in machine_code._LOADED
    assert machine_code.stored_library(key) is not None


# --- loading -------------------------------------------------------------------------------------------------------

MODULE = """
@count = internal global i64 5
@zeros = internal global [100 x i64] zeroinitializer, align 64
@exported = global double 2.5
declare double @cbrt(double)
declare ptr @malloc(i64)
declare void @free(ptr)

define i64 @next() {
  %old = load i64, ptr @count
  %new = add i64 %old, 1
  store i64 %new, ptr @count
  %place = getelementptr i64, ptr @zeros, i64 %old
  %zero = load i64, ptr %place
  %sum = add i64 %new, %zero
  ret i64 %sum
}

define double @root(double %x) {
  %block = call ptr @malloc(i64 8)
  store volatile double %x, ptr %block
  %held = load volatile double, ptr %block
  call void @free(ptr %block)
  %root = call double @cbrt(double %held)
  %factor = load double, ptr @exported
  %product = fmul double %root, %factor
  ret double %product
}

define i64 @choose(i64 %k) {
  switch i64 %k, label %other [ i64 0, label %a
                                i64 1, label %b
                                i64 2, label %c
                                i64 3, label %a
                                i64 4, label %d ]
a:
  ret i64 17
b:
  ret i64 100
c:
  ret i64 -5
d:
  %n = call i64 @next()
  ret i64 %n
other:
  ret i64 0
}
"""


@pytest.mark.parametrize("loader", ["own", "LLVM"])
def test_an_object_file_is_loaded(loader):
    import ctypes

    code = native.object_code(Source(MODULE))
    if loader == "own":
        if not linking.is_possible():
            pytest.skip("LLVM loads on this machine")
        loaded = linking.Linked(code, machine_code.routines.address_of)
    else:
        loaded = native.LoadedByLLVM(code)
    step = ctypes.CFUNCTYPE(ctypes.c_int64)(loaded.address("next"))
    root = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(loaded.address("root"))
    choose = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(loaded.address("choose"))
    assert [step(), step()] == [6, 7] and abs(root(27.0) - 7.5) < 1e-14
    assert [choose(k) for k in range(6)] == [17, 100, -5, 17, 8, 0]


@pytest.mark.parametrize("change", [lambda c: b"", lambda c: c[:40], lambda c: c[:-300], lambda c: b"MZ" + c[2:]])
def test_what_is_no_object_file_is_left_to_llvm(change):
    with pytest.raises((linking.NotLinked, ValueError, LookupError, linking.struct.error)):
        linking.Linked(change(native.object_code(Source(MODULE))), machine_code.routines.address_of)


def test_unknown_routines_are_errors():
    text = "declare i64 @pellucid_missing()\ndefine i64 @f() {\n %x = call i64 @pellucid_missing()\n ret i64 %x\n}\n"
    with pytest.raises(LookupError, match="pellucid_missing"):
        linking.Linked(native.object_code(Source(text)), machine_code.routines.address_of)


# --- the command ---------------------------------------------------------------------------------------------------


def damped_spring(x, v):
    return x - 0.1 * v


def test_the_command_lists_and_clears(folder, capsys, monkeypatch):
    monkeypatch.delenv("PELLUCID_CACHE_SIZE")
    assert main(["cache"]) == 0
    assert re.fullmatch(r"0 functions; 0 files, 0 B of 512\.0 MB, in .*\n", capsys.readouterr().out)
    compile(damped_spring)(np.ones(3), 2.0)
    assert main(["cache", "list"]) == 0
    head, row, _, total = capsys.readouterr().out.splitlines()
    assert head.split() == ["function", "file", "arguments", "size", "used"]
    line = damped_spring.__code__.co_firstlineno
    assert re.fullmatch(rf"damped_spring +\S*test_cache.py:{line} +x: f64\[_\], v: float +[\d.]+ kB  just now", row)
    assert re.match(r"1 function; \d+ files, \d+\.\d kB of 512\.0 MB, in ", total)
    assert main(["cache", "path"]) == 0 and capsys.readouterr().out == f"{folder}\n"
    assert main(["cache", "clear"]) == 0
    assert re.match(r"removed \d+ files, \d+\.\d kB, from ", capsys.readouterr().out)
    assert store().entries() == []


def test_the_command_says_why_nothing_is_kept(folder, capsys, monkeypatch):
    folder.mkdir(mode=0o777)
    os.chmod(folder, 0o777)
    assert main(["cache"]) == 1
    assert capsys.readouterr().out == f"the cache in {folder} is not used: the folder can be written to by others\n"
    monkeypatch.setenv("PELLUCID_CACHE", "0")
    assert main(["cache"]) == 1 and capsys.readouterr().out == "the cache is off\n"


def test_sizes_and_ages_in_words():
    assert [cache_command.as_size(n) for n in (0, 1023, 1024, 3 * 2**20, 2**30)] == [
        "0 B", "1023 B", "1.0 kB", "3.0 MB", "1.0 GB"
    ]  # fmt: skip
    assert [cache_command.as_age(s) for s in (-5, 59, 60, 7300, 86400)] == [
        "just now", "just now", "1 minute ago", "2 hours ago", "1 day ago"
    ]  # fmt: skip
    assert cache_command.short("/very" * 20, from_left=True).startswith("...") and cache_command.short("a\nb") == "a?b"


# --- importing -----------------------------------------------------------------------------------------------------


def test_importing_needs_no_compiler(folder):
    compile(lambda x: x + 1.5)(1.0)  # from now on the cache may have what is called
    text = textwrap.dedent("""
        import sys
        import pellucid

        heavy = ("llvmlite", "scipy", "gast", "astunparse")
        print([m for m in sys.modules if m.split(".")[0] in heavy], "pellucid.compiler.pipeline" in sys.modules)
        assert issubclass(pellucid.PurityError, pellucid.CompileError)
        assert set(pellucid.__all__) <= set(dir(pellucid))
        import pellucid.numpy
    """)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "[] False\n"


def test_names_that_are_not_there():
    with pytest.raises(AttributeError, match="no attribute 'Compilererror'"):
        pellucid.Compilererror


def test_an_edit_of_the_compiler_leaves_machine_code_alone(monkeypatch, tmp_path):
    """Its key names LLVM and the files that drive it; that of a function names every file."""
    text = "define i64 @one() {\n  ret i64 1\n}\n"
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(tmp_path))
    code, function = machine_code.library(text).key, machine_code.platform("")
    monkeypatch.setattr(machine_code, "own_state", lambda: b"edited")
    machine_code.platform.cache_clear()
    try:
        assert machine_code.platform("") != function
        assert machine_code.library(text).key == code
        monkeypatch.setattr(machine_code, "_content", lambda path: path.encode())
        machine_code.translator.cache_clear()
        assert machine_code.library(text).key != code
    finally:
        monkeypatch.undo()
        machine_code.platform.cache_clear()
        machine_code.translator.cache_clear()
