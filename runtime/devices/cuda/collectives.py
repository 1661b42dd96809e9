"""What devices of a mesh tell each other, by NCCL: the routines of `compiler/ops/exchanges.py` for GPUs.

    allreduce_sum(y, devices, x)       in the driver of one GPU: y is the sum of the x of all
    perform((0, 1), "allgather", [(y_0, x_0), (y_1, x_1)])      in their streams, in one group

A group of GPUs, those along an axis of a mesh, has communicators of its own, made when it first meets.  Vectors that
are only moved go as bytes.  NCCL adds in an order of its own, complex numbers as their parts.  One GPU needs no NCCL.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import driver
from .driver import DeviceArray
from .libraries import Library, library, on_device, stream
from .together import seat

BYTE = 1
DTYPES = {
    np.dtype(word): number
    for number, word in enumerate(("i1", "u1", "i4", "u4", "i8", "u8", "f2", "f4", "f8"))
} | {np.dtype(bool): BYTE}  # fmt: skip
OPERATIONS = {"allreduce_sum": 0, "allreduce_max": 2, "allreduce_min": 3, "reduce_scatter": 0}
ROUTINES = (*OPERATIONS, "allgather", "alltoall", "sendrecv")
Pairs = Sequence[tuple[int, int]]
Operands = Sequence[tuple[Any, Any, int]]  # of each GPU: the result, what it puts down, and the one that it takes from


def collectives() -> dict[str, Callable[..., None]]:
    """The routines of drivers in which devices meet."""
    return {name: _routine(name) for name in ROUTINES}


def _routine(name: str) -> Callable[..., None]:
    def call(y: Any, devices: Any, *given: Any, along: int = 0, pairs: Pairs = ()) -> None:
        native = driver.extension()
        *sources, x = given
        source = _source(sources[0], along, pairs) if sources else 0
        if isinstance(x, np.ndarray):  # a part of the driver that stays on the host
            x = native.to_device(x)
        is_in_place = isinstance(y, DeviceArray) and y.is_contiguous
        made = y if is_in_place else native.device_array(y.shape, y.dtype)
        seat().meet(name, along, (made, x if x.is_contiguous else x.copy(), source))
        if isinstance(y, np.ndarray):
            y[...] = made.copy_to_host()
        elif not is_in_place:
            y.copy_from_host(made.copy_to_host())

    return call


def _source(told: Any, along: int, pairs: Pairs) -> int:
    """The device along an axis that this one takes from; -1 where there is none."""
    if not pairs:
        return int((told.copy_to_host() if isinstance(told, DeviceArray) else told)[0])
    own = seat().number(along)
    return next((sender for sender, receiver in pairs if receiver == own), -1)


def is_there() -> bool:
    """Whether NCCL is."""
    return library("nccl") is not None


def perform(numbers: Sequence[int], kind: str, operands: Operands) -> None:
    """Put a collective of some GPUs into their streams.  Raises RuntimeError where NCCL refuses it."""
    lengths = {x.size for _, x, _ in operands}
    if len(lengths) > 1:
        told = ", ".join(f"{x.size} on cuda:{number}" for number, (_, x, _) in zip(numbers, operands, strict=True))
        raise RuntimeError(f"devices put down different numbers of elements: {told}")
    if kind == "sendrecv":
        for y, _, source in operands:
            if source < 0:
                y.clear()
    if not operands[0][1].size:
        return
    if len(numbers) == 1:
        y, x, source = operands[0]
        if source >= 0:
            y.copy_from_device(x)
        return
    nccl = library("nccl")
    assert nccl is not None, "who starts the devices has looked for it"
    with on_device(numbers[0]):
        group = _communicators(nccl, tuple(numbers))
        streams = [stream(number) for number in numbers]
        nccl.call("ncclGroupStart")
        try:
            for place, own in enumerate(operands):
                _put(nccl, kind, place, own, operands, (group[place], streams[place]))
        finally:
            nccl.call("ncclGroupEnd")


def _put(
    nccl: Library, kind: str, place: int, own: tuple[Any, Any, int], operands: Operands, where: tuple[Any, Any]
) -> None:  # fmt: skip
    """What one GPU has to do in a collective."""
    y, x, source = own
    match kind:
        case "allgather":
            nccl.call("ncclAllGather", x.ptr, y.ptr, x.nbytes, BYTE, *where)
        case "alltoall":
            part = x.nbytes // len(operands)
            for other in range(len(operands)):
                nccl.call("ncclSend", x.ptr + other * part, part, BYTE, other, *where)
                nccl.call("ncclRecv", y.ptr + other * part, part, BYTE, other, *where)
        case "sendrecv":
            for receiver, (_, _, its) in enumerate(operands):
                if its == place:
                    nccl.call("ncclSend", x.ptr, x.nbytes, BYTE, receiver, *where)
            if source >= 0:
                nccl.call("ncclRecv", y.ptr, y.nbytes, BYTE, source, *where)
        case "reduce_scatter":
            nccl.call("ncclReduceScatter", x.ptr, y.ptr, *_counted(y), OPERATIONS[kind], *where)
        case _:
            nccl.call("ncclAllReduce", x.ptr, y.ptr, *_counted(x), OPERATIONS[kind], *where)


def _counted(x: Any) -> tuple[int, int]:
    """How many numbers NCCL has to add up, and of which kind.  Raises TypeError for a dtype that it does not have."""
    if x.dtype.kind == "c":
        return 2 * x.size, DTYPES[np.dtype(f"f{x.itemsize // 2}")]
    if x.dtype not in DTYPES:
        raise TypeError(f"NCCL has no sums of {x.dtype}")
    return x.size, DTYPES[x.dtype]


def _communicators(nccl: Library, numbers: tuple[int, ...]) -> list[Any]:
    """One communicator for each GPU of a group."""
    found: list[Any] | None = nccl.kept.get(numbers)
    if found is None:
        made = (ctypes.c_void_p * len(numbers))()
        nccl.call("ncclCommInitAll", made, len(numbers), (ctypes.c_int * len(numbers))(*numbers))
        found = nccl.kept[numbers] = [ctypes.c_void_p(one) for one in made]
    return found
