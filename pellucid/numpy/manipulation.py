"""Arrays rearranged: shapes, axes, repeating, parts."""

from ..compiler.ops import primitives as op
from ..compiler.ops import static, static_dtypes
from ..compiler.ops.sharing import gives
from .creation import arange, lengths
from .elementary import number, operand, require_no_out, strong


def shape(a):
    a = operand(a)
    return a.shape if static.is_array(a) else ()


def ndim(a):
    return static.rank(operand(a))


def size(a, axis=None):
    a = operand(a)
    return total(shape(a)) if axis is None else a.shape[static.axis_of(axis, static.rank(a))]


def total(sizes):
    """The product of lengths."""
    result = 1
    for length in sizes:
        result = result * length
    return result


def lengths_along(axis, rank, length):
    """The shape that has a length on one axis and 1 on the others."""
    return tuple([length if k == axis else 1 for k in range(rank)])


def as_array(a):
    """A single number as an array without dimensions."""
    a = operand(a)
    return a if static.is_array(a) else op.full(a, shape=(), dtype=static_dtypes.one_dtype(a))


@gives("either")
def reshape(a, shape, order="C", *, copy=None):
    """The same elements in order, in a new shape, of which one length may be -1: what is left."""
    require_order(order)
    if copy is not None and not copy:
        static.refuse("U012", "whether a reshape can do without a copy depends on strides", "leave `copy=False` out")
    a = op.copy(as_array(a)) if copy else as_array(a)
    wanted = tuple([-1 if static.is_static(n) and n < 0 else n for n in lengths(shape)])
    open_place = static.position(wanted, -1)
    if open_place < 0:
        return laid_out(a, wanted, order)
    front, back = wanted[:open_place], wanted[open_place + 1 :]
    if static.position(back, -1) >= 0:
        static.refuse("S003", "can only specify one unknown dimension")
    if static.rank(a) == 1 and len(wanted) == 1:
        return a
    size, known = total(a.shape), total((*front, *back))
    if known == 0 or size % known != 0:
        raise ValueError(f"cannot reshape array of size {size} into shape {static.open_shape(front, back)}")
    return laid_out(a, (*front, size // known, *back), order)


def laid_out(a, shape, order):
    """The elements row by row, or column by column, in a new shape."""
    if order == "C":
        return op.reshape(a, shape=shape)
    return transpose(op.reshape(transpose(a), shape=shape[::-1]))


def require_order(order):
    if order != "C" and order != "F":
        static.refuse("U012", "only the orders 'C' and 'F' are supported", "say in which order: 'C' or 'F'")


@gives("either")
def reshape_method(a, *shape, order="C", copy=None):
    """`x.reshape(n, 2)` and `x.reshape((n, 2))`"""
    return reshape(a, shape[0] if len(shape) == 1 else shape, order, copy=copy)


@gives("either")
def ravel(a, order="C"):
    a = as_array(a)
    require_order(order)
    if order == "F":
        return ravel(transpose(a))
    return a if static.rank(a) == 1 else op.reshape(a, shape=(total(a.shape),))


def flatten(a, order="C"):
    """`x.flatten()`: always a copy."""
    return op.copy(ravel(a, order))


@gives("view")
def transpose(a, axes=None):
    a = operand(a)
    order = static.order_of(axes, static.rank(a))
    if static.rank(a) < 2:
        return as_array(a) if static.is_weak(a) else a
    return op.transpose(a, axes=order)


@gives("view")
def transpose_method(a, *axes):
    """`x.transpose(1, 0)`, `x.transpose((1, 0))` and `x.transpose()`"""
    if len(axes) == 0:
        return transpose(a)
    return transpose(a, axes[0] if len(axes) == 1 and not static.is_axis(axes[0]) else axes)


@gives("view")
def transposed(a):
    """`x.T`"""
    return transpose(a)


@gives("view")
def swap_last(a):
    """`x.mT`"""
    return swapaxes(a, -1, -2)


@gives("view")
def matrix_transpose(x, /):
    return swapaxes(x, -1, -2)


@gives("view")
def swapaxes(a, axis1, axis2):
    a = operand(a)
    return in_order(a, static.swapped_order(static.rank(a), axis1, axis2))


@gives("view")
def moveaxis(a, source, destination):
    a = operand(a)
    return in_order(a, static.moved_order(static.rank(a), source, destination))


def in_order(a, order):
    return a if order == tuple(range(static.rank(a))) else op.transpose(a, axes=order)


@gives("view")
def expand_dims(a, axis):
    """New axes of length 1 at these places of the result."""
    a = as_array(a)
    axes = axis if static.is_sequence(axis) else (axis,)
    for place in static.axes_of(axes, static.rank(a) + len(axes)):
        a = moveaxis(a[None], 0, place)
    return a


@gives("view")
def squeeze(a, axis=None):
    """Without axes of length 1: those named, or all that are known to be of length 1 before the program runs."""
    a = operand(a)
    if not static.is_array(a):
        return as_array(a) if static.is_weak(a) else a
    places = static.unit_axes(a) if axis is None else static.axes_of(axis, static.rank(a))
    for k, length in enumerate(a.shape):
        if axis is None and k not in places and length == 1:
            raise ValueError("an axis turns out to have length 1: say which axes np.squeeze is to drop, axis=...")
        if k in places and length != 1:
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    if len(places) == 0:
        return a
    kept = tuple([length for k, length in enumerate(a.shape) if k not in places])
    return op.reshape(a, shape=kept)


@gives("read-only")
def broadcast_to(array, shape):
    return op.broadcast_to(operand(array), shape=lengths(shape))


@gives("view")
def atleast_1d(*arys):
    """An array of at least one axis; of several arrays each of them."""
    if len(arys) != 1:
        return tuple([atleast_1d(a) for a in arys])
    a = as_array(arys[0])
    return op.reshape(a, shape=(1,)) if static.rank(a) == 0 else a


@gives("view")
def atleast_2d(*arys):
    if len(arys) != 1:
        return tuple([atleast_2d(a) for a in arys])
    a = as_array(arys[0])
    if static.rank(a) == 0:
        return op.reshape(a, shape=(1, 1))
    return a[None] if static.rank(a) == 1 else a


# --- repeating -----------------------------------------------------------------------------------------------------


def repeat(a, repeats, axis=None):
    """Every element `repeats` times, or as often as its own count says."""
    a, repeats = as_array(a), operand(repeats)
    rows = ravel(a) if axis is None else moveaxis(a, axis, 0)
    if static.rank(repeats) != 0:
        out = rows[places_repeated(rows.shape[0], repeats)]
        return out if axis is None else moveaxis(out, 0, axis)
    inner = rows.shape[1:]
    spread = op.broadcast_to(rows[:, None], shape=(rows.shape[0], repeats, *inner))
    out = op.reshape(spread, shape=(rows.shape[0] * repeats, *inner))
    return out if axis is None else moveaxis(out, 0, axis)


def places_repeated(count, repeats):
    """The place of every element, as often as its count says; a single count is that of all."""
    if static.rank(repeats) != 1:
        static.refuse("S002", "object too deep for desired array")
    if static.kind(repeats) == "float":
        static.refuse("T001", "np.repeat takes counts that are ints")
    if repeats.shape[0] != 1 and repeats.shape[0] != count:
        told = "operands could not be broadcast together with shape"
        raise ValueError(f"{told} ({count},) ({repeats.shape[0]},)")
    often = op.broadcast_to(op.cast(repeats, dtype="i64"), shape=(count,))
    if op.any(often < 0):
        raise ValueError("repeats may not contain negative values.")
    places, k = op.empty(shape=(op.sum(often),), dtype="i64"), 0
    for i in range(count):
        for _ in range(often[i]):
            places[k] = i
            k += 1
    return places


def tile(A, reps):
    """Copies side by side, `reps` of them along each axis."""
    a = as_array(A)
    counts = tuple(reps) if static.is_sequence(reps) else (reps,)
    a = op.reshape(a, shape=(*((1,) * (len(counts) - static.rank(a))), *a.shape))
    counts = (*((1,) * (static.rank(a) - len(counts))), *counts)
    apart = tuple([length for size in a.shape for length in (1, size)])
    spread = tuple([length for pair in zip(counts, a.shape) for length in pair])
    merged = tuple([count * size for count, size in zip(counts, a.shape)])
    return op.reshape(op.broadcast_to(op.reshape(a, shape=apart), shape=spread), shape=merged)


# --- reordering and parts ------------------------------------------------------------------------------------------


@gives("view")
def flip(m, axis=None):
    m = number(strong(operand(m)))
    for k in static.axes_of(axis, static.rank(m)):
        m = moveaxis(moveaxis(m, k, 0)[::-1], 0, k)
    return m


@gives("view")
def flipud(m):
    return flip(m, 0)


@gives("view")
def fliplr(m):
    return flip(m, 1)


def roll(a, shift, axis=None):
    """Elements moved along axes; what falls off the end comes in at the start."""
    a = as_array(a)
    if static.is_sequence(shift) or static.is_sequence(axis):
        return roll_each(a, shift, 0 if axis is None else axis, axis is None)
    if axis is None:
        return op.reshape(roll(ravel(a), shift, 0), shape=a.shape)
    count = a.shape[axis]
    start = shift % max(count, 1)
    out = op.empty(shape=a.shape, dtype=static.element(a))
    along(out, axis, None, start)[...] = along(a, axis, count - start, None)
    along(out, axis, start, None)[...] = along(a, axis, None, count - start)
    return out


@gives("view")
def along(a, axis, start, stop):
    """A slice of one axis, and the others whole."""
    return a[(slice(None),) * static.axis_of(axis, static.rank(a)) + (slice(start, stop),)]


def roll_each(a, shift, axis, is_flat):
    """Along one axis after the other; one shift serves all axes, and several may go along one axis."""
    count = len(axis) if static.is_sequence(axis) else len(shift)
    if static.is_sequence(axis) and static.is_sequence(shift) and len(shift) != count:
        static.refuse("S003", "np.roll takes a shift for each axis, or one for all")
    moved = ravel(a) if is_flat else a
    for k in range(count):
        step = shift[k] if static.is_sequence(shift) else shift
        moved = roll(moved, step, axis[k] if static.is_sequence(axis) else axis)
    return op.reshape(moved, shape=a.shape) if is_flat else moved


def take(a, indices, axis=None, out=None, mode="raise"):
    require_no_out(out)
    a, indices = operand(a), operand(indices)
    if axis is None:
        return taken(ravel(a), 0, indices, mode)
    return taken(a, static.axis_of(axis, static.rank(a)), indices, mode)


def taken(a, axis, indices, mode):
    """What stands at places of an axis; what lies outside is refused, taken for the end, or counted round."""
    count, whole = a.shape[axis], (slice(None),) * axis
    if mode == "raise":
        return a[whole + (indices,)]
    if count == 0 and (static.rank(indices) == 0 or total(indices.shape) > 0):
        raise IndexError("cannot do a non-empty take from an empty axes.")
    if mode == "clip":
        return a[whole + (op.minimum(op.maximum(indices, 0), count - 1),)]
    if mode != "wrap":
        static.refuse("U012", f"np.take knows no mode {mode!r}, but 'raise', 'clip' and 'wrap'")
    return a[whole + (indices % max(count, 1),)]


def corner(m):
    """The lengths of the last two axes; a vector counts as every row of a square matrix."""
    if static.rank(m) == 0:
        static.refuse("S002", "np.tril and np.triu take arrays of at least one dimension")
    return (m.shape[0], m.shape[0]) if static.rank(m) == 1 else m.shape[-2:]


def tril(m, k=0):
    """Zero above a diagonal."""
    m = operand(m)
    rows, columns = corner(m)
    mask = arange(rows)[:, None] >= arange(columns)[None, :] - k
    return op.where(mask, m, op.cast(0, dtype=static.element(m)))


def triu(m, k=0):
    """Zero below a diagonal."""
    m = operand(m)
    rows, columns = corner(m)
    mask = arange(rows)[:, None] <= arange(columns)[None, :] - k
    return op.where(mask, m, op.cast(0, dtype=static.element(m)))


@gives("read-only")
def diagonal(a, offset=0, axis1=0, axis2=1):
    return diagonal_view(a, offset, axis1, axis2)


@gives("view")
def diagonal_view(a, offset, axis1, axis2):
    """The elements (i, i + offset) of two axes, as a new last axis."""
    rows = moveaxis(operand(a), (axis1, axis2), (0, 1))
    up, down = max(-offset, 0), max(offset, 0)
    places = arange(min(rows.shape[0] - up, rows.shape[1] - down))
    return moveaxis(rows[places + up, places + down], 0, -1)


@gives("by rank")
def diag(v, k=0):
    """The diagonal of a matrix; of a vector, the matrix with that diagonal."""
    v = operand(v)
    if static.rank(v) == 2:
        return diagonal(v, k)
    if static.rank(v) != 1:
        static.refuse("S002", "Input must be 1- or 2-d.")
    up, down = max(-k, 0), max(k, 0)
    count = v.shape[0] + up + down
    out = op.zeros(shape=(count, count), dtype=static.element(v))
    for i in range(v.shape[0]):
        out[i + up, i + down] = v[i]
    return out


def in_rows(x, axis):
    """What lies along an axis as rows of a matrix, and the shape that they had with this axis last."""
    moved = moveaxis(x, axis, -1)
    if static.rank(moved) == 2:
        return moved, moved.shape
    return op.reshape(moved, shape=(total(moved.shape[:-1]), moved.shape[-1])), moved.shape


def from_rows(rows, shape, axis):
    """The inverse, of rows that may have another length."""
    moved = rows if len(shape) == 2 else op.reshape(rows, shape=(*shape[:-1], rows.shape[-1]))
    return moveaxis(moved, -1, axis)
