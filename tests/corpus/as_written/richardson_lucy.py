"""Deconvolution of an image after Richardson and Lucy, with Wiener's filter beside it.

Richardson (1972); Lucy (1974).
"""
import numpy as np
from scipy.ndimage import gaussian_filter
from scipy.signal import convolve2d, fftconvolve


def gaussian_psf(size, sigma):
    ax = np.arange(size) - size // 2
    xx, yy = np.meshgrid(ax, ax)
    psf = np.exp(-(xx**2 + yy**2) / (2.0 * sigma**2))
    return psf / psf.sum()


def richardson_lucy(image, psf, num_iter=10, filter_epsilon=1e-12):
    im_deconv = np.full(image.shape, 0.5)
    psf_mirror = np.flip(psf)
    for _ in range(num_iter):
        conv = fftconvolve(im_deconv, psf, mode="same") + filter_epsilon
        relative_blur = np.where(conv < filter_epsilon, 0, image / conv)
        im_deconv *= fftconvolve(relative_blur, psf_mirror, mode="same")
    im_deconv[im_deconv > 1] = 1
    im_deconv[im_deconv < -1] = -1
    return im_deconv


def wiener(image, psf, balance):
    H = np.fft.rfft2(psf, s=image.shape)
    G = np.conj(H) / (np.abs(H) ** 2 + balance)
    shift = psf.shape[0] // 2
    return np.roll(np.fft.irfft2(G * np.fft.rfft2(image), s=image.shape), (shift, shift), axis=(0, 1))


def restore(truth, noise, sigma, num_iter):
    psf = gaussian_psf(5, sigma)
    blurred = convolve2d(truth, psf, mode="same") + noise
    restored = richardson_lucy(blurred, psf, num_iter)
    linear = wiener(blurred, psf, 0.05)
    mse = np.mean((gaussian_filter(restored, 0.5) - truth) ** 2)
    psnr = 10 * np.log10(1 / mse)
    return mse, psnr, restored, linear


ENTRY = "restore"


def make_arguments(rng, n):
    truth = np.zeros((10 + n, 12 + n))
    truth[3:7, 4:9] = 0.8
    return truth + 0.1, 0.01 * rng.random(truth.shape), 1.1, 6


GRADIENT = ("sigma", "noise")
ERRORS = []
