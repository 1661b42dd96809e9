"""Native dispatch: calls of compiled functions that CPython makes without a Python frame.

    class Function(base_class()): ...                          its instances have room for two addresses
    Calls(parameters).learn(f, args, kwargs, plan, classes)    the next call of `f` with arguments like these is native

A function learns the key of a call after the general path (`Function.__call__`) has answered it from its cache of
code.  From then on CPython enters `pellucid_call` (the LLVM text beside this file) by the vectorcall protocol, and
that calls the general path for whatever it has not learned.  Where `support.reason()` says so, nothing is learned.

    array_text value_text container_text   arguments -> key and slots      result_text recipe_text   slots -> result
    bind_text lookup_text call_text        arguments -> parameters, key -> plan, the call
    guard_text guard_words                 whether what the code was made from is still so
    words                                  the tables of words that both sides know by name
    plan calls records                     what Python writes into them
    support native_type                    what is taken for granted of CPython and NumPy
"""

from __future__ import annotations

from .plan import CallPlan, Constant, LeafWords, RecipeWords, leaf_kind
from .records import tuple_maker

__all__ = ["CallPlan", "Constant", "LeafWords", "RecipeWords", "leaf_kind", "tuple_maker"]
