"""Stores into the real or imaginary part of complex numbers, which in NumPy is a view of them.

    z.real[i] = v    ->    z[i] = complex_of(v, imag(z[i]))
    z.imag += v      ->    z[...] = complex_of(real(z), imag(z) + v)
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from .... import syntax, types
from ....ops.complex_numbers import PARTS
from ....types import Array
from .. import protocol
from ..frame import Frame
from ..interpreter import evaluate, subscript
from ..values import Leaf, Value

WHOLE = gast.Constant(value=..., kind=None)


def store(frame: Frame, place: gast.expr, made: Callable[[Value], Value], node: gast.AST) -> bool:
    """Whether the target is in a part of complex numbers; if so, store what is made of the old part."""
    whole = place.value if isinstance(place, gast.Subscript) else place
    items = place.slice if isinstance(place, gast.Subscript) else WHOLE
    is_part = isinstance(whole, gast.Attribute) and whole.attr in PARTS
    if not is_part or syntax.calls_in(place):  # calls would run twice, for the old value and for the new one
        return False
    base = evaluate.evaluate(frame, whole.value)
    found = frame.type_of(base)
    if not isinstance(base, Leaf) or not isinstance(found, Array) or not types.of_complex(found):
        return False
    old = protocol.load(frame, base, items, node)
    parts: dict[str, Value] = {name: frame.emit(name, old, node=node) for name in PARTS}
    parts[whole.attr] = made(parts[whole.attr])
    subscript.store(frame, base, items, frame.emit("complex_of", *parts.values(), node=node), node)
    return True
