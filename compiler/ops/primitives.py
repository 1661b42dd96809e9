"""Every operator as a function, for library functions written in the language.

    from pellucid.compiler.ops.primitives import sum, where      in `pellucid/numpy/statistics.py`

In CPython a primitive computes its row's `meaning`, so that a library function runs as it stands; the specialiser
recognises a `Primitive` and emits the operator.
"""

from __future__ import annotations

from typing import Any

from ..records import dataclass
from . import OPERATORS
from .schema import Operator


@dataclass(frozen=True, slots=True)
class Primitive:
    """One row as a function of its operands and static keywords."""

    row: Operator

    @property
    def name(self) -> str:
        return self.row.name

    def __call__(self, *operands: object, **static: object) -> Any:
        return self.row.meaning(*operands, **{**self.row.static, **static})


def __getattr__(name: str) -> Primitive:
    if name not in OPERATORS:
        raise AttributeError(f"there is no operator {name!r}")
    return PRIMITIVES.setdefault(name, Primitive(OPERATORS[name]))


PRIMITIVES: dict[str, Primitive] = {}
