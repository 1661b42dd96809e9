"""Tests of hypotheses of `scipy.stats` by ranks, with exact p-values where SciPy's are.

    mannwhitneyu(x, y)    U = (sum of the ranks of x) - m (m + 1) / 2;  the share of orders with U or more
    kendalltau(x, y)      the pairs in one order less those in the other, out of all: counted pair by pair, O(n^2)

Ranks are steps: their derivatives are 0, and so are those of the statistics and p-values.  Exact distributions are
sums of positive terms, by the recurrences of Mann and Whitney (1947), Wilcoxon (1945) and Kendall (1938).
"""

from typing import Any, NamedTuple

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.joining import concatenate
from ..numpy.manipulation import as_array, ravel
from ..numpy.reductions import cumsum
from .hypotheses import SignificanceResult, by_normal, require_known
from .rows import along_rows
from .special import of_floats
from .statistics import ranks, require_propagate


class MannwhitneyuResult(NamedTuple):
    statistic: Any
    pvalue: Any


class WilcoxonResult(NamedTuple):
    statistic: Any
    pvalue: Any


class KruskalResult(NamedTuple):
    statistic: Any
    pvalue: Any


class FriedmanchisquareResult(NamedTuple):
    statistic: Any
    pvalue: Any


def require_method(method, known):
    if not static.is_text(method):
        static.refuse("U012", f"`method=` of this test is one of {known}: tests by permutations are not supported")
    if method not in known:
        raise ValueError(f"`method` must be one of {known}.")


def ties_of(r):
    """The sum of t^3 - t over groups of t equals, by their ranks."""
    found = 0.0
    for i in range(r.shape[0]):
        count = 0.0
        for j in range(r.shape[0]):
            if r[i] == r[j]:
                count += 1.0
        found += count * count - 1.0
    return found


def mannwhitneyu(
    x, y, use_continuity=True, alternative="two-sided", axis=0, method="auto", *, nan_policy="propagate",
    keepdims=False,
):  # fmt: skip
    """Whether two samples are of one distribution; exact where one has at most 8 elements and none are equal."""
    require_known(alternative)
    require_propagate(nan_policy)
    require_method(method, ("auto", "exact", "asymptotic"))
    if keepdims:
        static.refuse("U012", "tests by ranks have no `keepdims=` here: leave it out")

    def test(x, y):
        m, n = x.shape[0], y.shape[0]
        r = ranks(concatenate((x, y)), "average")
        first = op.sum(r[:m]) - 0.5 * m * (m + 1)
        other = m * n - first
        u = first if alternative == "greater" else other if alternative == "less" else op.maximum(first, other)
        ties = ties_of(r)
        is_exact = method == "exact" or (method == "auto" and ties == 0.0 and (m <= 8 or n <= 8))
        if u != u:
            share = u
        elif is_exact:
            share = share_of_orders(m, n, int(u))
        else:
            count = 1.0 * (m + n)
            spread = op.sqrt(m * n / 12.0 * (count + 1.0 - ties / (count * (count - 1.0))))
            share = by_normal((u - 0.5 * m * n - (0.5 if use_continuity else 0.0)) / spread, "greater")
        share = 2.0 * share if alternative == "two-sided" else share
        return first, op.minimum(op.maximum(share, 0.0), 1.0)

    return MannwhitneyuResult(*along_rows(test, axis, x, y))


def share_of_orders(m, n, u):
    """How many of the orders of m and n elements have at least u pairs of one sense, as a share."""
    few, many = min(m, n), max(m, n)
    length = few * many + 1
    table = op.zeros(shape=(few + 1, length), dtype="f64")  # a row for each number of the fewer ones
    for j in range(few + 1):
        table[j, 0] = 1.0
    for i in range(1, many + 1):
        for j in range(1, few + 1):
            up, stay = i / (i + j), j / (i + j)
            for k in range(i * j, -1, -1):
                last = table[j, k - j] if k >= j else 0.0
                table[j, k] = up * last + stay * table[j - 1, k]
    return op.sum(table[few, max(u, 0) :])


def wilcoxon(
    x, y=None, zero_method="wilcox", correction=False, alternative="two-sided", method="auto", *, axis=0,
    nan_policy="propagate", keepdims=False,
):  # fmt: skip
    """Whether differences are about 0, by the ranks of their sizes; exact for at most 50, or 13 with zeros or ties."""
    require_known(alternative)
    require_propagate(nan_policy)
    require_method(method, ("auto", "exact", "asymptotic"))
    if zero_method not in ("wilcox", "pratt", "zsplit"):
        raise ValueError("`zero_method` must be one of {'wilcox', 'pratt', 'zsplit'}.")
    if keepdims:
        static.refuse("U012", "tests by ranks have no `keepdims=` here: leave it out")

    def test(d):
        is_zero = d == 0.0
        zeros = 1.0 * op.sum(is_zero)
        size = op.absolute(d)
        if zero_method == "wilcox":
            r = op.where(is_zero, 0.0, ranks(op.where(is_zero, -1.0, size), "average") - zeros)
            count, ties = d.shape[0] - zeros, ties_of(r) - (zeros**3 - zeros)
        else:
            r = ranks(size, "average")
            count, ties = 1.0 * d.shape[0], ties_of(r)
        up, down = op.sum(op.where(d > 0.0, r, 0.0)), op.sum(op.where(d < 0.0, r, 0.0))
        has_ties = ties > 0.0
        middle, square = 0.25 * count * (count + 1.0), count * (count + 1.0) * (2.0 * count + 1.0)
        if zero_method == "zsplit":
            half = 0.5 * op.sum(op.where(is_zero, r, 0.0))
            up, down = up + half, down + half
        if zero_method == "pratt":
            middle = middle - 0.25 * zeros * (zeros + 1.0)
            square = square - zeros * (zeros + 1.0) * (2.0 * zeros + 1.0)
            ties = ties - (zeros**3 - zeros)
        statistic = op.minimum(up, down) if alternative == "two-sided" else up
        n = d.shape[0]
        is_clean = not has_ties and zeros == 0.0
        if up != up:
            share = up
        elif method == "asymptotic" or (method == "auto" and (n > 50 or (n > 13 and not is_clean))):
            error = op.sqrt((square - 0.5 * ties) / 24.0)
            z = (up - middle) / error
            if correction:
                sign = op.sign(z) if alternative == "two-sided" else 1.0 if alternative == "greater" else -1.0
                z = z - sign * 0.5 / error
            share = by_normal(z, alternative)
        elif method == "exact" or is_clean:
            plain = op.arange(1, n + 1, 1, shape=(n,), dtype="f64")
            share = share_of_signs(op.where(plain <= count, plain, 0.0), op.floor(up), op.ceil(up), alternative)
        else:
            signed = op.sum(op.where(d > 0.0, r, 0.0))
            share = share_of_signs(op.where(is_zero, 0.0, r), signed, signed, alternative)
        return statistic, share

    d = of_floats(as_array(x)) if y is None else of_floats(as_array(x)) - of_floats(as_array(y))
    return WilcoxonResult(*along_rows(test, axis, d))


def share_of_signs(r, low, high, alternative):
    """How many choices of signs give a sum of positive ranks from `low` on, or up to `high`; ranks are half ints."""
    top = int(op.sum(2.0 * r) + 0.5)
    shares = op.zeros(shape=(top + 1,), dtype="f64")
    shares[0] = 1.0
    for i in range(r.shape[0]):
        step = int(2.0 * r[i] + 0.5)
        if step > 0:
            for k in range(top, -1, -1):
                shares[k] = 0.5 * (shares[k] + (shares[k - step] if k >= step else 0.0))
    up_to, from_ = op.sum(shares[: int(2.0 * high + 0.5) + 1]), op.sum(shares[int(2.0 * low + 0.5) :])
    if alternative == "less":
        return up_to
    return from_ if alternative == "greater" else op.minimum(2.0 * op.minimum(up_to, from_), 1.0)


def kruskal(*samples, nan_policy="propagate", axis=0, keepdims=False):
    """Whether several samples are of one distribution."""
    require_propagate(nan_policy)
    if len(samples) < 2:
        raise ValueError("Need at least two groups in stats.kruskal()")
    if keepdims:
        static.refuse("U012", "tests by ranks have no `keepdims=` here: leave it out")

    def test(*parts):
        r = ranks(concatenate(parts), "average")
        n = 1.0 * r.shape[0]
        first, between = 0, 0.0
        for part in parts:
            count = part.shape[0]
            between = between + op.sum(r[first : first + count]) ** 2 / count
            first = first + count
        h = 12.0 / (n * (n + 1.0)) * between - 3.0 * (n + 1.0)
        h = h / (1.0 - ties_of(r) / (n**3 - n))
        return h, op.gammaincc(0.5 * (len(parts) - 1.0), 0.5 * h)

    return KruskalResult(*along_rows(test, axis, *samples))


def friedmanchisquare(*samples, axis=0, nan_policy="propagate", keepdims=False):
    """Whether several measurements of the same things are of one distribution."""
    require_propagate(nan_policy)
    k = len(samples)
    if k < 3:
        raise ValueError(f"At least 3 samples must be given for Friedman test, got {k}.")
    if keepdims:
        static.refuse("U012", "tests by ranks have no `keepdims=` here: leave it out")

    def test(*parts):
        n = parts[0].shape[0]
        sums, ties = op.zeros(shape=(k,), dtype="f64"), 0.0
        for i in range(n):
            row = op.empty(shape=(k,), dtype="f64")
            for j, part in enumerate(parts):
                row[j] = part[i]
            r = ranks(row, "average")
            sums = sums + r
            ties = ties + ties_of(r)
        statistic = 12.0 / (k * n * (k + 1.0)) * op.sum(sums * sums) - 3.0 * n * (k + 1.0)
        statistic = statistic / (1.0 - ties / (k * (k * k - 1.0) * n))
        return statistic, op.gammaincc(0.5 * (k - 1.0), 0.5 * statistic)

    return FriedmanchisquareResult(*along_rows(test, axis, *samples))


def kendalltau(
    x, y, *, nan_policy="propagate", method="auto", variant="b", alternative="two-sided", axis=None, keepdims=False,
):  # fmt: skip
    """The correlation of orders; exact for at most 33 pairs without equals."""
    require_known(alternative)
    require_propagate(nan_policy)
    require_method(method, ("auto", "exact", "asymptotic"))
    if variant not in ("b", "c"):
        raise ValueError(f"Unknown variant of the method chosen: {variant}. variant must be 'b' or 'c'.")
    if axis is not None or keepdims:
        static.refuse("U012", "scipy.stats.kendalltau takes two vectors here, and no `axis=` or `keepdims=`")
    x, y = ravel(as_array(x)), ravel(as_array(y))
    n = x.shape[0]
    if n != y.shape[0]:
        raise ValueError("Array shapes are incompatible for broadcasting.")
    x, y = ranks(x, "average"), ranks(y, "average")
    same, other, x_ties, y_ties = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        for j in range(i):
            sense = (x[i] - x[j]) * (y[i] - y[j])
            if sense > 0.0:
                same += 1.0
            elif sense < 0.0:
                other += 1.0
            if x[i] == x[j]:
                x_ties += 1.0
            if y[i] == y[j]:
                y_ties += 1.0
    pairs = 0.5 * n * (n - 1.0)
    difference = same - other
    if variant == "b":
        tau = difference / op.sqrt(pairs - x_ties) / op.sqrt(pairs - y_ties)
    else:
        classes = 1.0 * min(distinct(x), distinct(y))
        tau = 2.0 * difference / (n * n * (classes - 1.0) / classes)
    tau = op.minimum(1.0, op.maximum(-1.0, tau))
    if op.any(x != x) or op.any(y != y) or pairs in (x_ties, y_ties):
        return SignificanceResult(float("nan"), float("nan"))
    has_ties = x_ties > 0.0 or y_ties > 0.0
    if method == "exact" and has_ties:
        raise ValueError("Ties found, exact method cannot be used.")
    if method == "exact" or (method == "auto" and not has_ties and (n <= 33 or min(same, other) <= 1.0)):
        return SignificanceResult(tau, share_of_inversions(n, same, other, alternative))
    whole = n * (n - 1.0)
    x0, x1 = groups_of(x)
    y0, y1 = groups_of(y)
    spread = (whole * (2.0 * n + 5.0) - x1 - y1) / 18.0 + 2.0 * x_ties * y_ties / whole
    spread = spread + x0 * y0 / (9.0 * whole * (n - 2.0))
    return SignificanceResult(tau, by_normal(difference / op.sqrt(spread), alternative))


def distinct(r):
    found = 0
    for i in range(r.shape[0]):
        is_new = True
        for j in range(i):
            if r[j] == r[i]:
                is_new = False
        if is_new:
            found += 1
    return found


def groups_of(r):
    """The sums of t (t - 1) (t - 2) and t (t - 1) (2 t + 5) over groups of t equals."""
    first, second = 0.0, 0.0
    for i in range(r.shape[0]):
        t = 0.0
        for j in range(r.shape[0]):
            if r[i] == r[j]:
                t += 1.0
        first += (t - 1.0) * (t - 2.0)
        second += (t - 1.0) * (2.0 * t + 5.0)
    return first, second


def share_of_inversions(n, same, other, alternative):
    """How many orders of n have at most so many pairs out of order, or more."""
    c = int(min(same, other))
    shares = op.zeros(shape=(c + 1,), dtype="f64")
    shares[0] = 1.0
    for j in range(2, n + 1):
        sums = cumsum(shares)
        for k in range(c + 1):
            shares[k] = (sums[k] - (sums[k - j] if k >= j else 0.0)) / j
    least = op.sum(shares)
    if alternative == "two-sided":
        return op.minimum(2.0 * least, 1.0)
    is_outside = same >= other if alternative == "greater" else same < other
    return least if is_outside else 1.0 - least + shares[c]
