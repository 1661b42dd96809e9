"""The order in which nests are improved.

    nests as they are written  ->  own names  ->  fused  ->  without arrays that live in one turn  ->  in place
    ->  without allocations in loops  ->  names shared
"""

from __future__ import annotations

import gast

from ... import syntax
from ...names import Names
from ...program import Function
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
    function = fuse(own_names(function, names, wishes, known), hidden_counters(function), known)
    function = carry(reuse(contract(function, known), known), names, wishes, known)
    return shared_names(function, wishes, known)
