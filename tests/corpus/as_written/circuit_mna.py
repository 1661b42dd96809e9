"""Electric circuits by modified nodal analysis: resistors, capacitors, sources and diodes, Newton in every time step.

A netlist is a list of tuples (kind, node, node, value); node 0 is ground.
"""
import math

import numpy as np

V_T = 0.02585
I_SAT = 1e-14
KINDS = ("R", "C", "I", "V", "D")


class NoConvergence(ArithmeticError):
    pass


def count_nodes(netlist):
    highest = 0
    for kind, a, b, _ in netlist:
        if kind not in KINDS:
            raise KeyError(kind)
        highest = max(highest, a, b)
    return highest


def diode(v):
    """Current and conductance, with the exponential cut off."""
    x = min(v / V_T, 40.0)
    i = I_SAT * (math.exp(x) - 1)
    return i, I_SAT / V_T * math.exp(x)


def stamp(A, a, b, g):
    for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
        if i > 0 and j > 0:
            A[i - 1, j - 1] += sign * g


def inject(z, a, b, current):
    if a:
        z[a - 1] -= current
    if b:
        z[b - 1] += current


def voltage(x, a, b):
    return (x[a - 1] if a > 0 else 0.0) - (x[b - 1] if b > 0 else 0.0)


def build(netlist, n, x, previous, dt, source):
    """Linearised equations around x."""
    m = sum(kind == "V" for kind, *_ in netlist)
    A, z = np.zeros((n + m, n + m)), np.zeros(n + m)
    branch = n
    for kind, a, b, value in netlist:
        if kind == "R":
            stamp(A, a, b, 1 / value)
        elif kind == "C":
            g = value / dt
            stamp(A, a, b, g)
            inject(z, a, b, -g * voltage(previous, a, b))
        elif kind == "I":
            inject(z, a, b, value)
        elif kind == "D":
            v = voltage(x, a, b)
            i, g = diode(v)
            stamp(A, a, b, g)
            inject(z, a, b, i - g * v)
        else:
            for node, sign in ((a, 1.0), (b, -1.0)):
                if node:
                    A[branch, node - 1] = A[node - 1, branch] = sign
            z[branch] = value * source
            branch += 1
    return A, z


def newton(netlist, n, x, previous, dt, source, tol=1e-9, max_iter=100):
    for iteration in range(1, max_iter + 1):
        A, z = build(netlist, n, x, previous, dt, source)
        new = np.linalg.solve(A, z)
        step = np.clip(new - x, -0.5, 0.5)
        x = x + step
        if np.max(np.abs(new - x)) < tol and np.all(np.abs(step) < 1e-6):
            return x, iteration
    raise NoConvergence(f"no operating point after {max_iter} iterations")


def transient(netlist, drive, dt, probe=1):
    """Node voltages over time under a source scaled by `drive`; ripple and power at the probe."""
    n = count_nodes(netlist)
    if not 0 < probe <= n:
        raise IndexError(f"there is no node {probe}")
    m = len([1 for kind, *_ in netlist if kind == "V"])
    x = np.zeros(n + m)
    waves = np.empty((len(drive), n))
    total = 0
    for k, s in enumerate(drive):
        x, used = newton(netlist, n, x, x, dt, s)
        waves[k] = x[:n]
        total += used
    at_probe = waves[:, probe - 1]
    settled = at_probe[len(at_probe) // 2:]
    loads = [(a, b, value) for kind, a, b, value in netlist if kind == "R"]
    power = 0.0
    for a, b, r in loads:
        va = waves[:, a - 1] if a else np.zeros(len(drive))
        vb = waves[:, b - 1] if b else np.zeros(len(drive))
        power += np.mean((va - vb) ** 2) / r
    return {"waves": waves, "mean": settled.mean(), "ripple": np.ptp(settled), "power": power, "iterations": total}


ENTRY = "transient"


def make_arguments(rng, n):
    netlist = (("V", 1, 0, 5.0), ("D", 1, 2, 0.0), ("R", 2, 0, 1000.0 + 10 * rng.random()), ("C", 2, 0, 1e-5),
               ("R", 2, 3, 470.0), ("C", 3, 0, 4.7e-6))
    drive = np.sin(2 * np.pi * 50 * np.arange(4 * n) * 1e-3)
    return netlist, drive, 1e-3, 3


GRADIENT = ("drive",)
ERRORS = [(lambda rng, n: ((("V", 1, 0, 5.0), ("R", 1, 0, 10.0)), np.ones(3), 1e-3, 2), IndexError),
          (lambda rng, n: ((("V", 1, 0, 5.0), ("L", 1, 0, 10.0)), np.ones(3), 1e-3, 1), KeyError)]
