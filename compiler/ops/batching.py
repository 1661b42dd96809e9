"""The batched form of an operator: all examples at once, on values that have the examples along a first axis.

    y = add(x, w)       x: f64[n] of every example, w: f64[m, n] shared    ->    y = add(x[:, None, :], w)
    s = sum(x)                                                             ->    s = sum(x, axis=1)
    y = matmul(w, x)    w: f64[m, n] shared                                ->    y = matmul(x, w.T)

A rule takes (builder, row, operands, static, result, examples): the operands with their types in one example, the type
of the result in one example.  It emits statements and returns the atom of the batched result; None where the operator
has no batched form on these operands, and stays in a loop over the examples.  A row has the rule of its kind unless
its column `batch` says another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import gast

from .. import syntax
from ..dtypes import is_bool
from ..records import dataclass
from ..types import Array, Extent, Scalar, Type, promote, rank
from .type_rules import dims_of, is_weak, normal_axes, normal_axis

if TYPE_CHECKING:
    from ..builder import Builder
    from .schema import Operator

Atom: TypeAlias = gast.expr
Static: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Operand:
    """An operand: its type in one example, and whether it varies with the example."""

    atom: Atom
    type: Type
    varies: bool

    @property
    def rank(self) -> int:
        return rank(self.type)


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """How many examples there are: as an atom, and as a length of types."""

    count: Atom
    extent: Extent


Operands: TypeAlias = Sequence[Operand]
Rule: TypeAlias = Callable[..., Atom | None]


def stacked(type_: Type, extent: Extent, layout: str | None = None) -> Array:
    """The type of the values of all examples, given that of one."""
    own = type_.layout if isinstance(type_, Array) else "C"
    return Array(type_.dtype, (extent, *dims_of(type_)), layout or own)  # type: ignore[union-attr]


def batched_form(
    builder: Builder, row: Operator, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom | None:
    """Emit the batched form of an operator, whose result has the dtype that it has in one example; or None."""
    rule = row.batch or OF_KIND.get(row.kind)
    made = rule(builder, row, operands, static, result, examples) if rule is not None else None
    if made is None:
        return None
    found = builder.type_of(made)
    fits = isinstance(found, Array) and found.dtype == result.dtype and found.ndim == rank(result) + 1  # type: ignore
    return made if fits else None


def raises_by_example(row: Operator, operands: Operands, static: Static, has_form: bool) -> bool:
    """Whether some examples may raise where others do not; lengths are those of all examples."""
    if row.kind == "elementwise":
        return row.raises([o.type for o in operands], static)
    return row.kind == "library" and not has_form and row.raises([o.type for o in operands], static)


# --- elementwise ---------------------------------------------------------------------------------------------------


def elementwise(
    builder: Builder, row: Operator, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom | None:
    """Broadcasting, with the axes of one example aligned at the right."""
    if row.raises([o.type for o in operands], static):
        return None
    operands = as_numpys(builder, row, operands)
    if "weak" in static:
        static = {**static, "weak": False}
    return builder.call(row.name, *(aligned(builder, o, rank(result)) for o in operands), **static)


def as_numpys(builder: Builder, row: Operator, operands: Operands) -> Operands:
    """Python's numbers lend only their kind to a result; elements of an array do not, and are converted first."""
    if all(is_weak(o.type) for o in operands):
        return operands
    dtype, _ = promote(*(o.type for o in operands))  # type: ignore[arg-type]
    return [converted(builder, o, dtype) if o.varies and is_weak(o.type) else o for o in operands]


def converted(builder: Builder, operand: Operand, dtype: str) -> Operand:
    if operand.type.dtype == dtype:  # type: ignore[union-attr]
        return operand
    atom = builder.call("cast", operand.atom, dtype=dtype, weak=False)
    return Operand(atom, Scalar(dtype), operand.varies)


def aligned(builder: Builder, operand: Operand, wanted: int) -> Atom:
    """The operand with as many axes after that of the examples as the result has."""
    if not operand.varies or operand.rank == wanted:
        return operand.atom
    full, new = syntax.slice_, syntax.constant(None)
    items = [full(), *[new] * (wanted - operand.rank), *(full() for _ in range(operand.rank))]
    return builder.load(operand.atom, items)


# --- reductions ----------------------------------------------------------------------------------------------------


def reduction(
    builder: Builder, row: Operator, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom | None:
    """The same axes of every example, which are one further back."""
    (x,) = operands
    axes = tuple(k + 1 for k in normal_axes(static["axis"], x.rank))
    if not axes:
        return None
    return builder.call(row.name, x.atom, **{**static, "axis": axes[0] if len(axes) == 1 else axes})


# --- creation ------------------------------------------------------------------------------------------------------


def filled(
    builder: Builder, row: Operator, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom | None:
    """One more axis of the same: `zeros`, `full`."""
    if not any(o.varies for o in operands):
        return emit(builder, row.name, [o.atom for o in operands], stacked(result, examples.extent, "C"),
                    **{**static, "shape": led_by(examples, static["shape"])})  # fmt: skip
    (value,) = operands
    dtype = result.dtype  # type: ignore[union-attr]
    value = converted(builder, value, dtype)
    shape = led_by(examples, static["shape"])
    made = stacked(result, examples.extent, "A")
    spread = emit(builder, "broadcast_to", [aligned(builder, value, rank(result))], made, shape=shape)
    return builder.call("copy", spread)


def led_by(examples: Examples, shape: object) -> gast.Tuple:
    """A shape with the number of examples in front."""
    lengths = shape.elts if isinstance(shape, gast.Tuple) else shape
    return syntax.tuple_([examples.count, *lengths])  # type: ignore[misc]


def emit(builder: Builder, operator: str, atoms: Sequence[Atom], type_: Type, **static: object) -> Atom:
    """An operator whose result is known to have this type: its lengths are those of one example."""
    return builder.bind(syntax.call(operator, *atoms, **static), type_)


# --- structure -----------------------------------------------------------------------------------------------------


def reshape(
    builder: Builder, row: Operator, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom | None:
    shape = led_by(examples, static["shape"])
    return emit(builder, row.name, [operands[0].atom], stacked(result, examples.extent, "C"), shape=shape)


def broadcast_to(
    builder: Builder, row: Operator, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom | None:
    shape = led_by(examples, static["shape"])
    x = aligned(builder, operands[0], rank(result))
    return emit(builder, row.name, [x], stacked(result, examples.extent, "A"), shape=shape)


def transpose(
    builder: Builder, row: Operator, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom | None:
    (x,) = operands
    axes = (0, *(normal_axis(k, x.rank) + 1 for k in static["axes"]))
    return builder.call(row.name, x.atom, axes=axes)


def concatenate(
    builder: Builder, row: Operator, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom | None:
    """What is shared is repeated for every example."""
    axis = normal_axis(static["axis"], rank(result)) + 1
    parts = [o.atom if o.varies else repeated(builder, o.atom, examples) for o in operands]
    return builder.call(row.name, *parts, axis=axis)


def repeated(builder: Builder, atom: Atom, examples: Examples) -> Atom:
    """A value of all examples that has the examples along a first axis, as a view."""
    given = builder.type_of(atom)
    lengths = [builder.call("dim", atom, axis=k, hint="n") for k in range(rank(given))]
    shape = syntax.tuple_([examples.count, *lengths])
    return emit(builder, "broadcast_to", [atom], stacked(given, examples.extent, "A"), shape=shape)


def pairwise(
    builder: Builder, row: Operator, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom | None:
    """Operands of one shape, which do not broadcast."""
    return builder.call(row.name, *(o.atom if o.varies else repeated(builder, o.atom, examples) for o in operands))


def copy(
    builder: Builder, row: Operator, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom | None:
    return builder.call(row.name, operands[0].atom)


def with_sharding(
    builder: Builder, row: Operator, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom | None:
    """The examples are cut nowhere."""
    return builder.call(row.name, operands[0].atom, spec=(None, *static["spec"]))


# --- products ------------------------------------------------------------------------------------------------------


def matmul(
    builder: Builder, row: Operator, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom | None:
    """One product where a side is shared: the examples are its rows.  Else one for each example, as a stack."""
    a, b = operands
    if a.varies and b.varies:
        return _both(builder, a, b)
    if b.varies and b.rank == 1 and a.rank <= 2:
        return builder.call("matmul", b.atom, _turned(builder, a.atom))
    if a.varies and a.rank == 2 and b.rank <= 2:
        return _rows(builder, a.atom, b.atom, examples)
    if a.rank <= 2 and b.rank <= 2:
        return builder.call("matmul", a.atom, b.atom)
    return _stack(builder, a, b)


def _turned(builder: Builder, matrix: Atom) -> Atom:
    return builder.call("transpose", matrix, axes=(1, 0)) if rank(builder.type_of(matrix)) == 2 else matrix


def _rows(builder: Builder, a: Atom, b: Atom, examples: Examples) -> Atom:
    """The rows of all examples one below the other, times what is shared."""
    _, rows, inner = builder.type_of(a).dims  # type: ignore[union-attr]
    lengths = [builder.call("dim", a, axis=k, hint="n") for k in (1, 2)]
    total = builder.call("multiply", examples.count, lengths[0], hint="rows")
    flat = emit(builder, "reshape", [a], Array(_dtype(builder, a), (builder.extent_of(total), inner)),
                shape=syntax.tuple_([total, lengths[1]]))  # fmt: skip
    product = builder.call("matmul", flat, b)
    columns = [builder.call("dim", product, axis=k, hint="n") for k in range(1, rank(builder.type_of(product)))]
    made = Array(_dtype(builder, product), (examples.extent, rows, *dims_of(builder.type_of(product))[1:]))
    return emit(builder, "reshape", [product], made, shape=syntax.tuple_([examples.count, lengths[0], *columns]))


def _dtype(builder: Builder, atom: Atom) -> str:
    return builder.type_of(atom).dtype  # type: ignore[union-attr]


def _both(builder: Builder, a: Operand, b: Operand) -> Atom | None:
    words = {(1, 1): "ij,ij->i", (2, 1): "ijk,ik->ij", (1, 2): "ik,ikj->ij"}.get((a.rank, b.rank))
    if words is None:
        return _stack(builder, a, b)
    if is_bool(_dtype(builder, a.atom)) and is_bool(_dtype(builder, b.atom)):
        return None
    return builder.call("einsum", a.atom, b.atom, subscripts=words)


def _stack(builder: Builder, a: Operand, b: Operand) -> Atom | None:
    """A stack of products of matrices, the axes of the stack aligned."""
    if min(a.rank, b.rank) < 2:
        return None
    wanted = max(a.rank, b.rank)
    return builder.call("matmul", aligned(builder, a, wanted), aligned(builder, b, wanted))


def einsum(
    builder: Builder, row: Operator, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom | None:
    """One more letter, in front."""
    inputs, _, out = static["subscripts"].partition("->")
    letter = next(c for c in "bnzyxwvutsrqponmlkjihgfedcaABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in static["subscripts"])
    words = [letter + word if o.varies else word for word, o in zip(inputs.split(","), operands, strict=True)]
    return builder.call("einsum", *(o.atom for o in operands), subscripts=f"{','.join(words)}->{letter}{out}")


# --- libraries -----------------------------------------------------------------------------------------------------


def right_sides(
    builder: Builder, row: Operator, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom | None:
    """One solution of a shared matrix with the right sides of all examples next to each other."""
    *shared, b = operands
    if any(a.varies for a in shared):
        return None
    matrix = [a.atom for a in shared]
    if b.rank == 1:
        solved = builder.call(row.name, *matrix, _turned(builder, b.atom), **static)
        return _turned(builder, solved)
    _, n, k = builder.type_of(b.atom).dims  # type: ignore[union-attr]
    lengths = [builder.call("dim", b.atom, axis=axis, hint="n") for axis in (1, 2)]
    total = builder.call("multiply", examples.count, lengths[1], hint="columns")
    beside = builder.call("transpose", b.atom, axes=(1, 0, 2))
    flat = emit(builder, "reshape", [beside], Array(_dtype(builder, b.atom), (n, builder.extent_of(total))),
                shape=syntax.tuple_([lengths[0], total]))  # fmt: skip
    solved = builder.call(row.name, *matrix, flat, **static)
    made = Array(_dtype(builder, solved), (dims_of(builder.type_of(solved))[0], examples.extent, k))
    rows = builder.call("dim", solved, axis=0, hint="n")
    parted = emit(builder, "reshape", [solved], made, shape=syntax.tuple_([rows, examples.count, lengths[1]]))
    return builder.call("transpose", parted, axes=(1, 0, 2))


def rows_below(
    builder: Builder, row: Operator, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom | None:
    """What is done to each row of a matrix: the rows of all examples one below the other."""
    (a,) = operands
    dims = dims_of(a.type)
    lengths = [builder.call("dim", a.atom, hint="n", axis=k) for k in (1, 2)]
    total = builder.call("multiply", examples.count, lengths[0], hint="rows")
    flat = emit(builder, "reshape", [a.atom], Array(_dtype(builder, a.atom), (builder.extent_of(total), dims[1])),
                shape=syntax.tuple_([total, lengths[1]]))  # fmt: skip
    given = {**static, "shape": syntax.tuple_([total, _lengths_in(static["shape"])[1]])} if "shape" in static else {}
    made = builder.call(row.name, flat, **given)
    columns = builder.call("dim", made, hint="n", axis=1)
    shape = syntax.tuple_([examples.count, lengths[0], columns])
    return emit(builder, "reshape", [made], stacked(result, examples.extent, "C"), shape=shape)


def _lengths_in(shape: object) -> Sequence[object]:
    return shape.elts if isinstance(shape, gast.Tuple) else shape  # type: ignore[return-value]


OF_KIND: Mapping[str, Rule] = {"elementwise": elementwise, "reduction": reduction}
