"""Soft-DTW: differentiable dynamic time warping between two multivariate series.

M. Cuturi and M. Blondel, "Soft-DTW: a differentiable loss function for time series", ICML 2017
(forward recursion and Algorithm 2 for the gradient).
"""
import numpy as np

BIG = 1e10


def squared_distances(x, y):
    diff = x[:, None, :] - y[None, :, :]
    return np.einsum("ijk,ijk->ij", diff, diff)


def softmin(a, b, c, gamma):
    """-gamma log sum exp(-z / gamma), stabilised."""
    z = np.array([-a / gamma, -b / gamma, -c / gamma])
    z_max = z.max()
    return -gamma * (z_max + np.log(np.sum(np.exp(z - z_max))))


def forward_table(D, gamma, bandwidth):
    m, n = D.shape
    R = np.full((m + 2, n + 2), BIG)
    R[0, 0] = 0.0
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            if bandwidth > 0 and abs(i - j) > bandwidth:
                continue
            R[i, j] = D[i - 1, j - 1] + softmin(R[i - 1, j - 1], R[i - 1, j], R[i, j - 1], gamma)
    return R


def alignment_matrix(D, R, gamma, bandwidth):
    """Expected alignment E = d soft-dtw / d D, by the backward recursion."""
    m, n = D.shape
    Dp = np.zeros((m + 2, n + 2))
    Dp[1:m + 1, 1:n + 1] = D
    E = np.zeros((m + 2, n + 2))
    R = R.copy()
    R[:, n + 1] = -BIG
    R[m + 1, :] = -BIG
    R[m + 1, n + 1] = R[m, n]
    E[m + 1, n + 1] = 1.0
    for j in range(n, 0, -1):
        for i in range(m, 0, -1):
            if bandwidth > 0 and abs(i - j) > bandwidth:
                continue
            a = np.exp(min((R[i + 1, j] - R[i, j] - Dp[i + 1, j]) / gamma, 0.0))
            b = np.exp(min((R[i, j + 1] - R[i, j] - Dp[i, j + 1]) / gamma, 0.0))
            c = np.exp(min((R[i + 1, j + 1] - R[i, j] - Dp[i + 1, j + 1]) / gamma, 0.0))
            E[i, j] = E[i + 1, j] * a + E[i, j + 1] * b + E[i + 1, j + 1] * c
    return E[1:m + 1, 1:n + 1]


def hard_path(D):
    """Classic DTW path, for comparison."""
    m, n = D.shape
    C = np.full((m + 1, n + 1), np.inf)
    C[0, 0] = 0.0
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            C[i, j] = D[i - 1, j - 1] + min(C[i - 1, j - 1], C[i - 1, j], C[i, j - 1])
    i, j = m, n
    path = []
    while i > 0 and j > 0:
        path.append((i - 1, j - 1))
        options = [(C[i - 1, j - 1], i - 1, j - 1), (C[i - 1, j], i - 1, j), (C[i, j - 1], i, j - 1)]
        _, i, j = min(options)
    path.reverse()
    return C[m, n], np.array(path)


def soft_dtw(x, y, gamma=1.0, bandwidth=0):
    """Soft-DTW value, its gradient in x, the expected alignment, and hard DTW for reference."""
    if gamma <= 0:
        raise ValueError(f"gamma must be positive, got {gamma}")
    if x.ndim != 2 or y.ndim != 2:
        raise ValueError("series must be (length, channels)")
    if x.shape[1] != y.shape[1]:
        raise ValueError(f"channel mismatch: {x.shape[1]} and {y.shape[1]}")
    if bandwidth > 0 and abs(len(x) - len(y)) > bandwidth:
        raise ValueError("band too narrow for these lengths")

    D = squared_distances(x, y)
    R = forward_table(D, gamma, bandwidth)
    E = alignment_matrix(D, R, gamma, bandwidth)
    grad = 2.0 * (E.sum(axis=1)[:, None] * x - E @ y)
    value = R[len(x), len(y)]
    hard, path = hard_path(D)
    return value, grad, E, hard, path


ENTRY = "soft_dtw"


def make_arguments(rng, n):
    t = np.linspace(0, 2 * np.pi, n)
    x = np.stack([np.sin(t), np.cos(t)], axis=1) + 0.1 * rng.standard_normal((n, 2))
    s = np.linspace(0, 2 * np.pi, n + 2)
    y = np.stack([np.sin(s + 0.4), np.cos(s + 0.4)], axis=1)
    return (x, y, float(rng.uniform(0.3, 1.2)))


GRADIENT = ("x", "y", "gamma")
ERRORS = [
    (lambda rng, n: (rng.normal(size=(n, 2)), rng.normal(size=(n, 2)), -1.0), ValueError),
    (lambda rng, n: (rng.normal(size=(n, 2)), rng.normal(size=(n, 3)), 1.0), ValueError),
]
