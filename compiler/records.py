"""Dataclasses that cost little to define: `dataclasses.dataclass` compiles up to eight functions for each class.

    @dataclass(frozen=True, slots=True)      an `__init__` made when it is first called, of code that is compiled once
    class Span: ...                   ->     for all classes with as many fields; the rest needs no code of its own

The compiler has more than a hundred records, and half of the time of its import went into making them.  What these
classes do is the same, also for `dataclasses.replace`, `fields` and `is_dataclass`, for pickling and for `match`.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, Field, FrozenInstanceError
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType
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
    has_more = "__post_init__" in given
    for name in ("__dict__", "__weakref__"):
        given.pop(name, None)
    where = f"{cls.__module__}.{cls.__qualname__}"

    def first_init(*values: Any, **named: Any) -> None:
        """The real one takes its place when it is called: most runs make objects of half of the classes."""
        real = _init(found, frozen, has_more, where)
        if vars(made)["__init__"] is first_init:
            setattr(made, "__init__", real)  # noqa: B010
        real(*values, **named)

    shared: dict[str, Any] = {
        "__slots__": names,
        "__match_args__": tuple(name for name, field in found.items() if field.init),
        "__repr__": _repr,
        "_record_fields": found,
        **{name: _Lazy(name, frozen) for name in ("__dataclass_fields__", "__dataclass_params__")},
    }
    if eq:
        shared |= _comparing(tuple(name for name, field in found.items() if field.compare), frozen)
    if frozen:
        shared |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
        shared |= {"__getstate__": _get_state, "__setstate__": _set_state}
    made = type(cls)(cls.__name__, cls.__bases__, {"__init__": first_init, **shared, **given, "__slots__": names})
    made.__qualname__ = cls.__qualname__
    return made


def _field_of(default: Any) -> Field[Any]:
    return default if isinstance(default, Field) else dataclasses.field(default=default)


def _comparing(names: tuple[str, ...], frozen: bool) -> dict[str, Any]:
    """Equality and hash: those of the tuple of these fields."""
    values = attrgetter(*(names if len(names) != 1 else names * 2)) if names else lambda record: ()

    def __eq__(self: Any, other: Any) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__ if frozen else None}


def _init(fields: dict[str, Field[Any]], frozen: bool, has_more: bool, where: str) -> Any:
    """`__init__` for these fields: that for fields called f0, f1, ..., renamed."""
    space: dict[str, Any] = {"put": object.__setattr__, "ABSENT": MISSING}
    usual: list[Any] = []
    for number, field in enumerate(fields.values()):
        is_made = field.default_factory is not MISSING
        space[f"own{number}"] = field.default_factory if is_made else field.default
        if field.init and (is_made or field.default is not MISSING):
            usual.append(MISSING if is_made else field.default)
    code = _init_code(tuple(map(_origin, fields.values())), frozen, has_more)
    real = {f"f{number}": name for number, name in enumerate(fields)}
    renamed = code.replace(
        co_name="__init__",
        co_qualname=f"{where.rpartition('.')[2]}.__init__",
        co_filename=f"<record {where}>",
        co_names=tuple(real.get(name, name) for name in code.co_names),
        co_varnames=tuple(real.get(name, name) for name in code.co_varnames),
        co_consts=tuple(real.get(value, value) if type(value) is str else value for value in code.co_consts),
    )
    return FunctionType(renamed, space, "__init__", tuple(usual))


# Where a field has its value from: an argument, an argument or else a call of its factory; its factory; its default.
GIVEN, GIVEN_OR_MADE, MADE, FIXED, NOWHERE = "given", "given or made", "made", "fixed", "nowhere"


def _origin(field: Field[Any]) -> str:
    is_made = field.default_factory is not MISSING
    if field.init:
        return GIVEN_OR_MADE if is_made else GIVEN
    return MADE if is_made else NOWHERE if field.default is MISSING else FIXED


@cache
def _init_code(origins: tuple[str, ...], frozen: bool, has_more: bool) -> CodeType:
    parameters, body = ["self"], []
    for number, origin in enumerate(origins):
        name, made = f"f{number}", f"own{number}()"
        parameters += [name] if origin in (GIVEN, GIVEN_OR_MADE) else []
        values = {GIVEN: name, GIVEN_OR_MADE: f"{made} if {name} is ABSENT else {name}", MADE: made}
        value = values.get(origin, f"own{number}")
        if origin != NOWHERE:
            body.append(f"put(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    body += ["self.__post_init__()"] if has_more else []
    lines = [f"def __init__({', '.join(parameters)}):", *(f" {line}" for line in body or ["pass"])]
    module = compile("\n".join(lines), "<record>", "exec")
    return next(value for value in module.co_consts if isinstance(value, CodeType))


class _Lazy:
    """What `dataclasses` keeps in a class, made by `dataclasses` itself at first use."""

    def __init__(self, name: str, frozen: bool) -> None:
        self.name, self.frozen = name, frozen

    def __get__(self, instance: object, owner: Any) -> Any:
        owner = next(c for c in owner.__mro__ if "_record_fields" in vars(c))  # a class below may add none of its own
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
    return [getattr(self, name) for name in self._record_fields]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(self._record_fields, state, strict=True):
        object.__setattr__(self, name, value)
