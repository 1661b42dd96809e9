"""Make a core function monomorphic: every name gets one type, every call an operator, every container is taken apart.

    def loss(w, x):                        def loss(w, x):        w: f64[n]   x: f64[m, n]
        z = x @ w                  ->          z = matmul(x, w)
        return np.mean(z ** 2)                 t = multiply(z, z)
                                               t_1 = sum(t)
                                               n = dim(z, axis=0)
                                               result = divide(t_1, n)
                                               return (result,)

Takes a Python function and the types of its arguments, gives a typed program.  Calls of functions that are not
recursive are walked into; branches on static values are decided; loops over static sequences are unrolled.
"""

from __future__ import annotations

import types as python_types
from collections.abc import Callable, Mapping
from typing import Any

import gast

from ....runtime.frozen import Freeze, Frozen
from ....runtime.given_rules import rule_of
from ... import syntax
from ...builder import Builder
from ...diagnostics import CompileError, InternalError
from ...names import Names
from ...program import Function, Program
from ..source.read import SourceFile, header_of, own_function, read
from .built import Learned
from .derivatives import ruled_calls
from .frame import ERROR_CLASSES, Anew, Frame, NeedsStatic, Stopped, Task, Unresolved
from .functions import instances
from .interpreter import apply, constant_tables, long_lists
from .kinds import dict_methods, every, string_numbers  # noqa: F401
from .library import library
from .objects import pools
from .objects.heap import Owner, objects
from .specialised import Specialised
from .values import Leaf, Rows, Static, Value, map_leaves, parts
from .world.hidden import with_hidden

MOST_WALKS = 100


def specialise(
    function: python_types.FunctionType,
    arguments: Mapping[str, Value],
    *,
    mutates: tuple[str, ...] = (),
    freeze: Freeze = (),
    frozen: Frozen | None = None,
    derive: Callable[..., Specialised] | None = None,
    differentiate: Callable[..., Specialised] | None = None,
    within: Callable[..., Any] | None = None,
    is_entry: bool = True,
    is_differentiated: bool = False,
    judge: Callable[..., None] | None = None,
    learned: Learned | None = None,
    along: tuple[str, ...] = (),
) -> Specialised:
    """Specialise `function` for arguments whose leaves are `Typed`.  Raises CompileError with the user's line.

    `freeze` says which variables from outside keep their first value, and `frozen` has these values.
    `is_entry` says that the program is called from Python, where equal lengths are checked, `is_differentiated` that
    a derivative is taken of it, `learned` has what earlier walks learned, `along` the axes whose devices share values.
    """
    source, frozen, learned = read(function), frozen or Frozen(), Learned() if learned is None else learned
    first: CompileError | None = None
    for _ in range(MOST_WALKS):
        task = Task(
            learned, derive=derive, differentiate=differentiate, within=within, judge=judge, freeze=freeze,
            frozen=frozen, is_differentiated=is_differentiated, along=along,
        )  # fmt: skip
        try:
            return walked(task, function, source, arguments, mutates, is_entry)
        except Anew:
            continue
        except CompileError as refused:
            if constant_tables.may_unroll(learned.forms):
                continue
            if not pools.may_pool(learned, refused):
                raise refused if first is None else pools.refused_as_well(first, refused) from None
            first = first or refused
    raise InternalError("specialise", f"`{source.name}` was walked through {MOST_WALKS} times")


def walked(
    task: Task, function: python_types.FunctionType, source: SourceFile, arguments: Mapping[str, Value],
    mutates: tuple[str, ...], is_entry: bool,
) -> Specialised:  # fmt: skip
    """Walk through the function once, with what is known of its containers so far."""
    core, table = apply.core_of(source.tree)
    name = task.function_name(source.name if source.name.isidentifier() else "lambda_")
    builder = Builder(Names(), {})
    builder.may_unify = is_entry
    namespace = task.world.namespace(function, library.is_library(function))
    frame = Frame(task, builder, source, namespace, live_after=table)
    own = own_function(function)
    if own is not function:  # what the library does is told of the user's function
        frame.is_library, frame.call_span = True, header_of(function)
        builder.span = frame.call_span
    parameters = instances.declare(builder, arguments, frame, names_by_position(own))
    given = dict(frame.variables)
    frame.variables = {
        key: objects(value, builder.heap, key, Owner("argument", key)) for key, value in given.items()
    }
    frame.at(core)
    pools.make(frame, source.tree)
    dict_methods.open_given(frame, source.tree)
    changed = own_copies(frame, mutates, source.tree)
    try:
        if task.is_differentiated and rule_of(function) is not None:
            value = _with_rule(frame, function, source)
        else:
            value = apply.run(frame, core)
        long_lists.keep_results(frame, value)
        result, atoms, result_types = instances.outputs(frame, value, core.body[-1])
    except NeedsStatic as needed:
        if needed.place is not None and needed.place not in task.learned.positions:
            task.learned.positions.add(needed.place)
            raise Anew from None
        raise ERROR_CLASSES[needed.diagnostic.code[0]](needed.diagnostic) from None
    except Stopped:
        result, atoms, result_types = Static(None), [], ()
    except Unresolved:
        frame.fault("T003", f"`{name}` calls itself on every path", source.tree)
    for leaf in changed.values():
        atoms.append(syntax.name(leaf))
        result_types = (*result_types, builder.types[leaf])
    builder.append(syntax.return_(atoms, frame.here(core.body[-1])))
    main = Function(
        name, tuple(parameters), tuple(builder.whole()), "typed", read(own).origin,
        instances.used_types(builder, parameters), result_types, decisions=tuple(task.decisions),
        reasons=builder.reasons, given=dict(builder.names.given), walked_into=instances.origins(task),
    )  # fmt: skip
    task.hidden_of[name] = instances.used_hidden(builder, builder.body)
    program, hidden = with_hidden(Program(name, {name: main, **task.functions}), task.hidden_of, task.hidden)
    arguments = {key: given[key] for key in arguments}
    if is_entry and changed and not hidden:  # an array from outside may show the memory of an argument
        places = tuple(parameters.index(name) for name in changed)
        program = Program(name, {**program.functions, name: program.main.with_(changed=places)})
    guards = tuple(task.world.guards.values())
    result = string_numbers.told(task, result)
    return Specialised(program, arguments, result, tuple(changed), hidden, task.exceptions, guards)


def names_by_position(function: python_types.FunctionType) -> tuple[str, ...]:
    """The parameters that take one argument each, by position."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


def _with_rule(frame: Frame, function: python_types.FunctionType, source: SourceFile) -> Value:
    """Call the function that is differentiated, as it has a rule for that."""
    given, spec = rule_of(function), source.tree.args
    assert given is not None
    return ruled_calls.call(frame, source.name, Static(function), given, spec, dict(frame.variables), source.tree)


def _has_rows(value: Value) -> bool:
    """Whether a value holds a list of any length, because the items of such a list are copies."""
    return isinstance(value, Rows) or any(_has_rows(part) for _, part in parts(value))


def own_copies(frame: Frame, mutates: tuple[str, ...], tree: gast.AST) -> dict[str, str]:
    """Arguments declared as changed are copied in; the copy is a result that is written back."""
    changed: dict[str, str] = {}

    def copied(part: Value, _: tuple) -> Value:
        if not isinstance(part, Leaf) or not frame.is_array(part):
            message = f"an argument declared with mutates= is an array, not {frame.describe(part)}"
            frame.fault("T005", message, tree, "declared here", ("pass an array, or return the new value",))
        made = frame.emit("copy", part, node=tree, hint=part.name)
        changed[part.name] = made.name
        return made

    for name in mutates:
        if _has_rows(frame.tree(frame.variables[name])):
            message = f"`{name}` is declared with mutates= and holds a long list, which is made into one array"
            frame.fault("T005", message, tree, "declared here", ("pass an array, or return the new value",))
        frame.variables[name] = map_leaves(frame.tree(frame.variables[name]), copied)
    return changed
