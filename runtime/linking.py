"""Load an object file without LLVM: copy its sections into memory, fill in addresses, make the code executable.

    Linked(elf, resolve)    ->    .address("pellucid_entry"), valid for as long as the object lives

Loading LLVM takes longer than a program that is compiled already may need to start, and what its code generator
writes for x86-64 Linux needs little: a handful of kinds of relocations.  Whatever else is found is `NotLinked`, and
LLVM's own loader has to do it.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

READ, WRITE, EXECUTE = 1, 2, 4  # of mprotect
ALLOCATED, WRITTEN, EXECUTED, THREAD_LOCAL = 2, 1, 4, 0x400  # flags of sections
SYMBOLS, RELOCATIONS, NO_BITS, STARTERS = 2, 4, 8, (14, 15, 16)  # kinds of sections
UNDEFINED, ABSOLUTE, COMMON = 0, 0xFFF1, 0xFFF2  # section numbers with a meaning of their own
GLOBAL, WEAK = 1, 2
WORD, RELATIVE, CALL, RELATIVE_WORD = 1, 2, 4, 24  # relocations: S + A, S + A - P, L + A - P, S + A - P in 64 bits
BY_TABLE = (9, 41, 42)  # the address stands in a table beside the code
SLOT_BYTES = 16  # a slot in that table: `jmp [rip + 2]`, two bytes of padding, the address
JUMP = b"\xff\x25\x02\x00\x00\x00\x66\x90"


class NotLinked(Exception):
    """An object file with something in it that is left to LLVM."""


class Section(NamedTuple):
    name: str
    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int


class Symbol(NamedTuple):
    name: str
    section: int
    value: int
    size: int
    kind: int
    binding: int

    @property
    def is_global(self) -> bool:
        return self.binding == GLOBAL


def is_possible() -> bool:
    """Whether this is a machine whose object files are understood."""
    return sys.platform == "linux" and os.uname().machine == "x86_64" and sys.maxsize > 2**32


class Linked:
    """An object file in memory.  Raises NotLinked, and OSError where the system refuses executable memory."""

    def __init__(self, elf: bytes, resolve: Callable[[str], int]) -> None:
        self._sections = list(sections_of(elf))
        if any(s.kind in STARTERS or s.flags & THREAD_LOCAL for s in self._sections):
            raise NotLinked("code that runs when it is loaded, or thread-local data")
        self._symbols = list(symbols_of(elf, self._sections))
        self._resolve = resolve
        self._lay_out()
        for place, section in self._placed.items():
            if section.kind != NO_BITS:
                self._memory[place : place + section.size] = elf[section.offset : section.offset + section.size]
        for section in self._sections:
            if section.kind == RELOCATIONS and section.info in self._places:
                self._relocate(elf, section, self._places[section.info])
        self._protect(0, self._code_end, READ | EXECUTE)
        self._names = {s.name: s for s in self._symbols if s.is_global and s.section in self._places}

    def address(self, name: str) -> int:
        """Where a function or variable is that the object file exports.  Raises KeyError."""
        return self._value(self._names[name])

    def _lay_out(self) -> None:
        """Code first, then the table of addresses, then data from a page of its own on."""
        self._places: dict[int, int] = {}
        self._placed: dict[int, Section] = {}
        numbered = [(k, s) for k, s in enumerate(self._sections) if s.flags & ALLOCATED and s.size]
        end = self._place([(k, s) for k, s in numbered if not s.flags & WRITTEN], 0)
        self._slots: dict[int, int] = {}
        self._table = aligned(end, SLOT_BYTES)
        self._code_end = aligned(self._table + SLOT_BYTES * len(self._symbols), mmap.PAGESIZE)
        end = self._place([(k, s) for k, s in numbered if s.flags & WRITTEN], self._code_end)
        # private: a child after fork has variables of its own
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self._memory = mmap.mmap(-1, max(aligned(end, mmap.PAGESIZE), mmap.PAGESIZE), flags=flags)
        self._held = ctypes.c_char.from_buffer(self._memory)
        self._base = ctypes.addressof(self._held)

    def _place(self, sections: list[tuple[int, Section]], end: int) -> int:
        for number, section in sections:
            if section.alignment > mmap.PAGESIZE:
                raise NotLinked("an alignment beyond pages")
            place = aligned(end, max(section.alignment, 1))
            self._places[number], self._placed[place] = place, section
            end = place + section.size
        return end

    def _relocate(self, elf: bytes, section: Section, target: int) -> None:
        for position in range(section.offset, section.offset + section.size, 24):
            offset, info, addend = struct.unpack_from("<QQq", elf, position)
            kind, symbol = info & 0xFFFFFFFF, self._symbols[info >> 32]
            place = target + offset
            if kind == WORD:
                struct.pack_into("<Q", self._memory, place, (self._value(symbol) + addend) % 2**64)
            elif kind == RELATIVE_WORD:
                struct.pack_into("<q", self._memory, place, self._value(symbol) + addend - self._base - place)
            elif kind in BY_TABLE:
                self._put(place, self._slot(info >> 32) + 8 + addend - place)
            elif kind in (RELATIVE, CALL) and symbol.section in self._places:
                self._put(place, self._places[symbol.section] + symbol.value + addend - place)
            elif kind == CALL and symbol.section == UNDEFINED:
                self._put(place, self._slot(info >> 32) + addend - place)
            else:
                raise NotLinked(f"a relocation of kind {kind}")

    def _put(self, place: int, value: int) -> None:
        if not -(2**31) <= value < 2**31:
            raise NotLinked("an object file of more than two gigabytes")
        struct.pack_into("<i", self._memory, place, value)

    def _slot(self, number: int) -> int:
        """The slot in the table that holds a symbol's address, after a jump to it."""
        if number not in self._slots:
            place = self._slots[number] = self._table + SLOT_BYTES * len(self._slots)
            self._memory[place : place + SLOT_BYTES] = JUMP + struct.pack("<Q", self._value(self._symbols[number]))
        return self._slots[number]

    def _value(self, symbol: Symbol) -> int:
        if symbol.section in self._places:
            return self._base + self._places[symbol.section] + symbol.value
        if symbol.section == ABSOLUTE:
            return symbol.value
        if symbol.section != UNDEFINED:
            raise NotLinked("a symbol in a section that is not loaded")
        if symbol.binding == WEAK:
            raise NotLinked("a symbol that may be missing")
        return self._resolve(symbol.name)

    def _protect(self, start: int, end: int, access: int) -> None:
        if end > start and _mprotect()(self._base + start, end - start, access):
            raise OSError(ctypes.get_errno(), "the system refuses executable memory")


@lru_cache(maxsize=1)
def _mprotect() -> Callable[..., int]:
    function = ctypes.CDLL(None, use_errno=True).mprotect
    function.restype, function.argtypes = ctypes.c_int, [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return function


def aligned(value: int, alignment: int) -> int:
    return -(-value // alignment) * alignment


def sections_of(elf: bytes) -> Iterator[Section]:
    """The sections of an object file in their order.  Raises NotLinked for other files."""
    if elf[:7] != b"\x7fELF\x02\x01\x01" or struct.unpack_from("<HH", elf, 16) != (1, 62):
        raise NotLinked("no relocatable object file for x86-64")
    (table,) = struct.unpack_from("<Q", elf, 40)
    size, count, naming = struct.unpack_from("<HHH", elf, 58)
    (names,) = struct.unpack_from("<Q", elf, table + naming * size + 24)
    for number in range(count):
        name, kind, flags, _, offset, length, link, info, alignment, _ = struct.unpack_from(
            "<IIQQQQIIQQ", elf, table + number * size
        )
        if kind != NO_BITS and offset + length > len(elf):
            raise NotLinked("a section beyond the end of the file")
        yield Section(_text_at(elf, names + name), kind, flags, offset, length, link, info, alignment)


def symbols_of(elf: bytes, sections: list[Section]) -> Iterator[Symbol]:
    """The symbols of an object file in their order."""
    for table in sections:
        if table.kind != SYMBOLS:
            continue
        names = sections[table.link].offset
        for position in range(table.offset, table.offset + table.size, 24):
            name, info, _, section, value, size = struct.unpack_from("<IBBHQQ", elf, position)
            yield Symbol(_text_at(elf, names + name), section, value, size, info & 15, info >> 4)


def _text_at(elf: bytes, start: int) -> str:
    return elf[start : elf.index(b"\0", start)].decode()
