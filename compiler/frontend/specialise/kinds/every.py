"""All kinds of values: with their files, the arms of the operations that they have are there (`protocol.py`)."""

from . import (
    callables,
    dicts,
    generators,
    growing_lists,
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
    texts,
)

KINDS = (
    callables, dicts, generators, growing_lists, iterations, iterators, known_values, numeric, one_of, optional, ranges,
    records, rows, sequences, slices, texts,
)  # fmt: skip
