"""Full-waveform inversion of a 2-D acoustic medium by the adjoint-state method.

Second-order finite differences of (1/c^2) u_tt = lap u + s with a sponge border
(Cerjan et al. 1985); gradient w.r.t. the squared slowness m = 1/c^2 as in
Plessix (2006), followed by a few normalised steepest-descent steps.
"""
from typing import NamedTuple

import numpy as np


class Survey(NamedTuple):
    sources: tuple        # (iz, ix) pairs
    receivers: tuple
    f0: float = 12.0
    nt: int = 60


class Grid(NamedTuple):
    dx: float
    dt: float

    def cfl(self, c_max):
        return c_max * self.dt / self.dx * np.sqrt(2.0)


def ricker(t, f0, t0):
    a = (np.pi * f0 * (t - t0)) ** 2
    return (1.0 - 2.0 * a) * np.exp(-a)


def laplacian(u, dx):
    out = np.zeros_like(u)
    out[1:-1, 1:-1] = (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
                       - 4.0 * u[1:-1, 1:-1]) / dx ** 2
    return out


def sponge(shape, width=2, strength=0.15):
    nz, nx = shape
    iz = np.minimum(np.arange(nz), np.arange(nz)[::-1])
    ix = np.minimum(np.arange(nx), np.arange(nx)[::-1])
    dist = np.minimum(iz[:, None], ix[None, :])
    depth = np.clip(width - dist, 0, None)
    return np.exp(-(strength * depth) ** 2)


def propagate(m, grid, damp, inject, nt):
    """March the wave equation; inject(k, u) adds the source of step k. Returns all fields."""
    nz, nx = m.shape
    fields = np.zeros((nt, nz, nx))
    prev = np.zeros((nz, nx))
    curr = np.zeros((nz, nx))
    coef = grid.dt ** 2 / m
    for k in range(nt):
        rhs = laplacian(curr, grid.dx)
        inject(k, rhs)
        nxt = 2.0 * curr - prev + coef * rhs
        nxt *= damp
        prev, curr = curr * damp, nxt
        fields[k] = curr
    return fields


def forward_shot(m, grid, survey, damp, src, wavelet):
    def inject(k, rhs):
        rhs[src] += wavelet[k] / grid.dx ** 2

    fields = propagate(m, grid, damp, inject, survey.nt)
    rz, rx = zip(*survey.receivers)
    return fields, fields[:, list(rz), list(rx)]


def adjoint_gradient(m, grid, survey, damp, fields, residual):
    """dJ/dm ~ -sum_t u_tt * lambda (reverse-time residual propagation)."""
    rev = residual[::-1]

    def inject(k, rhs):
        for r, (iz, ix) in enumerate(survey.receivers):
            rhs[iz, ix] += rev[k, r]

    lam = propagate(m, grid, damp, inject, survey.nt)[::-1]
    u_tt = np.zeros_like(fields)
    u_tt[1:-1] = (fields[2:] - 2.0 * fields[1:-1] + fields[:-2]) / grid.dt ** 2
    return -np.einsum("tij,tij->ij", u_tt, lam)


def misfit_and_gradient(m, grid, survey, observed, with_gradient=True):
    t = np.arange(survey.nt) * grid.dt
    wavelet = ricker(t, survey.f0, 1.2 / survey.f0)
    damp = sponge(m.shape)
    total, grad = 0.0, np.zeros_like(m)
    for src, d_obs in zip(survey.sources, observed):
        fields, d_syn = forward_shot(m, grid, survey, damp, src, wavelet)
        res = d_syn - d_obs
        weight = 1.0 / np.sum(d_obs ** 2)          # relative misfit per shot
        total += 0.5 * weight * np.sum(res ** 2)
        if with_gradient:
            grad += adjoint_gradient(m, grid, survey, damp, fields, weight * res)
    return total, grad


def invert(velocity, true_velocity, grid, survey, n_iter=3, c_bounds=(1.0, 4.0)):
    """Return (final misfit, misfit history, recovered velocity)."""
    if velocity.shape != true_velocity.shape:
        raise ValueError(f"shape mismatch {velocity.shape} vs {true_velocity.shape}")
    c_lo, c_hi = c_bounds
    if grid.cfl(c_hi) >= 1.0:
        raise ValueError(f"unstable time step: CFL number {grid.cfl(c_hi):.2f} >= 1")
    t = np.arange(survey.nt) * grid.dt
    wavelet = ricker(t, survey.f0, 1.2 / survey.f0)
    damp = sponge(velocity.shape)
    observed = [forward_shot(1.0 / true_velocity ** 2, grid, survey, damp, s, wavelet)[1]
                for s in survey.sources]

    m = 1.0 / velocity ** 2
    history = []
    for _ in range(n_iter):
        J, g = misfit_and_gradient(m, grid, survey, observed)
        history.append(J)
        scale = np.max(np.abs(g))
        if scale == 0.0:
            break
        step = 0.03 * np.mean(m) / scale
        while step * scale > 1e-6:
            trial = np.clip(m - step * g, 1.0 / c_hi ** 2, 1.0 / c_lo ** 2)
            J_trial, _ = misfit_and_gradient(trial, grid, survey, observed, with_gradient=False)
            if J_trial < J:
                m = trial
                break
            step *= 0.5
    final, _ = misfit_and_gradient(m, grid, survey, observed, with_gradient=False)
    return final, np.array(history), 1.0 / np.sqrt(m)


ENTRY = "invert"


def make_arguments(rng, n):
    nz, nx = n + 4, n + 5
    start = np.full((nz, nx), 2.0) + 0.02 * np.arange(nz)[:, None]
    true = start + 0.0
    true[nz // 3:, :] += 0.3
    true += 0.02 * rng.normal(size=(nz, nx))
    receivers = tuple((1, j) for j in range(1, nx - 1, 2))
    survey = Survey(sources=((2, 2), (2, nx - 3)), receivers=receivers, f0=12.0, nt=70)
    return (start, true, Grid(dx=0.05, dt=0.006), survey, 2)


GRADIENT = ("velocity", "true_velocity")
ERRORS = [(lambda rng, n: (np.ones((n, n)), np.ones((n, n + 1)), Grid(0.05, 0.005),
                           Survey(((1, 1),), ((1, 1),))), ValueError),
          (lambda rng, n: (np.ones((n, n)), np.ones((n, n)), Grid(0.05, 0.05),
                           Survey(((1, 1),), ((1, 1),))), ValueError)]
