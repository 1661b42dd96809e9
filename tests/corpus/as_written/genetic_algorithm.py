"""Genetic algorithm: tournament selection, blend crossover, Gaussian mutation, elitism, penalised constraints.

Eshelman & Schaffer (1993) BLX-alpha; Deb (2000) feasibility rules; the welded-beam-like cantilever of Arora.
"""
import math
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Individual:
    genes: list
    fitness: float = math.inf
    violation: float = 0.0
    age: int = 0

    def beats(self, other):
        """Deb's rules: feasible first, then the objective."""
        if self.violation > 0.0 or other.violation > 0.0:
            return self.violation < other.violation
        return self.fitness < other.fitness


@dataclass
class Settings:
    size: int = 12
    generations: int = 8
    tournament: int = 3
    alpha: float = 0.3
    mutation_rate: float = 0.2
    elite: int = 2


@dataclass
class History:
    best: list = field(default_factory=list)
    mean: list = field(default_factory=list)

    def record(self, population):
        feasible = [p.fitness for p in population if p.violation == 0.0]
        self.best.append(min(feasible, default=math.nan))
        self.mean.append(sum(p.fitness for p in population) / len(population))


class Random:
    """xorshift32, so that runs can be repeated elsewhere."""

    def __init__(self, seed):
        self.state = (seed & 0xFFFFFFFF) or 2463534242
        self.spare = None

    def random(self):
        s = self.state
        s ^= (s << 13) & 0xFFFFFFFF
        s ^= s >> 17
        s ^= (s << 5) & 0xFFFFFFFF
        self.state = s
        return s / 4294967296.0

    def uniform(self, low, high):
        return low + (high - low) * self.random()

    def below(self, n):
        return int(self.random() * n)

    def gauss(self, sigma=1.0):
        if self.spare is not None:
            z, self.spare = self.spare, None
            return sigma * z
        r = math.sqrt(-2.0 * math.log(self.random() + 1e-300))
        angle = 2.0 * math.pi * self.random()
        self.spare = r * math.sin(angle)
        return sigma * r * math.cos(angle)


def weight(genes, load, length):
    """Mass of a hollow square cantilever, and by how much stress and deflection exceed what is allowed."""
    width, wall = genes
    inner = width - 2.0 * wall
    inertia = (width**4 - inner**4) / 12.0
    mass = 7850.0 * length * (width**2 - inner**2)
    stress = load * length * width / (2.0 * inertia)
    deflection = load * length**3 / (3.0 * 2.07e11 * inertia)
    excess = [stress / 165e6 - 1.0, deflection / 0.02 - 1.0]
    return mass, sum(max(0.0, e) for e in excess)


def evaluate(individual, objective, *args):
    individual.fitness, individual.violation = objective(individual.genes, *args)
    return individual


def select(population, rng, k):
    best = population[rng.below(len(population))]
    for _ in range(k - 1):
        rival = population[rng.below(len(population))]
        if rival.beats(best):
            best = rival
    return best


def crossover(mother, father, bounds, rng, alpha):
    child = []
    for a, b, (low, high) in zip(mother.genes, father.genes, bounds):
        lo, hi = min(a, b), max(a, b)
        d = alpha * (hi - lo)
        child.append(min(high, max(low, rng.uniform(lo - d, hi + d))))
    return Individual(child)


def mutate(individual, bounds, rng, rate):
    for i, (low, high) in enumerate(bounds):
        if rng.random() < rate:
            gene = individual.genes[i] + rng.gauss(0.1 * (high - low))
            individual.genes[i] = min(max(gene, low), high)


def optimise(seed, bounds, load, length, settings=Settings()):
    """Best genes, mass, history of the best and of the mean, generation at which it stopped."""
    for low, high in bounds:
        if low >= high:
            raise ValueError(f"empty range {low} .. {high}")
    rng = Random(seed)
    population = [evaluate(Individual([rng.uniform(lo, hi) for lo, hi in bounds]), weight, load, length)
                  for _ in range(settings.size)]
    history = History()
    stalled = 0
    for generation in range(settings.generations):
        population.sort(key=lambda p: (p.violation, p.fitness))
        history.record(population)
        if len(history.best) > 1 and abs(history.best[-1] - history.best[-2]) < 1e-9:
            stalled += 1
            if stalled >= 5:
                break
        else:
            stalled = 0
        children = population[:settings.elite]
        for survivor in children:
            survivor.age += 1
        while len(children) < settings.size:
            child = crossover(select(population, rng, settings.tournament),
                              select(population, rng, settings.tournament), bounds, rng, settings.alpha)
            mutate(child, bounds, rng, settings.mutation_rate)
            children.append(evaluate(child, weight, load, length))
        population = children
    best = min(population, key=lambda p: (p.violation, p.fitness))
    if best.violation > 0.0 and settings.generations == 0:
        raise RuntimeError("nothing feasible found")
    return np.array(best.genes), best.fitness, best.age, np.array(history.best), np.array(history.mean), generation


ENTRY = "optimise"


def make_arguments(rng, n):
    return (int(rng.integers(1, 10**6)), [(0.02, 0.3), (0.002, 0.009)], 2000.0 + 100.0 * n, 1.5)


GRADIENT = ()
ERRORS = [(lambda rng, n: (3, [(0.02, 0.01), (0.002, 0.009)], 2000.0, 1.5), ValueError)]
