"""Where NVIDIA's tools are: ptxas, which assembles, nvdisasm, which prints machine code, and libnvvm, which makes PTX.

    toolkit()    ->    Toolkit(ptxas=(".../nvidia/cuda_nvcc/bin/ptxas",), nvdisasm=(...), libnvvm=(...))

They come with pip (the wheels of the namespace package `nvidia`), with a toolkit of the system (CUDA_HOME, CUDA_PATH,
/usr/local/cuda), with conda, or lie on the PATH; pip's count first, as numba-cuda looks for libnvvm.  None of them
needs a GPU or its driver.
"""

from __future__ import annotations

import ctypes
import glob
import os
import shutil
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.util import find_spec

from ...records import dataclass

SYSTEM = "/usr/local/cuda"
EXTRA = "pip install 'pellucid[cuda]'"
EXTRA_TO_CHECK = "pip install 'pellucid[cuda-check]'"
NEEDED_FOR = {
    "ptxas": ("assembles kernels, unless there is a driver that does", EXTRA),
    "nvdisasm": ("prints the machine code of kernels", EXTRA_TO_CHECK),
    "libnvvm": ("compiles kernels", EXTRA),
    "numba-cuda": ("compiles kernels", EXTRA),
    "NCCL": ("lets several GPUs meet", "pip install 'pellucid[nccl]'"),
}


class MissingTool(ImportError):
    """A tool for kernels is not installed, or of no use; `what` says which one and why, `command` how to get it."""

    def __init__(self, tool: str, why: str = "is not installed") -> None:
        purpose, self.command = NEEDED_FOR[tool]
        self.what = f"{tool}, which {purpose}, {why}"
        super().__init__(f"{self.what}: `{self.command}`")


@dataclass(frozen=True, slots=True)
class Toolkit:
    """The files of each tool that were found, those to be tried first before others."""

    ptxas: tuple[str, ...] = ()
    nvdisasm: tuple[str, ...] = ()
    libnvvm: tuple[str, ...] = ()

    @property
    def home(self) -> str | None:
        """The folder of the toolkit with the first libnvvm; None where that lies in a wheel of CUDA 13, as in `lib`."""
        return self.libnvvm[0].rpartition("/nvvm/")[0] or None if self.libnvvm else None

    def disassembler(self) -> str:
        """Raises MissingTool."""
        if not self.nvdisasm:
            raise MissingTool("nvdisasm")
        return self.nvdisasm[0]

    def versions(self) -> str:
        """What tells these tools from those of another version: names, sizes and times of the files that are used."""
        return " ".join(map(_state, (*self.ptxas, *self.libnvvm[:1])))


def toolkit() -> Toolkit:
    """What this process finds."""
    asked = os.environ.get
    return _found(asked("CUDA_HOME"), asked("CUDA_PATH"), asked("CONDA_PREFIX"), asked("PATH"))


@lru_cache(maxsize=8)
def _found(home: str | None, other: str | None, conda: str | None, path: str | None) -> Toolkit:
    spec = find_spec("nvidia")
    wheels = list(spec.submodule_search_locations or ()) if spec is not None else []
    return find(wheels, [folder for folder in (home, other, SYSTEM, conda) if folder], path)


def find(wheels: Sequence[str], homes: Sequence[str], path: str | None) -> Toolkit:
    """What lies in these folders: `wheels` of the namespace package `nvidia`, `homes` of whole toolkits."""
    # Newest first, as `cu13` is newer than `cuda_nvcc` of 12: assemblers take older PTX, and not newer.
    parts = sorted((part for folder in wheels for part in glob.glob(f"{glob.escape(folder)}/*")), key=_age)
    folders = [*parts, *homes]
    libraries = (
        sorted(glob.glob(f"{glob.escape(folder)}/{inner}/libnvvm.so*"))
        for folder in folders
        for inner in ("nvvm/lib64", "nvvm/lib", "lib")
    )
    return Toolkit(
        tuple(_programs("ptxas", folders, path)),
        tuple(_programs("nvdisasm", folders, path)),
        tuple(_once(library for found in libraries for library in found)),
    )


def _age(folder: str) -> tuple[int, str]:
    """`cu14`, `cu13`, then the folders of CUDA 12, which are named for their tools."""
    name = os.path.basename(folder)
    number = name.removeprefix("cu")
    return (-int(number) if number.isdigit() else 0, name)


def _programs(name: str, folders: Sequence[str], path: str | None) -> Iterator[str]:
    found = [shutil.which(name, path=os.path.join(folder, "bin")) for folder in folders]
    return _once(program for program in (*found, shutil.which(name, path=path or "")) if program)


def _once(paths: Iterator[str]) -> Iterator[str]:
    """Each file once, however many names lead to it."""
    seen: set[str] = set()
    for one in paths:
        if (real := os.path.realpath(one)) not in seen:
            seen.add(real)
            yield one


def _state(path: str) -> str:
    state = os.stat(path)
    return f"{os.path.basename(path)} {state.st_size} {state.st_mtime_ns}"


@lru_cache(maxsize=1)
def has_driver() -> bool:
    """Whether NVIDIA's driver is installed, which assembles PTX itself."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True
