"""What machine code a kernel became: its instructions, a table of kernels, and what should not be among them.

    sass(machine)          ->    "/*0000*/  LDC R1, c[0x0][0x28] ;" ...       needs nvdisasm
    opcodes(text)          ->    ["LDC", "S2R", "IMAD.WIDE", ...]
    lint(machine, text)    ->    ("poly_1 (sm_90): 4 float64 instructions, ...",)
    table(machines)        ->    kernel   sm   registers   spills   shared   SASS   what
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator

from ...dtypes import DTYPE
from .machine import Machine
from .printed_kernels import PrintedKernel, read_kernels
from .toolkit import toolkit

SHOWN = "LDG STG LDS STS LDL STL DADD DMUL DFMA FADD FMUL FFMA MUFU SHFL BAR ATOMG ATOMS RED REDG CALL IMAD".split()
HEADS = ("kernel", "sm", "registers", "spills", "shared", "SASS", "instructions")
# libdevice reduces far angles in float64, with a table on the stack, in a function of its own.
FAR_ANGLES = re.compile(
    r"\b(?:math|np)\.(?:sin|cos|tan)\(|\b(?:checked_)?complex_(?:exp|exp2|expm1|sin|cos|tan|sinh|cosh|tanh|power)\("
)
OF_LIBDEVICE = ("__internal_", "__nv_")


def sass(machine: Machine) -> str | None:
    """The instructions as nvdisasm prints them; None for what is not assembled.  Raises MissingTool."""
    if machine.cubin is None:
        return None
    with tempfile.TemporaryDirectory(prefix="pellucid") as folder:
        path = os.path.join(folder, "kernel.cubin")
        with open(path, "wb") as stream:
            stream.write(machine.cubin)
        program = [toolkit().disassembler(), "--print-code", path]
        return subprocess.run(program, capture_output=True, text=True, check=True).stdout


def opcodes(text: str) -> list[str]:
    """The opcodes in SASS with their modifiers, in the order of the text."""
    return re.findall(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]+)", text, re.MULTILINE)


def table(machines: Iterable[Machine]) -> Iterator[str]:
    """Lines with what each kernel costs."""
    rows: list[tuple[str, ...]] = [HEADS]
    for machine in machines:
        found = opcodes(sass(machine) or "")
        count = Counter(code.partition(".")[0] for code in found)
        told = " ".join(f"{count[name]} {name}" for name in SHOWN if count[name])
        numbers = (machine.registers, machine.spills, machine.shared_bytes, len(found))
        rows.append((machine.name, architecture(machine), *map(str, numbers), told))
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADS))]
    for name, arch, *cells, told in rows:
        right = [cell.rjust(width) for cell, width in zip(cells, widths[2:])]
        yield "  ".join((name.ljust(widths[0]), arch.ljust(widths[1]), *right, told)).rstrip()


def architecture(machine: Machine) -> str:
    return "sm_" + "".join(map(str, machine.capability))


def lint(machine: Machine, text: str) -> tuple[str, ...]:
    """What a kernel has that costs more than its text says: one line each, none where all is well.

    float64 in a kernel whose types and text have none, which mostly is a constant that is not cast; registers or
    arrays in local memory; calls of functions that were not inlined.
    """
    kernel = read_kernels(text, "<kernels>").kernels[machine.name]
    has_far_angles = bool(FAR_ANGLES.search(kernel.text))
    found = [_calls(machine)]
    if not has_far_angles:
        found += [_wide(machine, kernel), _stack(machine)]
    if machine.spills:
        found.append(f"{machine.spills} bytes of registers are spilled")
    return tuple(f"{machine.name} ({architecture(machine)}): {one}" for one in found if one)


def _wide(machine: Machine, kernel: PrintedKernel) -> str:
    bits = {DTYPE[p[1]].bits for p in machine.parameters if DTYPE[p[1]].kind in ("float", "complex")}
    means_wide = re.search(r"float64|f64|complex128", kernel.text) is not None
    if not bits or max(bits) > DTYPE["f32"].bits or means_wide:
        return ""
    lines = re.findall(r"^\s+(?:@\S+\s+)?([a-z][\w.]*\.f64\b.*)", machine.ptx, re.MULTILINE)
    if not lines:
        return ""
    return f"{len(lines)} float64 instructions in a kernel of float32, the first is `{' '.join(lines[0].split())}`"


def _stack(machine: Machine) -> str:
    is_local = bool(machine.local_bytes) if machine.cubin is not None else ".local" in machine.ptx
    return f"{machine.local_bytes or 'some'} bytes of each thread are in local memory" if is_local else ""


def _calls(machine: Machine) -> str:
    # a call of PTX: `call.uni (retval0), name, (...)`, over several lines
    names = re.findall(r"\bcall(?:\.uni)?\s+(?:\([^)]*\),\s*)?(\w+)", machine.ptx)
    own = sorted({name for name in names if not name.startswith(OF_LIBDEVICE)})
    return f"functions are called that are not inlined: {', '.join(own)}" if own else ""
