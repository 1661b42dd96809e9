"""What machine code of kernels depends on besides their text: our files, numba-cuda's packages and NVIDIA's tools."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

from ....runtime.kernels import loading
from ....runtime.store import digest
from .toolkit import toolkit

TRANSLATOR = ("assemble.py", "printed_kernels.py", "machine.py", "through_numba.py")
DEVICES = ("loading.py", *loading.FILES)
PACKAGES = ("numba-cuda", "numba", "cuda-bindings", "llvmlite")


def environment(capability: tuple[int, int]) -> bytes:
    """A digest of all of it, for GPUs of this capability."""
    return digest(_translator(), _versions().encode(), toolkit().versions().encode(), str(capability).encode())


@lru_cache(maxsize=1)
def _versions() -> str:
    found = []
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found.append(f"{package} {version(package)}")
    return " ".join(found)


@lru_cache(maxsize=1)
def _translator() -> bytes:
    """The files that make code of a text, and those with the device functions."""
    ours, theirs = (os.path.dirname(module) for module in (__file__, loading.__file__))
    contents = []
    for path in (*(os.path.join(ours, name) for name in TRANSLATOR), *(os.path.join(theirs, name) for name in DEVICES)):
        with open(path, "rb") as stream:
            contents.append(stream.read())
    return digest(*contents)
