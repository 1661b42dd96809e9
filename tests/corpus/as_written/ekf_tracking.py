"""Extended Kalman filter and RTS smoother: robot with range-bearing landmarks.

Thrun, Burgard & Fox, *Probabilistic Robotics*, ch. 7 (EKF localisation) and
Rauch, Tung & Striebel (1965) for the smoother.
"""
from typing import NamedTuple

import numpy as np
from numpy import cos, sin


class Noise(NamedTuple):
    speed: float
    turn: float
    range: float
    bearing: float

    def measurement_cov(self):
        return np.diag([self.range ** 2, self.bearing ** 2])


class Belief(NamedTuple):
    mean: np.ndarray
    cov: np.ndarray


def wrap(angle):
    return (angle + np.pi) % (2 * np.pi) - np.pi


def motion(state, control, dt):
    x, y, th = state
    v, w = control
    mid = th + 0.5 * w * dt
    new = np.array([x + v * dt * cos(mid), y + v * dt * sin(mid), th + w * dt])
    Fx = np.array([[1.0, 0.0, -v * dt * sin(mid)],
                   [0.0, 1.0, v * dt * cos(mid)],
                   [0.0, 0.0, 1.0]])
    Fu = np.array([[dt * cos(mid), -0.5 * v * dt ** 2 * sin(mid)],
                   [dt * sin(mid), 0.5 * v * dt ** 2 * cos(mid)],
                   [0.0, dt]])
    return new, Fx, Fu


def observe(state, landmark):
    x, y, th = state
    dx, dy = landmark[0] - x, landmark[1] - y
    q = dx * dx + dy * dy
    r = np.sqrt(q)
    z = np.array([r, wrap(np.arctan2(dy, dx) - th)])
    H = np.array([[-dx / r, -dy / r, 0.0],
                  [dy / q, -dx / q, -1.0]])
    return z, H


def predict(belief, control, noise, dt):
    mean, Fx, Fu = motion(belief.mean, control, dt)
    M = np.diag([noise.speed ** 2, noise.turn ** 2])
    return Belief(mean, Fx @ belief.cov @ Fx.T + Fu @ M @ Fu.T), Fx


def update(belief, z, landmark, R, gate):
    """Joseph-form update; a measurement outside the gate is skipped."""
    z_hat, H = observe(belief.mean, landmark)
    innov = z - z_hat
    innov[1] = wrap(innov[1])
    S = H @ belief.cov @ H.T + R
    S_inv = np.linalg.inv(S)
    nis = innov @ S_inv @ innov
    if nis > gate:
        return belief, None
    K = belief.cov @ H.T @ S_inv
    mean = belief.mean + K @ innov
    A = np.eye(3) - K @ H
    cov = A @ belief.cov @ A.T + K @ R @ K.T
    _, logdet = np.linalg.slogdet(2 * np.pi * S)
    return Belief(mean, cov), -0.5 * (nis + logdet)


def rts_smooth(filtered, predicted, jacobians):
    smoothed = [filtered[-1]]
    for f, p, F in zip(filtered[-2::-1], predicted[::-1], jacobians[::-1]):
        nxt = smoothed[-1]
        C = f.cov @ F.T @ np.linalg.inv(p.cov)
        mean = f.mean + C @ (nxt.mean - p.mean)
        cov = f.cov + C @ (nxt.cov - p.cov) @ C.T
        smoothed.append(Belief(mean, cov))
    smoothed.reverse()
    return smoothed


def track(start, controls, measurements, landmarks, noise, dt=0.5, gate=30.0):
    """measurements has shape (steps, n_landmarks, 2). Returns (loglik, means, smooth means, traces, n_rejected)."""
    if len(controls) != len(measurements):
        raise ValueError(f"{len(controls)} controls but {len(measurements)} scans")
    if min(noise) <= 0:
        raise ValueError(f"noise levels must be positive: {noise}")
    if measurements.shape[1] != len(landmarks):
        raise ValueError("one measurement per landmark expected")
    R = noise.measurement_cov()
    belief = Belief(np.asarray(start, dtype=float), np.diag([0.2, 0.2, 0.05]) ** 2)
    filtered, predicted, jacobians = [belief], [], []
    loglik, rejected = 0.0, 0
    for u, scan in zip(controls, measurements):
        belief, F = predict(belief, u, noise, dt)
        predicted.append(belief)
        jacobians.append(F)
        for z, lm in zip(scan, landmarks):
            belief, ll = update(belief, z, lm, R, gate)
            if ll is None:
                rejected += 1
                continue
            loglik += ll
        filtered.append(belief)

    smoothed = rts_smooth(filtered, predicted, jacobians)
    means = np.array([b.mean for b in filtered])
    smooth_means = np.array([b.mean for b in smoothed])
    traces = np.array([np.trace(b.cov) for b in smoothed])
    return loglik, means, smooth_means, traces, rejected


ENTRY = "track"


def make_arguments(rng, n):
    landmarks = np.array([[4.0, 1.0], [-1.0, 5.0], [6.0, 6.0]])
    controls = np.column_stack([np.full(n, 1.0), np.full(n, 0.3)]) + 0.02 * rng.normal(size=(n, 2))
    state, scans = np.zeros(3), []
    for u in controls:
        state, *_ = motion(state, u + 0.05 * rng.normal(size=2), 0.5)
        scans.append([observe(state, lm)[0] + np.array([0.1, 0.03]) * rng.normal(size=2) for lm in landmarks])
    return (np.zeros(3), controls, np.array(scans), landmarks, Noise(0.1, 0.08, 0.12, 0.04))


GRADIENT = ("start", "controls", "measurements", "landmarks", "noise")
ERRORS = [(lambda rng, n: (np.zeros(3), np.ones((n, 2)), np.ones((n + 1, 1, 2)), np.ones((1, 2)),
                           Noise(0.1, 0.1, 0.1, 0.1)), ValueError),
          (lambda rng, n: (np.zeros(3), np.ones((n, 2)), np.ones((n, 1, 2)), np.ones((1, 2)),
                           Noise(0.1, 0.0, 0.1, 0.1)), ValueError)]
