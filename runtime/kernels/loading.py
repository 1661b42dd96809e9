"""The device functions for a `cuda`: the lockstep machine's, or numba's.

    load(numba.cuda)["row_sum_f64"]    a function that numba compiles into a kernel
    load(lockstep.cuda)                what `pellucid.support` exports

Both come from the same text, so that what runs on a GPU is what was run in lockstep.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from ..parsing import parse

FILES = (
    "device.py", "complex_functions.py", "complex_numbers.py", "complex_inverses.py", "folds.py", "checks.py",
    "columns.py", "scans.py", "threads.py", "sorting.py",
)  # fmt: skip
# each may use what stands in those before it


def load(cuda: Any) -> dict[str, Any]:
    """The device functions by name, and `ALL`, made by `cuda.jit`."""
    scope: dict[str, Any] = {"cuda": cuda, "__name__": __name__}
    for name in FILES:
        path = Path(__file__).parent / name
        tree = parse(path.read_text("utf-8"), str(path))
        tree.body = [node for node in tree.body if not (isinstance(node, ast.ImportFrom) and node.level)]
        exec(compile(tree, str(path), "exec"), scope)
    return {name: value for name, value in scope.items() if is_exported(name, value)}


def is_exported(name: str, value: object) -> bool:
    return name == "ALL" or not name.startswith("_") and hasattr(value, "py_func")
