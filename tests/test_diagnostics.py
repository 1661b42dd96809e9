"""Spans, the renderer, the error classes, and the pages of the error codes."""

import pathlib
import pickle
import re

import gast
import numpy as np
import pytest

import pellucid
from pellucid.check import check_text
from pellucid.compiler import diagnostics
from pellucid.compiler.diagnostics import CODES, CompileError, Diagnostic, InternalError, Label, Span, render
from pellucid.compiler.frontend.specialise.interpreter import evaluate
from pellucid.compiler.lower import loops

PAGES = pathlib.Path(__file__).resolve().parent.parent / "docs" / "errors"
DRIFT = "\n" * 7 + "def drift(position, velocity):\n\n\n\n    velocity[0] = 0.0\n"


def test_the_example_of_the_style_guide():
    fault = Diagnostic(
        "P014",
        "this function changes its argument `velocity`",
        Span("physics.py", 12, 4, 12, 15),
        "assigned here",
        (Label(Span("physics.py", 8, 20, 8, 28), "the argument"),),
        ('work on a copy (`velocity = velocity.copy()`), or declare it: @compile(mutates=("velocity",))',),
    )
    assert render(fault, DRIFT) == (
        "error[P014]: this function changes its argument `velocity`\n"
        "  --> physics.py:12:5\n"
        "   |\n"
        " 8 | def drift(position, velocity):\n"
        "   |                     -------- the argument\n"
        "12 |     velocity[0] = 0.0\n"
        "   |     ^^^^^^^^^^^ assigned here\n"
        '   = help: work on a copy (`velocity = velocity.copy()`), or declare it: @compile(mutates=("velocity",))\n'
        "   = more: pellucid error P014"
    )


def span_in(text, part, file="t.py"):
    """The span of the first occurrence of a part of a text, columns in bytes as in `ast`."""
    start = text.index(part)
    line = text.count("\n", 0, start) + 1
    column = len(text[text.rfind("\n", 0, start) + 1 : start].encode())
    return Span(file, line, column, line, column + len(part.encode()))


@pytest.mark.parametrize(
    "text, part, shown, marks, column",
    [
        ("a = b\n", "b", "a = b", "    ^", 5),
        ("\ta = b\n", "b", "    a = b", "        ^", 6),
        ("é = ü\n", "ü", "é = ü", "    ^", 5),
        ("漢 = 字\n", "字", "漢 = 字", "     ^^", 5),
        ('s = "e\u0301" + q\n', "q", 's = "e\u0301" + q', "          ^", 12),
        ("a = '\x1b[2J' + q\n", "q", "a = ' [2J' + q", "             ^", 14),
        ("a = '\u202e' + q\n", "q", "a = '\ufffd' + q", "          ^", 11),
    ],
    ids=["plain", "tab", "accent", "wide", "combining", "escape", "bidirectional"],
)
def test_columns(text, part, shown, marks, column):
    lines = render(Diagnostic("P009", "m", span_in(text, part)), text).splitlines()
    assert lines[1] == f" --> t.py:1:{column}"
    assert lines[3:5] == [f"1 | {shown}", f"  | {marks}"]


def test_columns_agree_with_ast():
    text = "größe = 漢(字, x)\n"
    node = next(n for n in gast.walk(gast.parse(text)) if isinstance(n, gast.Name) and n.id == "x")
    assert render(Diagnostic("P009", "m", Span.of(node, "t.py")), text).splitlines()[4] == "  | " + 15 * " " + "^"


def test_a_span_over_several_lines_is_marked_to_the_end_of_the_first():
    text = "y = f(a,\n      b)   \n"
    lines = render(Diagnostic("T001", "m", Span("t.py", 1, 4, 2, 8), "here"), text).splitlines()
    assert lines[3:5] == ["1 | y = f(a,", "  |     ^^^^ here"]


def test_labels_in_another_file(tmp_path):
    other = tmp_path / "other.py"
    other.write_text("def g(x):\n    return x\n")
    label = Label(Span(str(other), 1, 4, 1, 5), "defined here")
    text = render(Diagnostic("T001", "m", Span("t.py", 1, 0, 1, 1), "used here", (label,)), "g(1)\n")
    assert f" ::: {other}:1:5\n  |\n1 | def g(x):\n  |     - defined here\n" in text


def test_two_labels_on_one_line():
    text = "x[0] = f(x)\n"
    label = Label(Span("t.py", 1, 9, 1, 10), "and here")
    lines = render(Diagnostic("P014", "m", Span("t.py", 1, 0, 1, 4), "here", (label,)), text).splitlines()
    assert lines[3:6] == ["1 | x[0] = f(x)", "  | ^^^^ here", "  |          - and here"]


def test_a_source_that_cannot_be_read_leaves_the_words():
    text = render(Diagnostic("P014", "m", Span("<nowhere>", 3, 0, 3, 4), "assigned here"))
    assert text == "error[P014]: m\n --> <nowhere>:3:1\n  = note: assigned here\n  = more: pellucid error P014"


def test_a_very_long_line_is_cut_around_the_mark():
    text = "x = " + "1 + " * 300 + "y + " + "2 + " * 300 + "3\n"
    shown, marks = render(Diagnostic("P009", "m", span_in(text, "y"), "not found"), text).splitlines()[3:5]
    assert len(shown) < 180 and shown.endswith("...")
    assert shown[marks.index("^")] == "y"


def test_paths_below_the_working_directory_are_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert diagnostics.shown_path(str(tmp_path / "a" / "b.py")) == str(pathlib.Path("a") / "b.py")
    assert diagnostics.shown_path(str(tmp_path.parent / "b.py")) == str(tmp_path.parent / "b.py")


def test_lines_come_from_the_file(tmp_path):
    file = tmp_path / "m.py"
    file.write_text("a = 1\nb = c\n")
    assert "2 | b = c" in render(Diagnostic("P009", "m", Span(str(file), 2, 4, 2, 5)))


def test_an_error_shows_all_its_faults_and_survives_pickling():
    faults = [Diagnostic("P009", f"fault {i}", Span("t.py", i, 0, i, 1)) for i in (1, 2)]
    error = CompileError(faults, "a\nb\n")
    assert error.diagnostics == tuple(faults)
    assert "fault 1" in str(error) and "fault 2" in str(error) and "2 | b" in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize(
    "code, name, also",
    [
        ("P014", "PurityError", Exception),
        ("U001", "UnsupportedError", Exception),
        ("T001", "TypeMismatchError", TypeError),
        ("S001", "ShapeMismatchError", ValueError),
        ("G001", "GradientError", Exception),
        ("R001", "StaticArgumentError", Exception),
        ("R002", "CompileError", Exception),
    ],
)
def test_error_classes(code, name, also):
    found = diagnostics.error_class([Diagnostic(code, "m", Span("t.py", 1, 0, 1, 1))])
    assert found.__name__ == name
    assert (
        issubclass(found, (also,)) and issubclass(found, CompileError) and issubclass(found, diagnostics.PellucidError)
    )


def test_an_internal_error_names_step_and_statement():
    error = InternalError("fuse", "y = sin(x)", "no type for `y`")
    assert "`fuse`" in str(error) and "\n    y = sin(x)\n" in str(error) and "no type for `y`" in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_what_python_raises_in_the_compiler_is_an_internal_error(monkeypatch):
    """It has the user's statement, wherever that was called from, and the cause with its traceback."""

    def fails(*_):
        raise KeyError("k")

    def inside(x):
        return np.sum(-x)

    def function(x):
        y = inside(x)
        return y * 2.0

    with monkeypatch.context() as changed:
        changed.setattr(evaluate, "unary", fails)
        with pytest.raises(InternalError, match="the step `specialise` failed: KeyError: 'k'") as caught:
            pellucid.compile(function)(np.ones(3))
    place = f"test_diagnostics.py:{inside.__code__.co_firstlineno + 1}:"
    assert place in str(caught.value) and "np.sum(-x)" in str(caught.value)
    assert isinstance(caught.value.__cause__, KeyError) and str(pickle.loads(pickle.dumps(caught.value)))
    with monkeypatch.context() as changed:
        changed.setattr(loops, "lower_function", fails)
        with pytest.raises(InternalError, match=r"KeyError: 'k'\n  --> test_diagnostics.py:\d+, in `function`"):
            pellucid.compile(function)(np.ones(3))


# --- the pages -----------------------------------------------------------------------------------------------------


def blocks(code):
    text = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    return {kind: body for kind, body in re.findall(r"```python (fail|ok)\n(.*?)```", text, re.S)}


def test_every_code_has_a_page_and_every_page_a_code():
    assert {path.stem for path in PAGES.glob("[A-Z][0-9]*.md")} == set(CODES)


def test_the_index_lists_every_code():
    index = (PAGES / "README.md").read_text(encoding="utf-8")
    for code, title in CODES.items():
        assert f"| [{code}]({code}.md) | {title} |" in index


@pytest.mark.parametrize("code", CODES)
def test_a_page_has_its_title_both_examples_and_the_reason(code):
    text = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {code}: {CODES[code]}\n")
    assert set(blocks(code)) == {"fail", "ok"} and "## Why" in text


# These wait for the types of the first call: `test_docs.py` runs their examples.
WAITING = frozenset({"U007", "U008", "U017", "U018"})


@pytest.mark.parametrize("code", [code for code in CODES if code[0] in "PU" and code not in WAITING])
def test_the_failing_example_of_a_page_fails_with_its_code(code):
    assert code in {fault.code for fault in check_text(blocks(code)["fail"], "fail.py").diagnostics}


@pytest.mark.parametrize("code", CODES)
def test_the_corrected_example_of_a_page_has_no_fault(code):
    assert check_text(blocks(code)["ok"], "ok.py").diagnostics == []
