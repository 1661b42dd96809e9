"""Line tables: which line of the printed loops stage each instruction stems from, for gdb and perf.

    total = total + x[i]      ->      %t5 = fadd double %t3, %t4, !dbg !9        !9 = !DILocation(line: 12, scope: !7)

The printed stage is written to a file, its statements are numbered, and the writer of LLVM text asks for the line of
the statement it is at.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import gast

from ... import syntax
from ...program import Program
from ...records import dataclass
from ..python.definition import write_stage
from ..python.printer import render
from .text import Code, Module


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
    return program, LineTable(write_stage(program, printed), _completed(printed.numbers, next(numbers)), printed.heads)


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
        name, folder = (_escaped(str(part)) for part in (table.path.name, table.path.parent))
        self.file = add(_form(f'!DIFile(filename: "{name}", directory: "{folder}")'))
        self.unit = add(
            "distinct !DICompileUnit(language: DW_LANG_Python, file: {}, producer: "
            '"pellucid", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)',
            self.file,
        )
        self.signature = add("!DISubroutineType(types: !{{}})")
        module.name_metadata("llvm.dbg.cu", self.unit)
        module.name_metadata("llvm.module.flags", add('!{{i32 2, !"Debug Info Version", i32 3}}'))
        module.name_metadata("llvm.module.flags", add('!{{i32 7, !"Dwarf Version", i32 4}}'))
        self._locations: dict[tuple[int, int], int] = {}

    def enter(self, code: Code, function: str, native: str) -> None:
        """The scope of a function whose instructions are about to be written; it starts at the line of its head."""
        line = self.table.functions.get(function, 1)
        names = _form(f'name: "{_escaped(function)}", linkageName: "{_escaped(native)}"')
        code.scope = self.module.add_metadata(
            f"distinct !DISubprogram({names}, scope: {{}}, file: {{}}, line: {line}, type: {{}}, scopeLine: {line}, "
            "spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: {})",
            self.file, self.file, self.signature, self.unit,
        )  # fmt: skip
        code.location = self._location(code.scope, line)

    def at(self, code: Code, statement: gast.stmt) -> None:
        """What is written from now on belongs to this statement."""
        line = self.table.statements.get(getattr(statement, "number", 0))
        if line is not None and code.scope is not None:
            code.location = self._location(code.scope, line)

    def _location(self, scope: int, line: int) -> int:
        if (scope, line) not in self._locations:
            form = f"!DILocation(line: {line}, column: 1, scope: {{}})"
            self._locations[scope, line] = self.module.add_metadata(form, scope)
        return self._locations[scope, line]


def _form(text: str) -> str:
    """Text of a node in which no other node is named."""
    return text.replace("{", "{{").replace("}", "}}")


def _escaped(text: str) -> str:
    """The inside of a string of LLVM's: what is not plain ASCII as two hexadecimal digits a byte."""
    return "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\' else f"\\{b:02X}" for b in text.encode())
