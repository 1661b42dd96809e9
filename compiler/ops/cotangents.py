"""The cotangent of one operand of one operator, and what its kind adds: folding, materialising, shapes as atoms.

    cotangent(builder, OPERATORS["multiply"], 0, [x, y], {}, out, out_bar)   ->   out_bar * y, folded to x's shape

A cotangent has the shape of its primal, or is a *scalar that stands for a constant array* of that shape: the cotangent
of `sum(x)` is one number, however long x is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import gast

from .. import syntax
from ..dtypes import DTYPE
from ..types import Array, Extent, Type, dtype_of, of_complex, rank
from .schema import Operator
from .type_rules import dims_of, is_weak

if TYPE_CHECKING:
    from ..builder import Builder

Atom: TypeAlias = gast.expr
Atoms: TypeAlias = Sequence[gast.expr]
Static: TypeAlias = Mapping[str, Any]
VJP = "vjp: "


def cotangent(
    builder: Builder,
    row: Operator,
    position: int,
    operands: Atoms,
    static: Static,
    out: Atom,
    out_bar: Atom,
    hint: str = "t_bar",
    taken: Atom | None = None,
) -> Atom | None:
    """Emit the cotangent of one operand; None where the operator is locally constant in it.

    Where the condition `taken` does not hold it is zero, whatever the slope is.
    Raises TypeFault G003 where the derivative exists but the language cannot say it.
    """
    if row.kind == "elementwise":
        value = by_partial(builder, row, position, operands, static, out, out_bar, hint)
        if value is None:
            return None
        value = masked(builder, value, taken, hint)
        return fold(builder, value, operands[position], [*operands, out], hint)
    if row.operands[0].startswith("*"):
        variadic: Any = row.vjp[0]
        rule: Any = partial(variadic, position=position)
    else:
        rule = row.vjp[position]
    if rule is None:
        return None
    value = rule(builder, operands, static, out, out_bar)
    if value is None:
        return None
    return as_type(builder, masked(builder, value, taken, hint), builder.type_of(operands[position]), hint)


def masked(builder: Builder, value: Atom, taken: Atom | None, hint: str = "t_bar") -> Atom:
    """A cotangent, and zero where the condition does not hold."""
    return value if taken is None else builder.call("where", taken, value, 0.0, hint=hint)


def by_partial(
    builder: Builder, row: Operator, position: int, operands: Atoms, static: Static, out: Atom, out_bar: Atom, hint: str
) -> Atom | None:
    """A cotangent of the result, or a tangent of the operand, times the partial derivative of an elementwise row."""
    rule: Any = row.partials[position]
    if rule is None or rule == "1.0":
        return None if rule is None else out_bar
    if callable(rule):
        return rule(builder, operands, static, out, out_bar)
    bindings = dict(zip(row.operands, operands), out=out, out_bar=out_bar)
    if rule == "-1.0":
        return builder.quote("-out_bar", hint, **bindings)
    template = rule.removeprefix(VJP) if rule.startswith(VJP) else f"out_bar * ({rule})"
    return builder.quote(template, hint, **bindings)


# --- folding -------------------------------------------------------------------------------------------------------


def fold(builder: Builder, value: Atom, operand: Atom, family: Atoms, hint: str = "t_bar") -> Atom:
    """Sum a cotangent down to the shape of `operand`, whose elements were repeated to the shape of the result.

    `family` are atoms that broadcast together to the result, the result itself last.  `value` may be any shape that
    broadcasts to the result: an axis that it lacks is constant along it, and summing it multiplies by the length.
    """
    target, full = builder.type_of(operand), dims_of(builder.type_of(family[-1]))
    kept, given = dims_of(target), dims_of(builder.type_of(value))
    summed = [k for k in range(len(full)) if _is_one(kept, full, k) and full[k] != 1]
    present = [k for k in summed if not _is_one(given, full, k)]
    for k in summed:
        if k not in present:
            value = builder.call("multiply", value, length_of(builder, family, k - len(full)), hint=hint)
    value = _sum_away(builder, value, present, len(full), len(kept), hint)
    left = dims_of(builder.type_of(value))
    if left and (len(left) < len(kept) or any(_is_one(left, kept, k) and kept[k] != 1 for k in range(len(kept)))):
        value = builder.call("broadcast_to", value, hint=hint, shape=shape_of(builder, operand))
    return as_type(builder, value, target, hint)


def _is_one(dims: tuple[Extent, ...], full: tuple[Extent, ...], axis: int) -> bool:
    """Whether `dims`, aligned at the right with `full`, has length 1 or nothing at this axis of `full`."""
    place = axis - len(full) + len(dims)
    return place < 0 or dims[place] == 1


def _sum_away(builder: Builder, value: Atom, axes: list[int], full: int, kept: int, hint: str) -> Atom:
    """Sum over axes numbered as in the result: those in front vanish, those the operand has with length 1 stay."""
    lead = full - len(dims_of(builder.type_of(value)))
    inner = tuple(k - lead for k in axes if k >= full - kept)
    outer = tuple(k - lead for k in range(lead, full - kept))
    if inner:
        value = builder.call("sum", value, hint=hint, axis=_axis(inner), keepdims=True)
    if outer:
        whole = len(outer) == len(dims_of(builder.type_of(value)))
        value = builder.call("sum", value, hint=hint, axis=None if whole else _axis(outer), keepdims=False)
    return value


def _axis(axes: tuple[int, ...]) -> int | tuple[int, ...]:
    return axes[0] if len(axes) == 1 else axes


def as_type(builder: Builder, value: Atom, target: Type, hint: str = "t_bar") -> Atom:
    """A cotangent in the dtype and weakness of its primal; a Python number may stand for any constant array."""
    given = builder.type_of(value)
    if of_complex(given) and not of_complex(target):  # of a real operand the real part counts
        value = builder.call("real", value, hint=hint)
        given = builder.type_of(value)
    if isinstance(target, Array):
        fits = dtype_of(given) == target.dtype or is_weak(given)
        return value if fits else builder.call("cast", value, hint=hint, dtype=target.dtype, weak=False)
    if given == target:
        return value
    if isinstance(value, gast.Constant) and is_weak(target):
        return syntax.constant(DTYPE[dtype_of(target)].python_type(value.value))
    return builder.call("cast", value, hint=hint, dtype=dtype_of(target), weak=is_weak(target))


# --- shapes as atoms -----------------------------------------------------------------------------------------------


def length_of(builder: Builder, family: Atoms, axis: int) -> Atom:
    """The length of an axis (counted from the end) that arrays broadcast to, from the first that has it."""
    for atom in family:
        dims = dims_of(builder.type_of(atom))
        if len(dims) >= -axis and dims[axis] != 1:
            return length(builder, atom, len(dims) + axis)
    return syntax.constant(1)


def length(builder: Builder, array: Atom, axis: int) -> Atom:
    """One length of an array: a constant where it is static."""
    extent = dims_of(builder.type_of(array))[axis]
    return syntax.constant(extent) if isinstance(extent, int) else builder.call("dim", array, hint="n", axis=axis)


def shape_of(builder: Builder, array: Atom) -> gast.Tuple:
    """The shape of an array as a tuple of atoms, for `shape=`."""
    return syntax.tuple_(length(builder, array, k) for k in range(rank(builder.type_of(array))))


def filled(builder: Builder, value: Atom, like: Atom, hint: str = "t_bar") -> Atom:
    """A cotangent as a full array of the shape of `like`, where a scalar stood for it."""
    type_ = builder.type_of(like)
    if not isinstance(type_, Array) or isinstance(builder.type_of(value), Array):
        return value
    return builder.call("full", value, hint=hint, shape=shape_of(builder, like), dtype=type_.dtype)
