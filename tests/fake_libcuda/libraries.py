"""cuBLAS, cuSOLVER, cuFFT and NCCL without a device: libraries whose functions come to Python, and do what NumPy does.

    folder = build(folder)            for PELLUCID_CUDA_LIBRARIES
    libraries = Libraries(fake)       in the program that uses them, with the driver of it

`prototypes.txt` says what each function takes, as the headers of CUDA 12.9 and NCCL 2 have it.  Arguments are looked at
when a function is called, the work is done when its stream comes to it.  What the documentation forbids is a fault: a
handle that nobody made, another context, steps between columns that are too short, memory that is too short or was let
go, work whose length was not asked for.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import shutil
import subprocess
from typing import Any

import numpy as np

from . import nccl
from .blas import Blas
from .fft import Fft
from .solver import Solver

FOLDER = pathlib.Path(__file__).parent
FILES = {
    "cublas": "libcublas.so.12", "cusolver": "libcusolver.so.11", "cufft": "libcufft.so.11", "nccl": "libnccl.so.2",
}  # fmt: skip
C_TYPES = {"i": "int", "l": "long long", "c": "signed char", "p": "void *", "z": "unsigned long"}
ON_CALL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_int64))
ON_LATER = ctypes.CFUNCTYPE(None, ctypes.c_int64)
EXECUTION_FAILED = 13


def prototypes() -> dict[str, dict[str, str]]:
    """The functions of each library, with a letter for each thing that they take."""
    found: dict[str, dict[str, str]] = {}
    for line in (FOLDER / "prototypes.txt").read_text().splitlines():
        if line.startswith("["):
            functions = found.setdefault(line.strip("[]"), {})
        else:
            name, *takes = line.split()
            functions[name] = "".join(takes)
    return found


def build(folder: pathlib.Path, names: tuple[str, ...] = tuple(FILES)) -> str:
    """The folder, with these libraries in it."""
    for name in names:
        source = folder / f"{name}.c"
        source.write_text(_source(prototypes()[name]) + (nccl.TEXT if name == "nccl" else ""))
        options = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
        command = [str(shutil.which("cc")), *options, "-o", str(folder / FILES[name]), str(source)]
        subprocess.run(command, check=True, timeout=120)
    return str(folder)


def _source(functions: dict[str, str]) -> str:
    lines = [
        "#include <stdint.h>",
        "typedef int OnCall(const char *, const int64_t *);",
        "static OnCall *on_call;",
        "void fake_on_call(OnCall *function) { on_call = function; }",
    ]
    for name, takes in functions.items():
        parameters = ", ".join(f"{C_TYPES[letter]}a{k}" if letter == "p" else f"{C_TYPES[letter]} a{k}"
                               for k, letter in enumerate(takes))  # fmt: skip
        words = ", ".join(f"(int64_t)(intptr_t)a{k}" if letter == "p" else f"a{k}" for k, letter in enumerate(takes))
        lines.append(f"int {name}({parameters or 'void'})")
        lines.append(f'{{ int64_t words[] = {{{words or 0}}}; return on_call == 0 ? 1 : on_call("{name}", words); }}')
    return "\n".join([*lines, ""])


class Libraries:
    """The libraries of this process, which PELLUCID_CUDA_LIBRARIES names.  `called` are the names of all calls."""

    def __init__(self, fake: Any) -> None:
        self.fake = fake
        self.called: list[str] = []
        self._takes = {name: takes for functions in prototypes().values() for name, takes in functions.items()}
        self._waiting: dict[int, Any] = {}
        self._count = 0
        self._parts = {"cublas": Blas(self), "cusolver": Solver(self), "cufft": Fft(self), "nccl": nccl.Nccl(self)}
        self._on_call, self._on_later = ON_CALL(self._call), ON_LATER(self._work)
        fake.library.fake_on_later(self._on_later)
        for file in FILES.values():
            path = os.path.join(os.environ["PELLUCID_CUDA_LIBRARIES"], file)
            if os.path.exists(path):
                ctypes.CDLL(path).fake_on_call(self._on_call)

    def _call(self, name: bytes, words: Any) -> int:
        word = name.decode()
        self.called.append(word)
        arguments = words[: len(self._takes[word])]
        library = next(part for part in self._parts if word.startswith(part))
        try:
            if self.fake.library.fake_device() < 0:
                self.fault(f"{word}: no context is current")
            return int(self._parts[library].call(word, arguments) or 0)
        except BaseException as error:
            self.fake.errors.append(error)
            return EXECUTION_FAILED

    def _work(self, number: int) -> None:
        try:
            self._waiting.pop(number)()
        except BaseException as error:
            self.fake.errors.append(error)

    def later(self, stream: int, work: Any) -> None:
        """Let work be done when the stream comes to it."""
        self._count += 1
        self._waiting[self._count] = work
        self.fake.library.fake_later(ctypes.c_void_p(stream), ctypes.c_int64(self._count))

    def wait(self, stream: int) -> None:
        self.fake.library.cuStreamSynchronize(ctypes.c_void_p(stream))

    def fault(self, what: str) -> None:
        self.fake.library.fake_fault(what.encode(), None)

    # --- memory

    def matrix(self, name: str, address: int, rows: int, columns: int, step: int, dtype: Any) -> np.ndarray:
        """A matrix whose columns are contiguous, in memory of the device."""
        if step < max(1, rows):
            self.fault(f"{name}: columns of {rows} elements are {step} apart")
        return self.strided(name, address, (rows, columns), (1, step), dtype)

    def vector(self, name: str, address: int, n: int, step: int, dtype: Any) -> np.ndarray:
        if step < 1:
            self.fault(f"{name}: elements of a vector are {step} apart")
        return self.strided(name, address, (n,), (step,), dtype)

    def strided(self, name: str, address: int, shape: Any, steps: Any, dtype: Any) -> np.ndarray:
        """An array over the memory itself; steps in elements."""
        item = np.dtype(dtype).itemsize
        if 0 in shape:
            return np.empty(shape, dtype)
        count = sum((n - 1) * step for n, step in zip(shape, steps)) + 1
        self.fake.library.fake_check(ctypes.c_void_p(address), ctypes.c_size_t(count * item), 0)
        if address % item:
            self.fault(f"{name}: memory is not aligned")
        memory = (ctypes.c_char * (count * item)).from_address(address)
        return np.ndarray(shape, dtype, memory, 0, [step * item for step in steps])

