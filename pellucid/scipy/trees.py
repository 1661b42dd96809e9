"""Nearest neighbours: `scipy.spatial.KDTree`, a tree that halves the points along the axis of their greatest spread.

    t = KDTree(points);  d, i = t.query(x)    places of the points nearest to the rows of x, and their distances

The search has no derivative, and distances have theirs by `x` and by the points.  Among equal distances SciPy may
choose another point.  Source: J. Friedman, J. Bentley and R. Finkel, An algorithm for finding best matches in
logarithmic expected time (1977).
"""

from dataclasses import dataclass
from math import inf

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.manipulation import as_array, total
from ..numpy.sorting import argsort
from .distances import root_of
from .special import in_doubles

LEAF = 16
DEPTH = 128  # of the stack: halves of 2^64 points need 64


@dataclass
class Tree:
    """`order`: places of the points, a part of the tree a range of them; `axes` and `values`: how the range is halved
    whose middle is there."""

    data: np.ndarray
    order: np.ndarray
    axes: np.ndarray
    values: np.ndarray

    @property
    def n(self):
        return self.data.shape[0]

    @property
    def m(self):
        return self.data.shape[1]

    def query(self, x, k=1, eps=0.0, p=2.0, distance_upper_bound=inf, workers=1):
        """(distances, places) of the k nearest, along a last axis if k is above 1; inf and n where there is none."""
        require_norm(p, eps)
        if static.is_sequence(k) or not static.is_static(k):
            static.refuse("U012", "KDTree.query takes a known number `k` of neighbours here, no list of them")
        if k < 1:
            raise ValueError("k must be an integer >= 1 or a sequence of integers >= 1")
        at = in_doubles(as_array(x))
        require_points(at, self.m)
        flat = op.reshape(at, shape=(total(at.shape[:-1]), self.m))
        places = op.stop_gradient(self.nearest(flat, k, p, distance_upper_bound))
        is_there = places < self.n
        apart = op.absolute(flat[:, None, :] - self.data[op.minimum(places, self.n - 1)])
        found = op.where(is_there, norm_of(apart, p), inf)
        lead = at.shape[:-1]
        if k == 1:
            found, places = found[:, 0], places[:, 0]
            if static.rank(at) == 1:
                return found[0], places[0]
            return op.reshape(found, shape=lead), op.reshape(places, shape=lead)
        return op.reshape(found, shape=(*lead, k)), op.reshape(places, shape=(*lead, k))

    def nearest(self, flat, k, p, bound):
        found = op.full(self.n, shape=(flat.shape[0], k), dtype="i64")
        starts, ends = op.zeros(shape=(DEPTH,), dtype="i64"), op.zeros(shape=(DEPTH,), dtype="i64")
        bounds = op.zeros(shape=(DEPTH,), dtype="f64")
        best = op.zeros(shape=(k,), dtype="f64")
        limit = power_of(bound * 1.0, p)
        for row in range(flat.shape[0]):
            best[:] = inf
            starts[0], ends[0], bounds[0] = 0, self.n, 0.0
            count = 1
            while count > 0:
                count -= 1
                low, high, apart = starts[count], ends[count], bounds[count]
                if apart <= best[k - 1] and apart < limit:
                    if high - low <= LEAF:
                        for i in range(low, high):
                            place = self.order[i]
                            distance = distance_of(self.data, place, flat, row, p)
                            if distance < best[k - 1] and distance < limit:
                                j = k - 1
                                while j > 0 and best[j - 1] > distance:
                                    best[j] = best[j - 1]
                                    found[row, j] = found[row, j - 1]
                                    j -= 1
                                best[j] = distance
                                found[row, j] = place
                    else:
                        middle = (low + high) // 2
                        side = flat[row, self.axes[middle]] - self.values[middle]
                        is_left = side < 0.0
                        far = max(apart, power_of(abs(side), p))
                        starts[count], ends[count] = (middle, high) if is_left else (low, middle)
                        bounds[count] = far
                        starts[count + 1], ends[count + 1] = (low, middle) if is_left else (middle, high)
                        bounds[count + 1] = apart
                        count += 2
        return found

    def within(self, flat, row, limit, p, marks):
        """How many points are at most so far from a row; their marks are set."""
        starts, ends = op.zeros(shape=(DEPTH,), dtype="i64"), op.zeros(shape=(DEPTH,), dtype="i64")
        starts[0], ends[0] = 0, self.n
        count, found = 1, 0
        while count > 0:
            count -= 1
            low, high = starts[count], ends[count]
            if high - low <= LEAF:
                for i in range(low, high):
                    if distance_of(self.data, self.order[i], flat, row, p) <= limit:
                        marks[self.order[i]] = True
                        found += 1
            else:
                middle = (low + high) // 2
                side = flat[row, self.axes[middle]] - self.values[middle]
                is_near = power_of(abs(side), p) <= limit
                if side >= 0.0 or is_near:
                    starts[count], ends[count] = middle, high
                    count += 1
                if side < 0.0 or is_near:
                    starts[count], ends[count] = low, middle
                    count += 1
        return found

    def query_ball_point(self, x, r, p=2.0, eps=0.0, workers=1, return_sorted=None, return_length=False):
        """The places of the points at most `r` from a vector, a list; or with `return_length` how many there are for
        each row."""
        require_norm(p, eps)
        at = in_doubles(as_array(x))
        require_points(at, self.m)
        limit = power_of(r * 1.0, p)
        marks = op.zeros(shape=(self.n,), dtype="bool")
        if return_length:
            flat = op.reshape(at, shape=(total(at.shape[:-1]), self.m))
            counts = op.zeros(shape=(flat.shape[0],), dtype="i64")
            for row in range(flat.shape[0]):
                counts[row] = self.within(flat, row, limit, p, marks)
            return counts[0] if static.rank(at) == 1 else op.reshape(counts, shape=at.shape[:-1])
        if static.rank(at) != 1:
            fault = "KDTree.query_ball_point of several points gives an array of lists, which there is not"
            static.refuse("U012", fault, "call it for each point in a loop, or give return_length=True")
        self.within(op.reshape(at, shape=(1, self.m)), 0, limit, p, marks)
        return [int(place) for place in np.flatnonzero(marks)]


def require_norm(p, eps):
    if not static.is_static(p) or p not in (1, 2, inf):
        static.refuse("U012", "KDTree measures by p=1, p=2 or p=inf here")
    if eps != 0.0:
        static.refuse("U012", "KDTree finds the nearest points exactly: leave `eps=` out")


def require_points(at, m):
    if at.shape[-1] != m:
        raise ValueError(f"x must consist of vectors of length {m} but has shape {at.shape}")


def power_of(distance, p):
    return distance * distance if p == 2 else distance


def distance_of(data, place, flat, row, p):
    """The distance, of p = 2 its square."""
    found = 0.0
    for axis in range(data.shape[1]):
        apart = abs(data[place, axis] - flat[row, axis])
        if p == 2:
            found += apart * apart
        elif p == 1:
            found += apart
        else:
            found = max(found, apart)
    return found


def norm_of(apart, p):
    axis = static.rank(apart) - 1
    if p == 2:
        return root_of(op.sum(apart * apart, axis=axis, keepdims=False), 2.0)
    return op.sum(apart, axis=axis, keepdims=False) if p == 1 else op.max(apart, axis=axis, keepdims=False)


def KDTree(data, leafsize=10, compact_nodes=True, copy_data=False, balanced_tree=True, boxsize=None):
    if boxsize is not None:
        static.refuse("U012", "KDTree has no `boxsize=` here: leave it out")
    data = in_doubles(as_array(data))
    if static.rank(data) != 2:
        raise ValueError("data must be 2 dimensions")
    if not op.all(op.isfinite(data)):
        raise ValueError("data must be finite, check for nan or inf values")
    order, axes, values = halved(op.stop_gradient(data))
    return Tree(data, order, axes, values)


def halved(data):
    """The places of the points in an order in which every part of the tree is a range."""
    n = data.shape[0]
    order = op.arange(0, n, 1, shape=(n,), dtype="i64")
    axes, values = op.zeros(shape=(n,), dtype="i64"), op.zeros(shape=(n,), dtype="f64")
    starts, ends = op.zeros(shape=(DEPTH,), dtype="i64"), op.zeros(shape=(DEPTH,), dtype="i64")
    ends[0] = n
    count = 1
    while count > 0:
        count -= 1
        low, high = starts[count], ends[count]
        if high - low > LEAF:
            own = order[low:high].copy()
            rows = data[own]
            spread = op.max(rows, axis=0, keepdims=False) - op.min(rows, axis=0, keepdims=False)
            axis = int(np.argmax(spread))
            along = rows[:, axis]
            order[low:high] = own[argsort(along, kind="stable")]
            middle = (low + high) // 2
            axes[middle] = axis
            values[middle] = data[order[middle], axis]
            starts[count], ends[count] = low, middle
            starts[count + 1], ends[count + 1] = middle, high
            count += 2
    return order, axes, values
