"""Loops in two versions: what `noalias` promises is true of every element that is touched, and no lie goes unseen."""

import contextlib
import warnings

import numpy as np
import pytest

import pellucid
from pellucid.compiler import driver
from pellucid.compiler.languages.verifier import verify
from pellucid.compiler.optimise.loop_versioning import version_loops
from pellucid.compiler.targets.python.printer import print_function
from tests.harness.loops_text import read_loops
from tests.harness.noalias_promise import Broken, watched
from tests.harness.random_accesses import ARRAYS, Nest
from tests.harness.random_pieces import random_arguments, random_program
from tests.harness.stages import Stages, module_of


def run(call, *arguments):
    """Run a function that may fail as it would have without any promise."""
    with warnings.catch_warnings(), contextlib.suppress(IndexError, OverflowError, ZeroDivisionError):
        warnings.simplefilter("ignore")
        call(*arguments)


def as_llvm_is_told(function, *arguments):
    """The loops of a function behind all steps ahead of LLVM."""
    stages = Stages(function)
    return driver.for_llvm(stages.program("loops", stages.flatten(arguments))[1]).main


def test_the_promises_of_random_loops_hold():
    made = 0
    for seed in range(40):
        function = module_of(random_program(seed), np=np)["f"]
        call, promises = watched(as_llvm_is_told(function, *random_arguments(seed)))
        made += promises
        for number in (2, 5, 8):  # the small ones
            run(call, *random_arguments(number))
    assert made > 20


def on_arrays_of_its_own(nest):
    """The text of a nest whose arrays are made in it: parameters may all be one array."""
    head, *body = nest.source().split("\n")
    made = []
    for name, rank in ARRAYS.items():
        head = head.replace(f"{name}: '", f"given_{name}: '")
        lengths = ", ".join(f"dim(given_{name}, {axis})" for axis in range(rank))
        made.append(f'    {name} = empty(({lengths},), "f64")')
    return "\n".join((head, *made, *body))


@pytest.mark.parametrize("kind, least", [({}, 8), ({"affine": True}, 20)], ids=["any", "affine"])
def test_the_promises_of_random_nests_hold(kind, least):
    made, numbers = 0, np.random.default_rng(0)
    for seed in range(60):
        function = version_loops(read_loops(on_arrays_of_its_own(Nest(seed, **kind))).main)
        assert not verify(function, "loops"), verify(function, "loops")
        call, promises = watched(function)
        made += promises
        for _ in range(6 if promises else 0):
            arrays = (np.empty(numbers.integers(6, 14, rank)) for rank in ARRAYS.values())
            run(call, *(int(n) for n in numbers.integers((2, 2, 0, -2), (8, 8, 4, 3))), *arrays)
    assert made >= least


LOOP = """
def f(x: "f64[n]", k: "int"):
    a = empty((dim(x, 0),), "f64")
    for j in range(0, dim(x, 0), 1):
        a[j] = x[j]
    for j in {kind}(0, dim(x, 0), 1):
        a[j] = a[j] + {other}
    return a
"""


@pytest.mark.parametrize("other, is_true", [("a[k]", False), ("a[j - 1]", False), ("x[k]", True), ("a[j]", True)])
def test_a_wrong_promise_is_seen(other, is_true):
    call, promises = watched(read_loops(LOOP.format(kind="noalias", other=other)).main)
    assert promises == 1
    with contextlib.nullcontext() if is_true else pytest.raises(Broken):
        call(np.arange(5.0), 2)


def test_a_promise_needs_one_name_for_each_array():
    text = LOOP.format(kind="noalias", other="b[j]")
    shared = text.replace("    for j in range", "    b = a\n    for j in range", 1)
    other = text.replace("    for j in range", "    b = x\n    for j in range", 1)
    assert not verify(read_loops(other).main, "loops")
    assert "another name" in verify(read_loops(shared).main, "loops")[0]


def test_what_is_known_without_a_test_has_no_second_version():
    text = LOOP.format(kind="range", other="x[k]")
    function = read_loops(text.replace("x[k]", "x[j]")).main
    assert version_loops(function) is function
    assert print_function(version_loops(read_loops(text).main)).count("for j in") == 3


def test_a_promise_that_a_user_writes_is_not_believed(tmp_path):
    text = print_function(read_loops(LOOP.format(kind="noalias", other="a[k]")).main, annotated=True)
    file = tmp_path / "edited.py"
    file.write_text("import numpy as np\n\nfrom pellucid.support import noalias\n\n\n" + text)
    function = pellucid.from_source(file, stage="loops")
    a = np.arange(40.0)
    for j in range(40):
        a[j] += a[7]
    np.testing.assert_array_equal(np.asarray(function(np.arange(40.0), 7)), a)
