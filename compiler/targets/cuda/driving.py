"""The driver: what is left of a function when its loops are kernels, and the launches in their places.

    for i in prange(size): out[i] = f(x[i])     ->     f_1[elements(size)](x, out, size)
    for t in range(steps): ...nests...          ->     for t in range(steps): ...launches...
    for i in range(1, n): y[i] = g(y[i - 1])    ->     f_2(y)      a function of the host, with the reason in `explain`

It is plain Python, and what is printed is what runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import gast

from ... import syntax
from ...analysis.def_use import reads_of
from ...analysis.lanes import accumulated
from ...analysis.liveness import liveness
from ...analysis.memory.storage import storage_classes
from ...names import Names
from ...ops.forms import CHANGES_FIRST, FORMS, LIBRARY
from ...ops.schema import Fold
from ...program import Function
from ...records import dataclass
from ...types import Array, ListOf, Scalar, Type
from ..python.spell import HELPERS
from ..python.spell import Speller as HostSpeller
from ..python.templates import numpy_dtype
from .nests import Elements, Rows, Tiles, bounds, kind_of, shape_of
from .places import DEVICE_LOOPS, launches, loads
from .recognise import scan_of, scatter_of
from .recognised import scan, scatter
from .rows import RowWriter
from .spell import FAILED, Unmappable
from .trees import expression, python
from .writing import KernelWriter, first_turn, is_together, like, own_names

PART = 8192  # terms of a sum that one block takes: the same on every GPU, so that the sum is too


@dataclass(frozen=True, slots=True, eq=False)
class KernelText:
    """One kernel: its parameters with their types as they are printed, and its statements."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    body: tuple[gast.stmt, ...]


@dataclass(frozen=True, slots=True, eq=False)
class HostText:
    """A part that stays on the host: a function of the loops stage, what it changes, and why it stays."""

    name: str
    parameters: tuple[tuple[str, Type], ...]
    changes: tuple[str, ...]
    results: tuple[str, ...]
    body: tuple[gast.stmt, ...]
    reason: str


class DriverWriter:
    def __init__(self, function: Function, cells: frozenset[str], others: Iterable[str] = ()) -> None:
        self.function, self.types, self.cells = function, function.types, cells
        self.needed: dict[str, None] = {}
        self.kernels: list[KernelText | HostText] = []
        self.fails = False
        self.others = frozenset(others)
        self.names = Names({*function.types, *function.parameters, *self.others, "cuda", "np", "math", FAILED})
        self.made_cells: set[str] = set()
        self.starts: dict[str, gast.Assign] = {}
        self.host = HostSpeller(function, {name: name for name in HELPERS})
        self.live = liveness(function)

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
                made += self.tried(node, lambda: self.single(run))  # noqa: B023
                position += len(run) + len(deletes) if self.took else 1
                made += deletes if self.took else []
                continue
            if kind_of(node) == "lanes":
                behind, deletes = self.single_run(body, position + 1)
                made += self.tried(node, lambda: self.whole(node, behind))  # noqa: B023
                position += 1 + (len(behind) + len(deletes) if self.took else 0)
                made += deletes if self.took else []
                continue
            made += self.statement(node)
            position += 1
        return made

    def is_start(self, node: gast.stmt) -> bool:
        """Whether a cell is set to a number that is known: perhaps what a fold begins with, which need not be stored."""
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if name in self.cells:
                while syntax.operator_of(value) == "cast":
                    value = value.args[0]
                return isinstance(value, gast.Constant)
        return False

    def tried(self, node: gast.stmt, write: Any) -> list[gast.stmt]:
        """What a writer makes of a statement; where it cannot, the statement on the host."""
        kept = len(self.kernels), self.fails, dict(self.starts)
        try:
            made: list[gast.stmt] = write()
            self.took = True
            return made
        except Unmappable as reason:
            del self.kernels[kept[0] :]
            self.fails, self.starts = kept[1], kept[2]
            self.took = False
            return self.flushed(set(self.starts) & set(_mentioned([node]))) + self.on_host([node], str(reason))

    def statement(self, node: gast.stmt) -> list[gast.stmt]:
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if isinstance(self.types.get(name), Array):
                return self.array(node, name, value)
            case gast.Assign() if self.calls_with_arrays(node):
                return self.on_host([node], "a function is called with arrays")
            case gast.Assign(targets=[gast.Subscript()]):
                return self.tried(node, lambda: self.single([node]))
            case gast.Assign(targets=[gast.Name()], value=value):
                return [like(self.host.statement(self.fetched(node)), node)]
            case gast.Assign(targets=[gast.Tuple()]) if not self.has_calls(node):
                return [self.host.statement(node)]
            case gast.For() if kind_of(node) == "prange":
                return self.tried(node, lambda: self.nest(node))
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
            case gast.Delete(targets=[gast.Name(id=name)]) if not isinstance(self.types.get(name), ListOf):
                return [] if name in self.cells else [node]
            case gast.Pass():
                return []
            case gast.Expr(value=gast.Call(func=gast.Name(id=operator))) if operator in LIBRARY:
                return [self.host.statement(self.fetched(node))]
        return self.on_host([node], "no kernel can have it")

    def inside(self, body: Sequence[gast.stmt]) -> list[gast.stmt]:
        """A block that is run any number of times: what a name begins with is no longer known in it, nor behind it."""
        before, self.starts = self.starts, {}
        made = self.block(body) + self.flushed(set(self.starts))
        self.starts = before
        return made or [gast.Pass()]

    def calls_with_arrays(self, node: gast.Assign) -> bool:
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
            dtype = numpy_dtype(self.types[name].dtype)
            return [like(python("{a} = cuda.device_array({s}, {d})", a=name, s=static["shape"], d=dtype)[0], node)]
        if isinstance(value, gast.Name | gast.Subscript) or operator in ("reshape", "transpose", "broadcast_to"):
            return [like(self.host.statement(self.fetched(node)), node)]
        return self.on_host([node], f"`{operator}` has no kernels")

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
                return syntax.call(writer.need("fetch"), made)

        if not isinstance(node, gast.AST) or not _mentions_device(node, self.cells, self.function):
            return node
        return Fetch().visit(_copied(node))

    def need(self, helper: str) -> str:
        self.needed[helper] = None
        return helper

    def single_run(
        self, body: Sequence[gast.stmt], position: int
    ) -> tuple[list[gast.stmt], list[gast.stmt]]:
        """The statements from here on that set cells and single elements: one thread's work.

        Arrays that are let go among them may as well be let go behind them.
        """
        run: list[gast.stmt] = []
        deletes: list[gast.stmt] = []
        for node in body[position:]:
            match node:
                case gast.Assign(targets=[gast.Name(id=name)]) if name in self.cells and not self.is_start(node):
                    run.append(node)
                case gast.Assign(targets=[gast.Subscript(slice=items)]) if self.is_element(items):
                    run.append(node)
                case gast.Delete():
                    deletes.append(node)
                    continue
                case _:
                    break
            taken = len(run) + len(deletes)
        return (run, deletes[: taken - len(run)]) if run else ([], [])

    def is_element(self, items: gast.expr) -> bool:
        listed = items.elts if isinstance(items, gast.Tuple) else [items]
        return not any(isinstance(i, gast.Slice) or isinstance(i, gast.Constant) and i.value is None for i in listed)

    def settled_before(self, node: gast.stmt) -> list[gast.stmt]:
        """Write the cells that a statement reads and of which only the value is known so far."""
        wanted = set(_mentioned([node])) & set(self.starts)
        if kind_of(node) == "lanes":
            own = {accumulated(s) for s in syntax.walk(node.body)}
            wanted -= own
        if isinstance(node, gast.For | gast.While) and kind_of(node) not in DEVICE_LOOPS:
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
        """A name that the function does not have; kernels may share it, since each is a world of its own."""
        return Names({*self.types, "cuda", "np", "math", FAILED, *self.extra}).fresh(wish)

    def writer(self, own: set[str], cls: type[KernelWriter] = KernelWriter) -> Any:
        return cls(self.function, own, self.cells, self.needed)

    def launched(
        self, writer: KernelWriter, body: Sequence[gast.stmt], shape: gast.expr, node: gast.stmt
    ) -> list[gast.stmt]:
        """The statement that launches a kernel, behind those that make the cells that it writes."""
        name = self.names.fresh(f"{self.function.name}_{len(self.kernels) + 1}")
        given = [(n, self.written_type(n)) for n in writer.parameters]
        arguments = [syntax.name(n) for n in writer.parameters]
        if writer.fails:
            given.append((FAILED, "i64[1]"))
            arguments.append(syntax.name(FAILED))
            self.fails = True
        self.kernels.append(KernelText(name, tuple(given), tuple(body)))
        self.made_cells |= set(writer.parameters) & self.cells
        launch = gast.Subscript(syntax.name(name), shape, gast.Load())
        return [like(gast.Expr(gast.Call(launch, arguments, [])), node)]

    def written_type(self, name: str) -> str:
        if name in self.extra:
            return self.extra[name]
        type_ = self.types[name]
        return f"{type_.dtype}[]" if name in self.cells else str(type_)

    extra: dict[str, str] = {}

    def count(self, loop: gast.For) -> gast.expr:
        """How many turns a loop has, as the host knows it."""
        start, stop = (self.host.expression(self.fetched(bound)) for bound in bounds(loop))
        if isinstance(start, gast.Constant) and start.value == 0:
            return stop
        return gast.BinOp(stop, gast.Sub(), start)

    def nest(self, loop: gast.For) -> list[gast.stmt]:
        match shape_of(loop):
            case Elements():
                return self.elements(loop)
            case Tiles(loops=loops, along=along):
                return self.tiles(loops, along)
            case Rows():
                return self.rows(loop)
        raise Unmappable("the loop does not go by steps of one")

    def elements(self, loop: gast.For) -> list[gast.stmt]:
        writer = self.writer(own_names([loop]))
        variable = loop.target.id
        body = writer.thread(loop.body)
        _, stop = bounds(loop)
        test = expression("{i} < {stop}", i=variable, stop=writer.speller.as_dtype(stop, "i64"))
        first = first_turn(loop, writer.speller, expression("cuda.grid(1)"))
        made = [*python("{i} = {first}", i=variable, first=first), gast.If(test, body, [])]
        shape = expression("{elements}({n})", elements=self.need("elements"), n=self.count(loop))
        return self.launched(writer, [like(s, loop) for s in made], shape, loop)

    def tiles(self, loops: Sequence[gast.For], along: gast.For) -> list[gast.stmt]:
        """A thread for each turn of a nest; of more than two loops the outer ones are taken apart from one number."""
        writer = self.writer(own_names([loops[0]]))
        outer = [loop for loop in loops if loop is not along]
        body = writer.thread(loops[-1].body)
        lengths = [self.length(writer, loop) for loop in outer]
        x, number = along.target.id, outer[0].target.id if len(outer) == 1 else self.local("turn")
        if len(outer) > 1:
            writer.own.add(number)
        made = python("{x}, {y} = cuda.grid(2)", x=x, y=number)
        made += self.shifted(writer, along, x) + (self.shifted(writer, outer[0], number) if len(outer) == 1 else [])
        inner = body if len(outer) == 1 else [*self.apart(writer, outer, lengths, number), *body]
        stops = [writer.speller.as_dtype(bounds(loop)[1], "i64") for loop in (along, outer[0])]
        rows = stops[1] if len(outer) == 1 else _product(lengths)
        test = expression("{y} < {n} and {x} < {m}", x=x, y=number, m=stops[0], n=rows)
        step = python("{y} += cuda.gridDim.y * cuda.blockDim.y", y=number)
        made.append(gast.While(test, [*inner, *step], []))
        counts = [self.count(loop) for loop in outer]
        shape = expression(
            "{tiles}({n}, {m})", tiles=self.need("tiles"), n=_product(counts), m=self.count(along)
        )  # fmt: skip
        return self.launched(writer, [like(s, loops[0]) for s in made], shape, loops[0])

    def length(self, writer: KernelWriter, loop: gast.For) -> gast.expr:
        start, stop = (writer.speller.as_dtype(bound, "i64") for bound in bounds(loop))
        if isinstance(start, gast.Constant) and start.value == 0:
            return stop
        return gast.BinOp(stop, gast.Sub(), start)

    def shifted(self, writer: KernelWriter, loop: gast.For, name: str) -> list[gast.stmt]:
        start, _ = bounds(loop)
        if isinstance(start, gast.Constant) and start.value == 0:
            return []
        return python("{i} += {start}", i=name, start=writer.speller.as_dtype(start, "i64"))

    def apart(
        self, writer: KernelWriter, outer: Sequence[gast.For], lengths: Sequence[gast.expr], number: str
    ) -> list[gast.stmt]:
        made: list[gast.stmt] = []
        for position, loop in enumerate(outer):
            behind = lengths[position + 1 :]
            quotient = gast.BinOp(syntax.name(number), gast.FloorDiv(), _product(behind)) if behind else syntax.name(number)
            value = gast.BinOp(quotient, gast.Mod(), lengths[position]) if position else quotient
            made += python("{i} = {v}", i=loop.target.id, v=value)
            made += self.shifted(writer, loop, loop.target.id)
        return made

    def rows(self, loop: gast.For) -> list[gast.stmt]:
        writer = self.writer(own_names([loop]), RowWriter)
        variable = loop.target.id
        body = writer.row(loop.body)
        _, stop = bounds(loop)
        first = first_turn(loop, writer.speller, expression("cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y"))
        test = expression("{i} < {stop}", i=variable, stop=writer.speller.as_dtype(stop, "i64"))
        made = [*python("{i} = {first}", i=variable, first=first), gast.If(test, body, [])]
        inner = next(s for s in syntax.walk(loop.body) if is_together(s))
        try:
            terms = self.count(inner) if not set(syntax.names_read(inner.iter)) & own_names([loop]) else syntax.constant(256)
        except Unmappable:
            terms = syntax.constant(256)
        shape = expression("{rows}({n}, {m})", rows=self.need("rows"), n=self.count(loop), m=terms)
        return self.launched(writer, [like(s, loop) for s in made], shape, loop)

    # --- folds over a whole loop

    def whole(self, loop: gast.For, behind: Sequence[gast.stmt]) -> list[gast.stmt]:
        """Blocks fold parts of fixed size, and one block folds what they give and does what comes next."""
        if any(is_together(s) for s in syntax.walk(loop.body)):
            return self.whole_by_rows(loop, behind)
        own = own_names([loop])
        writer = self.writer(own)
        found = writer.accumulators(loop)
        if not found:
            raise Unmappable("what the loop accumulates is no fold")
        variable = loop.target.id
        made: list[gast.stmt] = []
        for name, (_, fold) in found.items():
            made += python("{t} = {start}", t=name, start=writer.identity(name, fold))
        first = first_turn(loop, writer.speller, expression(f"cuda.blockIdx.x * {PART} + cuda.threadIdx.x"))
        _, stop = bounds(loop)
        last = self.local("last")
        made += python("{i} = {first}", i=variable, first=first)
        ends = first_turn(loop, writer.speller, expression(f"cuda.blockIdx.x * {PART} + {PART}"))
        made += python("{last} = min({ends}, {stop})", last=last, ends=ends, stop=writer.speller.as_dtype(stop, "i64"))
        body = writer.thread(loop.body) + python("{i} += cuda.blockDim.x", i=variable)
        made.append(gast.While(expression("{i} < {last}", i=variable, last=last), body, []))
        parts = self.stored_parts(writer, made, found)
        count = self.count(loop)
        launches_ = self.parts_arrays(parts, expression("{parts}({n})[0]", parts=self.need("parts"), n=count), loop)
        shape = expression("{parts}({n})", parts=self.need("parts"), n=count)
        launches_ += self.launched(writer, [like(s, loop) for s in made], shape, loop)
        return launches_ + self.taken_together(loop, found, parts, behind)

    def stored_parts(
        self, writer: KernelWriter, made: list[gast.stmt], found: dict[str, tuple[str, Fold]]
    ) -> dict[str, str]:
        parts: dict[str, str] = {}
        stores: list[gast.stmt] = []
        for name, (operator, _) in found.items():
            made += python("{t} = {fold}({t})", t=name, fold=writer.fold_name(name, operator))
            parts[name] = self.names.fresh(f"{name}_parts")
            writer.parameters[parts[name]] = None
            stores += python("{p}[cuda.blockIdx.x] = {t}", p=parts[name], t=name)
            self.extra = {**self.extra, parts[name]: f"{self.types[name].dtype}[{parts[name]}_length]"}
        made.append(gast.If(expression("cuda.threadIdx.x == 0"), stores, []))
        return parts

    def parts_arrays(self, parts: dict[str, str], count: gast.expr, loop: gast.For) -> list[gast.stmt]:
        made: list[gast.stmt] = []
        for name, array in parts.items():
            dtype = numpy_dtype(self.types[name].dtype)
            made += python("{p} = cuda.device_array({n}, {d})", p=array, n=count, d=dtype)
        return [like(s, loop) for s in made]

    def taken_together(
        self, loop: gast.For, found: dict[str, tuple[str, Fold]], parts: dict[str, str], behind: Sequence[gast.stmt]
    ) -> list[gast.stmt]:
        """One block folds the parts; its first thread goes on with the numbers that are made of them."""
        after = self.live.after(behind[-1] if behind else loop)
        passing = {name for name in found if name not in after and name in self.cells}
        writer = self.writer(set(passing))
        made: list[gast.stmt] = []
        tail: list[gast.stmt] = []
        k = self.local("k")
        results: list[tuple[str, str]] = []
        for name, (operator, fold) in found.items():
            whole = Names({*self.types, *writer.own, *self.extra}).fresh("whole")
            writer.own.add(whole)
            writer.parameters[parts[name]] = None
            writer.types = writer.speller.types = {**writer.types, whole: self.types[name]}
            made += python("{w} = {start}", w=whole, start=writer.identity(name, fold))
            made += python("{k} = cuda.threadIdx.x", k=k)
            term = gast.Subscript(syntax.name(parts[name]), syntax.name(k), gast.Load())
            row = syntax.call(operator, syntax.name(whole), syntax.name("__term__"))
            writer.types = writer.speller.types = {**writer.types, "__term__": self.types[name]}
            writer.own.add("__term__")
            value = _put(writer.speller.expression(row), "__term__", term)
            body = python("{w} = {v}\n{k} += cuda.blockDim.x", w=whole, v=value, k=k)
            made.append(gast.While(expression("{k} < {p}.shape[0]", k=k, p=parts[name]), body, []))
            made += python("{w} = {fold}({w})", w=whole, fold=writer.fold_name(name, operator))
            tail += self.begun(writer, name, operator, fold, whole, loop)
            results.append((name, whole))
        tail += writer.thread(behind) if behind else []
        made.append(gast.If(expression("cuda.threadIdx.x == 0"), tail, []))
        host = [name for name in found if name not in self.cells]
        launches_ = self.launched(writer, [like(s, loop) for s in made], expression("1, 256"), loop)
        for name in host:
            launches_ += python("{t} = {fetch}({c})", t=name, fetch=self.need("fetch"), c=self.cell_of[name])
        return [*self.host_cells(host, loop), *launches_]

    cell_of: dict[str, str] = {}

    def host_cells(self, names: Sequence[str], loop: gast.For) -> list[gast.stmt]:
        made: list[gast.stmt] = []
        for name in names:
            dtype = numpy_dtype(self.types[name].dtype)
            made += python("{c} = cuda.device_array((), {d})", c=self.cell_of[name], d=dtype)
        return made

    def begun(
        self, writer: KernelWriter, name: str, operator: str, fold: Fold, whole: str, loop: gast.For
    ) -> list[gast.stmt]:
        """`total = start + whole`, where the start is not what the fold begins with anyway."""
        start = self.starts.pop(name, None)
        value: gast.expr = syntax.name(whole)
        if start is None or not _is_identity(start.value, fold, self.types[name].dtype):
            first = start.value if start is not None else syntax.name(name)
            value = syntax.call(operator, first, value)
        target = name
        if name not in self.cells:
            target = self.names.fresh(f"{name}_cell")
            self.cell_of = {**self.cell_of, name: target}
            self.extra = {**self.extra, target: f"{self.types[name].dtype}[]"}
            writer.cells = writer.cells | {target}
            writer.types = writer.speller.types = {**writer.types, target: self.types[name]}
        node = like(syntax.assign(target, value), loop)
        return [writer.assigned(node, target, value, self.types[name].dtype)]

    def whole_by_rows(self, loop: gast.For, behind: Sequence[gast.stmt]) -> list[gast.stmt]:
        """A row of threads folds each turn into a part of its own."""
        writer = self.writer(own_names([loop]), RowWriter)
        found = writer.accumulators(loop)
        if not found:
            raise Unmappable("what the loop accumulates is no fold")
        variable = loop.target.id
        body: list[gast.stmt] = []
        for name, (_, fold) in found.items():
            body += python("{t} = {start}", t=name, start=writer.identity(name, fold))
            writer.known[name] = syntax.constant(fold.start(self.types[name].dtype))
        body += writer.row(loop.body)
        parts: dict[str, str] = {}
        stores: list[gast.stmt] = []
        start, stop = bounds(loop)
        for name in found:
            parts[name] = self.names.fresh(f"{name}_parts")
            writer.parameters[parts[name]] = None
            self.extra = {**self.extra, parts[name]: f"{self.types[name].dtype}[{parts[name]}_length]"}
            number = syntax.name(variable)
            if not (isinstance(start, gast.Constant) and start.value == 0):
                number = gast.BinOp(number, gast.Sub(), writer.speller.as_dtype(start, "i64"))
            place = gast.Subscript(syntax.name(parts[name]), number, gast.Store())
            stores.append(gast.Assign([place], syntax.name(name), None))
        body.append(gast.If(expression("cuda.threadIdx.x == 0"), stores, []))
        first = first_turn(loop, writer.speller, expression("cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y"))
        test = expression("{i} < {stop}", i=variable, stop=writer.speller.as_dtype(stop, "i64"))
        made = [*python("{i} = {first}", i=variable, first=first), gast.If(test, body, [])]
        inner = next(s for s in syntax.walk(loop.body) if is_together(s))
        free = not set(syntax.names_read(inner.iter)) & own_names([loop])
        terms = self.count(inner) if free else syntax.constant(256)
        shape = expression("{rows}({n}, {m})", rows=self.need("rows"), n=self.count(loop), m=terms)
        launches_ = self.parts_arrays(parts, self.count(loop), loop)
        launches_ += self.launched(writer, [like(s, loop) for s in made], shape, loop)
        return launches_ + self.taken_together(loop, found, parts, behind)

    # --- the host

    def sequential(self, node: gast.stmt) -> list[gast.stmt]:
        """A loop that stays in order: in the driver where it is about its own numbers, else a function of the host."""
        if not any(isinstance(self.types.get(n), Array | ListOf) for n in _mentioned([node])):
            return [self.host.statement(self.fetched(node))]
        if isinstance(node, gast.For):
            as_scan, as_scatter = scan_of(self.function, node), scatter_of(self.function, node)
            if as_scan is not None and not (as_scan.carried and as_scan.carried in self.live.after(node)):
                return self.tried(node, lambda: scan(self, as_scan))
            if as_scatter is not None:
                return self.tried(node, lambda: scatter(self, as_scatter))
        return self.on_host([node], "its turns need each other")

    def on_host(self, nodes: Sequence[gast.stmt], reason: str) -> list[gast.stmt]:
        """A call of a function that runs on the host, with copies of the arrays that it reads and changes."""
        mentioned = dict.fromkeys(_mentioned(nodes))
        assigned = own_names(nodes)
        live = self.live.after(nodes[-1])
        inside = _read_before(nodes, self.function)
        given = [n for n in mentioned if n in self.types and (n not in assigned or n in inside)]
        classes = storage_classes(self.function)
        touched = {classes[n] for n in _changed(nodes) if n in classes}
        changes = [n for n in given if classes.get(n) in touched]
        results = [n for n in dict.fromkeys(n for s in syntax.walk(nodes) for n in syntax.names_bound(s)) if n in live]
        if any(isinstance(self.types[n], ListOf) for n in (*given, *results)):
            raise Refused(f"a list is used: {reason}")
        name = self.names.fresh(f"{self.function.name}_{len(self.kernels) + 1}")
        parameters = tuple((n, self.types[n]) for n in given)
        self.kernels.append(HostText(name, parameters, tuple(changes), tuple(results), tuple(nodes), reason))
        before = self.flushed(set(self.starts) & set(given))
        arguments = [self.fetched(syntax.name(n)) for n in given]
        call = gast.Call(syntax.name(name), arguments, [])
        made: list[gast.stmt] = [gast.Expr(call)]
        if results:
            targets = [syntax.target(n) for n in results]
            place = targets[0] if len(targets) == 1 else gast.Tuple(targets, gast.Store())
            made = [gast.Assign([place], call, None)]
            for result in results:
                if result in self.cells:
                    made += python("{t} = cuda.to_device({t})", t=result)
        return [*before, *(like(s, nodes[0]) for s in made)]


class Refused(Exception):
    """A function that has no kernels stage, and why."""


# --- trees -----------------------------------------------------------------------------------------------------------


def _is_identity(value: gast.expr, fold: Fold, dtype: str) -> bool:
    while syntax.operator_of(value) == "cast":
        value = value.args[0]
    return isinstance(value, gast.Constant) and bool(value.value == fold.start(dtype))


def _product(parts: Sequence[gast.expr]) -> gast.expr:
    made = parts[0]
    for part in parts[1:]:
        made = gast.BinOp(made, gast.Mult(), part)
    return made


def _put(node: gast.expr, name: str, value: gast.expr) -> gast.expr:
    made: gast.expr = syntax.map_names(node, lambda n: value if n == name else n)
    return made


def _mentioned(nodes: Iterable[gast.stmt]) -> list[str]:
    found: list[str] = []
    for node in syntax.walk(nodes):
        found += [*reads_of(node), *syntax.names_bound(node)]
        base = syntax.stored_base(node)
        if base is not None:
            found.append(base)
    return found


def _changed(nodes: Iterable[gast.stmt]) -> set[str]:
    """The arrays whose elements statements store."""
    found: set[str] = set()
    for node in syntax.walk(nodes):
        base = syntax.stored_base(node)
        if base is not None:
            found.add(base)
        for call in syntax.calls_in(node):
            operator = syntax.operator_of(call)
            if operator in CHANGES_FIRST:
                roles = FORMS[operator].operands
                found |= {a.id for a, r in zip(call.args, roles) if r in ("out", "inout") and isinstance(a, gast.Name)}
    return found


def _read_before(nodes: Sequence[gast.stmt], function: Function) -> set[str]:
    return set(liveness(function.with_(body=tuple(nodes))).at_entry)


def _is_int(node: gast.expr) -> bool:
    return isinstance(node, gast.Constant) and isinstance(node.value, int)


def _mentions_device(node: gast.AST, cells: frozenset[str], function: Function) -> bool:
    return bool(cells & set(syntax.names_read(node))) or loads(function, node)


def _copied(node: Any) -> Any:
    """The tree again, of nodes that nobody else has."""
    changes: dict[str, Any] = {}
    for field in node._fields:
        old = getattr(node, field, None)
        if isinstance(old, list):
            changes[field] = [_copied(o) if isinstance(o, gast.AST) else o for o in old]
        elif isinstance(old, gast.AST) and field != "ctx":
            changes[field] = _copied(old)
    return syntax.rebuild(node, **changes)


def is_scalar(type_: object) -> bool:
    return isinstance(type_, Scalar)
