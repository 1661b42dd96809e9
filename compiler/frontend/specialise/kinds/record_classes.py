"""Classes whose instances are taken apart into fields: dataclasses and NamedTuples.

    class Hit(NamedTuple): t: float; k: int     ->     the fields `t` and `k`, which cannot be assigned
"""

from __future__ import annotations

import dataclasses

from ....diagnostics import InternalError


def can_change(cls: type) -> bool:
    """Whether the attributes of an instance can be assigned."""
    is_frozen = getattr(getattr(cls, "__dataclass_params__", None), "frozen", False)
    return not is_frozen and not issubclass(cls, tuple)


def is_namedtuple_class(cls: object) -> bool:
    return isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")


def record_fields(cls: type) -> tuple[str, ...]:
    if is_namedtuple_class(cls):
        return tuple(cls._fields)  # type: ignore[attr-defined]
    if dataclasses.is_dataclass(cls):
        return tuple(f.name for f in dataclasses.fields(cls))
    raise InternalError("specialise", f"not a record: {cls!r}")
