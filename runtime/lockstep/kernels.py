"""Kernels and device functions: what `@cuda.jit` makes of a function, and what a launch does."""

from __future__ import annotations

import builtins
import contextlib
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numpy as np

from ..parsing import parse
from .blocks import Device, run_plain, run_waiting, threads_of
from .counts import Counts
from .errors import LockstepError
from .memory import DeviceArray, device_arrays
from .rewriting import UNKNOWN, Names, rewrite
from .sources import definition_of, text_of
from .threads import Block, Thread, Triple

MOST_THREADS = 1024
MOST_BLOCKS = (2**31 - 1, 65535, 65535)
LAUNCHED = (int, np.generic, DeviceArray)  # with Python's floats and complex numbers, what a kernel takes


class Function:
    """A device function, or what a kernel runs; rewritten when it is first used."""

    def __init__(self, function: FunctionType, cuda: Any) -> None:
        self.py_func = function
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self.text = text_of(function)  # now: another file may be loaded under this name later
        self.cuda = cuda
        self.made: tuple[Callable[..., Any], bool] | None = None

    def code(self) -> tuple[Callable[..., Any], bool]:
        """The rewritten function, and whether it waits for other threads."""
        if self.made is None:
            self.made = self.compiled()
        return self.made

    def compiled(self) -> tuple[Callable[..., Any], bool]:
        function = self.py_func
        code = function.__code__
        cells = dict(zip(code.co_freevars, (cell.cell_contents for cell in function.__closure__ or ())))

        def scope(name: str) -> Any:
            builtin = getattr(builtins, name, UNKNOWN)
            return cells.get(name, function.__globals__.get(name, builtin))

        names = Names(
            scope=scope,
            local=frozenset(code.co_varnames + code.co_cellvars),
            cuda=self.cuda,
            is_device_function=lambda value: isinstance(value, DeviceFunction),
            code_of=lambda value: value.code(),
            file=code.co_filename,
        )
        rewritten = rewrite(definition_of(function, self.text), names)
        tree = parse("def made():\n    pass", code.co_filename)
        tree.body[0].args.args = [parse(f"lambda {name}: 0", mode="eval").body.args.args[0] for name in cells]
        tree.body[0].body = [rewritten, parse(f"return {function.__name__}", mode="exec").body[0]]
        namespace = {**function.__globals__, **names.added}
        exec(compile(tree, code.co_filename, "exec"), namespace)
        return namespace["made"](*cells.values()), names.waits


class DeviceFunction(Function):
    """What kernels call."""

    def __call__(self, *arguments: object) -> object:
        raise TypeError(f"{self.__name__} is a function of the device: only kernels call it")


class Kernel(Function):
    """What is launched: `kernel[grid, block](arguments)`."""

    def __call__(self, *arguments: object) -> object:
        raise TypeError(f"{self.__name__} is a kernel: launch it as {self.__name__}[grid, block](...)")

    def __getitem__(self, configuration: Any) -> Callable[..., None]:
        if not isinstance(configuration, tuple) or len(configuration) < 2:
            raise TypeError(f"{self.__name__} is launched with [grid, block]")
        grid, block = (triple(part) for part in configuration[:2])
        self.check_sizes(grid, block)

        def launch(*arguments: Any) -> None:
            self.launch(grid, block, arguments)

        return launch

    def check_sizes(self, grid: Triple, block: Triple) -> None:
        count = block.x * block.y * block.z
        if min(block) < 1 or count > MOST_THREADS or block.z > 64:
            raise LockstepError(
                f"kernel {self.__name__}: a block of {tuple(block)} threads; it has 1 to {MOST_THREADS} of them"
            )
        if min(grid) < 1 or any(length > most for length, most in zip(grid, MOST_BLOCKS)):
            raise LockstepError(f"kernel {self.__name__}: a grid of {tuple(grid)} blocks; it has 1 to {MOST_BLOCKS}")

    def launch(self, grid: Triple, block: Triple, arguments: tuple[Any, ...]) -> None:
        code, waits = self.code()
        given = tuple(map(self.taken, arguments))
        wanted = self.py_func.__code__.co_argcount
        if len(given) != wanted:
            raise TypeError(f"kernel {self.__name__} takes {wanted} arguments, not {len(given)}")
        launched = object()
        for array in device_arrays(given):
            if array.allocation.launch is not launched:
                array.allocation.forget(launched)
        run = run_waiting if waits else run_plain
        device: Device = self.cuda.device
        counts: Counts | None = device.counts
        make = self.thread if counts is None else counts.launched(self.__name__, grid, block)
        with np.errstate(all="ignore"), self.located(device):
            for number, place in enumerate(places(grid)):
                threads = threads_of(Block(number, place, block, grid), make)
                run(code, threads, given, device)

    def thread(self, block: Block, number: int, place: Triple) -> Thread:
        return Thread(f"kernel {self.__name__}", block, number, place)

    def taken(self, argument: Any) -> Any:
        if isinstance(argument, float | complex) and not isinstance(argument, np.generic):
            return np.float64(argument) if isinstance(argument, float) else np.complex128(argument)
        if not isinstance(argument, LAUNCHED):
            raise TypeError(
                f"kernel {self.__name__} takes device arrays and numbers, not {type(argument).__name__};"
                " cuda.to_device(x) copies an array to the device"
            )
        return argument

    @contextlib.contextmanager
    def located(self, device: Device) -> Iterator[None]:
        """An error of Python's in a kernel says which thread it comes from."""
        try:
            yield
        except LockstepError:
            raise
        except Exception as error:
            if device.thread is not None:
                error.add_note(f"in kernel {self.__name__}, {device.thread.name}")
            raise
        finally:
            device.thread = None


def triple(size: Any) -> Triple:
    given = size if isinstance(size, tuple) else (size,)
    if not 1 <= len(given) <= 3 or not all(isinstance(n, int | np.integer) for n in given):
        raise TypeError(f"a grid and a block are one to three whole numbers, not {size!r}")
    return Triple(*map(int, given), *(1,) * (3 - len(given)))


def places(grid: Triple) -> Iterator[Triple]:
    return (Triple(x, y, z) for z in range(grid.z) for y in range(grid.y) for x in range(grid.x))
