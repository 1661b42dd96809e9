"""The world changes between calls: compiled functions answer as CPython does, whatever was replaced, and wherever.

Each program is loaded twice, once as it stands and once compiled, and the same statements are run in both modules
between the calls; the module that was not compiled is the oracle.  Every way to read something from outside meets every
way to reach it, before and after native code has taken over, with arguments of other types, and with the change undone.
"""

import builtins
import importlib.util
import sys
import threading
import time

import numpy as np
import pytest

import pellucid
from pellucid.runtime.dispatch import support

HEAD = """
import builtins, enum, math, types
from dataclasses import dataclass
from typing import NamedTuple
import numpy as np
import pellucid
compile = pellucid.compile
"""
# what is defined, the expression that reads it, changes (each followed by calls), and how to undo them
WAYS = {
    "a float": ("K = 2.0", "K * x", ["K = 3.0", "K = -0.0"], "K = 2.0"),
    "another type": ("K = 2", "x / 3 * K", ["K = 2.0", "K = True", "K = np.float64(2)"], "K = 2"),
    "a tuple": ("K = (2.0, (1.0, 4))", "K[0] * x + K[1][1]", ["K = (2.0, (1.0, 5))", "K = (7.0, (1, 5), 3)"],
                "K = (2.0, (1.0, 4))"),
    "a text": ("K = 'sine'", "x if K == 'sine' else -x", ["K = 'cosine'", "K = None"], "K = 'sine'"),
    "a NumPy scalar": ("K = np.float64(2)", "K * x", ["K = np.float64(3)"], "K = np.float64(2)"),
    "a slice of digits": ("K = np.int64(3)", "x * (K // 2)", ["K = np.int64(9)"], "K = np.int64(3)"),
    "a NamedTuple": ("class P(NamedTuple):\n    a: float\nK = P(2.0)", "K.a * x", ["K = P(3.0)"], "K = P(2.0)"),
    "a frozen dataclass": ("@dataclass(frozen=True)\nclass P:\n    a: float\nK = P(2.0)", "K.a * x",
                           ["K = P(3.0)"], "K = P(2.0)"),
    "an enum": ("class E(enum.Enum):\n    A = 2.0\n    B = 3.0\nK = E.A", "K.value * x", ["K = E.B"], "K = E.A"),
    "a class": ("class C:\n    RATE = 2.0", "C.RATE * x", ["C.RATE = 3.0", "class C:\n    RATE = 4.0"],
                "C.RATE = 2.0"),
    "an inherited attribute": (
        "class B:\n    RATE = 2.0\nclass C(B):\n    pass", "C.RATE * x",
        ["B.RATE = 3.0", "C.RATE = 4.0", "B.RATE = 5.0", "del C.RATE"], "B.RATE = 2.0"
    ),
    "a base": (
        "class A:\n    RATE = 3.0\nclass B:\n    RATE = 2.0\nclass C(B):\n    pass", "C.RATE * x",
        ["C.__bases__ = (A,)"], "C.__bases__ = (B,)"
    ),
    "a metaclass": (
        "class M(type):\n    pass\nclass C(metaclass=M):\n    RATE = 2.0", "C.RATE * x",
        ["M.RATE = property(lambda c: 5.0, lambda c, v: None)"], "del M.RATE"
    ),
    "a function in a class": (
        "class C:\n    @staticmethod\n    def h(x): return 2.0 * x", "C.h(x)", ["C.h = staticmethod(lambda x: x * x)"],
        "C.h = staticmethod(lambda x: 2.0 * x)"
    ),
    "a module": ("m = types.ModuleType('m')\nm.RATE = 2.0", "m.RATE * x",
                 ["m.RATE = 3.0", "m = types.ModuleType('n')\nm.RATE = 4.0"], "m.RATE = 2.0"),
    "a module in a module": (
        "m = types.ModuleType('m')\nm.n = types.ModuleType('n')\nm.n.RATE = 2.0", "m.n.RATE * x",
        ["m.n.RATE = 3.0", "m.n = types.ModuleType('n')\nm.n.RATE = 4.0"], "m.n.RATE = 2.0"
    ),
    "a function": ("def h(x): return 2.0 * x", "h(x)", ["def h(x): return x * x", "h = math.sin", "h = lambda x: -x"],
                   "def h(x): return 2.0 * x"),
    "its code": ("def h(x): return 2.0 * x\ndef other(x): return x * x", "h(x)", ["h.__code__ = other.__code__"],
                 "h.__code__ = (lambda x: 2.0 * x).__code__"),
    "its defaults": ("def h(x, k=2.0, n=1.0): return k * x + n", "h(x)", ["h.__defaults__ = (2.0, 5.0)"],
                     "h.__defaults__ = (2.0, 1.0)"),
    "its keyword defaults": (
        "def h(x, *, k=2.0): return k * x", "h(x)", ["h.__kwdefaults__ = {'k': 3.0}", "h.__kwdefaults__['k'] = 4.0"],
        "h.__kwdefaults__['k'] = 2.0"
    ),
    "its attribute": ("def h(x): return x\nh.rate = 2.0", "h.rate * x", ["h.rate = 3.0"], "h.rate = 2.0"),
    "a closed-over variable": (
        "def make(k):\n    def h(x): return k * x\n    def put(v):\n        nonlocal k\n        k = v\n"
        "    return h, put\n"
        "h, put = make(2.0)", "h(x)", ["put(3.0)", "h, put = make(4.0)"], "put(2.0)"
    ),
    "a compiled function": ("def g(x): return 2.0 * x\nh = compile(g)", "h(x)",
                            ["g.__code__ = (lambda x: x * x).__code__", "h = compile(lambda x: x + 1)"],
                            "h = compile(lambda x: 2.0 * x)"),
    "a shadowed builtin": ("", "abs(x - 3.0)", ["abs = lambda v: v * v"], "del abs"),
    "another builtin": ("K = abs", "abs(x)", ["builtins.abs = lambda v: v * v"], "builtins.abs = K"),
    "a function of NumPy": ("K = np.arcsinh", "np.arcsinh(x)", ["np.arcsinh = np.tanh"], "np.arcsinh = K"),
    "NumPy": ("", "np.sin(x)", ["np = types.ModuleType('other')\nnp.sin = lambda x: x * x"], "import numpy as np"),
    "a default of a NamedTuple": (
        "class P(NamedTuple):\n    a: float = 2.0", "P().a * x",
        ["P.__new__.__defaults__ = (3.0,)", "class P(NamedTuple):\n    a: float = 4.0"],
        "P.__new__.__defaults__ = (2.0,)"
    ),
    "a record class": ("@dataclass(frozen=True)\nclass P:\n    a: float = 2.0", "P().a * x",
                       ["@dataclass(frozen=True)\nclass P:\n    a: float = 3.0"], "P = type(P())"),
    "a recursive function": (
        "def h(x, n=3):\n    return x if n == 0 else 2.0 * h(x, n - 1)", "h(x)",
        ["def h(x, n=3):\n    return x if n == 0 else 3.0 * h(x, n - 1)"],
        "def h(x, n=3):\n    return x if n == 0 else 2.0 * h(x, n - 1)"
    ),
    "one that turns recursive": (
        "def b(x): return x\ndef h(x): return x * 2.0 if x < 0.0 else b(x)", "h(x)",
        ["def b(x):\n    return x if x < -3.0 else h(x - 1.0) + 1.0"], "def b(x): return x"
    ),
}  # fmt: skip
# how `f` comes to read it; `one`, `f` and `direct` are compiled in one of the modules
ROUTES = {
    "directly": "@compiled\ndef f(x):\n    return {expression}",
    "by a helper": "def inner(x):\n    return {expression}\n@compiled\ndef f(x):\n    return inner(x) + 1.0",
    "by two helpers": (
        "def inmost(x):\n    return {expression}\ndef inner(x):\n    return inmost(x) * 2.0\n"
        "@compiled\ndef f(x):\n    return inner(x) + 1.0"
    ),
    "by a compiled function": (
        "@compiled\ndef one(x):\n    return {expression}\n@compiled\ndef f(x):\n    return 2 * one(x)"
    ),
    "by a local function": (
        "@compiled\ndef f(x):\n    def inner(v):\n        x = v\n        return {expression}\n    return inner(x)"
    ),
    "by a gradient": "def direct(x):\n    return {expression}\nf = gradient(direct)",
    "by a gradient inside": (
        "def direct(x):\n    return {expression}\n@compiled\ndef f(x):\n    return gradient(direct)(x)"
    ),
}  # fmt: skip


def slope(function):
    """The derivative by differences, for the module that is not compiled."""
    step = 1e-6
    return lambda x: (function(x + step) - function(x - step)) / (2 * step)


def load(name, text, path, **names):
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    vars(module).update(names)
    spec.loader.exec_module(module)
    return module


class Pair:
    """One program as plain Python and compiled; what is run is run in both."""

    def __init__(self, text, path):
        self.texts, self.folder, self.has_differences = 0, path, "gradient" in text
        plain = {"compiled": lambda f: f, "gradient": slope}
        head = HEAD.replace("pellucid.compile", "lambda f: f")
        self.plain = load("world_plain", head + text, path / "p.py", **plain)
        mine = {"compiled": pellucid.compile, "gradient": pellucid.grad}
        self.compiled = load("world_compiled", HEAD + text, path / "c.py", **mine)

    def run(self, statements):
        """In files, since the compiler reads the source of what they define."""
        self.texts += 1
        path = self.folder / f"change_{self.texts}.py"
        path.write_text(statements)
        code = builtins.compile(statements, str(path), "exec")
        for module in (self.plain, self.compiled):
            exec(code, vars(module))

    def agree(self, *args):
        expected, got = self.plain.f(*args), self.compiled.f(*args)
        assert np.shape(got) == np.shape(expected)
        assert self.has_differences or np.all(np.signbit(got) == np.signbit(expected))
        np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-6, atol=1e-6)


CASES = [(way, route, 4) for way in WAYS for route in ROUTES] + [(way, "directly", 1) for way in WAYS]


@pytest.mark.parametrize("way, route, calls", CASES)
def test_changes_are_seen(way, route, calls, tmp_path, monkeypatch):
    monkeypatch.setattr(builtins, "abs", abs)  # both are put back if a test ends early
    monkeypatch.setattr(np, "arcsinh", np.arcsinh)
    defined, expression, changes, undo = WAYS[way]
    pair = Pair(f"{defined}\n{ROUTES[route].format(expression=expression)}\n", tmp_path)
    for change in ("", *changes, undo):
        pair.run(change)
        for _ in range(calls):
            pair.agree(1.5)
    if "gradient" not in route:
        pair.agree(np.float32(1.5))
        pair.agree(1.5)


def test_what_comes_back_is_not_compiled_again(tmp_path):
    pair = Pair("K = 2.0\n@compiled\ndef f(x):\n    return K * x\n", tmp_path)
    f = pair.compiled.f
    for k in (2.0, 3.0):
        pair.run(f"K = {k}")
        for _ in range(4):
            pair.agree(1.5)
    known = {id(f._compiled[key]): f._compiled[key] for key in f._compiled} | {
        id(one): one for others in f._others.values() for one in others
    }
    assert len(known) == 2
    for k in (2.0, 3.0, 2.0, 3.0):
        pair.run(f"K = {k}")
        for _ in range(4):
            pair.agree(1.5)
        (present,) = f._compiled.values()
        assert id(present) in known and [id(one) in known for one in f._others[next(iter(f._compiled))]] == [True]


def frames(f, *args):
    """The Python functions that a call enters."""
    seen = []
    sys.setprofile(lambda frame, event, _: seen.append(frame.f_code.co_qualname) if event == "call" else None)
    try:
        f(*args)
    finally:
        sys.setprofile(None)
    return seen


@pytest.mark.skipif(support.reason() is not None, reason="native dispatch is off")
@pytest.mark.parametrize("way", [way for way in WAYS if way != "a compiled function"])
def test_guards_are_asked_by_native_code(way, tmp_path):
    defined, expression, _, _ = WAYS[way]
    pair = Pair(f"{defined}\n@compiled\ndef f(x):\n    return {expression}\n", tmp_path)
    for _ in range(3):
        pair.agree(1.5)
    assert frames(pair.compiled.f, 1.5) == []
    pair.run("something_else = 1")  # the globals change, and nothing that the function reads
    assert frames(pair.compiled.f, 1.5) == []


@pytest.mark.skipif(support.reason() is not None, reason="native dispatch is off")
def test_an_equal_number_is_no_change(tmp_path):
    pair = Pair("K = 2.5\n@compiled\ndef f(x):\n    return K * x\n", tmp_path)
    for _ in range(3):
        pair.agree(1.5)
    (before,) = pair.compiled.f._compiled.values()
    pair.run("K = float('2.5')")
    pair.agree(1.5)
    assert list(pair.compiled.f._compiled.values()) == [before] and not pair.compiled.f._others.get(())
    assert frames(pair.compiled.f, 1.5) == []
    pair.run("K = float('3.5')")
    pair.agree(1.5)


OWN = {
    "its code": ("f.__code__ = (lambda x, k=1.0: x * x + k).__code__", (2.0,)),
    "its defaults": ("f.__defaults__ = (7.0,)", (2.0,)),
    "no defaults": ("f.__defaults__ = None", (2.0, 3.0)),
}


@pytest.mark.parametrize("change, args", OWN.values(), ids=list(OWN))
@pytest.mark.parametrize("calls", (1, 4))
def test_a_change_of_the_function_itself(change, args, calls, tmp_path):
    pair = Pair("def f(x, k=1.0):\n    return k * x\ng = f\nf = compiled(f)\n", tmp_path)
    for _ in range(calls):
        pair.agree(*args)
        pair.agree(2.0)
    pair.run(change.replace("f.", "g."))
    for _ in range(calls):
        pair.agree(*args)
    if "None" in change:
        with pytest.raises(TypeError, match="missing"):
            pair.compiled.f(2.0)
    pair.run("g.__code__ = (lambda x, k: k * x).__code__\ng.__defaults__ = (1.0,)")
    for _ in range(calls):
        pair.agree(2.0)


def test_keyword_defaults_of_the_function_itself(tmp_path):
    pair = Pair("def f(x, *, k=1.0):\n    return k * x\ng = f\nf = compiled(f)\n", tmp_path)
    for change in ("['k'] = 2.0", " = {'k': 3.0}", "['k'] = 1.0", "['k'] = 1", "['k'] = 0.0", "['k'] = -0.0"):
        for _ in range(4):
            pair.agree(1.5)
        pair.run(f"g.__kwdefaults__{change}")
    pair.agree(1.5)


NOW_REFUSED = {
    "a list": ("K = [1.0, 2.0]", "P007"), "an array": ("K = np.ones(2)", "P007"), "a dict": ("K = {0: 1.0}", "P007"),
    "an object": ("class Own:\n    def __getitem__(self, k): return 1.0\nK = Own()", "P008"),
    "a tuple that holds a list": ("K = (1.0, [2.0])", "P007"),
}  # fmt: skip


@pytest.mark.parametrize("change, code", NOW_REFUSED.values(), ids=list(NOW_REFUSED))
@pytest.mark.parametrize("route", ["directly", "by a helper", "by a gradient"])
def test_what_can_change_is_refused_when_it_comes(change, code, route, tmp_path):
    pair = Pair(f"K = (1.0, 2.0)\n{ROUTES[route].format(expression='K[0] * x')}\n", tmp_path)
    for _ in range(4):
        pair.agree(1.5)
    pair.run(change)
    for _ in range(2):
        with pytest.raises(pellucid.CompileError) as caught:
            pair.compiled.f(1.5)
        assert {d.code for d in caught.value.diagnostics} == {code}
    pair.run("K = (3.0, 2.0)")
    pair.agree(1.5)


def test_what_goes_is_missed(tmp_path):
    pair = Pair("K = 2.0\n@compiled\ndef f(x):\n    return K * x\n", tmp_path)
    for _ in range(4):
        pair.agree(1.5)
    pair.run("del K")
    with pytest.raises(pellucid.CompileError) as caught:
        pair.compiled.f(1.5)
    assert caught.value.diagnostics[0].code == "P009"


def test_a_frozen_array_keeps_its_first_value(tmp_path):
    text = "W = np.ones(2)\nK = 1.0\ndef f(x):\n    return np.sum(W * x) * K\n"
    module = load("world_frozen", HEAD + text, tmp_path / "frozen.py")
    f = pellucid.compile(module.f, freeze=("W",))
    for _ in range(4):
        assert f(1.5) == 3.0
    module.W = np.zeros(2)
    module.K = 2.0
    for _ in range(4):
        assert f(1.5) == 6.0


def test_a_frozen_array_is_that_of_its_module(tmp_path):
    """A helper of another module has variables of its own, by whatever names."""
    other = load("world_other", HEAD + "W = 5.0\ndef h(x): return W * x\n", tmp_path / "other.py")
    text = "W = np.ones(2)\ndef f(x):\n    return np.sum(W) + h(x)\n"
    module = load("world_frozen_too", HEAD + text, tmp_path / "frozen.py", h=other.h)
    assert pellucid.compile(module.f, freeze=("W",))(1.0) == 7.0


def test_functions_made_by_one_function_have_worlds_of_their_own(tmp_path):
    text = """
def make(k):
    def h(x, n):
        if n == 0:
            return x
        return k * h(x, n - 1)
    return h
two, three = make(2.0), make(3.0)
@compiled
def f(x, n):
    return two(x, n) + three(x, n)
"""
    Pair(text, tmp_path).agree(1.5, 3)


def test_explain_lists_the_guards(tmp_path):
    text = "K = 2.0\ndef h(x, n=3): return np.sin(x) * K * n\n@compiled\ndef f(x):\n    return h(x)\n"
    told = Pair(text, tmp_path).compiled.f.explain("float")
    listed = told[told.index("asked by every call") :]
    assert "the global `K` is 2.0" in listed and "the global `h` is `h`" in listed
    assert "`h.__defaults__` is (3,)" in listed and "numpy" not in listed


def test_calls_are_consistent_while_another_thread_changes_the_world(tmp_path):
    text = "K = (1.0, 1.0)\n@compiled\ndef f(x):\n    return K[0] * x - K[1] * x\n"
    pair = Pair(text, tmp_path)
    module, seen, stop = pair.compiled, set(), threading.Event()

    def change():
        for k in range(100):
            module.K = (float(k % 3), float(k % 3))
            time.sleep(0.001)
        stop.set()

    thread = threading.Thread(target=change)
    thread.start()
    while not stop.is_set():
        seen.add(module.f(1.5))
    thread.join()
    assert seen == {0.0}


# --- the cache on disk ---------------------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def kept(folder):
    return sorted(path.name for path in folder.rglob("*.function"))


@pytest.mark.parametrize("way", WAYS)
def test_what_is_kept_has_its_guards(way, tmp_path, cache):
    """A function that another process compiled is guarded like one that was compiled here."""
    defined, expression, changes, undo = WAYS[way]
    text = f"{defined}\ndef inner(x):\n    return {expression}\n@compiled\ndef f(x):\n    return inner(x)\n"
    first = Pair(text, tmp_path)
    first.agree(1.5)
    assert len(kept(cache)) == 1
    compiler = pellucid.starting.compiler()
    pair = Pair(text, tmp_path)
    made, real = [], compiler.compiled
    compiler.compiled = lambda *args: made.append(args) or real(*args)
    try:
        for _ in range(4):
            pair.agree(1.5)
        assert not made
        for change in [*changes, undo]:
            pair.run(change)
            for _ in range(4):
                pair.agree(1.5)
    finally:
        compiler.compiled = real


def test_a_function_that_changes_arguments_sees_changes(tmp_path):
    """Its calls go through Python, which asks native code."""
    text = "K = 2.0\ndef f(a, b):\n    a[0] = K * b\n"
    module = load("world_mutates", HEAD + text, tmp_path / "m.py")
    f, a = pellucid.compile(module.f, mutates=("a",)), np.zeros(2)
    for k in (2.0, 3.0, float("3.0"), 4.0, 2.0):
        module.K = k
        for _ in range(4):
            a[:] = 0.0
            f(a, 1.5)
            assert a[0] == k * 1.5
    assert len(f._compiled) == 1 and [len(others) for others in f._others.values()] == [2]


OWN_MAKERS = {
    "a NamedTuple": (
        "class Q(NamedTuple):\n    a: float\nclass P(Q):\n    def __new__(cls, a):\n"
        "        return super().__new__(cls, 2 * a)"
    ),
    "a class": (
        "class P:\n    def __new__(cls, a):\n        made = super().__new__(cls)\n        made.a = 2 * a\n"
        "        return made"
    ),
    "its attributes": (
        "class P:\n    def __init__(self, a):\n        self.b = a\n"
        "    def __getattr__(self, name):\n        return 2 * self.b"
    ),
    "a metaclass": (
        "class M(type):\n    def __call__(cls, a):\n        made = super().__call__()\n        made.a = 2 * a\n"
        "        return made\nclass P(metaclass=M): pass"
    ),
    "a kind of list": "class P(list):\n    def __init__(self, a):\n        self.a = 2 * a",
}  # fmt: skip


@pytest.mark.parametrize("text", OWN_MAKERS.values(), ids=list(OWN_MAKERS))
def test_records_made_by_code_of_their_own_are_refused(text, tmp_path):
    module = load("world_made", f"{HEAD}{text}\ndef f(x):\n    return P(x).a\n", tmp_path / "made.py")
    assert module.f(1.5) == 3.0
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(module.f)(1.5)
    assert caught.value.diagnostics[0].code == "U018"
