"""Timing: all contenders of a workload take turns in one process; what disturbs the machine disturbs them alike."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from peers import OURS, Contender, contenders, limit_of, limits
from workload import Bar, Workload

SHORTEST = 2e-3  # seconds: a sample repeats the call until it takes about as long
LONGEST = 20.0  # seconds: no workload takes many more than this, whatever the number of rounds
LEAST_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Row:
    """One workload, measured; times in seconds.

    medians     by contender, with those that stand for the limit of the machine
    first_calls by contender: the first call in this process, which compiles
    limit       what the work takes at the limit of the machine
    apart       the contenders whose result is not NumPy's
    """

    workload: str
    medians: dict[str, float]
    first_calls: dict[str, float] = field(default_factory=dict)
    limit: float | None = None
    apart: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()


def measure(workload: Workload, rounds: int) -> Row:
    """Every contender at one workload, in turns."""
    args = workload.arguments(np.random.default_rng(0))
    ready: list[Contender] = []
    first_calls, results = {}, {}
    for contender in contenders(workload, args):
        started = time.perf_counter()
        try:
            result = contender.call(*contender.args)
        except Exception as error:
            print(f"{workload.name}: {contender.name} cannot: {str(error).strip().splitlines()[0]}", file=sys.stderr)
            continue
        first_calls[contender.name] = time.perf_counter() - started
        results[contender.name] = leaves(result)
        ready.append(contender)
    expected = results.get("numpy", results.get("numba"))
    apart = tuple(name for name, found in results.items() if expected is not None and not alike(found, expected))
    results.clear()
    medians = in_turns([*ready, *limits(workload, args)], rounds)
    return Row(workload.name, medians, first_calls, limit_of(workload, medians), apart, workload.bars)


def in_turns(ready: Sequence[Contender], rounds: int) -> dict[str, float]:
    """The median time of a call of each."""
    once = {c.name: timed(c.call, c.args) for c in ready}
    calls = {name: max(1, round(SHORTEST / seconds)) for name, seconds in once.items()}
    whole = sum(calls[name] * seconds for name, seconds in once.items())
    rounds = max(min(rounds, LEAST_ROUNDS), min(rounds, round(LONGEST / whole)))
    samples: dict[str, list[float]] = {c.name: [] for c in ready}
    for number in range(rounds):
        for contender in ready if number % 2 else reversed(ready):
            samples[contender.name].append(timed(contender.call, contender.args, calls[contender.name]))
    return {name: statistics.median(times) for name, times in samples.items()}


def timed(function: Callable[..., Any], args: Sequence[Any], calls: int = 1) -> float:
    """Seconds for one call, the mean of `calls`."""
    started = time.perf_counter()
    for _ in range(calls):
        function(*args)
    return (time.perf_counter() - started) / calls


def leaves(result: Any) -> list[np.ndarray]:
    """The arrays of a result, out of its containers."""
    if isinstance(result, tuple | list):
        return [leaf for part in result for leaf in leaves(part)]
    return [np.asarray(result)]


def alike(found: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> bool:
    """Whether two results agree to the digits of the coarser dtype, by the largest of their elements."""
    return len(found) == len(expected) and all(map(near, found, expected))


def near(left: np.ndarray, right: np.ndarray) -> bool:
    digits = 1e-5 if np.float32 in (left.dtype, right.dtype) else 1e-9
    size = float(np.max(np.abs(right), initial=1.0, where=np.isfinite(right)))
    return left.shape == right.shape and np.allclose(left, right, rtol=digits, atol=digits * size, equal_nan=True)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A bar, our median over what it is held to, and whether it is met."""

    bar: Bar
    against: str
    ratio: float

    @property
    def met(self) -> bool:
        return self.ratio <= self.bar.limit


def verdicts(row: Row, others: Sequence[Row]) -> list[Verdict]:
    """How a row stands to its bars; those whose contenders are missing say nothing."""
    found = []
    ours = row.medians.get(OURS)
    for bar in row.bars if ours is not None else ():
        known = {**row.medians, **{r.workload: r.medians[OURS] for r in others if OURS in r.medians}}
        against = [name for name in bar.against if name in known]
        if not bar.against:
            found.append(Verdict(bar, "", ours))
        elif len(against) == len(bar.against):
            best = min(against, key=lambda name: known[name])
            found.append(Verdict(bar, best, ours / known[best]))
    return found
