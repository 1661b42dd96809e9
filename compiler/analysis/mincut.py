"""The cheapest set of values to keep so that all others that are needed can be computed again.

    origins       values that only running forward can give      e (carried by the loop)
    uses          value -> the values it is computed from             residual <- e, eccentricity
    needed        values that the backward sweep reads                residual, slope
    -> kept       a minimum vertex cut between origins and needed     {e}

A value is at hand when it is kept, or when all it is computed from is at hand; one that rests on nothing is free.
Dinic's algorithm on the graph in which every value is an edge of its own cost.  Where several cuts cost the same, the
one nearest to the needed values is taken: it computes least again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import TypeVar

Value = TypeVar("Value", bound=Hashable)
INFINITE = 10**60


class Network:
    """A directed network with integer capacities; arcs are stored in pairs, the residual of `k` being `k ^ 1`."""

    def __init__(self) -> None:
        self.head: list[int] = []
        self.capacity: list[int] = []
        self.arcs: list[list[int]] = []

    def node(self) -> int:
        self.arcs.append([])
        return len(self.arcs) - 1

    def arc(self, tail: int, head: int, capacity: int) -> None:
        for start, end, amount in ((tail, head, capacity), (head, tail, 0)):
            self.arcs[start].append(len(self.head))
            self.head.append(end)
            self.capacity.append(amount)

    def saturate(self, source: int, sink: int) -> None:
        """Push a maximum flow from source to sink; what is left of the capacities is the residual network."""
        while (level := self._levels(source))[sink] >= 0:
            cursor = [0] * len(self.arcs)
            while self._augment(source, sink, level, cursor):
                pass

    def _levels(self, source: int) -> list[int]:
        level = [-1] * len(self.arcs)
        level[source] = 0
        queue = deque([source])
        while queue:
            tail = queue.popleft()
            for k in self.arcs[tail]:
                if self.capacity[k] and level[self.head[k]] < 0:
                    level[self.head[k]] = level[tail] + 1
                    queue.append(self.head[k])
        return level

    def _augment(self, source: int, sink: int, level: list[int], cursor: list[int]) -> int:
        """Push along one path of the level graph, found without recursion; 0 where there is none left."""
        path: list[int] = []
        tail = source
        while tail != sink:
            while cursor[tail] < len(self.arcs[tail]):
                k = self.arcs[tail][cursor[tail]]
                if self.capacity[k] and level[self.head[k]] == level[tail] + 1:
                    break
                cursor[tail] += 1
            else:
                if tail == source:
                    return 0
                tail = self.head[path.pop() ^ 1]
                cursor[tail] += 1
                continue
            path.append(k)
            tail = self.head[k]
        amount = min(self.capacity[k] for k in path)
        for k in path:
            self.capacity[k] -= amount
            self.capacity[k ^ 1] += amount
        return amount

    def reaching(self, sink: int) -> set[int]:
        """The nodes from which the sink can still be reached in the residual network."""
        found = {sink}
        queue = deque([sink])
        while queue:
            head = queue.popleft()
            for k in self.arcs[head]:
                tail = self.head[k]
                if self.capacity[k ^ 1] and tail not in found:
                    found.add(tail)
                    queue.append(tail)
        return found


def minimum_cut(
    needed: Iterable[Value],
    uses: Mapping[Value, Iterable[Value]],
    origins: Collection[Value],
    cost: Mapping[Value, int],
) -> list[Value]:
    """The values to keep, in the order they were first met.  Values missing from `uses` and `origins` are free."""
    order = _closure(needed, uses, origins)
    network = Network()
    source, sink = network.node(), network.node()
    entry = {value: network.node() for value in order}
    leave = {value: network.node() for value in order}
    for value in order:
        network.arc(entry[value], leave[value], cost[value])
        if value in origins:
            network.arc(source, entry[value], INFINITE)
        for used in () if value in origins else uses.get(value, ()):
            if used in entry:
                network.arc(leave[used], entry[value], INFINITE)
    for value in dict.fromkeys(needed):
        if value in leave:
            network.arc(leave[value], sink, INFINITE)
    network.saturate(source, sink)
    near = network.reaching(sink)
    return [value for value in order if entry[value] not in near and leave[value] in near]


def _closure(
    needed: Iterable[Value], uses: Mapping[Value, Iterable[Value]], origins: Collection[Value]
) -> dict[Value, None]:
    """The needed values and all they rest on, without those that are free."""
    order: dict[Value, None] = {}
    waiting = list(dict.fromkeys(needed))[::-1]
    while waiting:
        value = waiting.pop()
        if value in order or (value not in origins and value not in uses):
            continue
        order[value] = None
        if value not in origins:
            waiting.extend(reversed(list(uses[value])))
    return order
