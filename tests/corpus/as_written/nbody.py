"""Gravitating bodies by the leapfrog and by Forest and Ruth's scheme, energy drift, orbital elements of a planet.

Hut & Makino, *Moving Stars Around*; Forest & Ruth (1990).
"""
import numpy as np

THETA = 1 / (2 - 2 ** (1 / 3))


def acceleration(pos, mass, G, softening):
    dx = pos[np.newaxis, :, :] - pos[:, np.newaxis, :]
    inv_r3 = (np.sum(dx**2, axis=-1) + softening**2) ** (-1.5)
    np.fill_diagonal(inv_r3, 0.0)
    return G * np.einsum("ijk,ij,j->ik", dx, inv_r3, mass)


def energy(pos, vel, mass, G, softening):
    kinetic = 0.5 * np.sum(mass * np.sum(vel**2, axis=1))
    i, j = np.triu_indices(len(mass), 1)
    r = np.sqrt(np.sum((pos[i] - pos[j]) ** 2, axis=1) + softening**2)
    return kinetic - G * np.sum(mass[i] * mass[j] / r)


def leapfrog(pos, vel, mass, dt, G, softening):
    vel = vel + 0.5 * dt * acceleration(pos, mass, G, softening)
    pos = pos + dt * vel
    return pos, vel + 0.5 * dt * acceleration(pos, mass, G, softening)


def forest_ruth(pos, vel, mass, dt, G, softening):
    c = [THETA / 2, (1 - THETA) / 2, (1 - THETA) / 2, THETA / 2]
    d = [THETA, 1 - 2 * THETA, THETA, 0]
    for ck, dk in zip(c, d):
        pos = pos + ck * dt * vel
        vel = vel + dk * dt * acceleration(pos, mass, G, softening)
    return pos, vel


def eccentricity(pos, vel, mass, G):
    """Of the second body around the first."""
    r, v = pos[1] - pos[0], vel[1] - vel[0]
    mu = G * (mass[0] + mass[1])
    h = np.cross(r, v)
    e = np.cross(v, h) / mu - r / np.linalg.norm(r)
    return np.linalg.norm(e)


def simulate(pos, vel, mass, dt, steps, method):
    step = {"leapfrog": leapfrog, "forest-ruth": forest_ruth}[method]
    G, softening = 1.0, 1e-3
    vel = vel - np.average(vel, axis=0, weights=mass)
    E0 = energy(pos, vel, mass, G, softening)
    drift, track = np.zeros(steps), np.zeros((steps, len(mass), 3))
    for n in range(steps):
        pos, vel = step(pos, vel, mass, dt, G, softening)
        track[n] = pos
        drift[n] = energy(pos, vel, mass, G, softening) / E0 - 1
    return eccentricity(pos, vel, mass, G), drift, track, np.cross(pos, mass[:, None] * vel).sum(axis=0)


ENTRY = "simulate"


def make_arguments(rng, n):
    pos = np.vstack([np.zeros(3), [1.0, 0, 0], 2 + rng.normal(size=(n - 2, 3))])
    vel = np.vstack([np.zeros(3), [0, 1.1, 0.1], 0.3 * rng.normal(size=(n - 2, 3))])
    return pos, vel, np.r_[1.0, 0.01, 0.02 * rng.random(n - 2)], 0.02, 5 + n, "forest-ruth"


GRADIENT = ("pos", "mass")
ERRORS = [(lambda rng, n: (*make_arguments(rng, n)[:5], "euler"), KeyError)]
