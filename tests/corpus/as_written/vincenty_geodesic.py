"""Geodesy: Vincenty's inverse and direct problems on an ellipsoid, UTM projection, area of a polygon, track length.

Vincenty, Survey Review 23 (1975); Krueger series to third order for the projection.
"""
import math
from math import atan, atan2, cos, radians, sin, sqrt, tan
from typing import NamedTuple

import numpy as np


class Ellipsoid(NamedTuple):
    a: float
    f: float

    @property
    def b(self):
        return self.a * (1 - self.f)


WGS84 = Ellipsoid(6378137.0, 1 / 298.257223563)
ELLIPSOIDS = {"wgs84": WGS84, "grs80": Ellipsoid(6378137.0, 1 / 298.257222101), "sphere": Ellipsoid(6371000.0, 0.0)}


class NoConvergence(ArithmeticError):
    pass


def inverse(lat1, lon1, lat2, lon2, ell=WGS84, tol=1e-12, max_iter=200):
    """Distance and initial bearing."""
    a, f, b = ell.a, ell.f, ell.b
    U1, U2 = atan((1 - f) * tan(radians(lat1))), atan((1 - f) * tan(radians(lat2)))
    L = radians(lon2 - lon1)
    lam = L
    for _ in range(max_iter):
        s, c = sin(lam), cos(lam)
        sin_sigma = sqrt((cos(U2) * s) ** 2 + (cos(U1) * sin(U2) - sin(U1) * cos(U2) * c) ** 2)
        if sin_sigma == 0:
            return 0.0, 0.0
        cos_sigma = sin(U1) * sin(U2) + cos(U1) * cos(U2) * c
        sigma = atan2(sin_sigma, cos_sigma)
        sin_alpha = cos(U1) * cos(U2) * s / sin_sigma
        cos2_alpha = 1 - sin_alpha**2
        try:
            cos_2sm = cos_sigma - 2 * sin(U1) * sin(U2) / cos2_alpha
        except ZeroDivisionError:
            cos_2sm = 0.0
        C = f / 16 * cos2_alpha * (4 + f * (4 - 3 * cos2_alpha))
        previous = lam
        lam = L + (1 - C) * f * sin_alpha * (sigma + C * sin_sigma * (cos_2sm + C * cos_sigma * (2 * cos_2sm**2 - 1)))
        if abs(lam - previous) < tol:
            break
    else:
        raise NoConvergence("nearly antipodal points")
    u2 = cos2_alpha * (a * a - b * b) / (b * b)
    A = 1 + u2 / 16384 * (4096 + u2 * (-768 + u2 * (320 - 175 * u2)))
    B = u2 / 1024 * (256 + u2 * (-128 + u2 * (74 - 47 * u2)))
    d_sigma = B * sin_sigma * (cos_2sm + B / 4 * (cos_sigma * (2 * cos_2sm**2 - 1)
              - B / 6 * cos_2sm * (4 * sin_sigma**2 - 3) * (4 * cos_2sm**2 - 3)))
    bearing = atan2(cos(U2) * sin(lam), cos(U1) * sin(U2) - sin(U1) * cos(U2) * cos(lam))
    return b * A * (sigma - d_sigma), math.degrees(bearing) % 360


def utm(lat, lon, ell=WGS84):
    """Zone, easting and northing."""
    zone = int((lon + 180) // 6) + 1
    lon0 = radians((zone - 1) * 6 - 177)
    n = ell.f / (2 - ell.f)
    A = ell.a / (1 + n) * (1 + n**2 / 4 + n**4 / 64)
    alpha = (n / 2 - 2 * n**2 / 3 + 5 * n**3 / 16, 13 * n**2 / 48 - 3 * n**3 / 5, 61 * n**3 / 240)
    phi, lam = radians(lat), radians(lon) - lon0
    e = 2 * sqrt(n) / (1 + n)
    t = math.sinh(math.atanh(sin(phi)) - e * math.atanh(e * sin(phi)))
    xi, eta = atan2(t, cos(lam)), math.asinh(sin(lam) / math.hypot(t, cos(lam)))
    east = eta + sum(aj * cos(2 * j * xi) * math.sinh(2 * j * eta) for j, aj in enumerate(alpha, 1))
    north = xi + sum(aj * sin(2 * j * xi) * math.cosh(2 * j * eta) for j, aj in enumerate(alpha, start=1))
    return zone, 500e3 + 0.9996 * A * east, 0.9996 * A * north + (0 if lat >= 0 else 1e7)


def shoelace(points):
    return 0.5 * abs(sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1])))


def survey(track, datum="wgs84"):
    """Length of a track, its bearings, the UTM coordinates, the area it encloses and its bounding box."""
    try:
        ell = ELLIPSOIDS[datum]
    except KeyError:
        raise ValueError(f"unknown datum {datum}") from None
    total, bearings = 0.0, []
    for (lat1, lon1), (lat2, lon2) in zip(track[:-1], track[1:]):
        d, b = inverse(lat1, lon1, lat2, lon2, ell)
        total += d
        bearings.append(b)
    zone0, *_ = utm(*track[0], ell)
    xy = []
    for lat, lon in track:
        zone, x, y = utm(lat, lon, ell)
        if zone != zone0:
            raise ValueError("track crosses zones")
        xy.append((x, y))
    xs, ys = zip(*xy)
    return total, np.array(bearings), shoelace(xy), (min(xs), min(ys), max(xs), max(ys)), zone0


ENTRY = "survey"


def make_arguments(rng, n):
    return (np.array([48.0, 11.0]) + 0.2 * rng.uniform(size=(n + 1, 2)),)


GRADIENT = ("track",)
ERRORS = [(lambda rng, n: (np.array([[0.0, 1.0], [0.0, 50.0]]),), ValueError),
          (lambda rng, n: (np.ones((3, 2)), "bessel"), ValueError),
          (lambda rng, n: (np.array([[0.0, 0.0], [0.5, 179.7]]),), NoConvergence)]
