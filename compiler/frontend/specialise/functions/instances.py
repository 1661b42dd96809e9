"""Functions that are compiled on their own and called: recursive ones.

    def power(x, n):                              power(x, n) is compiled once for (float, int) and calls itself
        if n == 0: return 1.0              ->
        return x * power(x, n - 1)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from math import inf
from typing import Any

import gast

from .....runtime.nature import article
from .... import syntax, types
from ....analysis.memory.alias import conflicts_as_numpy
from ....builder import Builder
from ....diagnostics import Span
from ....names import Names, from_path
from ....program import Function, Origin
from ....types import Array, Extent, Type
from ...source.read import SourceFile
from ..frame import Frame, Stopped, Task, Unresolved
from ..functional import Closure, Derived
from ..interpreter import apply
from ..joins.joined_types import own_lengths
from ..joins.merging import coerce
from ..objects import shared_items
from ..objects.heap import Heap, Owner, objects
from ..specialised import Instance
from ..values import Conflict, Leaf, Mapping_, Out, Record, Sequence, Static, Typed, Value, is_number, map_leaves, parts
from ..world.hidden import fresh_lengths, leaf_of
from ..world.world import Namespace
from . import lending, results, returning, signatures
from .environments import Environment
from .required_lengths import with_required_lengths


def call_instance(
    frame: Frame, function: Any, source: SourceFile, namespace: Namespace, bound: dict[str, Value], node
) -> Value:
    loan = lending.lend(frame, id(function), bound, node)
    inner = Frame(frame.task, frame.builder, source, namespace)
    return call_compiled(frame, loan, inner, source.tree, node)


def call_closure_instance(frame: Frame, closure: Closure, bound: dict[str, Value], node: gast.AST) -> Value:
    """A recursive local function; the variables it sees become arguments."""
    outer: Frame = closure.frame
    loan = lending.lend(frame, id(closure.node), bound, node, closure)
    name = getattr(closure.node, "name", "lambda_")
    source = SourceFile(closure.node, outer.source.file, outer.source.text, name)
    inner = Frame(frame.task, frame.builder, source, outer.namespace)
    return call_compiled(frame, loan, inner, closure.node, node, is_local=True)


def call_compiled(
    frame: Frame, loan: lending.Loan, inner: Frame, tree: Any, node: gast.AST, is_local: bool = False
) -> Value:  # fmt: skip
    """A call of a function that is compiled on its own, for these arguments and what their objects hold."""
    task = frame.task
    key, abstract = signatures.signature(frame, loan.identity, loan.values)
    instance = task.instances.get(key)
    if instance is None:
        name = task.function_name(getattr(tree, "name", "lambda_"))
        instance = task.instances[key] = Instance(name, may_change=True)
        _require_few(frame, loan.identity, tree, node)
        try:
            with lending.lent(frame, loan):
                compile_instance(frame, instance, abstract, inner, tree, loan.environment, loan, is_local)
        except Unresolved:
            task.forget(key)
            raise
    else:
        task.reaches = min(task.reaches, instance.depth if instance.function is None else instance.reaches)
        if instance.result is None:
            raise Unresolved
    return call_named(frame, instance, abstract, loan.values, node, loan)


MOST_INSTANCES = 100  # instances of one recursive function, for values that are known before the program runs


def _require_few(frame: Frame, identity: tuple[Hashable, Hashable], tree: Any, node: gast.AST) -> None:
    function = identity[0]
    alike = (key[0] for key in frame.task.instances if isinstance(key[0], tuple))
    if sum(other[0] == function for other in alike) > MOST_INSTANCES:
        lending.let_strings_vary(frame, identity)
        name = getattr(tree, "name", "lambda")
        message = f"one function is made of `{name}` for each of more than {MOST_INSTANCES} values"
        help_ = ("pass numbers and arrays, which need not be known when it is compiled",)
        frame.fault("U018", message, node, "called here", help_)


def call_named(
    frame: Frame, instance: Instance, abstract: dict[str, Value], bound: dict[str, Value], node: gast.AST,
    loan: lending.Loan | None = None,
) -> Value:  # fmt: skip
    """Emit `a, b = name(arguments)` and put the results back into their containers."""
    if loan is not None:
        shared_items.require_alone_in_call(frame, node)
    atoms: list[gast.expr] = []
    for name, value in abstract.items():
        atoms += [coerce(frame, part, wanted.type, node) for wanted, part in passed(frame, value, bound[name])]
    atoms += [syntax.name(leaf_of(frame.builder, one, set(frame.variables)).name) for one in instance.hidden]
    lengths = None
    if instance.is_settled and instance.function is not None:
        atoms = with_required_lengths(frame, instance.function, atoms, node)
        lengths = lengths_here(frame, instance.function, atoms)
    return results_of(frame, instance, atoms, node, lengths, loan)


def lengths_here(frame: Frame, function: Function, atoms: list[gast.expr]) -> dict[str, Extent]:
    """The lengths of a function's parameters, as they are at the call."""
    found: dict[str, Extent] = {}
    for parameter, atom in zip(function.parameters, atoms):
        inner, outer = function.types[parameter], frame.builder.types.get(getattr(atom, "id", ""))
        if isinstance(inner, Array) and isinstance(outer, Array):
            for mine, theirs in zip(inner.dims, outer.dims, strict=True):
                if isinstance(mine, types.Dim) and types.is_plain(theirs):
                    found.setdefault(mine.terms[0][0], theirs)
    return found


def results_of(
    frame: Frame, instance: Instance, atoms: list[gast.expr], node: gast.AST,
    lengths: Mapping[str, Extent] | None = None, loan: lending.Loan | None = None,
) -> Value:  # fmt: skip
    """Emit the call; `lengths` maps lengths of the function to lengths at the call, as far as these are known."""
    names = []
    for type_ in instance.result_types:
        name = frame.builder.names.fresh("t")
        if lengths is not None and types.symbols_of(type_) <= lengths.keys():
            frame.builder.types[name] = types.with_lengths(type_, lengths)
        else:
            frame.builder.types[name] = own_lengths(frame, type_)
        names.append(name)
    target = names[0] if len(names) == 1 else names
    made = gast.Call(syntax.name(instance.name), atoms, [])
    here = frame.here(node)
    call: gast.stmt = syntax.assign(target, made, here) if names else syntax.expression(made, here)
    call.changes = instance.changes
    frame.builder.append(call)
    of_atoms = [frame.builder.widened.get(getattr(atom, "id", ""), frozenset()) for atom in atoms]
    narrow = [found for found in of_atoms if len({one.type.dtype for one in found}) > 1]
    for name, found in zip(names, instance.meanings, strict=False):
        frame.builder.widen(name, [found, *narrow])
    given = names[len(names) - len(instance.changes) :]
    for index, place in instance.handed.items():
        names[index] = atoms[place].id  # an array
    if isinstance(instance.result, lending.Returned):
        assert loan is not None
        result = lending.take_back(frame, instance.result, loan, names, node)
    else:
        result = results.taken_over(frame, instance.result, names, node)
    for place, changed in zip(instance.changes, given, strict=True):
        array = atoms[place]
        assert isinstance(array, gast.Name)
        whole = [syntax.slice_()] * types.rank(frame.builder.types[array.id])
        frame.builder.append(syntax.store(array.id, whole, syntax.name(changed), here))
    return result


def passed(frame: Frame, abstract: Value, value: Value) -> Iterator[tuple[Typed, Value]]:
    """The types of parameters, each with the number or array that is passed; what the function knows is not passed."""
    if isinstance(abstract, Typed):
        yield abstract, value
        return
    held = frame.held(value)
    for (_, wanted), (_, part) in zip(parts(abstract), parts(held), strict=True):
        yield from passed(frame, wanted, part)


def compile_instance(
    frame: Frame, instance: Instance, abstract: dict[str, Value], inner: Frame, tree: Any,
    environment: Environment, loan: lending.Loan | None = None, is_local: bool = True,
) -> None:  # fmt: skip
    """Specialise a recursive function; its result type is found by at first leaving out the paths that need it.

    What it calls, and what calls it again meanwhile, is specialised anew with each result type that is found.
    Raises Unresolved where every path waits for the result of a function that called this one.
    """
    core, table = apply.core_of(tree)
    task, outside = frame.task, frame.task.reaches
    before = frozenset(task.instances)
    instance.depth = frame.depth()
    for _ in range(8):
        task.reaches = inf
        task.drop_provisional(before)
        inner.builder = Builder(Names(task.function_names), {})
        inner.builder.heap = Heap()
        inner.caller, inner.call_span, inner.live_after = frame, frame.here(frame.node), table
        parameters = declare(inner.builder, abstract, inner)
        instance.arguments = dict(inner.variables)
        inner.at(core)
        copies = own_copies(inner, [parameters[k] for k in instance.changes], tree)
        if loan is None:
            inner.variables = {
                key: objects(value, inner.builder.heap, key, Owner("argument", key))
                for key, value in inner.variables.items()
            }
        lent = {} if loan is None else lending.enter(frame, inner, loan)
        environment.enter(inner, is_local)
        try:
            value = apply.run(inner, core)
        except Unresolved:
            if task.reaches < instance.depth:
                task.reaches = min(task.reaches, outside)
                raise
            message = f"every path of `{inner.source.name}` calls it again or raises: it never returns"
            frame.fault("T003", message, core, "defined here")
        except Stopped:
            value = Static(None)
        result, atoms, result_types = outputs(inner, value, core, environment if loan is not None else None, lent)
        handed = handed_on(inner, atoms, parameters, dict(zip(copies, instance.changes, strict=True)))
        atoms += map(syntax.name, copies)
        result_types = (*result_types, *(inner.builder.types[c] for c in copies))
        same_result = instance.result is not None and result_types == instance.result_types
        older, instance.meanings = instance.meanings, [inner.builder.meanings_of(a) for a in atoms]
        same_result = same_result and handed == instance.handed and older == instance.meanings
        instance.result, instance.result_types, instance.handed = result, result_types, handed
        made = made_function(instance, inner, parameters, atoms, core)
        changed = changed_parameters(made) if same_result and instance.may_change else ()
        if same_result and not changed:
            break
        if changed:
            own = result_types[: len(result_types) - len(copies)]
            instance.changes = tuple(sorted({*instance.changes, *changed}))
            instance.result_types = (*own, *(inner.builder.types[parameters[k]] for k in instance.changes))
    else:
        frame.fault("T003", f"the result type of `{inner.source.name}` does not settle", core, "defined here")
    instance.reaches = task.reaches if task.reaches < instance.depth else inf
    task.reaches = min(instance.reaches, outside)
    instance.function = made
    task.functions[instance.name] = made
    task.hidden_of[instance.name] = used_hidden(inner.builder, made.body)


def own_copies(frame: Frame, names: list[str], tree: gast.AST) -> list[str]:
    """Copies of the arrays that a function changes; its variables hold the copies instead."""
    copies = {name: frame.emit("copy", Leaf(name), node=tree, hint=name) for name in names}
    for key, value in frame.variables.items():
        frame.variables[key] = map_leaves(value, lambda part, _: copies.get(getattr(part, "name", ""), part))
    return [copies[name].name for name in names]


def handed_on(
    inner: Frame, atoms: list[gast.expr], parameters: list[str], copies: dict[str, int]
) -> dict[int, int]:
    """The results that are arrays among the parameters, or the copies that stand for them: the caller has them."""
    places = {**{name: k for k, name in enumerate(parameters)}, **copies}
    return {
        index: places[atom.id]
        for index, atom in enumerate(atoms)
        if isinstance(atom, gast.Name) and atom.id in places and isinstance(inner.builder.types[atom.id], Array)
    }


def made_function(
    instance: Instance, inner: Frame, parameters: list[str], atoms: list[gast.expr], core: Any
) -> Function:
    end = syntax.return_(atoms, inner.caller.here(core) if inner.caller is not None else None)
    body = (*inner.builder.whole(), end)
    return Function(
        instance.name, tuple(parameters), body, "typed", inner.source.origin,
        used_types(inner.builder, parameters, body), instance.result_types, given=dict(inner.builder.names.given),
        walked_into=origins(inner.task),
    )  # fmt: skip


def origins(task: Task) -> dict[Span, Origin]:
    """The locations of the functions that were walked into, by the locations of their calls."""
    found = {source.tree: source.origin for source in dict.fromkeys(task.walked_into.values())}
    return {place: found[source.tree] for place, source in task.walked_into.items()}


def changed_parameters(function: Function) -> tuple[int, ...]:
    """The positions of the array parameters whose elements a function changes, by whatever name."""
    seen = {conflict.other for conflict in conflicts_as_numpy(function)}
    return tuple(
        k for k, name in enumerate(function.parameters) if name in seen and types.rank(function.types[name]) > 0
    )


def used_types(builder: Builder, parameters: list[str], body: Iterable[gast.stmt] | None = None) -> dict[str, Type]:
    """The types of the names that remain in the body; trial runs may have made more."""
    names = syntax.names_of(parameters, builder.whole() if body is None else body)
    return {name: builder.types[name] for name in names if name in builder.types}


def used_hidden(builder: Builder, body: Iterable[gast.stmt]) -> dict[Any, str]:
    """The arrays from outside that remain in the body; trial runs may have met more."""
    names = syntax.names_of([], body)
    return {key: name for key, name in builder.hidden.items() if name in names}


def declare(
    builder: Builder, abstract: Mapping[str, Value], frame: Frame, starred: tuple[str, ...] = ()
) -> list[str]:  # fmt: skip
    """Give the leaves of the arguments names; `frame.variables` then holds the arguments.

    `starred` are names for the items of a parameter `*args`, as far as there are some.
    """
    star = frame.source.tree.args.vararg
    parameters: list[str] = []
    scalars = set(abstract)

    def name(part: Value, path: tuple) -> Value:
        if not isinstance(part, Typed):
            return part
        if star is not None and path[0] == star.id and len(path) > 1 and path[1] < len(starred):
            path = (starred[path[1]], *path[2:])
        fresh = builder.names.fresh(from_path(*path))
        builder.symbols |= types.symbols_of(part.type) - {"any"}
        builder.types[fresh] = type_ = fresh_lengths(builder, part.type, scalars)
        for axis, extent in enumerate(type_.dims if isinstance(type_, Array) else ()):
            builder.lengths.setdefault(extent, (fresh, axis))
        parameters.append(fresh)
        builder.arguments.append(fresh)
        return Leaf(fresh)

    frame.variables = {key: map_leaves(value, name, (key,)) for key, value in abstract.items()}
    return parameters


def outputs(
    frame: Frame, value: Value, node: gast.AST, environment: Environment | None = None,
    lent: Mapping[int, int] = {},
) -> tuple[Any, list[gast.expr], tuple[Type, ...]]:  # fmt: skip
    """The result taken apart: its structure over positions, the atoms returned, their types.

    `lent` has the objects that were copied in and are copied out with the result; functions of `environment` among
    them are holes.
    """
    atoms: list[gast.expr] = []
    result_types: list[Type] = []

    def place(part: Value, _: tuple) -> Value:
        found = frame.type_of(part)
        if found is None:
            if isinstance(part, Sequence | Mapping_ | Record):
                return part  # an empty container
            if isinstance(part, Static):
                return part
            if isinstance(part, Conflict):
                message = f"this function returns {part.left} on one path and {part.right} on another"
                frame.fault("T003", message, node, "returned here", ("return values of one type on every path",))
            ways = ("return what it gives", "let it be a function outside, whose pullbacks can be returned")
            help_ = ways if isinstance(part, Closure | Derived) else ()
            frame.fault("T003", f"{article(frame.describe(part))} cannot be returned", node, "returned here", help_)
        if frame.is_list(part):
            return results.left(frame, part, place, node)
        if is_number(part):
            part = Leaf(frame.builder.bind(frame.atom(part, node), found, "result").id)
        atoms.append(frame.atom(part, node))
        result_types.append(found)
        return Out(len(atoms) - 1)

    if environment is not None:
        returning.require_returnable(frame, frame.tree(value), node)
        back = lending.given_back(frame, environment, value, lent, node, place)
        return back, atoms, tuple(result_types)
    tree = frame.tree(returning.returned(frame, value, node))
    returning.require_returnable(frame, tree, node)
    structure = returning.with_rows(signatures.map_unknown(tree, place))
    return structure, atoms, tuple(result_types)
