"""Let each iteration of a recurrence add to the sums of later iterations, where its own dot would go down a column.

    for j in range(n):                            s = zeros(n)
        t = x[:j] @ a[:j, j]                      for j in range(n):
        x[j] = (b[j] - t) / a[j, j]       ->          t = s[j]
                                                      x[j] = (b[j] - t) / a[j, j]
                                                      s[j + 1:] += x[j] * a[j, j + 1:]

The terms and their order stay the same; the matrix is read by rows, of which all elements are used, and so it is in the
derivative.  Where lengths may not fit, the loop stays beside what is made of it, for the error that it raises.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.integers.affine import Affine
from ...analysis.integers.nest_scope import NestScope
from ...analysis.memory.accesses import accesses
from ...types import Array
from .forms import Axis, Form, Operand, form_of
from .hulls import TO, Hulls, Triangle
from .ready import Ready
from .sums import ADDED, kernels

if TYPE_CHECKING:
    from .products import Taking


class RunningSums:
    """The recurrences of one function."""

    def __init__(self, taking: Taking) -> None:
        self.taking, self.facts, self.build, self.integers = taking, taking.facts, taking.build, taking.integers

    def of_loop(self, loop: gast.For, scope: NestScope) -> list[gast.stmt] | None:
        """What comes in place of a loop; None where it makes no such dot."""
        for kernel in kernels(loop, self.facts, self.integers.types):
            form = form_of(kernel, self.integers, scope) if kernel.is_dot and len(kernel.levels) == 2 else None
            one = None if form is None else self._ready(form, loop, scope)
            if one is not None:
                return self.taking.taken(loop, one, lambda one, _: self._with_sums(one, loop, loop.iter.args[1]))
        return None

    def _ready(self, form: Form, loop: gast.For, scope: NestScope) -> Ready | None:
        """A dot of what earlier iterations have stored last with elements of a column that none stores."""
        (vector, matrix), turn = _sides(form), str(loop.target.id)
        hulls = Hulls(form.kernel.levels, form.adding, self.integers, scope)
        if matrix.variables != (ADDED, turn) or vector.variables != (ADDED,) or not hulls.is_known or form.lengths:
            return None
        starts = [hulls.starts[v].form.plus(axis.offset) for side in (vector, matrix) for axis in side.axes
                  if (v := axis.variable)]  # fmt: skip
        if hulls.triangle != Triangle(TO, turn) or any(start != Affine(0) for start in starts):
            return None
        touched = list(accesses([loop], scope, self.integers))
        judge = self.taking.judge
        if not judge.fits(form) or not self._is_made(vector, loop) or not judge.is_old(matrix, loop, scope, touched):
            return None
        axes = tuple(Axis(syntax.name(turn), turn) if axis.variable else axis for axis in vector.axes)
        checks = hulls.needed([replace(vector, axes=axes), matrix])
        return None if checks is None else Ready(form, hulls, tuple(checks))

    def _is_made(self, vector: Operand, loop: gast.For) -> bool:
        """Whether each iteration stores the element after those that its dot reads, and no other one of that array."""
        places = [s.targets[0] for s in syntax.walk([loop]) if syntax.stored_base(s) == vector.array]
        wanted = syntax.index(vector.array, *_items(vector, syntax.name(loop.target.id)))
        is_plain = all(isinstance(s, gast.Assign) for s in loop.body)
        return is_plain and bool(places) and all(syntax.same(place.slice, wanted.slice) for place in places)

    def _with_sums(self, one: Ready, loop: gast.For, stop: gast.expr) -> list[gast.stmt]:
        build, turn, (vector, matrix) = self.build, syntax.name(loop.target.id), _sides(one.form)
        (dot,) = one.form.kernel.inner
        type_ = build.types[matrix.array]
        assert isinstance(type_, Array)
        length = build.call("maximum", stop, 0)
        sums = build.call("zeros", shape=(length,), dtype=type_.dtype, hint=dot.targets[0].id)
        ahead, build.body = build.body, []
        idle = {id(s) for s in self.taking.judge.idle_in(one.form)}
        for statement in loop.body:
            if statement is dot:
                read = syntax.assign(dot.targets[0].id, syntax.index(sums.id, turn))
                build.append(syntax.at(read, dot.span, getattr(dot, "inlined", ())))
            elif id(statement) not in idle:
                build.append(statement)
        # what an iteration adds to the sums of later iterations
        build.span, build.inlined = dot.span, getattr(dot, "inlined", ())
        behind = syntax.slice_(build.call("add", turn, 1), stop)
        row = [turn if a.variable == ADDED else behind if a.variable else a.item for a in matrix.axes]
        factor = build.load(vector.array, _items(vector, turn))
        term = build.call("multiply", factor, build.load(matrix.array, row, hint=matrix.array))
        build.append(syntax.store(sums.id, [behind], build.call("add", build.load(sums, [behind]), term)))
        body, build.body = build.body, []
        return [*ahead, syntax.rebuild(loop, body=body)]


def _items(vector: Operand, turn: gast.expr) -> list[gast.expr]:
    """The target of an iteration."""
    return [turn if axis.variable else axis.item for axis in vector.axes]


def _sides(form: Form) -> tuple[Operand, Operand]:
    """The vector and the matrix of a dot."""
    (product,) = form.products
    left, right = product.left, product.right
    return (right, left) if len(left.variables) > 1 else (left, right)
