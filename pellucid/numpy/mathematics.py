"""Functions of Python's `math` module that are said in others, on Python numbers."""

from ..compiler.ops import primitives as op
from ..compiler.ops import static


def log(x, base=None):
    return op.math_log(x) if base is None else op.math_log(x) / op.math_log(base)


def hypot(*coordinates):
    """The length of a vector."""
    if len(coordinates) == 2:
        return op.math_hypot(coordinates[0], coordinates[1])
    return length_of(coordinates)


def length_of(coordinates):
    """By the length itself as the unit, which no slope passes through: the lengths on the way to it have kinks."""
    unit = 0.0
    for coordinate in coordinates:
        unit = op.math_hypot(unit, coordinate)
    unit = op.stop_gradient(unit)
    if unit == 0.0 or op.math_isinf(unit):
        return unit
    total = 0.0
    for coordinate in coordinates:
        part = coordinate / unit
        total = total + part * part
    return unit * op.math_sqrt(total)


def isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    if rel_tol < 0.0 or abs_tol < 0.0:
        raise ValueError("tolerances must be non-negative")
    a, b = op.cast(a, dtype="f64", weak=True), op.cast(b, dtype="f64", weak=True)
    if a == b:
        return True
    if op.math_isinf(a) or op.math_isinf(b):
        return False
    gap = abs(b - a)
    return gap <= abs(rel_tol * b) or gap <= abs(rel_tol * a) or gap <= abs_tol


def prod(iterable, *, start=1):
    result = start
    for value in iterable:
        result = result * value
    return result


def whole(value):
    """An int as Python's; other numbers are refused, as Python does."""
    if static.kind(value) == "float":
        static.refuse("T001", "an int is needed here, not a float")
    return op.cast(value, dtype="i64", weak=True)


def factorial(n):
    n = whole(n)
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    result = 1
    for k in range(2, n + 1):
        result = result * k
    return result


def gcd(*integers):
    """The greatest common divisor, never negative."""
    result = 0
    for value in integers:
        a, b = result, abs(whole(value))
        while b != 0:
            a, b = b, a % b
        result = a
    return result


def lcm(*integers):
    """The least common multiple, never negative; 0 when one of them is 0."""
    result = 1
    for value in integers:
        divisor = gcd(result, value)
        result = 0 if divisor == 0 else abs(result // divisor * whole(value))
    return result


def isqrt(n):
    """The whole part of the square root, by Newton's iteration from above."""
    n = whole(n)
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    root = n
    following = (n + 1) // 2 if n > 1 else n
    while following < root:
        root = following
        following = (root + n // root) // 2
    return root


def comb(n, k):
    """The number of ways to choose k of n."""
    n, k = whole(n), whole(k)
    if n < 0:
        raise ValueError("n must be a non-negative integer")
    if k < 0:
        raise ValueError("k must be a non-negative integer")
    result = 1
    for i in range(min(k, n - k) if k <= n else 0):
        result = result * (n - i) // (i + 1)
    return result if k <= n else 0


def perm(n, k=None):
    """The number of ordered ways to choose k of n."""
    n = whole(n)
    k = n if k is None else whole(k)
    if n < 0:
        raise ValueError("n must be a non-negative integer")
    if k < 0:
        raise ValueError("k must be a non-negative integer")
    result = 1
    for i in range(k if k <= n else 0):
        result = result * (n - i)
    return result if k <= n else 0


def dist(p, q):
    """The distance of two points."""
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    gaps = [p[k] - q[k] for k in range(len(p))]
    length = abs(gaps[0]) if len(gaps) == 1 else length_of(gaps)
    return op.cast(length, dtype="f64", weak=True)


def fsum(seq):
    """The sum, rounded once: Shewchuk, Adaptive precision floating-point arithmetic (1997)."""
    parts: list[float] = []  # which do not overlap, the smallest first: their sum is exact
    odd = 0.0
    for item in seq:
        x = op.cast(item, dtype="f64", weak=True)
        if op.math_isinf(x) or op.math_isnan(x):
            if op.math_isinf(x) and op.math_isinf(odd) and x != odd:
                raise ValueError("-inf + inf in fsum")
            odd += x
        else:
            kept = 0
            for k in range(len(parts)):
                y = parts[k]
                if abs(x) < abs(y):
                    x, y = y, x
                total = x + y
                low = y - (total - x)
                if low != 0.0:
                    parts[kept] = low
                    kept += 1
                x = total
            if op.math_isinf(x):
                raise OverflowError("intermediate overflow in fsum")
            while len(parts) > kept:
                parts.pop()
            parts.append(x)
    if odd != 0.0:
        return odd
    if len(parts) == 0:
        return 0.0
    k = len(parts) - 1
    total, low = parts[k], 0.0
    while k > 0 and low == 0.0:
        k -= 1
        x, y = total, parts[k]
        total = x + y
        low = y - (total - x)
    if k > 0 and (low < 0.0 and parts[k - 1] < 0.0 or low > 0.0 and parts[k - 1] > 0.0):
        y = low * 2.0  # half an even: the next part decides
        x = total + y
        if y == x - total:
            total = x
    return total
