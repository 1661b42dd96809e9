"""Convolutions and correlations of `scipy.signal`, of any number of dimensions.

    convolve(a, b)       sum_k a[k] b[n - k]: a loop over the elements of the smaller one, or by transforms
    fftconvolve(a, b)    the inverse transform of the product of transforms
    correlate(a, b)      convolve(a, conj(b turned around))
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy import fourier
from ..numpy.complex_numbers import conjugate
from ..numpy.elementary import in_dtype
from ..numpy.interpolation import convolve as convolve_vectors
from ..numpy.interpolation import middle_part
from ..numpy.manipulation import along as slice_along
from ..numpy.manipulation import as_array, flip, total
from .fft import next_fast_len

MODES = ("full", "same", "valid")


def operands(in1, in2, mode):
    a, b = as_array(in1), as_array(in2)
    if mode not in MODES:
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    if static.rank(a) != static.rank(b):
        raise ValueError("in1 and in2 should have the same dimensionality")
    word = static.strict_common(a, b)
    return in_dtype(a, word), in_dtype(b, word)


def convolve(in1, in2, mode="full", method="auto"):
    """`method`: "direct" for ints always, "fft" by transforms; "auto" chooses by the lengths."""
    if method not in ("auto", "direct", "fft"):
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    a, b = operands(in1, in2, mode)
    if static.kind(a) in ("int", "bool") or method == "direct":
        return direct(a, b, mode)
    if method == "fft":
        return fftconvolve(a, b, mode)
    if static.rank(a) == 1:
        whole = by_transforms(a, b) if min(a.shape[0], b.shape[0]) > 200 else convolve_vectors(a, b)
        return part(whole, a, b, mode)
    whole = by_transforms(a, b) if min(total(a.shape), total(b.shape)) > 200 else directly(a, b)
    return part(whole, a, b, mode)


def correlate(in1, in2, mode="full", method="auto"):
    a, b = operands(in1, in2, mode)
    return convolve(a, flip(conjugate(b)), mode, method)


def direct(a, b, mode):
    return part(convolve_vectors(a, b) if static.rank(a) == 1 else directly(a, b), a, b, mode)


def directly(a, b):
    """A matrix moved and added for each element of the other."""
    if static.rank(a) != 2:
        static.refuse("U012", "scipy.signal.convolve of more than two dimensions goes by transforms: `fftconvolve`")
    m, n = b.shape
    out = op.zeros(shape=(a.shape[0] + m - 1, a.shape[1] + n - 1), dtype=static.element(a))
    for i in range(m):
        for j in range(n):
            out[i : i + a.shape[0], j : j + a.shape[1]] += a * b[i, j]
    return out


def part(whole, a, b, mode):
    """All of it; the middle of the first one's shape; or where one lies on the other altogether."""
    if mode == "full":
        return whole
    if mode == "valid" and static.rank(a) == 1:
        return middle_part(whole, a.shape[0], b.shape[0], mode)
    for axis in range(static.rank(a)):
        m, n = a.shape[axis], b.shape[axis]
        first, count = ((n - 1) // 2, m) if mode == "same" else (min(m, n) - 1, max(m, n) - min(m, n) + 1)
        whole = slice_along(whole, axis, first, first + count)
    return whole


def fftconvolve(in1, in2, mode="full", axes=None):
    """By transforms, along all axes."""
    if axes is not None:
        static.refuse("U012", "scipy.signal.fftconvolve goes along all axes here: leave `axes=` out")
    a, b = operands(in1, in2, mode)
    word = static.of_functions(static.element(a))
    return part(by_transforms(in_dtype(a, word), in_dtype(b, word)), a, b, mode)


def oaconvolve(in1, in2, mode="full", axes=None):
    return fftconvolve(in1, in2, mode, axes)


def by_transforms(a, b):
    lengths = tuple([m + n - 1 for m, n in zip(a.shape, b.shape)])
    if static.is_complex(a):
        sizes = tuple([next_fast_len(n) for n in lengths])
        whole = fourier.ifftn(fourier.fftn(a, sizes) * fourier.fftn(b, sizes))
    else:
        sizes = tuple([next_fast_len(n, True) for n in lengths])
        whole = fourier.irfftn(fourier.rfftn(a, sizes) * fourier.rfftn(b, sizes), sizes)
    for axis, n in enumerate(lengths):
        whole = slice_along(whole, axis, 0, n)
    return whole


def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """Of two matrices, with zeros around."""
    if boundary != "fill" or fillvalue != 0:
        help_ = "pad the matrix: `np.pad(a, k, mode=...)`"
        static.refuse("U012", "scipy.signal.convolve2d has zeros around the matrix here", help_)
    a, b = operands(in1, in2, mode)
    return part(directly(a, b), a, b, mode)


def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    a, b = operands(in1, in2, mode)
    return convolve2d(a, flip(conjugate(b)), mode, boundary, fillvalue)
