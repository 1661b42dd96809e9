"""Two-dimensional heat conduction by the Peaceman-Rachford ADI scheme.

Variable conductivity (harmonic face averages), Robin boundary on one side,
Dirichlet elsewhere; tridiagonal solves by the Thomas algorithm.
Peaceman & Rachford (1955).
"""
from dataclasses import dataclass
from typing import Callable, Optional

import numpy as np


@dataclass(frozen=True)
class Plate:
    conductivity: np.ndarray        # (ny, nx) cell values
    heat_capacity: float
    dx: float
    dy: float
    h_conv: float = 10.0            # right edge, to air
    t_air: float = 20.0

    @property
    def shape(self):
        return self.conductivity.shape

    def faces(self):
        """Harmonic means between neighbouring cells along x and y."""
        k = self.conductivity
        kx = 2 * k[:, 1:] * k[:, :-1] / (k[:, 1:] + k[:, :-1])
        ky = 2 * k[1:, :] * k[:-1, :] / (k[1:, :] + k[:-1, :])
        return kx, ky


def thomas(lower, diag, upper, rhs):
    """Solve a tridiagonal system; lower[0] and upper[-1] are ignored."""
    n = len(diag)
    c = np.zeros(n)
    d = np.zeros(n)
    c[0] = upper[0] / diag[0]
    d[0] = rhs[0] / diag[0]
    for i in range(1, n):
        denom = diag[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / denom
        d[i] = (rhs[i] - lower[i] * d[i - 1]) / denom
    x = np.empty(n)
    x[-1] = d[-1]
    for i in range(n - 2, -1, -1):
        x[i] = d[i] - c[i] * x[i + 1]
    return x


def line_operator(k_faces, k_cells, h, left_value, right):
    """Tridiagonal (lower, diag, upper, source) of d/dx(k dT/dx) on one grid line.

    `left_value` is a Dirichlet wall at half a cell; `right` is ("value", T) or
    ("robin", h_conv, T_air)."""
    n = len(k_cells)
    lower, diag, upper, src = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    g = k_faces / h ** 2
    lower[1:] = g
    upper[:-1] = g
    diag[1:] -= g
    diag[:-1] -= g
    wall = 2 * k_cells[0] / h ** 2
    diag[0] -= wall
    src[0] += wall * left_value
    if right[0] == "value":
        wall = 2 * k_cells[-1] / h ** 2
        diag[-1] -= wall
        src[-1] += wall * right[1]
    else:
        _, h_conv, t_air = right
        u = 1.0 / (h / (2 * k_cells[-1]) + 1.0 / h_conv)
        diag[-1] -= u / h
        src[-1] += u / h * t_air
    return lower, diag, upper, src


def apply_line(op, T):
    lower, diag, upper, src = op
    out = diag * T + src
    out[1:] += lower[1:] * T[:-1]
    out[:-1] += upper[:-1] * T[1:]
    return out


def adi_step(T, x_ops, y_ops, q, r):
    """r = dt / (2 rho c). Implicit in x first, then in y."""
    ny, nx = T.shape
    half = np.empty_like(T)
    explicit_y = np.column_stack([apply_line(y_ops[j], T[:, j]) for j in range(nx)])
    for i in range(ny):
        lo, di, up, src = x_ops[i]
        half[i] = thomas(-r * lo, 1 - r * di, -r * up, T[i] + r * (explicit_y[i] + src + q[i]))
    new = np.empty_like(T)
    explicit_x = np.array([apply_line(op, row) for op, row in zip(x_ops, half)])
    for j in range(nx):
        lo, di, up, src = y_ops[j]
        new[:, j] = thomas(-r * lo, 1 - r * di, -r * up, half[:, j] + r * (explicit_x[:, j] + src + q[:, j]))
    return new


def heat_plate(plate, T0, source, walls=(100.0, 20.0, 20.0), dt=0.1, n_steps=10,
               modulation: Optional[Callable[[float], float]] = None):
    """Walls = (left, bottom, top) temperatures. Returns (mean T, field, probe history, edge loss)."""
    if T0.shape != plate.shape or source.shape != plate.shape:
        raise ValueError(f"fields must have shape {plate.shape}, got {T0.shape} and {source.shape}")
    if min(plate.shape) < 2:
        raise ValueError("need at least two cells in each direction")
    if np.any(plate.conductivity <= 0):
        raise ValueError("conductivity must be positive everywhere")
    ny, nx = plate.shape
    kx, ky = plate.faces()
    left, bottom, top = walls
    robin = ("robin", plate.h_conv, plate.t_air)
    x_ops = [line_operator(kx[i], plate.conductivity[i], plate.dx, left, robin) for i in range(ny)]
    y_ops = [line_operator(ky[:, j], plate.conductivity[:, j], plate.dy, bottom, ("value", top)) for j in range(nx)]

    T = T0
    r = 0.5 * dt / plate.heat_capacity
    probe = []
    for step in range(n_steps):
        factor = 1.0 if modulation is None else modulation((step + 0.5) * dt)
        T = adi_step(T, x_ops, y_ops, factor * source, r)
        probe.append(T[ny // 2, nx // 2])
    u = 1.0 / (plate.dx / (2 * plate.conductivity[:, -1]) + 1.0 / plate.h_conv)
    loss = np.sum(u * (T[:, -1] - plate.t_air)) * plate.dy
    return T.mean(), T, np.array(probe), loss


ENTRY = "heat_plate"


def make_arguments(rng, n):
    m = n + 1
    k = 1.0 + rng.uniform(size=(m, n + 2))
    plate = Plate(conductivity=k, heat_capacity=5.0, dx=0.1, dy=0.12, h_conv=8.0, t_air=18.0)
    source = np.zeros((m, n + 2))
    source[m // 2, 1] = 300.0
    return (plate, np.full((m, n + 2), 20.0), source, (90.0, 20.0, 25.0), 0.02, 8,
            lambda t: 1.0 + 0.5 * np.sin(20.0 * t))


GRADIENT = ("plate", "T0", "source", "walls", "dt")
ERRORS = [(lambda rng, n: (Plate(np.ones((n, n)), 1.0, 0.1, 0.1), np.ones((n, n + 1)), np.ones((n, n))), ValueError),
          (lambda rng, n: (Plate(np.zeros((n, n)), 1.0, 0.1, 0.1), np.ones((n, n)), np.ones((n, n))), ValueError)]
