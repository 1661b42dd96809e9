"""Take the text of a kernels stage apart: its kernels with their types, and what they see of the rest.

    # x: f32[size]   y: f32[size]   size: int          Kernel("scale_1", line 3, "def scale_1...",
    @cuda.jit                                    ->           {"x": f32[size], "y": f32[size], "size": int})
    def scale_1(x, y, size): ...

Nothing of the text is run.  The driver, and whatever else is no kernel, no device function and no constant, is left
out: it runs on the host.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Mapping, Sequence

import gast

from ...diagnostics import Diagnostic, Span, StageError
from ...languages.faults import fault, shown
from ...languages.files import first_line, read_signature
from ...parsing import parsed_module
from ...records import dataclass
from ...types import ListOf, Scalar, Type

SUPPORT = "pellucid.support"
JIT = "cuda.jit"
MODULES = {"math": "math", "np": "numpy"}  # what a kernel may name, and the module that it is


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """One kernel: the line of its `def`, its text with the decorator, and the types of its parameters."""

    name: str
    line: int
    text: str
    parameters: Mapping[str, Type]

    @property
    def signature(self) -> str:
        """The types as text, without the names of lengths: `f32[_], any f64[_, _], int`."""
        return ", ".join(map(_without_lengths, self.parameters.values()))


@dataclass(frozen=True, slots=True, eq=False)
class KernelText:
    """A text taken apart.  `support` are the names that it has of `pellucid.support`; `shared` is what all kernels may
    use, constants and device functions, with empty lines for the rest, so that every line keeps its number.
    """

    path: str
    kernels: Mapping[str, Kernel]
    support: tuple[str, ...]
    shared: str

    def program(self, names: Iterable[str]) -> str:
        """The text of these kernels and of what they share, every line where it was; without imports."""
        lines = self.shared.splitlines()
        for name in names:
            kernel = self.kernels[name]
            own = kernel.text.splitlines()
            lines[kernel.line - 1 : kernel.line - 1 + len(own)] = own
        return "\n".join(lines) + "\n"


def read_kernels(text: str, path: str) -> KernelText:
    """Raises StageError where a line is not Python, an import unknown, or a type not said."""
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    lines = text.splitlines()
    kernels: dict[str, Kernel] = {}
    support: list[str] = []
    kept: list[gast.AST] = []
    for node in _parsed(text, path).body:
        match node:
            case gast.Import() | gast.ImportFrom():
                support += _imported(node, path)
            case gast.FunctionDef() if _is_kernel(node):
                kernels[node.name] = _kernel(node, text, lines, path)
            case gast.FunctionDef(decorator_list=[_, *_]) | gast.Assign() | gast.AnnAssign():
                kept.append(node)
    if not kernels:
        raise StageError(Diagnostic("L001", "the text holds no kernel", Span(path, 1, 0, 1, 1)))
    return KernelText(path, kernels, tuple(support), _only(kept, lines))


def _parsed(text: str, path: str) -> gast.Module:
    try:
        return parsed_module(text, path)
    except SyntaxError as wrong:
        line, column = wrong.lineno or 1, max(0, (wrong.offset or 1) - 1)
        span = Span(path, line, column, line, column + 1)
        raise StageError(Diagnostic("L001", f"this is not valid Python: {wrong.msg}", span)) from None


def _imported(node: gast.Import | gast.ImportFrom, path: str) -> list[str]:
    """The names of `pellucid.support` that an import gives."""
    if isinstance(node, gast.ImportFrom):
        if node.module == SUPPORT and not any(alias.asname for alias in node.names):
            return [alias.name for alias in node.names]
    elif all(MODULES.get(alias.asname or alias.name) == alias.name for alias in node.names):
        return []
    help_ = f"it has `import math`, `import numpy as np` and `from {SUPPORT} import ...`"
    raise fault("L001", node, path, f"`{shown(node)}` is no import of a kernels stage", help=(help_,))


def _is_kernel(node: gast.FunctionDef) -> bool:
    """Whether it is launched: a device function has `cuda.jit(device=True)`."""
    return [shown(decorator) for decorator in node.decorator_list] == [JIT]


def _kernel(node: gast.FunctionDef, text: str, lines: Sequence[str], path: str) -> Kernel:
    parameters = read_signature(node, text, path)
    for argument in node.args.args:
        if isinstance(parameters[argument.id], ListOf):
            raise fault("L002", argument, path, f"a kernel takes no list, and `{argument.id}` is one")
    for inner in gast.walk(node):
        if isinstance(inner, gast.Return) and inner.value is not None:
            raise fault("L001", inner, path, "a kernel returns nothing: what it finds is stored into its arguments")
    start = first_line(node)
    return Kernel(node.name, start, "\n".join(lines[start - 1 : node.end_lineno]), parameters)


def _only(nodes: Iterable[gast.AST], lines: Sequence[str]) -> str:
    kept = [""] * len(lines)
    for node in nodes:
        start = first_line(node) if isinstance(node, gast.FunctionDef) else node.lineno
        kept[start - 1 : node.end_lineno] = lines[start - 1 : node.end_lineno]
    return "\n".join(kept)


def _without_lengths(type_: Type) -> str:
    if isinstance(type_, Scalar):
        return str(type_)
    text = str(type_)
    return text[: text.index("[")] + f"[{', '.join('_' for _ in type_.dims)}]"  # type: ignore[union-attr]
