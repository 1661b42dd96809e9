"""Elements past the end, lengths of one, and arrays of every layout."""

import tempfile

import numpy as np

from tests.harness.reports import Reports

REPORTS = Reports(__name__)


# An element past the last one, which must raise and be written nowhere


def past_last_column(n):
    table = np.zeros((n, 1))
    table[:, 0] = np.arange(n) % 2
    table[:, 1] = 7.0
    return table


REPORTS.value("column past the end", past_last_column, 6)


def past_last_row(x, k):
    y = x.copy()
    y[k] += 1.0
    return y


REPORTS.value("row past the end", past_last_row, np.ones((3, 2)), 3)
REPORTS.value("row at -4", past_last_row, np.ones((3, 2)), -4)


def read_past(x, i, j):
    return x[i][j] * 2


REPORTS.value("element past the end", read_past, np.ones((3, 2)), 2, 10000)


# Two arrays made inside, one returned as a view


def two_locals(n):
    a = np.ones(n)
    b = np.full(n, 2.0)
    return a, b[:]


REPORTS.value("two locals", two_locals, 10)


def view_and_owner(n):
    a = np.arange(n, dtype=np.float32)
    b = a[1:]
    a = a * 2
    return b, a, b[::-1]


REPORTS.value("view outlives owner", view_and_owner, 7)


# Lengths of one, and slices that reach past the end


def fill_from_row():
    data = np.zeros(5)
    data[:] = np.ones([1, 5])
    return data


REPORTS.value("store of a row of ones", fill_from_row)


def cut_past(n, m):
    a = np.zeros((n, 10))
    a = a[m:, :]
    return a.shape, a


REPORTS.value("cut past the end", cut_past, 5, 6)


def slice_of_outer(a, b):
    return (a * b)[1:3], (a - b)[:, ::2], (a * b)[-1]


REPORTS.value("slice of outer product", slice_of_outer, np.arange(5.0)[:, None], np.arange(5.0)[None, :])
REPORTS.value("lengths of one", slice_of_outer, np.arange(5.0)[:, None], np.ones((1, 1)))


def ramp_sum(x, k):
    ramp = np.expand_dims(np.linspace(1, 2, k), -1)
    return float(np.sum(ramp * x[0:k, :]))


REPORTS.value("ramp", ramp_sum, np.arange(12.0).reshape(2, 6) - 4, 2)


def distances(signal, angles, symbols):
    turned = signal[:, np.newaxis] * np.exp(1.0j * angles)
    return turned[:, :, np.newaxis] - symbols


REPORTS.value(
    "complex newaxis",
    distances,
    np.array([1 + 1j, 2 - 1j]),
    np.array([[0.1, 0.2], [0.3, 0.4]], np.float32),
    np.array([1j, 2 + 0j, -1]),
)


# Arguments of every layout: fields of records, mapped files, no strides, other byte orders


def any_fraction(arr):
    for i in arr.flat:
        if i == i and np.floor(i) != i:
            return True
    return False


def record_field():
    r = np.array([(2, 2.0, 3, 4)] * 5, dtype=[("A", "<i8"), ("B", "<f8"), ("C", "<i8"), ("D", "<i8")])
    return (r["B"],)


REPORTS.value("field of records", any_fraction, made=record_field)


def column_std(array, mean):
    length, width = array.shape
    variance = np.zeros(width)
    for row in range(length):
        for col in range(width):
            d = array[row, col] - mean[col]
            variance[col] += d * d
    return np.sqrt(variance / length)


def mapped(*place):
    """A part of an array in Fortran's order that is mapped from a file."""

    def make():
        with tempfile.TemporaryFile() as file:
            np.asfortranarray(np.arange(24.0).reshape(6, 4)).T.tofile(file)
            file.flush()
            return np.memmap(file, np.float64, "r", shape=(6, 4), order="F")[place], np.zeros(2)

    return make


REPORTS.value("mapped Fortran columns", column_std, made=mapped(slice(None), slice(1, 3)))


REPORTS.value("mapped Fortran rows", column_std, made=mapped(slice(1, 4), slice(1, 3)))


def iterate(arr):
    out = np.zeros(len(arr))
    for i in range(len(arr)):
        out[i] = arr[i] * (i + 1)
    return out


REPORTS.value("strides of 0", iterate, made=lambda: (np.broadcast_to(np.array([4]), (3,)),))


def total(x):
    return x.sum(), x[0] * 2


def readonly():
    x = np.arange(4.0)
    x.setflags(write=False)
    return (x,)


REPORTS.value("read-only", total, made=readonly)


def unaligned():
    raw = np.zeros(41, np.uint8)
    raw[1:] = np.frombuffer(np.arange(5.0).tobytes(), np.uint8)
    return (raw[1:].view(np.float64),)


REPORTS.value("unaligned", total, made=unaligned)
REPORTS.value("big-endian", total, np.ones(10, ">f4"))
REPORTS.value("big-endian ints", total, np.arange(1, 10, dtype=">i2"))


def flat_and_back(x):
    return x.ravel(), x.T.ravel(), x.reshape(-1), x.flatten(), np.reshape(x, (-1,), order="F")


REPORTS.value("Fortran order", flat_and_back, np.asfortranarray(np.arange(6.0).reshape(2, 3)))
REPORTS.value("reversed", flat_and_back, np.arange(6.0).reshape(2, 3)[::-1, ::-1])
REPORTS.value("transposed slices", flat_and_back, np.arange(24.0).reshape(2, 3, 4)[:, 1, ::2].T)
