"""The first call of a process pays for what it uses: modules that it does not need stay out of it."""

import gc
import subprocess
import sys

import numpy as np
import pytest

import pellucid
from pellucid import starting
from pellucid.compiler.frontend.source import read
from tests.harness.stages import module_of

FIRST_CALL = """
import sys
sys.path[:0] = {path!r}
import pellucid
from {module} import f
f = pellucid.compile(f)
f(1.0)
print(*sys.modules)
"""
# What only messages, derivatives, other stages and the gamma function need: it costs milliseconds to import.
NOT_NEEDED = """
    difflib fractions pdb pellucid.showing pellucid.stepping pellucid.check
    pellucid.compiler.transform.reverse.reverse pellucid.compiler.targets.llvm.line_tables
    pellucid.runtime.shared_object pellucid.runtime.target_questions
""".split()


def test_a_first_call_imports_nothing_that_it_does_not_need(tmp_path, monkeypatch):
    (tmp_path / "plain.py").write_text("def f(x):\n    return x * x + 1.0\n")
    monkeypatch.setenv("PELLUCID_CACHE", "0")
    monkeypatch.setenv("PELLUCID_VERIFY", "0")
    monkeypatch.setenv("PELLUCID_NUM_THREADS", "1")  # no other thread imports anything beside
    script = FIRST_CALL.format(path=[str(tmp_path)], module="plain")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "pellucid.compiler.pipeline" in loaded
    assert [name for name in NOT_NEEDED if name in loaded] == []


@pytest.mark.parametrize("before", [True, False])
def test_compiling_leaves_the_collector_as_it_was(before):
    f = module_of("import numpy as np\n\n\ndef f(x):\n    return np.sin(x) + 2.0\n")["f"]
    was = gc.isenabled()
    try:
        (gc.enable if before else gc.disable)()
        pellucid.compile(f)(np.ones(3))
        assert gc.isenabled() == before
        with pytest.raises(ZeroDivisionError), starting.no_collection():
            assert not gc.isenabled()
            raise ZeroDivisionError
        assert gc.isenabled() == before
    finally:
        (gc.enable if was else gc.disable)()


IMPORT = """
import sys
before = {*sys.modules}
import numpy
ours = {*sys.modules} - before
import pellucid
print(*{*sys.modules} - before - ours)
"""


def test_what_comes_with_the_package(tmp_path, monkeypatch):
    """Where something is cached: nothing that others wrote but NumPy, and nothing of the compiler that compiles."""
    (tmp_path / "entry").write_text("")
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("PELLUCID_CACHE", raising=False)
    done = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names <= {"pellucid", "numpy"}
    parts = {name.split(".")[2] for name in loaded if name.startswith("pellucid.compiler.")}
    assert not parts & {"analysis", "transform", "printing", "pipeline"}, sorted(parts)


@pytest.mark.parametrize(("cache", "entries", "imported"), [("0", 1, True), ("1", 0, True), ("1", 1, False)])
def test_the_compiler_comes_with_the_package_where_nothing_is_cached(tmp_path, monkeypatch, cache, entries, imported):
    (tmp_path / "kept").mkdir(mode=0o700)
    for number in range(entries):
        (tmp_path / "kept" / str(number)).write_text("")
    monkeypatch.setenv("PELLUCID_CACHE", cache)
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(tmp_path / "kept"))
    script = "import sys, pellucid\nprint('pellucid.compiler.pipeline' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == f"{imported}\n" and done.stderr == ""


# --- functions as they stand in a file -----------------------------------------------------------------------------

AROUND = '''
import math
import numpy as np

text = """
def fake(x):
"""


def decorate(
    one, two=()
):
    return lambda function: function


@decorate(
    1,
    two=(2,
),
)
def decorated(x):
    return np.sin(x) + math.pi


if True:
    def inner(x):
        return x - 1.0
else:
    inner = None


def outer(k):
    def f(x):
        return np.exp(x) * k

    return f


class Holder:
    @staticmethod
    def method(x):
        """
        Not indented:
here.
        """
        return x * 5.0


lambdas = [
    lambda x: x + 1.0, lambda x: x + 2.0,
]
scaled = outer(3.0)
first, second = lambdas
method = Holder.method
'''


@pytest.mark.parametrize("name", ["decorated", "inner", "scaled", "first", "second", "method"])
def test_a_function_is_found_whatever_stands_around_it(name):
    function = module_of(AROUND)[name]
    assert pellucid.compile(function)(0.5) == pytest.approx(function(0.5), rel=1e-15)


def test_lines_around_a_function_are_read_alone(monkeypatch):
    function = module_of(AROUND)["method"]
    whole = []
    monkeypatch.setattr(read, "is_stale", lambda *given: whole.append(given))
    source = read.read(module_of("import numpy as np\n\n\ndef f(x):\n    return np.sin(x)\n\n\n1 + 1\n")["f"])
    assert source.tree.name == "f" and source.line == 4 and not whole
    assert read.read(function).tree.name == "method" and whole  # a line of it looks like the end
