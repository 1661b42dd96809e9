"""Arrays as BLAS and LAPACK take them: by address, column after column, with flags and steps for their layout.

    c = a @ b of matrices     ->     letter, leading dimension and data of each; a copy where neither rows nor columns
                                     are contiguous

Everything is passed by address, and every int in 64 bits, of which a library whose ints have 32 reads the lower
half.
"""

from __future__ import annotations

from ...records import dataclass
from .abi import STORED
from .arrays import View, drop, strides_of, take_block
from .frame import Emission
from .matrix_helpers import copy, multiply
from .operands import NULL, SsaValue, int_

LENGTH_LIMIT = 2**31 - 1  # the library's ints may have 32 bits


@dataclass(frozen=True, slots=True)
class Lying:
    """A matrix or a vector as it lies, or a copy of it.

    letter    the variable that says whether the library sees a matrix transposed
    step      the address of the leading dimension, or of the step of a vector
    made      the variable of the buffer to drop
    """

    view: View
    data: SsaValue
    step: SsaValue
    made: SsaValue
    letter: SsaValue | None = None

    def drop(self, frame: Emission) -> None:
        drop(frame, frame.code.load("ptr", self.made))


def copied(frame: Emission, view: View) -> View:
    """A contiguous copy of a vector or matrix."""
    made = take_block(frame, view.dtype, view.dims)
    copy_into(frame, view, made)
    return made


def copied_by_columns(frame: Emission, view: View) -> View:
    return view if len(view.dims) < 2 else turned(frame, copied(frame, turned(frame, view)))


def copy_into(frame: Emission, source: View, target: View) -> None:
    """All elements of a vector or matrix, into another of the same lengths."""
    if len(source.dims) == 1:
        source, target = as_column(frame, source), as_column(frame, target)
    places = [part for view in (target, source) for part in (view.data, *strides_of(frame, view))]
    frame.code.call("void", copy(frame.module, STORED[source.dtype]), *source.dims, *places)


def as_column(frame: Emission, view: View) -> View:
    return View(view.dtype, view.owner, view.data, (*view.dims, int_(1)), (*strides_of(frame, view), int_(1)))


def turned(frame: Emission, matrix: View) -> View:
    return View(matrix.dtype, matrix.owner, matrix.data, matrix.dims[::-1], strides_of(frame, matrix)[::-1])


def place_of(frame: Emission, value: SsaValue) -> SsaValue:
    """A variable that holds a number."""
    variable = frame.code.variable(value.type, "operand")
    frame.code.store(value, variable)
    return variable


def matrix_as_it_lies(frame: Emission, view: View, only_by_rows: bool = False) -> Lying:
    """A matrix as a library that reads columns sees its transpose.

    Contiguous rows are its columns: `N`.  Contiguous columns are the transposed case: `T`.  Otherwise a copy, as
    of columns where the library shall see the transpose whatever comes.  An axis of length 1 has no stride to speak of.
    """
    code = frame.code
    rows, columns = view.dims
    row_step, column_step = strides_of(frame, view)
    one = int_(1)
    by_rows = code.binary("and", _is_unit(frame, column_step, columns), _is_leading(frame, row_step, rows, columns))
    by_columns = code.binary("and", _is_unit(frame, row_step, rows), _is_leading(frame, column_step, columns, rows))
    letter, leading = code.variable("i8", "letter", int_(0, "i8")), code.variable("i64", "leading", one)
    data, made = code.variable("ptr", "matrix", NULL), code.variable("ptr", "made", NULL)
    labels = [code.label(w) for w in ("rows", "other", "columns", "copy", "matrix_ready")]
    in_rows, other, in_columns, copy, ready = labels
    code.store(NULL, made)
    code.branch(by_rows, in_rows, other)
    cases = ((in_rows, "N", row_step, rows, columns), (in_columns, "T", column_step, columns, rows))
    for label, sign, step, along, across in cases:
        code.start(label)
        code.store(int_(ord(sign), "i8"), letter)
        single = code.compare("sle", along, int_(1))  # its step is idle and may be anything
        code.store(code.select(single, across, step), leading)
        code.store(view.data, data)
        code.jump(ready)
        if label == in_rows:
            code.start(other)
            code.branch(SsaValue("i1", "false") if only_by_rows else by_columns, in_columns, copy)
    code.start(copy)
    fresh = copied(frame, view)
    code.store(int_(ord("N"), "i8"), letter)
    code.store(columns, leading)
    code.store(fresh.data, data)
    code.store(fresh.owner, made)
    code.start(ready)
    return Lying(view, code.load("ptr", data), place_of(frame, code.load("i64", leading)), made, letter)


def _is_unit(frame: Emission, step: SsaValue, length: SsaValue) -> SsaValue:
    code = frame.code
    return code.binary("or", code.compare("eq", step, int_(1)), code.compare("sle", length, int_(1)))


def _is_leading(frame: Emission, step: SsaValue, length: SsaValue, across: SsaValue) -> SsaValue:
    """Whether the library takes this step between columns: at least their length, unless there is only one; 32 bits."""
    code = frame.code
    wide = code.binary("and", code.compare("sge", step, across), code.compare("sle", step, int_(LENGTH_LIMIT)))
    return code.binary("or", wide, code.compare("sle", length, int_(1)))


def vector_as_it_lies(frame: Emission, view: View) -> Lying:
    """A vector; the library takes steps above zero that 32 bits hold, the rest is copied."""
    code = frame.code
    (step,) = strides_of(frame, view)
    good = code.compare("ult", code.binary("sub", step, int_(1)), int_(LENGTH_LIMIT))
    data, steps = code.variable("ptr", "vector", NULL), code.variable("i64", "step", int_(1))
    made = code.variable("ptr", "made", NULL)
    as_is, copy, ready = code.label("as_is"), code.label("copy"), code.label("vector_ready")
    code.store(NULL, made)
    code.branch(good, as_is, copy)
    code.start(as_is)
    code.store(view.data, data)
    code.store(step, steps)
    code.jump(ready)
    code.start(copy)
    fresh = copied(frame, view)
    code.store(fresh.data, data)
    code.store(fresh.owner, made)
    code.store(int_(1), steps)
    code.start(ready)
    return Lying(view, code.load("ptr", data), place_of(frame, code.load("i64", steps)), made)


def by_rows(frame: Emission, matrix: Lying) -> SsaValue:
    assert matrix.letter is not None
    return frame.code.compare("eq", frame.code.load("i8", matrix.letter), int_(ord("N"), "i8"))


def product_by_loops(
    frame: Emission, views: tuple[View, View, View], names: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
) -> None:
    """The first is the sum of the products of the others over the length it lacks; `names` are those of their axes."""
    axes = [dict(zip(n, zip(v.dims, strides_of(frame, v)))) for n, v in zip(names, views)]
    result, left, right = axes
    sums = [[n for n in left if n not in result], [n for n in left if n in result], [n for n in right if n in result]]
    inner, rows, columns = (found[0] if found else "" for found in sums)
    missing = int_(1), int_(0)
    lengths = [left.get(rows, missing)[0], right.get(columns, missing)[0], left[inner][0]]
    operands: list[SsaValue] = lengths
    for view, part, pair in zip(views, axes, ((rows, columns), (rows, inner), (inner, columns)), strict=True):
        operands = [*operands, view.data, *(part.get(name, missing)[1] for name in pair)]
    frame.code.call("void", multiply(frame.module, views[0].dtype), *operands)
