"""Several devices of the processor against one, and against JAX: medians and least times, in one process.

    .venv/bin/python benchmarks/devices.py            two devices, each with a core of its own where there are two
    .venv/bin/python benchmarks/devices.py --alone    on a machine that others use, too: this process goes before them

It measures an elementwise function and steps of a stencil on one device and on two, a `psum` of 1000 floats between
two devices, what a call of `pmap` takes until it returns and until its result is there, and a data-parallel step of a
network for digits.  JAX takes part where it is installed, with two devices of its host.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import os
import statistics
import sys
import time
import types
from collections.abc import Callable
from typing import Any

os.environ.setdefault("PELLUCID_CPU_DEVICES", "2")
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2")

import numpy as np

import pellucid
from pellucid import P, lax, make_mesh, pmap, shard_map, value_and_grad
from pellucid.on_devices import DeviceProgram

ROUNDS, TURNS, CHAIN = 30, 500, 50
ROWS, PIXELS, HIDDEN, CLASSES = 256, 64, 128, 10

# --- the programs ----------------------------------------------------------------------------------------------------


def elementwise(x):
    return np.exp(np.sin(x)) * np.tanh(x)


def stencil(u):
    """Steps of diffusion on a block of rows, whose first and last row go to the neighbours."""
    index, count = lax.axis_index("i"), lax.axis_size("i")
    for _ in range(20):
        edges = lax.all_gather(np.stack((u[0], u[-1])), "i")
        above = edges[(index + count - 1) % count, 1]
        below = edges[(index + 1) % count, 0]
        padded = np.concatenate((above[None], u, below[None]))
        middle = padded[1:-1]
        u = middle.copy()
        u[:, 1:-1] = middle[:, 1:-1] + 0.1 * (
            padded[:-2, 1:-1] + padded[2:, 1:-1] + middle[:, 2:] + middle[:, :-2] - 4.0 * middle[:, 1:-1]
        )
    return u


def sums(x, n):
    for _ in range(n):
        x = lax.psum(x, "i") * 0.5
    return x


def nothing(x):
    return x


def loss(params, images, targets):
    scores = np.tanh(images @ params["w1"] + params["b1"]) @ params["w2"] + params["b2"]
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    return np.mean(np.log(np.sum(np.exp(shifted), axis=1)) - np.sum(targets * shifted, axis=1))


def step(params, images, targets):
    """One step of gradient descent, of which every device has a part of the images."""
    value, slope = value_and_grad(loss)(params, images, targets)
    return {key: params[key] - 0.1 * lax.pmean(slope[key], "i") for key in params}, lax.pmean(value, "i")


# --- timing ----------------------------------------------------------------------------------------------------------


def microseconds(call: Callable[[], Any], per: int = 1) -> list[float]:
    """What some calls took, each divided by what it does."""
    times = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        call()
        times.append(1e6 * (time.perf_counter() - begun) / per)
    return times


def row(name: str, contenders: dict[str, Callable[[], Any]], per: int = 1) -> dict[str, float]:
    """Print the median and the least time of each, which take turns; gives the medians."""
    for call in contenders.values():
        for _ in range(3):
            call()
    go_before_others()
    times: dict[str, list[float]] = {key: [] for key in contenders}
    for _ in range(3):
        for key, call in contenders.items():
            times[key] += microseconds(call, per)
    medians = {key: statistics.median(taken) for key, taken in times.items()}
    told = "   ".join(f"{key} {medians[key]:9.2f} ({min(taken):.2f})" for key, taken in times.items())
    first, *rest = medians.values()
    print(f"{name:34} {told}   {'  '.join(f'{first / other:.2f} x' for other in rest)}", flush=True)
    return medians


def go_before_others() -> None:
    """Let the threads of this process run before those of others, if that is asked for and allowed."""
    if "--alone" in sys.argv:
        for thread in os.listdir("/proc/self/task"):
            os.sched_setscheduler(int(thread), os.SCHED_RR, os.sched_param(1))


# --- JAX -------------------------------------------------------------------------------------------------------------


@functools.cache
def jax() -> Any:
    """JAX with two devices; None where it is not installed."""
    try:
        found = importlib.import_module("jax")
    except ImportError:
        return None
    found.config.update("jax_enable_x64", True)
    return found if len(found.devices()) > 1 else None


def in_jax(function: Callable[..., Any]) -> Any:
    """The same function with JAX's names."""
    names = {**globals(), "np": jax().numpy, "lax": jax().lax, "value_and_grad": jax().value_and_grad}
    made: Any = types.FunctionType(function.__code__, names)
    names["loss"] = types.FunctionType(loss.__code__, names)
    return made


def mapped_in_jax(function: Callable[..., Any], in_specs: Any, out_specs: Any) -> Any:
    mesh = jax().make_mesh((2,), ("i",))
    return jax().jit(jax().shard_map(function, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False))


# --- rows ------------------------------------------------------------------------------------------------------------


def of_two_and_one(name: str, function: Callable[..., Any], whole: np.ndarray) -> None:
    """The same work on two devices, whose result is one array, and on one; and on two of JAX's."""
    one = DeviceProgram(function, {"i": 1})
    given = pellucid.Array(whole)
    two = shard_map(function, mesh=make_mesh((2,), ("i",)), in_specs=P("i"), out_specs=P("i"))
    calls = {"two": lambda: np.asarray(two(given)), "one": lambda: one([(given,)])}
    if jax() is not None and function is elementwise:
        theirs = mapped_in_jax(in_jax(function), jax().P("i"), jax().P("i"))
        there = jax().device_put(whole, jax().NamedSharding(jax().make_mesh((2,), ("i",)), jax().P("i")))
        calls["jax's two"] = lambda: theirs(there).block_until_ready()
    row(name, calls)


def exchange(rng: np.random.Generator) -> None:
    ours, x = DeviceProgram(sums, {"i": 2}, shared={"n": ("i",)}), pellucid.Array(rng.normal(size=1000))
    calls = {"pellucid": lambda: ours([(x, TURNS), (x, TURNS)])}
    if jax() is not None:
        body = functools.partial(jax().lax.fori_loop, 0, TURNS, lambda _, x: jax().lax.psum(x, "i") * 0.5)
        theirs, there = mapped_in_jax(body, jax().P(), jax().P()), jax().numpy.asarray(x)
        calls["jax"] = lambda: theirs(there).block_until_ready()
    row("psum of 1000 floats", calls, TURNS)


def dispatch(rng: np.random.Generator) -> None:
    rows = rng.normal(size=(2, 4))
    ours = pmap(nothing, axis_name="i")
    contenders = {"pellucid": (ours, ours(rows))}
    if jax() is not None:
        theirs = jax().pmap(in_jax(nothing), axis_name="i")
        contenders["jax"] = theirs, theirs(rows)
    row("pmap of nothing, until it returns", {key: functools.partial(chained, *one) for key, one in contenders.items()},
        CHAIN)  # fmt: skip
    row("pmap of nothing, with its result", {key: functools.partial(waited, *one) for key, one in contenders.items()},
        CHAIN)  # fmt: skip


def chained(call: Callable[[Any], Any], x: Any) -> None:
    for _ in range(CHAIN):
        x = call(x)
    x.block_until_ready()


def waited(call: Callable[[Any], Any], x: Any) -> None:
    for _ in range(CHAIN):
        call(x).block_until_ready()


def training(rng: np.random.Generator) -> None:
    params = {
        "w1": rng.normal(size=(PIXELS, HIDDEN)) * 0.1, "b1": np.zeros(HIDDEN),
        "w2": rng.normal(size=(HIDDEN, CLASSES)) * 0.1, "b2": np.zeros(CLASSES),
    }  # fmt: skip
    images, targets = rng.random(size=(ROWS, PIXELS)), np.eye(CLASSES)[rng.integers(CLASSES, size=ROWS)]
    for dtype in (np.float64, np.float32):
        given = [{key: value.astype(dtype) for key, value in params.items()}, images.astype(dtype),
                 targets.astype(dtype)]  # fmt: skip
        mesh = make_mesh((2,), ("i",))
        ours = shard_map(step, mesh=mesh, in_specs=(P(), P("i"), P("i")), out_specs=P())
        calls = {"pellucid": functools.partial(trained, ours, *pellucid.tree.map(pellucid.Array, given))}
        if jax() is not None:
            specs, place = (jax().P(), jax().P("i"), jax().P("i")), jax().make_mesh((2,), ("i",))
            theirs = mapped_in_jax(in_jax(step), specs, jax().P())
            there = [jax().device_put(one, jax().NamedSharding(place, spec)) for one, spec in zip(given, specs)]
            calls["jax"] = functools.partial(trained, theirs, *there)
        row(f"step of a network, {np.dtype(dtype)}", calls, CHAIN)


def trained(call: Callable[..., Any], params: Any, images: Any, targets: Any) -> float:
    for _ in range(CHAIN):
        params, value = call(params, images, targets)
    return float(value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--alone", action="store_true", help="run before all other processes (needs the right to)")
    parser.parse_args()
    rng = np.random.default_rng(1)
    print("microseconds: median (least)   the first divided by each other")
    of_two_and_one("elementwise, 2 000 000", elementwise, rng.normal(size=2_000_000))
    of_two_and_one("stencil, 2000 x 1000, 20 steps", stencil, rng.normal(size=(2000, 1000)))
    exchange(rng)
    dispatch(rng)
    training(rng)


if __name__ == "__main__":
    main()
