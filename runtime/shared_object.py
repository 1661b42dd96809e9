"""Load an object file as a shared library on disk, where gdb and perf find its symbols and line tables.

    SharedObject(elf, resolve, "7fa0")    ->    stages/heat_step_loops_7fa0.so, opened; .address("pellucid_entry")

Code in anonymous memory has no file, and tools that look at a process from outside do not know it.  Here the sections
of an object file are given addresses and written as a library of two segments, code and data; the addresses of what it
calls stand in a table among the data, which is filled in once the library is open.  x86-64 Linux, as `linking`.

The object file says itself what it was made from; the library goes beside that, and its entry is shown by that name.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import struct
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .linking import (
    ABSOLUTE,
    ALLOCATED,
    BY_TABLE,
    CALL,
    EXECUTED,
    NO_BITS,
    RELATIVE,
    RELATIVE_WORD,
    RELOCATIONS,
    SYMBOLS,
    UNDEFINED,
    WORD,
    NotLinked,
    Section,
    Symbol,
    aligned,
    sections_of,
    symbols_of,
)  # fmt: skip

PAGE = 4096
HALF_WORDS = (10, 11)  # relocations: S + A in 32 bits, in tables of debuggers
HEADER_BYTES, SEGMENT_BYTES, SECTION_BYTES, SYMBOL_BYTES = 64, 56, 64, 24
STUB = b"\xff\x25"  # jmp [rip + displacement]
STUB_BYTES = 6
LOADED, DYNAMIC, STACK = 1, 2, 0x6474E551  # kinds of segments
PROGRAM_BITS, STRINGS, HASHES, DYNAMIC_TABLE, DYNAMIC_SYMBOLS = 1, 3, 5, 6, 11  # kinds of sections
FUNCTION, FILE, GLOBAL = 2, 4, 1 << 4  # of symbols
READ_EXECUTE, READ_WRITE = 5, 6  # of segments
HASH, STRING_TABLE, SYMBOL_TABLE, STRING_BYTES, SYMBOL_ENTRY = 4, 5, 6, 10, 11  # entries of the dynamic table


@dataclass(slots=True)
class Part:
    """A section of the library: where it lies in memory (None: only in the file), and its bytes."""

    name: str
    kind: int
    flags: int
    data: bytearray
    alignment: int = 1
    place: int | None = None
    link: int = 0
    info: int = 0
    entry: int = 0
    offset: int = 0


class SharedObject:
    """An object file, loaded by the system's own loader.  Raises NotLinked, and OSError where it cannot be written."""

    def __init__(self, elf: bytes, resolve: Callable[[str], int], key: str) -> None:
        layout = _Layout(elf)
        place = layout.folder / f"{layout.source}_{key}.so"
        layout.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write(place, layout.image())
        self._library = ctypes.CDLL(str(place))
        self._places = {s.name: p for s in layout.exported if (p := layout.value(s)) is not None}
        first = next(iter(self._places))
        symbol = ctypes.cast(getattr(self._library, first), ctypes.c_void_p).value or 0
        self._base = symbol - self._places[first]
        for offset, number, addend in layout.pending:
            wanted = layout.symbols[number]
            own = layout.value(wanted)
            target = resolve(wanted.name) if own is None else self._base + own
            ctypes.c_uint64.from_address(self._base + offset).value = (target + addend) % 2**64

    def address(self, name: str) -> int:
        """Where an exported function is.  Raises KeyError."""
        return self._base + self._places[name]


def _write(place: Path, image: bytes) -> None:
    """The file appears whole: another process may have the old one open."""
    handle, temporary = tempfile.mkstemp(dir=place.parent, prefix=f".{place.stem}")
    with os.fdopen(handle, "wb") as file:
        file.write(image)
    os.replace(temporary, place)


class _Layout:
    """What the library is made of: `pending` are the words that hold addresses known only once it is open."""

    def __init__(self, elf: bytes) -> None:
        self.elf = elf
        self.sections = list(sections_of(elf))
        self.symbols = list(symbols_of(elf, self.sections))
        self.pending: list[tuple[int, int, int]] = []
        self.parts: dict[int, Part] = {}
        self._slots: dict[int, int] = {}
        self._stubs: dict[int, int] = {}
        self.exported = [s for s in self.symbols if s.is_global and s.section not in (UNDEFINED, ABSOLUTE)]
        self.source = next((s.name for s in self.symbols if s.kind == FILE), "")
        self._collect()
        self.folder = self._folder()
        if not self.exported or not self.source:
            raise NotLinked("an object file that exports nothing, or has no name")
        self._place()
        for section in self.sections:
            if section.kind == RELOCATIONS and section.info in self.parts:
                self._relocate(section, self.parts[section.info])

    def _collect(self) -> None:
        for number, section in enumerate(self.sections):
            is_debug = section.name.startswith(".debug_")
            if not section.size or not (section.flags & ALLOCATED or is_debug):
                continue
            held = bytes(section.size) if section.kind == NO_BITS else self._bytes(section)
            flags = section.flags & (ALLOCATED | EXECUTED)
            self.parts[number] = Part(section.name, PROGRAM_BITS, flags, bytearray(held), max(section.alignment, 1))

    def _bytes(self, section: Section) -> bytes:
        return self.elf[section.offset : section.offset + section.size]

    def _folder(self) -> Path:
        """The folder of the source, which stands among the strings for debuggers."""
        texts = [bytes(p.data).split(b"\0") for p in self.parts.values() if p.name == ".debug_str"]
        folders = [Path(os.fsdecode(t)) for t in itertools.chain(*texts) if t.startswith(b"/")]
        if not folders:
            raise NotLinked("an object file that does not say what it was made from")
        return folders[0]

    def _place(self) -> None:
        """Code from the second page on, a stub for every symbol after it; then data, and a slot for every symbol."""
        end = PAGE
        for part in self.parts.values():
            if part.flags & EXECUTED:
                part.place = aligned(end, part.alignment)
                end = part.place + len(part.data)
        self.stubs = Part(".stubs", PROGRAM_BITS, ALLOCATED | EXECUTED, bytearray(STUB_BYTES * len(self.symbols)), 16)
        self.stubs.place = aligned(end, 16)
        self.data_start = end = aligned(self.stubs.place + len(self.stubs.data), PAGE)
        for part in self.parts.values():
            if part.flags == ALLOCATED:
                part.place = aligned(end, part.alignment)
                end = part.place + len(part.data)
        self.table = Part(".addresses", PROGRAM_BITS, ALLOCATED, bytearray(8 * len(self.symbols)), 8)
        self.table.place = aligned(end, 8)
        self.data_end = self.table.place + len(self.table.data)

    def value(self, symbol: Symbol) -> int | None:
        """Where a symbol lies in the library, counted from its base."""
        part = self.parts.get(symbol.section)
        return None if part is None or part.place is None else part.place + symbol.value

    def _relocate(self, section: Section, part: Part) -> None:
        for position in range(section.offset, section.offset + section.size, 24):
            offset, info, addend = struct.unpack_from("<QQq", self.elf, position)
            kind, number = info & 0xFFFFFFFF, info >> 32
            if part.place is None:
                self._fill_debug(part, offset, kind, self.symbols[number], addend)
            else:
                self._fill(part, offset, part.place + offset, kind, number, addend)

    def _fill_debug(self, part: Part, offset: int, kind: int, symbol: Symbol, addend: int) -> None:
        """Addresses count from the base of the library, as its symbols do; offsets in other tables from their start."""
        target = (self.value(symbol) or symbol.value) + addend
        if kind == WORD:
            struct.pack_into("<Q", part.data, offset, target % 2**64)
        elif kind in HALF_WORDS:
            struct.pack_into("<I", part.data, offset, target % 2**32)
        else:
            raise NotLinked(f"a relocation of kind {kind} in {part.name}")

    def _fill(self, part: Part, offset: int, place: int, kind: int, number: int, addend: int) -> None:
        value = self.value(self.symbols[number])
        if kind == WORD and not part.flags & EXECUTED:
            self.pending.append((place, number, addend))
        elif kind == RELATIVE_WORD and value is not None:
            struct.pack_into("<q", part.data, offset, value + addend - place)
        elif kind in BY_TABLE:
            struct.pack_into("<i", part.data, offset, self._slot(number) + addend - place)
        elif kind in (RELATIVE, CALL) and value is not None:
            struct.pack_into("<i", part.data, offset, value + addend - place)
        elif kind == CALL and self.symbols[number].section == UNDEFINED:
            struct.pack_into("<i", part.data, offset, self._stub(number) + addend - place)
        else:
            raise NotLinked(f"a relocation of kind {kind}")

    def _slot(self, number: int) -> int:
        if number not in self._slots:
            place = self._slots[number] = self.table.place + 8 * len(self._slots)  # type: ignore[operator]
            self.pending.append((place, number, 0))
        return self._slots[number]

    def _stub(self, number: int) -> int:
        """A jump by way of the table of addresses."""
        if number not in self._stubs:
            start = STUB_BYTES * len(self._stubs)
            place = self._stubs[number] = self.stubs.place + start  # type: ignore[operator]
            self.stubs.data[start : start + STUB_BYTES] = STUB + struct.pack(
                "<i", self._slot(number) - place - STUB_BYTES
            )
        return self._stubs[number]

    # --- the file

    def image(self) -> bytes:
        """The file.  What lies in memory has the same offset in the file as there, counted from the base."""
        code = [p for p in self.parts.values() if p.flags & EXECUTED] + [self.stubs]
        data = [p for p in self.parts.values() if p.flags == ALLOCATED] + [self.table]
        debug = [p for p in self.parts.values() if p.place is None]
        parts = [*code, *data, *self._dynamic_parts(), *debug]
        parts += self._symbol_parts(parts)
        names = Part(".shstrtab", STRINGS, 0, bytearray())
        parts.append(names)
        names.data += b"\0" + b"".join(p.name.encode() + b"\0" for p in parts)
        return _written(parts, self.data_start, self.memory_end)

    def _dynamic_parts(self) -> list[Part]:
        """What the system's loader wants: symbols by name, their hashes, and a table that says where these are."""
        strings = bytearray(b"\0")
        table = bytearray(SYMBOL_BYTES)
        for symbol in self.exported:
            table += struct.pack("<IBBHQQ", len(strings), GLOBAL | FUNCTION, 0, 1, self.value(symbol) or 0, 0)
            strings += symbol.name.encode() + b"\0"
        count = len(self.exported) + 1
        chain = [0, *range(2, count), 0]  # one bucket, in which every symbol leads to the next
        hashes = bytearray(struct.pack(f"<{3 + count}I", 1, count, 1, *chain))
        parts = [
            Part(".dynsym", DYNAMIC_SYMBOLS, ALLOCATED, table, 8, info=1, entry=SYMBOL_BYTES),
            Part(".dynstr", STRINGS, ALLOCATED, strings, 8),
            Part(".hash", HASHES, ALLOCATED, hashes, 8),
        ]
        end = self.data_end
        for part in parts:
            part.place = aligned(end, 8)
            end = part.place + len(part.data)
        entries = (
            (SYMBOL_TABLE, parts[0].place), (STRING_TABLE, parts[1].place), (HASH, parts[2].place),
            (STRING_BYTES, len(strings)), (SYMBOL_ENTRY, SYMBOL_BYTES), (0, 0),
        )  # fmt: skip
        text = bytearray(b"".join(struct.pack("<QQ", *entry) for entry in entries))
        parts.append(Part(".dynamic", DYNAMIC_TABLE, ALLOCATED, text, 8, aligned(end, 8), entry=16))
        self.memory_end = parts[-1].place + len(text)  # type: ignore[operator]
        return parts

    def _symbol_parts(self, parts: list[Part]) -> list[Part]:
        """All functions by name, for who looks from outside; local ones come first, as the format wants."""
        numbers = {number: parts.index(part) + 1 for number, part in self.parts.items()}
        strings, table = bytearray(b"\0"), bytearray(SYMBOL_BYTES)
        named = [s for s in self.symbols if s.name and self.value(s) is not None]
        for symbol in sorted(named, key=lambda s: s.is_global):
            info = (GLOBAL if symbol.is_global else 0) | symbol.kind
            place = self.value(symbol) or 0
            table += struct.pack("<IBBHQQ", len(strings), info, 0, numbers[symbol.section], place, symbol.size)
            shown = self.source if symbol.is_global else symbol.name
            strings += shown.encode() + b"\0"
        local = sum(not s.is_global for s in named)
        return [
            Part(".symtab", SYMBOLS, 0, table, 8, link=len(parts) + 2, info=local + 1, entry=SYMBOL_BYTES),
            Part(".strtab", STRINGS, 0, strings),
        ]


def _written(parts: list[Part], data_start: int, memory_end: int) -> bytes:
    file = bytearray(memory_end)
    for part in parts:
        if part.place is not None:
            part.offset = part.place
            file[part.place : part.place + len(part.data)] = part.data
            continue
        file += bytes(aligned(len(file), part.alignment) - len(file))
        part.offset = len(file)
        file += part.data
    by_name = {part.name: (number, part) for number, part in enumerate(parts, 1)}
    for name, link in ((".dynsym", ".dynstr"), (".hash", ".dynsym"), (".dynamic", ".dynstr")):
        by_name[name][1].link = by_name[link][0]
    file += bytes(aligned(len(file), 8) - len(file))
    headers = len(file)
    file += bytes(SECTION_BYTES) + b"".join(_section_header(part, parts[-1].data) for part in parts)
    dynamic = by_name[".dynamic"][1]
    segments = (
        (LOADED, READ_EXECUTE, 0, data_start), (LOADED, READ_WRITE, data_start, memory_end - data_start),
        (DYNAMIC, READ_WRITE, dynamic.offset, len(dynamic.data)), (STACK, READ_WRITE, 0, 0),
    )  # fmt: skip
    start = _file_header(headers, len(segments), len(parts) + 1)
    start += b"".join(struct.pack("<IIQQQQQQ", k, f, at, at, at, n, n, PAGE) for k, f, at, n in segments)
    file[: len(start)] = start
    return bytes(file)


def _section_header(part: Part, names: bytearray) -> bytes:
    name = names.index(b"\0" + part.name.encode() + b"\0") + 1
    flags = part.flags | (0 if part.flags & EXECUTED or not part.flags else 1)
    return struct.pack(
        "<IIQQQQIIQQ", name, part.kind, flags, part.place or 0, part.offset, len(part.data), part.link, part.info,
        part.alignment, part.entry,
    )  # fmt: skip


def _file_header(headers: int, segments: int, sections: int) -> bytes:
    kind, machine, version = 3, 62, 1  # a shared library for x86-64
    return b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", kind, machine, version, 0, HEADER_BYTES, headers, 0, HEADER_BYTES, SEGMENT_BYTES, segments,
        SECTION_BYTES, sections, sections - 1,
    )  # fmt: skip

