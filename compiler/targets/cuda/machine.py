"""What a kernel is once it is compiled, and how its arguments are passed.

    parameters_of({"x": f32[n, m], "size": int})    ->    (("array", "f32", 2, True), ("scalar", "i64"))
    slots(("array", "f32", 2, True))                ->    ("i64",) * 5 + ("i64",) * 2 + ("i64",) * 2

An array that is not contiguous, `any f32[n, m]`, has False in the end, and may be contiguous all the same.

numba-cuda passes an array as memory information, parent (both null), number of items, size of an item in bytes,
address, its lengths and its strides in bytes, each in eight bytes; a complex number as its two parts; any other number
as it stands in memory, a bool as one byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Literal, TypeAlias

from ...dtypes import DTYPE
from ...records import dataclass
from ...types import Array, Type, dtype_of

ArrayParameter: TypeAlias = tuple[Literal["array"], str, int, bool]
ScalarParameter: TypeAlias = tuple[Literal["scalar"], str]
Parameter: TypeAlias = ArrayParameter | ScalarParameter
WORD = "i64"  # of an address and of a length
ARRAY_HEAD = 5  # memory information, parent, items, item size, address


@dataclass(frozen=True, slots=True)
class Machine:
    """A compiled kernel.

    name          as in the text                      entry         its symbol in the PTX and in the cubin
    capability    such as (9, 0)                      parameters    how it is called, one description each
    ptx           the text that a driver can assemble
    cubin         the machine code; None where there is no assembler, as are the next three
    registers     of each thread                      spills        bytes of them that are stored to local memory
    local_bytes   of each thread's stack              shared_bytes  of each block
    """

    name: str
    entry: str
    capability: tuple[int, int]
    parameters: tuple[Parameter, ...]
    ptx: str
    shared_bytes: int
    cubin: bytes | None = None
    registers: int | None = None
    spills: int | None = None
    local_bytes: int | None = None

    def plain(self) -> tuple[Any, ...]:
        """The fields in their order, which are plain data: `Machine(*machine.plain())` is the same again."""
        return tuple(getattr(self, field.name) for field in fields(self))


def parameters_of(types: Mapping[str, Type]) -> tuple[Parameter, ...]:
    """How each argument is passed."""
    return tuple(
        ("array", type_.dtype, type_.ndim, type_.layout == "C")
        if isinstance(type_, Array)
        else ("scalar", dtype_of(type_))
        for type_ in types.values()
    )


def slots(parameter: Parameter) -> tuple[str, ...]:
    """The dtypes of what is passed for one argument, one after the other."""
    if parameter[0] == "array":
        return (WORD,) * (ARRAY_HEAD + 2 * parameter[2])
    part = DTYPE[parameter[1]].parts
    return (part, part) if part else (parameter[1],)
