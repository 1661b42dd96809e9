"""Harris corner detector with Gaussian window, non-maximum suppression and sub-pixel refinement.

Harris & Stephens, "A combined corner and edge detector", Alvey Vision Conference 1988.
"""
from typing import NamedTuple

import numpy as np


class Corner(NamedTuple):
    row: float
    col: float
    response: float

    def distance_to(self, other):
        return np.hypot(self.row - other.row, self.col - other.col)


def gaussian_kernel(sigma, truncate=2.5):
    radius = max(1, int(truncate * sigma + 0.5))
    x = np.arange(-radius, radius + 1)
    k = np.exp(-0.5 * (x / sigma) ** 2)
    return k / k.sum()


def smooth_axis(image, kernel, axis):
    return np.apply_along_axis(lambda line: np.convolve(np.pad(line, len(kernel) // 2, mode="edge"),
                                                        kernel, mode="valid"), axis, image)


def gaussian_smooth(image, sigma):
    kernel = gaussian_kernel(sigma)
    return smooth_axis(smooth_axis(image, kernel, 0), kernel, 1)


def structure_tensor(image, sigma):
    Iy, Ix = np.gradient(image)
    return tuple(gaussian_smooth(prod, sigma) for prod in (Ix * Ix, Ix * Iy, Iy * Iy))


def harris_response(image, sigma, k):
    Sxx, Sxy, Syy = structure_tensor(image, sigma)
    det = Sxx * Syy - Sxy ** 2
    trace = Sxx + Syy
    return det - k * trace ** 2


def is_local_max(R, i, j):
    patch = R[i - 1:i + 2, j - 1:j + 2]
    return R[i, j] == patch.max()


def refine(R, i, j):
    """Vertex of the paraboloid through the 3 x 3 neighbourhood."""
    dr = 0.5 * (R[i + 1, j] - R[i - 1, j])
    dc = 0.5 * (R[i, j + 1] - R[i, j - 1])
    rr = R[i + 1, j] - 2 * R[i, j] + R[i - 1, j]
    cc = R[i, j + 1] - 2 * R[i, j] + R[i, j - 1]
    rc = 0.25 * (R[i + 1, j + 1] - R[i + 1, j - 1] - R[i - 1, j + 1] + R[i - 1, j - 1])
    H = np.array([[rr, rc], [rc, cc]])
    if abs(np.linalg.det(H)) < 1e-14:
        return Corner(float(i), float(j), R[i, j])
    offset = -np.linalg.solve(H, np.array([dr, dc]))
    offset = np.clip(offset, -0.5, 0.5)
    value = R[i, j] + 0.5 * (dr * offset[0] + dc * offset[1])
    return Corner(i + offset[0], j + offset[1], value)


def thin_out(corners, min_distance, limit):
    """Greedy selection by falling response."""
    chosen = []
    for candidate in sorted(corners, key=lambda c: -c.response):
        if all(candidate.distance_to(c) >= min_distance for c in chosen):
            chosen.append(candidate)
        if len(chosen) == limit:
            break
    return chosen


def find_corners(image, sigma=1.0, k=0.05, rel_threshold=0.05, min_distance=2.0, limit=10):
    """Response map, corner positions (m, 2) and strengths (m,), strongest first."""
    if image.ndim != 2:
        raise ValueError(f"image has {image.ndim} axes, expected 2")
    rows, cols = image.shape
    if rows < 5 or cols < 5:
        raise ValueError(f"image {rows} x {cols} is too small")
    if not 0.0 < k < 0.25:
        raise ValueError(f"k = {k} out of range")

    R = harris_response(image, sigma, k)
    cutoff = rel_threshold * R.max()
    candidates = []
    for i in range(1, rows - 1):
        for j in range(1, cols - 1):
            if R[i, j] <= cutoff:
                continue
            if is_local_max(R, i, j):
                candidates.append(refine(R, i, j))
    corners = thin_out(candidates, min_distance, limit)
    positions = np.array([[c.row, c.col] for c in corners]).reshape(-1, 2)
    strengths = np.array([c.response for c in corners])
    return R, positions, strengths


ENTRY = "find_corners"


def make_arguments(rng, n):
    size = n + 6
    image = np.zeros((size, size))
    image[size // 4:3 * size // 4, size // 3:] = 1.0
    return (image + 0.03 * rng.standard_normal(image.shape), float(rng.uniform(0.8, 1.3)), 0.05)


GRADIENT = ("image", "sigma", "k")
ERRORS = [
    (lambda rng, n: (rng.random((3, n)),), ValueError),
    (lambda rng, n: (rng.random((n + 6, n + 6)), 1.0, 0.5), ValueError),
]
