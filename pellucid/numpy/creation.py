"""Arrays made from shapes, numbers and other arrays."""

from math import nan

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..compiler.ops.sharing import gives
from .elementary import operand, strong


def lengths(shape):
    """A shape as a tuple of Python ints: `5`, `(n, 3)`, `[2, m]`."""
    return tuple([one_length(s) for s in shape]) if static.is_sequence(shape) else (one_length(shape),)


def one_length(value):
    if static.rank(value) != 0 or static.kind(value) != "int":
        static.refuse("T001", "a shape is made of ints")
    return value if static.is_weak(value) else op.cast(value, dtype="i64", weak=True)


def require_layout(order):
    """How elements lie in memory is the compiler's business: every order has the same elements."""
    if order not in ("C", "F", "A", "K", None):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got '{order}')")


def zeros(shape, dtype=None, order="C"):
    require_layout(order)
    return op.zeros(shape=lengths(shape), dtype="f64" if dtype is None else static.dtype_name(dtype))


def ones(shape, dtype=None, order="C"):
    require_layout(order)
    return op.ones(shape=lengths(shape), dtype="f64" if dtype is None else static.dtype_name(dtype))


def empty(shape, dtype=None, order="C"):
    require_layout(order)
    return op.empty(shape=lengths(shape), dtype="f64" if dtype is None else static.dtype_name(dtype))


def ndarray(shape, dtype=None, buffer=None, offset=0, strides=None, order=None):
    """The constructor of arrays: elements without a value yet, as `empty` gives them."""
    if buffer is not None or strides is not None:
        static.refuse("U012", "`np.ndarray` over a buffer is not supported", "pass the array itself, and index it")
    return empty(shape, dtype, order)


def filling(value):
    """What an array is filled with: a Python int must fit the dtype, a float is cut off as an element of an array."""
    value = operand(value)
    return strong(value) if static.is_weak(value) and static.kind(value) == "float" else value


def full(shape, fill_value, dtype=None, order="C"):
    require_layout(order)
    fill_value = filling(fill_value)
    word = static.strict_common(fill_value) if dtype is None else static.dtype_name(dtype)
    if static.is_array(fill_value):
        return op.copy(op.broadcast_to(op.cast(fill_value, dtype=word), shape=lengths(shape)))
    return op.full(fill_value, shape=lengths(shape), dtype=word)


def shape_like(a, shape):
    if shape is not None:
        return lengths(shape)
    return a.shape if static.is_array(a) else ()


def zeros_like(a, dtype=None, order="K", subok=True, shape=None):
    require_layout(order)
    a = operand(a)
    return op.zeros(shape=shape_like(a, shape), dtype=static.element(a) if dtype is None else static.dtype_name(dtype))


def ones_like(a, dtype=None, order="K", subok=True, shape=None):
    require_layout(order)
    a = operand(a)
    return op.ones(shape=shape_like(a, shape), dtype=static.element(a) if dtype is None else static.dtype_name(dtype))


def empty_like(a, dtype=None, order="K", subok=True, shape=None):
    require_layout(order)
    a = operand(a)
    return op.empty(shape=shape_like(a, shape), dtype=static.element(a) if dtype is None else static.dtype_name(dtype))


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    require_layout(order)
    a = operand(a)
    word = static.element(a) if dtype is None else static.dtype_name(dtype)
    fill_value = filling(fill_value)
    if static.is_array(fill_value):
        return op.copy(op.broadcast_to(op.cast(fill_value, dtype=word), shape=shape_like(a, shape)))
    return op.full(fill_value, shape=shape_like(a, shape), dtype=word)


def arange(start, stop=None, step=1, dtype=None):
    """`start, start + step, ...` before `stop`; `arange(n)` counts from 0."""
    if stop is None:
        start, stop = 0, start
    word = static.strict_common(start, stop, step) if dtype is None else static.dtype_name(dtype)
    if word == "bool":
        static.refuse("T001", "np.arange of bools is not supported", "count in ints")
    count = count_of_steps(start, stop, step)
    if static.kind(step) == "float" and not (static.is_static(step) and op.isfinite(step)):
        step = op.where(op.isinf(step), 0.0, step)  # after an infinite step there is nothing
    return op.arange(start, stop, step, shape=(count,), dtype=word)


def count_of_steps(start, stop, step):
    """How many values there are; never negative."""
    if static.kind(start) == "float" or static.kind(stop) == "float" or static.kind(step) == "float":
        distance = stop - start
        count = distance / step
        if not op.isfinite(count):
            raise ValueError("Maximum allowed size exceeded")
        # a quotient too small for a float is a part of a step
        is_lost = op.logical_and(count == 0.0, (distance > 0.0) == (step > 0.0))
        is_lost = op.logical_and(is_lost, distance != 0.0)
        return op.maximum(op.where(is_lost, 1, op.math_ceil(count)), 0)
    if static.is_static(start) and start == 0:
        distance = one_length(stop)
    else:
        distance = one_length(stop) - one_length(start)
    if static.is_static(step) and step == 1:
        return distance if static.is_static(distance) and distance > 0 else op.maximum(distance, 0)
    return op.maximum(-(-distance // one_length(step)), 0)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, *, axis=0):
    """`num` evenly spaced numbers; the last one is `stop` itself when the end point counts.

    Between arrays along a new axis.  With `retstep` the step as well, nan where there is none.
    """
    start, stop = operand(start), operand(stop)
    if num < 0:
        raise ValueError("Number of samples must be non-negative.")
    word = static.floating(static.common(start, stop))
    start, stop = op.cast(start, dtype=word), op.cast(stop, dtype=word)
    intervals = num - 1 if endpoint else num
    out = op.arange(0, num, 1, shape=(num,), dtype=static.real_word(word))
    distance = stop - start
    if static.is_array(distance):
        out = op.reshape(out, shape=(num, *((1,) * static.rank(distance))))
    if intervals > 0:
        out = out * (distance / intervals) + start
    else:
        out = out * distance + start
    if endpoint and num > 1:
        out[num - 1] = stop
    made = out
    if dtype is not None:
        wanted = static.dtype_name(dtype)
        made = op.cast(out if static.is_float_word(wanted) else op.floor(out), dtype=wanted)
    if static.is_array(distance):
        made = moved_axis(made, axis)
    if not retstep:
        return made
    if static.is_static(intervals) and intervals <= 0:
        return made, nan
    return made, distance / (intervals if intervals > 0 else nan)


def moved_axis(made, axis):
    """The first axis in another place."""
    order = static.moved_order(static.rank(made), 0, axis)
    return made if order == tuple(range(static.rank(made))) else op.transpose(made, axes=order)


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, *, axis=0):
    """`base` to the power of evenly spaced numbers."""
    if static.rank(base) != 0:
        static.refuse("T001", "np.logspace takes a single number for its base here")
    powers = op.power(base, linspace(start, stop, num, endpoint, axis=axis))
    return powers if dtype is None else op.cast(powers, dtype=static.dtype_name(dtype))


def geomspace(start, stop, num=50, endpoint=True, dtype=None, *, axis=0):
    """Numbers with one ratio between neighbours; the ends are those given."""
    if static.rank(start) != 0 or static.rank(stop) != 0 or axis not in (0, -1):
        static.refuse("T001", "np.geomspace between arrays is not supported; the ends must be single numbers")
    if static.is_complex(start) or static.is_complex(stop):
        static.refuse("U017", "np.geomspace between complex numbers is not supported")
    start, stop = op.cast(start, dtype="f64"), op.cast(stop, dtype="f64")
    if start == 0.0 or stop == 0.0:
        raise ValueError("Geometric sequence cannot include zero")
    sign = op.sign(start)
    first, last = start / sign, stop / sign
    out = op.power(10.0, linspace(op.log10(first), op.log10(last), num, endpoint))
    if num > 0:
        out[0] = first
    if num > 1 and endpoint:
        out[num - 1] = last
    out = out * sign
    return out if dtype is None else op.cast(out, dtype=static.dtype_name(dtype))


def eye(N, M=None, k=0, dtype=None, order="C"):
    require_layout(order)
    word = "f64" if dtype is None else static.dtype_name(dtype)
    return op.eye(shape=(one_length(N), one_length(N) if M is None else one_length(M)), offset=k, dtype=word)


def identity(n, dtype=None):
    return eye(n, None, 0, dtype)


def tri(N, M=None, k=0, dtype=None):
    """Ones on and below a diagonal."""
    word = "f64" if dtype is None else static.dtype_name(dtype)
    return op.cast(arange(N)[:, None] >= arange(N if M is None else M)[None, :] - k, dtype=word)


@gives("on request")
def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0):
    """An array of its own with these elements, of at least `ndmin` axes; with `copy=None` only where it must be."""
    require_layout(order)
    if ndmin > static.rank(operand(object)):
        made = array(object, dtype, copy=copy)
        return op.reshape(made, shape=(*((1,) * (ndmin - static.rank(made))), *made.shape))
    if copy is None and not static.is_sequence(object):
        return asarray(object, dtype)
    if copy is not None and not copy:
        return without_copy(object, dtype)
    value = operand(object)
    word = static.element(value) if dtype is None else static.dtype_name(dtype)
    if not static.is_array(value):
        return op.full(value, shape=(), dtype=word)
    if word != static.element(value):
        return op.cast(value, dtype=word)
    return value if static.is_sequence(object) else op.copy(value)


def without_copy(a, dtype):
    """The array itself, or NumPy's error."""
    if static.is_sequence(a) or not static.is_array(a):
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    if dtype is not None and static.dtype_name(dtype) != static.element(a):
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    return a


@gives("either")
def asarray(a, dtype=None, order=None, *, copy=None):
    """The array itself where it is one of this dtype."""
    require_layout(order)
    if copy is not None:
        return array(a, dtype, copy=copy)
    value = operand(a)
    word = static.element(value) if dtype is None else static.dtype_name(dtype)
    if not static.is_array(value):
        return op.full(value, shape=(), dtype=word)
    return value if word == static.element(value) else op.cast(value, dtype=word)


@gives("either")
def asfortranarray(a, dtype=None):
    return asarray(a, dtype)


@gives("either")
def ascontiguousarray(a, dtype=None):
    """The same with at least one dimension; how elements lie in memory is the compiler's business."""
    value = asarray(a, dtype)
    return value if static.rank(value) > 0 else op.reshape(value, shape=(1,))


def copy(a, order="K"):
    return array(a)


def copy_method(a, order="C"):
    """`x.copy()`: a scalar stays one."""
    return array(a) if static.is_array(a) else a


def fill(a, value):
    """`x.fill(value)`, which changes `x`."""
    a[...] = value
