"""Documents whose examples are run: every output they show is made by the code above it.

    ```python                                executed, in a file of its own; names are shared by the whole document
    ```python file=relax.py                  the same, in a file of that name, so that listings refer to it
    <!-- run: relax.py ... -->               code that the reader does not see; `new:` for a file of the package
    <!-- output: f.source("core") -->        the fenced block below is its value, or the error it raises
    <!-- output -->                          the fenced block below is what the last python block printed
    <!-- output of this machine: ... -->     made by the expression too, but not compared: it depends on the processor
    <!-- output as Markdown: ... -->         all up to `<!-- end -->` is made by the expression
    ```python new=compiler/ops/area.py       a new file of the package, or of its tests
    ```python append=compiler/ops/area.py    lines at the end of a file
    ```diff change=compiler/pipeline.py      lines that take the place of others; `...` is the rest of a line
    ```python sketch=row                     not executed
    <!-- environment: NAME=value -->         the document is run by a Python of its own that has this variable

A document that adds to the package is run by a Python of its own on a copy of the package, so that nothing stays.
`pytest tests/test_docs.py --update-cases` rewrites the outputs.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from unittest import mock

from pellucid.compiler.diagnostics import InternalError

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(
    r"^<!-- (?P<unseen>run|new):(?P<hidden>.*?)-->$"
    r"|^<!-- (?P<kind>output|output of this machine)(?:: (?P<expression>.*?))? -->\n"
    r"```\w*\n(?P<shown>.*?)^```$"
    r"|^<!-- output as Markdown: (?P<page>.*?) -->\n(?P<text>.*?)^<!-- end -->$"
    r"|^```(?P<info>python|diff)(?P<option> \w+=\S+)?\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
ENVIRONMENT = re.compile(r"^<!-- environment: (\w+)=(\S+) -->$", re.MULTILINE)
EDITS = ("new", "append", "change")
COPIED = ("compiler", "runtime")


class StaleDocument(AssertionError):
    """A document that says what is not so; the message says where."""


@dataclass(frozen=True, slots=True)
class Part:
    """One block of a document: what to run, what to change, or what is shown of a result."""

    kind: str  # "run", one of EDITS, "output" or "output of this machine"
    text: str  # code, lines, or the expression
    file: str  # where the code stands, or what is changed
    shown: str = ""
    start: int = 0
    end: int = 0


def parts(text: str, stem: str) -> list[Part]:
    """The blocks of a document in order."""
    found: list[Part] = []
    for number, match in enumerate(BLOCK.finditer(text), 1):
        usual = f"{stem.replace('-', '_')}_{number}.py"
        if match["hidden"] is not None:
            name, _, code = match["hidden"].strip().partition("\n")
            found.append(Part(match["unseen"], code.replace("\n++++\n", "\n----\n"), name or usual))
        elif match["kind"] is not None:
            found.append(Part(match["kind"], match["expression"] or "", "", match["shown"], *match.span("shown")))
        elif match["page"] is not None:
            found.append(Part("output", match["page"], "", match["text"], *match.span("text")))
        else:
            option, _, value = (match["option"] or " ").strip().partition("=")
            kind = option if option in (*EDITS, "sketch") else "run"
            found.append(Part(kind, match["code"], value or usual))
    return found


# --- running -------------------------------------------------------------------------------------------------------


class Session:
    """The names of a document, and the folder its files are in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.module = types.ModuleType("document")
        self.names = vars(self.module)
        self.names |= {"run_tests": run_tests, "printed": ""}

    def run(self, part: Part) -> None:
        path = self.folder / part.file
        path.write_text(part.text, encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()) as printed, self.surroundings():
            exec(compile(part.text, str(path), "exec", dont_inherit=True), self.names)
        self.names["printed"] = printed.getvalue()

    def output(self, expression: str) -> str:
        """What a reader would see: text as it is, anything else as the prompt shows it, an error as its report."""
        with self.surroundings():
            try:
                value = eval(expression or "printed", self.names)
            except (AttributeError, NameError, InternalError):
                raise  # a fault of the document or of ours, and nothing to show
            except Exception as error:
                value = report(error)
        text = value if isinstance(value, str) else repr(value)
        return portable(text, self.folder)

    @contextlib.contextmanager
    def surroundings(self):
        """In the document's folder, which also holds the files of stages, and without NumPy's warnings."""
        cache = {"XDG_CACHE_HOME": str(self.folder), "LOCALAPPDATA": str(self.folder)}
        with contextlib.chdir(self.folder), mock.patch.dict(os.environ, cache), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield


def report(error: Exception) -> str:
    """The name and the words of an error, with its notes."""
    words = str(error).strip("\n")
    if not words.startswith("error["):
        words = f"{type(error).__name__}: {words}"
    return "\n".join([words, *getattr(error, "__notes__", [])])


def portable(text: str, folder: Path) -> str:
    """Paths relative to the document's files or to the checkout, whatever machine this is; no blanks at line ends."""
    for base in (folder, ROOT):
        text = text.replace(f"{base}{os.sep}", "")
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n")) + "\n"


def regenerate(text: str, stem: str, folder: Path) -> str:
    """The document with the outputs that its code gives now."""
    session, made, done = Session(folder), [], 0
    for part in parts(text, stem):
        if part.kind == "run":
            session.run(part)
        elif part.kind.startswith("output"):
            made += [text[done : part.start], session.output(part.text)]
            done = part.end
    return "".join([*made, text[done:]])


def differences(text: str, current: str, stem: str) -> list[str]:
    """The outputs that are no longer what the document shows; what depends on the machine is not compared."""
    return [
        f"`{old.text or 'what is printed'}` is shown as\n{old.shown}\nand gives\n{new.shown}"
        for old, new in zip(parts(text, stem), parts(current, stem), strict=True)
        if old.kind == "output" and old.shown != new.shown
    ]


def check(path: Path, update: bool = False) -> None:
    """Raise StaleDocument where a document is not true any more; with `update` make it true."""
    text = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        changes = any(part.kind in EDITS for part in parts(text, path.stem))
        wanted = dict(ENVIRONMENT.findall(text))
        if changes or wanted:
            current = regenerate_apart(text, path.stem, Path(folder), wanted)
        else:
            current = regenerate(text, path.stem, Path(folder))
    stale = differences(text, current, path.stem)
    if update and stale:
        path.write_text(current, encoding="utf-8")
    elif stale:
        raise StaleDocument(f"{path.name} is stale; pytest tests/test_docs.py --update-cases\n\n" + "\n".join(stale))


# --- documents that add to the package, or want an environment -------------------------------------------------------


def regenerate_apart(text: str, stem: str, folder: Path, environment: Mapping[str, str]) -> str:
    """`regenerate` by a Python of its own; the package is a copy that the document has changed, if it does so."""
    edits = [part for part in parts(text, stem) if part.kind in EDITS]
    checkout = folder / "checkout" if edits else ROOT
    if edits:
        copy_checkout(checkout)
    for part in edits:
        change(checkout, part)
    (folder / "document.md").write_text(text, encoding="utf-8")
    (folder / "files").mkdir()
    program = (
        "import sys; from pathlib import Path; from tests.harness.documents import regenerate; "
        "where = Path(sys.argv[1]); document = where / 'document.md'; "
        "text = regenerate(document.read_text(encoding='utf-8'), sys.argv[2], where / 'files'); "
        "document.write_text(text, encoding='utf-8')"
    )
    run_python("-c", program, str(folder), stem, checkout=checkout, environment=environment)
    return (folder / "document.md").read_text(encoding="utf-8")


def copy_checkout(copy: Path) -> None:
    """The package in the layout it is installed in, and what its tests need."""
    ignored = shutil.ignore_patterns("*.pyc.*")  # bytecode that is being written; what there is saves seconds
    shutil.copytree(ROOT / "pellucid", copy / "pellucid", ignore=ignored)
    for name in COPIED:
        shutil.copytree(ROOT / name, copy / "pellucid" / name, ignore=ignored)
    shutil.copytree(ROOT / "tests", copy / "tests", ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", copy)


def change(copy: Path, part: Part) -> None:
    """Do to the copy what a document tells its reader to do."""
    inner = copy / "pellucid" / part.file if part.file.split("/")[0] in COPIED else copy / part.file
    if part.kind == "new":
        assert not inner.exists(), f"{part.file} is there already"
        inner.write_text(part.text, encoding="utf-8")
        return
    text = inner.read_text(encoding="utf-8")
    if part.kind == "append":
        inner.write_text(text + "\n" + part.text, encoding="utf-8")
        return
    before, after = sides(part.text)
    if text.count(before) != 1:
        raise StaleDocument(f"{part.file} does not have these lines once:\n{before}")
    inner.write_text(text.replace(before, after), encoding="utf-8")


def sides(diff: str) -> tuple[str, str]:
    """The lines of a diff before and after; a last line that ends in `...` goes on as it did."""
    before, after = ("".join(line[1:] for line in diff.splitlines(keepends=True) if line[0] in s) for s in (" -", " +"))
    if before.endswith("...\n"):
        return before.removesuffix("...\n"), after.removesuffix("...\n")
    return before, after


def run_python(*arguments: str, checkout: Path, environment: Mapping[str, str] = MappingProxyType({})) -> str:
    """Run a Python that imports the package from `checkout`; what it prints."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout), "PELLUCID_VERIFY": "1", **environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode:
        raise StaleDocument(f"{' '.join(arguments[-2:])}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def run_tests(*arguments: str) -> str:
    """Run tests of the checkout that the package comes from; raises unless some run and all pass."""
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:randomly")
    run_python("-m", "pytest", *options, *arguments, checkout=ROOT)
    return "passed"
