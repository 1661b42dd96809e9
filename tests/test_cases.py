"""Every pass against its table of programs: in `tests/cases/`, where its file stands in `compiler/`.

A pass is a step of `pipeline.py`, and `<pass>.case` is named after it.
The languages that a pass takes and gives stand in its step; only what is particular to a pass stands here.
"""

import dataclasses
import functools

import pytest

from pellucid.compiler import pipeline
from pellucid.compiler.optimise.interchange import interchange
from pellucid.compiler.optimise.join_edges import join_edges
from pellucid.compiler.stages import LOOPS
from pellucid.compiler.steps import FUNCTION, Step, steps_of
from pellucid.compiler.targets.llvm.sums import with_sums
from pellucid.compiler.transform.products.products import products
from pellucid.compiler.transform.simplify import simplify
from pellucid.compiler.transform.whole_stores import whole_stores

from .harness.cases import FOLDER, check_case, read_cases, with_values, write_cases

WAYS = [way for name, way in vars(pipeline).items() if name.endswith("_WAY")]
STEPS = {step.name: step for way in reversed(WAYS) for step in steps_of(way)}
STEPS |= {step.name: step for step in pipeline.TIDY}
STEPS["sums"] = Step(with_sums, takes=LOOPS, gives=LOOPS)  # `take_sums` of one function
STEPS["join_edges"] = Step(join_edges, takes=LOOPS, gives=LOOPS)  # of targets for which a nest is dear
STEPS["interchange"] = Step(interchange, takes=LOOPS, gives=LOOPS)
STEPS["products"] = Step(products, takes=pipeline.SINGLE, gives=pipeline.SINGLE)  # `take_products` of one function
STEPS["whole_stores"] = Step(whole_stores, takes=pipeline.SINGLE, gives=pipeline.SINGLE)
STEPS["simplify"] = dataclasses.replace(STEPS["simplify_once"], run=simplify)  # until nothing changes

# copies makes CPython agree with the language, where it did not
ORACLES = {"copies": with_values}
# what gives a function anew, or adds something each time, if only to what it tells
ONCE = frozenset({"choose_in_blocks", "fuse", "release", "tidy_names", "version_loops"})
INEXACT = frozenset({"products", "sums"})  # in blocks the last digits are others
# which have tests of their own: of programs as users write them, of derivatives, and of kernels
APART = ("frontend", "transform/forward", "transform/reverse", "targets/cuda/kernels")
FILES = [
    file.relative_to(FOLDER).as_posix()
    for file in sorted(FOLDER.rglob("*.case"))
    if not file.relative_to(FOLDER).as_posix().startswith(APART)
]


def all_cases():
    for file in FILES:
        for case in read_cases(file):
            yield pytest.param(file, case, id=f"{file.removesuffix('.case')}: {case.title}")


@pytest.mark.parametrize("file, case", list(all_cases()))
def test_case(file, case, update_cases):
    name = case.file.stem
    step = STEPS[name]
    if step.of == FUNCTION:
        step = dataclasses.replace(step, run=functools.partial(step.run, **case.options))
    oracle = ORACLES.get(name, lambda function: function)
    promises = {"is_repeated": name not in ONCE, "exact": name not in INEXACT}
    text = check_case(case, step, update=update_cases, oracle=oracle, **promises)
    if not update_cases:
        return
    cases = [dataclasses.replace(c, after=text) if c.title == case.title else c for c in read_cases(file)]
    write_cases(case.file, cases)


@pytest.mark.parametrize("file", FILES)
def test_titles_are_unique(file):
    titles = [case.title for case in read_cases(file)]
    assert len(titles) == len(set(titles)) >= 3


@pytest.mark.parametrize("file", FILES)
def test_cases_stand_where_their_pass_does(file):
    folder, _, name = file.rpartition("/")
    module = STEPS[name.removesuffix(".case")].run.__module__
    assert module.rpartition(".")[0] == f"pellucid.compiler.{folder.replace('/', '.')}"


def test_every_pass_over_loops_has_cases():
    steps = (*steps_of(pipeline.LOOPS_WAY), *steps_of(pipeline.LLVM_WAY))
    names = {step.name for step in steps} - {"lower", "take_sums"}  # `test_loops.py`, and `sums` of one function
    assert names <= {file.rpartition("/")[2].removesuffix(".case") for file in FILES}
