"""Objects of other libraries that are containers: which class of the library stands for one, and how it is made again.

    csr_array((data, indices, indptr), shape)     ->     Csr(data, indices, indptr, columns)     and back

The table is of names, so that the other library is imported by who has its objects.  The class that stands for one has
`python`, the class itself, `shown`, what it is made of, and `of_python`, which takes an object apart.  `PLACES` says
by its `format` where native code finds the same parts in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np

# Where an object has a part: an attribute, or (attribute, which item, of how many) where that is a tuple.
Place: TypeAlias = str | tuple[str, int, int]
SPARSE = "pellucid.scipy.sparse_arrays"
# For modules of SciPy the classes in them, and the classes that stand for these.
STAND_INS: dict[str, dict[str, tuple[str, str]]] = {
    "scipy.sparse._csr": {"csr_array": (SPARSE, "Csr"), "csr_matrix": (SPARSE, "CsrMatrix")},
    "scipy.sparse._csc": {"csc_array": (SPARSE, "Csc"), "csc_matrix": (SPARSE, "CscMatrix")},
    "scipy.sparse._coo": {"coo_array": (SPARSE, "Coo"), "coo_matrix": (SPARSE, "CooMatrix")},
}

# The same of objects that are read alone: what compiled functions make of them stays in these classes.
CONSTRAINTS = "pellucid.scipy.optimize_constraints"
READ_AS: dict[str, dict[str, tuple[str, str]]] = {
    "scipy.optimize._constraints": {
        "Bounds": (CONSTRAINTS, "Limits"),
        "LinearConstraint": (CONSTRAINTS, "Rows"),
        "NonlinearConstraint": (CONSTRAINTS, "Limited"),
    },
}

PLACES: dict[str, tuple[Place, ...]] = {
    "csr": ("data", "indices", "indptr", ("_shape", 1, 2)),
    "csc": ("data", "indices", "indptr", ("_shape", 0, 2)),
    "coo": ("data", ("coords", 0, 2), ("coords", 1, 2), ("_shape", 0, 2), ("_shape", 1, 2)),
}


def stand_in_of(cls: type) -> Any:
    """The class of the library that stands for one of another library; None for any other class."""
    named = STAND_INS.get(cls.__module__)
    found = None if named is None else named.get(cls.__qualname__)
    return None if found is None else getattr(import_module(found[0]), found[1])


def is_foreign(cls: type) -> bool:
    return cls.__module__ in STAND_INS and cls.__qualname__ in STAND_INS[cls.__module__]


def taken_over(value: Any) -> Any:
    """The instance of the class that stands for a foreign one; any other value stays.

    Raises TypeError for one that has not two axes, or whose parts are no arrays.
    """
    module, name = type(value).__module__, type(value).__qualname__
    if module in READ_AS and name in READ_AS[module]:
        made_in, read_as = READ_AS[module][name]
        return getattr(import_module(made_in), read_as).of_python(value)
    own = stand_in_of(type(value)) if module in STAND_INS else None
    if own is None:
        return value
    if len(value.shape) != 2:
        kind = type(value).__name__
        raise TypeError(f"a {kind} of shape {value.shape} has not two axes: `reshape((1, -1))` gives it a row")
    for name in own.shown[:-1]:
        if not isinstance(getattr(value, name), np.ndarray):
            kind = type(getattr(value, name)).__name__
            raise TypeError(f"`{name}` of a {type(value).__name__} is a {kind}, and has to be an array")
    return own.of_python(value)


def is_stand_in(cls: type) -> bool:
    """Whether it is one of the classes of the library that stand for foreign ones."""
    return cls.__module__ == SPARSE and hasattr(cls, "of_python")


def parts_of(value: Any) -> tuple[tuple[str, ...], list[Any], tuple[int, int]]:
    """The names of the parts of a foreign object that are arrays, these, and its shape, which is none."""
    names = stand_in_of(type(value)).shown[:-1]
    return names, [getattr(value, name) for name in names], value.shape


@cache
def is_made_by_its_library(cls: type) -> bool:
    """Whether an instance needs more than its fields set."""
    return is_foreign(cls) or is_stand_in(cls)


def instance_of(cls: type, fields: dict[str, Any]) -> Any:
    """The foreign object with these fields, of its own class or of the one that stands for it."""
    if is_foreign(cls):
        *parts, shape = fields.values()
        return made(cls, parts, shape)
    return instance(cls, fields).to_python()


def instance(cls: type, fields: dict[str, Any]) -> Any:
    """An instance with these fields; nothing else is done."""
    found: Any = cls() if cls is SimpleNamespace else object.__new__(cls)
    for name, value in fields.items():
        object.__setattr__(found, name, value)
    return found


def made(cls: type, parts: Sequence[Any], shape: Sequence[Any]) -> Any:
    """A foreign object of its parts; what are no arrays, as in a tree of shapes, stay in a tuple.

    data, indices, indptr    as they are for rows or columns; `data, row, col` with the pair of positions
    """
    if any(not hasattr(part, "__array__") for part in parts):
        return (*parts, tuple(shape))
    values, first, second = map(np.asarray, parts)
    given = (values, first, second) if "row" not in stand_in_of(cls).shown else (values, (first, second))
    return cls(given, shape=tuple(map(int, shape)))
