"""Medians and quantiles: elements of the sorted array, or points between two of them.

    np.median(x)    ->    mean(sort(x)[(n - 1) // 2 : n // 2 + 1])
    np.percentile(x, q)    ->    quantile(x, q / 100)
"""

from math import nan

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import operand, require_no_out
from .manipulation import as_array, expand_dims, moveaxis, ravel, reshape, total
from .places import take_along_axis
from .reductions import cumsum
from .selection import two_in_order
from .sorting import argsort, sort
from .statistics import mean

# How methods count: the place of q among n elements is n q + alpha + q (1 - alpha - beta) - 1 (Hyndman and Fan 1996).
ALPHA_BETA = {
    "interpolated_inverted_cdf": (0.0, 1.0), "hazen": (0.5, 0.5), "weibull": (0.0, 0.0), "linear": (1.0, 1.0),
    "median_unbiased": (1.0 / 3.0, 1.0 / 3.0), "normal_unbiased": (3.0 / 8.0, 3.0 / 8.0),
}  # fmt: skip
BETWEEN = ("lower", "higher", "midpoint", "nearest")
STEPS = ("inverted_cdf", "averaged_inverted_cdf", "closest_observation")  # elements, by the steps of what counts them


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
    a = as_array(a)
    if static.rank(q) > 1:
        static.refuse("S002", "q must be a scalar or 1d")
    if weights is not None:
        found = weighted(a, q, axis, method, weights)
        return kept(found, a, axis, static.rank(q)) if keepdims else found
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


def weighted(a, q, axis, method, weights):
    """The first of the sorted elements up to which the share of the weights is q."""
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    weights = as_array(weights)
    if static.rank(weights) != static.rank(a):
        static.refuse("U012", "weights of another shape than the array's are not supported here: broadcast them")
    if weights.shape != a.shape:
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    if op.any(weights < 0):
        raise ValueError("Weights must be non-negative.")
    values, shares = in_front(a, axis), in_front(weights, axis)
    order = argsort(values, 0)
    values = take_along_axis(values, order, 0)
    running = cumsum(op.cast(take_along_axis(shares, order, 0), dtype="f64"), 0)
    running = running / running[-1]
    if static.rank(q) == 0:
        return up_to(values, running, q)
    found = op.empty(shape=(q.shape[0], *values.shape[1:]), dtype=static.element(values))
    for k in range(q.shape[0]):
        found[k] = up_to(values, running, q[k])
    return found


def up_to(values, running, q):
    last = values.shape[0] - 1
    before = op.sum(op.cast(op.logical_or(running < q, running == 0), dtype="i64"), axis=0)
    if static.rank(values) == 1:
        found = values[min(int(before), last)]
    else:
        found = take_along_axis(values, op.minimum(before, last)[None], 0)[0]
    return op.where(op.isnan(values[last]), values[last], found) if static.kind(values) == "float" else found


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
    if method in STEPS:
        return count * q - (1.5 if method == "closest_observation" else 1)
    raise ValueError(f"{method!r} is not a valid method. Use one of: {(*STEPS, *ALPHA_BETA, *BETWEEN)}")


def at_place(ordered, first, count, place, is_weak, method):
    """What is at a place among so many elements in order, of which the given ones begin with that at `first`."""
    if static.kind(place) == "int":
        return ordered[whole(place) - first]
    if method in STEPS:
        return by_steps(ordered, first, count, place, is_weak, method)
    if method == "lower":
        return ordered[whole(op.floor(place)) - first]
    if method == "higher":
        return ordered[whole(op.ceil(place)) - first]
    if method == "nearest":
        return ordered[whole(op.rint(place)) - first]
    return between(ordered, first, count, place, is_weak, method == "midpoint")


def by_steps(ordered, first, count, place, is_weak, method):
    """An element, or the mean of two where the place falls on the one before a step."""
    low = op.floor(place)
    is_step = place == low
    left = ordered[whole(op.maximum(op.minimum(low, count - 1), 0)) - first]
    right = ordered[whole(op.maximum(op.minimum(low + 1.0, count - 1), 0)) - first]
    if method == "averaged_inverted_cdf":
        return mixed(left, right, op.where(is_step, 0.5, 1.0), is_weak)
    if method == "closest_observation":
        is_step = op.logical_and(is_step, low - 2.0 * op.floor(low / 2.0) == 1.0)
    return op.where(is_step, left, right)


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
    return mixed(ordered[low - first], ordered[high - first], share, is_weak)


def mixed(left, right, share, is_weak):
    """Between the left and the right one, by the share of the right one."""
    if static.kind(left) == "bool":
        static.refuse("T001", "np.quantile of bools is not supported, as they have no differences; convert them")
    if is_weak:
        share = op.cast(share, dtype="f64", weak=True)
    gap = right - left
    return right - gap * (1 - share) if share >= 0.5 else left + gap * share
