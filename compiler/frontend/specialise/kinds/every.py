"""All kinds of values: importing their files registers their arms of the operations (`protocol.py`)."""

from . import (  # noqa: F401
    callables,
    containers,
    dicts,
    generators,
    growing_lists,
    handles,
    iterations,
    iterators,
    known_values,
    numeric,
    one_of,
    optional,
    ranges,
    records,
    rows,
    sequences,
    slices,
    strings,
)
