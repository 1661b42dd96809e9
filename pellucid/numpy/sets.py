"""Vectors as sets: what is in both, in either, in one alone, and which elements of one array stand in another.

    np.union1d(a, b)    ->    unique(concatenate((ravel(a), ravel(b))))

Values are compared as `==` does, so that a nan is in no set; the results are in increasing order.
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import in_dtype
from .interpolation import place
from .joining import concatenate
from .manipulation import as_array, ravel
from .sorting import order_of, sort, unique


def together(ar1, ar2):
    """Two arrays as vectors of their common dtype."""
    left, right = as_array(ar1), as_array(ar2)
    word = static.strict_common(left, right)
    return in_dtype(ravel(left), word), in_dtype(ravel(right), word)


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Of each element whether it is among the test elements."""
    if kind is not None and kind not in ("sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    looked_for = as_array(element)
    values, known = together(looked_for, test_elements)
    if kind == "table" and static.kind(values) == "float":
        raise ValueError(
            "The 'table' method is only supported for boolean or integer arrays. Please select 'sort' or None for kind."
        )
    ordered = sort(known)
    out = op.empty(shape=values.shape, dtype="bool")
    for i in range(values.shape[0]):
        at = place(ordered, values[i], False)
        found = at < ordered.shape[0] and ordered[min(at, ordered.shape[0] - 1)] == values[i]
        out[i] = found != invert
    return op.reshape(out, shape=looked_for.shape)


def union1d(ar1, ar2):
    return unique(concatenate(together(ar1, ar2)))


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """What is in both; on request where it stands first in each."""
    left, right = together(ar1, ar2)
    first, second = op.arange(0, left.shape[0], 1, shape=left.shape), op.arange(0, right.shape[0], 1, shape=right.shape)
    if not assume_unique:
        left, first = unique(left, return_index=True)
        right, second = unique(right, return_index=True)
    both = concatenate((left, right))
    order = order_of(both)
    ordered = both[order]
    again = ordered[1:] == ordered[:-1]
    common = ordered[:-1][again]
    if not return_indices:
        return common
    return common, first[order[:-1][again]], second[order[1:][again] - left.shape[0]]


def setdiff1d(ar1, ar2, assume_unique=False):
    """What is in the first alone; as it stands there, where the values are said to differ."""
    kept = ravel(as_array(ar1)) if assume_unique else unique(ar1)
    return kept[isin(kept, ar2, invert=True)]


def setxor1d(ar1, ar2, assume_unique=False):
    """What is in one of them alone."""
    left, right = together(ar1, ar2)
    if not assume_unique:
        left, right = unique(left), unique(right)
    ordered = sort(concatenate((left, right)))
    count = ordered.shape[0]
    alone = op.empty(shape=(count,), dtype="bool")
    for k in range(count):
        before = k > 0 and ordered[max(k - 1, 0)] == ordered[k]
        alone[k] = not before and not (k + 1 < count and ordered[min(k + 1, count - 1)] == ordered[k])
    return ordered[alone]
