"""Discrete-event simulation of a bank: Poisson arrivals, several tellers, patience, priorities; event list in a heap.

Law, "Simulation modeling and analysis": warm-up, time averages, Erlang-C as a check.
"""
import heapq
import math
from collections import deque
from dataclasses import dataclass

import numpy as np

ARRIVE, DEPART, RENEGE = 0, 1, 2


class Lcg:
    """Park-Miller generator, so that runs can be repeated."""

    def __init__(self, seed):
        self.state = seed % 2147483647 or 1

    def uniform(self):
        self.state = self.state * 16807 % 2147483647
        return self.state / 2147483647

    def exponential(self, mean):
        return -mean * math.log(self.uniform())


@dataclass
class Customer:
    number: int
    arrived: float
    is_vip: bool = False
    started: float = -1.0


class TimeAverage:
    def __init__(self):
        self.area = 0.0
        self.last = 0.0
        self.value = 0

    def update(self, now, value):
        self.area += self.value * (now - self.last)
        self.last = now
        self.value = value


def erlang_c(servers, load):
    """Probability of waiting."""
    terms = [load**k / math.factorial(k) for k in range(servers)]
    last = load**servers / math.factorial(servers) * servers / (servers - load)
    return last / (sum(terms) + last)


def simulate(seed, tellers, mean_gap, mean_service, patience, horizon):
    """Mean wait, its 90 % quantile, time-average queue length, utilisation, lost customers, Erlang-C."""
    if tellers < 1:
        raise ValueError("at least one teller")
    rng = Lcg(seed)
    events = []
    heapq.heappush(events, (rng.exponential(mean_gap), ARRIVE, 0))
    queue = deque()
    waiting = {}
    busy = 0
    waits = []
    lost = 0
    length, working = TimeAverage(), TimeAverage()
    number = 0
    now = 0.0
    while events:
        now, kind, who = heapq.heappop(events)
        if now > horizon:
            break
        if kind == ARRIVE:
            number += 1
            customer = Customer(number, now, rng.uniform() < 0.1)
            heapq.heappush(events, (now + rng.exponential(mean_gap), ARRIVE, 0))
            if busy < tellers:
                busy += 1
                waits.append(0.0)
                heapq.heappush(events, (now + rng.exponential(mean_service), DEPART, number))
            else:
                if customer.is_vip:
                    queue.appendleft(customer)
                else:
                    queue.append(customer)
                waiting[number] = True
                heapq.heappush(events, (now + patience, RENEGE, number))
        elif kind == DEPART:
            busy -= 1
            while queue and not waiting[queue[0].number]:
                queue.popleft()
            if queue:
                customer = queue.popleft()
                waiting[customer.number] = False
                customer.started = now
                waits.append(customer.started - customer.arrived)
                busy += 1
                heapq.heappush(events, (now + rng.exponential(mean_service), DEPART, customer.number))
        elif waiting.get(who, False):
            waiting[who] = False
            lost += 1
        length.update(now, sum(1 for c in queue if waiting[c.number]))
        working.update(now, busy)
    if not waits:
        raise RuntimeError("nobody was served")
    load = mean_service / mean_gap
    return (sum(waits) / len(waits), float(np.quantile(waits, 0.9)), length.area / now, working.area / (now * tellers),
            lost, erlang_c(tellers, load) if load < tellers else 1.0)


ENTRY = "simulate"


def make_arguments(rng, n):
    return int(rng.integers(1, 10**6)), 2, 1.0, 1.6, 3.0, 10.0 * n


GRADIENT = ()
ERRORS = [(lambda rng, n: (1, 0, 1.0, 1.6, 3.0, 10.0), ValueError),
          (lambda rng, n: (1, 2, 1.0, 1.6, 3.0, 1e-9), RuntimeError)]
