"""A pass that breaks programs is named, whichever it is, and nothing is named where all is well."""

import copy

import gast
import numpy as np
import pytest

from pellucid.compiler import pipeline, syntax
from pellucid.compiler.backend import llvm, loops
from pellucid.compiler.backend.nests import improve
from pellucid.compiler.transform import reverse

from .harness import bisect
from .harness.stages import Stages, module_of

TEXT = """
import numpy as np


def smooth(x, k):
    a = x * 2.0 + 1.0
    for i in range(k):
        b = np.sin(a) + x
        a = b * 0.5
    if k > 2:
        a = a + 1.0
    return np.sum(a * a)
"""
ARGUMENTS = np.linspace(0.1, 0.9, 5), 3
GRADIENT = [pipeline.Gradient(0)]


def program():
    return module_of(TEXT)["smooth"]


def spoiled(function):
    """The function with one number of the user's changed."""
    body = copy.deepcopy(function.body)
    for node in (n for statement in body for n in gast.walk(statement)):
        if isinstance(node, gast.Constant) and node.value in (0.5, 2.0) and isinstance(node.value, float):
            node.value += 0.25
            return function.with_(body=body)
    return function


def broken(run):
    """A pass that spoils what it makes."""
    return lambda given, *rest: spoiled(run(given, *rest))


def test_nothing_is_named_where_all_is_well():
    assert bisect.bisect(program(), *ARGUMENTS) is None
    assert bisect.bisect(program(), *ARGUMENTS, transforms=GRADIENT) is None


@pytest.mark.parametrize("step", ["fuse", "contract", "reuse", "carry", "own_names", "shared_names"])
def test_a_pass_over_nests_is_named(step, monkeypatch):
    monkeypatch.setattr(improve, step, broken(getattr(improve, step)))
    culprit = bisect.bisect(program(), *ARGUMENTS)
    assert culprit.step == step
    assert culprit.before != culprit.after and "def smooth" in culprit.before


@pytest.mark.parametrize("step", ["separate", "hoist_tests", "tidy_names", "release"])
def test_a_pass_of_lowering_is_named(step, monkeypatch):
    run = getattr(loops, step)
    if step in ("separate", "tidy_names"):  # they give the function and more
        monkeypatch.setattr(loops, step, lambda f, *rest: (spoiled((got := run(f, *rest))[0]), *got[1:]))
    else:
        monkeypatch.setattr(loops, step, broken(run))
    assert bisect.bisect(program(), *ARGUMENTS).step == step


@pytest.mark.parametrize("step", ["simplify_once", "prune", "copies", "coalesce"])
def test_a_pass_of_the_typed_stage_is_named(step, monkeypatch):
    def swapped(steps):
        return tuple(pipeline.Step(worse(s.run), s.takes, s.gives) if s.run.__name__ == step else s for s in steps)

    def worse(run):
        made = broken(run)
        made.__name__ = step
        return made

    for table in ("TIDY", "SETTLE", "TIDY_AGAIN"):
        monkeypatch.setattr(pipeline, table, swapped(getattr(pipeline, table)))
    assert bisect.bisect(program(), *ARGUMENTS).step == step


def test_a_derivative_is_held_against_differences(monkeypatch):
    run = reverse.reverse
    monkeypatch.setattr(reverse, "reverse", lambda given, *rest, **more: _twice(run(given, *rest, **more)))
    culprit = bisect.bisect(program(), *ARGUMENTS, transforms=GRADIENT)
    assert culprit.step == "reverse" and "slope" in culprit.message


def _twice(made):
    """The derivative whose slopes are too great."""
    main = made.main
    last = main.body[-1]
    slope = last.value.elts[-1]
    doubled = syntax.at(syntax.assign("doubled", syntax.call("multiply", slope, 2.0)), last.span)
    closing = syntax.rebuild(last, value=syntax.tuple_([*last.value.elts[:-1], syntax.name("doubled")]))
    types = {**main.types, "doubled": main.types[slope.id]}
    changed = main.with_(body=(*main.body[:-1], doubled, closing), types=types)
    return type(made)(made.entry, {**made.functions, made.entry: changed})


def test_machine_code_is_held_against_its_loops(monkeypatch):
    run = llvm.compile_program
    monkeypatch.setattr(llvm, "compile_program", lambda made, *rest: run(made.map(spoiled), *rest))
    assert bisect.bisect(program(), *ARGUMENTS).step == "machine code"


def test_what_the_verifier_finds_names_its_pass(monkeypatch):
    lost = lambda f, *rest: f.with_(body=tuple(s for s in f.body if not isinstance(s, gast.Assign)))  # noqa: E731
    monkeypatch.setattr(improve, "contract", lost)
    culprit = bisect.bisect(program(), *ARGUMENTS)
    assert culprit.step == "contract" and "may be read before it is assigned" in culprit.message


def test_a_failing_test_names_the_pass(monkeypatch):
    monkeypatch.setattr(improve, "fuse", broken(improve.fuse))
    assert bisect.blamed() == ""
    Stages(program()).run("loops", *ARGUMENTS)
    assert "the answer differs first after `fuse`" in bisect.blamed()
    assert bisect.blamed() == ""  # of another test


def test_the_command(tmp_path, capsys):
    (tmp_path / "written.py").write_text(TEXT)
    assert bisect.main([f"{tmp_path}/written.py:smooth", "np.arange(3.0)", "2"]) == 0
    assert "every pass keeps the answer" in capsys.readouterr().out
