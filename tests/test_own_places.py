"""Results that may be made where they belong: which arrays these are, and that programs mean the same with them."""

import pytest

from pellucid import compile
from pellucid.compiler.targets.llvm.llvm import EmitOptions, compile_program
from pellucid.compiler.targets.llvm.own_places import numbers_of_results
from pellucid.on_devices import of_device
from pellucid.runtime import memory
from tests.harness.loops_programs import PROGRAMS
from tests.harness.loops_python import assert_same_outcome
from tests.harness.loops_text import read_loops

FOUND = {
    "two that are made once": (
        """
def f(x: "f64[n]"):
    a = empty(dim(x, 0))
    b = empty(dim(x, 0))
    for i in range(dim(x, 0)):
        a[i] = x[i]
        b[i] = x[i] + 1.0
    return b, a
""",
        {"b": 0, "a": 1},
    ),
    "one that is returned twice": (
        """
def f(x: "f64[n]"):
    a = empty(dim(x, 0))
    for i in range(dim(x, 0)):
        a[i] = x[i]
    return a, a
""",
        {},
    ),
    "one that is made in a branch": (
        """
def f(x: "f64[n]"):
    a = empty(dim(x, 0))
    for i in range(dim(x, 0)):
        a[i] = x[i]
    if dim(x, 0) > 3:
        a = empty(3)
        for i in range(3):
            a[i] = x[i]
    return a
""",
        {},
    ),
    "two that take turns": (
        """
def f(x: "f64[n]"):
    a = empty(dim(x, 0))
    b = empty(dim(x, 0))
    for i in range(dim(x, 0)):
        a[i] = x[i]
        b[i] = x[i] + 1.0
    for _ in range(3):
        a, b = b, a
    return a
""",
        {},
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_which_arrays_these_are(name):
    text, want = FOUND[name]
    assert numbers_of_results(read_loops(text).main) == want


@pytest.mark.parametrize("name", PROGRAMS)
def test_where_there_are_no_places_programs_mean_the_same(name):
    text, argument_lists = PROGRAMS[name]
    before = memory.live_bytes()
    native = compile_program(read_loops(text), EmitOptions(is_of_device=True))
    for arguments in argument_lists:
        assert_same_outcome(native, text, arguments)
    assert memory.live_bytes() == before


def double(x):
    return x * 2.0


def test_only_programs_of_devices_ask_for_places():
    assert "@pellucid_new_result(" in of_device(double, {"i": 2}).source("llvm", "i64[2]", "f64[n]")
    assert "pellucid_new_result" not in compile(double).source("llvm", "f64[n]")
