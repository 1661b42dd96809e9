"""Rows: collectives, which take the values of all examples along the named axis of a `vmap`.

    psum(x, axis_name="i")                              the sum of all x, the same for every example
    all_gather(x, axis=0, shape=(n, 3), axis_name="i")  all x along a new axis
    psum_scatter(x, axis=0, axis_name="i")              of the sum of all x, the part with the number of the example
    all_to_all(x, split=0, concat=1, shape=..., ...)    example k gets the parts of all x with the number k
    ppermute(x, perm=((0, 1),), axis_name="i")          the x of another example, by pairs (source, destination)
    axis_index(axis_name="i")   axis_size(axis_name="i")

Two forms for many examples: `across`, where the examples are those of the axis, is where a collective is computed;
`batch`, where they are those of another one, passes it on.  Derivatives are those of the function of all examples, in
which every example has a result of its own: the transpose of a sum over the examples is the sum of the cotangents.

Where all devices share a value, it may be one value, and not one for each of them.  `transform/reverse/share.py` writes
rows that say so, and `transform/batch/settle_shared.py` takes them away when it is known which values are shared:

    pvary(x, axis_name="i")               x, and from here on each device has its own
    mark_varying(x, axis_name="i")        0, which varies along the axis if x does
    vary_as(x, own, others, ...)          x, which varies where `others` do; the transpose of `sum_varied`
    sum_varied(x_bar, own, others, ...)   the sum over the devices, if `others` vary and `own` does not; else x_bar
    psum_shared(x, axis_name="i")         `psum`, whose result is one value: its transpose is `vary_as`
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from .. import syntax, types
from ..dtypes import INT_WORD, is_bool
from ..types import INT, Array, Scalar, Type, rank
from .batching import Examples, Operand, Operands, Static, emit, led_by, repeated, stacked
from .cotangents import Atom, Atoms, filled
from .kinds import collective
from .rules import in_language, tangent_in_language
from .schema import TOGETHER
from .type_rules import numeric

if TYPE_CHECKING:
    from ..builder import Builder


def unbound(*_: object, axis_name: str, **__: object) -> NoReturn:
    """In plain Python there is one example at a time."""
    raise NameError(f"unbound axis name: {axis_name}. Collectives are called inside vmap(..., axis_name={axis_name!r})")


def length_of_axis(axis_name: str) -> types.Dim:
    """How many examples there are along an axis, in the types of one example.  No other symbol has a space in it."""
    return types.symbol(f"axis {axis_name}")


# --- types ---------------------------------------------------------------------------------------------------------


def _operand(operands: Sequence[Type]) -> Scalar | Array:
    numeric("a collective", operands)
    (x,) = operands
    return Array(x.dtype, x.dims) if isinstance(x, Array) else x  # type: ignore[return-value]


def sum_type(operands: Sequence[Type], axis_name: str) -> Type:
    """The operand's; truths are counted."""
    x = _operand(operands)
    return types.with_dtype(x, INT_WORD, isinstance(x, Scalar) and x.weak) if is_bool(x.dtype) else x


def same_type(operands: Sequence[Type], **_: object) -> Type:
    return _operand(operands)


def shape_type(operands: Sequence[Type], shape: tuple[types.Extent, ...], **_: object) -> Type:
    return Array(_operand(operands).dtype, shape)


def scattered_type(operands: Sequence[Type], axis: int, axis_name: str) -> Type:
    x = sum_type(operands, axis_name)
    dims = x.dims[:axis] + x.dims[axis + 1 :]  # type: ignore[union-attr]
    return Array(x.dtype, dims) if dims else Scalar(x.dtype)  # type: ignore[union-attr]


def index_type(operands: Sequence[Type], axis_name: str) -> Type:
    return INT


def own_type(operands: Sequence[Type], axis_name: str) -> Type:
    return operands[0]


def sum_varied_type(operands: Sequence[Type], axis_name: str) -> Type:
    return _operand(operands[:1])


# --- where the examples are those of the axis ----------------------------------------------------------------------


def _all(builder: Builder, x: Operand, examples: Examples) -> Atom:
    """The values of all examples, those that all have as well, along a first axis."""
    if x.varies:
        return x.atom
    if isinstance(x.type, Array):
        return repeated(builder, x.atom, examples)
    made = stacked(x.type, examples.extent)
    shape = syntax.tuple_([examples.count])
    return emit(builder, "full", [x.atom], made, shape=shape, dtype=made.dtype)


def _first_to(builder: Builder, atom: Atom, axis: int) -> Atom:
    """The first axis moved to another position."""
    order = list(range(1, rank(builder.type_of(atom))))
    order.insert(axis, 0)
    return builder.call("transpose", atom, axes=tuple(order))


def _to_first(builder: Builder, atom: Atom, axis: int) -> Atom:
    order = [k for k in range(rank(builder.type_of(atom))) if k != axis]
    return builder.call("transpose", atom, axes=(axis, *order))


def _as_typed(builder: Builder, atom: Atom, result: Type) -> Atom:
    """In the dtype of the result: NumPy sums small ints in large ones; of Python's numbers a Python number."""
    found = builder.type_of(atom)
    is_weak = isinstance(result, Scalar) and result.weak
    if found.dtype != result.dtype or is_weak:  # type: ignore[union-attr]
        return builder.call("cast", atom, dtype=result.dtype, weak=is_weak)  # type: ignore[union-attr]
    return atom


def reduced(operator: str) -> Any:
    def across(
        builder: Builder, row: Any, operands: Operands, static: Static, result: Type, examples: Examples
    ) -> Atom:
        (x,) = operands
        together = _all(builder, x, examples)
        return _as_typed(builder, builder.call(operator, together, axis=0, keepdims=False), result)

    return across


def gathered(
    builder: Builder, row: Any, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom:
    return _first_to(builder, _all(builder, operands[0], examples), static["axis"])


def scattered(
    builder: Builder, row: Any, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom:
    together = _all(builder, operands[0], examples)
    total = builder.call("sum", together, axis=0, keepdims=False)
    return _as_typed(builder, _to_first(builder, total, static["axis"]), result)


def exchanged(
    builder: Builder, row: Any, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom:
    """The axis of the parts and that of the examples are swapped."""
    together = _all(builder, operands[0], examples)
    parts_first = _to_first(builder, together, static["split"] + 1)
    order = [k for k in range(rank(builder.type_of(parts_first))) if k != 1]
    order.insert(static["concat"] + 1, 1)
    return builder.call("transpose", parts_first, axes=tuple(order))


def permuted(
    builder: Builder, row: Any, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom:
    """Runs of neighbours go together; an example that is sent nothing has zeros."""
    together = _all(builder, operands[0], examples)
    lengths = [builder.call("dim", together, axis=k, hint="n") for k in range(1, rank(builder.type_of(together)))]
    type_ = stacked(result, examples.extent, "C")
    made = emit(builder, "zeros", [], type_, shape=syntax.tuple_([examples.count, *lengths]), dtype=type_.dtype)
    rest = [syntax.slice_() for _ in lengths]
    for source, place, count in runs(static["perm"]):
        part = builder.load(together, [syntax.slice_(source, source + count), *rest])
        builder.append(syntax.store(made.id, [syntax.slice_(place, place + count), *rest], part))
    return made


def runs(perm: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """(source, destination, count) of the pairs whose sources and destinations follow one another."""
    found: list[tuple[int, int, int]] = []
    for source, place in sorted(perm):
        if found and (source - found[-1][2], place - found[-1][2]) == found[-1][:2]:
            found[-1] = (*found[-1][:2], found[-1][2] + 1)
        else:
            found.append((source, place, 1))
    return found


def numbered(
    builder: Builder, row: Any, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom:
    return emit(builder, "arange", [syntax.constant(0), examples.count, syntax.constant(1)],
                stacked(result, examples.extent), shape=syntax.tuple_([examples.count]), dtype=INT_WORD)  # fmt: skip


def counted(
    builder: Builder, row: Any, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom:
    return examples.count


# --- where the examples are those of another axis ------------------------------------------------------------------


def handed_on(
    builder: Builder, row: Any, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom:
    """The same of the values of all examples, the axes one further back."""
    (x,) = operands
    behind = {name: static[name] + 1 for name in ("axis", "split", "concat") if name in static}
    if "shape" not in static:
        return builder.call(row.name, x.atom, **{**static, **behind})
    made = stacked(result, examples.extent, "C")
    return emit(builder, row.name, [x.atom], made, **{**static, **behind, "shape": led_by(examples, static["shape"])})


def marked(
    builder: Builder, row: Any, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom:
    """The same of the first operand, the others being marks."""
    return builder.call(row.name, *(o.atom for o in operands), **static)


def mark_of_all(
    builder: Builder, row: Any, operands: Operands, static: Static, result: Type, examples: Examples
) -> Atom:
    mark = builder.call(row.name, operands[0].atom, **static)
    made = stacked(result, examples.extent)
    return emit(builder, "full", [mark], made, shape=syntax.tuple_([examples.count]), dtype=made.dtype)


# --- cotangents ----------------------------------------------------------------------------------------------------


def sum_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom:
    return builder.call("psum", out_bar, **static)


def gather_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom:
    whole = filled(builder, out_bar, out)
    return builder.call("psum_scatter", whole, axis=static["axis"], axis_name=static["axis_name"])


def scatter_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom:
    (x,) = operands
    shape = syntax.tuple_([builder.call("dim", x, axis=k, hint="n") for k in range(rank(builder.type_of(x)))])
    return builder.call("all_gather", filled(builder, out_bar, out), **static, shape=shape)


def exchange_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom:
    (x,) = operands
    shape = syntax.tuple_([builder.call("dim", x, axis=k, hint="n") for k in range(rank(builder.type_of(x)))])
    back = {**static, "split": static["concat"], "concat": static["split"], "shape": shape}
    return builder.call("all_to_all", filled(builder, out_bar, out), **back)


def permute_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom:
    back = tuple((place, source) for source, place in static["perm"])
    return builder.call("ppermute", filled(builder, out_bar, out), perm=back, axis_name=static["axis_name"])


def own_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom:
    return filled(builder, out_bar, out)


def vary_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom:
    return builder.call("sum_varied", filled(builder, out_bar, out), *operands[1:], **static)


def sum_varied_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom:
    return builder.call("vary_as", filled(builder, out_bar, out), *operands[1:], **static)


def shared_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom:
    """What one value has is what each device has of it."""
    each = builder.call("axis_index", **static)
    return builder.call("vary_as", filled(builder, out_bar, out), 0, each, **static)


def marked_jvp(name: str) -> Any:
    def rule(builder: Builder, operands: Atoms, tangents: Atoms, static: Static, out: Atom) -> Atom:
        return builder.call(name, tangents[0], *operands[1:], **static)

    return rule


# --- rows ----------------------------------------------------------------------------------------------------------

def row(name: str, operands: str, *, batch: Any = handed_on, **more: Any) -> None:
    collective(name, operands, meaning=unbound, batch=batch, **more)


def total(name: str, vjp: Any) -> None:
    row(name, "x", type=sum_type, vjp=[vjp], linear=TOGETHER, across=reduced("sum"), is_common=True, one="psum_shared")


def extreme(name: str, kind: str, vjp: str) -> None:
    """A row for the largest or the smallest; the rule `vjp` of its derivative is written in the language."""
    row(name, "x", type=same_type, vjp=[in_language(vjp)], jvp=tangent_in_language("extreme_of_examples"),
        across=reduced(kind), is_common=True, one=f"p{kind}_shared")  # fmt: skip


total("psum", sum_vjp)
extreme("pmax", "max", "extreme_of_examples")
extreme("pmin", "min", "extreme_of_examples")
row("all_gather", "x", static={"axis": ..., "shape": ...}, type=shape_type, vjp=[gather_vjp], linear=TOGETHER,
           across=gathered, is_common=True)  # fmt: skip
row("psum_scatter", "x", static={"axis": ...}, type=scattered_type, vjp=[scatter_vjp], linear=TOGETHER,
           across=scattered)  # fmt: skip
row("all_to_all", "x", static={"split": ..., "concat": ..., "shape": ...}, type=shape_type,
           vjp=[exchange_vjp], linear=TOGETHER, across=exchanged)  # fmt: skip
row("ppermute", "x", static={"perm": ...}, type=same_type, vjp=[permute_vjp], linear=TOGETHER, across=permuted)
row("axis_index", "", type=index_type, vjp=[], across=numbered, natural=all)
row("axis_size", "", type=index_type, vjp=[], across=counted, is_common=True, natural=all, one="axis_size")
row("pvary", "x", type=own_type, vjp=[own_vjp], linear=TOGETHER, is_own=True)
row("mark_varying", "x", type=index_type, vjp=[None], batch=mark_of_all, is_common=True, marks=(0,), varies_as=(0,),
           natural=all)  # fmt: skip
row("vary_as", "x own others", type=own_type, vjp=[vary_vjp, None, None], jvp=marked_jvp("vary_as"), batch=marked,
           is_own=True, marks=(1, 2), varies_as=(0, 1, 2))  # fmt: skip
row("sum_varied", "x own others", type=sum_varied_type, vjp=[sum_varied_vjp, None, None], jvp=marked_jvp("sum_varied"),
           batch=marked, is_own=True, marks=(1, 2), varies_as=(1,))  # fmt: skip
total("psum_shared", shared_vjp)
extreme("pmax_shared", "max", "shared_extreme")
extreme("pmin_shared", "min", "shared_extreme")
