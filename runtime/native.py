"""From LLVM text to callable addresses: the host's target machine, the optimiser, the loader.

    load(optimise(text))    ->    Library, whose functions live as long as it does
"""

from __future__ import annotations

import ctypes
import threading
from dataclasses import dataclass
from functools import lru_cache

import llvmlite.binding as llvm

# LLVM's global state is not made for two threads that compile at once.
LOCK = threading.RLock()


@dataclass(frozen=True, slots=True, eq=False)
class Library:
    """Loaded machine code.  `text` is the optimised LLVM it was made from."""

    engine: llvm.ExecutionEngine
    text: str

    def address(self, name: str) -> int:
        return int(self.engine.get_function_address(name))


@lru_cache(maxsize=1)
def start() -> None:
    """Make LLVM ready for the processor we run on, and the C mathematics library visible to its loader."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    if hasattr(ctypes.CDLL(None), "expm1"):  # the interpreter itself is linked with it
        return
    for name in ("libm.so.6", "libm.so", "libm.dylib"):
        try:
            llvm.load_library_permanently(name)
        except RuntimeError:
            continue
        return


def target_machine(level: int = 3) -> llvm.TargetMachine:
    """A machine for the host: its own processor with all the features it reports."""
    start()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=level,
        reloc="default",
        codemodel="jitdefault",
        jit=True,
    )


def parse(text: str) -> llvm.ModuleRef:
    start()
    module = llvm.parse_assembly(text)
    module.triple = llvm.get_process_triple()
    module.data_layout = str(target_machine().target_data)
    module.verify()
    return module


def optimise(text: str, level: int = 3) -> llvm.ModuleRef:
    """Run LLVM's own pipeline for the host, vectorisers included."""
    with LOCK:
        module = parse(text)
        tuning = llvm.create_pipeline_tuning_options(speed_level=level)
        tuning.loop_vectorization = tuning.slp_vectorization = True
        tuning.loop_unrolling = tuning.loop_interleaving = True
        builder = llvm.create_pass_builder(target_machine(level), tuning)
        builder.getModulePassManager().run(module, builder)
        return module


def load(module: llvm.ModuleRef) -> Library:
    """Turn a module into machine code; it must not be used afterwards."""
    with LOCK:
        text = str(module)
        engine = llvm.create_mcjit_compiler(module, target_machine())
        engine.finalize_object()
        return Library(engine, text)


def assembly(text: str) -> str:
    """The machine code of optimised LLVM text, in words."""
    with LOCK:
        return str(target_machine().emit_assembly(parse(text)))


def import_symbol(name: str, address: int) -> None:
    """Let code loaded from now on call this address by name."""
    start()
    llvm.add_symbol(name, address)


def capsule_address(capsule: object) -> int:
    """The C pointer in a capsule such as those of `scipy.linalg.cython_blas.__pyx_capi__`."""
    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(pointer_of(capsule, name_of(capsule)))
