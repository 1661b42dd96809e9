"""Write the function of many directions at once, given that of one: what a Jacobian calls for each block of them.

    def f_jvp(x, direction):                      def f_jvp_vmap(x, direction):      direction: f64[batch, n]
        y_dot = zeros(shape=(n,))                     y_dot = zeros(shape=(batch, n))
        for i in range(1, n, 1):          ->          for i in range(1, n, 1):
            t = y_dot[i - 1] * 0.9                        t = y_dot[:, i - 1] * 0.9
            ...                                           ...

Takes the typed program of one direction and which of its parameters are one; gives None where there is nothing to gain:
where a part would stay in a loop over the directions, which computes again what they have in common; where all is
element by element, so that one direction after the other runs as fast and needs less memory; and where functions are
shared by many calls, which all directions at once would take apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ... import syntax
from ...builder import Builder
from ...diagnostics import Span
from ...ops.schema import OPERATORS
from ...program import Function, Program
from ...types import INT, Array, Extent
from .batch import Mapped, Ragged, Returned, batch
from .crossing import Divergent
from .distribute import Looped
from .varying import Varying, varying

BLOCK = 32  # directions: four vectors of eight numbers, and rows enough for products of matrices


def of_many(program: Program, along: Sequence[str], outputs: Sequence[int], where: Span) -> Function | None:
    """The entry with an axis of directions ahead of these parameters and of these results, or None.

    The other results are those of one direction.
    """
    if any(f.is_shared for f in program.functions.values()):
        return None
    function = program.main
    found = varying(function, along)
    fixed = (a for k, a in enumerate(function.body[-1].value.elts) if k not in outputs)
    if any(isinstance(a, gast.Name) and a.id in found.names for a in fixed) or not _gains(function.body, found):
        return None
    types = {name: function.types[name] for name in along}
    mapped = [Mapped(name, t, 0) for name, t in types.items() if isinstance(t, Array)]
    returned = [Returned(k, 0 if k in outputs else None) for k in range(len(function.results))]
    try:
        return batch(program, mapped, None, returned, where, may_loop=False)
    except (Looped, Ragged, Divergent):
        return None


def _gains(body: Sequence[gast.stmt], found: Varying) -> bool:
    """Whether something that the directions go through is a loop or a product."""
    return any(_is_loop_or_product(s) and _involves(s, found) for s in syntax.walk(body))


def _is_loop_or_product(statement: gast.stmt) -> bool:
    if isinstance(statement, gast.For | gast.While):
        return True
    row = OPERATORS.get(syntax.operator_of(getattr(statement, "value", None)) or "")
    return row is not None and row.kind in ("contraction", "library")


def _involves(statement: gast.stmt, found: Varying) -> bool:
    return any(found.reads(s) for s in syntax.walk([statement]))


class Blocks:
    """The loop over blocks of directions, while it is written.

        for k in range(0, size, 32):
            last = minimum(k + 32, size)
            direction = eye(last - k, size, k)
            ...
            columns[k:last] = y_dot
    """

    def __init__(self, builder: Builder, size: gast.expr, dtype: str) -> None:
        self.builder, self.size = builder, size
        self.start = syntax.name(builder.names.fresh("k"))
        builder.types[self.start.id] = INT
        self.outer, builder.body = builder.body, []
        reached = builder.call("add", self.start, BLOCK, hint="last")
        self.last = builder.call("minimum", reached, size, hint="last")
        self.count = builder.call("subtract", self.last, self.start, hint="count")
        self.directions = builder.call(
            "eye", shape=syntax.tuple_([self.count, size]), offset=self.start, dtype=dtype, hint="direction"
        )

    @property
    def extent(self) -> Extent:
        return self.builder.type_of(self.directions).dims[0]

    def shaped(self, lengths: Sequence[gast.expr]) -> gast.expr:
        """The directions as arrays of these lengths."""
        if len(lengths) == 1:
            return self.directions
        shape = syntax.tuple_([self.count, *lengths])
        return self.builder.call("reshape", self.directions, shape=shape, hint="direction")

    def store(self, table: gast.Name, found: gast.expr) -> None:
        """What was found along the directions, in their rows of a table."""
        rank = self.builder.types[table.id].ndim
        items = [syntax.slice_(self.start, self.last), *[syntax.slice_()] * (rank - 1)]
        self.builder.append(syntax.store(table.id, items, found))

    def close(self) -> None:
        body, self.builder.body = self.builder.body, self.outer
        loop = syntax.for_range(self.start.id, 0, self.size, BLOCK, body, self.builder.span)
        loop.hoists = True  # type: ignore[attr-defined]  # told to `hoist`
        self.builder.append(loop)
