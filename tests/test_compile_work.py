"""The compiler's work grows no faster than the program: twice the statements are about twice the steps.

A step is a call inside the compiler, counted by the interpreter: the number is the same on every machine.  LLVM is left
out; the text that it is given is measured by its length.
"""

import pytest

import pellucid
from pellucid.compiler import driver, pipeline
from pellucid.compiler.steps import run_steps
from pellucid.compiler.targets.llvm import llvm
from tests.harness.compile_work import calls_in
from tests.harness.stages import module_of

MOST = 2.3  # what is paid once makes the ratio smaller, sets and dictionaries that grow make it a little larger


def scalar_lines(count):
    forms = ("    x = x * 0.5 + y", "    y = y - 0.1 * x * x", "    x = np.sin(x) + y")
    return ["def f(x, y):", *(forms[k % 3] for k in range(count)), "    return x + y"]


def array_lines(count):
    forms = ("    x = np.tanh(x) * y", "    y = y - 0.1 * x", "    s = s + np.sum(x)", "    x = np.where(y > s, x, y)")
    return ["def f(x, y, s):", *(forms[k % 4] for k in range(count)), "    return x + y * s"]


def unrolled_lines(count):
    steps = ", ".join(str(0.5 + k / 1024) for k in range(count // 2))
    body = ["        x = x + step * np.sin(y)", "        y = y * np.cos(x) - step"]
    return ["def f(x, y):", f"    for step in ({steps}):", *body, "    return x + y"]


def branching_lines(count):
    lines = ["def f(x, n):", "    total = 0.0"]
    for k in range(count // 5):
        lines += [
            f"    for i in range(n - {k % 3}):",
            "        if x[i] > total:",
            f"            total = total + x[i] * {k + 0.5}",
            "        else:",
            "            total = total - 1.0",
        ]
    return [*lines, "    return total"]


def storing_lines(count):
    lines = ["def f(x, n):", "    y = x.copy()"]
    for k in range(count // 2):
        lines += [f"    y[{k % 4}] = y[{(k + 1) % 4}] * 0.5", f"    y[{k % 3}] = x[{k % 4}] + {k + 0.5}"]
    return [*lines, "    return y"]


def nested_lines(count):
    """Arrays with names of their own, each summed and used again: a nest or two for every line, buffers in a chain."""
    lines = ["def f(a0, b0, s0):"]
    for k in range(count // 3):
        lines += [
            f"    a{k + 1} = np.tanh(a{k} + s{k}) * b{k}",
            f"    b{k + 1} = np.where(a{k + 1} > 0.0, b{k}, np.exp(a{k}))",
            f"    s{k + 1} = s{k} + np.sum(a{k + 1}) * 0.001",
        ]
    return [*lines, f"    return a{count // 3}, b{count // 3}, s{count // 3}"]


def living_lines(count):
    """Many names that are all needed to the end, and a store behind each of them."""
    each = count // 3
    lines = ["def f(x, n):", "    y = x.copy()", "    total = 0.0"]
    for k in range(each):
        lines += [f"    v{k} = x[{k % 4}] * {k + 0.5}", f"    y[{k % 3}] = v{k}"]
    return [*lines, *(f"    total = total + v{k}" for k in range(each)), "    return y, total"]


def indexed_lines(count):
    """Accesses with checks of their own, each of which says something of the indices of those behind it."""
    lines = ["def f(x, n):", "    total = 0.0"]
    for k in range(count // 2):
        lines += [f"    total = total + x[n + {k}]", f"    total = total * x[n - {k}]"]
    return [*lines, "    return total"]


def recurrent_lines(count):
    """Loops that save a state for every turn, one behind the other."""
    lines = ["def f(x, s):"]
    for k in range(count // 3):
        lines += ["    for i in range(x.shape[0]):", f"        s = s * 0.9 + x[i] * np.sin(s + {k}.0)"]
    return [*lines, "    return s"]


def taped_lines(count):
    """Loops that save on lists."""
    lines = ["def f(x, s):"]
    for k in range(count // 4):
        lines += [
            f"    t{k} = s + {k + 1}.0",
            f"    while t{k} * t{k} > 0.5:",
            f"        t{k} = t{k} * 0.7 + 0.01 * np.sin(t{k})",
            f"    s = s + t{k} * x[{k % 4}]",
        ]
    return [*lines, "    return s"]


def doubling_lines(count):
    """Every name is read twice by the next one: what is written out grows twice as large with each."""
    return ["def f(x, s):", *(f"    s = np.sin(s * x[{k % 3}]) + x[{k % 4}] * s" for k in range(count)), "    return s"]


def nest_of_whiles(depth):
    """Loops in loops, each with a counter of its own."""
    lines = ["def f(x, n):", "    total = 0.0"]
    for k in range(depth):
        around = "    " * (k + 1)
        lines += [f"{around}k{k} = 0", f"{around}while k{k} < n:", f"{around}    k{k} = k{k} + 1"]
    return [*lines, "    " * (depth + 1) + f"total = total * 0.5 + x[k0 - 1] * k{depth - 1}", "    return total"]


def lists_and_loops(count):
    """Lists that are all needed to the end, and a loop behind each of them that touches none."""
    lines = ["def f(x, n):", "    total = 0.0"]
    for k in range(count // 4):
        lines += [f"    l{k} = [{', '.join(['total'] * 12)}]", "    for i in range(n):"]
        lines += [f"        total = total * 0.5 + x[i] * {k}.5"]
    return [*lines, *(f"    total = total + l{k}[{k % 12}]" for k in range(count // 4)), "    return total"]


GRADIENTS = {
    "scalars": (scalar_lines, ("f64", "f64")),
    "branches": (branching_lines, ("f64[n]", "int")),
    "loops": (recurrent_lines, ("f64[n]", "f64")),
    "tapes": (taped_lines, ("f64[n]", "f64")),
    "doubled": (doubling_lines, ("f64[n]", "f64")),
}
PROGRAMS = {
    "scalars": (scalar_lines, ("float", "f64")),
    "arrays": (array_lines, ("f64[n]", "f64[n]", "f64")),
    "unrolled": (unrolled_lines, ("float", "f64")),
    "unrolled arrays": (unrolled_lines, ("f64[n]", "f64[n]")),
    "branches": (branching_lines, ("f64[n]", "int")),
    "stores": (storing_lines, ("f64[n]", "int")),
    "nests": (nested_lines, ("f64[n]", "f64[n]", "f64")),
    "living": (living_lines, ("f64[n]", "int")),
    "indices": (indexed_lines, ("f64[n]", "int")),
}
# The most calls inside the compiler for a line on the way to the typed stage and through its tidying.
TYPED_CALLS = {"scalars": 840, "unrolled": 900, "unrolled arrays": 950, "nests": 1850, "living": 635}
# The same from there to the text for LLVM.
LOWERED_CALLS = {
    "scalars": 550, "unrolled": 700, "unrolled arrays": 4200, "nests": 7400, "living": 475, "indices": 3000,
}  # fmt: skip


def compiled_of(make, types, count, with_gradient):
    """A function of `count` statements and the abstract values of its arguments."""
    function = module_of("\n".join(["import numpy as np", "", "", *make(count), ""]))["f"]
    compiled = pellucid.grad(function) if with_gradient else pellucid.compile(function)
    return compiled.__pellucid__, compiled._flatten(types, {}, texts=True).arguments


@pytest.fixture(autouse=True, scope="module")
def everything_has_been_used_once():
    """What is imported or remembered at its first use is not counted, whichever test comes first."""
    for make, types in PROGRAMS.values():
        steps_of(make, types, 4, with_gradient=False)


def steps_of(make, types, count, with_gradient):
    """(calls inside the compiler, length of the LLVM text) for a program of `count` statements."""
    request, arguments = compiled_of(make, types, count, with_gradient)

    def work():
        made = driver.derive(request, arguments, {})
        return llvm.lower_program(driver.loops(made.program))[0].text

    calls, text = calls_in(work)
    return calls, len(text)


@pytest.mark.parametrize("name", PROGRAMS)
def test_twice_the_statements_are_twice_the_work(name, monkeypatch):
    monkeypatch.setenv("PELLUCID_VERIFY", "0")  # the verifier is no part of what users wait for
    make, types = PROGRAMS[name]
    first, second = (steps_of(make, types, count, with_gradient=False) for count in (60, 120))
    assert second[0] <= MOST * first[0]
    assert second[1] <= MOST * first[1]


@pytest.mark.parametrize("name", GRADIENTS)
def test_the_work_on_a_gradient_is_linear_too(name, monkeypatch):
    monkeypatch.setenv("PELLUCID_VERIFY", "0")
    make, types = GRADIENTS[name]
    first, second = (steps_of(make, types, count, with_gradient=True) for count in (40, 80))
    assert second[0] <= MOST * first[0]
    assert second[1] <= MOST * first[1]


@pytest.mark.parametrize("with_gradient", [False, True], ids=["the function", "its gradient"])
def test_a_nest_twice_as_deep_is_little_more_than_twice_the_work(with_gradient, monkeypatch):
    monkeypatch.setenv("PELLUCID_VERIFY", "0")
    first, second = (steps_of(nest_of_whiles, ("f64[n]", "int"), depth, with_gradient)[0] for depth in (3, 6))
    assert second <= 2.6 * first


def test_a_loop_costs_nothing_for_lists_that_it_does_not_touch(monkeypatch):
    """But for their being there: what is made of them at its head and behind it is looked at, and left alone."""
    monkeypatch.setenv("PELLUCID_VERIFY", "0")
    first, second = (typed_calls_of(lists_and_loops, ("f64[n]", "int"), count) for count in (80, 160))
    assert second <= MOST * first


@pytest.mark.parametrize("name", TYPED_CALLS)
def test_a_line_costs_few_calls_up_to_its_tidied_typed_form(name, monkeypatch):
    monkeypatch.setenv("PELLUCID_VERIFY", "0")
    make, types = PROGRAMS[name]
    request, arguments = compiled_of(make, types, 120, with_gradient=False)
    calls, _ = calls_in(lambda: driver.settled(driver.derive(request, arguments, {}).program))
    assert calls <= 120 * TYPED_CALLS[name], calls / 120


def typed_calls_of(make, types, count):
    request, arguments = compiled_of(make, types, count, with_gradient=False)
    return calls_in(lambda: driver.derive(request, arguments, {}))[0]


@pytest.mark.parametrize("name", LOWERED_CALLS)
def test_a_line_costs_few_calls_from_its_typed_form_to_the_text_for_llvm(name, monkeypatch):
    monkeypatch.setenv("PELLUCID_VERIFY", "0")
    make, types = PROGRAMS[name]
    request, arguments = compiled_of(make, types, 120, with_gradient=False)
    typed = driver.settled(driver.derive(request, arguments, {}).program)
    calls, _ = calls_in(lambda: llvm.lower_program(run_steps(typed, pipeline.LOOPS_WAY)))
    assert calls <= 120 * LOWERED_CALLS[name], calls / 120


def test_a_line_of_scalars_is_a_line_or_two_for_llvm():
    def lines(count):
        request, arguments = compiled_of(*PROGRAMS["scalars"], count, with_gradient=False)
        return llvm.lower_program(driver.loops(driver.derive(request, arguments, {}).program))[0].text.count("\n")

    assert lines(180) - lines(120) <= 3 * 60
