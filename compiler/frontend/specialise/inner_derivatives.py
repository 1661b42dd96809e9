"""Derivatives taken inside a function: derived on their own, then called.

    slope = pellucid.grad(loss)(w, x)      ->      slope = loss_grad(w, x)
"""

from __future__ import annotations

from typing import Any

import gast

from ... import syntax
from ...program import Function, Program
from ..source.read import SourceFile, read, starred
from . import apply, evaluate, instances
from .frame import Frame, Instance, Specialised
from .local_functions import Environment
from .values import Derived, Value


def call_transformed(frame: Frame, compiled: Any, args, kwargs, node: gast.AST, hint: str) -> Value:
    """A derivative taken inside a compiled function: derived on its own, then called."""
    function = compiled.python
    frame.task.world.function(function)
    source = read(function)
    defaults = [evaluate.outside(frame, d, "default", node) for d in function.__defaults__ or ()]
    bound = apply.bind_arguments(
        frame, source.tree.args, defaults, [None] * len(source.tree.args.kwonlyargs), args, kwargs, node,
        function.__name__,
    )  # fmt: skip
    key, abstract = instances.signature(frame, id(compiled), bound)
    for name in compiled.static:
        abstract[name] = bound[name]
    instance = frame.task.instances.get(key)
    if instance is None:
        derived = frame.task.derive(compiled, abstract)
        instance = frame.task.instances[key] = adopt(frame, derived)
    return instances.call_named(frame, instance, abstract, bound, node)


def call_derived(frame: Frame, derived: Derived, args, kwargs, node: gast.AST) -> Value:
    """The derivative of a local function: compiled on its own, with the variables it sees as further arguments."""
    closure, outer = derived.closure, derived.closure.frame
    name = getattr(closure.node, "name", "lambda_")
    own = apply.bind_arguments(
        frame, closure.node.args, list(closure.defaults), list(closure.keyword_defaults), args, kwargs, node, name
    )
    environment = Environment(closure)
    everything = {**own, **environment.passed}
    key, abstract = instances.signature(frame, id(derived), everything)
    instance = frame.task.instances.get(key)
    if instance is None:
        source = SourceFile(closure.node, outer.source.file, outer.source.text, name)
        inner = Frame(frame.task, frame.builder, source, outer.namespace)
        base = Instance(frame.task.function_name(name))
        instances.compile_instance(frame, base, abstract, inner, closure.node, environment)
        program = Program(base.name, dict(frame.task.functions))
        made = Specialised(program, base.arguments, base.result)
        stars = starred(derived.closure.node.args)
        slopes = frame.task.differentiate(made, derived.transforms, frame.here(node), stars)
        del frame.task.functions[base.name]
        instance = frame.task.instances[key] = adopt(frame, slopes)
    return instances.call_named(frame, instance, abstract, everything, node)


def adopt(frame: Frame, derived: Any) -> Instance:
    """Take the functions of another program into this one, under names that are free here."""
    task = frame.task
    task.world.include(derived.guards)
    for cls in derived.exceptions.values():
        if not task.note_exception(cls):
            frame.fault("U018", f"another exception class is called `{cls.__name__}` too", frame.node, "raised here")
    renamed = {name: task.function_name(name) for name in derived.program.functions}
    for name, function in derived.program.functions.items():
        task.functions[renamed[name]] = rename_calls(function, renamed).with_(name=renamed[name])
    main = derived.program.main
    return Instance(renamed[derived.program.entry], derived.result, result_types=main.results, function=main)


def rename_calls(function: Function, renamed: dict[str, str]) -> Function:
    if all(old == new for old, new in renamed.items()):
        return function

    def expression(node: Any) -> Any:
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id in renamed:
            return syntax.rebuild(node, func=syntax.name(renamed[node.func.id]))
        return node

    def statement(node: gast.stmt) -> gast.stmt:
        if isinstance(node, gast.Assign | gast.Expr):
            return syntax.rebuild(node, value=expression(node.value))
        if isinstance(node, gast.If):
            return syntax.rebuild(node, body=list(map(statement, node.body)), orelse=list(map(statement, node.orelse)))
        if isinstance(node, gast.For | gast.While):
            return syntax.rebuild(node, body=list(map(statement, node.body)))
        return node

    return function.with_(body=tuple(map(statement, function.body)))


