"""Calls: of the user's functions (walked into), of NumPy's (operators, library functions), of builtins, of methods."""

from __future__ import annotations

import dataclasses
import enum
import functools
import types as python_types
from typing import Any

import gast
import numpy as np

from .....runtime.given_rules import RULE, rule_of
from ....analysis.core_liveness import assigned, live_after
from ....vocabulary import LIBRARIES
from ...source.desugar import desugar, made_names
from ...source.read import SourceFile
from .. import protocol
from ..derivatives import inner_derivatives, inner_pullbacks, inner_transformations, ruled_calls
from ..frame import Frame, Stopped
from ..functional import Closure
from ..functions import instances
from ..functions.local_functions import reaches_itself
from ..given_names import note_name
from ..kinds import (
    attribute_dicts,
    classes,
    generator_expressions,
    generators,
    keyed,
    library_classes,
    making,
    one_of,
    optional,
    sets,
)
from ..kinds.record_classes import is_namedtuple_class
from ..library import builtin_calls, functions, library
from ..library.static_python import computed
from ..objects import given_back, items_in_place
from ..values import Mapping_, Sequence, Static, Value
from ..world import outside, recursion
from . import any_order, evaluate, execute, refusals, unpacking

Arguments = tuple[list[Value], dict[str, Value]]
INLINE_LIMIT = 60


def call(frame: Frame, node: gast.Call, hint: str = "t") -> Value:
    method = given_back.method_of(frame, node)
    function, put_back = items_in_place.method(frame, method, hint)
    made = any_order.given(frame, function, node, lambda: call_of(frame, function, node, hint))
    if put_back is not None:
        put_back()
    if method is not node.func:
        given_back.note_key(frame, evaluate.evaluate(frame, method.value), node.args[0], made, node)
    return made


def call_of(frame: Frame, function: Value, node: gast.Call, hint: str) -> Value:
    if node.args and isinstance(node.args[0], gast.GeneratorExp) and isinstance(function, Static):
        consumer = builtin_calls.LAZY.get(function.value) if callable(function.value) else None
        if consumer is not None:
            return consumer(frame, node, hint)
    columns = unpacking.transposed(frame, function, node)
    if columns is not None:
        return columns
    if node.args and isinstance(node.args[0], gast.GeneratorExp) and takes_all_items(function):
        first, rest = generator_expressions.all_of(frame, node.args[0]), node.args[1:]
        positional = [first, *(evaluate.evaluate(frame, value) for value in rest)]
    else:
        positional = unpacking.arguments(frame, function, node)
    named: dict[str, Value] = {}
    for keyword in node.keywords:
        value = evaluate.evaluate(frame, keyword.value)
        if keyword.arg is None:
            held = frame.held(value)
            if not isinstance(held, Mapping_):
                frame.fault("T001", "`**` needs a dict", keyword.value)
            named.update({str(k): v for k, v in held.items})
        else:
            named[keyword.arg] = value
    return protocol.call(frame, function, positional, named, node, hint)


def takes_all_items(function: Value) -> bool:
    """Whether a class takes all items of its argument at once."""
    return isinstance(function, Static) and any(function.value is cls for cls in library_classes.MADE_OTHERWISE)


def call_object(
    frame: Frame, value: Any, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str
) -> Value:
    compiled = getattr(value, "__pellucid__", None)
    if compiled is not None:
        if compiled.transforms and compiled.transforms[-1].is_pullback:
            return inner_pullbacks.call(frame, value, args, kwargs, node)
        if compiled.transforms:
            return inner_derivatives.call_transformed(frame, compiled, args, kwargs, node, hint)
        if outside.keeps_more(frame, compiled):
            with outside.keeping(frame, compiled):
                return call_object(frame, value, args, kwargs, node, hint)
        value = compiled.python
    if getattr(value, "__pellucid_transform__", None) is not None:
        return inner_transformations.transform(frame, value, args, kwargs, node, hint)
    if getattr(value, "__pellucid_forward__", None) is not None:
        return inner_pullbacks.vjp(frame, value.__pellucid_forward__, args, kwargs, node)
    if isinstance(value, type) and value in library_classes.MADE_OTHERWISE:
        if (chosen := one_of.called(frame, call_object, value, args, kwargs, node, hint)) is not None:
            return chosen
        return keyed.construct(frame, value, args, kwargs, node, hint)
    binding = library.binding_of(value)
    if binding is not None:
        args, kwargs = optional.all_present(frame, args, kwargs, node)
        if (chosen := one_of.called(frame, call_object, value, args, kwargs, node, hint)) is not None:
            return chosen
        return library.call(frame, binding, args, kwargs, node, hint)
    special = builtin_calls.BUILTINS.get(value) if isinstance(value, python_types.BuiltinFunctionType | type) else None
    if special is not None:
        if value not in (isinstance, bool):
            args, kwargs = optional.all_present(frame, args, kwargs, node)
            if (chosen := one_of.called(frame, call_object, value, args, kwargs, node, hint)) is not None:
                return chosen
        if value in builtin_calls.IN_ANY_ORDER:
            args = [sets.given_to(frame, value, a, kwargs, node) if sets.is_set(frame, a) else a for a in args]
        if value not in builtin_calls.TAKES_INSTANCES:
            made = classes.iterator_of if value in builtin_calls.ITERATORS_THEMSELVES else classes.iterable
            args = [made(frame, a, node) for a in args]
        builtin_calls.require_arguments(frame, value, args, kwargs, node)
        return special(frame, args, kwargs, node, hint)
    known = functions.find(value)
    if known is not None:
        if (chosen := one_of.called(frame, call_object, value, args, kwargs, node, hint)) is not None:
            return chosen
        return known(frame, args, kwargs, node, hint)
    if isinstance(value, functools._lru_cache_wrapper):
        inside = frame.namespace.attribute(value, "__wrapped__")
        return classes.kept(frame, call_object(frame, inside, args, kwargs, node, hint), value.__name__, node)
    if attribute_dicts.reads_items(value):
        return attribute_dicts.made(frame, value, args, kwargs, node)
    refusals.require_own(frame, value, node)
    if isinstance(value, python_types.FunctionType):
        return call_function(frame, getattr(value, "__pellucid_told__", value), args, kwargs, node)
    if isinstance(value, np.dtype):
        return call_object(frame, value.type, args, kwargs, node, hint)
    if isinstance(value, type) and issubclass(value, enum.Enum):
        given = [protocol.known(frame, a, node, "the value of a member") for a in args]
        return Static(computed(frame, value, node, *given))
    if isinstance(value, type) and is_users_class(value):
        return making.construct(frame, value, args, kwargs, node)
    refusals.refuse_call(frame, value, node)


def is_users_class(cls: type) -> bool:
    is_record = is_namedtuple_class(cls) or dataclasses.is_dataclass(cls)
    return is_record or cls.__module__.split(".")[0] not in LIBRARIES | {"builtins"}


# --- the user's functions ------------------------------------------------------------------------------------------

_CORES: dict[int, tuple[gast.AST, gast.FunctionDef, dict]] = {}
_LOCALS: dict[gast.FunctionDef, frozenset[str]] = {}


def core_of(tree: gast.FunctionDef | gast.Lambda) -> tuple[gast.FunctionDef, dict[int, frozenset[str]]]:
    """The desugared form of a tree and its liveness, made once."""
    if id(tree) not in _CORES:
        core = desugar(tree)
        _CORES[id(tree)] = (tree, core, live_after(core))
    return _CORES[id(tree)][1:]


def local_names(core: gast.FunctionDef) -> frozenset[str]:
    """The names that a core function binds, found once."""
    if core not in _LOCALS:
        _LOCALS[core] = frozenset(assigned(core.body))
    return _LOCALS[core]


def call_function(
    frame: Frame, function: python_types.FunctionType, args, kwargs, node: gast.AST, with_rule: bool = True
) -> Value:
    """A call of a function of the user's or of the library; `with_rule`: its own derivative rule applies."""
    if frame.task.unjudged.pop(id(function), None) is not None:
        classes.judge(frame, function)
    source = frame.task.source_of(function)
    is_library = library.is_library(function)
    namespace = frame.task.world.namespace(function, is_library)
    inner = Frame(frame.task, frame.builder, source, namespace, is_library=is_library)
    spec = source.tree.args
    names = [a.id for a in (*spec.posonlyargs, *spec.args)]
    given = {*names[: len(args)], *kwargs}
    defaults = outside.defaults(frame, function, names, given, node)
    keyword_defaults = outside.keyword_defaults(frame, function, [a.id for a in spec.kwonlyargs], given, node)
    bound = bind_arguments(frame, spec, defaults, keyword_defaults, args, kwargs, node, function.__name__)
    rule = rule_of(function)
    if rule is not None:
        frame.namespace.attribute(function, RULE)  # reading it adds a guard
        if with_rule and frame.task.is_differentiated:
            return ruled_calls.call(frame, function.__name__, Static(function), rule, spec, bound, node)
    if generators.is_generator(source.tree):
        return generators.called(frame, source, namespace, None, bound)
    if not is_library and (recursion.is_recursive(frame.task, function) or _is_running(frame, source)):
        return instances.call_instance(frame, function, source, namespace, bound, node)
    before = frame.builder.mark()
    result = inline(frame, inner, source.tree, bound, node)
    library.note_sharing(frame, function, args, result, before)
    return result


def _is_running(frame: Frame, source: SourceFile) -> bool:
    """Whether a function has been entered and not left: a method that calls itself, directly or not."""
    walker: Frame | None = frame
    while walker is not None and walker.source is not source:
        walker = walker.caller
    return walker is not None


def call_closure(frame: Frame, closure: Closure, args, kwargs, node: gast.AST) -> Value:
    outer: Frame = closure.frame
    name = getattr(closure.node, "name", "lambda")
    bound = bind_arguments(
        frame, closure.node.args, list(closure.defaults), list(closure.keyword_defaults), args, kwargs, node, name
    )
    if generators.is_generator(closure.node):
        source = SourceFile(closure.node, outer.source.file, outer.source.text, name)
        return generators.called(frame, source, outer.namespace, outer, bound)
    if reaches_itself(closure):
        return instances.call_closure_instance(frame, closure, bound, node)
    source = SourceFile(closure.node, outer.source.file, outer.source.text, name)
    inner = Frame(frame.task, frame.builder, source, outer.namespace, outer=outer, is_library=outer.is_library)
    return inline(frame, inner, closure.node, bound, node)


def inline(frame: Frame, inner: Frame, tree: Any, bound: dict[str, Value], node: gast.AST) -> Value:
    """Walk through a called function inside its caller."""
    if frame.depth() > INLINE_LIMIT:
        frame.fault("U018", "functions call each other more than 60 deep", node, "called here")
    core, table = core_of(tree)
    inner.caller, inner.call_span, inner.live_after = frame, frame.here(node), table
    inner.variables, inner.entered = dict(bound), (frame.heap.count, frame.heap.absorbed)
    for name, value in bound.items():
        note_name(inner, name, value, is_parameter=True)
    builder = frame.builder
    kept = builder.span, builder.inlined
    if not inner.is_library:
        place = frame.here(node)
        builder.inlined = (*builder.inlined, place)
        frame.task.walked_into[place] = inner.source
    try:
        return run(inner, core)
    finally:
        builder.span, builder.inlined = kept


def run(frame: Frame, core: gast.FunctionDef) -> Value:
    """Execute a core function's body; its value is that of the closing return."""
    frame.made_names, frame.local_names = made_names(core), local_names(core)
    execute.execute(frame, core.body[:-1] if isinstance(core.body[-1], gast.Return) else core.body)
    frame.at(core.body[-1])
    if not isinstance(core.body[-1], gast.Return):
        raise Stopped  # only an error leaves the loop
    return execute.result_of(frame, core.body[-1])


def bind_arguments(
    frame, spec: gast.arguments, defaults, keyword_defaults, args, kwargs, node, name
) -> dict[str, Value]:
    """Match arguments to parameters as Python does."""
    positional = [a.id for a in (*spec.posonlyargs, *spec.args)]
    bound: dict[str, Value] = dict(zip(positional, args, strict=False))
    rest = args[len(positional) :]
    if rest and spec.vararg is None:
        count = f"{len(positional)} positional argument{'s' if len(positional) != 1 else ''}"
        frame.fault("T004", f"{name}() takes {count} but {len(args)} were given", node, "called here")
    if spec.vararg is not None:
        bound[spec.vararg.id] = Sequence(tuple(rest))
    extra: dict[str, Value] = {}
    only = [a.id for a in spec.kwonlyargs]
    for key, value in kwargs.items():
        if key in bound and key in positional:
            frame.fault("T004", f"{name}() got multiple values for argument '{key}'", node, "called here")
        if key in positional or key in only:
            bound[key] = value
        elif spec.kwarg is not None:
            extra[key] = value
        else:
            frame.fault("T004", f"{name}() got an unexpected keyword argument '{key}'", node, "called here")
    if spec.kwarg is not None:
        bound[spec.kwarg.id] = frame.new(Mapping_(tuple(extra.items())), "entries")
    for key, value in zip(positional[len(positional) - len(defaults) :], defaults, strict=True):
        bound.setdefault(key, value)
    for key, value in zip(only, keyword_defaults, strict=True):
        if value is not None:
            bound.setdefault(key, value)
    missing = [k for k in (*positional, *only) if k not in bound]
    if missing:
        plural = "s" if len(missing) > 1 else ""
        frame.fault("T004", f"{name}() is missing the argument{plural} {', '.join(missing)}", node)
    return bound
