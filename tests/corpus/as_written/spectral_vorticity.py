"""Decaying two-dimensional turbulence: the vorticity equation by Fourier's method, dealiased, with Runge-Kutta.

Canuto et al., *Spectral Methods in Fluid Dynamics*, ch. 7.
"""
import numpy as np
from numpy.fft import fft2, fftfreq, ifft2


def simulate(w, nu, dt, steps):
    N = w.shape[0]
    k = fftfreq(N, d=1.0 / N)
    kx, ky = np.meshgrid(k, k, indexing="ij")
    k2 = kx**2 + ky**2
    inv_k2 = np.where(k2 == 0, 0.0, 1.0 / np.where(k2 == 0, 1.0, k2))
    dealias = (np.abs(kx) < N / 3) & (np.abs(ky) < N / 3)

    def rhs(w_hat):
        psi_hat = w_hat * inv_k2
        u = ifft2(1j * ky * psi_hat).real
        v = ifft2(-1j * kx * psi_hat).real
        wx = ifft2(1j * kx * w_hat).real
        wy = ifft2(1j * ky * w_hat).real
        return -1.0 * dealias * fft2(u * wx + v * wy) - nu * k2 * w_hat

    w_hat = fft2(w)
    enstrophy = np.zeros(steps)
    for n in range(steps):
        k1 = rhs(w_hat)
        k2_ = rhs(w_hat + dt / 2 * k1)
        k3 = rhs(w_hat + dt / 2 * k2_)
        k4 = rhs(w_hat + dt * k3)
        w_hat += dt / 6 * (k1 + 2 * k2_ + 2 * k3 + k4)
        enstrophy[n] = 0.5 * np.mean(np.abs(w_hat)**2) / N**2
    shells = np.rint(np.sqrt(k2)).astype(int)
    spectrum = np.bincount(shells.ravel(), weights=(np.abs(w_hat)**2 * inv_k2).ravel())
    return enstrophy[-1], ifft2(w_hat).real, spectrum, enstrophy


ENTRY = "simulate"


def make_arguments(rng, n):
    N = 4 * n
    return rng.normal(size=(N, N)), 1e-2, 0.01, 4


GRADIENT = ("w", "nu")
ERRORS = []
