"""Leave one way out of every block: no early return, no continue, no for-else; `break` only as a loop's last statement.

    for x in xs:                      broke = False
        if x > 3.0:                   for x in xs:
            break             ->          if x > 3.0:
        total += x                            broke = True
    else:                                 else:
        total = -1.0                          total += x
                                          if broke:
                                              break
                                      if not broke:
                                          total = -1.0

Takes a function's own tree, gives core.  Keeps meaning, names and positions.  Leaves expressions, iteration and
everything about values to `specialise`.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ...names import Names
from ...syntax import constant, name, nodes_of, rebuild, target
from . import matching
from .cells import with_cells
from .named_messages import messages_in_place

DEFINITIONS = (gast.FunctionDef, gast.ClassDef)
FALL, BREAK, CONTINUE, RETURN = "fall", "break", "continue", "return"


def desugar(tree: gast.FunctionDef | gast.Lambda) -> gast.FunctionDef:
    """The function with a single `return`, at its end; the argument is not changed."""
    if isinstance(tree, gast.Lambda):
        only = _located(gast.Return(tree.body), tree.body)
        return _located(gast.FunctionDef("lambda_", tree.args, [only], [], None, None, []), tree)
    tree = with_cells(tree)
    lowering = _Lowering(tree)
    core = rebuild(tree, body=lowering.function(), decorator_list=[])
    core.made_names = frozenset(lowering.made)
    return core


def made_names(core: gast.FunctionDef) -> frozenset[str]:
    """The flags and the result variable that `desugar` added."""
    return getattr(core, "made_names", frozenset())


class _Lowering:
    """State of one function: the flags made so far and which of them are read."""

    def __init__(self, tree: gast.FunctionDef) -> None:
        self.tree = tree
        nodes = nodes_of(tree)
        self.names = Names({n.id for n in nodes if isinstance(n, gast.Name)})
        self.messages = messages_in_place(nodes)
        self.result = ""
        self.returned = ""
        self.read: set[str] = set()
        self.made: list[str] = []

    def function(self) -> list[gast.stmt]:
        body = self.tree.body
        text = body[0].value if isinstance(body[0], gast.Expr) else None
        if isinstance(text, gast.Constant) and isinstance(text.value, str):
            body = body[1:]
        returns = [n for n in _own_nodes(body) if isinstance(n, gast.Return)]
        if not returns or (len(returns) == 1 and body and body[-1] is returns[0]):
            lowered, exits = self.block(body[:-1] if returns else body, None)
            end = returns[0] if returns else _located(gast.Return(constant(None)), self.tree)
            if returns and end.value is None:
                end = _located(gast.Return(constant(None)), end)
            return self.without_unread(lowered) + ([end] if FALL in exits else [])
        self.result, self.returned = self.fresh("result"), self.fresh("returned")
        lowered, exits = self.block(body, None)
        if FALL in exits:
            default = _assign(self.result, constant(None), body[-1])
            lowered += self.guard([default], exits, None, body[-1])
        start = [_assign(self.returned, constant(False), body[0])]
        end = _located(gast.Return(_located(name(self.result), body[-1])), body[-1])
        return self.without_unread([*start, *lowered]) + [end]

    def fresh(self, wish: str) -> str:
        self.made.append(self.names.fresh(wish))
        return self.made[-1]

    def block(self, body: Sequence[gast.stmt], loop: dict[str, str] | None) -> tuple[list[gast.stmt], set[str]]:
        """Lower statements; the set says how control can leave them."""
        done: list[gast.stmt] = []
        exits = {FALL}
        for position, written in enumerate(body):
            rest = body[position + 1 :]
            statement = self.messages.get(written, written)
            if statement is None:
                continue
            if isinstance(statement, gast.Match):
                lowered, ways = self.block(matching.lowered(statement, self.tree, self.fresh), loop)
            elif isinstance(statement, gast.With):  # `with np.errstate(...)` says nothing about values
                lowered, ways = self.block(statement.body, loop)
                lowered = [*(_context(item.context_expr) for item in statement.items), *lowered]
            else:
                lowered, ways = self.statement(statement, loop)
            exits = (exits - {FALL}) | ways
            if ways == {FALL}:
                done += lowered
                continue
            if FALL not in ways or not rest:
                return done + lowered, exits
            following, later = self.block(rest, loop)
            exits = (exits - {FALL}) | later
            joined = _into_open_branch(lowered, following, statement, self)
            if joined is None:
                joined = lowered + self.guard(following, ways, loop, rest[0])
                exits |= later
            return done + joined, exits
        return done, exits

    def statement(self, node: gast.stmt, loop: dict[str, str] | None) -> tuple[list[gast.stmt], set[str]]:
        match node:
            case gast.Return(value=value):
                stored = _assign(self.result, value if value is not None else constant(None), node)
                stored.leaves_loop = loop is not None
                return [stored, _assign(self.returned, constant(True), node)], {RETURN}
            case gast.Break() if loop is not None:
                return [_assign(loop[BREAK], constant(True), node)], {BREAK}
            case gast.Continue() if loop is not None:
                return [_assign(loop[CONTINUE], constant(True), node)], {CONTINUE}
            case gast.Raise():
                return [node], set()
            case gast.If(test=test, body=body, orelse=orelse):
                then, ways = self.block(body, loop)
                other, other_ways = self.block(orelse, loop)
                made = rebuild(node, test=test, body=then or [_located(gast.Pass(), node)], orelse=other)
                made.open_ends = (FALL in ways, FALL in other_ways, ways <= {FALL}, other_ways <= {FALL})
                return [made], ways | other_ways
            case gast.For() | gast.While():
                return self.loop(node, loop)
            case gast.Try():
                return self.trying(node, loop)
        return [node], {FALL}

    def trying(self, node: gast.Try, loop: dict[str, str] | None) -> tuple[list[gast.stmt], set[str]]:
        """Run `else` only where control falls out of the block."""
        body, ways = self.block(node.body, loop)
        orelse, more = self.block(node.orelse, loop)
        if orelse:
            orelse = self.guard(orelse, ways, loop, node.orelse[0]) if FALL in ways else []
            ways = (ways - {FALL} | more) if FALL in ways else ways
        handlers = []
        for handler in node.handlers:
            inside, others = self.block(handler.body, loop)
            handlers.append(rebuild(handler, body=inside or [_located(gast.Pass(), handler)]))
            ways = ways | others
        finalbody, _ = self.block(node.finalbody, loop)
        made = rebuild(node, body=body or [_located(gast.Pass(), node)], handlers=handlers, orelse=orelse,
                       finalbody=finalbody)  # fmt: skip
        return [made], ways

    def loop(self, node: gast.For | gast.While, outer: dict[str, str] | None) -> tuple[list[gast.stmt], set[str]]:
        flags = {BREAK: self.fresh("broke"), CONTINUE: self.fresh("skipped")}
        body, ways = self.block(node.body, flags)
        leaving = [flags[BREAK]] * (BREAK in ways) + [self.returned] * (RETURN in ways)
        before = [_assign(flags[BREAK], constant(False), node)] if BREAK in ways else []
        if CONTINUE in ways:
            body = [_assign(flags[CONTINUE], constant(False), node), *body]
        if leaving:
            self.read.update(leaving)
            stop = _located(gast.If(_any(leaving, node), [_located(gast.Break(), node)], []), node)
            body = [*body, stop]
        made = rebuild(node, body=body, orelse=[])
        exits = (ways & {RETURN}) if _is_endless(node) and BREAK not in ways else {FALL} | (ways & {RETURN})
        if not node.orelse:
            return [*before, made], exits
        after, more = self.block(node.orelse, outer)
        guarded = self.guard_names(after, leaving, node)
        return [*before, made, *guarded], exits | more

    def guard(self, body, ways, loop, where) -> list[gast.stmt]:
        flags = [self.returned] * (RETURN in ways)
        if loop is not None:
            flags += [loop[BREAK]] * (BREAK in ways) + [loop[CONTINUE]] * (CONTINUE in ways)
        return self.guard_names(body, flags, where)

    def guard_names(self, body: list[gast.stmt], flags: list[str], where: gast.AST) -> list[gast.stmt]:
        if not flags or not body:
            return body
        self.read.update(flags)
        test = _located(gast.UnaryOp(gast.Not(), _any(flags, where)), where)
        return [_located(gast.If(test, body, []), where)]

    def without_unread(self, body: Sequence[gast.stmt]) -> list[gast.stmt]:
        """Drop the assignments to flags that nothing reads."""
        kept: list[gast.stmt] = []
        for node in body:
            if getattr(node, "flag", None) and node.flag not in self.read and node.flag != self.result:
                continue
            if isinstance(node, gast.If | gast.For | gast.While):
                inner = self.without_unread(node.body) or [_located(gast.Pass(), node)]
                node = rebuild(node, body=inner, orelse=self.without_unread(node.orelse))
            elif isinstance(node, gast.Try):
                handlers = [rebuild(h, body=self.without_unread(h.body) or h.body[:1]) for h in node.handlers]
                node = rebuild(node, body=self.without_unread(node.body) or node.body[:1], handlers=handlers,
                               orelse=self.without_unread(node.orelse))  # fmt: skip
            kept.append(node)
        return kept


def _into_open_branch(lowered, following, statement, state) -> list[gast.stmt] | None:
    """Put what follows an `if` into the only branch that continues, where that branch always continues."""
    made = lowered[-1]
    if len(lowered) != 1 or not isinstance(made, gast.If):
        return None
    then_open, else_open, then_only, else_only = made.open_ends
    if not then_open and else_open and else_only:
        return [rebuild(made, orelse=[*made.orelse, *following])]
    if then_open and then_only and not else_open:
        kept = [s for s in made.body if not isinstance(s, gast.Pass)]
        return [rebuild(made, body=[*kept, *following])]
    return None


def _context(node: gast.expr) -> gast.stmt:
    made = _located(gast.Expr(node), node)
    made.is_context = True
    return made


def _is_endless(node: gast.For | gast.While) -> bool:
    return isinstance(node, gast.While) and isinstance(node.test, gast.Constant) and bool(node.test.value)


def _own_nodes(body: Sequence[gast.stmt]):
    """All statements of a function, without those of functions inside it."""
    for statement in body:
        yield statement
        for block in ("body", "orelse", "finalbody") if not isinstance(statement, DEFINITIONS) else ():
            yield from _own_nodes(getattr(statement, block, []))
        for handler in getattr(statement, "handlers", []):
            yield from _own_nodes(handler.body)
        for case in getattr(statement, "cases", []):
            yield from _own_nodes(case.body)


def _any(flags: list[str], where: gast.AST) -> gast.expr:
    reads = [_located(name(f), where) for f in dict.fromkeys(flags)]
    return reads[0] if len(reads) == 1 else _located(gast.BoolOp(gast.Or(), reads), where)


def _assign(flag: str, value: gast.expr, where: gast.AST) -> gast.stmt:
    made = _located(gast.Assign([target(flag)], _located(value, where), None), where)
    made.flag = flag
    return made


def _located(node: gast.AST, where: gast.AST):
    if not hasattr(node, "lineno"):
        for field in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            setattr(node, field, getattr(where, field, None))
    return node
