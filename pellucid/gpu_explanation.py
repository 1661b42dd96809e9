"""What a kernels stage does on a GPU, told from its text: launches, what they move, the host's parts, waits.

    poly_1[elements(x.shape[0], 2)](x, t)    ->    `poly_1`, line 3: elements(n, 2)
                                                     reads `x`, 8*n bytes; writes `t`, 8*n bytes

Takes the text of a kernels stage, written by the compiler or edited, gives topics with their texts.  Arrays are counted
once and in whole: how often a gather reads an element is not known before it runs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from .compiler.dtypes import NUMPY_DTYPE
from .compiler.ops.routines import ROUTINES
from .compiler.records import dataclass
from .compiler.targets.cuda.printed_kernels import PrintedDriver, read_driver, read_kernels
from .compiler.targets.cuda.spell import FAILED
from .compiler.types import Array, Type, dtype_of
from .runtime.parsing import parse
from .symbolic_lengths import SymbolicLengths

HEADING = re.compile(r"^\s*# \S+?:(\d+)    ")
REASON = re.compile(r"^# on the host: (.*)$")
KERNELS, PRODUCTS, HOST = "kernels on the GPU", "by cuBLAS, where it is installed", "on the host"
LIBRARIES = "by cuSOLVER, cuBLAS or cuFFT, where they are installed"
WAITS, COPIES = "waits for the GPU", "copied to the GPU by each call"
TOPIC_OF = {  # what a driver calls of libraries, by name
    name: PRODUCTS if row.is_product else LIBRARIES if row.cuda else HOST
    for row in ROUTINES.values() for name in (row.name, row.batched) if name
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """A kernels stage taken apart: its lines and functions, the types of its kernels, the lengths that it mentions."""

    lines: Sequence[str]
    driver: PrintedDriver
    functions: Mapping[str, ast.FunctionDef]
    kernels: Mapping[str, Mapping[str, Type]]
    lengths: SymbolicLengths

    def line_of(self, node: ast.stmt) -> str:
        """`line 12`: the user's, by the nearest heading above a statement, or by the first one of what it calls."""
        driver = self.lines[self.driver.line : node.lineno]
        called = [part.id for part in ast.walk(node) if isinstance(part, ast.Name) and part.id in self.functions]
        own = [self.functions[name] for name in called]
        kernels = [line for function in own for line in self.lines[function.lineno : function.end_lineno]]
        found = next(filter(None, map(HEADING.match, [*reversed(driver), *kernels])), None)
        return f"line {found[1]}" if found else "at no line of its own"

    def size_of(self, name: str, type_: Type) -> str:
        """`x` (8*n bytes), or `x` alone where lengths are not known before it runs."""
        return told_size(name, self.lengths.product(name, NUMPY_DTYPE[dtype_of(type_)].itemsize))


def told_size(name: str, size: str) -> str:
    return f"`{name}` ({size} bytes)" if size else f"`{name}`"


def topics_on_gpu(text: str, path: str = "<kernels>", from_host: Iterable[str] = ()) -> dict[str, list[str]]:
    """The topics of a kernels stage; `from_host` are arguments that are arrays of the host."""
    stage = taken_apart(text, path)
    found: dict[str, list[str]] = {KERNELS: [], PRODUCTS: [], LIBRARIES: [], HOST: [], WAITS: []}
    for topic, said in _told(stage, stage.functions[stage.driver.name].body, ""):
        found[topic].append(said)
    found[COPIES] = [f"`{name}`, an array of the host: `pellucid.device_put` copies it once" for name in from_host]
    return {topic: list(dict.fromkeys(texts)) for topic, texts in found.items() if texts}


def taken_apart(text: str, path: str) -> Stage:
    driver = read_driver(text, path)
    functions = {node.name: node for node in parse(text).body if isinstance(node, ast.FunctionDef)}
    printed = read_kernels(text, path).kernels if driver.kernels else {}
    kernels = {name: kernel.parameters for name, kernel in printed.items()}
    lengths = SymbolicLengths(driver.parameters, functions[driver.name])
    return Stage(text.splitlines(), driver, functions, kernels, lengths)


def _told(stage: Stage, body: Iterable[ast.stmt], loop: str) -> Iterator[tuple[str, str]]:
    """Topics with what is said of these statements; `loop` says in which one they stand."""
    for statement in body:
        at = stage.line_of(statement) + loop
        for node in _own_nodes(statement):
            if isinstance(node, ast.Call):
                yield from _of_call(stage, node, at)
        inside = loop
        if isinstance(statement, ast.For | ast.While):
            inside = f", in each iteration of the loop at {stage.line_of(statement)}"
        for field in ("body", "orelse"):
            yield from _told(stage, getattr(statement, field, []), inside)


def _own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement without those of the blocks in it."""
    for name, value in ast.iter_fields(statement):
        if name not in ("body", "orelse"):
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST):
                    yield from ast.walk(part)


def _of_call(stage: Stage, call: ast.Call, at: str) -> Iterator[tuple[str, str]]:
    match call.func:
        case ast.Subscript(value=ast.Name(id=name), slice=launch) if name in stage.kernels:
            yield KERNELS, "\n".join([f"`{name}`, {at}: {_grid(stage, launch)}", *_moved(stage, name, call, launch)])
        case ast.Name(id=name) if name in TOPIC_OF:
            no_routine = ", for which CUDA has no routine here" if TOPIC_OF[name] == HOST else ""
            yield TOPIC_OF[name], f"{at}: {ast.unparse(call)}{no_routine}"
        case ast.Name(id="fetch"):
            yield WAITS, f"{at}, for the number in {_quoted(call.args)}"
        case ast.Name(id=name) if name in stage.functions and _is_host(stage.functions[name]):
            yield HOST, f"`{name}`, {at}: {_reason(stage, name)}\n{_carried(stage, stage.functions[name], call)}"
            yield WAITS, f"{at}, for what `{name}` is given on the host"


def _grid(stage: Stage, launch: ast.expr) -> str:
    """`elements(n, 2)`; one block of so many threads where no length decides."""
    if _is_one_thread(launch):
        return "one thread"
    match launch:
        case ast.Tuple(elts=[ast.Constant(value=1), ast.Constant(value=int(threads))]):
            return f"one block of {threads} threads"
    return stage.lengths.shown(launch)


def _is_one_thread(launch: ast.expr) -> bool:
    return ast.unparse(launch) in ("(1, 1)", "1, 1")


# --- what a kernel moves ---------------------------------------------------------------------------------------------


def _moved(stage: Stage, name: str, call: ast.Call, launch: ast.expr) -> Iterator[str]:
    """The arrays that a kernel reads and writes, by the names of the driver."""
    read, written = _touched(stage.functions[name])
    given = {parameter: ast.unparse(argument) for parameter, argument in zip(stage.kernels[name], call.args)}
    arrays = {p: t for p, t in stage.kernels[name].items() if isinstance(t, Array) and p != FAILED}
    told = []
    for verb, names in (("reads", read), ("writes", written)):
        if _is_one_thread(launch):
            sizes = [f"elements of `{given[p]}`" for p in arrays if p in names]
        else:
            sizes = [stage.size_of(given[p], t) for p, t in arrays.items() if p in names]
        told += [f"{verb} {', '.join(sizes)}"] if sizes else []
    if told:
        yield "; ".join(told)


def _touched(kernel: ast.FunctionDef) -> tuple[set[str], set[str]]:
    """The parameters that a kernel reads elements of, and those that it stores into; what a function of the device is
    given it may read and store.
    """
    read: set[str] = set()
    written: set[str] = set()
    for node in ast.walk(kernel):
        match node:
            case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name))):
                read.add(name)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Load()):
                read.add(name)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
                written.add(name)
            case ast.Call(args=arguments):
                whole = {argument.id for argument in arguments if isinstance(argument, ast.Name)}
                read |= whole
                written |= whole
    return read, written


# --- parts on the host -----------------------------------------------------------------------------------------------


def _is_host(function: ast.FunctionDef) -> bool:
    return any(ast.unparse(mark).partition("(")[0] == "host" for mark in function.decorator_list)


def _reason(stage: Stage, name: str) -> str:
    """What the comment above a part of the host says."""
    first = min(mark.lineno for mark in stage.functions[name].decorator_list)
    for line in reversed(stage.lines[: first - 1]):
        if not line.startswith("#"):
            break
        if found := REASON.match(line):
            return found[1]
    return "as it is marked so"


def _carried(stage: Stage, function: ast.FunctionDef, call: ast.Call) -> str:
    """Which arrays are copied to the host and back."""
    marks = [part for mark in function.decorator_list for part in ast.walk(mark)]
    changed = {part.value for part in marks if isinstance(part, ast.Constant)}
    there: list[str] = []
    back: list[str] = []
    for parameter, argument in zip(function.args.args, call.args):
        if isinstance(argument, ast.Name) and stage.lengths.is_array(argument.id):
            told = told_size(argument.id, stage.lengths.bytes_of(argument.id))
            (back if parameter.arg in changed else there).append(told)
    lines = [f"copied to the host: {', '.join(there)}"] if there else []
    lines += [f"copied to the host and back: {', '.join(back)}"] if back else []
    return "\n".join(lines) or "no array is copied for it"


def _quoted(arguments: Iterable[ast.expr]) -> str:
    return ", ".join(f"`{ast.unparse(argument)}`" for argument in arguments)
