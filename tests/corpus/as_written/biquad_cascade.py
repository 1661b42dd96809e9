"""IIR biquad cascade (Butterworth low-pass plus peaking sections), transposed direct form II.

Sections after R. Bristow-Johnson's audio EQ formulas; Butterworth pole quality factors from
the pole angles of the analogue prototype.
"""
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Biquad:
    b0: float
    b1: float
    b2: float
    a1: float
    a2: float

    @classmethod
    def normalised(cls, b, a):
        b0, b1, b2 = b
        a0, a1, a2 = a
        return cls(b0 / a0, b1 / a0, b2 / a0, a1 / a0, a2 / a0)

    @property
    def stable(self):
        """Schur-Cohn triangle."""
        return abs(self.a2) < 1.0 and abs(self.a1) < 1.0 + self.a2

    @property
    def dc_gain(self):
        return (self.b0 + self.b1 + self.b2) / (1.0 + self.a1 + self.a2)

    def run(self, x, state=(0.0, 0.0)):
        s1, s2 = state
        y = np.zeros_like(x)
        for n, xn in enumerate(x):
            yn = self.b0 * xn + s1
            s1 = self.b1 * xn - self.a1 * yn + s2
            s2 = self.b2 * xn - self.a2 * yn
            y[n] = yn
        return y

    def magnitude(self, omega):
        """|H(e^{i omega})| from real and imaginary parts."""
        c1, s1 = np.cos(omega), np.sin(omega)
        c2, s2 = np.cos(2 * omega), np.sin(2 * omega)
        num = np.hypot(self.b0 + self.b1 * c1 + self.b2 * c2, self.b1 * s1 + self.b2 * s2)
        den = np.hypot(1.0 + self.a1 * c1 + self.a2 * c2, self.a1 * s1 + self.a2 * s2)
        return num / den


def lowpass_section(f0, q, rate):
    w0 = 2 * np.pi * f0 / rate
    alpha = np.sin(w0) / (2 * q)
    c = np.cos(w0)
    return Biquad.normalised(((1 - c) / 2, 1 - c, (1 - c) / 2), (1 + alpha, -2 * c, 1 - alpha))


def peaking_section(f0, q, gain_db, rate):
    A = 10 ** (gain_db / 40)
    w0 = 2 * np.pi * f0 / rate
    alpha = np.sin(w0) / (2 * q)
    c = np.cos(w0)
    return Biquad.normalised((1 + alpha * A, -2 * c, 1 - alpha * A), (1 + alpha / A, -2 * c, 1 - alpha / A))


def butterworth_q(order):
    """Quality factors of the second-order sections, even orders."""
    return [1.0 / (2.0 * np.cos(np.pi * (2 * k + 1) / (2 * order))) for k in range(order // 2)]


def design(settings, rate):
    """Sections from a dict: {'cutoff': f, 'order': n, 'peaks': [(f, q, dB), ...]}"""
    order = settings.get("order", 4)
    if order % 2 or order < 2:
        raise ValueError(f"order must be even and positive, got {order}")
    cutoff = settings["cutoff"]
    if not 0 < cutoff < rate / 2:
        raise ValueError(f"cutoff {cutoff} Hz must be below Nyquist {rate / 2} Hz")
    sections = [lowpass_section(cutoff, q, rate) for q in butterworth_q(order)]
    for f0, q, gain in settings.get("peaks", []):
        sections.append(peaking_section(f0, q, gain, rate))
    return sections


def filter_signal(x, settings, rate, zero_phase=False):
    """Run the cascade, forwards and (with zero_phase) backwards.

    Returns output energy, output, response on a grid of 16 frequencies and DC gain.
    """
    x = np.array(x, dtype=float)
    if x.size == 0:
        raise ValueError("empty signal")
    sections = design(settings, rate)
    for k, section in enumerate(sections):
        if not section.stable:
            raise ValueError(f"section {k} is unstable: {section}")

    def cascade(signal):
        for section in sections:
            signal = section.run(signal)
        return signal

    y = cascade(x)
    if zero_phase:
        y = cascade(y[::-1])[::-1]

    omega = np.linspace(0.0, 0.95 * np.pi, 16)
    response = np.ones_like(omega)
    gain = 1.0
    for section in sections:
        response *= section.magnitude(omega)
        gain *= section.dc_gain
    half_power = np.flatnonzero(response < gain / np.sqrt(2))
    return {
        "energy": float(y @ y),
        "output": y,
        "response": response,
        "dc_gain": gain,
        "first_below_3db": int(half_power[0]) if half_power.size else -1,
    }


ENTRY = "filter_signal"


def make_arguments(rng, n):
    settings = {
        "cutoff": float(rng.uniform(800, 1500)),
        "order": 4,
        "peaks": [(300.0, 1.2, 6.0), (600.0, 2.0, -4.0)],
    }
    return (rng.standard_normal(20 * n), settings, 8000.0, True)


GRADIENT = ("x",)
ERRORS = [
    (lambda rng, n: (np.ones(n), {"cutoff": 5000.0}, 8000.0), ValueError),
    (lambda rng, n: (np.ones(n), {"cutoff": 500.0, "order": 3}, 8000.0), ValueError),
]
