"""American option on a recombining binomial tree with discrete dividends.

Cox-Ross-Rubinstein (1979) and Leisen-Reimer (1996) lattices; escrowed-dividend
adjustment; Greeks from the first nodes of the tree (Hull, ch. 21).
"""
import math
from dataclasses import dataclass
from typing import Tuple

import numpy as np


@dataclass(frozen=True)
class Contract:
    strike: float
    maturity: float
    kind: str = "put"
    american: bool = True

    def payoff(self, s):
        sign = 1.0 if self.kind == "call" else -1.0
        return np.maximum(sign * (s - self.strike), 0.0)


@dataclass(frozen=True)
class Market:
    spot: float
    rate: float
    vol: float
    dividends: Tuple[Tuple[float, float], ...] = ()     # (time, cash amount)

    def pv_dividends(self, t, maturity):
        """Value at time t of dividends still to come before maturity."""
        return sum(c * math.exp(-self.rate * (td - t)) for td, c in self.dividends if t < td <= maturity)


def peizer_pratt(z, n):
    """Inversion used by Leisen and Reimer."""
    a = z / (n + 1.0 / 3.0 + 0.1 / (n + 1.0))
    root = math.sqrt(0.25 - 0.25 * math.exp(-a * a * (n + 1.0 / 6.0)))
    return 0.5 + math.copysign(root, z)


def crr_factors(market, dt):
    up = math.exp(market.vol * math.sqrt(dt))
    down = 1.0 / up
    p = (math.exp(market.rate * dt) - down) / (up - down)
    return up, down, p


def lr_factors(market, base, contract, n):
    T = contract.maturity
    dt = T / n
    sd = market.vol * math.sqrt(T)
    d1 = (math.log(base / contract.strike) + (market.rate + 0.5 * market.vol ** 2) * T) / sd
    d2 = d1 - sd
    p, p_star = peizer_pratt(d2, n), peizer_pratt(d1, n)
    growth = math.exp(market.rate * dt)
    up = growth * p_star / p
    down = growth * (1 - p_star) / (1 - p)
    return up, down, p


def roll_back(base, factors, contract, market, n):
    """Backward induction; keeps values at steps 0, 1, 2 and the exercise boundary."""
    up, down, p = factors
    dt = contract.maturity / n
    disc = math.exp(-market.rate * dt)

    def stock(step):
        j = np.arange(step + 1)
        pure = base * up ** j * down ** (step - j)
        return pure + market.pv_dividends(step * dt, contract.maturity)

    values = contract.payoff(stock(n))
    early = {}
    boundary = []
    for step in range(n - 1, -1, -1):
        values = disc * (p * values[1:] + (1 - p) * values[:-1])
        if contract.american:
            s = stock(step)
            exercise = contract.payoff(s)
            hit = (exercise > values) & (exercise > 0)
            if hit.any():
                boundary.append(s[hit].max() if contract.kind == "put" else s[hit].min())
            values = np.where(hit, exercise, values)
        if step <= 2:
            early[step] = (stock(step), values)
    return early, boundary[::-1]


def american_option(market, contract, n_steps=50, method="crr"):
    """Price and Greeks; returns dict(price, delta, gamma, theta, premium, first_boundary)."""
    if contract.kind not in ("put", "call"):
        raise ValueError(f"kind must be 'put' or 'call', not {contract.kind!r}")
    if market.vol <= 0 or contract.maturity <= 0:
        raise ValueError(f"vol and maturity must be positive: {market.vol}, {contract.maturity}")
    n_steps = max(n_steps, 3)
    if method == "lr" and n_steps % 2 == 0:
        n_steps += 1
    base = market.spot - market.pv_dividends(0.0, contract.maturity)
    if base <= 0:
        raise ValueError("dividends exceed the spot price")

    if method == "crr":
        factors = crr_factors(market, contract.maturity / n_steps)
    elif method == "lr":
        factors = lr_factors(market, base, contract, n_steps)
    else:
        raise ValueError(f"unknown lattice {method!r}")
    if not 0.0 < factors[2] < 1.0:
        raise ValueError(f"risk-neutral probability {factors[2]:.4f} outside (0, 1)")

    early, boundary = roll_back(base, factors, contract, market, n_steps)
    price = early[0][1][0]
    s1, v1 = early[1]
    delta = (v1[1] - v1[0]) / (s1[1] - s1[0])
    s2, v2 = early[2]
    d_up = (v2[2] - v2[1]) / (s2[2] - s2[1])
    d_dn = (v2[1] - v2[0]) / (s2[1] - s2[0])
    gamma = (d_up - d_dn) / (0.5 * (s2[2] - s2[0]))
    theta = (v2[1] - price) / (2 * contract.maturity / n_steps)

    european = Contract(contract.strike, contract.maturity, contract.kind, american=False)
    euro, _ = roll_back(base, factors, european, market, n_steps)
    return {"price": price, "delta": delta, "gamma": gamma, "theta": theta,
            "premium": price - euro[0][1][0],
            "first_boundary": boundary[0] if boundary else 0.0}


ENTRY = "american_option"


def make_arguments(rng, n):
    market = Market(spot=100.0 + rng.normal(), rate=0.04, vol=0.25, dividends=((0.31, 1.5), (0.83, 1.0)))
    return (market, Contract(strike=103.0, maturity=1.0), 8 * n, "lr" if n % 2 else "crr")


GRADIENT = ("market", "contract")
ERRORS = [(lambda rng, n: (Market(100.0, 0.03, 0.2), Contract(100.0, 1.0, "straddle")), ValueError),
          (lambda rng, n: (Market(100.0, 0.03, -0.2), Contract(100.0, 1.0)), ValueError)]
