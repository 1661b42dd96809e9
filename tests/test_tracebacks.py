"""Tracebacks end at the user's lines: our own frames are not in them, whatever was asked and whatever went wrong."""

import os
import subprocess
import sys
import traceback

import numpy as np
import pytest

import pellucid
from pellucid import compile, grad


def inner(x, i):
    return x[i]


def outer(x, i):
    y = x.copy()
    return inner(y, i)


class Model:
    @compile
    def value(self, x):
        return x[7]


indexed = compile(outer)
summed = compile(lambda x: np.sum(x))
plain = compile(lambda x, y: x + y)


CALLS = {
    "an error of the program": lambda: indexed(np.ones(3), 7),
    "the same again": lambda: [indexed(np.ones(3), 1), indexed(np.ones(3), 1), indexed(np.ones(3), 7)],
    "an index of a wrong type": lambda: indexed(np.ones(3), 1.5),
    "a missing argument": lambda: indexed(np.ones(3)),
    "an argument of an unknown type": lambda: indexed(object(), 1),
    "shapes that do not fit": lambda: plain(np.ones(3), np.ones(2)),
    "an option that names nothing": lambda: compile(lambda x: x, static=("y",)),
    "no function": lambda: compile(3),
    "a gradient": lambda: grad(indexed)(np.ones(3), 7),
    "a gradient of an int": lambda: grad(summed)(1),
    "no such stage": lambda: indexed.source("nope"),
    "explain": lambda: indexed.explain("f64[n]", "f64"),
    "a stage in Python": lambda: indexed.debug("typed")(np.ones(3), 7),
    "a method": lambda: Model().value(np.ones(3)),
}  # fmt: skip


def impure(x):
    print(x)
    return x


CALLS["at decoration"] = lambda: compile(impure)
CALLS["with options"] = lambda: compile(parallel=False)(impure)
CALLS["when it is differentiated"] = lambda: grad(impure)


@pytest.mark.parametrize("case", CALLS)
def test_our_frames_are_left_out(case):
    with pytest.raises(Exception) as caught:
        CALLS[case]()
    names = [frame.f_globals.get("__name__", "") for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    assert names and not [name for name in names if name.split(".")[0] == "pellucid"]
    assert "During handling" not in "".join(traceback.format_exception(caught.value))


def test_the_last_line_is_the_users():
    with pytest.raises(IndexError) as caught:
        indexed(np.ones(3), 7)
    last = traceback.extract_tb(caught.value.__traceback__)[-2:]
    assert [(frame.name, frame.line) for frame in last] == [("outer", "return inner(y, i)"), ("inner", "return x[i]")]


def test_errors_go_by_the_name_that_users_import():
    for name in pellucid.__all__:
        value = getattr(pellucid, name)
        assert not isinstance(value, type) or not issubclass(value, Exception) or value.__module__ == "pellucid"


def test_a_fault_of_ours_keeps_its_frames(monkeypatch):
    monkeypatch.setattr(indexed, "_seen", None)
    with pytest.raises(AttributeError) as caught:
        indexed(np.ones(3), np.int8(1))
    assert any("pellucid" in frame.filename for frame in traceback.extract_tb(caught.value.__traceback__))


def test_all_frames_can_be_asked_for(tmp_path):
    file = tmp_path / "program.py"
    file.write_text("import pellucid\n\n\n@pellucid.compile\ndef f(x):\n    return print(x)\n")
    for asked, shown in (("", False), ("full", True)):
        environment = {**os.environ, "PELLUCID_TRACEBACK": asked}
        ran = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, env=environment)
        assert ("purity" in ran.stderr or "decoration" in ran.stderr) == shown
        assert "pellucid.PurityError" in ran.stderr
