"""Case study: a climate model with one dimension, from pole to pole, and ice that feeds back."""

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Planet:
    """Annual mean balance of sunlight, heat loss and transport (North, 1975), and a mixed layer that stores heat."""

    sunlight: float  # W / m2, a quarter of the solar constant
    loss: float  # W / m2 lost at 0 degrees
    loss_slope: float  # W / m2 more for each degree
    transport: float  # W / m2 / K
    heat_capacity: float  # W year / m2 / K
    tilt: float  # radians


def _albedo(temperature, latitude_sine):
    """Share of sunlight that is reflected: ice below -10 degrees, with a smooth edge; clouds towards the poles."""
    ice = 0.5 - 0.5 * math.tanh((temperature + 10.0) / 2.0)
    ground = 0.3 + 0.08 * 0.5 * (3.0 * latitude_sine**2 - 1.0)
    return ice * 0.62 + (1.0 - ice) * ground


def _daily_sunlight(latitude_sine, declination):
    """Share of the overhead sun that a latitude gets over a day; polar night and polar day are cases of their own."""
    latitude = math.asin(latitude_sine)
    cosine = -math.tan(latitude) * math.tan(declination)
    if cosine >= 1.0:
        return 0.0
    if cosine <= -1.0:
        return math.sin(latitude) * math.sin(declination)
    half_day = math.acos(cosine)
    level = half_day * math.sin(latitude) * math.sin(declination)
    return (level + math.cos(latitude) * math.cos(declination) * math.sin(half_day)) / math.pi


def run_climate(temperature, planet, n_years=2, steps_per_year=8):
    """Step the temperature of bands of equal area through seasons and years.

    Sunlight and albedo are taken at the start of a step, heat loss and transport at its end: a tridiagonal system.
    The result holds the last temperatures, the mean of each year, the sine of latitude of the northern ice edge, and
    the imbalance of the last year in W / m2.
    """
    n_bands = len(temperature)
    width = 2.0 / n_bands
    dt = 1.0 / steps_per_year

    # Bands are equal in the sine of latitude, hence in area; transport acts on the edges between them.
    centres = np.empty(n_bands)
    edge_transport = np.zeros(n_bands + 1)
    for band in range(n_bands):
        centres[band] = -1.0 + (band + 0.5) * width
        edge = -1.0 + band * width
        if band > 0:
            edge_transport[band] = planet.transport * (1.0 - edge * edge) / width**2

    current = temperature.copy()
    yearly_means = np.zeros(n_years)
    imbalance = 0.0

    for year in range(n_years):
        imbalance = 0.0
        for season in range(steps_per_year):
            declination = planet.tilt * math.sin(2.0 * math.pi * (season + 0.5) / steps_per_year)

            # What comes in: sunlight less what is reflected.
            absorbed = np.zeros(n_bands)
            for band in range(n_bands):
                share = 4.0 * _daily_sunlight(centres[band], declination)
                reflected = _albedo(current[band], centres[band])
                absorbed[band] = planet.sunlight * share * (1.0 - reflected)

            # The implicit step, eliminated from the south pole to the north.
            factor = np.zeros(n_bands)
            following = np.zeros(n_bands)
            for band in range(n_bands):
                south, north = edge_transport[band], edge_transport[band + 1]
                storage = planet.heat_capacity / dt
                diagonal = storage + planet.loss_slope + south + north
                right = storage * current[band] + absorbed[band] - planet.loss
                if band > 0:
                    diagonal -= south * factor[band - 1]
                    right += south * following[band - 1]
                factor[band] = north / diagonal
                following[band] = right / diagonal
            for band in range(n_bands - 2, -1, -1):
                following[band] += factor[band] * following[band + 1]

            emitted = planet.loss + planet.loss_slope * following
            imbalance += dt * np.mean(absorbed - emitted)
            yearly_means[year] += dt * np.mean(following)
            current = following

    # The ice edge: the first crossing of -10 degrees, from the north pole to the equator.
    ice_edge = 1.0
    for band in range(n_bands - 1, 0, -1):
        if current[band] < -10.0 <= current[band - 1]:
            fraction = (-10.0 - current[band - 1]) / (current[band] - current[band - 1])
            ice_edge = centres[band - 1] + fraction * width
            break
    else:
        if current[-1] < -10.0:
            ice_edge = -1.0

    return {"temperature": current, "means": yearly_means, "ice_edge": ice_edge, "imbalance": imbalance}


def _present(rng, n):
    sine = -1.0 + (2.0 * np.arange(n) + 1.0) / n
    planet = Planet(
        sunlight=342.0, loss=203.0, loss_slope=2.1, transport=0.6, heat_capacity=4.0, tilt=math.radians(23.4)
    )
    return 28.0 - 48.0 * sine**2 + rng.standard_normal(n), planet


ARGUMENTS = {"run_climate": _present}

NO_GRADIENT = {}
