"""Have numba-cuda compile kernels to PTX, for a GPU that need not be there.

    ptx_of(read_kernels(text, path), ["scale_1"], ...)    ->    {"scale_1": ".visible .entry scale_1(..."}

`numba.cuda.compile` does the work.  Three things it has no options for, and three functions of numba-cuda are exchanged
while this thread compiles: the one that says which device functions are compiled for, which would ask a driver; the
one that calls NVVM, which contracts `a * b + c` if it is not told otherwise; and the one that takes an index from the
end where it is negative, which costs three instructions an access: indices of kernels are counted from the front.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from ....runtime.kernels.loading import load
from ...diagnostics import Diagnostic, InternalError, Span, StageError
from ...dtypes import NUMPY_DTYPE
from ...types import Array, Type, dtype_of
from .printed_kernels import PrintedKernel, PrintedKernels
from .toolkit import MissingTool, toolkit

_LOCK = threading.RLock()
NUMBAS_NAMES = re.compile(r"\b(?:_ZN|_cudapy_)\w+")  # such names hold types, and count what was compiled before
LONGEST_REASON = 300
AFTER_REASON = ('File "', "There are ", "There is ", "- Of which", "During: ", "Overload", "raised from")


def ptx_of(
    text: PrintedKernels, names: Sequence[str], capability: tuple[int, int], fastmath: bool
) -> dict[str, str]:
    """The PTX of each kernel, whose entry is called as the kernel is.

    Raises MissingTool, and StageError for what numba refuses.
    """
    with _LOCK, _toolkit_named():
        cuda = _numba_cuda()
        space = _space(text, names, cuda, _device_functions(capability))
        with _exchanged(capability, fastmath):
            return {name: _ptx(text.kernels[name], space[name], text.path, cuda, capability) for name in names}


def _numba_cuda() -> Any:
    try:
        import numba_cuda  # noqa: F401  of numba's own `numba.cuda` this package knows nothing
        from numba import cuda
    except ImportError as missing:
        raise MissingTool("numba-cuda") from missing
    except AttributeError as apart:  # numba-cuda raises it beside a version of numba that it does not know
        raise MissingTool("numba-cuda", f"does not fit the numba that is installed ({apart})") from apart
    return cuda


@contextlib.contextmanager
def _toolkit_named() -> Iterator[None]:
    """numba-cuda looks for a toolkit of the system by CUDA_HOME alone."""
    home = toolkit().home
    if home is None or "CUDA_HOME" in os.environ or "CUDA_PATH" in os.environ:
        yield
        return
    os.environ["CUDA_HOME"] = home
    try:
        yield
    finally:
        os.environ.pop("CUDA_HOME", None)


# --- the functions -------------------------------------------------------------------------------------------------


def _space(text: PrintedKernels, names: Sequence[str], cuda: Any, devices: Mapping[str, Any]) -> dict[str, Any]:
    """The module that the kernels are functions of."""
    space = {"__name__": "pellucid_kernels", "cuda": cuda, "math": math, "np": np}
    space |= {name: devices[function] for name, function in text.support.items() if function in devices}
    exec(compile(text.program(names), text.path, "exec"), space)
    return space


@lru_cache(maxsize=4)
def _device_functions(capability: tuple[int, int]) -> Mapping[str, Any]:
    """What kernels have of `pellucid.support`; a function is compiled for this capability when a kernel calls it."""
    return load(_numba_cuda())


# --- numba ---------------------------------------------------------------------------------------------------------


def _ptx(kernel: PrintedKernel, dispatcher: Any, path: str, cuda: Any, capability: tuple[int, int]) -> str:
    from numba.core.errors import NumbaError

    signature = tuple(_numba_type(cuda, type_) for type_ in kernel.parameters.values())
    try:
        function, options = dispatcher.py_func, {"debug": False, "opt": True, "output": "ptx"}
        found, _ = cuda.compile(function, signature, device=False, abi="numba", cc=capability, **options)
    except NumbaError as refused:
        raise _refusal(kernel, reason_in(str(refused)), path, _line_of(refused, path)) from refused
    except Exception as failed:
        if not toolkit().libnvvm:
            raise MissingTool("libnvvm") from failed
        raise
    if missing := re.findall(r"\.extern \.func\s+(?:\([^)]*\)\s*)?(\w+)", found):
        reason = f"it calls {missing[0]}, which is C++; numbers of 16 bits are computed with as float32"
        raise _refusal(kernel, reason, path)
    return _plainly_named(found, kernel.name)


def _numba_type(cuda: Any, type_: Type) -> Any:
    import numba

    types = cuda.types if hasattr(cuda.types, "Array") else numba.types  # until 0.21 it had none of its own
    element = getattr(types, _word_of_numba(dtype_of(type_)))
    return types.Array(element, type_.ndim, type_.layout) if isinstance(type_, Array) else element


def _word_of_numba(word: str) -> str:
    name = NUMPY_DTYPE[word].name
    return "boolean" if name == "bool" else name


@contextlib.contextmanager
def _exchanged(capability: tuple[int, int], fastmath: bool) -> Iterator[None]:
    """For this thread, device functions are compiled for `capability`, NVVM contracts under `fastmath` alone, and
    indices are counted from the front.
    """
    from numba.cuda import dispatcher
    from numba.cuda.cudadrv import nvvm
    from numba.cuda.np import arrayobj

    here = threading.get_ident()
    device, compile_ir = dispatcher.get_current_device, nvvm.compile_ir
    used: list[bool] = []

    def get_current_device() -> Any:
        return SimpleNamespace(compute_capability=capability) if threading.get_ident() == here else device()

    def contracting(ir: Any, **options: Any) -> Any:
        if threading.get_ident() == here:
            options["fma"] = int(fastmath)
            ir = [ir] if isinstance(ir, str) else in_order_of_calls(ir)
            used.append(True)
        return compile_ir(ir, **options)

    fix_index = arrayobj.fix_integer_index

    def natural_index(context: Any, builder: Any, type_: Any, index: Any, size: Any) -> Any:
        if threading.get_ident() != here:
            return fix_index(context, builder, type_, index, size)
        return context.cast(builder, index, type_, arrayobj.types.intp)

    with (
        _set(dispatcher, "get_current_device", get_current_device),
        _set(nvvm, "compile_ir", contracting),
        _set(arrayobj, "fix_integer_index", natural_index),
    ):
        yield
    if not used:
        raise InternalError("assemble", "", "this version of numba-cuda calls NVVM in another way")


@contextlib.contextmanager
def _set(module: Any, name: str, value: Any) -> Iterator[None]:
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)


def in_order_of_calls(modules: Sequence[str]) -> list[str]:
    """Modules of LLVM, the kernel's first, each once and after one that calls it.

    numba-cuda keeps those that a function calls in a set, so that each process had its own order, and other code.  What
    nothing calls yet, NVVM drops.
    """
    defines = {name: text for text in modules for name in _functions("define", text)}
    ordered: dict[str, None] = {}

    def visit(text: str) -> None:
        if text in ordered:
            return
        ordered[text] = None
        for name in _functions("declare", text):
            if name in defines:
                visit(defines[name])

    for text in modules:
        visit(text)
    return list(ordered)


def _functions(word: str, text: str) -> list[str]:
    return re.findall(rf'^{word} [^@]*@"?([^"(]+)"?\(', text, re.MULTILINE)


def _plainly_named(ptx: str, name: str) -> str:
    """PTX with the kernel's own name for its entry, which profilers show, and the same string in every process."""
    entries = re.findall(r"\.visible \.entry (\w+)\(", ptx)
    if len(entries) != 1:
        raise InternalError("assemble", "", f"numba-cuda made {len(entries)} entries for the kernel `{name}`")
    names = {entries[0]: name if name.isascii() else "kernel"}

    def plain(match: re.Match[str]) -> str:
        found, parameter, rest = match[0].partition("_param_")
        return names.setdefault(found, f"{names[entries[0]]}_{len(names)}") + parameter + rest

    return NUMBAS_NAMES.sub(plain, ptx)


# --- what numba refuses ----------------------------------------------------------------------------------------------


def _refusal(kernel: PrintedKernel, reason: str, path: str, line: int = 0) -> StageError:
    message = f"numba-cuda does not compile the kernel `{kernel.name}`: {reason}"
    return StageError(Diagnostic("L003", message, Span(path, line or kernel.line, 0, line or kernel.line, 1)))


def _line_of(refused: Any, path: str) -> int:
    """Where numba met a fault, by the locations of what it worked at, else by its message; zero where none is known."""
    at_work = [
        frame.f_locals.get(name) for frame, _ in traceback.walk_tb(refused.__traceback__) for name in ("self", "inst")
    ]
    places: list[Any] = [getattr(one, "loc", None) for one in (*at_work, refused)]
    lines = [place.line for place in places if getattr(place, "filename", None) == path]
    told = re.findall(r'File "([^"]+)", line (\d+)', str(refused))  # with a path from the current folder
    lines = lines or [line for file, line in told if os.path.basename(file) == os.path.basename(path)]
    return int(lines[-1]) if lines else 0


def reason_in(text: str) -> str:
    """What an error of numba's says, in one line, without its step, its candidates and their locations."""
    lines = [line.strip() for line in re.sub(r"\x1b\[\d*m", "", text).splitlines()]
    kept = [line for line in lines if line and not re.match(r"Failed in \w+ mode pipeline", line)]
    ends = (number for number, line in enumerate(kept) if number and line.startswith(AFTER_REASON))
    reason = " ".join(kept[: next(ends, len(kept))])
    return reason if len(reason) <= LONGEST_REASON else reason[: LONGEST_REASON - 4] + " ..."
