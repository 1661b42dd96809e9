"""A compiled function from the text of a kernels stage, which a user may have edited.

    f = pellucid.from_source("poly_kernels.py", stage="kernels")
    f(device_put(x, "cuda"))     the kernels of the text on the GPU
    f(x)                         on the first GPU, or in lockstep where there is none
    f.source("ptx")              the rest of the way down

The driver of the text runs in CPython and its kernels are what numba-cuda makes of them, so nothing of the text is
checked but its Python and its headers: what the kernels do is what they say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .compiler.diagnostics import Span
from .compiler.stages import KERNELS, OF_GPU
from .compiler.targets.cuda import assemble as assembling
from .compiler.targets.cuda.machine import Machine
from .compiler.targets.cuda.printed_kernels import read_driver, read_kernels
from .explanation import lines_of
from .faults import tools_for
from .gpu_explanation import topics_on_gpu
from .gpu_listing import NO_KERNELS, machine_text
from .on_gpu import as_array, libraries
from .placing import common_device
from .runtime import devices
from .runtime.array import Array
from .runtime.devices.cuda import driver as cuda
from .runtime.devices.cuda.kernels import LoadedKernels
from .runtime.devices.cuda.platform import Cuda, on_gpu
from .runtime.lockstep import KernelFault, in_lockstep, load
from .stage_function import StageFunction, as_returned, check_arguments
from .stepping import run
from .text import Text

IN_LOCKSTEP = -1  # in the place of the number of a GPU


class EditedKernels(StageFunction):
    """What `from_source` gives of a kernels stage: a `Function` of one signature, that of the driver's header."""

    def __init__(self, text: str, path: str, stage: str = KERNELS) -> None:
        self._driver = read_driver(text, path)
        self._has_kernels = bool(self._driver.kernels)
        if self._has_kernels:
            read_kernels(text, path)
        self._describe(self._driver.name, self._driver.parameters, text, path, stage)
        self._loaded: dict[int, LoadedKernels] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = self._bound(args, kwargs)
        check_arguments(self.__name__, {name: _seen(value) for name, value in bound.items()}, self.types)
        number = self._gpu_of(list(bound.values()))
        if number == IN_LOCKSTEP:
            return self._in_lockstep(list(bound.values()), None)
        leaves = [_there(value, number) for value in bound.values()]
        return _as_arrays(self._on(number)(*leaves, device=number))

    def source(self, stage: str, *args: Any, **kwargs: Any) -> str:
        """The text, or the machine code of its kernels; arguments are not needed and not looked at."""
        if stage == KERNELS:
            return Text(self._text)
        if stage not in OF_GPU:
            raise ValueError(f"a kernels stage has no stage {stage!r} below it")
        return Text(machine_text(self._text, self._path, stage, self._place) if self._has_kernels else NO_KERNELS)

    def debug(self, stage: str = "", call: Callable[..., Any] | None = None) -> Callable[..., Any]:
        """The text as a Python function that CPython runs from its file in lockstep, for pdb and editors."""
        if stage not in ("", KERNELS):
            raise ValueError(f"a kernels stage has no stage {stage!r} below it that runs in CPython")
        return lambda *args, **kwargs: self._in_lockstep(self._leaves(args, kwargs), call)

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """What the kernels move, what stays on the host, and what is waited for."""
        head = f"{self.__name__}{self._signature} of {self._path}"
        return Text("\n".join([head, *lines_of(topics_on_gpu(self._text, self._path))]) + "\n")

    def as_written(self) -> Callable[..., Any]:
        raise TypeError(
            f"{self.__name__} was read from the kernels stage, which has no derivative: edit the typed stage"
        )

    @property
    def _place(self) -> Span:
        return Span(self._path, self._driver.line, 0, self._driver.line, 0)

    def _gpu_of(self, arguments: list[Any]) -> int:
        """The number of the GPU that a call runs on, which arrays may say, or IN_LOCKSTEP."""
        found = common_device(arguments)
        if found >= 0:
            return found - Cuda().first() if devices.is_on_gpu(found) else IN_LOCKSTEP
        return 0 if cuda.count() else IN_LOCKSTEP

    def _on(self, number: int) -> LoadedKernels:
        """The kernels for a GPU, assembled when it is first asked for."""
        if number not in self._loaded:
            machines, late = self._assembled(number) if self._has_kernels else ({}, {})
            self._loaded[number] = LoadedKernels(machines, self._text, failed, libraries(), late, self._path)
        return self._loaded[number]

    def _assembled(self, number: int) -> tuple[dict[str, Machine], dict[str, Callable[[int], Machine]]]:
        with tools_for(self._place):
            machines, late = assembling.as_launched(self._text, cuda.compute_capability(number), path=self._path)
        return machines, {name: tools_for(self._place)(make) for name, make in late.items()}

    def _in_lockstep(self, leaves: list[Any], call: Callable[..., Any] | None) -> Any:
        driver = load(self._text, self._path)[self.__name__]
        given = [value._plain if isinstance(value, Array) else value for value in leaves]
        results = in_lockstep(lambda *arguments: run(driver, list(arguments), call))(*given)
        return as_returned(list(results) if isinstance(results, tuple) else [] if results is None else [results])


def failed(*arguments: Any) -> None:
    """What a kernel's word for an error comes to, where no program of the processor can tell which."""
    raise KernelFault("the program fails on these arguments: a kernel found an error that Python would raise")


def _seen(value: Any) -> Any:
    """An argument as it is looked at: of an array on a GPU its shape, strides and dtype alone."""
    if not isinstance(value, Array):
        return value
    there = value._there
    if there is None:
        return value._plain
    return np.lib.stride_tricks.as_strided(np.empty(1, there.dtype), there.shape, there.strides, writeable=False)


def _there(value: Any, number: int) -> Any:
    if isinstance(value, Array) and value._there is not None:
        return on_gpu(value)
    plain = value._plain if isinstance(value, Array) else value
    return cuda.extension().to_device(plain, number) if isinstance(plain, np.ndarray) else plain


def _as_arrays(results: Any) -> Any:
    """Results as Python's `return` gives them, with Arrays for what is on the GPU."""
    found = results if isinstance(results, tuple) else () if results is None else (results,)
    return as_returned(list(map(as_array, found)))
