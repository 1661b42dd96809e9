"""The source of what was typed in: `python -c` and Python's own prompt keep no file.

    python -c "..."      ->   the source is among the arguments of the process
    >>> def f(x): ...    ->   the lines are in the history of the prompt

What is found is only a proposal: the reader compares it with the code of the function.
"""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Iterator
from types import CodeType

PROMPTS = ("<stdin>", "<console>")
MOST_LINES = 500  # lines of one statement at the prompt


def proposals(code: CodeType) -> Iterator[tuple[str, str]]:
    """Names and contents of files that the code may come from."""
    given = getattr(sys, "orig_argv", [])
    if code.co_filename == "<string>" and "-c" in given[:-1]:
        yield "<string>", given[given.index("-c") + 1]
    elif code.co_filename in PROMPTS:
        for text in _statements():
            if len(text.splitlines()) >= code.co_firstlineno:
                yield _name_of(text, code.co_filename), text


def keep(name: str, text: str) -> None:
    """Let messages and tracebacks find the lines."""
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)


def _statements() -> Iterator[str]:
    """Compound statements and lines of the history, most recent first."""
    readline = sys.modules.get("readline")
    if readline is None:
        return
    lines = [readline.get_history_item(k + 1) or "" for k in range(readline.get_current_history_length())]
    for start in reversed(range(len(lines))):
        if not re.match(r"[@\w(\[]", lines[start]):
            continue
        end = start + 1
        while end < len(lines) and end < start + MOST_LINES and _goes_on(lines[end - 1], lines[end]):
            end += 1
        yield "\n".join(lines[start:end]) + "\n"


def _goes_on(before: str, line: str) -> bool:
    return line[:1] in (" ", "\t", ")", "]", "}") or before.startswith("@")


_NAMES: dict[str, str] = {}


def _name_of(text: str, file: str) -> str:
    """A name of its own for each statement, since Python gives all of them one file name."""
    return _NAMES.setdefault(text, f"{file[:-1]}:{len(_NAMES) + 1}>")
