"""Model predictive control of two coupled tanks with input bounds.

Condensed QP (Maciejowski 2002, ch. 3) solved by accelerated projected gradient;
the plant is the nonlinear Torricelli model, the predictor its linearisation.
"""
from dataclasses import dataclass

import numpy as np

G = 9.81


@dataclass(frozen=True)
class Tanks:
    area: float = 1.0
    c12: float = 0.12       # connecting orifice
    c_out: float = 0.10     # outlet orifice

    def derivative(self, h, q):
        h1, h2 = h
        dh = h1 - h2
        f12 = self.c12 * np.sign(dh) * np.sqrt(2 * G * np.abs(dh) + 1e-4)
        fout = self.c_out * np.sqrt(2 * G * np.maximum(h2, 0.0) + 1e-4)
        return np.array([(q - f12) / self.area, (f12 - fout) / self.area])

    def steady_state(self, h2):
        """Level of tank 1 and inflow that hold h2."""
        q = self.c_out * np.sqrt(2 * G * h2 + 1e-4)
        h1 = h2 + ((q / self.c12) ** 2 - 1e-4) / (2 * G)
        return np.array([h1, h2]), q

    def linearise(self, h, q, eps=1e-5):
        A = np.zeros((2, 2))
        for j in range(2):
            e = np.zeros(2)
            e[j] = eps
            A[:, j] = (self.derivative(h + e, q) - self.derivative(h - e, q)) / (2 * eps)
        B = np.array([[1.0 / self.area], [0.0]])
        return A, B


def discretise(A, B, dt, terms=8):
    """Series for exp(A dt) and its integral."""
    n = A.shape[0]
    Ad, S = np.eye(n), np.eye(n) * dt
    power = np.eye(n)
    for k in range(1, terms):
        power = power @ A * (dt / k)
        Ad = Ad + power
        S = S + power * dt / (k + 1)
    return Ad, S @ B


def prediction_matrices(Ad, Bd, C, N):
    n = Ad.shape[0]
    F = np.zeros((N, n))
    Phi = np.zeros((N, N))
    row = C.copy()
    impulse = []
    for i in range(N):
        impulse.append((row @ Bd).item())
        row = row @ Ad
        F[i] = row
    for i in range(N):
        for j in range(i + 1):
            Phi[i, j] = impulse[i - j]
    return F, Phi


def solve_box_qp(H, f, lo, hi, u0, tol=1e-9, max_iter=150):
    """min 1/2 u'Hu + f'u on lo <= u <= hi (FISTA)."""
    step = 1.0 / np.linalg.norm(H, 2)
    u, z, t = u0, u0, 1.0
    for _ in range(max_iter):
        u_new = np.clip(z - step * (H @ z + f), lo, hi)
        t_new = 0.5 * (1 + np.sqrt(1 + 4 * t * t))
        z = u_new + (t - 1) / t_new * (u_new - u)
        if np.max(np.abs(u_new - u)) < tol:
            u = u_new
            break
        u, t = u_new, t_new
    return u


def rk4(f, h, q, dt):
    k1 = f(h, q)
    k2 = f(h + 0.5 * dt * k1, q)
    k3 = f(h + 0.5 * dt * k2, q)
    k4 = f(h + dt * k3, q)
    return h + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def run_mpc(tanks, h_start, setpoint, horizon=8, n_steps=15, dt=1.0, q_max=1.0, move_weight=0.05):
    """Closed loop; returns (tracking cost, level trajectory, inputs, fraction saturated)."""
    if setpoint <= 0:
        raise ValueError(f"setpoint must be positive, got {setpoint}")
    h_ss, q_ss = tanks.steady_state(setpoint)
    if q_ss > q_max:
        raise ValueError(f"setpoint {setpoint} needs inflow {q_ss:.3f} above the limit {q_max}")
    if horizon < 1:
        raise ValueError("horizon must be at least one step")
    Ad, Bd = discretise(*tanks.linearise(h_ss, q_ss), dt)
    C = np.array([0.0, 1.0])
    F, Phi = prediction_matrices(Ad, Bd, C, horizon)
    D = np.eye(horizon) - np.eye(horizon, k=-1)
    H = Phi.T @ Phi + move_weight * D.T @ D

    h, q_prev = np.array(h_start, dtype=float), q_ss
    plan = np.zeros(horizon)
    levels, inflows = [h], []
    cost, saturated = 0.0, 0
    for _ in range(n_steps):
        first = np.zeros(horizon)
        first[0] = q_prev - q_ss
        f = Phi.T @ (F @ (h - h_ss)) - move_weight * D.T @ first
        plan = solve_box_qp(H, f, -q_ss, q_max - q_ss, np.append(plan[1:], plan[-1]))
        q = q_ss + plan[0]
        if q >= q_max - 1e-9 or q <= 1e-9:
            saturated += 1
        for _ in range(4):
            h = rk4(tanks.derivative, h, q, dt / 4)
        cost += (h[1] - setpoint) ** 2 + move_weight * (q - q_prev) ** 2
        q_prev = q
        levels.append(h)
        inflows.append(q)
    return cost, np.array(levels), np.array(inflows), saturated / n_steps


ENTRY = "run_mpc"


def make_arguments(rng, n):
    h0 = np.array([0.9, 0.3]) + 0.05 * rng.uniform(size=2)
    return (Tanks(area=1.1, c12=0.13, c_out=0.1), h0, 0.5, n, 10, 1.0, 0.8)


GRADIENT = ("tanks", "h_start", "setpoint")
ERRORS = [(lambda rng, n: (Tanks(), np.ones(2), -0.5), ValueError),
          (lambda rng, n: (Tanks(), np.ones(2), 50.0), ValueError)]
