"""Stock control: the (s, S) policy by dynamic programming, then its costs simulated with lead time and lost sales."""
import functools
import itertools
import math

import numpy as np


def poisson_pmf(mean, size):
    """Probabilities of 0 .. size-1, the rest on the last."""
    p = np.empty(size)
    p[0] = math.exp(-mean)
    for k in range(1, size):
        p[k] = p[k - 1] * mean / k
    p[-1] += 1.0 - p.sum()
    return p


def one_period_cost(level, pmf, holding, shortage):
    cost = 0.0
    for demand, probability in enumerate(pmf):
        left = level - demand
        cost += probability * (holding * left if left >= 0 else -shortage * left)
    return cost


def value_iteration(pmf, capacity, fixed, unit, holding, shortage, discount, tol=1e-6):
    """Cost to go and order-up-to level for every stock."""
    V = np.zeros(capacity + 1)
    period = np.array([one_period_cost(y, pmf, holding, shortage) for y in range(capacity + 1)])
    for sweep in itertools.count():
        future = np.zeros(capacity + 1)
        for y in range(capacity + 1):
            for d, p in enumerate(pmf):
                future[y] += p * V[max(y - d, 0)]
        G = period + discount * future
        new, order = np.empty_like(V), np.zeros(capacity + 1, dtype=int)
        for x in range(capacity + 1):
            costs = [G[y] + (fixed + unit * (y - x) if y > x else 0.0) for y in range(x, capacity + 1)]
            best = int(np.argmin(costs))
            new[x], order[x] = costs[best], x + best
        gap = np.max(np.abs(new - V))
        V = new
        if gap < tol * (1 - discount) or sweep > 500:
            break
    return V, order


def as_policy(order):
    """The reorder point s and the level S, or None where nothing is ever ordered."""
    ordering = [x for x, y in enumerate(order) if y > x]
    if not ordering:
        return None
    s = max(ordering)
    return s, int(order[s])


def simulate(policy, demands, lead_time, costs):
    fixed, unit, holding, shortage = costs
    stock, pipeline = (policy[1] if policy else 0), []
    total, lost, orders = 0.0, 0, 0
    path = []
    for day, demand in enumerate(demands):
        arrived = [q for due, q in pipeline if due <= day]
        stock += sum(arrived)
        pipeline = [(due, q) for due, q in pipeline if due > day]
        sold = min(stock, demand)
        lost += demand - sold
        stock -= sold
        position = stock + sum(q for _, q in pipeline)
        if policy is not None and position <= policy[0]:
            quantity = policy[1] - position
            pipeline.append((day + lead_time, quantity))
            total += fixed + unit * quantity
            orders += 1
        total += holding * stock + shortage * (demand - sold)
        path.append(stock)
    return total / len(demands), lost / max(sum(demands), 1), orders, path


def plan(mean_demand, demands, fixed=8.0, unit=1.0, holding=0.5, shortage=6.0, capacity=12, lead_time=1,
         discount=0.95):
    """The policy, its expected cost, and what it did on a history of demands."""
    if mean_demand <= 0:
        raise ValueError(f"mean demand must be positive, got {mean_demand}")
    if any(d < 0 for d in demands):
        raise ValueError("demands cannot be negative")
    pmf = poisson_pmf(mean_demand, capacity + 1)
    V, order = value_iteration(pmf, capacity, fixed, unit, holding, shortage, discount)
    policy = as_policy(order)
    if policy is None:
        return {"s": -1, "S": -1, "expected": V[0], "cost": 0.0, "lost": 1.0, "orders": 0, "stock": np.zeros(1)}
    run = functools.partial(simulate, lead_time=lead_time, costs=(fixed, unit, holding, shortage))
    cost, lost, orders, path = run(policy, demands)
    s, S = policy
    return {"s": s, "S": S, "expected": V[0], "cost": cost, "lost": lost, "orders": orders,
            "stock": np.array(path, dtype=float)}


ENTRY = "plan"


def make_arguments(rng, n):
    return 2.5, rng.poisson(2.5, size=5 * n + 5)


GRADIENT = ("mean_demand",)
ERRORS = [(lambda rng, n: (0.0, np.array([1, 2])), ValueError),
          (lambda rng, n: (1.5, np.array([1, -2])), ValueError)]
