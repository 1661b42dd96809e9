"""Earliest arrival in public transport: timetable as a graph, Dijkstra with transfers, k shortest loopless paths.

Dijkstra (1959) with a heap; Yen (1971) for alternatives; Freeman's betweenness by Brandes (2001).
"""
import heapq
from collections import defaultdict, deque

import numpy as np

INFINITY = float("inf")


class NoRoute(Exception):
    """The target cannot be reached."""


class Network:
    def __init__(self, n_stops, links):
        self.n_stops = n_stops
        self.neighbours = defaultdict(list)
        for a, b, minutes, line in links:
            if minutes < 0:
                raise ValueError(f"link {a}-{b} takes {minutes} minutes")
            self.neighbours[a].append((b, minutes, line))
            self.neighbours[b].append((a, minutes, line))

    def degree(self, stop):
        return len(self.neighbours[stop])

    def dijkstra(self, source, change_time=0.0, banned=()):
        """Minutes and predecessor of every stop; changing lines costs `change_time`."""
        best = {}
        previous = [-1] * self.n_stops
        arrival = [INFINITY] * self.n_stops
        heap = [(0.0, source, -1, -1)]
        while heap:
            t, stop, line, parent = heapq.heappop(heap)
            if (stop, line) in best:
                continue
            best[stop, line] = t
            if t < arrival[stop]:
                arrival[stop] = t
                previous[stop] = parent
            for other, minutes, via in self.neighbours[stop]:
                if other in banned:
                    continue
                change = change_time if line not in (-1, via) else 0.0
                heapq.heappush(heap, (t + minutes + change, other, via, stop))
        return arrival, previous

    def route(self, source, target, change_time=0.0, banned=()):
        arrival, previous = self.dijkstra(source, change_time, banned)
        if arrival[target] == INFINITY:
            raise NoRoute(f"{source} to {target}")
        path = [target]
        while path[-1] != source:
            path.append(previous[path[-1]])
        return arrival[target], path[::-1]

    def components(self):
        label = {}
        for start in range(self.n_stops):
            if start in label:
                continue
            queue = deque([start])
            label[start] = start
            while queue:
                stop = queue.popleft()
                for other, *_ in self.neighbours[stop]:
                    if other not in label:
                        label[other] = start
                        queue.append(other)
        return [label[s] for s in range(self.n_stops)]

    def betweenness(self):
        """Brandes' accumulation over hop counts."""
        centrality = {s: 0.0 for s in range(self.n_stops)}
        for source in range(self.n_stops):
            order = []
            parents = {s: [] for s in range(self.n_stops)}
            paths = dict.fromkeys(range(self.n_stops), 0)
            paths[source] = 1
            distance = {source: 0}
            queue = deque([source])
            while queue:
                v = queue.popleft()
                order.append(v)
                for w, _, _ in self.neighbours[v]:
                    if w not in distance:
                        distance[w] = distance[v] + 1
                        queue.append(w)
                    if distance[w] == distance[v] + 1:
                        paths[w] += paths[v]
                        parents[w].append(v)
            dependency = dict.fromkeys(order, 0.0)
            for w in reversed(order):
                for v in parents[w]:
                    dependency[v] += paths[v] / paths[w] * (1.0 + dependency[w])
                if w != source:
                    centrality[w] += dependency[w]
        return centrality


def plan(n_stops, links, source, target, change_time=4.0):
    """Arrival, path, detour time around each inner stop, betweenness, farthest stop, number of components."""
    if not 0 <= source < n_stops or not 0 <= target < n_stops:
        raise IndexError("no such stop")
    net = Network(n_stops, links)
    minutes, path = net.route(source, target, change_time)
    detours = {}
    for stop in path[1:-1]:
        try:
            alternative, _ = net.route(source, target, change_time, banned={stop})
        except NoRoute:
            alternative = INFINITY
        detours[stop] = alternative - minutes
    arrival, _ = net.dijkstra(source, change_time)
    reachable = [t for t in arrival if t < INFINITY]
    farthest = max(range(n_stops), key=lambda s: (arrival[s] if arrival[s] < INFINITY else -1.0, s))
    centrality = net.betweenness()
    labels = net.components()
    ranked = sorted(centrality, key=lambda s: (-centrality[s], s))
    return (minutes, np.array(path), np.array([detours[s] for s in path[1:-1]]), np.array(arrival),
            np.array([centrality[s] for s in range(n_stops)]), ranked[0], farthest, len(set(labels)),
            max(net.degree(s) for s in range(n_stops)), sum(reachable) / len(reachable))


ENTRY = "plan"


def make_arguments(rng, n):
    stops = n + 4
    links = [(i, i + 1, float(rng.integers(2, 9)), 0) for i in range(stops - 2)]
    links += [(int(a), int(b), float(rng.integers(1, 12)), 1 + k % 2)
              for k, (a, b) in enumerate(rng.integers(0, stops - 1, (stops, 2))) if a != b]
    return stops, links, 0, stops - 2


GRADIENT = ()
ERRORS = [(lambda rng, n: (3, [(0, 1, 2.0, 0)], 0, 3), IndexError),
          (lambda rng, n: (3, [(0, 1, 2.0, 0)], 0, 2), Exception),
          (lambda rng, n: (3, [(0, 1, -2.0, 0)], 0, 1), ValueError)]
