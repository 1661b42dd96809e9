"""The statements of one kernel: of a thread on its own, and of threads that take the row of a nest together.

    for j in lanes(m): total += x[i, j]     ->     j = cuda.threadIdx.x
                                                   while j < m:
                                                       total += x[i, j]
                                                       j += cuda.blockDim.x
                                                   total = row_sum_f64(total)

What a kernel mentions and does not make itself is a parameter.  A number that lies on the device is an array without
axes there, `total[()]`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import gast

from ... import syntax
from ...analysis.folds import accumulations, is_folding
from ...analysis.lanes import accumulated, fold_of
from ...analysis.memory.storage import storage_classes
from ...builder import INFIX
from ...dtypes import DTYPE, NUMPY_DTYPE, is_bool, is_inexact, is_integer
from ...ops.reduction import FOLDS, reduction_by
from ...ops.schema import OPERATORS, Fold
from ...program import Function
from ...types import Array, Scalar, Type, dtype_of
from ..python.templates import attribute
from .nests import begins_with_zero, bounds, is_length
from .places import CHOSEN, FOLDED
from .spell import FAILED, HALF, Speller, Unmappable, constant
from .trees import product, python

AUGMENTS = {name: sign for sign, name in INFIX.items() if OPERATORS[name].is_polynomial}
LARGEST_LOCAL = 64  # elements of an array of a thread's own


class KernelWriter:
    """Writes one kernel; `needed` collects the functions of `pellucid.support` that it calls."""

    def __init__(self, function: Function, own: Iterable[str], cells: frozenset[str], needed: dict[str, None]) -> None:
        self.function, self.types = function, function.types
        self.own, self.cells, self.needed = set(own), cells, needed
        self.parameters: dict[str, None] = {}
        self.renamed: dict[str, str] = {}
        self.fails = False
        self.in_row = False
        self.ends_alone = False  # a thread may return: no other waits for it
        self.stops, self.goes_on = False, False  # whether loops stop once a kernel has failed, and whether one does not
        self.classes = storage_classes(function)
        self.speller = Speller(function, self.read, self.fail, self.need)
        self.has_free_turns: Callable[[gast.For], bool] = lambda loop: False
        self.after_failure = "return"  # `break` where the threads still fold what they have, empty below such a loop

    # --- what expressions mention

    def read(self, name: str) -> gast.expr:
        name = self.renamed.get(name, name)
        if name in self.own:
            return syntax.name(name)
        self.parameters[name] = None
        return _cell(name) if name in self.cells else syntax.name(name)

    def fail(self) -> str:
        self.fails = True
        return FAILED

    def need(self, helper: str) -> str:
        self.needed[helper] = None
        return helper

    # --- a thread

    def thread(self, body: Sequence[gast.stmt]) -> list[gast.stmt]:
        """Statements that every thread runs for itself."""
        return [made for node in body for made in self.statement(node)] or [gast.Pass()]

    def statement(self, node: gast.stmt) -> list[gast.stmt]:
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                return [self.bind(node, name, value)]
            case gast.Assign(targets=[gast.Subscript() as place], value=value):
                return [self.store(node, place, value)]
            case gast.If(test=test, body=body, orelse=orelse):
                otherwise = self.thread(orelse) if orelse else []
                return [like(gast.If(self.speller.test(test), self.thread(body), otherwise), node)]
            case gast.While(test=test, body=body):
                test_ = self.speller.test(test)
                return [like(gast.While(test_, [*self.stopped(test), *self.inner(body)], []), node)]
            case gast.For(target=gast.Name(id=variable)):
                return [self.counted(node, variable)]
            case gast.Raise():
                return [like(s, node) for s in self.raised()]
            case gast.Delete() | gast.Pass():
                return []
        raise Unmappable(f"`{type(node).__name__.lower()}` stands in the loop")

    def raised(self) -> list[gast.stmt]:
        """The word is set, and the thread takes no more iterations; the message is made on the host."""
        if not self.after_failure:
            raise Unmappable("an error is raised in a loop in a fold")
        return python("{failed}[0] = 1\n" + self.after_failure, failed=self.fail())

    def turns(self, body: Sequence[gast.stmt]) -> list[gast.stmt]:
        """The iteration of a loop of threads that fold what they have after it: all come there, those that fail too."""
        before, self.after_failure = self.after_failure, "break"
        made = self.thread(body)
        self.after_failure = before
        return made

    def inner(self, body: Sequence[gast.stmt]) -> list[gast.stmt]:
        """The iteration of a loop that a thread takes by itself."""
        before = self.after_failure
        self.after_failure = "return" if before == "return" else ""
        made = self.thread(body)
        self.after_failure = before
        return made

    def stopped(self, test: gast.expr) -> list[gast.stmt]:
        """The way out of a `while` loop once a kernel has failed: what it then computes with may never end it.

        A thread that others wait for leaves the loop alone.  After a test of ints it may not, since indices are taken
        to be in bounds there by what such a test says when it ends a loop.
        """
        if not self.ends_alone and self.tells_of_ints(test):
            return []
        if not self.stops:
            self.goes_on = True
            return []
        way = "return" if self.ends_alone else "break"
        return python(f"if {{failed}}[0] != 0:\n    {way}", failed=self.fail())

    def tells_of_ints(self, test: gast.expr) -> bool:
        """Whether ints are compared in a test."""
        calls = [node for node in syntax.nodes_of(test) if isinstance(node, gast.Call)]
        rows = [(call, OPERATORS.get(str(syntax.operator_of(call)))) for call in calls]
        compared = [call for call, row in rows if row is not None and row.is_comparison]
        return any(all(is_integer(self.speller.type_of(a).dtype) for a in call.args) for call in compared)

    def bind(self, node: gast.stmt, name: str, value: gast.expr) -> gast.stmt:
        type_ = self.types[name]
        if isinstance(type_, Array):
            return like(gast.Assign([syntax.target(name)], self.local_array(type_, value), None), node)
        if not isinstance(type_, Scalar):
            raise Unmappable(f"`{name}` is {type_}")
        return self.assigned(node, name, value, type_.dtype)

    def assigned(self, node: gast.stmt, name: str, value: gast.expr, dtype: str) -> gast.stmt:
        """`name = value`, or `name += term`; a number on the device is stored there."""
        target = self.renamed.get(name, name)
        operator = syntax.operator_of(value)
        if target in self.own and accumulated(node) == name and operator in AUGMENTS and adds_in_its_dtype(dtype):
            term = self.speller.as_dtype(value.args[1], dtype)
            return like(gast.AugAssign(syntax.target(target), AUGMENTS[operator](), term), node)
        made = self.speller.as_dtype(value, dtype)
        if target in self.own:
            return like(gast.Assign([syntax.target(target)], made, None), node)
        self.parameters[target] = None
        return like(gast.Assign([_cell(target, gast.Store())], made, None), node)

    def local_array(self, type_: Array, value: gast.expr) -> gast.expr:
        """A short array that each thread has for itself."""
        lengths = [d for d in type_.dims if isinstance(d, int)]
        size = 1
        for length in lengths:
            size *= length
        if syntax.operator_of(value) != "empty" or len(lengths) != type_.ndim or size > LARGEST_LOCAL or self.in_row:
            raise Unmappable("an array is made in each iteration of the loop")
        shape = syntax.literal(tuple(lengths) if len(lengths) > 1 else lengths[0])
        dtype = attribute(f"np.{NUMPY_DTYPE[type_.dtype].name}")
        return gast.Call(attribute("cuda.local.array"), [shape, dtype], [])

    def store(self, node: gast.stmt, place: gast.Subscript, value: gast.expr) -> gast.stmt:
        type_ = self.types[place.value.id]
        target = self.speller.element(place)
        stored = syntax.rebuild(target, ctx=gast.Store())
        match value:
            case gast.Call(func=gast.Name(id=operator), args=[gast.Subscript() as first, term]) if (
                operator in AUGMENTS and self.keeps_float(type_, value) and syntax.same(place.slice, first.slice)
                and syntax.same(place.value, first.value) and id(first) not in self.speller.loaded
            ):  # fmt: skip
                made = self.speller.as_dtype(term, dtype_of(type_))
                return like(gast.AugAssign(stored, AUGMENTS[operator](), made), node)
        return like(gast.Assign([stored], self.speller.as_dtype(value, dtype_of(type_)), None), node)

    def keeps_float(self, type_: Type, value: gast.expr) -> bool:
        """Whether a value has the dtype of the floats of an array, real or complex, so that Numba adds it in that."""
        dtype = dtype_of(type_)
        return adds_in_its_dtype(dtype) and self.speller.type_of(value).dtype == dtype

    def counted(self, node: gast.For, variable: str) -> gast.stmt:
        """A loop that each thread runs through from its first to its last iteration."""
        start, stop, step = (self.speller.as_dtype(bound, "i64") for bound in node.iter.args)
        if not isinstance(step, gast.Constant) and not isinstance(step, gast.UnaryOp):
            raise Unmappable("the step of a loop is not known")
        iter_ = range_of(start, stop, step)
        self.own.add(variable)
        return like(gast.For(syntax.target(variable), iter_, self.inner(node.body), [], None), node)

    # --- folds

    def accumulators(self, loop: gast.For) -> dict[str, tuple[str, Fold]]:
        """The names that a `lanes` or a `folding` loop accumulates: the operator of parts and how its row folds."""
        if is_folding(loop):
            of_users = accumulations(loop.body, self.types)
            return {name: (operator, FOLDS[operator]) for name, operator in of_users.items()}
        found: dict[str, tuple[str, Fold]] = {}
        for node in syntax.walk(loop.body):
            name = accumulated(node)
            fold = fold_of(node, self.types) if name else None
            if fold is not None and name not in self.declared_within(loop):
                found[name] = str(syntax.operator_of(node.value)), fold
        return found

    def declared_within(self, loop: gast.For) -> set[str]:
        """The names that an iteration assigns before it accumulates: they are not loop-carried."""
        return {
            n for s in syntax.walk(loop.body) if not accumulated(s) and not isinstance(s, gast.For)
            for n in syntax.names_bound(s)
        }  # fmt: skip

    def fold_name(self, name: str, operator: str) -> str:
        return self.need(fold_over_threads("row", operator, dtype_of(self.types[name])))

    def identity(self, name: str, fold: Fold) -> gast.expr:
        dtype = dtype_of(self.types[name])
        return start_value(fold.start(dtype), dtype)


def fold_over_threads(threads: str, operator: str, dtype: str) -> str:
    """The device function that folds values of the threads of a row, or of a column."""
    row = OPERATORS.get(operator)
    if row is not None and is_bool(dtype) and row.cuda is not None and row.cuda.truths:
        holds_for_any = any(sign in row.cuda.truths for sign in ("|", " or "))
        return f"{threads}_any" if holds_for_any else f"{threads}_all"
    word = reduction_by(operator)
    if row is None or not word or dtype not in (CHOSEN if row.taken else FOLDED):
        raise Unmappable(f"`{operator}` of {dtype} has no fold over threads")
    return f"{threads}_{word}_{dtype}"


def neutral(operator: str, dtype: str, fold: Fold) -> gast.expr:
    """What changes no value that it is taken together with: 0.0 makes another zero of -0.0."""
    is_sum = operator == "add" and is_inexact(dtype)
    return start_value(-0.0 if is_sum else fold.start(dtype), dtype)


def combined(writer: KernelWriter, operator: str, type_: Type, left: gast.expr, right: gast.expr) -> gast.expr:
    """`operator(left, right)` for operands that are written already, both of one type."""
    given = {"__left__": left, "__right__": right}
    return spelled(writer, syntax.call(operator, *given), type_, given)


def spelled(writer: KernelWriter, tree: gast.expr, type_: Type, given: Mapping[str, gast.expr]) -> gast.expr:
    """An expression over names of one type that stand for what is written already, which replaces them."""
    types, own = writer.speller.types, writer.own
    writer.speller.types = {**types, **dict.fromkeys(given, type_)}
    writer.own = own | given.keys()
    made = writer.speller.expression(tree)
    writer.speller.types, writer.own = types, own
    found: gast.expr = syntax.map_names(made, lambda name: given.get(name, name))
    return found


def range_of(start: gast.expr, stop: gast.expr, step: gast.expr) -> gast.Call:
    """`range(n)` for `range(0, n, 1)`."""
    plain = isinstance(step, gast.Constant) and step.value == 1
    from_zero = plain and isinstance(start, gast.Constant) and start.value == 0
    parts = [stop] if from_zero else [start, stop] if plain else [start, stop, step]
    return gast.Call(syntax.name("range"), parts, [])


def start_value(value: Any, dtype: str) -> gast.expr:
    """The value before the first term, in its dtype from the start."""
    made = constant(value, dtype)
    if is_bool(dtype) or isinstance(made, gast.Call):
        return made
    return gast.Call(attribute(f"np.{DTYPE[dtype].numpy.name}"), [made], [])


def adds_in_its_dtype(dtype: str) -> bool:
    """Whether `a += b` of two such numbers is one of them in Numba."""
    return is_inexact(dtype) and dtype != HALF


def _cell(name: str, context: Any = None) -> gast.Subscript:
    return gast.Subscript(syntax.name(name), gast.Tuple([], gast.Load()), context or gast.Load())


def like(made: gast.stmt, old: gast.stmt) -> gast.stmt:
    """The statement with where the user wrote it."""
    span = getattr(old, "span", None)
    if span is not None:
        made.span, made.inlined = span, getattr(old, "inlined", ())
    return made


def own_names(body: Iterable[gast.stmt]) -> set[str]:
    """The names that statements give a value themselves."""
    return {n for s in syntax.walk(body) for n in syntax.names_bound(s)}


def first_turn(node: gast.For, speller: Speller, thread: gast.expr) -> gast.expr:
    """Where a thread begins: its own number, after the start of the loop."""
    if begins_with_zero(node):
        return thread
    return gast.BinOp(speller.as_dtype(bounds(node)[0], "i64"), gast.Add(), thread)


def turns_of_loop(node: gast.For, speller: Speller) -> gast.expr:
    """How many iterations a loop has: none where it stops ahead of its start."""
    start, stop = (speller.as_dtype(bound, "i64") for bound in bounds(node))
    if begins_with_zero(node) and is_length(speller.function, bounds(node)[1]):
        return stop
    return not_negative(stop if begins_with_zero(node) else gast.BinOp(stop, gast.Sub(), start))


def not_negative(count: gast.expr) -> gast.expr:
    """`max(count, 0)`"""
    return gast.Call(syntax.name("max"), [count, syntax.constant(0)], [])


def shifted(node: gast.For, speller: Speller, name: str) -> list[gast.stmt]:
    """`i += start`: the number of an iteration becomes what the loop counts."""
    if begins_with_zero(node):
        return []
    return python("{i} += {start}", i=name, start=speller.as_dtype(bounds(node)[0], "i64"))


def taken_apart(
    loops: Sequence[gast.For], lengths: Sequence[gast.expr], number: str, speller: Speller
) -> list[gast.stmt]:
    """The variables of a nest from the number of an iteration of all of it."""
    made: list[gast.stmt] = []
    for position, loop in enumerate(loops):
        behind = lengths[position + 1 :]
        value: gast.expr = syntax.name(number)
        if behind:
            value = gast.BinOp(value, gast.FloorDiv(), product(behind))
        if position:
            value = gast.BinOp(value, gast.Mod(), lengths[position])
        made += [*python("{i} = {v}", i=loop.target.id, v=value), *shifted(loop, speller, loop.target.id)]
    return made
