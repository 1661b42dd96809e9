"""Control flow in the spellings of `jax.lax`, for programs that were written for it: each means a plain statement.

They take functions, numbers and containers of them as `jax.lax` does, and run in plain Python as they stand.
"""

import numpy as np

from ..runtime.parts import first_part, map_parts, room_for


class NotGiven:
    """No operand by keyword; None is one."""


def cond(pred, true_fun, false_fun, *operands, operand=NotGiven):
    """`true_fun(*operands) if pred else false_fun(*operands)`: one of them is called.

    operand  the only operand, by keyword; it may be None
    """
    if operand is not NotGiven:
        if len(operands) > 0:
            raise TypeError("cond takes its operands by place, or one of them by `operand=`")
        return cond(pred, true_fun, false_fun, operand)
    if pred:
        return true_fun(*operands)
    return false_fun(*operands)


def switch(index, branches, *operands, operand=NotGiven):
    """`branches[index](*operands)`, with an index that is out of range taken to the nearest one.

    operand  the only operand, by keyword; it may be None
    """
    if operand is not NotGiven:
        if len(operands) > 0:
            raise TypeError("switch takes its operands by place, or one of them by `operand=`")
        return switch(index, branches, operand)
    if len(branches) == 1 or index <= 0:
        return branches[0](*operands)
    return switch(index - 1, branches[1:], *operands)


def select(pred, on_true, on_false):
    """The elements of one array where `pred` is true, and of the other elsewhere."""
    return np.where(pred, on_true, on_false)


def while_loop(cond_fun, body_fun, init_val):
    """`while cond_fun(val): val = body_fun(val)`, beginning with `init_val`."""
    val = init_val
    while cond_fun(val):
        val = body_fun(val)
    return val


def fori_loop(lower, upper, body_fun, init_val, *, unroll=None):
    """`for i in range(lower, upper): val = body_fun(i, val)`, beginning with `init_val`; `unroll` changes nothing."""
    val = init_val
    for i in range(lower, upper):
        val = body_fun(i, val)
    return val


def scan(f, init, xs=None, length=None, reverse=False, unroll=1):
    """`for x in xs: carry, y = f(carry, x)`: the last carry, and all y in arrays along a new first axis.

    f        a function of (carry, x) that gives (carry, y); both may be containers, and y may be None
    init     the first carry
    xs       arrays whose items along the first axis are gone through together, in a container; or None
    length   how many times, where `xs` is None
    reverse  begin with the last item
    unroll   changes nothing
    """
    count = length if xs is None else len(first_part(xs))
    if length is not None and length != count:
        raise ValueError("scan got `length` argument that disagrees with the leading axis of xs")
    require_lengths(xs, count)
    carry = init
    ys = room_for(count, f, init, room_item(xs))
    for step in range(count):
        k = count - 1 - step if reverse else step
        carry, y = f(carry, item(xs, k))
        put(ys, y, k)
    return carry, ys


def require_lengths(xs, count):
    """Raise a ValueError where an array is not as long as the first one is."""

    def require(part):
        if len(part) != count:
            raise ValueError(f"scan got values with different leading axis sizes: {count}, {len(part)}.")

    map_parts(require, xs)


def item(xs, k):
    return map_parts(lambda part: part[k], xs)


def room_item(xs):
    """An item of the kind that the arrays have; they may have none."""
    return map_parts(lambda part: np.zeros(part.shape[1:], part.dtype)[()], xs)


def put(ys, y, k):
    """`ys[k] = y`, part by part."""

    def store(into, value):
        into[k] = value

    map_parts(store, ys, y)


def map_items(f, xs, *, batch_size=None):
    """`f` of each item along the first axis of the arrays in `xs`, in order; `batch_size` changes nothing."""
    _, ys = scan(lambda carry, x: (carry, f(x)), None, xs)
    return ys


def associative_scan(fn, elems, reverse=False, axis=0):
    """The running results of an associative function along an axis: e[0], fn(e[0], e[1]), fn(fn(e[0], e[1]), e[2]), ...

    fn       a function of two containers of arrays like `elems`, which it joins element by element along the axis
    reverse  begin with the last element
    """
    count = first_part(elems).shape[axis]

    def require(part):
        if part.shape[axis] != count:
            raise ValueError("Array inputs to associative_scan must have the same first dimension. "
                             f"(saw: {count}, {part.shape[axis]})")  # fmt: skip

    map_parts(require, elems)
    moved = map_parts(lambda part: np.moveaxis(part, axis, 0).copy(), elems)
    for step in range(1, count):
        k = count - 1 - step if reverse else step
        before = k + 1 if reverse else k - 1
        put_slice(moved, fn(slice_of(moved, before, axis), slice_of(moved, k, axis)), k, axis)
    return map_parts(lambda part: np.moveaxis(part, 0, axis), moved)


def slice_of(moved, k, axis):
    return map_parts(lambda part: np.moveaxis(part[k : k + 1], 0, axis), moved)


def put_slice(moved, value, k, axis):
    def store(into, part):
        into[k : k + 1] = np.moveaxis(part, axis, 0)

    map_parts(store, moved, value)
