"""Actuarial present values: Gompertz-Makeham life table, annuities, premiums, reserves and profit test of a policy.

Dickson, Hardy & Waters, "Actuarial mathematics for life contingent risks".
"""
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

OMEGA = 110


@dataclass(frozen=True)
class Mortality:
    a: float = 0.00022
    b: float = 2.7e-6
    c: float = 1.124

    def survival(self, x, t):
        return np.exp(-self.a * t - self.b / np.log(self.c) * self.c**x * (self.c**t - 1))

    def q(self, x):
        return 1.0 - self.survival(x, 1)


@dataclass(frozen=True)
class Policy:
    age: int
    term: int
    sum_insured: float
    kind: str = "endowment"
    loading: float = 0.03

    @property
    def matures(self):
        return self.age + self.term

    def benefits(self):
        if self.kind == "term":
            return self.sum_insured, 0.0
        elif self.kind == "endowment":
            return self.sum_insured, self.sum_insured
        elif self.kind == "pure":
            return 0.0, self.sum_insured
        raise ValueError(f"unknown kind: {self.kind}")


@lru_cache(maxsize=None)
def select_factor(duration):
    """Newly selected lives are healthier for two years."""
    return {0: 0.6, 1: 0.8}.get(duration, 1.0)


def table(mortality, age):
    """Rows (x, l, d, q) from an age to the end."""
    rows = []
    lives = 100_000.0
    for x in range(age, OMEGA):
        q = min(1.0, mortality.q(x) * select_factor(x - age))
        deaths = lives * q
        rows.append((x, lives, deaths, q))
        lives -= deaths
    return rows


def annuity_due(rows, term, v):
    l0 = rows[0][1]
    return sum(v**k * row[1] / l0 for k, row in enumerate(rows[:term]))


def insurance(rows, term, v):
    l0 = rows[0][1]
    return sum(v ** (k + 1) * d / l0 for k, (_, _, d, _) in enumerate(rows[:term]))


def reserves(policy, premium, rows, i):
    """Net premium reserves by Fackler's recursion, year by year."""
    death, maturity = policy.benefits()
    values = [0.0]
    for k in range(policy.term):
        _, l, d, q = rows[k]
        values.append(((values[-1] + premium) * (1 + i) - q * death) / (1 - q))
    assert abs(values[-1] - maturity) < 1e-6 * max(policy.sum_insured, 1.0), "recursion must end at maturity"
    return np.array(values)


def price(policy, mortality, i):
    v = 1 / (1 + i)
    rows = table(mortality, policy.age)
    death, maturity = policy.benefits()
    survivors = rows[policy.term][1] / rows[0][1] if policy.matures < OMEGA else 0.0
    epv = death * insurance(rows, policy.term, v) + maturity * v**policy.term * survivors
    net = epv / annuity_due(rows, policy.term, v)
    return net, rows


def profit_test(policy, mortality, i, earned, shock=1.2):
    """Premiums, reserves, the yearly profit vector, its present value and the price under a mortality shock."""
    if policy.term <= 0 or policy.matures > OMEGA:
        raise ValueError("term out of range")
    net, rows = price(policy, mortality, i)
    gross = net / (1 - policy.loading)
    v = reserves(policy, net, rows, i)
    death, _ = policy.benefits()
    profit = []
    for k, rate in enumerate(earned[: policy.term]):
        q = rows[k][3]
        fund = (v[k] + gross * (1 - policy.loading / 2)) * (1 + rate)
        profit.append(fund - q * death - (1 - q) * v[k + 1])
    npv = sum(p / (1 + i) ** (k + 1) for k, p in enumerate(profit))
    stressed, _ = price(policy, replace(mortality, b=mortality.b * shock), i)
    expectancy = sum(l for _, l, _, _ in rows[1:]) / rows[0][1] + 0.5
    return npv, {"net": net, "gross": gross, "stressed": stressed}, v, np.array(profit), expectancy


ENTRY = "profit_test"


def make_arguments(rng, n):
    return Policy(35, n, 10_000.0), Mortality(), 0.03, 0.03 + 0.02 * rng.uniform(size=n)


GRADIENT = ("i", "earned")
ERRORS = [(lambda rng, n: (Policy(100, 30, 1.0), Mortality(), 0.03, np.ones(n)), ValueError),
          (lambda rng, n: (Policy(30, 3, 1.0, "unit"), Mortality(), 0.03, np.ones(3)), ValueError)]
