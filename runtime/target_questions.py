"""Questions to LLVM about processors that it has no function for.

    knows(("x86_64-unknown-linux-gnu", "znver9", ""))    ->    False
    may_call(zen4, [("haswell", ""), ("", "+amx")])      ->    [True, False]

LLVM answers both on the way: it complains of a name that it does not know, and makes a function part of another only
where the other has every instruction that the first may use.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from . import llvm

UNKNOWN = b"is not a recognized processor"
STDERR = 2
PLACE = "@place = global i64 0\n"
CALLEE = "define void @f{number}() {attributes} {{\n  store volatile i64 {number}, ptr @place\n  ret void\n}}\n"


def knows(words: llvm.Words) -> bool:
    """Whether LLVM knows this processor."""
    with _complaints() as said:
        llvm.target_machine(0, words)
    return not any(UNKNOWN in line for line in said)


@contextmanager
def _complaints() -> Iterator[list[bytes]]:
    """What is written to the standard error meanwhile; what is not LLVM's answer goes on there."""
    said: list[bytes] = []
    with tempfile.TemporaryFile(buffering=0) as caught:
        kept = os.dup(STDERR)
        os.dup2(caught.fileno(), STDERR)
        try:
            yield said
        finally:
            os.dup2(kept, STDERR)
            os.close(kept)
            caught.seek(0)
            said += caught.read().splitlines(keepends=True)
            for line in said:
                if UNKNOWN not in line:
                    os.write(STDERR, line)


def may_call(caller: llvm.Words, callees: Sequence[tuple[str, str]]) -> list[bool]:
    """Whether code for the caller may contain code for each (name, features) of the same architecture."""
    triple, name, features = caller
    base = "+64bit," if triple.startswith("x86_64") else ""
    functions = [
        CALLEE.format(number=number, attributes=_attributes(name, base + more))
        for number, (name, more) in enumerate(callees)
    ]
    calls = "".join(f"  call void @f{number}()\n" for number in range(len(callees)))
    text = f"{PLACE}{''.join(functions)}define void @all() {_attributes(name, features)} {{\n{calls}  ret void\n}}\n"
    machine = llvm.target_machine(0, (triple, "", base.rstrip(",")))
    with llvm.LOCK:
        module = llvm.parse(text, machine)
        llvm.run_pipeline(module, machine, 2)
    left = str(module).partition("@all()")[2].partition("}")[0]
    return [f"@f{number}()" not in left for number in range(len(callees))]


def _attributes(name: str, features: str) -> str:
    given = {"target-cpu": name, "target-features": features.strip(",")}
    return " ".join(f'"{key}"="{value}"' for key, value in given.items() if value)
