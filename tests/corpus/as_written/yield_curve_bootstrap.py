"""Bootstrap a discount curve from deposits and swaps, then price and hedge bonds.

Hagan & West (2006): log-linear discount interpolation, swap rates solved one
pillar at a time by Newton; yields, Macaulay/modified duration and key rates.
"""
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Curve:
    """Log-linear interpolation of discount factors, flat forward beyond the end."""

    def __init__(self, times, log_df):
        self.times = np.concatenate([[0.0], times])
        self.log_df = np.concatenate([[0.0], log_df])

    def discount(self, t):
        t = np.asarray(t, dtype=float)
        k = np.clip(np.searchsorted(self.times, t) - 1, 0, len(self.times) - 2)
        t0, t1 = self.times[k], self.times[k + 1]
        w = (t - t0) / (t1 - t0)
        return np.exp((1 - w) * self.log_df[k] + w * self.log_df[k + 1])

    def zero_rate(self, t):
        return -np.log(self.discount(t)) / t

    def forward(self, t0, t1):
        return (self.discount(t0) / self.discount(t1) - 1.0) / (t1 - t0)

    def extended(self, t, log_df):
        return Curve(np.append(self.times[1:], t), np.append(self.log_df[1:], log_df))


class Quote(NamedTuple):
    kind: str           # "deposit" or "swap"
    maturity: float
    rate: float


@dataclass(frozen=True)
class Bond:
    coupon: float
    maturity: float
    face: float = 100.0
    freq: int = 2

    def cashflows(self):
        n = int(round(self.maturity * self.freq))
        t = np.arange(1, n + 1) / self.freq
        cf = np.full(n, self.coupon * self.face / self.freq)
        cf[-1] += self.face
        return t, cf


def swap_error(curve, quote):
    n = int(round(quote.maturity))
    df = curve.discount(np.arange(1, n + 1))
    return quote.rate * df.sum() - (1.0 - df[-1])


def bootstrap(quotes):
    curve = None
    for q in sorted(quotes, key=lambda q: q.maturity):
        if q.kind == "deposit":
            value = -np.log(1.0 + q.rate * q.maturity)
            curve = Curve(np.array([q.maturity]), np.array([value])) if curve is None \
                else curve.extended(q.maturity, value)
            continue
        if q.kind != "swap":
            raise ValueError(f"unknown instrument {q.kind!r}")
        x = -q.rate * q.maturity
        h = 1e-6

        def trial(z):
            if curve is None:
                return Curve(np.array([q.maturity]), np.array([z]))
            return curve.extended(q.maturity, z)

        for _ in range(30):
            f = swap_error(trial(x), q)
            slope = (swap_error(trial(x + h), q) - swap_error(trial(x - h), q)) / (2 * h)
            dx = f / slope
            x = x - dx
            if abs(dx) < 1e-13:
                break
        curve = trial(x)
    return curve


def bond_yield(bond, price, tol=1e-12):
    """Street convention yield by Newton."""
    t, cf = bond.cashflows()
    k = t * bond.freq
    y = bond.coupon
    for _ in range(50):
        df = (1 + y / bond.freq) ** -k
        f = cf @ df - price
        df_dy = -np.sum(cf * k * df) / (bond.freq + y)
        step = f / df_dy
        y = y - step
        if abs(step) < tol:
            break
    return y


def durations(bond, y):
    t, cf = bond.cashflows()
    pv = cf * (1 + y / bond.freq) ** (-t * bond.freq)
    price = pv.sum()
    mac = (t @ pv) / price
    mod = mac / (1 + y / bond.freq)
    conv = np.sum(pv * t * (t + 1.0 / bond.freq)) / price / (1 + y / bond.freq) ** 2
    return mac, mod, conv


def analyse_portfolio(quotes, bonds, notionals, bump=1e-4):
    """Returns portfolio value, per-bond measures, key-rate DV01s and zero rates."""
    maturities = [q.maturity for q in quotes]
    if len(set(maturities)) != len(maturities):
        raise ValueError("duplicate maturities among the quotes")
    if any(m <= 0 for m in maturities):
        raise ValueError("maturities must be positive")
    if len(bonds) != len(notionals):
        raise ValueError(f"{len(bonds)} bonds, {len(notionals)} notionals")

    def value(curve):
        total = 0.0
        for bond, amount in zip(bonds, notionals):
            t, cf = bond.cashflows()
            total += amount * (cf @ curve.discount(t)) / bond.face
        return total

    curve = bootstrap(quotes)
    pv = value(curve)
    key_rates = []
    for i, q in enumerate(quotes):
        shifted = [r._replace(rate=r.rate + bump) if j == i else r for j, r in enumerate(quotes)]
        key_rates.append(value(bootstrap(shifted)) - pv)
    rows = []
    for bond in bonds:
        t, cf = bond.cashflows()
        price = cf @ curve.discount(t)
        y = bond_yield(bond, price)
        rows.append((price, y, *durations(bond, y)))
    return {"value": pv,
            "measures": np.array(rows),
            "key_rate_dv01": np.array(key_rates),
            "zeros": np.array([curve.zero_rate(m) for m in maturities]),
            "forward_1y1y": float(curve.forward(1.0, 2.0))}


ENTRY = "analyse_portfolio"


def make_arguments(rng, n):
    quotes = [Quote("deposit", 0.25, 0.02), Quote("deposit", 0.5, 0.022)]
    quotes += [Quote("swap", float(m), 0.025 + 0.001 * m + 0.0005 * rng.normal()) for m in range(1, n + 1)]
    bonds = [Bond(coupon=0.01 * k, maturity=float(min(k, n))) for k in (1, 3, 5)]
    return (quotes, bonds, rng.uniform(50, 150, size=3))


GRADIENT = ("quotes", "bonds", "notionals")   # rates and coupons; maturities act through int(round(.)) too
ERRORS = [(lambda rng, n: ([Quote("swap", 1.0, 0.02), Quote("swap", 1.0, 0.03)], [], []), ValueError),
          (lambda rng, n: ([Quote("future", 1.0, 0.02)], [], []), ValueError)]
