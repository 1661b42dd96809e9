"""Values on grids: `scipy.interpolate.RegularGridInterpolator interpn`.

    g = RegularGridInterpolator((x, y), values);  g(points)    the weighted sum of the corners of the cell around each
    method="cubic"                                             that of B-splines along each axis

Source: C. de Boor, A Practical Guide to Splines (1978), chapter 17.
"""

import itertools
from dataclasses import dataclass
from math import nan

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.interpolation import searchsorted
from ..numpy.manipulation import as_array, flip, moveaxis, total
from .piecewise import before
from .special import of_floats
from .splines import basis, coefficients, usual_knots

DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5}


@dataclass
class GridInterpolator:
    """Values on the grid of points along each axis."""

    grid: tuple
    values: np.ndarray
    tail: tuple
    method: str
    bounds_error: bool
    fill_value: object

    def __call__(self, xi, method=None):
        word = self.method if method is None else method
        count = len(self.grid)
        if static.is_sequence(xi) and static.is_sequence(xi[0]):
            xi = np.stack([np.stack([of_floats(part) for part in point]) for point in xi])
        if static.is_sequence(xi):
            shape = np.broadcast_shapes(*[np.shape(part) for part in xi])
            xi = np.stack([np.broadcast_to(of_floats(part), shape) for part in xi], -1)
        at = of_floats(as_array(xi))
        flat = op.reshape(at, shape=(total(at.shape[:-1]), at.shape[-1])) if static.rank(at) > 1 else at[None, :]
        if flat.shape[1] != count:
            raise ValueError(
                f"The requested sample points xi have dimension {flat.shape[1]}, but this RegularGridInterpolator has "
                f"dimension {count}"
            )
        inside = flat[:, 0] == flat[:, 0]
        for axis, line in enumerate(self.grid):
            x = flat[:, axis]
            inside = op.logical_and(inside, op.logical_and(x >= line[0], x <= line[-1]))
        if self.bounds_error and not op.all(inside):
            raise ValueError("One of the requested xi is out of bounds")
        if word not in ("linear", "nearest", *DEGREES):
            known = "'linear', 'nearest', 'slinear', 'cubic' and 'quintic'"
            static.refuse("U012", f"values on grids are interpolated by the methods {known}, not {word!r}")
        table, weights, cells = self.values, [], []
        for axis, line in enumerate(self.grid):
            x = flat[:, axis]
            if word in DEGREES:
                k, n = DEGREES[word], line.shape[0]
                knots = usual_knots(line, k)
                table = along_axis(table, axis, line, knots, k)
                i = op.minimum(op.maximum(searchsorted(knots, x, "right") - 1, k), n - 1)
                weights.append(tuple(basis(knots, i, k, x)))
                cells.append(i - k)
            else:
                i = before(line, x)
                share = (x - line[i]) / (line[i + 1] - line[i])
                weights.append((1.0,) if word == "nearest" else (1.0 - share, share))
                cells.append(i + op.cast(share > 0.5, dtype="i64") if word == "nearest" else i)
        found = self.summed(table, weights, cells)
        if not self.bounds_error and self.fill_value is not None:
            found = op.where(inside[:, None] if static.rank(found) == 2 else inside, found, self.fill_value)
        if static.rank(at) == 1 and len(self.tail) == 0:
            return found
        return op.reshape(found, shape=((*at.shape[:-1], *self.tail) if static.rank(at) > 1 else (1, *self.tail)))

    def summed(self, table, weights, cells):
        """Over all corners of the cell around each point."""
        found = 0.0
        for corner in itertools.product(*[range(len(row)) for row in weights]):
            weight, place = 1.0, []
            for axis, k in enumerate(corner):
                weight = weight * weights[axis][k]
                place.append(cells[axis] + k)
            part = table[tuple(place)]
            is_plain = static.rank(part) == 1 or static.rank(weight) == 0
            found = found + (weight if is_plain else weight[:, None]) * part
        return found


def along_axis(table, axis, line, knots, k):
    """The coefficients of the splines along an axis."""
    if line.shape[0] <= k:
        raise ValueError(f"There are {line.shape[0]} points in dimension {axis}, but the method requires {k + 1}")
    rows = moveaxis(table, axis, 0)
    found = coefficients(line, op.reshape(rows, shape=(rows.shape[0], total(rows.shape[1:]))), knots, k)
    return moveaxis(op.reshape(found, shape=rows.shape), 0, axis)


def RegularGridInterpolator(points, values, method="linear", bounds_error=True, fill_value=nan):
    """`points`: a tuple of the points along each axis, which grow or fall; values outside raise unless
    `bounds_error=False`."""
    values = of_floats(as_array(values))
    count = len(points)
    if count > static.rank(values):
        raise ValueError(f"There are {count} point arrays, but values has {static.rank(values)} dimensions")
    grid = []
    for axis, line in enumerate(points):
        line = of_floats(as_array(line))
        if line.shape[0] != values.shape[axis]:
            raise ValueError(f"There are {line.shape[0]} points and {values.shape[axis]} values along dimension {axis}")
        falls = line[0] > line[-1]
        line, values = op.where(falls, line[::-1], line), op.where(falls, flip(values, axis), values)
        if op.any(line[1:] <= line[:-1]):
            raise ValueError(f"The points in dimension {axis} must be strictly ascending or descending")
        grid.append(line)
    tail = tuple(values.shape[count:])
    if len(tail) > 0:
        values = op.reshape(values, shape=(*values.shape[:count], total(tail)))
    return GridInterpolator(tuple(grid), values, tail, method, bounds_error, fill_value)


def interpn(points, values, xi, method="linear", bounds_error=True, fill_value=nan):
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)
