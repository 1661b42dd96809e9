"""Derivatives taken inside a function: derived on their own, then called.

    slope = pellucid.grad(loss)(w, x)      ->      slope = loss_grad(w, x)
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import gast

from .....runtime.frozen import together
from .....runtime.guards import Guards
from .... import syntax
from ....parsing import parsed_expression
from ....program import Function, Program
from ...source.located import located
from ...source.read import SourceFile, read, unnumbered
from ..frame import Frame
from ..functional import Closure, Derived
from ..functions import environments, instances, signatures
from ..functions.environments import Environment
from ..interpreter import apply
from ..kinds import strings
from ..specialised import Instance, Specialised
from ..values import Static, Value, parts
from ..world import outside
from ..world.hidden import statement_with, with_hidden
from . import inner_pullbacks
from .among import among

CALLED = "called_function"


def call_transformed(frame: Frame, compiled: Any, args, kwargs, node: gast.AST, hint: str) -> Value:
    """A derivative taken inside a compiled function: derived on its own, then called."""
    function = compiled.python
    frame.task.world.function(function)
    spec, is_own = parameters_behind(read(function).tree.args, compiled.transforms)
    names = [a.id for a in (*spec.posonlyargs, *spec.args)]
    given = {*names[: len(args)], *kwargs}
    defaults = outside.defaults(frame, function, names, given, node) if is_own else []
    only = [a.id for a in spec.kwonlyargs]
    by_keyword = outside.keyword_defaults(frame, function, only, given, node) if is_own else [None] * len(only)
    bound = apply.bind_arguments(frame, spec, defaults, by_keyword, args, kwargs, node, function.__name__)
    if any(map(environments.has_functions, map(frame.tree, bound.values()))):
        return call_derived(frame, _as_local(frame, compiled, node), *_in_order(spec, bound), node)
    key, abstract = signatures.signature(frame, id(compiled), bound, compiled.static)
    strings.require_none(frame, bound.values(), node)
    instance = frame.task.instances.get(key)
    if instance is None:
        task = frame.task
        own, _ = among(compiled.transforms, task.along)
        wanted = replace(compiled, transforms=own, freeze=together(task.kept, compiled.freeze), frozen=task.frozen)
        derived = task.derive(wanted, abstract, is_differentiated=task.is_differentiated, along=task.along)
        strings.require_none(frame, [derived.result], node)
        instance = frame.task.instances[key] = adopt(frame, derived)
        inner_pullbacks.complete(instance, wanted, abstract, Guards(derived.guards))
    return instances.call_named(frame, instance, abstract, bound, node)


def _as_local(frame: Frame, compiled: Any, node: gast.AST) -> Derived:
    """The derivative of a local function that calls this one: its arguments may be functions that capture variables."""
    key = ("as a local function", id(compiled))
    if key not in frame.task.derived:  # `derived` holds the request, so that its id stays unique
        plain = replace(compiled, transforms=())
        spec = read(compiled.python).tree.args
        positional = [a.id for a in (*spec.posonlyargs, *spec.args)]
        given = [*positional, *([f"*{spec.vararg.id}"] if spec.vararg else [])]
        given += [f"{a.id}={a.id}" for a in spec.kwonlyargs] + ([f"**{spec.kwarg.id}"] if spec.kwarg else [])
        body = parsed_expression(f"{CALLED}({', '.join(given)})")
        own = gast.arguments(
            spec.args, spec.posonlyargs, spec.vararg, spec.kwonlyargs, spec.kw_defaults, spec.kwarg, spec.defaults
        )
        tree = located(gast.Lambda(own, body), node, anew=True)
        held: dict[str, Value] = {CALLED: Static(SimpleNamespace(__pellucid__=plain) if plain.freeze else plain.python)}
        closure = Closure(tree, Frame(frame.task, frame.builder, frame.source, frame.namespace, held))
        frame.task.derived[key] = (compiled, Derived(closure, compiled.transforms))
    found: Derived = frame.task.derived[key][1]
    return found


def _in_order(spec: gast.arguments, bound: dict[str, Value]) -> tuple[list[Value], dict[str, Value]]:
    """Arguments that are bound to parameters, as a call gives them."""
    args = [bound[a.id] for a in (*spec.posonlyargs, *spec.args)]
    if spec.vararg is not None:
        args += [part for _, part in parts(bound[spec.vararg.id])]
    return args, {a.id: bound[a.id] for a in spec.kwonlyargs}


def call_derived(frame: Frame, derived: Derived, args, kwargs, node: gast.AST) -> Value:
    """The derivative of a local function, compiled on its own with the variables that it captures as more arguments."""
    if derived.transforms[-1].is_pullback:
        return inner_pullbacks.call_local(frame, derived, args, kwargs, node)
    closure = derived.closure
    name = getattr(closure.node, "name", "lambda_")
    spec, is_own = parameters_behind(closure.node.args, derived.transforms)
    defaults = list(closure.defaults) if is_own else []
    only = list(closure.keyword_defaults) if is_own else [None] * len(spec.kwonlyargs)
    own = apply.bind_arguments(frame, spec, defaults, only, args, kwargs, node, name)
    environment = Environment(frame, closure, given=own)
    everything = {k: environment.with_holes(frame.tree(v)) for k, v in {**own, **environment.passed}.items()}
    key, abstract = signatures.signature(frame, (id(derived), environment.identity), everything)
    instance = frame.task.instances.get(key)
    if instance is None:
        derived = replace(derived, transforms=among(derived.transforms, frame.task.along)[0])
        slopes = derived_of(frame, derived, abstract, environment, node)
        instance = frame.task.instances[key] = adopt(frame, slopes)
        inner_pullbacks.complete_local(instance, derived, abstract, environment)
    return instances.call_named(frame, instance, abstract, everything, node)


def derived_of(
    frame: Frame, derived: Derived, abstract: dict[str, Value], environment: Environment, node: gast.AST
) -> Specialised:
    """The derivative of a local function for arguments of these types, and for what it captures."""
    closure, outer, task = derived.closure, derived.closure.frame, frame.task
    name = getattr(closure.node, "name", "lambda_")
    source = SourceFile(closure.node, outer.source.file, outer.source.text, name)
    inner = Frame(task, frame.builder, source, outer.namespace)
    base = Instance(task.function_name(name))
    levels = task.within(derived.transforms, abstract, signature_of(closure.node.args), frame.here(node))
    around = task.is_differentiated, task.along
    task.is_differentiated, task.along = True, among(derived.transforms, task.along)[1]
    try:
        instances.compile_instance(frame, base, levels[0], inner, closure.node, environment)
    finally:
        task.is_differentiated, task.along = around
    program, hidden = with_hidden(Program(base.name, dict(task.functions)), task.hidden_of, task.hidden)
    made = Specialised(program, base.arguments, base.result, hidden=hidden)
    apart = unnumbered(closure.node.args)
    slopes: Specialised = task.differentiate(made, derived.transforms, levels[1:], frame.here(node), apart)
    del task.functions[base.name]
    task.hidden_of.pop(base.name)
    return slopes


def parameters_behind(spec: gast.arguments, transforms: Iterable[Any]) -> tuple[gast.arguments, bool]:
    """The parameters of what transformations make of a function, and whether they are those of the function."""
    before = signature_of(spec)
    after = signature_behind(spec, transforms)
    if after == before:
        return spec, True
    kinds: dict[Any, list[gast.expr]] = {kind: [] for kind in KINDS}
    for parameter in after.parameters.values():
        kinds[parameter.kind].append(gast.Name(parameter.name, gast.Param(), None, None))
    first, plain, star, only, stars = kinds.values()
    return gast.arguments(plain, first, next(iter(star), None), only, [], next(iter(stars), None), []), False


def signature_behind(spec: gast.arguments, transforms: Iterable[Any]) -> inspect.Signature:
    """The parameters of what transformations make of a function that is known by its tree."""
    found = signature_of(spec)
    for transform in transforms:
        found = transform.signature(found)
    return found


KINDS = (
    inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_POSITIONAL,
    inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD,
)  # fmt: skip


def signature_of(spec: gast.arguments) -> inspect.Signature:
    """The parameters of a function that is known by its tree; of a default it says only that there is one."""
    groups = (spec.posonlyargs, spec.args, [spec.vararg], spec.kwonlyargs, [spec.kwarg])
    pairs = [(kind, name) for kind, names in zip(KINDS, groups) for name in names if name is not None]
    positional = [*spec.posonlyargs, *spec.args]
    optional = {p.id for p in positional[len(positional) - len(spec.defaults) :]}
    optional |= {p.id for p, default in zip(spec.kwonlyargs, spec.kw_defaults) if default is not None}
    own = [(name.id, kind, ... if name.id in optional else inspect.Parameter.empty) for kind, name in pairs]
    return inspect.Signature([inspect.Parameter(name, kind, default=default) for name, kind, default in own])


def adopt(frame: Frame, derived: Any) -> Instance:
    """Take the functions of another program into this one, under names that are free here."""
    task = frame.task
    task.world.include(derived.guards)
    for cls in derived.exceptions.values():
        if not task.note_exception(cls):
            frame.fault("U018", f"another exception class is called `{cls.__name__}` too", frame.node, "raised here")
    renamed = {name: task.function_name(name) for name in derived.program.functions}
    for name, function in derived.program.functions.items():
        task.functions[renamed[name]] = rename_calls(function, renamed).with_(
            name=renamed[name], is_judged=True
        )
    main = derived.program.main
    for hidden in derived.hidden:
        task.hidden.setdefault(hidden.key, hidden)
    name = renamed[derived.program.entry]
    return Instance(name, derived.result, result_types=main.results, function=main, hidden=derived.hidden,
                    is_settled=True)  # fmt: skip


def rename_calls(function: Function, renamed: dict[str, str]) -> Function:
    if all(old == new for old, new in renamed.items()):
        return function

    def expression(node: Any) -> Any:
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id in renamed:
            return syntax.rebuild(node, func=syntax.name(renamed[node.func.id]))
        return node

    rule = None if function.rule is None else function.rule.renamed(renamed)
    return function.with_(body=tuple(statement_with(one, expression) for one in function.body), rule=rule)
