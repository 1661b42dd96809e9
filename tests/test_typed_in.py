"""Functions without a file of their own: `python -c`, the prompt, `exec` with a source at hand, zipapps."""

import builtins
import linecache
import os
import subprocess
import sys
import zipapp

import pytest

from pellucid import CompileError, compile

from .test_pickling import run

FUNCTION = "@pellucid.compile\ndef f(x):\n    y = 2.0 * x\n    return y\n"


def test_a_function_of_python_c():
    program = f"import pellucid\n{FUNCTION}print(f(2.0), pellucid.grad(lambda x: x * x)(3.0))\n"
    assert run([sys.executable, "-c", program]) == "4.0 6.0"


def test_a_function_of_a_zipapp(tmp_path):
    folder = tmp_path / "program"
    folder.mkdir()
    (folder / "__main__.py").write_text(f"import pellucid\nfrom helper import h\n{FUNCTION}print(f(h(2.0)))\n")
    (folder / "helper.py").write_text("def h(x):\n    return 3.0 * x\n")
    zipapp.create_archive(folder, tmp_path / "program.pyz")
    assert run([sys.executable, str(tmp_path / "program.pyz")]) == "12.0"


def test_a_function_that_is_executed_with_its_source_at_hand():
    text, space = "def f(x):\n    return 2.0 * x\n", {}
    code = builtins.compile(text, "<made>", "exec")
    exec(code, space)
    with pytest.raises(CompileError) as caught:
        compile(space["f"])
    (fault,) = caught.value.diagnostics
    assert fault.code == "R004" and "linecache" in fault.help[0]
    linecache.cache["<made>"] = (len(text), None, text.splitlines(True), "<made>")
    assert compile(space["f"])(2.0) == 4.0


@pytest.mark.parametrize("kept, is_read", [("0, 8, 16", True), ("0, 8, False", False), ("0, 8, 24", False)])
def test_a_set_in_bytecode_of_another_process_is_the_set_of_the_file(tmp_path, kept, is_read):
    """Its order follows from the hashes of that process."""
    path, space = tmp_path / "chosen.py", {}
    path.write_text("def f(x):\n    return 2.0 * x if x in {16, 8, 0} else x\n")
    code = builtins.compile(path.read_text(), str(path), "exec")
    inner, *rest = code.co_consts
    here = next(constant for constant in inner.co_consts if isinstance(constant, frozenset))
    other = eval(f"frozenset(({kept}))")
    assert list(other) != list(here)
    consts = tuple(other if constant is here else constant for constant in inner.co_consts)
    exec(code.replace(co_consts=(inner.replace(co_consts=consts), *rest)), space)
    if is_read:
        assert [compile(space["f"])(x) for x in (8, 9)] == [16.0, 9]
    else:
        with pytest.raises(CompileError, match="has changed since"):
            compile(space["f"])(8)


def test_what_is_read_from_a_pipe_is_refused():
    program = "import pellucid\nprint = lambda *a: None\n" + FUNCTION
    ran = subprocess.run([sys.executable, "-"], input=program, capture_output=True, text=True, timeout=120)
    assert "error[R004]" in ran.stderr and "linecache" in ran.stderr


def test_functions_of_the_prompt():
    """Also of one that goes by the name of an earlier one."""
    pexpect = pytest.importorskip("pexpect")
    pytest.importorskip("readline")
    environment = {**os.environ, "TERM": "dumb", "PYTHONPATH": os.pathsep.join(sys.path), "PYTHON_BASIC_REPL": "1"}
    prompt = pexpect.spawn(sys.executable, ["-q"], encoding="utf-8", timeout=60, env=environment)
    said = []
    lines = ["import pellucid", *FUNCTION.splitlines(), "", "f(2.0)", "pellucid.grad(lambda x: x * x)(3.0)"]
    lines += [*FUNCTION.replace("2.0", "5.0").splitlines(), "", "f(2.0)"]
    lines += ["@pellucid.compile", "def g(x):", "    return print(x)", ""]
    prompt.expect(">>> ")
    for line in lines:
        prompt.sendline(line)
        prompt.expect([r"\r\n>>> ", r"\r\n\.\.\. "])
        said.append(prompt.before)
    prompt.close()
    printed = "".join(said)
    assert [found for found in ("4.0", "6.0", "10.0") if f"\n{found}" in printed] == ["4.0", "6.0", "10.0"]
    assert "2 |     return print(x)" in printed
