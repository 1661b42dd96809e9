"""Rows: what the devices of a mesh tell each other, each of them running the program of one device.

    sum_of_devices(devices, x, along=0)                       the sum of all x along an axis of the mesh; `max`, `min`
    gather_of_devices(devices, x, shape=(m,), along=0)        all x, one after the other
    scatter_of_devices(devices, x, shape=(m,), along=0)       of the sum of all x, the part of this number
    exchange_of_devices(devices, x, along=0)                  device k gets the parts of all x with the number k
    permute_of_devices(devices, source, x, along=0)           the x of another device; zeros where `source` is [-1]
    permute_by_pairs(devices, source, x, along=0, pairs=())   the same, where all (source, destination) are told: GPUs
                                                              need not wait for `source`

All are of vectors: `pellucid/numpy/exchanges.py` has the collectives of arrays in terms of them.  `devices` says where
the device stands in the mesh: along each axis its number, and how many there are.  The last transformation makes them
of collectives (`transform/on_device.py`), so they have no derivative and no form for many examples.

Routines of the native part compute them, in the order of the devices; CPython, the devices taking turns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..types import Array, Extent, Type
from . import turns
from .kinds import library
from .raising import always
from .routines import routine

ERROR = ("RuntimeError", "another device has failed, or has come to another collective")


def _reduced(kind: str, combine: Callable[..., Any]) -> Callable[..., np.ndarray]:
    def meaning(devices: np.ndarray, x: np.ndarray, along: int) -> np.ndarray:
        return turns.folded(combine, turns.meet(kind, along, x))

    return meaning


def gathered(devices: np.ndarray, x: np.ndarray, along: int, shape: object = None) -> np.ndarray:
    return np.concatenate(turns.meet("gather", along, x))


def scattered(devices: np.ndarray, x: np.ndarray, along: int, shape: object = None) -> np.ndarray:
    part = slice_of_device(devices, x, along)
    return turns.folded(np.add, turns.meet("scatter", along, x))[part]


def exchanged(devices: np.ndarray, x: np.ndarray, along: int) -> np.ndarray:
    part = slice_of_device(devices, x, along)
    return np.concatenate([other[part] for other in turns.meet("exchange", along, x)])


def permuted(
    devices: np.ndarray, source: np.ndarray, x: np.ndarray, along: int, pairs: object = ()
) -> np.ndarray:  # fmt: skip
    every = turns.meet("permute", along, x)
    return np.zeros_like(x) if source[0] < 0 else every[source[0]]


def slice_of_device(devices: np.ndarray, x: np.ndarray, along: int) -> slice:
    """The part of a vector with the number of this device."""
    index, size = (int(n) for n in devices[2 * along : 2 * along + 2])
    part = len(x) // size
    return slice(index * part, (index + 1) * part)


# --- types ---------------------------------------------------------------------------------------------------------


def _same(types: Sequence[Type], along: int, pairs: object = ()) -> Type:
    x = types[-1]
    return Array(x.dtype, x.dims)  # type: ignore[union-attr]


def _shaped(types: Sequence[Type], shape: tuple[Extent, ...], along: int) -> Type:
    return Array(types[-1].dtype, shape)  # type: ignore[union-attr]


# --- rows ----------------------------------------------------------------------------------------------------------

_KINDS = ("bool", "int", "float", "complex")


def _row(name: str, called: str, meaning: Callable[..., Any], sources: bool = False, result: str = "n") -> str:
    """The routine `called`, and the operator that it computes; the name of the routine."""
    given = ", int source(s)" if sources else ""
    routine(called, f"y({result}) <- int devices(d){given}, x(n)", meaning=meaning, work="n", samples="",
            static={"along": 0, **({"pairs": ()} if sources else {})}, hints=("pairs",), kinds=_KINDS,
            keeps_dtype=True, error=ERROR,
            steps=f"across_devices('{called}', devices, {'source' if sources else 'devices'}, x, y)")  # fmt: skip
    _operator(name, called, meaning, sources, ("shape",) if result != "n" else ())
    return called


def _operator(
    name: str, called: str, meaning: Callable[..., Any], sources: bool = False, told: Sequence[str] = ()
) -> None:  # fmt: skip
    operands = "devices, source, x" if sources else "devices, x"
    words = ", ".join("{" + word + "}" for word in operands.split(", "))
    static = "".join(f", {word}={{{word}}}" for word in (*told, "along"))
    library(name, operands, type=_shaped if "shape" in told else _same, meaning=meaning, routine=called, raises=always,
            is_light=False, static=dict.fromkeys(("along", *told), ...), vjp=[None] * (2 + sources),
            samples="collectives", of_complex="own", spelling=f"pellucid.support.{name}({words}{static})")  # fmt: skip


# The routines in which devices meet.
EXCHANGES = frozenset({
    _row("sum_of_devices", "allreduce_sum", _reduced("sum", np.add)),
    _row("max_of_devices", "allreduce_max", _reduced("max", np.maximum)),
    _row("min_of_devices", "allreduce_min", _reduced("min", np.minimum)),
    _row("gather_of_devices", "allgather", gathered, result="m"),
    _row("scatter_of_devices", "reduce_scatter", scattered, result="m"),
    _row("exchange_of_devices", "alltoall", exchanged),
    _row("permute_of_devices", "sendrecv", permuted, sources=True),
})  # fmt: skip
_operator("permute_by_pairs", "sendrecv", permuted, sources=True, told=("pairs",))
