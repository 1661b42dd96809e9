"""Masses and springs, where a spring refers to its two particles.

Witkin and Baraff, "Physically based modeling" (SIGGRAPH course notes), particle system dynamics.
"""
import numpy as np


class Particle:
    def __init__(self, x, y, m, fixed=False):
        self.x, self.y = x, y
        self.vx, self.vy = 0.0, 0.0
        self.fx, self.fy = 0.0, 0.0
        self.m = m
        self.fixed = fixed


class Spring:
    def __init__(self, a, b, k, rest):
        self.a = a
        self.b = b
        self.k = k
        self.rest = rest

    def length(self):
        return np.hypot(self.b.x - self.a.x, self.b.y - self.a.y)

    def apply(self):
        dx, dy = self.b.x - self.a.x, self.b.y - self.a.y
        length = np.hypot(dx, dy)
        f = self.k * (length - self.rest) / length
        self.a.fx += f * dx
        self.a.fy += f * dy
        self.b.fx -= f * dx
        self.b.fy -= f * dy

    def energy(self):
        return 0.5 * self.k * (self.length() - self.rest) ** 2


def hang(masses, stiffness, gap=0.5, gravity=9.81, damping=0.1, dt=0.01, steps=25):
    """Let a chain fall that hangs from its first particle: the energy of its springs, and its lowest point."""
    n = len(masses)
    particles = [Particle(i * gap, 0.0, masses[i], fixed=(i == 0)) for i in range(n)]
    springs = [Spring(particles[i], particles[i + 1], stiffness, gap) for i in range(n - 1)]
    for i in range(n - 2):
        springs.append(Spring(particles[i], particles[i + 2], 0.1 * stiffness, 2 * gap))

    for _ in range(steps):
        for p in particles:
            p.fx = -damping * p.vx
            p.fy = -p.m * gravity - damping * p.vy
        for s in springs:
            s.apply()
        for p in particles:
            if p.fixed:
                continue
            p.vx += p.fx / p.m * dt
            p.vy += p.fy / p.m * dt
            p.x += p.vx * dt
            p.y += p.vy * dt
    return sum(s.energy() for s in springs), min(p.y for p in particles), [s.length() for s in springs]


ENTRY = "hang"


def make_arguments(rng, n):
    return (rng.uniform(0.5, 1.5, n), 80.0)


GRADIENT = ("masses", "stiffness", "gap", "gravity")
ERRORS = []
