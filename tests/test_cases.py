"""Every pass against its table of programs: `tests/cases/transform/<pass>.case`, `tests/cases/loops/<pass>.case`."""

import dataclasses

import pytest

from pellucid.compiler.backend.nests.collapse import collapse
from pellucid.compiler.backend.nests.if_convert import if_convert
from pellucid.compiler.backend.sums import with_sums
from pellucid.compiler.transform.coalesce import coalesce
from pellucid.compiler.transform.copies import copies
from pellucid.compiler.transform.prune import prune
from pellucid.compiler.transform.simplify import simplify

from .harness.cases import check_case, read_cases, with_values, write_cases
from .harness.loops_text import read_loops

# coalesce gives names that are assigned more than once; copies makes CPython agree with the language, where it did not
PASSES = {
    "prune": (prune, {}),
    "simplify": (simplify, {}),
    "copies": (copies, {"oracle": with_values}),
    "coalesce": (coalesce, {"gives": "typed"}),
}
ON_LOOPS = {"takes": "loops", "gives": "loops", "read": read_loops}
OF_LOOPS = {
    "collapse": (collapse, ON_LOOPS),
    "if_convert": (if_convert, ON_LOOPS),
    "sums": (with_sums, {**ON_LOOPS, "exact": False}),  # in blocks the last digits are others
}
FILES = {**{f"transform/{name}.case": it for name, it in PASSES.items()},
         **{f"loops/{name}.case": it for name, it in OF_LOOPS.items()}}  # fmt: skip


def all_cases():
    for file in FILES:
        for case in read_cases(file):
            yield pytest.param(file, case, id=f"{file.removesuffix('.case')}: {case.title}")


@pytest.mark.parametrize("file, case", list(all_cases()))
def test_case(file, case, update_cases):
    run, promises = FILES[file]
    text = check_case(case, run, update=update_cases, **promises)
    if not update_cases:
        return
    cases = [dataclasses.replace(c, after=text) if c.title == case.title else c for c in read_cases(file)]
    write_cases(case.file, cases)


@pytest.mark.parametrize("file", FILES)
def test_titles_are_unique(file):
    titles = [case.title for case in read_cases(file)]
    assert len(titles) == len(set(titles)) >= 8
