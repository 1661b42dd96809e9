"""Programs for processors other than the present one: what they are made of is read in the text of their machine code.

    on(monkeypatch, "x86-64-v3")      what is compiled from now on is for that processor, whether it runs here or not,
                                      with the instructions that users get
    optimised(text, "aarch64")        the LLVM of a loops program for it, without loading anything
"""

from __future__ import annotations

import re

from pellucid.compiler.targets.llvm.llvm import lower_program
from pellucid.runtime import native, targets
from tests.harness.loops_text import read_loops

PRESENT = targets.PRESENT
LEVELS = ("x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64")
ALL = (PRESENT, *LEVELS)
LEAST = 16  # bytes: every processor that we know has vectors of two doubles


def on(monkeypatch, target):
    monkeypatch.setenv(targets.SETTING, target)
    monkeypatch.delenv(native.SETTING, raising=False)
    return target


def vector_bytes(target):
    return max(LEAST, targets.vector_bytes(target))


def lanes(target, size):
    """How many elements of this size a vector of the target has."""
    return vector_bytes(target) // size


def registers(target):
    """What the widest vectors are called in the text of machine code."""
    if targets.words(target)[0].startswith("x86_64"):
        return {16: r"%xmm\d", 32: r"%ymm\d", 64: r"%zmm\d"}[vector_bytes(target)]
    return r"\bv\d+\.2d"


def optimised(text, target):
    """The LLVM of a loops program; the setting has to name the target."""
    return native.optimise(lower_program(read_loops(text))[0], target=target)


def has_vectors(text, operation, target, size=8):
    """Whether an operation on whole vectors of the target stands in LLVM text.

    LLVM may take several at once, for the sake of smaller elements that the loop has too.
    """
    kind = {8: "double", 4: "float"}[size]
    return any(int(n) >= lanes(target, size) for n in re.findall(rf"{operation} .*?<(\d+) x {kind}>", text))
