"""Arrays with parts put in, taken out, split off or laid around them.

    np.append(a, v)    ->    concatenate((ravel(a), ravel(v)))
    np.split(a, 2)     ->    [a[: n // 2], a[n // 2 :]]
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..compiler.ops.sharing import gives
from .creation import one_length
from .elementary import in_dtype, operand, strong
from .joining import concatenate
from .manipulation import as_array, flip, lengths_along, moveaxis, ravel
from .places import flatnonzero
from .sorting import order_of
from .statistics import mean


def append(arr, values, axis=None):
    if axis is None:
        return concatenate((ravel(arr), ravel(values)))
    return concatenate((arr, values), axis)


def along_first(arr, axis):
    """The array with the axis in front, and which axis that is; all in a row where none is named."""
    arr = as_array(arr)
    if axis is None:
        return ravel(arr), 0
    place = static.axis_of(axis, static.rank(arr))
    return moveaxis(arr, place, 0), place


def delete(arr, obj, axis=None):
    """Without the elements at a place, at places, or where a mask is true."""
    rows, place = along_first(arr, axis)
    length = rows.shape[0]
    if isinstance(obj, slice):
        stays = op.full(True, shape=(length,), dtype="bool")
        stays[obj] = False
        return moveaxis(rows[stays], 0, place)
    obj = places_of(obj)
    if static.rank(obj) > 1:
        static.refuse("S002", "np.delete takes one place or a vector of them")
    if static.rank(obj) == 0:
        if obj < -length or obj >= length:
            raise IndexError(f"index {obj} is out of bounds for axis {place} with size {length}")
        at = obj % max(length, 1)
        return moveaxis(concatenate((rows[:at], rows[at + 1 :])), 0, place)
    keep = op.full(True, shape=(length,), dtype="bool")
    if static.kind(obj) == "bool":
        if obj.shape[0] != length:
            raise ValueError(
                f"boolean array argument obj to delete must be one dimensional and match the axis length of {length}"
            )
        keep = op.logical_not(obj)
    else:
        keep[obj] = False
    return moveaxis(rows[keep], 0, place)


def places_of(obj):
    """Places as an array or a number: those of an empty list are ints."""
    places = operand(obj)
    if static.is_sequence(obj) and static.is_empty(places):
        return op.cast(places, dtype="i64")
    if static.kind(places) == "float" or static.rank(places) == 0 and static.kind(places) == "bool":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return places


def insert(arr, obj, values, axis=None):
    """With values before a place, or before each of several."""
    rows, place = along_first(arr, axis)
    obj = op.arange(0, rows.shape[0], 1, shape=rows.shape[:1])[obj] if isinstance(obj, slice) else places_of(obj)
    values = operand(values)
    length, word = rows.shape[0], static.element(rows)
    if static.rank(obj) == 0:
        if obj < -length or obj > length:
            raise IndexError(f"index {obj} is out of bounds for axis {place} with size {length}")
        at = obj + length if obj < 0 else obj
        new = in_dtype(inserted(values, rows, place), word)
        return moveaxis(concatenate((rows[:at], new, rows[at:])), 0, place)
    if static.kind(obj) == "bool":
        obj = flatnonzero(obj)
    if static.is_array(values) and static.rank(rows) > 1:
        static.refuse("U012", "np.insert of arrays at several places of a matrix is not supported; insert one by one")
    return moveaxis(inserted_at(rows, in_dtype(obj, "i64"), values), 0, place)


def inserted(values, rows, place):
    """The rows that go before one place: `values` stretched over the other axes."""
    rank, inner = static.rank(rows), rows.shape[1:]
    if rank == 1:
        return ravel(values)
    if static.rank(values) < rank:
        return op.broadcast_to(values, shape=(1, *inner))
    values = moveaxis(values, 0, place) if static.rank(values) == rank else values
    moved = moveaxis(values, place, 0)
    return op.broadcast_to(moved, shape=(moved.shape[0], *inner))


def inserted_at(rows, places, values):
    """The rows with values before places, which count in the array as it was."""
    length, count = rows.shape[0], places.shape[0]
    if op.any(op.logical_or(places < -length, places > length)):
        raise IndexError(f"an index to insert at is out of bounds for axis 0 with size {length}")
    places = op.where(places < 0, places + length, places)
    order = order_of(places)
    targets = op.empty(shape=(count,), dtype="i64")
    for k in range(count):
        targets[order[k]] = places[order[k]] + k
    out = op.empty(shape=(length + count, *rows.shape[1:]), dtype=static.element(rows))
    is_old = op.full(True, shape=(length + count,), dtype="bool")
    is_old[targets] = False
    out[targets] = values
    out[is_old] = rows
    return out


# --- parts -----------------------------------------------------------------------------------------------------------


@gives("view")
def split(ary, indices_or_sections, axis=0):
    """So many equal parts, or the parts between the places."""
    ary = operand(ary)
    if static.is_sequence(indices_or_sections) or static.rank(indices_or_sections) > 0:
        return parts_between(ary, indices_or_sections, axis)
    if ary.shape[static.axis_of(axis, static.rank(ary))] % indices_or_sections != 0:
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


@gives("view")
def array_split(ary, indices_or_sections, axis=0):
    """So many parts, of which the first ones are longer by one where they cannot be equal."""
    ary = operand(ary)
    if static.is_sequence(indices_or_sections) or static.rank(indices_or_sections) > 0:
        return parts_between(ary, indices_or_sections, axis)
    count = static.known_int(indices_or_sections)
    if count <= 0:
        raise ValueError("number sections must be larger than 0.")
    length = ary.shape[static.axis_of(axis, static.rank(ary))]
    each, more = length // count, length % count
    return parts_between(ary, [k * each + min(k, more) for k in range(1, count)], axis)


def parts_between(ary, places, axis):
    if not static.is_sequence(places):
        static.refuse("R001", "the places to split at must be a tuple or list of known length")
    axis = static.axis_of(axis, static.rank(ary))
    rows = moveaxis(ary, axis, 0)
    parts = [rows[first:last] for first, last in zip([0, *places], [*places, rows.shape[0]])]
    return [moveaxis(part, 0, axis) for part in parts]


@gives("view")
def vsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 0)


@gives("view")
def hsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 0 if static.rank(operand(ary)) == 1 else 1)


@gives("view")
def rot90(m, k=1, axes=(0, 1)):
    """A quarter turn from the first of two axes towards the second, `k` times."""
    m = operand(m)
    first, second = static.two_axes(axes, static.rank(m))
    turns = static.known_int(k) % 4
    order = static.swapped_order(static.rank(m), first, second)
    if turns == 0:
        return m[:]
    if turns == 2:
        return flip(flip(m, first), second)
    if turns == 1:
        return op.transpose(flip(m, second), axes=order)
    return flip(op.transpose(m, axes=order), second)


# --- borders ---------------------------------------------------------------------------------------------------------


def pad(
    array, pad_width, mode="constant", *, constant_values=0, end_values=0, stat_length=None, reflect_type="even"
):
    """More elements around: numbers, or what the array has at its ends, axis after axis."""
    array = as_array(array)
    if mode in FROM_PLACES and not (reflect_type == "odd" and mode in ("reflect", "symmetric")):
        return from_places(array, pad_width, mode)
    for k in range(static.rank(array)):
        before, after = pair_of(pad_width, k, static.rank(array))
        before, after = one_length(before), one_length(after)
        if before < 0 or after < 0:
            raise ValueError("index can't contain negative values")
        if mode == "constant":
            array = between_numbers(array, k, before, after, pair_of(constant_values, k, static.rank(array)))
            continue
        rows = moveaxis(array, k, 0)
        if mode == "linear_ramp":
            rows = between_ramps(rows, before, after, pair_of(end_values, k, static.rank(array)))
        elif mode in ("maximum", "minimum", "mean"):
            lengths = (None, None) if stat_length is None else pair_of(stat_length, k, static.rank(array))
            rows = between_statistics(rows, before, after, mode, lengths)
        elif mode in ("reflect", "symmetric"):
            rows = between_turned(rows, before, after, 1 if mode == "reflect" else 0)
        else:
            static.refuse("U012", f"the mode {mode!r} of np.pad is not supported")
        array = moveaxis(rows, 0, k)
    return array


FROM_PLACES = ("edge", "wrap", "symmetric", "reflect")


def from_places(array, pad_width, mode):
    """Every element from its place in the array, along all axes at once."""
    rank = static.rank(array)
    places: tuple = ()
    for k in range(rank):
        before, after = pair_of(pad_width, k, rank)
        before, after = one_length(before), one_length(after)
        if before < 0 or after < 0:
            raise ValueError("index can't contain negative values")
        along = op.empty(shape=(before + array.shape[k] + after,), dtype="i64")
        along[...] = sources(array.shape[k], before, after, mode)
        places = (*places, op.reshape(along, shape=lengths_along(k, rank, along.shape[0])))
    return array[places]


def pair_of(value, axis, rank):
    """What goes before and after one axis, of one number for all, of one pair for all, or of a pair for each."""
    if not static.is_sequence(value):
        return value, value
    if static.is_sequence(value[0]):
        if len(value) not in (1, rank):
            static.refuse("S003", f"{len(value)} pairs were given for {rank} axes")
        value = value[axis if len(value) > 1 else 0]
    return value[0], value[len(value) - 1]


def between_numbers(array, axis, before, after, values):
    """More elements of two numbers, before and after those of an axis."""
    front, back, word = array.shape[:axis], array.shape[axis + 1 :], static.element(array)
    first = op.empty(shape=(*front, before, *back), dtype=word)
    last = op.empty(shape=(*front, after, *back), dtype=word)
    first[...], last[...] = strong(values[0]), strong(values[1])
    return concatenate((first, array, last), axis)


def between_ramps(rows, before, after, ends):
    """Straight lines from the ends to the outermost elements; of ints the next below, as those of `np.linspace`."""
    word, size = static.element(rows), rows.shape[0]
    lines = op.empty(shape=(before + size + after, *rows.shape[1:]), dtype=word)
    lines[before : before + size] = rows
    first, last = (op.cast(end, dtype=static.strict_common(rows, 0.0)) for end in ends)
    for k in range(before):
        lines[k] = on_ramp(first, rows[0], k, before, word)
    for k in range(after):
        lines[before + size + k] = on_ramp(last, rows[size - 1], after - 1 - k, after, word)
    return lines


def on_ramp(end, edge, k, count, word):
    """The step `k` of so many from the end to the edge."""
    value = (op.cast(edge, dtype=static.element(end)) - end) / count * k + end
    return op.cast(value if static.is_float_word(word) else op.floor(value), dtype=word)


def between_statistics(rows, before, after, mode, lengths):
    """The extremes or means of an axis, or of so many of its elements at either end."""
    size, inner = rows.shape[0], rows.shape[1:]
    head = rows if lengths[0] is None else rows[: lengths[0]]
    tail = rows if lengths[1] is None else rows[max(size - lengths[1], 0) :]
    first = op.broadcast_to(statistic(head, mode), shape=(before, *inner))
    last = op.broadcast_to(statistic(tail, mode), shape=(after, *inner))
    return concatenate((first, rows, last))


def between_turned(rows, before, after, shared):
    """What is turned by half a circle about each end, again and again; `shared` says whether the ends stand once."""
    size = rows.shape[0]
    if size == 0 and before + after > 0:
        raise ValueError("can't extend empty axis 0 using modes other than 'constant' or 'empty'")
    places = op.arange(-before, size + after, 1, shape=(before + size + after,), dtype="i64")
    if size == 1:
        return rows[places * 0]
    period = 2 * (size - shared)
    turn, laps = places % period, places // period
    column = op.reshape(turn, shape=(turn.shape[0], *((1,) * (static.rank(rows) - 1))))
    ahead = rows[op.minimum(turn, size - 1)]
    back = 2 * rows[size - 1] - rows[op.minimum(period + shared - 1 - turn, size - 1)]
    rise = op.reshape(laps, shape=column.shape) * (2 * (rows[size - 1] - rows[0]))
    return op.cast(op.where(column < size, ahead, back) + rise, dtype=static.element(rows))


def statistic(rows, mode):
    if mode == "maximum":
        value = op.max(rows, axis=0)
    elif mode == "minimum":
        value = op.min(rows, axis=0)
    else:
        value = mean(rows, 0)
        value = in_dtype(op.rint(value) if static.kind(rows) == "int" else value, static.element(rows))
    return value


def sources(length, before, after, mode):
    """Which element stands where in the padded axis."""
    if length == 0 and before + after > 0:
        raise ValueError("can't extend empty axis 0 using modes other than 'constant' or 'empty'")
    places = op.arange(-before, length + after, 1, shape=(before + length + after,), dtype="i64")
    if mode == "edge":
        return op.minimum(op.maximum(places, 0), length - 1)
    if mode == "wrap":
        return places % max(length, 1)
    if mode == "symmetric":
        turn = places % max(2 * length, 1)
        return op.minimum(turn, 2 * length - 1 - turn)
    if mode == "reflect":
        turn = places % max(2 * length - 2, 1)
        return op.minimum(turn, max(2 * length - 2, 0) - turn)
