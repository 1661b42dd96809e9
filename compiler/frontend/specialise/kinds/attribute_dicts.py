"""Dicts whose items are read as attributes: the results of SciPy's solvers, and classes that are written so.

    class Config(dict): __getattr__ = dict.__getitem__          c.rate     ->     c["rate"]
    OptimizeResult(x=x, fun=f)                                  ->     a dict of its class, with the items `x` and `fun`

Such a dict is returned as an instance of its class.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import gast

from .. import protocol
from ..frame import Frame
from ..functional import Bound
from ..values import Mapping_, Ref, Value
from . import dict_methods

# Classes of SciPy whose `__getattr__`, written out in Python, reads items.
WRITTEN_OUT = {("scipy._lib._util", "_RichResult")}


def reads_items(cls: object) -> bool:
    """Whether attributes of instances that are no methods are items."""
    if not isinstance(cls, type) or not issubclass(cls, dict):
        return False
    owner = next((base for base in cls.__mro__ if "__getattr__" in vars(base)), dict)
    is_getter = vars(owner).get("__getattr__") is dict.__getitem__
    return is_getter or (owner.__module__, owner.__qualname__) in WRITTEN_OUT


def made(frame: Frame, cls: type, args: list[Value], kwargs: dict[str, Value], node: gast.AST) -> Ref:
    """`cls(...)`, of a class that is made as `dict` is."""
    if any("__init__" in vars(base) or "__new__" in vars(base) for base in cls.__mro__[: cls.__mro__.index(dict)]):
        message = f"`{cls.__name__}` is a dict with an `__init__` of its own, which is not compiled"
        frame.fault("U018", message, node, "made here", ("make it of the function's results outside",))
    return of_class(frame, cls, dict_methods.made(frame, args, kwargs, node))


def of_class(frame: Frame, cls: type, target: Any) -> Ref:
    """The same new dict as an instance of the class; a dict with dynamic keys stays a dict."""
    held = frame.held(target)
    if isinstance(held, Mapping_):
        frame.heap.contents[target.number] = dataclasses.replace(held, like=(cls, None))
    found: Ref = target
    return found


@protocol.attribute.of(Mapping_)
def attribute(frame: Frame, base: Value, name: str, node: gast.AST, hint: str = "t") -> Value:
    """A method, or the item under that name."""
    held = protocol.held_as(frame, base, Mapping_)
    cls: Any = dict if held.like is None else held.like[0]
    if not reads_items(cls) or hasattr(dict, name):
        return Bound(base, name)
    found = held.get(name)
    if found is None:
        known = ", ".join(f"`{key}`" for key, _ in held.items) or "none"
        message = f"`{cls.__name__}` has no attribute `{name}` here"
        frame.fault("U013", message, node, "looked up here", (f"its attributes: {known}",))
    return found


def by_library(frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Ref:
    """`dict_of_class(cls, **items)`."""
    cls = protocol.known(frame, args[0], node, "a class")
    return of_class(frame, cls, dict_methods.made(frame, [], kwargs, node))
