"""What is checked the moment a function is decorated: it and its helpers, all faults at once."""

from __future__ import annotations

from typing import Any

import gast

from ..diagnostics import CompileError, PurityError, UnsupportedError
from ..ops import python_names
from ..vocabulary import Vocabulary
from .purity.aliasing import Summaries
from .purity.purity import Check
from .source.read import read
from .source.resolve import NameSource, live_resolver

SUPPORTED = frozenset(python_names.BINDINGS)


def check(request: Any) -> bool:
    """Raise the faults of a request's function, if any: a PurityError, UnsupportedError or CompileError.

    Gives whether all helpers were there to be judged; else they are when the function is first called.
    """
    source = read(request.python)
    tree = source.tree
    if isinstance(tree, gast.Lambda):
        returned = gast.copy_location(gast.Return(tree.body), tree.body)
        tree = gast.copy_location(gast.FunctionDef("lambda_", tree.args, [returned], [], None, None, []), tree)
    root = NameSource(tree, source.file, source.text, live_resolver(request.python), request.python)
    found, is_complete = Check(Vocabulary(SUPPORTED.__contains__, SUPPORTED), Summaries(), request).judge(
        root, True, set()
    )
    if not found:
        return is_complete
    letters = {diagnostic.code[0] for diagnostic in found}
    classes = {"P": PurityError, "U": UnsupportedError}
    cls = classes.get(letters.pop(), CompileError) if len(letters) == 1 else CompileError
    raise cls(found)
