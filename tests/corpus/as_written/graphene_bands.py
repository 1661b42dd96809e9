"""Bands of graphene and of a zigzag ribbon in the tight-binding approximation, density of states, Chern number.

Castro Neto et al., The electronic properties of graphene, Rev. Mod. Phys. 81 (2009); Haldane (1988);
Fukui, Hatsugai & Suzuki (2005).
"""
import numpy as np

A1 = np.array([np.sqrt(3), 0.0])
A2 = np.array([np.sqrt(3) / 2, 1.5])
SX = np.array([[0, 1], [1, 0]], dtype=complex)
SY = np.array([[0, -1j], [1j, 0]])
SZ = np.array([[1, 0], [0, -1]], dtype=complex)


def hamiltonian(k, t1, t2, phi, mass):
    f = 1 + np.exp(1j * (k @ A1)) + np.exp(1j * (k @ A2))
    b = np.array([A1, A2 - A1, -A2])
    haldane = 2 * t2 * np.sin(phi) * np.sum(np.sin(b @ k))
    shift = 2 * t2 * np.cos(phi) * np.sum(np.cos(b @ k))
    return -t1 * (f.real * SX + f.imag * SY) + (mass + haldane) * SZ + shift * np.eye(2)


def bands(path, t1, t2, phi, mass):
    return np.array([np.linalg.eigvalsh(hamiltonian(k, t1, t2, phi, mass)) for k in path])


def chern_number(n, t1, t2, phi, mass):
    b1 = 2 * np.pi * np.array([1 / np.sqrt(3), -1 / 3])
    b2 = 2 * np.pi * np.array([0.0, 2 / 3])
    u = np.zeros((n + 1, n + 1, 2), dtype=complex)
    for i in range(n + 1):
        for j in range(n + 1):
            k = (i % n) / n * b1 + (j % n) / n * b2
            _, v = np.linalg.eigh(hamiltonian(k, t1, t2, phi, mass))
            u[i, j] = v[:, 0]
    flux = 0.0
    for i in range(n):
        for j in range(n):
            loop = (np.vdot(u[i, j], u[i + 1, j]) * np.vdot(u[i + 1, j], u[i + 1, j + 1])
                    * np.vdot(u[i + 1, j + 1], u[i, j + 1]) * np.vdot(u[i, j + 1], u[i, j]))
            flux += np.angle(loop)
    return flux / (2 * np.pi)


def ribbon(kx, width, t):
    H = np.zeros((2 * width, 2 * width), dtype=complex)
    for m in range(width):
        H[2 * m, 2 * m + 1] = -2 * t * np.cos(np.sqrt(3) * kx / 2)
        if m > 0:
            H[2 * m - 1, 2 * m] = -t
    return np.linalg.eigvalsh(H + H.conj().T)


def survey(path, t1, t2, phi, mass, n_bins, width):
    E = bands(path, t1, t2, phi, mass)
    gap = np.min(E[:, 1] - E[:, 0])
    dos, edges = np.histogram(E, bins=n_bins, density=True)
    edge_states = np.stack([ribbon(k, width, t1) for k in path[:, 0]])
    return gap, E, dos, edges, edge_states, chern_number(6, t1, t2, phi, mass)


ENTRY = "survey"


def make_arguments(rng, n):
    return rng.uniform(-2, 2, size=(3 * n, 2)), 1.0, 0.1, np.pi / 2, 0.05, 5, 3


GRADIENT = ("t1", "t2", "mass")
ERRORS = []
