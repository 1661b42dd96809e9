"""A pass that breaks programs is named, whichever it is, and nothing is named where all is well."""

import copy
from dataclasses import replace

import gast
import numpy as np
import pytest

from pellucid.compiler import pipeline, syntax
from pellucid.compiler.program import Function
from pellucid.compiler.request import Gradient
from pellucid.compiler.steps import Repeat, Step
from pellucid.compiler.targets.llvm import llvm
from pellucid.compiler.transform.reverse import reverse

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
GRADIENT = [Gradient(0)]


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

    def worse(given):
        made = run(given)
        return spoiled(made) if isinstance(made, Function) else made.map(spoiled)

    worse.__name__ = run.__name__
    return worse


def swap(monkeypatch, name, change):
    """Put another pass in the place of the one of this name, on every way that it is on."""

    def swapped(steps):
        return tuple(
            Repeat(swapped(s.steps)) if isinstance(s, Repeat)
            else replace(s, run=change(s.run)) if s.name == name
            else s
            for s in steps
        )  # fmt: skip

    for way in [name for name in vars(pipeline) if name.endswith("_WAY")]:
        monkeypatch.setattr(pipeline, way, swapped(getattr(pipeline, way)))


def test_nothing_is_named_where_all_is_well():
    assert bisect.bisect(program(), *ARGUMENTS) is None
    assert bisect.bisect(program(), *ARGUMENTS, transforms=GRADIENT) is None


WAYS = pipeline.TIDY, pipeline.SETTLED_WAY, pipeline.LOOPS_WAY, pipeline.LLVM_WAY
PASSES = [step.name for way in WAYS for step in way if isinstance(step, Step)]


@pytest.mark.parametrize("step", PASSES)
def test_every_pass_is_named(step, monkeypatch):
    swap(monkeypatch, step, broken)
    culprit = bisect.bisect(program(), *ARGUMENTS)
    assert culprit.step == step
    assert culprit.before != culprit.after and "def smooth" in culprit.before


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
    def lost(function):
        return function.with_(body=tuple(s for s in function.body if not isinstance(s, gast.Assign)))

    lost.__name__ = "contract"
    swap(monkeypatch, "contract", lambda run: lost)
    culprit = bisect.bisect(program(), *ARGUMENTS)
    assert culprit.step == "contract" and "may be read before it is assigned" in culprit.message


def test_a_failing_test_names_the_pass(monkeypatch):
    swap(monkeypatch, "fuse", broken)
    assert bisect.blamed() == ""
    Stages(program()).run("loops", *ARGUMENTS)
    assert "the answer differs first after `fuse`" in bisect.blamed()
    assert bisect.blamed() == ""  # of another test


def test_the_command(tmp_path, capsys):
    (tmp_path / "written.py").write_text(TEXT)
    assert bisect.main([f"{tmp_path}/written.py:smooth", "np.arange(3.0)", "2"]) == 0
    assert "every pass keeps the answer" in capsys.readouterr().out
