"""Attempts of the specialiser: what is undone is gone, and the verifier finds what is not."""

import importlib
import math

import gast
import numpy as np
import pytest

from pellucid.compiler import driver, syntax
from pellucid.compiler.builder import Builder
from pellucid.compiler.diagnostics import InternalError
from pellucid.compiler.frontend.specialise import built, undoing
from pellucid.compiler.frontend.specialise.frame import Frame, NeedsStatic, Task
from pellucid.compiler.frontend.specialise.interpreter.trial import attempt, looking_ahead
from pellucid.compiler.frontend.specialise.values import Leaf, Sequence, Static
from pellucid.compiler.names import Names
from pellucid.compiler.types import INT

from .harness.corpus import programs
from .harness.stages import Stages

# a function of the same name hides the module as an attribute of its package
specialising = importlib.import_module("pellucid.compiler.frontend.specialise.specialise")


def typed(function, *args):
    stages = Stages(function)
    return driver.derive(stages.request, stages.flatten(args).arguments)


# --- attempts ------------------------------------------------------------------------------------------------------


def frame_of_a_function():
    def function():
        pass

    task, builder = Task(), Builder(Names(), {})
    return Frame(task, builder, task.source_of(function), task.world.namespace(function))


def build_something(frame):
    """Change what an attempt may change: a name, its type, a statement, an object, a variable, a decision."""
    name = frame.builder.bind(syntax.constant(3), INT, "made").id
    frame.variables["x"] = Leaf(name)
    frame.heap.contents[frame.new(Sequence((), list)).number] = Sequence((Static(1.0),), list)
    frame.task.decide("loops", "unrolled")


def state_of(frame):
    builder = frame.builder
    return (
        dict(builder.types), list(builder.body), dict(frame.variables), dict(frame.heap.contents), frame.heap.count,
        list(frame.task.decisions), "made" in builder.names,
    )  # fmt: skip


def refused(frame):
    build_something(frame)
    raise NeedsStatic("x", None)


def test_an_attempt_that_leads_on_stays():
    frame = frame_of_a_function()
    tried = attempt(frame, lambda: build_something(frame) or "the result", NeedsStatic)
    assert tried.result == "the result" and tried.refused is None
    assert "made" in frame.builder.names and frame.heap.count == 1 and len(frame.builder.body) == 1


def test_nothing_is_left_of_an_attempt_that_is_refused():
    frame = frame_of_a_function()
    build_something(frame)
    before, body, variables = state_of(frame), frame.builder.body, frame.variables
    tried = attempt(frame, lambda: refused(frame), NeedsStatic)
    assert tried.result is None and isinstance(tried.refused, NeedsStatic)
    assert state_of(frame) == before
    assert frame.builder.body is body and frame.variables is variables  # others may hold them


def test_other_exceptions_pass_through_an_attempt():
    frame = frame_of_a_function()
    with pytest.raises(NeedsStatic):
        attempt(frame, lambda: refused(frame), KeyError)
    assert "made" in frame.builder.names


@pytest.mark.parametrize("fails", [False, True])
def test_looking_ahead_builds_nothing(fails):
    frame = frame_of_a_function()
    before = state_of(frame)
    try:
        with looking_ahead(frame):
            (refused if fails else build_something)(frame)
    except NeedsStatic:
        assert fails
    assert state_of(frame) == before


def test_what_was_built_can_be_undone_more_than_once():
    frame = frame_of_a_function()
    before, state = frame.built, state_of(frame)
    for _ in range(3):
        build_something(frame)
        frame.built = before
        assert state_of(frame) == state


def test_what_survives_is_a_field():
    """A name that is no field would be a field that was renamed, and is undone since."""
    frame = frame_of_a_function()
    owners = {type(owner).__name__: owner for owner in (frame, frame.task, frame.builder)}
    for cls, names in built.SURVIVES.items():
        assert all(hasattr(owners[cls], name) for name in names), cls


# --- the verifier --------------------------------------------------------------------------------------------------


def sums_of_sums(x):
    total = 0
    for v in x:
        count = 0
        for w in x:
            pair = [w, v]
            count = count + pair[0]
        total = total + count
    return total


def a_caught_fault(x):
    total = 0
    try:
        for k in range(len(x)):
            total = total + x[k] / x[k + 1]
    except IndexError:
        total = total - 1.0
    return total


WEIGHTS = tuple(0.5 * k for k in range(18))


def best_of_a_table(x):
    """A table of the weights would make the int a float; by then the table's loop has opened a nest of the `try`."""
    best, a = 0, float(x[0])
    try:
        for w in WEIGHTS:
            if math.sin(math.cos(math.sin(a))) * math.exp(math.sin(a)) / (a - w) > best:
                best = w
    except ZeroDivisionError:
        best = -1
    return best


LEFT_OUT = {
    "Frame": sums_of_sums, "Task": sums_of_sums, "Builder": sums_of_sums, "Names": sums_of_sums,
    "Heap": sums_of_sums, "Protection": a_caught_fault, "Try": a_caught_fault, "Block": best_of_a_table,
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT_OUT)
def test_the_verifier_finds_a_record_that_is_not_undone(name, monkeypatch):
    x = np.array([1.0, 2.0, 3.0])
    typed(LEFT_OUT[name], x)
    owners = built.owners
    monkeypatch.setattr(built, "owners", lambda frame: (o for o in owners(frame) if type(o).__name__ != name))
    with pytest.raises(InternalError, match="has left its mark"):
        typed(LEFT_OUT[name], x)


def test_the_verifier_sees_statements_inside_statements():
    frame = frame_of_a_function()
    frame.builder.put(syntax.if_(syntax.constant(True), [gast.Pass()]))
    before = undoing.seen(frame, built.SURVIVES)
    frame.builder.body[0].body.append(gast.Pass())
    with pytest.raises(InternalError, match="body"):
        undoing.require_same(before, undoing.seen(frame, built.SURVIVES))


# --- the corpus ----------------------------------------------------------------------------------------------------

# Programs that are walked through again, as a container is made before it is known what it is to hold.
WALKS = {"sums_by_label": 2, "delayed": 2, "keys_of_two_kinds": 3}


def test_no_program_leaves_anything_and_few_are_walked_through_again(monkeypatch):
    """The verifier is on in the tests; here it is seen to have had something to look at."""
    undone, again = [], {}
    require_same, walked = undoing.require_same, specialising.walked

    def noted(before, after):
        undone.append(len(before))
        require_same(before, after)

    def counted(task, function, *others):
        walks[function] = walks.get(function, 0) + 1
        return walked(task, function, *others)

    monkeypatch.setattr(undoing, "require_same", noted)
    monkeypatch.setattr(specialising, "walked", counted)
    for program in programs():
        walks = {}
        stages = Stages(program.function)
        driver.derive(stages.request, stages.flatten(program.make_arguments(seed=4, size=4)).arguments)
        if walks[program.function] > 1:
            again[program.function.__name__] = walks[program.function]
    assert again == WALKS
    assert len(undone) > 200
    assert min(undone) > 50  # fields
