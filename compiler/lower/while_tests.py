"""Take what is no scalar expression out of the tests of `while`: statements, ahead of the loop and at its end.

    while max(absolute(r)) > 1e-9:    ->    t = absolute(r); t_1 = max(t); going = t_1 > 1e-9
        r = ...                             while going:
                                                r = ...
                                                t_2 = absolute(r); t_3 = max(t_2); going = t_3 > 1e-9

Takes and gives typed functions.  A sum of a single number is no scalar expression either.  Parts after `and` and
`or` are still computed only where Python would compute them.
"""

from __future__ import annotations

import gast

from .. import syntax
from ..analysis.expression_types import is_scalar_operator
from ..builder import Builder
from ..diagnostics import InternalError
from ..dtypes import BOOL_WORD
from ..names import Names
from ..ops.forms import LENGTHS
from ..program import Function
from ..types import BOOL, INT, Array, ListOf, Type


def hoist_tests(function: Function) -> Function:
    loops = (s for s in syntax.walk(function.body) if isinstance(s, gast.While))
    if not any(_needs_statements(loop.test, function.types) for loop in loops):
        return function
    types: dict[str, Type] = dict(function.types)
    hoister = _Hoister(Builder(Names({*types, *function.parameters}), types))
    return function.with_(body=tuple(hoister.block(function.body)), types=types)


def _needs_statements(test: gast.expr, types) -> bool:
    """Whether an operator works on a whole array, or is one that scalar expressions do not have."""
    match test:
        case gast.Call(args=args):
            if syntax.operator_of(test) in LENGTHS:
                return False
            if not is_scalar_operator(str(syntax.operator_of(test))):
                return True
            return any(_is_array(a, types) or _needs_statements(a, types) for a in args)
        case gast.Subscript():
            return _is_array(test, types)
        case gast.BoolOp(values=parts):
            return any(_needs_statements(part, types) for part in parts)
        case gast.IfExp(test=condition, body=body, orelse=orelse):
            return any(_needs_statements(part, types) for part in (condition, body, orelse))
    return False


def _is_array(node: gast.expr, types) -> bool:
    match node:
        case gast.Name(id=id_):
            return isinstance(types[id_], Array)
        case gast.Subscript(value=gast.Name(id=base), slice=gast.Tuple(elts=items)):
            if isinstance(types[base], ListOf):
                return isinstance(types[base].element, Array)
            return any(isinstance(i, gast.Slice) or _is_array(i, types) for i in items)
    return False


class _Hoister:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def block(self, statements) -> list[gast.stmt]:
        result: list[gast.stmt] = []
        for statement in statements:
            match statement:
                case gast.While(test=test, body=body) if _needs_statements(test, self.builder.types):
                    result += self.loop(statement, test, self.block(body))
                case gast.While(body=body) | gast.For(body=body):
                    result.append(syntax.rebuild(statement, body=self.block(body)))
                case gast.If(body=body, orelse=orelse):
                    result.append(syntax.rebuild(statement, body=self.block(body), orelse=self.block(orelse)))
                case _:
                    result.append(statement)
        return result

    def loop(self, statement: gast.While, test: gast.expr, body: list[gast.stmt]) -> list[gast.stmt]:
        self.builder.span = getattr(statement, "span", None)
        self.builder.inlined = getattr(statement, "inlined", ())
        going = self.builder.names.fresh("going")
        self.builder.types[going] = BOOL
        ahead, again = self.evaluated(test, going), self.evaluated(test, going)
        return [*ahead, syntax.rebuild(statement, test=syntax.name(going), body=[*body, *again])]

    def evaluated(self, test: gast.expr, going: str) -> list[gast.stmt]:
        """Statements that leave the truth of the test in `going`."""
        outer, self.builder.body = self.builder.body, []
        self.decide(test, going)
        made, self.builder.body = self.builder.body, outer
        return made

    def decide(self, test: gast.expr, going: str) -> None:
        if not isinstance(test, gast.BoolOp):
            truth = self.atom(test)
            if self.builder.type_of(truth) != BOOL:
                truth = self.builder.call("cast", truth, dtype=BOOL_WORD, weak=True)
            self.builder.append(syntax.assign(going, truth))
            return
        first, *rest = test.values
        self.decide(first, going)
        if rest:
            others = rest[0] if len(rest) == 1 else syntax.rebuild(test, values=rest)
            then = self.evaluated(others, going)
            is_and = isinstance(test.op, gast.And)
            branches = (then, []) if is_and else ([], then)
            self.builder.append(syntax.if_(syntax.name(going), *branches))

    def atom(self, node: gast.expr) -> gast.expr:
        match node:
            case gast.Name() | gast.Constant():
                return node
            case gast.Call(args=[gast.Name() as list_]) if syntax.operator_of(node) == "length":
                return self.builder.bind(syntax.call("length", list_), INT)
            case gast.Call(args=args):
                static: dict = syntax.static_of(node)
                return self.builder.call(str(syntax.operator_of(node)), *map(self.atom, args), **static)
            case gast.Subscript(value=gast.Name(id=base), slice=gast.Tuple(elts=items)):
                return self.load(base, items)
            case gast.BoolOp():
                part = self.builder.names.fresh("t")
                self.builder.types[part] = BOOL
                self.decide(node, part)
                return syntax.name(part)
            case gast.IfExp(test=test, body=body, orelse=orelse):
                return self.builder.call("where", *map(self.atom, (test, body, orelse)))
        raise InternalError("loops", gast.dump(node), "not an expression of a test")

    def load(self, base: str, items: list[gast.expr]) -> gast.expr:
        parts = [i if isinstance(i, gast.Slice) else self.atom(i) for i in items]
        type_ = self.builder.types[base]
        if isinstance(type_, ListOf):
            return self.builder.bind(syntax.index(base, *parts), type_.element)
        return self.builder.load(base, parts)


