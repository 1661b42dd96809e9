"""Give the functions of a program other names, where they are called and in rules too.

    def f(x): return g(x)      with {"g": "g_1"}      ->      def f(x): return g_1(x)
"""

from __future__ import annotations

from collections.abc import Mapping

import gast

from .. import syntax
from ..program import Function, Program
from ..renaming import map_body


def rename_functions(program: Program, names: Mapping[str, str]) -> Program:
    """The program with other names for some of its functions."""
    made = {names.get(name, name): _renamed(function, names) for name, function in program.functions.items()}
    return Program(names.get(program.entry, program.entry), made)


def _renamed(function: Function, names: Mapping[str, str]) -> Function:
    def change(statement: gast.stmt) -> gast.stmt:
        value = getattr(statement, "value", None)
        callee = syntax.operator_of(value) if isinstance(value, gast.Call) else None
        if not isinstance(value, gast.Call) or callee is None or callee not in names:
            return statement
        return syntax.rebuild(statement, value=syntax.rebuild(value, func=syntax.name(names[callee])))

    rule = None if function.rule is None else function.rule.renamed(names)
    body = tuple(map_body(function.body, change))
    return function.with_(name=names.get(function.name, function.name), body=body, rule=rule)
