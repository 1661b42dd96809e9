"""Whether each element of the results depends on one element of each of some arrays: then blocks may be taken apart.

    y = multiply(x, 2.0)                     y is blocked as x is
    n = dim(x, axis=0); z = zeros(n)         n is the length of the first of x's axes; z is blocked as x is
    k = add(c, 1); if k: y = negative(y)     k is the same for all blocks, since c is, and so is what it decides
    s = sum(x), t = x[0], m = add(n, 1)      no: another block has another value

Takes a typed program and the names of its parameters that come in blocks, and tells of each result whether it is
blocked as those are, with their axes aligned at the right, as broadcasting aligns them.  Raises NotElementwise for the
first statement that sees more than one element, or a length as a number.

What an operator does is what its row says: its kind, or the rule of its batched form.  Names are followed without
regard to the order of statements, so a name that is blocked in one place is blocked in all.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from .. import syntax, types
from ..diagnostics import Span
from ..dtypes import is_bool
from ..ops import batching
from ..ops.schema import Operator, row_of
from ..program import Function, Program
from .activity import result_names

# What a name holds: the same for all blocks, a block, or the length of an axis of the blocks, counted from the end.
State = str | int
WHOLE, BLOCKED = "whole", "blocked"
FILLS = (batching.filled, batching.broadcast_to)  # of the same value everywhere, in a shape
SAME_PLACE = (batching.copy,)


class NotElementwise(Exception):
    """`what` sees more than one element of a block; `parameter` is one that would have to come in blocks as well."""

    def __init__(self, what: str, span: Span | None, parameter: str = "") -> None:
        super().__init__(what)
        self.what, self.span, self.parameter = what, span, parameter


def blocked_results(program: Program, parameters: Sequence[str]) -> list[bool]:
    """Of each result whether it is blocked as these parameters of the entry are; else it is the same for all blocks."""
    given = tuple(BLOCKED if name in parameters else WHOLE for name in program.main.parameters)
    return [state == BLOCKED for state in _Functions(program).results(program.main, given)]


class _Functions:
    """The results of each function of a program for what it may be called with."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.known: dict[tuple[str, tuple[State, ...]], list[State] | None] = {}

    def results(self, function: Function, given: tuple[State, ...], span: Span | None = None) -> list[State]:
        key = function.name, given
        if key not in self.known:
            self.known[key] = None
            self.known[key] = _Names(function, given, self).results()
        found = self.known[key]
        if found is None:
            written = function.origin.name if function.origin else function.name
            raise NotElementwise(f"`{written}`, which calls itself,", span)
        return found


class _Names:
    """What the names of one function hold."""

    def __init__(self, function: Function, given: tuple[State, ...], functions: _Functions) -> None:
        self.function, self.functions = function, functions
        self.states: dict[str, State] = dict(zip(function.parameters, given, strict=True))
        self.span: Span | None = None

    def results(self) -> list[State]:
        found = -1
        while found != len(self.states):  # what is made in a loop may be read above in it
            found = len(self.states)
            self.block(self.function.body)
        names = result_names(self.function)
        states = [WHOLE if name is None else self.states.get(name, WHOLE) for name in names]
        if any(isinstance(state, int) for state in states):
            self.refuse("the length of an axis, which is returned,")
        return states

    def refuse(self, what: str, parameter: str = "") -> None:
        raise NotElementwise(what, self.span, parameter)

    def block(self, body: Sequence[gast.stmt]) -> None:
        for statement in body:
            self.span = getattr(statement, "span", None)
            self.statement(statement)
            for block in syntax.blocks_of(statement):
                self.block(block)

    def statement(self, statement: gast.stmt) -> None:
        match statement:
            case gast.Return():
                return
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base), slice=items)], value=value):
                self.store(base, items, value)
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                self.bind(name, self.state_of(value))
            case gast.Assign(targets=[gast.Tuple(elts=names)], value=value):
                for name, state in zip(names, self.states_of_call(value, len(names)), strict=True):
                    self.bind(name.id, state)
            case gast.If(test=test) | gast.While(test=test):
                self.require_whole(test, "a condition")
            case gast.For(target=gast.Name(id=name), iter=counted):
                self.require_whole(counted, "how often a loop runs")
                self.bind(name, WHOLE)
            case _:
                self.require_whole(statement, "a statement")

    def bind(self, name: str, state: State | None) -> None:
        if state is None:  # read above where it is made, in a loop; the next time around it is known
            return
        if self.states.setdefault(name, state) != state:
            self.refuse("a variable that is an array in one place and the same for all in another")

    def reads(self, node: gast.AST) -> set[State]:
        """What the names in an expression hold, as far as it is known yet."""
        return {self.states[name] for name in syntax.names_read(node) if name in self.states}

    def require_whole(self, node: gast.AST, what: str) -> None:
        found = self.reads(node) - {WHOLE}
        if found:
            self.refuse(f"{what} that depends on {'elements' if BLOCKED in found else 'the number of elements'}")

    # --- expressions

    def state_of(self, value: gast.expr) -> State | None:
        read = self.reads(value)
        if read <= {WHOLE}:
            is_known = all(name in self.states for name in syntax.names_read(value))
            return WHOLE if is_known else None
        match value:
            case gast.Name(id=name):
                return self.states[name]
            case gast.Call():
                return self.state_of_call(value)
            case gast.Subscript(value=gast.Name(id=base), slice=items) if self.is_all_of(base, items):
                return BLOCKED
        self.refuse("an index, a slice, or a view")
        return None

    def state_of_call(self, call: gast.Call) -> State | None:
        name = syntax.operator_of(call) or ""
        row, static = row_of(name), syntax.static_of(call)
        if name in self.functions.program.functions:
            return self.states_of_call(call, 1)[0]
        if row is None:
            self.refuse(f"`{name}`")
        elif name == "dim" and self.is_blocked(call.args[0]):
            return int(static["axis"]) - types.rank(self.function.types[call.args[0].id])
        elif row.kind == "elementwise" or row.batch in SAME_PLACE:
            return self.state_of_elements(call.args, row)
        elif row.batch in FILLS and self.is_shape_of_blocks(call, static["shape"]):
            return self.state_of_elements(call.args, row)
        else:
            self.refuse(f"`{_spoken(row)}`")
        return None

    def states_of_call(self, call: gast.expr, count: int) -> list[State | None]:
        """The results of a function of the program, or of an operator that has several."""
        callee = self.functions.program.functions.get(syntax.operator_of(call) or "")
        if callee is None or not isinstance(call, gast.Call):
            self.require_whole(call, f"`{syntax.operator_of(call)}`, a function of arrays,")
            return [WHOLE] * count
        names = [a.id for a in call.args if isinstance(a, gast.Name)]
        if not all(name in self.states for name in names):
            return [None] * count
        given = tuple(self.states[a.id] if isinstance(a, gast.Name) else WHOLE for a in call.args)
        return list(self.functions.results(callee, given, self.span))

    def state_of_elements(self, operands: Sequence[gast.expr], row: Operator) -> State:
        """Operands that are blocks, and numbers; an array that is no block would be broadcast to each of them anew."""
        for operand in operands:
            if not isinstance(operand, gast.Name) or self.states.get(operand.id, BLOCKED) == BLOCKED:
                continue
            if self.states[operand.id] != WHOLE:
                self.refuse(f"`{_spoken(row)}` of the number of elements")
            type_ = self.function.types[operand.id]
            if isinstance(type_, types.Array) and any(length != 1 for length in type_.dims):
                is_entry = self.function is self.functions.program.main
                is_given = is_entry and operand.id in self.function.parameters
                self.refuse(f"`{_spoken(row)}` with an array that is no block", operand.id if is_given else "")
        return BLOCKED

    def is_blocked(self, node: gast.expr) -> bool:
        return isinstance(node, gast.Name) and self.states.get(node.id) == BLOCKED

    def is_shape_of_blocks(self, call: gast.Call, shape: object) -> bool:
        """Whether lengths of the blocks stand at the places of their axes, and those of 1 everywhere else."""
        keyword = next((k.value for k in call.keywords if k.arg == "shape"), None)
        if not isinstance(keyword, gast.Tuple):
            return False
        places = range(-len(keyword.elts), 0)
        return all(
            isinstance(e, gast.Name) and self.states.get(e.id) == place
            or isinstance(e, gast.Constant) and e.value == 1
            for e, place in zip(keyword.elts, places)
        )  # fmt: skip

    # --- elements

    def is_all_of(self, base: str, items: gast.expr) -> bool:
        """Whether an index is `[:, :]`, all elements in their places."""
        parts = items.elts if isinstance(items, gast.Tuple) else [items]
        full = [isinstance(p, gast.Slice) and p.lower is p.upper is p.step is None for p in parts]
        return self.states.get(base) == BLOCKED and all(full) and len(full) == types.rank(self.function.types[base])

    def is_mask_of(self, base: str, items: gast.expr) -> bool:
        """Whether an index is a mask that is blocked as the array is."""
        parts = items.elts if isinstance(items, gast.Tuple) else [items]
        if len(parts) != 1 or not self.is_blocked(parts[0]):
            return False
        mask, array = self.function.types[parts[0].id], self.function.types[base]
        return is_bool(mask.dtype) and types.rank(mask) == types.rank(array)

    def store(self, base: str, items: gast.expr, value: gast.expr) -> None:
        """`y[:] = v` of blocks, and `y[mask] = v` of a number."""
        if self.reads(items) | self.reads(value) | {self.states.get(base, WHOLE)} == {WHOLE}:
            return
        is_number = isinstance(value, gast.Constant) or (
            isinstance(value, gast.Name)
            and self.states.get(value.id) == WHOLE
            and isinstance(self.function.types[value.id], types.Scalar)
        )
        if self.is_all_of(base, items) and (is_number or self.is_blocked(value)):
            return
        if self.states.get(base) == BLOCKED and self.is_mask_of(base, items) and is_number:
            return
        self.refuse("an assignment to some elements")


def _spoken(row: Operator) -> str:
    """What users call an operator."""
    return row.python[0].replace("numpy.", "np.") if row.python else row.name
