"""Instances that are told apart only at run time: positions in columns, one column for each attribute of their class.

    p = Particle(x, v)                       append(particle_x, x); append(particle_v, v); p = length(particle_x) - 1
    ps.append(p); qs.append(p)        ->     append(ps, p); append(qs, p)
    for p in ps: p.x += p.v                  for i in range(length(ps)): p = ps[i]; particle_x[p] = particle_x[p] + ...
    p is q                                   p == q

A list that grows has its items taken apart, which is the fastest as long as no object is in two places.  A program that
is refused for sharing objects is walked through again with the classes of what it put into lists kept in pools.  There
a name, a list or an attribute holds a position, so that who shares an object sees its changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

import gast

from .... import syntax
from ....diagnostics import CompileError
from .. import protocol
from ..built import Learned
from ..frame import Anew, Frame
from ..functions.environments import Passed
from ..interpreter import branches, constant_tables, subscript
from ..kinds import container_methods, forms, library_classes, tables
from ..kinds.record_classes import can_change
from ..values import Conflict, Handle, Record, Ref, Table, Value, parts
from . import items_read, sites
from .object_changes import is_unheld

LENT = "pools are lent"
OF_SHARING = ("R001", "R003", "T002", "U018")  # the faults that a program may have for lack of a pool


def note_item(frame: Frame, held: Value) -> None:
    """Note that an instance is put into a list that grows."""
    if isinstance(held, Record) and _may_be_shared(held.cls):
        frame.task.learned.shareable[held.cls] = True


def note_made(frame: Frame, cls: type) -> None:
    """Note it is known only at run time how many instances of a class there are."""
    if (frame.builder.loops or frame.heap.lent) and _may_be_shared(cls):
        frame.task.learned.shareable.setdefault(cls, False)


def _may_be_shared(cls: type) -> bool:
    return can_change(cls) and library_classes.stands_for(cls) is None


def may_pool(learned: Learned, refused: CompileError) -> bool:
    """Whether to start again with pools: for the classes of what was put into lists, then of what a loop makes.

    Long lists are not unrolled then, until that is refused as well.  What was learned of containers of those instances,
    which hold positions from now on, is learned anew.
    """
    others = {cls: is_in_list for cls, is_in_list in learned.shareable.items() if cls not in learned.pools}
    new = [cls for cls, is_in_list in others.items() if is_in_list] or list(others)
    if not new or refused.diagnostics[0].code not in OF_SHARING:
        return False
    learned.pools.update(dict.fromkeys(new, ()))
    learned.forms.pop(constant_tables.UNROLLED, None)
    for site in [site for site, columns in learned.forms.items() if any(_holds(form, new) for form in columns)]:
        del learned.forms[site]
    return True


def _holds(form: Value, classes: list[type]) -> bool:
    """Whether a form has instances of one of the classes in it, taken apart."""
    is_one = isinstance(form, Record) and form.cls in classes
    return is_one or any(_holds(part, classes) for _, part in parts(form))


def refused_as_well(first: CompileError, last: CompileError) -> CompileError:
    """What a program is refused for, and after it what it is refused for with pools: to mend one of them may do."""
    told = {(fault.code, fault.span) for fault in first.diagnostics}
    others = [fault for fault in last.diagnostics if (fault.code, fault.span) not in told]
    return type(first)((*first.diagnostics, *others), first.source_text)


def make(frame: Frame, node: gast.AST) -> None:
    """Make the columns of the pools whose attributes are known by now."""
    for cls, names in frame.task.learned.pools.items():
        frame.heap.pools[cls] = columns = {}
        for place, (name, form) in enumerate(zip(names, frame.task.learned.forms.get(site_of(cls), ()))):
            wish = f"{word(cls)}_{name}"
            columns[name] = frame.new(tables.new(frame, form, node, wish), wish)
            frame.heap.sites[columns[name].number] = site_of(cls), place


def is_pooled(value: Value) -> TypeGuard[Handle]:
    """Whether a value is an instance that is kept in a pool."""
    return isinstance(value, Handle)


def site_of(cls: type) -> sites.Site:
    return "pool", cls


def word(cls: type) -> str:
    """A name for objects of a class: most programs call the variable so."""
    return cls.__name__.lower() if cls.__name__.isidentifier() else "made"


def put(frame: Frame, made: Ref, node: gast.AST) -> Value:
    """Put an instance that was just made into the pool of its class."""
    record = frame.held(made)
    assert isinstance(record, Record)
    if not is_unheld(frame, made):
        message = f"`__init__` of `{record.cls.__name__}` hands out the object that it makes"
        frame.fault("R003", message, node, "made here", ("hand it out after it is made",))
    columns = _columns(frame, record, node)
    number = _count(frame, columns, node)
    for name, value in record.items:
        container_methods.append(frame, columns[name], node, value)
    return Handle(number, record.cls)


def _columns(frame: Frame, record: Record, node: gast.AST) -> dict[str, Ref]:
    """The columns for the attributes of an instance; starts again where they were not known."""
    learned, names = frame.task.learned, tuple(name for name, _ in record.items)
    if site_of(record.cls) not in learned.forms:
        found = [forms.with_room(frame, forms.form_of(frame, value)) for _, value in record.items]
        for form in found:
            if isinstance(form, Conflict):
                frame.fault("T002", f"{form.left} cannot take an item of {form.right}", node, "made here")
        learned.pools[record.cls], learned.forms[site_of(record.cls)] = names, tuple(found)
        raise Anew
    if learned.pools[record.cls] != names:
        message = f"`{record.cls.__name__}` has other attributes here than elsewhere"
        frame.fault("T002", message, node, "made here", ("assign the same attributes in `__init__` on all paths",))
    return columns_of(frame, record.cls)


def _count(frame: Frame, columns: Mapping[str, Ref], node: gast.AST) -> Value:
    """How many instances were made so far."""
    for column in columns.values():
        if forms.lists_of(frame.held(column)):
            return protocol.length(frame, column, node)
    message = "instances without attributes cannot be told apart where their number is only known at run time"
    frame.fault("U018", message, node, "made here")


# --- functions compiled on their own ---------------------------------------------------------------------------------


class LentColumn(Passed):
    """The key of a column that is lent to a function; its parameter is named after the column."""

    of: tuple[type, str]


def lent(frame: Frame) -> dict[str, Value]:
    """The columns that functions are lent, where one of them was found to need them."""
    return {_key(cls, name): column for cls, columns in frame.heap.pools.items() for name, column in columns.items()
            if LENT in frame.task.learned.forms}  # fmt: skip


def _key(cls: type, name: str) -> LentColumn:
    key = LentColumn(f"{name} of {cls.__module__}.{cls.__qualname__}")
    key.name, key.of = f"{word(cls)}_{name}", (cls, name)
    return key


def enter(inner: Frame) -> None:
    """Let a function have the columns that it was lent."""
    for key in [key for key in inner.variables if isinstance(key, LentColumn)]:
        column: Any = inner.variables.pop(key)
        held: Any = inner.held(column)
        cls, name = key.of
        inner.heap.pools.setdefault(cls, {})[name] = column
        if not forms.lists_of(held):
            inner.heap.contents[column.number] = Table(held.item)  # there is no array that could have crossed the call


# --- attributes ------------------------------------------------------------------------------------------------------


def columns_of(frame: Frame, cls: type) -> dict[str, Ref]:
    """The columns of a class; starts again where a function that is compiled on its own was not lent them."""
    if cls not in frame.heap.pools:
        if LENT in frame.task.learned.forms:
            message = f"this function cannot take a `{cls.__name__}` that others share"
            frame.fault("U018", message, frame.node or frame.source.tree, "used here")
        frame.task.learned.forms[LENT] = ()
        raise Anew
    return frame.heap.pools[cls]


def record(frame: Frame, handle: Handle) -> Record:
    """The class of an instance, and its attributes with their columns."""
    return Record(handle.cls, tuple(columns_of(frame, handle.cls).items()))


def attribute(frame: Frame, handle: Handle, name: str, node: gast.AST) -> Value:
    """`p.name`."""
    column = columns_of(frame, handle.cls)[name]
    if forms.grows(frame, frame.held(column)):
        return items_read.item(frame, column, frame.atom(handle.number, node), node, name)
    return protocol.item(frame, column, handle.number, node)  # it was lent, as arrays


def as_read(frame: Frame, handle: Handle, node: gast.AST) -> Record:
    """What an instance holds at present."""
    return Record(handle.cls, tuple((n, attribute(frame, handle, n, node)) for n in columns_of(frame, handle.cls)))


def assign(frame: Frame, handle: Handle, name: str, value: Value, node: gast.AST) -> None:
    """`p.name = value`."""
    place = branches.hidden(frame, "place", handle.number)
    subscript.store(frame, columns_of(frame, handle.cls)[name], syntax.name(place), value, node)
