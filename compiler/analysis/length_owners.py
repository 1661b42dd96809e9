"""Whose length a symbol is: that of the parameter, or else of the name, that has it first.

    def f(x: "f64[n]"):
        h = x                 n is the length of x;  `length` is that of h, which has another one in each iteration
        for ...: h = w @ h
"""

from __future__ import annotations

from .. import syntax
from ..program import Function
from ..types import Array, symbols_of


def owners(function: Function) -> dict[str, str]:
    """Which name each symbol belongs to."""
    found: dict[str, str] = {}
    bound = (name for statement in syntax.walk(function.body) for name in syntax.names_bound(statement))
    for name in (*function.parameters, *bound):
        type_ = function.types.get(name)
        if isinstance(type_, Array):
            for symbol in symbols_of(type_):
                found.setdefault(symbol, name)
    return found
