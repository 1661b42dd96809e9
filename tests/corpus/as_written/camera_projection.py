"""Pinhole camera with radial-tangential distortion: projection, DLT triangulation, reprojection error.

Hartley & Zisserman, "Multiple View Geometry", ch. 6 and 12; distortion after Brown (1966).
"""
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Distortion(NamedTuple):
    k1: float = 0.0
    k2: float = 0.0
    p1: float = 0.0
    p2: float = 0.0

    def apply(self, x, y):
        r2 = x * x + y * y
        radial = 1 + self.k1 * r2 + self.k2 * r2 ** 2
        xd = x * radial + 2 * self.p1 * x * y + self.p2 * (r2 + 2 * x * x)
        yd = y * radial + self.p1 * (r2 + 2 * y * y) + 2 * self.p2 * x * y
        return xd, yd

    def remove(self, xd, yd, n_iter=8):
        """Fixed-point inversion."""
        x, y = xd, yd
        for _ in range(n_iter):
            r2 = x * x + y * y
            radial = 1 + self.k1 * r2 + self.k2 * r2 ** 2
            dx = 2 * self.p1 * x * y + self.p2 * (r2 + 2 * x * x)
            dy = self.p1 * (r2 + 2 * y * y) + 2 * self.p2 * x * y
            x, y = (xd - dx) / radial, (yd - dy) / radial
        return x, y


@dataclass(frozen=True)
class Intrinsics:
    fx: float
    fy: float
    cx: float
    cy: float
    distortion: Distortion = Distortion()

    @property
    def matrix(self):
        return np.array([[self.fx, 0.0, self.cx], [0.0, self.fy, self.cy], [0.0, 0.0, 1.0]])


@dataclass(frozen=True)
class Camera:
    intrinsics: Intrinsics
    rotvec: np.ndarray
    translation: np.ndarray

    @property
    def rotation(self):
        return rodrigues(self.rotvec)

    @property
    def centre(self):
        return -self.rotation.T @ self.translation

    def to_camera(self, points):
        return points @ self.rotation.T + self.translation

    def project(self, points):
        x, y, z = self.to_camera(points).T
        if np.any(z <= 0):
            raise ValueError(f"{int((z <= 0).sum())} points behind the camera")
        K = self.intrinsics
        xd, yd = K.distortion.apply(x / z, y / z)
        return np.stack([K.fx * xd + K.cx, K.fy * yd + K.cy], axis=-1)

    def normalise(self, pixels):
        """Undistorted rays on the plane z = 1."""
        K = self.intrinsics
        u, v = pixels[:, 0], pixels[:, 1]
        x, y = K.distortion.remove((u - K.cx) / K.fx, (v - K.cy) / K.fy)
        return np.column_stack((x, y))


def skew(v):
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def rodrigues(rotvec):
    theta = np.linalg.norm(rotvec)
    if theta < 1e-9:
        return np.eye(3) + skew(rotvec)
    k = skew(rotvec / theta)
    return np.eye(3) + np.sin(theta) * k + (1 - np.cos(theta)) * (k @ k)


def triangulate(cameras, rays):
    """Linear triangulation of one point: rows x P3 - P1, y P3 - P2, solved in least squares."""
    rows, rhs = [], []
    for camera, (x, y) in zip(cameras, rays):
        P = np.hstack([camera.rotation, camera.translation[:, None]])
        for value, row in ((x, P[0]), (y, P[1])):
            equation = value * P[2] - row
            rows.append(equation[:3])
            rhs.append(-equation[3])
    A, b = np.array(rows), np.array(rhs)
    return np.linalg.solve(A.T @ A, A.T @ b)


def reconstruct(cameras, observations, reference_points):
    """Triangulate all points from their pixels in every camera and measure reprojection.

    observations: (n_cameras, n_points, 2) pixels. Returns RMS reprojection error, the points,
    RMS distance from the reference, and the baseline between the first two cameras.
    """
    if len(cameras) < 2:
        raise ValueError(f"triangulation needs two cameras, got {len(cameras)}")
    n_cams, n_points, _ = observations.shape
    if n_cams != len(cameras):
        raise ValueError(f"{len(cameras)} cameras but observations from {n_cams}")

    rays = [camera.normalise(px) for camera, px in zip(cameras, observations)]
    points = np.array([triangulate(cameras, [r[j] for r in rays]) for j in range(n_points)])
    residual = np.stack([camera.project(points) for camera in cameras]) - observations
    rms = np.sqrt(np.mean(np.sum(residual ** 2, axis=-1)))
    offset = points - reference_points
    return {
        "reprojection_rms": rms,
        "points": points,
        "reference_rms": np.sqrt(np.mean(np.einsum("ij,ij->i", offset, offset))),
        "baseline": np.linalg.norm(cameras[0].centre - cameras[1].centre),
        "worst": np.abs(residual).max(axis=(0, 1)),
    }


ENTRY = "reconstruct"


def _cameras(rng, m=3):
    intr = Intrinsics(500.0, 510.0, 320.0, 240.0, Distortion(-0.1, 0.01, 1e-3, -5e-4))
    return [Camera(intr, 0.1 * rng.standard_normal(3), np.array([0.5 * i, 0.1 * i, 4.0])) for i in range(m)]


def make_arguments(rng, n):
    cameras = _cameras(rng)
    points = rng.uniform(-1.0, 1.0, size=(n, 3))
    pixels = np.stack([c.project(points) for c in cameras]) + 0.3 * rng.standard_normal((3, n, 2))
    return (cameras, pixels, points)


GRADIENT = ("cameras", "observations", "reference_points")
ERRORS = [
    (lambda rng, n: (_cameras(rng, 1), np.zeros((1, n, 2)), np.zeros((n, 3))), ValueError),
    (lambda rng, n: (_cameras(rng, 3), np.zeros((2, n, 2)), np.zeros((n, 3))), ValueError),
]
