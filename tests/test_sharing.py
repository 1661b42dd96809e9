"""Views and copies are NumPy's: for every function and method, what its mark says, and stores through both names.

The calls come from the tables of `test_operator_library`, and rows of NumPy's names are called on a few arrays.  After
each call the result is stored into, then the arguments; the answer is NumPy's or a refusal, never another number, and
the caller's arrays stay what they were.
"""

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError
from pellucid.compiler.ops.python_names import BINDINGS, METHODS, object_of
from pellucid.compiler.ops.sharing import SHARING
from tests.harness.stages import Stages, assert_same_value, attempt, in_python, module_of
from tests.test_operator_library import CASES, METHOD_CALLS

pytestmark = pytest.mark.drawn(5)

REFUSED = {"R003", "P014", "P015", "P016"}
VECTOR, MATRIX = np.array([0.5, 0.25, 0.75]), np.arange(12.0).reshape(3, 4) / 16.0
SQUARE, COUNTS, FLAGS = np.arange(9.0).reshape(3, 3), np.array([3, 1, 2]), np.array([True, False, True])
MORE = [
    ("round", (COUNTS,), {}), ("around", (COUNTS,), {}), ("nan_to_num", (COUNTS,), {}), ("nan_to_num", (FLAGS,), {}),
    ("clip", (VECTOR, None, None), {}), ("clip", (COUNTS,), {}), ("diag", (SQUARE,), {}), ("diag", (SQUARE.T, 1), {}),
    ("diagonal", (SQUARE,), {}), ("einsum", ("ii->i", SQUARE), {}), ("einsum", ("ij->ji", SQUARE), {}),
    ("einsum", ("i->i", VECTOR), {}), ("array", (VECTOR,), {"copy": False}), ("array", (VECTOR,), {"copy": None}),
    ("array", (VECTOR, float), {}), ("array", (COUNTS, float), {"copy": None}), ("asarray", (VECTOR, float), {}),
    ("asarray", (VECTOR,), {"copy": True}), ("asarray", (COUNTS, float), {}), ("ascontiguousarray", (MATRIX.T,), {}),
    ("ascontiguousarray", (VECTOR,), {}), ("astype", (VECTOR, float), {}), ("astype", (VECTOR, float), {"copy": False}),
    ("astype", (COUNTS, float), {"copy": False}), ("reshape", (MATRIX.T, (12,)), {}), ("ravel", (MATRIX.T,), {}),
    ("reshape", (MATRIX, (4, 3)), {"copy": True}), ("squeeze", (VECTOR,), {}), ("swapaxes", (MATRIX, 0, 0), {}),
    ("moveaxis", (MATRIX, 0, 0), {}), ("atleast_1d", (VECTOR,), {}), ("atleast_2d", (MATRIX,), {}),
    ("roll", (VECTOR, 0), {}),
    ("tile", (VECTOR, 1), {}), ("repeat", (VECTOR, 1), {}), ("diff", (VECTOR, 0), {}), ("sum", (VECTOR, ()), {}),
    ("max", (VECTOR, ()), {}), ("where", (True, VECTOR, VECTOR), {}), ("concatenate", ((VECTOR,),), {}),
    ("stack", ((VECTOR,),), {}), ("vstack", ((MATRIX,),), {}), ("hstack", ((VECTOR,),), {}),
    ("column_stack", ((VECTOR,),), {}), ("average", (MATRIX, 0), {}), ("dot", (VECTOR, 1.0), {}),
    ("kron", (VECTOR, VECTOR), {}),
    ("float64", (VECTOR,), {}), ("float64", (MATRIX.T,), {}), ("float64", (COUNTS,), {}), ("int64", (COUNTS,), {}),
    ("bool_", (FLAGS,), {}), ("float32", (VECTOR,), {}), ("logical_and", (FLAGS, FLAGS), {}), ("fabs", (VECTOR,), {}),
]  # fmt: skip
MORE_METHODS = [
    ("round", COUNTS, (), {}), ("clip", VECTOR, (None, None), {}), ("diagonal", SQUARE, (), {}),
    ("copy", VECTOR, (), {}),
    ("astype", VECTOR, (float,), {}), ("astype", VECTOR, (float,), {"copy": False}), ("flatten", MATRIX, (), {}),
    ("ravel", MATRIX.T, (), {}), ("squeeze", VECTOR, (), {}), ("T", MATRIX, None, {}), ("mT", MATRIX, None, {}),
    ("real", VECTOR, None, {}),
]  # fmt: skip


def rows():
    """Every row that has a name in NumPy, on arrays of the dtypes that it takes."""
    for dotted, binding in BINDINGS.items():
        if not binding.operator or not dotted.startswith("numpy.") or object_of(dotted) is None:
            continue
        count = len(binding.row.operands)
        for sample in (VECTOR, MATRIX, COUNTS, FLAGS, SQUARE):
            yield dotted.removeprefix("numpy."), (sample,) * count, {}


def call_text(name, args, kwargs):
    """`np.clip(a0, 0.0)` and the arrays that are its parameters."""
    arrays = []
    words = [spell(arg, arrays) for arg in args]
    words += [f"{key}={spell(arg, arrays)}" for key, arg in kwargs.items()]
    return f"np.{name}({', '.join(words)})", arrays


def method_text(name, receiver, args, kwargs):
    if args is None:
        return f"a0.{name}", [receiver]
    text, arrays = call_text(name, (receiver, *args), kwargs)
    return text.replace(f"np.{name}(a0, ", f"a0.{name}(").replace(f"np.{name}(a0", f"a0.{name}("), arrays


def spell(value, arrays):
    match value:
        case np.ndarray():
            arrays.append(value)
            return f"a{len(arrays) - 1}"
        case tuple() | list():
            inside = ", ".join(spell(part, arrays) for part in value)
            return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(value) == 1 else ''})"
        case type():
            return value.__name__ if value in (float, int, bool) else f"np.{value.__name__}"
        case np.generic():
            return f"np.{type(value).__name__}({value.item()!r})"
        case float() if np.isinf(value):
            return "np.inf" if value > 0 else "-np.inf"
    return repr(value)


def calls():
    """By function or method: the calls whose result is an array, as text with their arrays, at most four of each."""
    found = {}
    for name, args, kwargs in [*MORE, *CASES, *rows()]:
        found.setdefault(name, []).append(call_text(name, args, kwargs))
    for name, receiver, args, kwargs in [*MORE_METHODS, *METHOD_CALLS]:
        found.setdefault(f".{name}", []).append(method_text(name, receiver, args, kwargs))
    return {name: some for name, texts in found.items() if (some := [call for call in texts if gives_array(*call)][:4])}


def gives_array(text, arrays):
    """Whether there is an argument and a result to store into."""
    result = result_of(text, arrays) if arrays else None
    return isinstance(result, np.ndarray) and result.ndim > 0 and result.size > 0


def result_of(text, arrays):
    with np.errstate(all="ignore"):
        try:
            return eval(text, {"np": np, **{f"a{k}": value for k, value in enumerate(arrays)}})
        except (TypeError, ValueError):
            return None


CALLS = calls()


def sharing_of(name):
    if name == ".real":
        return "view"
    return (METHODS[name[1:]] if name.startswith(".") else BINDINGS[f"numpy.{name}"]).shares


@pytest.mark.parametrize("name", CALLS)
def test_the_mark_says_what_numpy_does(name):
    sharing = sharing_of(name)
    assert sharing in SHARING
    for text, arrays in CALLS[name]:
        if name == "imag":  # that of real numbers is new, and nobody may change it
            arrays = [array + 0j for array in arrays]
        result = result_of(text, arrays)
        shares = any(np.shares_memory(result, array) for array in arrays)
        if sharing == "copy" or sharing == "on request" and "copy=" not in text:
            assert not shares, text
        elif sharing in ("view", "read-only"):
            assert shares, text
        assert result.flags.writeable or sharing == "read-only" or name == "diag", text


PROGRAM = """import numpy as np


def {kind}({names}):
{lines}
"""


def written(kind, text, arrays):
    names = [f"a{k}" for k in range(len(arrays))]
    lines = [] if kind == "without_copies" else [f"{name} = {name}.copy()" for name in names]
    lines.append(f"y = {text}")
    stored = names if kind == "into_arguments" else ["y"]
    lines += [f"{name}[...] = 1" for name in stored]
    lines.append(f"return {', '.join(['y'] if kind == 'without_copies' else ['y', *names])}")
    body = "\n".join(f"    {line}" for line in lines)
    return module_of(PROGRAM.format(kind=kind, names=", ".join(names), lines=body))[kind]


@pytest.mark.parametrize("kind", ["into_result", "into_arguments", "without_copies"])
@pytest.mark.parametrize("name", CALLS)
def test_stores_through_both_names(name, kind):
    answers = [agrees_or_is_refused(written(kind, text, arrays), arrays) for text, arrays in CALLS[name]]
    assert any(answers) or sharing_of(name) != "copy", "what copies in NumPy may be stored into"


def agrees_or_is_refused(function, arrays):
    """Whether there is an answer, which is then NumPy's; the arguments are never changed."""
    theirs = [array.copy() for array in arrays]
    want = attempt(function, *theirs)
    spoiled = any(one.tobytes() != other.tobytes() for one, other in zip(theirs, arrays))
    stages = Stages(function)
    try:
        pellucid.compile(function)
        got = stages.run("typed", *arrays)
    except CompileError as refused:
        codes = {d.code for d in refused.diagnostics}
        assert codes & REFUSED or codes <= {"U012", "T001", "T002", "T004", "U015", "R001", "S001"}, refused
        return False
    assert not spoiled, "this changes its argument in NumPy, and is not refused"
    assert (got.error is None) == (want.error is None), (got, want)
    if want.error is None:
        assert_same_value(got.value, want.value)
    return True


def test_what_is_handed_on_keeps_its_sharing_through_calls():
    def program(x):
        x = x.copy()
        kept = np.asarray(np.float64(x.astype(np.float64, copy=False)))
        kept[0] = 7.0
        return kept, np.sum(x)

    want = in_python(program, VECTOR)
    try:
        assert_same_value(tuple(map(np.asarray, pellucid.compile(program)(VECTOR))), tuple(map(np.asarray, want.value)))
    except CompileError as refused:
        assert {d.code for d in refused.diagnostics} <= REFUSED
