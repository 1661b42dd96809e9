"""`pellucid check`: which functions count, nothing is run, the exit status, JSON, files that cannot be read."""

import io
import json
import textwrap

import pytest

from pellucid.check import check_file, check_text
from pellucid.check_command import main


def codes(text):
    return [fault.code for fault in check_text(textwrap.dedent(text), "m.py").diagnostics]


@pytest.mark.parametrize(
    "imports, decorator",
    [
        ("import pellucid", "pellucid.compile"),
        ("import pellucid as pl", "pl.compile"),
        ("import pellucid as pl", "pl.compile(fastmath=True)"),
        ("from pellucid import compile", "compile"),
        ("from pellucid import compile as fast", "fast(parallel=False)"),
        ("from pellucid import *", "compile"),
        ("import pellucid\nfast = pellucid.compile", "fast"),
        ("try:\n    import pellucid\nexcept ImportError:\n    pellucid = None", "pellucid.compile"),
    ],
)
def test_a_decorator_is_found_however_it_was_imported(imports, decorator):
    assert codes(f"{imports}\n@{decorator}\ndef f(x):\n    print(x)\n") == ["P004"]


def test_functions_that_are_not_decorated_are_left_alone():
    text = """
    import functools
    import pellucid

    @functools.cache
    def f(x):
        print(x)

    @compile
    def g(x):
        print(x)

    @other.compile
    def h(x):
        print(x)
    """
    assert codes(text) == []


def test_functions_called_are_checked_too_each_once():
    text = """
    from pellucid import compile

    @compile
    def f(x):
        return helper(x) + helper(2 * x) + other(x)

    def helper(x):
        print(x)
        return other(x)

    def other(x):
        return input()

    def unused(x):
        print(x)
    """
    assert codes(text) == ["P004", "P004"]


def test_methods_and_inner_functions_count_when_decorated():
    text = """
    import pellucid as pl

    def make(scale):
        table = [1.0, 2.0]

        @pl.compile
        def inner(x):
            return scale * x + table[0]

        return inner

    class Holder:
        @staticmethod
        @pl.compile
        def f(x):
            x[0] = 1.0
    """
    assert codes(text) == ["P007", "P014"]


def test_nothing_is_run_or_imported(tmp_path):
    (tmp_path / "sibling.py").write_text("raise SystemExit('imported')\ndef helper(x):\n    return x\ntable = [1]\n")
    file = tmp_path / "m.py"
    file.write_text(
        "import sibling\nfrom sibling import helper, table\nimport pellucid\nraise SystemExit('run')\n"
        "@pellucid.compile\ndef f(x):\n    return helper(x) + sibling.helper(x) + table[0] + sibling.missing(x)\n"
    )
    assert [(fault.code, fault.span.line) for fault in check_file(str(file))] == [("P007", 7), ("P009", 7)]


def test_packages_are_followed_by_relative_imports(tmp_path):
    package = tmp_path / "package"
    (package / "tools").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "tools" / "__init__.py").write_text("from .deep import norm\n")
    (package / "tools" / "deep.py").write_text("def norm(x):\n    return x\n")
    file = package / "m.py"
    file.write_text(
        "import pellucid\nfrom .tools import norm, nothing\nfrom . import tools\nimport package.tools as t\n"
        "@pellucid.compile\ndef f(x):\n"
        "    return norm(x) + tools.norm(x) + t.norm(x) + nothing(x) + tools.deep.norm(x)\n"
    )
    assert [fault.message for fault in check_file(str(file))] == ["`nothing` is not defined"]


def test_a_module_that_is_not_found_is_reported_where_it_is_used():
    text = """
    import pellucid
    from no_such_module_anywhere import helper

    @pellucid.compile
    def f(x):
        return helper(x)
    """
    assert codes(text) == ["P008"]


def test_options_are_read_from_the_decorator():
    text = """
    import numpy as np
    import pellucid

    table = np.zeros(3)

    @pellucid.compile(mutates=("a", "b"), freeze=["table"], static=("args",))
    def f(a, b, *args):
        a[0] = table[0]
        b[:] = 0.0
    """
    assert codes(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "def f(:\n",
        "x = '\n",
        "x = " + "(" * 3000,
        "x = 1" + " + 1" * 20000,
        "x = 1\0",
        "def f():\n  x\n y\n",
        "\ufeff\x0c(",
    ],
    ids=["parameter", "string", "brackets", "sum", "null", "indent", "form feed"],
)
def test_what_is_not_python_is_one_fault(text):
    assert codes(text) == ["U020"]


def test_deeply_nested_text_ends(tmp_path):
    loops = "".join("    " * depth + f"for i{depth} in range(2):\n" for depth in range(1, 19))
    body = f"    y = x.copy()\n{loops}{'    ' * 19}y, x = x, y\n    return y\n"
    text = f"import pellucid\n@pellucid.compile\ndef f(x):\n{body}"
    assert codes(text) == []
    calls = "\n".join(f"def f{i}(x):\n    return " + " + ".join(f"f{j}(x)" for j in range(14)) for i in range(14))
    assert codes(f"import pellucid\n{calls}\n@pellucid.compile\ndef f(x):\n    return f0(x)\n") == []


def test_the_command_prints_faults_and_a_summary(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.py").write_text("import pellucid\n\n@pellucid.compile\ndef f(x):\n    return print(x)\n")
    (tmp_path / "good.py").write_text("import pellucid\n\n@pellucid.compile\ndef f(x):\n    return x\n")
    assert main(["good.py"]) == 0
    assert capsys.readouterr().out == "checked 1 function in 1 file: no faults\n"
    assert main(["bad.py", "good.py"]) == 1
    assert capsys.readouterr().out == (
        "error[P004]: this function prints\n"
        " --> bad.py:5:12\n"
        "  |\n"
        "5 |     return print(x)\n"
        "  |            ^^^^^ called here\n"
        "  = help: print what the function returns, or look inside with `f.debug(stage)`\n"
        "  = more: pellucid error P004\n"
        "\n"
        "checked 2 functions in 2 files: 1 fault\n"
    )


def test_a_folder_stands_for_the_files_below_it(tmp_path, capsys):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "m.py").write_text("import pellucid\n@pellucid.compile\ndef f(x):\n    return print(x)\n")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "m.py").write_text("def f(:\n")
    assert main([str(tmp_path)]) == 1
    assert "checked 1 function in 1 file: 1 fault" in capsys.readouterr().out


def test_json(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.py").write_text(
        "import pellucid\n@pellucid.compile\ndef f(ü):\n    return (ü, print(ü))\n", encoding="utf-8"
    )
    assert main(["bad.py"], "json") == 1
    assert json.loads(capsys.readouterr().out) == [
        {
            "code": "P004",
            "message": "this function prints",
            "file": "bad.py",
            "line": 4,
            "column": 16,
            "end_line": 4,
            "end_column": 21,
            "help": ["print what the function returns, or look inside with `f.debug(stage)`"],
            "page": "pellucid error P004",
        }
    ]
    (tmp_path / "good.py").write_text("x = 1\n")
    assert main(["good.py"], "json") == 0
    assert json.loads(capsys.readouterr().out) == []


def test_a_file_that_cannot_be_read(tmp_path, capsys):
    assert main([str(tmp_path / "nothing.py")]) == 2
    captured = capsys.readouterr()
    assert "cannot read" in captured.err and "no faults" in captured.out


def test_the_declared_encoding_is_used(tmp_path):
    file = tmp_path / "latin.py"
    file.write_bytes(
        "# -*- coding: latin-1 -*-\nimport pellucid\n@pellucid.compile\ndef f(größe):\n    größe[0] = 1\n".encode(
            "latin-1"
        )
    )
    (fault,) = check_file(str(file))
    assert "`größe`" in fault.message


def test_what_is_supported_is_asked_of_the_caller():
    text = "import numpy as np, pellucid\n@pellucid.compile\ndef f(x):\n    return np.sinn(x) + np.linalg.norm(x)\n"
    report = check_text(text, "m.py", {"numpy.linalg.norm"}.__contains__, ["numpy.linalg.norm", "numpy.sinh"])
    assert [fault.help[0] for fault in report.diagnostics] == ["did you mean `np.sinh`?"]


# --- which functions count -----------------------------------------------------------------------------------------

PRINTS = "def f(x):\n    return print(x)\n"


@pytest.mark.parametrize(
    "rest",
    [
        "g = pellucid.compile(f)",
        "pellucid.compile(f)(1.0)",
        "pellucid.compile(parallel=False)(f)",
        "slope = pellucid.grad(f)",
        "slope = pellucid.grad(pellucid.value_and_grad(f, has_aux=True))",
        "slope = pellucid.grad(lambda x: f(x))",
        "slopes = [pellucid.grad(part)(1.0) for part in (1, 2)]; pellucid.grad(f)",
        "def main():\n    h = f\n    return pellucid.grad(h)(1.0)",
        "class Model:\n    slope = staticmethod(pellucid.grad(f))",
        "from pellucid import compile as fast\nif __name__ == '__main__':\n    print(fast(f)(2.0))",
    ],
)
def test_functions_count_that_are_compiled_by_a_call(rest):
    assert codes(f"import pellucid\n{PRINTS}{rest}\n") == ["P004"]


@pytest.mark.parametrize("rest", ["f(1.0)", "other.compile(f)", "compile(f)", "re.compile(f)", "pellucid.compile(3)"])
def test_functions_do_not_count_that_are_only_called(rest):
    assert codes(f"import pellucid, re\n{PRINTS}{rest}\n") == []


def test_options_of_a_call_are_read():
    text = "import pellucid\ndef f(v):\n    v[0] = 1.0\n    return v\n"
    assert codes(text + 'g = pellucid.compile(f, mutates="v")\n') == []
    assert codes(text + 'g = pellucid.compile(mutates=("v",))(f)\n') == []
    assert codes(text + "g = pellucid.compile(f)\n") == ["P014"]


def test_true_names_no_argument():
    text = "import pellucid\ndef f(v):\n    v[0] = 1.0\n    return v\n"
    for option in ("mutates", "static"):
        assert codes(text + f"g = pellucid.compile(f, {option}=True)\n") == ["P014"]
    other = f"@pellucid.compile(mutates=True)\n{text.partition(chr(10))[2]}"
    assert codes(f"import pellucid\n@pellucid.compile\ndef g(v):\n    return f(v)\n{other}") == ["P014", "P014"]


def test_a_function_compiled_twice_is_told_once():
    assert codes(f"import pellucid\n@pellucid.compile\n{PRINTS}pellucid.grad(f)\npellucid.compile(f)\n") == ["P004"]


def test_functions_of_other_files_that_are_compiled_here(tmp_path):
    (tmp_path / "helper.py").write_text(PRINTS)
    (tmp_path / "m.py").write_text("import pellucid\nfrom helper import f\ng = pellucid.grad(f)\n")
    (fault,) = check_file(str(tmp_path / "m.py"))
    assert fault.code == "P004" and fault.span.file.endswith("helper.py")


FUNCTIONS = """
import pellucid

def loud(x):
    return print(x)

class Model:
    def draw(self, x):
        return input() + x

def quiet(x):
    return x
"""


def test_one_function_or_all_of_a_file(tmp_path, capsys):
    file = tmp_path / "m.py"
    file.write_text(FUNCTIONS)
    for arguments, status, said in (
        ([f"{file}"], 0, "checked 0 functions in 1 file: no faults"),
        ([f"{file}:loud"], 1, "checked 1 function in 1 file: 1 fault"),
        ([f"{file}:Model.draw"], 1, "checked 1 function in 1 file: 1 fault"),
        ([f"{file}:quiet"], 0, "checked 1 function in 1 file: no faults"),
    ):
        assert main(arguments) == status
        assert capsys.readouterr().out.rstrip().endswith(said)
    assert main([f"{file}"], every=True) == 1
    assert "checked 3 functions in 1 file: 2 faults" in capsys.readouterr().out
    assert main([f"{file}:lound"]) == 2
    assert "has no function 'lound'" in capsys.readouterr().err


def test_standard_input(monkeypatch, capsys):
    text = f"import pellucid\npellucid.grad(f)\n{PRINTS}"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["-"]) == 1
    assert "--> <stdin>:4:12" in capsys.readouterr().out


# --- encodings -----------------------------------------------------------------------------------------------------

TEXT = "import pellucid\n@pellucid.compile\ndef f(größe):\n    größe[0] = 1\n"


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        b"\xef\xbb\xbf" + TEXT.encode(),
        TEXT.replace("\n", "\r\n").encode(),
        b"# coding: latin-1\n" + TEXT.encode("latin-1"),
        b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n" + TEXT.encode("cp1252"),
        TEXT.encode("latin-1"),
        b"# coding: nothing-known\n" + TEXT.encode(),
        b"\xef\xbb\xbf# coding: latin-1\n" + TEXT.encode(),
        b"\n\n# coding: latin-1\n" + TEXT.encode("latin-1"),
        TEXT.encode("utf-16"),
    ],
    ids=["utf-8", "bom", "crlf", "latin-1", "cp1252", "undeclared", "unknown", "two", "too late", "utf-16"],
)
def test_a_file_is_read_in_the_encoding_that_cpython_reads_it_in(data, tmp_path):
    file = tmp_path / "m.py"
    file.write_bytes(data)
    try:
        compile(data, str(file), "exec")
        expected = "P014"
    except (SyntaxError, ValueError):
        expected = "U020"
    (fault,) = check_file(str(file))
    assert fault.code == expected and (expected != "P014" or "`größe`" in fault.message)


# --- rewriting -----------------------------------------------------------------------------------------------------

WRONG = '''"""A module."""
import numpy as np
import pellucid


@pellucid.compile
def f(größe, factor):
    a = größe * factor
    return np.tahn(a) + faktor + np.qqqq(a) + np.sin(facto)
'''
RIGHT = '''"""A module."""
import numpy as np
import pellucid


@pellucid.compile
def f(größe, factor):
    a = größe * factor
    return np.tanh(a) + factor + np.qqqq(a) + np.sin(factor)
'''


@pytest.mark.parametrize("ends, encoding", [("\n", "utf-8"), ("\r\n", "utf-8-sig"), ("\n", "latin-1")])
def test_what_has_one_way_out_is_rewritten(tmp_path, capsys, ends, encoding):
    file = tmp_path / "m.py"
    mark = "# coding: latin-1\n" if encoding == "latin-1" else ""
    file.write_bytes((mark + WRONG).replace("\n", ends).encode(encoding))
    assert main([str(file)], fix=True) == 1
    assert file.read_bytes() == (mark + RIGHT).replace("\n", ends).encode(encoding)
    printed = capsys.readouterr().out
    assert printed.count("error[") == 1 and "qqqq" in printed and "3 places rewritten" in printed
    assert main([str(file)]) == 1 and file.read_bytes() == (mark + RIGHT).replace("\n", ends).encode(encoding)


TO_DECLARE = """import numpy as np
import pellucid
from pellucid import compile

table = [1.0, 2.0]
config = {"a": 1.0}


@pellucid.compile
def drift(velocity, x):
    velocity[0] = 0.0
    x[1] = table[0]
    return np.tanhh(x) + config["a"]


@compile(static=("n",), mutates=("a",))
def shifted(a, b, n):
    b[0] = 1.0
    a[n] = 1.0
    return a


def outside(x):
    return x * table[0]


kept = compile(outside)
"""


def test_declarations_are_written_into_the_decorators(tmp_path, capsys):
    file = tmp_path / "m.py"
    file.write_text(TO_DECLARE, encoding="utf-8")
    assert main([str(file)], fix=True, declare=True) == 1
    text, printed = file.read_text("utf-8"), capsys.readouterr().out
    assert '@pellucid.compile(mutates=("velocity", "x"), freeze=("table", "config"))' in text
    assert '@compile(static=("n",), mutates=("a", "b"))' in text
    assert "m.py:13: `np.tanhh` -> `np.tanh`" in printed
    assert "m.py:9: `pellucid.compile` -> `pellucid.compile(mutates=(" in printed
    assert 'm.py:9: `, freeze=("table", "config")` added' in printed and "4 places rewritten" in printed
    assert printed.count("error[") == 1 and "error[P007]" in printed  # what a call compiles has no decorator


def test_declarations_are_not_written_without_being_asked(tmp_path):
    file = tmp_path / "m.py"
    file.write_text(TO_DECLARE, encoding="utf-8")
    assert main([str(file)], fix=True) == 1 and "mutates=(\"velocity" not in file.read_text("utf-8")


@pytest.mark.parametrize("before, after", [
    ("@compile()", '@compile(mutates=("v",))'), ('@compile(mutates="w")', '@compile(mutates=("w", "v"))'),
    ("@compile(mutates=NAMES)", "@compile(mutates=NAMES)"), ("@jit", '@jit(mutates=("v",))'),
])  # fmt: skip
def test_forms_of_the_decorator(tmp_path, before, after):
    file = tmp_path / "m.py"
    head = "from pellucid import compile, jit\nNAMES = ()\n"
    body = "\ndef f(v, w):\n    v[0] = 1.0\n    return v\n"
    file.write_text(f"{head}{before}{body}", encoding="utf-8")
    main([str(file)], declare=True)
    assert file.read_text("utf-8") == f"{head}{after}{body}"


def test_without_being_asked_nothing_is_rewritten(tmp_path):
    file = tmp_path / "m.py"
    file.write_text(WRONG, encoding="utf-8")
    assert main([str(file)]) == 1 and file.read_text("utf-8") == WRONG


def test_sarif(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.py").write_text("import pellucid\n@pellucid.compile\ndef f(x):\n    return print(x)\n")
    assert main(["bad.py"], "sarif") == 1
    found = json.loads(capsys.readouterr().out)
    (run,) = found["runs"]
    (result,) = run["results"]
    assert found["version"] == "2.1.0" and run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "P004"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "bad.py"
    assert place["region"] == {"startLine": 4, "startColumn": 12, "endLine": 4, "endColumn": 17}
    assert result["message"]["text"].startswith("this function prints\nhelp: ")
    (tmp_path / "good.py").write_text("x = 1\n")
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["help"]["text"].startswith("P004: reads or writes files")
    assert main(["good.py"], "sarif") == 0 and json.loads(capsys.readouterr().out)["runs"][0]["results"] == []
