"""Game-style particle system: Verlet cloth with emitters, wind, distance constraints and collisions.

Jakobsen, "Advanced character physics", GDC 2001 (Verlet integration and constraint relaxation);
Bezier-driven emitter by de Casteljau's algorithm.
"""
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

GRAVITY = np.array([0.0, -9.81])


class Stick(NamedTuple):
    a: int
    b: int
    rest: float
    stiffness: float = 1.0


class Obstacle(NamedTuple):
    centre: np.ndarray
    radius: float

    def push_out(self, x):
        d = x - self.centre
        dist = np.linalg.norm(d)
        if dist >= self.radius or dist == 0:
            return x
        return self.centre + self.radius / dist * d


def de_casteljau(control, t):
    """Point on the Bezier curve, by repeated interpolation."""
    if len(control) == 1:
        return control[0]
    return de_casteljau((1 - t) * control[:-1] + t * control[1:], t)


def make_rope(n, length, anchor):
    """Horizontal chain of n particles and its sticks (neighbours, and weak bending sticks)."""
    gap = length / max(n - 1, 1)
    x = np.array([[anchor[0] + i * gap, anchor[1]] for i in range(n)])
    sticks = [Stick(i, i + 1, gap) for i in range(n - 1)]
    sticks += [Stick(i, i + 2, 2 * gap, 0.1) for i in range(n - 2)]
    return x, sticks


@dataclass
class World:
    position: np.ndarray
    previous: np.ndarray
    inv_mass: np.ndarray
    sticks: list
    obstacles: list
    damping: float = 0.01
    energy_log: list = field(default_factory=list)

    @classmethod
    def at_rest(cls, position, inv_mass, sticks, obstacles, damping):
        return cls(position.copy(), position.copy(), inv_mass, sticks, obstacles, damping)

    @property
    def free(self):
        return self.inv_mass > 0

    def integrate(self, wind, dt):
        velocity = (1.0 - self.damping) * (self.position - self.previous)
        acceleration = GRAVITY + wind * self.inv_mass[:, None]
        moved = self.position + velocity + acceleration * dt ** 2
        self.previous = self.position
        self.position = np.where(self.free[:, None], moved, self.position)

    def relax(self, iterations):
        x = self.position.copy()
        for _ in range(iterations):
            for stick in self.sticks:
                i, j = stick.a, stick.b
                total = self.inv_mass[i] + self.inv_mass[j]
                if total == 0:
                    continue
                delta = x[j] - x[i]
                dist = np.sqrt(np.sum(delta ** 2))
                if dist < 1e-12:
                    continue
                correction = stick.stiffness * (dist - stick.rest) / (dist * total) * delta
                x[i] += self.inv_mass[i] * correction
                x[j] -= self.inv_mass[j] * correction
            for obstacle in self.obstacles:
                for k in range(len(x)):
                    if self.inv_mass[k] > 0:
                        x[k] = obstacle.push_out(x[k])
        self.position = x

    def kinetic_energy(self, dt):
        v = (self.position - self.previous) / dt
        mass = np.divide(1.0, self.inv_mass, out=np.zeros_like(self.inv_mass), where=self.free)
        return 0.5 * np.sum(mass * np.einsum("ij,ij->i", v, v))

    def stretch(self):
        return np.array([np.linalg.norm(self.position[s.b] - self.position[s.a]) / s.rest - 1 for s in self.sticks])


def swing_rope(anchor_path, masses, wind, length=2.0, steps=30, dt=1 / 60, obstacles=(), damping=0.01):
    """Drag the first particle along a Bezier curve and let the rest of the rope follow.

    anchor_path: (k, 2) control points; masses: (n,); wind: (steps, 2) force per particle.
    Returns tip position, final shape, largest stretch, and kinetic energy at every step.
    """
    n = len(masses)
    if n < 2:
        raise ValueError("a rope needs at least two particles")
    if (masses <= 0).any():
        raise ValueError(f"masses must be positive, smallest is {masses.min():.3g}")
    if wind.shape != (steps, 2):
        raise ValueError(f"wind must be ({steps}, 2), got {wind.shape}")

    x, sticks = make_rope(n, length, anchor_path[0])
    inv_mass = 1.0 / masses
    inv_mass[0] = 0.0
    world = World.at_rest(x, inv_mass, sticks, list(obstacles), damping)
    tips = []
    for k, gust in enumerate(wind):
        world.integrate(gust, dt)
        world.position[0] = de_casteljau(anchor_path, (k + 1) / steps)
        world.relax(iterations=4)
        world.energy_log.append(world.kinetic_energy(dt))
        tips.append(world.position[-1])
    tips = np.array(tips)
    travelled = np.linalg.norm(np.diff(tips, axis=0), axis=1).sum()
    return {
        "tip": world.position[-1],
        "shape": world.position,
        "max_stretch": np.max(np.abs(world.stretch())),
        "energy": np.array(world.energy_log),
        "travelled": travelled,
        "contacts": sum(int(np.linalg.norm(p - o.centre) < o.radius + 1e-6) for o in obstacles for p in world.position),
    }


ENTRY = "swing_rope"


def make_arguments(rng, n):
    path = np.array([[0.0, 0.0], [0.3, 0.5], [0.6, -0.2], [0.8, 0.1]])
    masses = rng.uniform(0.5, 1.5, size=n)
    wind = 0.5 * rng.standard_normal((20, 2))
    obstacles = [Obstacle(np.array([1.0, -0.4]), 0.3)]
    return (path, masses, wind, 2.0, 20, 1 / 30, obstacles)


GRADIENT = ("anchor_path", "masses", "wind", "length")
ERRORS = [
    (lambda rng, n: (np.zeros((3, 2)), np.zeros(n), np.zeros((30, 2))), ValueError),
    (lambda rng, n: (np.zeros((3, 2)), np.ones(n), np.zeros((n, 2))), ValueError),
]
