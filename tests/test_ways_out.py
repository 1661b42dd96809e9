"""Every way out works: each help text, followed, gives a program that compiles and says what CPython says."""

import builtins
import collections
import copy
import dataclasses
import functools
import itertools
import math
import operator
import re
from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
import scipy.interpolate
import scipy.signal
import scipy.special

import pellucid

from .harness.ways_out import carried_out, templates, ways_out

WAYS = list(ways_out())


def names(compile_, grad):
    """What the programs see; in CPython nothing is compiled."""
    return {
        "np": np, "math": math, "scipy": scipy, "dataclass": dataclasses.dataclass, "NamedTuple": NamedTuple,
        "dataclasses": dataclasses, "defaultdict": defaultdict, "functools": functools, "itertools": itertools,
        "operator": operator, "collections": collections,
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
    "define the function in a file or in a notebook, or put its source into `linecache.cache`",
    "import it again",
    # of cases for which no program of a few lines was found
    "pass what the function needs of it as an argument",
    "write a lambda",
    "start the list with a value of that type",
    "work on a copy: `{}.copy()`",
    "make `{}` a copy: `.copy()`{}",
    "make a list of its items first: `list(...)`",
    "make a list of it first: `list(filter(...))`",
    "loop over a copy: `for ... in list(...)`",
    "give `{}` a value before the branch or loop that sets it",
    "compare it: `x != 0`",
    "convert it: `int(...)` or `float(...)`",
    "start from 0",
    "change the items in a loop",
    "put a copy into the list, or read the item again where it is needed",
    "test one of them first: `if x is not None: ...`",
    "test for None first: `x is None`",
    "do it before the `try`, or catch a class that it does not raise",
    "raise an exception of your own: `raise ValueError(...) from None`",
    "use its arguments: `e.args[0]`",
    "put it after the `try` statement",
    "raise an exception of your own with the values",
    "pass a copy of one of them: `.copy()`",
    "assign the items in a loop",
    "make a new list or dict without it",
    "test for the case before it arises: `if x != 0.0: ...`",
    "count in ints",
}


def test_every_help_text_is_followed_somewhere():
    followed = [way.help for way in WAYS]
    for template, file in templates().items():
        pattern = ".*".join(map(re.escape, template.split("{}")))
        if template.strip("{}") and template not in NOT_SHOWN:
            assert any(re.fullmatch(pattern, text) for text in followed), f"{file}: {template}"


# --- in a helper, and of a library ---------------------------------------------------------------------------------

HELPERS = [way for way in WAYS if "@compile\n" in way.program and way.call.startswith(("f(", "list(f("))]
# What is said of the arguments and results of the compiled function alone.
OF_ARGUMENTS = ("P003", "P011", "P013", "P014", "P015", "P016", "U011", "T003", "T005")


@pytest.mark.drawn(5)
@pytest.mark.parametrize("way", {way.program: way for way in HELPERS}.values(), ids=str)
def test_a_fault_in_a_helper_is_told_as_in_the_function(way, tmp_path):
    if way.code in OF_ARGUMENTS:
        pytest.skip("is about what goes into the compiled function and comes out of it")
    head = re.search(r"@compile\ndef f\(([^)]*)\)", way.program)
    names_ = ", ".join(part.split("=")[0].strip() for part in head[1].split(",") if part.strip() not in ("/", "*"))
    text = f"{way.program.replace('@compile', '', 1)}\n@compile\ndef outer({head[1]}):\n    return f({names_})\n"
    call = re.sub(r"\bf\(", "outer(", way.call, count=1)
    with pytest.raises(pellucid.CompileError) as caught:
        run(text, call, tmp_path / "helper.py")
    faults = [fault for fault in caught.value.diagnostics if fault.code == way.code and way.help in fault.help]
    assert faults, str(caught.value)
    said = [label.text for label in faults[0].labels]
    assert "`outer` calls `f` here" in said or "called from here" in said and way.code == "R003"


LIBRARIES = ["scipy.optimize.rosen", "numpy.base_repr", "scipy.special.itstruve0", "statistics.mean"]


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_function_of_a_library_is_not_walked_into(name, tmp_path):
    module, _, tail = name.rpartition(".")
    head = f"from {module} import {tail}\nKNOWN = ({tail},)\n"
    for body in (f"{tail}(x)", "KNOWN[0](x)", "g(x)", "(lambda h: h(x))(g)"):
        text = f"{head}@compile\ndef f(g, x):\n    return {body}\n"
        with pytest.raises(pellucid.CompileError) as caught:
            run(text, f"f({tail}, (1.0, 2.0))", tmp_path / "library.py")
        (fault,) = caught.value.diagnostics
        assert fault.code == "U012" and tail in fault.message and fault.span.file.endswith("library.py")
    for transform in (pellucid.compile, pellucid.grad):
        with pytest.raises(pellucid.UnsupportedError, match="is not supported"):
            run(f"{head}found = {tail}\n", "compile(found)", tmp_path / "direct.py", transform)
