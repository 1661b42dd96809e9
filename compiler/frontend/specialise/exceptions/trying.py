"""`try`: the block, the handler of what it raised, `else`, `finally`; and `raise` of what is being handled.

    try: y = 1.0 / x                                 if x == 0.0: y = 0.0
    except ZeroDivisionError: y = 0.0        ->      else: y = 1.0 / x

A block that may raise at one or two locations has its handler there, in the branch that raises.  If it may raise at
more, the paths are merged first, and a number says which exception it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gast

from .... import syntax
from ....analysis.failure import Failures
from ....messages import message_arguments
from .. import protocol
from ..frame import Frame, Stopped
from ..interpreter import branches, evaluate, execute
from ..library.static_python import stop
from ..values import UNDEFINED, Caught, Leaf, Optional, Static, Undefined, Value
from ..values import Sequence as SequenceValue
from . import protection
from .fault_sites import RUNNING, Block, Site, Try

HANDLED_IN_PLACE = 2  # blocks that may raise at more locations have one copy of their handlers


def try_statement(frame: Frame, node: gast.Try) -> None:
    builder = frame.builder
    outer, builder.may_unify = builder.protection, False
    made = builder.protection = outer or protection.Protection(frame)
    try:
        Trying(frame, made, node).run()
    finally:
        builder.protection = outer
        if outer is None:
            for number in (made.fault, made.kept):
                frame.heap.contents.pop(number, None)
    if outer is not None and outer.tries:
        outer.go_on(node)
    elif outer is not None:
        frame.heap.contents[outer.fault] = RUNNING  # no surrounding `try` catches anything more


class Trying:
    """One `try` statement: what its handlers catch, and its parts as paths."""

    def __init__(self, frame: Frame, protection: protection.Protection, node: gast.Try) -> None:
        self.frame, self.protection, self.node = frame, protection, node
        self.handlers = [(_classes(frame, handler), handler) for handler in node.handlers]
        self.keeps = any(_asks_for_more(handler) for handler in node.handlers)
        self.live = frame.live_after.get(id(node.body))
        self.after = frame.live_after.get(id(node.handlers))

    def run(self) -> None:
        reached = self._guarded()
        if self.node.finalbody:
            self._finally(reached)
        if not reached:
            raise Stopped

    def _guarded(self) -> bool:
        """The block and what follows it; whether control passes them, if only to leave an outer `try`."""
        frame, protection = self.frame, self.protection
        with protection.block(frame) as block:
            caught = tuple(cls for classes, _ in self.handlers for cls in classes)
            self.tried = Try(caught, self.keeps)
            protection.tries.append(self.tried)
            try:
                reached = self._reaches(lambda: execute.execute(frame, self.node.body))
            finally:
                protection.tries.pop()
            if len(block.nests) <= HANDLED_IN_PLACE:
                return self._in_place(block, reached)
            set_here = {n: v for n, v in frame.variables.items() if reached and not protection.has_left}
            reached = protection.close(block, reached, self.live, self.node)
            return self._reaches(lambda: self._dispatch(set_here), block) if reached else False

    def _reaches(self, run: Callable[[], None], block: Block | None = None) -> bool:
        """Whether control reaches the end, or leaves with an exception that is caught."""
        try:
            run()
        except Stopped:
            reached = self.protection.has_left
        else:
            reached = True
        if block is not None:
            reached = self.protection.close(block, reached, self.after, self.node)
        return reached

    def _in_place(self, block: Block, reached: bool) -> bool:
        protection, count = self.protection, len(block.nests)
        if reached:
            reached = self._reaches(lambda: self._dispatch({}))
        while count:
            reached = protection.close(block, reached, self.after, self.node, down_to=count)
            nest = block.nests[-1]
            nest.side = self._handled(nest.side)
            if nest.side.variables is None and not reached:
                self._close_ended(block)
            else:
                reached = protection.close(block, reached, self.after, self.node, down_to=count - 1)
            count -= 1
        return protection.close(block, reached, self.after, self.node)

    def _close_ended(self, block: Block) -> None:
        """Close the last nest of a block, where neither of its paths reaches its end."""
        nest, builder = block.nests.pop(), self.frame.builder
        made = syntax.if_(nest.test, nest.side.body, builder.body)
        builder.body = nest.outer
        builder.put(made)

    def _handled(self, side: branches.Side) -> branches.Side:
        """A path on which something was raised, with its handler."""
        frame, builder = self.frame, self.frame.builder
        kept = frame.variables, frame.heap.contents, builder.body
        frame.variables, frame.heap.contents, builder.body = dict(side.variables or {}), side.contents, side.body
        with self.protection.block(frame) as block:
            reached = self._reaches(lambda: self._dispatch(None), block)
        made = branches.Side(frame.variables if reached else None, frame.heap.contents, builder.body)
        frame.variables, frame.heap.contents, builder.body = kept
        return made

    # --- how control continues

    def _dispatch(self, set_here: dict[str, Value] | None) -> None:
        """Run the handler of what was raised, or `else`; the number of an exception that nobody here catches stays.

        `set_here` has the variables where nothing was raised; None where something was.
        """
        held = self.frame.heap.contents[self.protection.fault]
        if isinstance(held, Static):
            if held == RUNNING:
                execute.execute(self.frame, self.node.orelse)
            elif (handler := self._handler_of(self.protection.sites[held.value - 1])) is not None:
                self._handle(handler, (held.value,), held)
            else:
                raise Stopped
            return
        assert isinstance(held, Leaf)
        ways: list[tuple[tuple[int, ...], Callable[[], None]]] = []
        if set_here is not None:
            ways.append(((0,), lambda: self._otherwise(set_here)))
        for _, handler in self.handlers:
            sites = [(k, self.protection.sites[k - 1]) for k in sorted(self.tried.codes)]
            codes = tuple(k for k, site in sites if self._handler_of(site) is handler)
            for group in ((k,) for k in codes) if _reads_exception(handler) else (codes,) if codes else ():
                ways.append((group, lambda h=handler, g=group: self._handle(h, g, held)))  # type: ignore[misc]
        self._choose(held, ways)

    def _choose(self, held: Leaf, ways: Sequence[tuple[tuple[int, ...], Callable[[], None]]]) -> None:
        frame = self.frame
        if not ways:
            raise Stopped  # no handler here caught it: its number stays
        codes, run = ways[0]
        with self.protection.emitting():
            test = frame.builder.call("equal", held.name, codes[0])
            for code in codes[1:]:
                test = frame.builder.call("logical_or", test, frame.builder.call("equal", held.name, code))
        first = branches.walk(frame, run, self.after)
        second = branches.walk(frame, lambda: self._choose(held, ways[1:]), self.after)
        branches.meet(frame, test, first, second, self.after, self.node)
        self.protection.go_on(self.node)

    def _otherwise(self, set_here: dict[str, Value]) -> None:
        """Nothing was raised: the variables that the block assigned have values."""
        frame = self.frame
        frame.heap.contents[self.protection.fault] = RUNNING
        for name, value in set_here.items():
            flag = evaluate.is_set(name)
            if flag in frame.variables and not isinstance(value, Undefined):
                frame.variables[flag] = set_here.get(flag, Static(True))
        execute.execute(frame, self.node.orelse)

    def _handler_of(self, site: Site) -> gast.ExceptHandler | None:
        return next((h for classes, h in self.handlers if issubclass(site.cls, classes)), None)

    def _handle(self, handler: gast.ExceptHandler, codes: tuple[int, ...], held: Value) -> None:
        frame, protection = self.frame, self.protection
        frame.heap.contents[protection.fault] = RUNNING
        caught = Caught(held, tuple((k, protection.sites[k - 1]) for k in codes))
        protection.handled.append(caught)
        name = name_of(handler)
        try:
            self._name(name, caught)
            execute.execute(frame, handler.body)
        finally:
            protection.handled.pop()
        self._name(name, UNDEFINED)

    def _name(self, name: str, value: Value) -> None:
        """Bind the variable of a handler; Python deletes it at the end of the handler."""
        if name:
            self.frame.variables[name] = value
            self.frame.variables.pop(evaluate.is_set(name), None)

    def _finally(self, reached: bool) -> None:
        """Run `finally` on the path where control reaches it and continues, or leaves for an outer `try`."""
        frame, protection = self.frame, self.protection
        if not reached:
            return
        held = frame.heap.contents[protection.fault]
        frame.heap.contents[protection.fault] = RUNNING
        with protection.block(frame) as block:
            before = len(frame.builder.body)
            execute.execute(frame, self.node.finalbody)
            fails = block.nests or any(_can_fail(frame, s) for s in frame.builder.body[before:])
        if fails:
            frame.fault("U001", "what stands in `finally` may raise an exception of its own", self.node.finalbody[0],
                        "this block", ("put it after the `try` statement",))  # fmt: skip
        frame.heap.contents[protection.fault] = held
        if held != RUNNING and isinstance(held, Static):
            raise Stopped


def _can_fail(frame: Frame, statement: gast.stmt) -> bool:
    return Failures(frame.builder.types).statement_can_fail(statement)


def _classes(frame: Frame, handler: gast.ExceptHandler) -> tuple[type[BaseException], ...]:
    if handler.type is None:
        return (BaseException,)
    found = evaluate.static(frame, handler.type, "the exception")
    classes = found if isinstance(found, tuple) else (found,)
    if not all(isinstance(cls, type) and issubclass(cls, BaseException) for cls in classes):
        frame.fault("T001", "`except` takes classes of exceptions", handler.type, "caught here")
    return classes


def name_of(handler: gast.ExceptHandler) -> str:
    """The variable that a handler binds to the exception; empty if there is none."""
    return getattr(handler.name, "id", "")


def _asks_for_more(handler: gast.ExceptHandler) -> bool:
    """Whether a handler asks for more than the class of what was raised."""
    inside = [n for s in handler.body for n in syntax.nodes_of(s)]
    return handler.name is not None or any(isinstance(n, gast.Raise) and n.exc is None for n in inside)


def _reads_exception(handler: gast.ExceptHandler) -> bool:
    """Whether a handler reads the exception other than to raise it again."""
    nodes = [n for s in handler.body for n in syntax.nodes_of(s)]
    raised = {id(part) for n in nodes if isinstance(n, gast.Raise) for part in (n.exc, n.cause)}
    return any(isinstance(n, gast.Name) and n.id == name_of(handler) and id(n) not in raised for n in nodes)


# --- `raise` of what is being handled ------------------------------------------------------------------------------


def raise_again(frame: Frame, caught: Caught | None, node: gast.AST) -> None:
    """`raise`, `raise e`."""
    if caught is None:
        stop(frame, "RuntimeError", "No active exception to reraise", node)
    *others, (_, last) = caught.sites
    for code, site in others:
        with frame.emitting():
            test = frame.builder.call("equal", frame.atom(caught.code, node), code)
        frame.builder.append(syntax.if_(test, [_error(frame, site, node)]))
    frame.builder.append(_error(frame, last, node))
    raise Stopped


def _error(frame: Frame, site: Site, node: gast.AST) -> gast.Raise:
    if site.message is None:
        message = f"the message of this `{site.cls.__name__}` is only known where it is raised"
        frame.fault("U001", message, node, "raised again here",
                    ("raise an exception of your own: `raise ValueError(...) from None`",))  # fmt: skip
    atoms = [frame.atom(value, node) for value in values_of(frame, site)]
    return syntax.raise_own(site.cls, site.message, *atoms, span=frame.here(node))


def values_of(frame: Frame, site: Site) -> list[Value]:
    """The numbers in a message, as they were where it was raised."""
    held = frame.heap.contents[frame.builder.protection.kept]
    assert isinstance(held, SequenceValue)
    found = [held.items[slot] for slot in site.slots]
    return [v.inner if isinstance(v, Optional) else v for v in found]


@protocol.attribute.of(Caught)
def _(frame: Frame, caught: Caught, name: str, node: gast.AST, hint: str = "t") -> Value:
    if name != "args":
        return protocol.attribute.otherwise(frame, caught, name, node, hint)
    return SequenceValue(tuple(arguments_of(frame, caught, node)))


def arguments_of(frame: Frame, caught: Caught, node: gast.AST) -> list[Value]:
    """`e.args`, where its strings are known."""
    (_, site), *_ = caught.sites
    if site.message is None:
        _error(frame, site, node)
    values = iter(values_of(frame, site))
    found: list[Value] = []
    for argument in message_arguments(site.message):
        if argument is None:
            found.append(next(values))
        elif isinstance(argument, tuple):
            found.append(Static(argument[0]))
        elif argument.replace("{{", "").replace("}}", "").count("{"):
            message = "the message of this exception depends on values that are only known at run time"
            frame.fault("U008", message, node, "used here",
                        ("raise an exception of your own with the values",))  # fmt: skip
        else:
            found.append(Static(argument.replace("{{", "{").replace("}}", "}")))
    return found


def format_of(frame: Frame, caught: Caught, node: gast.AST) -> tuple[str, list[Value]] | None:
    """`str(e)` as a format and the numbers in it, for an exception whose only argument is a string."""
    (_, site), *_ = caught.sites
    is_plain = site.cls.__str__ is BaseException.__str__
    return (site.message, values_of(frame, site)) if is_plain and isinstance(site.message, str) else None


def text_of(frame: Frame, caught: Caught, node: gast.AST) -> str:
    """`str(e)`."""
    (_, site), *_ = caught.sites
    args = [protocol.known(frame, a, node, "the message of an exception") for a in arguments_of(frame, caught, node)]
    if site.cls.__str__ not in (BaseException.__str__, KeyError.__str__):
        frame.fault("U008", f"`{site.cls.__name__}` has a message of its own", node, "used here",
                    ("use its arguments: `e.args[0]`",))  # fmt: skip
    return str((KeyError if issubclass(site.cls, KeyError) else Exception)(*args))


@protocol.python_class.of(Caught)
def _(frame: Frame, value: Caught) -> type | None:
    """The class of the exception, where it is known which one was raised."""
    return value.sites[0][1].cls if len(value.sites) == 1 else None
