"""Pyramidal Lucas-Kanade tracking of feature points between two frames.

Lucas & Kanade (1981); iterative pyramidal scheme after Bouguet (2000).
"""
import numpy as np


def bilinear(image, rows, cols):
    """Sample at float positions, coordinates clamped to the border."""
    h, w = image.shape
    rows = np.clip(rows, 0.0, h - 1.0)
    cols = np.clip(cols, 0.0, w - 1.0)
    r0 = np.minimum(np.floor(rows).astype(int), h - 2)
    c0 = np.minimum(np.floor(cols).astype(int), w - 2)
    fr, fc = rows - r0, cols - c0
    return ((1 - fr) * (1 - fc) * image[r0, c0]
            + (1 - fr) * fc * image[r0, c0 + 1]
            + fr * (1 - fc) * image[r0 + 1, c0]
            + fr * fc * image[r0 + 1, c0 + 1])


def downsample(image):
    """1-2-1 blur in both directions, then every second pixel."""
    p = np.pad(image, 1, mode="edge")
    blurred = 0.25 * p[:-2] + 0.5 * p[1:-1] + 0.25 * p[2:]
    blurred = 0.25 * blurred[:, :-2] + 0.5 * blurred[:, 1:-1] + 0.25 * blurred[:, 2:]
    return blurred[::2, ::2]


def pyramid(image, levels):
    out = [image]
    for _ in range(levels - 1):
        if min(out[-1].shape) < 8:
            break
        out.append(downsample(out[-1]))
    return out


def track_at_level(I, J, point, guess, half, n_iter=10, eps=1e-3):
    """Newton iterations on the displacement of one window; returns (d, smallest eigenvalue)."""
    grid = np.arange(-half, half + 1)
    dr, dc = np.meshgrid(grid, grid, indexing="ij")
    r, c = point
    Ir, Ic = np.gradient(I)
    patch = bilinear(I, r + dr, c + dc)
    gr = bilinear(Ir, r + dr, c + dc)
    gc = bilinear(Ic, r + dr, c + dc)
    G = np.array([[np.sum(gr * gr), np.sum(gr * gc)],
                  [np.sum(gr * gc), np.sum(gc * gc)]])
    min_eig = np.linalg.eigvalsh(G)[0]
    d = np.array(guess, dtype=float)
    if min_eig < 1e-8:
        return d, min_eig
    for _ in range(n_iter):
        moved = bilinear(J, r + d[0] + dr, c + d[1] + dc)
        diff = patch - moved
        b = np.array([np.sum(diff * gr), np.sum(diff * gc)])
        step = np.linalg.solve(G, b)
        d += step
        if np.sqrt(step @ step) < eps:
            break
    return d, min_eig


def window_residual(I, J, point, d, half):
    grid = np.arange(-half, half + 1)
    dr, dc = np.meshgrid(grid, grid, indexing="ij")
    r, c = point
    diff = bilinear(I, r + dr, c + dc) - bilinear(J, r + d[0] + dr, c + d[1] + dc)
    return np.sqrt(np.mean(diff ** 2))


def track_points(frame0, frame1, points, half=2, levels=2):
    """Optical flow of each point from frame0 to frame1.

    Returns flows (m, 2), a boolean mask of trustworthy tracks, the RMS residual of every
    window and the median flow of the trusted ones.
    """
    if frame0.shape != frame1.shape:
        raise ValueError(f"frames differ in shape: {frame0.shape} and {frame1.shape}")
    points = np.atleast_2d(np.asarray(points, dtype=float))
    h, w = frame0.shape
    inside = (points >= 0).all(axis=1) & (points[:, 0] < h) & (points[:, 1] < w)
    if not inside.all():
        bad = points[~inside][0]
        raise ValueError(f"point ({bad[0]:.1f}, {bad[1]:.1f}) lies outside the image")

    pyr0, pyr1 = pyramid(frame0, levels), pyramid(frame1, levels)
    flows, eigs, errors = [], [], []
    for point in points:
        d = np.zeros(2)
        for level in range(len(pyr0) - 1, -1, -1):
            d, eig = track_at_level(pyr0[level], pyr1[level], point / 2 ** level, d, half)
            if level > 0:
                d = 2.0 * d
        flows.append(d)
        eigs.append(eig)
        errors.append(window_residual(frame0, frame1, point, d, half))

    flows = np.array(flows)
    eigs = np.array(eigs)
    trusted = (eigs > 1e-3) & (np.array(errors) < 0.2)
    centre = np.median(flows[trusted], axis=0) if trusted.any() else np.zeros(2)
    return flows, trusted, np.array(errors), centre


ENTRY = "track_points"


def _scene(rr, cc):
    return np.sin(0.5 * rr) * np.cos(0.4 * cc) + 0.3 * np.sin(0.2 * rr + 0.35 * cc)


def make_arguments(rng, n):
    size = 18
    rr, cc = np.mgrid[:size, :size].astype(float)
    shift = rng.uniform(-0.8, 0.8, size=2)
    points = rng.uniform(4.0, size - 5.0, size=(n, 2))
    return (_scene(rr, cc), _scene(rr - shift[0], cc - shift[1]), points)


GRADIENT = ("frame0", "frame1")
ERRORS = [
    (lambda rng, n: (rng.random((9, 9)), rng.random((9, 8)), np.ones((1, 2))), ValueError),
    (lambda rng, n: (rng.random((9, 9)), rng.random((9, 9)), np.full((n, 2), 40.0)), ValueError),
]
