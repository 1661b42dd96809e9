"""Random numbers of the most used distributions, each a function of a key.

    uniform(key, (n,), np.float32)    ->    (words >> 9) * 2.0**-23
    normal(key, (n,))                 ->    sqrt(2) * erfinv(uniform in (-1, 1))

Algorithms are JAX's, so that the numbers are (of `normal` up to the last digits).  Where no dtype is asked for it is
NumPy's, float64 and int64, for which the numbers are those of JAX with `jax_enable_x64`.
"""

import math

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import number, operand, strong
from .random_bits import count_of, lengths_of, split, words32, words64
from .random_normal import erfinv


def floats_word(dtype):
    """The word of a dtype of floats that numbers are drawn in."""
    word = static.dtype_name(dtype)
    if word not in ("f16", "f32", "f64"):
        static.refuse("T001", "numbers of this distribution are floats", "take np.float32 or np.float64")
    return word


def unit_floats(key, shape, word):
    """Floats in [0, 1): as many random bits as the dtype has after the first one."""
    if word == "f64":
        return op.cast(words64(key, shape) >> np.uint64(12), dtype="f64") * 2.0**-52
    words = words32(key, shape)
    if word == "f32":
        return op.cast(words >> np.uint32(9), dtype="f32") * np.float32(2.0**-23)
    return op.cast(op.cast(words, dtype="u16") >> np.uint16(6), dtype="f16") * np.float16(2.0**-10)



def uniform(key, shape=(), dtype=float, minval=0.0, maxval=1.0):
    """Numbers that are spread evenly over [minval, maxval): floats of a shape.

    minval, maxval  numbers, or arrays that broadcast to the shape

    Source: `jax.random.uniform`.
    """
    word, shape = floats_word(dtype), lengths_of(shape)
    floats = unit_floats(key, shape, word)
    if static.is_static(minval) and static.is_static(maxval) and minval == 0.0 and maxval == 1.0:
        return floats
    low, high = op.cast(operand(minval), dtype=word), op.cast(operand(maxval), dtype=word)
    return op.maximum(low, floats * (high - low) + low)


def normal(key, shape=(), dtype=float):
    """Numbers of the normal distribution with mean 0 and variance 1: floats, or complex numbers, of a shape.

    Source: `jax.random.normal`; M. Giles, Approximating the erfinv function (2010).
    """
    word, shape = static.dtype_name(dtype), lengths_of(shape)
    if word in ("c64", "c128"):
        keys = split(key)
        part = "f32" if word == "c64" else "f64"
        real, imag = normal_floats(keys[0], shape, part), normal_floats(keys[1], shape, part)
        root = op.cast(math.sqrt(2.0), dtype=part)
        return op.complex_of(real / root, imag / root)
    return normal_floats(key, shape, floats_word(dtype))


def normal_floats(key, shape, word):
    return quantile(unit_floats(key, shape, word), word)


def quantile(floats, word):
    """Normal numbers for floats in [0, 1)."""
    least = static.limits(word).epsneg - 1.0  # the first number after -1
    low, span = op.cast(least, dtype=word), op.cast(2.0, dtype=word)
    return op.cast(math.sqrt(2.0), dtype=word) * erfinv(op.maximum(low, floats * span + low))


INTS_DRAWN_WIDER = ("i8", "i16", "u8", "u16")


def randint(key, shape, minval, maxval, dtype=int):
    """Ints that are spread evenly over minval, ..., maxval - 1: of a shape.

    minval, maxval  ints, or arrays of them that broadcast to the shape; where maxval is not above minval the number is
                    minval

    Of a span that is no power of two some numbers come more often than others, by a part in 2**32 of narrow dtypes and
    far less of int64.  Source: `jax.random.randint`.
    """
    word, shape = static.dtype_name(dtype), lengths_of(shape)
    if word in INTS_DRAWN_WIDER:
        least, most = int(static.limits(word).min), int(static.limits(word).max)
        low = np.clip(op.cast(whole(minval), dtype="i32"), least, most)
        high = np.clip(op.cast(whole(maxval), dtype="i32"), least, most + 1)
        return op.cast(ints_between(key, shape, low, high, "i32"), dtype=word)
    if word not in ("i32", "i64", "u32", "u64"):
        static.refuse("T001", "`randint` draws integers", "take np.int32 or np.int64")
    return ints_between(key, shape, whole(minval), whole(maxval), word)


def whole(value):
    """A bound of ints: floats are cut off."""
    value = strong(operand(value))
    return value if static.kind(value) == "int" else op.cast(value, dtype="i64")


def ints_between(key, shape, low, high, word):
    """Of two random words the first counts 2**32 or 2**64 times as much as the second, modulo the span."""
    most = int(static.limits(word).max)
    is_beyond = op.cast(high, dtype="f64") > float(most) if word in ("i64", "u64") else high > most
    low, high = within(low, word), within(high, word)
    wide, half = ("u64", 2**32) if word in ("i64", "u64") else ("u32", 2**16)
    span = op.cast(high - low, dtype=wide)
    one, zero = op.cast(1, dtype=wide), op.cast(0, dtype=wide)
    span = op.where(high <= low, one, span)
    span = op.where(op.logical_and(is_beyond, high > low), span + one, span)
    keys = split(key)
    upper = words64(keys[0], shape) if wide == "u64" else words32(keys[0], shape)
    lower = words64(keys[1], shape) if wide == "u64" else words32(keys[1], shape)
    is_whole = span == zero  # every number of the dtype may come
    divisor = op.where(is_whole, one, span)
    factor = op.cast(half, dtype=wide) % divisor
    factor = (factor * factor) % divisor
    offset = ((upper % divisor) * factor + lower % divisor) % divisor
    return low + op.cast(op.where(is_whole, lower, offset), dtype=word)


def within(bound, word):
    """A bound in a dtype, the nearest where it has no such number."""
    own = static.element(bound)
    least = max(int(static.limits(word).min), int(static.limits(own).min))
    most = min(int(static.limits(word).max), int(static.limits(own).max))
    return op.cast(np.clip(bound, least, most), dtype=word)


def bernoulli(key, p=0.5, shape=None, mode="low"):
    """True with the probability p: bools of a shape, that of p unless another is given.

    mode  "low", or "high", which tells apart probabilities that are nearer to each other than floats near 1 are

    Source: `jax.random.bernoulli`.
    """
    if mode not in ("high", "low"):
        raise ValueError("the mode is 'high' or 'low'")
    p = strong(operand(p))
    if static.kind(p) != "float":
        static.refuse("T001", "a probability is a float")
    word, shape = static.element(p), shape_of(p) if shape is None else lengths_of(shape)
    if mode == "low":
        return unit_floats(key, shape, word) < p
    floats = unit_floats(key, (2, *shape), word)
    return floats[1] * op.cast(float(static.limits(word).eps), dtype=word) < p - floats[0]


def shape_of(x):
    return tuple(x.shape) if static.is_array(x) else ()


def gumbel(key, shape=(), dtype=float, mode="low"):
    """Numbers of the Gumbel distribution, -log(-log(u)): floats of a shape.

    mode  "low", or "high", which has more of the large numbers that come seldom

    Source: `jax.random.gumbel`.
    """
    if mode not in ("high", "low"):
        raise ValueError("the mode is 'high' or 'low'")
    word, shape = floats_word(dtype), lengths_of(shape)
    tiny = op.cast(float(static.limits(word).tiny), dtype=word)
    if mode == "low":
        floats = unit_floats(key, shape, word)
        return -op.log(-op.log(op.maximum(tiny, floats * (op.cast(1.0, dtype=word) - tiny) + tiny)))
    floats = unit_floats(key, (2, *shape), word)
    high, low = floats[0], floats[1]
    eps = op.cast(float(static.limits(word).eps), dtype=word)
    x = op.where(high >= op.cast(0.5, dtype=word), high, high + eps * low + tiny)
    return -op.log(-op.log1p(-x))


def categorical(key, logits, axis=-1, shape=None, replace=True, mode="low"):
    """The numbers of categories that are drawn by their logits: ints of the shape of `logits` without the axis.

    logits   logarithms of probabilities, up to a constant
    axis     the axis that the categories are along
    shape    a shape that ends with that of the result for one draw: more draws of the same
    replace  whether a category may be drawn twice

    Source: `jax.random.categorical`: the greatest of logits + `gumbel` numbers.
    """
    logits = operand(logits)
    if not static.is_array(logits) or static.rank(logits) == 0:
        static.refuse("S002", "logits have at least one axis")
    if static.kind(logits) != "float":
        logits = op.cast(logits, dtype="f64")
    word, axis = static.element(logits), static.axis_of(axis, static.rank(logits))
    lengths = tuple(logits.shape)
    batch = (*lengths[:axis], *lengths[axis + 1 :])
    shape = batch if shape is None else lengths_of(shape)
    front = tuple(shape[: len(shape) - len(batch)])
    if replace:
        noise = gumbel(key, (*front, *lengths), word, mode)
        return np.argmax(noise + logits, axis + len(front))
    count = count_of(front)
    if count > lengths[axis]:
        raise ValueError("no more categories can be drawn without replacement than there are")
    best = largest_first(np.moveaxis(logits + gumbel(key, lengths, word, mode), axis, -1))[..., :count]
    return op.reshape(np.moveaxis(best, -1, 0), shape=shape)


def largest_first(x):
    """The order of the last axis by falling values; of equals the first comes first."""
    return np.argsort(-x, -1, kind="stable")


def permutation(key, x, axis=0, independent=False):
    """The items of an array in random order, or the ints below `x` where that is an int.

    axis         the axis whose items change places
    independent  each row along the axis in an order of its own

    Source: `jax.random.permutation`: sorted by random words, in so many rounds that equal words do not count.
    """
    x = operand(x)
    if not static.is_array(x) or static.rank(x) == 0:
        if static.kind(x) != "int":
            static.refuse("T001", "what is permuted is an array, or an int")
        return shuffled(key, np.arange(int(x)), 0)
    axis = static.axis_of(axis, static.rank(x))
    if independent or static.rank(x) == 1:
        return shuffled(key, x, axis)
    return np.take(x, shuffled(key, np.arange(x.shape[axis]), 0), axis)


def shuffled(key, x, axis):
    rounds = int(np.ceil(3.0 * np.log(float(max(1, x.size))) / np.log(4294967295.0)))
    x = op.copy(x)
    now = op.copy(operand(key))
    for _ in range(rounds):
        keys = split(now)
        now = op.copy(keys[0])
        order = np.argsort(words32(keys[1], tuple(x.shape)), axis, kind="stable")
        x = np.take_along_axis(x, order, axis)
    return x


def choice(key, a, shape=(), replace=True, p=None, axis=0):
    """Items of an array that are drawn, or ints below `a` where that is an int.

    a        an array, whose items along the axis are drawn, or an int
    replace  whether an item may be drawn twice
    p        probabilities of the items; None where all are alike

    Source: `jax.random.choice`.
    """
    a, shape = operand(a), lengths_of(shape)
    is_count = not static.is_array(a) or static.rank(a) == 0
    axis = 0 if is_count else static.axis_of(axis, static.rank(a))
    items = int(a) if is_count else a.shape[axis]
    draws = count_of(shape)
    if draws > 0 and items <= 0:
        raise ValueError("a must be greater than 0 unless no samples are taken")
    if not replace and draws > items:
        raise ValueError("no more can be drawn without replacement than there are when 'replace=False'")
    if p is None and not replace and not is_count:
        taken = np.moveaxis(permutation(key, a, axis), axis, 0)[:draws]
        return drawn_items(taken, shape, axis)
    if p is None:
        places = randint(key, shape, 0, items) if replace else permutation(key, items)[:draws]
    else:
        places = places_by(key, items, shape, draws, replace, p)
    if len(shape) == 0:
        place = places if static.rank(places) == 0 else places[0]
        return place if is_count else number(np.take(a, place, axis))
    if is_count:
        return op.reshape(places, shape=shape)
    return drawn_items(np.take(np.moveaxis(a, axis, 0), op.reshape(places, shape=(draws,)), 0), shape, axis)


def drawn_items(taken, shape, axis):
    """What was drawn, along the first axis, with the axes of the shape where the axis was."""
    rest = tuple(taken.shape[1:])
    out = op.reshape(taken, shape=(*shape, *rest))
    here = tuple([axis + k for k in range(len(shape))])
    return np.moveaxis(out, tuple(range(len(shape))), here) if len(shape) > 0 and axis > 0 else out


def places_by(key, items, shape, draws, replace, p):
    """Numbers that are drawn by probabilities."""
    p = operand(p)
    if not static.is_array(p) or static.rank(p) != 1:
        static.refuse("S002", "probabilities of items are an array with one axis")
    if static.kind(p) != "float":
        p = op.cast(p, dtype="f64")
    if p.shape[0] != items:
        raise ValueError("p must have as many probabilities as there are items")
    word = static.element(p)
    if replace:
        sums = np.cumsum(p)
        target = sums[-1] * (op.cast(1.0, dtype=word) - unit_floats(key, shape, word))
        return np.searchsorted(sums, target)
    return largest_first(gumbel(key, (items,), word) + op.log(p))[:draws]
