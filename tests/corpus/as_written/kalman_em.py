"""A linear Gaussian state space model: filter, Rauch-Tung-Striebel smoother, and EM for its matrices.

Shumway & Stoffer, An approach to time series smoothing and forecasting using the EM algorithm (1982).
"""
from typing import NamedTuple

import numpy as np


class Model(NamedTuple):
    A: np.ndarray
    C: np.ndarray
    Q: np.ndarray
    R: np.ndarray
    m0: np.ndarray
    P0: np.ndarray


def kalman_filter(model, Y):
    A, C, Q, R, m0, P0 = model
    T, d = len(Y), len(m0)
    m_pred, P_pred = np.zeros((T, d)), np.zeros((T, d, d))
    m_filt, P_filt = np.zeros((T, d)), np.zeros((T, d, d))
    loglik = 0.0
    m, P = m0, P0
    for t, y in enumerate(Y):
        if t > 0:
            m = A @ m
            P = A @ P @ A.T + Q
        m_pred[t], P_pred[t] = m, P
        S = C @ P @ C.T + R
        e = y - C @ m
        K = np.linalg.solve(S, C @ P).T
        m = m + K @ e
        P = P - K @ S @ K.T
        _, logdet = np.linalg.slogdet(S)
        loglik += -0.5 * (logdet + e @ np.linalg.solve(S, e) + len(y) * np.log(2 * np.pi))
        m_filt[t], P_filt[t] = m, P
    return loglik, m_pred, P_pred, m_filt, P_filt


def rts_smoother(model, m_pred, P_pred, m_filt, P_filt):
    T = len(m_filt)
    m, P = m_filt.copy(), P_filt.copy()
    cross = np.zeros_like(P)
    for t in reversed(range(T - 1)):
        J = P_filt[t] @ model.A.T @ np.linalg.inv(P_pred[t + 1])
        m[t] += J @ (m[t + 1] - m_pred[t + 1])
        P[t] += J @ (P[t + 1] - P_pred[t + 1]) @ J.T
        cross[t + 1] = P[t + 1] @ J.T
    return m, P, cross


def m_step(model, Y, m, P, cross):
    T = len(Y)
    second = P + np.einsum("ti,tj->tij", m, m)
    lagged = cross[1:] + np.einsum("ti,tj->tij", m[1:], m[:-1])
    S11, S10, S00 = second[1:].sum(axis=0), lagged.sum(axis=0), second[:-1].sum(axis=0)
    A = np.linalg.solve(S00.T, S10.T).T
    Q = (S11 - A @ S10.T) / (T - 1)
    C = np.linalg.solve(second.sum(axis=0).T, (Y.T @ m).T).T
    R = (Y.T @ Y - C @ (m.T @ Y)) / T
    return model._replace(A=A, C=C, Q=0.5 * (Q + Q.T), R=0.5 * (R + R.T), m0=m[0], P0=P[0])


def em(model, Y, n_iter=5):
    history = []
    for _ in range(n_iter):
        loglik, *moments = kalman_filter(model, Y)
        history.append(loglik)
        m, P, cross = rts_smoother(model, *moments)
        model = m_step(model, Y, m, P, cross)
    return kalman_filter(model, Y)[0], model, np.array(history), m


ENTRY = "em"


def make_arguments(rng, n):
    Y = np.cumsum(rng.normal(size=(6 * n, 2)), axis=0) * 0.5
    A = np.array([[0.9, 0.1], [0.0, 0.8]])
    model = Model(A, np.eye(2), 0.3 * np.eye(2), 0.5 * np.eye(2), np.zeros(2), np.eye(2))
    return model, Y, 4


GRADIENT = ("Y",)
ERRORS = []
