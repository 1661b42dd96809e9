"""What printed kernels files import from `pellucid.support`, in lockstep."""

from __future__ import annotations

from typing import Any

from ..lockstep import KernelFault, cuda, faults, fetch
from .loading import load
from .shapes import elements, parts, rows, tiles

MACHINE = {"KernelFault": KernelFault, "cuda": cuda, "faults": faults, "fetch": fetch}
SHAPES = {"elements": elements, "parts": parts, "rows": rows, "tiles": tiles}
NAMES: dict[str, Any] = {**MACHINE, **SHAPES, **load(cuda)}
