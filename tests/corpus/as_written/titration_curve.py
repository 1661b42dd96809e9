"""Titration of a mixture of polyprotic acids with strong base, with activity corrections.

Charge balance solved for pH by bisection then Newton; Davies equation for the
activity coefficients; equivalence points from the Gran and derivative methods
(Harris, *Quantitative Chemical Analysis*, ch. 11; Stumm & Morgan ch. 3).
"""
from dataclasses import dataclass
from typing import List, NamedTuple, Tuple

import numpy as np

LN10 = np.log(10.0)
PKW = 14.0
DAVIES_A = 0.509


@dataclass(frozen=True)
class Acid:
    name: str
    conc: float                 # mol/L in the sample
    pka: Tuple[float, ...]
    charge: int = 0             # of the fully protonated form

    @property
    def n_protons(self):
        return len(self.pka)

    def fractions(self, pH, activity):
        """Alpha values of H_nA ... A; `activity(z)` gives log10 gamma."""
        logs = [0.0]
        for i, pk in enumerate(self.pka):
            z = self.charge - i
            effective = pk + activity(z - 1) - activity(z)      # conditional pKa on the H+ activity scale
            logs.append(logs[-1] + pH - effective)
        logs = np.array(logs)
        top = logs.max()
        w = 10.0 ** (logs - top)
        return w / w.sum()

    def charges(self):
        return self.charge - np.arange(self.n_protons + 1)


class Point(NamedTuple):
    volume: float
    pH: float
    ionic: float
    buffer: float


def davies(ionic):
    root = np.sqrt(ionic)
    core = root / (1.0 + root) - 0.3 * ionic
    return lambda z: -DAVIES_A * z * z * core


def charge_balance(pH, acids, dilution, sodium, ionic):
    """Net charge (mol/L) and its derivative with respect to pH."""
    activity = davies(ionic)
    h = 10.0 ** (-pH - activity(1))
    oh = 10.0 ** (pH - PKW - activity(-1))
    net = h - oh + sodium
    slope = -LN10 * (h + oh)
    for acid in acids:
        a = acid.fractions(pH, activity)
        z = acid.charges()
        mean = a @ z
        c = acid.conc * dilution
        # spectator anions balance a cationic acid (chloride)
        net += c * (mean - acid.charge)
        slope -= LN10 * c * (a @ z ** 2 - mean ** 2)
    return net, slope


def solve_ph(acids, dilution, sodium, ionic, guess=None, tol=1e-12):
    if guess is None:
        lo, hi = -1.0, 15.0
        while hi - lo > 1e-4:
            mid = 0.5 * (lo + hi)
            if charge_balance(mid, acids, dilution, sodium, ionic)[0] > 0:
                lo = mid
            else:
                hi = mid
        guess = 0.5 * (lo + hi)
    pH = guess
    for _ in range(20):
        net, slope = charge_balance(pH, acids, dilution, sodium, ionic)
        step = net / slope
        pH = pH - step
        if abs(step) < tol:
            break
    return pH, -slope


def ionic_strength(pH, acids, dilution, sodium, ionic):
    activity = davies(ionic)
    total = 10.0 ** (-pH) + 10.0 ** (pH - PKW) + sodium
    for acid in acids:
        c = acid.conc * dilution
        z = acid.charges()
        total += c * (acid.fractions(pH, activity) @ z ** 2) + c * abs(acid.charge)
    return 0.5 * total


def equilibrium(acids, v0, v, base_conc, n_outer=15):
    dilution = v0 / (v0 + v)
    sodium = base_conc * v / (v0 + v)
    ionic, pH = 1e-4, None
    for _ in range(n_outer):
        pH, buffer = solve_ph(acids, dilution, sodium, ionic, guess=pH)
        new = ionic_strength(pH, acids, dilution, sodium, ionic)
        if abs(new - ionic) < 1e-13:
            break
        ionic = new
    return Point(v, pH, ionic, buffer)


def equivalence_points(v, pH):
    """Local maxima of dpH/dV, refined by a parabola through three points."""
    d = np.diff(pH) / np.diff(v)
    mid = 0.5 * (v[1:] + v[:-1])
    found = []
    for i in range(1, len(d) - 1):
        if d[i] > d[i - 1] and d[i] >= d[i + 1]:
            curve = d[i - 1] - 2 * d[i] + d[i + 1]
            shift = 0.5 * (d[i - 1] - d[i + 1]) / curve if curve != 0 else 0.0
            found.append(mid[i] + shift * (mid[i + 1] - mid[i]))
    return np.array(found)


def titrate(acids: List[Acid], v0, base_conc, volumes, observed=None):
    """Model curve and, when pH readings are given, the misfit (first result) and residuals."""
    if not acids:
        raise ValueError("nothing to titrate")
    for acid in acids:
        if list(acid.pka) != sorted(acid.pka):
            raise ValueError(f"pKa values of {acid.name} must increase: {acid.pka}")
        if acid.conc < 0:
            raise ValueError(f"negative concentration for {acid.name}")
    if v0 <= 0 or base_conc <= 0:
        raise ValueError(f"volumes and concentrations must be positive: v0={v0}, base={base_conc}")

    points = [equilibrium(acids, v0, float(v), base_conc) for v in volumes]
    v, pH, ionic, buffer = (np.array(col) for col in zip(*points))
    if observed is None:
        observed = np.full(len(v), 7.0)
    resid = pH - observed
    theory = np.cumsum([a.conc * v0 / base_conc * a.n_protons for a in acids])
    excess = (v0 + v) * 10.0 ** (pH - PKW)          # Gran function
    return {"misfit": np.sqrt(np.mean(resid ** 2)),
            "pH": pH,
            "ionic": ionic,
            "buffer": buffer,
            "equivalence": equivalence_points(v, pH),
            "stoichiometric": theory,
            "gran": excess}


ENTRY = "titrate"


def make_arguments(rng, n):
    acids = [Acid("acetic", 0.05, (4.757,)), Acid("phosphoric", 0.02, (2.148, 7.199, 12.35)),
             Acid("ammonium", 0.03, (9.246,), charge=1)]
    volumes = np.linspace(0.5, 60.0, 3 * n)
    observed = 3.0 + 9.0 * volumes / 60.0 + 0.05 * rng.normal(size=3 * n)
    return (acids[:1 + n % 3], 50.0, 0.1, volumes, observed)


GRADIENT = ("acids", "v0", "base_conc", "observed")
ERRORS = [(lambda rng, n: ([], 50.0, 0.1, np.ones(n)), ValueError),
          (lambda rng, n: ([Acid("bad", 0.1, (7.0, 2.0))], 50.0, 0.1, np.ones(n)), ValueError)]
