"""Iterative LQR that swings up a pendulum, with an LQR for the top from the Riccati equation.

Tassa, Erez & Todorov, Synthesis and stabilization of complex behaviors (2012).
"""
import numpy as np
from scipy.linalg import solve_discrete_are

DT = 0.05


def dynamics(x, u):
    theta, omega = x
    return np.array([theta + DT * omega, omega + DT * (9.81 * np.sin(theta) - 0.1 * omega + u[0])])


def linearize(x, u):
    A = np.array([[1.0, DT], [DT * 9.81 * np.cos(x[0]), 1 - 0.1 * DT]])
    B = np.array([[0.0], [DT]])
    return A, B


def rollout(x0, U):
    X = [x0]
    for u in U:
        X.append(dynamics(X[-1], u))
    return np.array(X)


def cost(X, U, Q, R, Qf):
    return 0.5 * sum(x @ Q @ x for x in X[:-1]) + 0.5 * sum(u @ R @ u for u in U) + 0.5 * X[-1] @ Qf @ X[-1]


def ilqr(x0, U, Q, R, Qf, n_iter=20):
    X = rollout(x0, U)
    J = cost(X, U, Q, R, Qf)
    mu = 1.0
    for it in range(n_iter):
        Vx, Vxx = Qf @ X[-1], Qf
        ks, Ks = [], []
        for t in range(len(U) - 1, -1, -1):
            A, B = linearize(X[t], U[t])
            Qx = Q @ X[t] + A.T @ Vx
            Qu = R @ U[t] + B.T @ Vx
            Qxx = Q + A.T @ Vxx @ A
            Quu = R + B.T @ Vxx @ B + mu * np.eye(1)
            Qux = B.T @ Vxx @ A
            k = -np.linalg.solve(Quu, Qu)
            K = -np.linalg.solve(Quu, Qux)
            Vx = Qx + K.T @ Quu @ k + K.T @ Qu + Qux.T @ k
            Vxx = Qxx + K.T @ Quu @ K + K.T @ Qux + Qux.T @ K
            ks.insert(0, k)
            Ks.insert(0, K)
        alpha, accepted = 1.0, False
        while alpha > 1e-4:
            X_new, U_new = [x0], []
            for t in range(len(U)):
                u = U[t] + alpha * ks[t] + Ks[t] @ (X_new[t] - X[t])
                U_new.append(u)
                X_new.append(dynamics(X_new[t], u))
            J_new = cost(X_new, U_new, Q, R, Qf)
            if J_new < J:
                accepted = True
                break
            alpha *= 0.5
        if not accepted:
            mu *= 4
            continue
        mu = max(mu / 4, 1e-6)
        done = J - J_new < 1e-7
        X, U, J = np.array(X_new), np.array(U_new), J_new
        if done:
            break
    A, B = linearize(np.zeros(2), np.zeros(1))
    P = solve_discrete_are(A, B, Q, R)
    gain = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
    return J, X, U, gain, it


ENTRY = "ilqr"


def make_arguments(rng, n):
    return (np.array([np.pi - 0.3, 0.0]), 0.1 * rng.normal(size=(5 * n, 1)), np.diag([0.1, 0.05]), 0.01 * np.eye(1),
            np.diag([20.0, 4.0]), 8)


GRADIENT = ("x0",)
ERRORS = []
