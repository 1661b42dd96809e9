"""The base class of compiled functions: room for a vectorcall and a state, and no behaviour.

    class Function(base_class()): def __call__(self, ...): ...     called as any Python object
    enable(Function); attach(f, call, state)                       f is called by machine code from now on

The interpreter takes the address of the vectorcall from the object where the class says so; while it is null, the
class's own `__call__` is called.  Machine addresses cannot stand in `__slots__`, where the garbage collector would
take them for objects, so the class is made by PyType_FromSpec with members that are plain words.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import Any

from . import support

CALL_OFFSET, STATE_OFFSET, SIZE = 16, 24, 32
TYPE_VECTORCALL_OFFSET, TYPE_FLAGS = 56, 168  # of fields in a type object
MEMBERS, CALL = 72, 50  # numbers of slots in a type's specification
SSIZE, READ_ONLY = 19, 1
DEFAULT, SUBCLASSABLE, VECTORCALL = 1 << 18, 1 << 10, 1 << 11


class _Member(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("offset", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Slot(ctypes.Structure):
    _fields_ = (("slot", ctypes.c_int), ("function", ctypes.c_void_p))


class _Specification(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("basicsize", ctypes.c_int),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.POINTER(_Slot)),
    )


class Plain:
    """The base class where there is no native dispatch."""

    __slots__ = ()


@lru_cache(maxsize=1)
def base_class() -> Any:
    """The base class of compiled functions."""
    if support.reason() is not None:
        return Plain
    members = (_Member * 2)(_Member(b"__vectorcalloffset__", SSIZE, CALL_OFFSET, READ_ONLY, None))
    slots = (_Slot * 3)(
        _Slot(MEMBERS, ctypes.addressof(members)), _Slot(CALL, support.address("PyVectorcall_Call"))
    )  # fmt: skip
    flags = DEFAULT | SUBCLASSABLE | VECTORCALL
    made = _Specification(b"pellucid.runtime.dispatch.NativelyCalled", SIZE, 0, flags, slots)
    make = ctypes.pythonapi.PyType_FromSpec
    make.restype, make.argtypes = ctypes.py_object, [ctypes.POINTER(_Specification)]
    cls = make(made)
    cls._specification = made, members, slots  # the class may refer to them
    return cls


def enable(cls: type) -> bool:
    """Let the interpreter call instances natively; a class that has its own `__call__` does not inherit that."""
    if cls.__flags__ & VECTORCALL:
        return True
    flags = ctypes.c_uint64.from_address(id(cls) + TYPE_FLAGS)
    if support.word(id(cls) + TYPE_VECTORCALL_OFFSET) != CALL_OFFSET or flags.value != cls.__flags__:
        return False
    flags.value |= VECTORCALL
    return True


def attach(function: object, call: int, state: int) -> None:
    """Let calls of this object go to machine code, which finds its state in the object."""
    ctypes.c_uint64.from_address(id(function) + STATE_OFFSET).value = state
    ctypes.c_uint64.from_address(id(function) + CALL_OFFSET).value = call
