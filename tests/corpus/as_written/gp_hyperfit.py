"""Gaussian process regression whose hyperparameters L-BFGS-B fits to the marginal likelihood, with its gradient.

Rasmussen & Williams, *Gaussian Processes for Machine Learning*, alg. 2.1 and eq. 5.9.
"""
import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize
from scipy.spatial.distance import cdist


def rbf(X1, X2, length_scale, sigma_f):
    d2 = cdist(X1, X2, "sqeuclidean")
    return sigma_f**2 * np.exp(-0.5 * d2 / length_scale**2)


def nll_and_grad(theta, X, y):
    """Negative log marginal likelihood and its gradient in the log parameters."""
    length_scale, sigma_f, sigma_n = np.exp(theta)
    n = X.shape[0]
    Kf = rbf(X, X, length_scale, sigma_f)
    K = Kf + (sigma_n**2 + 1e-8) * np.eye(n)
    c, low = cho_factor(K, lower=True)
    alpha = cho_solve((c, low), y)
    nll = 0.5 * y @ alpha + np.sum(np.log(np.diag(c))) + 0.5 * n * np.log(2 * np.pi)

    inner = np.outer(alpha, alpha) - cho_solve((c, low), np.eye(n))
    dK = np.stack([
        Kf * cdist(X, X, "sqeuclidean") / length_scale**2,
        2 * Kf,
        2 * sigma_n**2 * np.eye(n),
    ])
    grad = -0.5 * np.einsum("ij,kji->k", inner, dK)
    return nll, grad


def fit_predict(X, y, X_star, theta0):
    res = minimize(nll_and_grad, theta0, args=(X, y), jac=True, method="L-BFGS-B",
                   bounds=[(-3.0, 3.0), (-3.0, 3.0), (-5.0, 1.0)], options={"maxiter": 60, "ftol": 1e-13, "gtol": 1e-9})
    length_scale, sigma_f, sigma_n = np.exp(res.x)
    K = rbf(X, X, length_scale, sigma_f) + (sigma_n**2 + 1e-8) * np.eye(len(X))
    L = cholesky(K, lower=True)
    alpha = solve_triangular(L.T, solve_triangular(L, y, lower=True))
    K_s = rbf(X, X_star, length_scale, sigma_f)
    mu = K_s.T @ alpha
    v = solve_triangular(L, K_s, lower=True)
    var = sigma_f**2 - np.sum(v**2, axis=0)
    return mu, np.sqrt(var), res.x, res.fun


ENTRY = "fit_predict"


def make_arguments(rng, n):
    X = np.sort(rng.uniform(-3, 3, size=(4 * n, 1)), axis=0)
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=4 * n)
    return X, y, np.linspace(-2, 2, n)[:, None], np.zeros(3)


GRADIENT = ("y",)
ERRORS = []
