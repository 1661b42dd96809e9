"""The derivative that a user gives a function: what hangs on the function itself, for the compiler to find.

    f.__pellucid_rule__     ->     GivenRule("vjp", (forward, backward), nondiff_argnums=())
"""

from __future__ import annotations

import functools
import inspect
import linecache
from types import FunctionType
from typing import Any, NamedTuple

RULE = "__pellucid_rule__"


class GivenRule(NamedTuple):
    """How a function is differentiated, in the words of JAX.

    kind       `vjp`, `jvp`, `jvps` or `checkpoint`
    functions  of `vjp` the forward and the backward rule, and that for forward mode if there is one, of `jvp` the one
               rule, of `jvps` one or None for each argument; empty before they are given
    """

    kind: str
    functions: tuple[Any, ...] = ()
    nondiff_argnums: tuple[int, ...] = ()


def rule_of(function: Any) -> GivenRule | None:
    """The rule of a function; None for one that is differentiated as it stands."""
    found = getattr(function, RULE, None)
    return found if isinstance(found, GivenRule) else None


def written_out(function: Any) -> Any:
    """The Python function that a rule can hang on: where something is made of it already, one that calls that.

        grad(f), a function with a rule    ->    def f(x): return f_itself(x)
    """
    request = getattr(function, "__pellucid__", None)
    if request is None or not isinstance(request.python, FunctionType):
        return function
    changed = request.transforms or request.static or request.mutates or request.freeze or request.fastmath
    return _calling(function) if changed or rule_of(request.python) is not None else request.python


@functools.lru_cache(maxsize=256)
def _calling(function: Any) -> Any:
    """One for each function, so that what is made of it is made once; with a source, which the compiler reads."""
    name = function.__name__ if function.__name__.isidentifier() else "called"
    given = [p for p in inspect.signature(function).parameters.values() if p.kind is not p.KEYWORD_ONLY]
    defaults = {f"default_{p.name}": p.default for p in given if p.default is not p.empty}
    heads = [f"{p.name}=default_{p.name}" if f"default_{p.name}" in defaults else p.name for p in given]
    text = f"def {name}({', '.join(heads)}):\n    return {name}_itself({', '.join(p.name for p in given)})\n"
    file = f"<{function.__qualname__} {id(function)}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    names = {f"{name}_itself": function, **defaults}
    exec(compile(text, file, "exec"), names)
    return names[name]
