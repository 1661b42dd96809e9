"""Agents on a grid, each with the list of its neighbours: infection by contact.

Railsback and Grimm, "Agent-based and individual-based modeling": update in two phases.
"""
import numpy as np


class Agent:
    def __init__(self, row, column, load):
        self.row = row
        self.column = column
        self.load = load
        self.next_load = load
        self.neighbours = []

    def observe(self, rate, clearance):
        contact = 0.0
        for other in self.neighbours:
            contact += other.load
        self.next_load = self.load + rate * contact * (1 - self.load) - clearance * self.load

    def update(self):
        self.load = self.next_load


def spread(load, rate, clearance, steps=6):
    rows, columns = load.shape
    agents = [Agent(r, c, load[r, c]) for r in range(rows) for c in range(columns)]
    for agent in agents:
        for dr, dc in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            r, c = agent.row + dr, agent.column + dc
            if 0 <= r < rows and 0 <= c < columns:
                agent.neighbours.append(agents[r * columns + c])
    history = []
    for _ in range(steps):
        for agent in agents:
            agent.observe(rate, clearance)
        for agent in agents:
            agent.update()
        history.append(sum(agent.load for agent in agents) / len(agents))
    return history[-1], np.array([a.load for a in agents]).reshape(rows, columns), history


ENTRY = "spread"


def make_arguments(rng, n):
    return (rng.uniform(0, 0.2, (n, n + 1)), 0.1, 0.05)


GRADIENT = ("load", "rate", "clearance")
ERRORS = []
