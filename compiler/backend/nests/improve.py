"""The order in which nests are improved.

nests as they are written  ->  own names  ->  fused  ->  without arrays that live in one turn  ->  in place
->  without allocations in loops  ->  names shared
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from ... import syntax
from ...names import Names
from ...program import Function
from ...steps import done
from .carry import carry
from .contract import contract
from .fuse import fuse
from .known import Known
from .own_names import hidden_counters, own_names, shared_names
from .reuse import reuse


def improve(function: Function, names: Names, wishes: dict[str, str]) -> Function:
    """`names` are those taken in the function; `wishes` says what names that were made would rather be called."""
    if not any(isinstance(s, gast.For | gast.While) for s in syntax.walk(function.body)):
        return function  # every improvement is one of loops
    known = Known()
    passes: tuple[tuple[str, Callable[[Function], Function]], ...] = (
        ("own_names", lambda f: own_names(f, names, wishes, known)),
        ("fuse", lambda f: fuse(f, counters, known)),
        ("contract", lambda f: contract(f, known)),
        ("reuse", lambda f: reuse(f, known)),
        ("carry", lambda f: carry(f, names, wishes, known)),
        ("shared_names", lambda f: shared_names(f, wishes, known)),
    )
    counters = hidden_counters(function)
    for name, run in passes:
        function = done(name, function, run(function), "loops")
    return function
