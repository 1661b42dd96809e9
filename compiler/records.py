"""Dataclasses that cost little to define: `dataclasses.dataclass` compiles up to eight functions for each class.

    @dataclass(frozen=True, slots=True)      `__init__`, `__eq__` and `__hash__`, compiled together when one of them is
    class Span: ...                   ->     first called; the rest is shared by all classes

The compiler has more than a hundred records, and half of the time of its import went into making them.  What these
classes do is the same, also for `dataclasses.replace`, `fields` and `is_dataclass`, for pickling and for `match`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError
from typing import Any, dataclass_transform


@dataclass_transform(field_specifiers=(dataclasses.field,))
def dataclass(
    cls: Any = None, *, frozen: bool = False, slots: bool = False, eq: bool = True, order: bool = False
) -> Any:
    """`dataclasses.dataclass` with these options."""

    def decorate(decorated: type) -> type:
        inherits = any(hasattr(base, "__dataclass_fields__") for base in decorated.__bases__)
        if inherits or order or not slots:
            return dataclasses.dataclass(frozen=frozen, slots=slots, eq=eq, order=order)(decorated)
        return _record(decorated, frozen, eq)

    return decorate if cls is None else decorate(cls)


def _record(cls: type, frozen: bool, eq: bool) -> type:
    """The class with slots for its fields, and methods for what it says itself."""
    given = dict(vars(cls))
    names = tuple(given.get("__annotations__", ()))
    found = {name: _field_of(given.pop(name, MISSING)) for name in names}
    for name in ("__dict__", "__weakref__"):
        given.pop(name, None)
    where = f"{cls.__module__}.{cls.__qualname__}"

    def compiled() -> dict[str, Any]:
        functions = _compiled(found, frozen, eq, "__post_init__" in given, where)
        for name in functions.keys() - given.keys():
            setattr(made, name, functions[name])
        return functions

    own = ("__init__", *(("__eq__",) if eq else ()), *(("__hash__",) if eq and frozen else ()))
    methods = {name: _later(name, compiled) for name in own}
    shared: dict[str, Any] = {
        "__slots__": names,
        "__match_args__": tuple(name for name, field in found.items() if field.init),
        "__repr__": _repr,
        "_record_fields": found,
        **{name: _Lazy(name, frozen) for name in ("__dataclass_fields__", "__dataclass_params__")},
    }
    if frozen:
        shared |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
        shared |= {"__getstate__": _get_state, "__setstate__": _set_state}
    if eq and not frozen:
        shared["__hash__"] = None
    made = type(cls)(cls.__name__, cls.__bases__, {**shared, **methods, **given, "__slots__": names})
    made.__qualname__ = cls.__qualname__
    return made


def _later(name: str, compiled: Callable[[], dict[str, Any]]) -> Any:
    """A method that the compiled one replaces when it is called: most runs make objects of half of the classes."""

    def method(*values: Any, **named: Any) -> Any:
        return compiled()[name](*values, **named)

    method.__name__ = name
    return method


def _field_of(default: Any) -> Field[Any]:
    return default if isinstance(default, Field) else dataclasses.field(default=default)


def _compiled(fields: dict[str, Field[Any]], frozen: bool, eq: bool, has_more: bool, where: str) -> dict[str, Any]:
    """`__init__`, and `__eq__` and `__hash__` if they are wanted."""
    space: dict[str, Any] = {"put": object.__setattr__, "ABSENT": MISSING}
    parameters, body = ["self"], []
    for name, field in fields.items():
        value = name
        if field.default_factory is not MISSING:
            space[f"new_{name}"] = field.default_factory
            value = f"new_{name}() if {name} is ABSENT else {name}" if field.init else f"new_{name}()"
            parameters += [f"{name}=ABSENT"] if field.init else []
        elif field.default is not MISSING:
            space[f"usual_{name}"] = field.default
            parameters += [f"{name}=usual_{name}"] if field.init else []
            value = name if field.init else f"usual_{name}"
        elif field.init:
            parameters.append(name)
        else:
            continue
        body.append(f"put(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    body += ["self.__post_init__()"] if has_more else []
    lines = [f"def __init__({', '.join(parameters)}):", *(f" {line}" for line in body or ["pass"])]
    if eq:
        mine, other = (_tuple([f"{side}.{n}" for n, f in fields.items() if f.compare]) for side in ("self", "other"))
        lines += ["def __eq__(self, other):", f" return {mine} == {other} if other.__class__ is self.__class__ else NO"]
        lines += ["def __hash__(self):", f" return hash({mine})"] if frozen else []
        space["NO"] = NotImplemented
    made: dict[str, Any] = {}
    exec(compile("\n".join(lines), f"<record {where}>", "exec"), space, made)
    for name, function in made.items():
        function.__qualname__ = f"{where.rpartition('.')[2]}.{name}"
    return made


def _tuple(parts: list[str]) -> str:
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


class _Lazy:
    """What `dataclasses` keeps in a class, made by `dataclasses` itself when somebody asks for it."""

    def __init__(self, name: str, frozen: bool) -> None:
        self.name, self.frozen = name, frozen

    def __get__(self, instance: object, owner: Any) -> Any:
        # with a docstring, as one that is missing is made of the signature, which takes long
        named = {"__annotations__": dict(owner.__annotations__), "__module__": owner.__module__, "__doc__": "Fields."}
        bare = type(owner.__name__, (), {**named, **owner._record_fields})
        frozen = self.frozen and self.name == "__dataclass_params__"
        plain: Any = dataclasses.dataclass(init=False, repr=False, eq=False, frozen=frozen)(bare)
        setattr(owner, self.name, getattr(plain, self.name))
        return getattr(plain, self.name)


# --- shared by all records -----------------------------------------------------------------------------------------


def _repr(self: Any) -> str:
    shown = (f"{name}={getattr(self, name)!r}" for name, field in self._record_fields.items() if field.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_to_set(self: Any, name: str, value: Any) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _get_state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__slots__]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__slots__, state, strict=True):
        object.__setattr__(self, name, value)
