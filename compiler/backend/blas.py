"""Library calls: products of matrices and vectors, by way of NumPy's BLAS for floats and plain loops for ints.

    gemm(c, a, b)     c[i, j] = sum of a[i, k] * b[k, j]
    gemv(y, a, x)     y[i]    = sum of a[i, k] * x[k]
    dot(x, y)         sum of x[k] * y[k]

All lengths are checked.  BLAS reads columns, so that it is asked for the transposed product; an operand whose rows or
columns are contiguous is passed as it is, every other one is copied first.
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from ..diagnostics import InternalError
from ..dtypes import DTYPE
from .abi import REGISTER, STORED
from .arrays import View, drop, load_at, read, strides_of, take_block
from .frame import Frame
from .helpers import copy, multiply
from .shared_routines import call_routine
from .text import NULL, Value, float_, int_

BLAS_LIMIT = 2**31 - 1  # its ints may have 32 bits

GEMM_MESSAGE = (
    "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n?,k),(k,m?)->(n?,m?) "
    "(size {} is different from {})"
)
DOT_MESSAGE = "shapes ({},) and ({},) not aligned: {} (dim 0) != {} (dim 0)"
OUT_MESSAGE = "the result of a product does not fit its array"


def _views(frame: Frame, node: gast.Call, ranks: tuple[int, ...]) -> list[View]:
    views = [read(frame, a.id) for a in node.args]
    if [len(v.dims) for v in views] != list(ranks) or len({v.dtype for v in views}) != 1:
        raise InternalError("llvm", gast.dump(node), "the operands of a product have the wrong rank or dtype")
    return views


def _require_equal(frame: Frame, left: Value, right: Value, message: str, *values: Value) -> None:
    frame.fail_if(frame.code.compare("ne", left, right), "ValueError", message, *values)


def copied(frame: Frame, view: View) -> View:
    """A contiguous copy of a vector or matrix."""
    made = take_block(frame, view.dtype, view.dims)
    copy_into(frame, view, made)
    return made


def copy_into(frame: Frame, source: View, target: View) -> None:
    """All elements of a vector or matrix, into another of the same lengths."""
    if len(source.dims) == 1:
        source, target = as_column(frame, source), as_column(frame, target)
    places = [part for view in (target, source) for part in (view.data, *strides_of(frame, view))]
    frame.code.call("void", copy(frame.module, STORED[source.dtype]), *source.dims, *places)


# --- products ------------------------------------------------------------------------------------------------------


def gemm(frame: Frame, node: gast.Call) -> None:
    out, a, b = _views(frame, node, (2, 2, 2))
    _require_equal(frame, a.dims[1], b.dims[0], GEMM_MESSAGE, b.dims[0], a.dims[1])
    _require_equal(frame, out.dims[0], a.dims[0], OUT_MESSAGE)
    _require_equal(frame, out.dims[1], b.dims[1], OUT_MESSAGE)
    if not DTYPE[out.dtype].letter:
        _plain_product(frame, out, a, b, (a.dims[0], b.dims[1], a.dims[1]))
        return

    def product(inside: Frame, out: View, a: View, b: View) -> None:
        lengths = (a.dims[0], b.dims[1], a.dims[1])
        _blas_or_loops(inside, lengths, lambda: _blas_gemm(inside, out, a, b, lengths),
                       lambda: _plain_product(inside, out, a, b, lengths))  # fmt: skip

    call_routine(frame, "gemm", product, out, a, b)


def gemv(frame: Frame, node: gast.Call) -> None:
    out, a, x = _views(frame, node, (1, 2, 1))
    _require_equal(frame, a.dims[1], x.dims[0], GEMM_MESSAGE, x.dims[0], a.dims[1])
    _require_equal(frame, out.dims[0], a.dims[0], OUT_MESSAGE)

    def plain(inside: Frame, out: View, a: View, x: View) -> None:
        lengths = (a.dims[0], int_(1), a.dims[1])
        _plain_product(inside, as_column(inside, out), a, as_column(inside, x), lengths)

    def product(inside: Frame, out: View, a: View, x: View) -> None:
        _blas_or_loops(inside, a.dims, lambda: _blas_gemv(inside, out, a, x), lambda: plain(inside, out, a, x))

    if not DTYPE[out.dtype].letter:
        plain(frame, out, a, x)
    else:
        call_routine(frame, "gemv", product, out, a, x)


def dot(frame: Frame, node: gast.Call) -> Value:
    x, y = _views(frame, node, (1, 1))
    _require_equal(frame, x.dims[0], y.dims[0], DOT_MESSAGE, x.dims[0], y.dims[0], x.dims[0], y.dims[0])
    stored = STORED[x.dtype]
    result = frame.code.variable(stored, "dot")
    target = View(x.dtype, x.owner, result, (), None)

    def plain(inside: Frame, target: View, x: View, y: View) -> None:
        single = View(target.dtype, target.owner, target.data, (int_(1), int_(1)), None)
        row = View(x.dtype, x.owner, x.data, (int_(1), x.dims[0]), (int_(0), *strides_of(inside, x)))
        _plain_product(inside, single, row, as_column(inside, y), (int_(1), int_(1), x.dims[0]))

    def product(inside: Frame, target: View, x: View, y: View) -> None:
        _blas_or_loops(inside, x.dims, lambda: inside.code.store(_blas_dot(inside, x, y), target.data),
                       lambda: plain(inside, target, x, y))  # fmt: skip

    if not DTYPE[x.dtype].letter:
        plain(frame, target, x, y)
    else:
        call_routine(frame, "dot", product, target, x, y)
    return load_at(frame, x.dtype, result)


def as_column(frame: Frame, view: View) -> View:
    return View(view.dtype, view.owner, view.data, (*view.dims, int_(1)), (*strides_of(frame, view), int_(1)))


def _plain_product(frame: Frame, out: View, a: View, b: View, lengths: tuple[Value, ...]) -> None:
    operands: list[Value] = list(lengths)
    for view in (out, a, b):
        operands += [view.data, *strides_of(frame, view)]
    frame.code.call("void", multiply(frame.module, out.dtype), *operands)


def _blas_or_loops(
    frame: Frame, lengths: tuple[Value, ...], blas: Callable[[], None], plain: Callable[[], None]
) -> None:
    """BLAS where there is work and its ints can hold the lengths; the loops also clear the result of an empty sum."""
    code = frame.code
    fits = Value("i1", "true")
    for length in lengths:
        if length.text == "1":
            continue
        inside = code.compare("ult", code.binary("sub", length, int_(1)), int_(BLAS_LIMIT))
        fits = inside if fits.text == "true" else code.binary("and", fits, inside)
    with_blas, with_loops, done = code.label("blas"), code.label("loops"), code.label("product")
    code.branch(fits, with_blas, with_loops)
    for label, work in ((with_blas, blas), (with_loops, plain)):
        code.start(label)
        work()
        code.jump(done)
    code.start(done)


# --- BLAS ----------------------------------------------------------------------------------------------------------


def _place_of(frame: Frame, value: Value) -> Value:
    """A variable that holds an operand: BLAS takes everything by address."""
    variable = frame.code.variable(value.type, "operand")
    frame.code.store(value, variable)
    return variable


def as_int(frame: Frame, value: Value) -> Value:
    """An int operand in 64 bits, of which a BLAS whose ints have 32 reads the lower half."""
    return _place_of(frame, value)


def call_blas(frame: Frame, routine: str, result: str, *places: Value) -> Value:
    name = f"pellucid_blas_{routine}"
    frame.module.declare(name, f"declare {result} @{name}({', '.join('ptr' for _ in places)})")
    return frame.code.call(result, name, *places)


def _matrix(frame: Frame, view: View) -> tuple[Value, Value, Value, Value]:
    """(letter, leading dimension, data, buffer to drop) of a matrix as BLAS sees its transpose.

    Contiguous rows are BLAS's columns: `N`.  Contiguous columns are the transposed case: `T`.  Otherwise a copy.
    An axis of length 1 has no stride to speak of.
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
            code.branch(by_columns, in_columns, copy)
    code.start(copy)
    fresh = copied(frame, view)
    code.store(int_(ord("N"), "i8"), letter)
    code.store(columns, leading)
    code.store(fresh.data, data)
    code.store(fresh.owner, made)
    code.start(ready)
    return letter, as_int(frame, code.load("i64", leading)), code.load("ptr", data), made


def _is_unit(frame: Frame, step: Value, length: Value) -> Value:
    code = frame.code
    return code.binary("or", code.compare("eq", step, int_(1)), code.compare("sle", length, int_(1)))


def _is_leading(frame: Frame, step: Value, length: Value, across: Value) -> Value:
    """Whether BLAS takes this step between columns: at least their length, unless there is only one; 32 bits."""
    code = frame.code
    wide = code.binary("and", code.compare("sge", step, across), code.compare("sle", step, int_(BLAS_LIMIT)))
    return code.binary("or", wide, code.compare("sle", length, int_(1)))


def _blas_gemm(frame: Frame, out: View, a: View, b: View, lengths: tuple[Value, ...]) -> None:
    code, dtype = frame.code, out.dtype
    direct = out if out.strides is None else copied(frame, out)
    left, right = _matrix(frame, a), _matrix(frame, b)
    rows, columns, inner = lengths
    one, zero = (_place_of(frame, float_(v, REGISTER[dtype])) for v in (1.0, 0.0))
    call_blas(
        frame, DTYPE[dtype].letter + "gemm", "void",
        right[0], left[0], as_int(frame, columns), as_int(frame, rows), as_int(frame, inner),
        one, right[2], right[1], left[2], left[1], zero, direct.data, as_int(frame, columns),
    )  # fmt: skip
    for buffer in (left[3], right[3]):
        drop(frame, code.load("ptr", buffer))
    if direct is not out:
        _copy_back(frame, direct, out)


def _copy_back(frame: Frame, source: View, target: View) -> None:
    copy_into(frame, source, target)
    drop(frame, source.owner)


def _vector(frame: Frame, view: View) -> tuple[Value, Value, Value]:
    """(data, step, buffer to drop) of a vector; BLAS takes steps above zero that 32 bits hold, the rest is copied."""
    code = frame.code
    (step,) = strides_of(frame, view)
    good = code.compare("ult", code.binary("sub", step, int_(1)), int_(BLAS_LIMIT))
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
    return code.load("ptr", data), as_int(frame, code.load("i64", steps)), made


def _blas_gemv(frame: Frame, out: View, a: View, x: View) -> None:
    code, dtype = frame.code, out.dtype
    direct = out if out.strides is None else copied(frame, out)
    letter, leading, data, made = _matrix(frame, a)
    vector, step, made_vector = _vector(frame, x)
    # BLAS sees the transpose of what lies in rows: turn the letter round, and give it the lengths it sees
    by_rows = code.compare("eq", code.load("i8", letter), int_(ord("N"), "i8"))
    turned = _place_of(frame, code.select(by_rows, int_(ord("T"), "i8"), int_(ord("N"), "i8")))
    seen_rows = as_int(frame, code.select(by_rows, a.dims[1], a.dims[0]))
    seen_columns = as_int(frame, code.select(by_rows, a.dims[0], a.dims[1]))
    one, zero = (_place_of(frame, float_(v, REGISTER[dtype])) for v in (1.0, 0.0))
    unit = as_int(frame, int_(1))
    call_blas(
        frame, DTYPE[dtype].letter + "gemv", "void",
        turned, seen_rows, seen_columns, one, data, leading, vector, step, zero, direct.data, unit,
    )  # fmt: skip
    for buffer in (made, made_vector):
        drop(frame, code.load("ptr", buffer))
    if direct is not out:
        _copy_back(frame, direct, out)


def _blas_dot(frame: Frame, x: View, y: View) -> Value:
    code, dtype = frame.code, x.dtype
    (left, left_step, left_made), (right, right_step, right_made) = _vector(frame, x), _vector(frame, y)
    count = as_int(frame, x.dims[0])
    result = call_blas(frame, DTYPE[dtype].letter + "dot", REGISTER[dtype], count, left, left_step, right, right_step)
    for buffer in (left_made, right_made):
        drop(frame, code.load("ptr", buffer))
    return result
