"""A conceptual rainfall-runoff model: snow, soil moisture, two reservoirs, a unit hydrograph; scores against gauges."""
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Stores:
    snow: float = 0.0
    soil: float = 50.0
    upper: float = 0.0
    lower: float = 20.0

    @property
    def total(self):
        return self.snow + self.soil + self.upper + self.lower


@dataclass(frozen=True)
class Parameters:
    tt: float
    degree_day: float
    capacity: float
    beta: float
    k0: float
    k1: float
    percolation: float
    lag: int = 3
    names: tuple = field(default=("tt", "degree_day", "capacity", "beta", "k0", "k1", "percolation"), repr=False)

    def check(self):
        bad = [name for name in self.names[1:] if getattr(self, name) <= 0]
        if bad:
            raise ValueError(f"not positive: {', '.join(bad)}")


def snow_step(stores, rain, temperature, p):
    if temperature < p.tt:
        stores.snow += rain
        return 0.0
    melt = min(p.degree_day * (temperature - p.tt), stores.snow)
    stores.snow -= melt
    return rain + melt


def soil_step(stores, water, pet, p):
    wetness = stores.soil / p.capacity
    recharge = water * min(wetness, 1.0) ** p.beta
    stores.soil += water - recharge
    if stores.soil > p.capacity:
        recharge += stores.soil - p.capacity
        stores.soil = p.capacity
    evaporation = min(pet * min(wetness / 0.7, 1.0), stores.soil)
    stores.soil -= evaporation
    return recharge, evaporation


def routing_step(stores, recharge, p):
    stores.upper += recharge
    down = min(p.percolation, stores.upper)
    stores.upper -= down
    stores.lower += down
    quick, slow = p.k0 * stores.upper, p.k1 * stores.lower
    stores.upper -= quick
    stores.lower -= slow
    return quick + slow


def unit_hydrograph(lag):
    """Triangular weights that sum to one."""
    k = np.arange(1, lag + 1)
    w = np.minimum(k, lag + 1 - k).astype(float)
    return w / w.sum()


def nash_sutcliffe(simulated, observed):
    return 1 - np.sum((simulated - observed) ** 2) / np.sum((observed - observed.mean()) ** 2)


def kling_gupta(simulated, observed):
    r = np.corrcoef(simulated, observed)[0, 1]
    alpha = simulated.std() / observed.std()
    beta = simulated.mean() / observed.mean()
    return 1 - np.sqrt((r - 1) ** 2 + (alpha - 1) ** 2 + (beta - 1) ** 2)


def simulate(rain, temperature, pet, observed, p, warm_up=2):
    """Discharge, water balance and scores."""
    p.check()
    n = len(rain)
    if not all(len(series) == n for series in (temperature, pet, observed)):
        raise ValueError("the series differ in length")
    stores = Stores(soil=0.5 * p.capacity)
    start = stores.total
    runoff, evaporated = [], 0.0
    peaks = {"flow": 0.0, "day": -1}
    for day, (r, t, e) in enumerate(zip(rain, temperature, pet)):
        water = snow_step(stores, r, t, p)
        recharge, et = soil_step(stores, water, e, p)
        evaporated += et
        q = routing_step(stores, recharge, p)
        runoff.append(q)
        if q > peaks["flow"]:
            peaks["flow"] = q
            peaks["day"] = day
    q = np.convolve(runoff, unit_hydrograph(p.lag))[:n]
    balance = rain.sum() - evaporated - sum(runoff) - (stores.total - start)
    assert abs(balance) < 1e-6 * (1 + rain.sum()), f"water balance is off by {balance}"
    late = slice(warm_up, None)
    duration = np.sort(q)[::-1]
    return {"q": q, "nse": nash_sutcliffe(q[late], observed[late]), "kge": kling_gupta(q[late], observed[late]),
            "peak": peaks["flow"], "peak_day": peaks["day"], "q95": np.interp(0.95, np.linspace(0, 1, n), duration),
            "snow_left": stores.snow}


ENTRY = "simulate"


def make_arguments(rng, n):
    days = 4 * n + 10
    rain = rng.gamma(0.6, 8.0, days)
    temperature = 5 + 8 * np.sin(np.arange(days) / 9.0) + rng.normal(size=days)
    pet = np.maximum(0.2 * temperature, 0.1)
    observed = 1.0 + np.abs(rng.normal(2.0, 1.0, days))
    return rain, temperature, pet, observed, Parameters(0.5, 3.0, 120.0, 2.0, 0.3, 0.05, 1.5)


GRADIENT = ("rain",)
ERRORS = [(lambda rng, n: (np.ones(5), np.ones(5), np.ones(4), np.ones(5), Parameters(0, 3, 100, 2, .3, .05, 1)),
           ValueError),
          (lambda rng, n: (np.ones(5), np.ones(5), np.ones(5), np.ones(5), Parameters(0, 3, -1, 2, .3, .05, 1)),
           ValueError)]
