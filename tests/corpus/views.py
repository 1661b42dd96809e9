"""Arrays changed through views of them, through other names, by helpers and by inner functions."""

from dataclasses import dataclass

import numpy as np


def rows_in_place(A, x):
    """A row by a name of its own, read and changed by both names."""
    a = A.copy()
    for i in range(len(x)):
        row = a[i]
        row[0] = x[i]
        row[1:] *= 0.5
        row += a[i].sum()
    return a


def walk_over_planes(tensor, a):
    """Rows of planes."""
    t = tensor * 1.0
    for plane in t:
        for row in plane:
            row[0] = a
            row[1:] += row[:-1]
    return t


def gauss_jordan(D):
    """The pivot row is divided where it stands; the last column keeps what the others are solved for."""
    a = D.copy()
    n = len(a)
    for k in range(n - 1):
        pivot = a[k]
        pivot /= pivot[k]
        for i in range(n):
            if i != k:
                a[i] -= a[i, k] * pivot
    return a


def slices_of_slices(x, a):
    """Each store goes to the array at the bottom."""
    y = np.zeros(len(x) + 9)
    b = y[2:8]
    c = b[1:-1]
    c[0] = a
    c[1:] = a * 2.0
    b[-1] = a * 3.0
    c[-2:][0] = 7.0
    y[::2][1:3] += 1.0
    y[::-1][2] = -a
    y[7:1:-2][:2] = 4.0 * a
    y[9:] = x
    return y, b, c


def transposed_and_reshaped(A, x):
    """Elements by their number, rows that are columns."""
    a = A.copy()
    n = len(x)
    t = a.T
    t[0] = x
    t[1:, 0] += 1.0
    flat = a.reshape(-1)
    flat[n - 1] = 5.0
    flat[:: n + 1] += 0.5
    a.ravel()[-1] *= 2.0
    a[None, :, 0][0, -1] = 3.0
    np.moveaxis(a, 0, 1)[0] *= x
    return a, t, flat


def seen_through_views(x, y):
    """What is read through a view after the array has changed."""
    a = x.copy()
    tail, twice = a[1:], np.broadcast_to(a, (2, len(x)))
    before = tail.sum()
    a *= y
    return tail * before, twice.sum(axis=0)


def swap_of_rows(A):
    """Rows are views, so that the second store reads what the first has stored."""
    a = np.concatenate((A, A))
    a[0], a[1] = a[1], a[0]
    kept = a[-1]
    a[-1] = a[0]
    return a, kept


def double_buffer(x, n_steps):
    """Two rows of one array that change places."""
    both = np.zeros((2, len(x)))
    old, new = both[0], both[1]
    old[:] = x
    for _ in range(n_steps):
        new[1:] = 0.5 * (old[1:] + old[:-1])
        new[0] = old[0]
        old, new = new, old
    return old, both


def previous_row(x, n_steps):
    """The row before, by a name that a loop hands on."""
    a = np.zeros((n_steps, len(x)))
    last = a[0]
    last[:] = x
    for i in range(1, n_steps):
        row = a[i]
        row[:] = last * 0.5
        row[0] += last[-1]
        last = row
    last += 1.0
    return a


def one_of_two_rows(A, x):
    """Which row it is, a branch says."""
    a = np.concatenate((A, A))
    if x[0] > 0.0:
        row = a[0]
    else:
        row = a[1]
    row *= 3.0
    a[0, -1] += row.sum()
    return a, row


def while_a_view_is_small(x):
    """The test of a `while` reads a view."""
    a = np.abs(x) + 0.5
    head = a[:1]
    rows = np.outer(a, a)
    row, k = rows[0], 0
    while head[0] < 8.0 and head.sum() > 0.0:
        a *= 2.0
    while row[0] < 20.0:
        row += 7.0
        k = (k + 1) % len(x)
        row = rows[k]
    return head, rows


def _fill(out, i, value):
    out[i] = value


def _window(a, lo):
    return a[lo:]


def filled_by_helpers(x):
    """A helper, an inner function and one that is passed."""
    n = len(x)
    y = np.zeros(n)
    table = np.zeros((n, n))

    def put(out, i):
        out[i] += x[i] * 2.0
        table[i, -1] = out[i]

    def each(act, out):
        for i in range(n):
            act(out, i)

    for i in range(n):
        _fill(y, i, x[i] ** 2)
        _fill(table[i], 0, y[i])
    each(put, y)
    _window(y, 1)[:] += 1.0
    each(lambda out, i: _fill(out, i, out[i] + y[i]), table[:, 0])
    return y, table


def inject_sources(x, n_steps):
    """A callback changes what its caller made."""

    def inject(k, rhs):
        rhs[0] += np.sin(x[0] * k)
        rhs[-1:] -= x[-1]

    def propagate(source):
        u, trace = np.zeros(len(x)), np.zeros(n_steps)
        for k in range(n_steps):
            rhs = u * 0.5
            source(k, rhs)
            u = u + rhs
            trace[k] = u[0]
        return u, trace

    return propagate(inject)


@dataclass
class _State:
    position: np.ndarray
    velocity: np.ndarray

    def kick(self, dt):
        v = self.velocity
        v -= dt * self.position
        self.position[:] += dt * v


def state_of_arrays(x, dt, n_steps):
    """Arrays of an object, by names from before."""
    state = _State(x.copy(), np.zeros(len(x)))
    position, speeds = state.position, {"v": state.velocity}
    for _ in range(n_steps):
        state.kick(dt)
        speeds["v"][0] *= 0.5
    return position, state.velocity


def views_in_containers(A):
    """Views in a list, a tuple and a dict."""
    a = A * 1.0
    rows = [a[0], a[-1]]
    parts = {"row": rows[0], "column": a[:, 0]}
    rows[1][0] = 2.0
    rows[0] += 1.0
    parts["column"] *= 3.0
    parts["row"][-1] = 0.0
    first, *_ = rows
    first[0] += 4.0
    return a, rows[0], parts["column"]


def histories(x, n_steps):
    """Two lists that begin with the same array."""
    first = x * 0.5
    raw, scaled = [first], [first]
    for _ in range(n_steps):
        raw.append(raw[-1] * 0.9)
        scaled.append(scaled[-1] + raw[-1])
    return np.array(raw), np.array(scaled)


def masks_of_views(x, idx):
    """Masks and index arrays of a view."""
    a = np.concatenate((x, x))
    tail = a[len(x) :]
    tail[tail > 0.5] = 0.25
    tail[idx] = x * 2.0
    a[0] += tail.sum()
    return a, tail


def _halve(a):
    if len(a) < 2:
        a *= 3.0
        return a
    middle = len(a) // 2
    _halve(a[:middle])
    right = _halve(a[middle:])
    a[0] += right[-1]
    return a


def changed_by_recursion(x):
    """A function that calls itself changes parts of what it is passed, and hands it on."""
    y = x.copy()
    head = y[:1]
    z = _halve(y)
    z[-1] *= 2.0
    return y, head


def kept_by_recursion(x, count):
    """Results are noted in an array of the function around."""
    memo, known = np.zeros(count + 1), np.zeros(count + 1, dtype=bool)

    def value(n):
        if n < 2:
            return x[0] * n
        if not known[n]:
            known[n] = True
            memo[n] = value(n - 1) + 0.5 * value(n - 2)
        return memo[n]

    return value(count), memo[2:].sum()


MIN_SIZE = {"transposed_and_reshaped": 2, "while_a_view_is_small": 1}
