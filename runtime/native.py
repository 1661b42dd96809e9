"""LLVM: target machines, the optimiser, the code generator, its loader.

    object_code(source)    ->    an object file, for `machine_code.library` to load and to keep

PELLUCID_CODEGEN=quick has instructions selected and registers allocated as fast as LLVM can, after the same optimiser.

Several threads may ask at the same time; one of them works.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, Protocol

from . import llvm, routines, targets
from .sources import Late, Source

SETTING, QUICK = "PELLUCID_CODEGEN", "quick"
MOST_INLINED = 4
CALLED = re.compile(r"\bcall [^@\n]*@([\w.]+)\(")  # in LLVM's own words: llvmlite does not say what is called how often


class HasAddresses(Protocol):
    def address(self, name: str) -> int: ...


@lru_cache(maxsize=16)
def machine(level: int, target: str = targets.PRESENT) -> llvm.Machine:
    """What translates for a target; one takes a millisecond to make.  It is used with `llvm.LOCK` held."""
    return llvm.target_machine(level, targets.words(target))


def optimise(source: Source, level: int = 3, target: str = targets.PRESENT) -> str:
    """What LLVM makes of a module before it is translated."""
    level = source.level(level)
    with llvm.LOCK:
        return str(_optimised(source, level, machine(level, target)))


def _optimised(source: Source, level: int, machine: llvm.Machine) -> llvm.Module:
    context = llvm.binding().create_context()
    module = llvm.parse(source.text, machine, context)
    if level < 3:
        _tidy(module, machine)
        return module
    llvm.run_pipeline(module, machine, level)
    late = late_definitions(str(module), source.late) if source.late else ""
    if late:
        module.link_in(llvm.parse(late, machine, context))
        llvm.run(module, machine, "always_inliner", "global_dead_code_eliminate")
    return module


def _tidy(module: llvm.Module, machine: llvm.Machine) -> None:
    """For code that was written by hand, loops and calls as they are meant to be: variables into registers, simpler
    instructions.  The whole pipeline takes ten times as long, and changes little in such code.
    """
    llvm.run(module, machine, "always_inliner", "sroa", "instruction_combine", "simplify_cfg")


def late_definitions(optimised: str, late: Sequence[Late]) -> str:
    """The text of those functions that the optimised text calls, or they each other.

    A loop calls the variant of a function that fits its vectors, which is known only when it has been vectorised; none
    that is not called costs more than its text.  Variants are inlined, but for those that have many callers:
    they are written once.
    """
    calls = Counter(CALLED.findall(optimised))
    offered: dict[str, Late] = {}
    for one in late:
        if one.name not in offered or one.unless and calls.keys().isdisjoint(one.unless):
            offered[one.name] = one
    called = set(calls)
    taken: set[str] = set()
    while called:
        name = called.pop()
        if name in offered and name not in taken:
            taken.add(name)
            called.update(offered[name].calls)
    texts = []
    for name, one in offered.items():
        shared = one.where_shared if calls[name] > MOST_INLINED else ""
        texts += [(shared or one.head) + one.body] if name in taken else []
    return "\n".join(texts)


def object_code(source: Source, level: int = 3, target: str = targets.PRESENT) -> bytes:
    """An object file for a processor, which may be loaded anywhere in memory.

    LLVM runs its whole pipeline, vectorisers included, and links in what there is for later; below level 3 the text is
    only tidied.
    """
    level = source.level(level)
    with llvm.LOCK:
        # the module is freed before the lock is released: it has no name
        return bytes(_generator(level, target).emit_object(_optimised(source, level, machine(level, target))))


def _generator(level: int, target: str) -> llvm.Machine:
    return machine(codegen_level(level), target)


def codegen_level(level: int) -> int:
    """How much the code generator has to do for a module that is optimised at this level."""
    return 0 if os.environ.get(SETTING) == QUICK else level


class LoadedByLLVM:
    """An object file in memory, by LLVM's own loader; debuggers hear of it.  `uses` are libraries that it may call."""

    def __init__(self, code: bytes, uses: Sequence[HasAddresses] = ()) -> None:
        symbols = _symbols(code, uses)  # may load other code, so before LLVM is ours
        binding = llvm.binding()
        with llvm.LOCK:
            _find_mathematics(binding)
            for name, address in symbols.items():
                binding.add_symbol(name, address)
            self.engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _machine_for_loading(binding))
            self.engine.add_object_file(binding.ObjectFileRef.from_data(code))
            self.engine.finalize_object()

    def address(self, name: str) -> int:
        """Where an exported function is.  Raises KeyError."""
        found = int(self.engine.get_function_address(name))
        if not found:
            raise KeyError(name)
        return found


def _symbols(code: bytes, uses: Sequence[HasAddresses]) -> dict[str, int]:
    """The addresses of what an object file may call and LLVM cannot find: its symbols, in the format of any system."""
    for name in set(re.findall(rb"pellucid_(?:blas|fft|sort|argsort|scipy|far|look|signals|collective)\w*", code)):
        routines.address_of(name.decode())
    found = dict(routines.PROVIDED)
    for name in set(re.findall(rb"pellucid\.[\w.$]+", code)):
        for library in uses:
            with suppress(KeyError):  # another library has it, or the module itself
                found[name.decode()] = library.address(name.decode())
    return found


def _machine_for_loading(binding: Any) -> llvm.Machine:
    triple, name, features = llvm.host()
    options = {"cpu": name, "features": features, "opt": 3, "codemodel": "jitdefault", "jit": True}
    return binding.Target.from_triple(triple).create_target_machine(**options)


def _find_mathematics(binding: Any) -> None:
    """Make the C mathematics library visible to LLVM's loader."""
    if hasattr(ctypes.CDLL(None), "expm1"):  # the interpreter itself is linked with it
        return
    for name in ("libm.so.6", "libm.so", "libm.dylib"):
        try:
            binding.load_library_permanently(name)
        except RuntimeError:
            continue
        return


def assembly(source: Source, target: str = targets.PRESENT) -> str:
    """The machine code of a module as it was written, in words."""
    level = source.level(3)
    with llvm.LOCK:
        return str(_generator(level, target).emit_assembly(_optimised(source, level, machine(level, target))))
