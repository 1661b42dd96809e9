"""LLVM: the host's target machine, the optimiser, the code generator, its loader.

    object_code(text)    ->    an object file, for `machine_code.library` to load and to keep
"""

from __future__ import annotations

import ctypes
import re
import threading
from collections import Counter
from functools import lru_cache

import llvmlite.binding as llvm

from . import routines

# LLVM's global state is not made for two threads that compile at once.
LOCK = threading.RLock()

# Functions to be linked in after optimisation stand behind such lines, as comments.
LATE = ";later"
INLINED = "define available_externally "
MOST_INLINED = 4
CALLED = re.compile(r"\bcall [^@\n]*@([\w.]+)\(")


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


def target_machine(level: int = 3, code_model: str = "jitdefault") -> llvm.TargetMachine:
    """A machine for the host: its own processor with all the features it reports."""
    start()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=level,
        reloc="default" if code_model == "jitdefault" else "pic",
        codemodel=code_model,
        jit=code_model == "jitdefault",
    )


@lru_cache(maxsize=8)
def shared_machine(level: int, code_model: str) -> llvm.TargetMachine:
    """The same, made once: for all that does not take it over."""
    return target_machine(level, code_model)


def parse(text: str) -> llvm.ModuleRef:
    start()
    module = llvm.parse_assembly(text)
    module.triple = llvm.get_process_triple()
    module.data_layout = str(shared_machine(3, "small").target_data)
    module.verify()
    return module


def optimise(text: str, level: int = 3) -> llvm.ModuleRef:
    """Run LLVM's own pipeline for the host, vectorisers included; then link in what the text defines for later."""
    with LOCK:
        module = parse(text)
        tuning = llvm.create_pipeline_tuning_options(speed_level=level)
        tuning.loop_vectorization = tuning.slp_vectorization = True
        tuning.loop_unrolling = tuning.loop_interleaving = True
        builder = llvm.create_pass_builder(shared_machine(level, "small"), tuning)
        builder.getModulePassManager().run(module, builder)
        late = late_definitions(str(module), text) if LATE in text else ""
        if late:
            module.link_in(llvm.parse_assembly(late))
            passes = llvm.create_new_module_pass_manager()
            passes.add_always_inliner_pass()
            passes.add_global_dead_code_eliminate_pass()
            passes.run(module, builder)
        return module


def tidied(text: str, level: int) -> llvm.ModuleRef:
    """The same for code that was written by hand, loops and calls as they are meant to be: variables into registers,
    simpler instructions.  The whole pipeline takes ten times as long, and changes little in such code.
    """
    with LOCK:
        module = parse(text)
        builder = llvm.create_pass_builder(shared_machine(level, "small"), llvm.create_pipeline_tuning_options(level))
        passes = llvm.create_new_module_pass_manager()
        passes.add_always_inliner_pass()
        passes.add_sroa_pass()
        passes.add_instruction_combine_pass()
        passes.add_simplify_cfg_pass()
        passes.run(module, builder)
        return module


def late_definitions(optimised: str, text: str) -> str:
    """The functions that stand in comments of `text`, as far as the optimised text calls them or each other.

    A loop calls the variant of a function that fits its vectors, which is known only when it has been vectorised; none
    that is not called costs more than its text.  Variants are inlined, but for those that are called in many places:
    they are written once.  `name unless others` is an alternative, taken where none of the others is called.
    """
    calls = Counter(CALLED.findall(optimised))
    offered: dict[str, str] = {}
    found = re.split(rf"^{LATE} (.+)\n", text, flags=re.MULTILINE)
    for words, body in zip(found[1::2], found[2::2]):
        name, *others = words.replace(" unless", "").split()
        if name not in offered or others and calls.keys().isdisjoint(others):
            offered[name] = re.sub(r"^;", "", body, flags=re.MULTILINE)
        if calls[name] > MOST_INLINED and offered[name].startswith(INLINED):
            offered[name] = offered[name].replace(INLINED, "define linkonce_odr hidden ").replace(" alwaysinline", "")
    called = set(calls)
    taken: dict[str, str] = {}
    while called:
        name = called.pop()
        if name in offered and name not in taken:
            taken[name] = offered[name]
            called.update(CALLED.findall(offered[name]))
    return "\n".join(taken[name] for name in offered if name in taken)


def object_code(text: str, level: int = 3) -> bytes:
    """An object file for the host, which may be loaded anywhere in memory.  Below level 3 text is only `tidied`."""
    with LOCK:
        module = optimise(text) if level == 3 else tidied(text, level)
        return bytes(shared_machine(level, "small").emit_object(module))


class LoadedByLLVM:
    """An object file in memory, by LLVM's own loader; debuggers hear of it."""

    def __init__(self, code: bytes) -> None:
        with LOCK:
            start()
            for name in set(re.findall(rb"pellucid_(?:blas|scipy|far)_\w+", code)):
                routines.address_of(name.decode())
            for provided, address in routines.PROVIDED.items():
                llvm.add_symbol(provided, address)
            self.engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())
            self.engine.add_object_file(llvm.ObjectFileRef.from_data(code))
            self.engine.finalize_object()

    def address(self, name: str) -> int:
        return int(self.engine.get_function_address(name))


def processor() -> str:
    """The processor as LLVM knows it."""
    return f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"


def assembly(text: str) -> str:
    """The machine code of optimised LLVM text, in words."""
    with LOCK:
        return str(target_machine(code_model="small").emit_assembly(parse(text)))
