"""`scipy.fft`: NumPy's transforms under SciPy's names, and cosine and sine transforms by way of them.

    scipy.fft.dct(x)     2 sum_k x[k] cos(pi j (2 k + 1) / (2 n)): the transform of x[0], x[2], ..., x[3], x[1], turned
    scipy.fft.dst(x)     the cosine transform of x[0], -x[1], x[2], ..., read from the end

`workers=` and `overwrite_x=` promise nothing and change nothing.  Sources: J. Makhoul, A fast cosine transform in one
and two dimensions (1980); K. Rao and P. Yip, Discrete Cosine Transform (1990).
"""

from math import pi, sqrt

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy import fourier
from ..numpy.elementary import in_dtype
from ..numpy.joining import concatenate
from ..numpy.manipulation import as_array, moveaxis


def fft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    return fourier.fft(x, n, axis, norm)


def ifft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    return fourier.ifft(x, n, axis, norm)


def rfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    return fourier.rfft(x, n, axis, norm)


def irfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    return fourier.irfft(x, n, axis, norm)


def hfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    return fourier.hfft(x, n, axis, norm)


def ihfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    return fourier.ihfft(x, n, axis, norm)


def fft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None):
    return fourier.fft2(x, s, axes, norm)


def ifft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None):
    return fourier.ifft2(x, s, axes, norm)


def rfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None):
    return fourier.rfft2(x, s, axes, norm)


def irfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None):
    return fourier.irfft2(x, s, axes, norm)


def fftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None):
    return fourier.fftn(x, s, axes, norm)


def ifftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None):
    return fourier.ifftn(x, s, axes, norm)


def rfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None):
    return fourier.rfftn(x, s, axes, norm)


def irfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None):
    return fourier.irfftn(x, s, axes, norm)


def fftfreq(n, d=1.0):
    return fourier.fftfreq(n, d)


def rfftfreq(n, d=1.0):
    return fourier.rfftfreq(n, d)


def fftshift(x, axes=None):
    return fourier.fftshift(x, axes)


def ifftshift(x, axes=None):
    return fourier.ifftshift(x, axes)


def next_fast_len(target, real=False):
    """The least number from `target` on whose prime factors are at most 11, of real transforms at most 5."""
    if target < 0:
        raise ValueError("Target length must be positive")
    if target <= 1:
        return target
    found = target
    while not is_fast(found, real):
        found += 1
    return found


def is_fast(n, real):
    for factor in (2, 3, 5) if real else (2, 3, 5, 7, 11):
        while n % factor == 0:
            n = n // factor
    return n == 1


# --- cosine and sine transforms --------------------------------------------------------------------------------------


def dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    return along(x, type, n, axis, norm, orthogonalize, cosine)


def idct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    return along(x, INVERSE[type], n, axis, BACKWARDS[norm], kept(orthogonalize, norm), cosine)


def dst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    return along(x, type, n, axis, norm, orthogonalize, sine)


def idst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    return along(x, INVERSE[type], n, axis, BACKWARDS[norm], kept(orthogonalize, norm), sine)


def dctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    return over_axes(x, type, s, axes, norm, orthogonalize, dct)


def idctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    return over_axes(x, type, s, axes, norm, orthogonalize, idct)


def dstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    return over_axes(x, type, s, axes, norm, orthogonalize, dst)


def idstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    return over_axes(x, type, s, axes, norm, orthogonalize, idst)


INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}
BACKWARDS = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def kept(orthogonalize, norm):
    return norm == "ortho" if orthogonalize is None else orthogonalize


def over_axes(x, type, s, axes, norm, orthogonalize, one):
    """One axis after the other."""
    x = as_array(x)
    places = static.axes_of(axes, static.rank(x)) if axes is not None or s is None else last_axes(s, static.rank(x))
    for k, place in enumerate(places):
        x = one(x, type, None if s is None else s[k], place, norm, orthogonalize=orthogonalize)
    return x


def last_axes(s, rank):
    return tuple(range(rank - len(s), rank))


def along(x, type, n, axis, norm, orthogonalize, transform):
    """The transform along one axis, which is cut or filled up with zeros to n."""
    if type not in (1, 2, 3, 4):
        raise ValueError(f"Invalid DCT type ({type})")
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f'Invalid norm value {norm!r}; should be "backward", "ortho" or "forward".')
    x = as_array(x)
    if static.is_complex(x):
        return op.complex_of(
            along(op.real(x), type, n, axis, norm, orthogonalize, transform),
            along(op.imag(x), type, n, axis, norm, orthogonalize, transform),
        )
    place = static.axis_of(axis, static.rank(x))
    rows = moveaxis(in_dtype(x, static.floating(static.element(x))), place, -1)
    if n is not None:
        rows = of_length(rows, n)
    is_orthogonal = norm == "ortho" if orthogonalize is None else orthogonalize
    return moveaxis(transform(rows, type, norm, is_orthogonal), -1, place)


def of_length(rows, n):
    if n < 1:
        raise ValueError(f"invalid number of data points ({n}) specified")
    have = rows.shape[-1]
    if n <= have:
        return rows[..., :n]
    return concatenate((rows, op.zeros(shape=(*rows.shape[:-1], n - have), dtype=static.element(rows))), axis=-1)


def scaled(rows, count, norm):
    """`count` is the length of the periodic sequence that is transformed."""
    if norm in (None, "backward"):
        return rows
    return rows / op.cast(sqrt(count) if norm == "ortho" else count, dtype=static.element(rows))


def numbered(rows):
    n = rows.shape[-1]
    return op.arange(0, n, 1, shape=(n,), dtype=static.element(rows))


def with_end(rows, place, factor):
    """The first or the last element times a factor."""
    k, n = numbered(rows), rows.shape[-1]
    return op.where(k == (0 if place == 0 else n - 1), factor * rows, rows)


def cosine(rows, type, norm, is_orthogonal):
    n = rows.shape[-1]
    if type == 1:
        if n < 2:
            raise ValueError("DCT-I is not defined for length 1")
        if is_orthogonal:
            rows = with_end(with_end(rows, 0, sqrt(2.0)), -1, sqrt(2.0))
        whole = concatenate((rows, rows[..., 1 : n - 1][..., ::-1]), axis=-1)
        out = scaled(op.real(fourier.rfft(whole)), 2 * (n - 1), norm)
        return with_end(with_end(out, 0, sqrt(0.5)), -1, sqrt(0.5)) if is_orthogonal else out
    if type == 2:
        out = scaled(second(rows), 2 * n, norm)
        return with_end(out, 0, sqrt(0.5)) if is_orthogonal else out
    if type == 3:
        if is_orthogonal:
            rows = with_end(rows, 0, sqrt(2.0))
        return scaled(third(rows), 2 * n, norm)
    return scaled(fourth(rows), 2 * n, norm)


def second(rows):
    """2 sum_k x[k] cos(pi j (2 k + 1) / (2 n))"""
    n = rows.shape[-1]
    turned = concatenate((rows[..., ::2], rows[..., 1::2][..., ::-1]), axis=-1)
    angle = numbered(rows) * (-pi / (2 * n))
    found = fourier.fft(turned)
    return 2.0 * (op.real(found) * op.cos(angle) - op.imag(found) * op.sin(angle))


def third(rows):
    """x[0] + 2 sum_(k > 0) x[k] cos(pi (2 j + 1) k / (2 n))"""
    n = rows.shape[-1]
    angle = numbered(rows) * (pi / (2 * n))
    waves = op.complex_of(rows * op.cos(angle), rows * op.sin(angle))
    whole = concatenate((waves, op.zeros(shape=waves.shape, dtype=static.element(waves))), axis=-1)
    found = op.real(fourier.ifft(whole, norm="forward"))[..., :n]
    return 2.0 * found - rows[..., :1]


def fourth(rows):
    """2 sum_k x[k] cos(pi (2 j + 1) (2 k + 1) / (4 n))"""
    n = rows.shape[-1]
    angle = numbered(rows) * (-pi / (2 * n))
    waves = op.complex_of(rows * op.cos(angle), rows * op.sin(angle))
    whole = concatenate((waves, op.zeros(shape=waves.shape, dtype=static.element(waves))), axis=-1)
    found = fourier.fft(whole)[..., :n]
    turn = angle - pi / (4 * n)
    return 2.0 * (op.real(found) * op.cos(turn) - op.imag(found) * op.sin(turn))


def sine(rows, type, norm, is_orthogonal):
    """By the cosine transforms of the same length, but for the first."""
    n = rows.shape[-1]
    signs = op.where(numbered(rows) % 2 == 0, 1.0, -1.0)
    if type == 1:
        none = op.zeros(shape=(*rows.shape[:-1], 1), dtype=static.element(rows))
        whole = concatenate((none, rows, none, -rows[..., ::-1]), axis=-1)
        return scaled(-op.imag(fourier.rfft(whole))[..., 1 : n + 1], 2 * (n + 1), norm)
    if type == 2:
        out = scaled(second(signs * rows)[..., ::-1], 2 * n, norm)
        return with_end(out, -1, sqrt(0.5)) if is_orthogonal else out
    if type == 3:
        if is_orthogonal:
            rows = with_end(rows, -1, sqrt(2.0))
        return scaled(signs * third(rows[..., ::-1]), 2 * n, norm)
    return scaled(signs * fourth(rows[..., ::-1]), 2 * n, norm)
