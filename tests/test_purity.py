"""Purity: complete messages, programs that must pass, the same verdict on live values, the alias analysis behind it.

The oracle of the alias analysis is CPython: random programs that pass the check are run, and their arguments must be
what they were.
"""

import importlib.util
import pathlib
import random
import sys
import textwrap
import types

import gast
import numpy as np
import pytest

from pellucid.check import SUPPORTED, check_text
from pellucid.compiler.diagnostics import render
from pellucid.compiler.frontend.purity.purity import CheckOptions, check_function
from pellucid.compiler.frontend.source.read import read
from pellucid.compiler.frontend.source.resolve import live_resolver
from pellucid.compiler.frontend.source.resolve_static import module_resolver, parse_module

HERE = pathlib.Path(__file__).resolve().parent
CASES = HERE / "cases" / "frontend" / "purity" / "purity.case"
CORPUS = sorted((HERE / "corpus").glob("[a-z]*.py"))


def faults(tree, text, file, resolve, **options):
    return check_function(
        tree,
        file=file,
        text=text,
        options=CheckOptions(**options),
        resolve=resolve,
        is_supported=SUPPORTED.__contains__,
        known_names=SUPPORTED,
    )


# --- complete messages ---------------------------------------------------------------------------------------------


def load_cases(path):
    """(title, program, expected text) of every case in a file."""
    for part in path.read_text(encoding="utf-8").split("case: ")[1:]:
        title, _, rest = part.partition("\n")
        program, _, expected = rest.partition("----\n")
        yield title, program, expected.strip()


def messages(program):
    return "\n\n".join(render(fault, program) for fault in check_text(program, "program.py").diagnostics)


@pytest.mark.parametrize("title, program, expected", [pytest.param(*case, id=case[0]) for case in load_cases(CASES)])
def test_messages(title, program, expected, update_cases):
    if not update_cases:
        assert messages(program) == expected


def test_update_cases(update_cases):
    if update_cases:
        parts = [f"case: {title}\n{program}----\n{messages(program)}\n" for title, program, _ in load_cases(CASES)]
        CASES.write_text("\n".join(parts), encoding="utf-8")


# --- programs that must pass ---------------------------------------------------------------------------------------

PURE = '''
import dataclasses
import math
from math import sqrt as root
from typing import NamedTuple

import numpy as np
import numpy
from numpy import exp, pi
from numpy.linalg import *
from pellucid import compile, grad
import pellucid

SCALE = 2.5
NEGATIVE = -1
SIZES = (3, 4, ("a", None))
EPSILON = np.finfo(np.float64).eps
HALF = np.float32(0.5)
WEIGHTS = np.ones(3)


class Point(NamedTuple):
    x: float
    y: float


@dataclasses.dataclass(frozen=True)
class Layer:
    weights: object
    bias: object


ORIGIN = Point(0.0, 0.0)


def helper(x):
    y = x * 2.0
    y[0] = 1.0
    return y


def constants(x):
    return SCALE * x + NEGATIVE * SIZES[0] + EPSILON + HALF + pi + np.pi + math.tau + ORIGIN.x


def own_array(n):
    out = np.zeros(n)
    for i in range(n):
        out[i] = i * i
        out[i] += 1.0
    out[1:] *= 2.0
    out[::2] = 0.0
    return out


def own_copy(x):
    x = x.copy()
    x[0] = 1.0
    return x


def arithmetic_is_new(x):
    y = x + 0.0
    y[0] = 1.0
    z = -x
    z[0] = 1.0
    w = np.sin(x)
    w[0] = 1.0
    return y + z + w


def augmented_name(x, n):
    x += 1.0
    total = 0
    total += n
    return x, total


def in_both_branches(x, flag):
    if flag:
        y = x.copy()
    else:
        y = np.zeros_like(x)
    y[0] = 1.0
    return y


def mask_and_index_copy(x):
    order = np.arange(3)
    y = x[order]
    y[0] = 0.0
    z = x[x > 0.0]
    z[:] = 1.0
    w = x[np.isnan(x) | (x < 1.0)]
    w[:] = 0.0
    v = x[[0, 1]]
    v[0] = 2.0
    return y, z, w, v


def helper_makes_new(x):
    y = helper(x)
    y[1] = 3.0
    return y


def own_list(x):
    parts = []
    for i in range(3):
        parts.append(x * i)
    parts[0] = x
    first = parts.pop()
    return np.stack(parts), first


def list_of_own_arrays(x):
    parts = [np.zeros(3) for _ in range(2)]
    parts[0][1] = x
    return parts


def own_dict(x):
    d = {"a": x, "b": 2.0}
    d["c"] = x + 1.0
    return {key: value * 2.0 for key, value in d.items()}


def unpacking(pair):
    a, b = pair
    (c, d), *rest = (a, b), a
    a, b = b, a
    return a + b + c + d


def swapped_buffers(x, n):
    now, then = x.copy(), np.empty_like(x)
    for _ in range(n):
        then[0] = now[0]
        then[1:] = 0.5 * (now[1:] + now[:-1])
        now, then = then, now
    return now


def comprehension(x):
    return sum(v * v for v in x), [v for v in x if v > 0], max(abs(v) for v in x)


def closures(x):
    k = 2.0

    def inner(y):
        out = np.zeros(3)
        out[0] = k * y
        return out

    f = lambda y: inner(y) * k
    z = f(x)
    z[0] = 1.0
    return z


def recursion(n):
    return 1 if n <= 1 else n * recursion(n - 1)


def function_defined_below(x):
    return below(x)


def functions_as_values(f, x, activation=np.tanh):
    g = np.sin if f is None else f
    return g(x) + activation(x)


def records(p: Point, layer):
    q = Point(p.x + 1.0, y=p.y)
    moved = q._replace(x=0.0)
    fresh = Layer(layer.weights.copy(), layer.bias)
    return moved, fresh, dataclasses_free(fresh)


def dataclasses_free(layer):
    return layer.weights @ layer.bias


def nested_gradient(x):
    return grad(lambda y: np.sum(y ** 2))(x) + pellucid.grad(helper)(x)


def raises(x):
    if x < 0:
        raise ValueError(f"x is {x!r}, not " + str(x))
    assert x > 1, f"{x} is too small"
    assert x < 10, "x is %s" % x
    return root(x)


def dtypes(n):
    return np.zeros(n, dtype=np.float32), np.arange(n, dtype=np.int64).astype(float), np.float64(1.0), np.bool_(True)


def walrus(x):
    while (r := x * 0.5) > 1.0:
        x = r
    return x, r


def loops(x, y):
    for i, (a, b) in enumerate(zip(x, reversed(y))):
        if a > b:
            break
        elif a == b:
            continue
    else:
        i = -1
    return i


def views_are_fine_to_read(x):
    row = x[0]
    t = x.T.reshape(-1)[::-1]
    return row + t[0], x.shape, x.ndim, len(x)


def argument_in_the_middle(x):
    y = np.where(x > 0.0, x, 0.0)
    y[0] = 1.0
    z = np.concatenate([x, x])
    z[0] = 1.0
    w = np.array(x)
    w[0] = 1.0
    v = x.astype(np.float32)
    v[0] = 1.0
    return y, z, w, v


def view_of_own(n):
    matrix = np.zeros((n, n))
    row = matrix[0]
    row[1] = 1.0
    matrix.T[0, 0] = 2.0
    diagonal = matrix.reshape(-1)[:: n + 1]
    diagonal[:] = 3.0
    return matrix


def tuples_keep_apart(x):
    pair = (x, x.copy())
    pair[1][0] = 1.0
    a, b = pair
    b[0] = 2.0
    state = (a, 0.0)
    for _ in range(3):
        state = (state[0], state[1] + 1.0)
    return state


def masked_store(x):
    y = np.full(x.shape, np.nan)
    y[x > 0] = x[x > 0]
    y[..., None] = 1.0
    return numpy.maximum(y, exp(x))


def lists_of_lists(n):
    table = [[0] * n for _ in range(n)]
    table[0][1] = 1
    memo = [None] * n
    memo[0] = 1
    return table[0][0] + memo[0]


def chained(x):
    return 0 < x[0] <= 1 and not x[1] is None or (x[2] if x[0] in (1, 2) else 3)


def doc_string_and_ellipsis(x):
    """Print nothing, open nothing."""
    ...
    pass
    return x[..., 0]


def below(x):
    return x
'''
PURE_NAMES = [node.name for node in parse_module(PURE).body if isinstance(node, gast.FunctionDef)]


@pytest.mark.parametrize("name", PURE_NAMES)
def test_pure_functions_have_no_fault(name):
    tree = next(node for node in parse_module(PURE).body if getattr(node, "name", None) == name)
    found = faults(tree, PURE, "m.py", module_resolver(PURE, "m.py"))
    assert not found, "\n\n".join(render(fault, PURE) for fault in found)


def load_module(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_the_corpus_has_no_fault(path):
    text = path.read_text(encoding="utf-8")
    module = load_module(path, f"purity_corpus_{path.stem}")
    for node in parse_module(text).body:
        if isinstance(node, gast.FunctionDef) and not node.name.startswith("_"):
            static = module_resolver(text, str(path))
            live = live_resolver(getattr(module, node.name))
            for resolve in (static, live):
                found = faults(node, text, str(path), resolve)
                assert not found, "\n\n".join(render(fault, text) for fault in found)


# --- the same verdict on live values -------------------------------------------------------------------------------


def live_codes(function, **options):
    source = read(function)
    found = faults(source.tree, source.text, source.file, live_resolver(function), **options)
    return [fault.code for fault in found]


table = np.zeros(3)
limits = {"low": 0.0}
nested = (1, [2])
generator = np.random.default_rng(0)
scale = 2.0
point = types.SimpleNamespace(x=1.0)
later = None


def reads_everything(x):
    return table[0] + limits["low"] + nested[1][0] + scale


def draws(x):
    return x + generator.normal()


def sees_object(x):
    return x + point.x


def test_live_globals():
    assert live_codes(reads_everything) == ["P007", "P007", "P007"]
    assert live_codes(reads_everything, freeze=("table", "limits", "nested")) == []
    assert live_codes(draws) == ["P005"]
    assert live_codes(sees_object) == ["P008"]


def test_live_closures():
    weights, factor = np.ones(3), 2.0

    def inner(x):
        return factor * x @ weights

    def recursive(n):
        return 1 if n == 0 else n * recursive(n - 1)

    def uses_later(x):
        return defined_later(x)

    assert live_codes(uses_later) in ([], ["P009"])

    def defined_later(x):
        return x

    assert live_codes(inner) == ["P007"]
    assert live_codes(inner, freeze=("weights",)) == []
    assert live_codes(recursive) == live_codes(uses_later) == []
    assert live_codes(lambda x: print(x)) == ["P004"]


def calls_below(x):
    y = comes_later(x)
    y[0] = 1.0
    return y


def comes_later(x):
    return x.T


def test_live_calls_are_followed():
    assert live_codes(calls_below) == ["P015"]


def test_the_place_of_a_live_global_is_shown():
    source = read(reads_everything)
    resolve = live_resolver(reads_everything)
    first, *_ = faults(source.tree, source.text, source.file, resolve)
    assert "table = np.zeros(3)" in render(first)


# --- the alias analysis against CPython ------------------------------------------------------------------------------

HELPERS = """
import numpy as np
from pellucid import compile

def same(v):
    return v

def pick(v, w):
    return v[::-1] if v.sum() > 3 else w

def fresh(v):
    w = v + 1.0
    return w

def pair(v, w):
    return w, v

def peel(v, n):
    if n == 0:
        return v.copy()
    return v if n == 1 else peel(v, n - 1)

@compile
def f(a, b):
    i = 1
    y = np.ones((3, 3))
    z = b
    w = a[:]
    t = (a, np.ones((3, 3)))
    u = [np.zeros((3, 3)), b]
"""
STATEMENTS = """
{n} = {m}
{n} = {m}[1:]
{n} = {m}[0]
{n} = {m}.T
{n} = {m}.copy()
{n} = {m} * 2.0
{n} = np.asarray({m})
{n} = np.ravel({m})
{n} = np.array({m})
{n} = {m}[{m} > 0.5]
{n} = {m}[[0, 0]]
{n} = {m}[np.argsort({m}, axis=0)]
{n} = {m}[None][0]
{n} = np.split({m}, 1)[0]
{n} = {m} if i % 2 else {q}
{n} = ({m} := {q})
{n}, {m} = {m}, {n}
{n}, {m} = {k}[0], {k}[1]
{n} = same({m})
{n} = pick({m}, {q})
{n} = fresh({m})
{n} = pair({m}, {q})[0]
{n} = peel({m}, 2)
{n} = (lambda v: v[::-1])({m})
{n} = np.where({m} > 0.0, {m}, 1.0)
{k} = ({m}, {q})
{k} = [{m}, {q}]
{k} = [{k}[0], {m}]
{k} = [v for v in {k}][:4]
{k} = tuple(v[1:] for v in {k})
{k} = list({k})
{k}.append({m})
{k}[0] = {m}
{n} = {k}[0]
{n} = {k}[-1]
{n} = {k}.pop() if len({k}) > 2 else {n}
{n}[0] = 7.5
{n}[...] = {m}.sum()
{n}[0:1] += 1.0
{k}[0][0] = 3.5
""".strip().splitlines()
HEADS = """
if i % 2:
if i % 3:
for i in range(3):
for {n} in tuple({k}):
for i, {n} in enumerate(tuple({k})):
for {n}, {m} in zip(tuple({k}), tuple({k})):
""".strip().splitlines()


def random_program(seed):
    choose = random.Random(seed)

    def filled(template):
        n, m, q = (choose.choice("abyzw") for _ in range(3))
        return template.format(n=n, m=m, q=q, k=choose.choice("tu"))

    def block(depth):
        lines = []
        for _ in range(choose.randint(1, 5)):
            if depth < 3 and choose.random() < 0.2:
                head = filled(choose.choice(HEADS))
                lines += [head, *("    " + line for line in block(depth + 1))]
                if head.startswith("for") and choose.random() < 0.3:
                    lines.append("    if i % 2: " + choose.choice(["break", "continue"]))
                elif head.startswith("if") and choose.random() < 0.5:
                    lines += ["else:", *("    " + line for line in block(depth + 1))]
            else:
                lines.append(filled(choose.choice(STATEMENTS)))
        return lines

    return HELPERS + textwrap.indent("\n".join([*block(0), "return y"]), "    ") + "\n"


def changes_an_argument(text):
    """Run a program in CPython; whatever stops it, what it had changed by then counts."""
    names = {}
    exec(compile(text.replace("from pellucid import compile", "compile = lambda f: f"), "program.py", "exec"), names)
    a = np.arange(1.0, 10.0).reshape(3, 3)
    b = a[::-1] * 0.3
    before = a.copy(), b.copy()
    try:
        names["f"](a, b)
    except (ValueError, IndexError, TypeError, AttributeError):
        pass
    return not (np.array_equal(a, before[0]) and np.array_equal(b, before[1]))


def test_programs_that_pass_change_no_argument():
    passed = changed = 0
    for seed in range(600):
        text = random_program(seed)
        is_clean = not any(fault.code[0] == "P" for fault in check_text(text, "program.py").diagnostics)
        is_changed = changes_an_argument(text)
        assert not (is_clean and is_changed), text
        passed += is_clean
        changed += is_changed
    assert passed > 150 and changed > 60, "the programs no longer try what they are meant to"


WRITTEN_ONLY = """
from pellucid import compile
RATES = {}
@compile
def f(x):
    global RATES
    RATES = {}
    return x
"""
PARTS_OF_A_TEXT = """
from pellucid import compile
@compile
def f(x, mode="a:b"):
    first, _, last = mode.partition(":")
    return x * len(first)
"""


def test_what_is_written_is_not_read():
    assert [fault.code for fault in check_text(WRITTEN_ONLY, "f.py").diagnostics] == ["P001"]


def test_the_partition_of_a_text_changes_nothing():
    assert not check_text(PARTS_OF_A_TEXT, "f.py").diagnostics


OBJECTS_OF_THE_LIBRARY = """
from pellucid import compile
from scipy import interpolate, sparse
@compile
def f(x, d, i, j):
    return sparse.csr_array((d, (i, j))).power(2).sum() + interpolate.CubicSpline(x, d).solve(0.5).sum()
"""


def test_methods_of_objects_of_the_library_are_no_misspelt_ones_of_arrays():
    assert not check_text(OBJECTS_OF_THE_LIBRARY, "f.py").diagnostics
    misspelt = check_text(OBJECTS_OF_THE_LIBRARY.replace("power", "reshap"), "f.py").diagnostics
    assert [fault.code for fault in misspelt] == ["U013"]
