"""k-means++ seeding, Lloyd's iterations, PAM swaps to medoids, silhouette widths and the gap between several k.

Arthur & Vassilvitskii (2007); Kaufman & Rousseeuw (1990); Rousseeuw (1987).
"""
import itertools

import numpy as np


class EmptyCluster(ValueError):
    pass


def pairwise(X):
    diff = X[:, None, :] - X[None, :, :]
    return np.sqrt((diff**2).sum(axis=-1))


def seed_plus_plus(X, k, u):
    """Centres by distance squared; `u` holds the uniform draws."""
    centres = [X[int(u[0] * len(X))]]
    for draw in u[1:k]:
        d2 = np.min([((X - c) ** 2).sum(axis=1) for c in centres], axis=0)
        cumulative = np.cumsum(d2 / d2.sum())
        centres.append(X[np.searchsorted(cumulative, draw)])
    return np.array(centres)


def lloyd(X, centres, max_iter=50, tol=1e-10):
    k = len(centres)
    for it in range(max_iter):
        distances = np.array([[np.linalg.norm(x - c) for c in centres] for x in X])
        labels = distances.argmin(axis=1)
        new = centres.copy()
        for j in range(k):
            members = X[labels == j]
            if len(members) == 0:
                raise EmptyCluster(f"cluster {j} lost its last point in step {it}")
            new[j] = members.mean(axis=0)
        shift = np.abs(new - centres).max()
        centres = new
        if shift < tol:
            break
    return centres, labels, it + 1


def pam(D, medoids):
    """Swap a medoid with another point as long as that lowers the total distance."""
    n = len(D)
    medoids = list(medoids)

    def cost(candidates):
        return D[:, candidates].min(axis=1).sum()

    current = cost(medoids)
    improved = True
    while improved:
        improved = False
        for i, h in itertools.product(range(len(medoids)), range(n)):
            if h in medoids:
                continue
            trial = medoids[:i] + [h] + medoids[i + 1:]
            c = cost(trial)
            if c < current - 1e-12:
                medoids, current, improved = trial, c, True
    return sorted(medoids), current


def silhouette(D, labels):
    clusters = sorted(set(labels))
    members = {c: [i for i, label in enumerate(labels) if label == c] for c in clusters}
    widths = []
    for i, own in enumerate(labels):
        if len(members[own]) == 1:
            widths.append(0.0)
            continue
        a = sum(D[i, j] for j in members[own] if j != i) / (len(members[own]) - 1)
        b = min(sum(D[i, j] for j in members[c]) / len(members[c]) for c in clusters if c != own)
        widths.append((b - a) / max(a, b))
    return np.array(widths)


def cluster(X, u, ks=(2, 3)):
    """For the k with the widest silhouette: k, centres, medoids, labels, widths; and the inertia of every k."""
    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or len(X) <= max(ks):
        raise ValueError("too few points")
    scale = X.std(axis=0)
    scale[scale == 0] = 1.0
    Z = (X - X.mean(axis=0)) / scale
    D = pairwise(Z)
    results, inertias = {}, {}
    for k in ks:
        centres, labels, steps = lloyd(Z, seed_plus_plus(Z, k, u))
        inertias[k] = sum(np.sum((Z[labels == j] - centres[j]) ** 2) for j in range(k))
        nearest = [int(np.argmin(np.linalg.norm(Z - c, axis=1))) for c in centres]
        medoids, total = pam(D, nearest)
        widths = silhouette(D, labels)
        results[k] = {"centres": centres * scale + X.mean(axis=0), "medoids": medoids, "total": total,
                      "labels": labels, "widths": widths, "steps": steps}
    best = max(results, key=lambda k: results[k]["widths"].mean())
    chosen = results[best]
    return (best, chosen["centres"], chosen["medoids"], chosen["labels"], chosen["widths"], chosen["total"],
            chosen["steps"], inertias)


ENTRY = "cluster"


def make_arguments(rng, n):
    middle = np.array([[0.0, 0.0], [4.0, 0.5], [1.0, 5.0]])
    X = np.concatenate([m + 0.7 * rng.normal(size=(n + 1, 2)) for m in middle])
    return X, rng.uniform(0.1, 0.9, size=4)


GRADIENT = ()
ERRORS = [(lambda rng, n: (np.ones((2, 2)), np.full(4, 0.5)), ValueError)]
