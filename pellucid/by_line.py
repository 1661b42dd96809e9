"""The loops stage told by the user's lines: what runs in parallel, in vectors or in a library, and what is checked.

    line 9    w = u[:, None] * u
                a loop whose iterations are independent: it may run in vectors, and on several cores where it is long

Takes a function of the loops stage, gives lines of text; what a name of the compiler's own stands for is told in words.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterator

import gast

from .compiler import syntax
from .compiler.messages import message_arguments
from .compiler.ops.exchanges import EXCHANGES
from .compiler.ops.routines import ROUTINES
from .compiler.optimise.keep_for_threads import keep_for_threads
from .compiler.program import Function
from .index_checks import index_checks

INDEPENDENT = "a loop whose iterations are independent: it may run in vectors, and on several cores where it is long"
IN_VECTORS = "a loop whose iterations are independent: it may run in vectors"
LANES = "a loop that takes values together: it may run in vectors, several partial results at a time"
IN_ORDER = "a loop, one iteration after the other"


def by_line(function: Function, versions: Function | None = None) -> Iterator[str]:
    """What each line of the user's became, in the order of the lines; `versions` has its loops in versions."""
    found: dict[int, dict[str, None]] = {}
    on_threads = [_kind(s) for s in syntax.walk(keep_for_threads(function).body)]
    for (statement, is_inner), kind in zip(_statements(list(function.body), False), on_threads, strict=True):
        span = getattr(statement, "span", None)
        if span is not None and function.origin is not None and span.file == function.origin.file:
            said = found.setdefault(span.line, {})
            said.update(dict.fromkeys(_said(statement, is_inner, kind)))
    for line, checks in index_checks(function, versions or function).items():
        found.setdefault(line, {}).update(dict.fromkeys(in_users_names(text, function) for text in checks))
    for line in sorted(line for line, said in found.items() if said):
        shown = linecache.getline(function.origin.file, line).strip()
        yield "\n".join([f"line {line}: {shown}", *found[line]])


def _statements(body: list[gast.stmt], is_inner: bool) -> Iterator[tuple[gast.stmt, bool]]:
    """All statements, and whether each stands in a loop that is told of already."""
    for statement in body:
        yield statement, is_inner
        told = is_inner or isinstance(statement, gast.For) and _kind(statement) in ("prange", "lanes")
        for block in syntax.blocks_of(statement):
            yield from _statements(block, told)


def _kind(statement: gast.stmt) -> str:
    return getattr(getattr(getattr(statement, "iter", None), "func", None), "id", "")


def _said(statement: gast.stmt, is_inner: bool, on_threads: str) -> Iterator[str]:
    """`on_threads` is the kind that a loop has where threads take the others."""
    match statement:
        case gast.For() if not is_inner:
            independent = INDEPENDENT if on_threads == "prange" else IN_VECTORS
            yield {"prange": independent, "lanes": LANES}.get(_kind(statement), IN_ORDER)
        case gast.While() if not is_inner:
            yield IN_ORDER
        case gast.If(body=[*_, gast.Raise() as error]):
            yield f"is checked when it runs: {_error(error)}"
    for call in syntax.calls_in(statement) if isinstance(statement, gast.Expr) else ():
        name = syntax.operator_of(call)
        if name in EXCHANGES:
            yield f"all devices meet: `{name}`"
        elif name in ROUTINES or name in ("gemm", "gemv", "ger", "dot"):
            yield f"by BLAS or LAPACK: `{name}`"


def _error(error: gast.Raise) -> str:
    kind = getattr(getattr(error.exc, "func", None), "id", "an error")
    first, *_ = (*message_arguments(error.exc.args[0].value), "") if getattr(error.exc, "args", ()) else ("",)
    text = first[0] if isinstance(first, tuple) else re.sub(r"{[^}]*}", "...", first or "...")
    return f"{kind}, {text}" if first else kind


# --- names ---------------------------------------------------------------------------------------------------------


def in_users_names(text: str, function: Function) -> str:
    """The text with the user's names in place of the compiler's: `u_1` is `u`, `u_bar_2` the cotangent of `u`."""
    own = set(re.findall(r"\w+", function.origin.text)) if function.origin is not None else set()

    def told(match: re.Match[str]) -> str:
        name = match[1]
        base = re.sub(r"_\d+$", "", name)
        if not name.isidentifier() or name in own or base == name and not name.endswith("_bar") and len(name) > 2:
            return match[0]
        if base in own:
            return f"`{base}`"
        if base.endswith("_bar") and base[:-4] in own:
            return f"the cotangent of `{base[:-4]}`"
        return "a value without a name"

    return re.sub(r"`([^`\s]+)`", told, text)
