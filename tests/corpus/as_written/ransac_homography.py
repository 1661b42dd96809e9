"""RANSAC estimate of a plane homography from matched points, with the minimal samples given.

Fischler & Bolles (1981); normalised DLT after Hartley (1997).
"""
import math
from collections import namedtuple

import numpy as np

Estimate = namedtuple("Estimate", "error H inliers n_hypotheses area_ratio")


def normalising_transform(points):
    """Similarity that moves the centroid to 0 and the mean distance to sqrt(2)."""
    centre = points.mean(axis=0)
    mean_dist = np.mean(np.linalg.norm(points - centre, axis=1))
    s = math.sqrt(2) / mean_dist
    cx, cy = centre
    return np.array([[s, 0, -s * cx],
                     [0, s, -s * cy],
                     [0, 0, 1.0]])


def to_homogeneous(points):
    return np.concatenate([points, np.ones((len(points), 1))], axis=1)


def transfer(H, points):
    q = to_homogeneous(points) @ H.T
    return q[:, :2] / q[:, 2:3]


def fit_homography(src, dst):
    """Least squares with H[2, 2] = 1 in normalised coordinates."""
    T_src, T_dst = normalising_transform(src), normalising_transform(dst)
    p, q = transfer(T_src, src), transfer(T_dst, dst)
    A, b = [], []
    for (x, y), (u, v) in zip(p, q):
        A.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        A.append([0, 0, 0, x, y, 1, -v * x, -v * y])
        b += [u, v]
    A, b = np.array(A), np.array(b)
    h = np.linalg.solve(A.T @ A + 1e-12 * np.eye(8), A.T @ b)
    Hn = np.append(h, 1.0).reshape(3, 3)
    H = np.linalg.inv(T_dst) @ Hn @ T_src
    return H / H[2, 2]


def degenerate(points, tol=1e-3):
    """True if three of the four sample points are nearly collinear."""
    for skip in range(4):
        a, b, c = np.delete(points, skip, axis=0)
        (x1, y1), (x2, y2) = b - a, c - a
        if abs(x1 * y2 - x2 * y1) < tol:
            return True
    return False


def symmetric_error(H, src, dst):
    forward = np.sum((transfer(H, src) - dst) ** 2, axis=1)
    backward = np.sum((transfer(np.linalg.inv(H), dst) - src) ** 2, axis=1)
    return forward + backward


def hypotheses_needed(inlier_ratio, confidence=0.99):
    if inlier_ratio >= 1.0:
        return 1
    good = inlier_ratio ** 4
    if good < 1e-9:
        return math.inf
    return math.ceil(math.log(1 - confidence) / math.log(1 - good))


def ransac_homography(src, dst, samples, threshold=0.05):
    """samples: (n, 4) rows of distinct indices, tried in order with the usual early stop."""
    if src.shape != dst.shape or src.shape[1] != 2:
        raise ValueError(f"need two (n, 2) arrays, got {src.shape} and {dst.shape}")
    if len(src) < 4:
        raise ValueError("a homography needs four matches")
    if threshold <= 0:
        raise ValueError("threshold must be positive")

    best_inliers, best_cost = None, np.inf
    tried = 0
    needed = len(samples)
    for sample in samples:
        if tried >= needed:
            break
        tried += 1
        if degenerate(src[sample]) or degenerate(dst[sample]):
            continue
        try:
            H = fit_homography(src[sample], dst[sample])
            errors = symmetric_error(H, src, dst)
        except np.linalg.LinAlgError:
            continue
        inliers = errors < threshold ** 2
        cost = np.minimum(errors, threshold ** 2).sum()     # MSAC score
        if cost < best_cost and inliers.sum() >= 4:
            best_cost, best_inliers = cost, inliers
            needed = min(len(samples), hypotheses_needed(inliers.mean()))

    if best_inliers is None:
        raise ValueError("no sample gave four inliers")
    H = fit_homography(src[best_inliers], dst[best_inliers])
    error = np.sqrt(symmetric_error(H, src[best_inliers], dst[best_inliers]).mean())
    return Estimate(error, H, best_inliers, tried, abs(np.linalg.det(H[:2, :2])))


ENTRY = "ransac_homography"


def make_arguments(rng, n):
    m = 2 * n + 6
    src = rng.uniform(-1, 1, size=(m, 2))
    H = np.array([[1.1, 0.1, 0.3], [-0.08, 0.95, -0.2], [0.05, -0.03, 1.0]])
    dst = transfer(H, src) + 0.004 * rng.standard_normal((m, 2))
    outliers = rng.permutation(m)[:n // 3]
    dst[outliers] += rng.uniform(1, 2, size=(n // 3, 2))
    samples = np.array([rng.permutation(m)[:4] for _ in range(40)])
    return (src, dst, samples, 0.1)


GRADIENT = ("src", "dst")
ERRORS = [
    (lambda rng, n: (np.ones((3, 2)), np.ones((3, 2)), np.zeros((1, 4), dtype=int)), ValueError),
    (lambda rng, n: (np.ones((n + 4, 2)), np.ones((n + 4, 2)), np.array([[0, 1, 2, 3]])), ValueError),
]
