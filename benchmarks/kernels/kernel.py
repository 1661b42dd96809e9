"""What a kernel is: a function in plain NumPy, and how its arguments are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Kernel:
    """One kernel.

    function    plain NumPy, stores included; gives an array or a number
    make        (size, generator of random numbers) -> arguments
    small       a size at which CPython is quick and central differences are cheap
    large       the size that is measured
    wrt         by how many of its arguments, from the first on, the gradient of the sum of the result is taken
    peer        the same in `jax.numpy`, as a function of jax, jnp that gives a function, where it is natural to write
    """

    function: Callable[..., object]
    make: Callable[[int, np.random.Generator], tuple[object, ...]]
    small: int
    large: int
    wrt: int = 1
    peer: Callable[..., Callable[..., object]] | None = None

    @property
    def name(self) -> str:
        return self.function.__name__


def objective(function: Callable[..., object]) -> Callable[..., object]:
    """The sum of what a kernel gives, as a function of the arguments that its gradient is taken by, and the others."""

    def total(by, rest):
        return np.sum(function(*by, *rest))

    return total


def uniform(*shapes: str) -> Callable[[int, np.random.Generator], tuple[object, ...]]:
    """Arguments between 0 and 1 of these shapes, in terms of the size: `"n, n"`, `"n"`; `"3n"` is three times it."""

    def make(size: int, random: np.random.Generator) -> tuple[object, ...]:
        return tuple(random.random(tuple(_length(word, size) for word in shape.split(","))) for shape in shapes)

    return make


def _length(word: str, size: int) -> int:
    word = word.strip()
    if word == "n":
        return size
    return int(word[:-1]) * size if word.endswith("n") else int(word)
