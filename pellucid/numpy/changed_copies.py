"""What `x.at[index]` does in a program, beyond stores: copies, and places outside that are clipped or left out.

    x.at[i].add(v, mode="drop")    ->    in_mode(np.add, copied(x), (i,), v, "drop")
"""

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import in_dtype, operand
from .manipulation import ravel, reshape, total


def copied(x):
    """The same elements in memory of their own."""
    return op.copy(x)


def combined(ufunc, a, indices, value):
    """`ufunc.at` where the array holds the kind of number that is made."""
    made = ufunc(op.cast(1, dtype=static.element(a)), value)
    if not static.can_cast(made, static.element(a), "same_kind"):
        word, name = static.element(a), static.ufunc_name(ufunc)
        static.refuse("T001", f"an array of {word} cannot take what `{name}` makes of such values in place")
    ufunc.at(a, indices, value)


def in_mode(method, a, indices, value, mode):
    """The elements at these places, or None when these have changed; an index below 0 counts from the end.

    method  "get", "set" or a ufunc
    mode    "clip": who is outside is moved to the last place; "drop" and "fill": changes outside are left out, and
            what is read there is `value` (nan where it is None, the least int, the largest one without a sign, True)
    """
    if mode not in ("clip", "drop", "fill"):
        raise ValueError(f"an index has the mode 'clip', 'drop', 'fill' or 'promise_in_bounds', not {mode!r}")
    if method == "apply":
        static.refuse("U012", "`.at[...].apply` takes no mode here; clip the places first")
    shape = np.broadcast_shapes(*[np.shape(place) for place in indices])
    places, inside = within(indices, a.shape, shape)
    if method == "get":
        found = a[tuple(places)]
        if mode == "clip":
            return found
        rest = static.rank(a) - len(indices)
        fits = reshape(inside, (*shape, *[1 for _ in range(rest)]))
        instead = filling(static.element(a)) if value is None else value
        return op.where(fits, found, in_dtype(instead, static.element(a)))
    store(method, a, [ravel(place) for place in places], ravel(inside) if mode != "clip" else True, value, shape)
    return None


def within(indices, lengths, shape):
    """The nearest places that there are, and which were inside."""
    places, inside = [], op.full(True, shape=shape, dtype="bool")
    for axis, index in enumerate(indices):
        length = lengths[axis]
        place = op.cast(np.broadcast_to(index, shape), dtype="i64")
        place = op.where(place < 0, place + length, place)
        inside = inside & (place >= 0) & (place < length)
        places.append(op.minimum(op.maximum(place, 0), max(length - 1, 0)))
    return places, inside


def filling(word):
    """What stands where nothing is."""
    if static.is_float_word(word):
        return np.nan
    if word == "bool":
        return True
    bounds = static.limits(word)
    return bounds.max if bounds.min == 0 else bounds.min


def store(method, a, vectors, inside, value, shape):
    """Each of the places that are inside becomes its value, or what the ufunc makes of both, one after the other."""
    count, rest = total(shape), a.shape[len(vectors) :]
    values = op.copy(reshape(np.broadcast_to(operand(value), (*shape, *rest)), (count, *rest)))
    for k in range(count):
        if static.is_static(inside) or inside[k]:
            place = tuple([vector[k] for vector in vectors])
            if method == "set":
                a[place] = values[k]
            else:
                combined(method, a, place, values[k])
