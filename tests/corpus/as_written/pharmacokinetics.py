"""Two-compartment pharmacokinetics with oral absorption, repeated doses and an Emax response; log-normal likelihood.

Gabrielsson & Weiner, "Pharmacokinetic and pharmacodynamic data analysis".
"""
from typing import NamedTuple

import numpy as np


class Dose(NamedTuple):
    time: float
    amount: float
    route: str = "oral"


class Params(NamedTuple):
    ka: float
    cl: float
    v1: float
    q: float
    v2: float
    bioavailability: float = 0.8


def rates(t, state, p):
    gut, central, peripheral = state
    k10, k12, k21 = p.cl / p.v1, p.q / p.v1, p.q / p.v2
    return np.array([
        -p.ka * gut,
        p.ka * gut - (k10 + k12) * central + k21 * peripheral,
        k12 * central - k21 * peripheral,
    ])


def rk4(f, t, y, h, *args):
    k1 = f(t, y, *args)
    k2 = f(t + h / 2, y + h / 2 * k1, *args)
    k3 = f(t + h / 2, y + h / 2 * k2, *args)
    k4 = f(t + h, y + h * k3, *args)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def concentration(p, doses, times, max_step=0.25):
    """Plasma concentration at the sampling times, doses given as they fall due."""
    state = np.zeros(3)
    now = 0.0
    pending = sorted(doses, key=lambda d: d.time)
    out = []
    for t in times:
        while pending and pending[0].time <= t:
            dose = pending.pop(0)
            while now < dose.time - 1e-12:
                h = min(max_step, dose.time - now)
                state = rk4(rates, now, state, h, p)
                now += h
            if dose.route == "oral":
                state[0] += p.bioavailability * dose.amount
            elif dose.route == "iv":
                state[1] += dose.amount
            else:
                raise ValueError(f"unknown route {dose.route!r}")
        while now < t - 1e-12:
            h = min(max_step, t - now)
            state = rk4(rates, now, state, h, p)
            now += h
        out.append(state[1] / p.v1)
    return np.array(out)


def emax(c, e0, top, ec50, hill=1.0):
    return e0 + top * c**hill / (ec50**hill + c**hill)


def summary(times, c):
    k = int(np.argmax(c))
    auc = sum((t1 - t0) * (a + b) / 2 for t0, t1, a, b in zip(times, times[1:], c, c[1:]))
    tail = [(t, np.log(v)) for t, v in zip(times[k:], c[k:]) if v > 0][-3:]
    if len(tail) < 2:
        half_life = float("nan")
    else:
        ts, ys = map(np.array, zip(*tail))
        slope = np.sum((ts - ts.mean()) * (ys - ys.mean())) / np.sum((ts - ts.mean()) ** 2)
        half_life = np.log(2) / -slope
    return dict(cmax=c[k], tmax=times[k], auc=auc, half_life=half_life)


def study(log_params, doses, times, observed, sigma=0.1):
    """Negative log likelihood with log-normal error, the curve, its summary and the peak effect."""
    p = Params(*np.exp(log_params))
    if len(times) != len(observed):
        raise ValueError("one observation for each time")
    c = concentration(p, doses, times)
    residual = (np.log(observed) - np.log(np.maximum(c, 1e-9))) / sigma
    nll = 0.5 * np.sum(residual**2) + len(times) * np.log(sigma)
    return nll, c, summary(times, c), max(emax(v, 1.0, 10.0, 2.0) for v in c)


ENTRY = "study"


def make_arguments(rng, n):
    doses = [Dose(0.0, 100.0), Dose(6.0, 100.0), Dose(8.0, 50.0, "iv")]
    times = np.linspace(0.5, 12, n + 4)
    return np.log([1.2, 4.0, 20.0, 2.0, 30.0]), doses, times, 2 + rng.uniform(size=n + 4)


GRADIENT = ("log_params",)
ERRORS = [(lambda rng, n: (np.log([1.2, 4.0, 20.0, 2.0, 30.0]), [Dose(0.0, 1.0)], np.ones(n), np.ones(n + 1)),
           ValueError)]
