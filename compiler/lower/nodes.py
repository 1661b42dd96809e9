"""Arrays that are not in memory: what an element is, as a graph that the nests evaluate.

    y = sin(x[1:]) * 2.0    ->    Apply("multiply", Apply("sin", Select(Stored("x"), i -> i + 1)), Fill(2.0))

A node has a dtype and one `Length` for every axis.  `Stored` alone is in memory; all others cost nothing until a nest
asks for their elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache
from itertools import islice
from typing import TypeAlias

import gast

from .. import syntax
from ..diagnostics import InternalError, Span
from ..ops.schema import OPERATORS
from ..records import dataclass
from ..tuning import LIGHT_LOADS, LIGHT_WORK
from ..types import Array, Extent, Scalar, is_plain
from .arithmetic import ZERO

Index: TypeAlias = Sequence[gast.expr]


@cache
def _scalar(dtype: str, weak: bool) -> Scalar:
    return Scalar(dtype, weak)


@dataclass(frozen=True, slots=True)
class ScalarTree:
    """A scalar expression.  `bare` says that the tree is a Python number although a NumPy one is meant."""

    tree: gast.expr
    dtype: str
    weak: bool = False
    bare: bool = False

    @property
    def type(self) -> Scalar:
        return _scalar(self.dtype, self.weak)

    @property
    def is_solid(self) -> bool:
        """Whether the tree itself evaluates to a NumPy number."""
        return not (self.weak or self.bare)


@dataclass(frozen=True, slots=True)
class Length:
    """A length: the dimension it is known as, and an int that is equal to it, or negative where it is zero.

    `one_of` is there for a slice of at most one element, `x[:1]`: the length of the axis that it was taken from.
    `is_refused` says that the allocation raises where the int is negative.
    """

    extent: Extent
    tree: gast.expr
    may_be_negative: bool = False
    one_of: Extent | None = None
    is_refused: bool = False

    @property
    def clamped(self) -> gast.expr:
        is_exact = self.is_refused or is_plain(self.extent) and not self.may_be_negative
        return self.tree if is_exact else syntax.call("maximum", self.tree, ZERO)

    @property
    def is_one(self) -> bool:
        return isinstance(self.extent, int) and self.extent == 1

    @property
    def is_single(self) -> bool:
        """Whether there is no element but the first."""
        return self.one_of is not None or self.is_one


ONE_LONG = Length(1, syntax.constant(1))


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """The elements of an array variable."""

    name: str
    type: Array
    lengths: tuple[Length, ...]

    @property
    def dtype(self) -> str:
        return self.type.dtype


@dataclass(frozen=True, slots=True, eq=False)
class Fill:
    """One scalar everywhere; as an operand of its own it has no axes."""

    value: ScalarTree
    lengths: tuple[Length, ...] = ()

    @property
    def dtype(self) -> str:
        return self.value.dtype


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """A function of the indices alone, such as `arange`; `names` are the scalars it reads."""

    element: Callable[[Index], ScalarTree]
    names: frozenset[str]
    dtype: str
    lengths: tuple[Length, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Apply:
    """An elementwise operator, its operands aligned at the last axis."""

    operator: str
    operands: tuple[Node, ...]
    static: Mapping[str, object]
    type: Scalar
    lengths: tuple[Length, ...]
    span: Span | None = None
    inlined: tuple[Span, ...] = ()
    can_raise: bool = False

    @property
    def dtype(self) -> str:
        return self.type.dtype


@dataclass(frozen=True, slots=True)
class Along:
    """`offset + step * index[axis]`."""

    axis: int
    offset: gast.expr = field(default_factory=lambda: ZERO)
    step: int = 1


@dataclass(frozen=True, slots=True)
class At:
    """One index."""

    tree: gast.expr


@dataclass(frozen=True, slots=True)
class Through:
    """The element of an index array, whose axes end at the result's axis `last` (exclusive)."""

    indices: Node
    last: int


Pick: TypeAlias = Along | At | Through


@dataclass(frozen=True, slots=True)
class Recipe:
    """The view statement that shows the same elements: `source[items]` or `transpose(source, axes)`."""

    items: tuple[gast.expr, ...] | None = None
    axes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Select:
    """Elements of another node, one pick for each of its axes."""

    source: Node
    picks: tuple[Pick, ...]
    lengths: tuple[Length, ...]
    recipe: Recipe | None = None
    span: Span | None = None
    inlined: tuple[Span, ...] = ()
    can_raise: bool = False

    @property
    def dtype(self) -> str:
        return self.source.dtype


@dataclass(frozen=True, slots=True, eq=False)
class Masked:
    """The elements where a mask is true, one after the other: folds take them where they stand.

    `write` puts them into memory, for whatever else asks for them.
    """

    source: Stored
    mask: Node
    lengths: tuple[Length, ...]
    write: Callable[[], Stored]

    @property
    def dtype(self) -> str:
        return self.source.dtype


Node: TypeAlias = Stored | Fill | Grid | Apply | Select | Masked
Resolve: TypeAlias = Callable[[Node], Node]


def rank(node: Node) -> int:
    return len(node.lengths)


def operands_of(node: Node) -> tuple[Node, ...]:
    match node:
        case Stored() | Fill() | Grid():
            return ()
        case Apply():
            return node.operands
        case Select():
            return (node.source, *(p.indices for p in node.picks if isinstance(p, Through)))
        case Masked():
            return (node.source, node.mask)
    raise InternalError("loops", str(node), "not a node")


def nodes_below(node: Node, resolve: Resolve) -> Iterator[Node]:
    """The node and all it is made of, each once, as far as they are not in memory."""
    seen: set[Node] = set()
    stack = [node]
    while stack:
        top = resolve(stack.pop())
        if top not in seen:
            seen.add(top)
            yield top
            stack.extend(reversed(operands_of(top)))


def graph_size(node: Node, limit: int, resolve: Resolve, sizes: dict[Node, int]) -> int:
    """How many nodes it is made of, itself included, as far as they are not in memory; at most `limit`.

    `sizes` has bounds of those asked for before.  What is shared is counted again and again at first, which gives a
    bound; only where that says too much are the nodes looked at one by one.
    """
    node = resolve(node)
    bound = sizes.get(node)
    if bound is None:
        bound = 1 + sum(graph_size(operand, limit, resolve, sizes) for operand in operands_of(node))
    if bound >= limit:
        bound = len(list(islice(nodes_below(node, resolve), limit)))
    sizes[node] = bound
    return bound


def arrays_read(node: Node, resolve: Resolve) -> set[str]:
    """The variables whose elements its elements are made of."""
    return {n.name for n in nodes_below(node, resolve) if isinstance(n, Stored)}


def names_read(node: Node, resolve: Resolve) -> set[str]:
    """Every variable that evaluating it reads: arrays, scalars and what its lengths are computed from."""
    found: set[str] = set()
    for part in nodes_below(node, resolve):
        for length in part.lengths:
            found.update(syntax.names_read(length.tree))
        match part:
            case Stored(name=name):
                found.add(name)
            case Fill(value=value):
                found.update(syntax.names_read(value.tree))
            case Grid(names=names):
                found |= names
            case Select(picks=picks):
                for pick in picks:
                    tree = pick.tree if isinstance(pick, At) else pick.offset if isinstance(pick, Along) else None
                    found.update(syntax.names_read(tree) if tree is not None else ())
    return found


# --- what an element costs -----------------------------------------------------------------------------------------

SIMPLE_WORK, SLOW_WORK, TRANSCENDENTAL_WORK = 1, 4, 20
WORK = {
    "free": 0, "light": SIMPLE_WORK, "slow": SLOW_WORK, "function": TRANSCENDENTAL_WORK, "special": TRANSCENDENTAL_WORK,
}  # fmt: skip


def work_of(node: Node) -> int:
    """What evaluating an element costs by itself, its operands left out."""
    if not isinstance(node, Apply):
        return 0
    if node.operator == "power" and _is_small_power(node.operands[1]):
        return SIMPLE_WORK
    return work_of_operator(node.operator)


def work_of_operator(operator: str) -> int:
    row = OPERATORS.get(operator)
    return TRANSCENDENTAL_WORK if row is None else WORK[row.work]


def _is_small_power(exponent: Node) -> bool:
    if not (isinstance(exponent, Fill) and isinstance(exponent.value.tree, gast.Constant)):
        return False
    return exponent.value.tree.value in (1, 2, 3)


def is_heavy(node: Node, resolve: Resolve) -> bool:
    """Whether an element is better kept than computed again: by arithmetic, or by the arrays it is read from."""
    work = loads = 0
    for part in nodes_below(node, resolve):
        work += work_of(part)
        loads += isinstance(part, Stored) and rank(part) > 0
        if work > LIGHT_WORK or loads > LIGHT_LOADS:
            return True
    return False


def is_plain_access(node: Node, resolve: Resolve) -> bool:
    """Whether an element is one load, or no load at all: nothing is saved by keeping it."""
    return all(work_of(p) == 0 and not _is_gather(p) for p in nodes_below(node, resolve))


def _is_gather(node: Node) -> bool:
    return isinstance(node, Select) and any(isinstance(p, Through) for p in node.picks)
