"""Hodgkin-Huxley squid axon in a short cable of n compartments, exponential-Euler gates.

Hodgkin & Huxley, J. Physiol. 117 (1952); rates in the modern voltage convention
(rest at -65 mV), as in Dayan & Abbott, "Theoretical Neuroscience", ch. 5.
"""
from typing import NamedTuple

import numpy as np

V_REST = -65.0
THRESHOLD = 0.0


class Channel(NamedTuple):
    g: float      # mS / cm^2
    E: float      # mV

    def current(self, V, open_fraction):
        return self.g * open_fraction * (V - self.E)


class Membrane(NamedTuple):
    C: float = 1.0
    Na: Channel = Channel(120.0, 50.0)
    K: Channel = Channel(36.0, -77.0)
    leak: Channel = Channel(0.3, -54.387)
    g_axial: float = 0.5

    def ionic(self, V, m, h, n):
        return (self.Na.current(V, m ** 3 * h)
                + self.K.current(V, n ** 4)
                + self.leak.current(V, 1.0))


def vtrap(x, y):
    """x / (exp(x / y) - 1) without the 0 / 0 at x = 0."""
    ratio = x / y
    small = np.abs(ratio) < 1e-6
    safe = np.where(small, 1.0, ratio)
    return np.where(small, y * (1.0 - ratio / 2.0), y * safe / np.expm1(safe))


def rates(V):
    """Opening and closing rates of the gates m, h, n in 1/ms."""
    return {
        "m": (0.1 * vtrap(-(V + 40.0), 10.0), 4.0 * np.exp(-(V + 65.0) / 18.0)),
        "h": (0.07 * np.exp(-(V + 65.0) / 20.0), 1.0 / (1.0 + np.exp(-(V + 35.0) / 10.0))),
        "n": (0.01 * vtrap(-(V + 55.0), 10.0), 0.125 * np.exp(-(V + 65.0) / 80.0)),
    }


def steady_state(V):
    return {gate: a / (a + b) for gate, (a, b) in rates(V).items()}


def advance_gates(gates, V, dt):
    out = {}
    for name, (alpha, beta) in rates(V).items():
        total = alpha + beta
        x_inf = alpha / total
        out[name] = x_inf + (gates[name] - x_inf) * np.exp(-dt * total)
    return out


def axial_current(V, g):
    """Sealed-end cable: second difference of the potential."""
    current = np.zeros_like(V)
    if len(V) == 1:
        return current
    flow = g * (V[1:] - V[:-1])
    current[:-1] += flow
    current[1:] -= flow
    return current


def spike_times(trace, dt):
    above = trace > THRESHOLD
    crossings = np.flatnonzero(~above[:-1] & above[1:])
    return [float((k + 1) * dt) for k in crossings]


def simulate(membrane, stimulus, n_compartments=1, dt=0.02):
    """Inject `stimulus` (uA/cm^2, one value per time step) into compartment 0.

    Returns the mean membrane potential at the end, the voltage of the first and last
    compartment, spike counts, and conduction delay (or -1 if no spike arrives).
    """
    stimulus = np.asarray(stimulus, dtype=float)
    if dt <= 0 or dt > 0.1:
        raise ValueError(f"time step {dt} ms is not usable")
    if n_compartments < 1:
        raise ValueError("need at least one compartment")
    if membrane.C <= 0:
        raise ValueError(f"capacitance must be positive: {membrane.C}")

    V = np.full(n_compartments, V_REST)
    gates = steady_state(V)
    first, last = [V[0]], [V[-1]]
    for I in stimulus:
        gates = advance_gates(gates, V, dt)
        total = -membrane.ionic(V, **gates) + axial_current(V, membrane.g_axial)
        total[0] += I
        V = V + dt * total / membrane.C
        first.append(V[0])
        last.append(V[-1])

    first, last = np.array(first), np.array(last)
    spikes_in, spikes_out = spike_times(first, dt), spike_times(last, dt)
    delay = spikes_out[0] - spikes_in[0] if spikes_in and spikes_out else -1.0
    return {
        "mean_final": V.mean(),
        "first": first,
        "last": last,
        "spikes": (len(spikes_in), len(spikes_out)),
        "delay": delay,
        "gates": gates,
    }


ENTRY = "simulate"


def make_arguments(rng, n):
    steps = 500
    stimulus = np.where(np.arange(steps) < 300, 15.0 + rng.uniform(0.0, 10.0), 0.0)
    return (Membrane(g_axial=float(rng.uniform(0.5, 2.0))), stimulus, n)


GRADIENT = ("membrane", "stimulus")
ERRORS = [
    (lambda rng, n: (Membrane(), np.zeros(5), n, 1.0), ValueError),
    (lambda rng, n: (Membrane(C=-1.0), np.zeros(5), n), ValueError),
]
