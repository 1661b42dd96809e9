"""Loops as users write them whose iterations accumulate or choose, and loops that only look like that.

Argument names say what is given: `x y` floats, `f` 32-bit floats, `k` 64-bit ints, `h` 32-bit ints, `b` truths, `r` a
matrix of floats, `c` a matrix of truths, `j` ints in bounds of `x`, `a` a float of Python.
"""

import math

import numpy as np

# --- sums, products, counts -------------------------------------------------------------------------------------------


def sum_of_products(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * y[i]
    return s


def sum_the_other_way_round(x):
    s = 1.5
    for v in x:
        s = v * v + s
    return s


def difference(x, a):
    for v in x:
        a -= v
    return a


def sum_begun_with_an_element(x):
    s = x[-1] if x.shape[0] > 0 else -0.0
    for v in x:
        if v == 0.0:
            s += v
    return s


def product(x):
    p = 1.0
    for v in x:
        p *= 1.0 + 0.001 * v
    return p


def sum_of_ints_that_wraps(k):
    s = np.int64(0)
    for v in k:
        s += v * v * v * 1000003
    return s


def product_of_ints_that_wraps(k):
    p = np.int64(1)
    for v in k:
        p *= v
    return p


def sum_of_narrow_ints(h):
    s = np.int32(7)
    for v in h:
        s += v * v
    return s


def sum_of_narrow_floats(f):
    s = np.float32(0.0)
    for v in f:
        s += v
    return s


def counted(x, b):
    ups = 0
    downs = 10
    for i in range(x.shape[0]):
        if x[i] > 0.5:
            ups += 1
        elif b[i]:
            downs -= 2
        else:
            ups += 3
    return ups, downs


def several(x):
    low, high, total, squares, n = np.inf, -np.inf, 0.0, 0.0, 0
    for i in range(x.shape[0]):
        v = x[i]
        low = min(low, v)
        high = max(high, v)
        total += v
        if v > 0.0:
            squares += v * v
            n += 1
    return low, high, total, squares, n


def means_on_paths(r):
    total = 0.0
    for p in range(r.shape[0]):
        price = 100.0
        for s in range(r.shape[1]):
            price *= math.exp(0.01 * r[p, s])
        total += max(price - 100.0, 0.0)
    return total


# --- truths -----------------------------------------------------------------------------------------------------------


def all_by_hand(x):
    ok = True
    for v in x:
        if v < -1.9:
            ok = False
    return ok


def any_by_hand(x):
    found = False
    for i in range(x.shape[0]):
        if x[i] > 1.5:
            found = True
    return found


def all_by_and(x):
    ok = True
    for i in range(x.shape[0]):
        ok = ok and x[i] < 1.9
    return ok


def any_by_bits(x, b):
    found = np.bool_(False)
    for i in range(x.shape[0]):
        found |= b[i] & (x[i] > 1.0)
    return found


# --- extremes and their places ----------------------------------------------------------------------------------------


def least_and_where(x):
    best = np.inf
    place = -1
    for i in range(x.shape[0]):
        if x[i] < best:
            best = x[i]
            place = i
    return best, place


def greatest_and_where(f):
    best = np.float32(-np.inf)
    place = 0
    for i in range(f.shape[0]):
        if f[i] > best:
            best = f[i]
            place = i
    return best, place


def last_of_the_least(x):
    best = np.inf
    place = -1
    for i in range(x.shape[0]):
        if x[i] <= best:
            best = x[i]
            place = i
    return best, place


def last_of_the_greatest(k):
    best, place = np.int64(-3), -7
    for i in range(k.shape[0]):
        if best <= k[i]:
            best = k[i]
            place = i
    return best, place


def begun_with_an_element(x):
    if x.shape[0] == 0:
        return 0.0, 0, 0.0
    best, place, also = x[0], 0, x[0]
    for i in range(1, x.shape[0]):
        if x[i] > best:
            best, place, also = x[i], i, x[i - 1] * 2.0
    return best, place, also


def least_of_positives(x):
    best = 1e9
    for v in x:
        if v > 0.0 and v < best:
            best = v
    return best


def greatest_by_max(x):
    best = 0.0
    for v in x:
        best = max(best, v)
    return best


def least_by_min(k):
    best = np.int64(5)
    for v in k:
        best = min(v, best)
    return best


def greatest_by_maximum(x):
    best = -np.inf
    for v in x:
        best = np.maximum(best, v)
    return best


def nearest(x, a):
    place = 0
    for i in range(x.shape[0]):
        if abs(x[i] - a) < abs(x[place] - a):
            place = i
    return place


def least_or_none(x):
    best = None
    for v in x:
        if best is None or v < best:
            best = v
    return 0.0 if best is None else best


def greatest_of_some_or_none(x, b):
    best, where = None, -1
    for i in range(x.shape[0]):
        if b[i]:
            if best is None or x[i] > best:
                best = x[i]
                where = i
    return (0.0 if best is None else best), where


def two_at_once(x, y):
    low, high, i_low, i_high = np.inf, -np.inf, 0, 0
    for i in range(x.shape[0]):
        v = x[i]
        if v < low:
            low = v
            i_low = i
        if y[i] > high:
            high = y[i]
            i_high = i
    return low, high, i_low, i_high


def first_true(b):
    return np.argmax(b) if b.shape[0] > 0 else -1


def last_that_is_large(x):
    last, value = -1, 0.0
    for i in range(x.shape[0]):
        if x[i] > 1.0:
            last = i
            value = x[i] * 2.0
    return last, value


def last_of_all(x):
    value = -1.0
    for v in x:
        value = v * 0.5
    return value


def numpys_places(x, k, f):
    if x.shape[0] == 0:
        return 0, 0, 0, 0
    return np.argmin(x), np.argmax(k), np.argmin(f), np.argmax(x > 1.0)


def numpys_in_one_loop(x):
    if x.shape[0] == 0:
        return 0, 0.0, 0
    return np.argmin(x), np.prod(x * 0.01 + 1.0), np.count_nonzero(x > 0.0)


# --- loops in loops ---------------------------------------------------------------------------------------------------


def places_in_rows(r):
    if r.shape[0] == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), 0
    return np.argmin(r, axis=1), np.argmax(r, axis=0), np.argmin(r)


def truths_of_columns(c):
    return np.all(c, axis=0), np.any(c, axis=0), np.all(c, axis=1), np.any(c, axis=1)


def closest(x):
    best = np.inf
    one, other = -1, -1
    for i in range(x.shape[0]):
        for j in range(i):
            d = abs(x[i] - x[j])
            if d < best:
                best = d
                one = i
                other = j
    return best, one, other


def inversions(x):
    n = 0
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            if x[i] > x[j]:
                n += 1
    return n


def row_with_the_largest_sum(r):
    best, place = -np.inf, -1
    for i in range(r.shape[0]):
        s = 0.0
        for j in range(r.shape[1]):
            s += r[i, j]
        if s > best:
            best = s
            place = i
    return place


def sums_of_rows_by_hand(r):
    out = np.zeros(r.shape[0])
    for i in range(r.shape[0]):
        s = 0.0
        for j in range(r.shape[1]):
            if r[i, j] > 0.0:
                s += r[i, j]
        out[i] = s
    return out


def least_of_rows_by_hand(r):
    out = np.zeros(r.shape[0])
    where = np.zeros(r.shape[0], np.int64)
    for i in range(r.shape[0]):
        best = 0.25
        place = -1
        for j in range(r.shape[1]):
            if r[i, j] < best:
                best = r[i, j]
                place = j
        out[i] = best
        where[i] = place
    return out, where


def steps_with_a_fold(x, a):
    for _ in range(3):
        s = 0.0
        for i in range(x.shape[0]):
            s += x[i] * a
        a = a - 0.01 * s
    return a


# --- checks -----------------------------------------------------------------------------------------------------------


def checked_first(x):
    for i in range(x.shape[0]):
        if x[i] > 100.0:
            raise ValueError("too large")
    return x * 2.0


def checked_in_a_sum(x):
    s = 0.0
    for v in x:
        if v > 100.0:
            raise ValueError("too large")
        s += v
    return s


def gathered(x, j):
    return x[j] * 2.0


FOLDS = [
    sum_of_products, sum_the_other_way_round, difference, sum_begun_with_an_element, product, sum_of_ints_that_wraps,
    product_of_ints_that_wraps, sum_of_narrow_ints, sum_of_narrow_floats, counted, several, means_on_paths, all_by_hand,
    any_by_hand, all_by_and, any_by_bits, least_and_where, greatest_and_where, last_of_the_least, last_of_the_greatest,
    begun_with_an_element, least_of_positives, greatest_by_max, least_by_min, greatest_by_maximum, nearest,
    least_or_none, greatest_of_some_or_none, two_at_once, first_true, last_that_is_large, last_of_all, numpys_places,
    numpys_in_one_loop, places_in_rows, truths_of_columns, closest, inversions, row_with_the_largest_sum,
    sums_of_rows_by_hand, least_of_rows_by_hand, steps_with_a_fold, checked_first, checked_in_a_sum, gathered,
]  # fmt: skip


# --- what is no fold --------------------------------------------------------------------------------------------------


def compensated(x):
    total, lost = 0.0, 0.0
    for v in x:
        term = v - lost
        following = total + term
        lost = (following - total) - term
        total = following
    return total


def largest_run(x):
    ending, best = 0.0, 0.0
    for v in x:
        ending = max(0.0, ending + v)
        best = max(best, ending)
    return best


def records(x):
    best, n = -np.inf, 0
    for v in x:
        if v > best:
            best = v
            n += 1
    return n


def sum_until_large(x):
    s = 0.0
    for v in x:
        if s < 3.0:
            s += v
    return s


def exact_ints(k):
    s = 0
    for i in range(k.shape[0]):
        s += int(k[i]) * 3
    return s


def decayed(x):
    s = 0.0
    for v in x:
        s = 0.5 * s + v
    return s


def not_the_value_that_is_compared(x):
    best = np.inf
    for v in x:
        if v * 2.0 < best:
            best = v
    return best


def best_is_read_besides(x):
    best, n = -np.inf, 0.0
    for v in x:
        if v > best:
            best = v
        n += best
    return n


def values_that_may_not_be_there(x, j):
    last, best = 0.0, np.inf
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            last = x[j[i]]
        if x[i] < best:
            best = x[i]
    return last, best


NO_FOLDS = [
    compensated, largest_run, records, sum_until_large, exact_ints, decayed, not_the_value_that_is_compared,
    best_is_read_besides, values_that_may_not_be_there,
]  # fmt: skip
