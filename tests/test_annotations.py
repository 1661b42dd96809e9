"""What is printed is what is compiled: nothing that nodes carry besides their fields changes a later stage."""

import gast
import pytest

import pellucid
from pellucid.compiler import driver, syntax
from pellucid.compiler.annotations import ANNOTATIONS, LOOPS, SINGLE, TYPED
from pellucid.compiler.languages import verifier
from pellucid.compiler.pipeline import SETTLED_WAY
from pellucid.compiler.request import Gradient
from pellucid.compiler.steps import run_steps
from pellucid.compiler.targets.python.printer import print_program
from tests.harness.corpus import programs
from tests.harness.stages import Stages
from tests.harness.typed_text import read_program

# where a statement stands; of the others, what is printed is read back: a class of exceptions, and a remark
PLACES = ("span", "inlined")


def bare(node):
    """A copy with fields and places alone, of an expression with fields alone."""
    if isinstance(node, gast.AST):
        made = type(node).__new__(type(node))
        kept = (*node._fields, *(PLACES if isinstance(node, gast.stmt) else ()))
        made.__dict__ = {key: bare(value) if key in node._fields else value
                         for key, value in node.__dict__.items() if key in kept}  # fmt: skip
        return made
    return [bare(part) for part in node] if isinstance(node, list) else node


def without_annotations(program):
    return program.map(lambda function: function.with_(body=tuple(map(bare, function.body))))


def text(program):
    """Without what is printed of annotations: stand-ins for exceptions of the user's, and remarks."""
    lines = print_program(program).splitlines()
    return [line for line in lines if line.strip() and not line.strip().startswith(("#", "class "))]


def derived(program, transforms):
    stages = Stages(program.function, transforms)
    return stages.program("typed", stages.flatten(program.make_arguments(seed=4, size=4)))


def assert_the_same_without(program, transforms=()):
    try:
        made, settled = derived(program, transforms)
    except pellucid.GradientError:
        return
    loops = driver.lowered(settled)
    assert text(driver.settled(without_annotations(made.program))) == text(settled)
    assert text(driver.lowered(without_annotations(settled))) == text(loops)
    for way in (driver.for_llvm, driver.for_cuda):
        assert text(way(without_annotations(loops))) == text(way(loops))


@pytest.mark.drawn(5)
@pytest.mark.parametrize("program", programs(), ids=str)
def test_what_is_compiled_is_what_is_printed(program):
    assert_the_same_without(program)
    if program.has_gradient:
        assert_the_same_without(program, (Gradient(0),))


def test_a_store_through_a_call_is_compiled_as_it_is_printed():
    """What a call changes is told to those who look for NumPy's sharing, and to no one behind the typed stage."""
    (program,) = (p for p in programs() if str(p) == "views.changed_by_recursion")
    assert_the_same_without(program)
    loops = driver.lowered(derived(program, ())[1])
    assert "y[i] = t_1[i]" in print_program(loops)  # no copy between the result and what it is stored into


@pytest.mark.parametrize("name", sorted(name for name, row in ANNOTATIONS.items() if row.languages == {SINGLE}))
def test_what_only_early_steps_ask_for_is_forgotten(name):
    body = "if c:\n        y = sin(x)\n    else:\n        y = cos(x)\n    return y"
    program = read_program(f'def f(x: "f64[n]", c: "bool"):\n    {body}\n')
    statement = program.main.body[0].body[0]
    setattr(statement, name, ())
    assert verifier.verify(program.main, SINGLE) == ()
    (fault,) = verifier.verify(program.main, TYPED)
    assert f"`{name}` is said of it" in fault
    settled = run_steps(program, SETTLED_WAY)
    assert verifier.verify(settled.main, TYPED) == ()
    assert hasattr(statement, name)  # the pass has left its argument as it was


def test_what_no_table_knows_is_a_fault():
    function = read_program('def f(x: "f64"):\n    y = sin(x)\n    return y\n').main
    function.body[0].value.is_cheap = True
    for language in (SINGLE, TYPED):
        (fault,) = verifier.verify(function, language)
        assert "`is_cheap` is said of it" in fault


def test_the_table_has_what_statements_are_made_with():
    made = syntax.at(syntax.raise_own(ValueError, "x"), None)
    for language in (SINGLE, TYPED, LOOPS):
        assert all(language in ANNOTATIONS[name].languages for name in made.__dict__.keys() - {*made._fields})
