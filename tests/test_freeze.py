"""What a program reads from outside: frozen values of every kind, and Arrays that may be rebound.

The oracle is CPython, where what is frozen has not changed since.
"""

import sys
import threading
import types

import numpy as np
import pytest

import pellucid
from pellucid import Array

X = np.array([1.0, 2.0, 3.0])
HEAD = """
import dataclasses, enum, functools, operator
from collections import OrderedDict, defaultdict
from typing import NamedTuple
import numpy as np
import pellucid
from pellucid import Array
"""


@pytest.fixture
def load(tmp_path):
    """Modules from texts; they can import one another, and are gone afterwards."""
    made = []

    def module(text, name="frozen_program"):
        path = tmp_path / f"{name}.py"
        path.write_text(HEAD + text, encoding="utf-8")
        found = sys.modules[name] = types.ModuleType(name)
        found.__file__ = str(path)
        made.append(name)
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), vars(found))
        return found

    yield module
    for name in made:
        sys.modules.pop(name, None)


def leaves(tree):
    return [leaf for part in tree for leaf in leaves(part)] if isinstance(tree, tuple | list) else [tree]


def agree(got, want):
    got, want = leaves(got), leaves(want)
    assert len(got) == len(want)
    for one, other in zip(got, want):
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-12)


def refused(function, *args, code="P007", **options):
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function, **options)(*args)
    assert {fault.code for fault in caught.value.diagnostics} == {code}
    return str(caught.value)


# --- what can be frozen --------------------------------------------------------------------------------------------

KINDS = {
    "an array": ("T = np.arange(3.0)", "T * x + T[1]"),
    "an array of ints": ("T = np.arange(3)", "x[T] + T.dtype.itemsize"),
    "an array of no dimensions": ("T = np.array(2.5)", "x * T"),
    "an Array": ("T = Array(np.arange(3.0))", "T * x"),
    "a list of numbers": ("T = [1.0, 2, True]", "x * T[0] + T[1] + T[2] + len(T)"),
    "a dynamic index": ("T = [1.0, 2.5, 4.0]", "T[int(x[1])] + x"),
    "a long list": ("T = list(range(30))", "x * T[int(x[1])] + sum(T) + max(T) + len(T)"),
    "a long list of floats": ("T = [0.5 * k for k in range(30)]", "sum(v * v for v in T) * x"),
    "a long list that is not alike": ("T = [1.0, 'a'] * 5", "x * T[2] + len(T[1])"),
    "lists in a list": ("T = [[1.0, 2.0], [3.0, 4.0]]", "np.array(T) @ x[:2]"),
    "a list of arrays": ("T = [np.ones(3), np.arange(3.0)]", "sum(x @ v for v in T)"),
    "a list of tuples": ("T = [(1.0, 'up'), (2.0, 'down')]", "sum(k if name == 'up' else -k for k, name in T) * x"),
    "a dict": ("T = {'k': 2.0, 3: np.ones(3)}", "x * T['k'] + T[3]"),
    "the items of a dict": ("T = {'k': 2.0, 'm': 3.0}", "sum(v * len(name) for name, v in T.items()) * x"),
    "a key that may be missing": ("T = {'k': 2.0}", "x * T.get('m', 5.0) + ('k' in T)"),
    "an ordered dict": ("T = OrderedDict(a=1.0, b=2.0)", "x * T['b']"),
    "nested": ("T = {'a': [1.0, {'b': (np.ones(3), [2, 3])}]}", "T['a'][1]['b'][0] * x * T['a'][1]['b'][1][1]"),
    "a set": ("T = {'rock', 'pop'}", "x * (2.0 if 'pop' in T else 3.0) + ('jazz' not in T)"),
    "a set of numbers": ("T = {1, 2}", "x + (int(x[1]) in T)"),
    "a tuple that holds a list": ("T = (1.0, [2.0, np.ones(3)])", "x * T[1][0] + T[1][1]"),
    "a dataclass": (
        "@dataclasses.dataclass\nclass C:\n    w: object\n    k: int = 3\n"
        "    def apply(self, x):\n        return self.w * x * self.k\nT = C(np.arange(3.0))",
        "T.apply(x) + T.w",
    ),
    "a NamedTuple of lists": ("class P(NamedTuple):\n    w: object\n    k: float\n"
        "T = P([1.0, 2.0], 3.0)", "x * T.w[1] * T.k"),
    "functions by name": (
        "def g(x):\n    return x + 1.0\nT = {'g': g, 'h': lambda v: 2.0 * v}", "T['g'](x) + T['h'](x)"
    ),
    "functions of NumPy": ("T = {'sin': np.sin, 'top': max}", "T['sin'](x) + T['top'](1.0, 2.0)"),
    "records of functions": (
        "class Family(NamedTuple):\n    link: object\n    rate: float\n"
        "T = {'log': Family(np.log, 1.0), 'own': Family(lambda v: v * T['log'].rate, 2.0)}",
        "T['log'].link(x) + T['own'].link(x) * T['own'].rate",
    ),
    "a partial function": ("T = functools.partial(lambda w, x, k: w * x * k, np.arange(3.0), k=2.0)", "T(x)"),
    "a method of what can change": (
        "@dataclasses.dataclass\nclass C:\n    w: object\n    def apply(self, x):\n        return self.w * x\n"
        "T = C(np.arange(3.0)).apply",
        "T(x)",
    ),
    "members and dtypes": (
        "class E(enum.Enum):\n    A = 1\nT = {E.A: np.float32, 'b': E.A}", "x.astype(T[E.A]) + T['b'].value"
    ),
    "NumPy's numbers": ("T = [np.float32(1.5), np.int8(3)]", "x.astype(np.float32) * T[0] + T[1]"),
    "a number": ("T = 2.5", "x * T"),
    "a function": ("def T(x):\n    return x * 2.0", "T(x)"),
    "None and texts": ("T = [None, 'abc']", "x if T[0] is None else -x"),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_values_of_every_kind_are_frozen(kind, load):
    setting, body = KINDS[kind]
    module = load(f"{setting}\ndef f(x):\n    return {body}\n")
    compiled = pellucid.compile(module.f, freeze="T")
    want = module.f(X)
    for _ in range(3):
        agree(compiled(X), want)
    module.T = None
    agree(compiled(X), want)
    agree(compiled(np.append(X, 1.0)[:3]), want)


CONTAINERS = [kind for kind, (setting, _) in KINDS.items() if kind not in ("an Array", "a number", "a function")]


@pytest.mark.parametrize("kind", CONTAINERS)
def test_the_message_says_how(kind, load):
    setting, body = KINDS[kind]
    module = load(f"{setting}\ndef h(x):\n    return {body}\ndef f(x):\n    return h(x)\n")
    text = refused(module.f, X)
    assert '@compile(freeze=("T",))' in text and "`T`" in text
    agree(pellucid.compile(module.f, freeze=True)(X), module.f(X))


PLACES = {
    "a helper": "T = [2.0]\ndef h(x):\n    return x * T[0]\ndef f(x):\n    return h(x) + T[0]\n",
    "a closure": (
        "def make():\n    T = [2.0]\n    def g(x):\n        return (lambda v: v * T[0])(x)\n    return g\nf = make()\n"
    ),
    "a closure of a helper": (
        "def make(k):\n    T = [k]\n    return lambda x: x * T[0]\none, two = make(1.0), make(2.0)\n"
        "def f(x):\n    return one(x) + 10.0 * two(x)\n"
    ),
    "another module": "import frozen_other as o\nfrom frozen_other import h\ndef f(x):\n    return h(x) + o.T[0]\n",
    "a class": "class S:\n    T = [2.0]\ndef f(x):\n    return x * S.T[0]\n",
    "a base class": "class B:\n    T = [2.0]\nclass S(B):\n    pass\ndef f(x):\n    return x * S.T[0]\n",
    "a class by its instance": "class S:\n    T = [2.0]\n    def g(self, x):\n        return x * self.T[0]\n"
        "def f(x):\n    return S().g(x)\n",
    "a default": "def h(x, T=np.full(3, 2.0)):\n    return x * T\ndef f(x):\n    return h(x) + h(x, 1.0)\n",
    "a default by name": "def h(x, *, T=np.full(3, 2.0)):\n    return x * T\n"
        "def f(x):\n    return h(x) + h(x, T=1.0)\n",
    "a recursive function": "T = np.arange(3.0)\ndef p(x, n):\n    return T @ x if n == 0 else p(x + T, n - 1)\n"
        "def f(x):\n    return p(x, 3)\n",
    "functions that call each other": (
        "T, U = np.arange(3.0), [np.ones(3)]\ndef p(x, n):\n    return np.sum(x) if n <= 0 else q(x, n - 1)\n"
        "def q(x, n):\n    return p(T * x + U[0], n - 1)\ndef f(x):\n    return p(x, 3) + q(x, 2)\n"
    ),
    "a function in a frozen dict": "W = [3.0]\nT = {'g': lambda v: v * W[0]}\ndef f(x):\n    return T['g'](x)\n",
    "two of one name": "import frozen_other as o\nT = [7.0]\ndef f(x):\n    return o.h(x) + T[0]\n",
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_freezing_reaches_wherever_it_is_read(place, load):
    load("T = [5.0]\ndef h(x):\n    return x * T[0]\n", "frozen_other")
    module = load(PLACES[place])
    names = ("T", *(name for name in ("U", "W") if name in vars(module)))
    want = module.f(X)
    for freeze in (names, True):
        compiled = pellucid.compile(module.f, freeze=freeze)
        for _ in range(2):
            agree(compiled(X), want)
    with pytest.raises(pellucid.CompileError):
        pellucid.compile(module.f)(X)


def test_one_line_answers_all_faults(load):
    module = load("A, B, C = [1.0], {'k': 2.0}, np.ones(3)\ndef h(x):\n    return x * B['k']\n"
        "def f(x):\n    return h(x) + A[0] + C\n")
    assert refused(module.f, X).count('@compile(freeze=("A", "C", "B"))') == 3
    assert refused(module.f, X, freeze=("A",)).count('@compile(freeze=("A", "C", "B"))') == 2
    agree(pellucid.compile(module.f, freeze=("A", "C", "B"))(X), module.f(X))
    module = load("A, B, C, D, E = [1.0], [2.0], [3.0], [4.0], [5.0]\n"
        "def f(x):\n    return A[0] + B[0] + C[0] + D[0] + E[0] + x\n")
    assert refused(module.f, X).count("@compile(freeze=True)") == 5


# --- what it means -------------------------------------------------------------------------------------------------


def test_a_frozen_value_is_that_of_the_first_call(load):
    module = load("T = {'w': [1.0, 2.0], 'a': np.ones(3)}\nK = 2.0\ndef f(x):\n    return K * x * T['w'][1] + T['a']\n")
    f = pellucid.compile(module.f, freeze="T")
    module.T["w"][1] = 3.0  # before it is first needed
    want = module.f(X)
    agree(f(X), want)
    module.T["w"].append(4.0)
    module.T["w"][1] = 30.0
    module.T["a"][:] = 50.0
    for x in (X, X.astype(np.float32)):  # compiled anew for other types: with the value that was kept
        agree(f(x), 2.0 * x * 3.0 + np.ones(3))
    module.T = 0.0
    module.K = 3.0  # is not frozen
    agree(f(X), 3.0 * X * 3.0 + 1.0)


def test_all_that_can_change_is_frozen_and_the_rest_is_seen(load):
    module = load("T, K = [2.0], 3.0\ndef f(x):\n    return x * T[0] * K\n")
    f = pellucid.compile(module.f, freeze=True)
    agree(f(X), X * 6.0)
    module.T, module.K = [5.0], 4.0
    agree(f(X), X * 8.0)


HELPED = """
T, K = {'a': 2.0, 'w': np.arange(3.0)}, [1.0]
@pellucid.compile(freeze="T")
def helper(x):
    return x * T['a'] + inner(x)
def inner(x):
    return T['w'] * x
def f(x):
    return np.sum(helper(x)) + helper(x)[0]
def slope(x):
    return pellucid.grad(lambda y: np.sum(helper(y)))(x)
def both(x):
    return helper(x) + K[0]
def plain(x):
    return helper(x) + T['a']
"""


def test_a_compiled_helper_keeps_what_it_froze(load):
    module = load("import pellucid\n" + HELPED)
    helped = X * 2.0 + np.arange(3.0) * X
    want = [np.sum(helped) + helped[0], 2.0 + np.arange(3.0)]
    f = pellucid.compile(module.f)
    agree(f(X), want[0])  # before the helper was called itself
    module.T["a"], module.T["w"] = 7.0, np.ones(3)
    agree(f(X.astype(np.float32)), np.float64(want[0]))
    agree(module.helper(X), X * 2.0 + np.arange(3.0) * X)
    agree(pellucid.compile(module.slope)(X), want[1])
    agree(pellucid.compile(module.both, freeze="K")(X), X * 2.0 + np.arange(3.0) * X + 1.0)
    assert "`T`" in refused(module.plain, X)  # read by a function that does not freeze it
    assert "two times" in refused(module.plain, X, freeze="T")


def test_derivatives_share_what_is_frozen(load):
    module = load("T = [np.arange(3.0), 2.0]\ndef f(x):\n    return np.sum(T[0] * x * x) * T[1]\n")
    f = pellucid.compile(module.f, freeze="T")
    assert f(X) == module.f(X)
    module.T[0][:] = 100.0
    slope = 4.0 * np.arange(3.0) * X
    np.testing.assert_allclose(pellucid.grad(f)(X), slope)
    value, gradient = pellucid.value_and_grad(f)(X)
    assert value == f(X)
    np.testing.assert_allclose(gradient, slope)


@pytest.mark.parametrize("freeze", ["W", True])
def test_derivatives_inside_see_it_too(freeze, load):
    module = load("""
W = np.arange(3.0)
def loss(x):
    return np.sum(W * x * x)
def f(x):
    def own(y):
        return np.sum(W * y)
    def power(y, n):
        return np.sum(W * y) if n == 0 else 2.0 * power(y, n - 1)
    return pellucid.grad(loss)(x) * W + pellucid.grad(own)(x) + pellucid.grad(power)(x, 3)
""")
    w = np.arange(3.0)
    agree(pellucid.compile(module.f, freeze=freeze)(X), 2.0 * w * w * X + w + 8.0 * w)


@pytest.mark.parametrize("stage", ["typed", "reverse", "loops"])
def test_all_stages_have_the_hidden_arguments(stage, load):
    module = load("T = {'w': np.arange(3.0), 'k': 2.0}\nA = Array(np.ones(3))\n"
        "def f(x):\n    return np.sum(T['w'] * x * A * T['k'])\n")
    f = pellucid.compile(module.f, freeze="T")
    compiled = pellucid.grad(f) if stage == "reverse" else f
    assert "T_w_frozen" in compiled.source(stage, X) and "A" in compiled.source(stage, X)
    want = np.arange(3.0) * 2.0 if stage == "reverse" else module.f(X)
    np.testing.assert_allclose(compiled.debug(stage)(X), want)
    assert "`A`" in f.explain(X) and "`T`" not in f.explain(X)


def test_calls_with_hidden_arguments_are_native(load):
    module = load("T = [np.arange(3.0), 2.0]\nA = Array(np.ones(3))\n"
        "def f(x):\n    return np.sum(T[0] * x * A) * T[1]\n")
    f = pellucid.compile(module.f, freeze="T")
    want = module.f(X)
    for _ in range(3):
        assert f(X) == want
    if not f._native:
        pytest.skip("no native dispatch here")
    f._flatten = None  # which calls through Python need
    assert f(X) == want


# --- Arrays --------------------------------------------------------------------------------------------------------

ARRAYS = {
    "a global": ("W = Array(np.arange(3.0))", "W * x + W[1]"),
    "in a tuple": ("W = (2.0, (Array(np.arange(3.0)),))", "W[1][0] * x * W[0]"),
    "in a record": ("class P(NamedTuple):\n    w: object\n    k: float\n"
        "W = P(Array(np.arange(3.0)), 2.0)", "W.w * x * W.k"),
    "in a dataclass": ("@dataclasses.dataclass(frozen=True)\nclass P:\n    w: object\n"
        "W = P(Array(np.arange(3.0)))", "W.w * x"),
    "an attribute": ("class W:\n    w = Array(np.arange(3.0))", "W.w * x"),
    "read by a helper": ("W = Array(np.arange(3.0))\ndef h(x):\n    return W @ x", "h(x) + h(W)"),
    "read by a recursive function": (
        "W = Array(np.arange(3.0))\ndef h(x, n):\n    return W if n == 0 else h(x, n - 1) * x", "h(x, 2)"
    ),
    "of a partial function": ("W = functools.partial(lambda w, x: w * x, Array(np.arange(3.0)))", "W(x)"),
    "a default": ("def h(x, w=Array(np.arange(3.0))):\n    return w * x", "h(x) + h(x, 2.0)"),
    "returned": ("W = Array(np.arange(3.0))", "(W, W * x, W[:2])"),
    "captured": ("def make(w):\n    return lambda x: w * x\nW = make(Array(np.arange(3.0)))", "W(x)"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ARRAYS)
def test_an_array_that_cannot_change_is_read(kind, load):
    setting, body = ARRAYS[kind]
    module = load(f"{setting}\ndef f(x):\n    return {body}\n")
    f = pellucid.compile(module.f)
    for _ in range(3):
        agree(f(X), module.f(X))
    load_again = load(f"{setting.replace('np.arange(3.0)', 'np.full(3, 7.0)')}\n", "frozen_other")
    if hasattr(load_again, "W"):
        module.W = load_again.W
        for _ in range(3):
            agree(f(X), module.f(X))


def test_another_array_of_the_type_needs_no_new_code(load):
    module = load("W, V = Array(np.ones(3)), Array(np.ones(3))\ndef f(x):\n    return W * x + V\n")
    f = pellucid.compile(module.f)
    f(X)
    code = next(iter(f._compiled.values()))
    for k in range(50):
        module.W = Array(np.full(3 + k % 2, float(k)))
        module.V = module.W if k % 3 else Array(np.zeros(3 + k % 2))
        x = np.arange(3.0 + k % 2)
        for _ in range(2):
            agree(f(x), module.f(x))
    assert next(iter(f._compiled.values())) is code and not any(f._others.values())
    for other in (np.ones(3, np.float32), np.ones(1), np.ones((3, 3)), np.ones(6)[::2]):
        module.W = Array(other)
        module.V = Array(np.ones(3))
        agree(f(X), module.f(X))
    module.W = np.ones(3)
    with pytest.raises(pellucid.CompileError, match="P007"):
        f(X)
    module.W = 2.0
    agree(f(X), module.f(X))


def test_arrays_are_constants_of_derivatives(load):
    module = load("W = Array(np.arange(3.0))\ndef f(x):\n    return np.sum(W * x * x)\n")
    slope = pellucid.grad(module.f)
    np.testing.assert_allclose(slope(X), 2.0 * np.arange(3.0) * X)
    module.W = Array(np.ones(3))
    np.testing.assert_allclose(slope(X), 2.0 * X)


def test_rebinding_while_other_threads_call(load):
    module = load("W = Array(np.ones(60_000))\ndef f(x):\n    return np.sum(W * x) / len(x)\n")
    f, x = pellucid.compile(module.f), np.ones(60_000)
    stop, wrong = threading.Event(), []

    def call():
        while not stop.is_set():
            value = f(x)
            if value not in (1.0, 2.0, 3.0):
                wrong.append(value)

    threads = [threading.Thread(target=call) for _ in range(2)]
    for thread in threads:
        thread.start()
    for k in range(300):
        module.W = Array(np.full(60_000, float(k % 3 + 1)))
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong


def test_whether_two_names_stand_for_one_object_is_not_guessed(load):
    module = load("W = Array(np.ones(3))\nV = W\nP, Q = (W, 1.0), (V, 1.0)\nS = [1.0]\nT = S\n"
                  "def f(x):\n    return x if W is V else -x\ndef g(x):\n    return x if P is Q else -x\n"
                  "def h(x):\n    return x if S is T else -x\n"
                  "def k(x):\n    return x if S is S and W is W else -x\n")  # fmt: skip
    for function in (module.f, module.g, module.h):
        refused(function, X, code="R001", freeze=True)
    agree(pellucid.compile(module.k, freeze=True)(X), X)


# --- what cannot be frozen -----------------------------------------------------------------------------------------

CANNOT = {
    "an open file": ("T = {'out': open(__file__), 'k': 1.0}", "T['k']", "an open file"),
    "a random generator": ("T = [np.random.default_rng(0), 1.0]", "T[1]", "a random generator"),
    "a generator": ("T = [(k for k in range(3)), 1.0]", "T[1]", "used up by being read"),
    "an iterator": ("T = [iter([1]), 1.0]", "T[1]", "used up by being read"),
    "an object": ("class Box:\n    pass\nT = [Box(), 1.0]", "T[1]", "a Box, which the compiler cannot see into"),
    "a method of an object": ("class Box:\n    def g(self):\n        pass\nT = [Box().g, 1.0]", "T[1]", "a Box"),
    "itself": ("T = [1.0]\nT.append(T)", "T[0]", "holds itself"),
    "a dict with rules": ("T = defaultdict(float, k=1.0)", "T['k']", "rules of its own"),
    "text": ("T = [np.array(['a']), 1.0]", "T[1]", "dtype <U1"),
    "a masked array": ("T = [np.ma.masked_array([1.0], [True]), 1.0]", "T[1]", "its own rules"),
}


@pytest.mark.parametrize("what", CANNOT)
@pytest.mark.parametrize("freeze", [(), ("T",), True], ids=str)
def test_what_cannot_be_frozen_is_refused_with_the_reason(what, freeze, load):
    setting, body, reason = CANNOT[what]
    text = refused(load(f"{setting}\ndef f(x):\n    return x * {body}\n").f, X, freeze=freeze)
    assert "cannot be frozen" in text and reason in text and "@compile(freeze" not in text


def test_a_module_is_not_frozen(load):
    load("T = [5.0]\n", "frozen_other")
    module = load("import frozen_other as o\ndef f(x):\n    return x * o.T[0]\n")
    assert "name what is read from it" in refused(module.f, X, freeze=("o", "T"))


WRONG = {
    "changed": ("T.append(1.0)", "P010"), "an item": ("T[0] = 1.0", "P010"),
    "by another name": ("t = T\n    t[0] = 1.0", "P010"),
}  # fmt: skip


@pytest.mark.parametrize("way", WRONG)
def test_what_is_frozen_is_not_changed(way, load):
    body, code = WRONG[way]
    for setting in ("T = [1.0]", "T = {0: 1.0}", "T = np.ones(3)"):
        if "append" in body and setting != "T = [1.0]":
            continue
        module = load(f"{setting}\ndef f(x):\n    {body}\n    return x\n")
        refused(module.f, X, code=code, freeze="T")


def test_an_array_from_outside_is_not_changed(load):
    module = load("W = Array(np.ones(3))\ndef f(x):\n    w = W\n    w[0] = 1.0\n    return w\n")
    refused(module.f, X, code="P010")
    module = load("W = np.ones(3)\ndef fill(a, n):\n    a[0] = 1.0\n    if n:\n        fill(a, n - 1)\n"
                  "def f(x):\n    fill(W, 3)\n    return W\n")  # fmt: skip
    refused(module.f, X, code="P010", freeze="W")


def test_a_function_in_a_container_is_judged_when_it_is_called(load):
    module = load("T = {'a': lambda v: print(v), 'b': lambda v: v + 1.0}\ndef f(x, k):\n    return T[k](x)\n")
    f = pellucid.compile(module.f, freeze="T")
    agree(f(X, "b"), X + 1.0)
    with pytest.raises(pellucid.PurityError, match="P004"):
        f(X, "a")
    with pytest.raises(pellucid.PurityError, match="P004"):
        f(X, "a")


def test_the_code_of_a_function_in_a_container_is_guarded(load):
    module = load("def g(v):\n    return v + 1.0\ndef other(v):\n    return v * 5.0\nT = {'g': g}\n"
        "def f(x):\n    return T['g'](x)\n")
    f = pellucid.compile(module.f, freeze="T")
    for _ in range(3):
        agree(f(X), X + 1.0)
    module.g.__code__ = module.other.__code__
    for _ in range(3):
        agree(f(X), X * 5.0)


def test_a_name_that_is_read_nowhere_is_told(load):
    module = load("T = [1.0]\ndef f(x):\n    return x * T[0]\n")
    for freeze in (("T", "TABEL"), ("m.T", "T")):
        refused(module.f, X, code="P017", freeze=freeze)


# --- the cache on disk ---------------------------------------------------------------------------------------------


def test_what_is_kept_on_disk_has_the_frozen_value(load):
    """The same program with other content is another entry, also when the content has changed since it was frozen."""
    text = (
        "T = {{'k': {k}, 'w': np.full(3, {w})}}\nA = Array(np.full(3, {w}))\n"
        "def f(x):\n    return x * T['k'] + T['w'] * A\n"
    )
    for k, w in ((2.0, 3.0), (2.0, 4.0), (5.0, 3.0), (2.0, 3.0)):
        module = load(text.format(k=k, w=w))
        f = pellucid.compile(module.f, freeze="T")
        for _ in range(3):
            agree(f(X), X * k + w * w)
        module.T["k"] = 100.0
        agree(f(X.astype(np.float32)), (X.astype(np.float32) * k).astype(np.float64) + w * w)
        module = load(text.format(k=100.0, w=w))
        agree(pellucid.compile(module.f, freeze="T")(X), X * 100.0 + w * w)
        agree(pellucid.compile(module.f, freeze="T")(X.astype(np.float32)), X * 100.0 + w * w)


def test_arrays_are_held_when_nobody_else_holds_them(load):
    module = load("T = [np.full(1000, 2.0)]\ndef f(x):\n    return T[0] * x\n")
    f = pellucid.compile(module.f, freeze="T")
    f(0.0)
    module.T = None
    for k in range(20):
        np.testing.assert_array_equal(f(float(k)), np.full(1000, 2.0 * k))


def test_transformations_freeze_what_they_are_told(load):
    module = load("table = [2.0, 3.0]\ndef f(x):\n    return np.sum(x * table[0]) ** 2\n")
    step = np.asarray(pellucid.grad(module.f, freeze="table")(X))
    np.testing.assert_allclose(step, 8.0 * X.sum() * np.ones(3))
    assert pellucid.value_and_grad(module.f, freeze=("table",))(X)[0] == module.f(X)
    for made in (pellucid.jacfwd, pellucid.jacrev, pellucid.jacobian):
        np.testing.assert_allclose(np.asarray(made(module.f, freeze=True)(X)), step)
    np.testing.assert_allclose(np.asarray(pellucid.hessian(module.f, freeze=["table"])(X)), np.full((3, 3), 8.0))
    mapped = pellucid.vmap(module.f, freeze="table")(np.stack([X, 2 * X]))
    np.testing.assert_allclose(np.asarray(mapped), [module.f(X), module.f(2 * X)])
    kept = pellucid.grad(pellucid.compile(module.f, freeze="table"), freeze="table")
    module.table[0] = 100.0
    with pytest.raises(pellucid.PurityError, match="P007"):
        pellucid.grad(module.f)(X)
    assert kept(X).shape == (3,)
