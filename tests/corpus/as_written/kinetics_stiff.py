"""Mass-action chemical kinetics integrated by a Rosenbrock method with step control.

Reactions are written as strings ("A + B -> C"); the integrator is the L-stable
ROS2 pair of Verwer et al. (1999) with gamma = 1 - 1/sqrt(2) and analytic
Jacobian; temperature enters through Arrhenius rates.
"""
import math
from dataclasses import dataclass
from typing import Dict, List

import numpy as np

R_GAS = 8.314462618
GAMMA = 1.0 - 1.0 / math.sqrt(2.0)


@dataclass(frozen=True)
class Reaction:
    equation: str
    prefactor: float
    activation: float = 0.0         # J/mol

    def rate_constant(self, T):
        return self.prefactor * np.exp(-self.activation / (R_GAS * T))

    def sides(self):
        """Two dicts species -> stoichiometric number."""
        if "->" not in self.equation:
            raise ValueError(f"no arrow in reaction {self.equation!r}")
        return tuple(parse_side(side) for side in self.equation.split("->"))


def parse_side(text):
    counts: Dict[str, int] = {}
    for term in text.split("+"):
        term = term.strip()
        if not term:
            continue
        digits = ""
        while term and term[0].isdigit():
            digits += term[0]
            term = term[1:]
        name = term.strip()
        counts[name] = counts.get(name, 0) + (int(digits) if digits else 1)
    return counts


class Mechanism:
    def __init__(self, reactions: List[Reaction], species: List[str]):
        self.species = species
        pos = {s: i for i, s in enumerate(species)}
        self.orders = np.zeros((len(reactions), len(species)), dtype=int)
        self.net = np.zeros((len(reactions), len(species)))
        for r, reaction in enumerate(reactions):
            left, right = reaction.sides()
            unknown = (set(left) | set(right)) - set(pos)
            if unknown:
                raise ValueError(f"unknown species {sorted(unknown)} in {reaction.equation!r}")
            for name, nu in left.items():
                self.orders[r, pos[name]] += nu
                self.net[r, pos[name]] -= nu
            for name, nu in right.items():
                self.net[r, pos[name]] += nu

    def rates(self, c, k):
        return k * np.prod(c[None, :] ** self.orders, axis=1)

    def rhs(self, c, k):
        return self.net.T @ self.rates(c, k)

    def jacobian(self, c, k):
        J = np.zeros((len(c), len(c)))
        for r in range(len(k)):
            for j in np.flatnonzero(self.orders[r]):
                lowered = self.orders[r].copy()
                lowered[j] -= 1
                d = k[r] * self.orders[r, j] * np.prod(c ** lowered)
                J[:, j] += self.net[r] * d
        return J


def ros2_step(mech, c, k, h):
    """One step; returns the new state and an embedded error estimate."""
    W = np.eye(len(c)) - GAMMA * h * mech.jacobian(c, k)
    k1 = np.linalg.solve(W, mech.rhs(c, k))
    k2 = np.linalg.solve(W, mech.rhs(c + h * k1, k) - 2.0 * k1)
    new = c + 1.5 * h * k1 + 0.5 * h * k2
    return new, new - (c + h * k1)


def integrate(mech, c0, k, t_end, rtol, atol, max_steps=400):
    t, c = 0.0, c0
    h = 1e-3 * t_end
    times, states = [t], [c]
    rejected = 0
    while t < t_end * (1 - 1e-12):
        h = min(h, t_end - t)
        new, err = ros2_step(mech, c, k, h)
        scale = atol + rtol * np.maximum(np.abs(c), np.abs(new))
        e = np.sqrt(np.mean((err / scale) ** 2))
        if e <= 1.0 and new.min() > -1e3 * atol:
            t += h
            c = new
            times.append(t)
            states.append(c)
        else:
            rejected += 1
        h *= min(4.0, max(0.2, 0.85 / math.sqrt(max(e, 1e-8))))
        if len(times) + rejected > max_steps:
            raise RuntimeError(f"too many steps, stuck at t = {t:.3g}")
    return np.array(times), np.array(states), rejected


def simulate_reactor(reactions, initial, temperature, t_end, rtol=1e-3, atol=1e-7):
    """`initial` maps species to concentration; first result is the final amount of the last species."""
    if temperature <= 0:
        raise ValueError(f"temperature must be in kelvin, got {temperature}")
    species = list(initial)
    mech = Mechanism(reactions, species)
    c0 = np.array([initial[s] for s in species])
    if c0.min() < 0:
        raise ValueError("negative initial concentration")
    k = np.array([r.rate_constant(temperature) for r in reactions])
    times, states, rejected = integrate(mech, c0, k, t_end, rtol, atol)

    final = states[-1]
    peaks = {s: (states[:, i].max(), times[np.argmax(states[:, i])]) for i, s in enumerate(species)}
    # dose of every species by the trapezoidal rule
    dose = np.sum(0.5 * (states[1:] + states[:-1]) * np.diff(times)[:, None], axis=0)
    eig = np.linalg.eigvals(mech.jacobian(final, k)).real
    stiffness = np.max(np.abs(eig))
    return {"yield": final[-1], "final": final, "dose": dose, "peaks": peaks,
            "stiffness": stiffness, "n_steps": len(times) - 1, "rejected": rejected}


ENTRY = "simulate_reactor"


def make_arguments(rng, n):
    # Robertson-like core followed by a chain of n slow steps
    reactions = [Reaction("A -> B", 4.0e4, 3.5e4), Reaction("2 B -> B + C", 3.0e4), Reaction("B + C -> A + C", 1.0e3)]
    initial = {"A": 1.0 + 0.1 * rng.uniform(), "B": 1e-4, "C": 0.02}
    previous = "C"
    for k in range(min(n, 6)):
        name = f"P{k}"
        reactions.append(Reaction(f"{previous} -> {name}", float(rng.uniform(0.3, 1.0))))
        initial[name] = 0.01 / (k + 1)
        previous = name
    return (reactions, initial, 330.0, 5.0)


GRADIENT = ("reactions", "initial", "temperature", "t_end")
ERRORS = [(lambda rng, n: ([Reaction("A = B", 1.0)], {"A": 1.0, "B": 0.0}, 300.0, 1.0), ValueError),
          (lambda rng, n: ([Reaction("A -> X", 1.0)], {"A": 1.0, "B": 0.0}, 300.0, 1.0), ValueError)]
