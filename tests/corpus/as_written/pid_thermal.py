"""PID control of a heated plant with dead time, anti-windup and derivative filter.

Astrom & Hagglund, *Advanced PID Control* (2006): SIMC-like tuning from a first
order plus dead time fit, back-calculation anti-windup.
"""
from collections import deque
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Plant:
    gain: float
    tau: float
    delay: float
    ambient: float = 20.0

    def step(self, temp, u, dt):
        """Exact update of the first-order lag over dt with constant input."""
        a = np.exp(-dt / self.tau)
        target = self.ambient + self.gain * u
        return target + (temp - target) * a


@dataclass(frozen=True)
class Gains:
    kp: float
    ti: float
    td: float
    n_filter: float = 8.0

    @classmethod
    def simc(cls, plant, tau_c):
        kp = plant.tau / (plant.gain * (tau_c + plant.delay))
        ti = min(plant.tau, 4 * (tau_c + plant.delay))
        return cls(kp=kp, ti=ti, td=0.3 * plant.delay)


@dataclass
class PID:
    gains: Gains
    dt: float
    u_min: float = 0.0
    u_max: float = 1.0
    integral: float = 0.0
    deriv: float = 0.0
    last_y: float = field(default=None)

    def __call__(self, setpoint, y):
        g = self.gains
        error = setpoint - y
        if self.last_y is None:
            self.last_y = y
        # derivative on measurement, first-order filter
        alpha = g.td / (g.td + g.n_filter * self.dt)
        self.deriv = alpha * self.deriv - g.kp * g.n_filter * alpha * (y - self.last_y)
        self.last_y = y
        raw = g.kp * error + self.integral + self.deriv
        u = min(max(raw, self.u_min), self.u_max)
        tracking = np.sqrt(g.ti * max(g.td, self.dt))
        self.integral += self.dt * (g.kp * error / g.ti + (u - raw) / tracking)
        return u


def step_metrics(t, y, setpoint, y0, band=0.02):
    span = setpoint - y0
    rel = (y - y0) / span
    overshoot = max(0.0, rel.max() - 1.0)
    rise = np.nan
    above10, above90 = np.flatnonzero(rel >= 0.1), np.flatnonzero(rel >= 0.9)
    rise = t[above90[0]] - t[above10[0]] if len(above90) else t[-1]
    outside = np.flatnonzero(np.abs(rel - 1.0) > band)
    settle = t[outside[-1]] if len(outside) else 0.0
    return {"overshoot": overshoot, "rise": rise, "settling": settle}


def simulate_pid(plant, setpoint, disturbance, tau_c=2.0, dt=0.25, noise=None):
    """Closed-loop run; one entry of `disturbance` (heat input) per sample.

    Returns dict with ITAE first, then IAE, control effort and step metrics."""
    if plant.tau <= 0 or plant.delay < 0:
        raise ValueError(f"bad plant constants: tau={plant.tau}, delay={plant.delay}")
    if setpoint <= plant.ambient:
        raise ValueError("a heater cannot go below ambient")
    n_steps = len(disturbance)
    if n_steps < 2:
        raise ValueError("simulation too short")
    noise = np.zeros(n_steps) if noise is None else noise

    controller = PID(Gains.simc(plant, tau_c), dt)
    n_delay = int(round(plant.delay / dt))
    pipe = deque([0.0] * n_delay)
    temp = plant.ambient
    temps, inputs = [], []
    for d, w in zip(disturbance, noise):
        u = controller(setpoint, temp + w)
        pipe.append(u)
        delayed = pipe.popleft()
        temp = plant.step(temp, delayed + d, dt)
        temps.append(temp)
        inputs.append(u)

    y, u = np.array(temps), np.array(inputs)
    t = dt * np.arange(1, n_steps + 1)
    err = setpoint - y
    result = {"itae": np.sum(t * np.abs(err)) * dt,
              "iae": np.sum(np.abs(err)) * dt,
              "effort": np.sum(np.diff(u) ** 2),
              "final": y[-1],
              "temperature": y,
              "input": u}
    result.update(step_metrics(t, y, setpoint, plant.ambient))
    return result


ENTRY = "simulate_pid"


def make_arguments(rng, n):
    steps = 10 * n
    d = np.where(np.arange(steps) > 0.6 * steps, -0.1, 0.0) + 0.01 * rng.normal(size=steps)
    return (Plant(gain=60.0, tau=6.0, delay=1.0), 55.0, d, 1.5, 0.25, 0.05 * rng.normal(size=steps))


GRADIENT = ("setpoint", "disturbance", "tau_c", "noise")
ERRORS = [(lambda rng, n: (Plant(60.0, -1.0, 1.0), 50.0, np.zeros(n)), ValueError),
          (lambda rng, n: (Plant(60.0, 5.0, 1.0), 10.0, np.zeros(n)), ValueError)]
