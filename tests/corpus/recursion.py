"""Functions that call themselves or each other."""

import math

import numpy as np


def factorial(k):
    """A conditional expression ends it."""
    return 1 if k <= 1 else k * factorial(k - 1)


def fibonacci(count):
    if count < 2:
        return count
    return fibonacci(count - 1) + fibonacci(count - 2)


def ackermann(i, j):
    if i == 0:
        return j + 1
    if j == 0:
        return ackermann(i - 1, 1)
    return ackermann(i - 1, ackermann(i, j - 1))


def greatest_common_divisor(i, j):
    if j == 0:
        return i
    return greatest_common_divisor(j, i % j)


def binomial(i, j):
    """Pascal's rule."""
    if j == 0 or j == i:
        return 1
    return binomial(i - 1, j - 1) + binomial(i - 1, j)


def hanoi_moves(count):
    """Moves that a tower of discs takes."""
    return 0 if count == 0 else 2 * hanoi_moves(count - 1) + 1


def is_even(count):
    """Mutual recursion with `is_odd`."""
    return True if count == 0 else is_odd(count - 1)


def is_odd(count):
    """The other half of `is_even`."""
    return False if count == 0 else is_even(count - 1)


def power_by_squaring(a, count):
    if count == 0:
        return 1.0
    half = power_by_squaring(a, count // 2)
    return half * half * a if count % 2 == 1 else half * half


def sum_over_halves(x):
    """Pairwise summation."""
    if len(x) == 1:
        return x[0]
    middle = len(x) // 2
    return sum_over_halves(x[:middle]) + sum_over_halves(x[middle:])


def log_sum_over_halves(x):
    """log of the sum of exponentials, two halves at a time."""
    n = len(x)
    if n == 1:
        return x[0]
    left, right = log_sum_over_halves(x[: n // 2]), log_sum_over_halves(x[n // 2 :])
    return max(left, right) + math.log1p(math.exp(-abs(left - right)))


def _bell(x, width):
    return math.exp(-((x / width) ** 2))


def _refine(low, high, at_low, at_middle, at_high, width, depth):
    """Adaptive Simpson on one interval, split while the two estimates differ."""
    middle = 0.5 * (low + high)
    at_left, at_right = _bell(0.5 * (low + middle), width), _bell(0.5 * (middle + high), width)
    h = high - low
    whole = h / 6.0 * (at_low + 4.0 * at_middle + at_high)
    split = h / 12.0 * (at_low + 4.0 * at_left + 2.0 * at_middle + 4.0 * at_right + at_high)
    if depth == 0 or abs(split - whole) < 1e-4:
        return split + (split - whole) / 15.0
    left = _refine(low, middle, at_low, at_left, at_middle, width, depth - 1)
    return left + _refine(middle, high, at_middle, at_right, at_high, width, depth - 1)


def adaptive_simpson(a, b):
    """Integral of a bell of width b from 0 to 2 a."""
    return _refine(0.0, 2.0 * a, _bell(0.0, b), _bell(a, b), _bell(2.0 * a, b), b, 12)


def fast_fourier_transform(real, imaginary):
    """Radix-2 transform of a power-of-two length, real and imaginary parts apart."""
    n = len(real)
    if n == 1:
        return real, imaginary
    even_real, even_imaginary = fast_fourier_transform(real[::2], imaginary[::2])
    odd_real, odd_imaginary = fast_fourier_transform(real[1::2], imaginary[1::2])
    angle = -2.0 * np.pi * np.arange(n // 2) / n
    turned_real = np.cos(angle) * odd_real - np.sin(angle) * odd_imaginary
    turned_imaginary = np.cos(angle) * odd_imaginary + np.sin(angle) * odd_real
    return (
        np.concatenate([even_real + turned_real, even_real - turned_real]),
        np.concatenate([even_imaginary + turned_imaginary, even_imaginary - turned_imaginary]),
    )


def merge_sort(x):
    n = len(x)
    if n <= 1:
        return x.copy()
    left, right = merge_sort(x[: n // 2]), merge_sort(x[n // 2 :])
    merged = np.empty(n)
    i, j = 0, 0
    for k in range(n):
        if j == len(right) or (i < len(left) and left[i] <= right[j]):
            merged[k] = left[i]
            i += 1
        else:
            merged[k] = right[j]
            j += 1
    return merged


def hermite_polynomial(k, a):
    if k == 0:
        return 1.0
    if k == 1:
        return 2.0 * a
    return 2.0 * a * hermite_polynomial(k - 1, a) - 2.0 * (k - 1) * hermite_polynomial(k - 2, a)


def legendre_pair(count, alpha):
    """Legendre polynomials of this degree and the one below."""
    if count == 0:
        return 1.0, 0.0
    last, before = legendre_pair(count - 1, alpha)
    return ((2.0 * count - 1.0) * alpha * last - (count - 1.0) * before) / count, last


def determinant_by_minors(square):
    n = len(square)
    if n == 1:
        return square[0, 0]
    total, sign = 0.0, 1.0
    for j in range(n):
        minor = np.concatenate([square[1:, :j], square[1:, j + 1 :]], axis=1)
        total += sign * square[0, j] * determinant_by_minors(minor)
        sign = -sign
    return total


def continued_fraction(p):
    """p[0] + 1 / (p[1] + 1 / ...)"""
    if len(p) == 1:
        return p[0]
    return p[0] + 1.0 / continued_fraction(p[1:])


def tree_length(a, alpha, k):
    """Total branch length of a tree whose branches fork and shrink."""
    if k == 0 or a < 0.05:
        return a
    return a + tree_length(alpha * a, alpha, k - 1) + tree_length(0.5 * a, alpha, k - 1)


def nested_square_roots(p, start=0):
    """sqrt(p[0] + sqrt(p[1] + ...)) with the position as an argument."""
    if start == len(p):
        return 0.0
    return math.sqrt(p[start] + nested_square_roots(p, start + 1))


def newton_descent(a, b, depth=6):
    """Cube root of a + b, one Newton step a call."""

    def improve(guess, left):
        if left == 0:
            return guess
        return improve(guess - (guess - (a + b) / guess**2) / 3.0, left - 1)

    return improve(1.0, depth)


def strassen_product(first, second):
    """Product of matrices of power-of-two size by seven smaller products."""
    n = len(first)
    if n == 1:
        return first * second
    h = n // 2
    a, b, c, d = first[:h, :h], first[:h, h:], first[h:, :h], first[h:, h:]
    e, f, g, i = second[:h, :h], second[:h, h:], second[h:, :h], second[h:, h:]
    p1, p2 = strassen_product(a, f - i), strassen_product(a + b, i)
    p3, p4 = strassen_product(c + d, e), strassen_product(d, g - e)
    p5, p6 = strassen_product(a + d, e + i), strassen_product(b - d, g + i)
    p7 = strassen_product(a - c, e + f)
    top = np.concatenate([p5 + p4 - p2 + p6, p1 + p2], axis=1)
    bottom = np.concatenate([p3 + p4, p1 + p5 - p3 - p7], axis=1)
    return np.concatenate([top, bottom])


def _power_of_two(n):
    return 2 ** max(0, (n - 1).bit_length())


ARGUMENTS = {
    "ackermann": lambda rng, n: (int(rng.integers(0, 3)), int(rng.integers(0, 4))),
    "greatest_common_divisor": lambda rng, n: (int(rng.integers(10, 500)), int(rng.integers(10, 500))),
    "binomial": lambda rng, n: (n, int(rng.integers(0, n + 1))),
    "fast_fourier_transform": lambda rng, n: tuple(rng.standard_normal((2, _power_of_two(n)))),
    "determinant_by_minors": lambda rng, n: (rng.standard_normal((min(n, 5), min(n, 5))),),
    "strassen_product": lambda rng, n: tuple(
        rng.standard_normal((2, min(_power_of_two(n), 4), min(_power_of_two(n), 4)))
    ),
}

NO_GRADIENT = {
    "factorial": "an integer",
    "fibonacci": "an integer",
    "ackermann": "an integer",
    "greatest_common_divisor": "an integer",
    "binomial": "an integer",
    "hanoi_moves": "an integer",
    "is_even": "a boolean",
    "is_odd": "a boolean",
}
