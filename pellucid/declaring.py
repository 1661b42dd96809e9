"""Write what a message proposes to declare into the decorator of the function: `pellucid check --declare`.

    @compile                                @compile(mutates=("velocity",), freeze=("BIAS",))
    def drift(velocity): ...        ->      def drift(velocity): ...

A function that is compiled by a call, `step = compile(step_by_hand)`, is left as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from .compiler.diagnostics import Diagnostic, Edit, Span
from .runtime.parsing import parse

DECORATORS = ("compile", "jit")


def declarations_in(diagnostics: Iterable[Diagnostic], file: str, text: str) -> list[Edit]:
    """One edit for each decorator; what a second option of the same decorator needs is left for the next time."""
    decorated = list(_decorated(parse(text, file)))
    found: dict[tuple[int, str], list[str]] = {}
    for diagnostic in diagnostics:
        places = [k for k, function in enumerate(decorated) if _holds(function, diagnostic.span, file)]
        if diagnostic.declares and places:
            found.setdefault((places[0], diagnostic.declares), []).append(diagnostic.subject)
    first = {place: (option, names) for (place, option), names in reversed(found.items())}
    edits = [_edit(_decorator(decorated[place]), option, names, file) for place, (option, names) in first.items()]
    return [edit for edit in edits if edit is not None]


def _decorated(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and _decorator(node) is not None:
            yield node


def _decorator(function: ast.FunctionDef) -> ast.expr | None:
    for one in function.decorator_list:
        called = one.func if isinstance(one, ast.Call) else one
        if (called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")) in DECORATORS:
            return one
    return None


def _holds(function: ast.FunctionDef, span: Span, file: str) -> bool:
    return span.file == file and function.lineno <= span.line <= (function.end_lineno or function.lineno)


def _edit(decorator: ast.expr | None, option: str, names: list[str], file: str) -> Edit | None:
    """The option after the others of the decorator, or the names after those that it has."""
    if decorator is None:
        return None
    if not isinstance(decorator, ast.Call):
        return Edit(Span.of(decorator, file), f"{ast.unparse(decorator)}({option}={_written(names)})")
    for keyword in decorator.keywords:
        if keyword.arg == option:
            own = _names(keyword.value)
            return None if own is None else Edit(Span.of(keyword.value, file), _written([*own, *names]))
    behind = f", {option}={_written(names)}" if decorator.args or decorator.keywords else f"{option}={_written(names)}"
    end = Span(file, decorator.end_lineno or 0, (decorator.end_col_offset or 0) - 1,
               decorator.end_lineno or 0, (decorator.end_col_offset or 0) - 1)  # fmt: skip
    return Edit(end, behind)


def _names(value: ast.expr) -> list[str] | None:
    """The names that an option has; None where they are not written there."""
    parts = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
    found = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return found if len(found) == len(parts) else None


def _written(names: Iterable[str]) -> str:
    each = [f'"{name}"' for name in dict.fromkeys(names)]
    return f"({', '.join(each)}{',' if len(each) == 1 else ''})"
