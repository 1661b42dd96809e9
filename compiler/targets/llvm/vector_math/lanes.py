"""Straight-line arithmetic on any number of lanes, written once and emitted as LLVM for each width.

    lanes = Lanes("f64", 4)
    x * 0.5 + y    ->    %v1 = fmul <4 x double> %x, splat (double 0x3FE0000000000000)
                         %v2 = fadd <4 x double> %v1, %y

Every operation is one instruction that rounds as IEEE 754 says, without flags that would let LLVM change the result.  A
lane therefore holds the same bits however many lanes there are: the body of a loop and its remainder agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..operands import float_

FLOAT = {"f64": "double", "f32": "float"}
INTEGER = {"f64": "i64", "f32": "i32"}
EXPONENT_SHIFT = {"f64": 52, "f32": 23}
BIAS = {"f64": 1023, "f32": 127}
LEAST_NORMAL = {"f64": 2.0**-1022, "f32": 2.0**-126}
SIGN = {"f64": -(2**63), "f32": -(2**31)}
# Adding it rounds to a whole number, which the last bits of the sum then show.
ROUNDER = {"f64": 1.5 * 2.0**52, "f32": 1.5 * 2.0**23}


class Lanes:
    """The instructions of one function on `count` lanes of `dtype`, and the declarations of what it calls."""

    def __init__(self, dtype: str, count: int) -> None:
        self.dtype, self.count = dtype, count
        self.lines: list[str] = []
        self.declarations: dict[str, str] = {}
        self.block = "entry"
        self._number = 0
        self._made: dict[str, str] = {}

    # --- types and instructions

    def wide(self, scalar: str) -> str:
        return scalar if self.count == 1 else f"<{self.count} x {scalar}>"

    def type_of(self, kind: type[LaneValue], dtype: str) -> str:
        scalar = {Number: FLOAT[dtype], Bits: INTEGER[dtype], Truth: "i1"}[kind]
        return self.wide(scalar)

    def name(self) -> str:
        self._number += 1
        return f"%v{self._number}"

    def emit(self, text: str) -> str:
        """The name of the instruction's value; the same instruction is written once."""
        if text not in self._made:
            self._made[text] = name = self.name()
            self.lines.append(f"  {name} = {text}")
        return self._made[text]

    def intrinsic(self, operation: str, *operands: Number) -> Number:
        first = operands[0]
        scalar = FLOAT[first.dtype]
        suffix = {"double": "f64", "float": "f32"}[scalar]
        full = f"llvm.{operation}.{suffix if self.count == 1 else f'v{self.count}{suffix}'}"
        type_ = first.type
        self.declarations[full] = f"declare {type_} @{full}({', '.join([type_] * len(operands))})"
        return Number(self, first.dtype, self.emit(f"call {type_} @{full}({', '.join(map(str, operands))})"))

    def number(self, value: float, dtype: str = "") -> Number:
        dtype = dtype or self.dtype
        text = float_(value, FLOAT[dtype])
        return Number(self, dtype, text.text if self.count == 1 else f"splat ({text})")

    def bits(self, value: int, dtype: str = "") -> Bits:
        dtype = dtype or self.dtype
        return Bits(self, dtype, str(value) if self.count == 1 else f"splat ({INTEGER[dtype]} {value})")

    # --- memory and blocks

    def place(self, type_: str) -> str:
        """Room for a value on the stack."""
        name = self.name()
        self.lines.insert(0, f"  {name} = alloca {type_}")
        return name

    def effect(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def start(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.block = label

    def any_lane(self, truth: Truth) -> str:
        if self.count == 1:
            return truth.text
        full = f"llvm.vector.reduce.or.v{self.count}i1"
        self.declarations[full] = f"declare i1 @{full}(<{self.count} x i1>)"
        return self.emit(f"call i1 @{full}({truth})")

    def rarely(self, truth: Truth, usual: Sequence[Number], rare: Callable[[], Sequence[Number]]) -> list[Number]:
        """The usual values, but those of `rare` in the lanes where `truth` holds; a branch skips it where none does."""
        before, label = self.block, f"rare{self._number}"
        some = self.any_lane(truth)
        self.lines.append(f"  br i1 {some}, label %{label}, label %{label}.done")
        known = dict(self._made)
        self.start(label)
        chosen = [choose(truth, r, u) for r, u in zip(rare(), usual)]
        after, self._made = self.block, known
        self.lines.append(f"  br label %{label}.done")
        self.start(f"{label}.done")
        return [
            Number(self, u.dtype, self.emit(f"phi {u.type} [ {u.text}, %{before} ], [ {c.text}, %{after} ]"))
            for u, c in zip(usual, chosen)
        ]


class LaneValue:
    """One value in every lane."""

    __slots__ = ("dtype", "lanes", "text", "type")

    def __init__(self, lanes: Lanes, dtype: str, text: str) -> None:
        self.lanes, self.dtype, self.text = lanes, dtype, text
        self.type = lanes.type_of(type(self), dtype)

    def __str__(self) -> str:
        return f"{self.type} {self.text}"


class Number(LaneValue):
    """A float in every lane."""

    __slots__ = ()

    def like(self, other: Operand) -> Number:
        return other if isinstance(other, Number) else self.lanes.number(other, self.dtype)

    def _binary(self, operation: str, left: Number, right: Number) -> Number:
        return Number(self.lanes, self.dtype, self.lanes.emit(f"{operation} {left}, {right.text}"))

    def _compare(self, predicate: str, other: Operand) -> Truth:
        return Truth(self.lanes, self.dtype, self.lanes.emit(f"fcmp {predicate} {self}, {self.like(other).text}"))

    def __add__(self, other: Operand) -> Number:
        return self._binary("fadd", self, self.like(other))

    def __radd__(self, other: float) -> Number:
        return self._binary("fadd", self.like(other), self)

    def __sub__(self, other: Operand) -> Number:
        return self._binary("fsub", self, self.like(other))

    def __rsub__(self, other: float) -> Number:
        return self._binary("fsub", self.like(other), self)

    def __mul__(self, other: Operand) -> Number:
        return self._binary("fmul", self, self.like(other))

    def __rmul__(self, other: float) -> Number:
        return self._binary("fmul", self.like(other), self)

    def __truediv__(self, other: Operand) -> Number:
        return self._binary("fdiv", self, self.like(other))

    def __rtruediv__(self, other: float) -> Number:
        return self._binary("fdiv", self.like(other), self)

    def __neg__(self) -> Number:
        return Number(self.lanes, self.dtype, self.lanes.emit(f"fneg {self}"))

    def __abs__(self) -> Number:
        return self.lanes.intrinsic("fabs", self)

    def __lt__(self, other: Operand) -> Truth:
        return self._compare("olt", other)

    def __le__(self, other: Operand) -> Truth:
        return self._compare("ole", other)

    def __gt__(self, other: Operand) -> Truth:
        return self._compare("ogt", other)

    def __ge__(self, other: Operand) -> Truth:
        return self._compare("oge", other)

    def equals(self, other: Operand) -> Truth:
        return self._compare("oeq", other)

    def is_nan(self) -> Truth:
        return self._compare("uno", self)

    def is_negative(self) -> Truth:
        """Whether the sign is minus; -0.0 is negative."""
        raw = self.raw()
        zero = self.lanes.bits(0, self.dtype)
        return Truth(self.lanes, self.dtype, self.lanes.emit(f"icmp slt {raw}, {zero.text}"))

    def sqrt(self) -> Number:
        return self.lanes.intrinsic("sqrt", self)

    def floor(self) -> Number:
        return self.lanes.intrinsic("floor", self)

    def with_sign_of(self, other: Number) -> Number:
        return self.lanes.intrinsic("copysign", self, other)

    def or_sign_of(self, other: Number) -> Number:
        """The same for a number that is not negative."""
        return (self.raw() | (other.raw() & SIGN[self.dtype])).number()

    def raw(self) -> Bits:
        bits = self.lanes.type_of(Bits, self.dtype)
        return Bits(self.lanes, self.dtype, self.lanes.emit(f"bitcast {self} to {bits}"))

    def to(self, dtype: str) -> Number:
        if dtype == self.dtype:
            return self
        operation = "fpext" if dtype == "f64" else "fptrunc"
        type_ = self.lanes.type_of(Number, dtype)
        return Number(self.lanes, dtype, self.lanes.emit(f"{operation} {self} to {type_}"))


class Bits(LaneValue):
    """The bits of a float, as an integer, in every lane."""

    __slots__ = ()

    def _binary(self, operation: str, other: Bits | int) -> Bits:
        right = other if isinstance(other, Bits) else self.lanes.bits(other, self.dtype)
        return Bits(self.lanes, self.dtype, self.lanes.emit(f"{operation} {self}, {right.text}"))

    def __add__(self, other: Bits | int) -> Bits:
        return self._binary("add", other)

    def __sub__(self, other: Bits | int) -> Bits:
        return self._binary("sub", other)

    def __and__(self, other: Bits | int) -> Bits:
        return self._binary("and", other)

    def __or__(self, other: Bits | int) -> Bits:
        return self._binary("or", other)

    def __xor__(self, other: Bits | int) -> Bits:
        return self._binary("xor", other)

    def __lshift__(self, count: int) -> Bits:
        return self._binary("shl", count)

    def __rshift__(self, count: int) -> Bits:
        """A logical shift: the sign moves down too."""
        return self._binary("lshr", count)

    def is_zero(self) -> Truth:
        zero = self.lanes.bits(0, self.dtype)
        return Truth(self.lanes, self.dtype, self.lanes.emit(f"icmp eq {self}, {zero.text}"))

    def number(self) -> Number:
        type_ = self.lanes.type_of(Number, self.dtype)
        return Number(self.lanes, self.dtype, self.lanes.emit(f"bitcast {self} to {type_}"))


class Truth(LaneValue):
    """True or false in every lane."""

    __slots__ = ()

    def _binary(self, operation: str, other: Truth) -> Truth:
        return Truth(self.lanes, self.dtype, self.lanes.emit(f"{operation} {self}, {other.text}"))

    def __and__(self, other: Truth) -> Truth:
        return self._binary("and", other)

    def __or__(self, other: Truth) -> Truth:
        return self._binary("or", other)

    def __xor__(self, other: Truth) -> Truth:
        return self._binary("xor", other)

    def __invert__(self) -> Truth:
        true = "true" if self.lanes.count == 1 else "splat (i1 true)"
        return Truth(self.lanes, self.dtype, self.lanes.emit(f"xor {self}, {true}"))


Operand = Number | float


# --- operations on several values ------------------------------------------------------------------------------------


def fma(x: Number, y: Operand, z: Operand) -> Number:
    """x * y + z, rounded once."""
    return x.lanes.intrinsic("fma", x, x.like(y), x.like(z))


def choose(truth: Truth, then: Operand, otherwise: Operand) -> Number:
    """Lane by lane, one of two numbers."""
    lanes = truth.lanes
    left = then if isinstance(then, Number) else lanes.number(then, truth.dtype)
    right = otherwise if isinstance(otherwise, Number) else lanes.number(otherwise, truth.dtype)
    return Number(lanes, truth.dtype, lanes.emit(f"select {truth}, {left}, {right}"))


def at_most(x: Number, limit: Operand) -> Number:
    """The smaller one; x where it is nan."""
    limit = x.like(limit)
    return choose(limit < x, limit, x)


def at_least(x: Number, limit: Operand) -> Number:
    """The larger one; x where it is nan."""
    limit = x.like(limit)
    return choose(limit > x, limit, x)


def polynomial(x: Number, coefficients: Sequence[float]) -> Number:
    """c0 + c1 x + c2 x² + ..., by halves (Estrin's scheme): few operations wait for each other."""
    terms: list[Operand] = list(coefficients)
    power = x
    while len(terms) > 1:
        pairs = [terms[i : i + 2] for i in range(0, len(terms), 2)]
        terms = [_linear(power, *pair) for pair in pairs]
        if len(terms) > 1:
            power = power * power
    return power.like(terms[0])


def _linear(x: Number, low: Operand, high: Operand | None = None) -> Operand:
    return low if high is None else fma(x.like(high), x, low)


def horner(x: Number, coefficients: Sequence[float]) -> Number:
    """The same with the fewest operations, each waiting for the one before."""
    result = x.like(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = fma(result, x, coefficient)
    return result


def two_sum(x: Number, y: Number) -> tuple[Number, Number]:
    """x + y rounded, and what the rounding lost (Knuth)."""
    total = x + y
    back = total - x
    return total, (x - (total - back)) + (y - back)


def fast_two_sum(large: Number, small: Number) -> tuple[Number, Number]:
    """The same where the first is the larger in size (Dekker)."""
    total = large + small
    return total, small - (total - large)


def two_product(x: Number, y: Number) -> tuple[Number, Number]:
    """x * y rounded, and what the rounding lost."""
    product = x * y
    return product, fma(x, y, -product)


def corrected_quotient(x: Number, y: Number, x_low: Operand, y_low: Operand) -> Number:
    """(x + x_low) / (y + y_low), rounded hardly more than once; what is below the rounding of x and y counts."""
    inverse = 1.0 / y
    quotient = x * inverse
    rest = fma(-quotient, y, x) + fma(-quotient, y_low, x_low)
    return fma(rest, inverse, quotient)
