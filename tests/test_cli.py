"""`pellucid` on the command line, run as a user runs it, and its reading of arguments."""

import dataclasses
import json
import runpy
import subprocess
import sys
import textwrap
from typing import NamedTuple

import numpy as np
import pytest

from pellucid import __version__, error_pages
from pellucid.arguments import ArgumentError, ArgumentLengths, bind, read_arguments, read_lengths, values_of
from pellucid.cli import main
from pellucid.compiler.diagnostics import CODES

PROGRAM = '''
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pellucid import compile, grad

RATE = 0.5


class Layer(NamedTuple):
    weights: object
    bias: object


def loss(w, b, features, labels):
    z = features @ w + b
    return np.mean((z - labels) ** 2) + RATE * np.sum(w**2)


@compile
def hypotenuse(x, y):
    """The long side."""
    return math.sqrt(x * x + y * y)


def network(layers, x):
    for layer in layers:
        x = np.tanh(x @ layer.weights + layer.bias)
    return np.sum(x)


def scaled(x, axis, factor=2.0):
    return factor * np.sum(x, axis=axis)


def wrong(x):
    return x["a"]


slopes = grad(hypotenuse, argnums=(0, 1))
NUMBER = 3


class Models:
    @staticmethod
    def double(x):
        return 2.0 * x
'''
IMPURE = '''
from pellucid import compile

seen = []


@compile
def remember(x):
    seen.append(x)
    print(x)
    return x
'''


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the two files, which is the working directory; what is imported from it is forgotten again."""
    (tmp_path / "model.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "impure.py").write_text(IMPURE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def pellucid(folder, capsys):
    """The command, run in this process."""

    def run(*arguments):
        try:
            status = main(arguments)
        except SystemExit as stop:
            status = stop.code
        return Done(status, *capsys.readouterr())

    return run


@pytest.fixture
def printed(pellucid):
    """What a command that succeeds prints."""

    def run(*arguments):
        done = pellucid(*arguments)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout

    return run


# --- emit ----------------------------------------------------------------------------------------------------------

LOSS = ("model.py:loss", "--args", "f64[m], f64, f64[n, m], f64[n]")


def test_emit_prints_a_stage_with_types_and_lines(printed):
    text = printed("emit", *LOSS, "--stage", "typed")
    assert "def loss(w, b, features, labels):" in text
    assert "w: f64[m]   b: f64   features: f64[n, m]   labels: f64[n]   ->" in text
    assert "# model.py:19    z = features @ w + b" in text
    assert text == printed("emit", *LOSS)


@pytest.mark.parametrize("stage", ["typed", "loops"])
def test_emitted_text_is_a_module_that_gives_the_same(folder, printed, stage):
    printed("emit", *LOSS, "--stage", stage, "-o", "out.py")
    random = np.random.default_rng(0)
    given = random.normal(size=3), np.float64(0.5), random.normal(size=(4, 3)), random.normal(size=4)
    want = runpy.run_path(str(folder / "model.py"))["loss"](*given)
    found = runpy.run_path(str(folder / "out.py"))["loss"](*given)
    np.testing.assert_allclose(found, want, rtol=1e-13)


def test_emitted_derivative_is_a_module_that_gives_the_slope(folder, printed):
    printed("emit", "model.py:hypotenuse", "--grad", "0,1", "--args", "float, float", "-o", "out.py")
    text = (folder / "out.py").read_text(encoding="utf-8")
    line = (folder / "model.py").read_text(encoding="utf-8").splitlines().index("def hypotenuse(x, y):") + 1
    assert f"Derivative of hypotenuse (model.py:{line}) with respect to x, y" in text
    found = runpy.run_path(str(folder / "out.py"))["hypotenuse_grad"](3.0, 4.0)
    np.testing.assert_allclose(found, (0.6, 0.8), rtol=1e-15)


def test_emit_core_needs_no_types_and_can_be_imported(folder, printed):
    text = printed("emit", "model.py:scaled", "--stage", "core")
    assert "import numpy as np" in text and "def scaled(x, axis, factor):" in text
    (folder / "core.py").write_text(text, encoding="utf-8")
    assert runpy.run_path(str(folder / "core.py"))["scaled"](np.ones((2, 3)), 0, 2.0).tolist() == [4.0, 4.0, 4.0]


def test_emit_core_says_where_constants_come_from(printed):
    text = printed("emit", "model.py:loss", "--stage", "core")
    assert "RATE = 0.5" in text


def test_emit_source(printed):
    assert "def hypotenuse(x, y):" in printed("emit", "model.py:hypotenuse", "--stage", "source")


@pytest.mark.parametrize(("stage", "mark"), [("llvm", "define"), ("asm", "ret")])
def test_emit_machine_stages(printed, stage, mark):
    assert mark in printed("emit", "model.py:hypotenuse", "--stage", stage, "--args", "float, float")


def test_emit_containers_of_types(printed):
    types = "[Layer(f64[n, m], f64[m]), Layer(weights=f64[m, k], bias=f64[k])], f64[b, n]"
    text = printed("emit", "model.py:network", "--args", types)
    assert "layers_1_weights: f64[m, k]" in text and "x: f64[b, n]" in text


def test_emit_static_arguments(printed):
    text = printed("emit", "model.py:scaled", "--static", "axis=1", "--args", "f32[n, m]")
    assert "axis=1" in text and "x: f32[n, m]" in text


def test_emit_functions_in_classes_and_compiled_ones(printed):
    assert "2.0 * x" in printed("emit", "model.py:Models.double", "--args", "f64[n]")
    assert "# Derivative of hypotenuse" in printed("emit", "model.py:slopes", "--args", "float, float")


def test_files_may_import_their_neighbours_and_lie_elsewhere(folder, printed):
    (folder / "inner").mkdir()
    (folder / "inner" / "constants.py").write_text("HALF = 0.5\n", encoding="utf-8")
    program = "from constants import HALF\n\ndef f(x):\n    return HALF * x\n"
    (folder / "inner" / "user.py").write_text(program, encoding="utf-8")
    assert "0.5 * x" in printed("emit", "inner/user.py:f", "--args", "f64[n]")


def test_explain(printed):
    text = printed("explain", "model.py:hypotenuse", "--grad", "0", "--args", "float, float")
    assert text.startswith("hypotenuse_grad(x: float, y: float) -> float\n")


# --- run -----------------------------------------------------------------------------------------------------------

VALUES = "np.array([1.0, 2.0]), np.float64(0.5), np.ones((3, 2)), np.zeros(3)"
LOSS = ("model.py:loss", "--args", "f64[m], f64, f64[n, m], f64[n]")


@pytest.mark.parametrize("stage", ["typed", "loops"])
def test_run_what_emit_wrote(printed, folder, stage):
    printed("emit", *LOSS, "--stage", stage, "-o", "stage.py")
    assert printed("run", "stage.py", "--values", VALUES) == "np.float64(14.75)\n"
    text = (folder / "stage.py").read_text(encoding="utf-8")
    assert text.count("0.5") == 1
    (folder / "stage.py").write_text(text.replace("0.5", "1.5"), encoding="utf-8")
    assert printed("run", "stage.py", "--values", VALUES) == "np.float64(19.75)\n"


def test_run_makes_arguments_up_and_shows_the_rest_of_the_way(printed):
    printed("emit", *LOSS, "--stage", "typed", "-o", "stage.py")
    text = printed("run", "stage.py", "--size", "n=2, m=1")
    assert [line.split(" = ")[0] for line in text.splitlines()[:2]] == ["w", "b"]
    assert text.splitlines()[-1].startswith("np.float64(")
    assert "gemv(" in printed("run", "stage.py", "--show", "loops")
    assert "define" in printed("run", "stage.py", "--show", "llvm")


def test_run_says_what_is_wrong_with_the_text(pellucid, printed, folder):
    printed("emit", *LOSS, "--stage", "typed", "-o", "stage.py")
    text = (folder / "stage.py").read_text(encoding="utf-8")
    (folder / "stage.py").write_text(text.replace("0.5", "np.mean(w)"), encoding="utf-8")
    done = pellucid("run", "stage.py")
    assert done.returncode == 1 and done.stdout == ""
    assert "error[L001]: `np.mean` is no operator of the typed stage" in done.stderr and "stage.py:" in done.stderr
    (folder / "stage.py").write_text(text, encoding="utf-8")
    done = pellucid("run", "stage.py", "--values", "1.0, 2.0, 3.0, 4.0")
    assert done.returncode == 1 and "TypeError: loss() takes f64[m] for `w`, not a float" in done.stderr


LOOPS_ALONE = """\
import numpy as np


# Derivative of f (model.py:1) with respect to x.
# x: f64[n]   ->   f64
def f_grad(x):
    n = x.shape[0]
    out = np.empty(n)
    part = out
    for i in range(n):
        out[i] = x[i] * 2.0
    return part[0]
"""


def test_run_finds_the_stage_of_a_text_that_does_not_say_it(pellucid, printed, folder):
    """Two names of one array are the loops language's; in the typed one they would be two values."""
    (folder / "stage.py").write_text(LOOPS_ALONE, encoding="utf-8")
    assert printed("run", "stage.py", "--values", "np.ones(3)") == "np.float64(2.0)\n"
    said = LOOPS_ALONE.replace("# Derivative of f (model.py:1) with respect to x.", "# f (model.py:1), typed stage")
    (folder / "stage.py").write_text(said, encoding="utf-8")
    assert "error[L004]" in pellucid("run", "stage.py", "--values", "np.ones(3)").stderr
    (folder / "stage.py").write_text(LOOPS_ALONE.replace("2.0", "np.mean(x)"), encoding="utf-8")
    assert "is no operator of the typed stage" in pellucid("run", "stage.py", "--values", "np.ones(3)").stderr


# --- what goes wrong -----------------------------------------------------------------------------------------------

MISTAKES = {
    "no such file": (["emit", "nothing.py:f"], "there is no file nothing.py"),
    "no name": (["emit", "model.py"], "'model.py' names no function; write FILE.py:NAME"),
    "no such function": (["emit", "model.py:los"], "model.py has no 'los'; its functions are loss, hypotenuse, "),
    "no such attribute": (["emit", "model.py:Models.half"], "Models in model.py has no 'half'"),
    "no function": (["emit", "model.py:NUMBER"], "NUMBER is no function but an int"),
    "too few": (["emit", "model.py:scaled", "--args", "f64[n]"], "also needs a type for `axis`"),
    "too many": (["emit", "model.py:hypotenuse", "--args", "f64, f64, f64"], "has no place for 3 arguments"),
    "not a type": (["emit", "model.py:hypotenuse", "--args", "f65, f64"], "not a type: 'f65'"),
    "half a type": (["emit", "model.py:hypotenuse", "--args", "f64[n"], "cannot read the arguments 'f64[n'"),
    "not a number": (["emit", "model.py:loss", "--grad", "w"], "--grad takes the numbers of arguments"),
    "static": (["emit", "model.py:scaled", "--static", "axis"], "--static cannot be evaluated"),
    "static name": (["emit", "model.py:scaled", "--static", "depth=1", "--args", "f64[n]"], "'depth' is no parameter"),
    "values": (["debug", "model.py:hypotenuse", "--values", "1 +"], "--values cannot be evaluated: SyntaxError"),
    "no such stage file": (["run", "nothing.py"], "cannot read nothing.py: No such file or directory"),
    "output": (["emit", "model.py:scaled", "--stage", "core", "-o", "no/folder.py"], "cannot write no/folder.py"),
}


@pytest.mark.parametrize("mistake", list(MISTAKES))
def test_mistakes_in_a_command_get_one_line_and_status_2(pellucid, mistake):
    arguments, message = MISTAKES[mistake]
    done = pellucid(*arguments)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith(f"pellucid {arguments[0]}: ") and message in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(x):\n    return (\n", "'(' was never closed (broken.py, line 2)"),
        ("import math\n\nmath.sqrt(-1.0)\n", "ValueError: math domain error (broken.py, line 3)"),
        ("import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module' (broken.py, line 1)"),
    ],
)
def test_a_file_that_cannot_be_imported(folder, pellucid, text, message):
    (folder / "broken.py").write_text(text, encoding="utf-8")
    done = pellucid("emit", "broken.py:f")
    assert (done.returncode, done.stderr) == (2, f"pellucid emit: broken.py cannot be imported: {message}\n")


def test_argparse_speaks_for_itself(pellucid):
    done = pellucid("emit", "model.py:loss", "--stage", "middle")
    assert done.returncode == 2 and "invalid choice: 'middle'" in done.stderr
    assert pellucid().returncode == 2


def test_faults_of_the_program_are_rendered_and_status_is_1(pellucid):
    done = pellucid("emit", "model.py:wrong", "--args", "f64[n]")
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("error[") and "--> model.py:40:" in done.stderr and "Traceback" not in done.stderr
    done = pellucid("emit", "impure.py:remember", "--args", "f64[n]")
    assert done.returncode == 1 and done.stderr.count("error[P") == 2
    done = pellucid("emit", "model.py:hypotenuse", "--grad", "5", "--args", "float, float")
    assert done.returncode == 1 and "error[T004]" in done.stderr


def test_a_reader_that_stops_early_is_no_error(folder):
    command = f"'{sys.executable}' -m pellucid emit model.py:loss --stage source | head -c 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert "Traceback" not in done.stderr


# --- the rest ------------------------------------------------------------------------------------------------------


def test_it_runs_as_a_module(folder):
    command = [sys.executable, "-m", "pellucid", "emit", "nothing.py:f"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "pellucid emit: there is no file nothing.py\n")


def test_version_and_help(printed):
    assert printed("--version") == f"pellucid {__version__}\n"
    text = printed("--help")
    for example in ("pellucid check physics.py", "pellucid emit ", "pellucid debug "):
        assert example in text
    assert "any f64[n]" in printed("emit", "--help")


def test_check_reports_without_running(folder, pellucid):
    (folder / "impure.py").write_text(IMPURE + "\nraise SystemExit('it was run')\n", encoding="utf-8")
    done = pellucid("check", "impure.py", "model.py")
    assert done.returncode == 1 and "it was run" not in done.stdout + done.stderr
    assert "impure.py:9:5" in done.stdout and "impure.py:10:5" in done.stdout
    found = json.loads(pellucid("check", "--json", "impure.py").stdout)
    assert [(fault["line"], fault["code"][0]) for fault in found] == [(9, "P"), (10, "P")]
    assert pellucid("check", "model.py").returncode == 0
    assert pellucid("check", "nothing.py").returncode == 2


# --- arguments as text ---------------------------------------------------------------------------------------------


class Pair(NamedTuple):
    left: object
    right: object


@dataclasses.dataclass
class Checked:
    size: object

    def __post_init__(self):
        if not isinstance(self.size, float):
            raise TypeError("size must be a float")


NAMES = {"Pair": Pair, "Checked": Checked, "np": np}

READ = {
    "": [],
    "f64[n, m], f64[m]": ["f64[n, m]", "f64[m]"],
    " any f64[n],float ,": ["any f64[n]", "float"],
    "f64[], bool, bool_, i32[2*n + 1]": ["f64[]", "bool", "bool_", "i32[2*n + 1]"],
    '("f64[n]", f32), [], {"w": i64[3]}': [("f64[n]", "f32"), [], {"w": "i64[3]"}],
    "(f64,)": [("f64",)],
    "[(f64[n, m], f64[m]), (f64[m, k], f64[k])]": [[("f64[n, m]", "f64[m]"), ("f64[m, k]", "f64[k]")]],
    "Pair(f64[n], right=Pair(None, 3))": [Pair("f64[n]", Pair(None, 3))],
    "-2.5, True": [-2.5, True],
    "bool[n]": ["bool_[n]"],
}


@pytest.mark.parametrize("text", list(READ), ids=repr)
def test_arguments_are_read(text):
    assert read_arguments(text, NAMES) == READ[text]


def test_dataclasses_hold_types_whatever_they_check():
    (made,) = read_arguments("Checked(float)", NAMES)
    assert type(made) is Checked and made.size == "float"
    assert isinstance(values_of(made, ArgumentLengths()).size, float)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f64[n/2]", "not a length"),
        ("f64[n m]", "cannot read"),
        ("x=f64", "without names"),
        ("Triple(f64)", "Triple is no NamedTuple"),
        ("np.sin(f64)", "np.sin is no NamedTuple"),
        ("Pair(f64)", "Pair has the fields left, right"),
        ("'[f64]'", "a list is written with its items"),
        ("{f64: 3}", "keys of a dict are constants"),
        ("'hello'", "not a type"),
        ("f64[n]) + (3", "cannot read"),
        ("lambda x: x", "not a type"),
    ],
)
def test_arguments_that_cannot_be_read(text, message):
    with pytest.raises(ArgumentError, match=message):
        read_arguments(text, NAMES)


def test_values_have_the_types_and_share_lengths():
    given = read_arguments("f64[n, m], any f32[m], i32[n + 1], bool_[n], float, i64, Pair(f64[2], int)", NAMES)
    x, y, i, flags, weak, strong, pair = values_of(given, ArgumentLengths({"m": 2}))
    assert x.shape == (3, 2) and y.shape == (2,) and i.shape == (4,) and flags.dtype == np.bool_
    assert y.dtype == np.float32 and not y.flags.c_contiguous and x.flags.c_contiguous
    assert i.dtype == np.int32 and 0 <= i.min() and i.max() < 2
    assert type(weak) is float and type(strong) is np.int64 and type(pair.right) is int
    again = values_of(given, ArgumentLengths({"m": 2}))
    assert np.array_equal(x, again[0]) and weak == again[4]


def test_lengths():
    assert [read_lengths(None).of(s) for s in "nm"] == [3, 3]
    lengths = read_lengths(None)
    assert [lengths.of(s) for s in "nmn"] == [3, 4, 3]
    assert [read_lengths("6").of(s) for s in "nm"] == [6, 6]
    assert [read_lengths("n = 4, m=2").of(s) for s in "nmk"] == [4, 2, 3]
    for wrong in ("n", "n=x", "n=4 m=3;"):
        with pytest.raises(ArgumentError, match="cannot read the lengths"):
            read_lengths(wrong)


def test_static_arguments_leave_their_places_free():
    def f(x, n, y, scale=1.0):
        return x

    assert bind(f, ["f64", "f32"], {"n": 3}).arguments == {"x": "f64", "n": 3, "y": "f32", "scale": 1.0}


# --- error ---------------------------------------------------------------------------------------------------------


def test_the_page_of_an_error_is_printed_without_its_marks(capsys):
    assert main(["error", "p014"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("P014: changes its argument\n") and "\nWhy\n" in said
    assert "\n    velocity = velocity.copy()" not in said and "\n        velocity = velocity.copy()\n" in said
    assert "```" not in said


@pytest.mark.parametrize("code", CODES)
def test_listings_of_a_printed_page_are_those_of_the_page(code):
    page = error_pages.markdown(code)
    shown = textwrap.dedent("\n".join(line for line in error_pages.plain(page).splitlines() if line[:4] == "    "))
    listings = "".join(listing[1] for listing in error_pages.LISTING.finditer(page))
    assert shown.split("\n") == [line for line in listings.splitlines() if line]


def test_error_without_a_code_lists_them_and_an_unknown_one_is_told(capsys):
    assert main(["error"]) == 0
    assert capsys.readouterr().out.splitlines() == [f"{code}  {title}" for code, title in CODES.items()]
    assert main(["error", "P0I4"]) == 2
    assert "there is no code 'P0I4'; did you mean P014" in capsys.readouterr().err
    assert main(["error", "?"]) == 2
    assert "`pellucid error` lists the codes" in capsys.readouterr().err
