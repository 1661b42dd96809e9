"""What printed kernels files import from `pellucid.support`, in lockstep."""

from __future__ import annotations

from typing import Any

from ..lockstep import KernelFault, cuda, faults, fetch
from . import shapes
from .host import host_of
from .loading import load

MACHINE = {"KernelFault": KernelFault, "cuda": cuda, "faults": faults, "fetch": fetch, "host": host_of(cuda.to_device)}
SHAPES = {name: getattr(shapes, name) for name in shapes.LAUNCHES}
NAMES: dict[str, Any] = {**MACHINE, **SHAPES, **load(cuda)}
