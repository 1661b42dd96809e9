"""Say what a name stands for from the source of its module alone; nothing is imported or run.

    import numpy as np          np        ->  Resolution("module", "numpy")
    TABLE = np.zeros(3)         TABLE     ->  Resolution("mutable", "TABLE", what="array", span=the assignment)
    from .tools import norm     norm      ->  Resolution("function", "norm", source=the def in tools.py)

What the source does not tell (the result of an unknown call) is `undecided`, which nobody reports: the check at
decoration, on live values, decides.
"""

from __future__ import annotations

import builtins
import functools
import math
import os
import sys
from collections.abc import Iterable, Iterator, Sequence

import gast
import numpy

from ....runtime.nature import article
from ...diagnostics import Span
from ...parsing import parsed_module
from ...syntax import imported_as
from ...vocabulary import DTYPES, INDEX_MAKERS, LIBRARIES, words
from .constant_names import is_constant_in
from .resolve import NameSource, Resolution, Resolve, library, member, resolve_chain

ARRAY_MAKERS = INDEX_MAKERS | words("load loadtxt genfromtxt fromfile frombuffer asarray outer diag loads")
CONTAINERS = words("list dict set bytearray")
FOLDED_BUILTINS = words("int float bool str complex len abs min max sum round range tuple pow divmod")
LARGEST_FILE = 2_000_000
# `from numpy import *`: what the known libraries export
STARRED = {
    "numpy": frozenset(numpy.__all__),
    "math": frozenset(vars(math)),
    "pellucid": words("compile grad value_and_grad vmap Function Array"),
}


@functools.lru_cache(maxsize=64)
def parse_module(text: str) -> gast.Module:
    """The tree of a file; raises SyntaxError.  The tree is shared and must not be changed."""
    return parsed_module(text)


@functools.lru_cache(maxsize=64)
def module_resolver(text: str, file: str) -> Resolve:
    """Resolve the names of a module from its source; raises SyntaxError."""
    return StaticNames(parse_module(text).body, text, file, None).resolve


def function_resolver(outer: Resolve, enclosing: Iterable[gast.FunctionDef], text: str, file: str) -> Resolve:
    """Resolve names as seen inside these functions, outermost first, then as `outer` does."""
    for function in enclosing:
        outer = StaticNames(function.body, text, file, outer, parameter_names(function)).resolve
    return outer


def parameter_names(function: gast.FunctionDef | gast.AsyncFunctionDef | gast.Lambda) -> tuple[str, ...]:
    """Every parameter, in order, star parameters included."""
    a = function.args
    listed = [*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg]
    return tuple(parameter.id for parameter in listed if parameter is not None)


class StaticNames:
    """The names that one block of source binds; those it does not bind are left to `outer`, or to the builtins."""

    def __init__(
        self, body: Sequence[gast.stmt], text: str, file: str, outer: Resolve | None, parameters: tuple[str, ...] = ()
    ) -> None:
        self.text, self.file, self.outer, self.parameters = text, file, outer, parameters
        self.bindings: dict[str, list[gast.stmt]] = {}
        self.stars: list[gast.ImportFrom] = []
        self.resolving: set[str] = set()
        self.known: dict[str, Resolution] = {}
        for statement in top_statements(body):
            if isinstance(statement, gast.ImportFrom) and statement.names[0].name == "*":
                self.stars.append(statement)
            for name in bound_names(statement):
                self.bindings.setdefault(name, []).append(statement)

    def resolve(self, name: str) -> Resolution:
        if name not in self.known:
            if name in self.resolving:  # `a = b; b = a`
                return Resolution("undecided", name)
            self.resolving.add(name)
            self.known[name] = self._resolve(name)
            self.resolving.discard(name)
        return self.known[name]

    def _resolve(self, name: str) -> Resolution:
        found = [self._binding(name, statement) for statement in self.bindings.get(name, ())]
        if found:
            return next((one for one in found if one.kind == "mutable"), found[-1])
        if name in self.parameters:
            return Resolution("undecided", name)
        for statement in self.stars:
            starred = self._imported(statement, name)
            if starred.kind != "undefined":
                return starred
        if self.outer is not None:
            return self.outer(name)
        if hasattr(builtins, name):
            return Resolution("builtin", name, getattr(builtins, name))
        return library("builtins." + name) if name.startswith("__") else Resolution("undefined", name)

    def _binding(self, name: str, statement: gast.stmt) -> Resolution:
        span = Span.of(statement, self.file)
        match statement:
            case gast.Import():
                return self._import(name, statement)
            case gast.ImportFrom():
                original = next(alias.name for alias in statement.names if imported_as(alias) == name)
                return self._imported(statement, original)
            case gast.FunctionDef():
                source = NameSource(
                    statement, self.file, self.text, self.resolve, freeze=declared(statement, "freeze")
                )  # fmt: skip
                return Resolution(
                    "function", name, span=span, source=lambda: source,
                    mutates=without_true(declared(statement, "mutates")),
                )
            case gast.ClassDef():
                return self._class(name, statement, span)
            case gast.Assign(targets=[gast.Name()], value=value) | gast.AnnAssign(value=value) if value is not None:
                found = self.classify(value, name)
                if found.kind == "mutable" and self.outer is None and is_constant_in(self.text, name, found.what):
                    found = Resolution("constant", name, what=found.what)
                return Resolution(found.kind, found.name, found.value, found.what, span, found.members, found.source)
            case _:
                return Resolution("undecided", name, span=span)

    # --- values ----------------------------------------------------------------------------------------------------

    def classify(self, node: gast.expr, name: str) -> Resolution:
        """What a name assigned from this expression stands for."""
        match node:
            case gast.Constant():
                return Resolution("constant", name, node.value)
            case gast.Name() | gast.Attribute():
                return resolve_chain(node, self.resolve, lambda _: False) or Resolution("undecided", name)
            case gast.List() | gast.ListComp():
                return Resolution("mutable", name, what="list")
            case gast.Dict() | gast.DictComp():
                return Resolution("mutable", name, what="dict")
            case gast.Set() | gast.SetComp():
                return Resolution("mutable", name, what="set")
            case gast.Lambda():
                return Resolution("function", name)
            case gast.Tuple():
                return self._combine(node.elts, name, "tuple")
            case gast.UnaryOp() | gast.BinOp() | gast.BoolOp() | gast.Compare() | gast.IfExp():
                parts = [child for child in gast.iter_child_nodes(node) if isinstance(child, gast.expr)]
                return self._combine(parts, name, "")
            case gast.Call():
                return self._call(node, name)
            case _:
                return Resolution("undecided", name)

    def _combine(self, parts: Iterable[gast.expr], name: str, holder: str) -> Resolution:
        found = [self.classify(part, name) for part in parts]
        for one in found:
            if one.kind == "mutable":
                return Resolution(
                    "mutable", name, what=f"{holder} that holds {article(one.what)}" if holder else one.what
                )
        settled = all(one.kind not in ("undecided", "unknown", "undefined") for one in found)
        return Resolution("constant" if settled else "undecided", name)

    def _call(self, node: gast.Call, name: str) -> Resolution:
        called = resolve_chain(node.func, self.resolve, lambda _: False)
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        if called is None:  # a method of a value: an array's methods mostly return arrays
            base = self.classify(node.func.value, name) if isinstance(node.func, gast.Attribute) else None
            is_array = base is not None and base.kind == "mutable" and base.what == "array"
            return Resolution("mutable", name, what="array") if is_array else Resolution("undecided", name)
        tail = called.name.rpartition(".")[2]
        if called.kind == "builtin":
            if tail in CONTAINERS:
                return Resolution("mutable", name, what=tail)
            return self._combine(arguments, name, tail) if tail in FOLDED_BUILTINS else Resolution("undecided", name)
        if called.kind == "class" and called.what == "no record":
            return Resolution("unknown", name, what=f"it is a `{tail}`")
        if called.kind == "class":
            return self._combine(arguments, name, tail)
        if called.kind == "library":
            return self._library_call(called.name, tail, arguments, name)
        return Resolution("undecided", name)

    def _library_call(self, dotted: str, tail: str, arguments: list[gast.expr], name: str) -> Resolution:
        if dotted in ("numpy.random.default_rng", "numpy.random.RandomState", "random.Random"):
            return Resolution("mutable", name, what="random generator")
        if dotted in ("collections.namedtuple", "typing.NamedTuple", "dataclasses.make_dataclass"):
            return Resolution("class", name)
        if dotted.startswith("numpy."):
            if tail in ARRAY_MAKERS or dotted.startswith("numpy.random."):
                return Resolution("mutable", name, what="array")
            return Resolution("constant", name) if tail in DTYPES else self._combine(arguments, name, "")
        if dotted.startswith("math."):
            return self._combine(arguments, name, "")
        if dotted in ("pellucid.compile", "pellucid.jit", "pellucid.grad", "pellucid.value_and_grad", "pellucid.vmap"):
            return Resolution("function", name)
        return Resolution("undecided", name)

    def _class(self, name: str, node: gast.ClassDef, span: Span) -> Resolution:
        bases = [resolve_chain(base, self.resolve, lambda _: False) for base in node.bases]
        makers = [d.func if isinstance(d, gast.Call) else d for d in node.decorator_list]
        marks = [*bases, *(resolve_chain(maker, self.resolve, lambda _: False) for maker in makers)]
        for mark in marks:
            if mark is None or mark.kind in ("undecided", "class"):
                return Resolution("class", name, span=span)
            is_exception = mark.kind == "builtin" and mark.name.endswith(("Error", "Exception"))
            if is_exception or mark.name in ("typing.NamedTuple", "dataclasses.dataclass", "enum.Enum", "enum.IntEnum"):
                return Resolution("class", name, span=span)
        inside = StaticNames(node.body, self.text, self.file, self.resolve)

        def members(attribute: str) -> Resolution:
            known = attribute in inside.bindings and not bases
            return inside.resolve(attribute) if known else Resolution("undecided", f"{name}.{attribute}")

        return Resolution("class", name, what="no record", span=span, members=members)

    # --- imports ---------------------------------------------------------------------------------------------------

    def _import(self, name: str, statement: gast.Import) -> Resolution:
        for alias in statement.names:
            if imported_as(alias) == name:
                return self._module(alias.name if alias.asname else name, 0)
        return Resolution("undecided", name)

    def _module(self, dotted: str, level: int) -> Resolution:
        if not level and dotted.split(".")[0] in LIBRARIES:
            return Resolution("module", dotted)
        path = find_module(dotted, level, self.file)
        resolve = _file_resolver(path) if path else None
        if path is None or resolve is None:
            return Resolution("unknown", dotted, what=f"the module `{dotted or '.'}` is not found as Python source")

        def members(attribute: str) -> Resolution:
            found = resolve(attribute)
            if found.kind == "undefined" and os.path.basename(path) == "__init__.py":
                inner = StaticNames([], "", path, None)._module(attribute, 1)
                return inner if inner.kind == "module" else found
            return found

        return Resolution("module", dotted, members=members)

    def _imported(self, statement: gast.ImportFrom, original: str) -> Resolution:
        module = self._module(statement.module or "", statement.level)
        if statement.names[0].name == "*" and module.members is None and module.kind == "module":
            known = original in STARRED.get(module.name, ())
            return member(module, original) if known else Resolution("undefined", original)
        return member(module, original)


# --- files and statements ------------------------------------------------------------------------------------------


def find_module(dotted: str, level: int, file: str) -> str | None:
    """Find the source of a module that `file` imports: beside it, in its packages, or on the path; nothing is run."""
    directory = os.path.dirname(os.path.abspath(file))
    parts = dotted.split(".") if dotted else []
    if level:
        roots = [os.path.normpath(os.path.join(directory, *[os.pardir] * (level - 1)))]
    else:
        roots = [directory, *_package_root(directory), *(entry or os.getcwd() for entry in sys.path)]
    for root in roots:
        base = os.path.join(root, *parts)
        for candidate in (base + ".py", os.path.join(base, "__init__.py")):
            if os.path.isfile(candidate) and os.path.getsize(candidate) <= LARGEST_FILE:
                return candidate
    return None


def _package_root(directory: str) -> Iterator[str]:
    inside = os.path.isfile(os.path.join(directory, "__init__.py"))
    while inside:
        directory = os.path.dirname(directory)
        inside = os.path.isfile(os.path.join(directory, "__init__.py"))
        if not inside:
            yield directory


def _file_resolver(path: str) -> Resolve | None:
    try:
        with open(path, encoding="utf-8") as stream:
            return module_resolver(stream.read(), path)
    except (OSError, SyntaxError, ValueError):
        return None


def top_statements(body: Iterable[gast.stmt]) -> Iterator[gast.stmt]:
    """The statements of a block, also those inside `if`, `try`, `with` and loops, but not in functions and classes."""
    for statement in body:
        yield statement
        if not isinstance(statement, gast.FunctionDef | gast.AsyncFunctionDef | gast.ClassDef):
            for block in ("body", "orelse", "finalbody"):
                yield from top_statements(getattr(statement, block, ()))
            for handler in getattr(statement, "handlers", ()):
                yield from top_statements(handler.body)


def bound_names(statement: gast.stmt) -> Iterator[str]:
    """The names that one statement binds, not counting its blocks."""
    match statement:
        case gast.Import() | gast.ImportFrom():
            for alias in statement.names:
                if alias.name != "*":
                    yield imported_as(alias)
        case gast.FunctionDef() | gast.AsyncFunctionDef() | gast.ClassDef():
            yield statement.name
        case gast.Assign() | gast.AugAssign() | gast.AnnAssign() | gast.For() | gast.With():
            places = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
            places += [item.optional_vars for item in getattr(statement, "items", ())]
            for place in places:
                if place is not None:
                    yield from (
                        n.id for n in gast.walk(place) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)
                    )


def declared(function: gast.FunctionDef, option: str) -> tuple[str, ...] | bool:
    """What a decorator's option says literally."""
    found = [listed(getattr(decorator, "keywords", ()), option) for decorator in function.decorator_list]
    return next((said for said in found if said), ())


def without_true(said: tuple[str, ...] | bool) -> tuple[str, ...]:
    """The names that an option lists; `True`, which says something of `freeze` alone, lists none."""
    return said if isinstance(said, tuple) else ()


def listed(keywords: Sequence[gast.keyword], option: str) -> tuple[str, ...] | bool:
    """The names that an option lists literally, `mutates=("A", "B")`, or True: `freeze=True`."""
    for keyword in keywords:
        if keyword.arg == option:
            value = keyword.value
            if isinstance(value, gast.Constant) and value.value is True:
                return True
            parts = value.elts if isinstance(value, gast.Tuple | gast.List) else [value]
            return tuple(p.value for p in parts if isinstance(p, gast.Constant) and isinstance(p.value, str))
    return ()
