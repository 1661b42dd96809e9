"""Compiled kernels with the driver that launches them: a call on a device.

    kernels = LoadedKernels({"poly_1": machine}, text)
    kernels(x)              arrays on a device and numbers  ->  the same, before the kernels have run

The text is that of a kernels stage, or of its driver alone.  The driver runs as it is printed, by CPython; its kernels
are those of the device, and a launch is native code.  What it imports from `pellucid.support` for the host is here.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence, Set
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np

from ... import parsing
from ...dtypes import DTYPES
from ...kernels import shapes
from ...kernels.host import on_host
from . import driver
from .driver import DeviceArray
from .together import Launch
from .verdicts import Run, carrying, judged, present, verdict_on

WORDS = {name if name == "bool" else name[0] + name.lstrip("abcdefilmnoptux"): np.dtype(name) for name in DTYPES}


class Machine(Protocol):
    """A kernel as the assembler leaves it: `cubin`, or None and `ptx` alone."""

    @property
    def entry(self) -> str: ...
    @property
    def parameters(self) -> Sequence[tuple[Any, ...]]: ...
    @property
    def ptx(self) -> str: ...
    @property
    def cubin(self) -> bytes | None: ...


def dtype_of(word: Any) -> np.dtype[Any]:
    """A dtype by the compiler's word for it, `u8` for a byte, or as NumPy's object."""
    return WORDS[word] if isinstance(word, str) else np.dtype(word)


def kind_of(parameter: Sequence[Any]) -> tuple[Any, ...]:
    """A parameter as native code takes it, for one as the assembler tells it.

        ("array", "f32", 2, True)  ->  ("array", 2, float32, True)      ("scalar", "i64")  ->  ("scalar", int64)
    """
    if parameter[0] == "scalar":
        return "scalar", dtype_of(parameter[1])
    _, word, ndim, is_contiguous = parameter
    return "array", ndim, dtype_of(word), is_contiguous


def load(name: str, machine: Machine) -> Any:
    """A kernel that can be launched: `kernel[grid, block](...)`; a device gets its code with the first launch."""
    native = driver.extension()
    image = machine.cubin if machine.cubin is not None else machine.ptx.encode()
    function = native.Module(image).function(machine.entry)
    return native.Kernel(function, [kind_of(parameter) for parameter in machine.parameters], name)


class OfWidth:
    """A kernel that is made for the blocks that it is launched with, when it is first launched with them."""

    def __init__(self, name: str, make: Callable[[int], Machine]) -> None:
        self.name, self._make = name, make
        self._made: dict[int, Any] = {}

    def __getitem__(self, launch: tuple[Any, Any]) -> Any:
        block = launch[1]
        width = block[0] if type(block) is tuple else block
        kernel = self._made.get(width)
        if kernel is None:
            kernel = self._made[width] = load(self.name, self._make(width))
        return kernel[launch]


class LoadedKernels:
    """The kernels of a function and its driver.

    machines  the kernels by the names that the driver calls them
    text      the kernels stage, whose last function is the driver
    explain   raises the error of the program for arguments on which a kernel has found one; it is called with those of
              the driver
    names     what the text finds besides, such as hidden functions of the host
    late      makes a kernel, by its name, for blocks of the width that it is launched with
    path      the file that tracebacks of the driver name
    """

    def __init__(
        self, machines: Mapping[str, Machine], text: str, explain: Callable[..., Any] | None = None,
        names: Mapping[str, Any] | None = None, late: Mapping[str, Callable[[int], Machine]] | None = None,
        path: str = "",
    ) -> None:
        self.kernels = {name: load(name, machine) for name, machine in machines.items()}
        self.kernels |= {name: OfWidth(name, make) for name, make in (late or {}).items()}
        self._explain = explain
        words = ("faults()", "fetch(", "@host", *(f"{name}(" for name in names or {}))
        self._is_judged = any(word in text for word in words)
        self.called = frozenset(name for name in names or {} if f"{name}(" in text)
        self.driver = driver_of(text, {**host_names(), **self.kernels, **(names or {})}, path)

    def __call__(self, *args: Any, device: int = 0) -> Any:
        """The results of the driver; what stays on the device is judged when it comes to the host."""
        native = driver.extension()
        former = native.cuda_use(device)
        try:
            if not self._is_judged and all(getattr(arg, "verdict", None) is None for arg in args):
                return self.driver(*args)
            with judged(lambda: self._fail(args)) as run:
                results = self._driven(run, args)
        finally:
            native.cuda_use(former)
        return carrying(results, verdict_on(run, args))

    def on_one_of_several(self, launch: Launch, args: Sequence[Any], device: int) -> Any:
        """The results of the driver on one GPU of a launch, which judges them together with those of the others."""
        native = driver.extension()
        former = native.cuda_use(device)
        try:
            with judged(launch.explain) as run:
                launch.note(run, args)
                return self.driver(*args)
        finally:
            native.cuda_use(former)

    def _driven(self, run: Run, args: tuple[Any, ...]) -> Any:
        """The results of the driver.  An error that a kernel has found comes before the one that the driver raises."""
        try:
            return self.driver(*args)
        except Exception:
            earlier = verdict_on(run, args)
            if earlier is not None:
                earlier()
            run.judge()
            raise

    def _fail(self, args: tuple[Any, ...]) -> None:
        if self._explain is not None:
            self._explain(*args)


def driver_of(text: str, names: Mapping[str, Any], path: str = "") -> Callable[..., Any]:
    """The last function of a kernels stage, with the names that it calls; kernels of the text are left out."""
    tree = parsing.parse(text)
    functions = [part for part in tree.body if isinstance(part, ast.FunctionDef) and not _is_kernel(part)]
    if not functions:
        raise ValueError("a kernels stage ends with its driver")
    read = {node.id for part in functions for node in ast.walk(part) if isinstance(node, ast.Name)}
    imports = [part for part in tree.body if isinstance(part, ast.Import | ast.ImportFrom)]
    needed = [_needed(part, read - names.keys()) for part in imports]
    tree.body = [*(part for part in needed if part.names), *functions]
    found: dict[str, Any] = dict(names)
    exec(compile(tree, path or f"<driver {functions[-1].name}>", "exec"), found)
    driver: Callable[..., Any] = found[functions[-1].name]
    return driver


def _is_kernel(function: ast.FunctionDef) -> bool:
    return any(ast.unparse(mark).startswith("cuda.jit") for mark in function.decorator_list)


def _needed(part: ast.Import | ast.ImportFrom, read: Set[str]) -> ast.Import | ast.ImportFrom:
    """An import of the text without what kernels alone call and what is there in the device's own way."""
    part.names = [alias for alias in part.names if (alias.asname or alias.name) in read]
    return part


# --- what drivers call on the host -----------------------------------------------------------------------------------


class FaultWord(DeviceArray):
    """A word on the device in which kernels say that they have found an error: `failed[0] = 1`."""

    __slots__ = ()

    def check(self) -> None:
        """Let the results of the call be judged by it."""
        present().noted.append(self)


def host_names() -> dict[str, Any]:
    """The names of a driver, but for its kernels."""
    native = driver.extension()
    cuda = SimpleNamespace(device_array=native.device_array, to_device=native.to_device)
    launches = {name: getattr(shapes, name) for name in shapes.LAUNCHES}
    loops = dict.fromkeys(("prange", "lanes", "noalias"), range)
    return {"math": math, "np": np, "cuda": cuda, "fetch": fetch, "faults": faults, "host": host, **launches, **loops}


def faults() -> FaultWord:
    """A new word for the call that runs."""
    native = driver.extension()
    word = FaultWord(native.device_array(1, np.int64).clear())
    present().words.append(word)
    return word


def fetch(x: Any) -> Any:
    """The element of an array of no dimensions, once it is known that no kernel before it has failed."""
    if not isinstance(x, DeviceArray):
        return x  # the host knows it, and no kernel has made it
    found = driver.extension().fetch(x)
    present().judge()
    return found


def host(function: Callable[..., Any] | None = None, *, changes: Sequence[str] = ()) -> Any:
    """A part that stays on the host: it gets copies, once it is known that no kernel before it has failed."""
    if function is None:
        return lambda found: host(found, changes=changes)
    inner = on_host(function, changes, driver.extension().to_device)

    def call(*arguments: Any) -> Any:
        present().judge()
        return inner(*arguments)

    return call
