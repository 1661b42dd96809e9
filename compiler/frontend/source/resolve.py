"""Say what a name of the surrounding program stands for.

    live_resolver(function)("np")          ->  Resolution("module", "numpy")
    live_resolver(function)("weights")     ->  Resolution("mutable", "weights", what="array", span=where it is assigned)
    resolve_chain(`np.linalg.norm`, ...)   ->  Resolution("library", "numpy.linalg.norm")

Two flavours give the same record: `live_resolver` looks at a Python function's globals, closure and builtins;
`resolve_static.module_resolver` reads only the module's source, and never imports or runs anything.
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
import sys
import types
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any, TypeAlias

import gast
import numpy as np

from ....runtime.nature import is_bound_method, nature
from ...diagnostics import CompileError, Span, source_lines
from ...ops.python_names import stand_in
from ...records import dataclass
from ...syntax import nodes_of
from ...vocabulary import LIBRARIES, words
from .constant_names import is_constant_at
from .read import read

# module     a module; `name` is dotted                        library  a member of a library, judged by its dotted name
# function   a function of the user; `source` gives its tree   builtin  a member of `builtins`
# class      a class of the user's                             constant a value that cannot change
# callable   a bound method or a partial function; `source` is that of the function inside
# mutable    a value that can change; `what` says what it is   unknown  opaque; `what` says why
# undecided  not decidable from the source alone               undefined  no such name
KINDS = words("module library function callable builtin class constant mutable unknown undecided undefined")

MISSING: Any = object()


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a name stands for: one of `KINDS`, and what goes with it."""

    kind: str
    name: str
    value: Any = field(default=MISSING, compare=False)
    what: str = ""
    span: Span | None = None
    members: Callable[[str], Resolution] | None = field(default=None, repr=False, compare=False)
    source: Callable[[], NameSource | None] | None = field(default=None, repr=False, compare=False)
    mutates: tuple[str, ...] = ()

    @property
    def is_data_that_can_change(self) -> bool:
        """Whether it is an array or a container: one that may be changed, or a constant by its name."""
        return self.kind == "mutable" or self.kind == "constant" and bool(self.what)


Resolve: TypeAlias = Callable[[str], Resolution]


@dataclass(frozen=True, slots=True, eq=False)
class NameSource:
    """A function as source: its tree, its file, how to resolve its names, and the function where there is one.

    `freeze` is what the function itself asks for, where it is compiled.  What it imports itself is resolved by the
    text of its import statement.
    """

    tree: gast.FunctionDef | gast.Lambda
    file: str
    text: str
    resolve: Resolve
    function: types.FunctionType | None = None
    freeze: Any = ()

    def __post_init__(self) -> None:
        imports = [node for node in nodes_of(self.tree) if isinstance(node, gast.Import | gast.ImportFrom)]
        if imports:
            from .resolve_static import StaticNames

            names = StaticNames(imports, self.text, self.file, self.resolve)
            object.__setattr__(self, "resolve", names.resolve)


def resolve_chain(node: gast.AST, resolve: Resolve, is_local: Callable[[str], bool]) -> Resolution | None:
    """What `a` or `a.b.c` stands for, or None when it starts at a local name or is not such a chain."""
    match node:
        case gast.Name(id=name):
            return None if is_local(name) else resolve(name)
        case gast.Attribute(value=base, attr=attribute):
            below = resolve_chain(base, resolve, is_local)
            return None if below is None else member(below, attribute)
        case _:
            return None


def member(base: Resolution, attribute: str) -> Resolution:
    """What `base.attribute` stands for."""
    if base.members is not None:
        return base.members(attribute)
    match base.kind:
        case "module" | "library":
            return library(f"{base.name}.{attribute}")
        case "undecided" | "undefined" | "unknown":
            return base
        case _ if base.is_data_that_can_change:  # its methods are judged by their names
            return base
        case _ if base.value is not MISSING and hasattr(base.value, attribute):
            return classify(getattr(base.value, attribute), f"{base.name}.{attribute}")
        case _:
            return Resolution("undecided", f"{base.name}.{attribute}")


def library(dotted: str, value: Any = MISSING) -> Resolution:
    return Resolution("library", of_namespace(dotted), value)


def of_namespace(dotted: str) -> str:
    """The NumPy name that a name in the namespace of Arrays stands for; every other name as it is."""
    name = dotted.removeprefix("pellucid.numpy.")
    first = name.partition(".")[0]
    is_of_library = f"pellucid.numpy.{first}" in sys.modules and first not in ("linalg", "fft")
    return dotted if name == dotted or is_of_library else f"numpy.{name}"


# --- live ----------------------------------------------------------------------------------------------------------


def live_resolver(function: types.FunctionType) -> Resolve:
    """Names as the running function sees them; one that does not exist yet is looked up in the source of its module."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))

    @functools.cache
    def resolve(name: str) -> Resolution:
        if name in cells:
            try:
                return classify(cells[name].cell_contents, name)
            except ValueError:  # an empty cell: an inner function that is still being defined
                return _not_yet(function, name)
        if name in function.__globals__:
            found = classify(function.__globals__[name], name)
            if found.kind == "mutable" and is_constant_at("global", function, name):
                return Resolution("constant", name, found.value, found.what)
            return dataclasses.replace(found, span=_assigned_at(function, name)) if found.kind == "mutable" else found
        if hasattr(builtins, name):
            return Resolution("builtin", name, getattr(builtins, name))
        return _not_yet(function, name)

    return resolve


def _not_yet(function: types.FunctionType, name: str) -> Resolution:
    if name == function.__name__:
        return _function(function, name)
    module = _module_of(function)
    found = module(name) if module else Resolution("undefined", name)
    return found


def _module_of(function: types.FunctionType) -> Resolve | None:
    from .resolve_static import module_resolver

    file = function.__code__.co_filename
    text = "\n".join(source_lines(file))
    try:
        return module_resolver(text, file) if text else None
    except SyntaxError:
        return None


def _assigned_at(function: types.FunctionType, name: str) -> Span | None:
    module = _module_of(function)
    return module(name).span if module else None


def source_of(function: types.FunctionType, freeze: Any = ()) -> NameSource | None:
    """The tree of a Python function in its file; None when it cannot be read."""
    try:
        found = read(function)
    except (CompileError, SyntaxError):
        return None
    return NameSource(found.tree, found.file, found.text, live_resolver(function), function, freeze)


def classify(value: Any, name: str) -> Resolution:
    """Classify a Python object, as the compiler sees it."""
    value = stand_in(value)
    if isinstance(value, types.ModuleType):
        return _module(value)
    if isinstance(value, type):
        return _class(value, name)
    kind, what = nature(value)
    if kind:
        return Resolution(kind, name, value, what)
    of_class = isinstance(value, types.BuiltinMethodType) and isinstance(value.__self__, type)
    if isinstance(value, types.WrapperDescriptorType) or of_class and value.__self__.__module__ == "builtins":
        return Resolution("builtin", value.__qualname__, value)
    if isinstance(value, types.BuiltinMethodType) and type(value.__self__) in (str, tuple):
        return Resolution("constant", name, value)  # the object whose method it is
    if dotted := library_name(value):
        return Resolution("builtin", dotted[9:], value) if dotted.startswith("builtins.") else library(dotted, value)
    if is_bound_method(value) or isinstance(value, functools.partial):
        return _callable(value, name)
    if isinstance(value, types.FunctionType) or _is_compiled(value) or isinstance(value, KEEPING):
        return _function(value, name)
    return Resolution("unknown", name, value, f"it is a `{type(value).__name__}`")


KEEPING = functools._lru_cache_wrapper  # it keeps a function's results, which makes no difference for a pure function


def _callable(value: Any, name: str) -> Resolution:
    """A function with some of its arguments bound."""
    while is_bound_method(value) or isinstance(value, functools.partial):
        value = value.func if isinstance(value, functools.partial) else value.__func__
    inner = classify(value, name)
    return dataclasses.replace(inner, kind="callable" if inner.kind == "function" else inner.kind)


INSTEAD_OF_OBJECT = "pass its values as arguments, or make it a frozen dataclass or a NamedTuple"


MOST_NAMED = 4  # with more variables than this, the proposal is to freeze all


def instead_of_reading(names: Sequence[str], freeze: Any = (), reason: str = "") -> str:
    """What to do instead of reading variables that can change; `freeze` has those that are frozen already."""
    if reason:
        return f"pass what the function needs of it as an argument: it cannot be frozen, as it is {reason}"
    names = [name.rpartition(".")[2] for name in names]
    it, their = ("it", "its present value") if len(names) == 1 else ("them", "their present values")
    everything = tuple(dict.fromkeys((*(freeze if isinstance(freeze, tuple) else ()), *names)))
    shown = "True" if len(everything) > MOST_NAMED else _tuple(everything)
    as_arguments = "an argument" if len(names) == 1 else "arguments"
    return f"pass {it} as {as_arguments}, or keep {their}: @compile(freeze={shown})"


def _tuple(names: Sequence[str]) -> str:
    listed = ", ".join(f'"{name}"' for name in names)
    return f"({listed},)" if len(names) == 1 else f"({listed})"


def is_object(value: Any) -> bool:
    """Whether it is an object of a class of the user's: one that is neither data nor function, class or module."""
    known = type | types.ModuleType | types.FunctionType | types.MethodType | functools.partial | KEEPING
    if isinstance(value, known) or _is_compiled(value):
        return False
    module = type(value).__module__.split(".")[0]
    return module not in LIBRARIES and module != "builtins"


def library_name(value: Any) -> str | None:
    """The dotted name that users write for a member of a library: `numpy.linalg.norm`; None for anything else."""
    name = getattr(value, "__name__", None)
    module = getattr(value, "__module__", None) or ("numpy" if isinstance(value, np.ufunc) else None)
    owner = getattr(value, "__self__", None)
    if module is None and isinstance(owner, types.ModuleType):
        module = owner.__name__
    if not isinstance(name, str) or not isinstance(module, str) or module.split(".")[0] not in LIBRARIES:
        return None
    known = types.FunctionType | types.BuiltinFunctionType | type
    if module.startswith("pellucid") and not (isinstance(value, known) or _is_compiled(value)):
        return None
    parts = module.removeprefix("_").split(".")  # `functools.reduce` says that it is `_functools`'s
    places = [".".join(parts[:length]) for length in range(1, len(parts) + 1)] + ["scipy.special"]
    for place in places:
        if getattr(sys.modules.get(place), name, None) is value:
            return f"{place}.{name}"
    return f"{module}.{name}"


def _module(module: types.ModuleType) -> Resolution:
    name = module.__name__
    if name.split(".")[0] in LIBRARIES:
        return Resolution("module", name, module, members=lambda attribute: _library_member(module, attribute))
    return Resolution("module", name, module, members=lambda attribute: _user_member(module, attribute))


def _library_member(module: types.ModuleType, attribute: str) -> Resolution:
    value = getattr(module, attribute, MISSING)
    if stand_in(value) is not value:
        return classify(value, attribute)
    return _module(value) if isinstance(value, types.ModuleType) else library(f"{module.__name__}.{attribute}", value)


def _user_member(module: types.ModuleType, attribute: str) -> Resolution:
    dotted = f"{module.__name__}.{attribute}"
    value = getattr(module, attribute, MISSING)
    if value is not MISSING and is_constant_at("attribute", module, attribute):
        return Resolution("constant", dotted, value, nature(value)[1])
    return Resolution("undefined", dotted) if value is MISSING else classify(value, dotted)


def _class(value: type, name: str) -> Resolution:
    if value.__module__ == "builtins":
        return Resolution("builtin", value.__name__, value)
    if value.__module__.split(".")[0] in LIBRARIES:
        return library(library_name(value) or name, value)
    return Resolution("class", name, value)


def _is_compiled(value: Any) -> bool:
    """Whether it is a function that Pellucid compiled: callable, ours, and it knows what it wraps."""
    return type(value).__module__.split(".")[0] == "pellucid" and callable(value) and hasattr(value, "__wrapped__")


def _function(value: Any, name: str) -> Resolution:
    plain = value
    while not isinstance(plain, types.FunctionType) and hasattr(plain, "__wrapped__"):
        plain = plain.__wrapped__
    request = getattr(value, "__pellucid__", None)
    mutates, freeze = getattr(request, "mutates", ()), getattr(request, "freeze", ())
    source = functools.partial(source_of, plain, freeze) if isinstance(plain, types.FunctionType) else None
    return Resolution("function", name, value, source=source, mutates=tuple(mutates))
