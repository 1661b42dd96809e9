"""Differences, slopes and integrals of samples.

    np.gradient(f, h)    ->    (f[2:] - f[:-2]) / (2 h) inside, one-sided differences at the ends
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..compiler.ops.sharing import gives
from .elementary import in_dtype, operand, strong
from .joining import concatenate
from .manipulation import along, as_array, moveaxis, ravel, reshape
from .reductions import cumsum


@gives("either")
def diff(a, n=1, axis=-1, prepend=None, append=None):
    """Differences of neighbours, `n` times over, with elements in front and after on request."""
    a = operand(a)
    if static.rank(a) == 0:
        static.refuse("S002", "np.diff takes an array of at least one dimension")
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    if n > 0 and (prepend is not None or append is not None):
        parts = [end_part(part, a, axis) for part in (prepend, append) if part is not None]
        a = concatenate((*parts[: prepend is not None], a, *parts[prepend is not None :]), axis)
    for _ in (None,) * n if static.is_static(n) else range(n):
        before, after = along(a, axis, None, -1), along(a, axis, 1, None)
        a = after != before if static.kind(a) == "bool" else after - before
    return a


def end_part(part, a, axis):
    """What goes before or after an array along an axis: of a single number one element."""
    part = operand(part)
    if static.rank(part) == 0:
        place = static.axis_of(axis, static.rank(a))
        shape = (*a.shape[:place], 1, *a.shape[place + 1 :])
        return op.broadcast_to(in_dtype(part, static.element(part)), shape=shape)
    return part


def unwrap(p, discont=None, axis=-1, *, period=6.283185307179586):
    """Phases without jumps: a step of `discont` or more, by default half a period, becomes the nearest equal one."""
    rows = moveaxis(strong(operand(p)), axis, 0)
    steps = rows[1:] - rows[:-1]
    word = static.common(steps, period)
    whole = not static.is_float_word(word)
    high = period // 2 if whole else period / 2
    low = -high
    near = (steps - low) % period + low
    if not whole or period % 2 == 0:
        near = op.where(op.logical_and(near == low, steps > 0), high, near)
    moved = op.where(abs(steps) < (period / 2 if discont is None else discont), 0, near - steps)
    out = op.copy(in_dtype(rows, word))
    out[1:] = in_dtype(rows[1:] + cumsum(moved, 0), word)
    return moveaxis(out, 0, axis)


def ediff1d(ary, to_end=None, to_begin=None):
    """Differences of neighbours, all in a row."""
    flat = ravel(ary)
    first = () if to_begin is None else (end_of_row(to_begin, "to_begin", static.element(flat)),)
    last = () if to_end is None else (end_of_row(to_end, "to_end", static.element(flat)),)
    middle = flat[1:] - flat[:-1]
    return middle if to_begin is None and to_end is None else concatenate((*first, middle, *last))


def end_of_row(part, name, word):
    """What goes before or after the differences, in their dtype, of whose kind it must be."""
    part = ravel(strong(operand(part)))
    if not static.can_cast(part, word, "same_kind"):
        rule = "must be compatible with input `ary` under the `same_kind` rule."
        raise TypeError(f"dtype of `{name}` {rule}")
    return in_dtype(part, word)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral of samples by the trapezoidal rule."""
    rows = moveaxis(operand(y), axis, -1)
    pairs = rows[..., 1:] + rows[..., :-1]
    if x is None:
        return op.sum(dx * pairs / 2.0, axis=static.rank(pairs) - 1)
    x = operand(x)
    steps = x[1:] - x[:-1] if static.rank(x) == 1 else diff(moveaxis(x, axis, -1))
    return op.sum(steps * pairs / 2.0, axis=static.rank(pairs) - 1)


# --- slopes ----------------------------------------------------------------------------------------------------------


def gradient(f, *varargs, axis=None, edge_order=1):
    """The slope along each axis: between the neighbours, and from two or three elements at the ends."""
    f = strong(as_array(f))
    if static.kind(f) == "bool":
        raise TypeError("numpy boolean subtract, the `-` operator, is not supported")
    if not static.is_float_word(static.element(f)):
        f = op.cast(f, dtype="f64")
    axes = tuple(range(static.rank(f))) if axis is None else axis if static.is_sequence(axis) else (axis,)
    spacings = [operand(h) for h in varargs] if len(varargs) > 0 else [1.0]
    if len(spacings) == 1 and static.rank(spacings[0]) == 0:
        spacings = [spacings[0] for _ in axes]
    if len(spacings) != len(axes):
        raise TypeError("invalid number of arguments")
    if edge_order not in (1, 2):
        raise ValueError("'edge_order' greater than 2 not supported")
    found: tuple = ()
    for place, spacing in zip(axes, spacings):
        out = op.empty(shape=f.shape, dtype=static.element(f))
        fill_slopes(moveaxis(out, place, 0), moveaxis(f, place, 0), spacing, edge_order)
        found = (*found, out)
    return found[0] if len(found) == 1 else found


def fill_slopes(out, rows, spacing, edge_order):
    """Slopes along the first axis, at points of one distance or at the points given, put into `out`."""
    if rows.shape[0] < edge_order + 1:
        need = "at least (edge_order + 1) elements are required."
        raise ValueError(f"Shape of array too small to calculate a numerical gradient, {need}")
    if static.rank(spacing) == 0:
        fill_even_slopes(out, rows, spacing, edge_order)
    else:
        if static.rank(spacing) != 1:
            raise ValueError("distances must be either scalars or 1d")
        if spacing.shape[0] != rows.shape[0]:
            raise ValueError("when 1d, distances must match the length of the corresponding dimension")
        points = op.cast(spacing, dtype="f64") if static.kind(spacing) == "int" else spacing
        fill_uneven_slopes(out, rows, points[1:] - points[:-1], edge_order)


def fill_even_slopes(out, rows, h, edge_order):
    last = rows.shape[0] - 1
    out[1:last] = (rows[2:] - rows[:-2]) / (2.0 * h)
    if edge_order == 1:
        out[0] = (rows[1] - rows[0]) / h
        out[last] = (rows[last] - rows[last - 1]) / h
    else:
        out[0] = (-1.5 / h) * rows[0] + (2.0 / h) * rows[1] + (-0.5 / h) * rows[2]
        out[last] = (0.5 / h) * rows[last - 2] + (-2.0 / h) * rows[last - 1] + (1.5 / h) * rows[last]


def fill_uneven_slopes(out, rows, steps, edge_order):
    """The slope of the parabola through three neighbours."""
    last = rows.shape[0] - 1
    before = reshape(steps[:-1], (-1, *[1 for _ in rows.shape[1:]]))
    after = reshape(steps[1:], (-1, *[1 for _ in rows.shape[1:]]))
    out[1:last] = (
        -after / (before * (before + after)) * rows[:-2]
        + (after - before) / (before * after) * rows[1:-1]
        + before / (after * (before + after)) * rows[2:]
    )
    if edge_order == 1:
        out[0] = (rows[1] - rows[0]) / steps[0]
        out[last] = (rows[last] - rows[last - 1]) / steps[last - 1]
    else:
        first, second = steps[0], steps[1]
        out[0] = one_sided(rows[0], rows[1], rows[2], first, second)
        out[last] = -one_sided(rows[last], rows[last - 1], rows[last - 2], steps[last - 1], steps[last - 2])


def one_sided(end, next, third, first, second):
    """The slope at the end of a parabola, looking inwards."""
    both = first + second
    return -(first + both) / (first * both) * end + both / (first * second) * next - first / (second * both) * third
