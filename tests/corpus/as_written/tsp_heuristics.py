"""Travelling salesman tour: nearest neighbour, 2-opt, Or-opt and the 1-tree lower bound.

Croes (1958); Or (1976); Held & Karp (1970) for the bound by subgradient ascent.
"""
import numpy as np


def distance_matrix(cities):
    d = cities[:, None, :] - cities[None, :, :]
    return np.sqrt(np.sum(d ** 2, axis=-1))


def tour_length(tour, D):
    return sum(D[a, b] for a, b in zip(tour, tour[1:] + tour[:1]))


def nearest_neighbour(D, start=0):
    n = len(D)
    unvisited = set(range(n)) - {start}
    tour = [start]
    while unvisited:
        here = tour[-1]
        nxt = min(unvisited, key=lambda c: (D[here, c], c))
        unvisited.remove(nxt)
        tour.append(nxt)
    return tour


def two_opt(tour, D, tol=1e-10):
    n = len(tour)
    improved = True
    moves = 0
    while improved:
        improved = False
        for i in range(n - 1):
            for j in range(i + 2, n):
                if i == 0 and j == n - 1:
                    continue
                a, b = tour[i], tour[i + 1]
                c, d = tour[j], tour[(j + 1) % n]
                gain = D[a, b] + D[c, d] - D[a, c] - D[b, d]
                if gain > tol:
                    tour[i + 1:j + 1] = tour[i + 1:j + 1][::-1]
                    improved = True
                    moves += 1
    return tour, moves


def or_opt(tour, D, tol=1e-10):
    """Move chains of up to three cities to a better place, first improvement."""
    n = len(tour)
    for length in (1, 2, 3):
        if n < length + 3:
            break
        for start in range(n):
            rotated = tour[start:] + tour[:start]
            chain, rest = rotated[:length], rotated[length:]
            removed = D[rest[-1], chain[0]] + D[chain[-1], rest[0]] - D[rest[-1], rest[0]]
            best_gain, best_pos = tol, None
            for k in range(len(rest) - 1):
                added = D[rest[k], chain[0]] + D[chain[-1], rest[k + 1]] - D[rest[k], rest[k + 1]]
                if removed - added > best_gain:
                    best_gain, best_pos = removed - added, k
            if best_pos is not None:
                return rest[:best_pos + 1] + chain + rest[best_pos + 1:], True
    return tour, False


def minimum_one_tree(W):
    """Prim's tree on cities 1 .. n-1 plus the two cheapest edges at city 0."""
    n = len(W)
    degree = np.zeros(n, dtype=int)
    total = 0.0
    key = np.full(n, np.inf)
    parent = np.full(n, -1)
    key[1] = 0.0
    remaining = list(range(1, n))
    while remaining:
        v = min(remaining, key=lambda c: key[c])
        remaining.remove(v)
        if parent[v] >= 0:
            total += W[parent[v], v]
            degree[parent[v]] += 1
            degree[v] += 1
        for w in remaining:
            if W[v, w] < key[w]:
                key[w] = W[v, w]
                parent[w] = v
    order = np.argsort(W[0, 1:], kind="stable") + 1
    for v in order[:2]:
        total += W[0, v]
        degree[[0, v]] += 1
    return total, degree


def held_karp_bound(D, upper, n_iter=15):
    pi = np.zeros(len(D))
    best = -np.inf
    scale = 1.0
    for _ in range(n_iter):
        total, degree = minimum_one_tree(D + pi[:, None] + pi[None, :])
        bound = total - 2.0 * pi.sum()
        best = max(best, bound)
        subgradient = degree - 2
        norm = float(subgradient @ subgradient)
        if norm == 0:
            break
        pi = pi + scale * max(upper - bound, 1e-6) / norm * subgradient
        scale *= 0.85
    return best


def solve_tsp(cities, start=0):
    """Tour length, the tour, the length after each phase and the optimality gap."""
    if cities.ndim != 2 or cities.shape[1] != 2:
        raise ValueError(f"cities must be (n, 2), got {cities.shape}")
    n = len(cities)
    if n < 4:
        raise ValueError(f"a tour through {n} cities needs no optimisation")
    if not 0 <= start < n:
        raise ValueError(f"no city {start}")

    D = distance_matrix(cities)
    tour = nearest_neighbour(D, start)
    history = [tour_length(tour, D)]
    moved = True
    rounds = 0
    while moved and rounds < 10:
        tour, n_moves = two_opt(tour, D)
        history.append(tour_length(tour, D))
        tour, moved = or_opt(tour, D)
        rounds += 1
    length = tour_length(tour, D)
    bound = held_karp_bound(D, length)
    x, y = cities[tour].T
    area = 0.5 * abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))
    return {
        "length": length,
        "tour": np.array(tour),
        "history": np.array(history),
        "bound": bound,
        "gap": (length - bound) / length,
        "enclosed_area": area,
    }


ENTRY = "solve_tsp"


def make_arguments(rng, n):
    return (rng.uniform(0, 10, size=(n + 3, 2)),)


GRADIENT = ("cities",)
ERRORS = [
    (lambda rng, n: (rng.random((2, 2)),), ValueError),
    (lambda rng, n: (rng.random((n + 3, 2)), 99), ValueError),
]
