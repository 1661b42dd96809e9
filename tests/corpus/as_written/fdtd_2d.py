"""Maxwell's equations in two dimensions (TM): Yee's scheme with a sponge, and a receiver's energy by permittivity.

Taflove & Hagness, *Computational Electrodynamics*, ch. 3.
"""
import numpy as np


class Grid:
    def __init__(self, eps, courant=0.5, width=3):
        self.shape = eps.shape
        self.Ez = np.zeros(eps.shape)
        self.Hx = np.zeros((eps.shape[0], eps.shape[1] - 1))
        self.Hy = np.zeros((eps.shape[0] - 1, eps.shape[1]))
        self.ce = courant / eps
        self.ch = courant
        self.damping = self.sponge(width)

    def sponge(self, width):
        nx, ny = self.shape
        i = np.minimum(np.arange(nx), np.arange(nx)[::-1])
        j = np.minimum(np.arange(ny), np.arange(ny)[::-1])
        depth = np.clip(width - np.minimum(i[:, None], j[None, :]), 0, width) / width
        return np.exp(-0.3 * depth**2)

    def step(self, source, t):
        self.Hx -= self.ch * np.diff(self.Ez, axis=1)
        self.Hy += self.ch * np.diff(self.Ez, axis=0)
        curl = np.diff(self.Hy[:, 1:-1], axis=0) - np.diff(self.Hx[1:-1, :], axis=1)
        self.Ez[1:-1, 1:-1] += self.ce[1:-1, 1:-1] * curl
        i, j = source
        self.Ez[i, j] += ricker(t)
        self.Ez *= self.damping

    def energy(self):
        return 0.5 * np.sum(self.Ez**2 / self.ce) + 0.5 * np.sum(self.Hx**2) + 0.5 * np.sum(self.Hy**2)


def ricker(t, delay=12.0, width=5.0):
    a = ((t - delay) / width) ** 2
    return (1 - 2 * a) * np.exp(-a)


def simulate(eps, source, receiver, steps):
    grid = Grid(eps)
    trace = np.zeros(steps)
    for t in range(steps):
        grid.step(source, t)
        trace[t] = grid.Ez[receiver]
    return np.sum(trace**2), trace, grid.energy(), grid.Ez


ENTRY = "simulate"


def make_arguments(rng, n):
    return 1 + rng.random((8 + n, 9 + n)), (4, 4), (5 + n // 2, 6), 20 + n


GRADIENT = ("eps",)
ERRORS = []
