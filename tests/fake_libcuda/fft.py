"""The functions of cuFFT that we call, on the fake driver: parts of `libraries.py`."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

KINDS = {0x2A: "R2C", 0x2C: "C2R", 0x29: "C2C", 0x6A: "D2Z", 0x6C: "Z2D", 0x69: "Z2Z"}
TYPES = {"R": np.float32, "D": np.float64, "C": np.complex64, "Z": np.complex128}
INVALID_PLAN, INVALID_VALUE = 1, 4


@dataclass
class Plan:
    """What a plan has been told so far."""

    stream: int = 0
    is_automatic: bool = True
    kind: str = ""
    n: int = 0
    count: int = 0
    rows: tuple[int, int] = (0, 0)
    bytes: int = 0
    work: int = 0


class Fft:
    def __init__(self, libraries: Any) -> None:
        self.libraries = libraries
        self.plans: dict[int, Plan] = {}
        self._made = 0

    def call(self, name: str, words: list[int]) -> Any:
        if name == "cufftCreate":
            self._made += 1
            self.plans[self._made] = Plan()
            ctypes.c_int.from_address(words[0]).value = self._made
            return 0
        plan = self.plans.get(words[0])
        if plan is None:
            self.libraries.fault(f"{name}: a plan that nobody made")
            return INVALID_PLAN
        word = name.removeprefix("cufft")
        if word.startswith("Exec"):
            return self._exec(name, word.removeprefix("Exec"), plan, *words[1:])
        return getattr(self, word)(name, plan, *words)

    def SetAutoAllocation(self, name: str, plan: Plan, handle: int, wanted: int) -> None:
        if plan.kind:
            self.libraries.fault(f"{name}: it comes before the plan is made")
        plan.is_automatic = wanted != 0

    def MakePlanMany64(self, name: str, plan: Plan, handle: int, rank: int, *rest: int) -> Any:
        length, first, step_in, row_in, second, step_out, row_out, kind, count, place = rest
        n = ctypes.c_longlong.from_address(length).value
        is_known = rank == 1 and kind in KINDS and step_in == step_out == 1 and 0 not in (first, second)
        if not is_known or n < 1 or count < 1:
            self.libraries.fault(f"{name}: {rank=} {kind=} {n=} {count=} {step_in=} {step_out=}")
            return INVALID_VALUE
        plan.kind, plan.n, plan.count, plan.rows = KINDS[kind], n, count, (row_in, row_out)
        plan.bytes = 64 + 32 * n
        ctypes.c_size_t.from_address(place).value = plan.bytes
        return 0

    def SetStream(self, name: str, plan: Plan, handle: int, stream: int) -> None:
        plan.stream = stream

    def SetWorkArea(self, name: str, plan: Plan, handle: int, work: int) -> None:
        plan.work = work

    def Destroy(self, name: str, plan: Plan, handle: int) -> None:
        del self.plans[handle]

    def _exec(self, name: str, kind: str, plan: Plan, source: int, to: int, direction: int = 0) -> Any:
        if kind != plan.kind or not plan.stream or direction not in ((-1, 1) if kind in ("C2C", "Z2Z") else (0,)):
            self.libraries.fault(f"{name}: a plan for {plan.kind}, stream {plan.stream}, {direction=}")
            return INVALID_VALUE
        n, half = plan.n, plan.n // 2 + 1
        lengths = {"R": n, "D": n, "C": half, "Z": half} if kind not in ("C2C", "Z2Z") else {kind[0]: n}
        given, made = (
            self.libraries.strided(name, address, (plan.count, lengths[letter]), (row, 1), TYPES[letter])
            for address, letter, row in zip((source, to), (kind[0], kind[2]), plan.rows)
        )
        memory = self.libraries.vector(name, plan.work, plan.bytes, 1, np.uint8)

        def work() -> None:
            made[...] = self._transformed(name, kind, n, given, direction)
            memory[:] = 0xFF
            if kind in ("C2R", "Z2D"):
                given[...] = np.nan  # the library may write on it

        return self.libraries.later(plan.stream, work)

    def _transformed(self, name: str, kind: str, n: int, given: np.ndarray, direction: int) -> np.ndarray:
        if kind in ("R2C", "D2Z"):
            return np.fft.rfft(given)
        if kind in ("C2C", "Z2Z"):
            return np.fft.fft(given) if direction < 0 else np.fft.ifft(given, norm="forward")
        if given[:, 0].imag.any() or (n % 2 == 0 and given[:, -1].imag.any()):
            self.libraries.fault(f"{name}: what is its own conjugate is not real")
        return np.fft.irfft(given, n, norm="forward")
