"""How wide the bins of a histogram are by a rule, and so how many there are.

    np.histogram(x, "sturges")    ->    np.histogram(x, ceil(range / (ptp(x) / (log2(n) + 1))))

Sources: Sturges (1926), Scott (1979), Freedman and Diaconis (1981), Doane (1976), Rice's and the square root rule.
"""

from math import pi

from ..compiler.ops import primitives as op
from .elementary import as_floating
from .quantiles import percentile
from .reductions import max, min
from .statistics import mean, std

RULES = ("auto", "fd", "doane", "scott", "rice", "sturges", "sqrt")


def count_by_rule(rule, values, low, high, is_whole):
    """The number of bins from `low` to `high`; those of ints are at least one wide."""
    x = as_floating(values)
    if x.shape[0] == 0:
        return 1
    width = op.cast(width_by_rule(rule, x), dtype="f64")
    if width > 0.0 and width < 1.0 and is_whole:
        width = op.cast(1.0, dtype="f64")
    count = 1
    if width != 0.0:
        count = op.cast(op.ceil((high - low) / width), dtype="i64", weak=True)
    return count


def width_by_rule(rule, x):
    """The width of a bin; 0 where the rule has none."""
    n = x.shape[0]
    if rule == "sqrt":
        return spread(x) / n**0.5
    if rule == "sturges":
        return spread(x) / (op.log2(op.cast(n, dtype="f64")) + 1.0)
    if rule == "rice":
        return spread(x) / (2.0 * n ** (1.0 / 3.0))
    if rule == "scott":
        return (24.0 * pi**0.5 / n) ** (1.0 / 3.0) * std(x)
    if rule == "doane":
        return doane(x)
    quartiles = percentile(x, [75, 25])
    by_quartiles = 2.0 * (quartiles[0] - quartiles[1]) * n ** (-1.0 / 3.0)
    if rule == "fd":
        return by_quartiles
    bounded = op.maximum(by_quartiles, width_by_rule("sqrt", x) / 2.0)
    return op.minimum(bounded, width_by_rule("sturges", x))


def spread(x):
    return max(x) - min(x)


def doane(x):
    """Sturges' rule, with more bins for what is skew."""
    n, sigma = x.shape[0], std(x)
    width = 0.0 * sigma
    if n > 2 and sigma > 0.0:
        deviation = (6.0 * (n - 2) / ((n + 1.0) * (n + 3))) ** 0.5
        skewness = mean(((x - mean(x)) / sigma) ** 3)
        bins = 1.0 + op.log2(op.cast(n, dtype="f64")) + op.log2(1.0 + op.absolute(skewness) / deviation)
        width = spread(x) / bins
    return width
