"""Job-shop scheduling: Giffler-Thompson with priority rules, critical path, and a tabu search over adjacent swaps.

Giffler & Thompson (1960); Adams, Balas & Zawack (1988) for the disjunctive graph.
"""
import heapq
from collections import defaultdict, deque
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Machine:
    number: int
    free_at: float = 0.0
    busy: float = 0.0
    queue: list = field(default_factory=list)

    def run(self, job, ready, duration):
        begin = max(ready, self.free_at)
        self.free_at = begin + duration
        self.busy += duration
        self.queue.append(job)
        return begin


def dispatch(route, times, rule):
    """Schedule by a priority rule; start of every operation and what each machine works on."""
    n_jobs, n_ops = route.shape
    machines = [Machine(m) for m in range(int(route.max()) + 1)]
    start = np.zeros((n_jobs, n_ops))
    heap = [(rule(times[j], 0), j, 0, 0.0) for j in range(n_jobs)]
    heapq.heapify(heap)
    while heap:
        _, job, op, ready = heapq.heappop(heap)
        machine = machines[route[job, op]]
        start[job, op] = machine.run(job, ready, times[job, op])
        if op + 1 < n_ops:
            done = start[job, op] + times[job, op]
            heapq.heappush(heap, (done + rule(times[job], op + 1), job, op + 1, done))
    return start, machines


def shortest(times, op):
    return times[op]


def most_work_left(times, op):
    return -times[op:].sum()


def makespan(order, route, times):
    """Longest path through jobs and machine sequences, by relaxing in topological order."""
    n_jobs, n_ops = route.shape
    successors = defaultdict(list)
    indegree = np.zeros((n_jobs, n_ops), dtype=int)
    for j in range(n_jobs):
        for o in range(n_ops - 1):
            successors[j, o].append((j, o + 1))
            indegree[j, o + 1] += 1
    for sequence in order:
        for (a, p), (b, q) in zip(sequence, sequence[1:]):
            successors[a, p].append((b, q))
            indegree[b, q] += 1
    ready = deque((j, o) for j in range(n_jobs) for o in range(n_ops) if indegree[j, o] == 0)
    begin = np.zeros((n_jobs, n_ops))
    seen = 0
    while ready:
        job, op = ready.popleft()
        seen += 1
        finish = begin[job, op] + times[job, op]
        for nxt in successors[job, op]:
            begin[nxt] = max(begin[nxt], finish)
            indegree[nxt] -= 1
            if indegree[nxt] == 0:
                ready.append(nxt)
    if seen < n_jobs * n_ops:
        return np.inf
    return (begin + times).max()


def machine_order(start, route):
    order = []
    for m in range(int(route.max()) + 1):
        operations = [(start[j, o], j, o) for j in range(len(route)) for o in range(route.shape[1]) if route[j, o] == m]
        order.append([(j, o) for _, j, o in sorted(operations)])
    return order


def swapped(order, m, k):
    new = [list(sequence) for sequence in order]
    new[m][k], new[m][k + 1] = new[m][k + 1], new[m][k]
    return new


def tabu(order, route, times, rounds, tenure=3):
    best = current = makespan(order, route, times)
    forbidden = {}
    for turn in range(rounds):
        move, value = None, np.inf
        for m, sequence in enumerate(order):
            for k in range(len(sequence) - 1):
                length = makespan(swapped(order, m, k), route, times)
                if forbidden.get((m, k), -1) >= turn and length >= best:
                    continue
                if length < value:
                    move, value = (m, k), length
        if move is None:
            break
        order, current = swapped(order, *move), value
        forbidden[move] = turn + tenure
        best = min(best, current)
    return best, current


def schedule(route, times, rounds=2):
    """Makespans by two rules and after a tabu search. Raises ValueError for routes and times that do not fit."""
    if route.shape != times.shape:
        raise ValueError(f"routes of shape {route.shape} and times of shape {times.shape}")
    if (times <= 0).any():
        raise ValueError("every operation takes time")
    results = {}
    for name, rule in (("spt", shortest), ("mwkr", most_work_left)):
        start, machines = dispatch(route, times, rule)
        results[name] = (start + times).max()
        load = [machine.busy / machine.free_at for machine in machines]
    order = machine_order(start, route)
    best, last = tabu(order, route, times, rounds)
    return {"best": best, "last": last, "spt": results["spt"], "mwkr": results["mwkr"], "load": np.array(load),
            "first": machines[0].queue}


ENTRY = "schedule"


def make_arguments(rng, n):
    machines = 2 + n % 3
    route = np.array([rng.permutation(machines) for _ in range(n)])
    return (route, rng.uniform(1.0, 5.0, size=(n, machines)))


GRADIENT = ("times",)
ERRORS = [
    (lambda rng, n: (np.zeros((2, 2), dtype=int), np.ones((2, 3))), ValueError),
    (lambda rng, n: (np.array([[0, 1], [1, 0]]), np.zeros((2, 2))), ValueError),
]
