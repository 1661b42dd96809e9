"""Eigenvalues, determinants and singular values of degenerate matrices."""

import numpy as np

from tests.harness.reports import Reports

REPORTS = Reports(__name__)


# Eigenvalues and vectors where some eigenvalues are equal


def tilt(t):
    m = np.array([[4.0, t, 0.0], [t, 1.0, 0.0], [0.0, 0.0, 1.0]])
    w, v = np.linalg.eigh(m)
    return v[1, 2] / v[0, 2]


REPORTS.slope("slope of a lone eigenvector", tilt, 0.0, want=1 / 3)


def trace_square(m):
    w, v = np.linalg.eigh(m)
    return np.sum(w**2)


REPORTS.slope("eigenvalues of the identity", trace_square, np.eye(3) * 2.0, want=np.eye(3) * 4.0)


# Determinants and singular values of degenerate matrices


def det(x):
    return np.linalg.det(x)


REPORTS.slope("det of zeros", det, np.zeros((4, 4)), want=np.zeros((4, 4)))
REPORTS.slope(
    "det of rank 2 of 3",
    det,
    np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 9]]),
    want=np.array([[-3.0, 6, -3], [6, -12, 6], [-3, 6, -3]]),
)


def rebuilt_norm(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return np.linalg.norm((u * s) @ vh)


DEGENERATE = np.diag([1.0, 1, 2, 3])

REPORTS.slope("equal singular values, rebuilt", rebuilt_norm, DEGENERATE, want=DEGENERATE / np.linalg.norm(DEGENERATE))


# Determinants of singular matrices in other forms

REPORTS.tangent("det in forward mode, zeros", det, (np.zeros((2, 2)),), (np.eye(2),), want=0.0)
REPORTS.slope("det of 1 by 1 zero", det, np.zeros((1, 1)), want=np.ones((1, 1)))


def det_squared(x):
    return np.linalg.det(x) ** 2


REPORTS.slope("det squared at a singular matrix", det_squared, np.ones((2, 2)), want=np.zeros((2, 2)))
REPORTS.value("det value of singular", det, np.ones((3, 3)))
