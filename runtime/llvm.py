"""LLVM, by the functions of the library that llvmlite brings, and without llvmlite itself.

    module = parse(text)  ->  run(default_passes(builder, 3), module, builder)  ->  emit(machine, module)

To import llvmlite's own modules takes longer than to compile a small function, and their calls hold a lock, so that
threads could not share the work.  LLVM keeps what it works on in contexts and target machines: threads that each have
their own may compile at the same time (LLVM's programmer's manual, "Threads and LLVM").  What the functions take and
give is declared below as llvmlite declares it, for all versions that the package admits.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

VOID, POINTER, TEXT, NUMBER, FLAG, SIZE = (
    None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_bool, ctypes.c_size_t,
)  # fmt: skip
OUT = ctypes.POINTER(ctypes.c_void_p)  # where a function puts a text that it has made
PREFIX = "LLVMPY_"

# What a function gives, then what it takes.
FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "InitializeNativeTarget": (VOID,),
    "InitializeNativeAsmPrinter": (VOID,),
    "InitializeAllTargetInfos": (VOID,),
    "InitializeAllTargets": (VOID,),
    "InitializeAllTargetMCs": (VOID,),
    "InitializeAllAsmPrinters": (VOID,),
    "GetProcessTriple": (VOID, OUT),
    "GetHostCPUName": (VOID, OUT),
    "GetHostCPUFeatures": (NUMBER, OUT),
    "GetTargetFromTriple": (POINTER, TEXT, OUT),
    "CreateTargetMachine": (POINTER, POINTER, TEXT, TEXT, TEXT, NUMBER, TEXT, TEXT, NUMBER, NUMBER, TEXT),
    "DisposeTargetMachine": (VOID, POINTER),
    "CreateTargetMachineData": (POINTER, POINTER),
    "CopyStringRepOfTargetData": (VOID, POINTER, OUT),
    "DisposeTargetData": (VOID, POINTER),
    "ContextCreate": (POINTER,),
    "ContextDispose": (VOID, POINTER),
    "ParseAssembly": (POINTER, POINTER, TEXT, OUT),
    "SetTarget": (VOID, POINTER, TEXT),
    "SetDataLayout": (VOID, POINTER, TEXT),
    "VerifyModule": (FLAG, POINTER, OUT),
    "PrintModuleToString": (VOID, POINTER, OUT),
    "LinkModules": (NUMBER, POINTER, POINTER, OUT),
    "DisposeModule": (VOID, POINTER),
    "CreatePipelineTuningOptions": (POINTER,),
    "PTOSetLoopVectorization": (VOID, POINTER, FLAG),
    "PTOSetSLPVectorization": (VOID, POINTER, FLAG),
    "PTOSetLoopUnrolling": (VOID, POINTER, FLAG),
    "PTOSetLoopInterleaving": (VOID, POINTER, FLAG),
    "DisposePipelineTuningOptions": (VOID, POINTER),
    "CreatePassBuilder": (POINTER, POINTER, POINTER),
    "DisposePassBuilder": (VOID, POINTER),
    "buildPerModuleDefaultPipeline": (POINTER, POINTER, NUMBER, NUMBER),  # new versions ignore the last, the size level
    "CreateNewModulePassManager": (POINTER,),
    "module_AddAlwaysInlinerPass": (VOID, POINTER),
    "module_AddSROAPass": (VOID, POINTER),
    "module_AddInstCombinePass": (VOID, POINTER),
    "module_AddSimplifyCFGPass": (VOID, POINTER),
    "module_AddGlobalDCEPass": (VOID, POINTER),
    "RunNewModulePassManager": (VOID, POINTER, POINTER, POINTER),
    "DisposeNewModulePassManger": (VOID, POINTER),
    "TargetMachineEmitToMemory": (POINTER, POINTER, POINTER, NUMBER, OUT),
    "GetBufferStart": (POINTER, POINTER),
    "GetBufferSize": (SIZE, POINTER),
    "DisposeMemoryBuffer": (VOID, POINTER),
    "DisposeString": (VOID, POINTER),
}

Words = tuple[str, str, str]  # of a processor: its triple, its name, its features

_LOCK = threading.Lock()


def start() -> None:
    """Load LLVM and make it ready for the processor we run on."""
    with _LOCK:  # the table of targets is there once for all threads
        _functions()


@lru_cache(maxsize=1)
def _functions() -> dict[str, Callable[..., Any]]:
    library = _library()
    found = {}
    for name, (result, *parameters) in FUNCTIONS.items():
        function = found[name] = getattr(library, PREFIX + name)
        function.restype, function.argtypes = result, parameters
    found["InitializeNativeTarget"]()
    found["InitializeNativeAsmPrinter"]()
    return found


def _library() -> ctypes.CDLL:
    folders = getattr(find_spec("llvmlite"), "submodule_search_locations", None) or ()
    name = "libllvmlite.dylib" if sys.platform == "darwin" else "libllvmlite.so"
    for path in (os.path.join(folder, "binding", name) for folder in folders):
        if os.name == "posix" and os.path.isfile(path):
            dlopen = ctypes.CDLL(None).dlopen  # a call of C's: ctypes itself keeps other threads waiting meanwhile
            dlopen.restype, dlopen.argtypes = POINTER, (TEXT, NUMBER)
            dlopen(os.fsencode(path), os.RTLD_NOW)
            return ctypes.CDLL(path)
    from llvmlite.binding import ffi

    return ctypes.CDLL(ffi.lib._name, handle=ffi.lib._handle)


def _call(name: str, *values: Any) -> Any:
    return _functions()[name](*values)


def _told(name: str, *values: Any) -> tuple[Any, str]:
    """What a function gives, and the text that it makes."""
    place = ctypes.c_void_p()
    result = _call(name, *values, ctypes.byref(place))
    if not place.value:
        return result, ""
    text = ctypes.string_at(place.value).decode("utf-8", "replace")
    _call("DisposeString", place)
    return result, text


class Owned:
    """Something of LLVM's that goes when its Python object goes, and before what it `needs`."""

    __slots__ = ("_as_parameter_", "_dispose", "_needs")

    def __init__(self, pointer: int | None, dispose: str, *needs: Owned) -> None:
        self._as_parameter_, self._dispose, self._needs = pointer, dispose, needs

    def __del__(self, ends: Callable[[], bool] = sys.is_finalizing) -> None:
        if self._as_parameter_ is not None and not ends():
            _call(self._dispose, self._as_parameter_)


# --- the processor -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def host() -> Words:
    """The processor we run on: its triple, its name, its features."""
    start()
    features = _told("GetHostCPUFeatures")[1].split(",")
    ordered = ",".join(sorted(features, key=lambda feature: feature[1:]))
    return _told("GetProcessTriple")[1], _told("GetHostCPUName")[1], ordered


class Machine(Owned):
    """What translates for one processor."""

    __slots__ = ("triple",)

    def __init__(self, pointer: int, triple: str) -> None:
        super().__init__(pointer, "DisposeTargetMachine")
        self.triple = triple


def target_machine(level: int, words: Words) -> Machine:
    """What translates for a processor, at one of the levels of effort; its code may lie anywhere in memory."""
    triple, name, features = (part.encode() for part in words)
    if words[0].partition("-")[0] != host()[0].partition("-")[0]:
        _start_all()
    target, wrong = _told("GetTargetFromTriple", triple)
    if target is None:
        raise RuntimeError(wrong)
    machine = _call("CreateTargetMachine", target, triple, name, features, level, b"pic", b"small", 0, 0, b"")
    if machine is None:
        raise RuntimeError(f"LLVM has no code generator for {words[0]}")
    return Machine(machine, words[0])


@lru_cache(maxsize=1)
def _start_all() -> None:
    """Make LLVM ready for all architectures that it was built for."""
    with _LOCK:
        for name in ("TargetInfos", "Targets", "TargetMCs", "AsmPrinters"):
            _call(f"InitializeAll{name}")


# --- modules -------------------------------------------------------------------------------------------------------


def parse(text: str, beside: Module | None = None) -> Module:
    """The module that a text describes, in the context of another or in its own.  Raises RuntimeError."""
    start()
    context = Owned(_call("ContextCreate"), "ContextDispose") if beside is None else beside.context
    pointer, wrong = _told("ParseAssembly", context, text.encode())
    if pointer is None:
        raise RuntimeError(f"LLVM cannot read this: {wrong}")
    return Module(pointer, context)


class Module(Owned):
    """What LLVM has read and works on."""

    __slots__ = ("context",)

    def __init__(self, pointer: int, context: Owned) -> None:
        super().__init__(pointer, "DisposeModule", context)
        self.context = context

    def aim_at(self, machine: Machine) -> None:
        """Lay data out as the machine does, and check the module.  Raises RuntimeError."""
        data = Owned(_call("CreateTargetMachineData", machine), "DisposeTargetData")
        _call("SetTarget", self, machine.triple.encode())
        _call("SetDataLayout", self, _told("CopyStringRepOfTargetData", data)[1].encode())
        failed, wrong = _told("VerifyModule", self)
        if failed:
            raise RuntimeError(wrong)

    def link_in(self, other: Module) -> None:
        """Take the functions of another module of the same context, which is gone then."""
        pointer, other._as_parameter_ = other._as_parameter_, None
        failed, wrong = _told("LinkModules", self, pointer)
        if failed:
            raise RuntimeError(wrong)

    def __str__(self) -> str:
        return _told("PrintModuleToString", self)[1]


# --- passes --------------------------------------------------------------------------------------------------------


def pass_builder(machine: Owned) -> Owned:
    """What knows the passes: loops are vectorised, unrolled and interleaved, straight code is vectorised."""
    options = Owned(_call("CreatePipelineTuningOptions"), "DisposePipelineTuningOptions")
    for name in ("LoopVectorization", "SLPVectorization", "LoopUnrolling", "LoopInterleaving"):
        _call(f"PTOSet{name}", options, True)
    return Owned(_call("CreatePassBuilder", machine, options), "DisposePassBuilder", machine)


def default_passes(builder: Owned, level: int) -> Owned:
    """LLVM's whole pipeline."""
    made = _call("buildPerModuleDefaultPipeline", builder, level, 0)
    return Owned(made, "DisposeNewModulePassManger", builder)


def chosen_passes(*names: str) -> Owned:
    """These passes, by the names of LLVM's classes."""
    passes = Owned(_call("CreateNewModulePassManager"), "DisposeNewModulePassManger")
    for name in names:
        _call(f"module_Add{name}Pass", passes)
    return passes


def run(passes: Owned, module: Module, builder: Owned) -> None:
    _call("RunNewModulePassManager", passes, module, builder)


def emit(machine: Owned, module: Module, as_object: bool = True) -> bytes:
    """The machine code of a module: an object file, or its text.  Raises RuntimeError where LLVM has none."""
    buffer, wrong = _told("TargetMachineEmitToMemory", machine, module, int(as_object))
    if buffer is None:
        raise RuntimeError(wrong)
    try:
        return ctypes.string_at(_call("GetBufferStart", buffer), _call("GetBufferSize", buffer))
    finally:
        _call("DisposeMemoryBuffer", buffer)
