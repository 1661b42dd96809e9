"""Photovoltaic yield of a tilted panel: NOAA solar position, clear-sky irradiance, isotropic sky, cell temperature.

Spencer (1971) Fourier series; Kasten & Young (1989) air mass; Liu & Jordan sky; NOCT temperature model.
"""
import math
from typing import NamedTuple

import numpy as np

SOLAR_CONSTANT = 1361.0
DAYS_IN_MONTH = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class Site(NamedTuple):
    latitude: float
    longitude: float
    albedo: float = 0.2


class Panel(NamedTuple):
    tilt: float
    azimuth: float
    area: float = 1.7
    efficiency: float = 0.21
    temp_coeff: float = -0.0035
    noct: float = 45.0


def day_of_year(month, day):
    if not 1 <= month <= 12:
        raise ValueError("month must be 1..12")
    return sum(DAYS_IN_MONTH[: month - 1]) + day


def equation_of_time_and_declination(doy):
    b = 2 * math.pi * (doy - 1) / 365
    eot = 229.18 * (7.5e-5 + 1.868e-3 * math.cos(b) - 3.2077e-2 * math.sin(b)
                    - 1.4615e-2 * math.cos(2 * b) - 4.0849e-2 * math.sin(2 * b))
    decl = (6.918e-3 - 0.399912 * math.cos(b) + 7.0257e-2 * math.sin(b) - 6.758e-3 * math.cos(2 * b)
            + 9.07e-4 * math.sin(2 * b) - 2.697e-3 * math.cos(3 * b) + 1.48e-3 * math.sin(3 * b))
    return eot, decl


def sun(site, doy, hours):
    """Zenith and azimuth (radians) for UTC hours of a day."""
    eot, decl = equation_of_time_and_declination(doy)
    solar_time = hours + (eot + 4 * site.longitude) / 60
    omega = np.radians(15 * (solar_time - 12))
    phi = np.radians(site.latitude)
    cos_z = np.sin(phi) * np.sin(decl) + np.cos(phi) * np.cos(decl) * np.cos(omega)
    zenith = np.arccos(np.clip(cos_z, -1, 1))
    azimuth = np.arctan2(np.sin(omega), np.cos(omega) * np.sin(phi) - np.tan(decl) * np.cos(phi)) + np.pi
    return zenith, azimuth


def clear_sky(zenith, doy, turbidity=3.0):
    """Direct normal and diffuse horizontal irradiance."""
    up = zenith < np.pi / 2
    z_deg = np.degrees(np.where(up, zenith, 0.0))
    air_mass = 1.0 / (np.cos(np.radians(z_deg)) + 0.50572 * (96.07995 - z_deg) ** -1.6364)
    extra = SOLAR_CONSTANT * (1 + 0.033 * np.cos(2 * np.pi * doy / 365))
    dni = np.where(up, extra * np.exp(-0.09 * air_mass * (turbidity - 1)), 0.0)
    dhi = np.where(up, 0.1 * extra * np.cos(np.minimum(zenith, np.pi / 2)) ** 0.5, 0.0)
    return dni, dhi


def plane_of_array(site, panel, zenith, azimuth, dni, dhi):
    tilt, facing = np.radians(panel.tilt), np.radians(panel.azimuth)
    cos_aoi = np.cos(zenith) * np.cos(tilt) + np.sin(zenith) * np.sin(tilt) * np.cos(azimuth - facing)
    beam = dni * np.maximum(cos_aoi, 0)
    sky = dhi * (1 + np.cos(tilt)) / 2
    ground = site.albedo * (dni * np.maximum(np.cos(zenith), 0) + dhi) * (1 - np.cos(tilt)) / 2
    return beam + sky + ground


def daily_yield(site, panel, month, day, temperature, step=0.5):
    """Energy in kWh, the hourly power curve, the hours of sun and the best moment."""
    hours = np.arange(0, 24, step)
    doy = day_of_year(month, day)
    zenith, azimuth = sun(site, doy, hours)
    dni, dhi = clear_sky(zenith, doy)
    poa = plane_of_array(site, panel, zenith, azimuth, dni, dhi)
    air = np.interp(hours, np.linspace(0, 24, len(temperature)), temperature)
    cell = air + poa / 800 * (panel.noct - 20)
    power = panel.area * panel.efficiency * poa * (1 + panel.temp_coeff * (cell - 25))
    best = int(np.argmax(power))
    energy = np.trapezoid(power, hours) / 1000
    return energy, power, float(np.count_nonzero(dni > 120) * step), (hours[best], round(math.degrees(zenith[best]), 2))


ENTRY = "daily_yield"


def make_arguments(rng, n):
    return Site(48.1, 11.6), Panel(30.0, 180.0), 1 + n % 12, 15, 10 + 8 * rng.uniform(size=n)


GRADIENT = ("temperature",)
ERRORS = [(lambda rng, n: (Site(48.1, 11.6), Panel(30.0, 180.0), 13, 1, np.ones(n)), ValueError)]
