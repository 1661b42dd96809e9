"""Leave out the functions that nothing calls.

    def f(x): ...             ->     def f(x): ...
    def helper(x): ...

Takes and gives typed programs.  Keeps the order of the functions.
"""

from __future__ import annotations

from .. import syntax
from ..program import Program


def reachable(program: Program) -> Program:
    """The functions that the entry calls, directly or not, and those that derivatives of these call."""
    if len(program.functions) == 1:
        return program
    seen: dict[str, None] = {program.entry: None}
    queue = [program.entry]
    while queue:
        function = program.functions[queue.pop()]
        called = [syntax.operator_of(node) for statement in function.body for node in syntax.calls_in(statement)]
        for callee in (*called, *(function.rule.everything if function.rule is not None else ())):
            if callee is not None and callee in program.functions and callee not in seen:
                seen[callee] = None
                queue.append(callee)
    if len(seen) == len(program.functions):
        return program
    return Program(program.entry, {name: program.functions[name] for name in program.functions if name in seen})
