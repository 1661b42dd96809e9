"""Write plain Python trees as text: parentheses only where precedence asks for them, comments, a map to the source.

    BinOp(BinOp(a, +, b), *, c)     ->     (a + b) * c

Every statement may carry `span` (where the user wrote it), `heading` (the text of the comment that names the user's
line) and `part` (what it belongs to, such as "backward": said above the first statement of each part).  astunparse's
Unparser is subclassed here and nowhere else; what it says about statements is kept, expressions are written anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO

import gast
from astunparse.unparser import Unparser as BaseUnparser

from ...diagnostics import Span
from .breaking import broken
from .precedence import ATOM, AWAIT, BINARY, COMPARE, FACTOR, OR, TEST, UNARY, constant_text, precedence


class Unparser(BaseUnparser):
    """Writes statements and expressions; `lines` maps the number of a written line to the user's span, `numbers` the
    `number` that a statement may carry to its first line, `heads` functions to theirs.

    Lines longer than `width` are broken where brackets allow it; None leaves them long.
    """

    def __init__(self, comments: bool = True, width: int | None = None) -> None:
        self.f = StringIO()  # the base class would write to a file at once
        self.future_imports: list[str] = []
        self._indent = 0
        self.comments, self.width = comments, width
        self.lines: dict[int, Span] = {}
        self.numbers: dict[int, int] = {}
        self.heads: dict[str, int] = {}
        self._finished: list[str] = []
        self._line_span: Span | None = None
        self._opened = True
        self._heading: str | None = None
        self._part: str | None = None
        self._span: Span | None = None
        self._number: int | None = None

    def text(self) -> str:
        self.finish_line()
        return "\n".join(self._finished) + "\n"

    # --- lines

    def finish_line(self) -> None:
        line = self.f.getvalue()
        self.f = StringIO()
        if not line:
            return
        parts = [line] if self.width is None or line.lstrip().startswith("#") else broken(line, self.width)
        for part in parts:
            self._finished.append(part)
            if self._line_span is not None:
                self.lines[len(self._finished)] = self._line_span

    def fill(self, text: str = "") -> None:
        """Start a line; what follows until the next one belongs to it."""
        self.finish_line()
        self.f.write("    " * self._indent + text)
        self._opened, self._line_span = False, self._span
        if self._number is not None:
            self.numbers[self._number] = len(self._finished) + 1
            self._number = None

    def blank(self) -> None:
        self.finish_line()
        if self._finished and not self._opened:
            self._finished.append("")

    def remark(self, text: str) -> None:
        """A comment on a line of its own."""
        span, self._span = self._span, None
        opened = self._opened
        self.fill(f"# {text}".rstrip())
        self._opened, self._span = opened, span

    def enter(self) -> None:
        super().enter()
        self._opened = True

    def dispatch(self, tree: object) -> None:
        if isinstance(tree, list | tuple):
            self.block(tree)
        elif isinstance(tree, gast.stmt):
            self.statement(tree)
        else:
            super().dispatch(tree)

    def block(self, statements: Iterable[gast.AST]) -> None:
        empty = True
        for statement in statements:
            empty = False
            self.dispatch(statement)
        if empty:
            self.fill("pass")

    def statement(self, node: gast.stmt) -> None:
        """One statement below its comments: a blank line goes before each group that shares a heading."""
        self.remarks_of(node)
        before, self._span = self._span, getattr(node, "span", None)
        self._number = getattr(node, "number", None)
        super().dispatch(node)
        self._span = before

    def remarks_of(self, node: gast.stmt, part_of_chain: bool = False) -> None:
        part, heading = getattr(node, "part", None), getattr(node, "heading", None)
        entered = part is not None and part != self._part
        new = heading is not None and (heading != self._heading or entered)
        if not self.comments or not (entered or new):
            return
        if not part_of_chain:
            self.blank()
        if entered:
            self.remark(str(part))
            self._part = part
        if new:
            self.remark(str(heading))
            self._heading = heading
        self._opened = False

    # --- statements whose form differs from the base class

    def _Assign(self, t: gast.Assign) -> None:
        self.fill()
        for place in t.targets:
            self.bare(place)
            self.write(" = ")
        self.bare(t.value)

    def _AugAssign(self, t: gast.AugAssign) -> None:
        self.fill()
        self.dispatch(t.target)
        self.write(f" {BINARY[type(t.op).__name__][0]}= ")
        self.bare(t.value)

    def _AnnAssign(self, t: gast.AnnAssign) -> None:
        self.fill()
        self.dispatch(t.target)
        self.write(": ")
        self.part(t.annotation, TEST)
        if t.value is not None:
            self.write(" = ")
            self.bare(t.value)

    def _Return(self, t: gast.Return) -> None:
        self.fill("return")
        if t.value is not None:
            self.write(" ")
            self.bare(t.value)

    def _Expr(self, t: gast.Expr) -> None:
        self.fill()
        if isinstance(t.value, gast.Constant) and isinstance(t.value.value, str):
            self.write(f'"""{t.value.value.replace(chr(92), chr(92) * 2)}"""')
        else:
            self.bare(t.value)

    def _For(self, t: gast.For) -> None:
        self.fill("for ")
        self.bare(t.target)
        self.write(" in ")
        self.bare(t.iter)
        self.nested(t.body)
        self.otherwise(t.orelse)

    def _While(self, t: gast.While) -> None:
        self.fill("while ")
        self.part(t.test, 0)
        self.nested(t.body)
        self.otherwise(t.orelse)

    def _If(self, t: gast.If) -> None:
        self.fill("if ")
        self.part(t.test, 0)
        self.nested(t.body)
        while len(t.orelse) == 1 and isinstance(t.orelse[0], gast.If):
            t = t.orelse[0]
            self.remarks_of(t, part_of_chain=True)
            self._span = getattr(t, "span", None)
            self.fill("elif ")
            self.part(t.test, 0)
            self.nested(t.body)
        self.otherwise(t.orelse)

    def _ExceptHandler(self, t: gast.ExceptHandler) -> None:
        self.fill("except")
        if t.type is not None:
            self.write(" ")
            self.part(t.type, TEST)
        if t.name is not None:
            self.write(f" as {getattr(t.name, 'id', t.name)}")
        self.nested(t.body)

    def nested(self, body: Sequence[gast.stmt]) -> None:
        self.enter()
        self.block(body)
        self.leave()

    def otherwise(self, orelse: Sequence[gast.stmt]) -> None:
        if orelse:
            self.fill("else")
            self.nested(orelse)

    def _FunctionDef(self, t: gast.FunctionDef) -> None:
        for decorator in t.decorator_list:
            self.fill("@")
            self.part(decorator, 0)
        self.fill(f"def {t.name}(")
        self.heads[t.name] = len(self._finished) + 1
        self.dispatch(t.args)
        self.write(")")
        if t.returns is not None:
            self.write(" -> ")
            self.part(t.returns, TEST)
        self.nested(t.body)

    def _arguments(self, t: gast.arguments) -> None:
        positional = [*t.posonlyargs, *t.args]
        defaults = [None] * (len(positional) - len(t.defaults)) + list(t.defaults)
        parts = [(a, d, "") for a, d in zip(positional, defaults)]
        if t.posonlyargs:
            parts.insert(len(t.posonlyargs), (None, None, "/"))
        if t.vararg is not None or t.kwonlyargs:
            parts.append((t.vararg, None, "*"))
        parts += [(a, d, "") for a, d in zip(t.kwonlyargs, t.kw_defaults)]
        if t.kwarg is not None:
            parts.append((t.kwarg, None, "**"))
        for position, (argument, default, mark) in enumerate(parts):
            self.write((", " if position else "") + mark)
            if argument is not None:
                self.dispatch(argument)
            if default is not None:
                self.write(" = " if argument.annotation is not None else "=")
                self.part(default, TEST)

    # --- expressions

    def part(self, node: gast.AST, level: int) -> None:
        """An expression where at least this precedence is needed."""
        if precedence(node) >= level:
            self.dispatch(node)
            return
        self.write("(")
        self.bare(node)
        self.write(")")

    def bare(self, node: gast.AST) -> None:
        """An expression where even a tuple of several needs no parentheses."""
        if isinstance(node, gast.Tuple) and len(node.elts) > 1:
            self.listed(node.elts)
        else:
            self.dispatch(node)

    def listed(self, nodes: Iterable[gast.AST]) -> None:
        for position, node in enumerate(nodes):
            if position:
                self.write(", ")
            self.part(node, TEST)

    def _Name(self, t: gast.Name) -> None:
        self.write(t.id)
        if t.annotation is not None:
            self.write(": ")
            self.part(t.annotation, TEST)

    def _Constant(self, t: gast.Constant) -> None:
        self.write(constant_text(t.value))

    def _Tuple(self, t: gast.Tuple) -> None:
        self.write("(")
        self.listed(t.elts)
        self.write(",)" if len(t.elts) == 1 else ")")

    def _List(self, t: gast.List) -> None:
        self.write("[")
        self.listed(t.elts)
        self.write("]")

    def _BinOp(self, t: gast.BinOp) -> None:
        sign, level = BINARY[type(t.op).__name__]
        power = isinstance(t.op, gast.Pow)
        self.part(t.left, AWAIT if power else level)
        self.write(f" {sign} ")
        self.part(t.right, FACTOR if power else level + 1)

    def _UnaryOp(self, t: gast.UnaryOp) -> None:
        sign, level = UNARY[type(t.op).__name__]
        self.write(sign)
        self.part(t.operand, level)

    def _BoolOp(self, t: gast.BoolOp) -> None:
        level = precedence(t)
        for position, value in enumerate(t.values):
            if position:
                self.write(" or " if level == OR else " and ")
            self.part(value, level + 1)

    def _Compare(self, t: gast.Compare) -> None:
        self.part(t.left, COMPARE + 1)
        for op, right in zip(t.ops, t.comparators):
            self.write(f" {self.cmpops[type(op).__name__]} ")
            self.part(right, COMPARE + 1)

    def _IfExp(self, t: gast.IfExp) -> None:
        self.part(t.body, OR)
        self.write(" if ")
        self.part(t.test, OR)
        self.write(" else ")
        self.part(t.orelse, TEST)

    def _Lambda(self, t: gast.Lambda) -> None:
        self.write("lambda ")
        self.dispatch(t.args)
        self.write(": ")
        self.part(t.body, TEST)

    def _Attribute(self, t: gast.Attribute) -> None:
        number = isinstance(t.value, gast.Constant) and isinstance(t.value.value, int | float | complex)
        self.write("(" if number else "")
        self.part(t.value, ATOM)
        self.write(")" if number else "")
        self.write(f".{t.attr}")

    def _Call(self, t: gast.Call) -> None:
        self.part(t.func, ATOM)
        self.write("(")
        if len(t.args) == 1 and not t.keywords and isinstance(t.args[0], gast.GeneratorExp):
            self.dispatch(t.args[0].elt)
            for generator in t.args[0].generators:
                self.dispatch(generator)
        else:
            self.listed([*t.args, *t.keywords])
        self.write(")")

    def _keyword(self, t: gast.keyword) -> None:
        self.write("**" if t.arg is None else f"{t.arg}=")
        self.part(t.value, TEST)

    def _Subscript(self, t: gast.Subscript) -> None:
        self.part(t.value, ATOM)
        self.write("[")
        self.bare(t.slice)
        self.write("]")

    def _Slice(self, t: gast.Slice) -> None:
        if t.lower is not None:
            self.part(t.lower, TEST)
        self.write(":")
        if t.upper is not None:
            self.part(t.upper, TEST)
        if t.step is not None:
            self.write(":")
            self.part(t.step, TEST)

    def _JoinedStr(self, t: gast.JoinedStr) -> None:
        self.write('f"' + "".join(map(self._piece, t.values)) + '"')

    def _piece(self, value: gast.AST) -> str:
        if isinstance(value, gast.Constant):
            return constant_text(str(value.value), '"')[1:-1].replace("{", "{{").replace("}", "}}")
        conversion = "" if value.conversion == -1 else "!" + chr(value.conversion)
        format_ = "" if value.format_spec is None else ":" + "".join(map(self._piece, value.format_spec.values))
        return "{" + expression_text(value.value).replace('"', "'") + conversion + format_ + "}"


def expression_text(node: gast.AST) -> str:
    """One expression on one line."""
    writer = Unparser()
    writer.part(node, 0)
    return writer.text()[:-1]


def statement_text(node: gast.stmt) -> str:
    """One statement without comments; of a compound one, all of its lines."""
    writer = Unparser(comments=False)
    writer.dispatch(node)
    return writer.text()[:-1]
