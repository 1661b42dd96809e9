"""Library calls: linear algebra, by way of the LAPACK that NumPy itself uses.

    gesv(x, a, b)     x so that a @ x == b, for a square matrix and a vector or the columns of a matrix

LAPACK reads columns and works in place: it gets the matrix and the right sides copied by columns, as NumPy hands them
over, so that pivots and roundings are the same.
"""

from __future__ import annotations

import gast

from ..diagnostics import InternalError
from ..dtypes import DTYPE, INT_WORD
from .arrays import View, drop, read, strides_of, take_block
from .blas import as_column, as_int, call_blas, copied, copy_into
from .frame import Frame
from .shared_routines import call_routine
from .text import int_

NOT_SQUARE = "Last 2 dimensions of the array must be square"
MISMATCH = (
    "{name}: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature {signature} "
    "(size {{}} is different from {{}})"
)
SIGNATURES = {1: ("solve1", "(m,m),(m)->(m)"), 2: ("solve", "(m,m),(m,n)->(m,n)")}
SINGULAR = "Singular matrix"


def gesv(frame: Frame, node: gast.Call) -> None:
    out, a, b = (read(frame, argument.id) for argument in node.args)
    if len(a.dims) != 2 or len(out.dims) != len(b.dims) or len({out.dtype, a.dtype, b.dtype}) != 1:
        raise InternalError("llvm", gast.dump(node), "the operands of a system have the wrong rank or dtype")
    name, signature = SIGNATURES[len(b.dims)]
    code, message = frame.code, MISMATCH.format(name=name, signature=signature)
    frame.fail_if(code.compare("ne", a.dims[0], a.dims[1]), "LinAlgError", NOT_SQUARE)
    frame.fail_if(code.compare("ne", a.dims[0], b.dims[0]), "ValueError", message, b.dims[0], a.dims[0])
    if len(b.dims) == 1:
        out, b = as_column(frame, out), as_column(frame, b)
    call_routine(frame, "gesv", _solved, out, a, b, failing=("LinAlgError", SINGULAR))


def _solved(frame: Frame, out: View, a: View, b: View) -> None:
    """The routine: `out` gets the columns that solve the system; fails where a pivot is zero."""
    code = frame.code
    size, count = b.dims
    columns, sides = copied(frame, _turned(frame, a)), copied(frame, _turned(frame, b))
    pivots = take_block(frame, INT_WORD, (size,))
    leading = code.select(code.compare("sgt", size, int_(1)), size, int_(1))
    info = as_int(frame, int_(0))
    call_blas(
        frame, DTYPE[out.dtype].letter + "gesv", "void",
        as_int(frame, size), as_int(frame, count), columns.data, as_int(frame, leading), pivots.data,
        sides.data, as_int(frame, leading), info,
    )  # fmt: skip
    copy_into(frame, _turned(frame, sides), out)
    for block in (columns, sides, pivots):
        drop(frame, block.owner)
    frame.fail_if(code.compare("ne", code.load("i64", info), int_(0)), "LinAlgError", SINGULAR)


def _turned(frame: Frame, matrix: View) -> View:
    steps = strides_of(frame, matrix)
    return View(matrix.dtype, matrix.owner, matrix.data, matrix.dims[::-1], steps[::-1])
