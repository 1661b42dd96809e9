"""Synthetic CDO under the one-factor Gaussian copula: Merton default probabilities, loss recursion, tranche spreads.

Li (2000); Andersen, Sidenius & Basu (2003) recursion; Merton (1974) for single names.
"""
import math
from dataclasses import dataclass

import numpy as np


def norm_cdf(x):
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def norm_ppf(p):
    """Inverse by bisection then Newton; enough for a desk."""
    if not 0.0 < p < 1.0:
        raise ValueError(f"probability {p} out of (0, 1)")
    lo, hi = -10.0, 10.0
    for _ in range(20):
        mid = 0.5 * (lo + hi)
        if norm_cdf(mid) < p:
            lo = mid
        else:
            hi = mid
    x = 0.5 * (lo + hi)
    for _ in range(4):
        x -= (norm_cdf(x) - p) / (math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi))
    return x


@dataclass(frozen=True)
class Firm:
    assets: float
    debt: float
    volatility: float
    drift: float = 0.02

    def default_probability(self, t):
        d = (math.log(self.assets / self.debt) + (self.drift - 0.5 * self.volatility**2) * t)
        return norm_cdf(-d / (self.volatility * math.sqrt(t)))


@dataclass
class Tranche:
    attach: float
    detach: float
    name: str = "tranche"

    def __post_init__(self):
        if self.attach >= self.detach:
            raise ValueError(f"{self.name}: {self.attach} .. {self.detach}")

    @property
    def width(self):
        return self.detach - self.attach

    def loss(self, portfolio_loss):
        return min(max(portfolio_loss - self.attach, 0.0), self.width) / self.width


def loss_distribution(conditional):
    """Probabilities of 0, 1, ... n defaults of independent names."""
    dist = [1.0]
    for q in conditional:
        grown = [0.0] * (len(dist) + 1)
        for k, mass in enumerate(dist):
            grown[k] += mass * (1.0 - q)
            grown[k + 1] += mass * q
        dist = grown
    return dist


class GaussianCopula:
    def __init__(self, rho, nodes=15):
        self.rho = rho
        x, w = np.polynomial.hermite.hermgauss(nodes)
        self.factors = [(math.sqrt(2.0) * xi, wi / math.sqrt(math.pi)) for xi, wi in zip(x, w)]

    def conditional(self, threshold, factor):
        return norm_cdf((threshold - math.sqrt(self.rho) * factor) / math.sqrt(1.0 - self.rho))

    def expected(self, thresholds, payoff):
        """E[payoff(number of defaults)], integrated over the common factor."""
        total = 0.0
        for factor, weight in self.factors:
            dist = loss_distribution(self.conditional(c, factor) for c in thresholds)
            total += weight * sum(mass * payoff(k) for k, mass in enumerate(dist))
        return total


def tranche_spread(copula, tranche, firms, times, recovery, rate):
    """Par spread: value of the default leg over that of a unit premium leg."""
    n = len(firms)
    default_leg = premium_leg = 0.0
    previous_loss, previous_time = 0.0, 0.0
    for t in times:
        thresholds = [norm_ppf(f.default_probability(t)) for f in firms]
        lost = copula.expected(thresholds, lambda k: tranche.loss((1.0 - recovery) * k / n))
        discount = math.exp(-rate * t)
        default_leg += discount * (lost - previous_loss)
        premium_leg += discount * (t - previous_time) * (1.0 - 0.5 * (lost + previous_loss))
        previous_loss, previous_time = lost, t
    return default_leg / premium_leg


def price(assets, debts, vols, rho, recovery=0.4, rate=0.03, maturity=3):
    """Spreads of equity, mezzanine and senior in basis points, their sum, and single-name default probabilities."""
    if not 0.0 <= rho < 1.0:
        raise ValueError(f"correlation {rho}")
    firms = [Firm(a, d, v) for a, d, v in zip(assets, debts, vols)]
    copula = GaussianCopula(rho)
    times = [float(t) for t in range(1, maturity + 1)]
    tranches = [Tranche(0.0, 0.2, "equity"), Tranche(0.2, 0.4, "mezzanine"), Tranche(0.4, 0.6, name="senior")]
    spreads = {}
    for tranche in tranches:
        spreads[tranche.name] = 1e4 * tranche_spread(copula, tranche, firms, times, recovery, rate)
    single = np.array([f.default_probability(times[-1]) for f in firms])
    return sum(spreads.values()), spreads, single


ENTRY = "price"


def make_arguments(rng, n):
    return (rng.uniform(120.0, 160.0, n), rng.uniform(80.0, 100.0, n), rng.uniform(0.2, 0.35, n),
            float(rng.uniform(0.1, 0.4)))


GRADIENT = ("assets", "rho")
ERRORS = [(lambda rng, n: (np.full(n, 120.0), np.full(n, 90.0), np.full(n, 0.2), 1.5), ValueError),
          (lambda rng, n: (np.full(n, 120.0), np.full(n, -1.0), np.full(n, 0.2), 0.2), ValueError)]
