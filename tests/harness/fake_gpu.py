"""A GPU that is not there: the driver's calls go to `fake_libcuda`, and its kernels run on the lockstep machine.

    gpu = FakeGpu()                          in a process whose PELLUCID_LIBCUDA names the library
    f(device_put(x, "cuda"))                 as on a GPU, but for the assembler
    gpu.finish()                             raises what a kernel has raised, and for what no program may do
"""

import uuid

import numpy as np

from pellucid.compiler import types
from pellucid.compiler.dtypes import NUMPY_DTYPE
from pellucid.compiler.targets.cuda import assemble as assembling
from pellucid.compiler.targets.cuda import versions
from pellucid.compiler.targets.cuda.machine import Machine, parameters_of
from pellucid.compiler.targets.cuda.printed_kernels import read_kernels
from pellucid.runtime.lockstep import KernelFault
from pellucid.runtime.lockstep.memory import Allocation, DeviceArray, FaultWord
from tests.fake_libcuda import Fake


class FakeGpu(Fake):
    def __init__(self):
        super().__init__()
        assembling.assemble = self.assemble
        alone = uuid.uuid4().bytes  # what the store keeps is known to this process alone
        versions.environment = lambda capability: alone

    def assemble(self, text, capability=(9, 0), fastmath=False, kernels=None, path="<kernels of the fake>", width=None):
        """Kernels that run in lockstep, in the place of machine code."""
        read = read_kernels(text, path)
        namespace = {}
        exec(compile(text, path, "exec"), namespace)
        return {name: self.made(namespace[name], kernel) for name, kernel in read.kernels.items()
                if kernels is None or name in kernels}  # fmt: skip

    def made(self, kernel, printed):
        kinds = [kind_of(type_) for type_ in printed.parameters.values()]
        names = list(printed.parameters)

        def body(grid, block, *given):
            try:
                kernel[grid, block](*[in_lockstep(name, value) for name, value in zip(names, given)])
            except KernelFault:  # it ends a kernel in lockstep, and one on a device goes on
                given[names.index("failed")][0] = 1

        body.__name__ = printed.name
        made = self.machine(*kinds)(body)
        return Machine(printed.name, made.entry, (9, 0), parameters_of(printed.parameters), made.ptx, 0)


def kind_of(type_):
    dtype = NUMPY_DTYPE[types.dtype_of(type_)]
    word = "bool" if dtype == np.bool_ else dtype.str[1:]
    if not isinstance(type_, types.Array):
        return f"scalar {word}"
    return f"array {word} {type_.ndim}{'' if type_.layout == 'C' else ' strided'}"


def in_lockstep(name, value):
    if not isinstance(value, np.ndarray):
        return value
    if name == "failed":
        return FaultWord(Allocation(value.reshape(-1), True, is_exempt=True), value)
    return DeviceArray(Allocation(row_of(value), True), value)


def row_of(value):
    """The memory that an array lies in, as a row of numbers."""
    if value.flags.c_contiguous:
        return value.reshape(-1)
    memory = memoryview(value.base)
    return np.ndarray(memory.nbytes // value.itemsize, value.dtype, value.base)
