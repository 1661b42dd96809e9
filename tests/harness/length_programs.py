"""Programs of two vectors whose arrays change their length: each once gave another length, or a wrong number."""

import numpy as np

# --- a carried array gets another length


def shorter(v, w):
    r = np.zeros(50)
    for i in range(3):
        r = v + i
    return r


def of_rows(v, w):
    r = np.zeros(50)
    for row in np.outer(v, w):
        r = row + 1
    return r


def first_assigned(v, w):
    for i in range(len(v)):
        r = w * v[i]
    return r


def handed_on(v, w):
    r, q = np.zeros(50), np.ones(50)
    for i in range(3):
        q = r
        r = v + i
    return r, q


def from_what_was(v, w):
    r = v[1:]
    for i in range(3):
        r = w + np.sum(r)
    return r


def in_nested_loops(v, w):
    r = v * 2
    for i in range(3):
        for j in range(i):
            r = w + np.sum(r)
        r = r + 1
    return r


def of_two_axes(v, w):
    r = np.zeros((2, 2))
    for i in range(3):
        r = np.outer(v, w) + np.sum(r)
    return r


def in_branches(v, w):
    r = v * 2
    for i in range(4):
        if i % 2 == 0:
            r = w + np.sum(r)
        else:
            r = v - np.max(r)
    return r


def all_rows_alike(v, w):
    r = np.zeros(len(v))
    for i in range(4):
        r = v + r[::-1]
    return r


def unset_at_first(v, w):
    if len(w) > 4:
        r = v * 2
    for i in range(3):
        r = v + i
    return r


CARRIED = (
    shorter, of_rows, first_assigned, handed_on, from_what_was, in_nested_loops, of_two_axes, in_branches,
    all_rows_alike, unset_at_first,
)


# --- two lengths that are not one


def behind_another_loop(v, w):
    t = v
    for i in range(3):
        t = np.concatenate((t, w))
    u = t
    for i in range(2):
        u = np.diff(u)
    return len(t), len(u), t[len(u) :] * 1.0


def called_length(v, w):
    length = len(v) + len(w)
    a = np.zeros(length)
    b = a
    for i in range(2):
        b = b[1:]
    return a.shape[0], b.shape[0], b


def in_a_loop_around(v, w):
    t = v
    total = 0
    for i in range(3):
        t = np.concatenate((t, w))
        old = t
        for j in range(2):
            t = t[1:]
        total = total + 100 * len(old) + len(t)
    return total, t


def items_of_a_list(v, w):
    xs = []
    for i in range(3):
        xs.append(v[i:])
    return len(xs[0]), len(xs[1]), len(xs[2]), xs[0][2:] + xs[2]


def items_that_do_not_fit(v, w):
    xs = []
    for i in range(3):
        xs.append(v[i:])
    return xs[0] + xs[1]


def item_and_variable(v, w):
    xs = []
    t = v
    for i in range(3):
        xs.append(t)
        t = np.concatenate((t, w))
    return [len(x) for x in (xs[0], xs[1], t)]


def items_with_strides(v, w):
    xs = []
    for i in range(3):
        xs.append(v)
        v = v[::-1]
    return xs[1] * 1.0


def an_int_that_is_no_length_at_last(v, w):
    k = len(v)
    for i in range(2):
        m = len(w) + i
        m -= m
        k = m
    m = k - k
    return np.zeros(m) + np.zeros(m), np.zeros(m), np.ones((m + 1, m))


DIFFERENT = (
    an_int_that_is_no_length_at_last,
    behind_another_loop, called_length, in_a_loop_around, items_of_a_list, items_that_do_not_fit, item_and_variable,
    items_with_strides,
)
