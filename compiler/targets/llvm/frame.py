"""One native function being written: where its variables are, and how it fails.

Every function returns a status: 0, or the number of an error site plus one.  A failing check stores the values that its
message needs in the context, stores the status and leaves; `leave` releases everything the function holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from itertools import accumulate

import gast

from ...analysis.expression_types import Held
from ...analysis.integers.ranges import Ranges
from ...analysis.liveness import Liveness
from ...diagnostics import InternalError, Span
from ...dtypes import INT_WORD, TABLE
from ...program import Function, Program
from ...records import dataclass
from ...types import Array, ListOf, Scalar, Type
from . import memory_values
from .abi import REGISTER, VALUE_COUNT, VALUES, EmitOptions, ErrorSite, scalar_slots
from .operands import NULL, SsaValue, int_
from .text import Code, LlvmLine, Module, Tags

# What a value in an error is where only its register is known: Python's own number where it may be one.
SCALAR_OF_REGISTER = {row.register: Scalar(row.word, bool(row.python)) for row in TABLE if row.signed or row.python}
INTERNAL_ERROR = "RuntimeError"


@dataclass(frozen=True, slots=True)
class ArrayPlace:
    """The variables of one array name.  C arrays have no strides: they follow from the lengths.

    `owned` variables hold a reference and release it; the others are parameters that are never assigned.
    """

    type: Array
    owner: SsaValue
    data: SsaValue
    dims: tuple[SsaValue, ...]
    strides: tuple[SsaValue, ...]
    tags: Tags
    owned: bool


@dataclass(frozen=True, slots=True)
class ListPlace:
    """The variable of a list name: the list's address."""

    type: ListOf
    list: SsaValue
    owned: bool


@dataclass(frozen=True, slots=True)
class ScalarPlace:
    type: Scalar
    place: SsaValue


@dataclass(frozen=True, slots=True)
class ScalarValue:
    """A scalar that is a value of LLVM's (`ssa_values.py`): that of the last assignment written so far."""

    type: Scalar
    value: SsaValue | None


Place = ArrayPlace | ListPlace | ScalarPlace | ScalarValue


@dataclass(slots=True)
class Sites:
    """The error sites of a program, numbered in order of first use."""

    found: list[ErrorSite] = field(default_factory=list)
    numbers: dict[tuple[ErrorSite, ...], int] = field(default_factory=dict)

    def status(self, *sites: ErrorSite) -> int:
        """The status of a site; of several, that of the first: they have one number after the other."""
        if sites not in self.numbers:
            self.numbers[sites] = len(self.found)
            self.found += sites
        return self.numbers[sites] + 1


@dataclass(slots=True)
class Emission:
    module: Module
    code: Code
    program: Program
    function: Function
    ranges: Ranges
    sites: Sites
    options: EmitOptions
    recursive: frozenset[str]
    places: dict[str, Place]
    status: SsaValue
    live: Callable[[], Liveness]  # asked for only where a loop may run on threads
    values: Callable[[], Mapping[str, Sequence[gast.AST]]]  # what the function assigns to each name
    span: Span | None = None
    inlined: tuple[Span, ...] = ()
    held: Held = field(default_factory=dict)  # the types of expressions
    in_lanes: bool = False  # whether the innermost loop lets accumulations be taken in any order
    tags: Mapping[int, Tags] = field(default_factory=dict)  # of accesses of the innermost loop (`noalias.py`)
    rows: Mapping[int, SsaValue] = field(default_factory=dict)  # their addresses (`address_hoisting.py`)
    is_glue: bool = False  # whether the function is better off without loops of its own (`cold_functions.py`)
    calls_loops: bool = False  # whether it calls loops that were outlined as functions
    holds_loops: bool = False  # whether other loops, which may be long, are part of it
    in_region: bool = False  # whether several threads may be running this code
    is_outlined: bool = False  # whether this is an outlined loop
    lengths: Callable[[], frozenset[str]] = frozenset  # names of lengths of arrays, and of ints below them
    own_results: Mapping[str, int] = field(default_factory=dict)  # arrays that may have places (`own_places.py`)
    depth: int = 0  # loops around this statement, in the function
    symbols: dict[str, SsaValue] = field(default_factory=dict)  # the lengths that the types of parameters tell

    def array(self, name: str) -> ArrayPlace:
        place = self.places[name]
        assert isinstance(place, ArrayPlace), name
        return place

    def scalar(self, name: str) -> SsaValue:
        """The value that a scalar has here."""
        match self.places[name]:
            case ScalarPlace(type=type_, place=place):
                return self.code.load(REGISTER[type_.dtype], place)
            case ScalarValue(value=SsaValue() as value):
                return value
        raise InternalError("llvm", name, "a scalar that has a value is needed here")

    def is_long(self, name: str) -> bool:
        """Whether a name is a 64-bit int."""
        place = self.places[name]
        return isinstance(place, ScalarPlace | ScalarValue) and place.type.dtype == INT_WORD

    def set_scalar(self, name: str, value: SsaValue) -> None:
        """Give a scalar this value, which is in the register of its type."""
        place = self.places[name]
        if isinstance(place, ScalarValue):
            self.places[name] = ScalarValue(place.type, value)
        elif isinstance(place, ScalarPlace):
            self.code.store(value, place.place)
        else:
            raise InternalError("llvm", name, "not a scalar")

    def list_place(self, name: str) -> ListPlace:
        place = self.places[name]
        assert isinstance(place, ListPlace), name
        return place

    def site(self, exception: str, message: str, types: Sequence[Scalar]) -> int:
        return self.sites.status(self._site(exception, message, types))

    def _site(self, exception: str, message: str, types: Sequence[Scalar]) -> ErrorSite:
        return ErrorSite(exception, message, tuple(types), self.span, self.inlined, self.function.origin.name)

    def fail_by_code(
        self, condition: SsaValue, code: SsaValue, errors: Sequence[tuple[str, str, Sequence[Scalar]]]
    ) -> None:
        """Leave with the error that the code, from 1 on, says; who found it has stored the values in the context."""
        bad, good = self.code.label("bad"), self.code.label("good")
        self.code.branch(condition, bad, good, unlikely=True)
        status, lines = "%" + self.code.fresh("site"), [f"{bad}:"]
        number = code.text
        if code.type == "ptr":
            number = "%" + self.code.fresh("code")
            lines.append(f"  {number} = ptrtoint {code} to i64")
        first = self.sites.status(*(self._site(*error) for error in errors))
        lines.append(f"  {status} = add i64 {number}, {first - 1}")
        self.code.cold += [*lines, f"  store i64 {status}, {self.status}", "  br label %leave"]
        self.code.start(good)

    def fail_if(self, condition: SsaValue, exception: str, message: str, *values: SsaValue) -> None:
        """Leave with this error when the condition holds."""
        if condition.text == "false":
            return
        bad, good = self.code.label("bad"), self.code.label("good")
        self.code.branch(condition, bad, good, unlikely=True)
        self._error_block(bad, exception, message, values, [SCALAR_OF_REGISTER[v.type] for v in values])
        self.code.start(good)

    def fail(self, exception: str, message: str, values: Sequence[SsaValue], types: Sequence[Scalar]) -> None:
        """Leave with this error.  What is written next cannot be reached, and is dropped by LLVM."""
        bad = self.code.label("bad")
        self.code.jump(bad)
        self._error_block(bad, exception, message, values, types)
        self.code.start_unreached()

    def _error_block(
        self, label: str, exception: str, message: str, values: Sequence[SsaValue], types: Sequence[Scalar]
    ) -> None:
        lines: list[str | LlvmLine] = [f"{label}:"]
        places = list(accumulate(map(scalar_slots, types), initial=VALUES))
        kept = sum(behind <= VALUES + VALUE_COUNT for behind in places[1:])
        for value, type_, slot in zip(values[:kept], types, places):
            place = "%" + self.code.fresh("slot")
            lines.append(f"  {place} = getelementptr i64, ptr %context, i64 {slot}")
            lines += self._stored_in_slot(value, type_.dtype, place)
        status = self.site(exception, message, list(types)[:kept])
        lines += [f"  store i64 {status}, {self.status}", "  br label %leave"]
        self.code.cold += lines

    def _stored_in_slot(self, value: SsaValue, dtype: str, place: str) -> list[str | LlvmLine]:
        """The instructions that put a value into a slot of the context, which others read."""
        code = self.code
        kept = code.lines, code.terminated, code.location
        code.lines, code.terminated, code.location = [], False, None
        memory_values.store_in_slot(code, dtype, value, SsaValue("ptr", place))
        made = code.lines
        code.lines, code.terminated, code.location = kept
        return made


def places_of(
    code: Code, types: Mapping[str, Type], names: Iterable[str], owned: frozenset[str], tags: Mapping[str, Tags],
    certain: frozenset[str] = frozenset(),
) -> dict[str, Place]:  # fmt: skip
    """Variables for these names, all empty: no buffer, lengths zero.  The `certain` scalars need none."""
    return {
        name: ScalarValue(types[name], None) if name in certain  # type: ignore[arg-type]
        else _place(code, name, types[name], name in owned, tags.get(name, ()))
        for name in names
    }  # fmt: skip


def _place(code: Code, name: str, type_: Type, owned: bool, tags: Tags) -> Place:
    match type_:
        case Scalar(dtype=dtype):
            zero = memory_values.constant(dtype, 0)
            return ScalarPlace(type_, code.variable(zero.type, "", zero, of=name))
        case Array():
            lengths = [code.variable("i64", "dim", int_(0), of=name) for _ in type_.dims]
            stepped = type_.dims if type_.layout != "C" else ()
            steps = [code.variable("i64", "stride", int_(0), of=name) for _ in stepped]
            owner, data = (code.variable("ptr", kind, NULL, of=name) for kind in ("owner", "data"))
            return ArrayPlace(type_, owner, data, tuple(lengths), tuple(steps), tags, owned)
        case ListOf():
            return ListPlace(type_, code.variable("ptr", "", NULL, of=name), owned)
    raise InternalError("llvm", name, "a name without a type")
