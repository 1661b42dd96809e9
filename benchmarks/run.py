"""Measure Pellucid beside its peers: NumPy always, Numba and JAX where they can be imported.

    python benchmarks/run.py [--only WORD] [--rounds 30] [--json]

All contenders of a workload run in one process and take turns, so that whatever disturbs the machine disturbs them
alike.  Shown are the median time of a call, its ratio to ours (above 1.0: we are faster), and the time of the first
call, which compiles.  Results are compared before they are timed.  Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import sys
import time
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from workloads import WORKLOADS, Workload

import pellucid

SHORTEST = 2e-3  # seconds: a sample repeats the call until it takes about as long


@dataclass(frozen=True, slots=True)
class Result:
    """One contender at one workload; times in seconds."""

    workload: str
    contender: str
    first_call: float
    median: float
    ratio: float
    agrees: bool


def contenders(workload: Workload) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Ours first, then the peers that can take part."""
    if workload.gradient is None:
        yield "pellucid", pellucid.compile(workload.function)
    else:
        yield "pellucid", pellucid.grad(workload.function, workload.gradient)
    yield ("numpy" if workload.by_hand is None else "numpy, by hand"), workload.by_hand or workload.function
    numba, jax = imported("numba"), imported("jax")
    if workload.numba and numba is not None:
        yield "numba", numba.njit(workload.function)
    if workload.jax and jax is not None:
        yield "jax", in_jax(workload, jax)


def imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def in_jax(workload: Workload, jax: Any) -> Callable[..., Any]:
    """The same function over `jax.numpy`, in double precision where NumPy has it, waiting for its result."""
    jax.config.update("jax_enable_x64", True)
    function = workload.function
    names = {**function.__globals__, "np": importlib.import_module("jax.numpy")}
    changed = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__)
    fast = jax.jit(changed if workload.gradient is None else jax.grad(changed, workload.gradient))
    return lambda *args: jax.block_until_ready(fast(*args))


def alike(one: Any, other: Any) -> bool:
    """Whether two results agree to the digits that their dtype has."""
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    left, right = np.asarray(one), np.asarray(other)
    digits = 1e-4 if left.dtype == np.float32 else 1e-8
    return left.shape == right.shape and np.allclose(left, right, rtol=digits, atol=digits)


def timed(function: Callable[..., Any], args: Sequence[Any], calls: int = 1) -> float:
    """Seconds for one call, the mean of `calls`."""
    started = time.perf_counter()
    for _ in range(calls):
        function(*args)
    return (time.perf_counter() - started) / calls


def measure(workload: Workload, rounds: int) -> list[Result]:
    """Every contender at one workload, in turns."""
    args = workload.arguments(np.random.default_rng(0))
    ready, results = {}, {}
    for name, function in contenders(workload):
        started = time.perf_counter()
        try:
            results[name] = function(*args)
        except Exception as error:
            print(f"{workload.name}: {name} cannot: {str(error).splitlines()[0]}", file=sys.stderr)
            continue
        ready[name] = (function, time.perf_counter() - started)
    calls = {name: max(1, round(SHORTEST / timed(function, args))) for name, (function, _) in ready.items()}
    samples: dict[str, list[float]] = {name: [] for name in ready}
    for _ in range(rounds):
        for name, (function, _) in ready.items():
            samples[name].append(timed(function, args, calls[name]))
    medians = {name: statistics.median(times) for name, times in samples.items()}
    ours = medians.get("pellucid", float("nan"))
    expected = next((r for name, r in results.items() if name.startswith("numpy")), None)
    return [
        Result(workload.name, name, ready[name][1], median, median / ours, alike(results[name], expected))
        for name, median in medians.items()
    ]


def shown(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def print_results(results: Sequence[Result]) -> None:
    for result in results:
        note = "" if result.agrees else "   DIFFERENT RESULT"
        print(
            f"{result.workload:40} {result.contender:15} {shown(result.median):>10} {result.ratio:8.2f}x"
            f"   first call {shown(result.first_call):>9}{note}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure Pellucid beside NumPy, Numba and JAX.")
    parser.add_argument("--only", default="", metavar="WORD", help="workloads whose name contains this")
    parser.add_argument("--rounds", type=int, default=30, help="samples of every contender (default 30)")
    parser.add_argument("--json", action="store_true", help="print one JSON list instead of a table")
    options = parser.parse_args()
    found: list[Result] = []
    for workload in WORKLOADS:
        if options.only.lower() in workload.name.lower():
            results = measure(workload, options.rounds)
            found += results
            if not options.json:
                print_results(results)
    if options.json:
        print(json.dumps([asdict(result) for result in found], indent=1))


if __name__ == "__main__":
    main()
