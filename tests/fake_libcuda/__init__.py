"""A driver of CUDA without a device: `fake.c` as a library, and what tests ask of it.

    library = build(folder)                   for PELLUCID_LIBCUDA; None where there is no C compiler
    fake = Fake()                             in the program that uses it
    @fake.kernel("array f8 1", "scalar i8")   a kernel as a function of grid, block and NumPy arrays over its memory
    def doubled(grid, block, x, n): x[:] *= 2
    fake.finish()                             nothing was done that no program may do
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import shutil
import subprocess
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from .libraries import Libraries

FOLDER = pathlib.Path(__file__).parent
ON_LAUNCH = ctypes.CFUNCTYPE(
    None, ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint), ctypes.POINTER(ctypes.c_uint), ctypes.POINTER(ctypes.c_void_p)
)


def build(folder: pathlib.Path) -> str | None:
    """The path of the library; None where there is no C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    library = str(folder / "libcuda.so.1")
    options = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden", "-pthread"]
    subprocess.run([compiler, *options, "-o", library, str(FOLDER / "fake.c")], check=True, timeout=120)
    return library


def sizes_of(kind: str) -> list[int]:
    """Bytes of what is passed for a parameter, "array f8 2" or "scalar i8"."""
    form, dtype, *ndim = kind.split()
    if form == "array":
        return [8] * (5 + 2 * int(ndim[0]))
    type_ = np.dtype(dtype)
    return [type_.itemsize // 2] * 2 if type_.kind == "c" else [type_.itemsize]


def parameter_of(kind: str) -> tuple[Any, ...]:
    """The same as the assembler tells it; "array f8 2 strided" may lie in any way."""
    form, dtype, *rest = kind.split()
    return (form, np.dtype(dtype), int(rest[0]), len(rest) == 1) if form == "array" else (form, np.dtype(dtype))


def read(kinds: tuple[str, ...], parameters: Any) -> list[Any]:
    """What a kernel got: arrays over the memory itself, and scalars."""
    found, place = [], 0
    for kind in kinds:
        form, dtype, *rest = kind.split()
        if form == "scalar":
            parts = sizes_of(kind)
            memory = b"".join(ctypes.string_at(parameters[place + k], size) for k, size in enumerate(parts))
            found.append(np.frombuffer(memory, dtype)[0])
            place += len(parts)
            continue
        words = [ctypes.c_int64.from_address(parameters[place + k]).value for k in range(5 + 2 * int(rest[0]))]
        meminfo, parent, items, itemsize, address, *layout = words
        shape, strides = layout[: int(rest[0])], layout[int(rest[0]) :]
        assert (meminfo, parent, items, itemsize) == (0, 0, int(np.prod(shape)), np.dtype(dtype).itemsize)
        low = sum(min(0, (n - 1) * s) for n, s in zip(shape, strides))
        high = sum(max(0, (n - 1) * s) for n, s in zip(shape, strides)) + itemsize
        memory = (ctypes.c_char * (high - low)).from_address(address + low)
        found.append(np.ndarray(shape, dtype, memory, -low, strides))
        place += len(words)
    return found


class Fake:
    """The library of this process, which PELLUCID_LIBCUDA names."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(os.environ["PELLUCID_LIBCUDA"])
        self.library.fake_faults.restype = ctypes.c_char_p
        self.library.fake_live.restype = ctypes.c_size_t
        self.library.fake_calls.restype = ctypes.c_int64
        self.library.fake_capacity.argtypes = [ctypes.c_size_t]
        self.bodies: dict[str, tuple[tuple[str, ...], Callable[..., Any]]] = {}
        self.launched: list[tuple[str, tuple[int, ...], tuple[int, ...]]] = []
        self.errors: list[BaseException] = []
        self._called = ON_LAUNCH(self._launch)
        self.library.fake_on_launch(self._called)
        self.libraries = Libraries(self) if "PELLUCID_CUDA_LIBRARIES" in os.environ else None

    def _launch(self, name: bytes, grid: Any, block: Any, parameters: Any) -> None:
        kinds, body = self.bodies[name.decode()]
        self.launched.append((name.decode(), tuple(grid[:3]), tuple(block[:3])))
        try:
            body(tuple(grid[:3]), tuple(block[:3]), *read(kinds, parameters))
        except BaseException as error:
            self.errors.append(error)

    def kernel(self, *kinds: str) -> Callable[[Callable[..., Any]], Any]:
        """A function of Python as a kernel of the native part."""
        from pellucid.runtime.devices.cuda.kernels import load

        return lambda body: load(body.__name__, self.machine(*kinds)(body))

    def machine(self, *kinds: str) -> Callable[[Callable[..., Any]], Any]:
        """A function of Python as what an assembler leaves of a kernel."""

        def make(body: Callable[..., Any]) -> Any:
            entry = f"{body.__name__}_{len(self.bodies)}"
            self.bodies[entry] = kinds, body
            sizes = " ".join(str(size) for kind in kinds for size in sizes_of(kind))
            parameters = [parameter_of(kind) for kind in kinds]
            return SimpleNamespace(entry=entry, parameters=parameters, ptx=f"fake\n{entry} {sizes}\n", cubin=None)

        return make

    def fail(self, call: str, nth: int, status: int, is_final: bool = False) -> None:
        """The nth call from now of a function of the driver gives a status; if it is final, all calls after it do."""
        self.library.fake_fail(call.encode(), ctypes.c_int64(nth), status, is_final)

    def calls(self, name: str) -> int:
        """How often a function of the driver has been called."""
        return int(self.library.fake_calls(name.encode()))

    def live(self) -> int:
        """Bytes that the driver has given and not got back."""
        return int(self.library.fake_live())

    def faults(self) -> str:
        """What has been done that no program may do."""
        return str(self.library.fake_faults().decode())

    def forgotten_faults(self) -> str:
        """The faults, which are forgotten: those that a test wants."""
        found = self.faults()
        self.library.fake_forget()
        return found

    def finish(self) -> None:
        """Raise what a kernel has raised, and AssertionError for what no program may do."""
        if self.errors:
            raise self.errors[0]
        assert self.faults() == "", self.faults()
