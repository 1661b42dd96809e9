"""Age-structured SEIR epidemic with interventions that scale the contact matrix in time windows.

Keeling & Rohani, "Modeling Infectious Diseases in Humans and Animals", ch. 3;
R0 as spectral radius of the next-generation matrix (Diekmann et al. 1990).
"""
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np


class Intervention(NamedTuple):
    start: float
    end: float
    factor: float        # multiplies all contacts while active
    groups: tuple = ()   # empty: everybody

    def active(self, t):
        return self.start <= t < self.end


@dataclass(frozen=True)
class Disease:
    beta: float            # transmission probability per contact
    latent_days: float
    infectious_days: float
    fatality: np.ndarray   # per age group

    def __post_init__(self):
        if self.latent_days <= 0 or self.infectious_days <= 0:
            raise ValueError("durations must be positive")

    @property
    def sigma(self):
        return 1.0 / self.latent_days

    @property
    def gamma(self):
        return 1.0 / self.infectious_days

    def scaled(self, factor):
        return replace(self, beta=self.beta * factor)


@dataclass
class Trace:
    days: list = field(default_factory=list)
    infectious: list = field(default_factory=list)

    def record(self, day, state):
        self.days.append(day)
        self.infectious.append(state[2].copy())


def contact_matrix_at(contacts, interventions, t):
    C = contacts.copy()
    for iv in interventions:
        if not iv.active(t):
            continue
        if iv.groups:
            idx = list(iv.groups)
            C[idx, :] *= iv.factor
            C[:, idx] *= iv.factor
        else:
            C *= iv.factor
    return C


def basic_reproduction_number(disease, contacts, population):
    """Spectral radius of K_ij = beta C_ij N_i / N_j / gamma."""
    K = disease.beta / disease.gamma * contacts * population[:, None] / population[None, :]
    return np.max(np.abs(np.linalg.eigvals(K)))


def derivatives(state, t, disease, contacts, interventions, population):
    S, E, I, R, D = state
    C = contact_matrix_at(contacts, interventions, t)
    force = disease.beta * C @ (I / population)
    infections = force * S
    onset = disease.sigma * E
    removal = disease.gamma * I
    return np.array([
        -infections,
        infections - onset,
        onset - removal,
        (1.0 - disease.fatality) * removal,
        disease.fatality * removal,
    ])


def run_epidemic(disease, contacts, population, seeds, interventions=(), days=60, dt=0.5):
    """Integrate with Heun's method. Returns final deaths, attack rates, the peak and R0."""
    groups = len(population)
    if contacts.shape != (groups, groups):
        raise ValueError(f"contact matrix {contacts.shape} does not fit {groups} age groups")
    if np.any(seeds > population):
        raise ValueError("more seeds than people")

    state = np.zeros((5, groups))
    state[0] = population - seeds
    state[2] = seeds
    trace = Trace()
    trace.record(0.0, state)
    args = (disease, contacts, interventions, population)
    t = 0.0
    for step in range(int(round(days / dt))):
        k1 = derivatives(state, t, *args)
        k2 = derivatives(state + dt * k1, t + dt, *args)
        state = state + 0.5 * dt * (k1 + k2)
        np.maximum(state, 0.0, out=state)
        t += dt
        if step % 2 == 1:
            trace.record(t, state)

    infectious = np.array(trace.infectious)
    total = infectious.sum(axis=1)
    peak = int(np.argmax(total))
    return {
        "deaths": state[4].sum(),
        "attack_rate": 1.0 - state[0] / population,
        "peak_day": trace.days[peak],
        "peak_infectious": total[peak],
        "curve": infectious,
        "R0": basic_reproduction_number(disease, contacts, population),
        "R0_half_beta": basic_reproduction_number(disease.scaled(0.5), contacts, population),
    }


ENTRY = "run_epidemic"


def make_arguments(rng, n):
    population = rng.uniform(500.0, 2000.0, size=n)
    base = rng.uniform(0.5, 3.0, size=(n, n))
    contacts = 10.0 * 0.5 * (base + base.T) / (2.0 * n)
    disease = Disease(0.05, 4.0, 5.0, np.linspace(0.001, 0.05, n))
    interventions = (Intervention(15.0, 35.0, 0.5), Intervention(20.0, 30.0, 0.7, (0,)))
    return (disease, contacts, population, rng.uniform(1.0, 5.0, size=n), interventions)


GRADIENT = ("disease", "contacts", "population", "seeds")
ERRORS = [
    (lambda rng, n: (Disease(0.05, 4.0, 5.0, np.zeros(n)), np.ones((n, n + 1)), np.ones(n), np.zeros(n)), ValueError),
    (lambda rng, n: (Disease(0.05, 4.0, 5.0, np.zeros(n)), np.ones((n, n)), np.ones(n), np.full(n, 5.0)), ValueError),
]
