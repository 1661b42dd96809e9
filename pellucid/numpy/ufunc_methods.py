"""Methods of NumPy's functions of two elements; the function itself comes first.

    np.maximum.accumulate(x)    ->    out[i] = maximum(out[i - 1], x[i])
    np.add.reduce(x)            ->    sum(x, axis=0)
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static, static_ufuncs
from .elementary import in_dtype, operand, require_no_out, strong
from .manipulation import as_array, expand_dims, moveaxis, ravel, reshape
from .places import flatnonzero
from .reductions import all, any, cumprod, cumsum, max, min, prod, sum

SUMS = {"add": sum, "multiply": prod}
EXTREMES = {"maximum": max, "minimum": min, "logical_and": all, "logical_or": any}
RUNNING = {"add": cumsum, "multiply": cumprod}


def reduce(ufunc, array, /, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """The elements along an axis taken together from the first one on."""
    require_no_out(out)
    if static.is_array(where) or not where:
        static.refuse("U012", "`where=` is not taken here; replace what is to be left out by `np.where`")
    array, name = as_array(array), static.ufunc_name(ufunc)
    if name in SUMS:
        found = SUMS[name](array, axis, dtype, keepdims=keepdims)
    elif name in EXTREMES and dtype is None:
        found = EXTREMES[name](array, axis, keepdims=keepdims)
    else:
        found = folded(ufunc, array, axis, dtype, keepdims)
    return found if initial is None else ufunc(in_dtype(initial, static.element(found)), found)


def folded(ufunc, array, axis, dtype, keepdims):
    places = static.axes_of(axis, static.rank(array))
    if len(places) != 1 and not static_ufuncs.is_reorderable(ufunc):
        name = static.ufunc_name(ufunc)
        raise ValueError(f"reduction operation '{name}' is not reorderable, so at most one axis may be specified")
    if len(places) not in (1, static.rank(array)):
        static.refuse("U012", "this reduction takes one axis or all of them here; call it once for each")
    rows = own_dtype(ufunc, ravel(array) if len(places) > 1 else moveaxis(array, places[0], 0), dtype)
    identity = static_ufuncs.identity_of(ufunc)
    if identity is None and rows.shape[0] == 0:
        name = static.ufunc_name(ufunc)
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    if identity is None:
        total = rows[0]
    elif static.rank(rows) == 1:
        total = op.cast(identity, dtype=static.element(rows))
    else:
        total = op.full(op.cast(identity, dtype=static.element(rows)), shape=rows.shape[1:], dtype=static.element(rows))
    for i in range(0 if identity is not None else 1, rows.shape[0]):
        total = ufunc(total, rows[i])
    return expand_dims(total, places) if keepdims else total


def own_dtype(ufunc, rows, dtype):
    """In the dtype that the function gives of two such elements, and takes again."""
    word = static_ufuncs.fold_dtype(ufunc, static.element(rows)) if dtype is None else static.dtype_name(dtype)
    return in_dtype(rows, word)


def accumulate(ufunc, array, /, axis=0, dtype=None, out=None):
    """What `reduce` has come to at each element."""
    require_no_out(out)
    array, name = as_array(array), static.ufunc_name(ufunc)
    if static.rank(array) == 0:
        raise TypeError("cannot accumulate on a scalar")
    if name in RUNNING:
        return RUNNING[name](array, axis, dtype)
    rows = own_dtype(ufunc, moveaxis(array, axis, 0), dtype)
    result = op.copy(rows)
    for i in range(1, rows.shape[0]):
        result[i] = ufunc(result[i - 1], rows[i])
    return moveaxis(result, 0, axis)


def outer(ufunc, A, B, /):
    """The function of every pair of elements."""
    A, B = strong(operand(A)), strong(operand(B))
    if static.rank(A) == 0 or static.rank(B) == 0:
        return ufunc(A, B)
    return ufunc(reshape(A, (*A.shape, *[1 for _ in B.shape])), B)


def reduceat(ufunc, array, indices, /, axis=0, dtype=None, out=None):
    """The elements from each place up to the next one taken together; one alone where the next does not come later."""
    require_no_out(out)
    array, places, name = as_array(array), ravel(indices), static.ufunc_name(ufunc)
    rows = moveaxis(array, axis, 0)
    if name in RUNNING and dtype is None:
        rows = in_dtype(rows, static.summed(static.element(rows)))
    else:
        rows = own_dtype(ufunc, rows, dtype)
    length, count = rows.shape[0], places.shape[0]
    result = op.empty(shape=(count, *rows.shape[1:]), dtype=static.element(rows))
    for k in range(count):
        first = places[k]
        if first < 0 or first >= length:
            raise IndexError(f"index {first} out-of-bounds in {name}.reduceat [0, {length})")
        last = op.cast(length, dtype="i64")
        if k + 1 < count:
            last = op.cast(places[k + 1], dtype="i64")
        total = rows[first]
        for i in range(first + 1, last):
            total = ufunc(total, rows[i])
        result[k] = total
    return moveaxis(result, 0, axis)


def at(ufunc, a, indices, b, /):
    """`a[i] = ufunc(a[i], b)` for each of the indices, again for those that come again, which stay what they were."""
    parts = indices if isinstance(indices, tuple) else (indices,)
    places = [as_they_are(where_true(operand(part))) for part in parts]
    for place in places:
        if static.rank(place) > 1:
            help_ = "give both in a row: `np.add.at(a, i.ravel(), np.broadcast_to(b, i.shape).ravel())`"
            static.refuse("U012", "the indices of `ufunc.at` are numbers or vectors here", help_)
    values = as_they_are(operand(b))
    if static.rank(values) == 1 and static.rank(a) > len(places):
        static.refuse("U012", "`ufunc.at` of rows is not supported; loop over the indices")
    if static.rank(values) > 1:
        static.refuse("U012", "`ufunc.at` takes a number or a vector here; loop over the indices")
    vectors = [place for place in places if static.rank(place) == 1]
    count = common_count(vectors)
    if static.rank(values) == 1 and (len(vectors) == 0 or values.shape[0] != count):
        raise ValueError(f"array is not broadcastable to correct shape: {values.shape[0]} values for {count} indices")
    for k in range(count):
        place = tuple([p[k] if static.rank(p) == 1 else p for p in places])
        result = ufunc(a[place], values[k] if static.rank(values) == 1 else values)
        a[place] = in_dtype(result, static.element(a))


def as_they_are(values):
    """An array of its own, as what changes meanwhile may be the same; an only element, where that is known."""
    if static.rank(values) != 1:
        return values
    return values[0] if static.unit_axes(values) == (0,) else op.copy(values)


def common_count(vectors):
    """How many indices there are in each of the vectors."""
    if len(vectors) == 0:
        return 1
    count = vectors[0].shape[0]
    for other in vectors[1:]:
        if other.shape[0] != count:
            shapes = f"({count},) ({other.shape[0]},)"
            raise IndexError(f"shape mismatch: indexing arrays could not be broadcast together with shapes {shapes}")
    return count


def where_true(places):
    return flatnonzero(places) if static.kind(places) == "bool" else places
