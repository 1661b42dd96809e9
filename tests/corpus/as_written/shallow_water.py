"""Shallow-water equations over uneven ground: second-order finite volumes with HLL fluxes.

Hydrostatic reconstruction of Audusse et al. (2004), minmod slopes, SSP-RK2 in
time, semi-implicit Manning friction.  Periodic in y, reflecting walls in x.
"""
from typing import NamedTuple

import numpy as np

G = 9.81
DRY = 1e-6


class State(NamedTuple):
    h: np.ndarray
    hu: np.ndarray
    hv: np.ndarray

    def __add__(self, other):
        return State(*(a + b for a, b in zip(self, other)))

    def scaled(self, c):
        return State(*(c * a for a in self))

    def transposed(self):
        """Swap the roles of x and y."""
        return State(self.h.T, self.hv.T, self.hu.T)


def velocities(s):
    wet = s.h > DRY
    safe = np.where(wet, s.h, 1.0)
    return np.where(wet, s.hu / safe, 0.0), np.where(wet, s.hv / safe, 0.0)


def minmod(a, b):
    return np.where(a * b > 0, np.where(np.abs(a) < np.abs(b), a, b), 0.0)


def pad_x(a, mode, sign=1.0):
    """Two ghost columns on either side."""
    if mode == "periodic":
        return np.concatenate([a[:, -2:], a, a[:, :2]], axis=1)
    left, right = sign * a[:, 1::-1], sign * a[:, :-3:-1]
    return np.concatenate([left, a, right], axis=1)


def edges(q):
    """Left and right traces at interior faces of a padded array."""
    d = q[:, 1:] - q[:, :-1]
    slope = minmod(d[:, :-1], d[:, 1:])
    inner = q[:, 1:-1]
    return (inner + 0.5 * slope)[:, :-1], (inner - 0.5 * slope)[:, 1:]


def hll(hl, ul, vl, hr, ur, vr):
    cl, cr = np.sqrt(G * hl), np.sqrt(G * hr)
    sl = np.minimum(np.minimum(ul - cl, ur - cr), 0.0)
    sr = np.maximum(np.maximum(ul + cl, ur + cr), 0.0)
    width = np.where(sr - sl > 1e-12, sr - sl, 1.0)
    out = []
    for ql, qr, fl, fr in ((hl, hr, hl * ul, hr * ur),
                           (hl * ul, hr * ur, hl * ul ** 2 + 0.5 * G * hl ** 2, hr * ur ** 2 + 0.5 * G * hr ** 2)):
        out.append((sr * fl - sl * fr + sl * sr * (qr - ql)) / width)
    mass, mom = out
    passive = np.where(mass > 0, vl, vr)
    return mass, mom, mass * passive


def x_tendency(s, b, dx, mode):
    u, v = velocities(s)
    h_p, b_p = pad_x(s.h, mode), pad_x(b, mode)
    u_p, v_p = pad_x(u, mode, -1.0), pad_x(v, mode)
    if mode == "periodic":
        u_p = pad_x(u, mode)
    (hl, hr), (el, er) = edges(h_p), edges(h_p + b_p)
    (ul, ur), (vl, vr) = edges(u_p), edges(v_p)
    bl, br = el - hl, er - hr
    b_face = np.maximum(bl, br)
    hl_s, hr_s = np.maximum(el - b_face, 0.0), np.maximum(er - b_face, 0.0)
    mass, mom, tra = hll(hl_s, ul, vl, hr_s, ur, vr)
    # well-balanced corrections on both sides of each face
    mom_l = mom + 0.5 * G * (hl ** 2 - hl_s ** 2)
    mom_r = mom + 0.5 * G * (hr ** 2 - hr_s ** 2)
    centred = 0.5 * G * (hr[:, :-1] + hl[:, 1:]) * (br[:, :-1] - bl[:, 1:])
    dh = -(mass[:, 1:] - mass[:, :-1]) / dx
    dhu = -(mom_l[:, 1:] - mom_r[:, :-1]) / dx + centred / dx
    dhv = -(tra[:, 1:] - tra[:, :-1]) / dx
    return State(dh, dhu, dhv)


def tendency(s, b, dx, dy):
    fx = x_tendency(s, b, dx, "wall")
    fy = x_tendency(s.transposed(), b.T, dy, "periodic").transposed()
    return fx + fy


def friction(s, manning, dt):
    u, v = velocities(s)
    speed = np.sqrt(u ** 2 + v ** 2 + 1e-12)
    depth = np.maximum(s.h, DRY)
    damp = 1.0 + dt * G * manning ** 2 * speed / depth ** (4.0 / 3.0)
    return State(s.h, s.hu / damp, s.hv / damp)


def run_flood(h0, bed, dx, dy, t_end, manning=0.03, cfl=0.4, max_steps=200):
    """Dam-break over `bed` from rest; returns energy, final fields, peak depth and arrival times."""
    if h0.shape != bed.shape:
        raise ValueError(f"depth {h0.shape} and bed {bed.shape} differ in shape")
    if min(h0.shape) < 2:
        raise ValueError("grid must be at least 2 x 2")
    if h0.min() < 0:
        raise ValueError(f"negative initial depth {h0.min():.3g}")
    s = State(h0, np.zeros_like(h0), np.zeros_like(h0))
    volume0 = h0.sum()
    peak = h0.copy()
    arrival = np.where(h0 > 0.3, 0.0, t_end)
    t, steps = 0.0, 0
    while t < t_end and steps < max_steps:
        u, v = velocities(s)
        c = np.sqrt(G * s.h)
        speed = max(np.max((np.abs(u) + c) / dx), np.max((np.abs(v) + c) / dy), 1e-8)
        dt = min(cfl / speed, t_end - t)
        k1 = tendency(s, bed, dx, dy)
        s1 = s + k1.scaled(dt)
        s1 = State(np.maximum(s1.h, 0.0), s1.hu, s1.hv)
        s = (s + s1 + tendency(s1, bed, dx, dy).scaled(dt)).scaled(0.5)
        s = friction(State(np.maximum(s.h, 0.0), s.hu, s.hv), manning, dt)
        t += dt
        steps += 1
        np.maximum(peak, s.h, out=peak)
        arrival[(arrival == t_end) & (s.h > 0.3)] = t
    u, v = velocities(s)
    energy = np.sum(0.5 * s.h * (u ** 2 + v ** 2) + 0.5 * G * ((s.h + bed) ** 2 - bed ** 2)) * dx * dy
    return {"energy": energy, "h": s.h, "hu": s.hu, "peak": peak, "arrival": arrival,
            "mass_error": s.h.sum() / volume0 - 1.0, "n_steps": steps}


ENTRY = "run_flood"


def make_arguments(rng, n):
    ny, nx = max(n - 1, 1), n + 2
    x = np.arange(nx) / nx
    bed = 0.2 * np.exp(-((x - 0.7) / 0.15) ** 2)[None, :] + 0.05 * rng.uniform(size=(ny, nx))
    h0 = np.where(x < 0.4, 1.0, 0.25)[None, :] + 0.05 * rng.uniform(size=(ny, nx))
    return (h0, bed, 0.5, 0.5, 0.4, 0.03)


GRADIENT = ("h0", "bed", "manning", "t_end")
ERRORS = [(lambda rng, n: (np.ones((n, n)), np.ones((n, n + 1)), 1.0, 1.0, 0.1), ValueError),
          (lambda rng, n: (-np.ones((n, n)), np.zeros((n, n)), 1.0, 1.0, 0.1), ValueError)]
