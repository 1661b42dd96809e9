"""Poisson's equation on a triangulated square by linear finite elements, assembled as triplets and solved sparsely.

Alberty, Carstensen & Funken, Remarks around 50 lines of Matlab, Numerical Algorithms 20 (1999).
"""
import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import spsolve


def unit_square(n):
    """Nodes, triangles and the numbers of the boundary nodes of a grid of n x n squares."""
    x, y = np.meshgrid(np.linspace(0, 1, n + 1), np.linspace(0, 1, n + 1))
    nodes = np.column_stack([x.ravel(), y.ravel()])
    i, j = np.meshgrid(np.arange(n), np.arange(n))
    corner = (j * (n + 1) + i).ravel()
    lower = np.column_stack([corner, corner + 1, corner + n + 2])
    upper = np.column_stack([corner, corner + n + 2, corner + n + 1])
    return nodes, np.vstack([lower, upper])


def element_matrices(nodes, triangles):
    p = nodes[triangles]
    b = p[:, [1, 2, 0], 1] - p[:, [2, 0, 1], 1]
    c = p[:, [2, 0, 1], 0] - p[:, [1, 2, 0], 0]
    area = 0.5 * (b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0])
    stiffness = (b[:, :, None] * b[:, None, :] + c[:, :, None] * c[:, None, :]) / (4 * area[:, None, None])
    return stiffness, area


def solve_poisson(nodes, triangles, load, n):
    """The compliance f . u, and u, with u = 0 on the boundary of the square."""
    Ke, area = element_matrices(nodes, triangles)
    if np.any(area <= 0):
        raise ValueError("a triangle is turned over")
    rows = np.repeat(triangles, 3, axis=1).ravel()
    cols = np.tile(triangles, (1, 3)).ravel()
    N = len(nodes)
    K = coo_matrix((Ke.ravel(), (rows, cols)), shape=(N, N)).tocsr()
    f = np.zeros(N)
    np.add.at(f, triangles, (load * area / 3)[:, None])
    index = np.arange(N)
    inside = (index % (n + 1) > 0) & (index % (n + 1) < n) & (index // (n + 1) > 0) & (index // (n + 1) < n)
    free = np.flatnonzero(inside)
    u = np.zeros(N)
    u[free] = spsolve(K[free][:, free], f[free])
    return f @ u, u


ENTRY = "solve_poisson"


def make_arguments(rng, n):
    nodes, triangles = unit_square(n + 1)
    nodes = nodes + 0.02 * rng.normal(size=nodes.shape)
    return nodes, triangles, 1.0, n + 1


GRADIENT = ("nodes", "load")
ERRORS = [(lambda rng, n: (unit_square(n)[0][::-1] * [1, -1], unit_square(n)[1], 1.0, n), ValueError)]
