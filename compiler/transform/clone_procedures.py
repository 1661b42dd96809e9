"""Procedure cloning: a function that is called many times gets a copy for each pattern of what is differentiated.

    y = block(x, w, 2.0)            y = block(x, w, 2.0)            by w: in the first call, where `x` is given,
    z = block(y, w, 2.0)     ->     z = block_1(y, w, 2.0)          only one argument varies, and in the second two

Takes and gives typed programs with shared functions (`outline`): one for each pattern of arguments that vary, and of
results whose derivative is asked for, so that none computes with zeros.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import gast

from .. import syntax
from ..analysis.activity import Activity, activity, calls_of, results_of
from ..names import Names
from ..ops.forms import FORMS
from ..ops.schema import OPERATORS
from ..program import Function, Program
from ..renaming import map_body

Pattern = tuple[frozenset[int], frozenset[int]]


def clone_procedures(program: Program, wrt: Iterable[str], outputs: Iterable[int]) -> Program:
    """The program for a derivative of these results by these parameters; the same one where all calls are alike."""
    if not any(function.is_shared for function in program.functions.values()):
        return program
    wrt, outputs = tuple(wrt), tuple(outputs)
    names = Names({*program.functions, *OPERATORS, *FORMS, *(n for f in program.functions.values() for n in f.types)})
    while True:
        following = _one_level(program, activity(program, wrt, outputs), names)
        if following is program:
            return program
        program = following


def _one_level(program: Program, facts: Mapping[str, Activity], names: Names) -> Program:
    """The program with functions for the patterns of all calls: what these call in turn may differ now."""
    called: dict[str, dict[Pattern, str]] = {}
    targets: dict[tuple[str, int], str] = {}
    for function in program.functions.values():
        for statement, callee in calls_of(function, program):
            if program.functions[callee].is_shared and program.functions[callee].rule is None:
                found = called.setdefault(callee, {})
                pattern = _pattern(statement, facts[function.name].names)
                if pattern not in found:
                    found[pattern] = names.fresh(callee) if found else callee
                targets[function.name, id(statement)] = found[pattern]
    if all(len(found) == 1 for found in called.values()):
        return program

    def with_calls(function: Function) -> Function:
        def aimed(statement: gast.stmt) -> gast.stmt:
            name = targets.get((function.name, id(statement)))
            if name is None or name == statement.value.func.id:
                return statement
            return syntax.rebuild(statement, value=syntax.rebuild(statement.value, func=syntax.name(name)))

        body = map_body(function.body, aimed)
        return function if all(a is b for a, b in zip(body, function.body)) else function.with_(body=tuple(body))

    aimed_at = program.map(with_calls)
    made = {name: aimed_at.functions[callee].with_(name=name) for callee, found in called.items()
            for name in found.values() if name != callee}  # fmt: skip
    return Program(program.entry, {**aimed_at.functions, **made})


def _pattern(call: gast.stmt, active: Collection[str]) -> Pattern:
    arguments = (k for k, a in enumerate(call.value.args) if isinstance(a, gast.Name) and a.id in active)
    return frozenset(arguments), frozenset(k for k, name in enumerate(results_of(call)) if name in active)
