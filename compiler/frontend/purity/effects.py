"""Judge every name and call of a function that comes from outside it.

    print(x)          ->  P004            np.random.rand(3)   ->  P005           TABLE[i]       ->  P007
    np.tanhh(x)       ->  U012, with the supported name that looks most like it
    x.tolist()        ->  U013            sorted(x)           ->  U014           undefined_name ->  P009

Takes one scope and its alias facts, gives findings.  Changes in place are left to `changes`.
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import gast

from ....runtime.frozen import is_named, why_not
from ....runtime.nature import article
from ....runtime.values import is_number_data
from ... import vocabulary as words
from ...analysis.at_places import place_of
from ...analysis.memory.alias_source import AliasFacts
from ...diagnostics import Diagnostic, Edit, Label, Span
from ...dtypes import NUMPY_NAMES
from ...ops.python_names import methods_of_objects
from ...records import dataclass
from ...vocabulary import OUTSIDE, Vocabulary, belongs, closest
from ..source.constant_names import is_capital
from ..source.resolve import (
    INSTEAD_OF_OBJECT,
    MISSING,
    Resolution,
    Resolve,
    instead_of_reading,
    is_object,
    resolve_chain,
)
from ..source.scopes import LEAVES, Scope, evaluated_here

AS_A_CONSTANT = "if nothing changes it, write its name in capitals: it is a constant then"
IN_MORE_LETTERS = "if nothing changes it, give it a longer name in capitals: it is a constant then"
OTHER_METHODS = words.words("astype bit_length bit_count copy fill flatten item tolist view")
ALWAYS_METHODS = words.CONTAINER_METHODS | words.TEXT_METHODS | OTHER_METHODS


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """The facts that a scope's names are judged by."""

    scope: Scope
    facts: AliasFacts
    file: str
    resolve: Resolve
    vocabulary: Vocabulary
    freeze: Any
    is_helper: bool = False

    def findings(self) -> Iterator[Diagnostic]:
        node = self.scope.node
        for child in [node.body] if isinstance(node, gast.Lambda) else node.body:
            yield from self.visit(child)

    def visit(self, node: gast.AST) -> Iterator[Diagnostic]:
        match node:
            case gast.Call(func=func):
                yield from self._called(node, func)
                rest = [*node.args, *(keyword.value for keyword in node.keywords)]
                if resolve_chain(func, self.resolve, self.scope.is_local) is None:
                    rest.insert(0, func.value if isinstance(func, gast.Attribute) else func)
            case gast.Attribute(ctx=gast.Store() | gast.Del()) if self._is_outside(node):
                text = f"this function writes the attribute `{node.attr}`"
                help_ = "return the new value; a record is renewed with `record._replace(...)` or by making a new one"
                yield self._fault("P003", text, node, "written here", help_)
                rest = [node.value]
            case gast.Name(ctx=gast.Store() | gast.Del()):
                return  # a name that is written here is not read yet
            case gast.Name() | gast.Attribute():
                found = resolve_chain(node, self.resolve, self.scope.is_local)
                if found is not None:
                    if not _is_builtin_class(found):
                        yield from self._judge(found, node)
                    return
                rest = [node.value] if isinstance(node, gast.Attribute) else []
            case gast.ClassDef():
                return
            case gast.With():  # the expressions in its head are part of that fault
                rest = list(node.body)
            case gast.FunctionDef():
                rest = [child for child in evaluated_here(node) if child not in node.decorator_list]
            case _:
                rest = list(evaluated_here(node))
        for child in rest:
            if type(child) not in LEAVES:
                yield from self.visit(child)

    def _is_outside(self, node: gast.Attribute) -> bool:
        """Whether the attribute is one of an object that was there before the call; a helper's arguments may be new."""
        if resolve_chain(node.value, self.resolve, self.scope.is_local) is not None:
            return True
        found = self.facts.value(node.value).itself
        known = ("argument",) if not self.is_helper else ()
        return bool(found) and all(origin.kind in known and not origin.through for origin in found)

    def _called(self, node: gast.Call, func: gast.expr) -> Iterator[Diagnostic]:
        found = resolve_chain(func, self.resolve, self.scope.is_local)
        if found is not None:
            yield from self._judge(found, func)
            if found.name == "numpy.random.default_rng" and not is_seeded(node):
                text = "this function draws random numbers by a generator that has no seed"
                yield self._fault("P005", text, node, "begun here", SEED)
        elif isinstance(func, gast.Attribute):
            yield from self._method(node, func)

    # --- names -----------------------------------------------------------------------------------------------------

    def _judge(self, found: Resolution, node: gast.expr) -> Iterator[Diagnostic]:
        shown = gast_text(node)
        match found.kind:
            case "mutable":
                yield from self._mutable(found, node)
            case "undefined":
                yield self._undefined(node, shown)
            case "unknown":
                text = f"the compiler cannot see into `{shown}`: {found.what}"
                help_ = words.AS_A_FUNCTION
                if isinstance(node, gast.Attribute) and found.value is not MISSING and is_object(found.value):
                    help_ = INSTEAD_OF_OBJECT
                elif found.value is not MISSING and isinstance(found.value, Iterator | io.IOBase):
                    help_ = OUTSIDE  # it is not a function
                yield Diagnostic("P008", text, Span.of(node, self.file), "used here", help=(help_,))
            case "builtin":
                yield from self._builtin(found, node)
            case "library" if not isinstance(found.value, int | float | complex):  # `scipy.constants.hbar` is a number
                yield from self._library(found.name, shown, node)

    def _mutable(self, found: Resolution, node: gast.expr) -> Iterator[Diagnostic]:
        read = self._what_can_change(node)
        written = gast_text(read)
        if found.what == "random generator":
            yield self._fault(
                "P005", f"this function draws random numbers from `{written}`", node, "drawn here", DRAW_OUTSIDE
            )
            return
        reason = why_not(found.value) if found.value is not MISSING else ""
        if is_frozen(self.freeze, written) and not reason:
            return
        labels = (Label(found.span, "assigned here"),) if found.span is not None else ()
        text = f"this function reads `{written}`, {article(found.what)} from outside that can change"
        help_ = instead_of_reading((written,), self.freeze, reason)
        subject = "" if reason else written
        place, declares = Span.of(read, self.file), "freeze" if subject else ""
        may_be_constant = found.span is not None and is_number_data(found.value) and not is_capital(written)
        constant = IN_MORE_LETTERS if written.isupper() else AS_A_CONSTANT
        helps = (help_, constant) if may_be_constant else (help_,)
        yield Diagnostic("P007", text, place, "read here", labels, helps, subject=subject, declares=declares)

    def _what_can_change(self, node: gast.expr) -> gast.expr:
        """Of `settings.table.rows` the part that is a list: the attributes after it belong to it."""
        while isinstance(node, gast.Attribute):
            below = resolve_chain(node.value, self.resolve, self.scope.is_local)
            if below is None or below.kind != "mutable":
                break
            node = node.value
        return node

    def _undefined(self, node: gast.expr, shown: str) -> Diagnostic:
        root = root_name(node)
        if self.resolve(root).kind == "module":
            return self._fault("P009", f"`{shown}` does not exist", node, "not found in the module")
        known = [name for scope in lineage(self.scope) for name in (*scope.names, *scope.declared)]
        near = closest(root, [*known, *words.BUILTINS])
        fault = self._fault("P009", f"`{root}` is not defined", node, "not found")
        if near is None:
            return fault
        start = next(n for n in gast.walk(node) if isinstance(n, gast.Name))
        fix = (Edit(Span.of(start, self.file), near),)
        return replace(fault, help=(f"did you mean `{near}`?",), fix=fix)

    def _builtin(self, found: Resolution, node: gast.expr) -> Iterator[Diagnostic]:
        name = found.name
        dotted = f"builtins.{name}"
        is_exception = isinstance(found.value, type) and issubclass(found.value, BaseException)
        if name in words.BUILTINS or is_exception or name == "Ellipsis" or self.vocabulary.is_supported(dotted):
            return
        if name in words.IO_BUILTINS:
            instead = "print what the function returns, or look inside with `f.debug(stage)`"
            help_ = instead if name == "print" else OUTSIDE
            text = "this function prints" if name == "print" else f"this function does input or output: `{name}`"
            yield self._fault("P004", text, node, "called here", help_)
        elif name in words.INSPECTING_BUILTINS:
            yield self._fault("P012", f"`{name}` inspects or runs the program itself", node, "used here", OUTSIDE)
        else:
            help_ = words.WAYS_OUT.get(dotted, OUTSIDE)
            yield self._fault("U014", f"the builtin `{name}` is not supported", node, "used here", help_)

    def _library(self, dotted: str, shown: str, node: gast.expr) -> Iterator[Diagnostic]:
        is_ours = belongs(dotted, ("pellucid", "typing"))
        if is_ours or dotted in words.CONSTANTS or self.vocabulary.is_supported(dotted):
            return
        tail = dotted.rpartition(".")[2]
        if dotted.startswith("numpy.") and dotted.count(".") == 1 and tail in words.DTYPES:
            return
        if dotted.startswith("numpy.") and tail in words.OTHER_DTYPES:
            help_ = f"use one of {NUMPY_NAMES}"
            yield self._fault("U015", f"the dtype `{shown}` is not supported", node, "used here", help_)
        elif belongs(dotted, words.RANDOM_MODULES):
            yield self._fault(
                "P005", f"this function draws random numbers: `{shown}`", node, "drawn here", DRAW_OUTSIDE
            )
        elif belongs(dotted, words.IO_MODULES):
            yield self._fault("P004", f"this function does input or output: `{shown}`", node, "used here", OUTSIDE)
        elif belongs(dotted, words.AMBIENT_MODULES):
            yield self._fault("P006", f"`{shown}` depends on the time or the machine", node, "used here", OUTSIDE)
        elif belongs(dotted, words.INSPECTING_MODULES):
            yield self._fault("P012", f"`{shown}` inspects or runs the program itself", node, "used here", OUTSIDE)
        else:
            yield self._unsupported(dotted, tail, shown, node)

    def _unsupported(self, dotted: str, tail: str, shown: str, node: gast.expr) -> Diagnostic:
        library = dotted.rpartition(".")[0]
        missing = lacks(library, tail)
        also = "" if shown.rpartition(".")[2] == tail else f", which is `{dotted}`,"
        text = f"`{library}` has no `{tail}`" if missing else f"`{shown}`{also} is not supported"
        near = self.vocabulary.suggestion(dotted) if missing else None  # a name that NumPy has is not a slip of the pen
        if near is not None:
            name = respell(shown, near)
            fix = (Edit(Span.of(node, self.file), name),)
            return replace(self._fault("U012", text, node, "used here", f"did you mean `{name}`?"), fix=fix)
        hint = words.instead_of(dotted)
        return self._fault("U012", text, node, "used here", hint)

    # --- methods ---------------------------------------------------------------------------------------------------

    def _method(self, node: gast.Call, func: gast.Attribute) -> Iterator[Diagnostic]:
        method, base = func.attr, func.value
        function = f"numpy.{method}"
        known = words.NUMPY_METHODS - words.METHOD_WAYS_OUT.keys()  # a function of that name may be another one
        if method in ALWAYS_METHODS or (method in known and self.vocabulary.is_supported(function)):
            return
        if place_of(node) is not None:
            return
        if method == "type" and isinstance(base, gast.Attribute) and base.attr == "dtype":
            return  # it is a conversion, and the specialiser knows those
        if method in ("tofile", "dump", "dumps"):
            yield self._fault(
                "P004", f"this function does input or output: `.{method}()`", func, "called here", OUTSIDE
            )
        elif method in words.STANDARD_METHODS and not self._may_be_own(base):
            if not self._changes_outside(base, method):
                yield self._bad_method(func)
        elif self._is_plain(base) or self._is_misspelt(base, method):
            yield self._bad_method(func)

    def _may_be_own(self, base: gast.expr) -> bool:
        """Whether it may be an instance of a user's class; the specialiser knows the methods of those."""
        return self.is_helper or self.facts.value(base).form in ("container", "made")

    def _changes_outside(self, base: gast.expr, method: str) -> bool:
        """Whether `changes` reports this call: once is enough."""
        origins = self.facts.value(base).itself
        return method in words.CHANGING_METHODS and any(origin.kind != "made" for origin in origins)

    def _is_plain(self, base: gast.expr) -> bool:
        """Whether it is certainly a number or an array: anything else may be a record with fields of its own."""
        value = self.facts.value(base)
        return value.form in ("scalar", "array", "mask") and all(
            origin.kind == "made" for origin in value.itself
        )

    def _is_misspelt(self, base: gast.expr, method: str) -> bool:
        """Whether it is nearly a method of arrays and none of the library's objects, called on what was made here."""
        is_made = self.facts.value(base).form == "made"
        return is_made and self._near(method) is not None and method not in methods_of_objects()

    def _bad_method(self, func: gast.Attribute) -> Diagnostic:
        method, near = func.attr, self._near(func.attr)
        text = f"the method `.{method}()` is not supported"
        if near is not None:
            span = Span.of(func, self.file)
            end = Span(self.file, span.end_line, span.end_column - len(method.encode()), span.end_line, span.end_column)
            fault = self._fault("U013", text, func, "called here", f"did you mean `.{near}()`?")
            return replace(fault, fix=(Edit(end, near),))
        way_out = words.METHOD_WAYS_OUT.get(method, f"write it with supported methods, or {OUTSIDE}")
        return self._fault("U013", text, func, "called here", way_out)

    def _near(self, method: str) -> str | None:
        """The method of arrays that is most likely meant by a misspelt one."""
        allowed = {m for m in words.ARRAY_METHODS if self.vocabulary.is_supported(f"numpy.{m}")} | ALWAYS_METHODS
        return None if method in words.STANDARD_METHODS else closest(method, allowed)

    def _fault(self, code: str, message: str, node: gast.AST, label: str, *help_: str) -> Diagnostic:
        return Diagnostic(code, message, Span.of(node, self.file), label, help=tuple(h for h in help_ if h))


DRAW_OUTSIDE = "draw the numbers outside and pass them as an argument"
SEED = "give it a seed that is an argument: `np.random.default_rng(seed)`"


KINDS_OF_NUMPY = words.words("numpy.ndarray numpy.generic numpy.number numpy.integer numpy.floating")


def is_seeded(node: gast.Call) -> bool:
    """Whether a generator is seeded with something other than None."""
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    return any(not (isinstance(one, gast.Constant) and one.value is None) for one in given)


def lacks(library: str, name: str) -> bool:
    """Whether a library that is installed has no such name."""
    if library.split(".")[0] not in ("numpy", "scipy", "math"):
        return False
    try:
        return not hasattr(importlib.import_module(library), name)
    except ImportError:
        return False


def _is_builtin_class(found: Resolution) -> bool:
    """Whether it is a class of Python's, which `isinstance` and `match` may ask for; calling it is another matter."""
    return found.name in KINDS_OF_NUMPY or found.kind == "builtin" and isinstance(found.value, type)


def is_frozen(freeze: Any, written: str) -> bool:
    """Whether `freeze=` asks for a variable that is written like this."""
    return freeze is True or is_named(freeze, written.rpartition(".")[2])


def lineage(scope: Scope | None) -> Iterator[Scope]:
    """The scope and those around it, inside out."""
    while scope is not None:
        yield scope
        scope = scope.parent


def root_name(node: gast.AST) -> str:
    """The name a chain of attributes, subscripts and calls starts at; empty when it starts at no name."""
    while isinstance(node, gast.Attribute | gast.Subscript | gast.Call):
        node = node.func if isinstance(node, gast.Call) else node.value
    return node.id if isinstance(node, gast.Name) else ""


def gast_text(node: gast.AST) -> str:
    """`a.b.c` as it is written."""
    return f"{gast_text(node.value)}.{node.attr}" if isinstance(node, gast.Attribute) else getattr(node, "id", "...")


def respell(shown: str, dotted: str) -> str:
    """A supported name in the user's spelling: `np.tanhh` and `numpy.tanh` give `np.tanh`."""
    tail = dotted.rpartition(".")[2]
    prefix = shown.rpartition(".")[0]
    return f"{prefix.split('.')[0]}.{dotted.partition('.')[2]}" if prefix else tail
