"""Generator functions, inlined where their items are used: the body of the loop replaces `yield`.

    def steps(n):                            k = 0
        k = 0                                while k < n:
        while k < n:             ->              v = k * k
            yield k * k                          total += v
            k += 1                               k += 1
    for v in steps(n):
        total += v

So everything happens in the same order as in Python.  A `break` of the loop ends the function; a consumer of all items
gets a list of them.  Any other use of a generator is refused.
"""

from __future__ import annotations

import copy
from functools import lru_cache
from typing import Any

import gast

from ....analysis import core_liveness
from ....names import Names
from ....records import dataclass
from ....syntax import constant, name, nodes_of, rebuild, target
from ...source.desugar import desugar, made_names
from ...source.located import located
from ...source.read import SourceFile
from .. import protocol
from ..frame import Frame
from ..interpreter import apply, branches, evaluate, execute, loops
from ..iterables import Enumerate, GeneratorCall, Iteration, Iterator, Map
from ..values import Static, Value
from . import iterations

ITEM = "item of the generator"
MOST_INSIDE_ITSELF = 6  # a recursive generator function is inlined into itself so often
HELP = ("make a list of its items where they are used: `list(...)`",)


class Turn(gast.Pass):
    """The position of an iteration of the loop in the generator function."""


@dataclass(frozen=True, slots=True, eq=False)
class Called:
    """A generator function that was called: its tree, and the variables that it sees."""

    source: SourceFile
    namespace: Any
    outer: Frame | None

    @property
    def tree(self) -> gast.FunctionDef:
        assert isinstance(self.source.tree, gast.FunctionDef)  # a lambda with `yield` is refused where it is read
        return self.source.tree


@lru_cache(maxsize=1024)  # by identity: a function may be called from many places
def is_generator(tree: Any) -> bool:
    """Whether a call of this function returns a generator."""
    return isinstance(tree, gast.FunctionDef) and any(map(_is_yield, own_nodes(tree)))


def _is_yield(node: gast.AST) -> bool:
    return isinstance(node, gast.Yield | gast.YieldFrom)


def own_nodes(tree: gast.FunctionDef) -> list[gast.AST]:
    """The nodes of a function, without those of functions inside it."""
    found: list[gast.AST] = []
    waiting: list[gast.AST] = list(tree.body)
    for node in waiting:  # the list grows while it is walked
        found.append(node)
        if not isinstance(node, gast.FunctionDef | gast.Lambda | gast.ClassDef):
            waiting += gast.iter_child_nodes(node)
    return found


def called(frame: Frame, source: SourceFile, namespace: Any, outer: Frame | None, bound: dict[str, Value]) -> Value:
    """The result of calling a generator function, before its body has begun to run."""
    generator = Called(source, namespace, outer)
    statements = {id(n.value) for n in own_nodes(generator.tree) if isinstance(n, gast.Expr)}
    for node in own_nodes(generator.tree):
        is_plain = id(node) in statements and getattr(node, "value", None) is not None
        if isinstance(node, gast.Yield | gast.YieldFrom) and not is_plain:
            frame.fault("U004", "only `yield value` as a statement is in the language", None, "called here",
                        ("fill a list and return it",))  # fmt: skip
    call = GeneratorCall(generator, tuple(bound.items()))
    return frame.new(Iterator(call, kind="generator"), "iterator")


def of_tree(frame: Frame, tree: gast.FunctionDef, bound: dict[str, Value], outer: Frame | None, kind: str) -> Value:
    """The result of calling a generator function that is in no file; its lines are those of the frame's file."""
    source = SourceFile(tree, frame.source.file, frame.source.text, tree.name)
    call = GeneratorCall(Called(source, frame.namespace, outer), tuple(bound.items()))
    return frame.new(Iterator(call, kind=kind), "iterator")


# --- all items at once -----------------------------------------------------------------------------------------------


def listed(frame: Frame, value: GeneratorCall, node: gast.AST) -> Value:
    """A list of the items: the function with `items.append(v)` for `yield v`."""
    call: Called = value.function
    items = _fresh(call.tree, "items")
    tree = call.tree
    body = [gast.Assign([target(items)], gast.List([], gast.Load()), None), *tree.body]
    appended = lambda v: [gast.Expr(gast.Call(gast.Attribute(name(items), "append", gast.Load()), [v], []))]  # noqa: E731
    end = lambda: gast.Return(name(items))  # noqa: E731
    body = [*_replaced(body, _fresh(tree, "each"), appended, end), end()]
    made = located(rebuild(tree, body=body), tree)
    source = SourceFile(made, call.source.file, call.source.text, call.source.name)
    inner = Frame(frame.task, frame.builder, source, call.namespace, outer=call.outer, is_library=frame.is_library)
    return apply.inline(frame, inner, made, dict(value.args), node)


def _fresh(tree: gast.AST, wish: str) -> str:
    return Names({n.id for n in nodes_of(tree) if isinstance(n, gast.Name)}).fresh(wish)


def _replaced(body: list[gast.stmt], each: str, turn: Any, end: Any) -> list[gast.stmt]:
    """Statements with others for `yield` and `return`; functions inside stay as they are.

    `each` is a name for the items of the iterable of `yield from`.
    """
    found: list[gast.stmt] = []
    for statement in body:
        match statement:
            case gast.Expr(value=gast.Yield(value=value)):
                found += turn(value)
            case gast.Expr(value=gast.YieldFrom(value=value)):
                found.append(gast.For(target(each), value, turn(name(each)), [], None))
            case gast.Return():
                found.append(end())
            case gast.FunctionDef() | gast.ClassDef():
                found.append(statement)
            case _:
                inner: dict[str, Any] = {}
                for field in ("body", "orelse", "finalbody"):
                    block = getattr(statement, field, None)
                    if isinstance(block, list) and block:
                        inner[field] = _replaced(block, each, turn, end)
                if isinstance(statement, gast.Try):
                    handlers = [rebuild(h, body=_replaced(h.body, each, turn, end)) for h in statement.handlers]
                    inner["handlers"] = handlers
                found.append(rebuild(statement, **inner) if inner else statement)
    return found


def is_one(value: Value) -> bool:
    """Whether a generator function yields the items, each of them on demand."""
    return isinstance(value, GeneratorCall) or isinstance(value, Iteration) and any(map(is_one, value.parts))


def leads(value: Iteration) -> bool:
    """Whether a generator comes first among the iterables: it is asked before the others whether there is an item."""
    return [k for k, part in enumerate(iterations.columns_of(value)) if is_one(part)] == [0]


def require_end(frame: Frame, value: GeneratorCall, node: gast.AST) -> None:
    """Refuse to make a list of a generator that may not end, where Python would stop asking for items."""
    tree = value.function.source.tree
    tests = [n.test for n in own_nodes(tree) if isinstance(n, gast.While)]
    if any(isinstance(test, gast.Constant) and test.value for test in tests):
        message = f"`{tree.name}` has no end of its own, and is not the first that is asked for an item"
        frame.fault("U004", message, node, "gone over here", ("let it take the number of items that are wanted",))


# --- loops -----------------------------------------------------------------------------------------------------------


def for_loop(frame: Frame, node: gast.For, value: GeneratorCall) -> None:
    """`for target in generator(...)`: the function's statements, with the loop's body at each `yield`."""
    call: Called = value.function
    given = dict(value.args)
    if call.source.file != frame.source.file:
        if frame.is_library:
            return loops.for_items(frame, node, listed(frame, value, node))
        frame.fault("U004", "a loop over a generator function of another file is not in the language", node.iter,
                    "looped over here", HELP)  # fmt: skip
    ends, body = loops.stop_flag(node)
    stopped = _fresh(call.tree, "stopped")
    core = _with_turns(call.tree, node, stopped if ends is not None else None)
    own = set(given) | core_liveness.assigned(core.body) | {stopped}
    names = _renaming(frame, core, own, is_around=call.outer is frame)
    statements = [_renamed(s, names) for s in core.body if not isinstance(s, gast.Return)]
    statements = _filled(statements, node, ends, body, names[stopped])
    made = frozenset(names[n] for n in made_names(core) if n in names)
    _bind(frame, call, {**given, stopped: Static(False)}, names, own)
    kept = frame.live_after, frame.made_names, frame.local_names, frame.pinned
    frame.pinned |= {_require_end(frame, call, node.iter)}
    frame.made_names, frame.local_names = frame.made_names | made, frame.local_names | set(names.values())
    frame.live_after = {**frame.live_after, **_liveness(frame, statements, node)}
    execute.execute(frame, statements)
    frame.live_after, frame.made_names, frame.local_names, frame.pinned = kept
    for one in names.values():
        frame.variables.pop(one, None)
        frame.variables.pop(evaluate.is_set(one), None)
    frame.at(node)


def _require_end(frame: Frame, call: Called, node: gast.AST) -> str:
    """A mark for a function that is inlined; refuses a recursive one whose end is not known now."""
    mark = f"generator {call.source.name} "
    depth = sum(known.startswith(mark) for known in frame.pinned)
    if depth == MOST_INSIDE_ITSELF:
        frame.fault("U004", f"`{call.source.name}` goes over itself more than {depth} times deep", node,
                    "looped over here", ("fill a list and return it",))  # fmt: skip
    return f"{mark}{depth}"


def _with_turns(tree: gast.FunctionDef, node: gast.For, stopped: str | None) -> gast.FunctionDef:
    """The core of the function, with an assignment to the loop's target and a slot for its body at each `yield`.

    After the slot it ends if the variable `stopped` says so.
    """

    def turn(value: gast.expr) -> list[gast.stmt]:
        taken = gast.Assign([target(ITEM)], value, None)
        leave = [gast.If(name(stopped), [gast.Return(None)], [])] if stopped is not None else []
        return [taken, Turn(), *leave]

    body = _replaced(tree.body, _fresh(tree, "each"), turn, lambda: gast.Return(None))
    return desugar(located(rebuild(copy.copy(tree), body=copy.deepcopy(body)), node))


def _renaming(frame: Frame, core: gast.FunctionDef, own: set[str], is_around: bool) -> dict[str, str]:
    """Names unused in the frame of the loop, for the variables that the function binds and those it captures.

    `is_around` says that it captures them from the frame of the loop.
    """
    taken = set(frame.variables) | set(frame.local_names)
    names: dict[str, str] = {}
    mentioned = [n.id for n in nodes_of(core) if isinstance(n, gast.Name)]
    for original in dict.fromkeys([*sorted(own), *mentioned]):
        if original != ITEM and (original in own or not is_around):
            names[original] = Names(taken | set(names.values())).fresh(original)
    return names


def _renamed(statement: gast.stmt, names: dict[str, str]) -> gast.stmt:
    for part in gast.walk(statement):
        if isinstance(part, gast.Name) and part.id in names:
            part.id = names[part.id]
        elif isinstance(part, gast.FunctionDef) and part.name in names:
            part.name = names[part.name]
    return statement


def _filled(
    statements: list[gast.stmt], node: gast.For, ends: gast.expr | None, body: list[gast.stmt], stopped: str
) -> list[gast.stmt]:
    """Put the body of the loop into every slot, each time as a copy of its trees."""
    found: list[gast.stmt] = []
    for statement in statements:
        if isinstance(statement, Turn):
            found += copy.deepcopy(body)
            if ends is not None:
                found.append(located(gast.Assign([target(stopped)], copy.deepcopy(ends), None), node))
            continue
        for field in ("body", "orelse", "finalbody"):
            block = getattr(statement, field, None)
            if isinstance(block, list) and block and not isinstance(statement, gast.FunctionDef):
                setattr(statement, field, _filled(block, node, ends, body, stopped))
        if isinstance(statement, gast.Try):
            for handler in statement.handlers:
                handler.body = _filled(handler.body, node, ends, body, stopped)
        if isinstance(statement, gast.Assign) and getattr(statement.targets[0], "id", "") == ITEM:
            statement.targets = [copy.deepcopy(node.target)]
        found.append(statement)
    return found


def _bind(frame: Frame, call: Called, given: dict[str, Value], names: dict[str, str], own: set[str]) -> None:
    """Bind the arguments, and the variables that the function captures, under their names here."""
    inner = Frame(frame.task, frame.builder, call.source, call.namespace, outer=call.outer, caller=frame,
                  call_span=frame.here(), is_library=frame.is_library)  # fmt: skip
    for original, fresh in names.items():
        if original in given:
            frame.variables[fresh] = given[original]
        elif original not in own:
            frame.variables[fresh] = evaluate.read_name(inner, original, inner.source.tree)


def _liveness(frame: Frame, statements: list[gast.stmt], node: gast.For) -> dict[int, frozenset[str]]:
    """What may be read after each of the statements; after the last one, what may be read after the loop."""
    behind = frame.live_after.get(id(node))
    after = frozenset(frame.variables) | frame.local_names if behind is None else behind
    last = gast.Expr(gast.Tuple([name(n) for n in sorted(after)], gast.Load()))
    no_arguments = gast.arguments([], [], None, [], [], None, [])
    whole = gast.FunctionDef("loop", no_arguments, [*statements, last], [], None, None, [])
    return core_liveness.live_after(whole)


# --- beside other iterables ------------------------------------------------------------------------------------------


def of_items(frame: Frame, node: gast.For, value: Value) -> None:
    """A loop over what a generator yields, or over what is made of that item by item."""
    if isinstance(value, GeneratorCall):
        for_loop(frame, node, value)
    else:
        beside_others(frame, node, protocol.held_as(frame, value, Iteration))


def beside_others(frame: Frame, node: gast.For, value: Iteration) -> None:
    """A loop over `enumerate`, `zip` or `map` of a generator, as one over the generator with a counter."""
    leader, *others = iterations.columns_of(value)
    if not leads(value) or any(isinstance(part, Iteration) for part in others):
        message = f"in a loop over `{value.kind}`, only the first may be a generator, and the others must be sequences"
        frame.fault("U004", message, node.iter, "looped over here", HELP)
    ends, body = loops.stop_flag(node)
    item = branches.hidden(frame, "item")
    at = branches.hidden(frame, "place", value.start if isinstance(value, Enumerate) else Static(0))
    own = [item, at]
    taken: list[gast.expr] = [name(item)]
    ended: list[gast.expr] = []
    for other in others:
        column = branches.hidden(frame, "column", other)
        length = branches.hidden(frame, "length", protocol.length(frame, other, node))
        own += column, length
        taken.append(gast.Subscript(name(column), name(at), gast.Load()))
        ended.append(gast.Compare(name(at), [gast.GtE()], [name(length)]))
    made: gast.expr = gast.Tuple([name(at), *taken] if isinstance(value, Enumerate) else taken, gast.Load())
    if isinstance(value, Map):
        own.append(branches.hidden(frame, "function", value.parts[0]))
        made = gast.Call(name(own[-1]), taken, [])
    turn = [gast.Assign([node.target], made, None), gast.AugAssign(target(at), gast.Add(), constant(1)), *body]
    done = [] if ends is None else [ends]
    if ended:  # one of the others has ended before the generator
        own.append(flag := branches.hidden(frame, "ended"))
        turn = [gast.Assign([target(flag)], _any(ended), None), gast.If(name(flag), [gast.Pass()], turn)]
        done.append(name(flag))
    closing = [gast.If(_any(done), [gast.Break()], [])] if done else []
    loop = located(gast.For(target(item), node.iter, [*turn, *closing], [], None), node)
    if id(node) in frame.live_after:
        frame.live_after = {**frame.live_after, id(loop): frame.live_after[id(node)]}
    of_items(frame, loop, leader)
    for one in own:
        frame.variables.pop(one, None)


def _any(tests: list[gast.expr]) -> gast.expr:
    return gast.BoolOp(gast.Or(), tests) if len(tests) > 1 else tests[0]


@protocol.length.of(GeneratorCall)
def _(frame: Frame, value: GeneratorCall, node: gast.AST) -> Value:
    frame.fault("U004", "how many items a generator gives is not known before it ends", node, "gone over here", HELP)
