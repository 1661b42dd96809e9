"""Methods of NumPy's functions of two elements; the function itself comes first.

    np.maximum.accumulate(x)    ->    out[i] = maximum(out[i - 1], x[i])
    np.add.reduce(x)            ->    sum(x, axis=0)
"""

import builtins

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static, static_ufuncs
from .elementary import in_dtype, operand, require_no_out, strong
from .manipulation import as_array, expand_dims, moveaxis, ravel, reshape
from .manipulation import total as size_of
from .places import flatnonzero
from .reductions import accumulated, all, any, cumprod, cumsum, is_whole, max, min, only, prod, sum

SUMS = {"add": sum, "multiply": prod}
EXTREMES = {"maximum": max, "minimum": min}
CHOICES = {"logical_and": all, "logical_or": any}
RUNNING = {"add": cumsum, "multiply": cumprod}


def reduce(ufunc, array, /, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """The elements along an axis taken together from the first one on."""
    require_no_out(out)
    array, name = as_array(array), static.ufunc_name(ufunc)
    if name in SUMS:
        return SUMS[name](array, axis, dtype, keepdims=keepdims, initial=initial, where=where)
    if name in EXTREMES and dtype is None:
        return EXTREMES[name](array, axis, keepdims=keepdims, initial=initial, where=where)
    if name in CHOICES and dtype is None:
        found = CHOICES[name](array, axis, keepdims=keepdims, where=where)
    else:
        found = folded(ufunc, masked(ufunc, array, initial, where), axis, dtype, keepdims)
    return found if initial is None else ufunc(in_dtype(initial, static.element(found)), found)


def masked(ufunc, array, initial, where):
    """The elements that a mask selects; what changes nothing in the place of the others."""
    if is_whole(where):
        return array
    identity, name = static_ufuncs.identity_of(ufunc), static.ufunc_name(ufunc)
    if identity is None and initial is None:
        needed = f"reduction operation '{name}' does not have an identity, so to use a where mask one has to specify "
        raise ValueError(needed + "'initial'")
    if identity is None:
        static.refuse("U012", f"`where=` is not taken by np.{name}.reduce here; select the elements first")
    return only(array, where, identity)


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
    return accumulated(ufunc, own_dtype(ufunc, array, dtype), axis)


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
    places = [where_true(operand(part)) for part in parts]
    for place in places:
        if static.rank(place) > 0 and static.kind(place) != "int":
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
    shape = common_shape(places)
    count, rest = size_of(shape), a.shape[len(places) :]
    vectors = [op.copy(ravel(np.broadcast_to(place, shape))) if static.rank(place) else place for place in places]
    values = operand(b)
    if static.rank(values) > 0:
        require_fit(np.shape(values), (*shape, *rest))
        values = in_a_row(values, (*shape, *rest), count, rest)
    for k in range(count):
        place = tuple([vector[k] if static.rank(vector) else vector for vector in vectors])
        result = ufunc(a[place], values[k] if static.rank(values) else values)
        a[place] = in_dtype(result, static.element(a))


def common_shape(places):
    """The shape of the indices together."""
    ranks = [static.rank(place) for place in places]
    for k in range(1, 1 + builtins.max(0, *ranks)):
        common = 1
        for place in places:
            if static.rank(place) >= k and np.shape(place)[-k] != 1:
                if common not in (1, np.shape(place)[-k]):
                    message = "shape mismatch: indexing arrays could not be broadcast together with shapes"
                    raise IndexError(f"{message} ({common},) ({np.shape(place)[-k]},)")
                common = np.shape(place)[-k]
    return np.broadcast_shapes(*[np.shape(place) for place in places])


def require_fit(given, wanted):
    """Raise where values of this shape do not broadcast to the elements."""
    fits = len(given) <= len(wanted)
    for k in range(1, 1 + builtins.min(len(given), len(wanted))):
        fits = fits and given[-k] in (1, wanted[-k])
    if not fits:
        raise ValueError("array is not broadcastable to correct shape")


def in_a_row(values, wanted, count, rest):
    """One value for each of the places, in memory of their own, as what changes meanwhile may be the same."""
    if static.rank(values) == 1 and len(wanted) == 1:
        return values[0] if static.unit_axes(values) == (0,) else op.copy(values)
    return op.copy(reshape(np.broadcast_to(values, wanted), (count, *rest)))


def where_true(places):
    return flatnonzero(places) if static.kind(places) == "bool" else places
