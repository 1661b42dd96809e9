"""Parse the text of a kernels stage: its kernels with their types, and what they see of the rest.

    # x: f32[size]   y: f32[size]   size: int          PrintedKernel("scale_1", line 3, "def scale_1...",
    @cuda.jit                                    ->           {"x": f32[size], "y": f32[size], "size": int})
    def scale_1(x, y, size): ...

Nothing of the text is run.  The driver, and whatever else is no kernel, no device function and no constant, is left
out: it runs on the host.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import gast

from ...diagnostics import Diagnostic, Span, StageError
from ...languages.faults import fault, shown
from ...languages.files import MODULES, SUPPORT, first_line, read_signature
from ...parsing import parsed_module
from ...records import dataclass
from ...types import ListOf, Scalar, Type

JIT = "cuda.jit"
WIDTH = "cuda.blockDim.x"
STEP = f"+= {WIDTH}"


@dataclass(frozen=True, slots=True, eq=False)
class PrintedKernel:
    """One kernel: the line of its `def`, its text with the decorator, and the types of its parameters."""

    name: str
    line: int
    text: str
    parameters: Mapping[str, Type]

    @property
    def goes_by_width(self) -> bool:
        """Whether a loop of it goes by the width of a block, which a launch decides."""
        return STEP in self.text

    def of_width(self, width: int) -> PrintedKernel:
        """The kernel for blocks of this width: a loop with a step that is known is unrolled, its loads ahead."""
        return replace(self, text=self.text.replace(WIDTH, str(width)))

    @property
    def signature(self) -> str:
        """The types as a string, without the names of lengths: `f32[_], any f64[_, _], int`."""
        return ", ".join(map(_without_lengths, self.parameters.values()))


@dataclass(frozen=True, slots=True, eq=False)
class PrintedKernels:
    """A parsed stage.  `support` says which function of `pellucid.support` a name of the text is.  `shared` is what
    all kernels may use, constants and device functions, with empty lines for the rest: so lines keep their numbers.
    """

    path: str
    kernels: Mapping[str, PrintedKernel]
    support: Mapping[str, str]
    shared: str

    def program(self, names: Iterable[str]) -> str:
        """The text of these kernels and of what they share, every line where it was; without imports."""
        lines = self.shared.splitlines()
        for name in names:
            kernel = self.kernels[name]
            own = kernel.text.splitlines()
            lines[kernel.line - 1 : kernel.line - 1 + len(own)] = own
        return "\n".join(lines) + "\n"


def read_kernels(text: str, path: str) -> PrintedKernels:
    """Raises StageError where a line is not Python, an import unknown, or a type not said."""
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    return _taken_apart(text, path)


@lru_cache(maxsize=8)  # the kernels of a text are assembled one after the other
def _taken_apart(text: str, path: str) -> PrintedKernels:
    lines = text.splitlines()
    kernels: dict[str, PrintedKernel] = {}
    support: dict[str, str] = {}
    kept: list[gast.AST] = []
    for node in _parsed(text, path).body:
        match node:
            case gast.Import() | gast.ImportFrom():
                support |= _imported(node, path)
            case gast.FunctionDef(decorator_list=[gast.Call(func=jit)]) if shown(jit) == JIT:
                kept.append(node)  # a device function, `@cuda.jit(device=True)`
            case gast.FunctionDef(decorator_list=[jit]) if shown(jit) == JIT:
                kernels[node.name] = _kernel(node, text, lines, path)
            case gast.Assign() | gast.AnnAssign():
                kept.append(node)
    if not kernels:
        raise StageError(Diagnostic("L001", "the text holds no kernel", Span(path, 1, 0, 1, 1)))
    return PrintedKernels(path, kernels, support, _only(kept, lines))


@dataclass(frozen=True, slots=True, eq=False)
class PrintedDriver:
    """The last function of a text: where its `def` stands, the types of its parameters, and the kernels of the text."""

    name: str
    line: int
    parameters: Mapping[str, Type]
    kernels: tuple[str, ...]


def read_driver(text: str, path: str) -> PrintedDriver:
    """Raises StageError where a line is not Python, where there is no driver, or where its types are not said."""
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    functions = [node for node in _parsed(text, path).body if isinstance(node, gast.FunctionDef)]
    plain = [node for node in functions if not node.decorator_list]
    if not plain:
        message = "the text holds no driver, a function without a decorator that launches its kernels"
        raise StageError(Diagnostic("L001", message, Span(path, 1, 0, 1, 1)))
    kernels = [node.name for node in functions if [shown(jit) for jit in node.decorator_list] == [JIT]]
    return PrintedDriver(plain[-1].name, plain[-1].lineno, read_signature(plain[-1], text, path), tuple(kernels))


def _parsed(text: str, path: str) -> gast.Module:
    try:
        return parsed_module(text, path)
    except SyntaxError as wrong:
        line, column = wrong.lineno or 1, max(0, (wrong.offset or 1) - 1)
        span = Span(path, line, column, line, column + 1)
        raise StageError(Diagnostic("L001", f"this is not valid Python: {wrong.msg}", span)) from None


def _imported(node: gast.Import | gast.ImportFrom, path: str) -> dict[str, str]:
    """The functions of `pellucid.support` that an import gives, by the names that they have in the text."""
    if isinstance(node, gast.ImportFrom):
        if node.module == SUPPORT:
            return {alias.asname or alias.name: alias.name for alias in node.names}
    elif all(MODULES.get(alias.name) == (alias.asname or alias.name.split(".")[0]) for alias in node.names):
        return {}
    help_ = f"it has `import math`, `import numpy as np` and `from {SUPPORT} import ...`"
    raise fault("L001", node, path, f"`{shown(node)}` is no import of a kernels stage", help=(help_,))


def _kernel(node: gast.FunctionDef, text: str, lines: Sequence[str], path: str) -> PrintedKernel:
    parameters = read_signature(node, text, path)
    for argument in node.args.args:
        if isinstance(parameters[argument.id], ListOf):
            raise fault("L002", argument, path, f"a kernel takes no list, and `{argument.id}` is one")
    for inner in gast.walk(node):
        if isinstance(inner, gast.Return) and inner.value is not None:
            raise fault("L001", inner, path, "a kernel returns nothing: what it finds is stored into its arguments")
    start = first_line(node)
    return PrintedKernel(node.name, start, "\n".join(lines[start - 1 : node.end_lineno]), parameters)


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
