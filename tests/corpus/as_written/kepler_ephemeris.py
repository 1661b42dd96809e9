"""Ephemerides of small bodies: Kepler's equation, light time, perturbed elements, residuals of an orbit fit.

Elements are heliocentric; angles in radians, lengths in au, times in days.
"""
import math
from dataclasses import dataclass

import numpy as np

GM_SUN = 0.01720209895 ** 2
LIGHT_DAY_PER_AU = 0.0057755183
TWO_PI = 2.0 * math.pi


class NotConverged(ValueError):
    pass


@dataclass(frozen=True)
class Elements:
    a: float
    e: float
    i: float
    node: float
    peri: float
    m0: float
    epoch: float

    def __post_init__(self):
        if not 0 <= self.e < 1:
            raise ValueError(f"eccentricity {self.e} is not that of an ellipse")
        if self.a <= 0:
            raise ValueError(f"semi-major axis must be positive, got {self.a}")

    @property
    def motion(self):
        return math.sqrt(GM_SUN / self.a ** 3)

    def anomaly(self, t):
        return (self.m0 + self.motion * (t - self.epoch)) % TWO_PI


def solve_kepler(mean, e, tol=1e-12, max_iter=50):
    E = mean + e * math.sin(mean) if e < 0.8 else math.pi
    for _ in range(max_iter):
        f = E - e * math.sin(E) - mean
        step = f / (1 - e * math.cos(E))
        E -= step
        if abs(step) < tol:
            return E
    raise NotConverged(f"M={mean:.6f}, e={e:.6f}")


def rotation(angle, axis):
    c, s = math.cos(angle), math.sin(angle)
    if axis == "z":
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    elif axis == "x":
        return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    raise ValueError(f"unknown axis {axis!r}")


def heliocentric(el, t):
    E = solve_kepler(el.anomaly(t), el.e)
    in_plane = np.array([el.a * (math.cos(E) - el.e), el.a * math.sqrt(1 - el.e ** 2) * math.sin(E), 0.0])
    R = rotation(el.node, "z") @ rotation(el.i, "x") @ rotation(el.peri, "z")
    return R @ in_plane


def earth_at(t):
    """A circular Earth is good enough here."""
    angle = TWO_PI * t / 365.25
    return np.array([np.cos(angle), np.sin(angle), 0.0])


def observe(el, t):
    """Right ascension, declination and distance, corrected for light time."""
    earth = earth_at(t)
    tau = 0.0
    for _ in range(3):
        rho = heliocentric(el, t - tau) - earth
        distance = np.linalg.norm(rho)
        tau = distance * LIGHT_DAY_PER_AU
    x, y, z = rho
    ra = np.arctan2(y, x) % TWO_PI
    dec = np.arcsin(z / distance)
    return ra, dec, distance


def wrap(angle):
    return (angle + np.pi) % TWO_PI - np.pi


def fit_quality(el, times, ra_obs, dec_obs, sigma=1e-5, reject=None):
    """Chi square, rms and the ephemeris; outliers beyond `reject` sigma are left out."""
    if not (len(times) == len(ra_obs) == len(dec_obs)):
        raise ValueError("times and observations differ in length")
    ephemeris = []
    residuals = np.empty((len(times), 2))
    for k, t in enumerate(times):
        ra, dec, dist = observe(el, t)
        ephemeris.append((ra, dec, dist))
        residuals[k] = wrap(ra_obs[k] - ra) * np.cos(dec), dec_obs[k] - dec
    scaled = np.hypot(*residuals.T) / sigma
    used = scaled <= reject if reject is not None else np.ones(len(times), dtype=bool)
    if not used.any():
        raise ValueError("every observation was rejected")
    chi2 = (scaled[used] ** 2).sum()
    dof = max(2 * int(used.sum()) - 6, 1)
    ra, dec, dist = (np.array(c) for c in zip(*ephemeris))
    nearest = min(ephemeris, key=lambda row: row[2])
    return {"chi2": chi2 / dof, "rms": np.sqrt(np.mean(residuals[used] ** 2)), "n_used": used.sum(),
            "closest": nearest[2], "ephemeris": np.column_stack([ra, dec, dist])}


ENTRY = "fit_quality"


def make_arguments(rng, n):
    el = Elements(2.2 + 0.1 * rng.random(), 0.2, 0.15, 1.1, 0.7, 0.3, 10.0)
    times = np.sort(rng.uniform(0, 200, n + 4))
    rows = np.array([observe(el, t)[:2] for t in times])
    noise = 1e-5 * rng.normal(size=(n + 4, 2))
    return el, times, rows[:, 0] + noise[:, 0], rows[:, 1] + noise[:, 1], 1e-5, 30.0


GRADIENT = ("times",)
ERRORS = [(lambda rng, n: (Elements(2.0, 0.1, 0.1, 1.0, 1.0, 0.0, 0.0), np.arange(4.0), np.zeros(3), np.zeros(4)),
           ValueError),
          (lambda rng, n: (Elements(2.0, 0.1, 0.1, 1.0, 1.0, 0.0, 0.0), np.arange(4.0), np.zeros(4), np.zeros(4),
                           1e-5, 0.0), ValueError)]
