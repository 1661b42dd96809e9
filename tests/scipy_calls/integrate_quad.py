"""Integrals to a tolerance, with parameters that the function sees and in `args`."""

import numpy as np

HEAD = """
from scipy.integrate import dblquad, quad, quad_vec


def bell(x, s, m):
    return np.exp(-((x - m) ** 2) / (2.0 * s * s))
"""
ARRAYS = {"s": np.float64(0.7), "m": np.float64(0.2), "b": np.float64(1.7), "w": np.array([0.5, 1.5, 2.5])}
RTOL = 1e-10
CALLS = """
quad(bell, 0.0, b, args=(s, m))
quad(bell, b, 0.0, args=(s, m))
quad(bell, -np.inf, np.inf, args=(s, m))[0]
quad(bell, 0.0, np.inf, (s, m))[0]
quad(bell, -np.inf, b, (s, m))[0]
quad(bell, b, -np.inf, (s, m))[0]
quad(lambda x: np.exp(-s * x) * np.sin(20.0 * x), 0.0, 4.0)[0]
quad(lambda x: abs(x - m), 0.0, b, epsabs=1e-11)[0]
quad(lambda x: x**3, 0.0, 2)[0]
dblquad(lambda y, x: x * y**2 * s, 0.0, b, lambda x: 0.0, lambda x: x)[0]
dblquad(lambda y, x: np.exp(-s * x * y), 0.0, b, 0.0, 1.0)[0]
quad_vec(lambda x: np.sin(w * x) * s, 0.0, b)[0]
"""
SMOOTH = """
quad(bell, 0.0, b, args=(s, m))[0]
quad(bell, -np.inf, np.inf, args=(s, m))[0]
quad(bell, -np.inf, b, (s, m))[0]
quad(lambda x: np.exp(-s * x) * np.sin(20.0 * x), 0.0, b)[0]
dblquad(lambda y, x: np.exp(-s * x * y), 0.0, b, 0.0, lambda x: x)[0]
quad_vec(lambda x: np.sin(w * x) * s, 0.0, b)[0]
"""
