"""Run a stage in CPython from a real file, so that debuggers, tracebacks and editors find its lines.

    load(program, folder)     ->     the entry as a Python function, defined in folder/<module>_<function>_<stage>.py

A file that holds another text under the same name is left alone, and the new one gets a number: a debugger that is
stopped in the old one keeps seeing what it runs.
"""

from __future__ import annotations

import linecache
import os
import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...diagnostics import Span
from ...program import Program
from .printer import Printed, render


def stage_folder() -> Path:
    """Where stages are written by default: `pellucid/stages` in the user's cache folder."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~\\AppData\\Local")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "pellucid" / "stages"


def load(program: Program, folder: str | os.PathLike[str] | None = None) -> Callable[..., Any]:
    """Write the program to a file and return its entry; `entry.__globals__` has the other functions."""
    printed = render(program)
    path = write_stage(program, printed, folder)
    return execute(printed, path, program.entry)


def execute(printed: Printed, path: Path, entry: str) -> Callable[..., Any]:
    """Run the text as the module of its file; the lines stay readable for tracebacks even if the file goes away."""
    text = printed.text
    linecache.cache[str(path)] = (len(text), None, text.splitlines(True), str(path))
    namespace: dict[str, Any] = {"__name__": path.stem, "__file__": str(path), LINES: printed.lines}
    exec(compile(text, str(path), "exec"), namespace)
    return namespace[entry]


LINES = "__pellucid_lines__"


def user_line(frame_globals: Mapping[str, Any], line: int) -> Span | None:
    """The user's line after a line of a loaded stage, for a frame with these globals."""
    return frame_globals.get(LINES, {}).get(line)


def write_stage(program: Program, printed: Printed, folder: str | os.PathLike[str] | None = None) -> Path:
    """The file with this text: an existing one, or a new one that appears whole or not at all."""
    place = Path(folder) if folder is not None else stage_folder()
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    stem = stem_of(program)
    for number in range(10_000):
        path = place / (f"{stem}_{number}.py" if number else f"{stem}.py")
        if _claim(path, printed.text):
            return path
    raise OSError(f"no free file name for {stem} in {place}")


def _claim(path: Path, text: str) -> bool:
    """Whether the file holds this text, written now if there was none."""
    try:
        return path.read_text(encoding="utf-8") == text
    except FileNotFoundError:
        pass
    except (OSError, UnicodeDecodeError):
        return False
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}", suffix=".py")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    try:
        os.link(temporary, path)  # unlike a rename, this never replaces what another process wrote meanwhile
    except FileExistsError:
        return path.read_text(encoding="utf-8") == text
    except OSError:
        os.replace(temporary, path)
        return True
    finally:
        Path(temporary).unlink(missing_ok=True)
    return True


def stem_of(program: Program) -> str:
    """`logistic_loss_reverse` for the entry's file, name and stage, in characters that any file system takes."""
    main = program.main
    module = Path(main.origin.file).stem or "module"
    return re.sub(r"\W+", "_", f"{module}_{main.name}_{main.stage}").strip("_")
