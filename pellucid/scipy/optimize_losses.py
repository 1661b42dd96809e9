"""Losses of `least_squares`: what becomes of the square of a residual, so that outliers count less.

    least_squares(r, x0, loss="huber", f_scale=c)     ->     the least  c^2 / 2 sum rho((r / c)^2),
                                                             rho(z) = z for z <= 1 and 2 z^(1/2) - 1 above

Source: B. Triggs et al., Bundle Adjustment, A Modern Synthesis (2000), section 4.3.
"""

import numpy as np

LOSSES = ("linear", "huber", "soft_l1", "cauchy", "arctan")
EPS = 2.220446049250313e-16


def rho(loss, z):
    """(rho(z), rho'(z), rho''(z)) of a loss that is named, or of a function that gives the three as rows."""
    if callable(loss):
        rows = loss(z)
        return rows[0], rows[1], rows[2]
    if loss == "huber":
        is_near = z <= 1.0
        far = np.where(is_near, 1.0, z)
        root = np.sqrt(far)
        return (
            np.where(is_near, z, 2.0 * root - 1.0), np.where(is_near, 1.0, 1.0 / root),
            np.where(is_near, 0.0, -0.5 / (root * far)),
        )  # fmt: skip
    if loss == "soft_l1":
        root = np.sqrt(1.0 + z)
        return 2.0 * (root - 1.0), 1.0 / root, -0.5 / root**3
    if loss == "cauchy":
        return np.log1p(z), 1.0 / (1.0 + z), -1.0 / (1.0 + z) ** 2
    square = 1.0 + z * z
    return np.arctan(z), 1.0 / square, -2.0 * z / square**2


def cost_of(loss, scale, r):
    if not callable(loss) and loss == "linear":
        return 0.5 * np.sum(r * r)
    return 0.5 * scale**2 * np.sum(rho(loss, (r / scale) ** 2)[0])


def weighted(loss, scale, r, j):
    """Residuals and Jacobian whose least squares model is that of the loss: j^T r is its gradient."""
    if not callable(loss) and loss == "linear":
        return r, j
    _, first, second = rho(loss, (r / scale) ** 2)
    bend = np.sqrt(np.maximum(first + 2.0 * second * (r / scale) ** 2, EPS))
    return r * first / bend, j * bend[:, None]
