"""Line tables: which line of the printed loops stage each instruction stems from, for gdb and perf.

    total = total + x[i]      ->      %t5 = fadd double %t3, %t4, !dbg !9        !9 = !DILocation(line: 12, scope: !7)

The printed stage is written to a file, its statements are numbered, and the writer of LLVM text asks for the line of
the statement it is at.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import gast

from .. import syntax
from ..printer import render
from ..program import Program
from ..records import dataclass
from .python import write_stage
from .text import Code, Module

DEFINITION = re.compile(r"def (\w+)\(")


@dataclass(frozen=True, slots=True)
class LineTable:
    """Where things stand in the file: statements by their number, functions by their name."""

    path: Path
    statements: Mapping[int, int]
    functions: Mapping[str, int]


def with_lines(program: Program) -> tuple[Program, LineTable]:
    """The program with numbered statements, and the lines they have in the printed file, which is written."""
    numbers = itertools.count(1)
    program = program.map(lambda function: function.with_(body=_numbered(function.body, numbers)))
    printed = render(program)
    heads = {
        found[1]: line for line, text in enumerate(printed.text.split("\n"), 1) if (found := DEFINITION.match(text))
    }
    return program, LineTable(write_stage(program, printed), _completed(printed.numbers, next(numbers)), heads)


def _completed(lines: Mapping[int, int], count: int) -> dict[int, int]:
    """A statement without a line of its own is folded into the next that has one."""
    complete: dict[int, int] = {}
    for number in range(count - 1, 0, -1):
        line = lines.get(number, complete.get(number + 1))
        if line is not None:
            complete[number] = line
    return complete


def _numbered(body: Sequence[gast.stmt], numbers: Iterator[int]) -> tuple[gast.stmt, ...]:
    numbered = []
    for statement in body:
        changes: dict[str, object] = {"number": next(numbers)}
        for block in ("body", "orelse"):
            if isinstance(getattr(statement, block, None), list | tuple):
                changes[block] = list(_numbered(getattr(statement, block), numbers))
        numbered.append(syntax.rebuild(statement, **changes))
    return tuple(numbered)


class LineWriter:
    """Adds the debug metadata of one module: a file, a scope for each function, a location for each line."""

    def __init__(self, module: Module, table: LineTable) -> None:
        self.module, self.table = module, table
        module.source = _escaped(table.path.stem)
        add = module.add_metadata
        place = f"filename: {_quoted(table.path.name)}, directory: {_quoted(str(table.path.parent))}"
        self.file = add(f"!DIFile({place})")
        self.unit = add(
            f"distinct !DICompileUnit(language: DW_LANG_Python, file: {self.file}, producer: "
            '"pellucid", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)'
        )
        self.signature = add("!DISubroutineType(types: !{})")
        module.name_metadata("llvm.dbg.cu", self.unit)
        module.name_metadata("llvm.module.flags", add('!{i32 2, !"Debug Info Version", i32 3}'))
        module.name_metadata("llvm.module.flags", add('!{i32 7, !"Dwarf Version", i32 4}'))
        self._locations: dict[tuple[str, int], str] = {}

    def enter(self, code: Code, function: str, native: str) -> None:
        """The scope of a function whose instructions are about to be written; it starts at the line of its head."""
        line = self.table.functions.get(function, 1)
        code.scope = self.module.add_metadata(
            f"distinct !DISubprogram(name: {_quoted(function)}, linkageName: {_quoted(native)}, scope: {self.file}, "
            f"file: {self.file}, line: {line}, type: {self.signature}, scopeLine: {line}, "
            f"spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: {self.unit})"
        )
        code.location = self._location(code.scope, line)

    def at(self, code: Code, statement: gast.stmt) -> None:
        """What is written from now on belongs to this statement."""
        line = self.table.statements.get(getattr(statement, "number", 0))
        if line is not None and code.scope:
            code.location = self._location(code.scope, line)

    def _location(self, scope: str, line: int) -> str:
        if (scope, line) not in self._locations:
            text = f"!DILocation(line: {line}, column: 1, scope: {scope})"
            self._locations[scope, line] = self.module.add_metadata(text)
        return self._locations[scope, line]


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    """The inside of a string of LLVM's: what is not plain ASCII as two hexadecimal digits a byte."""
    return "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\' else f"\\{b:02X}" for b in text.encode())
