"""Routines by cuSOLVER, cuBLAS and cuFFT: the steps of a row's `cuda` column, done one after the other.

    f = columns(a)                 a copy of an operand, column after column
    t = floats(m, k), ints(n)      memory that is not initialised
    potrf('L', n, f, max(1, n), work, info)      a call for the dtype; `work` is as long as the library asks for
    x = f, lower(f), upper(f)      a result; of a triangle, the rest is 0
    w                              a result among the arguments is written in place
    pivots = positions(p)          a result: positions that the library counts from one, from zero; waits for them
    zero_on_diagonal(f)            as `info` of a call that fails where there is one
    failed = number(info)          1.0 where the last call says that it failed, else 0.0; waits for it
    along_rows('Z2Z', y, a, -1)    transforms of all rows

`info` is a word on the device in which a call says that it failed; it judges the results of a driver as the words of
kernels do.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any, Protocol

import numpy as np

from . import driver
from .libraries import LETTERS, MOST, library, number_of, on_device
from .matrices import LOWER, UPPER, by_columns, copy_array, diagonal, triangle
from .products import readable
from .transforms import BACKWARD, FORWARD, along_rows
from .verdicts import present

WORK, INFO = object(), object()
WORDS = {"N": 0, "L": 0, "U": 1, "T": 1, "V": 1, "C": 2}  # of sides, triangles, transposition and eigenvectors
OF_COMPLEX = {"orgqr": "ungqr", "syevd": "heevd"}
ASKED = {  # the arguments by which the library says how long `work` is to be
    "potrf": slice(0, 4), "getrf": slice(0, 4), "geqrf": slice(0, 4), "orgqr": slice(0, 6), "syevd": slice(0, 6),
    "gesvd": slice(2, 4),
}  # fmt: skip
SOLVER = (*ASKED, "getrs")


class Operand(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def lengths(self) -> tuple[str, ...]: ...
    @property
    def kind(self) -> str: ...


class Row(Protocol):
    """What is asked of a row of the compiler's table of routines."""

    @property
    def name(self) -> str: ...
    @property
    def cuda(self) -> str: ...
    @property
    def computed(self) -> Mapping[str, str]: ...
    @property
    def static(self) -> Mapping[str, object]: ...
    @property
    def error(self) -> tuple[str, str]: ...
    @property
    def gives_number(self) -> bool: ...
    @property
    def results(self) -> Sequence[Operand]: ...
    @property
    def read(self) -> Sequence[Operand]: ...


class Word:
    """What a call says of itself, on the device: above 0 where it failed."""

    def __init__(self) -> None:
        self.there = driver.extension().device_array(1, np.int32).clear()

    def copy_to_host(self) -> np.ndarray:
        return np.asarray(self.there.copy_to_host() > 0)


class Zeros:
    """The same of numbers none of which may be 0."""

    def __init__(self, numbers: Any) -> None:
        self.there = numbers

    def copy_to_host(self) -> np.ndarray:
        return np.asarray(self.there.copy_to_host() == 0)


def by_steps(row: Row) -> Callable[..., Any]:
    """The routine for arrays of a device; NotImplemented for what its libraries do not take."""

    def call(*operands: Any, **static: Any) -> Any:
        given = operands if row.gives_number else operands[len(row.results) :]
        results = () if row.gives_number else operands[: len(row.results)]
        lengths = _lengths(row, given)
        if lengths is None or not all(map(_can_be_written, results)):
            return NotImplemented
        return Steps(row, lengths, given, static).done(results)

    return call


def _lengths(row: Row, given: Sequence[Any]) -> dict[str, int] | None:
    """The lengths by their names; None where they do not go together, or are none for the library."""
    found: dict[str, int] = {}
    for operand, array in zip(row.read, given, strict=True):
        fits = operand.kind == "int" or array.dtype in LETTERS and array.dtype == given[0].dtype
        if not fits or not 0 < array.size <= MOST:
            return None
        shape = (*array.shape, *(1,) * (len(operand.lengths) - array.ndim))
        if any(found.setdefault(name, n) != n for name, n in zip(operand.lengths, shape)):
            return None
    found |= {name: eval(rule, {"min": min}, found) for name, rule in row.computed.items()}
    return found


def _can_be_written(result: Any) -> bool:
    """Whether the library writes this array without a copy."""
    if result.ndim == 1:
        return bool(result.strides[0] > 0 and result.strides[0] % result.itemsize == 0)
    return readable(result) is not None


@lru_cache(maxsize=64)
def _code(steps: str) -> CodeType:
    return compile("\n".join(line.strip() for line in steps.strip().splitlines()), "<steps>", "exec")


class Steps:
    """One call of a routine."""

    def __init__(
        self, row: Row, lengths: Mapping[str, int], given: Sequence[Any], static: Mapping[str, object]
    ) -> None:
        self.row, self.number, self.dtype = row, given[0].number, given[0].dtype
        self.letter = LETTERS[self.dtype]
        self.said: list[Word | Zeros] = []
        self.names: dict[str, Any] = {
            "columns": self.columns, "floats": self.floats, "ints": self.ints, "work": WORK, "info": INFO,
            "lower": self.lower, "upper": self.upper, "positions": self.positions, "counted": self.counted,
            "zero_on_diagonal": self.zero_on_diagonal, "trsm": self.trsm,
            "along_rows": along_rows, "FORWARD": FORWARD, "BACKWARD": BACKWARD, "max": max,
            "is_double": self.letter in "DZ", **lengths, **row.static, **static,
            **{operand.name: array for operand, array in zip(row.read, given, strict=True)},
        }  # fmt: skip
        self.names |= {name: self.solver(name) for name in SOLVER}
        self.names["number"] = self.failed

    def done(self, results: Sequence[Any]) -> Any:
        """The number that the routine gives, or None where the results have been written."""
        names = [operand.name for operand in self.row.results]
        self.names |= {name: self.in_place(array) for name, array in zip(names, results)}
        exec(_code(self.row.cuda), self.names)
        if self.row.gives_number:
            return self.names[names[0]]
        for name, array in zip(names, results, strict=True):
            made = self.names[name]
            if isinstance(made, np.ndarray):
                array.copy_from_host(made)
            elif made is not array:
                copy_array(array, made if array.ndim == made.ndim else made[:, 0])
        if self.row.error[0]:
            present().words.extend(self.said)
            present().noted.extend(self.said)
        return None

    # --- memory

    def in_place(self, result: Any) -> Any:
        """The result, or memory for what is copied there afterwards."""
        return result if result.is_contiguous else driver.extension().device_array(result.shape, result.dtype)

    def columns(self, a: Any) -> Any:
        made = by_columns(a.shape[0], a.shape[1] if a.ndim == 2 else 1, a.dtype)
        copy_array(made, a if a.ndim == 2 else a[:, None])
        return made

    def floats(self, *lengths: int) -> Any:
        if len(lengths) == 2:
            return by_columns(*lengths, self.dtype)
        return driver.extension().device_array(lengths[0], self.dtype)

    def ints(self, n: int) -> Any:
        return driver.extension().device_array(n, np.int32)

    def lower(self, f: Any) -> Any:
        return triangle(f, f.shape[0], f.shape[1], LOWER)

    def upper(self, f: Any) -> Any:
        return triangle(f, min(f.shape), f.shape[1], UPPER)

    def positions(self, places: Any) -> np.ndarray:
        present().judge()
        return places.copy_to_host().astype(np.int64) - 1

    def counted(self, positions: Any) -> Any:
        """Positions counted from one, as the library counts them."""
        return driver.extension().to_device((positions.copy_to_host() + 1).astype(np.int32))

    # --- calls

    def solver(self, name: str) -> Callable[..., None]:
        """A function of cuSOLVER for this dtype."""
        word = OF_COMPLEX.get(name, name) if self.letter in "CZ" else name
        full = f"cusolverDn{self.letter}{word}"

        def call(*arguments: Any) -> None:
            solver = library("cusolver")
            assert solver is not None, "who calls it has looked for it"
            with on_device(self.number):
                handle, values = solver.handle(self.number), []
                for argument in arguments:
                    if argument is WORK:
                        length = ctypes.c_int()
                        asked = [self.value(a, name) for a in arguments[ASKED[name]]]
                        solver.call(f"{full}_bufferSize", handle, *asked, ctypes.byref(length))
                        memory = self.floats(max(length.value, 1))
                        values += [memory.ptr, length.value] if name != "getrf" else [memory.ptr]
                    else:
                        values.append(self.value(argument, name))
                solver.call(full, handle, *values)

        return call

    def trsm(self, *arguments: Any) -> None:
        """op(A) X = B by cuBLAS, for a triangle A."""
        blas = library("cublas")
        assert blas is not None, "cuSOLVER comes with cuBLAS"
        with on_device(self.number):
            values = [self.value(argument, "trsm") for argument in arguments]
            blas.call(f"cublas{self.letter}trsm_v2", blas.handle(self.number), *values)

    def value(self, argument: Any, function: str) -> Any:
        """An argument as the library takes it."""
        if isinstance(argument, str):
            return ord(argument) if function == "gesvd" else WORDS[argument]
        if argument is INFO:
            self.said.append(Word())
            return self.said[-1].there.ptr
        if isinstance(argument, float):
            return number_of(self.letter, argument)
        return argument if argument is None or isinstance(argument, int) else argument.ptr

    def zero_on_diagonal(self, f: Any) -> None:
        self.said.append(Zeros(diagonal(f)))

    def failed(self, _: object) -> np.float64:
        """Whether the last call failed."""
        found = self.said[-1].copy_to_host().any()
        return np.float64(found)
