"""What went wrong elsewhere, by public bug reports, is right here (`tests/corpus/public_reports/`).

Each case is a small program of our own about the subject of a report: CPython and NumPy judge it, differences of the
plain function, or the known answer that stands beside it.
"""

import importlib
import pathlib
import warnings

import numpy as np
import pytest

import pellucid

pytestmark = pytest.mark.drawn(5)

FILES = sorted((pathlib.Path(__file__).parent / "corpus" / "public_reports").glob("[a-z]*.py"))
CASES = [
    case for path in FILES for case in importlib.import_module(f"tests.corpus.public_reports.{path.stem}").REPORTS.cases
]

# What the language does not have (docs/limits.md), with the code of the refusal.
REFUSED = {
    "examples: root, hessian": "G006",
    "outside: variable of the enclosing loop": "P009",
}

WRONG = {
    "library: digitize nan in the middle": "in bins that are in no order NumPy's answer depends on the value before",
    "slopes_at_zero: abs of 1e-310j": "the modulus of a number below the normal ones divides by zero",
}

# Two seconds of compiling or more each: slopes of sorts, and quantiles by each method.
SLOW = frozenset("""
    extremes: sort, second order
    extremes: partition, second order
    extremes: quantiles slope
    extremes: nanmedian
    extremes: sort slope axis 0
    library: percentiles
    library: percentile slope
    library: interp period
""".strip().replace("    ", "").splitlines())  # fmt: skip


def marked(case):
    name = str(case)
    marks = [pytest.mark.xfail(strict=True, reason=WRONG[name])] if name in WRONG else []
    return pytest.param(case, id=name, marks=[*marks, pytest.mark.long] if name in SLOW else marks)


@pytest.mark.parametrize("case", [marked(case) for case in CASES if str(case) not in REFUSED])
def test_a_program_of_a_report_is_right(case):
    quietly(case.check)


@pytest.mark.parametrize("case", [case for case in CASES if str(case) in REFUSED], ids=str)
def test_a_program_of_a_report_is_refused(case):
    with pytest.raises(pellucid.CompileError) as caught:
        quietly(case.check)
    assert caught.value.diagnostics[0].code == REFUSED[str(case)]


def test_titles_differ_and_tables_name_cases():
    names = [str(case) for case in CASES]
    assert len(set(names)) == len(names)
    assert set(REFUSED) | set(WRONG) | SLOW <= set(names)


def quietly(check):
    """NumPy warns of the nan and infinities that many of these programs are about."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        check()
