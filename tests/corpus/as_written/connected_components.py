"""Connected components of a thresholded image (union-find, two passes) and region properties.

Rosenfeld & Pfaltz (1966); Otsu threshold (1979); moments as in Haralick & Shapiro.
"""
from typing import NamedTuple

import numpy as np


class Region(NamedTuple):
    label: int
    area: int
    centroid: np.ndarray
    covariance: np.ndarray
    intensity: float
    bbox: tuple

    @property
    def axes(self):
        """Major and minor semi-axes of the ellipse with equal second moments."""
        minor, major = np.sqrt(np.maximum(np.linalg.eigvalsh(self.covariance), 0.0))
        return 2 * major, 2 * minor

    @property
    def extent(self):
        r0, c0, r1, c1 = self.bbox
        return self.area / ((r1 - r0) * (c1 - c0))


class UnionFind:
    def __init__(self):
        self.parent = [0]

    def make(self):
        self.parent.append(len(self.parent))
        return len(self.parent) - 1

    def find(self, a):
        while self.parent[a] != a:
            self.parent[a] = self.parent[self.parent[a]]
            a = self.parent[a]
        return a

    def union(self, a, b):
        ra, rb = self.find(a), self.find(b)
        if ra != rb:
            self.parent[max(ra, rb)] = min(ra, rb)


def otsu_threshold(image, bins=32):
    """Threshold with the largest between-class variance of the histogram."""
    counts, edges = np.histogram(image, bins=bins)
    centres = 0.5 * (edges[:-1] + edges[1:])
    p = counts / counts.sum()
    w0 = np.cumsum(p)
    mu = np.cumsum(p * centres)
    w1 = 1.0 - w0
    valid = (w0 > 0) & (w1 > 1e-12)
    between = np.zeros(bins)
    between[valid] = (mu[-1] * w0[valid] - mu[valid]) ** 2 / (w0[valid] * w1[valid])
    return edges[np.argmax(between) + 1]


def label_components(mask, connectivity):
    rows, cols = mask.shape
    labels = np.zeros(mask.shape, dtype=int)
    uf = UnionFind()
    before = [(-1, 0), (0, -1)]
    if connectivity == 8:
        before += [(-1, -1), (-1, 1)]
    for i in range(rows):
        for j in range(cols):
            if not mask[i, j]:
                continue
            neighbours = []
            for di, dj in before:
                p, q = i + di, j + dj
                if 0 <= p and 0 <= q < cols and labels[p, q] > 0:
                    neighbours.append(int(labels[p, q]))
            if not neighbours:
                labels[i, j] = uf.make()
                continue
            smallest = min(neighbours)
            labels[i, j] = smallest
            for other in neighbours:
                uf.union(smallest, other)
    remap = {}
    for i, j in np.argwhere(labels > 0):
        root = uf.find(int(labels[i, j]))
        labels[i, j] = remap.setdefault(root, len(remap) + 1)
    return labels, len(remap)


def describe(labels, image, label):
    member = labels == label
    coords = np.argwhere(member)
    weights = image[member]
    total = weights.sum()
    centroid = weights @ coords / total
    d = coords - centroid
    cov = np.einsum("n,ni,nj->ij", weights, d, d) / total + np.eye(2) / 12.0
    r0, c0 = coords.min(axis=0)
    r1, c1 = coords.max(axis=0) + 1
    return Region(label, len(coords), centroid, cov, total, (int(r0), int(c0), int(r1), int(c1)))


def analyse_blobs(image, threshold=None, connectivity=4, min_area=1):
    """Blobs brighter than the threshold, largest total intensity first."""
    if connectivity not in (4, 8):
        raise ValueError(f"connectivity is 4 or 8, not {connectivity}")
    if np.any(image <= 0):
        raise ValueError("the image must be positive")
    level = otsu_threshold(image) if threshold is None else threshold
    labels, count = label_components(image > level, connectivity)
    regions = [describe(labels, image, k) for k in range(1, count + 1)]
    regions = [r for r in regions if r.area >= min_area]
    regions.sort(key=lambda r: r.intensity, reverse=True)
    if not regions:
        return {"centroids": np.zeros((0, 2)), "count": 0, "threshold": level}
    return {
        "centroids": np.stack([r.centroid for r in regions]),
        "axes": np.array([r.axes for r in regions]),
        "areas": np.array([r.area for r in regions]),
        "intensity": np.array([r.intensity for r in regions]),
        "extent": [r.extent for r in regions],
        "labels": labels,
        "count": count,
        "threshold": level,
    }


ENTRY = "analyse_blobs"


def make_arguments(rng, n):
    size = n + 5
    rr, cc = np.mgrid[:size, :size]
    image = 0.1 + 0.05 * rng.random((size, size))
    for _ in range(3):
        r, c = rng.uniform(1, size - 1, size=2)
        image += np.exp(-((rr - r) ** 2 + (cc - c) ** 2) / 2.0)
    return (image, 0.5, 8)


GRADIENT = ("image",)
ERRORS = [
    (lambda rng, n: (rng.random((n + 2, n + 2)) + 0.1, None, 6), ValueError),
    (lambda rng, n: (-np.ones((n + 2, n + 2)),), ValueError),
]
