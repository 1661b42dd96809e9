"""What a stage prints can be edited and compiled: the answer is that of the edited text in CPython."""

import pickle
import warnings

import numpy as np
import pytest

import pellucid
from pellucid.compiler.edited import lowered, read_stage
from pellucid.compiler.targets.python.printer import print_program

from .harness.corpus import copy_tree, programs
from .harness.stages import Stages, as_list, assert_same, attempt, entry_of, in_python

pytestmark = pytest.mark.drawn(5)

SMOOTH = '''
import numpy as np


# x: f64[n]   k: float   ->   f64
def smooth(x, k):
    n = x.shape[0]
    y = np.zeros(n)
    for i in range(1, n - 1):
        y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3.0
    return np.sum(y) * k
'''


def read(tmp_path, text, stage="typed"):
    path = tmp_path / f"edited_{stage}.py"
    path.write_text(text)
    return pellucid.from_source(path, stage=stage)


def smooth(x, k):
    y = np.zeros(len(x))
    for i in range(1, len(x) - 1):
        y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3.0
    return np.sum(y) * k


def over_rows(f):
    """Of what takes a vector and a number: all examples, the same ones each."""
    return pellucid.vmap(f, in_axes=(None, 0))


WAYS = [
    (pellucid.compile, "typed", 2.0), (pellucid.grad, "reverse", 2.0), (pellucid.grad, "transformed", 2.0),
    (over_rows, "transformed", np.linspace(-1.0, 2.0, 4)), (pellucid.compile, "loops", 2.0),
    (pellucid.grad, "loops", 2.0), (over_rows, "loops", np.linspace(-1.0, 2.0, 4)),
]  # fmt: skip


@pytest.mark.parametrize("make, stage, k", WAYS)
def test_what_is_printed_is_compiled_again(make, stage, k, tmp_path):
    function, arguments = make(smooth), (np.linspace(0.0, 1.0, 7), k)
    again = read(tmp_path, function.source(stage, *arguments), stage)
    np.testing.assert_array_equal(np.asarray(again(*arguments)), np.asarray(function(*arguments)))
    assert again.source(stage) == function.source(stage, *arguments)


@pytest.mark.parametrize("stage", ["typed", "loops"])
def test_an_edit_changes_the_answer(stage, tmp_path):
    text = pellucid.compile(smooth).source(stage, "f64[n]", "float")
    edited = text.replace("/ 3.0", "/ 4.0")
    assert edited != text
    x = np.arange(6.0)
    assert read(tmp_path, edited, stage)(x, 2.0) == smooth(x, 2.0) * 3.0 / 4.0


EDITS = [
    ("n - 1):", "n):", "an index that is out of bounds"),
    ("n - 1):", "n + 3):", "indices that are out of bounds"),
    ("x[i - 1]", "x[i - 9]", "an index that is out of bounds from below"),
    ("np.zeros(n)", "np.zeros(n - 2)", "a store that is out of bounds"),
    ("np.zeros(n)", "np.zeros(3)", "a length that is known"),
    ("/ 3.0", "/ k", "another operand"),
    ("* k", "* k if k > 1.0 else 0.0", "a choice"),
    ("* k", "+ np.sum(x[1:] + x)", "lengths that do not fit"),
    ("* k", "+ np.sum(x[1:] + x[:-1])", "slices"),
    ("* k", "* (1.0 / k)", "an operator that raises"),
    ("(1, n - 1)", "(n - 2, 0, -1)", "a loop backwards"),
    ("    return", "    y[y > 1.0] = 0.5\n    return", "a mask"),
]


@pytest.mark.parametrize("old, new, what", EDITS, ids=[what for *_, what in EDITS])
@pytest.mark.parametrize("stage", ["typed", "loops"])
def test_an_edited_stage_gives_what_python_gives(old, new, what, stage, tmp_path):
    """The oracle is the edited text itself, run by CPython; the loops stage is that of the edited typed one."""
    text = SMOOTH.replace(old, new)
    assert text != SMOOTH
    if stage == "loops":
        text = print_program(lowered(read_stage(text, "smooth.py", "typed")))
    function = read(tmp_path, text, stage)
    for length in (0, 3, 5):
        for k in (0.0, 2.0):
            arguments = np.arange(float(length)), k
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                want = in_python(entry_of(text, "smooth", f"edited_{stage}.py"), *arguments)
            assert_same(attempt(lambda *given: np.asarray(function(*given))[()], *copy_tree(arguments)), want)


@pytest.mark.parametrize("program", programs()[::23], ids=str)
@pytest.mark.parametrize("stage", ["typed", "loops"])
def test_programs_of_the_corpus_are_compiled_again(program, stage, tmp_path):
    stages = Stages(program.function)
    arguments = program.make_arguments(seed=3, size=4)
    flat = stages.flatten(arguments)
    made, compiled = stages.program(stage, flat)
    again = read(tmp_path, print_program(compiled), stage)
    want = attempt(stages.compiled("llvm", flat)[1], flat.leaves)
    got = attempt(lambda leaves: [np.asarray(r) for r in as_list(again(*leaves))], flat.leaves)
    assert got.error is None and want.error is None
    for one, other in zip(got.value, as_list(want.value), strict=True):
        np.testing.assert_allclose(one, np.asarray(other), rtol=1e-12, atol=1e-12)


def test_a_loop_that_is_not_independent_runs_in_order(tmp_path):
    text = """
from pellucid.support import prange
import numpy as np

# x: f64[n]   ->   f64[n]
def sums(x):
    y = np.empty(x.shape[0])
    total = np.float64(0.0)
    for i in prange(x.shape[0]):
        total += x[i]
        y[i] = total
    return y
"""
    function = read(tmp_path, text, "loops")
    x = np.ones(100_000)
    np.testing.assert_array_equal(np.asarray(function(x)), np.cumsum(x))
    assert "runs in order" in function.explain()


# --- refusals ------------------------------------------------------------------------------------------------------

REFUSED = [
    ("typed", "np.sum(y) * k", "np.mean(y)", "L001", "`np.mean` is no operator of the typed stage"),
    ("typed", "np.sum(y) * k", "np.linalg.svd(y[None])[1]", "L001", "is an operator with `full_matrices=False` alone"),
    ("typed", "np.sum(y) * k", "z * k", "L003", "`z` has no value here"),
    ("typed", "np.zeros(n)", "x", "L004", "the argument `x` is changed"),
    ("typed", "* k", "* (1 // n if n > 0 else 0)", "L004", "may raise where Python does not evaluate it"),
    ("typed", "x: f64[n]", "x: f65[n]", "L002", "not a type: 'f65[n]'"),
    ("typed", "x: f64[n]   ", "", "L002", "the type of `x` is not said"),
    ("typed", "-> ", "# ", "L002", "the type of `x` is not said"),
    ("typed", "->   f64", "->   f32", "L002", "the header says f32, and this is f64"),
    ("typed", "range(1, n - 1)", "x", "L001", "is no statement of the typed stage"),
    ("typed", "for i in range(1, n - 1):", "for i in range(1, n - 1)", "L001", "this is not valid Python"),
    ("typed", "import numpy as np", "import os", "L001", "is no import of a printed stage"),
    ("typed", "y[i] =", "n[i] =", "L003", "`n` is int and has no elements"),
    ("typed", "    n = x.shape[0]", "    n = x.shape[0]\n    view = y[1:]", "L003", "`y` has no value here"),
    ("loops", "y[i] =", "y[i] = x[1:] #", "L003", "an element of `y` is f64, and this is f64["),
    ("loops", "np.zeros(n)", "x", "L004", "may share elements with, an argument"),
    ("loops", "np.zeros(n)", "x[:]", "L004", "may share elements with, an argument"),
    ("loops", "    return", "    del y\n    return", "L003", "`y` may be read before it is assigned"),
]


@pytest.mark.parametrize("stage, old, new, code, message", REFUSED)
def test_what_cannot_be_read_is_said_with_its_place(stage, old, new, code, message, tmp_path):
    text = SMOOTH.replace(old, new)
    assert text != SMOOTH
    if stage == "loops":
        text = text.replace("np.sum(y) * k", "y[0] * k").replace("np.zeros", "np.empty")
    with pytest.raises(pellucid.StageError) as caught:
        read(tmp_path, text, stage)
    assert {d.code for d in caught.value.diagnostics} == {code}
    assert message in str(caught.value)
    assert f"edited_{stage}.py:" in str(caught.value)


ARGUMENTS = [
    ((np.ones(3, np.float32), 1.0), TypeError, "takes f64[n] for `x`, not an array of float32"),
    ((np.ones((3, 3)), 1.0), TypeError, "with 2 dimensions"),
    ((np.ones(3), 1), TypeError, "takes float for `k`, not an int"),
    ((np.ones(3), np.float64(1.0)), TypeError, "takes float for `k`, not a numpy.float64"),
    (([1.0], 1.0), TypeError, "takes f64[n] for `x`, not a list"),
    ((np.ones(6)[::2], 1.0), ValueError, "np.ascontiguousarray(x)"),
    ((np.ones(3),), TypeError, "missing a required argument: 'k'"),
]


@pytest.mark.parametrize("arguments, error, message", ARGUMENTS, ids=[m for *_, m in ARGUMENTS])
def test_other_arguments_are_refused(arguments, error, message, tmp_path):
    with pytest.raises(error) as caught:
        read(tmp_path, SMOOTH)(*arguments)
    assert message in str(caught.value)


def test_lengths_of_the_header_hold(tmp_path):
    text = "# x: f64[n]   y: f64[n + 1]   z: f64[3]   ->   f64\ndef f(x, y, z):\n    return x[0] + y[0] + z[0]\n"
    function = read(tmp_path, text)
    assert function(np.ones(2), np.ones(3), np.ones(3)) == 3.0
    for lengths in ((2, 2, 3), (2, 3, 4)):
        with pytest.raises(ValueError, match="has length"):
            function(*map(np.ones, lengths))


def test_what_else_such_a_function_is(tmp_path):
    function = read(tmp_path, SMOOTH)
    x = np.arange(4.0)
    assert isinstance(function, pellucid.Function)
    assert "prange" in function.source("loops") and "define" in function.source("llvm") and function.source("asm")
    assert function.debug()(x, 2.0) == function.debug("loops")(x, 2.0) == function(x, 2.0) == function(x, k=2.0)
    assert pickle.loads(pickle.dumps(function))(x, 2.0) == function(x, 2.0)
    with pytest.raises(TypeError, match="read from a file"):
        pellucid.compile(function)
    with pytest.raises(ValueError, match="no function is made of the stage 'core'"):
        pellucid.from_source("edited.py", stage="core")


def test_the_gradient_of_an_edited_stage(tmp_path):
    function = read(tmp_path, SMOOTH.replace("np.sum(y) * k", "np.sum(y * y) * k"))
    (tmp_path / "edited_typed.py").write_text("changed behind our back")
    x = np.linspace(0.5, 2.0, 5)

    def slope(index):
        moved = x.astype(complex)
        moved[index] += 1e-30j
        inner = (moved[:-2] + moved[1:-1] + moved[2:]) / 3.0
        return np.imag(np.sum(inner * inner) * 2.0) / 1e-30

    want = [slope(index) for index in range(5)]
    np.testing.assert_allclose(pellucid.grad(function)(x, 2.0), want, rtol=1e-14)
    value, gradient = pellucid.value_and_grad(function)(x, 2.0)
    assert value == function(x, 2.0)
    np.testing.assert_allclose(gradient, want, rtol=1e-14)


def test_the_gradient_of_an_edited_gradient(tmp_path):
    def cubes(x):
        total = 0.0
        for i in range(len(x)):
            total += x[i] ** 3
        return total

    text = pellucid.grad(cubes).source("reverse", "f64[n]").replace("->   x_bar: f64[n]", "->   f64")
    last = text.rstrip().rsplit("return ", 1)
    function = read(tmp_path, f"{last[0]}return np.sum({last[1]})\n", "reverse")
    x = np.linspace(0.5, 2.0, 5)
    np.testing.assert_allclose(pellucid.grad(function)(x), 6.0 * x, rtol=1e-14)


def test_loops_have_no_derivative(tmp_path):
    text = pellucid.compile(smooth).source("loops", "f64[n]", "float")
    with pytest.raises(TypeError, match="edit the typed stage"):
        pellucid.grad(read(tmp_path, text, "loops"))


def spectrum(x):
    w, v = np.linalg.eigh(x @ x.T)
    q, r = np.linalg.qr(x)
    return w[0] * v[0, 0] + q[0, 0] * r[0, 0]


@pytest.mark.parametrize("stage", ["typed", "loops"])
def test_routines_with_several_results_are_read_back(tmp_path, stage):
    compiled = pellucid.compile(spectrum)
    function = read(tmp_path, compiled.source(stage, "f64[n, n]"), stage)
    x = np.arange(9.0).reshape(3, 3) + 3.0 * np.eye(3)
    np.testing.assert_allclose(function(x), spectrum(x), rtol=1e-12)
    assert compiled(x) == function(x)
    with pytest.raises(pellucid.StageError, match="does not give 2 results"):
        read(tmp_path, compiled.source("typed", "f64[n, n]").replace("w, v = np.linalg.eigh", "w, v = np.sin"))
