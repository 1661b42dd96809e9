"""Hold a lowered program against the typed one it came from: both run in CPython as their trees stand.

    y = add(x, cast(k, dtype="f32"))    runs with    add = operator.add, cast = NumPy's conversion, ...

An oracle that shares nothing with the printer.  `agree` wants the same values, dtypes and shapes, or the same exception
with the same words.
"""

import ast
import builtins
import copy
import warnings

import gast
import numpy as np

import pellucid.compiler.ops  # noqa: F401  (fills the table)
from pellucid.compiler.dtypes import DTYPE, NUMPY_DTYPE, PYTHON_TYPE
from pellucid.compiler.ops import schema
from pellucid.compiler.ops.forms import ROUTINES

FILLING = {
    word: (True, -77 if row.signed else 177, np.nan, complex(np.nan, np.nan))[row.order] for word, row in DTYPE.items()
}
EXCEPTIONS = (ValueError, IndexError, ZeroDivisionError, OverflowError, AssertionError, RuntimeError, TypeError)


def cast(x, dtype, weak=False):
    if weak:
        return PYTHON_TYPE[dtype](x)
    if isinstance(x, np.ndarray | np.generic):
        return x.astype(NUMPY_DTYPE[dtype])
    return NUMPY_DTYPE[dtype].type(x)


def empty(shape, dtype):
    """Contents that show where they are read before they are written."""
    return np.full(shape, FILLING[dtype], NUMPY_DTYPE[dtype])


def meaning_of(row):
    static = {key: value for key, value in row.static.items() if value is not ...}
    return lambda *operands, **given: row.meaning(*operands, **{**static, **given})


def formatted(exception):
    return lambda message="", *values: exception(message.format(*values))


NAMESPACE = {name: meaning_of(row) for name, row in schema.OPERATORS.items()}
NAMESPACE |= {exception.__name__: formatted(exception) for exception in EXCEPTIONS}
NAMESPACE |= {
    "range": builtins.range, "prange": builtins.range, "lanes": builtins.range,
    "folding": builtins.range, "noalias": builtins.range,
    "cast": cast, "empty": empty, "copy": np.array, "new_list": list,
    "append": lambda xs, v: xs.append(v), "pop": lambda xs: xs.pop(), "length": len, "add_at": np.add.at,
    **{name: row.in_place for name, row in ROUTINES.items()},
}  # fmt: skip


class _AsPython(gast.NodeTransformer):
    """`x[(i,)]` is `x[i]`, which a list understands too; all results of a call come in a tuple; no block is empty."""

    def __init__(self, functions):
        self.functions = functions

    def visit_Assign(self, node):
        self.generic_visit(node)
        callee = getattr(getattr(node.value, "func", None), "id", None)
        if callee in self.functions and isinstance(node.targets[0], gast.Name):
            node.targets = [gast.Tuple(node.targets, gast.Store())]
        return node

    def visit_If(self, node):
        self.generic_visit(node)
        node.body = node.body or [gast.Pass()]
        return node

    visit_For = visit_While = visit_If

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if isinstance(node.slice, gast.Tuple) and len(node.slice.elts) == 1:
            node.slice = node.slice.elts[0]
        return node


def module_of(program):
    """The program as one Python module."""
    definitions = []
    for function in program.functions.values():
        names = [gast.Name(p, gast.Param(), None, None) for p in function.parameters]
        arguments = gast.arguments(names, [], None, [], [], None, [])
        body = copy.deepcopy(list(function.body))
        definitions.append(gast.FunctionDef(function.name, arguments, body, [], None, None, []))
    module = gast.gast_to_ast(_AsPython(program.functions).visit(gast.Module(definitions, [])))
    return ast.fix_missing_locations(module)


def text_of(program):
    return ast.unparse(module_of(program))


def runnable(program):
    namespace = dict(NAMESPACE)
    exec(compile(module_of(program), "<call form>", "exec"), namespace)
    return namespace[program.entry]


def outcome(function, args):
    """(results, None) or (None, exception), on arrays of its own."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*copy.deepcopy(args)), None
        except Exception as error:
            return None, error


def agree(before, after, *argument_lists):
    """Hold a program against another one; `before` defines what is right."""
    run_before, run_after = runnable(before), runnable(after)
    for args in argument_lists:
        want, wanted_error = outcome(run_before, args)
        got, error = outcome(run_after, args)
        if wanted_error is not None or error is not None:
            same = type(error) is type(wanted_error) and str(error).strip() == str(wanted_error).strip()
            assert same, f"{error!r} instead of {wanted_error!r}\n{text_of(after)}"
            continue
        for one, other in zip(got, want, strict=True):
            assert is_same(one, other), f"{one!r} instead of {other!r}\n{text_of(after)}"


def is_same(got, want):
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if want.dtype.kind != "f":
        return np.array_equal(got, want)
    tolerance = {np.float16: 5e-3, np.float32: 1e-4}.get(want.dtype.type, 1e-9)
    return np.allclose(got, want, rtol=tolerance, atol=tolerance * 1e-2, equal_nan=True)
