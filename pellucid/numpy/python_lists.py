"""What Python's lists do that grow, written in the language: the list is changed where it is.

    xs.insert(1, v)    ->    append, then move what stands after it up by one place
    sorted(xs)         ->    the places of a merge sort, which keeps the order of equals, and the items from there
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .python_builtins import EMPTY_MAX, EMPTY_MIN


def insert(xs, position, value):
    count = len(xs)
    at = position
    if at < 0:
        at = at + count
        if at < 0:
            at = 0
    if at > count:
        at = count
    xs.append(value)
    for k in range(count, at, -1):
        xs[k] = xs[k - 1]
    xs[at] = value


def pop_at(xs, position):
    count = len(xs)
    if count == 0:
        raise IndexError("pop from empty list")
    at = position + count if position < 0 else position
    if at < 0 or at >= count:
        raise IndexError("pop index out of range")
    value = xs[at]
    for k in range(at, count - 1):
        xs[k] = xs[k + 1]
    xs.pop()
    return value


def delete(xs, position):
    count = len(xs)
    at = position + count if position < 0 else position
    if at < 0 or at >= count:
        raise IndexError("list assignment index out of range")
    for k in range(at, count - 1):
        xs[k] = xs[k + 1]
    xs.pop()


def bounded(bound, count, missing):
    """A bound of a slice as a position from 0 to `count`."""
    if bound is None:
        return missing
    at = bound + count if bound < 0 else bound
    return 0 if at < 0 else count if at > count else at


def set_slice(xs, lower, upper, values):
    given = list(values)
    start, stop = bounded(lower, len(xs), 0), bounded(upper, len(xs), len(xs))
    behind = [xs[k] for k in range(start if stop < start else stop, len(xs))]
    while len(xs) > start:
        xs.pop()
    xs.extend(given)
    xs.extend(behind)


def delete_slice(xs, lower, upper):
    start, stop = bounded(lower, len(xs), 0), bounded(upper, len(xs), len(xs))
    count = stop - start
    if count > 0:
        for k in range(start, len(xs) - count):
            xs[k] = xs[k + count]
        for _ in range(count):
            xs.pop()


def place_of(xs, value):
    """Where the first item is that equals the value; -1 where none does."""
    for k in range(len(xs)):
        if xs[k] == value:
            return k
    return -1


def index(xs, value):
    at = place_of(xs, value)
    if at < 0:
        raise ValueError(f"{value!r} is not in list")
    return at


def index_in_tuple(xs, value):
    at = place_of(xs, value)
    if at < 0:
        raise ValueError("tuple.index(x): x not in tuple")
    return at


def remove(xs, value):
    at = place_of(xs, value)
    if at < 0:
        raise ValueError("list.remove(x): x not in list")
    delete(xs, at)


def contains(xs, value):
    return place_of(xs, value) >= 0


def is_byte_of(items, value):
    if value < 0 or value > 255:
        raise ValueError("byte must be in range(0, 256)")
    return any(item == value for item in items)


def count(xs, value):
    found = 0
    for k in range(len(xs)):
        if xs[k] == value:
            found += 1
    return found


def reverse(xs):
    last = len(xs) - 1
    for k in range(len(xs) // 2):
        xs[k], xs[last - k] = xs[last - k], xs[k]


def clear(xs):
    while len(xs) > 0:
        xs.pop()


def are_equal(xs, ys):
    if len(xs) != len(ys):
        return False
    return all(xs[k] == ys[k] for k in range(len(xs)))


def first_unlike(xs, ys):
    """The first place where two lists differ; the length of the shorter where none does."""
    count = min(len(xs), len(ys))
    for k in range(count):
        if xs[k] != ys[k]:
            return k
    return count


def is_less(xs, ys):
    k = first_unlike(xs, ys)
    return xs[k] < ys[k] if k < len(xs) and k < len(ys) else len(xs) < len(ys)


def is_less_or_equal(xs, ys):
    k = first_unlike(xs, ys)
    return xs[k] <= ys[k] if k < len(xs) and k < len(ys) else len(xs) <= len(ys)


def is_greater(xs, ys):
    return is_less(ys, xs)


def is_greater_or_equal(xs, ys):
    return is_less_or_equal(ys, xs)


def total(xs, start):
    """The sum of a list of arrays."""
    if len(xs) == 0:
        raise ValueError(static.NO_ARRAYS)
    result = start + xs[0]
    for k in range(1, len(xs)):
        result = result + xs[k]
    return result


def total_of_numbers(xs, start):
    """The sum of a list of Python's numbers and NumPy's, one after the other."""
    result = start
    for k in range(len(xs)):
        result = result + xs[k]
    return result


def order(keys, descending):
    """The places of the items in the order of their keys; equal ones keep theirs, in a descending order too."""
    n = len(keys)
    for k in range(n):
        if keys[k] != keys[k]:
            raise ValueError("the order of items is not defined where a key is nan")
    places = op.arange(0, n, 1, shape=(n,), dtype="i64")
    merged = op.zeros(shape=(n,), dtype="i64")
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            left = start
            middle = start + width if start + width < n else n
            right = middle
            end = middle + width if middle + width < n else n
            for k in range(start, end):
                goes_left = right >= end
                if left < middle and right < end:
                    one, other = keys[places[left]], keys[places[right]]
                    goes_left = not (other > one if descending else other < one)
                if goes_left:
                    merged[k] = places[left]
                    left += 1
                else:
                    merged[k] = places[right]
                    right += 1
        places[:] = merged
        width *= 2
    return places


def in_order(xs, keys, descending):
    return [xs[k] for k in order(keys, descending)]


def between(xs, first, after):
    return [xs[k] for k in range(first, len(xs) - after)]


def repeat(xs, count):
    """`xs *= count`"""
    length = len(xs)
    if count <= 0:
        xs.clear()
    for _ in range(1, count):
        for k in range(length):
            xs.append(xs[k])


def repeated(xs, count):
    return [x for _ in range(count) for x in xs]


def keys_of(xs, key):
    return [key(x) for x in xs]


def best(keys, is_largest):
    """Where the first item stands whose key no other exceeds."""
    if len(keys) == 0:
        raise ValueError(EMPTY_MAX if is_largest else EMPTY_MIN)
    at = 0
    top = keys[0]
    for k in range(1, len(keys)):
        key = keys[k]
        if key > top if is_largest else key < top:
            at = k
            top = key
    return at


def best_item(xs, keys, is_largest):
    return xs[best(keys, is_largest)]


def best_item_or(xs, keys, is_largest, default):
    return xs[best(keys, is_largest)] if len(xs) > 0 else default


def any_of(xs):
    return any(x for x in xs)


def all_of(xs):
    return all(x for x in xs)


# --- itertools -------------------------------------------------------------------------------------------------------


def listed(xs):
    return list(xs)


def flattened(rows):
    return [x for row in rows for x in row]


def repeated_item(x, count):
    return [x for _ in range(count)]


def accumulated(xs, function, initial):
    """Sums, or what the function makes, of the items so far."""
    items = list(xs)
    out = []
    if initial is not None:
        total = initial
        out.append(total)
        for x in items:
            total = total + x if function is None else function(total, x)
            out.append(total)
    elif len(items) > 0:
        total = items[0]
        out.append(total)
        for k in range(1, len(items)):
            total = total + items[k] if function is None else function(total, items[k])
            out.append(total)
    return out


def reduced(xs, function, total):
    for x in xs:
        total = function(total, x)
    return total


def reduced_from_first(xs, function):
    items = list(xs)
    if len(items) == 0:
        raise TypeError("reduce() of empty iterable with no initial value")
    total = items[0]
    for k in range(1, len(items)):
        total = function(total, items[k])
    return total


def require_slice(start, stop, step):
    if stop is not None and stop < 0 and start == 0 and step == 1:
        raise ValueError("Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if start < 0 or stop is not None and stop < 0:
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if step < 1:
        raise ValueError("Step for islice() must be a positive integer or None.")


def rows_of(values):
    """`x.tolist()` of a matrix."""
    return [row.tolist() for row in values]


def column(rows, place):
    """One part of each tuple of a list."""
    return [row[place] for row in rows]
