"""Charged particles as objects: pairwise forces, velocity Verlet, energy.

Newman, "Computational Physics", chapter 8; softened Coulomb forces on a line.
"""
import numpy as np


class Particle:
    def __init__(self, x, v, m, q):
        self.x = x
        self.v = v
        self.m = m
        self.q = q
        self.f = 0.0

    def kick(self, dt):
        self.v += self.f / self.m * dt

    def drift(self, dt):
        self.x += self.v * dt

    def kinetic(self):
        return 0.5 * self.m * self.v ** 2


def compute_forces(particles, soft):
    for p in particles:
        p.f = 0.0
    for i in range(len(particles)):
        for j in range(i + 1, len(particles)):
            a, b = particles[i], particles[j]
            d = b.x - a.x
            r2 = d * d + soft * soft
            f = -a.q * b.q * d / (r2 * np.sqrt(r2))
            a.f += f
            b.f -= f


def potential(particles, soft):
    total = 0.0
    for i, a in enumerate(particles):
        for b in particles[i + 1:]:
            total += a.q * b.q / np.sqrt((b.x - a.x) ** 2 + soft ** 2)
    return total


def simulate(x0, v0, mass, charge, soft=0.1, dt=0.01, steps=20):
    """Total energy at the end, positions and the history of the kinetic energy."""
    if len(x0) != len(mass):
        raise ValueError("one mass per particle")
    particles = []
    for i in range(len(x0)):
        particles.append(Particle(x0[i], v0[i], mass[i], charge[i]))
    history = []
    compute_forces(particles, soft)
    for _ in range(steps):
        for p in particles:
            p.kick(0.5 * dt)
            p.drift(dt)
        compute_forces(particles, soft)
        for p in particles:
            p.kick(0.5 * dt)
        history.append(sum(p.kinetic() for p in particles))
    energy = history[-1] + potential(particles, soft)
    return energy, np.array([p.x for p in particles]), np.array(history)


ENTRY = "simulate"


def make_arguments(rng, n):
    return (rng.standard_normal(n), 0.1 * rng.standard_normal(n), rng.uniform(1, 2, n), rng.choice([-1.0, 1.0], n))


GRADIENT = ("x0", "v0", "mass", "charge", "soft")
ERRORS = [(lambda rng, n: (np.zeros(n), np.zeros(n), np.ones(n - 1), np.ones(n)), ValueError)]
