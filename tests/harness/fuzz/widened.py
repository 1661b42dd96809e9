"""Whether results differ only in the type of numbers whose paths meet: a documented limit.

    c1 = min(z[0], 1.0)    of a bool that is smaller:    np.True_ in NumPy, np.float64(1.0) in compiled code

A variable has one type, whichever path is taken, and so has the sum of a list that may be empty.  The number must be
the same after its conversion to the wider type, and only programs in which something can meet have this excuse.
"""

import ast
import copy

import numpy as np

from ..corpus import map_leaves
from ..stages import attempt
from .compare import Difference, difference

MEETING = (ast.If, ast.IfExp, ast.For, ast.While, ast.BoolOp)
MEETING_FUNCTIONS = ("min", "max", "sum")


def meets(source) -> bool:
    """Whether paths, and so numbers of several types, can meet in a program."""
    return any(map(_meets, ast.walk(ast.parse(source))))


def explains(source, got, want) -> bool:
    """Whether wider types of single numbers are all that makes `got` another value than `want`."""
    if not meets(source):
        return False
    try:
        difference(_as_wanted(got, want), want, 0.0)
    except Difference:
        return False
    return True


def has_float32s_digits(source, got, want) -> bool:
    """Whether a result is right to the digits that a float32 has."""
    if not meets(source):
        return False
    try:
        return difference(_as_wanted(got, want), want, 2e-10) is None
    except Difference:
        return False


def is_of_numpys_numbers(source, args, got) -> bool:
    """Whether the result is what the program makes of NumPy's floats in the place of Python's.

    Where the two meet in a variable, it holds NumPy's, whose dtype counts beside float32 arrays, and which may be
    divided by zero.
    """
    tree = ast.parse(source)
    if not any(map(_meets, ast.walk(tree))):
        return False
    for kind in (np.float64, np.float32):
        strong = ast.fix_missing_locations(_NumPysFloats(kind.__name__).visit(ast.parse(source)))
        if any(_gives(program, args, kind, got) for program in (tree, strong)):
            return True
    return False


def _gives(tree, args, kind, got):
    space = {"__name__": "widened"}
    exec(compile(tree, "widened", "exec"), space)
    args = map_leaves(lambda leaf: kind(leaf) if type(leaf) is float else leaf, copy.deepcopy(args))
    with np.errstate(all="ignore"):
        outcome = attempt(space["program"], *args)
    try:
        return outcome.error is None and difference(got, outcome.value, 1e-9 if kind is np.float64 else 1e-6) is None
    except Difference:
        return False


class _NumPysFloats(ast.NodeTransformer):
    """Every float of the text as NumPy's."""

    def __init__(self, kind):
        self.kind = kind

    def visit_Constant(self, node):
        if type(node.value) is not float:
            return node
        return ast.Call(ast.Attribute(ast.Name("np", ast.Load()), self.kind, ast.Load()), [node], [])


def _meets(node):
    is_function = isinstance(node, ast.Call) and getattr(node.func, "id", "") in MEETING_FUNCTIONS
    return is_function or isinstance(node, MEETING)


def _as_wanted(got, want):
    """`got` with the numbers of `want` where they have been widened."""
    if isinstance(want, dict) and isinstance(got, dict) and list(got) == list(want):
        return {key: _as_wanted(got[key], want[key]) for key in want}
    if isinstance(want, tuple | list) and type(got) is type(want) and len(got) == len(want):
        parts = [_as_wanted(one, other) for one, other in zip(got, want)]
        return type(want)(*parts) if hasattr(want, "_fields") else type(want)(parts)
    return want if _is_widened(got, want) else got


def _is_widened(got, want) -> bool:
    numbers = bool | int | float | np.generic
    if isinstance(got, np.ndarray) and isinstance(want, np.ndarray):  # an array made of such numbers
        if (got.dtype, want.dtype) == (np.float32, np.float64) and got.shape == want.shape:
            return np.allclose(got, want, rtol=1e-3, equal_nan=True)
        return np.promote_types(got.dtype, want.dtype) == got.dtype and np.array_equal(got, want)
    if not (isinstance(got, numbers) and isinstance(want, numbers)):
        return False
    one, other = np.asarray(got), np.asarray(want)
    is_wider = np.promote_types(one.dtype, other.dtype) == one.dtype
    if type(want) in (int, np.int64) and one.dtype.kind in "iuf" and np.isfinite(got):  # an int that met NumPy's number
        return got == want
    if type(got) is int and isinstance(want, np.uint64):  # one type holds the two, up to 2**63
        return got == int(want)
    takes_digits = isinstance(want, float) and one.dtype in (np.float16, np.float32)  # np.float64 is a float, too
    if not is_wider and not (takes_digits and not isinstance(want, np.generic)):
        return False
    with np.errstate(all="ignore"):
        return np.allclose(one, other.astype(one.dtype), rtol=1e-3, equal_nan=True)
