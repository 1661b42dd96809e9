"""What the class of a value defines: methods, properties, operators.

    camera.project(x)       ->    Camera.project(camera, x), walked into as any function
    camera.rotation         ->    Camera.rotation.fget(camera)
    a + b                   ->    type(a).__add__(a, b), or type(b).__radd__(b, a)

An attribute is looked up as in Python, along the method resolution order, and every look-up is guarded.  Instances of
classes with mutable attributes are objects of the heap, as lists and dicts are.
"""

from __future__ import annotations

import functools
import types as python_types
from typing import Any, NoReturn

import gast

from .....runtime import frozen as freezing
from .....runtime.guards import ABSENT
from .....runtime.nature import article
from ....ops.python_names import is_in_library
from ....vocabulary import INSTEAD_OF_LIBRARY
from .. import protocol
from ..called_from import calls_to
from ..frame import Frame
from ..functional import Bound, Closure, Derived, Partial, Super
from ..interpreter import apply, refusals
from ..library import library
from ..objects import pools
from ..objects.heap import Owner, reachable
from ..objects.object_changes import change
from ..values import OneOf, Optional, Record, Ref, Static, Value, map_leaves
from ..world import outside
from . import iterators, library_classes, one_of, optional, sets
from .record_classes import can_change

# A class that looks up attributes in a way of its own is not followed.
OWN_WAYS = ("__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__new__")
GENERATED = "<string>"  # the file that the methods written by `dataclasses` say they come from


def instance(frame: Frame, value: Value) -> Record | None:
    """The attributes of an instance; None for any other value."""
    held = frame.held(value)
    if type(held) is Record:
        return held
    return pools.record(frame, held) if pools.is_pooled(held) else None


def class_of(frame: Frame, value: Value) -> type | None:
    """The class of an instance; None for values of other kinds."""
    held = frame.held(value)
    return held.cls if type(held) is Record or pools.is_pooled(held) else None


def entry(frame: Frame, cls: type, name: str, after: type | None = None) -> Any:
    """What a class, or its first base that has it, holds under a name; ABSENT if none does.  `after`: past it."""
    frame.namespace.attribute(cls, name)  # reading it guards the look-up
    order = cls.__mro__ if after is None else cls.__mro__[cls.__mro__.index(after) + 1 :]
    for base in order:
        if name in vars(base):
            return vars(base)[name]
    return ABSENT


@protocol.attribute.of(Record)
def attribute(frame: Frame, receiver: Value, name: str, node: gast.AST, hint: str = "t") -> Value:
    """`receiver.name` of an instance."""
    record = protocol.held_as(frame, receiver, Record)
    found = entry(frame, record.cls, name)
    part = record.get(name)
    if part is not None and not isinstance(found, property):
        return part
    return of_its_class(frame, receiver, record, name, found, node)


def of_its_class(frame: Frame, receiver: Value, record: Record, name: str, found: Any, node: gast.AST) -> Value:
    """`receiver.name`, where that is not an attribute of the instance's own."""
    if name == "__class__":
        return Static(record.cls)
    if found is ABSENT:
        no_attribute(frame, record, name, node)
    return bound(frame, receiver, record.cls, name, found, node)


def no_attribute(frame: Frame, record: Record, name: str, node: gast.AST) -> NoReturn:
    if entry(frame, record.cls, "__getattr__") is not ABSENT:
        message = f"`{record.cls.__name__}` finds attributes by a `__getattr__` of its own, which is not compiled"
        frame.fault("U013", message, node, "looked up here", ("make a field or a property of it",))
    own = library_classes.stands_for(record.cls)
    if own is set:
        sets.refuse_method(frame, name, node)
    if own is not None:
        refusals.refuse_method(frame, f"a {own.__name__} has", name, node)
    if is_in_library(record.cls.__module__):  # what stands for an object of SciPy's has part of what that has
        frame.fault("U012", f"`.{name}` is not supported here", node, "looked up here", (INSTEAD_OF_LIBRARY,))
    known = ", ".join(f"`{key}`" for key, _ in record.items) or "none"
    message = f"`{record.cls.__name__}` has no attribute `{name}` here"
    frame.fault("U013", message, node, "looked up here", (f"its attributes: {known}",))


@protocol.attribute.of(Super)
def _(frame: Frame, base: Super, name: str, node: gast.AST, hint: str = "t") -> Value:
    """`super().name`."""
    own = class_of(frame, base.receiver)
    cls: type = protocol.known(frame, base.receiver, node) if own is None else own
    found = entry(frame, cls, name, after=base.cls)
    if found is ABSENT:
        frame.fault("U013", f"no base of `{base.cls.__name__}` has an attribute `{name}`", node, "looked up here")
    if own is None:
        return without_instance(frame, cls, name, found, node)
    return bound(frame, base.receiver, cls, name, found, node)


def bound(frame: Frame, receiver: Value, cls: type, name: str, found: Any, node: gast.AST) -> Value:
    """What a class holds, as accessed through an instance."""
    match found:
        case property(fget=function):
            return called(frame, function, [receiver], node)
        case functools.cached_property(func=function):
            return kept(frame, called(frame, function, [receiver], node), f"{cls.__name__}.{name}", node)
        case functools.partialmethod(func=function, args=args, keywords=keywords):
            named = tuple((key, outside.read(frame, value, key, node)) for key, value in keywords.items())
            first = (receiver, *(outside.read(frame, value, name, node) for value in args))
            return Partial(method(frame, function, node), first, named)
        case python_types.FunctionType() if found.__module__ == "collections":
            return Bound(receiver, name)  # `_replace` and the like
        case python_types.FunctionType() | python_types.WrapperDescriptorType() | python_types.MethodDescriptorType():
            return Partial(method(frame, found, node), (receiver,))
    if is_function(found):
        return Partial(method(frame, found, node), (receiver,))
    return without_instance(frame, cls, name, found, node)


def without_instance(frame: Frame, cls: type, name: str, found: Any, node: gast.AST) -> Value:
    """What a class holds, if no instance is needed for it."""
    match found:
        case staticmethod(__func__=function):
            return method(frame, function, node)
        case classmethod(__func__=function):
            return Partial(method(frame, function, node), (Static(cls),))
        case python_types.FunctionType() | python_types.WrapperDescriptorType():
            return method(frame, found, node)
    if is_function(found):
        return method(frame, found, node)
    if hasattr(type(found), "__get__"):
        message = f"`{cls.__name__}.{name}` is a `{type(found).__name__}`, which cannot be seen into"
        frame.fault("U013", message, node, "looked up here", ("write a method or a property",))
    place = freezing.attribute(cls, name)
    if outside.is_frozen(frame, place, name):
        return outside.frozen(frame, place, f"{cls.__name__}.{name}", node)
    return outside.read(frame, found, f"{cls.__name__}.{name}", node, place)


def of_class(frame: Frame, cls: type, name: str, node: gast.AST) -> Value | None:
    """`cls.name`, where that is a method of a class of the user's; None for anything else."""
    metaclass: type = type(cls)
    if not apply.is_users_class(cls) or any(name in vars(way) for way in metaclass.__mro__[:-2]):
        return None
    found = entry(frame, cls, name)
    is_method = isinstance(found, classmethod | staticmethod | python_types.FunctionType) or is_function(found)
    return without_instance(frame, cls, name, found, node) if is_method else None


def method(frame: Frame, function: Any, node: gast.AST) -> Value:
    """A method, which is judged when it is first called: other methods of its class may be impure."""
    plain = inside(function)
    if isinstance(plain, python_types.FunctionType):
        judge(frame, plain)
    return Static(function)


def judge(frame: Frame, function: python_types.FunctionType) -> None:
    """Raise the faults of a function that was not seen when the one that is compiled was decorated."""
    is_own = function.__code__.co_filename == GENERATED or library.is_library(function)
    if not is_own and frame.task.judge is not None:
        frame.task.judge(function, calls_to(frame), frame.task.kept)


def inside(function: Any) -> Any:
    """The function of Python's that one wraps."""
    while is_function(function):
        function = function.__wrapped__
    return function


def is_function(value: Any) -> bool:
    """Whether it is a function that wraps a Python function: a compiled one, or one that caches its results."""
    return hasattr(value, "__pellucid__") or isinstance(value, functools._lru_cache_wrapper)


def called(frame: Frame, function: Any, args: list[Value], node: gast.AST, **named: Value) -> Value:
    """The result of calling a method found in a class."""
    return protocol.call(frame, method(frame, function, node), args, named, node)


def kept(frame: Frame, value: Value, name: str, node: gast.AST) -> Value:
    """A value that is computed once and cached: all calls return the same objects, so nothing may change them."""
    owner = Owner("kept", name)
    for number in reachable([value], frame.heap.contents):
        frame.heap.owners.setdefault(number, owner)
    return map_leaves(value, lambda part, _: _locked(frame, part, node))


def _locked(frame: Frame, part: Value, node: gast.AST) -> Value:
    """An array that the alias check lets nothing store into."""
    if not frame.is_array(part):
        return part
    made = frame.emit("copy", part, node=node, hint="kept")
    statement = frame.builder.body[-1]
    statement.shows, statement.locked = (), True
    return made


def is_of_classes(frame: Frame, value: Value, wanted: tuple[type, ...], node: gast.AST) -> Value:
    """Whether a value is of one of these classes; if it may be None, this may be known only at run time."""
    value = frame.held(value)
    if isinstance(value, Optional):
        of_value = is_of_classes(frame, value.inner, wanted, node)
        if of_value == Static(isinstance(None, wanted)):
            return of_value
        return optional.is_present(frame, value, node) if of_value == Static(True) else value.absent
    if isinstance(value, OneOf):
        return one_of.is_of_classes(frame, value, wanted, node)
    if isinstance(value, Static):
        return Static(isinstance(value.value, wanted))
    kind = protocol.python_class(frame, value)
    if kind is None:
        frame.fault("U018", f"of which class {article(frame.describe(value))} is cannot be asked", node, "asked here",
                    ("leave the question out: a value of the program has one class",))  # fmt: skip
    return Static(issubclass(kind, wanted))


def as_classes(given: Any) -> tuple[type, ...]:
    """The second argument of `isinstance`: a class, a tuple of them, nested ones, `int | float`."""
    if isinstance(given, tuple):
        return tuple(cls for part in given for cls in as_classes(part))
    return tuple(given.__args__) if isinstance(given, python_types.UnionType) else (given,)


def is_any_of(left: Any, right: Any) -> bool:
    """Whether `left | right` is a class out of several: `float | None`."""
    return any(isinstance(side, type | python_types.UnionType) for side in (left, right))


def is_callable(frame: Frame, value: Value) -> bool:
    if isinstance(value, Closure | Derived | Partial | Bound):
        return True
    if instance(frame, value) is not None:
        return special(frame, value, "__call__") is not None
    return isinstance(value, Static) and callable(value.value)


# --- changes -------------------------------------------------------------------------------------------------------


def assign(frame: Frame, receiver: Value, name: str, value: Value | None, node: gast.AST) -> None:
    """`receiver.name = value`; None: `del receiver.name`."""
    message = protocol.NO_ATTRIBUTE.format(name)
    _assign(frame, protocol.present(frame, receiver, node, message, "AttributeError"), name, value, node)


@protocol.lifted()
def _assign(frame: Frame, receiver: Value, name: str, value: Value | None, node: gast.AST) -> None:
    record = instance(frame, receiver)
    if record is None or not (isinstance(receiver, Ref) or pools.is_pooled(receiver)):
        refuse_to_assign(frame, receiver, name, node)
    found = entry(frame, record.cls, name)
    if isinstance(found, property):
        if found.fset is None or value is None:
            frame.fault("P003", f"`{name}` is a property without a setter", node, "assigned here")
        called(frame, found.fset, [receiver, value], node)
        return None
    if not can_change(record.cls):
        refuse_to_assign(frame, receiver, name, node)
    if isinstance(receiver, Ref):
        return set_attribute(frame, receiver, name, value, node)
    if value is None or record.get(name) is None:
        no_attribute(frame, record, name, node)
    return pools.assign(frame, receiver, name, value, node)


def refuse_to_assign(frame: Frame, receiver: Value, name: str, node: gast.AST) -> NoReturn:
    record = instance(frame, receiver)
    if record is not None:
        instead = "_replace" if record.is_tuple else "dataclasses.replace"
        how = f"record._replace({name}=...)" if record.is_tuple else f"dataclasses.replace(record, {name}=...)"
        message = f"this assigns the attribute `{name}` of a `{record.cls.__name__}`, which cannot change"
        frame.fault("P003", message, node, "assigned here", (f"make a new one with `{instead}`: `{how}`",))
    message = f"this function writes the attribute `{name}` of {article(frame.describe(receiver))}"
    frame.fault("P003", message, node, "written here", ("keep it in a variable and return it",))


def set_attribute(frame: Frame, receiver: Ref, name: str, value: Value | None, node: gast.AST) -> None:
    """Bind an attribute of an instance anew, whatever its class says of assignments."""
    record = protocol.held_as(frame, receiver, Record)
    if value is None and record.get(name) is None:
        no_attribute(frame, record, name, node)
    if not record.cls.__dictoffset__ and entry(frame, record.cls, name) is ABSENT:
        message = f"`{record.cls.__name__}` has `__slots__`, and `{name}` is not among them"
        frame.fault("U013", message, node, "assigned here")
    change(frame, receiver, record.with_attribute(name, value), node)


# --- operators -----------------------------------------------------------------------------------------------------


def special(frame: Frame, value: Value, name: str) -> Any:
    """A method of the class that Python calls by itself, such as `__len__`, if the user wrote it; else None."""
    cls = class_of(frame, value)
    found = ABSENT if cls is None else entry(frame, cls, name)
    if isinstance(found, python_types.FunctionType):
        return found
    return found if is_function(found) else None


def special_call(frame: Frame, value: Value, name: str, args: list[Value], node: gast.AST) -> Value | None:
    """The result of such a method; None if there is no method, or if it returns `NotImplemented`."""
    found = special(frame, value, name)
    if found is None:
        return None
    result = called(frame, found, [value, *args], node)
    return None if result == Static(NotImplemented) else result


def iterator_of(frame: Frame, value: Value, node: gast.AST) -> Value:
    """What a loop over an instance iterates over: the result of its `__iter__`."""
    if isinstance(value, Optional):
        value = protocol.present(frame, value, node, "'NoneType' object is not iterable")
    if isinstance(value, OneOf):
        return one_of.items(frame, value, node)
    if sets.is_set(frame, value):
        if not getattr(node, "any_order", False):
            sets.refuse_order(frame, node)
        setattr(node, "was_set", True)  # noqa: B010
        return sets.items_of(frame, value, node)
    if class_of(frame, value) is None:
        return value
    found = special_call(frame, value, "__iter__", [], node)
    return value if found is None else iterator_of(frame, found, node)


def iterable(frame: Frame, value: Value, node: gast.AST) -> Value:
    """A value with all the items of an iterable; an iterator is exhausted by this."""
    return iterators.taken(frame, iterator_of(frame, value, node), node)
