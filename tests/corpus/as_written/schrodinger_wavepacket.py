"""Schroedinger equation in one dimension: bound states and wavepacket scattering.

Eigenstates from the three-point Hamiltonian (hbar = m = 1).  The packet moves
with the Crank-Nicolson (Cayley) step of Goldberg, Schey & Schwartz (1967),
carried in real arithmetic as a pair (Re psi, Im psi).
"""
from typing import NamedTuple

import numpy as np


class Potential(NamedTuple):
    depth: float
    width: float
    tilt: float = 0.0
    barrier: float = 0.0

    def __call__(self, x):
        well = -self.depth / np.cosh(x / self.width) ** 2       # Poeschl-Teller
        bump = self.barrier * np.exp(-(x - 2.0) ** 2)
        return well + self.tilt * x + bump


def hamiltonian(x, V):
    dx = x[1] - x[0]
    n = len(x)
    off = np.full(n - 1, -0.5 / dx ** 2)
    return np.diag(1.0 / dx ** 2 + V(x)) + np.diag(off, 1) + np.diag(off, -1)


def bound_states(H, dx, n_states):
    E, psi = np.linalg.eigh(H)
    psi = psi[:, :n_states] / np.sqrt(dx)
    # fix the sign so that the largest component is positive
    for k in range(psi.shape[1]):
        if psi[np.argmax(np.abs(psi[:, k])), k] < 0:
            psi[:, k] *= -1
    return E[:n_states], psi


def gaussian_packet(x, x0, k0, sigma):
    envelope = np.exp(-0.25 * ((x - x0) / sigma) ** 2)
    re, im = envelope * np.cos(k0 * x), envelope * np.sin(k0 * x)
    norm = np.sqrt(np.sum(re ** 2 + im ** 2) * (x[1] - x[0]))
    return re / norm, im / norm


class CayleyStepper:
    """(1 + i H dt/2) psi' = (1 - i H dt/2) psi, eliminated to a real SPD system."""

    def __init__(self, H, dt):
        self.A = 0.5 * dt * H
        n = len(H)
        self.M = np.linalg.inv(np.eye(n) + self.A @ self.A)

    def step(self, re, im):
        A = self.A
        b_re = re + A @ im
        b_im = im - A @ re
        # re' - A im' = b_re,  im' + A re' = b_im
        re_new = self.M @ (b_re + A @ b_im)
        im_new = b_im - A @ re_new
        return re_new, im_new


def expectation(op_diag, re, im, dx):
    return np.sum(op_diag * (re ** 2 + im ** 2)) * dx


def mean_momentum(re, im, dx):
    d_re, d_im = np.gradient(re, dx), np.gradient(im, dx)
    return np.sum(re * d_im - im * d_re) * dx


def current(re, im, dx, j):
    """Probability current between points j and j+1."""
    return (re[j] * im[j + 1] - im[j] * re[j + 1]) / dx


def scatter(x, potential, packet, dt=0.05, n_steps=40, n_states=3):
    """Packet = (x0, k0, sigma). Returns transmitted fraction, energies, trajectory of <x>, <p>, norm error."""
    n = len(x)
    if n < 5:
        raise ValueError(f"grid too small: {n} points")
    steps = np.diff(x)
    if np.any(np.abs(steps - steps[0]) > 1e-9 * abs(steps[0])):
        raise ValueError("grid must be uniform")
    x0, k0, sigma = packet
    if sigma <= 0 or dt <= 0:
        raise ValueError(f"need positive sigma and dt, got {sigma}, {dt}")

    dx = x[1] - x[0]
    H = hamiltonian(x, potential)
    E, states = bound_states(H, dx, min(n_states, n))
    re, im = gaussian_packet(x, x0, k0, sigma)
    overlaps = np.array([(np.sum(re * s) * dx) ** 2 + (np.sum(im * s) * dx) ** 2 for s in states.T])

    stepper = CayleyStepper(H, dt)
    force = -np.gradient(potential(x), dx)
    detector = int(0.7 * n)
    flux, trace = 0.0, []
    for _ in range(n_steps):
        before = current(re, im, dx, detector)
        re, im = stepper.step(re, im)
        flux += 0.5 * dt * (before + current(re, im, dx, detector))
        trace.append((expectation(x, re, im, dx), mean_momentum(re, im, dx),
                      expectation(force, re, im, dx)))
    density = re ** 2 + im ** 2
    transmitted = density[x > 0].sum() * dx
    energy = (re @ H @ re + im @ H @ im) * dx
    spacing = np.diff(E)
    return {"transmitted": transmitted,
            "energy": energy,
            "levels": E,
            "gaps": spacing,
            "overlaps": overlaps,
            "flux": flux,
            "trace": np.array(trace),
            "norm_error": abs(density.sum() * dx - 1.0)}


ENTRY = "scatter"


def make_arguments(rng, n):
    x = np.linspace(-6.0, 6.0, 6 * n + 7)
    V = Potential(depth=2.0 + 0.3 * rng.normal(), width=1.2, tilt=0.02, barrier=0.8)
    return (x, V, (-2.5, 1.5 + 0.1 * rng.normal(), 0.8), 0.05, 30)


GRADIENT = ("potential", "packet", "dt")
ERRORS = [(lambda rng, n: (np.array([0.0, 1.0, 3.0, 4.0, 5.0]), Potential(1.0, 1.0), (0.0, 1.0, 1.0)), ValueError),
          (lambda rng, n: (np.linspace(-3, 3, 20), Potential(1.0, 1.0), (0.0, 1.0, -1.0)), ValueError)]
