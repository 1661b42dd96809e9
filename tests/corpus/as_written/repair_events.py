"""Machines that fail and are repaired: a discrete event simulation with a queue of event objects.

Law, "Simulation modeling and analysis", chapter 1; the queue is a list kept in the order of time.
"""
from dataclasses import dataclass

import numpy as np


@dataclass
class Event:
    time: float
    kind: str
    machine: int


@dataclass
class Machine:
    up: bool = True
    down_since: float = 0.0
    downtime: float = 0.0
    failures: int = 0


def schedule(queue, event):
    i = len(queue)
    while i > 0 and queue[i - 1].time > event.time:
        i -= 1
    queue.insert(i, event)


def simulate(life, repair, horizon=20.0):
    """Share of the time that machines stand still. life, repair: (machines, draws) durations, used in turn."""
    count, draws = life.shape
    machines = [Machine() for _ in range(count)]
    queue = []
    for m in range(count):
        schedule(queue, Event(life[m, 0], "fail", m))
    log = []
    while queue:
        event = queue.pop(0)
        if event.time > horizon:
            break
        machine = machines[event.machine]
        if event.kind == "fail":
            machine.up = False
            machine.down_since = event.time
            machine.failures += 1
            d = repair[event.machine, machine.failures % draws]
            schedule(queue, Event(event.time + d, "repair", event.machine))
        else:
            machine.up = True
            machine.downtime += event.time - machine.down_since
            d = life[event.machine, machine.failures % draws]
            schedule(queue, Event(event.time + d, "fail", event.machine))
        log.append(event.time)
    for machine in machines:
        if not machine.up:
            machine.downtime += horizon - machine.down_since
    return sum(m.downtime for m in machines) / (count * horizon), [m.failures for m in machines], np.array(log)


ENTRY = "simulate"


def make_arguments(rng, n):
    return (rng.exponential(3.0, (n, 8)), rng.exponential(1.0, (n, 8)))


GRADIENT = ("life", "repair")
ERRORS = []
