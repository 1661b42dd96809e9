"""The key of a compiled function (`pellucid/fingerprint.py`): it changes with all that the compiler may look at."""

import importlib.util
import subprocess
import sys
import textwrap
import types
from builtins import compile as compile_text

import numpy as np
import pytest

from pellucid import compile
from pellucid.compiler.request import Request
from pellucid.fingerprint import Fingerprint, Unknowable

HEAD = """
import enum, functools, math
from dataclasses import dataclass
from typing import NamedTuple
import numpy as np
from pellucid import Array
"""
# Pairs of programs that differ in something `f` reaches; the text of `f` itself stays where it is.
CHANGES = {
    "a constant": ("K = 2.0", "K = 3.0", "K * x"),
    "the type of a constant": ("K = 2", "K = 2.0", "K * x"),
    "the sign of zero": ("K = 0.0", "K = -0.0", "K * x"),
    "a NumPy scalar": ("K = np.float32(2)", "K = np.float64(2)", "K * x"),
    "an item of a tuple": ("K = (1, 2)", "K = (1, 3)", "K[1] * x"),
    "a tuple or a list": ("K = (1, 2)", "K = [1, 2]", "K[1] * x"),
    "an item of a dict": ("K = {'a': 1}", "K = {'a': 2}", "K['a'] * x"),
    "a key of a dict": ("K = {'a': 1}", "K = {'b': 1}", "len(K) * x"),
    "the type of an array in a tuple": ("K = (np.ones(2),)", "K = (np.ones(2, np.int8),)", "K[0] * x"),
    "the type of an Array": ("K = Array(np.ones(2))", "K = Array(np.ones(1))", "K * x"),
    "a called function": ("def g(x): return x", "def g(x): return -x", "g(x)"),
    "a function called by a called function": (
        "h = lambda x: x\ndef g(x): return h(x)", "h = lambda x: -x\ndef g(x): return h(x)", "g(x)"
    ),
    "a default": ("def g(x, k=1): return x * k", "def g(x, k=2): return x * k", "g(x)"),
    "a keyword default": ("def g(x, *, k=1): return x", "def g(x, *, k=2): return x", "g(x)"),
    "a closed-over variable": ("g = (lambda k: lambda x: k * x)(1)", "g = (lambda k: lambda x: k * x)(2)", "g(x)"),
    "a default of a record": (
        "class P(NamedTuple):\n    a: float = 1.0", "class P(NamedTuple):\n    a: float = 2.0", "P().a * x"
    ),
    "the order of fields": (
        "class P(NamedTuple):\n    a: float\n    b: float", "class P(NamedTuple):\n    b: float\n    a: float",
        "P(x, 1.0).a"
    ),
    "a default of a dataclass": (
        "@dataclass(frozen=True)\nclass P:\n    a: float = 1.0",
        "@dataclass(frozen=True)\nclass P:\n    a: float = 2.0",
        "P().a * x"
    ),
    "the value of a record": (
        "class P(NamedTuple):\n    a: float\nK = P(1.0)", "class P(NamedTuple):\n    a: float\nK = P(2.0)", "K.a * x"
    ),
    "code of a record's own": (
        "@dataclass(frozen=True)\nclass P:\n    a: float",
        "@dataclass(frozen=True)\nclass P:\n    a: float\n    def __post_init__(self): pass",
        "P(x).a"
    ),
    "the value of a member": (
        "class E(enum.Enum):\n    A = 1", "class E(enum.Enum):\n    A = 2", "E.A.value * x"
    ),
    "a class attribute": ("class C:\n    rate = 1", "class C:\n    rate = 2", "C.rate * x"),
    "an attribute of a base class": (
        "class B:\n    rate = 1\nclass C(B): pass", "class B:\n    rate = 2\nclass C(B): pass", "C.rate * x"
    ),
    "a name that is defined or not": ("", "K = 1", "K * x"),
    "a builtin that is shadowed": ("", "def abs(x): return x", "abs(x)"),
    "a library's function under the same name": ("sin = math.sin", "sin = math.cos", "sin(x)"),
    "a wrapper that goes by a library's name": (
        "g = functools.wraps(np.sin)(lambda x: x)", "g = functools.wraps(np.sin)(lambda x: -x)", "g(x)"
    ),
    "options of a compiled function": (
        "import pellucid\ng = pellucid.compile(lambda x, k: x, static='k')",
        "import pellucid\ng = pellucid.compile(lambda x, k: x)", "g(x, 1)"
    ),
    "a transformation": (
        "import pellucid\ng = pellucid.grad(lambda x, y: x * y)",
        "import pellucid\ng = pellucid.grad(lambda x, y: x * y, 1)", "g(x, 1.0)"
    ),
    "a constant of the body": ("", "", "x * 2.0", "x * 3.0"),
    "the sign of a constant of the body": ("", "", "x * 0.0", "x * -0.0"),
}  # fmt: skip


def function_of(text, path):
    module = types.ModuleType("example")
    path.write_text(textwrap.dedent(text))  # not imported: an old file of bytecode would do for a change of one letter
    exec(compile_text(path.read_text(), str(path), "exec"), vars(module))
    return module.f


def digest_of(function, *values):
    seen = Fingerprint()
    seen.request(Request(function))
    seen.add(*values)
    return seen.digest()


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_noticed(name, tmp_path):
    first, second, *bodies = CHANGES[name]
    made = []
    for text, body in ((first, bodies[0]), (second, bodies[-1]), (first, bodies[0])):
        text = f"{HEAD}def f(x):\n    return {body}\n\n{text}\n"  # what varies stands below, so that lines stay
        made.append(digest_of(function_of(text, tmp_path / "example.py")))
    assert made[0] == made[2] and made[0] != made[1]


def test_the_place_counts(tmp_path):
    """Errors name the file and the line."""
    text = "def f(x):\n    return x[3]\n"
    made = {
        digest_of(function_of(text, tmp_path / "one.py")),
        digest_of(function_of(text, tmp_path / "two.py")),
        digest_of(function_of("\n" + text, tmp_path / "one.py")),
        digest_of(function_of(text.replace("x[3]", "x [3]"), tmp_path / "one.py")),
    }
    assert len(made) == 4


def test_what_is_not_mentioned_does_not_count(tmp_path):
    text = "import numpy as np\ndef f(x):\n    return np.sin(x)\n"
    first = digest_of(function_of(text, tmp_path / "one.py"))
    assert digest_of(function_of(f"{text}K = 3\nclass A: pass\n", tmp_path / "one.py")) == first


def test_attributes_of_modules_count(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    made = []
    for rate in (1.0, 2.0, 1.0):
        settings = tmp_path / "settings_of_a_model.py"
        settings.write_text(f"rate = {rate}\nunread = {len(made)}\n")
        sys.modules.pop(settings.stem, None)
        importlib.invalidate_caches()
        text = f"import {settings.stem} as settings\n"
        text += "def g(s):\n    return s.rate\ndef f(x):\n    return g(settings) * x\n"
        sys.dont_write_bytecode, kept = True, sys.dont_write_bytecode
        try:
            made.append(digest_of(function_of(text, tmp_path / "example.py")))
        finally:
            sys.dont_write_bytecode = kept
    assert made[0] == made[2] != made[1]


@pytest.mark.parametrize(
    "text, body",
    [
        ("class A: pass\nK = A()", "K.rate * x"),
        ("import types\nK = types.SimpleNamespace(rate=1)", "K.rate * x"),
        ("import numpy as np\nK = np.random.default_rng(0)", "K.random()"),
        ("K = []\nK.append(K)", "len(K) * x"),
        ("K = [0] * 200_000", "len(K) * x"),
        ("import sys\nK = type(sys)('made')\nK.__getattr__ = lambda name: 1", "K.rate * x"),
    ],
)
def test_what_cannot_be_told_is_not_kept(text, body, tmp_path):
    with pytest.raises((Unknowable, RecursionError)):
        digest_of(function_of(f"{text}\ndef f(x):\n    return {body}\n", tmp_path / "example.py"))


def test_a_file_named_like_a_module_of_python_is_the_users(tmp_path, monkeypatch):
    made = []
    for sign in "+-":
        path = tmp_path / f"statistics{sign}.py"
        path.write_text(f"def f(x):\n    return {sign}x\n")
        spec = importlib.util.spec_from_file_location("statistics", path)
        module = importlib.util.module_from_spec(spec)
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "statistics", module)
            spec.loader.exec_module(module)
            made.append(digest_of(module.f))
    assert made[0] != made[1]


def test_a_changed_library_is_noticed(monkeypatch):
    first = digest_of(uses_sin)
    monkeypatch.setattr(np, "sin", lambda x: x)
    assert digest_of(uses_sin) != first


def uses_sin(x):
    return np.sin(x)


def test_functions_that_call_each_other_end():
    assert digest_of(even) == digest_of(even) != digest_of(odd)


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


def test_arguments_count():
    values = [1, 1.0, True, "a", b"a", None, (1,), [1], {"a": 1}, np.dtype("f4"), np.dtype("f8"), np.float32, slice(1)]
    values += [np.ones(2), np.zeros(2), np.ones(2, np.float32), np.ones((2, 1)), float("nan"), 0.0, -0.0, even, odd]
    values += [frozenset({1, 2}), frozenset({1, 3}), range(3), range(4), ..., int, float, len, np.sin, compile]
    assert len({digest_of(uses_sin, value) for value in values}) == len(values)


def test_objects_have_the_same_numbers_in_every_process(tmp_path):
    script = tmp_path / "counted.py"
    script.write_text(textwrap.dedent("""
        import enum
        from typing import NamedTuple
        import numpy as np
        from pellucid.compiler.request import Request
        from pellucid.fingerprint import Fingerprint

        class Point(NamedTuple):
            x: float
            y: float

        KINDS = frozenset({"a", "b", "c", "d"})

        def g(p):
            return Point(p.y, p.x)

        def f(p, kind):
            return g(p) if kind in KINDS else p

        seen = Fingerprint()
        seen.request(Request(f))
        seen.add(Point, np.sin, g)
        print(seen.digest().hex(), [getattr(o, "__name__", o) for o in seen.objects])
    """))
    texts = set()
    for seed in "123":
        run = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, check=True,
            env={"PYTHONHASHSEED": seed, "PATH": "/usr/bin:/bin"},
        )  # fmt: skip
        texts.add(run.stdout)
    assert len(texts) == 1 and "Point" in texts.pop()
