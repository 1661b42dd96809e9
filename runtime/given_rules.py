"""The derivative that a user gives a function: what hangs on the function itself, for the compiler to find.

    f.__pellucid_rule__     ->     GivenRule("vjp", (forward, backward), nondiff_argnums=())
"""

from __future__ import annotations

from typing import Any, NamedTuple

RULE = "__pellucid_rule__"


class GivenRule(NamedTuple):
    """How a function is differentiated, in the words of JAX.

    kind       `vjp`, `jvp`, `jvps` or `checkpoint`
    functions  of `vjp` the forward and the backward rule, of `jvp` the one rule, of `jvps` one or None for each
               argument; empty before they are given
    """

    kind: str
    functions: tuple[Any, ...] = ()
    nondiff_argnums: tuple[int, ...] = ()


def rule_of(function: Any) -> GivenRule | None:
    """The rule of a function; None for one that is differentiated as it stands."""
    found = getattr(function, RULE, None)
    return found if isinstance(found, GivenRule) else None
