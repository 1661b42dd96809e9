"""Inverse kinematics of a six-joint arm by damped least squares on the geometric Jacobian.

Buss, Introduction to inverse kinematics (2004); Denavit & Hartenberg (1955).
"""
from functools import reduce

import numpy as np


def dh_matrix(a, alpha, d, theta):
    ct, st = np.cos(theta), np.sin(theta)
    ca, sa = np.cos(alpha), np.sin(alpha)
    return np.array([[ct, -st * ca, st * sa, a * ct],
                     [st, ct * ca, -ct * sa, a * st],
                     [0, sa, ca, d],
                     [0, 0, 0, 1]])


def forward(dh, q):
    frames = [np.eye(4)]
    for (a, alpha, d), theta in zip(dh, q):
        frames.append(frames[-1] @ dh_matrix(a, alpha, d, theta))
    return frames


def jacobian(frames):
    p_end = frames[-1][:3, 3]
    columns = []
    for T in frames[:-1]:
        z, p = T[:3, 2], T[:3, 3]
        columns.append(np.concatenate([np.cross(z, p_end - p), z]))
    return np.column_stack(columns)


def orientation_error(R, R_goal):
    E = R_goal @ R.T
    return 0.5 * np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]])


def solve_ik(dh, q0, goal, damping=0.05, tol=1e-10, max_iter=60):
    q = q0.copy()
    for iteration in range(max_iter):
        frames = forward(dh, q)
        T = frames[-1]
        error = np.r_[goal[:3, 3] - T[:3, 3], orientation_error(T[:3, :3], goal[:3, :3])]
        if np.linalg.norm(error) < tol:
            break
        J = jacobian(frames)
        q += J.T @ np.linalg.solve(J @ J.T + damping**2 * np.eye(6), error)
        q = (q + np.pi) % (2 * np.pi) - np.pi
    J = jacobian(forward(dh, q))
    manipulability = np.sqrt(np.linalg.det(J @ J.T))
    return manipulability, q, iteration, reduce(lambda A, B: A @ B, forward(dh, q))


ENTRY = "solve_ik"


def make_arguments(rng, n):
    dh = np.array([[0.0, np.pi / 2, 0.16], [-0.425, 0.0, 0.0], [-0.392, 0.0, 0.0], [0.0, np.pi / 2, 0.13],
                   [0.0, -np.pi / 2, 0.1], [0.0, 0.0, 0.1]])
    q = rng.uniform(-1, 1, size=6) + 0.2
    return dh, q + 0.1 * rng.normal(size=6), forward(dh, q)[-1]


GRADIENT = ()
ERRORS = []
