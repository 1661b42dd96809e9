"""How much text LLVM gets: equal loops once, glue as it stands, allocations and products as calls; same results."""

from __future__ import annotations

import ctypes
import itertools
import re

import numpy as np
import pytest

import pellucid
from pellucid.compiler import driver
from pellucid.compiler.targets.llvm import abi, cold_functions, llvm, merge_functions
from pellucid.compiler.targets.llvm.operands import SsaValue, int_
from pellucid.compiler.targets.llvm.storage import alias_tags
from pellucid.compiler.targets.llvm.text import Code, Module
from pellucid.runtime import native_part, portable, routines
from tests.harness.regions import compiled, loops_of

TWO_LOOPS = """
def f(x: "f64[n]", y: "f64[n]", k: "i64"):
    a = empty(dim(x, 0))
    b = empty(dim(y, 0))
    for i in prange(dim(x, 0)):
        a[i] = x[i] * x[i]
    for j in prange(dim(y, 0)):
        b[j] = y[j] {operator} y[j]
    return a, b
"""


@pytest.mark.parametrize(("operator", "count"), [("*", 1), ("+", 2)])
def test_loops_that_say_the_same_are_written_once(operator, count):
    native = compiled(TWO_LOOPS.format(operator=operator))
    assert len(loops_of(native)) == count
    x, y = np.arange(5.0), np.arange(5.0) + 3.0
    a, b = native([x, y, 1])
    np.testing.assert_array_equal(a, x * x)
    np.testing.assert_array_equal(b, y * y if operator == "*" else y + y)


def test_what_is_known_of_memory_has_to_be_alike():
    module = Module()
    tags = alias_tags(module, {"x": "x", "y": "y"})
    (own, not_own), (other, not_other) = tags["x"], tags["y"]

    def name(given, loaded, *stored):
        code = Code(module, keeps_names=False)
        code.store(code.load("i64", SsaValue("ptr", "%p"), loaded), SsaValue("ptr", "%p"), stored)
        return merge_functions.define_once(module, code.function(given, "void", ["ptr %p"]))

    assert name("f", (own,), other, not_other) == "f"
    assert name("g", (other,), own, not_own) == "f"
    assert name("h", (own,), own, not_own) == "h"
    assert list(module.definitions) == ["f", "h"]


def test_names_of_the_program_do_not_make_loops_differ():
    module = Module()

    def name(given, of, hint):
        code = Code(module, keeps_names=False)
        place = code.variable("i64", hint, int_(0), of=of)
        code.store(int_(1), place)
        return merge_functions.define_once(module, code.function(given, "void", []))

    assert [name("f", "x", "dim"), name("g", "y", "dim"), name("h", "x", "")] == ["f", "f", "h"]


def test_only_the_label_that_nothing_leads_to_is_dropped():
    """Also where lines are put somewhere else meanwhile, as the tests before a loop are."""
    code = Code(Module())
    code.start_unreached()
    elsewhere, code.lines = code.lines, ["  nothing"]
    code.start("reached")
    code.jump("on")
    assert "reached:" in code.lines
    code.lines, code.terminated = elsewhere, False
    code.jump("on")
    assert not any("unreached" in str(line) for line in code.lines[1:])


def long_program(x, y):
    out = np.zeros(x.shape[1])
    for i in range(x.shape[0]):
        out += x[i] * y
    a = np.exp(x) @ out
    b = np.sum(a) + np.sum(y) + np.sum(out**2)
    c = np.cumsum(a) / (1.0 + b)
    return np.sum(np.tanh(c)), a, c


@pytest.mark.parametrize("bound", [0, 10**9])
def test_glue_as_it_stands_gives_the_same(bound, monkeypatch):
    monkeypatch.setattr(cold_functions, "SHORT_BODY", bound)
    random = np.random.default_rng(1)
    for shape in ((3, 4), (300, 40), (0, 4)):
        x, y = random.random(shape), random.random(shape[1])
        for result, expected in zip(pellucid.compile(long_program)(x, y), long_program(x, y), strict=True):
            np.testing.assert_allclose(result, expected, rtol=1e-12)


SERIAL = """
def f(x: "f64[n, m]", y: "f64[k]"):
    out = empty(dim(x, 0))
    for i in range(dim(x, 0)):
        out[i] = x[i, 0] + y[i]
    return out
"""


@pytest.mark.parametrize("bound", [0, 10**9])
def test_a_loop_of_glue_becomes_a_function_and_fails_as_it_did(bound, monkeypatch):
    monkeypatch.setattr(cold_functions, "SHORT_BODY", bound)
    native = compiled(SERIAL)
    (head,) = re.findall(r"^define .*@pellucid.function.*", native.text, re.M)
    assert ("noinline optnone" in head) == (bound == 0)
    np.testing.assert_array_equal(native([np.ones((2, 1)), np.ones(2)])[0], [2.0, 2.0])
    with pytest.raises(IndexError, match="index 2 is out of bounds for axis 0 with size 2"):
        native([np.ones((3, 1)), np.ones(2)])


WHILE = """
def f(x: "f64[n]"):
    k = 0
    while k < dim(x, 0):
        k = k + 1
    return k
"""


def test_a_function_with_a_loop_that_may_be_long_is_optimised(monkeypatch):
    monkeypatch.setattr(cold_functions, "SHORT_BODY", 0)
    assert "@pellucid.function.f(" in compiled(WHILE).text and "optnone" not in compiled(WHILE).text


LARGE = [
    ((-1, 3), ValueError, "negative dimensions are not allowed"),
    ((2**53, -1), ValueError, "negative dimensions are not allowed"),
    ((2**53, 2), MemoryError, f"an array of length {2**53} is too large"),
    ((2**52, 2**52), MemoryError, "the array is too large"),
    ((2**40, 2**17), MemoryError, f"unable to allocate {2**60} bytes for an array"),
]


@pytest.mark.parametrize(("shape", "exception", "message"), LARGE)
@pytest.mark.parametrize("more", [0, 1])
def test_lengths_that_no_array_has(shape, exception, message, more):
    @pellucid.compile
    def two(n, m):
        return np.empty((n, m))

    @pellucid.compile
    def three(n, m):
        return np.empty((n, m, 1))

    with pytest.raises(exception) as caught:
        (two, three)[more](*shape)
    assert str(caught.value) == message


def test_the_native_part_knows_the_limits_of_the_compiler():
    """Both ways to make an array refuse the same lengths, with the same codes and values."""
    new = "pellucid_new_vector"
    form = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    ways = [form(native_part.address(new)), form(portable.ADDRESSES[new])]
    for make in ways:
        context = (ctypes.c_int64 * abi.ARGUMENTS)()
        assert make(ctypes.addressof(context), 8, -1) == 1
        assert make(ctypes.addressof(context), 8, abi.LENGTH_LIMIT + 1) == 2
        assert context[abi.VALUES] == abi.LENGTH_LIMIT + 1
        assert make(ctypes.addressof(context), abi.BYTES_LIMIT // 2, 3) == 3
        assert make(ctypes.addressof(context), 1, abi.LENGTH_LIMIT) == 4
        assert context[abi.VALUES] == abi.LENGTH_LIMIT
    assert (portable.VALUES, portable.HEADER_BYTES) == (abi.VALUES, abi.HEADER_BYTES)
    assert (portable.LONGEST_AXIS, portable.MOST_BYTES) == (abi.LENGTH_LIMIT, abi.BYTES_LIMIT)


def test_both_native_parts_have_the_same_functions():
    """Without the extension no program runs on several devices: there collectives are turns of a loop; and products are
    not shared out among workers, and no one asks who has memory alone."""
    own = {routines.COLLECTIVE, "pellucid_product", "pellucid_count_of_blas", "pellucid_give_to_blas"}
    own.add("is_only_reference")
    assert native_part.why_not() == "" and native_part.addresses().keys() - own == portable.ADDRESSES.keys()


STEPS = (slice(None), slice(None, None, 2), slice(None, None, -1))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.bool_])
def test_products_of_operands_of_any_strides(dtype):
    @pellucid.compile
    def product(a, b):
        return a @ b

    random = np.random.default_rng(2)
    for rows, inner in itertools.product(STEPS, repeat=2):
        a = random.integers(0, 9, (12, 8)).astype(dtype)[rows, inner]
        b = random.integers(0, 9, (8, 10)).astype(dtype)[inner, rows]
        for x, y in ((a, b), (np.asfortranarray(a), b), (a, b[:, 1]), (a[0], b), (a[0], b[:, 1])):
            np.testing.assert_array_equal(product(x, y), x @ y)


def test_what_is_left_to_release_stays_in_memory_whoever_failed():
    """Read from a register behind every fault, each of many lists would be a move in each of many places."""

    def f(x, s):
        while s > 0.5:
            s = s * 0.7 + 0.01 * np.sin(s)
        while s < 9.5:
            s = s * 1.7 + 0.01 * np.sin(s * x[2])
        return s * x[0]

    request = pellucid.grad(f, argnums=1).__pellucid__
    arguments = pellucid.grad(f, argnums=1)._flatten(("f64[n]", "float"), {}, texts=True).arguments
    text = llvm.lower_program(driver.loops(driver.derive(request, arguments, {}).program))[0].text
    last = text.split("\nleave:\n")[1].split("\n}")[0]
    assert last.count("call void @pellucid.let_go_of_list(") == 2
    assert "load ptr" not in last
