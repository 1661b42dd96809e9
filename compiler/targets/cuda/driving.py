"""The driver: what is left of a function when its loops are kernels, and the launches in their place.

    for i in prange(size): out[i] = f(x[i])     ->     f_1[elements(size)](x, out, size)
    for t in range(steps): ...nests...          ->     for t in range(steps): ...launches...
    for i in range(1, n): y[i] = g(y[i - 1])    ->     f_2(y)      a function of the host, with the reason in `explain`

It is plain Python, and what is printed is what runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeGuard

import gast

from ... import syntax
from ...analysis.lanes import accumulated
from ...analysis.liveness import liveness
from ...names import Names
from ...ops.forms import LIBRARY, VIEWS
from ...optimise.independent import Marker
from ...program import Function
from ...types import Array, ListOf, dtype_of
from ..python.spell import HELPERS
from ..python.spell import Speller as HostSpeller
from ..python.templates import numpy_dtype
from .batches import BATCHED, Batch, batch_of, operand
from .column_folds import adds_rows, rows_added
from .host_parts import on_host
from .lists import is_of_lists
from .nest_launches import nest
from .nests import begins_with_zero, bounds, is_length, kind_of
from .places import DEVICE_LOOPS, FOLDING, calls_routine, handed_on, launches, loads
from .recognise import first_alone, scan_of, scatters_of
from .recognised import scan
from .scatters import scatters
from .spell import FAILED, Unmappable
from .texts import HostText, KernelText
from .trees import copied, expression, mentioned, mentioned_itself, python, without_casts
from .whole_folds import whole
from .writing import KernelWriter, like, not_negative


class DriverWriter:
    """Writes a driver; `others` are the functions of the program, and `taken` are names that it is to leave alone."""

    def __init__(
        self, function: Function, cells: frozenset[str], others: Iterable[str] = (), taken: Iterable[str] = (),
        stops: bool = False,
    ) -> None:  # fmt: skip
        self.function, self.types, self.cells = function, function.types, cells
        self.taken = frozenset({"cuda", "np", "math", FAILED, *taken})
        self.needed: dict[str, None] = {}
        self.kernels: list[KernelText | HostText] = []
        self.fails, self.stops, self.goes_on = False, stops, False
        self.others = frozenset(others)
        self.names = Names({*function.types, *function.parameters, *self.others, *self.taken})
        self.made_cells: set[str] = set()
        self.starts: dict[str, gast.Assign] = {}
        self.host = HostSpeller(function, {name: name for name in HELPERS})
        self.live = liveness(function)
        self.extra: dict[str, str] = {}  # the types of names that no function has, as they are printed
        self.cell_of: dict[str, str] = {}
        self.marker: Marker | None = None

    # --- statements

    def block(self, body: Sequence[gast.stmt]) -> list[gast.stmt]:
        made: list[gast.stmt] = []
        position = 0
        while position < len(body):
            node = body[position]
            if self.is_start(node):
                self.starts[node.targets[0].id] = node
                position += 1
                continue
            made += self.settled_before(node)
            run, deletes = self.single_run(body, position)
            if run:
                made += self.settled_before(*run)
                made += [*self.tried(run, lambda: self.single(run)), *deletes]  # noqa: B023
                position += len(run) + len(deletes)
                continue
            if isinstance(node, gast.For) and kind_of(node) in FOLDING:
                if adds_rows(node):
                    made += self.tried([node], lambda: rows_added(self, node))  # noqa: B023
                    position += 1
                    continue
                behind, deletes = self.single_run(body, position + 1)
                made += self.tried([node], lambda: whole(self, node, [*self.late(node, behind), *behind]))  # noqa: B023
                position += 1 + (len(behind) + len(deletes) if self.took else 0)
                made += deletes if self.took else []
                continue
            behind_it = body[position + 1] if position + 1 < len(body) else node
            made += self.statement(first_alone(self.function, node, behind_it))
            position += 1
        return made

    def late(self, loop: gast.stmt, behind: Sequence[gast.stmt]) -> list[gast.stmt]:
        """The assignments of known numbers that nothing reads before what is after a loop does."""
        names = set(mentioned(behind)) & set(self.starts) - set(handed_on(loop))
        return [self.starts.pop(name) for name in sorted(names)]

    def is_start(self, node: gast.stmt) -> TypeGuard[gast.Assign]:
        """Whether a cell is set to a known number: perhaps what a fold begins with, which need not be stored."""
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if name in self.cells:
                return isinstance(without_casts(value), gast.Constant)
        return False

    def all_on_host(self, reason: str) -> list[gast.stmt]:
        """The whole function as one part of the host.  Raises Refused where it takes or gives lists."""
        *body, last = self.function.body
        return [*on_host(self, body, reason), self.host.statement(last)]

    def tried(self, nodes: Sequence[gast.stmt], write: Any) -> list[gast.stmt]:
        """What a writer makes of statements; where it cannot, the statements on the host."""
        kept = len(self.kernels), self.fails, dict(self.starts)
        try:
            made: list[gast.stmt] = write()
            self.took = True
            return made
        except Unmappable as reason:
            del self.kernels[kept[0] :]
            self.fails, self.starts = kept[1], kept[2]
            self.took = False
            return self.flushed(set(self.starts) & set(mentioned(nodes))) + on_host(self, nodes, str(reason))

    def statement(self, node: gast.stmt) -> list[gast.stmt]:
        match node:
            case gast.Assign() | gast.Expr() if self.calls_with_arrays(node):
                return on_host(self, [node], "a function is called with arrays")
            case _ if is_of_lists(node, self.types):
                return [like(self.host.statement(self.fetched(node)), node)]
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if isinstance(self.types.get(name), Array):
                return self.array(node, name, value)
            case gast.Assign(targets=[gast.Subscript()]):
                return self.tried([node], lambda: self.single([node]))
            case gast.Assign(targets=[gast.Name()], value=value):
                return [like(self.host.statement(self.fetched(node)), node)]
            case gast.Assign(targets=[gast.Tuple()]) if not self.has_calls(node):
                return [self.host.statement(node)]
            case gast.For() if (batch := batch_of(self.function, self.live, node)) is not None:
                return self.batched(node, batch)
            case gast.For() if kind_of(node) == "prange" and not calls_routine([node]):
                return self.tried([node], lambda: nest(self, node))
            case gast.For() if kind_of(node) == "range" and (found := scatters_of(self.function, node)):
                return self.tried([node], lambda: scatters(self, found))
            case gast.For() | gast.While() if not launches([node]):
                return self.sequential(node)
            case gast.For(iter=iter_, body=body):
                inner = self.inside(body)
                return [syntax.rebuild(node, iter=self.host.bounds(self.fetched(iter_)), body=inner)]
            case gast.While(test=test, body=body):
                before = self.flushed(set(self.starts))
                return [*before, syntax.rebuild(node, test=self.host.test(self.fetched(test)), body=self.inside(body))]
            case gast.If(test=test, body=body, orelse=orelse):
                before = self.flushed(set(self.starts))
                parts = [self.inside(block) if block else [] for block in (body, orelse)]
                test_ = self.host.test(self.fetched(test))
                if not parts[0] and parts[1]:
                    parts[0] = [gast.Pass()]
                return [*before, syntax.rebuild(node, test=test_, body=parts[0], orelse=parts[1])]
            case gast.Raise():
                return [self.host.statement(self.fetched(node))]
            case gast.Return():
                return self.returned(node)
            case gast.Delete(targets=[gast.Name(id=name)]):
                return [] if name in self.cells else [node]
            case gast.Pass():
                return []
            case gast.Expr(value=gast.Call(func=gast.Name(id=operator))) if operator in LIBRARY:
                return [self.host.statement(self.fetched(node))]
        return on_host(self, [node], "no kernel can have it")

    def inside(self, body: Sequence[gast.stmt]) -> list[gast.stmt]:
        """A block that is run any number of times: what a name begins with is no longer known in it, nor after it."""
        before, self.starts = self.starts, {}
        made = self.block(body) + self.flushed(set(self.starts))
        self.starts = before
        return made or [gast.Pass()]

    def batched(self, node: gast.For, batch: Batch) -> list[gast.stmt]:
        """One call of a library for a loop over products."""
        name = self.need(BATCHED[batch.routine])
        arguments = [operand(part, batch, self.function) for part in batch.parts]
        return [like(gast.Expr(gast.Call(syntax.name(name), arguments, [])), node)]

    def calls_with_arrays(self, node: gast.Assign | gast.Expr) -> bool:
        """Whether a function of the program is given arrays."""
        calls = [c for c in syntax.calls_in(node.value) if syntax.operator_of(c) in self.others]
        read = [n for call in calls for n in syntax.names_read(call)]
        return any(isinstance(self.types.get(n), Array | ListOf) for n in read)

    def has_calls(self, node: gast.Assign) -> bool:
        return any(isinstance(part, gast.Call) for part in syntax.nodes_of(node.value))

    def array(self, node: gast.Assign, name: str, value: gast.expr) -> list[gast.stmt]:
        operator = syntax.operator_of(value)
        if operator == "empty":
            static = self.host.static(syntax.static_of(self.fetched(value)))
            dtype = numpy_dtype(dtype_of(self.types[name]))
            return [like(python("{a} = cuda.device_array({s}, {d})", a=name, s=static["shape"], d=dtype)[0], node)]
        if isinstance(value, gast.Name | gast.Subscript) or operator in VIEWS:
            return [like(self.host.statement(self.fetched(node)), node)]
        return on_host(self, [node], f"`{operator}` has no kernels")

    def returned(self, node: gast.Return) -> list[gast.stmt]:
        before = self.flushed(set(self.starts) & set(syntax.names_read(node)))
        self.made_cells |= set(syntax.names_read(node)) & self.cells
        if self.fails:
            before += python("{failed}.check()", failed=FAILED)
        return [*before, self.host.statement(node)]

    # --- numbers on the device

    def fetched(self, node: Any) -> Any:
        """The tree with what lies on the device read by the host, which waits for it."""
        writer = self

        class Fetch(gast.NodeTransformer):
            def visit_Name(self, node: gast.Name) -> gast.expr:
                if node.id in writer.cells and isinstance(node.ctx, gast.Load):
                    return syntax.call(writer.need("fetch"), syntax.name(node.id))
                return node

            def visit_Subscript(self, node: gast.Subscript) -> gast.expr:
                items = self.visit(node.slice)
                items_ = items.elts if isinstance(items, gast.Tuple) else [items]
                whole = any(isinstance(i, gast.Slice | gast.Constant) and not _is_int(i) for i in items_)
                made = syntax.rebuild(node, slice=items)
                array = writer.types.get(node.value.id)
                if not isinstance(array, Array) or isinstance(node.ctx, gast.Store) or whole:
                    return made
                if len(items_) < array.ndim:
                    return made
                # with dots the index is a view of no dimensions: an element as such is not read by the host
                dots = gast.Tuple([*items_, gast.Constant(..., None)], gast.Load())
                return syntax.call(writer.need("fetch"), syntax.rebuild(node, slice=dots))

        if not isinstance(node, gast.AST) or not _mentions_device(node, self.cells, self.function):
            return node
        return Fetch().visit(copied(node))

    def need(self, helper: str) -> str:
        self.needed[helper] = None
        return helper

    def single_run(self, body: Sequence[gast.stmt], position: int) -> tuple[list[gast.stmt], list[gast.stmt]]:
        """The statements from here on that set cells and single elements: one thread's work.

        Arrays that are released among them may as well be released after them.
        """
        run: list[gast.stmt] = []
        deletes: list[gast.stmt] = []
        for node in body[position:]:
            match node:
                case gast.Assign(targets=[gast.Name(id=name)]) if name in self.cells and not self.is_start(node):
                    run.append(node)
                case _ if is_of_lists(node, self.types):
                    break
                case gast.Assign(targets=[gast.Subscript(slice=items)]) if self.is_element(items):
                    run.append(node)
                case gast.Delete() if run:
                    deletes.append(node)
                    continue
                case _:
                    break
            taken = len(run) + len(deletes)
        return (run, deletes[: taken - len(run)]) if run else ([], [])

    def is_element(self, items: gast.expr) -> bool:
        listed = items.elts if isinstance(items, gast.Tuple) else [items]
        return not any(isinstance(i, gast.Slice) or isinstance(i, gast.Constant) and i.value is None for i in listed)

    def settled_before(self, *nodes: gast.stmt) -> list[gast.stmt]:
        """Write the cells that statements read and of which only the value is known so far."""
        wanted = set(mentioned(nodes)) & set(self.starts)
        for node in nodes:
            if kind_of(node) in FOLDING:
                wanted -= set(handed_on(node))
            elif isinstance(node, gast.For | gast.While) and kind_of(node) not in DEVICE_LOOPS:
                wanted = set(self.starts)
        return self.flushed(wanted)

    def flushed(self, names: Iterable[str]) -> list[gast.stmt]:
        nodes = [self.starts.pop(name) for name in sorted(names) if name in self.starts]
        return self.single(nodes) if nodes else []

    def single(self, nodes: Sequence[gast.stmt]) -> list[gast.stmt]:
        """One thread for what is done once."""
        writer = self.writer(set())
        body = writer.thread(nodes)
        return self.launched(writer, body, expression("1, 1"), nodes[0])

    # --- kernels

    def local(self, wish: str) -> str:
        """A name that the function does not have; kernels may share it, since each has its own scope."""
        return Names({*self.types, *self.taken, *self.extra}).fresh(wish)

    def writer(self, own: set[str], cls: type[KernelWriter] = KernelWriter) -> Any:
        made = cls(self.function, own, self.cells, self.needed)
        made.has_free_turns, made.stops = self.has_free_turns, self.stops
        return made

    def has_free_turns(self, loop: gast.For) -> bool:
        """Whether the iterations of a `lanes` loop need each other for accumulation alone: not where one stores what
        another reads.
        """
        if not any(syntax.stored_base(s) is not None for s in syntax.walk(loop.body)):
            return True
        if self.marker is None:
            self.marker = Marker(self.function)
        sums = {accumulated(s) for s in syntax.walk(loop.body)} - {""} | set(handed_on(loop))
        return self.marker.is_independent_but_for(loop, sums)

    def launched(
        self, writer: KernelWriter, body: Sequence[gast.stmt], shape: gast.expr, node: gast.stmt
    ) -> list[gast.stmt]:
        """The statement that launches a kernel, after those that make the cells that it writes."""
        name = self.names.fresh(f"{self.function.name}_{len(self.kernels) + 1}")
        given = [(n, self.written_type(n)) for n in writer.parameters]
        arguments = [syntax.name(n) for n in writer.parameters]
        if writer.fails:
            given.append((FAILED, "i64[1]"))
            arguments.append(syntax.name(FAILED))
            self.fails = True
        self.goes_on = self.goes_on or writer.goes_on
        self.kernels.append(KernelText(name, tuple(given), tuple(body)))
        self.made_cells |= set(writer.parameters) & self.cells
        launch = gast.Subscript(syntax.name(name), shape, gast.Load())
        return [like(gast.Expr(gast.Call(launch, arguments, [])), node)]

    def written_type(self, name: str) -> str:
        if name in self.extra:
            return self.extra[name]
        type_ = self.types[name]
        if name in self.cells:
            return f"{dtype_of(type_)}[]"
        is_strided = isinstance(type_, Array) and type_.layout != "C"
        return f"any {type_}" if is_strided and not str(type_).startswith("any ") else str(type_)

    def count(self, loop: gast.For) -> gast.expr:
        """How many iterations a loop has, as the host knows it."""
        start, stop = (self.host.expression(self.fetched(bound)) for bound in bounds(loop))
        return stop if begins_with_zero(loop) else gast.BinOp(stop, gast.Sub(), start)

    def length(self, loop: gast.For) -> gast.expr:
        """The same for an array with an element per iteration: it is empty where the loop stops ahead of its start."""
        is_known = begins_with_zero(loop) and is_length(self.function, bounds(loop)[1])
        return self.count(loop) if is_known else not_negative(self.count(loop))

    # --- the host

    def sequential(self, node: gast.stmt) -> list[gast.stmt]:
        """A loop that stays in order: in the driver where it is about its own numbers, else a function of the host."""
        if self.is_of_numbers(node):
            return [self.host.statement(self.fetched(node))]
        if isinstance(node, gast.For):
            as_scan = scan_of(self.function, node)
            if as_scan is not None:
                return self.tried([node], lambda: scan(self, as_scan))
        return on_host(self, [node], "its iterations need each other")


    def is_of_numbers(self, node: gast.stmt) -> bool:
        """Whether a statement is about numbers of the host alone, but for arrays that are renamed."""
        for statement in syntax.walk([node]):
            match statement:
                case gast.Assign(targets=[gast.Name()], value=gast.Name()) | gast.Delete():
                    held: tuple[type, ...] = (ListOf,)
                case _:
                    held = (Array, ListOf)
            if any(isinstance(self.types.get(n), held) for n in mentioned_itself(statement)):
                return False
        return True


# --- trees -----------------------------------------------------------------------------------------------------------


def _is_int(node: gast.expr) -> bool:
    return isinstance(node, gast.Constant) and isinstance(node.value, int)


def _mentions_device(node: gast.AST, cells: frozenset[str], function: Function) -> bool:
    return bool(cells & set(syntax.names_read(node))) or loads(function, node)
