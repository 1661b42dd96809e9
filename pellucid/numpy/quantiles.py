"""Medians and quantiles: elements of the sorted array, or points between two of them.

    np.median(x)    ->    mean(sort(x)[(n - 1) // 2 : n // 2 + 1])
    np.percentile(x, q)    ->    quantile(x, q / 100)
"""

from math import nan

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import operand, require_no_out
from .manipulation import as_array, expand_dims, moveaxis, ravel, reshape, total
from .selection import two_in_order
from .sorting import sort
from .statistics import mean

# How methods count: the place of q among n elements is n q + alpha + q (1 - alpha - beta) - 1 (Hyndman and Fan 1996).
ALPHA_BETA = {
    "interpolated_inverted_cdf": (0.0, 1.0), "hazen": (0.5, 0.5), "weibull": (0.0, 0.0), "linear": (1.0, 1.0),
    "median_unbiased": (1.0 / 3.0, 1.0 / 3.0), "normal_unbiased": (3.0 / 8.0, 3.0 / 8.0),
}  # fmt: skip
BETWEEN = ("lower", "higher", "midpoint", "nearest")


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The middle element, or the mean of the two in the middle; nan where there is one."""
    a = as_array(a)
    require_new(out, overwrite_input)
    front = in_front(a, axis)
    if are_selected(front):
        count = front.shape[0]
        pair = two_in_order(front, max((count - 1) // 2, 0))
        found = mean(pair[: min(count, 2 - count % 2)])
        return kept(with_nan(found, front), a, axis, 0) if keepdims else with_nan(found, front)
    ordered = sort(front, 0)
    half = ordered.shape[0] // 2
    middle = mean(ordered[max(half - 1 + ordered.shape[0] % 2, 0) : half + 1], 0)
    if static.kind(a) == "float":
        middle = op.where(op.any(op.isnan(in_front(a, axis)), axis=0), nan, middle)
    if static.is_complex(a) and ordered.shape[0] > 0:
        last = ordered[-1]
        middle = op.where(op.isnan(last), last, middle)
    return kept(middle, a, axis, 0) if keepdims else middle


def are_selected(front):
    """Whether single elements of the order are looked for, not the whole order."""
    return static.rank(front) == 1 and static.kind(front) in ("float", "int")


def with_nan(found, front):
    """Nan where an element is nan."""
    if static.kind(front) != "float":
        return found
    return op.where(op.any(op.isnan(front), axis=None, keepdims=False), nan, found)


def require_new(out, overwrite_input):
    require_no_out(out)
    if overwrite_input:
        static.refuse("U012", "`overwrite_input=` changes the argument; leave it out")


def in_front(a, axis):
    """The array with what falls together as its first axis."""
    axes = static.axes_of(axis, static.rank(a))
    if len(axes) == static.rank(a):
        return ravel(a)
    moved = moveaxis(a, axes, static.first_axes(axes))
    return moved if len(axes) == 1 else reshape(moved, (total(moved.shape[: len(axes)]), *moved.shape[len(axes) :]))


def kept(values, a, axis, lead):
    """With axes of length 1 where the reduced ones were, after `lead` axes of its own."""
    places = static.axes_of(axis, static.rank(a))
    return expand_dims(values, tuple([k + lead for k in places])) if len(places) > 0 else values


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    q = operand(q)
    require_new(out, overwrite_input)
    require_between(q, 100, "Percentiles must be in the range [0, 100]")
    return quantiles(a, q / 100, static.is_weak(q), axis, method, keepdims, weights)


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    q = operand(q)
    require_new(out, overwrite_input)
    require_between(q, 1, "Quantiles must be in the range [0, 1]")
    return quantiles(a, q, static.is_weak(q), axis, method, keepdims, weights)


def require_between(q, most, message):
    if not op.all(op.logical_and(q >= 0, q <= most)):
        raise ValueError(message)


def quantiles(a, q, is_weak, axis, method, keepdims, weights):
    """Each of the quantiles `q`, in axes in front."""
    if weights is not None:
        static.refuse("U012", "weighted quantiles are not supported; search the running sum of the sorted weights")
    a = as_array(a)
    if static.rank(q) > 1:
        static.refuse("S002", "q must be a scalar or 1d")
    front = in_front(a, axis)
    if front.shape[0] == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    q = in_places(q, method)
    if static.rank(q) == 0 and are_selected(front):
        place = place_of(front.shape[0], q, method)
        first = min(max(whole(op.floor(place)), 0), front.shape[0] - 1)
        found = with_nan(at_place(two_in_order(front, first), first, front.shape[0], place, is_weak, method), front)
        return kept(found, a, axis, 0) if keepdims else found
    ordered = sort(front, 0)
    if static.rank(q) == 0:
        found = at_quantile(ordered, q, is_weak, method)
    else:
        first = at_quantile(ordered, op.cast(0, dtype=static.element(q)), is_weak, method)
        shape = (q.shape[0], *first.shape) if static.is_array(first) else (q.shape[0],)
        found = op.empty(shape=shape, dtype=static.element(first))
        for k in range(q.shape[0]):
            found[k] = at_quantile(ordered, q[k], is_weak, method)
    return kept(found, a, axis, static.rank(q)) if keepdims else found


def in_places(q, method):
    """Quantiles that are ints name elements, the first or the last one, where the method goes by places alone."""
    return q if static.kind(q) == "float" or static.kind(q) == "int" and method == "linear" else op.cast(q, dtype="f64")


def at_quantile(ordered, q, is_weak, method):
    """One quantile along the first axis of a sorted array: nan where its last element is."""
    count = ordered.shape[0]
    found = at_place(ordered, 0, count, place_of(count, q, method), is_weak, method)
    if static.kind(ordered) == "float":
        found = op.where(op.isnan(ordered[count - 1]), ordered[count - 1], found)
    return found


def place_of(count, q, method):
    """Where among so many elements in order a quantile is."""
    if static.kind(q) == "int" or method in BETWEEN:
        return q * (count - 1)
    if method in ALPHA_BETA:
        alpha, beta = ALPHA_BETA[method]
        return (count - 1) * q if method == "linear" else count * q + (alpha + q * (1 - alpha - beta)) - 1
    static.refuse("U012", f"the method {method!r} is not supported; use one of {(*BETWEEN, *ALPHA_BETA)}")


def at_place(ordered, first, count, place, is_weak, method):
    """What is at a place among so many elements in order, of which the given ones begin with that at `first`."""
    if static.kind(place) == "int":
        return ordered[whole(place) - first]
    if method == "lower":
        return ordered[whole(op.floor(place)) - first]
    if method == "higher":
        return ordered[whole(op.ceil(place)) - first]
    if method == "nearest":
        return ordered[whole(op.rint(place)) - first]
    return between(ordered, first, count, place, is_weak, method == "midpoint")


def whole(place):
    return op.cast(place, dtype="i64", weak=True)


def between(ordered, first, count, place, is_weak, halves):
    """A point between two neighbours; before the first and after the last element it is that element."""
    last = count - 1
    low = whole(op.floor(op.maximum(op.minimum(place, last), 0)))
    high = min(low + 1, last) if place >= 0 else low
    share = place - op.floor(place)
    if place >= last or place < 0:
        share = share * 0.0
    if halves:
        share = op.where(share > 0, 0.5, 0.0)
    if is_weak:
        share = op.cast(share, dtype="f64", weak=True)
    left, right = ordered[low - first], ordered[high - first]
    if static.kind(ordered) == "bool":
        static.refuse("T001", "np.quantile of bools is not supported, as they have no differences; convert them")
    gap = right - left
    return right - gap * (1 - share) if share >= 0.5 else left + gap * share
