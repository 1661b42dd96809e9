"""Random numbers as functions of a key, in the spellings of `jax.random`.

    key = random.key(0)                         the same key gives the same numbers, always and everywhere
    key, part = random.split(key)               a key for one use, and one for what comes later
    x = random.normal(part, (1000, 3))

A key is an ordinary array, two np.uint32, and an ordinary argument: of compiled functions, under `vmap` and beside what
`grad` differentiates.  The functions are written in the language: compiled code takes them in as it does the user's own
functions, and called from Python they are compiled ones themselves, which give `Array`s.

Numbers are those of JAX: words, uniform numbers, ints, choices and permutations bit for bit, others to the last digits.
Where no dtype is asked for it is NumPy's, float64 and int64, as in JAX with `jax_enable_x64`.
"""

from __future__ import annotations

import importlib
from typing import Any

from .transformations import compile

# The modules of `numpy/` that the functions are in, and the parameters of each that say what is drawn.
_MODULES = {
    "random_bits": "PRNGKey key split fold_in key_data wrap_key_data clone bits",
    "random_draws": "uniform normal randint bernoulli gumbel categorical permutation choice",
}
_STATIC = ("dtype", "impl", "mode", "axis", "replace", "independent", "method")
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = ["key_impl", *sorted(_HOMES)]


def key_impl(keys: Any) -> str:
    """The kind of generator that keys belong to: "threefry2x32"."""
    return "threefry2x32"


def __getattr__(name: str) -> Any:
    """A function, when it is asked for: `import pellucid` goes without what they need."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function = getattr(importlib.import_module(f".numpy.{_HOMES[name]}", __package__), name)
    parameters = function.__code__.co_varnames[: function.__code__.co_argcount + function.__code__.co_kwonlyargcount]
    found = globals()[name] = compile(function, static=tuple(p for p in _STATIC if p in parameters))
    found.__module__ = __name__  # as users see it, and import it
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
