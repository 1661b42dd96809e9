"""What is checked the moment a function is decorated: purity and the language, all faults at once."""

from __future__ import annotations

from typing import Any

import gast

from ..diagnostics import CompileError, PurityError, UnsupportedError
from ..ops import python_names
from .purity import check_function
from .read import read
from .resolve import live_resolver

SUPPORTED = frozenset(python_names.BINDINGS)


def check(request: Any) -> None:
    """Raise the faults of a request's function, if any: a PurityError, UnsupportedError or CompileError."""
    source = read(request.python)
    tree = source.tree
    if isinstance(tree, gast.Lambda):
        returned = gast.copy_location(gast.Return(tree.body), tree.body)
        tree = gast.copy_location(gast.FunctionDef("lambda_", tree.args, [returned], [], None, None, []), tree)
    found = check_function(
        tree,
        file=source.file,
        text=source.text,
        options=request,
        resolve=live_resolver(request.python),
        is_supported=SUPPORTED.__contains__,
        known_names=SUPPORTED,
    )
    if not found:
        return
    letters = {diagnostic.code[0] for diagnostic in found}
    classes = {"P": PurityError, "U": UnsupportedError}
    cls = classes.get(letters.pop(), CompileError) if len(letters) == 1 else CompileError
    raise cls(found)
