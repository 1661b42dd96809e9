"""Wright-Fisher model with selection, mutation and migration between demes, by given uniform draws.

Ewens, "Mathematical Population Genetics", ch. 1 and 3. Binomial sampling uses the supplied
uniforms (one per gene copy), so a replicate is a deterministic function of its draws.
"""
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


@dataclass(frozen=True)
class Selection:
    s: float          # advantage of the homozygote AA
    h: float = 0.5    # dominance

    def mean_fitness(self, p):
        q = 1.0 - p
        return p ** 2 * (1 + self.s) + 2 * p * q * (1 + self.h * self.s) + q ** 2

    def apply(self, p):
        """Allele frequency after viability selection."""
        w_AA, w_Aa = 1 + self.s, 1 + self.h * self.s
        return (p ** 2 * w_AA + p * (1 - p) * w_Aa) / self.mean_fitness(p)


@dataclass(frozen=True)
class Mutation:
    forward: float    # A -> a
    back: float       # a -> A

    def apply(self, p):
        return p * (1.0 - self.forward) + (1.0 - p) * self.back

    @property
    def equilibrium(self):
        total = self.forward + self.back
        return self.back / total if total > 0 else 0.5


class Outcome(NamedTuple):
    expected: np.ndarray         # deterministic frequencies, (T + 1, demes)
    sampled: np.ndarray          # with drift
    heterozygosity: np.ndarray
    fst: float
    fixation_generation: int
    equilibrium: float


def island_migration(p, m):
    return (1.0 - m) * p + m * p.mean()


def sample_copies(p, uniforms):
    """Number of A copies in every deme: count of uniforms below the frequency."""
    return np.sum(uniforms < p[:, None], axis=1)


def wrights_fst(p):
    mean = p.mean()
    h_total = 2 * mean * (1 - mean)
    if h_total < 1e-12:
        return 0.0
    h_within = np.mean(2 * p * (1 - p))
    return 1.0 - h_within / h_total


def wright_fisher(p0, selection, mutation, migration, draws):
    """Follow the allele frequency in each deme.

    draws has shape (generations, demes, 2N). Both the deterministic recursion and one
    realisation with drift are returned; the realisation stops changing after fixation
    everywhere without mutation.
    """
    p0 = np.asarray(p0, dtype=float)
    generations, demes, copies = draws.shape
    if p0.shape != (demes,):
        raise ValueError(f"initial frequencies for {p0.size} demes, draws for {demes}")
    if (p0 < 0).any() or (p0 > 1).any():
        raise ValueError("frequencies must lie in [0, 1]")
    if not 0 <= migration <= 1:
        raise ValueError(f"migration rate {migration} is not a fraction")

    def next_expected(p):
        for stage in (selection.apply, mutation.apply):
            p = stage(p)
        return island_migration(p, migration)

    expected = [p0]
    sampled = [p0]
    fixation = -1
    for g in range(generations):
        expected.append(next_expected(expected[-1]))
        pool = next_expected(sampled[-1])
        freq = sample_copies(pool, draws[g]) / copies
        sampled.append(freq)
        everywhere = np.all(freq == 0.0) or np.all(freq == 1.0)
        if fixation < 0 and everywhere:
            fixation = g + 1

    expected = np.array(expected)
    sampled = np.array(sampled)
    heterozygosity = 2 * sampled * (1 - sampled)
    return Outcome(
        expected=expected,
        sampled=sampled,
        heterozygosity=heterozygosity.mean(axis=1),
        fst=wrights_fst(sampled[-1]),
        fixation_generation=fixation,
        equilibrium=mutation.equilibrium,
    )


ENTRY = "wright_fisher"


def make_arguments(rng, n):
    return (
        rng.uniform(0.1, 0.9, size=n),
        Selection(s=float(rng.uniform(0.01, 0.1)), h=0.4),
        Mutation(1e-3, 5e-4),
        0.05,
        rng.random((15, n, 20)),
    )


GRADIENT = ("p0", "selection", "mutation", "migration")
ERRORS = [
    (lambda rng, n: (np.full(n, 1.5), Selection(0.1), Mutation(0.0, 0.0), 0.1, rng.random((3, n, 4))), ValueError),
    (lambda rng, n: (np.full(n, 0.5), Selection(0.1), Mutation(0.0, 0.0), 1.1, rng.random((3, n, 4))), ValueError),
]
