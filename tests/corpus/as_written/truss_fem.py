"""Plane trusses by the direct stiffness method: displacements, bar forces, reactions, utilisation.

Nodes are rows of coordinates, bars pairs of node numbers.
"""
from typing import NamedTuple

import numpy as np


class Section(NamedTuple):
    area: float
    modulus: float = 210e9
    yield_stress: float = 235e6


class Mechanism(Exception):
    """The structure can move without strain."""


def element_stiffness(p, q, section):
    """4 x 4 stiffness of a bar, its direction and its length."""
    d = q - p
    length = np.linalg.norm(d)
    if length < 1e-9:
        raise ValueError("a bar has no length")
    c, s = d / length
    T = np.array([c, s, -c, -s])
    return section.area * section.modulus / length * np.outer(T, T), T, length


def assemble(nodes, bars, section):
    K = np.zeros((2 * len(nodes), 2 * len(nodes)))
    for i, j in bars:
        k, _, _ = element_stiffness(nodes[i], nodes[j], section)
        dofs = [2 * i, 2 * i + 1, 2 * j, 2 * j + 1]
        K[np.ix_(dofs, dofs)] += k
    return K


def fixed_dofs(supports):
    """Supports are (node, "pin" | "roller") pairs."""
    dofs = []
    for node, kind in supports:
        if kind == "pin":
            dofs += [2 * node, 2 * node + 1]
        elif kind == "roller":
            dofs.append(2 * node + 1)
        else:
            raise ValueError(f"unknown support {kind!r}")
    return dofs


def solve_displacements(K, load, fixed):
    free = np.setdiff1d(np.arange(len(load)), fixed)
    reduced = K[np.ix_(free, free)]
    if np.linalg.matrix_rank(reduced) < len(free):
        raise Mechanism(f"{len(free)} degrees of freedom, but the stiffness is singular")
    u = np.zeros_like(load)
    u[free] = np.linalg.solve(reduced, load[free])
    reactions = K @ u - load
    return u, reactions[fixed]


def bar_forces(nodes, bars, section, u):
    forces = []
    for i, j in bars:
        _, T, length = element_stiffness(nodes[i], nodes[j], section)
        dofs = np.r_[2 * i:2 * i + 2, 2 * j:2 * j + 2]
        forces.append(section.area * section.modulus / length * (T[[0, 1]] @ (u[dofs][2:] - u[dofs][:2])) * -1.0)
    return -np.array(forces)


def euler_load(section, length):
    radius = np.sqrt(section.area / np.pi)
    inertia = np.pi * radius ** 4 / 4
    return np.pi ** 2 * section.modulus * inertia / length ** 2


def analyse_truss(nodes, bars, supports, load, section, safety=1.5):
    """Displacements, forces, reactions, and the bar with the highest utilisation."""
    nodes = np.asarray(nodes, dtype=float)
    if load.shape != nodes.shape:
        raise ValueError(f"loads {load.shape} do not match nodes {nodes.shape}")
    K = assemble(nodes, bars, section)
    fixed = fixed_dofs(supports)
    u, reactions = solve_displacements(K, load.ravel(), fixed)
    forces = bar_forces(nodes, bars, section, u)

    worst, worst_use = None, 0.0
    weight = 0.0
    for k, ((i, j), N) in enumerate(zip(bars, forces)):
        length = np.linalg.norm(nodes[j] - nodes[i])
        weight += 7850.0 * 9.81 * section.area * length
        limit = section.area * section.yield_stress
        if N < 0:
            limit = min(limit, euler_load(section, length))
        use = safety * abs(N) / limit
        if worst is None or use > worst_use:
            worst, worst_use = k, use
    energy = 0.5 * u @ K @ u
    return {"displacement": u.reshape(-1, 2), "forces": forces, "reactions": reactions, "worst": worst,
            "utilisation": worst_use, "energy": energy, "weight": weight, "ok": bool(worst_use <= 1.0)}


ENTRY = "analyse_truss"


def make_arguments(rng, n):
    panels = 2 + n // 3
    lower = np.column_stack([np.arange(panels + 1.0), np.zeros(panels + 1)])
    upper = np.column_stack([np.arange(panels) + 0.5, np.ones(panels)])
    nodes = np.vstack([lower, upper]) + 0.01 * rng.normal(size=(2 * panels + 1, 2))
    bars = [(k, k + 1) for k in range(panels)]
    for k in range(panels):
        bars += [(k, panels + 1 + k), (panels + 1 + k, k + 1)]
    bars += [(panels + 1 + k, panels + 2 + k) for k in range(panels - 1)]
    load = np.zeros_like(nodes)
    load[panels + 1:, 1] = -1e4 * rng.random(panels)
    return nodes, np.array(bars), ((0, "pin"), (panels, "roller")), load, Section(4e-4), 1.5


GRADIENT = ("nodes", "load")
ERRORS = [(lambda rng, n: (np.zeros((3, 2)), np.array([[0, 1], [1, 2]]), ((0, "pin"), (2, "roller")),
                           np.zeros((3, 2)), Section(1e-4)), ValueError),
          (lambda rng, n: (np.array([[0.0, 0], [1, 0], [2, 0]]), np.array([[0, 1], [1, 2]]),
                           ((0, "pin"), (2, "roller")), np.zeros((3, 2)), Section(1e-4)), Mechanism)]
