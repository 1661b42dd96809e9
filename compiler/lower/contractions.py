"""Products of matrices: floats by the library, everything else by loops.

    c = matmul(a, b)                           ->    c = empty(shape=(n, m), dtype="f64"); gemm(c, a, b)
    y = matmul(a, x)                           ->    y = empty(shape=(n,), dtype="f64"); gemv(y, a, x)
    c = einsum(a, b, subscripts="ij,kj->ik")   ->    b_t = transpose(b, axes=(1, 0)); c = empty(...); gemm(c, a, b_t)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gast

from .. import syntax
from ..dtypes import DTYPE, accumulator, has_dot, is_bool
from ..ops.schema import OPERATORS
from ..records import dataclass
from ..types import Array, Scalar
from .arithmetic import ZERO
from .arithmetic import product as times
from .guards import ONLY_KNOWN_ONES, joined, require_equal, shape_texts
from .indexing import opaque
from .lowering import Lowering
from .nest import Nest, allocate, bottom_of, realise
from .nodes import ONE_LONG, Along, Apply, Length, Node, ScalarTree, Select, Stored, rank
from .operands import convert
from .proved import know_summed
from .reductions import Reduction, combine
from .structure import transpose

SIGNATURE = "(n?,k),(k,m?)->(n?,m?)"

Result = Node | ScalarTree


def contraction(low: Lowering, name: str, operator: str, operands: Sequence[Node], static: Mapping) -> Result:
    wanted: str = low.function.types[name].dtype  # type: ignore[union-attr]
    dtype = accumulator(wanted)
    if dtype != wanted:  # all of it is done in the dtype in which the sums are taken
        made = contraction_in(low, low.fresh(name), operator, operands, static, dtype)
        return convert(made, wanted) if isinstance(made, ScalarTree) else in_dtype(low, made, wanted)
    return contraction_in(low, name, operator, operands, static, dtype)


def contraction_in(
    low: Lowering, name: str, operator: str, operands: Sequence[Node], static: Mapping, dtype: str
) -> Result:
    a, b = (in_dtype(low, node, dtype) for node in operands)
    if operator == "einsum":
        return einsum(low, name, a, b, static["subscripts"], dtype)
    return matmul(low, name, a, b, dtype)


def in_dtype(low: Lowering, node: Node, dtype: str) -> Node:
    if node.dtype == dtype:
        return node
    return Apply("cast", (node,), {}, Scalar(dtype), node.lengths, low.span, low.inlined)


def variable(low: Lowering, name: str) -> str:
    """A variable for the result: a merged name gets it by an assignment of its own."""
    return name if name not in low.facts.merged else low.fresh(name)


# --- matmul --------------------------------------------------------------------------------------------------------


def matmul(low: Lowering, name: str, a: Node, b: Node, dtype: str) -> Result:
    inner, core = a.lengths[-1], b.lengths[-2 if rank(b) > 1 else 0]
    message = (
        "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
        f"{SIGNATURE} (size {{}} is different from {{}})"
    )
    if min(rank(a), rank(b)) < 3:
        know_summed(low, inner.extent, core.extent)
    require_equal(low, [(inner, core)], "ValueError", message, [core.clamped, inner.clamped])
    is_dot = rank(a) == rank(b) == 1
    in_memory = _is_in_memory(low, a) and _is_in_memory(low, b)
    if not DTYPE[dtype].letter or is_dot and not (has_dot(dtype) and in_memory):
        return _by_loops(low, name, a, b, dtype)
    if rank(a) == rank(b) == 1:
        left, right = realise(low, a), realise(low, b)
        return ScalarTree(syntax.call("dot", left.name, right.name), dtype)
    if max(rank(a), rank(b)) > 2:
        return _by_rows(low, name, a, b, dtype) or _batched(low, name, a, b, dtype)
    return product(low, variable(low, name), realise(low, a), realise(low, b), dtype)


def _is_in_memory(low: Lowering, node: Node) -> bool:
    return isinstance(bottom_of(low, node), Stored)


def product(low: Lowering, name: str, a: Stored, b: Stored, dtype: str) -> Stored:
    """One call of the library for two arrays of one or two axes, not both of one."""
    if rank(a) == 1:
        out = allocate(low, name, [b.lengths[1]], dtype)
        low.emit(syntax.expression(syntax.call("gemv", out, transposed(low, b).name, a.name)))
        return low.stored(out, (b.lengths[1],))
    if rank(b) == 1:
        out = allocate(low, name, [a.lengths[0]], dtype)
        low.emit(syntax.expression(syntax.call("gemv", out, a.name, b.name)))
        return low.stored(out, (a.lengths[0],))
    lengths = (a.lengths[0], b.lengths[1])
    out = allocate(low, name, lengths, dtype)
    low.emit(syntax.expression(syntax.call("gemm", out, a.name, b.name)))
    return low.stored(out, lengths)


def transposed(low: Lowering, matrix: Stored) -> Stored:
    return realise(low, turned(low, matrix))


def turned(low: Lowering, matrix: Node) -> Node:
    """The transposed matrix, to be called after the matrix."""
    node = transpose(low, matrix, (1, 0))
    low.hints[node] = f"{matrix.name if isinstance(matrix, Stored) else low.hints.get(matrix, 't')}_t"
    return node


# --- stacks of matrices --------------------------------------------------------------------------------------------


def _by_rows(low: Lowering, name: str, a: Node, b: Node, dtype: str) -> Stored | None:
    """A contiguous stack of matrices times one vector, as the product of all rows.

    With a shared matrix they are multiplied one by one: a BLAS may be better at small products than at tall ones.
    """
    a = realise(low, a)
    if rank(b) > 1 or a.type.layout != "C":
        return None
    lengths = a.lengths[:-1]
    count = times(length.clamped for length in lengths)
    rows = Length(count.value if isinstance(count, gast.Constant) else opaque(low), count)
    out = low.stored(allocate(low, variable(low, name), lengths, dtype), lengths)
    flat, left = _flat(low, out, (rows,)), _flat(low, a, (rows, a.lengths[-1]))
    low.emit(syntax.expression(syntax.call("gemv", flat, left, realise(low, b).name)))
    return out


def _flat(low: Lowering, stack: Stored, lengths: Sequence[Length]) -> str:
    """A view of other lengths."""
    name = low.fresh(f"{stack.name}_rows")
    low.origin[name] = stack.name
    shape = syntax.tuple_(length.tree for length in lengths)
    return low.assign(
        name, syntax.call("reshape", stack.name, shape=shape), Array(stack.dtype, tuple(n.extent for n in lengths))
    )


def _batched(low: Lowering, name: str, a: Node, b: Node, dtype: str) -> Stored:
    """One product of the library for each of the leading indices, on views of the operands and the result."""
    a, b = realise(low, a), realise(low, b)
    shapes = [a.lengths[:-2], b.lengths[:-2]]
    words, values = shape_texts(shapes)
    message = f"matmul: stacks of matrices could not be broadcast together with shapes {words}"
    lead = joined(low, shapes, "ValueError", message, values)
    rows = (a.lengths[-2],) if rank(a) > 1 else ()
    columns = (b.lengths[-1],) if rank(b) > 1 else ()
    out = allocate(low, variable(low, name), [*lead, *rows, *columns], dtype)
    nest = Nest(low)
    index = nest.nest(lead)
    with low.block() as body:
        left, right = _matrix(low, a, index), _matrix(low, b, index)
        items = [*index, *[syntax.slice_()] * (len(rows) + len(columns))]
        dims = tuple(n.extent for n in (*rows, *columns))
        part = low.assign(low.fresh(f"{out}_part"), syntax.index(out, *items), Array(dtype, dims))
        if rank(left) == 1:
            call = syntax.call("gemv", part, transposed(low, right).name, left.name)
        else:
            call = syntax.call("gemv" if rank(right) == 1 else "gemm", part, left.name, right.name)
        low.emit(syntax.expression(call))
    for statement in body:
        nest.add(statement)
    nest.finish()
    return low.stored(out, (*lead, *rows, *columns))


def _matrix(low: Lowering, stack: Stored, index: Sequence[gast.expr]) -> Stored:
    """The matrix of a stack that belongs to an index of the result."""
    depth = rank(stack) - 2
    if depth <= 0:
        return stack
    lead = [ZERO if n.is_one else i for n, i in zip(stack.lengths[:depth], index[len(index) - depth :])]
    name = low.fresh(f"{stack.name}_part")
    dims = tuple(n.extent for n in stack.lengths[depth:])
    tree = syntax.index(stack.name, *lead, *[syntax.slice_()] * 2)
    low.assign(name, tree, Array(stack.dtype, dims, stack.type.layout))
    low.origin[name] = stack.name
    return low.stored(name)


# --- by loops ------------------------------------------------------------------------------------------------------


def _by_loops(low: Lowering, name: str, a: Node, b: Node, dtype: str) -> Result:
    """The sum of products, over the last axis of `a` and the first of the matrix `b`."""
    lead_letters = "uvwxyz"[: max(rank(a), rank(b), 2) - 2]
    left = lead_letters[len(lead_letters) - max(0, rank(a) - 2) :] + ("ik" if rank(a) > 1 else "k")
    right = lead_letters[len(lead_letters) - max(0, rank(b) - 2) :] + ("kj" if rank(b) > 1 else "k")
    out = lead_letters + ("i" if rank(a) > 1 else "") + ("j" if rank(b) > 1 else "")
    return sum_of_products(low, name, a, b, (left, right, out), dtype)


def sum_of_products(low: Lowering, name: str, a: Node, b: Node, letters: tuple[str, str, str], dtype: str) -> Result:
    """Every operand is spread over all letters, the product summed over those that the result does not have."""
    left, right, out = letters
    inner = "".join(dict.fromkeys(c for c in left + right if c not in out))
    order = _loop_order(left, right, out, inner)
    lengths = _lengths_of_letters(low, a, b, left, right)
    spread = [_spread(low, node, given, order, lengths) for node, given in ((a, left), (b, right))]
    multiply = "logical_and" if is_bool(dtype) else "multiply"
    shape = tuple(lengths[c] for c in order)
    term = Apply(multiply, tuple(spread), {}, Scalar(dtype), shape, low.span, low.inlined)
    if not inner:
        return _outer(low, name, term, order, out)
    axes = tuple(order.index(c) for c in inner)
    row = OPERATORS["any" if is_bool(dtype) else "sum"]
    plan = Reduction(low, name, row, term, tuple(sorted(axes)), False, dtype)
    if plan.has_kept_inside():
        return plan.by_rows()
    return plan.by_accumulator(combine)


def _loop_order(left: str, right: str, out: str, inner: str) -> str:
    """Result letters outside, except that a last letter found only as the last of `b` goes innermost."""
    last = out[-1:] if len(out) > 1 and inner and right.endswith(out[-1]) and out[-1] not in left else ""
    return out[: len(out) - len(last)] + inner + last


def _lengths_of_letters(low: Lowering, a: Node, b: Node, left: str, right: str) -> dict[str, Length]:
    lengths: dict[str, Length] = {}
    words, values = shape_texts([a.lengths, b.lengths])
    message = f"operands could not be broadcast together with remapped shapes [original->remapped]: {words}"
    for letter, length in [*zip(left, a.lengths), *zip(right, b.lengths)]:
        known = lengths.get(letter)
        if known is not None and not known.is_one and not length.is_one:
            require_equal(low, [(known, length)], "ValueError", message, values, ONLY_KNOWN_ONES)
        if known is None or known.is_one or (isinstance(length.extent, int) and not length.is_one):
            lengths[letter] = length
    return lengths


def _spread(low: Lowering, node: Node, letters: str, order: str, lengths: dict[str, Length]) -> Node:
    """The operand with its axes in the order of the loops, and one of length 1 for every letter it lacks."""
    mine = sorted(range(len(letters)), key=lambda k: order.index(letters[k]))
    turned = transpose(low, node, mine) if mine != list(range(len(letters))) else node
    present = iter(turned.lengths)
    shape = [next(present) if c in letters else ONE_LONG for c in order]
    return _with_ones(turned, shape, [c in letters for c in order])


def _with_ones(node: Node, shape: Sequence[Length], present: Sequence[bool]) -> Node:
    axes = [k for k, is_there in enumerate(present) if is_there]
    return Select(node, tuple(Along(k) for k in axes), tuple(shape))


def _outer(low: Lowering, name: str, term: Apply, order: str, out: str) -> Result:
    """No letter is summed over: the products themselves."""
    node = transpose(low, term, [order.index(c) for c in out])
    target = variable(low, name)
    nest = Nest(low)
    index = nest.nest(node.lengths)
    nest.prepare((node, index))
    if not out:
        value = nest.value(node, index)
        nest.finish()
        return value
    made = allocate(low, target, node.lengths, term.dtype)
    nest.add(syntax.store(made, index, nest.value(node, index).tree))
    nest.finish()
    return low.stored(made, node.lengths)


# --- einsum --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Groups:
    """The letters in all three subscripts, in one operand and the result, and in both operands only."""

    batch: str
    rows: str
    columns: str
    inner: str


def einsum(low: Lowering, name: str, a: Node, b: Node, subscripts: str, dtype: str) -> Result:
    inputs, _, out = subscripts.partition("->")
    left, _, right = inputs.partition(",")
    groups = Groups(
        "".join(c for c in out if c in left and c in right),
        "".join(c for c in out if c in left and c not in right),
        "".join(c for c in out if c in right and c not in left),
        "".join(c for c in left if c in right and c not in out),
    )
    if DTYPE[dtype].letter and groups.batch and len(groups.rows) == len(groups.columns) == len(groups.inner) == 1:
        return _stacked_product(low, name, a, b, groups, (left, right, out), dtype)
    if not DTYPE[dtype].letter or not _is_matrix_product(low, groups, a, b, left, right, out):
        return sum_of_products(low, name, a, b, (left, right, out), dtype)
    return _matrix_product(low, name, a, b, groups, (left, right, out), dtype)


def _stacked_product(
    low: Lowering, name: str, a: Node, b: Node, groups: Groups, letters: tuple[str, str, str], dtype: str
) -> Node:
    """A stack of products, one for every index that both operands and the result share."""
    left, right, out = letters
    batch, rows, columns, inner = groups.batch, groups.rows, groups.columns, groups.inner
    _lengths_of_letters(low, a, b, left, right)
    a = transpose(low, a, [left.index(c) for c in batch + rows + inner])
    b = transpose(low, b, [right.index(c) for c in batch + inner + columns])
    made = batch + rows + columns
    if out == made:
        return _batched(low, name, a, b, dtype)
    return transpose(low, _batched(low, low.fresh("t"), a, b, dtype), [made.index(c) for c in out])


def _is_matrix_product(low: Lowering, groups: Groups, a: Node, b: Node, left: str, right: str, out: str) -> bool:
    """Whether it is one product of matrices or of a matrix and a vector, and no axis of length 1 is broadcast."""
    if len(groups.inner) != 1 or groups.batch or len(groups.rows) > 1 or len(groups.columns) > 1 or not out:
        return False
    if len(left) != len(set(left)) or len(right) != len(set(right)):
        return False
    if set(left) != set(groups.rows + groups.inner) or set(right) != set(groups.columns + groups.inner):
        return False
    return a.lengths[left.index(groups.inner)].is_one == b.lengths[right.index(groups.inner)].is_one


def _matrix_product(
    low: Lowering, name: str, a: Node, b: Node, groups: Groups, letters: tuple[str, str, str], dtype: str
) -> Stored:
    left, right, out = letters
    _lengths_of_letters(low, a, b, left, right)
    inner = groups.inner
    if left == inner + groups.rows and groups.rows:
        a, left = turned(low, a), groups.rows + inner
    if right == groups.columns + inner and groups.columns:
        b, right = turned(low, b), inner + groups.columns
    if out == groups.columns + groups.rows and groups.rows and groups.columns:
        # the transposed result is the product of the transposed operands in the other order
        a, b = turned(low, b), turned(low, a)
    return product(low, variable(low, name), realise(low, a), realise(low, b), dtype)


