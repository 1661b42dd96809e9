"""Rows: discrete Fourier transforms of the rows of a matrix, by the loops of NumPy itself, without factors.

    c2c_forward(y, a)    y[i, k] = sum of a[i, j] exp(-2 pi i j k / n)
    c2c_backward(y, a)   the same with the other sign
    r2c(y, a)            the first n // 2 + 1 numbers of the first of them, of real rows
    c2r(y, a)            real rows of any length n of their first n // 2 + 1 numbers; the imaginary part of the first
                         one, and of the last one where n is even, counts as zero

Inverses divide by n: that is said in the language (`pellucid/numpy/fourier.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .routines import routine


def real_to_complex(a: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    return np.fft.rfft(a)


def complex_to_real(a: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    return np.fft.irfft(a, shape[-1], norm="forward")


routine("c2c_forward", "y(m, n) <- a(m, n)", meaning=np.fft.fft, work="m * n * 20", kinds=("complex",),
        samples="rows_of_complex", steps="along_rows('fft', a, y)",
        cuda="along_rows('Z2Z' if is_double else 'C2C', y, a, FORWARD)")  # fmt: skip
routine("c2c_backward", "y(m, n) <- a(m, n)", meaning=lambda a: np.fft.ifft(a, norm="forward"), work="m * n * 20",
        kinds=("complex",), samples="rows_of_complex", steps="along_rows('ifft', a, y)",
        cuda="along_rows('Z2Z' if is_double else 'C2C', y, a, BACKWARD)")  # fmt: skip
routine("r2c", "complex y(m, k) <- a(m, n)", meaning=real_to_complex, work="m * n * 10",
        samples="rows", steps="along_rows('rfft_n_odd' if odd(n) else 'rfft_n_even', a, y)",
        cuda="along_rows('D2Z' if is_double else 'R2C', y, a)")  # fmt: skip
routine("c2r", "real y(m, k) <- a(m, n)", meaning=complex_to_real, work="m * n * 20", kinds=("complex",),
        samples="half_rows", steps="along_rows('irfft', a, y)",
        cuda="along_rows('Z2D' if is_double else 'C2R', y, a)")  # fmt: skip
