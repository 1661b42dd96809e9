"""The forms: what the typed and the loops stage call by name beside operators and the functions of the program.

    xs = new_list(); append(xs, v); n = length(xs)     lists, in both stages
    solve(out, a, b)                                   routines of a library (`routines.py`), of the loops stage
    for i in prange(0, n, 1)                           how a loop may run

A form is a row as an operator is one: what it does with its operands, what it gives, and whether it can fail.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..records import dataclass
from . import blas, exchanges, fourier, lapack, lapack_status, orders, shape  # noqa: F401  the rows
from .routines import ROUTINES, Routine
from .schema import OPERATORS, row_of


@dataclass(frozen=True, slots=True)
class Form:
    """One form.

    name        what the trees call it
    operands    for each of them `in`, `out`, `inout`, or `items` for a tuple of index items
    gives       `length`, `item` of a list, `number`, `list`, `loop`, or nothing: a statement of its own
    raises      whether it can fail, for want of memory left aside
    is_library  whether it is a routine of a library, a loop of its own over the elements of its operands
    typed       whether it is of the typed stage too
    python      whether Python has it under this name or as a method; what it has not, generated files bring along
    """

    name: str
    operands: tuple[str, ...] = ()
    gives: str = ""
    raises: bool = False
    is_library: bool = False
    typed: bool = True
    python: bool = True


def _of_routine(row: Routine) -> Form:
    """A routine may always fail, for lengths that do not go together."""
    roles, gives = tuple(operand.role for operand in row.given), "number" if row.gives_number else ""
    return Form(row.name, roles, gives=gives, raises=True, is_library=True, typed=False, python=False)


_ROWS = (
    Form("new_list", gives="list"),
    Form("length", ("in",), gives="length"),
    Form("append", ("inout", "in")),
    Form("pop", ("inout",), gives="item", raises=True),
    Form("add_at", ("inout", "items", "in"), raises=True),
    *map(_of_routine, ROUTINES.values()),
    Form("range", ("in", "in", "in"), gives="loop"),
    Form("prange", ("in", "in", "in"), gives="loop", typed=False, python=False),
    Form("lanes", ("in", "in", "in"), gives="loop", typed=False, python=False),
    Form("folding", ("in", "in", "in"), gives="loop", typed=False, python=False),
    Form("noalias", ("in", "in", "in"), gives="loop", typed=False, python=False),
)
FORMS = {form.name: form for form in _ROWS}


def is_of_program(operator: str | None) -> bool:
    """Whether what is called by this name is a function of the program: no operator, and no form."""
    return operator is not None and operator not in OPERATORS and operator not in FORMS


LIBRARY = frozenset(form.name for form in _ROWS if form.is_library)
LOOPS = frozenset(form.name for form in _ROWS if form.gives == "loop")
LOOPS_OF_TYPED = frozenset(name for name in LOOPS if FORMS[name].typed)
LENGTHS = frozenset({"dim", *(form.name for form in _ROWS if form.gives == "length")})
# What changes the array or the list that is its first operand.
CHANGES_FIRST = frozenset(form.name for form in _ROWS if form.operands and form.operands[0] in ("out", "inout"))
LIST_READS = frozenset(form.name for form in _ROWS if form.gives in ("length", "item"))
# What neither changes anything nor shows elements.
IDLE = frozenset(form.name for form in _ROWS if form.gives in ("length", "loop"))
# Rows whose result may show the elements of an operand, as the item of a list may that of the list.
VIEWS = frozenset(row.name for row in OPERATORS.values() if row.shares != "copy")
SHOWS = VIEWS | {form.name for form in _ROWS if form.gives == "item"}
# What passes on the elements of its operand, as a view or as they are.
HANDED_ON = SHOWS | {row.name for row in OPERATORS.values() if row.work == "free"}
# What gives an array in the loops stage without computing an element.
BUFFERS = frozenset({"empty", "table"})
FRESH = BUFFERS | {form.name for form in _ROWS if form.gives == "list"}
WHOLE = BUFFERS | {row.name for row in OPERATORS.values() if row.shares in ("view", "either")}


def is_never_negative(operator: str | None, operands: Iterable[bool]) -> bool:
    """Whether a call gives a length, or an int that is not negative given of which operands that is known."""
    row = row_of(operator)
    if row is not None and row.natural is not None:
        return row.natural(operands)
    return operator in LENGTHS
