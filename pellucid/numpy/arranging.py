"""Arrays side by side, taken apart and walked over: what is said by shapes, indices and loops alone.

    np.dstack((a, b))           ->    concatenate((atleast_3d(a), atleast_3d(b)), axis=2)
    np.ndindex(2, 3)            ->    [(0, 0), (0, 1), ..., (1, 2)]
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..compiler.ops.sharing import gives
from .along import at
from .choosing import array_equal
from .creation import asarray, lengths, ones
from .editing import split
from .elementary import operand
from .joining import are_many, parts_of
from .manipulation import as_array, diag, expand_dims, moveaxis, ravel, total
from .places import indices, nonzero


@gives("view")
def atleast_3d(a, /):
    a = as_array(a)
    if static.rank(a) == 0:
        return op.reshape(a, shape=(1, 1, 1))
    if static.rank(a) == 1:
        return a[None, :, None]
    return a[:, :, None] if static.rank(a) == 2 else a


def dstack(tup):
    if are_many(tup):
        static.refuse("U012", "np.dstack takes a tuple or list of known length here: np.stack takes others")
    return op.concatenate(*[atleast_3d(part) for part in parts_of(tup)], axis=2)


@gives("view")
def dsplit(ary, indices_or_sections):
    if static.rank(operand(ary)) < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


@gives("view")
def unstack(x, /, *, axis=0):
    """The parts along an axis whose length is known before the program runs."""
    rows = moveaxis(as_array(x), axis, 0)
    if not static.is_static(rows.shape[0]):
        fault = "how many arrays np.unstack gives is the length of an axis, which is only known at run time"
        static.refuse("R001", f"{fault}: index the parts, or unpack them, `a, b = x`")
    return tuple([rows[k] for k in range(static.known_length(rows))])


@gives("view")
def rollaxis(a, axis, start=0):
    """An axis moved back until it lies before another one."""
    a = as_array(a)
    rank = static.rank(a)
    place = static.axis_of(axis, rank)
    before = start + rank if start < 0 else start
    if before < 0 or before > rank:
        static.refuse("S002", f"'start' arg requires {-rank} <= start < {rank + 1}, but {start} was passed in")
    return moveaxis(a, place, before - 1 if place < before else before)


def diagflat(v, k=0):
    return diag(ravel(v), k)


def broadcast_arrays(*args, subok=False):
    """New arrays in the shape that all of them have together."""
    parts = [as_array(part) for part in args]
    shape = common_shape(parts)
    return tuple([op.copy(op.broadcast_to(part, shape=shape)) for part in parts])


def common_shape(parts):
    together = op.empty(shape=parts[0].shape, dtype="bool")
    for part in parts[1:]:
        together = op.logical_or(together, op.empty(shape=part.shape, dtype="bool"))
    return together.shape


def array_equiv(a1, a2):
    """Whether two arrays are equal where the one is broadcast to the shape of the other."""
    left, right = as_array(a1), as_array(a2)
    if static.rank(left) == static.rank(right):
        return equal_broadcast(left, right)
    small, large = (left, right) if static.rank(left) < static.rank(right) else (right, left)
    lead = (1,) * (static.rank(large) - static.rank(small))
    return equal_broadcast(op.reshape(small, shape=(*lead, *small.shape)), large)


def equal_broadcast(left, right):
    fits = True
    for n, m in zip(left.shape, right.shape):
        fits = fits and (n == m or n == 1 or m == 1)
    if not fits:
        return False
    shape = tuple([n if m == 1 else m for n, m in zip(left.shape, right.shape)])
    return array_equal(op.broadcast_to(left, shape=shape), op.broadcast_to(right, shape=shape))


@gives("view")
def trim_zeros(filt, trim="fb", axis=None):
    """A vector without the zeros at its front, its back or both."""
    values = as_array(filt)
    if static.rank(values) != 1 or axis not in (None, 0, -1):
        static.refuse("U012", "np.trim_zeros takes vectors here")
    sides = trim.lower()
    if sides not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    first, last = 0, values.shape[0]
    while first < last and (values[first] == 0 and "f" in sides):
        first += 1
    while last > first and (values[last - 1] == 0 and "b" in sides):
        last -= 1
    return values[first:last]


def isscalar(element):
    """Whether this is a single number: known before the program runs."""
    return not static.is_sequence(element) and not static.is_list(element) and not static.is_array(element)


def apply_over_axes(func, a, axes):
    """The function along one axis after the other, whose results keep an axis of length 1."""
    made = as_array(a)
    for axis in axes if static.is_sequence(axes) else (axes,):
        place = static.axis_of(axis, static.rank(made))
        found = as_array(func(made, place))
        if static.rank(found) < static.rank(made):
            found = expand_dims(found, place)
        if static.rank(found) != static.rank(made):
            raise ValueError("function is not returning an array of the correct shape")
        made = found
    return made


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """What a function makes of the coordinates of all elements."""
    return function(*indices(shape, dtype), **kwargs)


def mask_indices(n, mask_func, k=0):
    """The places where a mask of a matrix is not zero."""
    mask = mask_func(ones((n, n), int), k)
    return nonzero(mask != 0)


def ndindex(*shape):
    """Every index of an array of this shape, the last number moving fastest."""
    sizes = lengths(shape[0] if len(shape) == 1 else shape)
    return [at(number, sizes)[:-1] for number in range(total(sizes))]


def resize(a, new_shape):
    """The elements in a new shape, again from the start where they do not suffice."""
    values, shape = ravel(operand(a)), lengths(new_shape)
    out = op.zeros(shape=(total(shape),), dtype=static.element(values))
    for length in shape:
        if length < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
    if values.shape[0] > 0:
        for k in range(out.shape[0]):
            out[k] = values[k % values.shape[0]]
    return op.reshape(out, shape=shape)


def broadcast_shapes(*args):
    """The shape that arrays of these shapes have together."""
    if len(args) == 0:
        return ()
    return common_shape([op.empty(shape=lengths(shape), dtype="bool") for shape in args])


@gives("either")
def asarray_chkfinite(a, dtype=None, order=None):
    """The array, which must be finite."""
    made = asarray(a, dtype)
    if static.kind(made) in ("float", "complex") and not op.all(op.isfinite(made)):
        raise ValueError("array must not contain infs or NaNs")
    return made
