"""Functions of Python's `math` module that are said in others, on Python numbers."""

from ..compiler.ops import primitives as op
from ..compiler.ops import static


def log(x, base=None):
    return op.math_log(x) if base is None else op.math_log(x) / op.math_log(base)


def hypot(*coordinates):
    """The length of a vector."""
    length = 0.0
    if len(coordinates) == 2:
        return op.math_hypot(coordinates[0], coordinates[1])
    for coordinate in coordinates:
        length = op.math_hypot(length, coordinate)
    return length


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
