"""The check at the moment a function is decorated: of it and its helpers, all faults at once."""

from __future__ import annotations

from types import CodeType, FunctionType
from typing import Any

import gast

from ...runtime.frozen import Freeze
from ..diagnostics import CompileError, Diagnostic, Label, PurityError, UnsupportedError
from ..ops import python_names
from ..vocabulary import PYTHON_NAMES, Vocabulary
from .purity.aliasing import Summaries
from .purity.purity import Check, CheckOptions
from .source.read import read
from .source.resolve import NameSource, live_resolver

SUPPORTED = frozenset(python_names.BINDINGS) | PYTHON_NAMES


def check(request: Any) -> bool:
    """Raise the faults of a request's function, if any: a PurityError, UnsupportedError or CompileError.

    Returns whether all helpers existed already; otherwise they are checked when the function is first called.
    """
    source = read(request.python)
    tree = source.tree
    if isinstance(tree, gast.Lambda):
        returned = gast.copy_location(gast.Return(tree.body), tree.body)
        tree = gast.copy_location(gast.FunctionDef("lambda_", tree.args, [returned], [], None, None, []), tree)
    root = NameSource(tree, source.file, source.text, live_resolver(request.python), request.python)
    found, is_complete = _check(request).judge(root, True, set())
    refuse(found)
    return is_complete


def require_pure(function: FunctionType, chain: tuple[Label, ...], freeze: Freeze) -> None:
    """Raise the faults of a function that is met while another one is compiled, with the calls that lead to it."""
    key = function.__code__, freeze
    if key in _PURE:
        return
    source = read(function)
    root = NameSource(source.tree, source.file, source.text, live_resolver(function), function)
    refuse(_check(CheckOptions(freeze=freeze)).judge_helper(root, chain))
    _PURE.add(key)


_PURE: set[tuple[CodeType, Freeze]] = set()


def _check(options: Any) -> Check:
    return Check(Vocabulary(SUPPORTED.__contains__, SUPPORTED), Summaries(), options)


def refuse(found: tuple[Diagnostic, ...]) -> None:
    if not found:
        return
    letters = {diagnostic.code[0] for diagnostic in found}
    classes = {"P": PurityError, "U": UnsupportedError}
    raise (classes.get(letters.pop(), CompileError) if len(letters) == 1 else CompileError)(found)
