"""Write LLVM as text: typed values, instructions, blocks, and what a module collects around its functions.

    code.binary("fadd", x, y)      appends   %t7 = fadd double %t5, %t6      and returns Value("double", "%t7")
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

FLOAT_OPERATIONS = frozenset({"fadd", "fsub", "fmul", "fdiv", "frem", "fneg"})


class Value(NamedTuple):
    """An operand: its LLVM type and its text."""

    type: str
    text: str

    def __str__(self) -> str:
        return f"{self.type} {self.text}"

    @property
    def is_int(self) -> bool:
        """Whether it is a constant int."""
        return self.text.lstrip("-").isdigit()


TRUE, FALSE, NULL = Value("i1", "true"), Value("i1", "false"), Value("ptr", "null")


# Comparisons of constants are decided here: a check that cannot fail then leaves no trace.
PREDICATES = {
    "eq": operator.eq, "ne": operator.ne, "slt": operator.lt, "sle": operator.le, "sgt": operator.gt,
    "sge": operator.ge,
}  # fmt: skip


def _known_logic(operation: str, left: Value, right: Value) -> Value | None:
    """What `and`, `or` and `xor` give where one side is constant."""
    for constant, other in ((left, right), (right, left)):
        if constant in (TRUE, FALSE):
            match operation, constant.text:
                case ("and", "true") | ("or" | "xor", "false"):
                    return other
                case ("and", "false") | ("or", "true"):
                    return constant
    return None


def int_(value: int, type_: str = "i64") -> Value:
    return Value(type_, str(value))


def float_(value: float, type_: str = "double") -> Value:
    """A float constant, exact: LLVM writes both widths as the bits of a double."""
    if type_ == "float":
        try:
            value = struct.unpack("f", struct.pack("f", value))[0]
        except OverflowError:  # rounds to infinity, as a conversion at run time does
            value = float("inf") if value > 0 else float("-inf")
    return Value(type_, f"0x{struct.unpack('Q', struct.pack('d', value))[0]:016X}")


@lru_cache(maxsize=1024)
def identifier(name: str) -> str:
    """A name as LLVM accepts it bare; different names stay different, as Python's have no dollar."""
    if name.isascii() and name.isidentifier():
        return name
    return "".join(c if c.isascii() and (c.isalnum() or c in "_.") else f"${ord(c):x}$" for c in name)


class Module:
    """Declarations, helper functions and metadata, each added once, in the order of first use."""

    def __init__(self) -> None:
        self.declarations: dict[str, str] = {}
        self.definitions: dict[str, str] = {}
        self.on_movable: Callable[[str], None] = lambda name: None  # told of functions that another module may have
        self.metadata: dict[int, str] = {0: '!{!"branch_weights", i32 1, i32 4000}'}
        self.kept: list[str] = []
        self.later: dict[str, str] = {}
        self.named: dict[str, list[str]] = {}
        self.loops = 0  # functions that were written of loops
        self.alike: dict[str, str] = {}  # the names of functions by what they do (`alike.py`)
        self.source = ""  # the name that an object file of it carries
        self.line_writer: Any = None  # what adds line tables, where they are asked for

    def declare(self, name: str, text: str) -> None:
        self.declarations.setdefault(name, text)

    def define(self, name: str, text: str) -> None:
        self.definitions.setdefault(name, text)

    def define_movable(self, name: str, text: str) -> None:
        """Define an internal function that is as well off in another module than its callers."""
        if name not in self.definitions:
            self.define(name, text)
            self.on_movable(name)

    def keep(self, name: str) -> None:
        """Let LLVM not remove this declaration although nothing refers to it yet."""
        if name not in self.kept:
            self.kept.append(name)

    def define_later(self, texts: Mapping[str, str]) -> None:
        """Functions by name which become part of the module once loops are vectorised, if they are called then."""
        self.later.update(texts)

    def add_metadata(self, text: str) -> str:
        """The number `!7` of a new node; `{self}` in the text stands for that number."""
        number = f"!{len(self.metadata)}"
        self.metadata[len(self.metadata)] = text.replace("{self}", number)
        return number

    def name_metadata(self, name: str, number: str) -> None:
        """Add a node to a list that LLVM knows by name."""
        self.named.setdefault(name, []).append(number)

    def __str__(self) -> str:
        nodes = [f"!{number} = {text}" for number, text in sorted(self.metadata.items())]
        nodes += [f"!{name} = !{{{', '.join(numbers)}}}" for name, numbers in self.named.items()]
        kept = [_compiler_used(self.kept)] if self.kept else []
        head = [f'source_filename = "{self.source}"'] if self.source else []
        parts = [*head, *self.declarations.values(), *kept, "", *self.definitions.values(), "", *nodes, ""]
        return "\n".join([*parts, *(late_text(*item) for item in self.later.items())])


def late_text(name: str, text: str) -> str:
    """A function as comments, which `runtime/native.py` reads."""
    return f";later {name}\n;" + text.replace("\n", "\n;") + "\n"


def _compiler_used(names: list[str]) -> str:
    pointers = ", ".join(f"ptr @{name}" for name in names)
    return f'@llvm.compiler.used = appending global [{len(names)} x ptr] [{pointers}], section "llvm.metadata"'


class Code:
    """The instructions of one function, appended block by block."""

    def __init__(self, module: Module, flags: str = "") -> None:
        self.module, self.flags = module, flags
        self.stack: list[str] = []
        self.lines: list[str] = []
        self.cold: list[str] = []
        self.terminated = False
        self.scope = self.location = ""  # the metadata of the function and of the line, where there are line tables
        self._counter = 0

    def fresh(self, hint: str = "t") -> str:
        self._counter += 1
        return f"{identifier(hint)}.{self._counter}"

    def effect(self, text: str) -> None:
        if not self.terminated:  # a block that has ended takes no more
            self.lines.append(f"  {text}, !dbg {self.location}" if self.location else f"  {text}")

    def value(self, type_: str, text: str) -> Value:
        self._counter += 1
        name = f"%t.{self._counter}"
        self.effect(f"{name} = {text}")
        return Value(type_, name)

    def binary(self, operation: str, left: Value, right: Value) -> Value:
        if left.type == "i1":
            known = _known_logic(operation, left, right)
            if known is not None:
                return known
        flags = self.flags if operation in FLOAT_OPERATIONS else ""
        return self.value(left.type, f"{operation} {flags}{left.type} {left.text}, {right.text}")

    def unary(self, operation: str, operand: Value) -> Value:
        flags = self.flags if operation in FLOAT_OPERATIONS else ""
        return self.value(operand.type, f"{operation} {flags}{operand}")

    def compare(self, predicate: str, left: Value, right: Value) -> Value:
        kind = "fcmp" if left.type in ("float", "double") else "icmp"
        if kind == "icmp" and predicate in PREDICATES and left.is_int and right.is_int:
            return TRUE if PREDICATES[predicate](int(left.text), int(right.text)) else FALSE
        return self.value("i1", f"{kind} {predicate} {left}, {right.text}")

    def select(self, condition: Value, then: Value, otherwise: Value) -> Value:
        if condition in (TRUE, FALSE):
            return then if condition is TRUE or condition == TRUE else otherwise
        return self.value(then.type, f"select {condition}, {then}, {otherwise}")

    def convert(self, operation: str, operand: Value, to: str) -> Value:
        return operand if operand.type == to else self.value(to, f"{operation} {operand} to {to}")

    def call(self, type_: str, function: str, *operands: Value, flags: str = "") -> Value:
        text = f"call {flags}{type_} @{function}({', '.join(map(str, operands))})"
        if type_ == "void":
            self.effect(text)
            return NULL
        return self.value(type_, text)

    def intrinsic(self, name: str, *operands: Value, flags: str = "") -> Value:
        """`llvm.name.f64(operands)`, whose result has the type of its operands."""
        type_ = operands[0].type
        full = f"llvm.{name}.{ {'float': 'f32', 'double': 'f64'}.get(type_, type_)}"
        self.module.declare(full, f"declare {type_} @{full}({', '.join(o.type for o in operands)})")
        return self.call(type_, full, *operands, flags=flags)

    def assume(self, condition: Value) -> None:
        """Tell LLVM what is always true here."""
        self.module.declare("llvm.assume", "declare void @llvm.assume(i1)")
        self.effect(f"call void @llvm.assume({condition})")

    def overflowing(self, name: str, left: Value, right: Value) -> tuple[Value, Value]:
        """`llvm.sadd.with.overflow` and its like: the wrapped result, and whether it wrapped."""
        type_ = left.type
        full = f"llvm.{name}.with.overflow.{type_}"
        self.module.declare(full, f"declare {{{type_}, i1}} @{full}({type_}, {type_})")
        pair = self.call(f"{{{type_}, i1}}", full, left, right)
        return self.value(type_, f"extractvalue {pair}, 0"), self.value("i1", f"extractvalue {pair}, 1")

    def load(self, type_: str, pointer: Value, tags: str = "") -> Value:
        return self.value(type_, f"load {type_}, {pointer.type} {pointer.text}{tags}")

    def store(self, value: Value, pointer: Value, tags: str = "") -> None:
        self.effect(f"store {value.type} {value.text}, {pointer.type} {pointer.text}{tags}")

    def offset(self, type_: str, pointer: Value, index: Value | int) -> Value:
        index = int_(index) if isinstance(index, int) else index
        return self.value("ptr", f"getelementptr inbounds {type_}, {pointer}, {index}")

    def variable(self, type_: str, hint: str, initial: Value | None = None) -> Value:
        """A place on the stack, which LLVM turns into registers."""
        name = "%" + self.fresh(hint)
        self.stack.append(f"  {name} = alloca {type_}")
        if initial is not None:
            self.stack.append(f"  store {initial}, ptr {name}")
        return Value("ptr", name)

    def label(self, hint: str) -> str:
        return self.fresh(hint)

    def start(self, label: str) -> None:
        """Begin a block; an open block before it falls through."""
        self.jump(label)
        self.lines.append(f"{label}:")
        self.terminated = False

    def jump(self, label: str, tags: str = "") -> None:
        if not self.terminated and self.lines and self.lines[-1].startswith("unreached"):
            self.lines.pop()  # nothing leads here
            self.terminated = True
        self.effect(f"br label %{label}{tags}")
        self.terminated = True

    def branch(self, condition: Value, then: str, otherwise: str, unlikely: bool = False) -> None:
        self.effect(f"br {condition}, label %{then}, label %{otherwise}{', !prof !0' if unlikely else ''}")
        self.terminated = True

    def finish(self, text: str) -> None:
        self.effect(text)
        self.terminated = True

    def function(self, header: str) -> str:
        body = ["entry:", *self.stack, "  br label %start", "start:", *self.lines]
        if not self.terminated:
            body.append("  unreachable")
        scope = f" !dbg {self.scope}" if self.scope else ""
        return "\n".join([f"{header}{scope} {{", *body, *self.cold, "}", ""])
