"""LLVM by llvmlite's public interface, which is imported when something has to be compiled.

    module = parse(text, machine)  ->  run_pipeline(module, machine, 3)  ->  machine.emit_object(module)

llvmlite lets one thread at a time into LLVM, call by call.  Who makes calls that belong together holds `LOCK`
meanwhile: then a target machine works on one module at a time, and a process that forks has no thread inside LLVM,
whose locks nobody would open in the child.
"""

from __future__ import annotations

import os
import threading
from functools import lru_cache
from types import ModuleType
from typing import Any, TypeAlias

Words = tuple[str, str, str]  # of a processor: its triple, its name, its features
# llvmlite has no types for checkers
Machine: TypeAlias = Any
Module: TypeAlias = Any
Context: TypeAlias = Any

LOCK = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release)


@lru_cache(maxsize=1)
def binding() -> ModuleType:
    """llvmlite's interface, ready for the processor we run on."""
    import llvmlite.binding as found

    found.initialize_native_target()
    found.initialize_native_asmprinter()
    return found


@lru_cache(maxsize=1)
def host() -> Words:
    """The processor we run on: its triple, its name, its features."""
    features = binding().get_host_cpu_features().flatten()
    return binding().get_process_triple(), binding().get_host_cpu_name(), features


def target_machine(level: int, words: Words) -> Machine:
    """What translates for a processor, at one of the levels of effort; its code may lie anywhere in memory."""
    triple, name, features = words
    if triple.partition("-")[0] != host()[0].partition("-")[0]:
        _start_all()
    target = binding().Target.from_triple(triple)
    return target.create_target_machine(cpu=name, features=features, opt=level, reloc="pic", codemodel="small")


@lru_cache(maxsize=1)
def _start_all() -> None:
    """Make LLVM ready for all architectures that it was built for."""
    binding().initialize_all_targets()
    binding().initialize_all_asmprinters()


def parse(text: str, machine: Machine, context: Context | None = None) -> Module:
    """The module that a text describes, with data laid out as the machine does.  Raises RuntimeError.

    It is in a context of its own if none is given: what is in LLVM's common one is never freed.
    """
    module = binding().parse_assembly(text, binding().create_context() if context is None else context)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    module.verify()
    return module


def run_pipeline(module: Module, machine: Machine, level: int) -> None:
    """LLVM's whole pipeline: loops are vectorised, unrolled and interleaved, straight code is vectorised."""
    builder = _pass_builder(machine, level)
    builder.getModulePassManager().run(module, builder)


def run(module: Module, machine: Machine, *names: str) -> None:
    """Single passes, as llvmlite calls them."""
    passes = binding().create_new_module_pass_manager()
    for name in names:
        getattr(passes, f"add_{name}_pass")()
    passes.run(module, _pass_builder(machine, 0))


def _pass_builder(machine: Machine, level: int) -> Any:
    options = binding().create_pipeline_tuning_options(level)
    options.loop_vectorization = options.slp_vectorization = True
    options.loop_unrolling = options.loop_interleaving = True
    return binding().create_pass_builder(machine, options)
