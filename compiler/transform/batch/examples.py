"""The steps from the program of one example to that of all: ask whether there is one, write it, put results together.

    Wanted(Batch(in_axes=(None, 0)), span, ...)    ->    batchable, batch    ->    the program of all examples
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NoReturn

from ... import syntax, types
from ...frontend.specialise.specialised import Specialised
from ...frontend.specialise.values import (
    Column,
    ListOut,
    OneOf,
    Optional,
    Out,
    Rows,
    String,
    Value,
    leaves,
    parts,
    with_parts,
)
from ...program import Program
from ..bound_axes import inside_axes
from . import batch as writing
from .axes import fault, map_axes, mapped_leaves
from .batch import Mapped, Ragged, Returned
from .crossing import Divergent, crosses, first_crossing


def batchable(made: Specialised, wanted: Any) -> Specialised:
    """Raise a BatchError where there is nothing to map over, or no meaning to it."""
    if made.mutated:
        fault(wanted.where, "a function that changes its arguments has no form for all examples at once",
              "return the new arrays instead", code="B003")  # fmt: skip
    if not mapped_leaves(made, wanted) and wanted.transform.axis_size is None:
        fault(wanted.where, "no argument has an axis to map over", "say axis_size=, or an axis in in_axes")
    return made


def batch(made: Specialised, wanted: Any) -> Specialised:
    """The program of all examples, whose results have the examples where `out_axes` says."""
    mapped = [
        Mapped(name, type_, axis) for name, (type_, axis) in mapped_leaves(made, wanted).items()
    ]
    extent = common_length(mapped, wanted)
    main = made.program.main
    name = wanted.transform.axis_name
    require_in_sight(made.program, name, wanted.where)
    vary = writing.varying_results(made.program, mapped, name)
    returned, structure = _returned(made, wanted, vary)
    try:
        changed = writing.batch(made.program, mapped, extent, returned, wanted.where, name)
    except Ragged as found:
        line = f" (line {found.span.line})" if found.span is not None else ""
        fault(found.span or wanted.where, f"the examples come to arrays or lists of different lengths{line}, which "
              "do not stand in one array", "give them one length: cut them, or fill them up", code="B002")  # fmt: skip
    except Divergent as found:
        fault(found.span or wanted.where, f"`{found.name}` over the axis `{name}` takes the values of all examples, "
              f"and {found.reason}", "call it outside, and let `np.where` choose between the results",
              code="B003", label="called here")  # fmt: skip
    functions = {**made.program.functions, changed.name: changed}
    if not any(calls(f, main.name) for f in functions.values() if f is not main):
        del functions[main.name]
    program = Program(changed.name, functions)
    if name is not None:
        program = inside_axes(made.program, program, (name,))
    return replace(made, program=program, result=structure)


def require_in_sight(program: Program, axis_name: str | None, where: Any) -> None:
    """Raise a BatchError for a collective over the axis in a function that is called and not inlined."""
    for function in program.functions.values():
        found = [s for s in function.body if crosses(s, axis_name)] if function is not program.main else []
        if found:
            span, name = first_crossing(found[0], axis_name or "")
            fault(span or where, f"`{name}` over the axis `{axis_name}` takes the values of all examples, and stands "
                  f"in `{function.origin.name}`, which calls itself, has a rule for its derivative, or is a checkpoint",
                  "call it outside of that function, and pass the result",
                  code="B003", label="called here")  # fmt: skip


def calls(function: Any, name: str) -> bool:
    return any(syntax.operator_of(c) == name for s in function.body for c in syntax.calls_in(s))


def common_length(mapped: list[Mapped], wanted: Any) -> types.Extent | None:
    """The number of examples where it is known now; raises where it is not one."""
    known = {one.type.dims[one.axis]: one.name for one in mapped if isinstance(one.type.dims[one.axis], int)}
    size = wanted.transform.axis_size
    if size is not None and known and set(known) != {size}:
        number, name = next((n, name) for n, name in known.items() if n != size)
        fault(wanted.where, f"axis_size is {size}, and `{name}` has {number} examples")
    if len(known) > 1:
        (one, name), (other, second) = list(known.items())[:2]
        fault(wanted.where, f"`{name}` has {one} examples, and `{second}` has {other}")
    if 1 in known and (others := [one for one in mapped if not isinstance(one.type.dims[one.axis], int)]):
        fault(wanted.where, f"`{known[1]}` has 1 example, and `{others[0].name}` has another number of them")
    return size if size is not None else next(iter(known), None)


def _returned(made: Specialised, wanted: Any, vary: list[bool]) -> tuple[list[Returned], Value]:
    """What each result becomes, and the structure over the results."""
    found: list[Returned] = []
    where = wanted.where

    def place(leaf: Value, axis: Any, name: str) -> Value:
        if not isinstance(leaf, Out):
            return leaf
        if leaf.index in flags:
            axis = None
        if axis is None and vary[leaf.index]:
            refuse_varying(wanted, name)
        rank = types.rank(made.program.main.results[leaf.index]) + 1
        ahead = leaf.index in along_lists  # the axis of the list, which its items have not
        is_axis = isinstance(axis, int) and not isinstance(axis, bool)
        if axis is not None and not (is_axis and (ahead <= axis < rank or ahead - rank <= axis < 0)):
            said = axis - 1 if is_axis and ahead and axis >= 0 else axis
            fault(where, f"out_axes says {said!r} of {name}, which has {rank - ahead} axes with that of the examples")
        found.append(Returned(leaf.index, None if axis is None else axis % rank))
        return Out(len(found) - 1)

    result = as_rows(made.result)
    refuse_lists(result, vary, where)
    flags = {v.index for v in absences(result)}
    along_lists = {leaf.index for column in columns(result) for leaf in leaves(column) if isinstance(leaf, Out)}
    structure = map_axes(result, wanted.transform.out_axes, place, where, "the result", "out_axes")
    return found, as_arrays(structure)


def refuse_varying(wanted: Any, name: str) -> NoReturn:
    """Refuse a result that is said to be the same for all examples, or all devices, and may not be."""
    if not wanted.transform.is_of_devices:
        fault(wanted.where, f"out_axes says None of {name}, which depends on the example", "say which axis it gets")
    axis = wanted.transform.axis_name
    fault(wanted.where, f"out_specs leaves out the mesh axis {axis!r} for {name}, which may differ along it",
          f"name the axis in out_specs, or reduce over it: `lax.psum(x, {axis!r})`, `lax.pmean`, `lax.all_gather`",
          "say check_vma=False: what the first device gives counts", spoken="shard_map")  # fmt: skip


def as_rows(value: Value, is_item: bool = False) -> Value:
    """Lists of numbers that grow, as lists of arrays: their lengths have to be equal in all examples."""
    if isinstance(value, ListOut) and value.shapes is None:
        column = Column(value.data, value.is_weak)
        return column if is_item else Rows(column)
    inner = tuple(as_rows(part, is_item or isinstance(value, Rows)) for _, part in parts(value))
    return with_parts(value, inner) if inner else value


def refuse_lists(value: Value, vary: list[bool], where: Any) -> None:
    """Lists of arrays and absent values that differ between the examples have no place in one array."""
    inner = [part for _, part in parts(value)]
    varies = any(vary[leaf.index] for leaf in leaves(value) if isinstance(leaf, Out))
    if isinstance(value, ListOut) or isinstance(value, Rows) and varies and not _is_of_numbers(value):
        fault(where, "a list of arrays, of lists or of strings that grows is no result of many examples",
              "return an array: `np.array(...)`", code="B002")  # fmt: skip
    if isinstance(value, Optional) and isinstance(value.absent, Out) and vary[value.absent.index]:
        fault(where, "some examples return None and others a value", "return a number that stands for none",
              code="B002")  # fmt: skip
    if isinstance(value, OneOf) and any(isinstance(flag, Out) and vary[flag.index] for flag in value.flags):
        fault(where, "examples may return different structures", "return one of a single structure", code="B002")
    if isinstance(value, String) and isinstance(value.number, Out) and vary[value.number.index]:
        fault(where, "examples may return different strings", "return a number that stands for each", code="B002")
    for part in inner:
        refuse_lists(part, vary, where)


def _is_of_numbers(rows: Rows) -> bool:
    """Whether the items of a list are numbers, and containers of as many of them each."""
    waiting = [rows.item]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Rows | String | ListOut | Optional | OneOf):
            return False
        waiting += [] if isinstance(part, Column) else [inner for _, inner in parts(part)]
    return rows.kind is list


def columns(value: Value) -> Iterator[Column]:
    """What all items of lists have at one position."""
    if isinstance(value, Column):
        yield value
    for _, part in parts(value):
        yield from columns(part)


def absences(value: Value) -> Iterator[Out]:
    """The results that say whether others are None, or which string it is."""
    if isinstance(value, Optional) and isinstance(value.absent, Out):
        yield value.absent
    if isinstance(value, OneOf):
        yield from (flag for flag in value.flags if isinstance(flag, Out))
    if isinstance(value, String) and isinstance(value.number, Out):
        yield value.number
    for _, part in parts(value):
        yield from absences(part)


def as_arrays(value: Value) -> Value:
    """Columns hold arrays now, no longer Python's numbers."""
    if isinstance(value, Column):
        return Column(value.values, False)
    inner = tuple(as_arrays(part) for _, part in parts(value))
    return with_parts(value, inner) if inner else value

