"""The operator table: one row per operator.

`schema` says what a row is, `kinds` makes rows of each kind, `type_rules` and `cotangents` hold what kinds share; the
other modules are the rows.  `python_names` says which dotted names of Python mean which row or library function.
"""

from . import (
    arithmetic,
    collectives,
    comparison,
    complex_numbers,
    creation,
    library,
    linalg,
    mathematics,
    reduction,
    shape,
    special_functions,
    stopped,
    transcendental,
)
from .schema import BY_PYTHON_NAME, OPERATORS, Operator, TypeFault

__all__ = [
    "BY_PYTHON_NAME", "OPERATORS", "Operator", "TypeFault", "arithmetic", "collectives", "comparison",
    "complex_numbers", "creation", "library", "linalg", "mathematics", "reduction", "shape", "special_functions",
    "stopped", "transcendental",
]  # fmt: skip
