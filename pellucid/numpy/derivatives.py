"""Derivatives of operators, as functions in the language: the cotangent of one operand.

    def f(*operands, out, out_bar, **static)     what `out = operator(*operands, **static)` makes of `out_bar`
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .manipulation import expand_dims, moveaxis, reshape, total


def prod(x, out, out_bar, axis, keepdims):
    """The product of the other elements, by running products from both ends: right with zeros, and at every order."""
    axes = static.axes_of(axis, static.rank(x))
    if not axes:
        return out_bar
    moved = moveaxis(x, axes, static.first_axes(axes))
    lead = moved.shape[len(axes) :]
    rows = moved if len(axes) == 1 else reshape(moved, (total(moved.shape[: len(axes)]), *lead))
    word = static.element(x)
    before = op.empty(shape=rows.shape, dtype=word)
    behind = op.empty(shape=rows.shape, dtype=word)
    one = op.ones(shape=lead, dtype=word) if lead else op.cast(1.0, dtype=word)
    product = one
    for k in range(len(rows)):
        before[k] = product
        product = product * rows[k]
    product = one
    for k in range(len(rows) - 1, -1, -1):
        behind[k] = product
        product = product * rows[k]
    others = before * behind if len(axes) == 1 else reshape(before * behind, moved.shape)
    spread = out_bar if keepdims or static.rank(out_bar) == 0 else expand_dims(out_bar, axes)
    x_bar = spread * moveaxis(others, static.first_axes(axes), axes)
    return x_bar


def solve_matrix(a, b, out, out_bar):
    """With x = a^-1 b: a_bar = -(a^-T x_bar) x^T."""
    adjoint = op.solve(op.transpose(a, axes=(1, 0)), out_bar)
    if static.rank(b) == 1:
        a_bar = -adjoint[:, None] * out
    else:
        a_bar = -op.matmul(adjoint, op.transpose(out, axes=(1, 0)))
    return a_bar


def solve_right_side(a, b, out, out_bar):
    """With x = a^-1 b: b_bar = a^-T x_bar."""
    return op.solve(op.transpose(a, axes=(1, 0)), out_bar)
