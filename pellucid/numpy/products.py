"""Products of vectors and matrices, and norms, over `matmul` and `einsum` of two operands."""

import numpy as np

from ..compiler.ops import letters, static
from ..compiler.ops import primitives as op
from ..compiler.ops.sharing import gives
from .elementary import as_floating, conjugated, in_dtype, operand, squared_size, strong
from .joining import stack
from .manipulation import diagonal, diagonal_view, expand_dims, moveaxis, ravel, total
from .stacks import over_stacks


def dot(a, b):
    """The sum over the last axis of `a` and the last but one of `b`; numbers multiply."""
    a, b = operand(a), operand(b)
    if static.rank(a) == 0 or static.rank(b) == 0:
        return strong(a) * strong(b)
    if static.rank(b) <= 2:
        return op.matmul(a, b)
    return tensordot(a, b, (static.rank(a) - 1, static.rank(b) - 2))


def matmul(x1, x2, /):
    return op.matmul(operand(x1), operand(x2))


def inner(a, b):
    """The sum over the last axes; numbers multiply."""
    a, b = operand(a), operand(b)
    if static.rank(a) == 0 or static.rank(b) == 0:
        return dot(a, b)
    if static.rank(a) == 1 and static.rank(b) == 1:
        return op.matmul(a, b)
    return tensordot(a, b, (static.rank(a) - 1, static.rank(b) - 1))


def outer(a, b):
    return ravel(a)[:, None] * ravel(b)[None, :]


def outer_of_vectors(x1, x2, /):
    """`np.linalg.outer`: of two vectors alone."""
    x1, x2 = operand(x1), operand(x2)
    if static.rank(x1) != 1 or static.rank(x2) != 1:
        given = f"x1.ndim={static.rank(x1)} and x2.ndim={static.rank(x2)}"
        raise ValueError(f"Input arrays must be one-dimensional, but they are {given}.")
    return outer(x1, x2)


def vdot(a, b):
    """The sum of products, of the conjugate of `a` where it is complex."""
    return op.matmul(conjugated(ravel(a)), ravel(b))


def vecdot(x1, x2, /, *, axis=-1):
    """The sum of products along one axis of both, of the conjugate of `x1` where it is complex."""
    first, second = moveaxis(conjugated(operand(x1)), axis, -1), moveaxis(operand(x2), axis, -1)
    same_length(first.shape[-1], second.shape[-1])
    product = first * second
    where = static.reduced(-1, static.rank(product))
    if static.kind(product) == "bool":
        return op.any(product, axis=where)
    return op.cast(op.sum(product, axis=where), dtype=static.element(product))


def same_length(left, right):
    """Axes that are summed over together have one length; a length of 1 is not stretched.

    Two lengths that are only known at run time are compared by the product itself.
    """
    if (static.is_static(left) or static.is_static(right)) and left != right:
        raise ValueError("shapes are not aligned: the axes that are summed over differ in length")


def trace(a, offset=0, axis1=0, axis2=1, dtype=None):
    elements = diagonal(a, offset, axis1, axis2)
    elements = elements if dtype is None else in_dtype(elements, static.dtype_name(dtype))
    return op.sum(elements, axis=static.reduced(-1, static.rank(elements)))


def trace_of_last(x, /, *, offset=0, dtype=None):
    """`np.linalg.trace`: of the last two axes."""
    return trace(x, offset, -2, -1, dtype)


def tensordot(a, b, axes=2):
    """The sum over pairs of axes: the last `axes` of `a` with the first of `b`, or those named."""
    a, b = operand(a), operand(b)
    subscripts = letters.product_subscripts(static.rank(a), static.rank(b), axes)
    for left, right in letters.shared_places(subscripts):
        same_length(a.shape[left], b.shape[right])
    return contract(a, b, subscripts)


def contract(a, b, subscripts):
    return op.einsum(a, b, subscripts=subscripts)


def kron(a, b):
    """Every element of `a` times the whole of `b`; the one with fewer axes has axes of length 1 in front."""
    a, b = operand(a), operand(b)
    if static.rank(a) == 0 or static.rank(b) == 0:
        return strong(a) * strong(b)
    count = max(static.rank(a), static.rank(b))
    rows, columns = in_axes(a, count), in_axes(b, count)
    apart = tuple([length for size in rows.shape for length in (size, 1)])
    inner = tuple([length for size in columns.shape for length in (1, size)])
    blocks = op.reshape(rows, shape=apart) * op.reshape(columns, shape=inner)
    return op.reshape(blocks, shape=tuple([n * m for n, m in zip(rows.shape, columns.shape)]))


def in_axes(a, count):
    """With axes of length 1 in front, so many in all."""
    return op.reshape(a, shape=(*((1,) * (count - static.rank(a))), *a.shape))


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The vector product along an axis of length 3, which may be another one of each operand and of the result."""
    if axis is not None:
        axisa, axisb, axisc = axis, axis, axis
    a, b = moveaxis(operand(a), axisa, 0), moveaxis(operand(b), axisb, 0)
    if is_pair(a) and is_pair(b):
        return a[0] * b[1] - a[1] * b[0]
    a, b = in_space(a) if is_pair(a) else a, in_space(b) if is_pair(b) else b
    for length in (a.shape[0], b.shape[0]):
        if length != 3:
            raise ValueError("incompatible dimensions for cross product (dimension must be 3)")
    parts = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    return stack(parts, axisc)


def is_pair(a):
    """Whether vectors are known to lie in a plane."""
    return static.is_static(a.shape[0]) and a.shape[0] == 2


def in_space(a):
    """Vectors of a plane with a third part that is zero."""
    return op.concatenate(a, op.zeros(shape=(1, *a.shape[1:]), dtype=static.element(a)), axis=0)


def cross_of_vectors(x1, x2, /, *, axis=-1):
    """`np.linalg.cross`: of vectors with three parts alone."""
    x1, x2 = operand(x1), operand(x2)
    for x in (x1, x2):
        if x.shape[axis] != 3:
            raise ValueError(
                "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
                f"{x1.shape[axis]} and {x2.shape[axis]} dimensional instead."
            )
    return cross(x1, x2, axis=axis)


# --- einsum --------------------------------------------------------------------------------------------------------


@gives("either")
def einsum(subscripts, *operands, optimize=False):
    """Einstein's sums; several operands are contracted from left to right.

    Each operand may be followed by the numbers of its axes instead, and those of the result come last.
    """
    if not static.is_text(subscripts):
        given = (subscripts, *operands)
        count = len(given) // 2
        words = letters.of_numbers(count, *given[1 : 2 * count : 2], *given[2 * count :])
        return einsum(words, *given[: 2 * count : 2])
    values = [operand(value) for value in operands]
    *inputs, result = letters.einsum_letters(subscripts, *[static.rank(value) for value in values])
    left, names = without_repeats(values[0], inputs[0])
    for k in range(1, len(values)):
        right, others = without_repeats(values[k], inputs[k])
        needed = letters.text(result, *inputs[k + 1 :])
        left, names = summed_out(left, names, letters.text(others, needed))
        right, others = summed_out(right, others, letters.text(names, needed))
        joined = result if k == len(values) - 1 else letters.joined(names, others, needed)
        left = contract(left, right, letters.text(names, ",", others, "->", joined))
        names = joined
    left, names = summed_out(left, names, result)
    return op.transpose(left, axes=letters.order_in(names, result)) if names != result else left


def without_repeats(value, names):
    """The diagonal over every letter that stands twice."""
    places = letters.first_repeated(names)
    if len(places) == 0:
        return value, names
    if value.shape[places[0]] != value.shape[places[1]]:
        raise ValueError("dimensions in an operand for a collapsing index don't match")
    shorter = letters.text(letters.without(names, places), names[places[0]])
    return without_repeats(diagonal_view(value, 0, places[0], places[1]), shorter)


def summed_out(value, names, needed):
    """The sum over every letter that is not needed."""
    places = letters.lonely(names, needed)
    if len(places) == 0:
        return value, names
    dtype = static.element(value)
    total = op.cast(op.sum(value, axis=static.reduced(places, static.rank(value))), dtype=dtype)
    return total, letters.without(names, places)


# --- norms ---------------------------------------------------------------------------------------------------------


def norm(x, ord=None, axis=None, keepdims=False):
    """Vector norms of any order; of matrices the Frobenius norm and the largest sums of rows and columns."""
    x = as_floating(operand(x))
    rank = static.rank(x)
    if axis is None and ord is None:
        return op.sqrt(op.sum(squared_size(x), axis=None, keepdims=keepdims))
    axes = static.axes_of(axis, rank)
    if len(axes) == 1:
        return vector_norm_along(x, 2 if ord is None else ord, static.reduced(axes, rank), keepdims)
    if len(axes) != 2:
        static.refuse("S002", "Improper number of dimensions to norm.")
    rows, columns = [static.axis_of(k, rank) for k in axis] if static.is_sequence(axis) else axes
    return matrix_norm(x, "fro" if ord is None else ord, rows, columns, keepdims)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    x = as_floating(operand(x))
    return vector_norm_along(x, ord, static.reduced(axis, static.rank(x)), keepdims)


def vector_norm_along(x, ord, axis, keepdims):
    if ord == 2:
        return op.sqrt(op.sum(squared_size(x), axis=axis, keepdims=keepdims))
    size = op.absolute(x)
    if ord == float("inf"):
        return largest(size, axis, keepdims)
    if ord == -float("inf"):
        return op.min(size, axis=axis, keepdims=keepdims)
    if ord == 0:
        return op.cast(op.sum(x != 0.0, axis=axis, keepdims=keepdims), dtype=static.real_word(static.element(x)))
    if ord == 1:
        return op.sum(size, axis=axis, keepdims=keepdims)
    return op.sum(size**ord, axis=axis, keepdims=keepdims) ** (1.0 / ord)


def largest(sizes, axis, keepdims):
    """The largest of sizes; 0 where there are none."""
    if total(sizes.shape) == 0:
        found = op.sum(sizes, axis=axis, keepdims=keepdims)
    else:
        found = op.max(sizes, axis=axis, keepdims=keepdims)
    return found


def of_singular_values(x, ord, rows, columns, keepdims):
    """Norms of matrices that are the largest or least singular value, or their sum."""
    if ord not in (2, -2, "nuc"):
        raise ValueError("Invalid norm order for matrices.")
    matrices = moveaxis(x, (rows, columns), (-2, -1))
    word, count = static.real_word(static.element(x)), min(x.shape[rows], x.shape[columns])
    values = over_stacks(op.svdvals, [(word, (count,))], (matrices, 2))
    along = static.reduced(-1, static.rank(values))
    if ord == "nuc":
        norm = op.sum(values, axis=along)
    elif ord == 2:
        norm = op.max(values, axis=along)
    else:
        norm = op.min(values, axis=along)
    return expand_dims(norm, (rows, columns)) if keepdims else norm


def matrix_norm(x, ord, rows, columns, keepdims):
    if ord == "fro":
        return op.sqrt(op.sum(squared_size(x), axis=static.reduced((rows, columns), static.rank(x)), keepdims=keepdims))
    if ord == 1 or ord == -1:
        sums = op.sum(op.absolute(x), axis=rows, keepdims=True)
    elif ord == float("inf") or ord == -float("inf"):
        sums = op.sum(op.absolute(x), axis=columns, keepdims=True)
    else:
        return of_singular_values(x, ord, rows, columns, keepdims)
    axis = static.reduced((rows, columns), static.rank(x))
    if ord == 1 or ord == float("inf"):
        return largest(sums, axis, keepdims)
    return op.min(sums, axis=axis, keepdims=keepdims)


def matvec(x1, x2, /):
    """Products of matrices and vectors, each a stack of them."""
    x1, x2 = operand(x1), operand(x2)
    return op.matmul(x1, x2[..., None])[..., 0]


def vecmat(x1, x2, /):
    """Products of conjugated vectors and matrices, each a stack of them."""
    x1, x2 = operand(x1), operand(x2)
    left = op.conjugate(x1) if static.is_complex(x1) else x1
    return op.matmul(left[..., None, :], x2)[..., 0, :]


def multi_dot(arrays):
    """The product of several matrices; of three, the pair that costs less comes first."""
    parts = [operand(part) for part in arrays]
    if len(parts) < 2:
        raise ValueError("Expecting at least two arrays.")
    if len(parts) == 2:
        return dot(parts[0], parts[1])
    for part in (*parts[1:-1], *[end for end in (parts[0], parts[-1]) if static.rank(end) != 1]):
        if static.rank(part) != 2:
            raise np.linalg.LinAlgError(f"{static.rank(part)}-dimensional array given. Array must be two-dimensional")
    first = parts[0][None] if static.rank(parts[0]) == 1 else parts[0]
    last = parts[-1][:, None] if static.rank(parts[-1]) == 1 else parts[-1]
    made = in_best_order(first, parts[1], last) if len(parts) == 3 else one_by_one(first, parts[1:-1], last)
    if static.rank(parts[0]) == 1 and static.rank(parts[-1]) == 1:
        return made[0, 0]
    return made[0] if static.rank(parts[0]) == 1 else made[:, 0] if static.rank(parts[-1]) == 1 else made


def in_best_order(a, b, c):
    forward = a.shape[0] * b.shape[1] * (a.shape[1] + c.shape[1])
    backward = a.shape[1] * c.shape[1] * (a.shape[0] + b.shape[1])
    if forward < backward:
        made = op.matmul(op.matmul(a, b), c)
    else:
        made = op.matmul(a, op.matmul(b, c))
    return made


def one_by_one(first, middle, last):
    made = first
    for part in middle:
        made = op.matmul(made, part)
    return op.matmul(made, last)


def diagonal_of_last(x, /, *, offset=0):
    """The diagonals of a stack of matrices."""
    return diagonal(x, offset, -2, -1)


def norm_of_last(x, /, *, keepdims=False, ord="fro"):
    """The norms of a stack of matrices."""
    x = as_floating(operand(x))
    return matrix_norm(x, ord, static.rank(x) - 2, static.rank(x) - 1, keepdims)
