"""Typed functions and programs as text, for tests: what `languages.typed` reads, types as annotations.

    def f(x: "f64[n]", k: "int"):
        y = sin(x) * k + 1.0
        return y
"""

from dataclasses import replace

from pellucid.compiler.languages.typed import read_typed
from pellucid.compiler.names import base_of
from pellucid.compiler.program import Function, Program


def read_function(text: str, path: str = "example.py") -> Function:
    return read_program(text, path).main


def read_program(text: str, path: str = "example.py") -> Program:
    """The functions of `text`, the first of them the entry."""
    return read_typed(text, path).map(with_temporaries)


def with_temporaries(function: Function) -> Function:
    """Names such as `t_1` stand for what a pass made, and may be folded away."""
    hidden = {name for name in function.types if base_of(name) == "t"} - {*function.parameters}
    return function.with_(temporaries=frozenset(hidden), origin=replace(function.origin, text=""))
