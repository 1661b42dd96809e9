"""Optimal paths, alignments and sums over paths, by tables."""

import numpy as np


def longest_common_subsequence(labels, codes):
    n, m = len(labels), len(codes)
    length = np.zeros((n + 1, m + 1), dtype=np.int64)
    for i in range(n):
        for j in range(m):
            if labels[i] == codes[j]:
                length[i + 1, j + 1] = length[i, j] + 1
            else:
                length[i + 1, j + 1] = max(length[i, j + 1], length[i + 1, j])
    return length[n, m]


def edit_distance(labels, codes):
    """Insertions, deletions and replacements, keeping two rows only."""
    previous = np.arange(len(codes) + 1)
    for i in range(len(labels)):
        current = np.zeros(len(codes) + 1, dtype=np.int64)
        current[0] = i + 1
        for j in range(len(codes)):
            replace = previous[j] + (labels[i] != codes[j])
            current[j + 1] = min(replace, previous[j + 1] + 1, current[j] + 1)
        previous = current
    return previous[-1]


def knapsack(p, sizes, capacity):
    """Best total value of items with whole sizes."""
    best = np.zeros(capacity + 1)
    for i in range(len(p)):
        for room in range(capacity, sizes[i] - 1, -1):
            best[room] = max(best[room], best[room - sizes[i]] + p[i])
    return best[capacity]


def dynamic_time_warping(x, y):
    """Cost of the best monotone matching of two series."""
    n, m = len(x), len(y)
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            before = min(cost[i, j], cost[i, j + 1], cost[i + 1, j])
            cost[i + 1, j + 1] = (x[i] - y[j]) ** 2 + before
    return cost[n, m]


def smooth_time_warping(x, y, b):
    """The same with a soft minimum."""
    n, m = len(x), len(y)
    score = np.full((n + 1, m + 1), -1e6)
    score[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            before = np.logaddexp(np.logaddexp(score[i, j], score[i, j + 1]), score[i + 1, j])
            score[i + 1, j + 1] = before - (x[i] - y[j]) ** 2 / b
    return -b * score[n, m]


def matrix_chain_cost(i64):
    """Fewest multiplications for a product of matrices with these dimensions."""
    n = len(i64) - 1
    cost = np.zeros((n, n), dtype=np.int64)
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            best = cost[i, i] + cost[i + 1, j] + i64[i] * i64[i + 1] * i64[j + 1]
            for k in range(i + 1, j):
                best = min(best, cost[i, k] + cost[k + 1, j] + i64[i] * i64[k + 1] * i64[j + 1])
            cost[i, j] = best
    return cost[0, n - 1]


def viterbi_score(x, A, M):
    """Best log score of a path: start x, transitions A, emissions M by time."""
    score = x + M[0]
    for step in range(1, len(M)):
        score = np.max(score[:, None] + A, axis=0) + M[step]
    return np.max(score)


def viterbi_path(x, A, M):
    """The states of that best path."""
    n_times, n_states = M.shape
    came_from = np.zeros((n_times, n_states), dtype=np.int64)
    score = x + M[0]
    for step in range(1, n_times):
        options = score[:, None] + A
        came_from[step] = np.argmax(options, axis=0)
        score = np.max(options, axis=0) + M[step]
    path = np.zeros(n_times, dtype=np.int64)
    path[n_times - 1] = np.argmax(score)
    for step in range(n_times - 1, 0, -1):
        path[step - 1] = came_from[step, path[step]]
    return path


def forward_algorithm(p, P, labels):
    """Log likelihood of observed labels under a hidden chain, rescaled at every step."""
    emission = P[:, :1] * np.array([0.5, 0.3, 0.2])
    state = p / np.sum(p)
    transition = P / np.sum(P, axis=1, keepdims=True)
    total = 0.0
    for label in labels:
        state = (state @ transition) * emission[:, label]
        norm = np.sum(state)
        total += np.log(norm)
        state = state / norm
    return total


def longest_increasing_run(x):
    """Length of the longest increasing subsequence."""
    best = np.ones(len(x), dtype=np.int64)
    for i in range(1, len(x)):
        for j in range(i):
            if x[j] < x[i] and best[j] + 1 > best[i]:
                best[i] = best[j] + 1
    return best.max()


def largest_subarray_sum(x):
    """Kadane's scan."""
    ending_here = x[0]
    best = x[0]
    for value in x[1:]:
        ending_here = max(value, ending_here + value)
        best = max(best, ending_here)
    return best


def cheapest_seam(image):
    """Least energy of a top-to-bottom path that moves at most one column a row."""
    n_rows, n_columns = image.shape
    cost = image[0].copy()
    for i in range(1, n_rows):
        following = np.empty(n_columns)
        for j in range(n_columns):
            best = cost[j]
            if j > 0:
                best = min(best, cost[j - 1])
            if j < n_columns - 1:
                best = min(best, cost[j + 1])
            following[j] = image[i, j] + best
        cost = following
    return np.min(cost)


def all_shortest_paths(P):
    """Floyd and Warshall's distances between all nodes."""
    n = len(P)
    distance = P * (1.0 - np.eye(n))
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = distance[i, k] + distance[k, j]
                if through < distance[i, j]:
                    distance[i, j] = through
    return distance


def shortest_paths_from_first(P):
    """Dijkstra's distances from node 0, with a plain scan for the nearest."""
    n = len(P)
    distance = np.full(n, np.inf)
    distance[0] = 0.0
    done = np.zeros(n, dtype=bool)
    for _ in range(n):
        nearest = -1
        for i in range(n):
            if not done[i] and (nearest < 0 or distance[i] < distance[nearest]):
                nearest = i
        done[nearest] = True
        for i in range(n):
            if not done[i]:
                distance[i] = min(distance[i], distance[nearest] + P[nearest, i])
    return distance


def alignment_score(labels, codes, a, b):
    """Needleman-Wunsch score: matches earn a, mismatches cost a third of it, gaps cost b."""
    n, m = len(labels), len(codes)
    score = np.zeros((n + 1, m + 1))
    for i in range(n + 1):
        score[i, 0] = -b * i
    for j in range(m + 1):
        score[0, j] = -b * j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            earned = a if labels[i - 1] == codes[j - 1] else -a / 3.0
            score[i, j] = max(score[i - 1, j - 1] + earned, score[i - 1, j] - b, score[i, j - 1] - b)
    return score[n, m]


def rod_cutting(p):
    """Best income from a rod of length n when a piece of length i + 1 sells for p[i]."""
    best = np.zeros(len(p) + 1)
    for length in range(1, len(p) + 1):
        income = p[length - 1]
        for first in range(1, length):
            income = max(income, p[first - 1] + best[length - first])
        best[length] = income
    return best[-1]


def coin_change_ways(count):
    """Ways to pay an amount with coins of 1, 2 and 5."""
    ways = np.zeros(count + 1, dtype=np.int64)
    ways[0] = 1
    for coin in (1, 2, 5):
        for amount in range(coin, count + 1):
            ways[amount] += ways[amount - coin]
    return ways[count]


def value_iteration(A, batch, alpha, n_steps):
    """Values of states under three actions: rewards A[:, :1], transitions from `batch`."""
    transition = np.exp(batch)
    transition = transition / transition.sum(axis=2, keepdims=True)
    reward = A[:, 0]
    value = np.zeros(len(A))
    for _ in range(n_steps):
        value = reward + alpha * np.max(transition @ value, axis=0)
    return value


def segmented_least_squares(t, y, b):
    """Least squared error of a piecewise constant fit, plus b for each piece."""
    n = len(y)
    best = np.zeros(n + 1)
    for end in range(1, n + 1):
        best[end] = np.inf
        for start in range(end):
            piece = y[start:end]
            error = np.sum((piece - np.mean(piece)) ** 2) * (t[end - 1] - t[start] + 1.0)
            best[end] = min(best[end], best[start] + error + b)
    return best[n]


ARGUMENTS = {
    "knapsack": lambda rng, n: (rng.uniform(0.5, 2.0, n), rng.integers(1, 4, n), n + 2),
}

MIN_SIZE = {"matrix_chain_cost": 3}

NO_GRADIENT = {
    "longest_common_subsequence": "an integer",
    "edit_distance": "an integer",
    "matrix_chain_cost": "an integer",
    "viterbi_path": "integers",
    "longest_increasing_run": "an integer",
    "coin_change_ways": "an integer",
}
