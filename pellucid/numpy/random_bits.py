"""Keys and random words: threefry2x32, by which every number is a function of a key and of its place.

    PRNGKey(7)         ->    uint32 [0, 7]
    split(key, 3)      ->    threefry2x32 of the key and of 0, 1, 2: three new keys
    bits(key, (2, 3))  ->    both words of threefry2x32 of the key and of 0 ... 5, combined by `^`

Source: J. Salmon, M. Moraes, R. Dror and D. Shaw, Parallel random numbers: as easy as 1, 2, 3 (2011), SC '11.  Which
place has which number is JAX's layout (`jax_threefry_partitionable`), and so the words are JAX's.
"""

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import number, operand, strong

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY = 0x1BD11BDA  # of the third word of a key
MASK = 0xFFFFFFFF


def threefry2x32(k0, k1, x0, x1):
    """Two words of 32 bits, stirred in 20 rounds with a key of two words."""
    keys = (k0, k1, k0 ^ k1 ^ np.uint32(PARITY))
    x0 = x0 + k0
    x1 = x1 + k1
    for group in range(5):
        for turn in ROTATIONS[group % 2]:
            x0 = x0 + x1
            x1 = (x1 << np.uint32(turn)) | (x1 >> np.uint32(32 - turn))
            x1 = x0 ^ x1
        x0 = x0 + keys[(group + 1) % 3]
        x1 = x1 + (keys[(group + 2) % 3] + np.uint32(group + 1))
    return x0, x1


def words_at(k0, k1, place):
    """The two words that a key has at a place, an int64."""
    high, low = op.cast(place >> 32, dtype="u32"), op.cast(place, dtype="u32")
    return threefry2x32(k0, k1, high, low)


def one_key(key):
    """The two words of a key."""
    key = operand(key)
    if not static.is_array(key) or static.rank(key) == 0 or static.element(key) != "u32":
        static.refuse("T001", "a key is an array of two np.uint32, as `random.key(seed)` makes it")
    if static.rank(key) > 1:
        static.refuse("S002", "this takes one key, not an array of keys", "take one of them, `keys[0]`, or use `vmap`")
    if key.shape[0] != 2:
        raise ValueError("a key has two words")
    return key[0], key[1]


def lengths_of(shape):
    """A shape as a tuple: an int is one length."""
    return tuple(shape) if static.is_sequence(shape) else (shape,)


def count_of(shape):
    """How many elements there are."""
    count = 1
    for length in shape:
        count = count * length
    if count < 0:
        raise ValueError("negative dimensions are not allowed")
    return count


def words32(key, shape):
    """Words of 32 bits, uint32 of a shape."""
    k0, k1 = one_key(key)
    count = count_of(shape)
    out = np.empty(count, np.uint32)
    for i in range(count):
        high, low = words_at(k0, k1, np.int64(i))
        out[i] = high ^ low
    return op.reshape(out, shape=shape)


def words64(key, shape):
    """Words of 64 bits, uint64 of a shape."""
    k0, k1 = one_key(key)
    count = count_of(shape)
    out = np.empty(count, np.uint64)
    for i in range(count):
        high, low = words_at(k0, k1, np.int64(i))
        out[i] = op.cast(high, dtype="u64") << np.uint64(32) | op.cast(low, dtype="u64")
    return op.reshape(out, shape=shape)


# --- keys ----------------------------------------------------------------------------------------------------------


def PRNGKey(seed, *, impl=None):
    """A key, made of a seed: uint32 of shape (2,).

    seed  an int, or a NumPy integer; of Python's ints and those of 64 bits all bits count
    impl  "threefry2x32" or None, which is the same

    Source: `jax.random.PRNGKey`, with 64-bit types.
    """
    if impl is not None and impl != "threefry2x32":
        raise ValueError("keys are of the kind 'threefry2x32'")
    seed = strong(operand(seed))
    if static.is_array(seed) and static.rank(seed) > 0 or static.kind(seed) != "int":
        static.refuse("T001", "a seed is an int")
    wide = op.cast(seed, dtype="i64")
    data = np.empty(2, np.uint32)
    if static.element(seed) in ("i64", "u64"):
        data[0] = op.cast(wide >> 32, dtype="u32")
    else:
        data[0] = np.uint32(0)
    data[1] = op.cast(wide, dtype="u32")
    return data


def key(seed, *, impl=None):
    """A key, made of a seed: uint32 of shape (2,), as `PRNGKey` makes it."""
    return PRNGKey(seed, impl=impl)


def split(key, num=2):
    """New keys that have nothing to do with each other: uint32 of shape (num, 2).

    key  a key, which is used up by that
    num  how many, or a shape of them

    Source: `jax.random.split`.
    """
    k0, k1 = one_key(key)
    shape = lengths_of(num)
    count = count_of(shape)
    out = np.empty((count, 2), np.uint32)
    for i in range(count):
        high, low = words_at(k0, k1, np.int64(i))
        out[i, 0] = high
        out[i, 1] = low
    return op.reshape(out, shape=(*shape, 2))


def fold_in(key, data):
    """A new key for a key and an int, such as the number of a step: uint32 of shape (2,).

    key   a key, which may be combined with other numbers after that
    data  an int, of which the last 32 bits count

    Source: `jax.random.fold_in`.
    """
    k0, k1 = one_key(key)
    data = strong(operand(data))
    if static.is_array(data) and static.rank(data) > 0 or static.kind(data) != "int":
        static.refuse("T001", "what is folded into a key is an int")
    out = np.empty(2, np.uint32)
    out[0], out[1] = threefry2x32(k0, k1, np.uint32(0), op.cast(data, dtype="u32"))
    return out


def key_data(keys):
    """The words that keys consist of: the keys themselves, which are arrays of uint32."""
    return operand(keys)


def wrap_key_data(key_bits_array, *, impl=None):
    """Words as keys: uint32 whose last length is 2."""
    if impl is not None and impl != "threefry2x32":
        raise ValueError("keys are of the kind 'threefry2x32'")
    words = operand(key_bits_array)
    if not static.is_array(words) or static.rank(words) == 0 or static.element(words) != "u32":
        static.refuse("T001", "keys are arrays of np.uint32 whose last length is 2")
    if words.shape[-1] != 2:
        raise ValueError("a key has two words")
    return words


def clone(key):
    """The same key once more, which may be used where the first one is used, too."""
    return op.copy(operand(key))


def bits(key, shape=(), dtype=None):
    """Random words: unsigned integers of a shape.

    dtype  np.uint8, np.uint16, np.uint32 or np.uint64, which is what None stands for

    Source: `jax.random.bits`, with 64-bit types.
    """
    word = "u64" if dtype is None else static.dtype_name(dtype)
    if word not in ("u8", "u16", "u32", "u64"):
        static.refuse("T001", "random bits are unsigned integers", "take np.uint32, for example")
    shape = lengths_of(shape)
    if word == "u64":
        return number(words64(key, shape))
    return number(op.cast(words32(key, shape), dtype=word))
