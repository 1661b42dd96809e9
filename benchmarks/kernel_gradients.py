"""Measure the kernels: the value, the gradient of its sum, and JAX's gradient where JAX can be imported.

    python benchmarks/kernel_gradients.py [--only WORD] [--rounds 7]

One line for each kernel, those whose gradient costs most first; times are the least of the samples.  Results are
compared with those of JAX before they are timed.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time

import numpy as np
from kernels import KERNELS, Kernel, objective

import pellucid


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the gradients of well-known kernels.")
    parser.add_argument("--only", default="", metavar="WORD", help="kernels whose name contains this")
    parser.add_argument("--rounds", type=int, default=7, help="samples of every contender (default 7)")
    options = parser.parse_args()
    rows = []
    for kernel in KERNELS:
        if options.only in kernel.name:
            print(f"{kernel.name} ...", file=sys.stderr, flush=True)
            rows.append(measured(kernel, options.rounds))
    rows.sort(key=lambda row: -(row[3] or 0.0))
    print(f"{'kernel':20} {'value':>12} {'gradient':>12} {'gradient/value':>15} {'JAX':>12} {'of JAX':>8}")
    for name, value, gradient, ratio, peer in rows:
        times = [f"{t * 1e3:9.3f} ms" if t else " " * 12 for t in (value, gradient)]
        share = f"{gradient / peer:8.2f}" if gradient and peer else " " * 8
        print(f"{name:20} {times[0]} {times[1]} {ratio or 0.0:15.1f} {(peer or 0.0) * 1e3:9.3f} ms {share}", flush=True)


def measured(kernel: Kernel, rounds: int) -> tuple[str, float, float | None, float | None, float | None]:
    args = kernel.make(kernel.large, np.random.default_rng(7))
    value = pellucid.compile(kernel.function)
    if not kernel.wrt:
        return kernel.name, least(lambda: value(*args), rounds), None, None, None
    taken, by, rest = pellucid.grad(objective(kernel.function)), args[: kernel.wrt], args[kernel.wrt :]

    def gradient():
        return taken(by, rest)

    contenders = [lambda: value(*args), gradient]
    peer = jax_gradient(kernel)
    if peer is not None:
        same(gradient(), peer(*args), kernel.name)
        contenders.append(lambda: [g.block_until_ready() for g in peer(*args)])
    times = [least(run, rounds) for run in contenders]
    return kernel.name, times[0], times[1], times[1] / times[0], times[2] if peer is not None else None


def jax_gradient(kernel: Kernel):
    """JAX's gradient of the same sum, compiled; None where there is no JAX or nobody would write it so."""
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    if kernel.peer is None:
        return None
    function = kernel.peer(jax, jnp)
    return jax.jit(jax.grad(lambda *args: jnp.sum(function(*args)), argnums=tuple(range(kernel.wrt))))


def same(ours, theirs, name: str) -> None:
    for one, other in zip(ours, theirs, strict=True):
        other = np.asarray(other)
        scale = max(1.0, float(np.max(np.abs(other))))
        if not np.allclose(np.asarray(one), other, rtol=1e-6, atol=1e-8 * scale):
            print(f"{name}: the gradients differ by {np.max(np.abs(np.asarray(one) - other))}", file=sys.stderr)


def least(run, rounds: int) -> float:
    run()
    gc.collect()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    main()
