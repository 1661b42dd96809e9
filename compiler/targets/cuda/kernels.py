"""From the loops stage to the kernels stage: a driver, and a kernel for each nest of loops, as one text.

    kernels(program)     ->     Kernels("import numpy as np ... @cuda.jit def poly_1(...): ... def poly(x): ...", ...)

The text is the program: it runs in CPython on the lockstep machine, and it is what Numba is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import gast

from ... import syntax
from ...names import RESERVED, Names
from ...program import Function, Program
from ...records import dataclass
from ...renaming import rename
from ...transform.coalesce import rename_freely
from ...types import ListOf, dtype_of
from ..python.fold import fold
from ..python.printer import WIDTH, Printed, definition, head_lines, import_lines, with_headings, wrap
from ..python.spell import HELPERS, Speller
from ..python.templates import attribute, numpy_dtype
from ..python.unparse import Unparser, statement_text
from .driving import DriverWriter
from .parts import take_parts
from .places import cells_of
from .spell import FAILED
from .texts import HostText, KernelText, Refused
from .trees import python


@dataclass(frozen=True, slots=True, eq=False)
class Kernels:
    """A kernels stage: its text, the names of its driver and its kernels, and which parts stay on the host, and why."""

    printed: Printed
    entry: str
    kernels: tuple[str, ...]
    on_host: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        return self.printed.text


def kernels(program: Program) -> Kernels:
    """The kernels stage of a loops program.  Raises Refused where there is none."""
    main = program.main
    if any(isinstance(type_, ListOf) for type_ in (*(main.types[n] for n in main.parameters), *main.results)):
        raise Refused("a list is given or returned")
    function = _prepared(main)
    driver, body = _written(program, function)
    used = _names_of_the_file(driver)
    if used & {function.name, *function.types, *function.parameters, *driver.extra}:
        function = _without_names(function, used)
        driver, body = _written(program, function, used)
    return _text(program, function, driver, body)


def _written(program: Program, function: Function, taken: Iterable[str] = ()) -> tuple[DriverWriter, list[gast.stmt]]:
    """The body of the driver, and what wrote it, which leaves the names in `taken` alone."""
    cells = cells_of(function)
    driver = DriverWriter(function, cells, program.functions, taken)
    try:
        body = _with_cells(driver, driver.block(function.body))
        if driver.fails and driver.goes_on:  # what a kernel makes of an error may keep a loop of another one going
            driver = DriverWriter(function, cells, program.functions, taken, stops=True)
            body = _with_cells(driver, driver.block(function.body))
    except Refused as refused:
        driver = DriverWriter(function, frozenset(), program.functions, taken)
        body = driver.all_on_host(str(refused))
    if driver.fails:
        body = [*python("{failed} = {faults}()", failed=FAILED, faults=driver.need("faults")), *body]
    return driver, body


def _names_of_the_file(driver: DriverWriter) -> frozenset[str]:
    """The names that mean something else in this file than a value of the user's."""
    failing = {FAILED} if driver.fails else set()
    return RESERVED | {"cuda", "host", *driver.needed, *failing}


def _without_names(function: Function, taken: frozenset[str]) -> Function:
    """The function with other names in place of these, its own and those of its parameters too."""
    names = Names({*function.types, *function.parameters, *taken})
    new = {name: names.fresh(name) for name in (function.name, *function.types, *function.parameters) if name in taken}
    parameters = tuple(new.get(name, name) for name in function.parameters)
    return rename(function, new).with_(name=new.get(function.name, function.name), parameters=parameters)


def _prepared(function: Function) -> Function:
    """Temporaries folded, names as they are printed, results named."""
    speller = Speller(function, {name: name for name in HELPERS})

    def measure(statement: gast.stmt, depth: int) -> int:
        empty = {f: [gast.Pass()] for f in ("body", "orelse") if hasattr(statement, f)}
        return 4 * depth + len(statement_text(speller.statement(syntax.rebuild(statement, **empty))).split("\n", 1)[0])

    function = rename_freely(function.with_(body=tuple(fold(function, measure, WIDTH, numbers_only=True))))
    function = take_parts(function)
    last = function.body[-1]
    names = Names({*function.types, *function.parameters})
    before: list[gast.stmt] = []
    types = dict(function.types)
    values: list[gast.expr] = []
    for value, type_ in zip(last.value.elts, function.results, strict=True):
        if not syntax.is_atom(value):
            name = names.fresh("result")
            types[name] = type_
            made = syntax.assign(name, value, getattr(last, "span", None))
            before.append(made)
            value = syntax.name(name)
        values.append(value)
    if not before:
        return function
    closing = syntax.rebuild(last, value=syntax.tuple_(values))
    return function.with_(body=(*function.body[:-1], *before, closing), types=types, stage="loops")


def _with_cells(driver: DriverWriter, body: Sequence[gast.stmt]) -> list[gast.stmt]:
    """The numbers that lie on the device, made before the first statement that mentions them."""
    made: list[gast.stmt] = []
    missing = [name for name in driver.types if name in driver.cells & driver.made_cells]
    for node in body:
        mentioned = {n.id for n in syntax.nodes_of(node) if isinstance(n, gast.Name)}
        for name in [n for n in missing if n in mentioned]:
            if not _rebinds(node, name):
                dtype = numpy_dtype(dtype_of(driver.types[name]))
                made += python("{c} = cuda.device_array((), {d})", c=name, d=dtype)
            missing.remove(name)
        made.append(node)
    return made


def _rebinds(node: gast.stmt, name: str) -> bool:
    return isinstance(node, gast.Assign) and name in syntax.names_bound(node)


# --- the text ---------------------------------------------------------------------------------------------------------


def _text(program: Program, function: Function, driver: DriverWriter, body: Sequence[gast.stmt]) -> Kernels:
    helpers = {name: name for name in HELPERS}
    parts = [_definition(function, part, helpers) for part in driver.kernels]
    others = [f for name, f in program.functions.items() if name != program.entry]
    called = [definition(f, helpers, True, False, WIDTH) for f in others]
    arguments = gast.arguments([_parameter(n) for n in function.parameters], [], None, [], [], None, [])
    name = Names({*driver.needed, *RESERVED, *(part.name for part in driver.kernels)}).fresh(function.name)
    main = gast.FunctionDef(name, arguments, [with_headings(s) for s in body], [], None, None, [])
    trees = [tree for _, tree in parts] + [tree for _, tree in called] + [main]
    writer = Unparser(True, WIDTH)
    for line in _imports(trees, helpers, driver):
        writer.fill(line) if line else writer.blank()
    for head, tree in parts:
        writer.blank()
        writer.blank()
        for line in head:
            writer.remark(line)
        writer.dispatch(tree)
    for made, tree in called:
        writer.blank()
        writer.blank()
        for line in head_lines(made):
            writer.remark(line)
        writer.dispatch(tree)
    writer.blank()
    writer.blank()
    for line in head_lines(function.with_(stage="kernels")):
        writer.remark(line)
    writer.dispatch(main)
    on_host = tuple((p.name, p.reason) for p in driver.kernels if isinstance(p, HostText))
    kernels_ = tuple(p.name for p in driver.kernels if isinstance(p, KernelText))
    printed = Printed(writer.text(), dict(writer.lines), dict(writer.numbers), dict(writer.heads))
    return Kernels(printed, name, kernels_, on_host)


def _parameter(name: str) -> gast.Name:
    return gast.Name(name, gast.Param(), None, None)


def _definition(
    function: Function, part: KernelText | HostText, helpers: dict[str, str]
) -> tuple[list[str], gast.FunctionDef]:
    parameters = [_parameter(n) for n, _ in part.parameters]
    arguments = gast.arguments(parameters, [], None, [], [], None, [])
    head = wrap([f"{name}: {type_}" for name, type_ in part.parameters])
    if isinstance(part, KernelText):
        mark: gast.expr = attribute("cuda.jit")
        body = [with_headings(s) for s in part.body]
    else:
        changes = syntax.literal(part.changes)
        mark = gast.Call(syntax.name("host"), [], [gast.keyword("changes", changes)] if part.changes else [])
        speller = Speller(function, helpers)
        body = [with_headings(speller.statement(s)) for s in part.body]
        if part.results:
            body.append(speller.statement(syntax.return_(part.results)))
        results = [f"{n}: {function.types[n]}" for n in part.results]
        head = wrap([f"{name}: {type_}" for name, type_ in part.parameters] + (["->", *results] if results else []))
        head.insert(0, f"on the host: {part.reason}")
    return head, gast.FunctionDef(part.name, arguments, body, [mark], None, None, [])


def _imports(trees: Sequence[gast.FunctionDef], helpers: dict[str, str], driver: DriverWriter) -> list[str]:
    lines = [line for line in import_lines(trees, {}) if line]
    used = {n.id for tree in trees for n in syntax.nodes_of(tree) if isinstance(n, gast.Name)}
    if "math" in used and "import math" not in lines:
        lines.insert(0, "import math")
    wanted = ["cuda", *sorted({*driver.needed} | {h for h in helpers if h in used} | ({"host"} & used))]
    return [*lines, "", f"from pellucid.support import {', '.join(wanted)}"]
