"""What is said while functions are compiled, and texts that show themselves."""

import time
import warnings
from html.parser import HTMLParser

import numpy as np
import pytest

import pellucid
from pellucid import announcing, compile
from pellucid.text import Text

RATE = 2.0


def scaled(x, y):
    return x * y + RATE


def picked(parts, n):
    return parts["a"] * n


X = np.ones((3, 3))
REASONS = [
    ((X, 1.0), "this is its first call"),
    ((X.astype(np.float32), 1.0), "`x` is of f32 and was of f64"),
    ((X[0], 1.0), "`x` has 1 dimension and had 2"),
    ((X[:1], 1.0), "the length of axis 0 of `x` became 1"),
    ((X[:, :2], 1.0), "`x` is not contiguous now"),
    ((X, 2), "`y` is int and was float"),
    ((X[:1, :2], 2), "the length of axis 0 of `x` became 1"),
]


def test_every_compilation_is_told_with_its_reason(monkeypatch, capsys):
    monkeypatch.setenv("PELLUCID_LOG", "compile")
    function = compile(scaled)
    for arguments, why in REASONS:
        function(*arguments)
        function(*arguments)
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("pellucid: scaled(x: ") and line.endswith(f" ms: {why}"), line


def test_a_change_outside_is_a_reason(monkeypatch, capsys):
    monkeypatch.setenv("PELLUCID_LOG", "compile")
    function = compile(scaled)
    function(1.0, 2.0)
    monkeypatch.setitem(globals(), "RATE", 3.0)
    assert function(1.0, 2.0) == 5.0
    assert "it is no more so that the global `RATE` is 2.0" in capsys.readouterr().err


def test_parts_of_containers_and_static_values_are_reasons(monkeypatch, capsys):
    monkeypatch.setenv("PELLUCID_LOG", "compile")
    function = compile(picked, static="n")
    for arguments, why in (
        (({"a": 1.0}, 2), "this is its first call"),
        (({"a": 1}, 2), "`parts['a']` is int and was float"),
        (({"a": 1}, 3), "`n` is 3 and was 2"),
        (({"a": 1, "b": 2}, 3), "`parts` is {'a': int, 'b': int} and was {'a': int}"),
    ):
        function(*arguments)
        assert capsys.readouterr().err.rstrip().endswith(why)


def test_code_from_the_disk_is_told_apart(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("PELLUCID_LOG", "compile")
    monkeypatch.setenv("PELLUCID_CACHE", "1")
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(tmp_path))
    compile(scaled)(1.0, 2.0)
    compile(scaled)(1.0, 2.0)
    assert [line.split(" in ")[0].rpartition(")")[2] for line in capsys.readouterr().err.splitlines()] in (
        [" compiled", " taken from the cache"], [" compiled", " compiled"]  # where the tests keep nothing
    )  # fmt: skip


def test_nothing_is_said_without_being_asked(capsys):
    compile(scaled)(1.0, 2.0)
    assert capsys.readouterr().err == ""


def test_a_line_where_compiling_takes_long(monkeypatch, capsys):
    monkeypatch.setattr(announcing, "PATIENCE", 0.01)
    telling = announcing.Compilation("f(x: float)", "this is its first call")
    with telling:
        telling.begins()
        time.sleep(0.2)
    assert capsys.readouterr().err == "pellucid: compiling f(x: float) takes more than 0.01 seconds\n"
    with telling:
        time.sleep(0.05)
    assert capsys.readouterr().err == ""


def test_a_warning_at_the_tenth_compilation():
    function = compile(picked, static="n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for n in range(12):
            function({"a": 1.0}, n)
    (warning,) = caught
    assert warning.category is pellucid.PerformanceWarning and warning.filename == __file__
    assert "compiled 10 times" in str(warning.message) and "`n` is 9 and was 8" in str(warning.message)


def test_the_operators_of_arrays_are_not_counted():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for dtype in "bhilBHILefd":
            pellucid.Array(np.ones(2, dtype)) + pellucid.Array(np.ones(2))


# --- texts ---------------------------------------------------------------------------------------------------------


class Read(HTMLParser):
    def __init__(self):
        super().__init__()
        self.text = ""

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("stage", ["source", "core", "typed", "loops", "llvm"])
def test_a_text_shows_itself(stage, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    text = compile(scaled).source(stage, np.ones(3), 2.0)
    assert isinstance(text, str) and repr(text) == str(text).rstrip("\n")
    read = Read()
    read.feed(text._repr_html_())
    assert read.text == str(text)
    assert ("<span" in text._repr_html_()) == (stage != "llvm")
    monkeypatch.setenv("NO_COLOR", "1")
    read = Read()
    read.feed(text._repr_html_())
    assert read.text == str(text) and "<span" not in text._repr_html_()


def test_explain_gives_such_a_text():
    assert repr(compile(scaled).explain("f64[n]", "float")).startswith("scaled(")


def test_colours_keep_every_character():
    for text in ("", "\n", "x = '<&>' # a & b\n", 'def f():\n    """a\n    b"""\n    return 1.5\n', "unbalanced (\n"):
        read = Read()
        read.feed(Text(text)._repr_html_())
        assert read.text == text


def test_a_large_container_is_told_in_short(monkeypatch, capsys):
    monkeypatch.setenv("PELLUCID_LOG", "compile")
    compile(lambda parts, x: parts["k3"] * x)({f"k{k}": 1.0 for k in range(20)}, 1.0)
    assert "(parts: dict of 20 leaves, x: float) compiled" in capsys.readouterr().err
