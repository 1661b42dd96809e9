"""PCG64, the generator of words that NumPy draws by, and how its state is begun by a seed.

    begun(7, 0)                ->    the state for `np.random.default_rng(7)`, and what is added to it in each step
    stepped(high, low, a, b)   ->    state * multiplier + added, modulo 2**128

Sources: M. O'Neill, PCG: a family of simple fast space-efficient statistically good algorithms for random number
generation (2014), and Developing a seed_seq alternative (2015), which is NumPy's `SeedSequence`.
"""

import numpy as np

from ..compiler.ops import primitives as op

HALF = np.uint64(0xFFFFFFFF)
MULTIPLIER_HIGH, MULTIPLIER_LOW = np.uint64(0x2360ED051FC65DA4), np.uint64(0x4385DF649FCCF645)


def high_product(a, b):
    """The upper 64 bits of the product of two uint64."""
    a_low, a_high = a & HALF, a >> np.uint64(32)
    b_low, b_high = b & HALF, b >> np.uint64(32)
    middle = a_high * b_low + (a_low * b_low >> np.uint64(32))
    other = a_low * b_high + (middle & HALF)
    return a_high * b_high + (middle >> np.uint64(32)) + (other >> np.uint64(32))


def stepped(high, low, add_high, add_low):
    """The state of PCG64 after one step, modulo 2**128."""
    product = low * MULTIPLIER_LOW
    new_low = product + add_low
    carry = op.cast(new_low < product, dtype="u64")
    new_high = high * MULTIPLIER_LOW + low * MULTIPLIER_HIGH + high_product(low, MULTIPLIER_LOW) + add_high + carry
    return new_high, new_low


# --- seeds ---------------------------------------------------------------------------------------------------------


def begun(low, high):
    """The state for a seed of two words: its upper and lower half, and those of what is added in each step."""
    words = generated(pool_of(low, high))
    add_high = words[2] << np.uint64(1) | words[3] >> np.uint64(63)
    add_low = words[3] << np.uint64(1) | np.uint64(1)
    first = add_low + words[1]
    carry = op.cast(first < add_low, dtype="u64")
    state = stepped(add_high + words[0] + carry, first, add_high, add_low)
    return state[0], state[1], add_high, add_low


def hashed(value, constant):
    """A word stirred with a constant, and the next constant."""
    value = value ^ constant
    constant = constant * np.uint32(0x931E8875)
    value = value * constant
    return value ^ value >> np.uint32(16), constant


def pool_of(low, high):
    """Four words of entropy, each of which depends on all of the seed."""
    constant = np.uint32(0x43B0D7E5)
    pool = np.zeros(4, np.uint32)
    pool[0], pool[1] = low, high
    for k in range(4):
        pool[k], constant = hashed(pool[k], constant)
    for source in range(4):
        for target in range(4):
            if source != target:
                value, constant = hashed(pool[source], constant)
                mixed = pool[target] * np.uint32(0xCA01F9DD) - value * np.uint32(0x4973F715)
                pool[target] = mixed ^ mixed >> np.uint32(16)
    return pool


def generated(pool):
    """Four words of 64 bits of such a pool."""
    constant = np.uint32(0x8B51F9DD)
    words = np.zeros(4, np.uint64)
    for k in range(8):
        value = pool[k % 4] ^ constant
        constant = constant * np.uint32(0x58F38DED)
        value = value * constant
        value = op.cast(value ^ value >> np.uint32(16), dtype="u64")
        words[k // 2] = words[k // 2] | value << np.uint64(32 * (k % 2))
    return words
