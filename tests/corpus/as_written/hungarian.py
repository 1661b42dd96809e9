"""Assignment problem by shortest augmenting paths with potentials (Hungarian / Jonker-Volgenant),
used to match detections to tracks with gating.

Kuhn (1955); Jonker & Volgenant (1987).
"""
from dataclasses import dataclass

import numpy as np

UNASSIGNED = -1


@dataclass(frozen=True)
class Track:
    position: np.ndarray
    velocity: np.ndarray
    covariance: np.ndarray

    def predict(self, dt):
        return self.position + dt * self.velocity

    def mahalanobis(self, z, dt):
        d = z - self.predict(dt)
        return d @ np.linalg.solve(self.covariance, d)


def solve_assignment(cost):
    """Row of every column for a cost matrix with rows <= columns; also the dual potentials."""
    n, m = cost.shape
    u = np.zeros(n + 1)
    v = np.zeros(m + 1)
    match = np.zeros(m + 1, dtype=int)       # match[j]: row (1-based) assigned to column j
    for i in range(1, n + 1):
        match[0] = i
        j0 = 0
        shortest = np.full(m + 1, np.inf)
        way = np.zeros(m + 1, dtype=int)
        used = np.zeros(m + 1, dtype=bool)
        while True:
            used[j0] = True
            i0 = match[j0]
            delta = np.inf
            j1 = 0
            for j in range(1, m + 1):
                if used[j]:
                    continue
                reduced = cost[i0 - 1, j - 1] - u[i0] - v[j]
                if reduced < shortest[j]:
                    shortest[j] = reduced
                    way[j] = j0
                if shortest[j] < delta:
                    delta = shortest[j]
                    j1 = j
            for j in range(m + 1):
                if used[j]:
                    u[match[j]] += delta
                    v[j] -= delta
                else:
                    shortest[j] -= delta
            j0 = j1
            if match[j0] == 0:
                break
        while j0:
            previous = way[j0]
            match[j0] = match[previous]
            j0 = previous
    rows = np.full(n, UNASSIGNED)
    for j in range(1, m + 1):
        if match[j] > 0:
            rows[match[j] - 1] = j - 1
    return rows, u[1:], v[1:]


def cost_matrix(tracks, detections, dt, gate):
    """Squared Mahalanobis distances, cut at the gate; n dummy columns of cost `gate`."""
    d2 = np.array([[track.mahalanobis(z, dt) for z in detections] for track in tracks])
    d2 = np.minimum(d2, 10.0 * gate)
    dummies = np.full((len(tracks), len(tracks)), gate)
    return np.hstack([d2, dummies])


def blend(track, z, dt, gain):
    predicted = track.predict(dt)
    innovation = z - predicted
    return Track(predicted + gain * innovation, track.velocity + gain / (2 * dt) * innovation, track.covariance)


def associate(tracks, detections, dt=1.0, gate=9.0, gain=0.6):
    """Total cost, assignment per track (-1 for none), updated positions and new-born detections."""
    if not tracks:
        raise ValueError("no tracks to associate")
    detections = np.asarray(detections)
    if detections.ndim != 2 or detections.shape[1] != 2:
        raise ValueError(f"detections must be (m, 2), got {detections.shape}")
    if dt <= 0:
        raise ValueError(f"dt = {dt}")

    cost = cost_matrix(tracks, detections, dt, gate)
    columns, u, v = solve_assignment(cost)
    total = sum(cost[i, j] for i, j in enumerate(columns))
    gap = abs(total - (u.sum() + v.sum()))
    assert gap < 1e-6 * (1 + abs(total)), "dual value differs from primal value"

    assignment = np.where(columns < len(detections), columns, UNASSIGNED)
    updated = []
    for track, j in zip(tracks, assignment):
        if j == UNASSIGNED:
            updated.append(Track(track.predict(dt), track.velocity, 1.5 * track.covariance))
        else:
            updated.append(blend(track, detections[j], dt, gain))
    used = {int(j) for j in assignment if j != UNASSIGNED}
    born = [j for j in range(len(detections)) if j not in used]
    return {
        "cost": total,
        "assignment": assignment,
        "positions": np.array([t.position for t in updated]),
        "spread": np.array([np.trace(t.covariance) for t in updated]),
        "born": np.array(born, dtype=int),
        "row_duals": u,
    }


ENTRY = "associate"


def make_arguments(rng, n):
    tracks = [
        Track(rng.uniform(0, 8, size=2), rng.standard_normal(2), np.diag(rng.uniform(0.2, 0.6, size=2)))
        for _ in range(n)
    ]
    seen = np.array([t.predict(1.0) + 0.4 * rng.standard_normal(2) for t in tracks])
    extra = rng.uniform(0, 8, size=(2, 2))
    return (tracks, rng.permutation(np.vstack([seen, extra])), 1.0, 9.0)


GRADIENT = ("tracks", "detections", "gate")
ERRORS = [
    (lambda rng, n: ([], rng.random((n, 2))), ValueError),
    (lambda rng, n: (make_arguments(rng, n)[0], rng.random((n, 3))), ValueError),
]
