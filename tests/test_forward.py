"""Forward mode on typed programs: tangents against complex steps, against reverse mode, and of one another.

    <u, jvp v> = <vjp u, v>      forward and reverse mode are written apart, and have to agree
"""

import dataclasses

import numpy as np
import pytest

from pellucid.compiler import types
from pellucid.compiler.diagnostics import GradientError
from pellucid.compiler.frontend.specialise.derivatives.rules import expand
from pellucid.compiler.ops.schema import OPERATORS
from pellucid.compiler.targets.python.printer import print_function
from pellucid.compiler.transform.copies import with_copies
from pellucid.compiler.transform.forward import forward as writing
from tests.harness.call_form import own, run, slope, summed
from tests.harness.cases import read_cases, write_cases
from tests.harness.derivative_programs import PROGRAMS
from tests.harness.draws import blocks
from tests.harness.random_derivatives import random_program
from tests.harness.typed_text import read_program
from tests.test_reverse import SEVERAL, checked, cotangents, floats, random_arguments, reverse


def forward(program, wrt=None, outputs=None):
    """The program with tangents of all floats, or of these, and of all results, or of these."""
    names = floats(program) if wrt is None else wrt
    results = program.main.results
    chosen = [k for k, t in enumerate(results) if types.is_floating(t)] if outputs is None else outputs
    return writing.forward(program, {n: [program.main.types[n]] for n in names}, chosen, expand).program


def directions(program, arguments, seed):
    """Random tangents of the floats among the arguments."""
    chosen = [arguments[program.main.parameters.index(p)] for p in floats(program)]
    return cotangents(chosen, seed)


def rounding(text, tolerance):
    """How far two ways may differ that round otherwise."""
    return 1e-5 if "f32" in text else tolerance


def dot(ones, others):
    return sum(float(np.sum(np.asarray(a, np.float64) * b)) for a, b in zip(ones, others, strict=True))


def assert_close(found, wanted, tolerance=1e-9):
    scale = max(1.0, float(np.max(np.abs(wanted), initial=0.0)))
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance * scale)


# --- against reverse mode ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROGRAMS)
def test_forward_is_reverse(name):
    """Of the value, its results and the gradient: <u, jvp v> = <vjp u, v>, types and values as they were."""
    text, make, _ = PROGRAMS[name]
    program = read_program(text)
    function, pushed = run(program), run(checked(forward(program)))
    gradient = run(checked(reverse(program, floats(program))))
    arguments = make(np.random.default_rng(0))
    along = directions(program, arguments, 0)
    before = function(*own(arguments))
    results = pushed(*own(arguments), *own(along))
    for one, other in zip(results, before):
        np.testing.assert_array_equal(one, other)
    assert type(results[len(before)]) is type(before[0])
    assert_close(results[len(before)], dot(gradient(*own(arguments)), along), rounding(text, 1e-9))


@pytest.mark.parametrize("name", list(PROGRAMS)[::3])
def test_second_derivatives_are_symmetric(name):
    """Forward over reverse, with two directions exchanged; and reverse over forward gives the same product."""
    text, make, _ = PROGRAMS[name]
    program = read_program(text)
    first = reverse(program, floats(program))
    over_reverse = run(checked(forward(first)))
    arguments = make(np.random.default_rng(0))
    v, w = directions(program, arguments, 1), directions(program, arguments, 2)
    count = len(v)
    of_v, of_w = (over_reverse(*own(arguments), *own(along))[count:] for along in (v, w))
    tolerance = rounding(text, 1e-7)
    assert_close(dot(of_v, w), dot(of_w, v), tolerance)
    pushed = forward(program, outputs=(0,))
    over_forward = run(checked(reverse(pushed, floats(program), outputs=(len(program.main.results),))))
    for one, other in zip(over_forward(*own(arguments), *own(v)), of_v):
        assert_close(one, other, tolerance)


# --- against complex steps --------------------------------------------------------------------------------------------


def assert_tangent(program, pushed, seed):
    """The tangent of the first result is what a complex step gives."""
    arguments = random_arguments(seed)
    along = directions(program, arguments, seed)
    with np.errstate(all="ignore"):
        value = run(program)(*own(arguments))[0]
        if not np.isfinite(value) or abs(value) > 1e8:
            return
        results = pushed(*own(arguments), *own(along))
        wanted = slope(program, own(arguments), [*along, None, None])
        assert results[0] == value
        assert_close(results[len(program.main.results)], wanted, 1e-9 * max(1.0, abs(value)))


@pytest.mark.parametrize("seed", range(20))
def test_random_program(seed):
    program = read_program(random_program(seed)).map(with_copies)
    assert_tangent(program, run(checked(forward(program))), seed)


@pytest.mark.parametrize("chosen", blocks(1000, 60, 60))
def test_many_random_programs(chosen):
    for seed in chosen:
        program = read_program(random_program(seed)).map(with_copies)
        assert_tangent(program, run(checked(forward(program))), seed)


@pytest.mark.parametrize("seed", range(200, 206))
def test_tangent_of_the_gradient_of_a_random_program(seed):
    program = read_program(random_program(seed)).map(with_copies)
    first = summed(reverse(program, floats(program))).map(with_copies)
    assert_tangent(first, run(checked(forward(first))), seed)


# --- which names have tangents ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("outputs", [(), (0,), (1,), (2, 0), (4, 0, 5), (6, 1), (5, 5, 2)], ids=str)
@pytest.mark.parametrize("wrt", [(), ("x",), ("y",), ("x", "y")], ids=str)
def test_chosen_parameters_and_results(wrt, outputs):
    """Tangents of some parameters are those of all, with zeros for the others."""
    program = read_program(SEVERAL)
    arguments, given = [np.arange(1.0, 5.0), 0.7, 3], {"x": np.array([0.3, -1.0, 2.0, 0.5]), "y": -0.4}
    zero = {"x": np.zeros(4), "y": 0.0}
    chosen = run(checked(forward(program, wrt, outputs)))(*own(arguments), *own([given[n] for n in wrt]))
    every = run(checked(forward(program)))(*own(arguments), *[(given if n in wrt else zero)[n] for n in "xy"])
    floating = [k for k in range(7) if k != 3]
    assert len(chosen) == 7 + len(outputs)
    for place, output in enumerate(outputs):
        found, wanted = chosen[7 + place], every[7 + floating.index(output)]
        assert type(found) is type(wanted)
        np.testing.assert_allclose(found, wanted, rtol=1e-14)


def test_results_do_not_share_elements_with_one_another():
    """Two results whose tangents are one: a store into one of the arrays is not seen in the other."""
    program = read_program("""
def f(x: "f64[n]"):
    a = x + 1.0
    b = x + 2.0
    a[0] = 5.0
    return a, b
""")
    along = np.array([1.0, 2.0])
    results = run(checked(forward(program)))(np.ones(2), along)
    np.testing.assert_array_equal(results[2], [0.0, 2.0])
    np.testing.assert_array_equal(results[3], [1.0, 2.0])
    np.testing.assert_array_equal(along, [1.0, 2.0])


LISTS = """
def f(x: "float", c: "bool"):
    xs: "[float]" = []
    xs.append(x * x)
    xs.append(1.0)
    ys: "[float]" = []
    ys.append(5.0)
    ys.append(6.0)
    if c:
        zs = xs
    else:
        zs = ys
    zs[1] = zs[1] + zs[0]
    y = zs.pop()
    return y * zs[0]
"""


def test_a_list_of_constants_has_zeros_where_it_meets_one_with_tangents():
    pushed = run(checked(forward(read_program(LISTS))))
    assert pushed(3.0, True, 1.0) == (90.0, 2.0 * 9.0 * 6.0 + 6.0)
    assert pushed(3.0, False, 1.0) == (55.0, 0.0)


# --- the table --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", [r for r in OPERATORS.values() if r.kind != "elementwise"], ids=lambda row: row.name)
def test_a_row_without_a_rule_for_tangents_cannot_be_declared(row):
    if any(row.vjp):
        with pytest.raises(TypeError, match="needs linear= or jvp="):
            dataclasses.replace(row, linear="", jvp=None)
        with pytest.raises(TypeError, match="needs linear= or jvp="):
            dataclasses.replace(row, linear="together", jvp=print)


# --- the text of small derivatives ------------------------------------------------------------------------------------


def forward_text(case):
    made = forward(read_program(case.before, case.file.name), case.options["wrt"])
    printed = (print_function(f, folded=False, annotated=True) for f in checked(made).functions.values())
    return "\n\n".join(p.strip() for p in printed) + "\n"


def test_cases(update_cases):
    cases = read_cases("transform/forward/forward.case")
    texts = [forward_text(case) for case in cases]
    if update_cases:
        write_cases(cases[0].file, [dataclasses.replace(c, after=t) for c, t in zip(cases, texts)])
        return
    for case, made in zip(cases, texts):
        assert made == case.after, case.title


def test_refused():
    program = read_program("""
def f(s: "f64", x: "f64"):
    return zeta(s, x)
""")
    with pytest.raises(GradientError) as caught:
        forward(program)
    assert [d.code for d in caught.value.diagnostics] == ["G003"]
    assert forward(program, ["x"]) is not None
