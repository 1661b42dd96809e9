"""Random numbers: by keys, which JAX draws as well, and by NumPy's generator inside a compiled function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid import random

COUNT, KEYS = 10_000_000, 1_000_000


def uniform(key):
    return random.uniform(key, (COUNT,), np.float32)


def normal(key):
    return random.normal(key, (COUNT,), np.float32)


def split(key):
    return random.split(key, KEYS)


def normal_by_generator(seed):
    return np.random.default_rng(seed).normal(size=COUNT)


def a_key(rng: np.random.Generator) -> tuple[Any, ...]:
    return (rng.integers(0, 2**32, 2, dtype=np.uint32),)


def uniform_in_jax(jax: Any) -> Callable[..., Any]:
    return lambda key: jax.random.uniform(key, (COUNT,), np.float32)


def normal_in_jax(jax: Any) -> Callable[..., Any]:
    return lambda key: jax.random.normal(key, (COUNT,), np.float32)


def split_in_jax(jax: Any) -> Callable[..., Any]:
    return lambda key: jax.random.split(key, KEYS)


JAX_VERSIONS = {
    "uniform by a key": uniform_in_jax, "normal by a key": normal_in_jax, "split of a key": split_in_jax,
}  # fmt: skip
