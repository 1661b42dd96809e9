"""Reverse mode: derivatives of first and second order against differences and complex steps, and what they save."""

import dataclasses
import functools

import gast
import numpy as np
import pytest

import pellucid
from pellucid.compiler import syntax, types
from pellucid.compiler.diagnostics import GradientError
from pellucid.compiler.frontend.specialise.derivatives.rules import expand
from pellucid.compiler.languages import verifier
from pellucid.compiler.targets.python.printer import print_function
from pellucid.compiler.transform.copies import with_copies
from pellucid.compiler.transform.reverse import reverse as writing
from pellucid.compiler.types import ListOf, Scalar
from tests.harness.call_form import central_difference, own, run, slope, summed, text
from tests.harness.cases import read_cases, write_cases
from tests.harness.derivative_programs import PROGRAMS
from tests.harness.draws import blocks
from tests.harness.random_derivatives import random_program
from tests.harness.typed_text import read_program

pytestmark = pytest.mark.drawn(5)

reverse = functools.partial(writing.reverse, specialiser=expand)


def floats(program):
    function = program.main
    return [p for p in function.parameters if types.is_floating(function.types[p])]


def checked(program):
    """The program with the copies that CPython needs; every function is held to its stage."""
    for function in program.functions.values():
        assert not verifier.verify(function, "single"), verifier.verify(function, "single")
    return program.map(with_copies)


def differentiated(text_, **options):
    program = read_program(text_)
    return program, reverse(program, options.pop("wrt", None) or floats(program), **options)


def saved(program):
    """The names that hold values for the backward sweep."""
    names = {n for s in syntax.walk(program.main.body) for n in syntax.names_bound(s)}
    return sorted(n for n in names if "saved" in n and "bar" not in n)


def assert_gradient(program, function, gradient, name, seeds, step, tolerance):
    make = PROGRAMS[name][1]
    parameters = program.main.parameters
    for seed in seeds:
        arguments = make(np.random.default_rng(seed))
        got = gradient(*own(arguments))
        for parameter, value in zip(floats(program), got):
            position = parameters.index(parameter)
            want = central_difference(function, arguments, position, step)
            assert type(value) is type(arguments[position])
            scale = max(1.0, float(np.max(np.abs(want), initial=0.0)))
            np.testing.assert_allclose(value, want, rtol=tolerance, atol=tolerance * scale, err_msg=parameter)


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradient(name):
    program = read_program(PROGRAMS[name][0])
    gradient = run(checked(reverse(program, floats(program))))
    assert_gradient(program, run(program), gradient, name, range(4), PROGRAMS[name][2], 1e-5)


@pytest.mark.parametrize("name", PROGRAMS)
def test_second_derivative(name):
    program = read_program(PROGRAMS[name][0])
    first = summed(reverse(program, floats(program)))
    second = run(checked(reverse(first, floats(program))))
    assert_gradient(program, run(checked(first)), second, name, range(2), PROGRAMS[name][2], 1e-4)


def test_third_derivative_through_a_loop():
    program = read_program(PROGRAMS["kepler"][0])
    second = summed(reverse(summed(reverse(program, ["mean_anomaly"])), ["mean_anomaly"]))
    third = run(checked(reverse(second, ["mean_anomaly"])))
    want = central_difference(run(checked(second)), [0.7, 0.3], 0, 1e-6)
    np.testing.assert_allclose(third(0.7, 0.3)[0], want, rtol=1e-6)


# --- any results, any cotangents --------------------------------------------------------------------------------------


def cotangents(values, seed):
    """Random numbers of the types and shapes of results."""
    draw = np.random.default_rng(seed)
    made = [(draw.standard_normal(np.shape(value)), value) for value in values]
    return [float(m) if type(v) is float else np.asarray(m).astype(np.asarray(v).dtype)[()] for m, v in made]


def assert_vjp(program, outputs, arguments, step, seed=3):
    """The cotangents of the parameters are the slopes of the weighted sum of the results."""
    pulled = run(checked(reverse(program, floats(program), outputs=outputs, seeded=True)))
    function = run(checked(program))
    weights = cotangents([function(*own(arguments))[k] for k in outputs], seed)

    def weighted(*given):
        results = function(*given)
        return (sum(np.sum(results[k] * w) for k, w in zip(outputs, weights)),)

    before = own(weights)
    got = pulled(*own(arguments), *weights)
    for weight, kept in zip(weights, before):
        np.testing.assert_array_equal(weight, kept)
    for parameter, value in zip(floats(program), got):
        position = program.main.parameters.index(parameter)
        want = central_difference(weighted, arguments, position, step)
        scale = max(1.0, float(np.max(np.abs(want), initial=0.0)))
        np.testing.assert_allclose(value, want, rtol=1e-4, atol=1e-4 * scale, err_msg=parameter)


@pytest.mark.parametrize("name", PROGRAMS)
def test_cotangents_of_all_results_of_a_derivative(name):
    text_, make, step = PROGRAMS[name]
    program = read_program(text_)
    several = reverse(program, floats(program), keep_value=True)
    assert_vjp(several, range(len(several.main.results)), make(np.random.default_rng(1)), step)


SEVERAL = """
def f(x: "f64[n]", y: "float", k: "int"):
    a = x[1:] * y
    b = copy(x)
    z = y
    for i in range(0, k):
        b[i] = b[i] * a[0] + z
        z = math_sin(z)
    return a, z, b, k, a, x, 2.0
"""


@pytest.mark.parametrize("outputs", [(), (0,), (1,), (2, 0), (4, 0, 5), (6, 1), (5, 5, 2)], ids=str)
def test_cotangents_of_chosen_results(outputs):
    assert_vjp(read_program(SEVERAL), outputs, [np.arange(1.0, 5.0), 0.7, 3], 1e-6)


def test_a_cotangent_of_another_length_is_an_error():
    pulled = run(checked(reverse(read_program(SEVERAL), ["x"], outputs=(0,), seeded=True)))
    with pytest.raises(ValueError):
        pulled(np.arange(1.0, 5.0), 0.7, 3, np.ones(4))


# --- random programs -------------------------------------------------------------------------------------------------


def random_arguments(seed):
    draw = np.random.default_rng(seed)
    n = int(draw.integers(4, 7))
    return [
        draw.uniform(0.2, 1.0, n), draw.uniform(0.2, 1.0, n), draw.uniform(-0.6, 0.9, (n, n)),
        np.float64(draw.uniform(0.3, 1.0)), float(draw.uniform(0.3, 1.0)), int(draw.integers(0, 4)),
        np.array([0, 2, 2, 1, 3, 0]),
    ]  # fmt: skip


def assert_slopes(program, gradient, seed):
    """The gradient along a random direction is what a complex step gives."""
    with np.errstate(all="ignore"):
        for round_ in range(2):
            arguments = random_arguments(7 * seed + round_)
            value = run(program)(*own(arguments))[0]
            if not np.isfinite(value) or abs(value) > 1e8:
                continue
            draw = np.random.default_rng(seed)
            along = [np.asarray(draw.standard_normal(np.shape(a))) for a in arguments[:5]]
            parts = [g * d for g, d in zip(gradient(*own(arguments)), along)]
            want = slope(program, own(arguments), [*along, None, None])
            assert abs(sum(map(np.sum, parts)) - want) <= 1e-9 * sum(np.sum(np.abs(p)) for p in parts) + 1e-12


@pytest.mark.parametrize("seed", range(80))
def test_random_program(seed):
    program = read_program(random_program(seed)).map(with_copies)
    assert_slopes(program, run(checked(reverse(program, floats(program)))), seed)


@pytest.mark.parametrize("seed", range(100, 116))
def test_second_derivative_of_a_random_program(seed):
    program = read_program(random_program(seed)).map(with_copies)
    first = summed(reverse(program, floats(program))).map(with_copies)
    assert_slopes(first, run(checked(reverse(first, floats(program)))), seed)


@pytest.mark.parametrize("chosen", blocks(1000, 60, 60))
def test_many_random_programs(chosen):
    for seed in chosen:
        program = read_program(random_program(seed)).map(with_copies)
        assert_slopes(program, run(checked(reverse(program, floats(program)))), seed)


# --- what is saved, and what it costs ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name, wrt, names", [
    ("logistic loss", ["w", "b"], []),
    ("kepler", ["mean_anomaly", "eccentricity"], ["e_saved"]),
    ("cascade", ["x", "k"], []),
    ("heat", ["u0"], []),
    ("heat", ["alpha"], ["saved"]),
    ("a triangular solve", ["a", "b"], []),
    ("a recurrence two places back", ["x"], []),
    ("a linear while", ["x"], []),
    ("horner", ["c"], []),
    ("horner", ["x", "c"], ["s_saved"]),
    ("a linear recursion", ["x"], []),
    ("a recurrent state", ["h0"], ["h_saved"]),
    ("a recurrent state", ["w"], ["h_saved"]),
    ("a recurrent number from one", ["x"], ["s_saved"]),
    ("a state and the one before it", ["w"], ["g_saved"]),
    ("three states, each the one before", ["x"], ["a_saved"]),
    ("a sum of squares by elements", ["x"], []),
])  # fmt: skip
def test_saved_values(name, wrt, names):
    program = read_program(PROGRAMS[name][0])
    assert saved(reverse(program, wrt)) == names


def test_a_while_loop_is_counted_by_its_tape():
    made = reverse(read_program(PROGRAMS["kepler"][0]), ["mean_anomaly"]).main
    assert isinstance(made.types["e_saved"], ListOf)
    loops = [s for s in made.body if isinstance(s, gast.While)]
    assert gast.dump(loops[1].test) == gast.dump(syntax.call("greater", syntax.call("length", "e_saved"), 0))


def test_counted_loops_save_by_iteration():
    made = reverse(read_program(PROGRAMS["horner"][0]), ["x"]).main
    assert made.types["s_saved"].ndim == 1
    assert "s_saved[i] = s" in text(type(read_program(PROGRAMS["horner"][0]))(made.name, {made.name: made}))


def test_nested_loops_save_in_one_array():
    made = reverse(read_program(PROGRAMS["nested loops"][0]), ["x"]).main
    assert made.types["s_saved"].ndim == 2


@pytest.mark.parametrize("name", ["cascade", "a triangular solve", "cholesky", "edit distance, softened"])
def test_an_element_costs_an_element(name):
    """No array is made inside the loops of programs that go through arrays element by element."""
    program, made = differentiated(PROGRAMS[name][0])
    for loop in (s for s in made.main.body if isinstance(s, gast.For)):
        for statement in syntax.walk(loop.body):
            for bound in syntax.names_bound(statement):
                assert isinstance(made.main.types[bound], Scalar), text(made)


def test_an_addition_to_an_element_gives_nothing_back():
    program, made = differentiated("""
def f(x: "f64[n]", s: "f64"):
    y = copy(x)
    y[0] = y[0] + s
    return sum(y)
""")
    backward = text(made).split("sum(")[1]
    assert "= 0.0" not in backward


# --- results ---------------------------------------------------------------------------------------------------------

TWO_RESULTS = """
def f(x: "f64[n]", k: "int"):
    y = x * x
    s = sum(y)
    return s, y, k
"""


def test_values_are_returned_on_request():
    x = np.array([1.0, 2.0])
    program = read_program(TWO_RESULTS)
    assert len(run(checked(reverse(program, ["x"])))(x, 3)) == 1
    value, y, k, slopes = run(checked(reverse(program, ["x"], keep_value=True)))(x, 3)
    assert (value, k) == (5.0, 3)
    np.testing.assert_array_equal(y, [1.0, 4.0])
    np.testing.assert_array_equal(slopes, [2.0, 4.0])
    chosen = reverse(program, ["x"], results=(2,))
    assert [str(t) for t in chosen.main.results] == ["int", "f64[n]"]


def test_types_of_gradients_are_those_of_parameters():
    program, made = differentiated("""
def f(x: "f32[n]", y: "float", z: "f64", w: "any f32[n, m]", v: "f32"):
    return sum(x * v) * y + z * cast(sum(w), dtype="f64")
""")
    assert [str(t) for t in made.main.results] == ["f32[n]", "float", "f64", "f32[n, m]", "f32"]
    got = run(checked(made))(np.ones(2, np.float32), 2.0, np.float64(3.0), np.ones((2, 3), np.float32), np.float32(2.0))
    assert [np.asarray(g).dtype.name for g in got] == ["float32", "float64", "float64", "float32", "float32"]
    assert type(got[1]) is float


def test_gradients_do_not_share_elements():
    program, made = differentiated("""
def f(x: "f64[n]", y: "f64[n]"):
    z = x + y
    return sum(z * z)
""")
    first, second = run(checked(made))(np.ones(3), np.ones(3))
    assert not np.shares_memory(first, second)


def test_the_program_is_not_changed_and_the_result_is_the_same_every_time():
    program = read_program(PROGRAMS["elimination in place"][0])
    before = text(program)
    first, second = (text(reverse(program, ["a0", "b0"])) for _ in range(2))
    assert text(program) == before
    assert first == second


def test_an_empty_mean_gives_what_numpy_gives():
    program, made = differentiated("""
def f(x: "f64[n]"):
    return sum(x) / dim(x, axis=0)
""")
    assert run(checked(made))(np.zeros(0))[0].shape == (0,)


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code, source", [
    ("G003", """
def f(s: "f64"):
    return zeta(s, 2.0)
"""),
])  # fmt: skip
def test_refused(code, source):
    program = read_program(source)
    with pytest.raises(GradientError) as caught:
        reverse(program, floats(program))
    assert [d.code for d in caught.value.diagnostics] == [code]
    assert caught.value.diagnostics[0].span.line > 1


# --- the text of small derivatives -----------------------------------------------------------------------------------


def reverse_text(case):
    program = read_program(case.before, case.file.name)
    made = reverse(program, case.options["wrt"])
    checked(made)
    printed = (print_function(f, folded=False, annotated=True) for f in made.functions.values())
    return "\n\n".join(p.strip() for p in printed) + "\n"


def test_cases(update_cases):
    cases = read_cases("transform/reverse/reverse.case")
    texts = [reverse_text(case) for case in cases]
    if update_cases:
        write_cases(cases[0].file, [dataclasses.replace(c, after=t) for c, t in zip(cases, texts)])
        return
    for case, made in zip(cases, texts):
        assert made == case.after, case.title


def test_what_a_loop_needs_to_save_stands_under_its_line():
    def wave(u, steps):
        energy = 0.0
        for step in range(steps):
            u = u * u
            energy += np.sum(u**3)
        return energy

    text = pellucid.grad(wave).source("reverse", "f64[n]", "int")
    before, head, behind = text.partition("for step in range(steps):\n")
    assert head and "steps if steps > 0 else 0" in behind.partition("for step")[0]
