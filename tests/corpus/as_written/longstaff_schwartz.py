"""Black-Scholes by Monte Carlo with control variates, Heston's model, and the American put by least squares.

Longstaff & Schwartz, Review of Financial Studies 14 (2001); Heston (1993).
"""
import numpy as np
from scipy.stats import norm


def bs_price(S, K, r, sigma, T, kind="put"):
    d1 = (np.log(S / K) + (r + 0.5 * sigma**2) * T) / (sigma * np.sqrt(T))
    d2 = d1 - sigma * np.sqrt(T)
    if kind == "call":
        return S * norm.cdf(d1) - K * np.exp(-r * T) * norm.cdf(d2)
    return K * np.exp(-r * T) * norm.cdf(-d2) - S * norm.cdf(-d1)


def gbm_paths(S0, r, sigma, T, Z):
    M, N = Z.shape
    dt = T / M
    increments = (r - 0.5 * sigma**2) * dt + sigma * np.sqrt(dt) * Z
    return S0 * np.exp(np.vstack([np.zeros(N), np.cumsum(increments, axis=0)]))


def heston_call(S0, K, r, v0, kappa, theta, xi, rho, T, Z):
    M, N = Z.shape[1:]
    dt = T / M
    S, v = np.full(N, S0), np.full(N, v0)
    chol = np.linalg.cholesky(np.array([[1.0, rho], [rho, 1.0]]))
    for t in range(M):
        dW = np.sqrt(dt) * chol @ Z[:, t]
        vp = np.maximum(v, 0)
        S = S * np.exp((r - 0.5 * vp) * dt + np.sqrt(vp) * dW[0])
        v = v + kappa * (theta - vp) * dt + xi * np.sqrt(vp) * dW[1]
    return np.exp(-r * T) * np.mean(np.maximum(S - K, 0))


def american_put(S, K, r, T, deg):
    M = S.shape[0] - 1
    df = np.exp(-r * T / M)
    h = np.maximum(K - S, 0)
    V = np.copy(h[-1])
    for t in range(M - 1, 0, -1):
        V = df * V
        itm = h[t] > 0
        if np.count_nonzero(itm) > deg + 1:
            reg = np.polyfit(S[t, itm] / K, V[itm], deg)
            C = np.polyval(reg, S[t] / K)
            V = np.where(itm & (h[t] > C), h[t], V)
    return df * V.mean()


def price(S0, K, r, sigma, T, Z, W):
    if sigma <= 0 or T <= 0:
        raise ValueError("volatility and maturity must be positive")
    S = gbm_paths(S0, r, sigma, T, np.concatenate([Z, -Z], axis=1))
    payoff = np.exp(-r * T) * np.maximum(K - S[-1], 0)
    control = np.exp(-r * T) * S[-1]
    b = np.cov(payoff, control)
    beta = b[0, 1] / b[1, 1]
    european = np.mean(payoff - beta * (control - S0))
    error = european - bs_price(S0, K, r, sigma, T)
    american = american_put(S, K, r, T, 2)
    return american, european, error, heston_call(S0, K, r, sigma**2, 1.5, 0.04, 0.3, -0.6, T, W)


ENTRY = "price"


def make_arguments(rng, n):
    return 100.0, 102.0, 0.05, 0.25, 1.0, rng.standard_normal((4 + n, 30)), rng.standard_normal((2, 8, 50))


GRADIENT = ("S0", "sigma")
ERRORS = [(lambda rng, n: (100.0, 102.0, 0.05, 0.0, 1.0, np.ones((4, 9)), np.ones((2, 8, 5))), ValueError)]
