"""Weather-station telegrams: parse SYNOP-like records, flags, daily extremes, degree days, wind rose, heat index.

    "10384 0612 T+215 U058 P10132 W27004 R0012"     station, day and hour, temperature, humidity, pressure, wind, rain
"""
import math
from collections import Counter, defaultdict
from typing import NamedTuple

import numpy as np

SECTORS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
LIMITS = {"temperature": (-60.0, 55.0), "humidity": (0.0, 100.0), "pressure": (870.0, 1085.0)}


class Observation(NamedTuple):
    station: int
    day: int
    hour: int
    temperature: float
    humidity: float
    pressure: float
    direction: int
    speed: float
    rain: float = 0.0


class BadRecord(ValueError):
    pass


def number(text, scale=1.0, missing=math.nan):
    if not text or "/" in text:
        return missing
    return int(text) / scale


def parse(line):
    """One observation; groups may come in any order."""
    parts = line.strip().split()
    if len(parts) < 3:
        raise BadRecord(f"too short: {line!r}")
    station, when, *groups = parts
    if len(when) != 4:
        raise BadRecord(f"bad time {when!r}")
    found = {group[0]: group[1:] for group in groups}
    wind = found.get("W", "/////")
    return Observation(
        station=int(station),
        day=int(when[:2]),
        hour=int(when[2:]),
        temperature=number(found.get("T", ""), 10.0),
        humidity=number(found.get("U", "")),
        pressure=number(found.get("P", ""), 10.0),
        direction=int(number(wind[:2], missing=-1)) if "/" not in wind else -1,
        speed=number(wind[2:]),
        rain=number(found.get("R", "0"), 10.0),
    )


def is_plausible(name, value):
    low, high = LIMITS[name]
    return not math.isnan(value) and low <= value <= high


def dew_point(t, rh, a=17.62, b=243.12):
    gamma = math.log(max(rh, 1e-3) / 100.0) + a * t / (b + t)
    return b * gamma / (a - gamma)


def heat_index(t, rh):
    """Rothfusz regression, in degrees Celsius."""
    f = t * 9 / 5 + 32
    if f < 80:
        return t
    hi = (-42.379 + 2.04901523 * f + 10.14333127 * rh - 0.22475541 * f * rh - 6.83783e-3 * f**2
          - 5.481717e-2 * rh**2 + 1.22874e-3 * f**2 * rh + 8.5282e-4 * f * rh**2 - 1.99e-6 * f**2 * rh**2)
    return (hi - 32) * 5 / 9


class Climatology:
    def __init__(self, base=15.0):
        self.base = base
        self.by_day = defaultdict(list)
        self.rose = Counter()
        self.rejected = 0

    def add(self, obs):
        if not all(is_plausible(name, getattr(obs, name)) for name in LIMITS):
            self.rejected += 1
            return
        self.by_day[obs.day].append(obs)
        if obs.direction >= 0 and obs.speed > 0:
            sector = int((obs.direction * 10 + 22.5) // 45) % 8
            self.rose[SECTORS[sector]] += 1

    def daily(self):
        for day in sorted(self.by_day):
            observations = self.by_day[day]
            temperatures = [o.temperature for o in observations]
            yield day, min(temperatures), max(temperatures), sum(o.rain for o in observations)

    def degree_days(self):
        return sum(max(0.0, self.base - (low + high) / 2) for _, low, high, _ in self.daily())


def summarise(text, correction, base=15.0):
    """Rows of day, low, high, rain; degree days; counts of sectors; mean dew point; highest heat index; rejected."""
    records = [line for line in text.splitlines() if line and not line.startswith("#")]
    if not records:
        raise BadRecord("no records")
    climate = Climatology(base)
    malformed = 0
    for line in records:
        try:
            obs = parse(line)
        except BadRecord:
            malformed += 1
            continue
        climate.add(obs._replace(temperature=obs.temperature + correction))
    rows = np.array(list(climate.daily()))
    kept = [o for day in climate.by_day.values() for o in day]
    dew = np.mean([dew_point(o.temperature, o.humidity) for o in kept])
    hottest = max(kept, key=lambda o: heat_index(o.temperature, o.humidity))
    calm = len(kept) - sum(climate.rose.values())
    return (rows, climate.degree_days(), np.array([climate.rose[s] for s in SECTORS]), float(dew),
            heat_index(hottest.temperature, hottest.humidity), hottest.day, calm, climate.rejected, malformed)


ENTRY = "summarise"


def make_arguments(rng, n):
    lines = ["# synop"]
    for i in range(n + 2):
        t = int(rng.integers(-50, 320))
        lines.append(f"10384 {1 + i // 2:02d}{12 * (i % 2):02d} T{t:+04d} U{int(rng.integers(30, 99)):03d} "
                     f"P{int(rng.integers(9900, 10300))} W{int(rng.integers(0, 36)):02d}{int(rng.integers(0, 20)):03d} "
                     f"R{int(rng.integers(0, 50)):04d}")
    lines += ["10384 01", "10384 0312 T//// U050 P10000 W/////", ""]
    return "\n".join(lines), float(rng.normal())


GRADIENT = ("correction",)
ERRORS = [(lambda rng, n: ("# nothing\n", 0.0), ValueError)]
