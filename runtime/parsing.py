"""`ast.parse`, one thread at a time.

CPython before 3.13 counts the depth of the tree it makes in one number for all threads.  A thread that is interrupted
while a tree is made (by a callback of the garbage collector, as some libraries install) and one that parses meanwhile
disturb each other: "SystemError: AST constructor recursion depth mismatch".
"""

from __future__ import annotations

import ast
import threading
from typing import Any

_LOCK = threading.RLock()  # a collector's callback may parse too, in the thread that holds it


def parse(text: str, file: str = "<unknown>", mode: str = "exec") -> Any:
    """The tree of some source; raises SyntaxError."""
    with _LOCK:
        return ast.parse(text, file, mode)
