"""LLVM: target machines, the optimiser, the code generator, its loader.

    object_code(text)    ->    an object file, for `machine_code.library` to load and to keep

Several threads may ask at the same time; one of them works.
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, Protocol

from . import llvm, routines, targets

# Functions to be linked in after optimisation stand behind such lines, as comments.
LATE = ";later"
INLINED = "define available_externally "
MOST_INLINED = 4
CALLED = re.compile(r"\bcall [^@\n]*@([\w.]+)\(")


class HasAddresses(Protocol):
    def address(self, name: str) -> int: ...


@lru_cache(maxsize=16)
def machine(level: int, target: str = targets.PRESENT) -> llvm.Machine:
    """What translates for a target; one takes a millisecond to make.  It is used with `llvm.LOCK` held."""
    return llvm.target_machine(level, targets.words(target))


def optimise(text: str, level: int = 3, target: str = targets.PRESENT) -> str:
    """What LLVM makes of a text before it is translated."""
    level = level_of(text, level)
    with llvm.LOCK:
        return str(_optimised(text, level, machine(level, target)))


def _optimised(text: str, level: int, machine: llvm.Machine) -> llvm.Module:
    context = llvm.binding().create_context()
    module = llvm.parse(text, machine, context)
    if level < 3:
        _tidy(module, machine)
        return module
    llvm.run_pipeline(module, machine, level)
    late = late_definitions(str(module), text) if LATE in text else ""
    if late:
        module.link_in(llvm.parse(late, machine, context))
        llvm.run(module, machine, "always_inliner", "global_dead_code_eliminate")
    return module


def _tidy(module: llvm.Module, machine: llvm.Machine) -> None:
    """For code that was written by hand, loops and calls as they are meant to be: variables into registers, simpler
    instructions.  The whole pipeline takes ten times as long, and changes little in such code.
    """
    llvm.run(module, machine, "always_inliner", "sroa", "instruction_combine", "simplify_cfg")


def level_of(text: str, level: int) -> int:
    """The level, or 0 where every function stays as it stands or becomes part of one that does."""
    heads = re.findall(r"^define .*$", text, re.MULTILINE)
    return level if LATE in text or any(" optnone " not in h and " alwaysinline " not in h for h in heads) else 0


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


def object_code(text: str, level: int = 3, target: str = targets.PRESENT) -> bytes:
    """An object file for a processor, which may be loaded anywhere in memory.

    LLVM runs its whole pipeline, vectorisers included, and links in what the text defines for later; below level 3 the
    text is only tidied.  Text that asks for no function to be optimised is translated as fast as can be.
    """
    level = level_of(text, level)
    with llvm.LOCK:
        found = machine(level, target)
        return bytes(found.emit_object(_optimised(text, level, found)))


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
    """The addresses of what an object file may call and LLVM cannot find."""
    for name in set(re.findall(rb"pellucid_(?:blas|scipy|far|look|signals)\w*", code)):
        routines.address_of(name.decode())
    found = dict(routines.PROVIDED)
    for name in set(re.findall(rb"pellucid\.[\w.$]+", code)):
        for library in uses:
            with suppress(KeyError):  # it is another's, or its own
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


def assembly(text: str, target: str = targets.PRESENT) -> str:
    """The machine code of LLVM text as it was written, in words."""
    level = level_of(text, 3)
    with llvm.LOCK:
        found = machine(level, target)
        return str(found.emit_assembly(_optimised(text, level, found)))
