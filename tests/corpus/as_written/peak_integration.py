"""Chromatograms: baseline by asymmetric least squares, peaks by derivatives, Gaussian fits, a calibration."""
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Peak:
    start: int
    apex: int
    end: int

    def window(self):
        return slice(self.start, self.end + 1)

    def __len__(self):
        return self.end - self.start + 1


def second_difference(n):
    D = np.zeros((n - 2, n))
    i = np.arange(n - 2)
    D[i, i], D[i, i + 1], D[i, i + 2] = 1.0, -2.0, 1.0
    return D


def baseline_als(y, lam=1e3, p=0.01, n_iter=8):
    D = second_difference(len(y))
    H = lam * D.T @ D
    w = np.ones_like(y)
    for _ in range(n_iter):
        z = np.linalg.solve(np.diag(w) + H, w * y)
        w = np.where(y > z, p, 1 - p)
    return z


def savgol(y, half=3, order=2):
    """Smoothed values and first derivative by local polynomials."""
    k = np.arange(-half, half + 1)
    coefficients = np.linalg.pinv(np.vander(k, order + 1, increasing=True))
    padded = np.pad(y, half, mode="edge")
    smooth = np.correlate(padded, coefficients[0], mode="valid")
    slope = np.correlate(padded, coefficients[1], mode="valid")
    return smooth, slope


def find_peaks(smooth, slope, threshold):
    peaks = []
    start = None
    for k in range(1, len(smooth) - 1):
        rising = slope[k] > 0 and smooth[k] > threshold
        if rising and start is None:
            start = k
        if start is not None and slope[k] <= 0 < slope[k - 1]:
            end = k
            while end + 1 < len(smooth) and smooth[end + 1] > threshold and slope[end + 1] < 0:
                end += 1
            peaks.append(Peak(start, k, end))
            start = None
    return peaks


def fit_gaussian(t, y):
    """Height, position and width from a parabola through the logarithms near the top."""
    keep = y > 0.3 * y.max()
    if keep.sum() < 3:
        raise ValueError(f"only {keep.sum()} points near the apex")
    a, b, c = np.polyfit(t[keep], np.log(y[keep]), 2, w=y[keep])
    if a >= 0:
        return y.max(), t[np.argmax(y)], np.nan
    return np.exp(c - b ** 2 / (4 * a)), -b / (2 * a), np.sqrt(-1 / (2 * a))


def calibrate(standards):
    """Slope and offset from (amount, area) rows."""
    amounts, areas = np.array(standards).T
    (slope, offset), _, rank, _ = np.linalg.lstsq(np.c_[areas, np.ones(len(areas))], amounts, rcond=None)
    if rank < 2:
        raise ValueError("the standards do not differ")
    return slope, offset


def analyse_run(t, signal, standards, noise=0.05):
    """Baseline, peaks with area, amount and plate number, resolution between neighbours."""
    if np.any(np.diff(t) <= 0):
        raise ValueError("times must increase")
    base = baseline_als(signal)
    y = signal - base
    smooth, slope = savgol(y)
    found = find_peaks(smooth, slope, 3 * noise)
    gain, offset = calibrate(standards)
    table = []
    for peak in found:
        if len(peak) < 5:
            continue
        inside = peak.window()
        area = np.trapezoid(y[inside], t[inside])
        height, centre, width = fit_gaussian(t[inside], np.maximum(y[inside], 1e-9))
        plates = (centre / width) ** 2 if not np.isnan(width) else 0.0
        table.append([centre, height, width, area, gain * area + offset, plates])
    resolution = [1.18 * (b[0] - a[0]) / (2.355 * (a[2] + b[2]) / 2) for a, b in zip(table, table[1:])]
    columns = np.array(table)
    return {"baseline": base, "n_peaks": len(table), "table": columns, "total": columns[:, 3].sum(),
            "resolution": min(resolution, default=0.0)}


ENTRY = "analyse_run"


def make_arguments(rng, n):
    t = np.linspace(0.0, 10.0, 60 + 2 * n)
    signal = 0.3 + 0.05 * t + 5 * np.exp(-((t - 3) / 0.4) ** 2 / 2) + 3 * np.exp(-((t - 6.5) / 0.5) ** 2 / 2)
    standards = [(1.0, 2.1), (2.0, 4.2), (4.0, 7.9), (8.0, 16.3)]
    return t, signal + 0.01 * rng.normal(size=t.size), standards


GRADIENT = ("signal",)
ERRORS = [(lambda rng, n: (np.zeros(30), np.ones(30), [(1.0, 2.0), (2.0, 4.0)]), ValueError),
          (lambda rng, n: (np.arange(30.0), np.ones(30), [(1.0, 2.0), (2.0, 2.0)]), ValueError)]
