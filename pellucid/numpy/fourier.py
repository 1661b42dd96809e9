"""Fourier transforms: `numpy.fft`, by transforms of the rows of a matrix and factors.

    np.fft.ifft(x, axis=0)    ->    rows = moveaxis(x, 0, -1);  moveaxis(ifft(rows) * (1 / n), -1, 0)
    np.fft.rfft(x, n)         ->    rfft(x cut or filled up with zeros to n)
    np.fft.hfft(x, n)         ->    irfft(conj(x), n) without the factor

Derivatives follow JAX: the cotangent of `fft` is transformed by `fft`.
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .creation import arange
from .elementary import in_dtype, operand
from .manipulation import as_array, from_rows, in_rows, roll

# --- along one axis ------------------------------------------------------------------------------------------------


def fft(a, n=None, axis=-1, norm=None, out=None):
    return along(a, n, axis, norm, "fft")


def ifft(a, n=None, axis=-1, norm=None, out=None):
    return along(a, n, axis, backwards(norm), "ifft")


def rfft(a, n=None, axis=-1, norm=None, out=None):
    """Of real numbers: the first half, and what is in the middle."""
    if static.is_complex(operand(a)):
        static.refuse("T001", "np.fft.rfft takes real numbers: take a part of them, or call np.fft.fft")
    return along(a, n, axis, norm, "rfft")


def irfft(a, n=None, axis=-1, norm=None, out=None):
    return along(a, n, axis, backwards(norm), "irfft")


def hfft(a, n=None, axis=-1, norm=None, out=None):
    """The real transform of numbers whose second half is the conjugate of the first, which is given."""
    return irfft(op.conjugate(operand(a)), n, axis, backwards(norm))


def ihfft(a, n=None, axis=-1, norm=None, out=None):
    return op.conjugate(rfft(a, n, axis, backwards(norm)))


def along(a, n, axis, norm, name):
    """The transform of this name, times what `norm` asks for when all transforms are forward ones."""
    a = as_array(a)
    if static.rank(a) == 0:
        static.refuse("S002", f"np.fft.{name} takes arrays of at least one dimension")
    place = static.axis_of(axis, static.rank(a))
    flat, shape = in_rows(a, place)
    length = flat.shape[1]
    count = (2 * (length - 1) if name == "irfft" else length) if n is None else n
    if count < 1:
        raise ValueError(f"Invalid number of FFT data points ({count}) specified.")
    part = static.real_word(static.floating(static.element(a)))
    made = of_rows(in_dtype(flat, transformed_in(part, name)), n, count, name)
    made = scaled(in_dtype(made, part) if name == "irfft" else made, count, norm, part)
    return from_rows(made, shape, place)


def transformed_in(part, name):
    """The dtype that goes into a transform: NumPy transforms halves as singles."""
    if name == "rfft":
        return "f32" if part == "f16" else part
    return "c128" if part == "f64" else "c64"


def of_rows(flat, n, count, name):
    """The transforms of the rows of a matrix, without a factor."""
    if name == "irfft":
        return op.irfft(flat if n is None else cut(flat, count // 2 + 1), shape=(flat.shape[0], count))
    full = flat if n is None else cut(flat, count)
    if name == "rfft":
        return op.rfft(full, shape=(flat.shape[0], count // 2 + 1))
    return op.fft(full) if name == "fft" else op.ifft(full)


def cut(rows, count):
    """The rows in this length: shortened, or with zeros after."""
    out = op.zeros(shape=(rows.shape[0], count), dtype=static.element(rows))
    kept = min(count, rows.shape[1])
    out[:, :kept] = rows[:, :kept]
    return out


def scaled(made, count, norm, part):
    if norm is None or norm == "backward":
        return made
    size = op.cast(count, dtype=part)
    if norm == "ortho":
        return made * (1.0 / op.sqrt(size))
    if norm == "forward":
        return made * (1.0 / size)
    raise ValueError(f'Invalid norm value {norm}; should be "backward","ortho" or "forward".')


def backwards(norm):
    """The norm of an inverse as that of a forward transform."""
    if norm is None or norm == "backward":
        return "forward"
    if norm == "ortho":
        return "ortho"
    if norm == "forward":
        return "backward"
    raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')


# --- along several axes --------------------------------------------------------------------------------------------


def fftn(a, s=None, axes=None, norm=None, out=None):
    return along_all(as_array(a), s, axes, norm, fft)


def ifftn(a, s=None, axes=None, norm=None, out=None):
    return along_all(as_array(a), s, axes, norm, ifft)


def rfftn(a, s=None, axes=None, norm=None, out=None):
    """Of real numbers along the last axis, and of what comes out along the others."""
    a = as_array(a)
    places, sizes = places_of(a, s, axes)
    require_apart(a, places)
    a = rfft(a, sizes[-1], places[-1], norm)
    for k in range(len(places) - 2, -1, -1):
        a = fft(a, sizes[k], places[k], norm)
    return a


def irfftn(a, s=None, axes=None, norm=None, out=None):
    a = as_array(a)
    places, sizes = places_of(a, s, axes)
    require_apart(a, places)
    for k in range(len(places) - 1):
        a = ifft(a, sizes[k], places[k], norm)
    return irfft(a, sizes[-1], places[-1], norm)


def fft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return fftn(a, s, axes, norm)


def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return ifftn(a, s, axes, norm)


def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return rfftn(a, s, axes, norm)


def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return irfftn(a, s, axes, norm)


def require_apart(a, places):
    found = tuple(static.axis_of(place, static.rank(a)) for place in places)
    for k in range(len(found)):
        for other in range(k):
            if found[k] == found[other]:
                static.refuse("U012", "an axis twice in a real transform is not supported")


def along_all(a, s, axes, norm, transform):
    """One axis after the other, the last one first."""
    places, sizes = places_of(a, s, axes)
    for k in range(len(places) - 1, -1, -1):
        a = transform(a, sizes[k], places[k], norm)
    return a


def places_of(a, s, axes):
    """The axes, and for each of them the length that is asked for, or None."""
    if s is None:
        places = tuple(range(static.rank(a))) if axes is None else axes
        return places, [None for _ in places]
    places = tuple(range(static.rank(a) - len(s), static.rank(a))) if axes is None else axes
    if len(s) != len(places):
        raise ValueError("Shape and axes have different lengths.")
    return places, [asked(a, size, place) for size, place in zip(s, places)]


def asked(a, size, place):
    """The length of an axis where -1 asks for all of it."""
    if static.is_static(size):
        return None if size is None or size == -1 else size
    return a.shape[place] if size == -1 else size


# --- frequencies ---------------------------------------------------------------------------------------------------


def fftfreq(n, d=1.0, device=None):
    """The frequency of each number of a transform, in cycles per unit of the step `d`: those below zero come last."""
    if n < 0:
        raise ValueError("negative dimensions are not allowed")
    above = (n - 1) // 2 + 1
    steps = op.empty(shape=(n,), dtype="i64")
    steps[:above] = arange(0, above)
    steps[above:] = arange(-(n // 2), 0)
    return steps * (1.0 / (n * d))


def rfftfreq(n, d=1.0, device=None):
    return arange(0, n // 2 + 1) * (1.0 / (n * d))


def fftshift(x, axes=None):
    """The frequency zero in the middle."""
    return shifted(as_array(x), axes, 0)


def ifftshift(x, axes=None):
    return shifted(as_array(x), axes, 1)


def shifted(x, axes, back):
    for place in tuple(range(static.rank(x))) if axes is None else axes if static.is_sequence(axes) else (axes,):
        half = x.shape[place] // 2
        x = roll(x, -half if back else half, place)
    return x
