"""Convolutions over one to three dimensions in space, with channels last, as in Flax.

    Conv.create(key, 3, 16, (3, 3))(images)     (N, H, W, 3) -> (N, H, W, 16)

The places that a window sees are gathered as rows, and one product of matrices multiplies them with the window.
Source: V. Dumoulin and F. Visin, A guide to convolution arithmetic for deep learning (2016), arXiv:1603.07285.
"""

import math

import numpy as np

from .fields import layer, static
from .initializers import lecun_normal


def repeated(value, count):
    """A number for each dimension in space: an int counts for all."""
    if isinstance(value, int):
        return (value,) * count
    if len(value) != count:
        raise ValueError(f"there are {count} dimensions in space, and {value} was given")
    return tuple(value)


def paddings(padding, lengths, sizes, strides):
    """Zeros before and after each dimension, for "SAME", an int, or pairs of ints; None for "VALID".

    lengths  of the dimensions in space
    sizes    of the window, between its ends
    """
    if isinstance(padding, str):
        if padding.upper() == "VALID":
            return None
        if padding.upper() != "SAME":
            raise ValueError(f"padding is SAME, VALID, an int or pairs of ints, not {padding}")
        missing = [max(k - 1 - (n - 1) % s, 0) for n, k, s in zip(lengths, sizes, strides)]
        return [(m // 2, m - m // 2) for m in missing]
    if isinstance(padding, int):
        return [(padding, padding) for _ in sizes]
    return [(p, p) if isinstance(p, int) else (p[0], p[1]) for p in padding]


def span(size, dilation):
    """The length of a window with its elements so far apart."""
    return size + (size - 1) * (dilation - 1)


def padded(x, zeros, value=0):
    """x (N, *space, channels) with so many elements of this value before and after each dimension in space."""
    if zeros is None:
        return x
    lengths = [n + before + after for n, (before, after) in zip(x.shape[1:-1], zeros)]
    wide = np.full((x.shape[0], *lengths, x.shape[-1]), value, x.dtype)
    wide[:, *[slice(before, before + n) for n, (before, _) in zip(x.shape[1:-1], zeros)]] = x
    return wide


def windows(x, size, strides, dilation):
    """What a window sees at each of its places: (N, *space, channels) -> (N, *places, *size, channels)."""
    rank, places = len(size), []
    for k in range(rank):
        count = (x.shape[1 + k] - span(size[k], dilation[k]) + strides[k]) // strides[k]
        rows = np.arange(count)[:, None] * strides[k] + np.arange(size[k]) * dilation[k]
        before, between = (1,) * k, (1,) * (rank - 1)
        places.append(rows.reshape((*before, count, *between, size[k], *(1,) * (rank - 1 - k))))
    return x[:, *places]


def convolve(x, weight, strides, dilation, groups):
    """Sums over the places of a window, without padding.

    x       (N, *space, inputs)
    weight  (*size, inputs // groups, outputs)
    """
    rank = x.ndim - 2
    size, inputs, outputs = weight.shape[:rank], weight.shape[rank], weight.shape[rank + 1]
    seen = windows(x, size, strides, dilation)
    places, taps = seen.shape[: rank + 1], math.prod(size)
    if groups == 1:
        return seen.reshape((*places, taps * inputs)) @ weight.reshape((taps * inputs, outputs))
    seen = seen.reshape((*places, taps, groups, inputs))
    weight = weight.reshape((taps, inputs, groups, outputs // groups))
    return np.einsum("...tgi,tigo->...go", seen, weight).reshape((*places, outputs))


@layer
class Conv:
    """A convolution with a window that is not turned round: (N, *space, inputs) -> (N, *places, outputs).

    weight    (*size, inputs // groups, outputs): one to three dimensions in space
    bias      (outputs,), or None
    strides   how far the window moves, for each dimension in space
    padding   "SAME", "VALID", or zeros before and after each dimension: an int, or pairs of ints
    dilation  how far apart the elements of the window are
    groups    into how many groups the channels are taken apart, each with windows of its own
    """

    weight: np.ndarray
    bias: np.ndarray | None = None
    strides: tuple[int, ...] | int = static(default=1)
    padding: str | int | tuple = static(default="SAME")
    dilation: tuple[int, ...] | int = static(default=1)
    groups: int = static(default=1)

    @classmethod
    def create(
        cls, key, inputs, outputs, size, *, strides=1, padding="SAME", dilation=1, groups=1, bias=True,
        dtype=np.float32, initializer=None,
    ):  # fmt: skip
        """A layer with random windows of this size, a tuple, by `lecun_normal` unless another initialiser is given.

        Raises ValueError where groups do not divide the numbers of channels.
        """
        if inputs % groups != 0 or outputs % groups != 0:
            raise ValueError(f"{groups} groups do not divide {inputs} and {outputs} channels")
        weight = (initializer or lecun_normal())(key, (*size, inputs // groups, outputs), dtype)
        return cls(weight, np.zeros(outputs, dtype) if bias else None, strides, padding, dilation, groups)

    def __call__(self, x):
        rank = x.ndim - 2
        strides, dilation = repeated(self.strides, rank), repeated(self.dilation, rank)
        sizes = [span(n, d) for n, d in zip(self.weight.shape, dilation)]
        x = padded(x, paddings(self.padding, x.shape[1:-1], sizes, strides))
        y = convolve(x, self.weight, strides, dilation, self.groups)
        return y if self.bias is None else y + self.bias


@layer
class ConvTranspose:
    """A convolution of the input with zeros between its elements: (N, *space, inputs) -> (N, *places, outputs).

    weight    (*size, inputs, outputs), not turned round, as in Flax
    bias      (outputs,), or None
    strides   how far apart the elements are put; with "SAME" the result is so many times as long
    padding   "SAME", "VALID", or zeros before and after each dimension: an int, or pairs of ints
    dilation  how far apart the elements of the window are
    """

    weight: np.ndarray
    bias: np.ndarray | None = None
    strides: tuple[int, ...] | int = static(default=1)
    padding: str | int | tuple = static(default="SAME")
    dilation: tuple[int, ...] | int = static(default=1)

    @classmethod
    def create(
        cls, key, inputs, outputs, size, *, strides=1, padding="SAME", dilation=1, bias=True, dtype=np.float32,
        initializer=None,
    ):  # fmt: skip
        """A layer with random windows of this size, a tuple, by `lecun_normal` unless another initialiser is given."""
        weight = (initializer or lecun_normal())(key, (*size, inputs, outputs), dtype)
        return cls(weight, np.zeros(outputs, dtype) if bias else None, strides, padding, dilation)

    def __call__(self, x):
        rank = x.ndim - 2
        strides, dilation = repeated(self.strides, rank), repeated(self.dilation, rank)
        sizes = [span(n, d) for n, d in zip(self.weight.shape, dilation)]
        x = padded(apart(x, strides), transposed_paddings(self.padding, sizes, strides))
        y = convolve(x, self.weight, (1,) * rank, dilation, 1)
        return y if self.bias is None else y + self.bias


def apart(x, strides):
    """x with `stride - 1` zeros between its elements along each dimension in space."""
    if max(strides) == 1:
        return x
    lengths = [span(n, s) for n, s in zip(x.shape[1:-1], strides)]
    wide = np.zeros((x.shape[0], *lengths, x.shape[-1]), x.dtype)
    wide[:, *[slice(None, None, s) for s in strides]] = x
    return wide


def transposed_paddings(padding, sizes, strides):
    """Zeros before and after each dimension of a transposed convolution, as `jax.lax.conv_transpose` has them."""
    if not isinstance(padding, str):
        return paddings(padding, (), sizes, strides)
    if padding.upper() == "SAME":
        before = [k - 1 if s > k - 1 else -(-(k + s - 2) // 2) for k, s in zip(sizes, strides)]
        return [(b, k + s - 2 - b) for b, k, s in zip(before, sizes, strides)]
    if padding.upper() != "VALID":
        raise ValueError(f"padding is SAME, VALID, an int or pairs of ints, not {padding}")
    return [(k - 1, s - 1 + max(k - s, 0)) for k, s in zip(sizes, strides)]
