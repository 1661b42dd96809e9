"""Programs that are refused, each with one way out that the message names, and what comes of taking it.

    ==== P014 | work on a copy (`v = v.copy()`), or declare it: @compile(mutates=("v",))
    @compile
    def f(v): ...
    >>> f(np.ones(3))
    ---- by machine: copy

Below `----` stands the program as somebody wrote it who followed the help, or `by machine` where the help can be
carried out by rule: a declaration goes into the decorator, a copy above the body or over the binding, and what the
compiler offers as a fix is applied.  `not the same in Python` says that the program that is refused cannot run in
CPython either, or only with another outcome.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pellucid.compiler.diagnostics import Diagnostic
from pellucid.compiler.vocabulary import METHOD_WAYS_OUT, WAYS_OUT
from pellucid.fixing import apply_edits

FOLDER = Path(__file__).resolve().parent.parent / "ways_out"


@dataclass(frozen=True)
class WayOut:
    """A refused program, the help, and the program that follows it; calls are expressions."""

    code: str
    help: str
    program: str
    call: str
    note: str
    instead: str
    instead_call: str

    def __str__(self) -> str:
        return f"{self.code}-{self.help[:40]}"


def ways_out() -> Iterator[WayOut]:
    for path in sorted(FOLDER.glob("*.txt")):
        for block in re.split(r"^==== ", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
            head, _, rest = block.partition("\n")
            code, _, help_ = head.partition(" | ")
            before, _, after = re.split(r"^----", rest, maxsplit=1, flags=re.MULTILINE)[0], "", ""
            note, _, after = rest[len(before) + 4 :].partition("\n")
            program, call = _parts(before)
            instead, instead_call = _parts(after)
            yield WayOut(code, help_, program, call, note.strip(), instead, instead_call or call)


def _parts(text: str) -> tuple[str, str]:
    lines = text.rstrip("\n").split("\n")
    if lines and lines[-1].startswith(">>> "):
        return "\n".join(lines[:-1]) + "\n", lines[-1][4:]
    return text, ""


def carried_out(way: WayOut, fault: Diagnostic, text: str) -> str:
    """The program as the help says, by rule alone."""
    _, _, what = way.note.partition(": ")
    if what == "copy":
        return _with_copy(way.help, text)
    if what in ("mutates", "static", "freeze") or "@compile(" in way.help:
        return declared(re.findall(r"@compile\((.*)\)", way.help)[0], text)
    assert fault.fix, f"nothing says how `{way.help}` is carried out"
    return apply_edits(text, fault.fix)


def declared(option: str, text: str) -> str:
    """The decorator of the last function, with this option in place of one of the same name."""
    place = text.rindex("@compile")
    old = re.match(r"@compile(?:\((.*)\))?\n", text[place:])
    name = option.partition("=")[0]
    kept = [o for o in re.findall(r"\w+=\([^)]*\)", old[1] or "") if not o.startswith(f"{name}=")]
    return f"{text[:place]}@compile({', '.join([*kept, option])})\n{text[place + old.end():]}"


def _with_copy(help_: str, text: str) -> str:
    """`w = v[1:].copy()` instead of `w = v[1:]`, or `v = v.copy()` as the first statement."""
    copied = re.search(r"`(\w+ = .*?\.copy\(\))`", help_)[1]
    bound = copied.removesuffix(".copy()")
    lines = text.split("\n")
    for k, line in enumerate(lines):
        if line.strip() == bound:
            lines[k] = line.replace(bound, copied)
            return "\n".join(lines)
    head = max(k for k, line in enumerate(lines) if re.match(r"def ", line))
    return "\n".join([*lines[: head + 1], textwrap.indent(copied, "    "), *lines[head + 1 :]])


# --- the help texts that the source of the compiler has ------------------------------------------------------------

ROOT = Path(__file__).resolve().parent.parent.parent
# Where helps stand in a call, by the name of what is called: the first positional argument that is one.
FIRST_HELP = {"fault": 4, "_fault": 4, "Diagnostic": 5, "refuse": 2, "TypeFault": 2}
NAMES = ("help_", "hint", "way_out", "help")


def templates() -> dict[str, str]:
    """Help texts with `{}` for what is filled in, and the file that has them."""
    found: dict[str, str] = {}
    for folder in ("compiler/frontend", "compiler/ops", "pellucid/numpy", "pellucid/scipy"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for text in _helps_of(ast.parse(path.read_text("utf-8"))):
                found.setdefault(text, str(path.relative_to(ROOT)))
    for text in (*WAYS_OUT.values(), *METHOD_WAYS_OUT.values()):
        found.setdefault(text, "compiler/vocabulary.py")
    return found


def _helps_of(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            first = FIRST_HELP.get(called)
            given = node.args[first:] if first is not None else []
            for part in [*given, *(k.value for k in node.keywords if k.arg == "help")]:
                yield from _texts(part)
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in NAMES:
            yield from _texts(node.value)
        elif isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "REFUSED":
            yield from (row.elts[2].value for row in node.value.values)


def _texts(node: ast.expr) -> Iterator[str]:
    """The texts that an expression may be; parts that are joined on are left out."""
    match node:
        case ast.Constant(value=str() as text) if " " in text:
            yield text
        case ast.JoinedStr(values=values):
            yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in values)
        case ast.Tuple(elts=elts):
            for part in elts:
                yield from _texts(part)
        case ast.IfExp(body=body, orelse=orelse):
            yield from (*_texts(body), *_texts(orelse))
        case ast.BinOp(left=left, op=ast.Add()):
            yield from (text + "{}" for text in _texts(left))
