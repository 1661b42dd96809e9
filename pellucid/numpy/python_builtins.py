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
        static.refuse("T001", "sum() of bools that starts from a bool is not supported", "start from 0")
    return start + in_dtype(op.sum(in_dtype(x, word)), word)


def power_modulo(base, exponent, modulus):
    """`pow(base, exponent, modulus)`: square and multiply; a negative exponent is one of the inverse."""
    if modulus == 0:
        raise ValueError("pow() 3rd argument cannot be 0")
    if exponent < 0:
        base = inverse_modulo(base, modulus)
        exponent = -exponent
    result = 1 % modulus
    factor = base % modulus
    while exponent > 0:
        if exponent % 2 == 1:
            result = result * factor % modulus
        exponent = exponent // 2
        if exponent > 0:
            factor = factor * factor % modulus
    return result


def inverse_modulo(value, modulus):
    """The number whose product with this one is 1, by Euclid's algorithm."""
    old, new = value % modulus, modulus
    first, second = 1, 0
    while new != 0:
        quotient = old // new
        old, new = new, old - quotient * new
        first, second = second, first - quotient * second
    if abs(old) != 1:
        raise ValueError("base is not invertible for the given modulus")
    return first * old % modulus


def bit_length(x):
    """`x.bit_length()`: how often it can be halved."""
    count = 0
    while x != 0:
        x = x // 2 if x > 0 else -(-x // 2)
        count += 1
    return count


def rounded_to(x, scale):
    """`round(x, digits)` for the power of ten `scale`: exactly the nearest decimal, and of two the even one.

    The product is known exactly, as the sum of the float next to it and what that misses (Dekker 1971).
    """
    if not abs(x) < 1e280 or abs(x) * scale >= 9007199254740992.0:
        return x
    product = x * scale
    nearest = op.rint(product)
    if abs(product - op.trunc(product)) == 0.5:
        high, tall = 134217729.0 * x, 134217729.0 * scale
        head, top = high - (high - x), tall - (tall - scale)
        tail, bottom = x - head, scale - top
        missed = ((head * top - product) + head * bottom + tail * top) + tail * bottom
        if missed > 0.0:
            nearest = op.floor(product) + 1.0
        if missed < 0.0:
            nearest = op.ceil(product) - 1.0
    return float(nearest / scale)


def bit_count(x):
    """`x.bit_count()`: how many ones there are in it."""
    left, count = abs(x), 0
    while left != 0:
        left = left & (left - 1)
        count += 1
    return count


def item_of_bytes(items, index):
    if index < -len(items) or index >= len(items):
        raise IndexError("index out of range")
    return items[index]


def item_of_range(start, step, count, index):
    at = int(index)
    if at < 0:
        at += count
    if at < 0 or at >= count:
        raise IndexError("range object index out of range")
    return start + at * step
