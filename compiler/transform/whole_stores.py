"""Make what is stored into all of an array a new value.

    x = copy(a)                   x = copy(a)
    t = multiply(x, 1.2)          t = multiply(x, 1.2)
    x[:, :] = t           ->      x_1 = copy(t)
    s = sum(x)                    s = sum(x_1)

A value can be fused with what reads it, and its cotangent may be one number that stands for a constant array; one that
is stored into has its cotangent in place.  Takes and gives typed functions in which every name is a value; leaves what
loops and branches merge, and stores of another shape or dtype.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from .. import syntax
from ..analysis.def_use import def_use
from ..builder import Builder
from ..names import Names
from ..ops.cotangents import shape_of
from ..ops.schema import row_of
from ..program import Decision, Function
from ..renaming import renamed, with_blocks
from ..types import Array, Scalar, symbols_of


def whole_stores(function: Function) -> Function:
    """The function with stores into all of an array replaced by values; the same object where there are none."""
    rewriter = _Rewriter(function)
    body = rewriter.block(function.body, set(), {})
    if not rewriter.told:
        return function
    told = dict.fromkeys((*function.decisions, *rewriter.told))
    return function.with_(body=tuple(body), types=rewriter.build.types, decisions=tuple(told))


class _Rewriter:
    def __init__(self, function: Function) -> None:
        self.facts = def_use(function)
        self.told: list[Decision] = []
        types = dict(function.types)
        taken = {*types, *function.parameters, *(s for t in types.values() for s in symbols_of(t))}
        self.build = Builder(Names(taken), types, {})

    def block(self, statements: Sequence[gast.stmt], own: set[str], now: dict[str, str]) -> list[gast.stmt]:
        """A block in which `own` names may be made anew: nothing reads them but it and what comes after it.

        `now` says under which name each of them goes on.
        """
        result: list[gast.stmt] = []
        for statement in statements:
            if isinstance(statement, gast.If):
                result.append(self._branches(statement, own, now))
            elif isinstance(statement, gast.For | gast.While):
                header = renamed(syntax.rebuild(statement, body=[]), now)
                result.append(with_blocks(header, [self.block(statement.body, set(), dict(now))]))
            elif (name := self._stored(statement, own)) is not None:
                result += self._value(renamed(statement, now), name, now)
            else:
                own.update(n for n in syntax.names_bound(statement) if self.facts.is_single(n))
                result.append(renamed(statement, now) if now else statement)
        return result

    def _branches(self, statement: gast.If, own: set[str], now: dict[str, str]) -> gast.stmt:
        """Both ways, after which what one of them has made anew has one name."""
        header = renamed(syntax.rebuild(statement, body=[], orelse=[]), now)
        ways = [(dict(now), block) for block in (statement.body, statement.orelse)]
        blocks = [self.block(block, {*own}, names) for names, block in ways]
        changed = [name for name in sorted(own) if any(names.get(name) != now.get(name) for names, _ in ways)]
        for name in changed:
            merged = self.build.names.fresh(name)
            self.build.types[merged] = self.build.types[now.get(name, name)]
            for (names, _), block in zip(ways, blocks):
                end = next((k for k, s in enumerate(block) if isinstance(s, gast.Raise)), len(block))
                block.insert(end, _at(statement, syntax.assign(merged, syntax.name(names.get(name, name)))))
            now[name] = merged
        return syntax.rebuild(header, body=blocks[0], orelse=blocks[1])

    def _stored(self, statement: gast.stmt, own: set[str]) -> str | None:
        """The name of what a statement stores all of; None where it does not, or may not be made anew."""
        match statement:
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=array), slice=gast.Tuple(elts=items))],
                             value=gast.Name() | gast.Constant() as value) if all(map(_is_all, items)):  # fmt: skip
                type_ = self.build.types[array]
                if array in own and isinstance(type_, Array) and len(items) == type_.ndim and self._fits(value, type_):
                    return array
        return None

    def _fits(self, value: gast.expr, type_: Array) -> bool:
        given = self.build.type_of(value)
        if isinstance(given, Array):
            return (given.dtype, given.dims) == (type_.dtype, type_.dims)
        return isinstance(given, Scalar) and given.dtype == type_.dtype

    def _is_own(self, value: gast.Name) -> bool:
        """Whether what is stored was made for that alone."""
        row = row_of(syntax.operator_of(self.facts.value_of(value.id) or value))
        return row is not None and row.shares == "copy" and self.facts.count[value.id] == 1

    def _value(self, store: gast.Assign, name: str, now: dict[str, str]) -> list[gast.stmt]:
        """The statements that make what was stored, from here on what the name means."""
        build, old = self.build, now.get(name, name)
        build.body, build.span, build.inlined = [], store.span, getattr(store, "inlined", ())
        type_ = build.types[old]
        assert isinstance(type_, Array)
        if isinstance(build.type_of(store.value), Array):
            is_own = self._is_own(store.value)
            made: gast.expr = (
                build.bind(store.value, type_, name) if is_own else build.call("copy", store.value, hint=name)
            )
        else:
            shape = shape_of(build, syntax.name(old))
            made = build.call("full", store.value, shape=shape, dtype=type_.dtype, hint=name)
        assert isinstance(made, gast.Name)
        build.types[made.id] = Array(type_.dtype, type_.dims)
        now[name] = made.id
        where = "" if store.span is None else f" at line {store.span.line}"
        self.told.append(Decision("loops", f"all of `{name}` is stored{where}: it is a new value from there on"))
        return build.body


def _is_all(item: gast.expr) -> bool:
    return isinstance(item, gast.Slice) and item.lower is None and item.upper is None and item.step is None


def _at(place: gast.stmt, statement: gast.stmt) -> gast.stmt:
    return syntax.at(statement, getattr(place, "span", None), getattr(place, "inlined", ()))
