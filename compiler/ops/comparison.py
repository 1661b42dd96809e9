"""Rows: comparison, logic and bits.  None of them has a derivative."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..dtypes import BOOL_WORD, DTYPE_OF_NUMPY, NUMPY_DTYPE, is_bool
from ..types import Type
from . import intervals
from .in_kernels import InKernels, as_named, called, signed
from .kinds import elementwise, infix, prefix
from .raising import on_python
from .schema import OPERATORS, Precedence, TypeFault
from .type_rules import (
    all_weak,
    from_numpy,
    numeric,
    python_bits,
    python_bool,
    python_or,
    python_order,
    python_shift,
    words,
)
from .works_in import as_common, as_floats, as_it_is

for _name, _sign, _meaning, _negation, _pairs in (
    ("equal", "==", operator.eq, "not_equal", "{x} == {y}"),
    ("not_equal", "!=", operator.ne, "equal", "{x} != {y}"),
    ("less", "<", operator.lt, "greater_equal", "complex_less({x}, {y})"),
    ("less_equal", "<=", operator.le, "greater", "complex_less_equal({x}, {y})"),
    ("greater", ">", operator.gt, "less_equal", "complex_less({y}, {x})"),
    ("greater_equal", ">=", operator.ge, "less", "complex_less_equal({y}, {x})"),
):
    _python = python_bool if _sign in ("==", "!=") else python_order
    infix(_name, _sign, Precedence.COMPARE, works_in=as_common, meaning=_meaning, samples="pairs", negation=_negation,
          of_complex="own", cuda=signed(f"{{x}} {_sign} {{y}}", truths=f"{{x}} {_sign} {{y}}", pairs=_pairs),
          type=python_or(_python, getattr(np, _name)), interval=getattr(intervals, _name),
          partials=[None, None])  # fmt: skip

for _question, _of_complex in ((np.isnan, "either"), (np.isinf, "either"), (np.isfinite, "both"), (np.signbit, "")):
    elementwise(_question.__name__, "x", work="light", works_in=as_floats, meaning=_question, samples="reals",
                of_complex=_of_complex, type=from_numpy(_question), partials=[None],
                cuda=as_named(_question.__name__, pairs=_of_complex and f"complex_{_question.__name__}({{x}})"),
                )  # fmt: skip


def bools_only(name: str, types: Sequence[Type]) -> tuple[str, bool]:
    """bool of bools.  `and` of other values gives one of them in Python: the caller takes their truth first."""
    numeric(name, types)
    if any(not is_bool(t.dtype) for t in types):  # type: ignore[union-attr]
        raise TypeFault("T001", f"`{name}` takes bools here, not {words(types)}")
    return BOOL_WORD, all_weak(types) and name != "logical_xor"


def _either(python, numpy):
    """Python's operator on Python's scalars, NumPy's function on everything else."""
    return lambda *xs: numpy(*xs) if any(isinstance(x, np.ndarray | np.generic) for x in xs) else python(*xs)


elementwise("logical_and", "x, y", work="light", meaning=_either(lambda x, y: x and y, np.logical_and), type=bools_only,
            scalar_spelling="({x} and {y})", conjoins=True, lazy=(1,), samples="truths",
            cuda=InKernels("", truths="{x} and {y}"),
            partials=[None, None], python=())  # fmt: skip
elementwise("logical_or", "x, y", work="light", meaning=_either(lambda x, y: x or y, np.logical_or), type=bools_only,
            scalar_spelling="({x} or {y})", conjoins=False, lazy=(1,), samples="truths",
            cuda=InKernels("", truths="{x} or {y}"),
            partials=[None, None], python=())  # fmt: skip
elementwise("logical_not", "x", work="light", meaning=_either(operator.not_, np.logical_not), type=bools_only,
            scalar_spelling="(not {x})",
            cuda=InKernels("", truths="not {x}"), samples="truth", partials=[None], python=())  # fmt: skip
elementwise("logical_xor", "x, y", work="light", meaning=np.logical_xor, type=bools_only, samples="truths",
            cuda=InKernels("", truths="{x} != {y}"), partials=[None, None], python=())  # fmt: skip

infix("bitwise_and", "&", Precedence.BIT_AND, meaning=operator.and_, samples="bits", interval=intervals.masked,
      cuda=signed("{x} & {y}", truths="{x} & {y}"),
      type=python_or(python_bits, np.bitwise_and), partials=[None, None])  # fmt: skip
infix("bitwise_or", "|", Precedence.BIT_OR, meaning=operator.or_, samples="bits",
      cuda=signed("{x} | {y}", truths="{x} | {y}"),
      type=python_or(python_bits, np.bitwise_or), partials=[None, None])  # fmt: skip
infix("bitwise_xor", "^", Precedence.BIT_XOR, meaning=operator.xor, samples="bits",
      cuda=signed("{x} ^ {y}", truths="{x} ^ {y}"),
      type=python_or(python_bits, np.bitwise_xor), partials=[None, None])  # fmt: skip
infix("left_shift", "<<", Precedence.SHIFT, raises=on_python, meaning=operator.lshift, samples="shifts",
      cuda=called("left_shift", "x, y"),
      type=python_or(python_shift, np.left_shift), python=("numpy.left_shift", "numpy.bitwise_left_shift"),
      partials=[None, None])  # fmt: skip
infix("right_shift", ">>", Precedence.SHIFT, raises=on_python, meaning=operator.rshift, samples="shifts",
      cuda=called("right_shift", "x, y"),
      type=python_or(python_shift, np.right_shift), python=("numpy.right_shift", "numpy.bitwise_right_shift"),
      partials=[None, None])  # fmt: skip
prefix("invert", "~", meaning=operator.inv, samples="bits_alone", cuda=signed("~{x}", truths="not {x}"),
       type=python_or(python_shift, np.invert), python=("numpy.invert", "numpy.bitwise_not", "numpy.bitwise_invert"),
       partials=[None])  # fmt: skip


def turned_round(name: str) -> str:
    """The order that holds of two where this one holds of the second and the first."""
    row = OPERATORS[name]
    (found,) = (
        other.name for other in OPERATORS.values()
        if other.is_order and other.takes_least != row.takes_least and other.is_strict == row.is_strict
    )  # fmt: skip
    return found


def of_truths(name: str) -> str:
    """The row of `and` or `or` that an operator is on truths; empty where it is neither."""
    row = OPERATORS.get(name)
    if row is None or len(row.operands) != 2 or row.precedence is None:
        return ""
    pairs = [(a, b) for a in (False, True) for b in (False, True)]
    for other in OPERATORS.values():
        if other.conjoins is not None and row.cuda is not None and row.cuda.truths:
            if all(bool(row.meaning(*pair)) == bool(other.meaning(*pair)) for pair in pairs):
                return other.name
    return ""


# --- floats as they are stored --------------------------------------------------------------------------------------

STORED_AS = {"f64": "i64", "f32": "i32"}


def as_stored(words: Mapping[str, str], what: str) -> Callable[..., tuple[str, bool]]:
    """The dtype of the same size that shares the bits of an element."""

    def rule(name: str, types: Sequence[Type]) -> tuple[str, bool]:
        numeric(name, types)
        found = types[0].dtype  # type: ignore[union-attr]
        if found not in words:
            raise TypeFault("T001", f"`{name}` takes {what}, not {found}")
        return words[found], False

    return rule


def sharing_bits(words: Mapping[str, str]) -> Callable[[object], object]:
    """What it is in CPython."""

    def meaning(x: object) -> object:
        given = np.asarray(x)
        word = words.get(DTYPE_OF_NUMPY.get(given.dtype, ""))
        if word is None:
            raise TypeError(f"the bits of {given.dtype} are not read here")
        return given.view(NUMPY_DTYPE[word])[()]

    return meaning


READ_AS = {word: stored for stored, word in STORED_AS.items()}
elementwise("bits", "x", work="free", works_in=as_it_is, meaning=sharing_bits(STORED_AS), samples="stopped",
            partials=[None], type=as_stored(STORED_AS, "float64 and float32"), spelling="pellucid.support.bits({x})",
            python=())  # fmt: skip
elementwise("of_bits", "x", work="free", works_in=as_it_is, meaning=sharing_bits(READ_AS), samples="stored",
            partials=[None], type=as_stored(READ_AS, "int64 and int32"),
            spelling="pellucid.support.of_bits({x})", python=())  # fmt: skip
