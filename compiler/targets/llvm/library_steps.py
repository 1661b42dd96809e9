"""The steps of a library routine's row, as LLVM text: memory to work in, calls by address, results written back.

    f = columns(a)                                  a block, and the elements of `a` copied into it
    potrf('L', n, f, max(1, n), info)      ->       call void @pellucid_blas_dpotrf(ptr %L, ptr %n, ptr %f, ...)
    l = lower(f)                                    the block copied into the result, zero above the diagonal
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gast

from ... import syntax
from ...diagnostics import InternalError
from ...dtypes import DTYPE, INT_WORD, is_complex, part_of
from ...ops.routines import Routine, formula, parsed
from . import memory_values, sorts
from .abi import REGISTER, STORED
from .arrays import View, drop, strides_of, take_block
from .exchanges import across_devices
from .frame import Emission
from .library_operands import (
    LENGTH_LIMIT,
    Lying,
    by_rows,
    copied,
    copied_by_columns,
    copy_into,
    matrix_as_it_lies,
    place_of,
    product_by_loops,
    turned,
    vector_as_it_lies,
)
from .matrix_helpers import clear, exchange, positions, triangle
from .operands import FALSE, SsaValue, float_, int_
from .shared_routines import FAILED
from .transforms import along_rows

OF_COMPLEX = {"syevd": "heevd", "orgqr": "ungqr"}  # what routines are called for complex numbers
MAKERS = {"rwork": "reals"}
ARITHMETIC = {gast.Add: "add", gast.Sub: "sub", gast.Mult: "mul"}


def follow(frame: Emission, row: Routine, views: Sequence[View], static: Mapping[str, Any]) -> None:
    """Write the body of a routine that is given its operands, the results first."""
    steps = _Steps(frame, row, views, static)
    if not row.is_product:
        return steps.run()
    out, left, right = views
    names = tuple(operand.lengths for operand in row.operands)
    _library_or_loops(frame, list(steps.lengths.values()), steps.run,
                      lambda: product_by_loops(frame, (out, left, right), names))  # type: ignore[arg-type]  # fmt: skip


def length_named(frame: Emission, row: Routine, name: str, known: Mapping[str, SsaValue]) -> SsaValue:
    """A length that an operand has, or that is computed from others."""
    return known[name] if name in known else _int(frame, formula(row.computed[name]), known)


def _int(frame: Emission, node: gast.expr, known: Mapping[str, SsaValue]) -> SsaValue:
    match node:
        case gast.Constant(value=int(value)):
            return int_(value)
        case gast.Name(id=name):
            return known[name]
        case gast.BinOp(left=left, op=op, right=right):
            return frame.code.binary(ARITHMETIC[type(op)], _int(frame, left, known), _int(frame, right, known))
        case gast.Call(func=gast.Name(id=limit), args=[left, right]):  # min, max
            return frame.code.intrinsic(f"s{limit}", _int(frame, left, known), _int(frame, right, known))
    raise InternalError("llvm", gast.dump(node), "not a length of a library routine")


def _library_or_loops(
    frame: Emission, lengths: Sequence[SsaValue], library: Callable[[], None], loops: Callable[[], None]
) -> None:
    """The library where there is work and its ints hold the lengths; loops also clear the result of an empty sum."""
    code = frame.code
    fits = SsaValue("i1", "true")
    for length in lengths:
        inside = code.compare("ult", code.binary("sub", length, int_(1)), int_(LENGTH_LIMIT))
        fits = inside if fits.text == "true" else code.binary("and", fits, inside)
    with_library, with_loops, done = code.label("library"), code.label("loops"), code.label("done")
    code.branch(fits, with_library, with_loops)
    for label, work in ((with_library, library), (with_loops, loops)):
        code.start(label)
        work()
        code.jump(done)
    code.start(done)


def _is_of_complex(argument: gast.expr) -> bool:
    """Whether routines of real numbers do not have this argument."""
    name = argument.func if isinstance(argument, gast.Call) else argument
    return isinstance(name, gast.Name) and name.id in ("rwork", "lrwork")


class _Steps:
    """One routine being written: what the names of its steps stand for."""

    def __init__(self, frame: Emission, row: Routine, views: Sequence[View], static: Mapping[str, Any]) -> None:
        self.frame, self.row, self.static = frame, row, static
        self.dtype = views[-1].dtype
        self.operands = {o.name: v for o, v in zip(row.operands, views, strict=True)}
        self.results = {o.name for o in row.results}
        self.lengths: dict[str, SsaValue] = {}
        for operand in row.read:
            self.lengths.update(zip(operand.lengths, self.operands[operand.name].dims))
        for operand in row.results:
            for name, length in zip(operand.lengths, self.operands[operand.name].dims):
                self.lengths.setdefault(name, length)
        for name in row.computed:
            self.lengths[name] = length_named(frame, row, name, self.lengths)
        self.held: dict[str, View | Lying] = {}
        self.direct: dict[str, View] = {}
        self.info: SsaValue | None = None
        self.unallocated: SsaValue | None = None  # bytes that a routine could not have, or 0

    def run(self) -> None:
        frame = self.frame
        for step in parsed(self.row.steps):
            if isinstance(step, gast.If):
                if not self._holds(step.test):
                    continue
                (step,) = step.body
            match step:
                case gast.Expr(
                    value=gast.Call(
                        func=gast.Name(id="exchange_rows" | "exchange_rows_back" as which), args=[matrix, pivots]
                    )
                ):
                    self._exchange(matrix.id, pivots.id, back=which == "exchange_rows_back")
                case gast.Expr(value=gast.Call(func=gast.Name(id="along_rows"), args=[which, *names])):
                    along_rows(frame, self._function(which), *(self.operands[n.id] for n in names))
                case gast.Expr(value=gast.Call(func=gast.Name(id="sort" | "order" as which), args=[given, made])):
                    in_order = sorts.sort if which == "sort" else sorts.order
                    self.unallocated = in_order(frame, self.operands[given.id], self._in_place(made.id))
                case gast.Expr(value=gast.Call(func=gast.Name(id="across_devices"), args=[which, *names])):
                    self._across_devices(which.value, *(n.id for n in names))
                case gast.Assign(targets=[gast.Name(id=name)], value=value):
                    self._assign(name, value)
                case gast.Expr(value=gast.Call() as call):
                    self._call(call, "void")
        for name, written in self.direct.items():
            copy_into(frame, written, self.operands[name])
        for made in (*self.held.values(), *self.direct.values()):
            if isinstance(made, Lying):
                made.drop(frame)
            else:
                drop(frame, made.owner)
        if self.unallocated is not None:
            failed = frame.code.compare("ne", self.unallocated, int_(0))
            frame.fail_if(failed, "MemoryError", "unable to allocate {} bytes for an array", self.unallocated)
        if self.info is not None and self.row.error[0]:
            found = frame.code.load("i64", self.info)
            # LAPACK numbers an argument that it refuses, as one with nan, from below zero: without the sign it failed
            number = frame.code.binary("and", found, int_(2**63 - 1))
            status = frame.code.binary("sub", int_(FAILED + 1), number)
            frame.fail_if(frame.code.compare("ne", found, int_(0)), *self.row.error, status)

    def _across_devices(self, operation: str, devices: str, source: str, given: str, made: str) -> None:
        place, sent = self._in_place(made).data, self.operands[source]
        status = across_devices(self.frame, operation, self.static["along"], sent, self.operands[given], place)
        self.info = place_of(self.frame, status)

    def _holds(self, test: gast.expr) -> bool:
        """What is known, or the opposite of it."""
        if isinstance(test, gast.UnaryOp):
            return not self._holds(test.operand)
        return bool(self.static[test.id])

    def _exchange(self, matrix: str, pivots: str, back: bool) -> None:
        made, told = self._view(matrix), self.operands[pivots]
        name = exchange(self.frame.module, STORED[made.dtype])
        step = strides_of(self.frame, told)[0]
        order = SsaValue("i1", "true" if back else "false")
        self.frame.code.call("void", name, *made.dims, made.data, told.data, step, order)

    # --- what is held and what is released

    def _assign(self, name: str, value: gast.expr) -> None:
        match value:
            case gast.Call(func=gast.Name(id=maker), args=args) if name not in self.results:
                self.held[name] = self._made(maker, args)
            case gast.Call(func=gast.Name(id="columns"), args=[gast.Name(id=source)]):
                copy_into(self.frame, turned(self.frame, self.operands[source]), self._in_place(name))
            case gast.Call(func=gast.Name(id="upper" | "lower" as side), args=[gast.Name(id=source)]):
                self._give(name, source)
                self._clear(self.operands[name], side)
            case gast.Call(func=gast.Name(id="positions"), args=[gast.Name(id=source)]):
                out, found = self.operands[name], self._view(source)
                step = strides_of(self.frame, out)[0]
                self.frame.code.call("void", positions(self.frame.module), *out.dims, out.data, step, found.data)
            case gast.Call(func=gast.Name(id="number"), args=[gast.Name(id="info")]):
                status = self.frame.code.load("i64", self._place(value.args[0], {}))
                kind = REGISTER[part_of(self.dtype)]
                failed = self.frame.code.compare("ne", status, int_(0))
                told = self.frame.code.select(failed, float_(1.0, kind), float_(0.0, kind))
                self.frame.code.store(told, self.operands[name].data)
            case gast.Name(id=source):
                self._give(name, source)
            case gast.Call() as call:
                made = self._call(call, REGISTER[self.dtype])
                self.frame.code.store(made, self.operands[name].data)

    def _made(self, maker: str, args: Sequence[gast.expr]) -> View | Lying:
        frame = self.frame
        match maker, args:
            case "columns", [gast.Name(id=name)]:
                return copied_by_columns(frame, self.operands[name])
            case ("rows" | "stored_rows"), [gast.Name(id=name)]:
                return matrix_as_it_lies(frame, self.operands[name], only_by_rows=maker == "stored_rows")
            case "vector", [gast.Name(id=name)]:
                return vector_as_it_lies(frame, self.operands[name])
            case ("floats" | "reals" | "ints"), _:
                dims = tuple(_int(frame, length, self.lengths) for length in args)
                dtype = {"floats": self.dtype, "reals": part_of(self.dtype), "ints": INT_WORD}[maker]
                block = take_block(frame, dtype, dims[::-1])
                if maker == "ints":  # `positions` needs memory that is zero
                    frame.code.call("void", clear(frame.module), *dims, block.data)
                return turned(frame, block) if len(dims) > 1 else block
        raise InternalError("llvm", maker, "a library routine holds nothing that is made so")

    def _view(self, name: str) -> View:
        found = self.held[name]
        assert isinstance(found, View), name
        return found

    def _give(self, name: str, source: str) -> None:
        """Copy what is held into a result, as far as that goes."""
        out, found = self.operands[name], self._view(source)
        copy_into(self.frame, View(out.dtype, found.owner, found.data, out.dims, strides_of(self.frame, found)), out)

    def _clear(self, out: View, side: str) -> None:
        """Make everything zero on the other side of the diagonal."""
        strides = strides_of(self.frame, out)
        if side == "upper":
            out, strides = turned(self.frame, out), strides[::-1]
        name = triangle(self.frame.module, STORED[out.dtype])
        self.frame.code.call("void", name, *out.dims, out.data, *strides)

    # --- calls

    def _function(self, node: gast.expr) -> tuple[SsaValue, tuple[str, ...]]:
        """Whether the second of two functions is called, and their names."""
        match node:
            case gast.Constant(value=name):
                return FALSE, (name,)
            case gast.IfExp(test=gast.Call(func=gast.Name(id="odd"), args=[length]), body=odd, orelse=even):
                code = self.frame.code
                rest = code.binary("and", _int(self.frame, length, self.lengths), int_(1))
                return code.compare("ne", rest, int_(0)), (even.value, odd.value)
        raise InternalError("llvm", gast.dump(node), "not the name of a function")

    def _call(self, call: gast.Call, result: str) -> SsaValue:
        """Call a routine, having asked it first how much memory it works in, where it says so."""
        code = self.frame.code
        if not is_complex(self.dtype):
            call = gast.Call(call.func, [a for a in call.args if not _is_of_complex(a)], call.keywords)
        names = [a.id for a in call.args if isinstance(a, gast.Name)]
        memory: dict[str, SsaValue] = {}
        part = part_of(self.dtype)
        asked = {"work": self.dtype, "rwork": part, "iwork": INT_WORD}
        for work, dtype in asked.items():
            length = f"l{work}"
            if length in names:
                memory[work] = code.variable(REGISTER[dtype], work)
                memory[length] = place_of(self.frame, int_(-1))
        if not memory:
            return self._called(call, result, {})
        if "iwork" in memory:
            code.store(int_(0), memory["iwork"])  # ints of 32 bits fill half of it
        self._called(call, "void", memory)
        told = {w: code.load("i64" if w == "iwork" else REGISTER[part], memory[w]) for w in asked if w in memory}
        counts = {w: n if w == "iwork" else code.convert("fptosi", n, "i64") for w, n in told.items()}
        blocks = [(w, take_block(self.frame, asked[w], (n,)), n) for w, n in counts.items()]
        for word, block, size in blocks:
            memory |= {word: block.data, f"l{word}": place_of(self.frame, size)}
        made = self._called(call, result, memory)
        for _, block, _ in blocks:
            drop(self.frame, block.owner)
        return made

    def _called(self, call: gast.Call, result: str, memory: Mapping[str, SsaValue]) -> SsaValue:
        places = [self._place(argument, memory) for argument in call.args]
        called = OF_COMPLEX.get(call.func.id, call.func.id) if is_complex(self.dtype) else call.func.id
        name = f"pellucid_blas_{DTYPE[self.dtype].letter}{called}"
        self.frame.module.declare(name, f"declare {result} @{name}({', '.join('ptr' for _ in places)})")
        return self.frame.code.call(result, name, *places)

    def _place(self, node: gast.expr, memory: Mapping[str, SsaValue]) -> SsaValue:
        """The address of an argument."""
        frame = self.frame
        match node:
            case gast.Constant(value=str(letter)):
                return place_of(frame, int_(ord(letter), "i8"))
            case gast.Constant(value=float(number)):
                return place_of(frame, memory_values.constant(self.dtype, number))
            case gast.IfExp(test=gast.Name(id=name), body=body, orelse=orelse):
                return self._place(body if self.static[name] else orelse, memory)
            case gast.Name(id=letter) if letter in self.static:
                return self._place(syntax.constant(self.static[letter]), memory)
            case gast.Name(id="info"):
                if self.info is None:
                    self.info = place_of(frame, int_(0))
                return self.info
            case gast.Name(id=name) if name in memory:
                return memory[name]
            case gast.Name(id=name) if name in self.held:
                return self.held[name].data
            case gast.Name(id=name) if name in self.results:
                return self._in_place(name).data
            case gast.Call(func=gast.Name(id="ints" | "rwork" as maker), args=args):
                self.held[f"{maker} {len(self.held)}"] = block = self._made(MAKERS.get(maker, maker), args)
                return block.data
            case gast.Call(func=gast.Name(id=question), args=[gast.Name(id=name)]):
                return self._lying(question, name)
        return place_of(frame, _int(frame, node, self.lengths))

    def _in_place(self, name: str) -> View:
        """A result for the library to write into: its own elements where they lie one after the other."""
        out = self.operands[name]
        if out.strides is None:
            return out
        if name not in self.direct:
            self.direct[name] = copied(self.frame, out)
        return self.direct[name]

    def _lying(self, question: str, name: str) -> SsaValue:
        """How an operand lies.  The library sees the transpose of contiguous rows: `turned` makes it the matrix."""
        found, code = self.held[name], self.frame.code
        assert isinstance(found, Lying), name
        match question:
            case "lead" | "step":
                return found.step
            case "trans" if found.letter is not None:
                return found.letter
            case "turned":
                letters = int_(ord("T"), "i8"), int_(ord("N"), "i8")
                return place_of(self.frame, code.select(by_rows(self.frame, found), *letters))
            case "inner" | "outer":
                rows, columns = found.view.dims if question == "outer" else found.view.dims[::-1]
                return place_of(self.frame, code.select(by_rows(self.frame, found), rows, columns))
        raise InternalError("llvm", question, "not a question about how an operand lies")
