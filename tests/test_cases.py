"""Every pass against its table of programs: `tests/cases/transform/<pass>.case`."""

import dataclasses

import pytest

from pellucid.compiler.transform.coalesce import coalesce
from pellucid.compiler.transform.copies import copies
from pellucid.compiler.transform.prune import prune
from pellucid.compiler.transform.simplify import simplify

from .harness.cases import check_case, read_cases, with_values, write_cases

# coalesce gives names that are assigned more than once; copies makes CPython agree with the language, where it did not
PASSES = {
    "prune": (prune, {}),
    "simplify": (simplify, {}),
    "copies": (copies, {"oracle": with_values}),
    "coalesce": (coalesce, {"gives": "typed"}),
}


def all_cases():
    for name in PASSES:
        for case in read_cases(f"transform/{name}.case"):
            yield pytest.param(name, case, id=f"{name}: {case.title}")


@pytest.mark.parametrize("name, case", list(all_cases()))
def test_case(name, case, update_cases):
    run, promises = PASSES[name]
    text = check_case(case, run, update=update_cases, **promises)
    if not update_cases:
        return
    cases = [
        dataclasses.replace(c, after=text) if c.title == case.title else c
        for c in read_cases(f"transform/{name}.case")
    ]
    write_cases(case.file, cases)


@pytest.mark.parametrize("name", PASSES)
def test_titles_are_unique(name):
    titles = [case.title for case in read_cases(f"transform/{name}.case")]
    assert len(titles) == len(set(titles)) >= 8
