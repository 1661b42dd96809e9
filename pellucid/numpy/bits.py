"""Numbers taken apart: bits, whole parts and remainders, divisors.

    np.packbits(x)    ->    eight bits in a byte, the highest first
    np.modf(x)        ->    (x - trunc(x), trunc(x))
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import as_evaluated, number, operand, strong
from .manipulation import as_array, moveaxis, ravel, total


def modf(x, /):
    """The fraction and the whole part, both with the sign of the number."""
    x = number(as_evaluated(strong(operand(x))))
    whole = op.trunc(x)
    return op.copysign(op.where(op.isinf(x), 0.0, x - whole), x), whole


def divmod(x1, x2, /):
    word = static.common(operand(x1), operand(x2))
    left, right = (number(op.cast(operand(part), dtype=word)) for part in (x1, x2))
    return left // right, left % right


def bitwise_count(x, /):
    """How many bits of the size of a whole number are set: sums of neighbours, of pairs, of fours, of bytes."""
    x = number(strong(operand(x)))
    if static.kind(x) != "int":
        static.refuse("T001", "np.bitwise_count takes ints")
    v = op.cast(op.absolute(op.cast(x, dtype="i64")) if static.is_signed(x) else x, dtype="u64")
    v = v - ((v >> 1) & 0x5555555555555555)
    v = (v & 0x3333333333333333) + ((v >> 2) & 0x3333333333333333)
    v = (v + (v >> 4)) & 0x0F0F0F0F0F0F0F0F
    return op.cast((v * 0x0101010101010101) >> 56, dtype="u8")


def gcd(x1, x2, /):
    """The greatest common divisor, by Euclid."""
    left, right = whole_pair(x1, x2, "gcd")
    return op.cast(of_pairs(wide(left), wide(right), divisor), dtype=static.element(left))


def lcm(x1, x2, /):
    left, right = whole_pair(x1, x2, "lcm")
    return op.cast(of_pairs(wide(left), wide(right), multiple), dtype=static.element(left))


def wide(x):
    """Ints that have a positive counterpart each."""
    return x if static.element(x) in ("i64", "u64") else op.cast(x, dtype="i64")


def whole_pair(x1, x2, name):
    """Both in the dtype of all ints among them, which a uint64 and one with a sign have not."""
    left, right = operand(x1), operand(x2)
    word = static.common(left, right)
    if static.kind(left) != "int" or static.kind(right) != "int" or static.is_float_word(word):
        static.refuse("T001", f"np.{name} takes ints of one dtype that holds both")
    return op.cast(left, dtype=word), op.cast(right, dtype=word)


def of_pairs(left, right, function):
    """A function of two numbers on all pairs that arrays make together."""
    if static.rank(left) == 0 and static.rank(right) == 0:
        return function(number(left), number(right))
    both = op.maximum(left, right)
    first = ravel(op.broadcast_to(left, shape=both.shape))
    second = ravel(op.broadcast_to(right, shape=both.shape))
    out = op.empty(shape=first.shape, dtype=static.element(both))
    for k in range(first.shape[0]):
        out[k] = function(first[k], second[k])
    return op.reshape(out, shape=both.shape)


def divisor(a, b):
    a, b = op.absolute(a), op.absolute(b)
    while b != 0:
        a, b = b, a % b
    return a


def multiple(a, b):
    common = divisor(a, b)
    return op.absolute(a // common * b) if common != 0 else common


def packbits(a, /, axis=None, bitorder="big"):
    """Eight elements that are zero or not in a byte; zeros fill the last one up."""
    a = as_array(a)
    if static.kind(a) not in ("int", "bool"):
        static.refuse("T001", "np.packbits takes ints and bools")
    rows = ravel(a) if axis is None else moveaxis(a, axis, -1)
    lead, length = rows.shape[:-1], rows.shape[-1]
    flat = op.reshape(rows, shape=(total(lead), length))
    out = op.zeros(shape=(flat.shape[0], (length + 7) // 8), dtype="u8")
    for r in range(flat.shape[0]):
        for k in range(length):
            if flat[r, k] != 0:
                out[r, k // 8] |= op.cast(1 << shift_of(k, bitorder), dtype="u8")
    made = op.reshape(out, shape=(*lead, out.shape[1]))
    return made if axis is None else moveaxis(made, -1, axis)


def shift_of(k, bitorder):
    """Where the bit with this number stands in its byte."""
    if bitorder not in ("big", "little"):
        raise ValueError("'order' must be either 'little' or 'big'")
    return 7 - k % 8 if bitorder == "big" else k % 8


def unpackbits(a, /, axis=None, count=None, bitorder="big"):
    """The bits of bytes: all of them, so many, or all but so many where the count is negative."""
    a = as_array(a)
    if static.element(a) != "u8":
        raise TypeError("Expected an input array of unsigned byte data type")
    rows = ravel(a) if axis is None else moveaxis(a, axis, -1)
    lead = rows.shape[:-1]
    flat = op.reshape(rows, shape=(total(lead), rows.shape[-1]))
    bits = 8 * rows.shape[-1]
    length = bits if count is None else count if count >= 0 else bits + count
    if count is not None and length < 0:
        raise ValueError(f"-count {-count} larger than number of elements")
    out = op.zeros(shape=(flat.shape[0], length), dtype="u8")
    for r in range(flat.shape[0]):
        for k in range(min(length, bits)):
            out[r, k] = (flat[r, k // 8] >> shift_of(k, bitorder)) & 1
    made = op.reshape(out, shape=(*lead, length))
    return made if axis is None else moveaxis(made, -1, axis)
