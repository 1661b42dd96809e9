"""Operators that a class of the user's defines: `a + b`, `a < b`, `a[i]`, `len(a)`, `x in a`, `bool(a)`.

    a + b     ->     type(a).__add__(a, b), and type(b).__radd__(b, a) where that is missing or says NotImplemented

Each function here returns None where no instance of a user's class defines the operator.
"""

from __future__ import annotations

import dataclasses
from typing import Any, NoReturn

import gast

from .....runtime.nature import article
from ....types import Scalar
from .. import protocol
from ..frame import Frame
from ..interpreter import choices, evaluate
from ..library.static_python import PYTHON_COMPARISONS, PYTHON_INFIX, PYTHON_PREFIX
from ..values import Handle, Record, Ref, Sequence, Value
from . import classes, equality, iterators, slices


def _word(function: Any) -> str:
    return str(function.__name__).rstrip("_")


BINARY: dict[type, str] = {op: _word(function) for op, function in PYTHON_INFIX.items()}
UNARY: dict[type, str] = {op: f"__{_word(function)}__" for op, function in PYTHON_PREFIX.items()}
EXCHANGED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
# A comparison, and the one with its sides exchanged.
COMPARED: dict[type, tuple[str, str]] = {
    op: (f"__{_word(function)}__", f"__{EXCHANGED.get(_word(function), _word(function))}__")
    for op, function in PYTHON_COMPARISONS.items()
}


def is_instance(frame: Frame, value: Value) -> bool:
    return type(frame.heap.contents[value.number] if type(value) is Ref else value) in (Record, Handle)


def both_ways(frame: Frame, left: Value, right: Value, names: tuple[str, str], node: gast.AST) -> Value | None:
    """Ask the left side, then the right one; the right one first, if its class is derived from that of the left."""
    sides = [(left, right, names[0]), (right, left, names[1])]
    first, second = classes.class_of(frame, left), classes.class_of(frame, right)
    if first is not None and first is second and names[0] != names[1]:
        sides = sides[:1]  # Python does not ask one class twice
    elif first is not None and second is not None and first is not second and issubclass(second, first):
        sides.reverse()
    if first is None and second is not None:
        sides[1] = (right, numpys(frame, left, second, names[1], node), names[1])
    for own, other, name in sides:
        found = classes.special_call(frame, own, name, [other], node)
        if found is not None:
            return found
    return None


def numpys(frame: Frame, left: Value, cls: type, name: str, node: gast.AST) -> Value:
    """The left side as an argument of the right side's method: NumPy's own operators do not return NotImplemented."""
    found = frame.type_of(left)
    is_left_to_others = vars_of(cls, "__array_ufunc__") is None
    if is_left_to_others or found is None or isinstance(found, Scalar) and found.weak:
        return left
    if classes.special(frame, left, name) is None and not _has(frame, cls, name):
        return left
    if not isinstance(found, Scalar) or any(_has(frame, cls, n) for n in ("__len__", "__getitem__", "__array__")):
        message = f"NumPy makes an array of objects of a `{cls.__name__}` on the right of {frame.describe(left)}"
        frame.fault("T001", message, node, "computed here",
                    ("write it on the left, or give the class `__array_ufunc__ = None`",))  # fmt: skip
    return frame.emit("cast", left, node=node, dtype=found.dtype if found.dtype != "f32" else "f64", weak=True)


def vars_of(cls: type, name: str) -> Any:
    """What a class or one of its bases holds; `...` if none does."""
    return next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), ...)


def _has(frame: Frame, cls: type, name: str) -> bool:
    return callable(classes.entry(frame, cls, name))


def in_place(frame: Frame, op: type, left: Value, right: Value, node: gast.AST) -> Value | None:
    """`left op= right`, where the class defines it."""
    if not is_instance(frame, left):
        return None
    name = f"__i{BINARY[op]}__"
    if classes.special(frame, left, name) is None and hasattr(protocol.python_class(frame, left), name):
        refuse_in_place(frame, left, node)
    return classes.special_call(frame, left, name, [right], node)


def refuse_in_place(frame: Frame, value: Value, node: gast.AST) -> NoReturn:
    """Refuse a change in place that would make a new object: aliases of the old one would not see the change."""
    message = f"{article(frame.describe(value))} is not changed by this operator here"
    frame.fault("U018", message, node, "changed here", ("bind the result, `a = a | b`, or call its methods",))


def is_asked_first(frame: Frame, op: type, value: Value) -> bool:
    """Whether `xs op= value` uses the operator of `value`, not of the list: NumPy makes an array of `xs += array`."""
    if evaluate.is_strong(frame, value):
        return op is not gast.Mult or not frame.is_integer(value)
    return is_instance(frame, value) and classes.special(frame, value, f"__r{BINARY[op]}__") is not None


def unary(frame: Frame, op: type, value: Value, node: gast.AST) -> Value | None:
    return classes.special_call(frame, value, UNARY[op], [], node) if is_instance(frame, value) else None


def infix(frame: Frame, op: type, left: Value, right: Value, node: gast.AST, hint: str) -> Value | None:
    """`left op right`, of which one is an instance."""
    if op not in COMPARED:
        return both_ways(frame, left, right, (f"__{BINARY[op]}__", f"__r{BINARY[op]}__"), node)
    if any(_is_own(frame, side, name) for side, name in zip((left, right), COMPARED[op], strict=True)):
        return both_ways(frame, left, right, COMPARED[op], node)
    if op is gast.NotEq and any(_is_own(frame, side, "__eq__") for side in (left, right)):
        same = infix(frame, gast.Eq, left, right, node, "t")
        return None if same is None else protocol.negation(frame, same, node, hint)
    if op in (gast.Eq, gast.NotEq):
        has_own = any(classes.special(frame, side, "__eq__") is not None for side in (left, right))
        if has_own or not is_instance(frame, left) or not is_instance(frame, right):
            return None
        return choices.compare(frame, gast.Is if op is gast.Eq else gast.IsNot, left, right, node, hint)
    return ordered(frame, op, left, right, node)


def _is_own(frame: Frame, value: Value, name: str) -> bool:
    found = classes.special(frame, value, name)
    return found is not None and not equality.is_generated(found)


def ordered(frame: Frame, op: type, left: Value, right: Value, node: gast.AST) -> Value | None:
    """`<` and the like of `@dataclass(order=True)`: on tuples of the fields, for instances of one class."""
    one, other = classes.instance(frame, left), classes.instance(frame, right)
    if one is None or other is None or one.cls is not other.cls or one.is_tuple:
        return None
    cls = one.cls
    if classes.special(frame, left, COMPARED[op][0]) is None or not dataclasses.is_dataclass(cls):
        return None
    names = [field.name for field in dataclasses.fields(cls) if field.compare]
    first, second = (
        Sequence(tuple(protocol.attribute(frame, side, name, node) for name in names)) for side in (left, right)
    )
    return choices.compare(frame, op, first, second, node)


def truth(frame: Frame, value: Value, node: gast.AST) -> Value | None:
    if not is_instance(frame, value):
        return None
    found = classes.special_call(frame, value, "__bool__", [], node)
    return found if found is not None else classes.special_call(frame, value, "__len__", [], node)


def member(frame: Frame, container: Value, item: Value, node: gast.AST, hint: str) -> Value | None:
    """`item in container` by `__contains__`, or by what `__iter__` gives; None for a class without either."""
    if is_instance(frame, container):
        found = classes.special_call(frame, container, "__contains__", [item], node)
        if found is not None:
            return protocol.truth(frame, found, node)
    source = classes.iterator_of(frame, container, node)
    return None if source is container else iterators.member_of_taken(frame, source, item, node, hint)


def item(frame: Frame, base: Value, items: gast.expr, node: gast.AST) -> Value | None:
    """`base[items]`."""
    if not is_instance(frame, base) or classes.special(frame, base, "__getitem__") is None:
        return None
    return classes.special_call(frame, base, "__getitem__", [index_of(frame, items, node)], node)


def set_item(frame: Frame, base: Value, items: gast.expr, value: Value, node: gast.AST) -> bool:
    """`base[items] = value`; whether the class defines it."""
    if not is_instance(frame, base) or classes.special(frame, base, "__setitem__") is None:
        return False
    classes.special_call(frame, base, "__setitem__", [index_of(frame, items, node), value], node)
    return True


def delete_item(frame: Frame, base: Value, items: gast.expr, node: gast.AST) -> bool:
    """`del base[items]`; whether the class defines it."""
    if not is_instance(frame, base) or classes.special(frame, base, "__delitem__") is None:
        return False
    classes.special_call(frame, base, "__delitem__", [index_of(frame, items, node)], node)
    return True


def index_of(frame: Frame, items: gast.expr, node: gast.AST) -> Value:
    """The argument of `__getitem__`."""
    return slices.written(frame, items)


