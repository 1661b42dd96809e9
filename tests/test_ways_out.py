"""Every way out works: each help text, followed, gives a program that compiles and says what CPython says."""

import builtins
import copy
import dataclasses
import functools
import itertools
import math
import operator
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
import scipy.special

import pellucid

from .harness.ways_out import carried_out, templates, ways_out

WAYS = list(ways_out())


def names(compile_, grad):
    """What the programs see; in CPython nothing is compiled."""
    return {
        "np": np, "math": math, "scipy": scipy, "dataclass": dataclasses.dataclass, "NamedTuple": NamedTuple,
        "dataclasses": dataclasses, "functools": functools, "itertools": itertools, "operator": operator,
        "Callable": Callable, "pellucid": pellucid, "compile": compile_, "grad": grad, "__name__": "program",
    }  # fmt: skip


def plain(function=None, **options):
    return function if function is not None else lambda f: f


def run(text, call, path, compile_=pellucid.compile, grad=pellucid.grad):
    path.write_text(text, encoding="utf-8")
    space = names(compile_, grad)
    exec(builtins.compile(text, str(path), "exec"), space)
    return copy.deepcopy(eval(call, space))


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_way_out_works(way, tmp_path):
    with pytest.raises(pellucid.CompileError) as caught:
        run(way.program, way.call, tmp_path / "refused.py")
    faults = [fault for fault in caught.value.diagnostics if fault.code == way.code and way.help in fault.help]
    assert faults, str(caught.value)
    text = carried_out(way, faults[0], way.program) if way.note.startswith("by machine") else way.instead
    result = run(text, way.instead_call, tmp_path / "instead.py")
    if way.note == "a derivative":  # which CPython has not
        return
    agree(result, run(text, way.instead_call, tmp_path / "python.py", plain))
    if not way.note.startswith("not the same") and not faults[0].fix:
        agree(result, run(way.program, way.call, tmp_path / "before.py", plain))


def agree(result, expected):
    assert np.asarray(result).dtype == np.asarray(expected).dtype or isinstance(expected, int | float)
    np.testing.assert_allclose(result, expected, rtol=1e-7, strict=isinstance(expected, np.ndarray))


# Helps that no program of a few lines leads to, or that only say what there is.
NOT_SHOWN = {
    # of `async` functions, which cannot be called: tests/test_check.py
    "do this outside and pass the values as arguments",
    "collect the values outside and pass them as an argument",
    "write a plain `def`; a caller may run it in a thread",
    "wait outside and pass the value as an argument",
    # `compile` itself raises ValueError: tests/test_diagnostics.py checks the files
    "leave it out",
    "its parameters: {}",
    # of a source that is gone: tests/test_api.py
    "define the function in a file, or in a notebook cell",
    "import it again",
    # of cases for which no program of a few lines was found
    "write a lambda",
    "start the list with a value of that type",
    "keep one list for each place of the tuple",
    "loop over a copy: `for ... in list(...)`",
    "give `{}` a value before the branch or loop that sets it",
    "compare it: `x != 0`",
    "convert it: `int(...)` or `float(...)`",
    "start from 0",
    "count in ints",
}


def test_every_help_text_is_followed_somewhere():
    followed = [way.help for way in WAYS]
    for template, file in templates().items():
        pattern = ".*".join(map(re.escape, template.split("{}")))
        if template.strip("{}") and template not in NOT_SHOWN:
            assert any(re.fullmatch(pattern, text) for text in followed), f"{file}: {template}"
