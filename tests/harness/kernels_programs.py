"""Programs for the kernels stage that are easy to get wrong, each with the arguments that it is called with.

Argument names say what is given: `x y z` floats, `f` 32-bit floats, `k` 32-bit ints, `u` unsigned bytes, `b` truths,
`p` ints of a permutation, `j` ints that name one of few places, `m` a square matrix, `r` a matrix, `w` complex numbers,
`a`, `s` and `c` numbers of Python, `n` the length as an int of Python.
"""

import math

import numpy as np


def _make(name, size, random):
    match name:
        case "x" | "y" | "z":
            return random.uniform(-2.0, 2.0, size)
        case "f":
            return random.uniform(-2.0, 2.0, size).astype(np.float32)
        case "k":
            return random.integers(-40, 40, size).astype(np.int32)
        case "u":
            return random.integers(0, 256, size).astype(np.uint8)
        case "b":
            return random.uniform(0.0, 1.0, size) < 0.5
        case "p":
            return random.permutation(size)
        case "j":
            return random.integers(-5, 5, size)
        case "m":
            return random.uniform(-1.0, 1.0, (size, size))
        case "r":
            return random.uniform(-1.0, 1.0, (size, 7))
        case "w":
            return random.uniform(-1.0, 1.0, size) + 1j * random.uniform(-1.0, 1.0, size)
        case "c":
            return 0.25 - 0.5j
        case "a":
            return 0.75
        case "s":
            return 3
        case "n":
            return size
    raise AssertionError(name)


def arguments_of(function, size, seed=0):
    """The arguments of a program at a size."""
    random = np.random.default_rng((size, seed))
    code = function.__code__
    return tuple(_make(name, size, random) for name in code.co_varnames[: code.co_argcount])


# --- dtypes -----------------------------------------------------------------------------------------------------------


def halves_of_floats(f):
    return f * 2.0 + f / 3


def ints_wrap(k):
    return k * k * k * k * k * k + np.int32(7)


def bytes_wrap(u):
    return u * u + u - np.uint8(200)


def bytes_and_ints(u, k):
    return u + k, u * np.int64(3), k // (u + 1), k % (u + 1)


def truths_and_numbers(b, x, k):
    return b + 1.5, b * k, b & (k > 0), b | (x > 0.0), ~b, b ^ (x < 0.5), x * b


def sums_of_kinds(f, k, u, b):
    return np.sum(f), np.sum(k), np.sum(u), np.sum(b), np.mean(f), np.mean(k), np.any(b), np.all(b)


def mixed_floats(f, x):
    return f + x, f * np.float32(2.5), np.sum(f * x), np.maximum(f, x)


def powers(x, f, k):
    return x**2, x**3, f**2, f**3, k**2, k**3, np.abs(x) ** 0.5, x**4, 2.0**x


def divisions(x, k):
    return x // 0.7, x % 0.7, k // 3, k % 3, k // -3, k % -3, x / 0.0, np.fmod(x, 0.3)


def casts(x, k, b):
    return x.astype(np.int64), k.astype(np.float32), b.astype(np.float64), x.astype(np.float32), k.astype(np.uint8)


def shifts_and_bits(k):
    return k << 3, k >> 2, k & 12, k | 9, k ^ 5, ~k


def functions_of_math(x):
    y = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = math.sin(x[i]) + math.exp(x[i]) * math.atan2(x[i], 2.0) + math.floor(x[i])
    return y


def special_values(x):
    y = np.where(x > 1.0, np.inf, np.where(x < -1.0, -np.inf, np.nan))
    return y, y + 1.0, np.maximum(y, 0.0), np.isnan(y), np.sign(x), np.minimum(y, x)


def extremes_of_kinds(f, k, u, b):
    if f.shape[0] == 0:
        return 0, 0, 0, 0
    return np.max(f), np.min(k), np.max(u), np.max(b), np.prod(k), np.prod(f), np.argmax(k), np.argmin(u), np.argmax(b)


def rows_of_kinds(r):
    k = (r * 50.0).astype(np.int32)
    b = r > 0.0
    f = r.astype(np.float32)
    h = (r * 5.0).astype(np.int16)
    s = np.sum(f, axis=1), np.sum(f, axis=0), np.max(f, axis=1), np.sum(k, axis=0), np.sum(k, axis=1), np.max(k, axis=1)
    t = np.any(b, axis=1), np.all(b, axis=0), np.sum(b, axis=0), np.sum(b, axis=1), np.max(h, axis=1), np.sum(h, axis=0)
    return *s, *t


def complex_numbers(x):
    z = x + 1j * x
    return np.sum(z * z), np.abs(z), np.conj(z), np.exp(z)


def complex_arithmetic(w, x, c):
    return w * c + x, w / (w + 2.0), x / w, (w * 2.0) ** 3, w**-2, w**0.5, -w, 1.0 / w, c - w, w**c


def complex_questions(w, c):
    return w == np.conj(w), w != c, np.isnan(w), np.isfinite(w), w.real > w.imag, np.where(w.real > 0.0, w, c)


def complex_functions(w):
    return np.sqrt(w), np.log(w), np.sin(w), np.tanh(w), np.arcsin(w), np.angle(w), np.abs(w) ** 2, np.exp(1j * w.real)


def complex_singles(f, w):
    z = f + 1j * f
    return z * z, np.exp(z) / np.abs(z), w.astype(np.complex64) * 2.0, np.sum(z), np.mean(z), z.real + f, np.cumsum(z)


def complex_folds(w):
    return np.sum(w), np.mean(w), np.sum(np.abs(w) ** 2), np.vdot(w, w), np.cumsum(w), np.any(w), np.all(w), np.prod(w)


def complex_rows_and_columns(r):
    z = np.exp(2j * r)
    return np.sum(z, axis=0), np.sum(z, axis=1), np.mean(z * np.conj(z), axis=1), z.T + 1.0


def complex_parts_are_stored(w, x):
    z = np.empty(x.shape, dtype=np.complex128)
    z.real = x
    z.imag = w.imag * 2.0
    z.real += 1.0
    return z, z.real, z.imag


def complex_parts_of_halves(f):
    z = np.empty(f.shape, dtype=np.complex64)
    z.real = f.astype(np.float16)
    z.imag = f
    return z


def complex_histogram(w, j):
    sums = np.zeros(5, dtype=np.complex128)
    for i in range(w.shape[0]):
        sums[j[i]] += w[i]
    return sums


def complex_numbers_stay_on_the_device(w):
    scale = np.sum(np.abs(w)) + 1.0
    middle = np.sum(w) / scale
    return (w - middle) * middle, np.abs(middle)


def a_test_of_a_complex_sum(w):
    total = np.sum(w)
    if total.real > 0.0:
        w = w * total
    return w + total


def python_complex_per_element(x, c):
    y = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        z = complex(float(x[i]), 0.5)
        for _ in range(3):
            z = z * z + c
        y[i] = abs(z) + z.real
    return y


def python_complex_quotients(x, c):
    y = np.empty(x.shape[0], dtype=np.complex128)
    for i in range(x.shape[0]):
        z = complex(float(x[i]), 1.0)
        y[i] = c / z + z / 2.0 + z**2 + z**-1
    return y


def python_complex_divides_by_zero(p):
    y = np.zeros(p.shape[0])
    for i in range(p.shape[0]):
        y[i] = (1.0 / complex(float(p[i]), 0.0)).real
    return y


def python_complex_is_too_large(p):
    y = np.zeros(p.shape[0])
    for i in range(p.shape[0]):
        y[i] = abs(complex(float(p[i]), 1.0) ** 300)
    return y


def distinct_complex_numbers_in_a_matrix(m, c):
    z = m + 1j * m.T
    return z @ np.conj(z), z * c, np.trace(z), np.abs(z).max()


def halves(x):
    h = x.astype(np.float16)
    return h * h, np.sum(h), h + np.float32(1.0)


def halves_in_arithmetic(f, k):
    h, g = f.astype(np.float16), (f * 0.3).astype(np.float16)
    return h + g, h * g - h, h / g, h**2, h**3, h // g, h % g, -h, h * 0.1, np.float16(2.0) * h + 1, h + f, h + k


def halves_in_functions(f, k, b):
    h = f.astype(np.float16)
    return np.exp(h), np.sqrt(np.abs(h)), np.tanh(h), np.maximum(h, 0.5), np.where(b, h, 1.0), np.floor(h), np.sign(h)


def halves_in_questions(f, b):
    h = f.astype(np.float16)
    return h > 0.5, h == h, np.isnan(h), h.astype(np.int32), h.astype(bool), b.astype(np.float16), h.astype(np.float64)


def halves_in_folds(f, r):
    h, s = f.astype(np.float16), r.astype(np.float16)
    return np.sum(h), np.sum(s, axis=1), np.mean(s, axis=1), np.any(h), np.argmax(s, axis=1), np.sum(s, axis=0)


def halves_in_extremes(f, r):
    s = r.astype(np.float16)
    return np.cumsum(f.astype(np.float16)), np.max(s, axis=1), np.max(s, axis=0), np.min(s)


def halves_that_are_carried(r):
    h = (r * 4.0).astype(np.float16)
    y = np.zeros(h.shape[0], np.float16)
    for i in range(h.shape[0]):
        total = np.float16(0.0)
        for j in range(h.shape[1]):
            total += h[i, j] * h[i, j]
        y[i] = total
    return y


def halves_next_to_others(f):
    h = f.astype(np.float16)
    return np.nextafter(h, np.float16(9.0))


def halves_become_complex(f):
    h = f.astype(np.float16)
    return h + 1j, (h * 2j).real


# --- ints of Python ---------------------------------------------------------------------------------------------------


def python_ints_per_element(p):
    y = np.zeros(p.shape[0])
    for i in range(p.shape[0]):
        c = int(p[i])
        y[i] = (c * 3 + 1) // 2 + c % 5
    return y


def python_ints_divide_by_zero(p):
    y = np.zeros(p.shape[0])
    for i in range(p.shape[0]):
        y[i] = 12 // int(p[i])
    return y


def python_ints_remainder_of_zero(p):
    y = np.zeros(p.shape[0])
    for i in range(p.shape[0]):
        y[i] = 12 % int(p[i])
    return y


def python_floats_divide_by_zero(p):
    y = np.zeros(p.shape[0])
    for i in range(p.shape[0]):
        y[i] = 1.0 / float(p[i])
    return y


def math_domain(x):
    y = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = math.sqrt(float(x[i]))
    return y


def ints_of_floats(x):
    y = np.empty(x.shape[0], dtype=np.int64)
    for i in range(x.shape[0]):
        y[i] = int(x[i] * 10.0)
    return y


def small_ints_of_python(k, u, x):
    y = np.zeros(k.shape[0], dtype=np.int8)
    z = np.zeros(k.shape[0], dtype=np.uint64)
    for i in range(k.shape[0]):
        y[i] = int(k[i]) * 2
        z[i] = int(u[i]) + i
    for i in range(k.shape[0]):
        y[i] += int(x[i] * 10.0) // 2
    return y, z


def too_small_for_bytes(k):
    y = np.zeros(k.shape[0], dtype=np.uint8)
    for i in range(k.shape[0]):
        y[i] = int(k[i])
    return y


def too_large_to_be_added(k):
    y = k.copy()
    for i in range(k.shape[0]):
        y[i] += i * 100000000
    return y


def floats_too_small_for_bytes(x):
    y = np.zeros(x.shape[0], dtype=np.uint8)
    for i in range(x.shape[0]):
        y[i] = float(x[i]) * 100.0
    return y


def powers_of_python(x, k):
    y = np.zeros(x.shape[0])
    z = np.zeros(x.shape[0], dtype=np.int64)
    for i in range(x.shape[0]):
        v, c = float(x[i]), int(k[i])
        y[i] = v**2 + v**3 + abs(v) ** 0.5 + abs(v) ** v + 2.0**c
        z[i] = c**2 - c**3 + c**7 + 2 ** (i % 63) + (-2) ** (i % 64) + c ** (i % 9)
    return y, z


def powers_too_large(x):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = (float(x[i]) * 1e160) ** 2
    return y


def powers_of_zero(k):
    y = np.zeros(k.shape[0])
    for i in range(k.shape[0]):
        y[i] = float(k[i]) ** -1.5
    return y


# --- indices ----------------------------------------------------------------------------------------------------------


def indices_from_the_end(x):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = x[-1] + x[-1 - i]
    return y


def indices_by_data(x, p):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = x[p[i]] + x[p[i] - 1]
    return y


def indices_too_far(x, p):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = x[p[i] + 1]
    return y


def element_of_an_empty_array(x, s):
    y = math.sin(x[s])
    return y, x[:2]


def too_large_for_the_dtype(u):
    y = u.copy()
    if y.shape[0] > 0:
        y[0] = -200
    return y


def permuted(x, p):
    return x[p], x[::-1], x[::2], x[1:], x[:-1], x[-3:]


def stored_by_data(x, p):
    y = np.zeros(x.shape[0])
    y[p] = x
    return y


def stored_by_data_in_a_loop(x, p):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[p[i]] = x[i]
    return y


def counted_places(x, j):
    y = np.zeros(10)
    for i in range(x.shape[0]):
        y[j[i]] += x[i]
    return y


def counted_ints(j):
    y = np.zeros(10, dtype=np.int64)
    for i in range(j.shape[0]):
        y[j[i] + 5] += 1
    return y


# --- nests ------------------------------------------------------------------------------------------------------------


def triangle(m):
    y = np.zeros(m.shape)
    for i in range(m.shape[0]):
        for j in range(i):
            y[i, j] = m[i, j] + m[j, i]
    return y


def sums_of_a_triangle(m):
    y = np.zeros(m.shape[0])
    for i in range(m.shape[0]):
        total = 0.0
        for j in range(i + 1):
            total += m[i, j]
        y[i] = total
    return y


def upper_triangle(m):
    y = np.zeros(m.shape)
    for i in range(m.shape[0]):
        for j in range(i + 1, m.shape[1]):
            y[i, j] = m[i, j] * 2.0
    return y


def rows_and_columns(r):
    return np.sum(r, axis=0), np.sum(r, axis=1), np.mean(r, axis=1), np.max(np.abs(r) + 1.0, initial=0.0, axis=0)


def softmax_of_rows(r):
    e = np.exp(r - np.max(r, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def product_by_hand(m, r):
    y = np.zeros((m.shape[0], r.shape[1]))
    for i in range(m.shape[0]):
        for j in range(r.shape[1]):
            for t in range(m.shape[1]):
                y[i, j] += m[i, t] * r[t, j]
    return y


def three_deep(x):
    n = x.shape[0] % 9
    y = np.zeros((n, 4, 5))
    for i in range(n):
        for j in range(4):
            for t in range(5):
                y[i, j, t] = x[i] * j + t
    return y


def outer(x, y):
    return x[:, None] * y[None, :] + 1.0, np.outer(x, y)


def transposed(m):
    return m.T + m, m.T @ m


def distances(r):
    d = r[:, None, :] - r[None, :, :]
    return np.sqrt(np.sum(d * d, axis=2))


# --- in place ---------------------------------------------------------------------------------------------------------


def slices_in_place(x):
    y = x.copy()
    y[1:] += x[:-1]
    y[:-1] *= 2.0
    y[::2] = 1.0
    return y


def moved_down(x):
    y = x.copy()
    y[:-1] = y[1:]
    return y


def moved_up(x):
    y = x.copy()
    y[1:] = y[:-1]
    return y


def moved_up_through_a_name(x):
    y = x.copy()
    v = y[:-1]
    y[1:] = v * 2.0
    return y, v


def moved_in_a_loop(x):
    y = x.copy()
    for i in range(y.shape[0] - 1):
        y[i] = y[i + 1] * 2.0
    return y


def carried_in_a_loop(x):
    y = x.copy()
    for i in range(1, y.shape[0]):
        y[i] = y[i - 1] * 0.5 + y[i]
    return y


def views_carried_in_a_loop(x):
    y = x.copy()
    v = y[1:]
    for i in range(v.shape[0]):
        v[i] = v[i] * 0.5 + y[i]
    return y, v


def smoothed_in_place(x):
    y = x.copy()
    for i in range(1, y.shape[0] - 1):
        y[i] = (y[i - 1] + y[i] + y[i + 1]) / 3.0
    return y


def reversed_in_place(x):
    y = x.copy()
    y[:] = y[::-1]
    return y


def rows_in_place(r):
    y = r.copy()
    for i in range(1, y.shape[0]):
        y[i] = y[i - 1] * 0.5 + y[i]
    return y


def diagonal_in_place(m):
    y = m.copy()
    for i in range(y.shape[0]):
        y[i, i] = 1.0
    return y


def views_of_two_shapes_in_place(m):
    y = m.copy()
    flat = y.reshape(-1)
    for i in range(1, flat.shape[0]):
        flat[i] = flat[i - 1] * 0.5 + flat[i]
    for i in range(1, y.shape[0]):
        y[i, 0] = y[i - 1, 0] * flat[i] + y[i, 0]
        flat[i] = y[i, 0] * 0.25
    return y, flat


def sum_ahead_of_a_division(x, s):
    out = np.empty(x.shape[0] + 1)
    total = np.sum(x[:s])
    out[0] = total / s
    for i in range(s, x.shape[0]):
        total += x[i] - x[i - s]
        out[i - s + 1] = total / s
    return out[: x.shape[0] - s + 1], total


def transposed_and_reshaped(m):
    y = m.T.reshape(-1) * 2.0
    return y.reshape(m.shape).T + m.reshape(m.shape[0], 1, -1)[:, 0]


# --- control ----------------------------------------------------------------------------------------------------------


def while_of_each(x):
    y = np.zeros(x.shape[0], dtype=np.int64)
    for i in range(x.shape[0]):
        v = x[i]
        while v * v > 0.01:
            v = v * 0.5
            y[i] += 1
    return y


def while_with_a_break(x):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        v = x[i]
        for t in range(20):
            v = v * v
            if v > 4.0:
                break
            y[i] = t
    return y


def while_past_the_end(x, p):
    y = np.zeros(x.shape[0], dtype=np.int64)
    for i in range(x.shape[0]):
        t = p[i]
        while x[t] < 5.0:
            t += 1
        y[i] = t
    return y


def whiles_past_the_end_in_a_sum(x, p):
    total = 0.0
    for i in range(x.shape[0]):
        t = p[i]
        while x[t] < 5.0:
            t += 1
        total += x[t]
    return total


def while_of_rows_by_steps_that_failed(m):
    y = np.zeros(m.shape)
    for i in range(m.shape[0]):
        t, factor = 1.0, int(float(m[i, 0]) * math.inf)
        while t < 1e6:
            t = t * 2.0 * factor
            y[i] += m[i] * t
    return y


def while_by_steps_that_failed(x):
    steps = np.zeros(x.shape[0], dtype=np.int64)
    for i in range(x.shape[0]):
        steps[i] = int(float(x[i]) * math.inf)
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        t = x[i]
        while t < 5.0:
            t += steps[x.shape[0] - 1 - i]
        y[i] = t
    return y


def first_that_is_large(x):
    for i in range(x.shape[0]):
        if x[i] > 1.5:
            return i
    return -1


def if_of_a_sum(x):
    total = np.sum(x)
    if total > 0.0:
        return x * 2.0
    return x - total


def last_of_a_loop(x):
    t = 0.0
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        t = x[i] * 2.0
        y[i] = t
    return y, t


def largest_by_hand(x):
    best = -np.inf
    place = -1
    for i in range(x.shape[0]):
        if x[i] > best:
            best = x[i]
            place = i
    return best, place


def extremes(x):
    if x.shape[0] == 0:
        return 0, 0, 0.0, 0.0
    return np.argmax(x), np.argmin(x), np.max(x), np.min(x)


def masks(x):
    y = x.copy()
    y[y < 0.0] = 0.0
    return y, np.where(x > 0.5, x, -x), np.count_nonzero(x > 0.0), np.sum(np.where(x > 0, x, 0.0))


def masked(x):
    y = x.copy()
    y[y < 0.0] = 0.0
    return y * x, np.where(x > 0.5, x * x, -x)


# --- selections -------------------------------------------------------------------------------------------------------


def selected(x, b):
    return x[b], x[~b], x[x > 5.0], x[x < 5.0], np.flatnonzero(b), np.compress(b, x)


def selected_of_two_axes(m, r):
    return m[m > 0.0], np.argwhere(r > 0.25), np.nonzero(m), r[r[:, 0] > 0.0]


def upper_part(m):
    rows, columns = np.arange(m.shape[0])[:, None], np.arange(m.shape[1])
    return m[rows < columns].sum()


def unpacked(x, y):
    z = x.copy()
    z[x > 0.0] = y[: np.count_nonzero(x > 0.0)]
    return z


def sum_of_squares_where_positive(x, b):
    return np.sum(x[x > 0.0] ** 2) + np.sum(x[b]) * 0.5


def parted_by_hand(x, a):
    low, high, k, j, many = np.zeros(x.shape[0]), np.zeros(x.shape[0], np.float32), 0, 0, 0
    for i in range(x.shape[0]):
        v = 2.0 * x[i]
        if v < a:
            low[k] = v
            k += 1
        elif v > a + 1.0:
            high[j] = v
            j += 1
        else:
            many += 1
    return low[:k], high[:j], k, many


def ranked_by_hand(f):
    y, k = np.zeros(f.shape[0], np.float32), 3
    for i in range(f.shape[0]):
        y[i] = f[i] * k
        if f[i] > 0.0:
            k += 1
    return y, k


def flattened_by_hand(r):
    out, k = np.zeros(r.size), 0
    for i in range(r.shape[0]):
        for j in range(r.shape[1]):
            out[k] = r[i, j] * 2.0
            k += 1
    return out


def triangle_selected(m):
    out, k = np.zeros(m.size), 0
    for i in range(m.shape[0]):
        for j in range(i + 1, m.shape[1]):
            if m[i, j] > 0.0:
                out[k] = m[i, j]
                k += 1
    return out[:k]


def selected_too_many(x):
    out, k = np.zeros(3), 0
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            out[k] = x[i]
            k += 1
    return out


# --- routines -------------------------------------------------------------------------------------------------------


def sorted_on_the_host(x):
    y = np.sort(x)
    return y * 2.0, np.argsort(x)


def running(x):
    return np.cumsum(x), np.cumsum(x)[-3:], np.sum(np.cumsum(x))


def running_by_hand(x):
    y = np.zeros(x.shape[0])
    total = 1.0
    for i in range(x.shape[0]):
        total += x[i]
        y[i] = total
    return y


def running_and_total(x):
    y = np.zeros(x.shape[0])
    total = 1.0
    for i in range(x.shape[0]):
        total += x[i]
        y[i] = total
    return y, total


def running_before(x):
    y = np.zeros(x.shape[0])
    total = 1.0
    for i in range(x.shape[0]):
        y[i] = total
        total += x[i]
    return y, total


def running_from_an_element(x):
    y = np.zeros(x.shape[0] + 1)
    y[0] = 0.5
    for i in range(x.shape[0]):
        y[i + 1] = y[i] + x[i]
    return y


def running_from_the_last_element(x):
    y = np.ones(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = y[i - 1] + x[i]
    return y


def running_too_far(x):
    y = np.zeros(3)
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i]
        y[i] = total
    return y


def running_ints_of_python(p):
    y = np.zeros(p.shape[0], np.int64)
    total = 0
    for i in range(p.shape[0]):
        total += int(p[i]) * 2**61
        y[i] = total
    return y


def running_by_rows(m):
    y = np.zeros(m.shape)
    total = 0.25
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            total += m[i, j]
            y[i, j] = total
    return y, total


def running_extremes(x):
    return np.maximum.accumulate(x), np.minimum.accumulate(x), np.cumprod(x)


# --- loops of launches ------------------------------------------------------------------------------------------------


def swapped_buffers(x):
    u = x.copy()
    v = np.zeros(x.shape[0])
    for _ in range(3):
        for i in range(1, x.shape[0] - 1):
            v[i] = 0.5 * (u[i - 1] + u[i + 1])
        u, v = v, u
    return u, v


def steps_of_heat(x):
    u = x.copy()
    for _ in range(4):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return u


def numbers_through_launches(x):
    u = x.copy()
    norm = 1.0
    for _ in range(3):
        u = u / norm
        norm = np.sqrt(np.sum(u * u)) + 1.0
    return u, norm


def until_it_is_small(x):
    u = x.copy()
    count = 0
    while np.sum(np.abs(u)) > 0.5:
        u = u * 0.5
        count += 1
    return u, count


def halved_until_small(x):
    u = x * x
    while np.sum(u) > 0.5:
        u = u * 0.5
    return u


def conjugate_gradients(x):
    u = np.zeros(x.shape[0])
    r = x.copy()
    d = r.copy()
    old = np.sum(r * r)
    for _ in range(3):
        q = 2.0 * d
        alpha = old / (np.sum(d * q) + 1e-9)
        u = u + alpha * d
        r = r - alpha * q
        new = np.sum(r * r)
        d = r + new / (old + 1e-9) * d
        old = new
    return u, old


def alternating(x):
    u = x.copy()
    for t in range(4):
        if t % 2 == 0:
            u = u + 1.0
        else:
            u = u * 2.0
    return u


def single_elements(x):
    u = x.copy()
    if x.shape[0] > 2:
        u[0] = u[1] + u[2]
        u[-1] = u[0] * 2.0
    return u


def starts_and_elements(x):
    total = 0.0
    best = -5.0
    for i in range(x.shape[0]):
        total += x[i]
    for i in range(x.shape[0]):
        best = max(best, x[i])
    both = total + best
    return both, total * both


def known_and_elements(x):
    first = 0.0
    extra = 2.0
    for i in range(x.shape[0]):
        first += x[i] * extra
    y = x * first
    extra = y.sum() if x.shape[0] > 3 else 1.0
    return first + extra, extra


# --- results ----------------------------------------------------------------------------------------------------------


def same_array_twice(x):
    y = x * 2.0
    return y, y


def result_and_its_view(x):
    y = x * 2.0
    return y, y[1:], y[::-1]


def argument_given_back(x, y):
    return x, y + x


def views_of_arguments(x, r):
    return x[1:], r.T, r[:, 0], r.reshape(-1)


def scalars(a, s):
    return a * s, s // 2, a + 1.0, s * s


def nothing_but_lengths(x, r):
    return x.shape[0], r.shape[1] * 2, len(x)


def tuples_inside(x):
    return (x + 1.0, (x * 2.0, np.sum(x))), x.shape[0]


# --- names ------------------------------------------------------------------------------------------------------------


def names_that_collide(x):
    rows = x * 2.0
    cuda = rows + 1.0
    failed = np.sum(cuda)
    elements = cuda * failed
    index = 3
    fetch = elements[: index + 0] * 2.0
    return rows, cuda, failed, elements, fetch


def more_names_that_collide(r, x, p):
    host = np.sum(r, axis=1)
    parts = np.sum(host)
    columns = np.sum(r, axis=0)
    row_sum_f64 = np.cumsum(host)
    scan_parts = row_sum_f64 + parts
    faults = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        faults[i] = x[p[i]]
    part_count, tiles, in_tile = columns + 1.0, columns[:, None] * host[None, :], parts * 2.0
    return host, parts, columns, row_sum_f64, scan_parts, faults, part_count, tiles, in_tile


def names_inside_kernels(x):
    first = np.sum(x)
    k = np.sum(x * first)
    last, whole, part, sums = first + k, first * 2.0, k * 2.0, x * k
    carry, tile, own, before, total, term, e = last, whole, part, sums + 1.0, first, k, last
    out = np.cumsum(sums * carry + before)
    return out * tile + own + total + term + e


def maximum_and_floor_divide(x, a):
    maximum = x * a
    floor_divide = np.maximum(maximum, 0.25)
    remainder = floor_divide // 0.3
    return np.maximum(remainder, maximum) % 0.3, floor_divide


def names_of_python(x):
    min = np.min(x, initial=9.0)
    range = x * 2.0
    abs = np.sum(range)
    max = np.maximum(range, min)
    host = abs + min
    if host > 1000.0:
        raise ValueError("too large")
    return min, range, abs, max, host


def parts_that_are_named_already(r, x):
    y = np.zeros(r.shape[0])
    for i in range(r.shape[0]):
        total_part = r[i, 0]
        total = total_part * 2.0
        for j in range(r.shape[1]):
            total += r[i, j] * total_part
        y[i] = total + total_part
    scan = np.sum(x)
    scatter = np.sum(y)
    return y, np.cumsum(x) + scan, scatter


def rows(r):
    return np.sum(np.exp(r), axis=1)


def elements(x):
    return np.sqrt(x * x + 1.0)


def cuda(x):
    return np.sum(x) + 1.0


# --- calls ------------------------------------------------------------------------------------------------------------


def _twice(x):
    return x * 2.0


def _norm(x):
    return np.sqrt(np.sum(x * x))


def _power(x, n):
    return x if n <= 1 else x * _power(x, n - 1)


def _gcd(a, b):
    return a if b == 0 else _gcd(b, a % b)


def _halving(v):
    count = 0
    while v > 0.1:
        v = v * 0.5
        count += 1
    return count


def calls(x):
    return _twice(_twice(x)) / (_norm(x) + 1.0)


def recursion(x):
    return _power(x, 5)


def recursion_of_each(p):
    y = np.zeros(p.shape[0])
    for i in range(p.shape[0]):
        y[i] = _gcd(int(p[i]) + 4, 12)
    return y


def calls_of_each(x):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = _halving(x[i])
    return y


def lists(x):
    parts = []
    for t in range(3):
        parts.append(x * t)
    total = np.zeros(x.shape[0])
    for part in parts:
        total = total + part
    return total


def _is_program(name, value):
    return getattr(value, "__module__", "") == __name__ and not name.startswith("_") and name != "arguments_of"


PROGRAMS = [value for name, value in list(globals().items()) if _is_program(name, value)]
