"""Find what a function changes that it did not make itself.

    row = velocity[0]
    row[1] = 0.0          ->   P015: changes its argument `velocity` through `row`

Takes one scope and its alias facts, gives findings: one for each object changed, at the first location, with the others
as labels.  Elements of what was made inside the function may be assigned freely.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import astuple, replace

import gast
import numpy as np

from ...analysis.at_places import place_of
from ...analysis.memory.alias_expression import out_argument
from ...analysis.memory.alias_source import AliasBinding, AliasFacts
from ...analysis.memory.alias_value import AliasOrigin
from ...diagnostics import Diagnostic, Label, Span
from ...records import dataclass
from ...vocabulary import CHANGING_FUNCTIONS, CHANGING_METHODS, CONTAINER_CHANGES
from ..source.resolve import Resolution, Resolve, resolve_chain
from ..source.scopes import LEAVES, Scope, evaluated_here, name_span, parameters
from .aliasing import DEEPEST_CALLS, Summaries, facts_of
from .effects import root_name
from .fixes import segment

FURTHER_PLACES = 3  # labels for the same fault at other locations
LONGEST_HINT = 50  # characters of the user's source that are quoted in a hint


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """One location where an object is changed: what is underlined, the expression for the object, and how."""

    shown: gast.AST
    base: gast.expr
    how: str
    is_of_container: bool = False
    inside: tuple[Label, ...] = ()  # the change is made there, by a called function


@dataclass(frozen=True, slots=True, eq=False)
class Around:
    """The facts that a scope's changes are judged by."""

    scope: Scope
    facts: AliasFacts
    file: str
    text: str
    resolve: Resolve
    mutates: tuple[str, ...]
    can_declare: bool
    summaries: Summaries
    is_called: bool = False  # by compiled functions only: they judge what it does to its arguments
    is_helper: bool = False


def changes(around: Around) -> Iterator[Diagnostic]:
    """The findings of one scope, one for each code and object."""
    groups: dict[tuple[str, str, str], list[tuple[Change, AliasOrigin]]] = {}
    node = around.scope.node
    body = [node.body] if isinstance(node, gast.Lambda) else node.body
    for statement in body:
        for change in _changes_in(statement, around):
            for origin in sorted(around.facts.value(change.base).itself, key=astuple):
                code = _code(change, origin, around)
                if code:
                    through = root_name(change.base) if code in ("P015", "P016") else ""
                    groups.setdefault((code, origin.name, through), []).append((change, origin))
    for (code, _, _), found in groups.items():
        yield _diagnostic(code, found, around)


def _code(change: Change, origin: AliasOrigin, around: Around) -> str:
    match origin.kind:
        case "made":
            return ""
        case "argument" if origin.name in around.mutates or around.is_called:
            return ""
        # only the plain case is judged here: the specialiser knows for sure which list or dict it is, and who made it
        case "argument" if change.is_of_container and (root_name(change.base) != origin.name or not around.can_declare):
            return ""
        case _ if root_name(change.base) != origin.name and _is_attribute(change.base):
            return ""  # the array that an object holds by now is known once the types are
        case _ if origin.through and (change.inside or origin.through.startswith(".")):
            return ""  # the called function is walked through once the types are known
        case _ if origin.through:
            return "P016"
        case "argument":
            return "P014" if root_name(change.base) == origin.name else "P015"
        case "global":
            return "P010"
        case _:
            return "P011" if _is_argument_around(origin.name, around) else ""  # else the types decide


def _is_argument_around(name: str, around: Around) -> bool:
    """Whether a variable of a function around is, or shows, an argument that the caller from Python passed."""
    owner = around.scope.owner(name)
    if owner is None or owner.parent is not None or around.is_helper:
        return False
    bindings = facts_of(owner, around.resolve, around.summaries).bindings.get(name, {}).values()
    shown = {o.name for b in bindings for o in b.value.itself if o.kind == "argument" and not o.through}
    if not bindings and name in owner.parameters:
        shown = {name}
    return not shown <= {*around.mutates}


def _is_attribute(base: gast.expr) -> bool:
    """Whether it is an attribute of an object, or a part of one; arrays have attributes as well."""
    while isinstance(base, gast.Subscript | gast.Attribute):
        if isinstance(base, gast.Attribute) and base.attr not in NUMPY_ATTRIBUTES:
            return True
        base = base.value
    return False


NUMPY_ATTRIBUTES = frozenset(name for name in dir(np.ndarray) if not name.startswith("_"))


# --- locations -------------------------------------------------------------------------------------------------------


def _changes_in(node: gast.AST, around: Around) -> Iterator[Change]:
    match node:
        case gast.Subscript(ctx=gast.Store(), value=base):
            yield Change(node, base, "assigned here")
        case gast.Subscript(ctx=gast.Del(), value=base):
            yield Change(node, base, "deleted here")
        case gast.AugAssign(target=gast.Name() as target) if around.facts.value(target).is_view:
            yield Change(target, target, "updated in place here")
        case gast.Call():
            yield from _changes_by_call(node, around)
        case gast.ClassDef():
            return
    for child in evaluated_here(node):
        if type(child) not in LEAVES and type(child) is not gast.Name:
            yield from _changes_in(child, around)


def _parts_text(node: gast.Call) -> bool:
    """Whether this is `text.partition(":")`: the method of arrays, which changes them, takes positions."""
    given = node.args[0] if node.args else None
    return node.func.attr == "partition" and isinstance(given, gast.Constant) and isinstance(given.value, str)


def _changes_by_call(node: gast.Call, around: Around) -> Iterator[Change]:
    if place_of(node) is not None:
        return
    written = out_argument(node)
    for array in written.elts if isinstance(written, gast.Tuple) else [written] if written is not None else []:
        yield Change(array, array, "`out=` writes into it")
    found = resolve_chain(node.func, around.resolve, around.scope.is_local)
    owner = around.scope.owner(node.func.id) if isinstance(node.func, gast.Name) else None
    if owner is not None and (function := owner.functions.get(node.func.id)) is not None:
        inside = replace(around, scope=around.summaries.scope(function, owner))
        yield from _changes_by_function(node, inside, node.func.id)
    elif found is None or found.is_data_that_can_change:
        if isinstance(node.func, gast.Attribute) and node.func.attr in CHANGING_METHODS and not _parts_text(node):
            how = f"`.{node.func.attr}()` changes it in place"
            yield Change(node.func, node.func.value, how, node.func.attr in CONTAINER_CHANGES)
    elif found.kind == "library":
        yield from _changes_by_library(node, found)
    elif found.source is not None and found.kind == "function" and (source := found.source()) is not None:
        scope = around.summaries.scope(source.tree, None)
        inside = Around(scope, around.facts, source.file, source.text, source.resolve, (), False, around.summaries)
        yield from _changes_by_function(node, inside, found.name.rpartition(".")[2], found.mutates)


def _changes_by_library(node: gast.Call, found: Resolution) -> Iterator[Change]:
    if (found.name in CHANGING_FUNCTIONS or found.name.endswith(".at")) and node.args:
        yield Change(node.args[0], node.args[0], f"`{found.name.removeprefix('numpy.')}` writes into it")
    ufunc = getattr(np, found.name.removeprefix("numpy."), None) if found.name.startswith("numpy.") else None
    if isinstance(ufunc, np.ufunc) and len(node.args) > ufunc.nin:
        for array in node.args[ufunc.nin :]:
            yield Change(array, array, "the result is written into it")


def _changes_by_function(
    node: gast.Call, inside: Around, name: str, mutates: tuple[str, ...] = ()
) -> Iterator[Change]:
    """A call of a function that changes its parameters, as it declares or as its source says."""
    if any(isinstance(argument, gast.Starred) for argument in node.args):
        return
    changed = changed_parameters(inside)
    spec = inside.scope.node.args
    names = [p.id for p in (*spec.posonlyargs, *spec.args)]
    given = [*zip(names, node.args), *((k.arg, k.value) for k in node.keywords)]
    for parameter, argument in given:
        if parameter in changed or parameter in mutates:
            yield Change(argument, argument, f"`{name}` changes it in place", inside=changed.get(parameter, ()))


def changed_parameters(around: Around) -> dict[str, tuple[Label, ...]]:
    """The parameters that a function certainly changes, and where; those it may change are left to the types."""
    tree, summaries = around.scope.node, around.summaries
    if tree not in summaries.changed:
        if len(summaries.changing) >= DEEPEST_CALLS:
            return {}
        summaries.changing.add(tree)
        summaries.changed[tree] = {}  # a recursive function is judged at its changes, not at its calls
        facts = facts_of(around.scope, around.resolve, summaries)
        around = replace(around, facts=facts, mutates=(), can_declare=False)
        found: dict[str, tuple[Label, ...]] = {}
        for statement in [tree.body] if isinstance(tree, gast.Lambda) else tree.body:
            for change in _changes_in(statement, around):
                for origin in sorted(facts.value(change.base).itself, key=astuple):
                    is_sure = not change.is_of_container or root_name(change.base) == origin.name
                    if origin.kind == "argument" and not origin.through and is_sure:
                        place = Label(Span.of(change.shown, around.file), change.how)
                        found.setdefault(origin.name, (place, *change.inside)[:FURTHER_PLACES])
        summaries.changed[tree] = found
        summaries.changing.discard(tree)
    return summaries.changed[tree]


# --- words -----------------------------------------------------------------------------------------------------------


def _diagnostic(code: str, found: list[tuple[Change, AliasOrigin]], around: Around) -> Diagnostic:
    change, origin = found[0]
    name, root = origin.name, root_name(change.base)
    help_: tuple[str, ...]
    labels = [*_place_of(origin, around), *change.inside]
    match code:
        case "P014":
            message = f"this function changes its argument `{name}`"
            declare = "" if any(other.is_of_container for other, _ in found) else _or_declare(name, around)
            help_ = (f"work on a copy (`{name} = {name}.copy()`)" + declare,)
        case "P015":
            message = f"this function changes its argument `{name}` through `{root or 'a view'}`"
            labels += _binding_label(change, origin, around, "may be a view of it from here on")
            help_ = (_copy_of(change, origin, around) + _or_declare(name, around, _is_view(change, origin, around)),)
        case "P016":
            message = f"it cannot be told whether this changes {_kind_word(origin)} `{name}`"
            labels += _binding_label(change, origin, around, f"what `{origin.through}` returns may be a view of it")
            help_ = (_copy_of(change, origin, around) + _or_declare(name, around),)
        case "P010":
            message = f"this function changes `{name}`, which is defined outside it"
            help_ = (f"take `{name}` as an argument and return the changed copy",)
        case _:
            message = f"this inner function changes an argument of the function around it: `{name}`"
            help_ = (f"let it work on a copy: `{name} = {name}.copy()` before `{around.scope.name}` is defined",)
    further = [(Span.of(other.shown, around.file), other.how.replace(" here", " here, too")) for other, _ in found[1:]]
    labels += [Label(place, how) for place, how in further[:FURTHER_PLACES]]
    unique = dict.fromkeys(labels)
    span = Span.of(change.shown, around.file)
    others = tuple(label for label in unique if label.span != span)
    declares = "mutates" if _may_declare(code, found, around) else ""
    return Diagnostic(code, message, span, change.how, others, help_, subject=name, declares=declares)


def _may_declare(code: str, found: list[tuple[Change, AliasOrigin]], around: Around) -> bool:
    """Whether the help says that the argument may be declared."""
    if code not in ("P014", "P015", "P016") or code == "P014" and any(other.is_of_container for other, _ in found):
        return False
    return bool(_or_declare(found[0][1].name, around))


def _kind_word(origin: AliasOrigin) -> str:
    return {"argument": "the argument", "global": "the global"}.get(origin.kind, "the variable")


def _is_view(change: Change, origin: AliasOrigin, around: Around) -> bool:
    """Whether the name stands for a part of the object rather than for the object itself."""
    binding = _last_binding(change, origin, around)
    return binding is None or not isinstance(binding.source, gast.Name)


def _or_declare(name: str, around: Around, is_view: bool = False) -> str:
    if not around.can_declare or name not in around.scope.parameters:
        return ""
    itself = f"assign to elements of `{name}` itself and " if is_view else ""
    declared = [f'"{each}"' for each in (*around.mutates, name)]
    return f", or {itself}declare it: @compile(mutates=({', '.join(declared)}{',' if len(declared) == 1 else ''}))"


def _place_of(origin: AliasOrigin, around: Around) -> Iterable[Label]:
    """The origin of the object: the parameter, or the assignment outside."""
    if origin.kind == "argument":
        for parameter in parameters(around.scope.node):
            if parameter.id == origin.name:
                yield Label(name_span(parameter, around.file), "the argument")
    elif origin.kind == "global":
        span = around.resolve(origin.name).span
        if span is not None:
            yield Label(span, "assigned here")


def _last_binding(change: Change, origin: AliasOrigin, around: Around) -> AliasBinding | None:
    """The assignment that bound the name to the object: the last one above the change, or else the first."""
    known = around.facts.bindings.get(root_name(change.base), {}).values()
    reaching = [b for b in known if origin in b.value.everything]
    above = [b for b in reaching if _position(b.target) < _position(change.shown)]
    return above[-1] if above else reaching[0] if reaching else None


def _position(node: gast.AST) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _binding_label(change: Change, origin: AliasOrigin, around: Around, text: str) -> Iterator[Label]:
    binding = _last_binding(change, origin, around)
    if binding is not None:
        word = f"`{root_name(change.base)}` " if text.startswith("may be") else ""
        yield Label(Span.of(binding.target, around.file), word + text)


def _copy_of(change: Change, origin: AliasOrigin, around: Around) -> str:
    """The binding written with a copy, where it is short and its source is an expression of its own."""
    binding = _last_binding(change, origin, around)
    simple = gast.Name | gast.Subscript | gast.Attribute | gast.Call
    if binding is None or not isinstance(binding.source, simple):
        return f"work on a copy of `{origin.name}`"
    text = segment(binding.source, around.text)
    if not text or len(text) > LONGEST_HINT:
        return f"work on a copy of `{origin.name}`"
    return f"work on a copy (`{root_name(change.base)} = {text}.copy()`)"

