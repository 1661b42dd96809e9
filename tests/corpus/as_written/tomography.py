"""Tomography: Radon's transform by turning the image, filtered back-projection, and SART.

Kak & Slaney, *Principles of Computerized Tomographic Imaging*, ch. 3 and 7.
"""
import numpy as np
from scipy.fft import fft, fftfreq, ifft
from scipy.ndimage import map_coordinates


def turned(image, angle):
    n = image.shape[0]
    c = (n - 1) / 2
    y, x = np.mgrid[0:n, 0:n] - c
    rows = c + np.cos(angle) * y + np.sin(angle) * x
    cols = c - np.sin(angle) * y + np.cos(angle) * x
    return map_coordinates(image, [rows, cols], order=1, mode="constant")


def radon(image, angles):
    sinogram = np.zeros((image.shape[0], len(angles)))
    for i, angle in enumerate(angles):
        sinogram[:, i] = turned(image, angle).sum(axis=0)
    return sinogram


def ramp_filter(sinogram):
    n = sinogram.shape[0]
    size = max(16, int(2 ** np.ceil(np.log2(2 * n))))
    padded = np.pad(sinogram, ((0, size - n), (0, 0)), mode="constant", constant_values=0)
    response = 2 * np.abs(fftfreq(size))[:, np.newaxis]
    return np.real(ifft(fft(padded, axis=0) * response, axis=0))[:n]


def back_projection(sinogram, angles):
    n = sinogram.shape[0]
    c = (n - 1) / 2
    y, x = np.mgrid[0:n, 0:n] - c
    positions = np.arange(n) - c
    image = np.zeros((n, n))
    for col, angle in zip(sinogram.T, angles):
        t = x * np.cos(angle) - y * np.sin(angle)
        image += np.interp(t, positions, col, left=0, right=0)
    return image * np.pi / (2 * len(angles))


def sart(sinogram, angles, image, sweeps, relaxation):
    n = image.shape[0]
    c = (n - 1) / 2
    y, x = np.mgrid[0:n, 0:n] - c
    positions = np.arange(n) - c
    weights = radon(np.ones((n, n)), angles)
    for _ in range(sweeps):
        for i in range(len(angles)):
            projected = turned(image, angles[i]).sum(axis=0)
            difference = (sinogram[:, i] - projected) / np.maximum(weights[:, i], 1e-3)
            t = x * np.cos(angles[i]) - y * np.sin(angles[i])
            image = image + relaxation * np.interp(t, positions, difference, left=0, right=0)
    return image


def reconstruct(image, angles, relaxation):
    if image.shape[0] != image.shape[1]:
        raise ValueError("the image must be square")
    sinogram = radon(image, angles)
    fbp = back_projection(ramp_filter(sinogram), angles)
    refined = sart(sinogram, angles, fbp, 2, relaxation)
    return np.sum((refined - image) ** 2), sinogram, fbp, refined


ENTRY = "reconstruct"


def make_arguments(rng, n):
    size = 9 + n
    y, x = np.mgrid[0:size, 0:size] / size - 0.5
    image = np.exp(-20 * (x**2 + y**2)) + 0.5 * (np.hypot(x - 0.1, y) < 0.2)
    return image, np.linspace(0, np.pi, 5 + n, endpoint=False) + 0.013, 0.3


GRADIENT = ("image", "relaxation")
ERRORS = [(lambda rng, n: (np.ones((4, 5)), np.ones(3), 0.1), ValueError)]
