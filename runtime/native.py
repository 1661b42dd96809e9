"""LLVM: target machines, the optimiser, the code generator, its loader.

    object_code(text)    ->    an object file, for `machine_code.library` to load and to keep

Several threads may ask at the same time: each module has a context of its own, and each thread a target machine.
"""

from __future__ import annotations

import ctypes
import re
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Protocol

from . import llvm, routines, targets

# LLVM's loader, and its table of symbols, are there once for all threads.
LOADER_LOCK = threading.RLock()

# Functions to be linked in after optimisation stand behind such lines, as comments.
LATE = ";later"
INLINED = "define available_externally "
MOST_INLINED = 4
CALLED = re.compile(r"\bcall [^@\n]*@([\w.]+)\(")


class HasAddresses(Protocol):
    def address(self, name: str) -> int: ...


_IDLE: dict[tuple[int, str], list[llvm.Machine]] = {}


@contextmanager
def own_machine(level: int, target: str = targets.PRESENT) -> Iterator[llvm.Machine]:
    """A target machine that no other thread uses meanwhile.  One takes a millisecond to make, so it is kept."""
    idle = _IDLE.setdefault((level, target), [])
    try:
        machine = idle.pop()
    except IndexError:
        machine = llvm.target_machine(level, targets.words(target))
    yield machine
    idle.append(machine)


def parse(text: str, machine: llvm.Machine) -> llvm.Module:
    module = llvm.parse(text)
    module.aim_at(machine)
    return module


def optimise(text: str, level: int = 3, target: str = targets.PRESENT) -> llvm.Module:
    """What LLVM makes of a text before it is translated."""
    level = level_of(text, level)
    with own_machine(level, target) as machine:
        return _optimised(text, level, machine)


def _optimised(text: str, level: int, machine: llvm.Machine) -> llvm.Module:
    module = parse(text, machine)
    builder = llvm.pass_builder(machine)
    if level < 3:
        _tidy(module, builder)
        return module
    llvm.run(llvm.default_passes(builder, level), module, builder)
    late = late_definitions(str(module), text) if LATE in text else ""
    if late:
        module.link_in(llvm.parse(late, beside=module))
        llvm.run(llvm.chosen_passes("AlwaysInliner", "GlobalDCE"), module, builder)
    return module


def _tidy(module: llvm.Module, builder: llvm.Owned) -> None:
    """For code that was written by hand, loops and calls as they are meant to be: variables into registers, simpler
    instructions.  The whole pipeline takes ten times as long, and changes little in such code.
    """
    llvm.run(llvm.chosen_passes("AlwaysInliner", "SROA", "InstCombine", "SimplifyCFG"), module, builder)


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
    with own_machine(level, target) as machine:
        return llvm.emit(machine, _optimised(text, level, machine))


class LoadedByLLVM:
    """An object file in memory, by LLVM's own loader; debuggers hear of it.  `uses` are libraries that it may call."""

    def __init__(self, code: bytes, uses: Sequence[HasAddresses] = ()) -> None:
        import llvmlite.binding as llvmlite  # rarely needed, and it takes long

        with LOADER_LOCK:
            llvm.start()
            _find_mathematics(llvmlite)
            for name in set(re.findall(rb"pellucid_(?:blas|scipy|far|look|signals)\w*", code)):
                routines.address_of(name.decode())
            for provided, address in routines.PROVIDED.items():
                llvmlite.add_symbol(provided, address)
            for name in set(re.findall(rb"pellucid\.[\w.$]+", code)):
                for library in uses:
                    with suppress(KeyError):  # it is another's, or its own
                        llvmlite.add_symbol(name.decode(), library.address(name.decode()))
            self.engine = llvmlite.create_mcjit_compiler(llvmlite.parse_assembly(""), _machine_of(llvmlite))
            self.engine.add_object_file(llvmlite.ObjectFileRef.from_data(code))
            self.engine.finalize_object()

    def address(self, name: str) -> int:
        """Where an exported function is.  Raises KeyError."""
        found = int(self.engine.get_function_address(name))
        if not found:
            raise KeyError(name)
        return found


def _machine_of(llvmlite: Any) -> Any:
    triple, name, features = llvm.host()
    options = {"cpu": name, "features": features, "opt": 3, "codemodel": "jitdefault", "jit": True}
    return llvmlite.Target.from_triple(triple).create_target_machine(**options)


def _find_mathematics(llvmlite: Any) -> None:
    """Make the C mathematics library visible to LLVM's loader."""
    if hasattr(ctypes.CDLL(None), "expm1"):  # the interpreter itself is linked with it
        return
    for name in ("libm.so.6", "libm.so", "libm.dylib"):
        try:
            llvmlite.load_library_permanently(name)
        except RuntimeError:
            continue
        return


def assembly(text: str, target: str = targets.PRESENT) -> str:
    """The machine code of LLVM text as it was written, in words."""
    level = level_of(text, 3)
    with own_machine(level, target) as machine:
        return llvm.emit(machine, _optimised(text, level, machine), as_object=False).decode()
