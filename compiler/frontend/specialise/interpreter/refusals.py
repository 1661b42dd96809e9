"""Report what is outside the language and is met only when a function is compiled, in the user's terms.

    def f(g, x): return g(x)     f(scipy.special.expit, x)     ->     U012: `scipy.special.expit` is not supported
"""

from __future__ import annotations

import types as python_types
from typing import Any, NoReturn

import gast

from ....vocabulary import AS_A_FUNCTION, INSTEAD_OF_LIBRARY, METHOD_WAYS_OUT, WAYS_OUT, instead_of
from ...source.refused import REFUSED
from ...source.resolve import library_name
from ..frame import Frame


def require_own(frame: Frame, value: Any, node: gast.AST) -> None:
    """Refuse a function of a library that has no row: the compiler does not look inside it."""
    dotted = None if frame.is_library else library_name(value)
    if dotted is not None and not dotted.startswith(("pellucid.", "builtins.")):
        help_ = (instead_of(dotted),)
        frame.fault("U012", f"`{dotted}` is not supported", node, "called here", help_)


def refuse_call(frame: Frame, value: Any, node: gast.AST) -> NoReturn:
    """Refuse to call something that can be called in Python."""
    name = getattr(value, "__name__", None)
    if isinstance(value, type | python_types.BuiltinFunctionType) and value.__module__ == "builtins":
        help_ = (WAYS_OUT.get(f"builtins.{name}", INSTEAD_OF_LIBRARY),)
        frame.fault("U014", f"the builtin `{name}` is not supported", node, "called here", help_)
    what = f"`{name}`" if name else f"a `{type(value).__name__}`"
    frame.fault("P008", f"{what} is not a function that can be compiled", node, "called here", (AS_A_FUNCTION,))


def refuse_method(frame: Frame, whose: str, method: str, node: gast.AST) -> NoReturn:
    help_ = (METHOD_WAYS_OUT[method],) if method in METHOD_WAYS_OUT else ()
    frame.fault("U013", f"{whose} no method `{method}` here", node, "called here", help_)


def refuse_construct(frame: Frame, node: gast.AST) -> NoReturn:
    """Refuse a statement or expression that the language lacks."""
    code, what, help_ = REFUSED.get(type(node), ("U018", "this syntax", ""))
    frame.fault(code, f"{what} is outside the language", node, "not supported", (help_,) if help_ else ())
