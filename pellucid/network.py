"""What collectives cost: bytes and seconds by the formulae of the field.

    all_reduce of n bytes on p devices, in a ring        every device sends 2 (p - 1) / p n bytes, in 2 (p - 1) messages

A message of n bytes takes `latency + n / bandwidth` seconds (Hockney, The communication challenge for MPP, 1994).  The
algorithms are those of Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in MPICH,
2005; of several for one collective the fastest counts, as libraries choose it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, log2


@dataclass(frozen=True, slots=True)
class Network:
    """What is between devices.

    latency    seconds that each message takes, however short
    bandwidth  bytes that a device sends in a second
    """

    latency: float
    bandwidth: float

    def seconds(self, messages: float, sent: float) -> float:
        """The time of so many messages one after the other, with so many bytes in all."""
        return messages * self.latency + sent / self.bandwidth


@dataclass(frozen=True, slots=True)
class Algorithm:
    """One way to a collective: messages one after the other, and the bytes that a device sends for each of its own."""

    name: str
    messages: Callable[[int], float]
    sent: Callable[[int], float]


def rounds(p: int) -> int:
    """How often p is halved."""
    return ceil(log2(p)) if p > 1 else 0


RING = Algorithm("ring", lambda p: 2 * (p - 1), lambda p: 2 * (p - 1) / p)
REDUCES = (
    RING,
    Algorithm("halving and doubling", lambda p: 2 * rounds(p), RING.sent),
    Algorithm("doubling", rounds, rounds),
)
# By what a collective is called in `ops/exchanges.py`; the first algorithm is the one whose bytes are told.
ALGORITHMS: Mapping[str, tuple[Algorithm, ...]] = {
    "sum": REDUCES, "max": REDUCES, "min": REDUCES,
    "gather": (
        Algorithm("ring", lambda p: p - 1, lambda p: p - 1),
        Algorithm("doubling", rounds, lambda p: p - 1),
    ),
    "scatter": (
        Algorithm("pairwise", lambda p: p - 1, lambda p: (p - 1) / p),
        Algorithm("halving", rounds, lambda p: (p - 1) / p),
    ),
    "exchange": (
        Algorithm("pairwise", lambda p: p - 1, lambda p: (p - 1) / p),
        Algorithm("Bruck", rounds, lambda p: rounds(p) / 2),
    ),
    "permute": (Algorithm("one message", lambda p: min(p - 1, 1), lambda p: min(p - 1, 1)),),
}  # fmt: skip


def bytes_sent(kind: str, p: int, own: float) -> float:
    """What each of p devices sends, of so many bytes of its own."""
    return ALGORITHMS[kind][0].sent(p) * own


def fastest(kind: str, p: int, own: float, network: Network) -> tuple[float, Algorithm]:
    """The seconds of a collective, and the algorithm that takes them."""
    every = [(network.seconds(way.messages(p), way.sent(p) * own), way) for way in ALGORITHMS[kind]]
    return min(every, key=lambda one: one[0])
