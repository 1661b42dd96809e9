"""Calls of `shard_map` and `pmap` on several GPUs: the driver of one device runs for each, and NCCL lets them meet.

    step = GpuProgram(function, {"i": 2}, devices=(1, 2))
    step.start([(x_0, w), (x_1, w)])       every GPU has its kernels, and its result is an `Array` on it

Kernels and their driver are those that one GPU runs (`on_gpu.py`), compiled once for GPUs of a kind.  The call returns
before they have run; what a kernel finds to fail is told when a part of the result is read, by the program on the
processor, which is run for all devices on the same arguments.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from . import on_gpu, tree
from .compiler.ops.exchanges import EXCHANGES
from .compiler.targets.cuda.toolkit import MissingTool
from .faults import first_line_of, tools_for
from .flatten import Flattened
from .on_devices import DeviceProgram, Run, on_threads
from .own_frames import leave_out
from .runtime import native_part
from .runtime.array import Array
from .runtime.devices import by_number
from .runtime.devices.cuda import driver
from .runtime.devices.cuda.collectives import is_there, perform
from .runtime.devices.cuda.platform import from_gpu
from .runtime.devices.cuda.together import Launch, Table
from .runtime.guards import Findings


@functools.lru_cache(maxsize=64)
def tables_there(sizes: tuple[int, ...], numbers: tuple[int, ...]) -> list[Array]:
    """For each GPU of a mesh its number along each axis, and how many there are."""
    found = []
    for place, number in enumerate(numbers):
        seat = np.unravel_index(place, sizes)
        known = np.stack([np.array(seat), np.array(sizes)], axis=1).ravel().astype(np.int64)
        table = Table(driver.extension().to_device(known, number))
        table.known = known
        found.append(from_gpu(table, Array))
    return found  # type: ignore[return-value]


class GpuRun(Run):
    """What all GPUs are computing."""

    def wait(self) -> list[Any]:
        """The results once they are there.  Raises the error of the first device that has one of its own."""
        for leaf in tree.leaves(self.results):
            if isinstance(leaf, Array):
                leaf._wait()
        return self.results


class GpuProgram(DeviceProgram):
    """The program of one GPU of a mesh, and runs of it on all of them.  Parameters are those of `DeviceProgram`."""

    library = "nccl"

    def _tables(self) -> list[Array]:
        return tables_there(self.sizes, tuple(by_number(number).id for number in self.devices))

    def start(self, arguments: Sequence[Sequence[Any]]) -> Run:
        """Begin a run, given the arguments of each device.

        Raises CompileError for what no GPU can run, and DeviceError where there is no NCCL and the devices meet.
        """
        own = [(table, *self._given.arguments(given)) for table, given in zip(self.tables, arguments, strict=True)]
        flat = [self.function._flatten(given, {}) for given in own]
        codes = [self._code(one, by_number(number)) for one, number in zip(flat, self.devices, strict=True)]
        if prod(self.sizes) > 1 and any(self._meets(code) for code, _ in codes) and not is_there():
            with tools_for(first_line_of(self.function.__pellucid__.python)):
                raise MissingTool("NCCL")
        there = [by_number(number) for number in self.devices]

        def drive(place: int) -> Any:
            (code, findings), device = codes[place], there[place]
            leaves = on_gpu.leaves_there(code, flat[place], findings, device)
            return code.kernels.on_one_of_several(launch, leaves, device.id)

        launch = Launch(self.sizes, [device.id for device in there], self._explaining(own), perform)
        try:
            made = launch.run(drive)
        except BaseException as error:
            leave_out(error)
            raise
        return GpuRun([on_gpu.rebuilt(code, results) for (code, _), results in zip(codes, made, strict=True)])

    def _code(self, flat: Flattened, device: Any) -> tuple[on_gpu.KernelCode, Findings]:
        """The kernels for arguments of these types, made once for GPUs of a kind, and what they see outside now."""
        function, key = self.function, (flat.key, driver.compute_capability(device.id))
        code: on_gpu.KernelCode | None = function._on_gpu.get(key)
        findings = None if code is None else code.guards.hold()
        if code is None or findings is None:
            function._check_purity()
            function._latest = Flattened(flat.arguments, [], flat.key)
            code = function._on_gpu[key] = on_gpu.compiled(function, flat, device)
            findings = code.guards.findings
        return code, findings

    def _meets(self, code: on_gpu.KernelCode) -> bool:
        return bool(EXCHANGES & code.kernels.called)

    def _explaining(self, own: Sequence[Sequence[Any]]) -> Callable[[], None]:
        """What raises the error of a run: the program of all devices on the processor, on copies of the arguments."""

        def explain() -> None:
            native, function = native_part.extension(), self.function
            assert native is not None, "no GPU is used without it"
            given = [function._flatten(tree.map(_on_host, tuple(one)), {}) for one in own]

            def call(place: int) -> None:
                code, findings, _ = function._code_for(given[place])
                code.executable([*given[place].leaves, *code.hidden.leaves(findings)])

            on_threads(native, native.make_launch(self.sizes, None), len(own), call)

        return explain


def _on_host(leaf: Any) -> Any:
    return np.asarray(leaf) if isinstance(leaf, Array) else leaf
