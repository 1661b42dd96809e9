"""From kernels as text to machine code, by way of the store.

    assemble(text, (9, 0))    ->    {"poly_1": Machine(entry="poly_1", ptx=..., cubin=..., registers=18, ...)}

A kernel is known by its text, the constants and device functions of the text and of `runtime/kernels`, its types, the
capability, the versions of what compiles and assembles it, and the files of this folder that drive them.  What is in
the store costs neither numba nor ptxas.
"""

from __future__ import annotations

import marshal
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ....runtime.store import digest, store
from ...diagnostics import InternalError
from .machine import Machine, parameters_of
from .printed_kernels import PrintedKernel, PrintedKernels, read_kernels
from .through_numba import ptx_of
from .toolkit import MissingTool, has_driver, toolkit
from .versions import environment

SUFFIX = ".kernel"
TOO_NEW = "Unsupported .version"  # what ptxas says of PTX that is newer than itself


def assemble(
    text: str,
    capability: tuple[int, int] = (9, 0),
    fastmath: bool = False,
    kernels: Sequence[str] | None = None,
    path: str = "<kernels>",
    width: int | None = None,
) -> dict[str, Machine]:
    """The machine code of the kernels of a text, all of them if none are named; with `width` for blocks of that alone.

    Raises StageError for a text that is no kernels stage or that numba refuses, and MissingTool.
    """
    read = read_kernels(text, path)
    names = list(read.kernels) if kernels is None else list(kernels)
    if width is not None:
        read = replace(read, kernels={name: read.kernels[name].of_width(width) for name in names})
    keys = {name: _key(read, read.kernels[name], capability, fastmath) for name in names}
    found = {name: _stored(keys[name], read.kernels[name], capability) for name in names}
    missing = [name for name in names if found[name] is None]
    for name, ptx in (ptx_of(read, missing, capability, fastmath) if missing else {}).items():
        found[name] = made = _assembled(read.kernels[name], ptx, capability, fastmath)
        _keep(keys[name], made)
    return {name: machine for name, machine in found.items() if machine is not None}


def as_launched(
    text: str, capability: tuple[int, int], fastmath: bool = False, path: str = "<kernels>"
) -> tuple[dict[str, Machine], dict[str, Callable[[int], Machine]]]:
    """The machine code of the kernels of a text, and what makes that of those others that are made for the blocks that
    they are launched with.
    """
    printed = read_kernels(text, path).kernels
    late = [name for name, kernel in printed.items() if kernel.goes_by_width]

    def making(name: str) -> Callable[[int], Machine]:
        return lambda width: assemble(text, capability, fastmath, [name], path, width)[name]

    at_once = [name for name in printed if name not in late]
    machines = assemble(text, capability, fastmath, at_once, path) if at_once else {}
    return machines, {name: making(name) for name in late}


# --- what a kernel depends on --------------------------------------------------------------------------------------


def _key(text: PrintedKernels, kernel: PrintedKernel, capability: tuple[int, int], fastmath: bool) -> str:
    options = f"{kernel.name} {fastmath}"
    body = "\n".join(line for line in f"{text.shared}\n{kernel.text}".splitlines() if line)
    support = " ".join(f"{name}={function}" for name, function in sorted(text.support.items()) if name in body)
    parts = (options, body, kernel.signature, support)
    return digest(environment(capability), *(part.encode() for part in parts)).hex()


# --- the store -----------------------------------------------------------------------------------------------------


def _stored(key: str, kernel: PrintedKernel, capability: tuple[int, int]) -> Machine | None:
    place = store()
    data = place.read(key + SUFFIX) if place is not None else None
    if data is None:
        return None
    entry, *rest = marshal.loads(data)
    return Machine(kernel.name, entry, capability, parameters_of(kernel.parameters), *rest)


def _keep(key: str, machine: Machine) -> None:
    place = store()
    if place is not None:
        m = machine
        data = (m.entry, m.ptx, m.shared_bytes, m.cubin, m.registers, m.spills, m.local_bytes)
        place.write(key + SUFFIX, marshal.dumps(data))


# --- ptxas ---------------------------------------------------------------------------------------------------------


def _assembled(kernel: PrintedKernel, ptx: str, capability: tuple[int, int], fastmath: bool) -> Machine:
    entry = _only_match(r"\.visible \.entry (\w+)\(", ptx, kernel.name)
    parameters = parameters_of(kernel.parameters)
    made = _cubin(kernel.name, ptx, capability, fastmath)
    if made is None:
        return Machine(kernel.name, entry, capability, parameters, ptx, shared_in(ptx))
    cubin, said = made
    registers = int(_only_match(r"Used (\d+) registers", said, kernel.name))
    spills = sum(int(count) for count in re.findall(r"(\d+) bytes spill (?:stores|loads)", said))
    local = sum(int(count) for count in re.findall(r"(\d+) bytes stack frame", said))
    shared = sum(int(count) for count in re.findall(r"(\d+) bytes smem", said))
    return Machine(kernel.name, entry, capability, parameters, ptx, shared, cubin, registers, spills, local)


def _cubin(name: str, ptx: str, capability: tuple[int, int], fastmath: bool) -> tuple[bytes, str] | None:
    """(machine code, what the assembler says of it); None where only a driver can assemble.  Raises MissingTool."""
    said = ""
    for program in toolkit().ptxas:
        made, said = run_ptxas(program, ptx, capability, fastmath)
        if made is not None:
            return made, said
        if TOO_NEW not in said:
            break
    if not said and not has_driver():
        raise MissingTool("ptxas")
    if said and not (TOO_NEW in said and has_driver()):
        raise InternalError("assemble", "", f"ptxas refuses the kernel `{name}`: {' '.join(said.split())}")
    return None


def run_ptxas(program: str, ptx: str, capability: tuple[int, int], fastmath: bool) -> tuple[bytes | None, str]:
    """(the cubin, or None if ptxas refuses, and what it says)."""
    with tempfile.TemporaryDirectory(prefix="pellucid") as folder:
        source, target = os.path.join(folder, "kernel.ptx"), os.path.join(folder, "kernel.cubin")
        with open(source, "w", encoding="utf-8") as stream:
            stream.write(ptx)
        arch = "sm_" + "".join(map(str, capability))
        options = ["-v", f"--gpu-name={arch}", f"--fmad={str(fastmath).lower()}"]
        done = subprocess.run([program, *options, source, "-o", target], capture_output=True, text=True, check=False)
        if done.returncode:
            return None, done.stderr + done.stdout
        with open(target, "rb") as stream:
            return stream.read(), done.stderr + done.stdout


def shared_in(ptx: str) -> int:
    """The bytes of shared memory that PTX declares."""
    sizes = re.findall(r"\.shared(?:\s+\.align\s+\d+)?\s+\.b(\d+)\s+\w+(?:\[(\d+)\])?;", ptx)
    return sum(int(bits) // 8 * int(count or 1) for bits, count in sizes)


def _only_match(pattern: str, text: str, name: str) -> str:
    found = re.findall(pattern, text)
    if len(found) != 1:
        raise InternalError("assemble", "", f"{len(found)} of {pattern!r} in what was said of the kernel `{name}`")
    return str(found[0])


def parameters_in(ptx: str) -> tuple[str, ...]:
    """The types of the parameters that the entry of a PTX text declares: `u64`, `f32`."""
    head: Iterable[str] = re.findall(r"\.visible \.entry \w+\((.*?)\)", ptx, re.DOTALL)
    return tuple(re.findall(r"\.param(?: \.align \d+)? \.(\w+)", "".join(head)))
