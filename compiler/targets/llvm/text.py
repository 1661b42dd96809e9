"""Write LLVM as text: typed values, instructions, blocks, and what a module collects around its functions.

    code.binary("fadd", x, y)      appends   %t7 = fadd double %t5, %t6      and returns SsaValue("double", "%t7")
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from ....runtime.sources import Late, Source
from ....runtime.store import digest
from ...records import dataclass
from ...tuning import COST_AS_IT_STANDS
from .operands import (
    FALSE,
    NULL,
    PREDICATES,
    TRUE,
    SsaValue,
    int_,
    is_pair,
    known_logic,
    part_type,
)

OPTIMISED, AS_IT_STANDS, INLINED = "nounwind", "noinline optnone nounwind", "alwaysinline"  # attributes of functions
FLOAT_OPERATIONS = frozenset({"fadd", "fsub", "fmul", "fdiv", "frem", "fneg"})


@lru_cache(maxsize=1024)
def identifier(name: str) -> str:
    """A name as LLVM accepts it bare; different names stay different, as Python's have no dollar."""
    if name.isascii() and name.isidentifier():
        return name
    return "".join(c if c.isascii() and (c.isalnum() or c in "_.") else f"${ord(c):x}$" for c in name)


class Tag(NamedTuple):
    """What an instruction carries: `!alias.scope !7`."""

    kind: str
    node: int


Tags = tuple[Tag, ...]


class LlvmLine(NamedTuple):
    """A line of a function that speaks of metadata: as tags after it, or of one node before what comes last."""

    text: str
    tags: Tags
    end: str = ""

    def __str__(self) -> str:
        if self.end:
            return f"{self.text}!{self.tags[0].node}{self.end}"
        return self.text + "".join([f", !{kind} !{node}" for kind, node in self.tags])


class Metadata(NamedTuple):
    """A node: `{}` in its text stands for each of the other nodes that it names, `{self}` for itself."""

    form: str
    parts: tuple[int, ...] = ()

    def text(self, number: int) -> str:
        return self.form.format(*[f"!{part}" for part in self.parts], self=f"!{number}")


class Declaration(NamedTuple):
    """What a module only names; `uses` are others that the declaration mentions."""

    text: str
    uses: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class LlvmDefinition:
    """A function of a module: `uses` are functions and variables that it mentions, `lines` stand between its braces."""

    name: str
    result: str
    parameters: tuple[str, ...]  # with their types
    lines: Sequence[str | LlvmLine]
    uses: tuple[str, ...] = ()
    attributes: str = OPTIMISED
    linkage: str = "internal "
    scope: int | None = None  # the node of its line table

    @cached_property
    def body(self) -> str:
        return "\n".join(map(str, self.lines))

    @property
    def nodes(self) -> list[int]:
        """The metadata that it mentions."""
        own = [] if self.scope is None else [self.scope]
        return own + [tag.node for line in self.lines if type(line) is LlvmLine for tag in line.tags]

    @property
    def is_optimised(self) -> bool:
        """Whether LLVM has work with it, beyond translating it or putting it into others."""
        return self.attributes not in (AS_IT_STANDS, INLINED)

    @property
    def cost(self) -> float:
        """How long LLVM takes for it, compared with others: by its length."""
        return len(self.body) * (1.0 if self.is_optimised else COST_AS_IT_STANDS)

    def text(self, linkage: str | None = None) -> str:
        scope = "" if self.scope is None else f" !dbg !{self.scope}"
        head = f"{self.result} @{self.name}({', '.join(self.parameters)}) {self.attributes}{scope}"
        return f"define {self.linkage if linkage is None else linkage}{head} {{\n{self.body}\n}}\n"

    def declaration(self) -> str:
        types = ", ".join([parameter.rpartition(" ")[0] for parameter in self.parameters])
        return f"declare {self.result} @{self.name}({types}) {OPTIMISED}"


class Module:
    """Declarations, helper functions and metadata, each added once, in the order of first use."""

    def __init__(self) -> None:
        self.declarations: dict[str, Declaration] = {}
        self.definitions: dict[str, LlvmDefinition] = {}
        self.shared: set[str] = set()  # definitions that other modules call
        self.on_movable: Callable[[str], None] = lambda name: None  # called with functions that may be moved
        self.metadata: dict[int, Metadata] = {0: Metadata('!{{!"branch_weights", i32 1, i32 4000}}')}
        self.kept: list[str] = []
        self.later: dict[str, list[Late]] = {}  # by the names that they define
        self.named: dict[str, list[int]] = {}
        self.loops = 0  # the number of functions that were outlined from loops
        self.alike: dict[object, str] = {}  # the names of functions by their bodies (`merge_functions.py`)
        self.source = ""  # the name that an object file of it carries
        self.line_writer: Any = None  # what adds line tables, where they are asked for

    def declare(self, name: str, text: str, uses: tuple[str, ...] = ()) -> None:
        if name not in self.declarations:
            self.declarations[name] = Declaration(text, uses)

    def constant(self, content: bytes, alignment: int) -> str:
        """The name of a constant of these bytes."""
        name = f"table.{digest(content).hex()[:20]}"
        text = "".join([f"\\{byte:02X}" for byte in content])
        words = f'private unnamed_addr constant [{len(content)} x i8] c"{text}", align {alignment}'
        self.declare(name, f"@{name} = {words}")
        return name

    def define(self, definition: LlvmDefinition) -> None:
        self.definitions.setdefault(definition.name, definition)

    def define_movable(self, definition: LlvmDefinition) -> None:
        """Define an internal function that is as well off in another module than its callers."""
        if definition.name not in self.definitions:
            self.define(definition)
            self.on_movable(definition.name)

    def keep(self, name: str) -> None:
        """Let LLVM not remove this declaration although nothing refers to it yet."""
        if name not in self.kept:
            self.kept.append(name)

    def define_later(self, late: Sequence[Late]) -> None:
        """Functions which become part of the module once loops are vectorised, if they are called then."""
        for one in late:
            known = self.later.setdefault(one.name, [])
            if one not in known:
                known.append(one)

    def add_metadata(self, form: str, *parts: int) -> int:
        """The number of a new node, in whose text `{}` stands for each part and `{self}` for that number."""
        number = len(self.metadata)
        self.metadata[number] = Metadata(form, parts)
        return number

    def name_metadata(self, name: str, number: int) -> None:
        """Add a node to a list that LLVM knows by name."""
        self.named.setdefault(name, []).append(number)

    def __str__(self) -> str:
        nodes = [f"!{number} = {node.text(number)}" for number, node in sorted(self.metadata.items())]
        nodes += [f"!{name} = !{{{', '.join([f'!{n}' for n in found])}}}" for name, found in self.named.items()]
        kept = [_compiler_used(self.kept)] if self.kept else []
        head = [f'source_filename = "{self.source}"'] if self.source else []
        declared = [declaration.text for declaration in self.declarations.values()]
        defined = [d.text("hidden " if name in self.shared else None) for name, d in self.definitions.items()]
        return "\n".join([*head, *declared, *kept, "", *defined, "", *nodes, ""])

    def finished(self) -> Source:
        """What LLVM is given."""
        late = tuple(one for found in self.later.values() for one in found)
        is_plain = not late and not any(d.is_optimised for d in self.definitions.values())
        return Source(str(self), late, is_plain, sum([d.cost for d in self.definitions.values()]))


def _compiler_used(names: list[str]) -> str:
    pointers = ", ".join(f"ptr @{name}" for name in names)
    return f'@llvm.compiler.used = appending global [{len(names)} x ptr] [{pointers}], section "llvm.metadata"'


class Code:
    """The instructions of one function, appended block by block.

    Where it does not keep names, values are called by what they are and not by the program's names for them, so that
    loops that say the same become the same text.
    """

    def __init__(self, module: Module, flags: str = "", keeps_names: bool = True) -> None:
        self.module, self.flags, self.keeps_names = module, flags, keeps_names
        self.stack: list[str] = []
        self.lines: list[str | LlvmLine] = []
        self.cold: list[str | LlvmLine] = []
        self.uses: dict[str, None] = {}  # functions and variables of the module that were mentioned
        self.terminated = False
        self.unreached = ""  # the label of the last block that nothing leads to
        self.halves: dict[str, tuple[SsaValue, SsaValue]] = {}  # the parts of complex numbers, by how these are written
        self.vector_calls = 0  # calls of functions that have variants for vectors
        self.scope: int | None = None  # metadata of the function and of the line, where there are line tables
        self.location: int | None = None
        self._counter = 0

    def fresh(self, hint: str = "t", of: str = "") -> str:
        """A name that is new; `of` is what the program calls it."""
        self._counter += 1
        if of and self.keeps_names:
            hint = f"{identifier(of)}.{hint}" if hint else identifier(of)
        return f"{hint or 'scalar'}.{self._counter}"

    def effect(self, text: str, tags: Tags = (), end: str = "") -> None:
        if self.terminated:  # a block that has ended takes no more
            return
        if self.location is not None and not end:
            tags = (*tags, Tag("dbg", self.location))
        self.lines.append(LlvmLine(f"  {text}", tags, end) if tags else f"  {text}")

    def value(self, type_: str, text: str, tags: Tags = ()) -> SsaValue:
        self._counter += 1
        name = f"%t.{self._counter}"
        self.effect(f"{name} = {text}", tags)
        return SsaValue(type_, name)

    def mention(self, name: str) -> SsaValue:
        """The address of a function or a variable of the module."""
        self.uses[name] = None
        return SsaValue("ptr", f"@{name}")

    def pair(self, first: SsaValue, second: SsaValue) -> SsaValue:
        """A complex number of its parts, which `parts` gives again."""
        type_ = f"{{{first.type}, {second.type}}}"
        if first.is_constant and second.is_constant:
            return SsaValue(type_, f"{{{first}, {second}}}")
        half = self.value(type_, f"insertvalue {type_} poison, {first}, 0")
        made = self.value(type_, f"insertvalue {half}, {second}, 1")
        self.halves[made.text] = first, second
        return made

    def parts(self, pair: SsaValue) -> tuple[SsaValue, SsaValue]:
        """The real and the imaginary part of a complex number."""
        type_ = part_type(pair.type)
        if is_pair(pair.text):
            left, _, right = pair.text[1:-1].partition(", ")
            return SsaValue(type_, left.split()[1]), SsaValue(type_, right.split()[1])
        if pair.text not in self.halves:
            first, second = (self.value(type_, f"extractvalue {pair}, {k}") for k in (0, 1))
            return first, second
        return self.halves[pair.text]

    def binary(self, operation: str, left: SsaValue, right: SsaValue) -> SsaValue:
        if left.type == "i1":
            known = known_logic(operation, left, right)
            if known is not None:
                return known
        flags = self.flags if operation in FLOAT_OPERATIONS else ""
        return self.value(left.type, f"{operation} {flags}{left.type} {left.text}, {right.text}")

    def unary(self, operation: str, operand: SsaValue) -> SsaValue:
        flags = self.flags if operation in FLOAT_OPERATIONS else ""
        return self.value(operand.type, f"{operation} {flags}{operand}")

    def compare(self, predicate: str, left: SsaValue, right: SsaValue) -> SsaValue:
        kind = "fcmp" if left.type in ("float", "double") else "icmp"
        if kind == "icmp" and predicate in PREDICATES and left.is_int and right.is_int:
            return TRUE if PREDICATES[predicate](int(left.text), int(right.text)) else FALSE
        return self.value("i1", f"{kind} {predicate} {left}, {right.text}")

    def select(self, condition: SsaValue, then: SsaValue, otherwise: SsaValue) -> SsaValue:
        if condition in (TRUE, FALSE):
            return then if condition is TRUE or condition == TRUE else otherwise
        if is_pair(then.type):
            both = zip(self.parts(then), self.parts(otherwise))
            return self.pair(*[self.select(condition, first, second) for first, second in both])
        return self.value(then.type, f"select {condition}, {then}, {otherwise}")

    def convert(self, operation: str, operand: SsaValue, to: str) -> SsaValue:
        return operand if operand.type == to else self.value(to, f"{operation} {operand} to {to}")

    def call(self, type_: str, function: str, *operands: SsaValue, flags: str = "") -> SsaValue:
        text = f"call {flags}{type_} {self.mention(function).text}({', '.join(map(str, operands))})"
        if type_ == "void":
            self.effect(text)
            return NULL
        return self.value(type_, text)

    def intrinsic(self, name: str, *operands: SsaValue, flags: str = "") -> SsaValue:
        """`llvm.name.f64(operands)`, whose result has the type of its operands."""
        type_ = operands[0].type
        full = f"llvm.{name}.{ {'float': 'f32', 'double': 'f64'}.get(type_, type_)}"
        self.module.declare(full, f"declare {type_} @{full}({', '.join(o.type for o in operands)})")
        return self.call(type_, full, *operands, flags=flags)

    def assume(self, condition: SsaValue) -> None:
        """Tell LLVM what is always true here."""
        self.module.declare("llvm.assume", "declare void @llvm.assume(i1)")
        self.call("void", "llvm.assume", condition)

    def overflowing(self, name: str, left: SsaValue, right: SsaValue) -> tuple[SsaValue, SsaValue]:
        """`llvm.sadd.with.overflow` and its like: the wrapped result, and whether it wrapped."""
        type_ = left.type
        full = f"llvm.{name}.with.overflow.{type_}"
        self.module.declare(full, f"declare {{{type_}, i1}} @{full}({type_}, {type_})")
        pair = self.call(f"{{{type_}, i1}}", full, left, right)
        return self.value(type_, f"extractvalue {pair}, 0"), self.value("i1", f"extractvalue {pair}, 1")

    def load(self, type_: str, pointer: SsaValue, tags: Tags = ()) -> SsaValue:
        if is_pair(type_):
            part = part_type(type_)
            return self.pair(*[self.load(part, self.offset(part, pointer, k), tags) for k in (0, 1)])
        return self.value(type_, f"load {type_}, {pointer.type} {pointer.text}", tags)

    def store(self, value: SsaValue, pointer: SsaValue, tags: Tags = ()) -> None:
        if is_pair(value.type):
            for k, part in enumerate(self.parts(value)):
                self.store(part, self.offset(part.type, pointer, k), tags)
            return
        self.effect(f"store {value.type} {value.text}, {pointer.type} {pointer.text}", tags)

    def offset(self, type_: str, pointer: SsaValue, index: SsaValue | int) -> SsaValue:
        index = int_(index) if isinstance(index, int) else index
        return self.value("ptr", f"getelementptr inbounds {type_}, {pointer}, {index}")

    def variable(self, type_: str, hint: str, initial: SsaValue | None = None, of: str = "") -> SsaValue:
        """A variable on the stack, which LLVM turns into a register."""
        name = "%" + self.fresh(hint, of)
        self.stack.append(f"  {name} = alloca {type_}")
        if initial is not None:
            self.stack.append(f"  store {initial}, ptr {name}")
        return SsaValue("ptr", name)

    def label(self, hint: str) -> str:
        return self.fresh(hint)

    def start(self, label: str) -> None:
        """Begin a block; an open block before it falls through."""
        self.jump(label)
        self.lines.append(f"{label}:")
        self.terminated = False

    def start_unreached(self) -> None:
        """Begin a block that nothing leads to: what is written into it is dropped by LLVM."""
        label = self.label("unreached")
        self.start(label)
        self.unreached = f"{label}:"

    def jump(self, label: str, tags: Tags = ()) -> None:
        if not self.terminated and self.lines and self.lines[-1] == self.unreached:
            self.lines.pop()  # nothing leads here
            self.terminated = True
        self.effect(f"br label %{label}", tags)
        self.terminated = True

    def branch(self, condition: SsaValue, then: str, otherwise: str, unlikely: bool = False) -> None:
        self.effect(f"br {condition}, label %{then}, label %{otherwise}{', !prof !0' if unlikely else ''}")
        self.terminated = True

    def finish(self, text: str) -> None:
        self.effect(text)
        self.terminated = True

    def function(
        self, name: str, result: str, parameters: Sequence[str], attributes: str = OPTIMISED, linkage: str = "internal "
    ) -> LlvmDefinition:
        end = [] if self.terminated else ["  unreachable"]
        lines = ["entry:", *self.stack, "  br label %start", "start:", *self.lines, *end, *self.cold]
        return LlvmDefinition(name, result, tuple(parameters), lines, tuple(self.uses), attributes, linkage, self.scope)
