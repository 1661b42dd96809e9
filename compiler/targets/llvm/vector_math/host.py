"""What the processor that we compile for offers: fused multiplication, and vectors of how many bytes.

    x86-64 with AVX2    ->    32
"""

from __future__ import annotations

from .....runtime import targets


def register_bytes() -> int:
    """The vectors of loops; 0 where products and sums cannot be fused, and the C library does better."""
    return targets.vector_bytes(targets.asked())
