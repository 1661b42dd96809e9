"""Spell expressions of the loops stage as numba-cuda takes them: NumPy's dtypes as casts, checks as device functions.

    add(x[i], 2.0)          x: f32      ->     x[i] + np.float32(2.0)
    add(k[i], k[j])         k: i32      ->     np.int32(k[i] + k[j])       Numba adds them as i64
    out[t]                  t: any int  ->     out[index(t, out.shape[0], failed)]

What an operator gives is asked of its row; what Numba makes of it follows from the dtypes that it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gast
import numpy as np

from ... import syntax
from ...analysis.expression_types import joined, result_of, type_of, works_in
from ...analysis.integers.range_state import BACK, FRONT, NATURAL
from ...analysis.integers.ranges import ranges
from ...analysis.result_types import result_type
from ...dtypes import (
    BOOL_WORD,
    COMPLEX_WORD,
    FLOAT_WORD,
    INT_WORD,
    NUMPY_DTYPE,
    is_bool,
    is_complex,
    is_inexact,
    is_integer,
    part_of,
)
from ...ops import schema
from ...program import Function
from ...types import Array, Scalar
from ..python.templates import attribute, parse_spelling

KEEPS_SIZE = frozenset({"f32", "f64", "i64", "u64", "c64", "c128"})  # dtypes whose sums, in Numba, have the same
FAILED = "failed"
HALF = "f16"  # Numba loads, stores and casts it; its arithmetic is C++ that kernels cannot call


class Unmappable(Exception):
    """A statement that no kernel can have, and why, in words for `explain`."""


class Speller:
    """Spells expressions of one function for kernels.

    `read` is called with every name that is read and gives the tree that stands for it; `fail` is told that a check was
    written, and gives the name of the fault word.
    """

    def __init__(
        self, function: Function, read: Callable[[str], gast.expr], fail: Callable[[], str],
        need: Callable[[str], str],
    ) -> None:  # fmt: skip
        self.function, self.types = function, function.types
        self.ranges = ranges(function)
        self.read, self.fail, self.need = read, fail, need
        self.loaded: dict[int, gast.expr] = {}  # what stands for elements that have been loaded, by their nodes

    # --- types

    def type_of(self, node: gast.expr) -> Scalar:
        found = result_type(node, self.types)
        if not isinstance(found, Scalar):
            raise Unmappable("a whole array, or what is not known, stands in an expression")
        found = type_of(node, self.types)
        assert isinstance(found, Scalar)
        return found

    # --- values

    def operand(self, node: gast.expr, dtype: str) -> gast.expr:
        """An expression in the dtype in which it is computed with."""
        return self.as_dtype(node, dtype) if dtype != HALF else widened(self.as_dtype(node, HALF))

    def as_dtype(self, node: gast.expr, dtype: str) -> gast.expr:
        """An expression in a dtype."""
        if isinstance(node, gast.Constant):
            return constant(node.value, dtype)
        source = self.type_of(node)
        made = self.expression(node)
        if source.dtype == dtype:
            return made
        if source.dtype == HALF and not is_inexact(dtype):
            made = widened(made)
        if is_complex(source.dtype) and not is_complex(dtype):
            if is_bool(dtype):
                return gast.Compare(made, [gast.NotEq()], [constant(0, source.dtype)])
            made = gast.Attribute(made, "real", gast.Load())
            return made if part_of(source.dtype) == dtype else cast(made, dtype)
        if source.weak and is_integer(dtype):
            made = self.as_python_int(made, source.dtype, dtype)
        return made if dtype == INT_WORD and source.weak else cast(made, dtype, is_bool(source.dtype))

    def as_python_int(self, made: gast.expr, source: str, dtype: str) -> gast.expr:
        """A number of Python's that goes to ints of NumPy's: one that they do not hold is noted."""
        if is_bool(source):
            return cast(made, INT_WORD)
        if is_inexact(source):
            made = self.noting("checked_int", made)
        if dtype == INT_WORD:
            return made
        held, ints = np.iinfo(NUMPY_DTYPE[dtype]), np.iinfo(NUMPY_DTYPE[INT_WORD])
        least, greatest = (syntax.constant(min(max(int(n), ints.min), ints.max)) for n in (held.min, held.max))
        return self.noting("checked_fit", made, least, greatest)

    def noting(self, helper: str, *operands: gast.expr) -> gast.expr:
        """A call of a function that notes where CPython raises."""
        return gast.Call(syntax.name(self.need(helper)), [*operands, syntax.name(self.fail())], [])

    def expression(self, node: gast.expr) -> gast.expr:
        """An expression in the dtype that it has."""
        match node:
            case gast.Constant(value=value):
                return constant(value, self.type_of(node).dtype)
            case gast.Name(id=name):
                self.type_of(node)
                return self.read(name)
            case gast.Subscript():
                self.type_of(node)
                return self.element(node)
            case gast.IfExp(test=test, body=body, orelse=orelse):
                dtype = joined(self.type_of(body), self.type_of(orelse)).dtype
                return gast.IfExp(self.test(test), self.as_dtype(body, dtype), self.as_dtype(orelse, dtype))
            case gast.BoolOp(op=op, values=values):
                return gast.BoolOp(op, [self.test(v) for v in values])
            case gast.Call(func=gast.Name(id=operator)):
                return self.call(operator, node)
        raise Unmappable(f"`{type(node).__name__}` has no kernels")

    def test(self, node: gast.expr) -> gast.expr:
        type_ = self.type_of(node)
        made = self.expression(node)
        return made if is_bool(type_.dtype) else self.as_dtype(node, BOOL_WORD)

    def call(self, operator: str, node: gast.Call) -> gast.expr:
        if operator == "dim":
            return length(self.read(node.args[0].id), int(syntax.static_of(node)["axis"]))
        if operator == "cast":
            return self.cast(node)
        row = schema.OPERATORS.get(operator)
        if row is None or row.kind != "elementwise":
            raise Unmappable(f"`{operator}` has no kernels")
        sources = tuple(self.type_of(a) for a in node.args)
        result = result_of(operator, sources)
        self.type_of(node)
        words = works_in(operator, sources)
        values = [self.operand(a, word) for a, word in zip(node.args, words, strict=True)]
        made, has = self.operation(row, node, values, words[-1], result.dtype)
        return made if has == result.dtype else cast(made, result.dtype, has == BOOL_WORD)

    def operation(
        self, row: schema.Operator, node: gast.Call, values: list[gast.expr], word: str, result: str
    ) -> tuple[gast.expr, str]:
        """An operator on values of a dtype, and the dtype that Numba gives it; empty where that is none of theirs."""
        if row.domain is not None:
            return self.of_math(row, values), FLOAT_WORD
        sources = tuple(self.type_of(a) for a in node.args)
        may_raise = self.may_raise(row, node, sources)
        cuda = row.cuda
        is_pythons = all(s.weak for s in sources)
        spelling = "" if cuda is None else cuda.checked_of(word) if may_raise else cuda.of(word, is_pythons)
        if row.name == "power" and may_raise and not is_pythons:
            spelling = ""  # the check is of Python's ints: a power of NumPy's wraps, and raises for its exponent alone
        if cuda is None or not spelling:
            of_truths = " of truths" if is_bool(word) else ""
            raise Unmappable(f"`{row.name}`{' may raise there' if may_raise else f'{of_truths} has no kernels'}")
        if row.name != "power" and (is_complex(word) or is_complex(result)):
            return self.filled(spelling, row, values), result  # Numba computes in their sizes
        if row.name == "power" and not may_raise and (product := self.product(node, values[0])) is not None:
            return product, word if word in KEEPS_SIZE else ""
        made = self.filled(spelling, row, values)
        if is_bool(result):
            return made, BOOL_WORD
        if word == HALF:
            return made, computed_in(HALF)
        if is_inexact(result) and not is_inexact(word):
            return made, FLOAT_WORD  # a quotient of ints
        return made, word if word in KEEPS_SIZE or cuda.keeps else ""

    def of_math(self, row: schema.Operator, values: list[gast.expr]) -> gast.expr:
        """A function of `math`: what it raises for is seen from the result."""
        assert row.domain is not None
        numpy = schema.OPERATORS[row.domain.numpy]
        if numpy.cuda is None:
            raise Unmappable(f"`{row.name}` has no kernels")
        made = self.filled(numpy.cuda.of(FLOAT_WORD), numpy, values)
        return self.noting("checked" if len(values) == 1 else "checked_of_two", made, *values)

    def product(self, node: gast.Call, base: gast.expr) -> gast.expr | None:
        """A square or a cube as products, which NumPy has too; None for other powers, and cubes of complex numbers: one
        of zero has no signs.
        """
        exponent = node.args[1]
        number = exponent.value if isinstance(exponent, gast.Constant) else None
        if number == 3 and is_complex(self.type_of(node).dtype):
            return None
        if number in (2, 3) and isinstance(base, gast.Name | gast.Subscript):
            product = gast.BinOp(base, gast.Mult(), base)
            return product if number == 2 else gast.BinOp(product, gast.Mult(), base)
        return gast.Call(syntax.name(self.need("square")), [base], []) if number == 2 else None

    def may_raise(self, row: schema.Operator, node: gast.Call, sources: tuple[Scalar, ...]) -> bool:
        """Whether CPython may raise for these operands, by the row and what is known of the numbers."""
        if all(s.weak for s in sources) and not any(is_inexact(s.dtype) for s in sources):
            if row.is_polynomial and row.cuda is not None and row.cuda.checked:
                return id(node) not in self.ranges.fits
        if not row.raises(sources, {}):
            return False
        if row.name == "power":
            if any(is_complex(s.dtype) for s in sources):
                return True  # too large a result of Python's raises
            if all(s.weak for s in sources):
                return id(node) not in self.ranges.fits
            return not isinstance(node.args[1], gast.Constant) or node.args[1].value < 0
        return id(node) not in self.ranges.nonzero and not _is_not_zero(node.args[-1])

    def cast(self, node: gast.Call) -> gast.expr:
        static = syntax.static_of(node)
        target = self.type_of(node)
        source = self.type_of(node.args[0])
        if isinstance(node.args[0], gast.Constant) and is_inexact(target.dtype):
            return strong(node.args[0].value, target)
        if static.get("weak") and is_inexact(source.dtype) and is_integer(target.dtype):
            return self.noting("checked_int", self.operand(node.args[0], source.dtype))
        if static.get("weak") and source.dtype == "u64" and target.dtype == INT_WORD:
            return self.noting("checked_signed", self.expression(node.args[0]))
        made = self.as_dtype(node.args[0], target.dtype)
        return made if source.dtype != target.dtype or target.weak else cast(made, target.dtype)

    def filled(self, spelling: str, row: schema.Operator, values: list[gast.expr]) -> gast.expr:
        holes: dict[str, gast.expr] = dict(zip(row.operands, values))
        if "{failed}" in spelling:
            holes["failed"] = syntax.name(self.fail())
        tree = parse_spelling(spelling)
        return _substitute(tree, {f"__{k}__": v for k, v in holes.items()}, self.need)

    # --- elements

    def element(self, node: gast.Subscript) -> gast.expr:
        """An element, its indices natural and in bounds."""
        if id(node) in self.loaded:
            return self.loaded[id(node)]
        base = node.value.id
        type_ = self.types[base]
        if not isinstance(type_, Array):
            raise Unmappable(f"`{base}` is {type_}")
        items = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        if len(items) != type_.ndim or any(isinstance(i, gast.Slice) for i in items):
            raise Unmappable(f"a part of `{base}` is read as a whole")
        array = self.read(base)
        indices = [self.index(node, array, item, axis) for axis, item in enumerate(items)]
        place = indices[0] if len(indices) == 1 else gast.Tuple(indices, gast.Load())
        return gast.Subscript(array, place, gast.Load())

    def index(self, node: gast.Subscript, array: gast.expr, item: gast.expr, axis: int) -> gast.expr:
        known = self.ranges.of(node, axis)
        if is_bool(self.type_of(item).dtype):
            raise Unmappable("a truth is an index")
        made = self.as_dtype(item, INT_WORD) if isinstance(item, gast.Constant) else self.expression(item)
        if known == FRONT:
            return made
        if known == BACK:
            return _from_the_end(made, length(array, axis))
        word = "natural_index" if known == NATURAL else "index"
        return self.noting(word, made, length(array, axis))


# --- trees -----------------------------------------------------------------------------------------------------------


def length(array: gast.expr, axis: int) -> gast.expr:
    return gast.Subscript(gast.Attribute(array, "shape", gast.Load()), syntax.constant(axis), gast.Load())


def _from_the_end(index: gast.expr, length_: gast.expr) -> gast.expr:
    """`n - 1` for the index -1."""
    match index:
        case gast.Constant(value=int() as value):
            return gast.BinOp(length_, gast.Sub(), syntax.constant(-value))
        case gast.UnaryOp(op=gast.USub(), operand=inner):
            return gast.BinOp(length_, gast.Sub(), inner)
    return gast.BinOp(length_, gast.Add(), index)


def constant(value: Any, dtype: str) -> gast.expr:
    """A number in a dtype; Numba takes a literal for float64, int64 or a truth."""
    if is_bool(dtype):
        return syntax.constant(bool(value))
    if is_complex(dtype):
        pair = syntax.constant(complex(value))
        return pair if dtype == COMPLEX_WORD else cast(pair, dtype)
    if isinstance(value, complex):
        value = value.real
    if dtype == HALF:
        rounded = float(np.float16(value))
        return cast(cast(number(rounded), computed_in(HALF)), HALF)
    if is_inexact(dtype):
        made = number(float(value))
        return made if dtype == FLOAT_WORD else cast(made, dtype)
    if int(value) != value:
        raise Unmappable(f"{value} is no int")
    fits = np.iinfo(NUMPY_DTYPE[dtype])
    if not fits.min <= value <= fits.max:
        raise Unmappable(f"{value} is too large for {dtype}")
    made = syntax.constant(int(value))
    return made if dtype == INT_WORD else cast(made, dtype)


def strong(value: Any, type_: Scalar) -> gast.expr:
    """A number of NumPy's: in CPython 1.0 / 0.0 raises, and np.float64(1.0) / 0.0 does not."""
    if type_.dtype == HALF:
        return constant(value, HALF)
    made = syntax.constant(complex(value)) if is_complex(type_.dtype) else number(float(value.real))
    return made if type_.weak else cast(made, type_.dtype)


def number(value: float) -> gast.expr:
    if value != value:
        return attribute("math.nan")
    if value in (float("inf"), -float("inf")):
        infinite = attribute("math.inf")
        return infinite if value > 0 else gast.UnaryOp(gast.USub(), infinite)
    return syntax.constant(value)


def cast(made: gast.expr, dtype: str, of_truth: bool = False) -> gast.expr:
    if is_bool(dtype):
        return made if of_truth else gast.Compare(made, [gast.NotEq()], [syntax.constant(0)])
    return gast.Call(attribute(f"np.{NUMPY_DTYPE[dtype].name}"), [made], [])


def computed_in(dtype: str) -> str:
    """The dtype in which kernels compute with numbers of one: float16 is for memory, as on a CPU."""
    return "f32" if dtype == HALF else dtype


def widened(made: gast.expr) -> gast.expr:
    """A float16 as the float32 that is computed with; of a constant without the way there and back."""
    word = NUMPY_DTYPE[computed_in(HALF)].name
    match made:
        case gast.Call(func=gast.Attribute(attr="float16"), args=[gast.Call(args=[gast.Constant()]) as wide]):
            return wide
    return gast.Call(attribute(f"np.{word}"), [made], [])


def _is_not_zero(node: gast.expr) -> bool:
    return isinstance(node, gast.Constant) and bool(node.value)


def _substitute(node: Any, holes: Mapping[str, gast.expr], need: Callable[[str], str]) -> Any:
    if isinstance(node, gast.Name):
        return holes.get(node.id, node)
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id not in ("abs", "complex"):
        node = syntax.rebuild(node, func=syntax.name(need(node.func.id)))
    changes: dict[str, Any] = {}
    for field in node._fields:
        old = getattr(node, field, None)
        if isinstance(old, list):
            changes[field] = [_substitute(o, holes, need) if isinstance(o, gast.AST) else o for o in old]
        elif isinstance(old, gast.expr):
            changes[field] = _substitute(old, holes, need)
    return syntax.rebuild(node, **changes) if changes else node
