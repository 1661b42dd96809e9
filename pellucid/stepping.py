"""Run a stage in CPython from a real file, for pdb and editors; point its failures back to the user's lines.

    IndexError: index 7 is out of bounds for axis 0 with size 5          (in cascade_cascade_loops.py)
    which stems from
      File "cascade.py", line 21, in cascade
        y[i] = math.tanh(k * y[i - 1]) + x[i]
"""

from __future__ import annotations

import linecache
import types as python_types
from bdb import BdbQuit
from collections.abc import Callable, Iterator
from typing import Any

import gast

from .compiler import syntax
from .compiler.frontend.source.read import read, span_of
from .compiler.frontend.specialise.interpreter.apply import core_of
from .compiler.program import Function, Origin, Program
from .compiler.request import namespace_of
from .compiler.targets.python import definition as python_target
from .compiler.targets.python import printer

Call = Callable[..., Any]


def run(function: Call, arguments: list[Any], call: Call | None = None) -> Any:
    """`function(*arguments)`, or `call(function, *arguments)`; an error gets a note that names the user's line."""
    try:
        return function(*arguments) if call is None else call(function, *arguments)
    except BdbQuit:
        raise
    except Exception as error:
        add_user_line(error)
        raise


def add_user_line(error: BaseException) -> None:
    """Note where the user wrote the innermost line of a stage that the error came through."""
    found = None
    trace = error.__traceback__
    while trace is not None:
        frame = trace.tb_frame
        found = python_target.user_line(frame.f_globals, trace.tb_lineno) or found
        trace = trace.tb_next
    if found is not None:
        line = linecache.getline(found.file, found.line).strip()
        error.add_note(f'which stems from\n  File "{found.file}", line {found.line}\n    {line}')


# --- the core stage ------------------------------------------------------------------------------------------------


def core_program(python: python_types.FunctionType) -> Program:
    """The core form of a function as a program that can be printed; its statements know their lines."""
    source = read(python)
    core, _ = core_of(source.tree)
    parameters = (*core.args.posonlyargs, *core.args.args, *core.args.kwonlyargs)
    body = tuple(_with_span(statement, source.file) for statement in core.body)
    origin = Origin(source.file, source.name, source.line, source.text)
    main = Function(core.name, tuple(p.id for p in parameters), body, "core", origin)
    return Program(core.name, {core.name: main})


def _with_span(statement: gast.stmt, file: str) -> gast.stmt:
    changes: dict[str, Any] = {"span": span_of(statement, file)}
    for block in ("body", "orelse"):
        if isinstance(getattr(statement, block, None), list):
            changes[block] = [_with_span(inner, file) for inner in getattr(statement, block)]
    return syntax.rebuild(statement, **changes)


def load_core(python: python_types.FunctionType) -> Call:
    """The core form as a function among the user's globals; compiled functions that it calls are replaced by theirs."""
    function = python_target.load(core_program(python))
    for name, value in namespace_of(python).items():
        plain = getattr(value, "__pellucid__", None)
        known = plain.python if plain is not None and not plain.transforms else value
        function.__globals__.setdefault(name, known)
    return function


def core_text(python: python_types.FunctionType) -> str:
    """The core form as a file of its own: below imports and constants for the globals it reads."""
    program = core_program(python)
    text = printer.print_program(program, header=False)
    lines = list(dict.fromkeys(_preamble(program.main, namespace_of(python))))
    return "\n".join([*lines, "", "", text]) if lines else text


def _preamble(function: Function, namespace: dict[str, Any]) -> Iterator[str]:
    read_names = {n.id for s in function.body for n in gast.walk(s) if isinstance(n, gast.Name)}
    known = [(name, namespace[name]) for name in sorted(read_names) if name in namespace and name != function.name]
    for name, value in known:
        if isinstance(value, python_types.ModuleType):
            module = value.__name__
            yield f"import {module}" if module == name else f"import {module} as {name}"
    for name, value in known:
        home, own = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
        if not isinstance(value, python_types.ModuleType) and home and own.isidentifier():
            yield f"from {home} import {own}" if own == name else f"from {home} import {own} as {name}"
    for name, value in known:
        if isinstance(value, bool | int | float | complex | str):
            yield f"{name} = {value!r}"
