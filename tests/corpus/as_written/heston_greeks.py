"""Heston model, full-truncation Euler paths from given normals, call price and Greeks.

Full truncation: Lord, Koekkoek & van Dijk (2010).  Delta is pathwise, gamma and
vega are by central bumps with common random numbers (Glasserman 2003, ch. 7).
"""
import math
from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class HestonParams:
    v0: float
    kappa: float
    theta: float
    xi: float
    rho: float

    @property
    def feller(self):
        return 2.0 * self.kappa * self.theta - self.xi ** 2

    def validate(self):
        if not -1.0 < self.rho < 1.0:
            raise ValueError(f"correlation out of range: rho={self.rho}")
        for name in ("v0", "kappa", "theta", "xi"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be positive")


@dataclass(frozen=True)
class Option:
    strike: float
    maturity: float
    rate: float = 0.02

    @property
    def discount(self):
        return math.exp(-self.rate * self.maturity)


def simulate(spot, params, option, z1, z2):
    """Terminal log-spot and variance trajectories; z1, z2 are (n_steps, n_paths)."""
    n_steps, n_paths = z1.shape
    dt = option.maturity / n_steps
    sq_dt = np.sqrt(dt)
    rho_bar = np.sqrt(1.0 - params.rho ** 2)

    log_s = np.full(n_paths, np.log(spot))
    v = np.full(n_paths, params.v0)
    var_sum = np.zeros(n_paths)
    for k in range(n_steps):
        v_pos = np.maximum(v, 0.0)
        vol = np.sqrt(v_pos)
        dw_v = z1[k] * sq_dt
        dw_s = (params.rho * z1[k] + rho_bar * z2[k]) * sq_dt
        log_s += (option.rate - 0.5 * v_pos) * dt + vol * dw_s
        v = v + params.kappa * (params.theta - v_pos) * dt + params.xi * vol * dw_v
        var_sum += v_pos * dt
    return log_s, var_sum / option.maturity


def price_paths(spot, params, option, z1, z2):
    log_s, avg_var = simulate(spot, params, option, z1, z2)
    s_T = np.exp(log_s)
    payoff = np.maximum(s_T - option.strike, 0.0)
    return s_T, option.discount * payoff, avg_var


def control_variate(y, x, x_mean):
    """Regression-adjusted mean of y using x with known expectation."""
    xc = x - x.mean()
    denom = xc @ xc
    beta = (xc @ (y - y.mean())) / denom if denom > 0 else 0.0
    adj = y - beta * (x - x_mean)
    return adj.mean(), adj.std(ddof=1) / np.sqrt(len(y))


def heston_greeks(spot, params, option, normals, bump=0.01):
    """Price a European call with its standard error, delta, gamma, vega (in v0) and rho-sensitivity."""
    params.validate()
    if spot <= 0 or option.strike <= 0:
        raise ValueError(f"spot and strike must be positive, got {spot}, {option.strike}")
    if normals.ndim != 3 or normals.shape[0] != 2:
        raise ValueError(f"normals must be (2, n_steps, n_paths), got {normals.shape}")
    z1, z2 = normals
    # antithetic pairs
    z1 = np.concatenate([z1, -z1], axis=1)
    z2 = np.concatenate([z2, -z2], axis=1)

    s_T, pv, avg_var = price_paths(spot, params, option, z1, z2)
    fwd = spot / option.discount
    price, stderr = control_variate(pv, s_T, fwd)

    itm = s_T > option.strike
    delta = option.discount * np.mean(np.where(itm, s_T / spot, 0.0))

    def mean_price(s=spot, p=params):
        return price_paths(s, p, option, z1, z2)[1].mean()

    h = bump * spot
    gamma = (mean_price(s=spot + h) - 2 * mean_price() + mean_price(s=spot - h)) / h ** 2
    dv = bump * params.v0
    up, down = (replace(params, v0=params.v0 + sgn * dv) for sgn in (1, -1))
    vega_v0 = (mean_price(p=up) - mean_price(p=down)) / (2 * dv)
    return {
        "price": price,
        "stderr": stderr,
        "delta": delta,
        "gamma": gamma,
        "vega": vega_v0 * 2.0 * math.sqrt(params.v0),
        "fair_vol": np.sqrt(avg_var.mean()),
    }


ENTRY = "heston_greeks"


def make_arguments(rng, n):
    params = HestonParams(v0=0.05, kappa=1.5, theta=0.04, xi=0.4, rho=-0.6)
    option = Option(strike=98.0, maturity=0.75, rate=0.02)
    return (100.0, params, option, rng.normal(size=(2, 4 * n, 40 * n)))


GRADIENT = ("spot", "params", "option")
ERRORS = [(lambda rng, n: (100.0, HestonParams(0.04, 1.0, 0.04, 0.3, -1.5), Option(100.0, 1.0),
                           rng.normal(size=(2, n, n))), ValueError),
          (lambda rng, n: (100.0, HestonParams(0.04, 1.0, 0.04, 0.3, -0.5), Option(100.0, 1.0),
                           rng.normal(size=(n, n))), ValueError)]
