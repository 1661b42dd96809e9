"""Native dispatch: calls of compiled functions that CPython makes without a Python frame.

    class Function(base_class()): ...                          its instances have room for two addresses
    Calls(parameters).learn(f, args, kwargs, plan, classes)    the next call of `f` with arguments like these is native

A function learns the key of a call after the general path (`Function.__call__`) has answered it from its cache of
code.  From then on CPython enters `native/calls.c` by the vectorcall protocol, and that calls the general path for
whatever it has not learned.  Where `support.reason()` says so, nothing is learned.

    words                                  the structs that both sides know
    plan calls guard_words records         what Python writes into them
    support                                whether it is possible here
"""

from __future__ import annotations

from .plan import CallPlan, Constant, Hidden, LeafWords, Queueing, RecipeWords, TargetWords, leaf_kind
from .records import tuple_maker

__all__ = [
    "CallPlan", "Constant", "Hidden", "LeafWords", "Queueing", "RecipeWords", "TargetWords", "leaf_kind",
    "tuple_maker",
]  # fmt: skip
