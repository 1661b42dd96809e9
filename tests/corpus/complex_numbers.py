"""Complex numbers as engineers and physicists use them: spectra, waves, circuits, fractals, roots."""

import cmath
import math
from typing import NamedTuple

import numpy as np


def fourier_by_sums(x):
    """The transform by its definition, power at each frequency."""
    n = len(x)
    power = np.zeros(n)
    for k in range(n):
        total = 0j
        for j in range(n):
            total += x[j] * np.exp(-2j * np.pi * j * k / n)
        power[k] = abs(total) ** 2
    return power


def fourier_by_halves(signal):
    """Cooley and Tukey, by recursion."""
    n = len(signal)
    if n == 1:
        return signal.astype(complex)
    even, odd = fourier_by_halves(signal[::2]), fourier_by_halves(signal[1::2])
    turned = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    return np.concatenate([even + turned, even - turned])


def fourier_in_passes(signal):
    """Stockham's form of the same: passes over two buffers."""
    n = signal.shape[0]
    y = signal.astype(np.complex128)
    half, stride = n // 2, 1
    while half >= 1:
        z = np.empty(n, dtype=np.complex128)
        for j in range(half):
            factor = np.exp(-1j * np.pi * j / half)
            for k in range(stride):
                a, b = y[k + j * stride], y[k + j * stride + n // 2]
                z[k + 2 * j * stride] = a + b
                z[k + (2 * j + 1) * stride] = (a - b) * factor
        y = z
        half //= 2
        stride *= 2
    return y


def escape_time(a, b, n_steps):
    """How long a point stays near the Mandelbrot set, smoothed."""
    c, z = complex(a - 1.0, b), 0j
    for step in range(10 * n_steps):
        if abs(z) > 2.0:
            return step + 1.0 - math.log(math.log(abs(z)))
        z = z * z + c
    return 0.0


def mandelbrot_by_mask(count, n_steps):
    """The same on a grid, by masks."""
    xs, ys = np.linspace(-2.0, 0.5, count), np.linspace(-1.2, 1.2, count)
    c = xs + ys[:, None] * 1j
    times, z = np.zeros(c.shape, dtype=np.int64), np.zeros(c.shape, np.complex128)
    for step in range(n_steps):
        inside = np.abs(z) < 2.0
        times[inside] = step
        z[inside] = z[inside] ** 2 + c[inside]
    return times


def interference(x, u, theta):
    """The intensity of a plane wave and a spherical one."""
    wave = np.exp(1j * (x * math.cos(theta) + u * math.sin(theta)))
    distance = np.sqrt(1.0 + x**2 + u**2)
    return np.abs(wave + np.exp(2j * np.pi * distance) / distance) ** 2


def ladder_impedance(p, q, alpha):
    """The gain of a chain of resistors and capacitors at one frequency, in decibels."""
    frequency = 1j * 2.0 * math.pi * alpha
    load = complex(1e3)
    for k in range(len(p) - 1, -1, -1):
        parallel = 1.0 / (frequency * q[k] + 1.0 / load)
        load = p[k] + parallel
    return 20.0 * math.log10(abs(load)), cmath.phase(load)


def schroedinger_step(x, u, dt):
    """Crank and Nicolson's step of a wave packet in a potential, by Thomas' algorithm; the probability left."""
    n = len(x)
    psi = x + 0.3j * u
    off = -0.5j * dt
    diagonal = 1.0 + 1j * dt * (1.0 + 0.5 * u**2)
    rhs = psi * np.conj(diagonal)
    ratios = np.empty(n, dtype=complex)
    ratios[0] = off / diagonal[0]
    rhs[0] /= diagonal[0]
    for k in range(1, n):
        pivot = diagonal[k] - off * ratios[k - 1]
        ratios[k] = off / pivot
        rhs[k] = (rhs[k] - off * rhs[k - 1]) / pivot
    for k in range(n - 2, -1, -1):
        rhs[k] -= ratios[k] * rhs[k + 1]
    return np.sum(np.abs(rhs) ** 2), rhs.real[-1]


def durand_kerner(coefficients, n_steps):
    """All roots of a polynomial at once."""
    degree = len(coefficients)
    roots = (0.4 + 0.9j) ** np.arange(degree)
    for _ in range(5 * n_steps):
        for k in range(degree):
            value = roots[k] ** degree
            for j, c in enumerate(coefficients):
                value += c * roots[k] ** j
            apart = 1.0 + 0j
            for j in range(degree):
                if j != k:
                    apart *= roots[k] - roots[j]
            roots[k] -= value / apart
    return roots


def contour_integral(a, n_steps):
    """Cauchy's formula for exp(z) / (z - a) on a circle."""
    total, count = 0j, 20 * n_steps
    for k in range(count):
        z = 2.0 * cmath.exp(2j * cmath.pi * k / count)
        total += cmath.exp(z) / (z - a) * z
    return (total / count).real


class Spinor(NamedTuple):
    up: complex
    down: complex

    def norm(self):
        return math.sqrt(abs(self.up) ** 2 + abs(self.down) ** 2)


def precession(theta, phi, n_steps):
    """A spin in a field: the expectation of each component."""
    spin = Spinor(complex(math.cos(theta / 2)), cmath.rect(math.sin(theta / 2), phi))
    for _ in range(n_steps):
        spin = Spinor(spin.up * cmath.exp(-0.1j), spin.down * cmath.exp(0.1j))
    cross = spin.up.conjugate() * spin.down
    return 2.0 * cross.real, 2.0 * cross.imag, abs(spin.up) ** 2 - abs(spin.down) ** 2, spin.norm()


def gates(angles):
    """A chain of rotations of one qubit, as matrices."""
    state = np.array([1.0 + 0j, 0.0])
    for angle in angles:
        c, s = np.cos(angle / 2), np.sin(angle / 2)
        state = np.array([[c, -1j * s], [-1j * s, c]]) @ state
        state = state * np.array([1.0, np.exp(1j * angle)])
    return np.abs(state) ** 2


def single_precision(z32, k):
    """The same dtype stays: complex64."""
    turned = z32 * np.complex64(1j) ** k
    return turned.real.sum() + 1j * turned.imag.sum(), np.conj(turned)[::-1], np.abs(z32)


def moebius(amplitudes, a, b):
    """Maps of the plane, the mean and the spread of the images."""
    images = (a * amplitudes + 1j) / (b * amplitudes.conj() + 2.0)
    return images.mean(), images.std(), np.vdot(images, amplitudes), np.linalg.norm(images)


def without_a_value(x):
    """Nowhere for what is below zero."""
    return np.abs(np.where(x > 0.0, 1j * x, complex(np.nan, 0.0)))


def growing_list(a, count):
    """A spiral, point by point."""
    points, z = [], 1 + 0j
    for k in range(count):
        points.append(z)
        z *= cmath.rect(a, 0.5 * k)
    return np.array(points), sum(points)


def _vector(rng, n):
    return rng.standard_normal(n) + 1j * rng.standard_normal(n)


def _power_of_two(rng, n):
    return _vector(rng, 2 ** (n // 2))


ARGUMENTS = {
    "fourier_by_halves": lambda rng, n: (_power_of_two(rng, n),),
    "fourier_in_passes": lambda rng, n: (_power_of_two(rng, n),),
    "durand_kerner": lambda rng, n: (rng.uniform(0.5, 1.5, n), 3),
    "gates": lambda rng, n: (rng.uniform(0.2, 1.4, n),),
    "single_precision": lambda rng, n: (_vector(rng, n).astype(np.complex64), 3),
    "moebius": lambda rng, n: (_vector(rng, n), 0.7, 0.4),
}
MIN_SIZE = {"durand_kerner": 2, "schroedinger_step": 2}
NO_GRADIENT = dict.fromkeys(
    ("fourier_by_halves", "fourier_in_passes", "durand_kerner", "single_precision", "moebius", "growing_list"),
    "complex arguments or results",
) | {"mandelbrot_by_mask": "integer results", "without_a_value": "nan in the result"}
