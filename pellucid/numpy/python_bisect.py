"""Python's `bisect`: where an item belongs in a sequence that is in order, by halving.

    bisect_left(xs, v)   ->   lo, hi = 0, len(xs);  while lo < hi: the half in which v belongs
"""


def place(a, x, lo, hi, key, is_left):
    """Before the equal items, or after them."""
    lo, hi = int(lo), len(a) if hi is None else int(hi)
    if lo < 0:
        raise ValueError("lo must be non-negative")
    while lo < hi:
        mid = (lo + hi) // 2
        item = a[mid] if key is None else key(a[mid])
        goes_right = item < x if is_left else not x < item
        if goes_right:
            lo = mid + 1
        else:
            hi = mid
    return lo


def bisect_left(a, x, lo=0, hi=None, *, key=None):
    return place(a, x, lo, hi, key, True)


def bisect_right(a, x, lo=0, hi=None, *, key=None):
    return place(a, x, lo, hi, key, False)


def insort_left(a, x, lo=0, hi=None, *, key=None):
    a.insert(place(a, x if key is None else key(x), lo, hi, key, True), x)


def insort_right(a, x, lo=0, hi=None, *, key=None):
    a.insert(place(a, x if key is None else key(x), lo, hi, key, False), x)
