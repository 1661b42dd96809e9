"""Elementwise functions that are said in others: `where`, `clip`, `round`, `nan_to_num`, `isclose`, logic on any dtype.

All of them are written in the language: in CPython they run as they stand, compiled they are walked through, so that
tests of axes, dtypes and `None` are decided before the program runs.
"""

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..compiler.ops.sharing import gives


def operand(x):
    """A tuple or list as an array, anything else as it is."""
    if static.is_list(x):
        return np.array(x)
    from_parts = static.is_sequence(x)
    return sequence_to_array(x) if from_parts else x


def sequence_to_array(values):
    """Nested tuples and lists of numbers or arrays as one array, of the dtype that NumPy finds for them."""
    parts = [operand(value) for value in values]
    dtype = static.strict_common(*parts)
    if len(parts) == 0:
        return op.empty(shape=(0,), dtype=dtype)
    inner = parts[0].shape if static.is_array(parts[0]) else ()
    out = op.empty(shape=(len(parts), *inner), dtype=dtype)
    for k in range(len(parts)):
        require_shape(parts[k], inner)
        out[k] = parts[k]
    return out


def require_shape(part, shape):
    """Parts of one array have one shape: a store alone would stretch what is shorter."""
    if static.rank(part) != len(shape):
        static.refuse("S003", "setting an array element with a sequence: the parts differ in shape")
    for k, expected in enumerate(shape):
        length = part.shape[k]
        if (static.is_static(length) or static.is_static(expected)) and length != expected:
            raise ValueError("setting an array element with a sequence: the parts differ in shape")


def strong(x):
    """A Python number as NumPy's scalar; everything else as it is."""
    return op.cast(x, dtype=static.element(x)) if static.is_weak(x) else x


def sign(x, /):
    """-1, 0 or 1; of a complex number the one in its direction with the size 1, where that is told by its limit."""
    x = strong(operand(x))
    if not static.is_complex(x):
        return op.sign(x)
    size, real, imag = op.absolute(x), op.real(x), op.imag(x)
    divisor = op.where(op.logical_or(size == 0.0, op.isinf(size)), 1.0, size)
    found = op.where(size == 0.0, 0.0, op.complex_of(real / divisor, imag / divisor))
    towards = op.complex_of(of_infinite(real), of_infinite(imag))
    both = op.logical_and(op.isinf(real), op.isinf(imag))
    return op.where(op.isinf(size), op.where(both, op.complex_of(np.nan, np.nan), towards), found)


def of_infinite(part):
    return op.where(op.isinf(part), op.sign(part), 0.0)


def require_no_out(out):
    if out is not None:
        static.refuse("U012", "`out=` is not taken here; assign the result instead")


def in_dtype(x, word):
    """In another dtype, or as it is where that is its own."""
    return x if static.element(x) == word and not static.is_weak(x) else op.cast(x, dtype=word)


def number(x):
    """An array without dimensions as NumPy's scalar, which most functions give; everything else as it is."""
    return x[()] if static.is_array(x) and static.rank(x) == 0 else x


def truth(x):
    """Whether elements are true, as bools."""
    return x if static.kind(x) == "bool" else op.cast(x, dtype="bool")


def as_floating(x):
    """Ints and bools as float64; floats as they are."""
    word = static.element(x)
    return x if static.is_float_word(word) else op.cast(x, dtype="f64")


def as_evaluated(x):
    """Ints and bools as the floats for which NumPy evaluates functions of them: float16 for those of 8 bits."""
    return in_dtype(x, static.of_functions(static.element(x)))


def conjugated(x):
    """The conjugate of complex numbers; others as they are."""
    return op.conjugate(x) if static.is_complex(x) else x


def squared_size(x):
    """abs(x)**2 without a root."""
    if not static.is_complex(x):
        return x * x
    return op.square(op.real(x)) + op.square(op.imag(x))


@gives("on request")
def cast(x, dtype, copy=True):
    """`np.astype(x, dtype)`"""
    return astype(operand(x), dtype, copy=copy)


@gives("on request")
def astype(x, dtype, order="K", casting="unsafe", subok=True, copy=True):
    """`x.astype(dtype)`"""
    if static.is_array(x) and not copy and static.dtype_name(dtype) == static.element(x):
        return x
    return op.cast(x, dtype=static.dtype_name(dtype))


def finfo(dtype, /):
    """The limits of a dtype, known before the program runs."""
    return static.limits(static.dtype_name(dtype))


def item(a, *index):
    """`x.item()`: the only element, or the one at an index, as a Python number; one int counts along all axes."""
    if len(index) == 1 and static.is_sequence(index[0]):
        index = index[0]
    if static.is_array(a) and len(index) == static.rank(a):
        a = a[index]
    elif static.is_array(a) and len(index) == 1:
        size = a.size
        if index[0] >= size or index[0] < -size:
            raise IndexError(f"index {index[0]} is out of bounds for size {size}")
        a = op.reshape(a, shape=(size,))[index[0]]
    elif static.is_array(a):
        a = op.reshape(a, shape=())[()]
    return op.cast(a, dtype=static.python_word(static.element(a)), weak=True)


def where(condition, x, y):
    condition, x, y = operand(condition), operand(x), operand(y)
    if static.is_weak(x) and static.is_weak(y):
        x, y = strong(x), strong(y)
    return op.where(truth(condition), x, y)


def clip(a, a_min=None, a_max=None, *, min=None, max=None):
    """Of equals, such as 0.0 and -0.0, the element stays: of two, extremes are the second, of float16 the first."""
    a = strong(operand(a))
    if static.is_complex(a) or is_pair(min if a_min is None else a_min) or is_pair(max if a_max is None else a_max):
        return clip_pairs(a, min if a_min is None else a_min, max if a_max is None else a_max)
    low = least_bound(min if a_min is None else a_min, a)
    high = greatest_bound(max if a_max is None else a_max, a)
    if low is None and high is None:
        return +number(a)
    if low is not None:
        low = operand(low)
        a = op.maximum(a, low) if static.keeps_first(static.common(a, low)) else op.maximum(low, a)
    if high is not None:
        high = operand(high)
        a = op.minimum(a, high) if static.keeps_first(static.common(a, high)) else op.minimum(high, a)
    return a


def is_pair(bound):
    return bound is not None and static.is_complex(operand(bound))


def clip_pairs(a, low, high):
    """Complex numbers in their order: by the real part, then by the imaginary one; nan stays."""
    word = static.common(a, operand(0 if low is None else low), operand(0 if high is None else high))
    a = in_dtype(a, word)
    if low is not None:
        a = between(a, in_dtype(operand(low), word), False)
    if high is not None:
        a = between(a, in_dtype(operand(high), word), True)
    return +number(a)


def between(a, bound, is_upper):
    x, y = (bound, a) if is_upper else (a, bound)
    same = op.real(x) == op.real(y)
    is_above = op.where(same, op.imag(x) > op.imag(y), op.real(x) > op.real(y))
    return op.where(op.logical_or(op.isnan(a), is_above), a, bound)


def least_bound(low, a):
    """A bound that is an int of Python's, below which no element of these ints is, is none."""
    if not is_pythons_int(low) or static.kind(a) != "int":
        return low
    least = int(static.limits(static.element(a)).min)
    if static.is_static(low):
        return None if low <= least else low
    return max(low, least)


def greatest_bound(high, a):
    if not is_pythons_int(high) or static.kind(a) != "int":
        return high
    greatest = int(static.limits(static.element(a)).max)
    if static.is_static(high):
        return None if high >= greatest else high
    return high if static.element(a) == "u64" else min(high, greatest)


def is_pythons_int(value):
    return value is not None and not static.is_sequence(value) and static.is_weak(value) and static.kind(value) == "int"


def fabs(x):
    x = strong(operand(x))
    return op.absolute(as_evaluated(x))


def fix(x):
    """Towards zero."""
    return op.trunc(strong(operand(x)))


def round(a, decimals=0):
    """To a number of decimals, halves to even, as NumPy does it: scale, round, scale back."""
    a = strong(operand(a))
    if static.is_complex(a):
        return op.complex_of(round(op.real(a), decimals), round(op.imag(a), decimals))
    if static.kind(a) == "int":
        if static.is_static(decimals) and decimals >= 0:
            return number(a)
        scale = 10.0 ** op.maximum(-decimals, 0)
        return op.where(decimals >= 0, number(a), op.cast(op.rint(a / scale) * scale, dtype=static.element(a)))
    if decimals == 0:
        return op.rint(a)
    if static.kind(a) == "bool":
        raise TypeError("Cannot cast ufunc 'multiply' output from dtype('float64') to dtype('bool')")
    if decimals > 0:
        return op.rint(a * 10.0**decimals) / 10.0**decimals
    return op.rint(a / 10.0**-decimals) * 10.0**-decimals


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    if not copy:
        static.refuse("U012", "np.nan_to_num with copy=False changes its argument", "assign its result instead")
    x = strong(operand(x))
    if static.is_complex(x):
        parts = [nan_to_num(part, True, nan, posinf, neginf) for part in (op.real(x), op.imag(x))]
        return op.complex_of(parts[0], parts[1])
    if static.kind(x) != "float":
        return number(x)
    largest = static.largest(static.element(x))
    above = largest if posinf is None else posinf
    below = -largest if neginf is None else neginf
    x = op.where(op.isnan(x), nan, x)
    x = op.where(x > largest, above, x)
    return op.where(x < -largest, below, x)


def isclose(a, b, rtol=1.0e-5, atol=1.0e-8, equal_nan=False):
    a, b = operand(a), as_floating(strong(operand(b)))
    near = op.absolute(a - b) <= atol + rtol * op.absolute(b)
    result = op.logical_or(op.logical_and(near, op.isfinite(b)), a == b)
    if equal_nan:
        result = op.logical_or(result, op.logical_and(op.isnan(a), op.isnan(b)))
    return result


def isposinf(x):
    x = strong(operand(x))
    return op.logical_and(op.isinf(x), op.logical_not(op.signbit(x)))


def isneginf(x):
    x = strong(operand(x))
    return op.logical_and(op.isinf(x), op.signbit(x))


def logical_and(x, y):
    return op.logical_and(truth(strong(operand(x))), truth(strong(operand(y))))


def logical_or(x, y):
    return op.logical_or(truth(strong(operand(x))), truth(strong(operand(y))))


def logical_xor(x, y):
    return op.logical_xor(truth(strong(operand(x))), truth(strong(operand(y))))


def logical_not(x):
    return op.logical_not(truth(strong(operand(x))))
