"""Stages under a debugger: pdb is driven in a terminal, and errors point back to the user's lines."""

import math
import os
import sys
import traceback
from pathlib import Path

import numpy as np
import pexpect
import pytest

from pellucid import compile, grad

PROGRAM = '''import math
import pdb
import sys

import numpy as np

from pellucid import compile, grad


@compile
def settle(start, rate):
    x = start
    steps = 0
    while abs(x) > 0.1:
        x = rate * math.sin(x)
        steps += 1
    return x * x


def pick(x, i):
    doubled = 2.0 * x
    return doubled[i] + 1.0


if __name__ == "__main__":
    if sys.argv[1] == "step":
        print("slope", grad(settle).debug("reverse", call=pdb.runcall)(1.0, 0.5))
    else:
        try:
            compile(pick).debug("loops")(np.ones(3), 7)
        except IndexError:
            pdb.post_mortem()
'''
PROMPT = "(Pdb) "


class Session:
    """A command in a terminal, and what it says up to each prompt."""

    def __init__(self, folder, *arguments):
        environment = os.environ | {"XDG_CACHE_HOME": str(folder / "cache"), "TERM": "dumb", "HOME": str(folder)}
        self.child = pexpect.spawn(
            sys.executable, list(arguments),
            cwd=str(folder), env=environment, encoding="utf-8", timeout=60, echo=False, dimensions=(50, 200),
        )  # fmt: skip

    def prompt(self):
        self.child.expect_exact(PROMPT)
        return self.child.before.replace("\r\n", "\n")

    def say(self, command):
        self.child.sendline(command)
        return self.prompt()

    def end(self, command):
        """What is said after the last command, and the exit status."""
        self.child.sendline(command)
        self.child.expect_exact(pexpect.EOF)
        text = self.child.before.replace("\r\n", "\n")
        self.child.close()
        return text, self.child.exitstatus


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "model.py").write_text(PROGRAM, encoding="utf-8")
    return tmp_path


def line_of(text, part):
    """The number of the line of a `list` that holds this text."""
    (line,) = [line for line in text.splitlines() if part in line and "#" not in line]
    return int(line.split()[0])


def test_the_command_stops_at_the_first_line_and_steps(folder):
    pdb = Session(folder, "-m", "pellucid", "debug", "model.py:settle", "--grad", "0", "--values", "1.0, 0.5")
    first = pdb.prompt()
    assert "settle_grad()\n-> " in first
    assert str(folder / "cache" / "pellucid" / "stages" / "model_settle_grad") in first
    listing = pdb.say("list 1, 60")
    assert "# model.py:15    x = rate * math.sin(x)" in listing and "def settle_grad(start, rate):" in listing
    assert pdb.say("p start, rate") == "(1.0, 0.5)\n"
    assert "Breakpoint 1 at " in pdb.say(f"break {line_of(listing, '.append(x)')}")
    assert "-> x_saved.append(x)" in pdb.say("continue")
    assert pdb.say("p x, x_saved") == "(1.0, [])\n"
    pdb.say("continue")
    assert pdb.say("p len(x_saved), x == rate * math.sin(start)") == "(1, True)\n"
    where = pdb.say("where")
    assert "settle_grad()\n-> x_saved.append(x)" in where
    assert "settle_grad()\n-> x = rate * math.sin(x)" in pdb.say("next")
    assert "Deleted breakpoint 1" in pdb.say("clear 1")
    text, status = pdb.end("continue")
    assert status == 0 and text.startswith("result: ")
    assert float(text.split(": ")[1]) == pytest.approx((settle(1.0 + 1e-6) - settle(1.0 - 1e-6)) / 2e-6, rel=1e-6)


def settle(start, rate=0.5):
    x = start
    while abs(x) > 0.1:
        x = rate * math.sin(x)
    return x * x


def test_the_command_stays_where_the_program_fails(folder):
    pdb = Session(folder, "-m", "pellucid", "debug", "model.py:pick", "--values", "np.ones(3), 7", "--stage", "typed")
    pdb.prompt()
    said = pdb.say("continue")
    assert "IndexError: index 7 is out of bounds for axis 0 with size 3" in said
    assert f'which stems from\n  File "{folder / "model.py"}", line 22\n    return doubled[i] + 1.0' in said
    assert "cli.py" not in said and "-> " in said
    assert pdb.say("p i, doubled.shape") == "(7, (3,))\n"
    assert "pick()\n-> " in pdb.say("where")
    _, status = pdb.end("quit")
    assert status == 1


def test_quitting_is_no_failure(folder):
    pdb = Session(folder, "-m", "pellucid", "debug", "model.py:settle", "--args", "float, float", "--stage", "core")
    assert "settle()\n-> x = start" in pdb.prompt()
    assert pdb.end("quit") == ("", 0)


def test_values_are_made_for_types(folder):
    command = ("debug", "model.py:pick", "--args", "f32[n], int", "--size", "n=5", "--stage", "loops")
    pdb = Session(folder, "-m", "pellucid", *command)
    pdb.prompt()
    assert pdb.say("p x.shape, x.dtype, i") == "((5,), dtype('float32'), 3)\n"
    text, status = pdb.end("continue")
    assert status == 0 and text.startswith("result: np.float")


def test_a_script_stops_with_runcall(folder):
    pdb = Session(folder, "model.py", "step")
    assert "settle_grad()\n-> " in pdb.prompt()
    listing = pdb.say("list 1, 60")
    pdb.say(f"tbreak {line_of(listing, 'x_saved.pop()')}")
    pdb.say("continue")
    assert pdb.say("p len(x_saved)") == "4\n"
    assert "settle_grad()\n-> " in pdb.say("where")
    text, status = pdb.end("continue")
    assert status == 0 and text.startswith("slope ")


def test_a_script_looks_at_the_frame_that_failed(folder):
    pdb = Session(folder, "model.py", "fail")
    opened = pdb.prompt()
    assert "pick()\n-> " in opened and "model_pick_loops.py" in opened
    assert pdb.say("p i") == "7\n"
    assert "model.py(30)<module>()" in pdb.say("where")
    assert "# model.py:22    return doubled[i] + 1.0" in pdb.say("list 1, 60")
    pdb.end("quit")


def test_pdb_of_a_whole_script_steps_into_a_stage(folder):
    """`python -m pdb script.py`, with a breakpoint that the stage's file name and line give."""
    (folder / "script.py").write_text(
        "import model\n"
        "run = model.settle.debug('typed')\n"
        "run(1.0, 0.5)\n"
        "run(2.0, 0.5)\n",
        encoding="utf-8",
    )  # fmt: skip
    pdb = Session(folder, "-m", "pdb", "script.py")
    pdb.prompt()
    pdb.say("tbreak 4")
    pdb.say("continue")
    stage = next((folder / "cache").rglob("model_settle_typed.py"))
    number = next(i for i, line in enumerate(stage.read_text().splitlines(), 1) if "while" in line and "#" not in line)
    assert "Breakpoint 2" in pdb.say(f"break {stage}:{number}")
    assert "settle()\n-> while abs(" in pdb.say("continue")
    assert pdb.say("p start") == "2.0\n"
    pdb.child.close(force=True)


# --- without a terminal --------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def third(x):
    """The last of three."""
    y = x + 1.0
    return y[2]


def inner(x, i):
    return x[i]


def outer(x):
    return 2.0 * inner(x, 5)


def checked(x):
    if x < 0.0:
        raise ValueError(f"{x} is negative")
    return math_root(x)


def math_root(x):
    assert x < 100.0, "too large"
    return x**0.5


@pytest.mark.parametrize("stage", ["core", "typed", "reverse", "loops"])
def test_every_stage_runs_from_a_file(stage, cache):
    run = compile(third).debug(stage)
    assert run(np.arange(3.0)) == 3.0
    assert run.__name__ == "third" and run.__doc__ == "The last of three."
    (path,) = cache.rglob("*.py")
    assert path.parent == cache / "pellucid" / "stages"


@pytest.mark.parametrize("stage", ["typed", "reverse", "loops"])
def test_an_error_names_the_users_line(stage, cache):
    with pytest.raises(IndexError, match="index 2 is out of bounds") as caught:
        compile(third).debug(stage)(np.zeros(2))
    line = third.__code__.co_firstlineno + 3
    assert caught.value.__notes__ == [f'which stems from\n  File "{__file__}", line {line}\n    return y[2]']
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert Path(last.filename).is_relative_to(cache)
    assert ("raise IndexError" if stage == "loops" else "y[2]") in str(last.line)


@pytest.mark.parametrize("stage", ["typed", "loops"])
def test_an_error_in_a_called_function_names_its_line(stage):
    with pytest.raises(IndexError) as caught:
        compile(outer).debug(stage)(np.zeros(2))
    assert caught.value.__notes__[0].endswith(f"line {inner.__code__.co_firstlineno + 1}\n    return x[i]")


@pytest.mark.parametrize("stage", ["core", "typed", "loops"])
@pytest.mark.parametrize(
    ("x", "error", "message"),
    [(-1.0, ValueError, "-1.0 is negative"), (200.0, AssertionError, "too large")],
)
def test_raise_and_assert(stage, x, error, message):
    with pytest.raises(error, match=message):
        compile(checked).debug(stage)(x)


def test_a_derivative_names_the_line_it_stems_from():
    with pytest.raises(IndexError) as caught:
        grad(third).debug("reverse")(np.zeros(2))
    assert "return y[2]" in caught.value.__notes__[0]


def test_arguments_are_not_changed_unless_declared():
    def fill(out, value):
        out[:] = value

    out = np.zeros(3)
    compile(fill, mutates="out").debug("typed")(out, 2.0)
    assert out.tolist() == [2.0, 2.0, 2.0]


def test_stages_that_do_not_run_are_refused():
    for stage in ("source", "llvm", "asm", "middle"):
        with pytest.raises(ValueError, match="does not run in CPython; core, typed, transformed, reverse, loops and"):
            compile(third).debug(stage)


def test_one_file_serves_all_runs_of_one_text(cache):
    run = compile(third).debug("typed")
    for _ in range(3):
        run(np.arange(3.0))
    run(np.arange(3))
    assert len(list(cache.rglob("*.py"))) == 2


# --- the user's own lines, and other stages ------------------------------------------------------------------------


def users_line(text):
    return PROGRAM.splitlines().index(text) + 1


@pytest.mark.parametrize("stage", ["core", "typed", "loops"])
def test_a_breakpoint_on_a_line_of_the_users_stops_in_the_stage(folder, stage):
    arguments = ["debug", "model.py:settle", "--stage", stage, "--values", "1.0, 0.5"]
    session = Session(folder, "-m", "pellucid", *arguments)
    session.prompt()
    line = users_line("        x = rate * math.sin(x)")
    session.say(f"b model.py:{line}, x < 0.9")
    assert "x = rate * math.sin(x)" in session.say("c")
    assert float(session.say("p float(x)")) == pytest.approx(0.5 * math.sin(1.0))
    session.say(f"tbreak model.py:{users_line('    return x * x')}")
    session.say("cl 1")
    assert "_settle_" in session.say("c")
    assert abs(float(session.say("p float(x)"))) <= 0.1
    assert session.end("c") == ("result: " + repr(in_python()) + "\n", 0)


def in_python():
    space = {"__name__": "program"}
    exec(PROGRAM.replace("@compile\n", ""), space)
    return space["settle"](1.0, 0.5)


def test_stages_are_switched_at_the_same_line(folder):
    session = Session(folder, "-m", "pellucid", "debug", "model.py:settle", "--grad", "0", "--values", "1.0, 0.5")
    session.prompt()
    session.say(f"tbreak model.py:{users_line('    return x * x')}")
    here = session.say("c")
    assert "_reverse.py" in here or "_grad_" in here
    assert "the stages to go on in are typed, reverse, loops" in session.say("stage none")
    for stage in ("typed", "loops", "reverse"):
        said = session.say(f"stage {stage}")
        assert "Breakpoint" in said and "result" not in said
        assert abs(float(session.say("p float(x)"))) <= 0.1
    assert session.end("q")[1] == 0


@pytest.mark.parametrize("size", ["n=x", "-3", "n=2 m", "many"])
def test_lengths_that_cannot_be_read_are_a_message(folder, size):
    session = Session(folder, "-m", "pellucid", "debug", "model.py:pick", "--args", "f64[n], int", f"--size={size}")
    session.child.expect_exact(pexpect.EOF)
    session.child.close()
    said = session.child.before.replace("\r\n", "\n")
    assert session.child.exitstatus == 2 and "Traceback" not in said
    assert said.startswith("pellucid debug: --size: cannot read the lengths")
