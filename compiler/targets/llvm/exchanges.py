"""Collectives of the devices of a mesh, by the native part.

    across_devices('allreduce_sum', devices, devices, x, y)    ->    status = call i64 @pellucid_collective(...)

Which launch the device takes part in, the thread knows that runs its program (`runtime/native/collectives.c`).
"""

from __future__ import annotations

from ...dtypes import DTYPES
from .arrays import View, load_at, strides_of
from .frame import Emission
from .operands import SsaValue, int_

CALLED = "pellucid_collective"
# In the order of `runtime/native/collectives.h`.
OPERATIONS = (
    "allreduce_sum", "allreduce_max", "allreduce_min", "allgather", "reduce_scatter", "alltoall", "sendrecv",
)  # fmt: skip


def across_devices(frame: Emission, operation: str, along: int, source: View, given: View, made: SsaValue) -> SsaValue:
    """What the call says: 0, or that another device has failed."""
    (step,) = strides_of(frame, given)
    sent = load_at(frame, source.dtype, source.data) if operation == "sendrecv" else int_(0)
    frame.module.declare(CALLED, f"declare i64 @{CALLED}(i64, i64, i64, i64, ptr, i64, ptr, i64)")
    codes = int_(along), int_(OPERATIONS.index(operation)), int_(DTYPES.index(given.dtype))
    return frame.code.call("i64", CALLED, *codes, *given.dims, given.data, step, made, sent)
