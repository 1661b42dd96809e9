"""All derivatives are taken, and no store shows through another name: annotations of earlier steps are of no use now.

    y_1 = y.copy()   .shows = ("y",), .span     ->     y_1 = y.copy()   .span

Takes and gives typed functions.  Keeps what the printer writes, and where a statement stands: from here on what is
printed is what is compiled, and what is read back.
"""

from __future__ import annotations

import gast

from .. import syntax
from ..annotations import ANNOTATIONS, TYPED
from ..program import Function
from ..renaming import map_body

FORGOTTEN = frozenset(name for name, row in ANNOTATIONS.items() if TYPED not in row.languages)


def forget_annotations(function: Function) -> Function:
    """The function whose statements say no more than is printed; the same object where they say no more."""
    if not any(_is_annotated(statement) for statement in syntax.walk(function.body)):
        return function
    return function.with_(body=tuple(map_body(function.body, _bare)))


def _is_annotated(statement: gast.stmt) -> bool:
    return not FORGOTTEN.isdisjoint(statement.__dict__)


def _bare(statement: gast.stmt) -> gast.stmt:
    if not _is_annotated(statement):
        return statement
    made = syntax.rebuild(statement)
    for name in FORGOTTEN & statement.__dict__.keys():
        delattr(made, name)
    return made
