"""Fit of Michaelis-Menten kinetics with competitive inhibition by Levenberg-Marquardt.

v = Vmax S / (Km (1 + I / Ki) + S). Start values from the Hanes-Woolf line; Marquardt (1963)
scaling of the damping; confidence from the Gauss-Newton covariance.
"""
from dataclasses import astuple, dataclass

import numpy as np

MAX_ITER = 25
TOL = 1e-10


@dataclass(frozen=True)
class Kinetics:
    v_max: float
    k_m: float
    k_i: float

    def rate(self, s, i):
        return self.v_max * s / (self.k_m * (1 + i / self.k_i) + s)

    def gradient(self, s, i):
        """Jacobian columns d rate / d (v_max, k_m, k_i)."""
        apparent = self.k_m * (1 + i / self.k_i)
        den = apparent + s
        d_vmax = s / den
        d_km = -self.v_max * s * (1 + i / self.k_i) / den ** 2
        d_ki = self.v_max * s * self.k_m * i / (self.k_i ** 2 * den ** 2)
        return np.column_stack([d_vmax, d_km, d_ki])

    @property
    def specificity(self):
        return self.v_max / self.k_m

    @classmethod
    def from_array(cls, x):
        v_max, k_m, k_i = x
        return cls(v_max, k_m, k_i)


def hanes_woolf(s, v):
    """S / v = S / Vmax + Km / Vmax: slope and intercept by ordinary least squares."""
    y = s / v
    s_mean, y_mean = s.mean(), y.mean()
    slope = np.sum((s - s_mean) * (y - y_mean)) / np.sum((s - s_mean) ** 2)
    intercept = y_mean - slope * s_mean
    v_max = 1.0 / slope
    return v_max, intercept * v_max


def initial_guess(s, i, v):
    free = i == 0
    if free.sum() >= 2:
        v_max, k_m = hanes_woolf(s[free], v[free])
        if v_max > 0 and k_m > 0:
            return Kinetics(v_max, k_m, max(np.median(i), 0.1))
    return Kinetics(1.2 * v.max(), np.median(s), max(np.median(i), 0.1))


def levenberg_marquardt(s, i, v, start, weights):
    x = np.array(astuple(start))
    lam = 1e-3
    r = np.sqrt(weights) * (v - start.rate(s, i))
    cost = r @ r
    for _ in range(MAX_ITER):
        model = Kinetics.from_array(x)
        J = np.sqrt(weights)[:, None] * model.gradient(s, i)
        H = J.T @ J
        g = J.T @ r
        step = np.linalg.solve(H + lam * np.diag(np.diag(H)), g)
        trial = x + step
        if np.any(trial <= 0):
            lam *= 10.0
            continue
        r_new = np.sqrt(weights) * (v - Kinetics.from_array(trial).rate(s, i))
        cost_new = r_new @ r_new
        if cost_new < cost:
            converged = (cost - cost_new) < TOL * (1 + cost)
            x, r, cost = trial, r_new, cost_new
            lam = max(lam / 5.0, 1e-10)
            if converged:
                break
        else:
            lam *= 5.0
            if lam > 1e8:
                break
    return x, cost, H


def fit_kinetics(substrate, inhibitor, rates, weights=None):
    """Weighted fit; returns the estimates (v_max, k_m, k_i), their errors and fit statistics."""
    s, i, v = (np.asarray(z, dtype=float) for z in (substrate, inhibitor, rates))
    if not len(s) == len(i) == len(v):
        raise ValueError(f"lengths differ: {len(s)}, {len(i)}, {len(v)}")
    if len(s) < 5:
        raise ValueError("at least five measurements are needed for three parameters")
    if (s <= 0).any() or (v <= 0).any() or (i < 0).any():
        raise ValueError("concentrations and rates must be positive")
    if weights is None:
        weights = np.ones_like(s)

    start = initial_guess(s, i, v)
    x, cost, H = levenberg_marquardt(s, i, v, start, weights)
    dof = len(s) - len(x)
    cov = cost / dof * np.linalg.inv(H)
    fitted = Kinetics.from_array(x)
    ss_total = np.sum(weights * (v - np.average(v, weights=weights)) ** 2)
    ic50_at_km = fitted.k_i * (1 + 1.0)          # Cheng-Prusoff at S = Km
    return {
        "estimate": x,
        "std_error": np.sqrt(np.diag(cov)),
        "cost": cost,
        "r_squared": 1.0 - cost / ss_total,
        "specificity": fitted.specificity,
        "ic50": ic50_at_km,
        "aic": len(s) * np.log(cost / len(s)) + 2 * len(x),
    }


ENTRY = "fit_kinetics"


def make_arguments(rng, n):
    s = np.tile(np.geomspace(0.3, 8.0, n + 1), 3)
    i = np.repeat([0.0, 0.5, 2.0], n + 1)
    true = Kinetics(2.0, 1.1, 0.8)
    v = true.rate(s, i) * (1 + 0.02 * rng.standard_normal(s.size))
    return (s, i, v)


GRADIENT = ("rates",)
ERRORS = [
    (lambda rng, n: (np.ones(3), np.zeros(3), np.ones(3)), ValueError),
    (lambda rng, n: (np.ones(n + 4), np.zeros(n + 4), -np.ones(n + 4)), ValueError),
]
