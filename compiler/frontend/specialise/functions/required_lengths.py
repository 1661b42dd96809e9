"""Lengths of arguments that a function takes for one, as `vmap` does the numbers of examples.

    z = f_vmap(x, y)   x: f64[k], y: f64[n]        ->      if dim(x) != dim(y): raise ValueError(...)
    of f_vmap(a: f64[n], b: f64[n])                        y_1 = reshape(y, (dim(x),))
                                                           z = f_vmap(x, y_1)

Nothing is compared where the lengths are known to be equal.  Those of arguments of the whole program are taken for one
where the call is reached on every call, and are compared on entry, as `x + y` has it.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from .... import syntax
from ....ops.cotangents import length
from ....ops.type_rules import dims_of
from ....program import Function
from ....types import Dim, Extent, is_plain
from ..frame import Frame, Stopped

UNEQUAL = "`{}` has length {{}} along axis {}, but `{}` has length {{}} along axis {}: they have to be equal here"
NOT_AS_SAID = "`{}` has length {{}} along axis {}, but it was declared as {}"


def with_required_lengths(
    frame: Frame, function: Function, atoms: Sequence[gast.expr], node: gast.AST
) -> list[gast.expr]:
    """The atoms that are passed, those whose lengths had to be compared under the type that the function requires."""
    made = list(atoms)
    first: dict[Extent, tuple[int, int]] = {}  # by length of the function, which axis of which parameter has it first
    for place, parameter in enumerate(function.parameters):
        is_compared = False
        for axis, mine in enumerate(dims_of(function.types[parameter])):
            owner = first.setdefault(mine, (place, axis))
            if isinstance(mine, int) or owner != (place, axis) and is_plain(mine):
                is_compared |= _require(frame, function, made, mine, owner, (place, axis), node)
        if is_compared:
            shape = [_wanted(frame, made, mine, first[mine]) for mine in dims_of(function.types[parameter])]
            made[place] = frame.builder.call("reshape", made[place], hint=parameter, shape=syntax.tuple_(shape))
    return made


def _wanted(frame: Frame, atoms: Sequence[gast.expr], mine: Extent, owner: tuple[int, int]) -> gast.expr:
    """The length that a function requires, as an atom of its caller."""
    return syntax.constant(mine) if isinstance(mine, int) else length(frame.builder, atoms[owner[0]], owner[1])


def _require(
    frame: Frame, function: Function, atoms: Sequence[gast.expr], mine: Extent, owner: tuple[int, int],
    here: tuple[int, int], node: gast.AST,
) -> bool:  # fmt: skip
    """Require a length to be the one that the function takes it for; whether it is compared where the call stands."""
    builder = frame.builder
    given = dims_of(builder.type_of(atoms[here[0]]))[here[1]]
    wanted = mine if isinstance(mine, int) else dims_of(builder.type_of(atoms[owner[0]]))[owner[1]]
    if given == wanted:
        return False
    if builder.may_unify and isinstance(given, Dim) and builder.unify(wanted, given):
        return False
    found = length(builder, atoms[here[0]], here[1])
    name, axis = function.parameters[here[0]], here[1]
    expected = _wanted(frame, atoms, mine, owner)
    if isinstance(mine, int):
        message, shown = NOT_AS_SAID.format(name, axis, mine), [found]
    else:
        message, shown = UNEQUAL.format(function.parameters[owner[0]], owner[1], name, axis), [expected, found]
    error = syntax.raise_("ValueError", message, *shown, span=frame.here(node))
    if isinstance(given, int) and isinstance(wanted, int):
        builder.append(error)
        raise Stopped
    differs = builder.call("not_equal", found, expected, hint="differs")
    builder.append(syntax.if_(differs, [error], span=frame.here(node)))
    return True
