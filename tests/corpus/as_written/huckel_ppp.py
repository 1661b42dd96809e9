"""Hueckel and Pariser-Parr-Pople SCF treatment of a pi-electron system.

Hueckel (1931); PPP with Mataga-Nishimoto repulsion integrals, closed-shell
Roothaan iterations with damping and DIIS (Pulay 1980).  Energies in eV.
"""
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

COULOMB = 14.397            # e^2 / (4 pi eps0) in eV Angstrom


@dataclass(frozen=True)
class Parameters:
    beta: float = -2.4          # resonance integral at the reference length
    hubbard: float = 11.13      # one-centre repulsion
    decay: float = 0.3          # Angstrom, for the bond length dependence
    r0: float = 1.397

    def resonance(self, r):
        return self.beta * np.exp((self.r0 - r) / self.decay)

    def repulsion(self, r):
        """Mataga-Nishimoto."""
        return COULOMB / (r + COULOMB / self.hubbard)


class SCFResult(NamedTuple):
    energy: float
    huckel_energy: float
    orbital_energies: np.ndarray
    charges: np.ndarray
    bond_orders: np.ndarray
    gap: float
    iterations: int


def distances(xy):
    d = xy[:, None, :] - xy[None, :, :]
    r2 = np.sum(d ** 2, axis=-1)
    return np.sqrt(np.where(r2 > 0, r2, 1.0)) * (r2 > 0)


def find_bonds(r, cutoff):
    i, j = np.nonzero(np.triu((r > 0) & (r < cutoff)))
    return list(zip(i.tolist(), j.tolist()))


def core_hamiltonian(xy, alpha, bonds, par):
    n = len(xy)
    r = distances(xy)
    gamma = par.repulsion(r)
    H = np.diag(alpha - (gamma.sum(axis=1) - np.diag(gamma)))     # attraction to the other cores
    for i, j in bonds:
        t = par.resonance(r[i, j])
        H[i, j] += t
        H[j, i] += t
    return H, gamma


def density(F, n_pairs):
    """Closed-shell density from the lowest n_pairs orbitals."""
    e, C = np.linalg.eigh(F)
    occ = C[:, :n_pairs]
    return e, 2.0 * occ @ occ.T


def fock(H, P, gamma):
    coulomb = np.diag(gamma @ np.diag(P))
    return H + coulomb - 0.5 * P * gamma


class DIIS:
    def __init__(self, depth=6):
        self.depth = depth
        self.focks, self.errors = [], []

    def extrapolate(self, F, P):
        self.focks.append(F)
        self.errors.append(F @ P - P @ F)
        if len(self.focks) > self.depth:
            self.focks.pop(0)
            self.errors.pop(0)
        m = len(self.focks)
        if m < 2:
            return F
        B = -np.ones((m + 1, m + 1))
        B[m, m] = 0.0
        for a, ea in enumerate(self.errors):
            for b, eb in enumerate(self.errors):
                B[a, b] = np.sum(ea * eb)
        scale = max(abs(B[m - 1, m - 1]), 1e-30)
        B[:m, :m] /= scale
        B[:m, :m] += 1e-10 * np.eye(m)
        rhs = np.zeros(m + 1)
        rhs[m] = -1.0
        try:
            c = np.linalg.solve(B, rhs)[:m]
        except np.linalg.LinAlgError:
            return F
        return sum(ci * Fi for ci, Fi in zip(c, self.focks))


def huckel(alpha, bonds, r, par, n_pairs):
    H = np.diag(alpha)
    for i, j in bonds:
        H[i, j] = H[j, i] = par.resonance(r[i, j])
    e, P = density(H, n_pairs)
    return 2.0 * e[:n_pairs].sum(), P


def run_scf(coordinates, alpha, par=Parameters(), charge=0, cutoff=1.7, tol=1e-9, max_iter=100):
    """Planar coordinates (n, 2) in Angstrom, one pi electron per atom."""
    xy = np.asarray(coordinates, dtype=float)
    n = len(xy)
    if xy.ndim != 2 or xy.shape[1] != 2:
        raise ValueError(f"coordinates must be (n, 2), got {xy.shape}")
    n_elec = n - charge
    if n_elec <= 0 or n_elec % 2:
        raise ValueError(f"closed shell needs a positive even number of electrons, got {n_elec}")
    n_pairs = n_elec // 2
    r = distances(xy)
    bonds = find_bonds(r, cutoff)
    assert bonds, "no bonds found"

    e_huckel, P = huckel(alpha, bonds, r, par, n_pairs)
    H, gamma = core_hamiltonian(xy, alpha, bonds, par)
    diis = DIIS()
    energy = 0.0
    for it in range(1, max_iter + 1):
        F = fock(H, P, gamma)
        previous, energy = energy, 0.5 * np.sum(P * (H + F))
        eps, P_new = density(diis.extrapolate(F, P), n_pairs)
        change = np.max(np.abs(P_new - P))
        P = P_new
        if change < tol ** 0.75 and abs(energy - previous) < tol:
            break
    else:
        raise RuntimeError(f"SCF not converged after {max_iter} iterations, change {change:.1e}")

    cores = 0.5 * (gamma.sum() - np.trace(gamma))
    orders = np.array([P[i, j] for i, j in bonds])
    gap = eps[n_pairs] - eps[n_pairs - 1] if n_pairs < n else 0.0
    return SCFResult(energy + cores, e_huckel, eps, 1.0 - np.diag(P), orders, gap, it)


ENTRY = "run_scf"


def make_arguments(rng, n):
    m = max(2 * (n // 2), 2)
    k = np.arange(m)
    # zigzag polyene with alternating bonds
    x = np.cumsum(np.where(k % 2 == 0, 1.25, 1.17)) + 0.01 * rng.normal(size=m)
    y = 0.35 * (-1.0) ** k
    alpha = np.where(k == 0, -0.8, 0.0) + 0.05 * rng.normal(size=m)
    return (np.column_stack([x, y]), alpha, Parameters())


GRADIENT = ("coordinates", "alpha", "par")
ERRORS = [(lambda rng, n: (rng.normal(size=(n, 3)), np.zeros(n)), ValueError),
          (lambda rng, n: (rng.normal(size=(4, 2)), np.zeros(4), Parameters(), 1), ValueError)]
