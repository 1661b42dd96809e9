"""How a layer says which of its fields are arrays and which are known when a function is compiled.

    @layer
    class Scale:
        weight: np.ndarray                  a parameter: differentiated, updated, saved
        axis: int = static(default=-1)      known when a function is compiled; the same in slopes and states

A class of one's own that holds arrays, layers and functions needs neither: a plain class or dataclass does.
"""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar, dataclass_transform

from .. import tree

Class = TypeVar("Class", bound=type)


def static(**options: Any) -> Any:
    """A field that is no parameter: `dataclasses.field` with `static=True` in its metadata."""
    return dataclasses.field(metadata={"static": True}, **options)


@dataclass_transform(field_specifiers=(static, dataclasses.field))
def layer(cls: Class) -> Class:
    """A dataclass whose fields made by `static` are known values: `dataclass` and `tree.register_dataclass` in one."""
    made: Class = tree.register_dataclass(dataclasses.dataclass(cls))
    return made
