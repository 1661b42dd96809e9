"""Case study: track a moving target in the plane from noisy fixes, then smooth its path."""

import math
from typing import NamedTuple

import numpy as np


class Tracker(NamedTuple):
    """What the filter assumes: variances, the time between fixes, and how far off a fix may be."""

    acceleration_variance: float
    fix_variance: float
    interval: float
    gate: float


class Track(NamedTuple):
    """The smoothed path, its last velocity, and how likely the fixes were."""

    positions: np.ndarray
    velocity: np.ndarray
    log_likelihood: float


def _inverse_of_two_by_two(matrix):
    determinant = matrix[0, 0] * matrix[1, 1] - matrix[0, 1] * matrix[1, 0]
    adjugate = np.array([[matrix[1, 1], -matrix[0, 1]], [-matrix[1, 0], matrix[0, 0]]])
    return adjugate / determinant, determinant


def _solve_symmetric(matrix, right):
    """Solve with a positive definite matrix and several right sides by Cholesky's method."""
    n = len(matrix)
    lower = np.zeros((n, n))
    for j in range(n):
        for i in range(j, n):
            rest = matrix[i, j] - lower[i, :j] @ lower[j, :j]
            lower[i, j] = math.sqrt(rest) if i == j else rest / lower[j, j]
    solution = right.copy()
    for i in range(n):
        solution[i] = (solution[i] - lower[i, :i] @ solution[:i]) / lower[i, i]
    for i in range(n - 1, -1, -1):
        solution[i] = (solution[i] - lower[i + 1 :, i] @ solution[i + 1 :]) / lower[i, i]
    return solution


def track_target(fixes, tracker):
    """Kalman filter with gating, then the Rauch-Tung-Striebel smoother.

    The state is (x, y, x velocity, y velocity).  A fix whose squared distance from the prediction, in units of its
    own covariance, is beyond the gate counts for less, as in a robust regression.
    """
    n_fixes = len(fixes)
    dt = tracker.interval

    # The motion: constant velocity, disturbed by a random acceleration.
    motion = np.eye(4)
    motion[0, 2] = dt
    motion[1, 3] = dt
    disturbance = np.zeros((4, 4))
    for axis in range(2):
        disturbance[axis, axis] = dt**4 / 4.0
        disturbance[axis, axis + 2] = dt**3 / 2.0
        disturbance[axis + 2, axis] = dt**3 / 2.0
        disturbance[axis + 2, axis + 2] = dt**2
    disturbance = tracker.acceleration_variance * disturbance + 1e-3 * np.eye(4)

    # Kept for the smoother: estimates after each fix, and predictions before it.
    estimates = np.zeros((n_fixes, 4))
    covariances = np.zeros((n_fixes, 4, 4))
    predictions = np.zeros((n_fixes, 4))
    predicted_covariances = np.zeros((n_fixes, 4, 4))

    state = np.zeros(4)
    state[:2] = fixes[0]
    covariance = np.eye(4)
    covariance[:2, :2] *= tracker.fix_variance
    log_likelihood = 0.0

    for step in range(n_fixes):
        # Predict.
        if step > 0:
            state = motion @ state
            covariance = motion @ covariance @ motion.T + disturbance
        predictions[step] = state
        predicted_covariances[step] = covariance

        # How surprising is the fix?
        surprise = fixes[step] - state[:2]
        surprise_covariance = covariance[:2, :2] + tracker.fix_variance * np.eye(2)
        precision, determinant = _inverse_of_two_by_two(surprise_covariance)
        distance = surprise @ precision @ surprise
        log_likelihood -= 0.5 * (distance + math.log(determinant) + 2.0 * math.log(2.0 * math.pi))

        # Correct, by less when the fix is out of the gate.
        trust = 1.0
        if distance > tracker.gate:
            trust = tracker.gate / distance
        gain = trust * covariance[:, :2] @ precision
        state = state + gain @ surprise
        keep = np.eye(4)
        keep[:, :2] -= gain
        covariance = keep @ covariance @ keep.T + tracker.fix_variance * gain @ gain.T
        estimates[step] = state
        covariances[step] = covariance

    # Smooth, from the last fix back to the first.
    smoothed = estimates.copy()
    for step in range(n_fixes - 2, -1, -1):
        shared = motion @ covariances[step]
        gain = _solve_symmetric(predicted_covariances[step + 1], shared).T
        smoothed[step] = estimates[step] + gain @ (smoothed[step + 1] - predictions[step + 1])

    return Track(smoothed[:, :2], smoothed[-1, 2:], log_likelihood)


def _fixes(rng, n):
    time = np.arange(n)[:, None]
    path = np.array([0.8, -0.3]) * time + 0.05 * np.array([1.0, 2.0]) * time**2
    fixes = path + 0.4 * rng.standard_normal((n, 2))
    fixes[n // 2] += 3.0
    return fixes, Tracker(acceleration_variance=0.1, fix_variance=0.2, interval=1.0, gate=4.0)


ARGUMENTS = {"track_target": _fixes}

NO_GRADIENT = {}
