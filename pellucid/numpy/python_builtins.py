"""Python's builtins on arrays, which compare and add element by element, from the first one on.

    max(x)    ->    best = x[0]; then `v if v > best else best`: nan is never above and never replaced
    sum(x)    ->    start + x[0] + x[1] + ...: in the dtype of `start + x[0]`, where np.sum takes int32 in int64
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import in_dtype


def message_of_empty(extreme):
    """The words of the running interpreter."""
    try:
        extreme(())
    except ValueError as error:
        return str(error)
    raise AssertionError("an empty sequence was meant to fail")


EMPTY_MAX, EMPTY_MIN = message_of_empty(max), message_of_empty(min)


def largest(x):
    if static.kind(x) != "float":
        return op.max(x)
    if x.shape[0] == 0:
        raise ValueError(EMPTY_MAX)
    best = x[0]
    for k in range(1, x.shape[0]):
        value = x[k]
        best = value if value > best else best
    return best


def smallest(x):
    if static.kind(x) != "float":
        return op.min(x)
    if x.shape[0] == 0:
        raise ValueError(EMPTY_MIN)
    best = x[0]
    for k in range(1, x.shape[0]):
        value = x[k]
        best = value if value < best else best
    return best


def total(x, start):
    """The sum of an array and what it starts from; in the order of NumPy's sums."""
    word = static.common(start, x)
    if word == "bool":
        static.refuse("T001", "sum() of bools that starts from a bool is not supported; start from 0")
    return start + in_dtype(op.sum(in_dtype(x, word)), word)
