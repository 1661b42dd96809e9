"""Arrays read as arrays of another dtype, by the bits of their elements.

    x.view(np.int64)      of float64       ->    bits(x)
    x.view(np.uint8)      of float64       ->    eight bytes for each element
    z.view(np.float64)    of complex128    ->    the two parts of each element
    np.frombuffer(b, np.uint8)             ->    the bytes

What is given is an array of its own: in NumPy it shares its memory, and a store that would show it is refused.
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static, static_dtypes
from ..compiler.ops.sharing import gives
from .creation import array
from .elementary import in_dtype
from .manipulation import as_array


@gives("view")
def view(a, dtype=None):
    """`x.view(dtype)`: elements of the same size one by one, of other sizes along the last axis."""
    if dtype is None or static.dtype_name(dtype) == static.element(a):
        return a
    word = static.dtype_name(dtype)
    if static.is_complex(a) and word == static.real_word(static.element(a)):
        return parts_of_pairs(as_array(a))
    if word in ("c64", "c128") and static.real_word(word) == static.element(a):
        return pairs_of_parts(as_array(a))
    size, wanted = static_dtypes.bytes_in(static.element(a)), static_dtypes.bytes_in(word)
    if size == wanted:
        return out_of_ints(as_ints(a), word)
    if size > wanted and size % wanted == 0 and static.rank(a) > 0:
        return out_of_ints(split(as_ints(a), wanted, size), word)
    if size < wanted and wanted % size == 0 and static.rank(a) > 0:
        return out_of_ints(joined(as_ints(a), size, wanted), word)
    if static.rank(a) == 0:
        raise ValueError("Changing the dtype of a 0d array is only supported if the itemsize is unchanged")
    raise ValueError("When changing to a smaller dtype, its size must be a divisor of the size of original dtype")


def parts_of_pairs(a):
    """Real and imaginary parts in turn along the last axis."""
    if static.rank(a) == 0:
        raise ValueError("Changing the dtype of a 0d array is only supported if the itemsize is unchanged")
    return in_turn([op.real(a), op.imag(a)])


def in_turn(parts):
    """The elements of arrays of one shape in turn along the last axis."""
    beside = op.concatenate(*[part[..., None] for part in parts], axis=-1)
    return op.reshape(beside, shape=(*beside.shape[:-2], beside.shape[-2] * len(parts)))


def pairs_of_parts(a):
    require_divisor(a, 2, 1)
    return op.complex_of(a[..., 0::2], a[..., 1::2])


def require_divisor(a, wanted, size):
    if a.shape[-1] * size % wanted != 0:
        raise ValueError(
            "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis "
            "of the array."
        )


def as_ints(a):
    """The bits of elements as ints without a sign."""
    word = static.element(a)
    if word == "f16" or static.is_complex(a):
        fault = f"`.view()` of {static_dtypes.name_of(word)} is not supported"
        static.refuse("U012", fault, "convert it to float32 first")
    given = op.bits(a) if static.is_float_word(word) else a
    return in_dtype(given, static_dtypes.unsigned(word))


def out_of_ints(a, word):
    """Ints without a sign read as a dtype of their size."""
    if word == "bool":
        return a != 0
    if word == "f16" or word in ("c64", "c128"):
        name = static_dtypes.name_of(word)
        static.refuse("U012", f"`.view()` as {name} is not supported", "convert it to float32 first")
    if static.is_float_word(word):
        return op.of_bits(op.cast(a, dtype="i64" if word == "f64" else "i32"))
    return in_dtype(a, word)


def split(a, wanted, size):
    """Each int as several smaller ones, the lowest bits first."""
    count, small = size // wanted, static_dtypes.unsigned_of(wanted)
    word = static.element(a)
    return in_turn([op.cast(op.right_shift(a, op.cast(8 * wanted * k, dtype=word)), dtype=small) for k in range(count)])


def joined(a, size, wanted):
    """Several ints in a row as one, the first one's bits lowest."""
    require_divisor(a, wanted, size)
    count, large = wanted // size, static_dtypes.unsigned_of(wanted)
    made = op.cast(a[..., 0::count], dtype=large)
    for k in range(1, count):
        part = op.cast(a[..., k::count], dtype=large)
        made = op.bitwise_or(made, op.left_shift(part, op.cast(8 * size * k, dtype=large)))
    return made


def frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None):
    """The numbers of a dtype whose bits `bytes` are, from `offset` on; NumPy's array cannot be written to."""
    if not isinstance(buffer, bytes):
        static.refuse("U012", "np.frombuffer takes `bytes` here", "of an array take `x.view(dtype)`")
    if like is not None:
        static.refuse("U012", "np.frombuffer has no `like=` here: leave it out")
    word = static.dtype_name(dtype)
    size = static_dtypes.bytes_in(word)
    raw = array(list(buffer), "uint8")
    length = raw.shape[0]
    if offset < 0 or offset > length:
        raise ValueError(f"offset must be non-negative and no greater than buffer length ({length})")
    if count < 0 and (length - offset) % size != 0:
        raise ValueError("buffer size must be a multiple of element size")
    if count >= 0 and length - offset < count * size:
        raise ValueError("buffer is smaller than requested size")
    raw = raw[offset:] if count < 0 else raw[offset : offset + count * size]
    return view(view(raw, static.real_word(word)), word) if word in ("c64", "c128") else view(raw, word)
