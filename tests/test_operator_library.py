"""The library functions written in the language, run in CPython as they stand, against NumPy and `math`."""

import inspect
import math
import re

import numpy as np
import pytest

from pellucid.compiler.ops.python_names import (
    BINDINGS,
    CMATH_FUNCTIONS,
    MATH_FUNCTIONS,
    METHODS,
    NameBinding,
    binding_of,
    object_of,
)
from pellucid.compiler.ops.schema import TypeFault
from pellucid.compiler.vocabulary import CHANGING_METHODS
from tests.harness.every import every
from tests.harness.library_calls import CALLS

V = np.array([1.5, -0.25, 3.0, 0.75])
W = np.array([0.5, 2.0, -1.0])
A = np.array([[0.5, -1.5, 2.0], [3.0, 0.25, -0.75]])
B = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.25]])
S = A @ B
C = np.linspace(-1.0, 2.0, 24).reshape(2, 3, 4) ** 2 - 0.3
V32, A32 = V.astype(np.float32), A.astype(np.float32)
I = np.array([[3, -1, 2], [0, 5, 1]])
I32 = I.astype(np.int32)
M = A > 0
Z = np.array([1.5 - 2j, -0.25 + 0j, 3j, -0.75 - 0.5j])
ODD = np.array([np.nan, np.inf, -np.inf, -0.0, 1.0])
T, Y = np.array([0.0, 1.0, 2.5, 4.0]), np.array([1.0, -1.0, 0.5, 2.0])
E = np.zeros((0, 3))
F = np.zeros(0)


def calls(name, *cases):
    """`(arguments, keywords)` for one function; a bare tuple is arguments only."""
    return [(name, *(case if len(case) == 2 and isinstance(case[1], dict) else (case, {}))) for case in cases]


ARRAYS = ((V,), (A,), (C,), (A32,), (I,), (I32,), (M,), (2.5,), (np.float32(1.5),), (np.array(3.0),))
ALONG = (((A,), {"axis": 0}), ((C, -1), {}), ((C,), {"axis": (0, 2)}), ((C, 1), {"keepdims": True}), ((A32,),
    {"axis": 1}), ((I, 0), {}))
ONE_AXIS = (((A,), {"axis": 0}), ((C, -1), {}), ((C, 1), {"keepdims": True}), ((I, 0), {}), ((V,), {}), ((A,),
    {"keepdims": True}))

CASES = [
    *(case for name in ("sum", "prod") for case in calls(name, *ARRAYS, *ALONG, ((A,), {"dtype": np.float32}), ((I,),
        {"dtype": np.int32}),
                                                        ([1.0, 2.5],), ((E,), {"axis": 0}), (F,))),
    *(case for name in ("max", "min", "any", "all", "ptp") for case in calls(name, *ARRAYS[:6], *ALONG)),
    *(case for name in ("any", "all") for case in calls(name, (M,), (E,), (ODD,))),
    *(case for name in ("argmax", "argmin") for case in calls(name, *ONE_AXIS, (ODD,), (M,))),
    *(case for name in ("mean", "var", "std") for case in calls(name, *ARRAYS, *ALONG, ((I,), {"dtype": np.float32}),
        ([1, 2, 4],))),
    *(case for name in ("var", "std") for case in calls(name, ((A,), {"axis": 0, "ddof": 1}), ((V,), {"ddof": 1}))),
    *calls("average", (V,), ((V,), {"weights": V + 1.0}), ((A, 0), {"weights": np.array([1, 3])}), ((A,), {"axis": 1,
        "weights": W + 2.0})),
    *calls("count_nonzero", (ODD,), (I,), ((I, 0), {}), ((A,), {"axis": 1, "keepdims": True})),
    *calls("nansum", (ODD[[0, 3, 4]],), ((np.where(M, A, np.nan), 0), {}), (I,)),
    *(case for name in ("cumsum", "cumprod") for case in calls(name, (V,), (A,), ((A, 0), {}), ((C, -1), {}), (I32,),
        (M,), (F,), (V32,))),
    *calls("diff", (V,), ((V, 2), {}), ((A, 1, 0), {}), ((C,), {"axis": 1}), (M,), (F,)),
    *calls("trapezoid", (Y,), (Y, T), ((A,), {"dx": 0.5}), ((A,), {"axis": 0}), ((C, np.array([0.0, 1.0, 3.0])),
        {"axis": 1})),
    *calls("allclose", (A, A + 1e-12), (A, A + 1.0), (ODD, ODD)),
    *calls("isclose", (A, A + 1e-7), (ODD, ODD), ((ODD, ODD), {"equal_nan": True}), (I, 3), (1.0, 1.0 + 1e-9)),
    *calls("where", (M, A, 0.0), (M, 1, 2), (M, A32, 1.0), (A, A, W), (True, V, 2.0), (M, [1.0, 2.0, 3.0], I32), (True,
        1.5, 2)),
    *calls("clip", (A, -0.5, 1.0), (A, None, 1.0), (A, W, 2.0), (I, 0, 3), (I, 0, 2.5), ((A,), {"min": 0.0}), (A32,
        0.0, 1.0), (ODD, -1.0, 1.0),
           (A, 1.0, -1.0), (2.5, 0.0, 1.0)),
    *(case for name in ("real", "imag", "angle", "iscomplex", "isreal", "iscomplexobj", "isrealobj")
      for case in calls(name, (Z,), (A,), (2.5,), (1.5 - 2j,), (Z.astype(np.complex64),))),
    *calls("angle", (Z, True)), *calls("roots", (np.array([1.0, 2.0, 5.0]),), ([2.0, 1.0, 3.0, 0.0],)),
    *calls("fabs", (A,), (I,), (-2,), (A32,)),
    *calls("round", (A,), (A * 10.0, 1), (A32 * 7, 2), (I,), (V * 1e3, -2), (2.5,), (ODD,)),
    *calls("nan_to_num", (ODD,), ((ODD,), {"nan": 7.0, "posinf": 9.0}), (I,), (ODD.astype(np.float32),)),
    *(case for name in ("isposinf", "isneginf") for case in calls(name, (ODD,), (A32,))),
    *(case for name in ("logical_and", "logical_or", "logical_xor") for case in calls(name, (M, ~M), (I, A > 1), (ODD,
        1.0), (2, 0), (True, np.False_))),
    *calls("logical_not", (M,), (I,), (0.0,), (ODD,)),
    *(case for name in ("zeros", "ones") for case in calls(name, (3,), ((2, 3),), ([2, 3],), ((),), (3, np.int32), (2,
        "float32"), (2, float), (np.int64(3),))),
    *calls("full", (3, 2.5), ((2, 2), 7), (2, True), (3, 1, np.float32), ((2, 3), W), (2, np.float32(1.5))),
    *(case for name in ("zeros_like", "ones_like") for case in calls(name, (A,), (I32,), (M,), (2.5,), ((A, np.int64),
        {}), ((A,), {"shape": (4,)}))),
    *calls("full_like", (A, 2.5), (I, 2), (A, W), (A32, 1.0)),
    *calls("arange", (5,), (2, 7), (7, 1, -2), (1, 8, 3), (0.5,), (0.0, 1.0, 0.3), (3, 1), (5, 5), (0, 4, 0.5),
        (np.int32(4),), ((3,), {"dtype": np.float64}),
           (1.0, 2.0, 0.1), (np.float32(3.0),), (-3,)),
    *calls("linspace", (0.0, 1.0), (0, 10, 5), ((0.0, 1.0, 4), {"endpoint": False}), (2.0, -1.0, 7), (1.0, 2.0, 1),
        (1.0, 2.0, 0), (3.0, 3.0, 4),
           ((0, 4, 5), {"dtype": np.int64}), (np.float32(0.0), np.float32(1.0), 5)),
    *calls("eye", (3,), (2, 4), (3, 3, 1), (2, 4, -1), ((3,), {"dtype": np.int32})),
    *calls("identity", (3,), (2, np.float32)),
    *calls("tri", (3,), (2, 4), (3, 3, 1), (3, 3, -1, np.int64)),
    *calls("array", (A,), ([1.0, 2, 3],), ([[1, 2], [3, 4]],), ((V, V),), (2.5,), ([],), ([1, 2], np.float32),
        ([np.float32(1), 2.0],), ([True, 2],), (A, np.float32)),
    *calls("asarray", (A,), ([1.0, 2.0],), (I, np.float64), (3,)),
    *calls("copy", (A,), (2.5,)), *calls("ascontiguousarray", (A.T,), (2.5,)),
    *calls("reshape", (A, (3, 2)), (A, -1), (A, (3, -1)), (C, (-1, 4)), (V, (2, 2)), (V, (-1,)), (A.T, (6,)), (C, (2,
        -1, 2)), (A, [6])),
    *calls("ravel", (A,), (V,), (A.T,), (2.5,)),
    *calls("transpose", (A,), (V,), (C,), (C, (1, 0, 2)), (C, (-1, 0, 1))),
    *calls("swapaxes", (C, 0, 2), (C, -1, 1), (A, 0, 0)),
    *calls("moveaxis", (C, 0, -1), (C, (0, 1), (-1, 0)), (A, 1, 0)),
    *calls("concatenate", ((A, A),), ([A, B.T], 1), ((V, W, V),), ((A, I), 0), ((A, V), None), (([1.0, 2.0], W),), ((A,
        A32),), ((I32, M),), (A,), (C, 1), (C, None)),
    *calls("stack", ((V, V),), ([V, V + 1], 1), ([V, V], -1), ((A, A, A), 1), ([1.0, 2.0],), ((A, A), -1), (A,),
        (A, 1), (V,)),
    *calls("vstack", ((V, V),), ((A, A),), ([A, W],), (A,), (C,), (V,)),
    *calls("hstack", ((V, W),), ((A, S),), ([1.0, V],), (A,), (C,), (V,)),
    *calls("column_stack", ((V, V),), ((S, W[:2]),), (A,), (C,), (V,)),
    *calls("expand_dims", (V, 0), (V, -1), (A, 1), (A, (0, 2)), (2.5, 0)),
    *calls("squeeze", (A[None],), (A[:, None], 1), (C[:1, :, :1],), (C[:1, :, :1], -1), (C[:1, :, :1], (0, 2)), (A,)),
    *calls("broadcast_to", (W, (2, 3)), (2.5, (3,)), ([1.0, 2.0, 3.0], (2, 3))),
    *calls("flip", (V,), (A,), (A, 0), (C, (0, 2)), (C, -1)),
    *calls("flipud", (A,)), *calls("fliplr", (A,)),
    *calls("roll", (V, 1), (V, -2), (V, 7), (A, 1), (A, 1, 0), (C, -1, 1), (F, 2)),
    *calls("tile", (V, 2), (A, 2), (A, (2, 1)), (V, (2, 3)), (A, (2, 1, 2))),
    *calls("repeat", (V, 2), (A, 3), (A, 2, 0), (A, 2, 1), (C, 2, -1)),
    *calls("matrix_transpose", (A,), (C,)), *calls("astype", (A, np.float32), (I, np.bool_)),
    *calls("atleast_1d", (2.5,), (V,)), *calls("atleast_2d", (2.5,), (V,), (A,)),
    *(case for name in ("tril", "triu") for case in calls(name, (A,), (A, 1), (A, -1), (C,), (I32,))),
    *calls("diag", (V,), (A,), (V, 1), (V, -2), (A, 1), (A, -1)),
    *calls("diagonal", (A,), (A, 1), (A, -1), (C,), (C, 0, 1, 2), (A, 5)),
    *calls("take", (V, np.array([2, 0])), (A, np.array([1, 4])), ((A, np.array([1, 0])), {"axis": 0}), (C,
        np.array([[2, 0], [1, 1]]), 1), (A, 1, 1)),
    *calls("shape", (A,)), *calls("ndim", (C,)), *calls("size", (A,), (A, 1)),
    *calls("dot", (A, B), (A, W), (V, V), (2.0, A), (2, 3), (C, V), (W, B), (C, C[0].T), (C, C.transpose(0, 2, 1))),
    *calls("inner", (V, V), (A, W), (A, A), (2.0, 3.0), (C, V)),
    *calls("outer", (V, W), (A, V), (2.0, V), (I[0], V)),
    *calls("vdot", (V, V), (A, A)), *calls("vecdot", (A, A), (A, W), (C, C)),
    *calls("linalg.trace", (A,), (C,)),
    *calls("trace", (A,), (S,), (A, 1), (C,), (I32,)),
    *calls("tensordot", (A, B, 1), (A, A), (C, A, ([1], [1])), (C, C, ([0, 1], [0, 1])), (A, B, 0), (A, B, (1, 0))),
    *calls("kron", (V, W), (A, B)), *calls("cross", (W, W[::-1]), (A, A[::-1]), (W, A)),
    *calls("einsum", ("ij,jk->ik", A, B), ("ij,jk", A, B), ("ij->ji", A), ("ij->", A), ("ii", S), ("ii->i", S),
        ("ij->j", A), ("ij,ij", A, A),
           ("i,j->ij", V, W), ("bij,bjk->bik", C, C.transpose(0, 2, 1)), ("ij,j->i", A, W), ("i,i", V, V), ("ijk->ki",
               C), ("ij,jk,kl->il", A, B, A),
           ("i,j,k->", V, W, V), ("...j,jk->...k", C, C[0].T), ("...,...->...", A, A), ("ij,kj->ik", A, A), ("ij,kl->",
               A, B), ("iij->j", C[:, :2]), ("ij,jk->ik", I, I.T), (" i j , j -> i ", A, W),
           ("ij,jk->ik", A[:, :1], A)),
    *calls("linalg.norm", (V,), (A,), (C,), (V, 1), (V, np.inf), (V, -np.inf), (V, 0), (V, 3), (A, 1), (A, np.inf), (A,
        "fro"), (A, -1), (A, 2, 0), (A, None, 1),
           (C, None, (0, 2)), ((A, 1, 0), {"keepdims": True}), (I,), (A32,), ((A,), {"keepdims": True}), ((C, 1, (1,
               2)), {"keepdims": True})),
    *calls("linalg.vector_norm", (A,), ((A,), {"axis": 0}), ((A,), {"ord": 1})),
    *calls("interp", (1.7, T, Y), (np.array([-1.0, 0.0, 0.3, 2.5, 3.9, 4.0, 9.0, np.nan]), T, Y), ((A, T, Y),
        {"left": -9.0, "right": 9.0}), (2, T, Y)),
    *calls("searchsorted", (T, 1.0), (T, A), ((T, T), {"side": "right"}), (np.array([1, 2, 2, 5]), np.array([2, 3,
        9]))),
    *calls("polyval", (W, 2.0), (W, V), (np.array([1, 2]), 3)),
    *calls("convolve", (V, W), (W, V), (V, W, "same"), (V, W, "valid"), (W, V, "same"), (I[0], I[1]), (W, V, "valid")),
]  # fmt: skip


def ident(case):
    name, args, kwargs = case
    return f"{name}-{len(args)}{'-' + '-'.join(kwargs) if kwargs else ''}"


def same(found, expected):
    if isinstance(expected, tuple) and expected and isinstance(expected[0], np.ndarray):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            same(one, other)
        return
    if isinstance(expected, tuple):
        assert found == expected
        return
    assert np.shape(found) == np.shape(expected)
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    assert isinstance(found, np.ndarray | np.generic) == isinstance(expected, np.ndarray | np.generic)
    np.testing.assert_allclose(found, expected, rtol=3e-6 if np.asarray(expected).dtype == np.float32 else 1e-13,
        atol=1e-14)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@every(CASES, ident, by=lambda case: case[0])
def test_library_function_is_numpys(name, args, kwargs):
    same(BINDINGS[f"numpy.{name}"].load()(*args, **kwargs), object_of(f"numpy.{name}")(*args, **kwargs))


@pytest.mark.parametrize(
    ("name", "args"),
    [
        *[("log", a) for a in ((2.0,), (8.0, 2), (3, 10.0))], *[("hypot", a) for a in ((3.0, 4.0), (1.0, 2.0, 2.0),
            (2.0,), ())],
        *[("isclose", a) for a in ((1.0, 1.0 + 1e-12), (1.0, 1.1), (math.inf, math.inf), (math.nan, 1.0))],
        *[("prod", a) for a in (([1, 2, 3],), ((1.5, 2.0),), ([],))], *[("factorial", (n,)) for n in range(8)],
        *[("gcd", a) for a in ((12, 18), (0, 5), (-4, 6), (0, 0), (12, 18, 27), ())], *[("lcm", a) for a in ((4, 6),
            (0, 3), (-2, 3), (2, 3, 5), ())],
        *[("isqrt", (n,)) for n in (0, 1, 2, 3, 4, 8, 9, 99, 100, 10**12 - 1, 10**12)], *[("comb", a) for a in ((5, 2),
            (5, 5), (3, 7), (40, 20))],
        *[("perm", a) for a in ((5, 2), (5,), (3, 7))],
    ],
)  # fmt: skip
def test_library_function_is_maths(name, args):
    same(BINDINGS[f"math.{name}"].load()(*args), getattr(math, name)(*args))


METHOD_CALLS = [
    ("sum", A, (), {}), ("sum", C, (1,), {"keepdims": True}), ("prod", A, (0,), {}), ("max", A, (), {}), ("min", A,
        (1,), {}), ("any", M, (), {}),
    ("all", M, (0,), {}), ("argmax", A, (), {}), ("argmin", A, (1,), {}), ("cumsum", V, (), {}), ("cumprod", V, (),
        {}), ("mean", I, (), {}),
    ("var", A, (0,), {}), ("std", A, (), {"ddof": 1}), ("reshape", A, (3, 2), {}), ("reshape", A, ((3, 2),), {}),
        ("reshape", A, (-1,), {}),
    ("ravel", A, (), {}), ("flatten", V, (), {}), ("transpose", C, (), {}), ("transpose", C, (1, 0, 2), {}),
        ("transpose", C, ((2, 0, 1),), {}),
    ("transpose", V, (0,), {}), ("transpose", A, (None,), {}), ("swapaxes", C, (0, 1), {}), ("squeeze", A[None], (),
        {}), ("diagonal", A, (), {}),
    ("repeat", V, (2,), {}), ("take", V, (np.array([0, 2]),), {}), ("round", A * 10.0, (1,), {}), ("clip", A, (0.0,
        1.0), {}),
    ("clip", A, (), {"max": 1.0}), ("astype", A, (np.float32,), {}), ("astype", A, (int,), {}), ("astype", A,
        ("bool",), {}),
    ("item", V[:1], (), {}), ("item", A, (1, 0), {}), ("item", I32[0, :1], (), {}), ("item", np.float32(1.5), (), {}),
    ("choose", I % 2, ([A, -A],), {}), ("argsort", A, (), {}),
    ("argsort", V, (), {"kind": "stable"}), ("argpartition", W[:1], (0,), {}),
    ("nonzero", A, (), {}), ("compress", V, ([True, False, True],), {}), ("searchsorted", T, (2.0,), {}),
    ("item", np.array(True), (), {}), ("copy", A, (), {}), ("dot", A, (B,), {}), ("trace", A, (), {}),
    ("view", V, (np.int64,), {}), ("conj", Z, (), {}), ("conjugate", Z, (), {}),
]  # fmt: skip


@pytest.mark.parametrize("call", METHOD_CALLS, ids=lambda call: call[0])
def test_method_is_numpys(call):
    name, array, args, kwargs = call
    same(METHODS[name].load()(array, *args, **kwargs), getattr(array, name)(*args, **kwargs))


def test_attributes_that_are_methods():
    same(METHODS["T"].load()(C), C.T)
    same(METHODS["mT"].load()(C), C.mT)
    changing = {name for name in METHODS if name in CHANGING_METHODS}  # `test_library_calls.py` has these
    assert {name for name, *_ in METHOD_CALLS} | {"T", "mT"} | changing == set(METHODS)


def test_limits_of_dtypes():
    limits = BINDINGS["numpy.finfo"].load()
    assert limits(np.float32).eps == np.finfo(np.float32).eps and limits(float).max == np.finfo(float).max
    assert limits(np.int32).max == np.iinfo(np.int32).max


# --- names ---------------------------------------------------------------------------------------------------------


@every(BINDINGS)
def test_every_binding_is_real(name):
    binding = BINDINGS[name]
    if binding.kind == "constant":
        value = object_of(name)
        assert value is binding.constant or repr(value) == repr(binding.constant)
        return
    assert list(binding.signature().parameters) or binding.row.name
    if object_of(name) is not None:
        assert binding_of(object_of(name)) is not None


BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def test_positional_parameters_are_numpys():
    """What NumPy takes by position, a library function takes in the same order under the same names."""
    for name, binding in BINDINGS.items():
        if binding.kind != "function" or not name.startswith("numpy."):
            continue
        try:
            theirs = list(inspect.signature(object_of(name)).parameters.values())
        except (ValueError, TypeError):
            continue
        ours = [p for p in binding.signature().parameters.values() if p.kind in BY_POSITION]
        positional = [p for p in theirs if p.kind in BY_POSITION]
        for mine, other in zip(ours, positional):
            nameless = mine.POSITIONAL_ONLY in (mine.kind, other.kind)
            assert mine.name == other.name or nameless, (name, mine, other)
        for mine in [p for p in ours[len(positional) :] if p.kind is p.POSITIONAL_OR_KEYWORD]:
            assert any(mine.name == p.name for p in theirs) or any(p.kind is p.VAR_KEYWORD for p in theirs), (name,
                mine)


def test_every_library_function_is_tested():
    tested = {f"cmath.{name}" for name in CMATH_FUNCTIONS["complex_mathematics"].split()}
    tested |= {f"numpy.{name}" for name, *_ in CASES}
    tested |= {f"math.{name}" for name in MATH_FUNCTIONS["mathematics"].split()}  # `test_iteration_tools.py` has more
    tested |= {name for name in BINDINGS if name.startswith("bisect.")}
    called = re.findall(r"np\.([\w.]+)\(", "\n".join(text for texts in CALLS.values() for text in texts))
    tested = (tested | {f"numpy.{name}" for name in called}) & set(BINDINGS)
    tested_functions = {BINDINGS[name].function for name in tested}
    left = {b.function for b in BINDINGS.values() if b.function} - tested_functions
    elsewhere = "creation:empty creation:empty_like creation:ndarray ufunc_methods:at elementary:astype"
    elsewhere += " elementary:finfo products:matmul storage:frombuffer"
    # `test_linalg.py`, `test_library_calls.py`, `test_special.py`, `test_scipy_calls.py`, `test_random_generators.py`
    # ask for all of these.
    known = ("linear_algebra:", "changing:", "scipy.", "random_generators:", "gauss:")
    left = {f for f in left if not f.startswith(known)}
    assert left <= set(elsewhere.split()), left


@pytest.mark.parametrize(
    ("code", "name", "args"),
    [
        ("S002", "sum", (A, 2)), ("S002", "mean", (V, -2)), ("S002", "transpose", (A, (0, 0))), ("S002", "moveaxis",
            (A, 0, 2)),
        ("S002", "einsum", ("ij,jk->iz", A, B)), ("S003", "stack", ((V, A),)), ("T001", "concatenate", (2.5,)),
        ("S002", "expand_dims", (V, 3)), ("S003", "tensordot", (A, B, 3)),
        ("U015", "zeros", (2, np.longdouble)),
        ("R001", "zeros", (2, 1)), ("T001", "zeros", (2.5,)),
    ],
)  # fmt: skip
def test_refusals(code, name, args):
    with pytest.raises(TypeFault) as caught:
        BINDINGS[f"numpy.{name}"].load()(*args)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("name", "args", "error"),
    [("linspace", (0.0, 1.0, -1), ValueError), ("squeeze", (A, 0), ValueError), ("average", (W, None, W * 0.0),
        ZeroDivisionError),
     ("interp", (1.0, F, F), ValueError), ("convolve", (F, V), ValueError), ("cross", (V, V), ValueError)],
)  # fmt: skip
def test_errors_are_numpys(name, args, error):
    for function in (BINDINGS[f"numpy.{name}"].load(), object_of(f"numpy.{name}")):
        with pytest.raises(error):
            function(*args)


def test_a_binding_says_one_thing():
    for binding in BINDINGS.values():
        assert isinstance(binding, NameBinding)
        assert sum(map(bool, (binding.operator, binding.function, binding.dtype))) <= 1
