"""Helpers are judged like the decorated function: all their faults, at decoration, with the calls that lead there.

The oracle for a helper is the same function decorated itself; for what a helper does to its arguments it is CPython.
"""

import importlib.util
import textwrap

import numpy as np
import pytest

import pellucid
from pellucid.check import check_file
from pellucid.compiler.diagnostics import render

HEAD = """
import dataclasses, enum, functools, math, random, time, types
import numpy as np
import pellucid

table = [1.0, 2.0]
pairs = {"a": 1.0}
names = {1, 2}
array = np.ones(2)
HOLDS = (1.0, [2.0])
GENERATOR = np.random.default_rng(0)
COUNT = 0

class Plain:
    def __init__(self):
        self.rate = 2.0
    def method(self, x):
        return x

@dataclasses.dataclass
class Loose:
    rate: float = 2.0

@dataclasses.dataclass(frozen=True)
class Firm:
    rate: float = 2.0

OBJECT = Plain()
LOOSE = Loose()
FIRM = Firm()
SPACE = types.SimpleNamespace(rate=2.0)
"""
# Bodies of a function of `x`, each with the codes that it is refused with.
IMPURE = {
    "a list": ("return x * table[0]", "P007"),
    "a dict": ("return x * pairs['a']", "P007"),
    "a set": ("return len(names) * x", "P007"),
    "an array": ("return x * array[0]", "P007"),
    "a tuple that holds a list": ("return x * HOLDS[0]", "P007"),
    "a loose dataclass": ("return x * LOOSE.rate", "P007"),
    "an object": ("return x * OBJECT.rate", "P008"),
    "a namespace": ("return x * SPACE.rate", "P008"),
    "a method of an object": ("return OBJECT.method(x)", "P008"),
    "printing": ("print(x)\nreturn x", "P004"),
    "random numbers": ("return x + np.random.rand()", "P005"),
    "a generator": ("return x + GENERATOR.random()", "P005"),
    "Python's random numbers": ("return x + random.random()", "P005"),
    "the time": ("return x + time.time()", "P006"),
    "a global": ("global COUNT\nCOUNT = COUNT + 1\nreturn x", "P001"),
    "an item of a global": ("table[0] = x\nreturn x", "P010"),
    "an attribute": ("OBJECT.rate = x\nreturn x", "P003 P008"),
    "a misspelt name": ("return sinn(x)", "P009"),
    "a misspelt function": ("return np.sinn(x)", "U012"),
    "try": ("try:\n    y = x\nfinally:\n    return x", "U001"),
    "with": ("with np.printoptions():\n    return x", "U002"),
    "async": ("async def later(v):\n    return v\nreturn x", "U003"),
    "a class": ("class A: pass\nreturn x", "U005"),
    "import": ("import os\nos = 1\nreturn x", "U006"),
    "an inner function": ("def inner(v):\n    return v * table[0]\nreturn inner(x)", "P007"),
    "a lambda": ("return (lambda v: v * table[0])(x)", "P007"),
    "two at once": ("print(x)\nreturn x * table[0] + np.random.rand()", "P004 P005 P007"),
}  # fmt: skip
STATIC_CANNOT_TELL = {"a namespace", "a loose dataclass", "an object", "a method of an object", "an attribute"}
# How `f` reaches `helper`; every way has one line that calls or mentions it.
ROUTES = {
    "called": "def f(x):\n    return helper(x)",
    "called by a helper": "def between(x):\n    return helper(x)\ndef f(x):\n    return between(x)",
    "called by a chain": (
        "def one(x):\n    return helper(x)\ndef two(x):\n    return one(x)\ndef three(x):\n    return two(x)\n"
        "def f(x):\n    return three(x)"
    ),
    "passed on": "def apply(g, x):\n    return g(x)\ndef f(x):\n    return apply(helper, x)",
    "in an inner function": "def f(x):\n    def inner(v):\n        return helper(v)\n    return inner(x)",
    "under another name": "other = helper\ndef f(x):\n    return other(x)",
    "of a class": "class Tools:\n    run = staticmethod(helper)\ndef f(x):\n    return Tools.run(x)",
    "differentiated": "def f(x):\n    return pellucid.grad(helper)(x)",
    "in a branch": "def f(x):\n    if x > 0.0:\n        return x\n    return helper(x)",
    "recursively": (
        "def odd(x):\n    return even(x - 1.0)\ndef even(x):\n    return helper(x) if x < 0.0 else odd(x)\n"
        "def f(x):\n    return odd(x)"
    ),
}  # fmt: skip


def program(body, route, decorator=""):
    return f"{HEAD}\ndef helper(x):\n{textwrap.indent(body, '    ')}\n{ROUTES[route]}\n{decorator}"


def load(text, path, name="helpers_module"):
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def refusal(function, **options):
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function, **options)
    return caught.value.diagnostics


def places(diagnostics):
    return sorted((d.code, d.span.line, d.span.column, d.message) for d in diagnostics)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("body, codes", IMPURE.values(), ids=list(IMPURE))
def test_faults_of_helpers_are_found_at_decoration(body, codes, route, tmp_path):
    module = load(program(body, route), tmp_path / "program.py")
    alone = refusal(module.helper)
    assert sorted({d.code for d in alone}) == codes.split()
    found = refusal(module.f)
    assert places(found) == places(alone)
    for diagnostic in found:
        ways = [label for label in diagnostic.labels if " calls " in label.text]
        assert ways and ways[-1].text.startswith(("`f` calls", "`inner` calls"))
        assert "calls `" in render(diagnostic)


@pytest.mark.parametrize("route", [route for route in ROUTES if route != "of a class"])
@pytest.mark.parametrize("name", [name for name in IMPURE if name not in STATIC_CANNOT_TELL])
def test_faults_of_helpers_are_found_without_running_anything(name, route, tmp_path):
    body, codes = IMPURE[name]
    path = tmp_path / "program.py"
    path.write_text(program(body, route).replace("\ndef f(", "\n@pellucid.compile\ndef f("))
    assert sorted({d.code for d in check_file(str(path))}) == codes.split()


def test_faults_in_other_files_are_shown_there(tmp_path, monkeypatch):
    (tmp_path / "tools_of_mine.py").write_text("table = [1.0]\n\n\ndef scaled(x):\n    return x * table[0]\n")
    path = tmp_path / "program.py"
    path.write_text(
        "import pellucid\nfrom tools_of_mine import scaled\n\n\n@pellucid.compile\ndef f(x):\n    return scaled(x)\n"
    )
    (found,) = check_file(str(path))
    assert (found.code, found.span.file, found.span.line) == ("P007", str(tmp_path / "tools_of_mine.py"), 5)
    shown = render(found)
    assert "return x * table[0]" in shown and "return scaled(x)" in shown and "`f` calls `scaled` here" in shown
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(pellucid.PurityError) as caught:
        load(path.read_text(), path)
    assert places(caught.value.diagnostics) == places([found])


PURE = {
    "a frozen dataclass": "return x * FIRM.rate",
    "its own array": "y = np.zeros(2)\ny[0] = x\nreturn y[0]",
    "an error": "if x < 0.0:\n    raise ValueError(f'{x} is negative')\nreturn x",
}


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("body", PURE.values(), ids=list(PURE))
def test_pure_helpers_pass(body, route, tmp_path):
    module = load(program(body, route), tmp_path / "program.py")
    if route != "recursively":  # mutual recursion is refused when types are known
        expected = 1.0 * {"return x * FIRM.rate": 2.0}.get(body, 1.0) * (1.0 if route == "differentiated" else 1.5)
        value = 1.5 if route == "in a branch" else expected
        assert float(pellucid.compile(module.f)(1.5)) == pytest.approx(value)
    else:
        pellucid.compile(module.f)


def test_star_parameters_of_helpers_are_fine(tmp_path):
    text = HEAD + "def add(*many, **named):\n    return many[0] + many[1] + named['k']\n"
    module = load(text + "def f(x):\n    return add(x, x, k=1.0)\n", tmp_path / "program.py")
    assert pellucid.compile(module.f)(1.5) == 4.0


# What helpers do to arguments: (helpers, body of f, whether it changes what `f` was given).
CHANGES = {
    "an argument": ("def h(v):\n    v[0] = 7.0\n    return v", "return h(x)", True),
    "through two helpers": (
        "def g(v):\n    v[0] = 7.0\n    return v\ndef h(v):\n    return g(v)", "return h(x)", True
    ),
    "a view": ("def h(v):\n    v[0] = 7.0\n    return v", "return h(x[1:])", True),
    "a view in the helper": ("def h(v):\n    w = v[1:]\n    w[0] = 7.0\n    return v", "return h(x)", True),
    "by keyword": ("def h(k, v):\n    v[0] = k\n    return v", "return h(v=x, k=2.0)", True),
    "a copy": ("def h(v):\n    v[0] = 7.0\n    return v", "return h(x.copy())", False),
    "what was made": ("def h(v):\n    v[0] = 7.0\n    return v", "y = np.zeros(3)\nh(y)\nreturn y + x", False),
    "a new value": ("def h(v):\n    v[0] = 7.0\n    return v", "return h(x + 1.0)", False),
    "its own copy": ("def h(v):\n    v = v.copy()\n    v[0] = 7.0\n    return v", "return h(x)", False),
    "another argument": ("def h(v, w):\n    v[0] = w[1]\n    return v", "return h(np.zeros(3), x)", False),
    "what a helper made": (
        "def make(n):\n    return np.zeros(n)\ndef h(v):\n    v[0] = 7.0\n    return v", "return h(make(3)) + x", False
    ),
    "recursively": (
        "def h(v, n):\n    if n == 0:\n        return v\n    v[n] = 7.0\n    return h(v, n - 1)", "return h(x, 2)", True
    ),
    "recursively, a copy": (
        "def h(v, n):\n    if n == 0:\n        return v\n    v[n] = 7.0\n    return h(v, n - 1)",
        "return h(x.copy(), 2)", False
    ),
}  # fmt: skip


@pytest.mark.parametrize("helpers, body, changes", CHANGES.values(), ids=list(CHANGES))
def test_what_helpers_do_to_arguments(helpers, body, changes, tmp_path):
    module = load(f"{HEAD}\n{helpers}\ndef f(x):\n{textwrap.indent(body, '    ')}\n", tmp_path / "program.py")
    x = np.array([1.0, 2.0, 3.0])
    expected = module.f(x)
    assert (x.tolist() != [1.0, 2.0, 3.0]) == changes  # the table says what CPython does
    if changes:
        assert {d.code for d in refusal(module.f)} <= {"P014", "P015"}
    else:
        np.testing.assert_allclose(pellucid.compile(module.f)(x), expected)
    if changes and body == "return h(x)" and "w" not in helpers:  # a view of what is changed is R003
        declared = pellucid.compile(module.f, mutates=("x",))
        y = np.array([1.0, 2.0, 3.0])
        declared(y)
        np.testing.assert_allclose(y, x)


def test_a_global_given_to_a_helper_that_changes_it(tmp_path):
    text = HEAD + "def h(v):\n    v[0] = 7.0\n    return 1.0\ndef f(x):\n    return x * h(array)\n"
    found = refusal(load(text, tmp_path / "program.py").f)
    assert {d.code for d in found} == {"P010"}


def test_helpers_that_come_later_are_judged_when_they_are_there(tmp_path):
    text = (
        "@pellucid.compile\ndef f(x):\n    return later(x)\n"
        "def later(x):\n    print(x)\n    return x * table[0]\n"
    )
    module = load(HEAD + text, tmp_path / "program.py")
    for _ in range(2):
        with pytest.raises(pellucid.PurityError) as caught:
            module.f(1.0)
        assert [d.code for d in caught.value.diagnostics] == ["P004", "P007"]
        assert all("`f` calls `later` here" in {label.text for label in d.labels} for d in caught.value.diagnostics)


def test_replaced_helpers_are_judged_anew(tmp_path):
    module = load(HEAD + "def h(x):\n    return x\n@pellucid.compile\ndef f(x):\n    return h(x)\n", tmp_path / "a.py")
    assert [module.f(1.0) for _ in range(4)] == [1.0] * 4
    module.h = load(HEAD + "def h(x):\n    print(x)\n    return x * table[0]\n", tmp_path / "b.py").h
    with pytest.raises(pellucid.PurityError) as caught:
        module.f(1.0)
    assert [d.code for d in caught.value.diagnostics] == ["P004", "P007"]


def test_a_frozen_array_may_be_read_by_helpers(tmp_path):
    text = HEAD + "def h(x):\n    return x * array[0]\ndef f(x):\n    return h(x)\n"
    module = load(text, tmp_path / "program.py")
    assert {d.code for d in refusal(module.f)} == {"P007"}
    assert pellucid.compile(module.f, freeze=("array",))(3.0) == 3.0


def test_a_function_reached_in_many_ways_is_judged_once(tmp_path):
    """Forty functions that call each other around: the number of ways is beyond counting."""
    called = [(f"h{k}", [f"h{(k + step) % 40}(x)" for step in (1, 7, 13)]) for k in range(40)]
    helpers = "".join(f"def {name}(x):\n    return {' + '.join(calls)} + table[0]\n" for name, calls in called)
    module = load(f"{HEAD}\n{helpers}\ndef f(x):\n    return h0(x)\n", tmp_path / "program.py")
    found = refusal(module.f)
    assert len(found) == 40 and {d.code for d in found} == {"P007"}


def test_attributes_of_classes_are_constants(tmp_path):
    text = HEAD + (
        "class Settings:\n    RATE = 2.0\n    table = [1.0]\n"
        "def good(x):\n    return x * Settings.RATE\ndef bad(x):\n    return x * Settings.table[0]\n"
        "def made(x):\n    return x * Settings().RATE\n"
    )
    module = load(text, tmp_path / "program.py")
    assert pellucid.compile(module.good)(1.5) == 3.0
    assert {d.code for d in refusal(module.bad)} == {"P007"}
    assert pellucid.compile(module.made)(1.5) == 3.0
