"""The programs on a GPU by us, by jitted JAX, by numba-cuda written by hand, and by CuPy."""

from __future__ import annotations

import functools
import importlib
import math
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from gpu_correct import distance_of, leaves
from gpu_kernels import by_hand
from gpu_parts import Run, Table, queued, shown
from gpu_programs import PROGRAMS, Program

import pellucid

PEERS = "JAX", "numba-cuda", "CuPy"
Timed = tuple[Callable[[], Any], Callable[[], Any]]  # a call, and what waits for all that was called


def peers(run: Run) -> None:
    """Peers: the twelve programs, and ours over each of theirs."""
    about = (
        "Arguments on the device, calls queued and waited for together, 5 rounds, the median; in brackets ours over "
        "theirs (below 1 we are faster). JAX runs `jax.numpy` twins under `jit`, float64 enabled; numba-cuda runs "
        "kernels written by hand; CuPy runs the program over its arrays, and has no gradients. A peer that is more "
        "than 1e-6 apart from us, over the largest element, or in one whole number of a thousand, is marked *apart*."
    )
    table = run.table("Programs", about, "program", "ours", *PEERS)
    for name in ("jax", "numba_cuda", "cupy"):
        if imported(name) is None:
            print(f"{name} is missing and left out")
    ratios: dict[str, list[float]] = {name: [] for name in PEERS}
    for program in PROGRAMS:
        run.guarded(program.name, lambda program=program: compare(run, table, program, ratios))
        free(run)
    means = [f"{math.exp(sum(map(math.log, found)) / len(found)):.2f}" if found else "" for found in ratios.values()]
    run.row(table, "ours / theirs, geometric mean", "", *means)
    run.row(table, "programs compared", "", *(str(len(found)) for found in ratios.values()))


def compare(run: Run, table: Table, program: Program, ratios: dict[str, list[float]]) -> None:
    size = least(program) if run.is_tiny else program.large
    args = program.make(size, np.random.default_rng(0))
    slopes = {"argnums": program.slopes} if program.is_loss else {}
    ours = (pellucid.value_and_grad if program.is_loss else pellucid.compile)(program.function, **slopes)
    there = run.there(args)
    values = leaves(ours(*there))
    seconds = queued(lambda: ours(*there), run.wait)
    cells = [f"{program.name}, {size}", shown(seconds)]
    for peer in PEERS:
        found = run.guarded(f"{program.name}, {peer}", lambda peer=peer: timed(program, args, values, peer))
        if found:
            ratios[peer].append(seconds / found[0])
        cells.append(f"{shown(found[0])} ({seconds / found[0]:.2f}){found[1]}" if found else "")
    run.row(table, *cells)


def least(program: Program) -> Any:
    """The smallest size that it is held to NumPy with and that has more than one element."""
    return min((size for size in program.sizes if np.prod(size) > 1), key=np.prod)


def timed(program: Program, args: tuple[Any, ...], values: list[np.ndarray], peer: str) -> tuple[float, str] | None:
    """Seconds of a peer, and a word if its result is another."""
    made = MAKERS[peer](program, args)
    if made is None:
        return None
    call, wait = made
    theirs = [np.asarray(leaf) for leaf in on_host(call())]
    apart = len(theirs) != len(values) or any(
        left.shape != right.shape or differs(left, right)
        for left, right in zip(theirs, values)
    )
    return queued(call, wait), " apart" if apart else ""


def differs(theirs: np.ndarray, ours: np.ndarray) -> bool:
    """Whether results are too far apart; of whole numbers one in a thousand may be another, as roundings decide it."""
    if ours.dtype.kind in "iu":
        return bool(np.mean(theirs != ours) > 1e-3)
    return distance_of(theirs, ours) > (1e-5 if theirs.dtype == np.float32 else 1e-6)


def on_host(result: Any) -> Iterator[Any]:
    if isinstance(result, tuple | list):
        for part in result:
            yield from on_host(part)
    elif hasattr(result, "copy_to_host"):
        yield result.copy_to_host()
    else:
        yield result.get() if hasattr(result, "get") else result


def imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def free(run: Run) -> None:
    """Let the next program have the memory that the last one had."""
    if cupy := imported("cupy"):
        cupy.get_default_memory_pool().free_all_blocks()
    run.native.cuda_trim(run.device)


# --- JAX -------------------------------------------------------------------------------------------------------------


def in_jax(program: Program, args: tuple[Any, ...]) -> Timed | None:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = imported("jax")
    if jax is None:
        return None
    jax.config.update("jax_enable_x64", True)
    function = JAX_TWINS[program.name](jax) if program.name in JAX_TWINS else program.over(jax.numpy)
    if program.is_loss:
        function = jax.value_and_grad(function, argnums=program.slopes)
    fast = jax.jit(function, static_argnums=program.whole)
    there = [jax.device_put(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
    last: list[Any] = [None]

    def call() -> Any:
        last[0] = fast(*there)
        return last[0]

    return call, lambda: jax.block_until_ready(last[0])


def jax_jacobi(jax: Any) -> Callable[..., Any]:
    def step(_: Any, u: Any) -> Any:
        inner = 0.25 * (u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1])
        return u.at[1:-1, 1:-1].set(inner)

    return lambda u, steps: jax.lax.fori_loop(0, steps, step, u)


def jax_mandelbrot(jax: Any) -> Callable[..., Any]:
    def point(re: Any, im: Any, limit: int) -> Any:
        def goes_on(state: Any) -> Any:
            x, y, k = state
            return (x * x + y * y <= 4.0) & (k < limit)

        def turn(state: Any) -> Any:
            x, y, k = state
            return x * x - y * y + re, 2.0 * x * y + im, k + 1

        return jax.lax.while_loop(goes_on, turn, (0.0, 0.0, 0))[2]

    return lambda re, im, limit: jax.vmap(functools.partial(point, limit=limit))(re, im)


def jax_newton(jax: Any) -> Callable[..., Any]:
    xp = jax.numpy

    def point(mean: Any, eccentricity: float) -> Any:
        def turn(state: Any) -> Any:
            anomaly, _, turns = state
            step = (anomaly - eccentricity * xp.sin(anomaly) - mean) / (1.0 - eccentricity * xp.cos(anomaly))
            return anomaly - step, step, turns + 1

        goes_on = lambda state: (abs(state[1]) > 1e-12) & (state[2] < 50)  # noqa: E731
        return jax.lax.while_loop(goes_on, turn, (mean, 1.0, 0))[0]

    return lambda mean, eccentricity: jax.vmap(lambda m: point(m, eccentricity))(mean)


def jax_histogram(jax: Any) -> Callable[..., Any]:
    return lambda places, weights, bins: jax.numpy.zeros(bins).at[places].add(weights)


JAX_TWINS = {"Jacobi": jax_jacobi, "Mandelbrot": jax_mandelbrot, "Newton": jax_newton, "histogram": jax_histogram}


# --- numba-cuda and CuPy -------------------------------------------------------------------------------------------


@functools.cache
def hand_written() -> tuple[Any, dict[str, Callable[..., Any]]] | None:
    if imported("numba_cuda") is None:
        return None
    cuda = importlib.import_module("numba.cuda")
    return cuda, by_hand(cuda)


def in_numba(program: Program, args: tuple[Any, ...]) -> Timed | None:
    found = hand_written()
    if found is None or program.name not in found[1]:
        return None
    cuda, functions = found
    there = [cuda.to_device(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
    return lambda: functions[program.name](*there), cuda.synchronize


def in_cupy(program: Program, args: tuple[Any, ...]) -> Timed | None:
    cupy = imported("cupy")
    if cupy is None or program.is_loss:
        return None
    function = program.over(cupy)
    there = [cupy.asarray(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
    return lambda: function(*there), cupy.cuda.Device().synchronize


MAKERS: dict[str, Callable[[Program, tuple[Any, ...]], Timed | None]] = {
    "JAX": in_jax, "numba-cuda": in_numba, "CuPy": in_cupy,
}  # fmt: skip
