"""What the processor offers: fused multiplication, and vectors of how many bytes.

    x86-64 with AVX2    ->    32
"""

from __future__ import annotations

from functools import lru_cache

from ....runtime import machine_code


@lru_cache(maxsize=1)
def register_bytes() -> int:
    """The widest vector register; 0 where products and sums cannot be fused, and the C library does better."""
    words = set(machine_code.processor().replace(b",", b" ").replace(b"+", b" ").split())
    if words & {b"asimd", b"neon"}:
        return 16
    if not {b"fma", b"avx2"} <= words:
        return 0
    return 64 if {b"avx512f", b"avx512dq", b"avx512vl"} <= words else 32
