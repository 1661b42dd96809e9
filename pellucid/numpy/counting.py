"""Counting: how often values fall into bins.

    np.bincount([0, 1, 1])    ->    [1, 2]          np.histogram(x, 10)    ->    counts of 10 bins of one width, edges
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .bin_rules import RULES, count_by_rule
from .calculus import diff
from .creation import linspace, one_length
from .elementary import as_floating, in_dtype, operand, strong
from .interpolation import place, searchsorted
from .manipulation import lengths_along, ravel
from .reductions import any, max, min


def bincount(x, /, weights=None, minlength=0):
    """How often each int from 0 on occurs, or the sum of its weights."""
    x = operand(x)
    if static.kind(x) == "float" or static.common(x, 0) == "u64":
        static.refuse("T001", "np.bincount takes ints that an int64 holds; convert with `.astype(int)`")
    if static.rank(x) != 1:
        raise ValueError("object of too small depth for desired array")
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    places, length = in_dtype(x, "i64"), minlength
    if places.shape[0]:
        if min(places) < 0:
            raise ValueError("'list' argument must have no negative elements")
        length = op.maximum(length, max(places) + 1)
    length = one_length(length)
    if weights is None:
        counts = op.zeros(shape=(length,), dtype="i64")
        for i in range(places.shape[0]):
            counts[places[i]] += 1
        return counts
    weights = in_dtype(operand(weights), "f64")
    if static.rank(weights) != 1 or weights.shape[0] != places.shape[0]:
        raise ValueError("The weights and list don't have the same length.")
    if places.shape[0] == 0:  # NumPy gives ints here, and floats for all other weights
        raise TypeError("np.bincount gives int64 where there is nothing to count, whatever the weights are")
    sums = op.zeros(shape=(length,), dtype="f64")
    for i in range(places.shape[0]):
        sums[places[i]] += weights[i]
    return sums


def digitize(x, bins, right=False):
    """The bin that each value falls in; bins go up or down, and count from 1 between them."""
    x, bins = operand(x), operand(bins)
    if static.rank(bins) != 1:
        raise ValueError("object of too small depth for desired array")
    side, count, start = "left" if right else "right", bins.shape[0], 1
    while start < count and bins[start] == bins[0]:
        start += 1
    if start >= count or bins[0] < bins[start]:  # a nan is below and above nothing, which decides as in NumPy
        if any(bins[start + 1 :] < bins[start:-1]):
            raise ValueError("bins must be monotonically increasing or decreasing")
        found = searchsorted(bins, x, side)
    else:
        if any(bins[start + 1 :] > bins[start:-1]):
            raise ValueError("bins must be monotonically increasing or decreasing")
        found = count - searchsorted(bins[::-1], x, side)
    return found


# --- histograms ------------------------------------------------------------------------------------------------------


def histogram(a, bins=10, range=None, density=None, weights=None):
    """Counts of the values in each bin, or sums of their weights, and the edges; the last bin has its upper edge."""
    values = ravel(operand(a))
    if static.kind(values) == "bool":
        static.refuse("T001", "np.histogram of bools is not supported; convert with `.astype(np.uint8)`")
    shares = None if weights is None else ravel(operand(weights))
    if shares is not None and static.kind(shares) == "bool":
        static.refuse("T001", "weights of bools are not supported; convert with `.astype(int)`")
    if static.is_text(bins) and shares is not None:
        raise TypeError("Automated estimation of the number of bins is not supported for weighted data")
    bins = operand(bins)
    edges = edges_of(values, bins, range)
    are_even = static.is_text(bins) or static.rank(bins) == 0
    if shares is not None and shares.shape[0] != values.shape[0]:
        raise ValueError("weights should have the same shape as a.")
    counts = op.zeros(shape=(edges.shape[0] - 1,), dtype="i64" if shares is None else static.element(shares))
    for i in each(values):
        if edges[0] <= values[i] and values[i] <= edges[edges.shape[0] - 1]:
            if are_even:
                found = even_bin(edges, values[i])
            else:
                found = op.minimum(place(edges, values[i], True), edges.shape[0] - 1) - 1
            counts[found] += 1 if shares is None else shares[i]
    if density is None or not density:
        return counts, edges
    return counts / in_dtype(diff(edges), "f64") / op.sum(counts), edges


def even_bin(edges, value):
    """The bin of a value between edges of one distance: by division, and one up or down where rounding says so."""
    last = edges.shape[0] - 2
    value = op.cast(value, dtype=static.element(edges))
    share = (value - edges[0]) / (edges[last + 1] - edges[0]) * (last + 1)
    found = op.maximum(op.minimum(op.cast(share, dtype="i64"), last), 0)
    found = op.maximum(found - op.cast(value < edges[found], dtype="i64"), 0)
    return op.minimum(found + op.cast(value >= edges[found + 1], dtype="i64"), last)


def each(values):
    return python_range(values.shape[0])


def python_range(stop):
    """Python's `range`, which parameters of that name hide."""
    return range(stop)


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    return edges_of(ravel(operand(a)), operand(bins), range)


def edges_of(values, bins, limits):
    """The edges that are given, or those of so many bins of one width."""
    if static.is_text(bins):
        return evenly_spaced(values, bins_by_rule(values, bins, limits), limits)
    if static.rank(bins) == 1:
        if any(bins[:-1] > bins[1:]):
            raise ValueError("`bins` must increase monotonically, when an array")
        return bins
    if static.rank(bins) != 0:
        raise ValueError("`bins` must be 1d, when an array")
    if static.kind(bins) != "int":
        raise TypeError("`bins` must be an integer, a string, or an array")
    if bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    edges = evenly_spaced(values, bins, limits)
    if limits is not None:
        edges = in_dtype(edges, static.floating(static.common(limits[0], limits[1], values)))
    if any(edges[:-1] >= edges[1:]):
        raise ValueError(f"Too many bins for data range. Cannot create {bins} finite-sized bins.")
    return edges


def bins_by_rule(values, rule, limits):
    """How many bins of one width a rule gives for the values between the limits."""
    if rule not in RULES:
        if rule == "stone":
            static.refuse("U012", "the rule 'stone' for bins is not supported", "use bins='auto'")
        raise ValueError(f"{rule!r} is not a valid estimator for `bins`")
    low, high = outer_edges(values, limits)
    chosen = values if limits is None else values[op.logical_and(values >= low, values <= high)]
    return count_by_rule(rule, chosen, low, high, static.kind(values) == "int")


def evenly_spaced(values, bins, limits):
    """The edges of so many bins of one width, in floats of the extremes or of the limits."""
    low, high = outer_edges(values, limits)
    return linspace(low, high, one_length(bins) + 1)


def outer_edges(values, limits):
    """The first and the last edge: the limits, or the extremes; a range of one value is made one wide."""
    if limits is not None:
        low, high = as_floating(strong(limits[0])), as_floating(strong(limits[1]))
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
        if not (op.isfinite(low) and op.isfinite(high)):
            raise ValueError(f"supplied range of [{low}, {high}] is not finite")
    else:
        low, high = extremes(values)
        if not (op.isfinite(low) and op.isfinite(high)):
            raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return low, high


def extremes(values):
    """The least and the greatest, in floats; 0 and 1 where there is nothing."""
    word = static.floating(static.element(values))
    if values.shape[0] == 0:
        low, high = op.cast(0.0, dtype=word), op.cast(1.0, dtype=word)
    else:
        low, high = op.cast(min(values), dtype=word), op.cast(max(values), dtype=word)
    return low, high


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """Counts of pairs, or sums of their weights, and the edges along both axes."""
    x, y = ravel(operand(x)), ravel(operand(y))
    if x.shape[0] != y.shape[0]:
        raise ValueError("x and y must have the same length.")
    both = bins if static.is_sequence(bins) and len(bins) == 2 else (bins, bins)
    counts, edges = histogramdd((x, y), both, range, density, weights)
    return counts, edges[0], edges[1]


def edges_along(values, bins, limits):
    """The same as `edges_of` where there are several axes: narrow bins are allowed, edges have the limits' dtype."""
    if static.rank(bins) == 0 and static.kind(bins) == "int" and bins > 0:
        return evenly_spaced(values, bins, limits)
    return edges_of(values, bins, limits)


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """The same of points whose coordinates are given as so many vectors."""
    if not static.is_sequence(sample):
        static.refuse("U012", "np.histogramdd takes a tuple of the coordinates: how many there are must be known")
    parts = [operand(part) for part in sample]
    word = static.strict_common(*parts)
    parts = [in_dtype(ravel(part), word) for part in parts]
    count = len(parts)
    many = bins if static.is_sequence(bins) else tuple([bins for _ in parts])
    if len(many) != count:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    ranges = tuple([None for _ in parts]) if range is None else range
    edges = [edges_along(part, operand(n), limits) for part, n, limits in zip(parts, many, ranges)]
    shares = None if weights is None else ravel(operand(weights))
    counts = op.zeros(shape=tuple([e.shape[0] - 1 for e in edges]), dtype="f64")
    for i in each(parts[0]):
        inside = True
        for part, e in zip(parts, edges):
            inside = inside and e[0] <= part[i] and part[i] <= e[e.shape[0] - 1]
        if inside:
            at = tuple([op.minimum(place(e, part[i], True), e.shape[0] - 1) - 1 for part, e in zip(parts, edges)])
            counts[at] += 1.0 if shares is None else shares[i]
    if density is not None and density:
        total = op.sum(counts)
        for k in python_range(count):
            sizes = in_dtype(diff(edges[k]), "f64")
            counts = counts / op.reshape(sizes, shape=lengths_along(k, count, sizes.shape[0]))
        counts = counts / total
    return counts, edges
