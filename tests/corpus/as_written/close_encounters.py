"""Bodies that move between a list of active and a list of escaped ones; a perturber is one of them.

After the reduced Kepler problems in Hut and Makino, "Moving stars around".
"""
import numpy as np


class Body:
    def __init__(self, x, v, gm):
        self.x = x
        self.v = v
        self.gm = gm
        self.age = 0.0


def closest(bodies, body):
    """The nearest other body."""
    best = None
    for other in bodies:
        if other is body:
            continue
        if best is None or abs(other.x - body.x) < abs(best.x - body.x):
            best = other
    return best


def integrate(x0, v0, gm, limit=3.0, soft=0.2, dt=0.05, steps=30):
    active = [Body(x, v, g) for x, v, g in zip(x0, v0, gm)]
    escaped = []
    for _ in range(steps):
        for body in active:
            near = closest(active, body)
            if near is not None:
                d = near.x - body.x
                body.v += dt * near.gm * d / (d * d + soft * soft) ** 1.5
        gone = []
        for body in active:
            body.x += dt * body.v
            body.age += dt
            if abs(body.x) > limit:
                gone.append(body)
        for body in gone:
            active.remove(body)
            escaped.append(body)
        for body in escaped:
            body.x += dt * body.v
    energy = sum(0.5 * b.gm * b.v ** 2 for b in active + escaped)
    first = escaped[0].age if escaped else -1.0
    return energy, len(active), first, np.array([b.x for b in escaped])


ENTRY = "integrate"


def make_arguments(rng, n):
    return (rng.uniform(-2, 2, n), 2 * rng.standard_normal(n), rng.uniform(0.5, 1.5, n))


GRADIENT = ("x0", "v0", "gm", "soft")
ERRORS = []
