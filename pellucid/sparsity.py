"""Which elements of a derivative may be other than zero, and the derivative from few directions.

    find_pattern(reaches, parts, rows)      reaches(mask): what of the results depends on what the mask marks
    compressed(pattern, is_symmetric)       the directions, and where each element is found in what they give
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .colouring import acyclic_colours, column_colours, leaves_first, ready, star_colours, substituted

LONGEST = 64  # elements that are subtracted one after the other: two digits at most
PIECES = 4  # in which a block of columns is cut: of 2 and 4 the product of pieces and rounds is least

Reaches = Callable[[np.ndarray], np.ndarray]


def sparse() -> Any:
    """The module scipy.sparse; ImportError where SciPy is not installed."""
    try:
        import scipy.sparse
    except ImportError:
        message = "sparse=True gives arrays of scipy.sparse, and SciPy is not installed: `pip install scipy`"
        raise ImportError(message) from None
    return scipy.sparse


def find_pattern(reaches: Reaches, parts: Sequence[int], rows: int) -> Any:
    """The pattern of a matrix of this number of rows, whose columns come in parts of these lengths.

    reaches  which rows depend on any of the columns that a mask marks

    Blocks of columns are cut in pieces, round after round.  Blocks that no row depends on together share a question:
    the answer tells of each row on which piece of its block it depends.
    """
    bounds = np.cumsum([0, *parts])
    starts, ends = bounds[:-1][np.diff(bounds) > 0], bounds[1:][np.diff(bounds) > 0]
    found = []
    for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
        hit = np.flatnonzero(_asked(reaches, bounds[-1], start, end))
        found.append((hit, np.full(len(hit), place)))
    row, block = _joined(found)
    while np.any(ends - starts > 1):
        row, block, starts, ends = _cut(reaches, rows, bounds[-1], row, block, starts, ends)
    where = (row, starts[block])
    return sparse().csr_array((np.ones(len(row), dtype=bool), where), shape=(rows, int(bounds[-1])))


def _asked(reaches: Reaches, columns: int, start: int, end: int) -> np.ndarray:
    mask = np.zeros(columns)
    mask[start:end] = 1.0
    return reaches(mask)


def _joined(found: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    none = np.zeros(0, dtype=np.int64)
    return np.concatenate([none, *(a for a, _ in found)]), np.concatenate([none, *(b for _, b in found)])


def _cut(
    reaches: Reaches, rows: int, columns: int, row: np.ndarray, block: np.ndarray, starts: np.ndarray, ends: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The pattern by the pieces of the blocks."""
    colour = _colours_of(sparse().csr_array((np.ones(len(row), dtype=bool), (row, block)), shape=(rows, len(starts))))
    edges = np.stack([starts + (ends - starts) * piece // PIECES for piece in range(PIECES + 1)])
    found = []
    for shade in range(colour.max(initial=-1) + 1):
        own = np.full(rows, -1)  # the one block of this colour that a row depends on
        mine = colour[block] == shade
        own[row[mine]] = block[mine]
        members = np.flatnonzero(colour == shade)
        for piece in range(PIECES):
            mask = np.zeros(columns + 1)
            np.add.at(mask, edges[piece, members], 1.0)
            np.add.at(mask, edges[piece + 1, members], -1.0)
            mask = np.cumsum(mask)[:-1]
            hit = np.flatnonzero(reaches(mask) & (own >= 0)) if mask.any() else np.zeros(0, dtype=np.int64)
            found.append((hit, own[hit] * PIECES + piece))
    row, block = _joined(found)
    starts, ends = edges[:-1].T.ravel(), edges[1:].T.ravel()
    kept = np.unique(block)  # pieces that nothing depends on, and empty ones, are not asked for again
    return row, np.searchsorted(kept, block), starts[kept], ends[kept]


def _colours_of(pattern: Any) -> np.ndarray:
    by_columns = pattern.tocsc()
    wide = [part.astype(np.int64) for part in (pattern.indptr, pattern.indices, by_columns.indptr, by_columns.indices)]
    return np.asarray(ready(column_colours)(*wide))


@dataclass(frozen=True)
class Compressed:
    """A pattern, and how its elements are found in the derivatives along `directions`.

    colour     of each column: the direction that it is in
    place      of each element: where it is in the derivatives along all directions, those of a direction side by side
    trees      where elements are found by substitution: of each the sum that it is left in, and the other one that it
               is taken from.  `place` counts them after the derivatives
    held       blocks, by their lengths
    tangents   the directions as arguments, by the types of these
    """

    pattern: Any
    colour: np.ndarray
    place: np.ndarray
    trees: tuple[np.ndarray, np.ndarray] | None = None
    is_symmetric: bool = False
    held: dict[Any, list[list[_Block]]] = field(default_factory=dict)
    tangents: dict[Any, list[tuple[Any, ...]]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return int(self.colour.max(initial=-1)) + 1

    def blocks(self, values: np.ndarray, rows: Sequence[int], columns: Sequence[int]) -> list[list[Any]]:
        """The matrix in blocks of these lengths, given the derivatives of all rows along each direction."""
        data = self.elements(values)
        return [[part.of(data) for part in line] for line in self._parts(tuple(rows), tuple(columns))]

    @property
    def colouring(self) -> str:
        """Which colouring the directions are from, in words."""
        if self.trees is not None:
            return "an acyclic colouring: elements are subtracted from sums"
        return "a star colouring" if self.is_symmetric else "a colouring of columns"

    def elements(self, values: np.ndarray) -> np.ndarray:
        """The elements of the pattern, given the derivatives of all rows along each direction."""
        flat = values.ravel()
        if self.trees is not None:
            flat = np.concatenate((flat, ready(substituted)(flat, *self.trees)))
        return flat[self.place]

    def times(self, values: np.ndarray, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The matrix times a vector, and the sum of the sizes of what is added."""
        rows = self.pattern.shape[0]
        data = self.elements(values) * vector[self.pattern.indices]
        places = np.repeat(np.arange(rows), np.diff(self.pattern.indptr))
        return np.bincount(places, data, rows), np.bincount(places, np.abs(data), rows)

    def _parts(self, rows: tuple[int, ...], columns: tuple[int, ...]) -> list[list[_Block]]:
        if (rows, columns) not in self.held:
            self.held[rows, columns] = [
                [_block(self.pattern, a, b, c, d) for c, d in _spans(columns)] for a, b in _spans(rows)
            ]
        return self.held[rows, columns]


@dataclass(frozen=True)
class _Block:
    """A block of a sparse matrix: its own pattern, and which of the elements of the whole are in it."""

    pattern: Any
    taken: np.ndarray | slice

    def of(self, data: np.ndarray) -> Any:
        pattern = self.pattern
        place = pattern.indices.copy(), pattern.indptr.copy()
        taken = data[self.taken]
        if taken.dtype == np.float16:  # which SciPy's arrays are not made of
            taken = taken.astype(np.float32)
        return sparse().csr_array((taken, *place), shape=pattern.shape)


def _block(pattern: Any, top: int, bottom: int, left: int, right: int) -> _Block:
    if (bottom - top, right - left) == pattern.shape:
        return _Block(pattern, slice(None))
    numbered = sparse().csr_array((np.arange(1, pattern.nnz + 1), pattern.indices, pattern.indptr), shape=pattern.shape)
    part = numbered[top:bottom, left:right]
    return _Block(part, part.data - 1)


def _spans(lengths: Sequence[int]) -> list[tuple[int, int]]:
    ends = [0, *np.cumsum(lengths, dtype=np.int64).tolist()]
    return list(itertools.pairwise(ends))


def compressed(pattern: Any, is_symmetric: bool) -> Compressed:
    """The directions for a pattern: a row for each element that may be other than zero."""
    pattern = pattern.tocsr()
    pattern.sort_indices()
    row = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    column = pattern.indices.astype(np.int64)
    if not is_symmetric:
        colour = _colours_of(pattern)
        return Compressed(pattern, colour, colour[column] * pattern.shape[0] + row)
    start = pattern.indptr.astype(np.int64)
    star = _by_star(pattern, start, row, column)
    return _by_substitution(pattern, start, row, column, star.count) or star


def _by_star(pattern: Any, start: np.ndarray, row: np.ndarray, column: np.ndarray) -> Compressed:
    """Each element from a derivative in which it is alone."""
    colour = np.asarray(ready(star_colours)(start, column))
    key = row * (int(colour.max(initial=-1)) + 1) + colour[column]
    _, place, count = np.unique(key, return_inverse=True, return_counts=True)
    is_alone = count[place] == 1  # among the elements of its row in columns of its colour; else it is in its column
    direction, line = np.where(is_alone, colour[column], colour[row]), np.where(is_alone, row, column)
    return Compressed(pattern, colour, direction * pattern.shape[0] + line, is_symmetric=True)


def _by_substitution(
    pattern: Any, start: np.ndarray, row: np.ndarray, column: np.ndarray, count: int
) -> Compressed | None:
    """Elements one after the other, where that takes fewer directions, and no long chains of them."""
    lower, size = row > column, pattern.shape[0]
    edges = int(np.sum(lower))
    if count < 4 or edges == 0:  # there is little to be had, and a colouring more to be compiled
        return None
    key, pairs = np.minimum(row, column) * size + np.maximum(row, column), (row[lower], column[lower])
    numbers = np.searchsorted(np.sort(key[lower]), key)
    colour = np.asarray(ready(acyclic_colours)(start, column, numbers, edges))
    if colour.max() + 1 >= count:
        return None
    order = np.argsort(key[lower], kind="stable")
    one, other = (side[order] for side in pairs)
    sums = (int(colour.max()) + 1) * size
    found = ready(leaves_first)(colour[other] * size + one, colour[one] * size + other, sums)
    own, rest, number, longest = map(np.asarray, found)
    if longest > LONGEST:
        return None
    place_of = np.empty(edges, dtype=np.int64)
    place_of[number] = np.arange(edges)
    inside = np.minimum(numbers, edges - 1)
    place = np.where(row == column, colour[row] * size + row, sums + place_of[inside])
    return Compressed(pattern, colour, place, (own, rest), is_symmetric=True)
