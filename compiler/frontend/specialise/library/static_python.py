"""Python's results for values that are known now; what it raises, the program raises when it reaches that point.

    names["a" + 1]     ->     raise TypeError('can only concatenate str (not "int") to str')
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NoReturn

import gast

from .....runtime.nature import article
from .... import syntax
from ....messages import Message, escaped
from ..frame import Frame, Stopped

PYTHON_INFIX: dict[type, Callable[[Any, Any], Any]] = {
    gast.Add: operator.add, gast.Sub: operator.sub, gast.Mult: operator.mul, gast.Div: operator.truediv,
    gast.FloorDiv: operator.floordiv, gast.Mod: operator.mod, gast.Pow: operator.pow, gast.BitAnd: operator.and_,
    gast.BitOr: operator.or_, gast.BitXor: operator.xor, gast.LShift: operator.lshift, gast.RShift: operator.rshift,
    gast.MatMult: operator.matmul,
}  # fmt: skip
PYTHON_PREFIX: dict[type, Callable[[Any], Any]] = {
    gast.USub: operator.neg, gast.UAdd: operator.pos, gast.Invert: operator.invert,
}  # fmt: skip
PYTHON_COMPARISONS: dict[type, Callable[[Any, Any], Any]] = {
    gast.Eq: operator.eq, gast.NotEq: operator.ne, gast.Lt: operator.lt, gast.LtE: operator.le,
    gast.Gt: operator.gt, gast.GtE: operator.ge,
}  # fmt: skip
PLAIN = (int, float, str, bool, type(None))


def computed(frame: Frame, function: Callable[..., Any], node: gast.AST, *values: object) -> Any:
    try:
        return function(*values)
    except KeyError as error:
        no_key(frame, error.args[0], node)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        stop(frame, type(error).__name__, escaped(str(error)), node)


def stop(frame: Frame, exception: str, message: Message, node: gast.AST) -> NoReturn:
    """Control ends here with an error."""
    frame.builder.append(syntax.raise_(exception, message, span=frame.here(node)))
    raise Stopped


def no_key(frame: Frame, key: object, node: gast.AST) -> NoReturn:
    """`KeyError(key)`; an error can hold only plain values."""
    parts = key if isinstance(key, tuple) else (key,)
    if not all(isinstance(part, PLAIN) for part in parts):
        frame.fault("T001", f"{article(type(key).__name__)} is no key of this dict", node, "looked up here")
    stop(frame, "KeyError", ((key,),), node)
