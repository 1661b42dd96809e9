"""Say where a value that all devices share meets one that each device has for itself, before a derivative is taken.

    def f(w, x):                    def f(w, x):
        y = multiply(w, x)    ->        m = mark_varying(w, axis_name="i")
        s = psum(y, "i")                k = mark_varying(x, axis_name="i")
        return (s,)                     v = vary_as(w, m, add(m, k), axis_name="i")
                                        y = multiply(v, x)
                                        s = psum_shared(y, axis_name="i")
                                        return (s,)

Inside a `shard_map` that looks which values vary, what all devices share is one value: its cotangent is the sum of what
they have, and the transpose of a sum over the devices is no sum.  Which arguments are shared is not known before the
function is mapped (`batch/settle_shared.py`), but of which arguments a value depends is: a name varies along an axis if
one of those arguments does.  So `v` is the value of `w` for statements that depend on more than `w` does.

Takes a typed program and gives one, in which derivatives of the rows are right for whatever varies.  It is the same
object where no axis is around, and of derivatives in forward mode, which do not need it.

Source: the types of `shard_map` in JAX, where `pvary` and `psum_invariant` are transposes of one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import gast

from ... import syntax
from ...analysis.def_use import def_use
from ...builder import Builder
from ...diagnostics import Diagnostic, GradientError
from ...frontend.specialise.specialised import Specialised
from ...names import Names
from ...program import Function, Program
from ...renaming import replace_reads, with_blocks
from ...types import ListOf, is_floating
from ..batch.crossing import crossing
from ..batch.varying import values_read, varying
from ..derivatives import Wanted

Origin = frozenset[str]  # the parameters of which one has to vary, so that a name does; `EACH` stands for all of them
EACH = ""  # what varies whatever the parameters do, as the number of the device does


def share(made: Specialised, wanted: Wanted) -> Specialised:
    """The program whose derivative is that of values which devices share along the axes around."""
    for axis_name in wanted.transform.along:
        program, main = made.program, made.program.main
        changed = _Writer(main, program, axis_name).written()
        functions = {**program.functions, main.name: changed}
        made = replace(made, program=Program(program.entry, functions))
    return made


class _Writer:
    """The function being written, for one axis."""

    def __init__(self, function: Function, program: Program, axis_name: str) -> None:
        self.function, self.axis_name = function, axis_name
        names = Names({*function.types, *function.parameters, *program.functions})
        self.builder = Builder(names, {**function.types})
        self.always = varying(function, (), axis_name, is_typed=True).names
        self.by_parameter = {p: varying(function, (p,), axis_name, is_typed=True).names for p in function.parameters}
        self.constants = {name for name in function.types if def_use(function).is_constant(name)}
        self.stored = {syntax.stored_base(s) for s in syntax.walk(function.body)}
        self.marks: dict[Origin, Any] = {}
        self.made_varying: dict[tuple[str, Origin], str] = {}
        self.first: list[gast.stmt] = []  # what stands before the body
        self.behind: dict[str, list[gast.stmt]] = {}  # by a name: what stands behind the statement that binds it

    def written(self) -> Function:
        function, builder = self.function, self.builder
        body = self.block(function.body)
        body = [*self.first, *self._placed(body)]
        used = syntax.names_of(function.parameters, body)
        types = {name: builder.types[name] for name in used if name in builder.types}
        if len(body) == len(function.body) and all(a is b for a, b in zip(body, function.body)):
            return function
        fresh = {*types} - {*function.types}
        return function.with_(body=tuple(body), types=types, temporaries=function.temporaries | fresh)

    def origin(self, name: str) -> Origin:
        if name in self.always:
            return frozenset([EACH])
        return frozenset(p for p, names in self.by_parameter.items() if name in names)

    # --- statements

    def block(self, statements: Sequence[gast.stmt]) -> list[gast.stmt]:
        made: list[gast.stmt] = []
        for statement in statements:
            changed = with_blocks(statement, [self.block(inner) for inner in syntax.blocks_of(statement)])
            ahead, changed = self.statement(changed)
            place = len(made)
            while ahead and place and isinstance(getattr(made[place - 1], "value", None), gast.Name):
                place -= 1  # updates of variables stay the last statements of a block
            made = [*made[:place], *ahead, *made[place:], changed]
        return made

    def statement(self, statement: gast.stmt) -> tuple[list[gast.stmt], gast.stmt]:
        """What stands ahead of a statement, and the statement that reads values as they meet in it."""
        value = getattr(statement, "value", None)
        if not isinstance(statement, gast.Assign | gast.Expr) or value is None:
            return [], statement
        row = crossing(value, self.axis_name)
        if row is not None and row.marks:
            return [], statement  # it says itself what varies
        changed = self._changed(statement)
        wanted = frozenset([EACH]) if row is not None else frozenset().union(*map(self.origin, changed))
        if EACH in wanted:
            wanted = frozenset([EACH])
        ahead: list[gast.stmt] = []
        values = {}
        for name in dict.fromkeys(values_read(value)):
            if name not in changed and self._meets(name, wanted, statement):
                values[name] = syntax.name(self._varied(name, wanted, statement, ahead))
        statement = replace_reads(statement, values) if values else statement
        if row is not None and row.one and row.one != row.name:
            call = syntax.call(row.one, *statement.value.args, **syntax.static_of(statement.value))
            statement = syntax.rebuild(statement, value=call)
        return ahead, statement

    def _changed(self, statement: gast.stmt) -> list[str]:
        """The names that have another value after it."""
        bound = [*syntax.names_bound(statement)]
        base = syntax.stored_base(statement)
        if base is not None:
            bound.append(base)
        if isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Call):
            bound += [a.id for a in statement.value.args[:1] if isinstance(a, gast.Name)]
        return bound

    def _meets(self, name: str, wanted: Origin, statement: gast.stmt) -> bool:
        """Whether a statement depends on more than a value that it reads."""
        type_ = self.builder.types.get(name)
        if type_ is None or not is_floating(type_):
            return False
        own = self.origin(name)
        if EACH in own or own >= wanted:
            return False
        if isinstance(type_, ListOf):
            self._refuse(name, statement)
        return True

    def _refuse(self, name: str, statement: gast.stmt) -> None:
        where = getattr(statement, "span", None)
        assert where is not None
        raise GradientError(Diagnostic(
            "G004", f"all devices along `{self.axis_name}` may share the list `{name}`, and it meets values of each",
            where, "differentiated here",
            help=("put the values in an array", "check_vma=False: the gradient is that of one device, and `psum` adds "
                  "up those of all"),
        ))  # fmt: skip

    # --- values that are shared

    def _varied(self, name: str, wanted: Origin, statement: gast.stmt, ahead: list[gast.stmt]) -> str:
        """The name that a shared value has for statements that depend on more."""
        stays = name in self.constants and name not in self.stored
        key = name, wanted
        if stays and key in self.made_varying:
            return self.made_varying[key]
        own, others = self._mark(self.origin(name)), self._mark(wanted)
        if stays and name in self.function.parameters:
            place = self.first
        else:
            place = self.behind.setdefault(name, []) if stays else ahead
        made: gast.Name = self._written(place, statement, "vary_as", syntax.name(name), own, others, hint=name)
        self.made_varying[key] = made.id
        return made.id

    def _mark(self, origin: Origin) -> Any:
        """A number that varies if one of these parameters does."""
        if origin not in self.marks:
            made: Any = syntax.constant(0)
            if EACH in origin:
                made = self._written(self.first, self._head(), "axis_index", hint="own")
            else:
                for name in sorted(origin):
                    mark = self._written(self.first, self._head(), "mark_varying", syntax.name(name), hint="mark")
                    made = mark if isinstance(made, gast.Constant) else self._added(made, mark)
            self.marks[origin] = made
        return self.marks[origin]

    def _head(self) -> gast.stmt:
        return self.function.body[0]

    def _added(self, left: Any, right: Any) -> Any:
        builder, before = self.builder, self.builder.body
        builder.body = self.first
        made = builder.call("add", left, right, hint="mark")
        builder.body = before
        return made

    def _written(self, place: list[gast.stmt], like: gast.stmt, operator: str, *atoms: Any, hint: str) -> Any:
        """Append a call of a row over the axis."""
        builder, before = self.builder, self.builder.body
        builder.body, builder.span = place, getattr(like, "span", None)
        builder.inlined = getattr(like, "inlined", ())
        made = builder.call(operator, *atoms, axis_name=self.axis_name, hint=hint)
        builder.body = before
        return made

    def _placed(self, statements: Sequence[gast.stmt]) -> list[gast.stmt]:
        """The statements with what stands behind some."""
        made: list[gast.stmt] = []
        for statement in statements:
            made.append(with_blocks(statement, [self._placed(inner) for inner in syntax.blocks_of(statement)]))
            for name in syntax.names_bound(statement):
                if not isinstance(statement, gast.For):
                    made += self.behind.get(name, [])
        return made
