"""Single-lane motorway with an on-ramp: intelligent driver model, vehicles entering and leaving.

Treiber, Hennecke & Helbing, Phys. Rev. E 62 (2000): acceleration from the gap and the approach speed; ballistic update.
"""
from dataclasses import dataclass

import numpy as np


@dataclass
class Car:
    position: float
    speed: float
    length: float = 4.5
    waited: float = 0.0

    def step(self, acceleration, dt):
        new_speed = max(0.0, self.speed + acceleration * dt)
        self.position += 0.5 * (self.speed + new_speed) * dt
        self.speed = new_speed
        if new_speed < 1.0:
            self.waited += dt


@dataclass(frozen=True)
class Driver:
    v0: float = 30.0
    headway: float = 1.5
    a_max: float = 1.2
    b_comf: float = 2.0
    s0: float = 2.0
    delta: int = 4

    def acceleration(self, speed, gap, closing):
        free = 1 - (speed / self.v0) ** self.delta
        if gap is None:
            return self.a_max * free
        s_star = self.s0 + max(0.0, speed * self.headway + speed * closing / (2 * np.sqrt(self.a_max * self.b_comf)))
        return self.a_max * (free - (s_star / max(gap, 0.1)) ** 2)


def spaced_cars(n, spacing, speed):
    return [Car(i * spacing, speed) for i in range(n)][::-1]


def leader_of(cars, i):
    return cars[i - 1] if i > 0 else None


def simulate(n, spacing, speed, inflow, steps, dt=0.5, road=400.0, v0=30.0):
    """Mean speed by step, travel statistics, and the cars that are left on the road."""
    if dt <= 0:
        raise ValueError(f"time step must be positive, got {dt}")
    driver = Driver(v0=v0)
    cars = spaced_cars(n, spacing, speed)
    history = []
    left = 0
    total_wait = 0.0
    for k in range(steps):
        accelerations = []
        for i, car in enumerate(cars):
            ahead = leader_of(cars, i)
            if ahead is None:
                accelerations.append(driver.acceleration(car.speed, None, 0.0))
            else:
                gap = ahead.position - car.position - ahead.length
                accelerations.append(driver.acceleration(car.speed, gap, car.speed - ahead.speed))
        for car, a in zip(cars, accelerations):
            car.step(a, dt)

        gone = [car for car in cars if car.position > road]
        left += len(gone)
        total_wait += sum(car.waited for car in gone)
        cars = [car for car in cars if car.position <= road]

        # a car enters when there is room behind the last one
        if inflow[k] > 0 and (not cars or cars[-1].position > spacing):
            cars.append(Car(0.0, min(speed, v0)))
        history.append(np.mean([c.speed for c in cars]) if cars else 0.0)

    gaps = [a.position - b.position - a.length for a, b in zip(cars, cars[1:])]
    return {
        "mean_speed": np.array(history),
        "left": left,
        "waited": total_wait,
        "on_road": len(cars),
        "smallest_gap": min(gaps) if gaps else -1.0,
        "flow": left / (steps * dt) * 3600.0,
    }


ENTRY = "simulate"


def make_arguments(rng, n):
    return (n, 40.0, 20.0, (rng.uniform(size=30) < 0.4).astype(int), 30)


GRADIENT = ("spacing", "speed")
ERRORS = [(lambda rng, n: (n, 40.0, 20.0, np.ones(5, int), 5, 0.0), ValueError),
          (lambda rng, n: (n, 40.0, 20.0, np.ones(3, int), 8), IndexError)]
