"""The network between two devices of the processor, measured.

    network_of_this_machine()    ->    Network(latency=6e-07, bandwidth=1.5e+09)
"""

from __future__ import annotations

import time

import numpy as np

from . import lax
from .network import Network
from .on_devices import DeviceProgram
from .runtime import asynchronous


def network_of_this_machine(messages: int = 200, large: int = 1 << 22) -> Network:
    """Latency and bandwidth between two devices of the processor, by messages of 8 bytes and of some millions.

    Raises ValueError where the processor is one device, or there is no native part.
    """
    if asynchronous.prepare() is None or asynchronous.cpu_devices() < 2:
        raise ValueError(
            "the network is measured between two devices of the processor: set PELLUCID_CPU_DEVICES=2, "
            "or give `network=Network(latency, bandwidth)`"
        )
    program = DeviceProgram(_swapping, {"i": 2}, shared={"turns": ("i",)})

    def seconds(length: int, turns: int) -> float:
        given = [(np.ones(length), turns)] * 2
        program(given)
        taken = []
        for _ in range(3):
            started = time.perf_counter()
            program(given)
            taken.append(time.perf_counter() - started)
        return min(taken)

    empty = seconds(1, 0)
    latency = max((seconds(1, messages) - empty) / messages, 1e-9)
    each = (seconds(large // 8, 8) - seconds(large // 8, 0)) / 8
    return Network(latency, large / max(each - latency, 1e-12))


def _swapping(x, turns):
    for _ in range(turns):
        x = lax.ppermute(x, "i", [(0, 1), (1, 0)])
    return x
