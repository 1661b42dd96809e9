"""The contenders: how ours, NumPy, Numba and JAX take a workload, and what stands for the limits of the machine."""

from __future__ import annotations

import functools
import importlib
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import examples
import numpy as np
import objectives
import random_numbers
import sparse_derivatives
from workload import COPY, Workload

import pellucid

OURS, PRODUCT = "pellucid", "product"
PEAK_SIDE = 1024  # of the product of matrices that stands for the peak of the machine


@dataclass(frozen=True, slots=True)
class Contender:
    """Who runs a workload, what is called, and with what."""

    name: str
    call: Callable[..., Any]
    args: tuple[Any, ...]


def contenders(workload: Workload, args: tuple[Any, ...]) -> Iterator[Contender]:
    """Ours first, then the peers that can take part."""
    transform = {
        "": pellucid.compile, "grad": pellucid.grad, "value_and_grad": pellucid.value_and_grad,
        "sparse_jacobian": functools.partial(pellucid.jacobian, sparse=True),
        "sparse_hessian": functools.partial(pellucid.hessian, sparse=True),
    }  # fmt: skip
    chosen = {"argnums": workload.argnums} if workload.transform else {}
    ours = transform[workload.transform](workload.function, **chosen)
    yield Contender(OURS, pellucid.vmap(ours, workload.in_axes) if workload.in_axes else ours, args)
    if workload.by_hand is not None:
        yield Contender("numpy", workload.function if workload.by_hand is True else workload.by_hand, args)
    numba, jax = imported("numba"), imported("jax")
    if workload.numba and numba is not None:
        by_name = isinstance(workload.numba, str)
        made = NUMBA_VERSIONS[workload.numba](numba) if by_name else numba.njit(workload.function)
        yield Contender("numba", made, args)
    if workload.jax and jax is not None:
        yield Contender("jax", in_jax(workload, jax), on_device(jax, args))


def limits(workload: Workload, args: tuple[Any, ...]) -> Iterator[Contender]:
    """What no program can beat: a copy that moves the same bytes, a product of matrices at the speed of the library."""
    if workload.moves is not None:
        half = workload.moves(*args) // 2
        yield Contender(COPY, np.copyto, (np.ones(half, np.uint8), np.ones(half, np.uint8)))
    if workload.flops is not None:
        dtype = {"f32": np.float32, "f64": np.float64}[workload.flops[1]]
        yield Contender(PRODUCT, np.matmul, (np.ones((PEAK_SIDE, PEAK_SIDE), dtype),) * 2)


def limit_of(workload: Workload, medians: dict[str, float]) -> float | None:
    """Seconds that the work takes at the limit of the machine, as it was measured beside it."""
    if COPY in medians:
        return medians[COPY]
    if workload.flops is not None:
        return medians[PRODUCT] * workload.flops[0] / (2.0 * PEAK_SIDE**3)
    return None


def imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def on_device(jax: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arrays where JAX has its own, so that no call of its is charged with moving them."""
    jax.config.update("jax_enable_x64", True)
    return jax.tree.map(lambda leaf: jax.device_put(leaf) if isinstance(leaf, np.ndarray) else leaf, args)


def in_jax(workload: Workload, jax: Any) -> Callable[..., Any]:
    """The same function over `jax.numpy`, or the version in JAX's own words, waiting for its result."""
    function = JAX_VERSIONS[workload.jax](jax) if isinstance(workload.jax, str) else over_jax_numpy(workload.function)
    transforms = {
        "": lambda f: f, "grad": jax.grad, "value_and_grad": jax.value_and_grad, "sparse_hessian": jax.hessian,
        "sparse_jacobian": lambda f, argnums: f,
    }  # fmt: skip
    chosen = {"argnums": workload.argnums} if workload.transform else {}
    made = transforms[workload.transform](function, **chosen)
    fast = jax.jit(jax.vmap(made, workload.in_axes) if workload.in_axes else made)
    return lambda *args: jax.block_until_ready(fast(*args))


def over_jax_numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    names = {**function.__globals__, "np": importlib.import_module("jax.numpy")}
    return types.FunctionType(function.__code__, names, function.__name__, function.__defaults__)


def jacobi(jax: Any) -> Callable[..., Any]:
    def step(_: Any, u: Any) -> Any:
        inner = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        return u.at[1:-1, 1:-1].set(inner)

    return lambda u, steps: jax.lax.fori_loop(0, steps, step, u)


JAX_VERSIONS = {"jacobi": jacobi, **objectives.JAX_VERSIONS, **examples.JAX_VERSIONS,
                **sparse_derivatives.JAX_VERSIONS, **random_numbers.JAX_VERSIONS}  # fmt: skip
NUMBA_VERSIONS = examples.NUMBA_VERSIONS
