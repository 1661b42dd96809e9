"""Implied volatility by Newton with bisection fallback, then an SVI smile fit.

Black (1976); Gatheral's raw SVI, w(k) = a + b (rho (k-m) + sqrt((k-m)^2 + s^2)),
fitted by Levenberg-Marquardt; Breeden-Litzenberger density from the fit.
"""
from math import erf, exp, log, pi, sqrt
from typing import NamedTuple

import numpy as np


class SVI(NamedTuple):
    a: float
    b: float
    rho: float
    m: float
    s: float

    def total_variance(self, k):
        d = k - self.m
        return self.a + self.b * (self.rho * d + np.sqrt(d * d + self.s ** 2))

    def jacobian(self, k):
        d = k - self.m
        root = np.sqrt(d * d + self.s ** 2)
        return np.column_stack([np.ones_like(k),
                                self.rho * d + root,
                                self.b * d,
                                -self.b * (self.rho + d / root),
                                self.b * self.s / root])


def norm_cdf(x):
    return 0.5 * (1.0 + erf(x / sqrt(2.0)))


def black_call(forward, strike, vol, expiry):
    """Undiscounted call and vega."""
    sd = vol * sqrt(expiry)
    d1 = log(forward / strike) / sd + 0.5 * sd
    price = forward * norm_cdf(d1) - strike * norm_cdf(d1 - sd)
    vega = forward * sqrt(expiry) * exp(-0.5 * d1 * d1) / sqrt(2 * pi)
    return price, vega


def implied_vol(price, forward, strike, expiry, tol=1e-12, max_iter=100):
    intrinsic = max(forward - strike, 0.0)
    if not intrinsic < price < forward:
        raise ValueError(f"price {price:.6g} violates bounds ({intrinsic:.6g}, {forward:.6g}) at strike {strike}")
    lo, hi = 1e-4, 5.0
    # Manaster-Koehler style start
    vol = sqrt(2.0 * abs(log(forward / strike)) / expiry + 0.04)
    for _ in range(max_iter):
        value, vega = black_call(forward, strike, vol, expiry)
        diff = value - price
        if diff > 0:
            hi = vol
        else:
            lo = vol
        if vega > 1e-10:
            new = vol - diff / vega
        else:
            new = -1.0
        if not lo < new < hi:
            new = 0.5 * (lo + hi)       # bisection
        if abs(new - vol) < tol:
            return new
        vol = new
    return vol


def fit_svi(k, w, start, weights, max_iter=60):
    x = np.array(start)
    lam = 1e-2

    def residual(v):
        return weights * (SVI(*v).total_variance(k) - w)

    r = residual(x)
    cost = r @ r + 1e-8 * np.sum((x - start) ** 2)
    for _ in range(max_iter):
        J = weights[:, None] * SVI(*x).jacobian(k)
        g = J.T @ r + 1e-8 * (x - start)
        A = J.T @ J + 1e-8 * np.eye(5)
        step = -np.linalg.solve(A + lam * np.diag(np.diag(A)), g)
        trial = x + step
        trial[1] = max(trial[1], 1e-4)
        trial[2] = np.clip(trial[2], -0.99, 0.99)
        trial[4] = max(trial[4], 1e-3)
        r_trial = residual(trial)
        c_trial = r_trial @ r_trial + 1e-8 * np.sum((trial - start) ** 2)
        if c_trial < cost:
            done = cost - c_trial < 1e-14 * (1 + cost)
            x, r, cost = trial, r_trial, c_trial
            lam = max(lam / 3, 1e-9)
            if done:
                break
        else:
            lam *= 4
            if lam > 1e8:
                break
    return SVI(*x), cost


def density(svi, k):
    """Gatheral-Jacquier g(k) function; negative values signal butterfly arbitrage."""
    h = 1e-3
    w, wp, wm = (svi.total_variance(k + d) for d in (0.0, h, -h))
    w1, w2 = (wp - wm) / (2 * h), (wp - 2 * w + wm) / h ** 2
    return (1 - k * w1 / (2 * w)) ** 2 - 0.25 * w1 ** 2 * (1 / w + 0.25) + 0.5 * w2


def smile(prices, strikes, forward, expiry, rate=0.0):
    """Returns (implied vols, SVI parameters, rms error, at-the-money vol and skew, min g)."""
    prices, strikes = np.asarray(prices, float), np.asarray(strikes, float)
    if prices.shape != strikes.shape:
        raise ValueError(f"{prices.size} prices for {strikes.size} strikes")
    if expiry <= 0 or forward <= 0:
        raise ValueError(f"expiry and forward must be positive, got {expiry}, {forward}")
    growth = exp(rate * expiry)
    vols = np.array([implied_vol(p * growth, forward, K, expiry) for p, K in zip(prices, strikes)])
    k = np.log(strikes / forward)
    w = vols ** 2 * expiry
    start = (0.5 * w.min(), 0.1, -0.3, 0.0, 0.2)
    weights = np.exp(-0.5 * (k / 0.3) ** 2)
    svi, cost = fit_svi(k, w, np.array(start), weights)
    atm = np.sqrt(svi.total_variance(0.0) / expiry)
    slope = svi.b * (svi.rho - svi.m / np.sqrt(svi.m ** 2 + svi.s ** 2))
    skew = slope / (2 * atm * expiry)
    g = density(svi, np.linspace(-0.3, 0.3, 21))
    return vols, np.array(svi), np.sqrt(cost / len(k)), atm, skew, g.min()


ENTRY = "smile"


def make_arguments(rng, n):
    forward, expiry, rate = 100.0, 0.5, 0.01
    strikes = forward * np.exp(np.linspace(-0.25, 0.25, n))
    true = SVI(0.01, 0.08, -0.4, 0.02, 0.15)
    vols = np.sqrt(true.total_variance(np.log(strikes / forward)) / expiry) + 0.002 * rng.normal(size=n)
    prices = np.array([black_call(forward, K, v, expiry)[0] for K, v in zip(strikes, vols)]) * exp(-rate * expiry)
    return (prices, strikes, forward, expiry, rate)


GRADIENT = ("prices", "forward", "expiry")
ERRORS = [(lambda rng, n: (np.full(n, 200.0), np.full(n, 100.0), 100.0, 1.0), ValueError),
          (lambda rng, n: (np.full(n, 5.0), np.full(n, 100.0), 100.0, -1.0), ValueError)]
