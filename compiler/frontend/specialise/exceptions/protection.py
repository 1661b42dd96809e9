"""Statements inside a `try`: what may raise a caught exception is tested first, and branches off where it would.

    try:                                     if x == 0.0:
        y = 1.0 / x                              fault = 1
        z = y + 1.0                   ->     else:
    except ZeroDivisionError: ...                y = 1.0 / x
                                                 z = y + 1.0; fault = 0

The builder asks before it appends a statement.  Where one may raise what is caught, the rest of the block goes into the
branch where it does not: a `Nest`, which is closed where the block ends.  A number says on every path which exception
it was; it is kept in the heap, so that loops, branches and calls merge it as they merge what objects hold.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import gast

from .... import syntax
from ..frame import Frame, Stopped
from ..interpreter import branches
from ..limits import is_limit
from ..values import NONE, Caught, Leaf, Sequence, Static, Value
from . import failing
from .fault_sites import RUNNING, SLOTS, Block, Nest, Site, Try, class_named

if TYPE_CHECKING:
    pass

class Protection:
    """What is being tried in one function under construction."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.tries: list[Try] = []
        self.blocks: list[Block] = []
        self.sites: list[Site] = []
        self.handled: list[Caught] = []
        self.suspended = 0
        self.fault = frame.new(RUNNING, "fault").number
        self.kept = frame.new(Sequence((NONE,) * len(SLOTS)), "kept").number

    # --- what happens to a statement

    def takes(self, statement: gast.stmt) -> bool:
        """Whether a statement has been handled; else it is to be appended now, and raises nothing that is caught."""
        if self.suspended or not self.tries:
            return False
        match statement:
            case gast.Raise():
                cls = self._class_of(statement)
                if self.catches(cls) and not is_limit(statement):
                    self._set(self.site(cls, statement), statement)
                    raise Stopped
                return False
            case gast.If(test=test, body=[*before, gast.Raise() as error], orelse=[]):
                cls = self._class_of(error)
                if not self.catches(cls) or is_limit(error):
                    return False
                self.open(test, self.site(cls, error), before, error)
                return True
            case gast.If() | gast.For() | gast.While():
                return False
        with self.emitting():
            try:
                for case in failing.cases_of(self.frame.builder, statement, self.wants):
                    self._open_case(case)
            except failing.Untold:
                self._refuse("a recursive function")
        return False

    def _refuse(self, what: str) -> None:
        frame = self.blocks[-1].frame
        message = f"in a `try`, {what} may raise what is caught, and it is not known when"
        frame.fault("U001", message, None, "called here",
                    ("do it before the `try`, or catch a class that it does not raise",))  # fmt: skip

    def wants(self, exception: str) -> bool:
        return self.catches(class_named(exception, self.frame))

    def catches(self, cls: type[BaseException]) -> bool:
        return any(issubclass(cls, tried.classes) for tried in self.tries)

    def _class_of(self, statement: gast.Raise) -> type[BaseException]:
        return class_named(statement.exc.func.id, self.frame)

    def _open_case(self, case: failing.Case) -> None:
        if isinstance(case.test, gast.Constant) and not case.test.value:
            return
        error = None if case.words is None else syntax.raise_(case.exception, case.words, *case.values)
        self.open(case.test, self.site(class_named(case.exception, self.frame), error), (), error)

    # --- sites

    @property
    def keeps(self) -> bool:
        return any(tried.keeps for tried in self.tries)

    def site(self, cls: type[BaseException], error: gast.Raise | None) -> Static:
        """The number of an exception; those of one class share one unless a handler asks for more."""
        if not self.keeps:
            found = Site(cls, None)
        elif error is None:
            found = Site(cls, None, (len(self.sites),))
        else:
            message, slots = error.exc.args[0].value, self._slots(error.exc.args[1:])
            found = Site(cls, None if slots is None else message, slots or ())
        if found not in self.sites:
            self.sites.append(found)
        code = self.sites.index(found) + 1
        for tried in self.tries:
            tried.codes.add(code)
        return Static(code)

    def _slots(self, values: list[gast.expr]) -> tuple[int, ...] | None:
        """The slots that keep the numbers of a message; None where there are not enough."""
        free = list(range(len(SLOTS)))
        found = []
        for value in values:
            type_ = self.frame.builder.type_of(value)
            slot = next((k for k in free if SLOTS[k] == str(type_)), None)
            if slot is None:
                return None
            free.remove(slot)
            found.append(slot)
        return tuple(found)

    def _set(self, code: Static, error: gast.Raise | None = None) -> None:
        """Record with which exception control leaves here."""
        contents = self.frame.heap.contents
        contents[self.fault] = code
        self._keep(contents, code, error)

    def _keep(self, contents: dict[int, Value], code: Static, error: gast.Raise | None) -> None:
        site = self.sites[code.value - 1]
        if error is None or site.message is None:
            return
        values = error.exc.args[1:]
        held: Any = contents[self.kept]
        items = list(held.items)
        for slot, value in zip(site.slots, values):
            items[slot] = Leaf(value.id) if isinstance(value, gast.Name) else Static(value.value)
        contents[self.kept] = Sequence(tuple(items))

    # --- nests

    def open(self, test: gast.expr, code: Static | None, before: Any = (), error: gast.Raise | None = None) -> None:
        """Continue where the test does not hold; where it does, control leaves with this exception, or as it is."""
        block, builder = self.blocks[-1], self.frame.builder
        contents = dict(self.frame.heap.contents)
        if code is not None:
            contents[self.fault] = code
            self._keep(contents, code, error)
        side = branches.Side(dict(block.frame.variables), contents, list(before))
        block.nests.append(Nest(builder.body, test, side))
        builder.body = []
        self.frame.heap.contents[self.fault] = RUNNING

    def outer_bodies(self) -> list[list[gast.stmt]]:
        """The statement lists that were left at a test, from outside in."""
        return [nest.outer for block in self.blocks for nest in block.nests]

    def go_on(self, node: gast.AST) -> None:
        """After a branch or a loop: what follows runs only where nothing was raised inside."""
        held = self.frame.heap.contents.get(self.fault, RUNNING)
        if isinstance(held, Leaf):
            with self.emitting():
                test = self.frame.builder.call("not_equal", held.name, 0)
            self.open(test, None)
        elif held != RUNNING:
            raise Stopped

    @property
    def has_left(self) -> bool:
        """Whether control left here with an exception that is caught."""
        return self.frame.heap.contents.get(self.fault, RUNNING) != RUNNING

    def close(self, block: Block, reached: bool, live: frozenset[str] | None, node: gast.AST, down_to: int = 0) -> bool:
        """End the nests of a block, from inside out; whether control reaches the end of the block on some path."""
        frame = block.frame
        while len(block.nests) > down_to:
            nest = block.nests.pop()
            inner = branches.Side(frame.variables if reached else None, frame.heap.contents, self.frame.builder.body)
            self.frame.builder.body = nest.outer
            paths = branches.Walk(nest.side, None, False), branches.Walk(inner, None, False)
            with self.emitting():
                branches.meet(frame, nest.test, *paths, live, node)
            reached = True
        return reached

    @contextlib.contextmanager
    def block(self, frame: Frame) -> Iterator[Block]:
        made = Block(frame)
        self.blocks.append(made)
        try:
            yield made
        finally:
            self.blocks.pop()

    @contextlib.contextmanager
    def emitting(self) -> Iterator[None]:
        """What is emitted inside is the compiler's own and raises nothing."""
        self.suspended += 1
        try:
            yield
        finally:
            self.suspended -= 1
