"""Flow past a cylinder by the lattice Boltzmann method D2Q9.

Chen & Doolen, Annual Review of Fluid Mechanics 30 (1998).
"""
import numpy as np


def lattice_boltzmann(F, cylinder, tau, Nt):
    Ny, Nx, NL = F.shape
    idxs = np.arange(NL)
    cxs = np.array([0, 0, 1, 1, 1, 0, -1, -1, -1])
    cys = np.array([0, 1, 1, 0, -1, -1, -1, 0, 1])
    weights = np.array([4/9, 1/9, 1/36, 1/9, 1/36, 1/9, 1/36, 1/9, 1/36])
    rho = np.sum(F, 2)
    for i in idxs:
        F[:, :, i] *= 100 / rho

    for it in range(Nt):
        for i, cx, cy in zip(idxs, cxs, cys):
            F[:, :, i] = np.roll(F[:, :, i], cx, axis=1)
            F[:, :, i] = np.roll(F[:, :, i], cy, axis=0)
        bndryF = F[cylinder, :]
        bndryF = bndryF[:, [0, 5, 6, 7, 8, 1, 2, 3, 4]]

        rho = np.sum(F, 2)
        ux = np.sum(F * cxs, 2) / rho
        uy = np.sum(F * cys, 2) / rho

        Feq = np.zeros(F.shape)
        for i, cx, cy, w in zip(idxs, cxs, cys, weights):
            cu = cx * ux + cy * uy
            Feq[:, :, i] = rho * w * (1 + 3 * cu + 9 * cu**2 / 2 - 3 * (ux**2 + uy**2) / 2)
        F = F + -(1.0 / tau) * (F - Feq)
        F[cylinder, :] = bndryF

    ux[cylinder] = 0
    uy[cylinder] = 0
    vorticity = (np.roll(ux, -1, axis=0) - np.roll(ux, 1, axis=0)) - (np.roll(uy, -1, axis=1) - np.roll(uy, 1, axis=1))
    vorticity[cylinder] = np.nan
    return np.nansum(vorticity**2), vorticity, rho


def run(F, cylinder, tau, Nt):
    return lattice_boltzmann(F.copy(), cylinder, tau, Nt)


ENTRY = "run"


def make_arguments(rng, n):
    Ny, Nx = 4 + n, 8 + 2 * n
    F = np.ones((Ny, Nx, 9)) + 0.01 * rng.standard_normal((Ny, Nx, 9))
    X, Y = np.meshgrid(range(Nx), range(Ny))
    F[:, :, 3] += 2 * (1 + 0.2 * np.cos(2 * np.pi * X / Nx * 4))
    cylinder = (X - Nx / 4)**2 + (Y - Ny / 2)**2 < (Ny / 4)**2
    return F, cylinder, 0.6, 5


GRADIENT = ("tau", "F")
ERRORS = []
