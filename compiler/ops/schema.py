"""What an operator is: one row of a table, and the kinds that rows come in.

A row says only what is particular to its operator; its kind carries broadcasting, the folding of cotangents to the
operand's shape, and batching.  A row that lacks a field its kind needs fails here, at import.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from enum import IntEnum
from typing import Any

from ..records import dataclass
from ..types import Type
from .in_kernels import InKernels
from .raising import Domain, Raises, never
from .sharing import SHARING
from .works_in import WorksIn, as_result

KINDS = ("elementwise", "reduction", "creation", "structural", "contraction", "library", "collective")
TOGETHER, EACH = "together", "each"
LINEAR = {"structural": TOGETHER, "creation": TOGETHER, "contraction": EACH}
WORK = ("free", "light", "slow", "function", "special")

TypeRule = Callable[..., Type]


class Precedence(IntEnum):
    """How tightly a spelling binds, loosest first, as in the Python grammar."""

    TEST = 1
    OR = 2
    AND = 3
    NOT = 4
    COMPARE = 5
    BIT_OR = 6
    BIT_XOR = 7
    BIT_AND = 8
    SHIFT = 9
    SUM = 10
    TERM = 11
    PREFIX = 12
    POWER = 13
    ATOM = 14


class TypeFault(Exception):
    """A type rule refuses its operands.  `code` is a diagnostic code (T001, S001, ...), `help` are ways out."""

    def __init__(self, code: str, message: str, *help: str) -> None:
        super().__init__(message)
        self.code, self.message, self.help = code, message, help


@dataclass(frozen=True, slots=True)
class Fold:
    """How a reduction takes its elements together, one after the other.

    combine      the elementwise row that takes in the next one; a comparison where the position of the best is wanted
    start        the value before the first, in a dtype
    name         what generated code calls the value so far
    keeps_order  floats are combined in NumPy's order: in another one they might overflow
    compensated  floats are added so that the error does not grow with their number
    """

    combine: str
    start: Callable[[str], object]
    name: str
    keeps_order: bool = False
    compensated: bool = False


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator.

    name        what the trees call it
    kind        one of KINDS
    operands    names of its operands in order; a last one written `*xs` takes any number
    static      static keywords and their defaults (`...` where required)
    type_rule   (operand types, static values) -> result type; raises TypeFault; a `shape` is a tuple of Extents
    meaning     the NumPy function that defines it, called as meaning(*operands, **static) in tests and generated files
    spelling    how it is printed: `{x} + {y}`, `np.sin({x})`
    precedence  a Precedence when the spelling is an infix or prefix form; None for call forms
    scalar_spelling   the form to print when every operand is a scalar, where it differs: `({x} if {c} else {y})`
    vjp         per operand: a function (builder, operands, static, out, out_bar) -> atom, or None where the operator is
                locally constant.  A row of any number of operands gives one function, which also takes the keyword
                `position`.  Elementwise rows give partials instead.
    linear      the tangent of the result is the operator itself, of tangents: TOGETHER, of the tangents of all operands
                that have one and zeros for the others; EACH, of one after the other beside the other operands, and
                these added up.  By default what LINEAR says of the kind
    jvp         of a row that is not linear: a function (builder, operands, tangents, static, out) -> atom, of several
                results a tuple of them; a tangent that is zero is None.  Elementwise rows have it from partials
    series      of a row whose jvp is more than a straight line of statements: a function (builder, operands, terms,
                static) that gives the derivative along a curve, of the highest order of those given of operands
    partials    elementwise: per operand the partial derivative as source in operand names and `out`; or `vjp: ` and the
                source of the whole cotangent, linear in `out_bar`; or a function as in `vjp`; or None
    is_for_derivatives   its first operand stands for the result once all derivatives are taken
    is_even     elementwise: the derivative is the same everywhere, where partials that are numbers do not say so
    taken       of a row that chooses among its operands or their elements: per operand the condition under which it is
                taken, as source, or as a function (builder, operands, static, out) that gives the atom; None for one
                that is not chosen.  A value that is not taken has no cotangent, be its slope nan
    jumps       the result jumps at points where no slope says so: what is left of a division
    cpu         elementwise: the function that computes it on floats: an intrinsic, `llvm floor`, one of C's library,
                `c asin`, or SciPy's, `scipy gammaln`, also one result of several, `scipy sici 0 of 2`; where there
                is none the target has an emitter of the row's name
    cuda        elementwise: how it is written in kernels; None where it has none
    domain      of a function of `math`: where it raises
    raises      on which operands it raises what CPython raises, lengths that do not fit left aside: a rule of `raising`
    works_in    elementwise: the dtypes that its function takes single numbers in, a rule of `works_in`
    of_complex  elementwise: how it takes complex numbers: by a function of C's library, `c cexp`, each part by itself,
                `parts`, by whether `either` or `both` of the parts have it, or by an emitter of its own, `own`;
                empty where it does not.  Rows of other kinds that only move and add elements always do
    work        what one element costs, a word of WORK: a conversion, an instruction, a division or root, a function, or
                one that is computed by a series
    is_light    whether making the result again costs less than keeping it, in the backward sweep
    is_polynomial   a sum, difference, product or sign: the meaning, Python's own operator, holds for affine forms too
    undoes      of a quotient `out = x / y`: the row of the product for which x = out * y
    is_exact    its floats are the same to the last bit on every machine, as IEEE 754 has them
    natural     of ints: whether the result is never negative, given of which operands that is known (`all`, `any`)
    interval    of ints: the form of the result, or of a comparison what is never negative where it holds; a rule of
                `intervals`
    negation    of a comparison: the one that holds of ints where this one does not
    conjoins    of truths: the truth that the result has only if all operands have it
    collapses   what a call may be replaced by where its operand has its shape, or is a call of the same operator: a
                rule of `collapsing`
    lazy        the operands, by position, that Python evaluates only as others turn out, where all are its scalars
    routine     of a library row: the routine that computes it (`routines`), given the results ahead of the operands
    in_parts    of a library row: two rows that it is computed by where a derivative is taken, so that what the first
                makes of the first operand is made once; the second takes that and the other operands
    results     how many it has; of several, the type rule gives a tuple
    fold        of a reduction: how elements are taken together
    reorders    what terms that are combined in any order may change of a float result: `rounding`, `zeros` or nothing
    samples     a name of a sample set in `ops/samples.py`
    batch       the form for all examples at once, a rule of `batching`; None where its kind has one, or there is none
    across      of a collective: its form where the examples are those of its axis, a rule as in `batch`; that one has
                the form where they are those of another axis
    is_common   of a collective: whether it gives the same to all examples of its axis
    is_own      of a collective: whether it gives each example its own operand
    one         of a collective that gives all devices one value: the row whose derivative is that of one value
    marks       the operands, by position, whose values are not read, but whether they vary
    varies_as   of a row with marks: the operands that say whether derivatives take the result for one of each device
    of_parts    whether it is taken of each number and array in a container, instead of an array made of that
    shares      whether the result shares elements with the operands, a word of `sharing`
    copies      whether the result has the elements of the operand as they are
    python      a note on NumPy names that mean this operator, e.g. ("numpy.sin",)
    """

    name: str
    kind: str
    operands: tuple[str, ...]
    type_rule: TypeRule
    meaning: Callable[..., object]
    spelling: str
    static: Mapping[str, object] = field(default_factory=dict)
    precedence: int | None = None
    scalar_spelling: str = ""
    linear: str = ""
    jvp: Callable[..., Any] | None = None
    series: Callable[..., Any] | None = None
    partials: tuple[object, ...] = ()
    is_for_derivatives: bool = False
    is_even: bool = False
    taken: tuple[object, ...] = ()
    jumps: bool = False
    vjp: tuple[object, ...] = ()
    cpu: str = ""
    cuda: InKernels | None = None
    domain: Domain | None = None
    raises: Raises = never
    works_in: WorksIn = as_result
    of_complex: str = ""
    work: str = "function"
    is_light: bool = True
    is_polynomial: bool = False
    undoes: str = ""
    is_exact: bool = False
    natural: Callable[[Iterable[bool]], bool] | None = None
    interval: Callable[..., Any] | None = None
    negation: str = ""
    conjoins: bool | None = None
    collapses: Callable[..., Any] | None = None
    lazy: tuple[int, ...] = ()
    routine: str = ""
    in_parts: tuple[str, ...] = ()
    results: int = 1
    fold: Fold | None = None
    reorders: str = ""
    samples: str = ""
    batch: Callable[..., Any] | None = None
    across: Callable[..., Any] | None = None
    is_common: bool = False
    is_own: bool = False
    one: str = ""
    marks: tuple[int, ...] = ()
    varies_as: tuple[int, ...] = ()
    of_parts: bool = False
    shares: str = "copy"
    copies: bool = False
    python: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise TypeError(f"operator {self.name}: unknown kind {self.kind!r}")
        if self.kind == "elementwise" and len(self.partials) != len(self.operands):
            raise TypeError(f"operator {self.name}: an elementwise row needs one partial per operand")
        if self.kind in ("reduction", "structural", "contraction", "library") and not self.vjp:
            raise TypeError(f"operator {self.name}: a {self.kind} row needs vjp=")
        if self.kind != "elementwise" and any(self.vjp) and (self.linear == "") == (self.jvp is None):
            raise TypeError(f"operator {self.name}: a {self.kind} row that has a derivative needs linear= or jvp=")
        if self.linear not in ("", TOGETHER, EACH):
            raise TypeError(f"operator {self.name}: unknown linear={self.linear!r}")
        if self.kind == "library" and not self.routine:
            raise TypeError(f"operator {self.name}: a library row needs routine=")
        if self.kind == "reduction" and self.fold is None:
            raise TypeError(f"operator {self.name}: a reduction needs fold=")
        if self.work not in WORK:
            raise TypeError(f"operator {self.name}: unknown work={self.work!r}")
        if self.shares not in SHARING:
            raise TypeError(f"operator {self.name}: unknown shares={self.shares!r}")
        if not self.samples:
            raise TypeError(f"operator {self.name}: a row needs samples=")

    @property
    def is_comparison(self) -> bool:
        return self.precedence == Precedence.COMPARE

    @property
    def is_order(self) -> bool:
        """Whether it is a comparison that tells which of two is the less: `takes_least` says that it holds of the first
        where that is, and `is_strict` that it does not hold of equals.
        """
        return self.is_comparison and self.takes_least != bool(self.meaning(1, 0))

    @property
    def takes_least(self) -> bool:
        return bool(self.meaning(0, 1))

    @property
    def is_strict(self) -> bool:
        return not self.meaning(0, 0)

    @property
    def is_product(self) -> bool:
        """Whether each operand is the partial derivative by the other one."""
        return len(self.operands) == 2 and self.partials == self.operands[::-1]

    @property
    def is_sum(self) -> bool:
        """Whether it is a sum or a difference: then `sign` is that of the second term."""
        return self.precedence == Precedence.SUM

    @property
    def sign(self) -> int:
        return int(self.meaning(0, 1))  # type: ignore[call-overload]


OPERATORS: dict[str, Operator] = {}
BY_PYTHON_NAME: dict[str, Operator] = {}


def row_of(name: str | None) -> Operator | None:
    """The row of a name; None for what is no operator."""
    return OPERATORS.get(name or "")


def declare(operator: Operator) -> Operator:
    if operator.name in OPERATORS:
        raise TypeError(f"operator {operator.name} is declared twice")
    OPERATORS[operator.name] = operator
    for dotted in operator.python:
        BY_PYTHON_NAME[dotted] = operator
    return operator
