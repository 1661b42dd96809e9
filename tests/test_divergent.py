"""Elements that each turn until they are done: in lanes, and bit for bit what the loop gives, on every processor."""

import numpy as np
import pytest

import pellucid
from pellucid.compiler import driver
from pellucid.compiler.request import Batch
from pellucid.compiler.targets.python import printer

from .harness import targets
from .harness.stages import Stages, entry_of


def newton(c):
    """The square root, by steps whose number depends on the start."""
    x = 1.0
    while abs(x * x - c) > 1e-12 * c:
        x = 0.5 * (x + c / x)
    return x


def uneven(c):
    """Most elements are done at once, a few go on for long."""
    x = c
    turns = 0
    while x > 1.0 and turns < 500:
        if x > 2.0:
            x = x * 0.99
        else:
            x = x - 0.25
            turns = turns + 2
        turns = turns + 1
    return x, turns


def bisected(c):
    low, high = 0.0, 4.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if high - low < 1e-9 or middle * middle == c:
            break
        if middle * middle > c:
            high = middle
        else:
            low = middle
    return low


def single(c):
    x = np.float32(0.0)
    y = np.float32(c)
    count = 0
    while count < 50 and x < np.float32(3.0):
        x, y = x + y * np.float32(0.5), y * np.float32(1.25)
        count += 1
    return x, y, count


PROGRAMS = newton, uneven, bisected, single
LENGTHS = 1, 16, 40


def elements(count):
    """Numbers of which one in nine needs many turns."""
    values = np.random.default_rng(count).uniform(0.5, 4.0, count)
    values[::9] *= 30.0
    return values


def in_blocks(program):
    """What the target makes of the loops over all elements, in CPython."""
    stages = Stages(program, [Batch()])
    made = driver.for_llvm(stages.program("loops", stages.flatten((elements(40),)))[1])
    text = printer.print_program(made)
    assert " in lanes(16)" in text
    return entry_of(text, made.entry, f"{program.__name__}_in_blocks.py")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("stage", ["loops", "blocks", "llvm"])
def test_every_element_has_its_own_turns(program, stage):
    over_all = pellucid.vmap(program)
    assert "in lanes" in over_all.explain("f64[n]") and "lanes" not in over_all.source("loops", "f64[n]")
    call = {"loops": over_all.debug("loops"), "blocks": in_blocks(program), "llvm": over_all}[stage]
    for count in LENGTHS:
        values = elements(count)
        got = call(values)
        wanted = [program(value) for value in values]
        parts = zip(*wanted) if isinstance(wanted[0], tuple) else [wanted]
        for one, part in zip(got if isinstance(wanted[0], tuple) else [got], parts, strict=True):
            np.testing.assert_array_equal(np.asarray(one), np.array(part))


@pytest.mark.parametrize("target", ["x86-64-v2", "x86-64-v4", "aarch64"])
def test_turns_are_vectors_of_the_processor(target, monkeypatch):
    targets.on(monkeypatch, target)
    text = pellucid.vmap(newton).source("llvm", "f64[n]")
    assert targets.has_vectors(text, "fdiv", target)


def roots(c):
    out = np.zeros(len(c))
    for k in range(len(c)):
        x = 1.0
        while abs(x * x - c[k]) > 1e-12:
            x = 0.5 * (x + c[k] / x)
        out[k] = x
    return out


@pytest.mark.parametrize("target", ["x86-64-v3", "aarch64"])
def test_an_edited_loop_is_taken_in_lanes_as_well(tmp_path, target, monkeypatch):
    path, values = tmp_path / "edited.py", np.random.default_rng(4).uniform(0.5, 4.0, 40)
    text = pellucid.compile(roots).source("loops", "f64[n]")
    assert "lanes" not in text
    path.write_text(text.replace("1e-12", "1e-6"))
    edited = pellucid.from_source(path, stage="loops")
    assert "in lanes" in edited.explain()
    got = np.asarray(edited(values))
    assert 0.0 < np.max(np.abs(got - np.sqrt(values))) < 1e-5
    targets.on(monkeypatch, target)
    assert targets.has_vectors(pellucid.from_source(path, stage="loops").source("llvm"), "fdiv", target)


def escapes(xs, ys, most):
    counts = np.zeros((len(ys), len(xs)), dtype=np.int64)
    for i in range(len(ys)):
        for j in range(len(xs)):
            a = b = 0.0
            count = 0
            while count < most and a * a + b * b <= 4.0:
                a, b = a * a - b * b + xs[j], 2.0 * a * b + ys[i]
                count += 1
            counts[i, j] = count
    return counts


def escapes_of_a_square(side, most):
    """Of complex numbers, made by divisions that cannot be by zero."""
    counts = np.zeros((side, side), dtype=np.int64)
    for i in range(side):
        for j in range(side):
            point = complex(2.5 * j / side - 2.0, 2.5 * i / side - 1.25)
            z, count = 0j, 0
            while count < most and z.real * z.real + z.imag * z.imag <= 4.0:
                z = z * z + point
                count += 1
            counts[i, j] = count
    return counts


def attractions(xs, ys, most):
    """As many turns for each: sums in the order in which they are written."""
    totals = np.zeros(len(xs))
    for i in range(len(xs)):
        total = 0.0
        for j in range(len(ys)):
            away = xs[i] - ys[j]
            if away < most:
                total += 1.0 / (away * away + 0.25)
        totals[i] = total
    return totals


@pytest.mark.parametrize("program", [escapes, escapes_of_a_square, attractions], ids=lambda program: program.__name__)
def test_loops_of_users_turn_in_lanes_unless_that_is_forbidden(program):
    points = np.linspace(-2.0, 0.5, 21), np.linspace(-1.0, 1.0, 9)
    values = (21, 60) if program is escapes_of_a_square else (*points, 60)
    free, bound = pellucid.compile(program), pellucid.compile(program, rewrite=False)
    for function in free, bound, free.debug("loops"):
        np.testing.assert_array_equal(np.asarray(function(*values)), program(*values))
    assert "in lanes" in free.explain(*values) and "in lanes" not in bound.explain(*values)
    assert "lane" not in free.source("loops", *values)


def test_what_may_raise_stays_in_its_order():
    """The error is that of the first element, and no lane divides where the test says that it is done."""

    def shares(c):
        out = np.zeros(len(c))
        for i in range(len(c)):
            parts = 4
            total = 0.0
            while total < c[i]:
                total = total + 1.0 / parts
                parts -= 1
            out[i] = total
        return out

    compiled = pellucid.compile(shares)
    assert "in lanes" not in compiled.explain("f64[n]")
    np.testing.assert_array_equal(np.asarray(compiled(np.array([0.1, 1.0]))), shares(np.array([0.1, 1.0])))
    with pytest.raises(ZeroDivisionError):
        compiled(np.array([0.1, 9.0, 0.2]))


def test_the_derivative_is_that_of_each_element():
    values = elements(20)
    slopes = pellucid.grad(lambda c: np.sum(pellucid.vmap(newton)(c)))(values)
    np.testing.assert_allclose(np.asarray(slopes), 0.5 / np.sqrt(values), rtol=1e-6)
