"""Products and convolutions in the spellings of `jax.lax`.

    lax.conv_general_dilated(x, w, (1, 1), "SAME")     ->     loops over the places of the window, of which each adds
                                                              a product of matrices

Source: V. Dumoulin and F. Visin, A guide to convolution arithmetic for deep learning (2016), arXiv:1603.07285.
"""

import numpy as np

from .lax_arrays import padded_rows

LETTERS = "abcdefghijklmnop"


def batch_matmul(lhs, rhs):
    """Products of the matrices in the last two dimensions."""
    return np.matmul(lhs, rhs)


def dot_general(lhs, rhs, dimension_numbers):
    """The sum of products over some dimensions of both.

    dimension_numbers  ((contracting of lhs, of rhs), (batch of lhs, of rhs)); the result has the batch dimensions, then
                       the others of lhs, then those of rhs
    """
    (left_sums, right_sums), (left_batch, right_batch) = dimension_numbers
    left = [LETTERS[k] for k in range(lhs.ndim)]
    right = [LETTERS[lhs.ndim + k] for k in range(rhs.ndim)]
    for one, other in zip((*left_sums, *left_batch), (*right_sums, *right_batch)):
        right[other] = left[one]
    batch = "".join([left[k] for k in left_batch])
    kept = "".join([left[k] for k in range(lhs.ndim) if k not in left_sums and k not in left_batch])
    others = "".join([right[k] for k in range(rhs.ndim) if k not in right_sums and k not in right_batch])
    return np.einsum("".join(left) + "," + "".join(right) + "->" + batch + kept + others, lhs, rhs)


def conv(lhs, rhs, window_strides, padding):
    """A convolution of images (N, C, H, W) with windows (O, I, H, W), or of what has one dimension in space."""
    return conv_general_dilated(lhs, rhs, window_strides, padding)


def conv_general_dilated(
    lhs, rhs, window_strides, padding, lhs_dilation=None, rhs_dilation=None, dimension_numbers=None,
    feature_group_count=1, batch_group_count=1, precision=None, preferred_element_type=None,
):  # fmt: skip
    """A convolution, as networks have it: the window is not turned round.

    lhs                  images, of one or two dimensions in space
    rhs                  windows
    window_strides       how far the window moves, per dimension in space
    padding              "SAME", "VALID", or (before, after) per dimension in space
    lhs_dilation         how far apart the elements of the images are put, with zeros between them
    rhs_dilation         the same of the window
    dimension_numbers    the orders of the dimensions as texts: ("NCHW", "OIHW", "NCHW") where none are given
    feature_group_count  into how many groups the channels are taken apart, each with windows of its own

    Raises NotImplementedError for groups of the batch and other numbers of dimensions.
    """
    if batch_group_count != 1 or lhs.ndim not in (3, 4):
        raise NotImplementedError("convolutions have one or two dimensions in space, and no groups of the batch")
    space = "HW"[: lhs.ndim - 2]
    usual = ("NC" + space, "OI" + space, "NC" + space)
    of_lhs, of_rhs, of_out = usual if dimension_numbers is None else dimension_numbers
    letters = [letter for letter in of_lhs if letter not in "NC"]
    lhs = np.transpose(lhs, [of_lhs.index(letter) for letter in ("N", "C", *letters)])
    rhs = np.transpose(rhs, [of_rhs.index(letter) for letter in ("O", "I", *letters)])
    ones = (1,) * len(letters)
    near, far = ones if lhs_dilation is None else lhs_dilation, ones if rhs_dilation is None else rhs_dilation
    sizes = [(rhs.shape[2 + k] - 1) * far[k] + 1 for k in range(len(letters))]
    for k in range(len(letters)):
        lhs = along_space(lhs, k, window_strides[k], padding, sizes[k], near[k])
    out = moved_over(lhs, rhs, window_strides, far, sizes, feature_group_count)
    places = ["NC".index(letter) if letter in "NC" else 2 + letters.index(letter) for letter in of_out]
    return np.transpose(out, places)


def along_space(lhs, k, stride, padding, size, dilation):
    """The images with zeros around them, and between their elements, along a dimension in space."""
    length = lhs.shape[2 + k]
    wide = length + max(length - 1, 0) * (dilation - 1)
    before, behind = 0, 0
    if not isinstance(padding, str):
        before, behind = padding[k]
    elif padding.upper() == "SAME":
        missing = max((-(-wide // stride) - 1) * stride + size - wide, 0)
        before, behind = missing // 2, missing - missing // 2
    elif padding.upper() != "VALID":
        raise ValueError(f"padding is 'SAME', 'VALID' or pairs of numbers, not {padding!r}")
    rows = padded_rows(np.moveaxis(lhs, 2 + k, 0), 0.0, (before, behind, dilation - 1))
    return np.moveaxis(rows, 0, 2 + k)


def moved_over(lhs, rhs, strides, dilation, sizes, groups):
    """The sums over the places of a window, of images and windows with channels in front."""
    if lhs.ndim == 3:
        flat_strides, flat_dilation, flat_sizes = (1, *strides), (1, *dilation), (1, *sizes)
        return moved_over(lhs[:, :, None], rhs[:, :, None], flat_strides, flat_dilation, flat_sizes, groups)[:, :, 0]
    heights, widths = [(lhs.shape[2 + k] - sizes[k]) // strides[k] + 1 for k in range(2)]
    channels, features = rhs.shape[1], rhs.shape[0] // groups
    out = np.zeros((lhs.shape[0], rhs.shape[0], heights, widths), np.result_type(lhs, rhs))
    for i in range(rhs.shape[2]):
        for j in range(rhs.shape[3]):
            top, left = i * dilation[0], j * dilation[1]
            part = lhs[:, :, top : top + (heights - 1) * strides[0] + 1 : strides[0]]
            part = part[:, :, :, left : left + (widths - 1) * strides[1] + 1 : strides[1]]
            for g in range(groups):
                images = part[:, g * channels : (g + 1) * channels]
                windows = rhs[g * features : (g + 1) * features, :, i, j]
                out[:, g * features : (g + 1) * features] += np.einsum("nchw,oc->nohw", images, windows)
    return out
