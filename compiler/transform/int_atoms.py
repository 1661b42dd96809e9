"""Sums and products of ints as atoms, statement by statement; what is known is left out.

    plus(n, 0)      n                   atom(maximum(n - 1, 0))      t = n - 1
    plus(n, -1)     t = n - 1                                        t_1 = maximum(t, 0)
"""

from __future__ import annotations

import gast

from .. import syntax
from ..builder import Builder
from ..ops.schema import OPERATORS
from ..ops.slices import constant_of
from ..types import INT


class IntAtoms:
    """Appends to a builder."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def plus(self, left: gast.expr, right: gast.expr) -> gast.expr:
        left, right = self.atom(left), self.atom(right)
        a, b = constant_of(left), constant_of(right)
        if a is not None and b is not None:
            return syntax.constant(a + b)
        if a == 0 or b == 0:
            return right if a == 0 else left
        if b is not None and b < 0:
            return self.builder.call("subtract", left, -b)
        return self.builder.call("add", left, right)

    def minus(self, left: gast.expr, right: gast.expr) -> gast.expr:
        left, right = self.atom(left), self.atom(right)
        a, b = constant_of(left), constant_of(right)
        if b is not None:
            return self.plus(left, syntax.constant(-b))
        return self.builder.call("negative", right) if a == 0 else self.builder.call("subtract", left, right)

    def times(self, left: gast.expr, right: gast.expr) -> gast.expr:
        left, right = self.atom(left), self.atom(right)
        a, b = constant_of(left), constant_of(right)
        if a is not None and b is not None:
            return syntax.constant(a * b)
        if a == 1 or b == 1 or a == 0:
            return right if a == 1 else left
        return self.builder.call("multiply", left, right)

    def _whole_number(self, item: gast.expr) -> gast.expr:
        if self.builder.type_of(item) == INT:
            return item
        return self.builder.call("cast", item, dtype=INT.dtype, weak=True)

    def atom(self, node: gast.expr) -> gast.expr:
        """An expression in ints as an atom."""
        match node:
            case gast.Name():
                return self._whole_number(node)
            case gast.Constant():
                return node
            case gast.IfExp(test=test, body=body, orelse=orelse):
                known = self._truth(test)
                if isinstance(known, gast.Constant):
                    return self.atom(body if known.value else orelse)
                return self.builder.call("where", known, self.atom(body), self.atom(orelse))
            case gast.Call(func=gast.Name(id="add"), args=[left, right]):
                return self.plus(left, right)
            case gast.Call(func=gast.Name(id=operator), args=arguments):
                atoms = [self.atom(a) for a in arguments]
                if all(isinstance(a, gast.Constant) for a in atoms):
                    return syntax.constant(int(OPERATORS[operator].meaning(*(a.value for a in atoms))))
                return self._whole_number(self.builder.call(operator, *atoms))
        raise TypeError(gast.dump(node))

    def _truth(self, node: gast.expr) -> gast.expr:
        assert isinstance(node, gast.Call)
        atoms = [self.atom(a) for a in node.args]
        if all(isinstance(a, gast.Constant) for a in atoms):
            return syntax.constant(bool(OPERATORS[node.func.id].meaning(*(a.value for a in atoms))))
        return self.builder.call(node.func.id, *atoms)
