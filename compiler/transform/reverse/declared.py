"""The declared type of a name, where it is known what kind of type it is."""

from __future__ import annotations

from collections.abc import Mapping

from ...diagnostics import InternalError
from ...types import Array, ListOf, Scalar, Type


def array_type(table: Mapping[str, Type], name: str) -> Array:
    type_ = table[name]
    if not isinstance(type_, Array):
        raise InternalError("reverse", name, f"an array is expected, not {type_}")
    return type_


def list_type(table: Mapping[str, Type], name: str) -> ListOf:
    type_ = table[name]
    if not isinstance(type_, ListOf):
        raise InternalError("reverse", name, f"a list is expected, not {type_}")
    return type_


def leaf_type(table: Mapping[str, Type], name: str) -> Scalar | Array:
    type_ = table[name]
    if isinstance(type_, ListOf):
        raise InternalError("reverse", name, f"a number or an array is expected, not {type_}")
    return type_
