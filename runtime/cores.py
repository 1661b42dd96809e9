"""How many threads work: what the user asks for, else the cores that the system lets this process use."""

from __future__ import annotations

import math
import os

from .processes import processes

MOST_THREADS = 1024


def default_threads() -> int:
    """PELLUCID_NUM_THREADS, else the cores that this process may use, or its share of them."""
    given = os.environ.get("PELLUCID_NUM_THREADS", "").strip()
    if given:
        return checked_threads(int(given) if given.isdigit() else given, "PELLUCID_NUM_THREADS")
    return max(1, min(available_cores() // processes().sharers, MOST_THREADS))


def available_cores() -> int:
    """Cores that the system lets this process use: its affinity, and its share of processor time in a container."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    return min(cores, math.ceil(_quota()))


def _quota(path: str = "/sys/fs/cgroup/cpu.max") -> float:
    """Cores' worth of time that a container grants; infinite where it does not say."""
    try:
        with open(path, encoding="ascii") as file:
            quota, period = file.read().split()[:2]
        return int(quota) / int(period)
    except (OSError, ValueError):  # no such file, or "max"
        return float(MOST_THREADS)


def checked_threads(count: object, name: str = "threads") -> int:
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_THREADS:
        raise ValueError(f"{name} is a number from 1 to {MOST_THREADS}, not {count!r}")
    return count
