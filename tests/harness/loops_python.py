"""Run the text of a loops program in CPython: the oracle of the native target.

The text is Python already; this gives its words their NumPy meaning.  `same_outcome` compares a native call with it:
values, dtypes, and errors by type and words.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence

import numpy as np
import scipy.special

from pellucid.compiler.dtypes import NUMPY_DTYPE
from pellucid.compiler.ops.forms import ROUTINES

PYTHON_TYPE = {"f64": float, "i64": int, "bool": bool}
ELEMENTWISE = """add subtract multiply divide floor_divide remainder power negative absolute sign sqrt exp log sin cos
    tanh maximum minimum fmax fmin floor ceil rint isnan isfinite logical_and logical_or logical_not arctan2 hypot
    square copysign logaddexp""".split()


def empty(shape: int | tuple[int, ...], dtype: str = "f64") -> np.ndarray:
    return np.empty(shape, NUMPY_DTYPE[dtype])


def cast(x: object, dtype: str, weak: bool = False) -> object:
    if weak:
        return PYTHON_TYPE[dtype](x)
    return NUMPY_DTYPE[dtype].type(x) if not isinstance(x, np.generic) else x.astype(NUMPY_DTYPE[dtype])


def where(condition: object, x: object, y: object) -> object:
    if isinstance(x, np.generic) or isinstance(y, np.generic):
        return np.where(condition, x, y)[()]
    return type(x + y)(x if condition else y)


def namespace() -> dict[str, object]:
    """The words of the loops language."""
    return {
        **{name: getattr(np, name) for name in ELEMENTWISE},
        "erf": scipy.special.erf, "math": math, "prange": range, "lanes": range, "folding": range,
        "noalias": range,
        "empty": empty, "cast": cast, "where": where,
        "dim": lambda a, axis: a.shape[axis], "transpose": np.transpose, "reshape": np.reshape, "new_list": list,
        **{name: row.in_place for name, row in ROUTINES.items()}, "append": list.append, "pop": list.pop,
    }  # fmt: skip


def in_python(text: str) -> Callable[..., object]:
    """The entry function of the text, as CPython sees it."""
    scope = namespace()
    exec(compile(text, "loops.py", "exec"), scope)
    names = [line.split("(")[0][4:] for line in text.splitlines() if line.startswith("def ")]
    return scope["main" if "main" in names else names[-1]]  # type: ignore[return-value]


def outcome(call: Callable[[], object]) -> tuple[str, object]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return "value", call()
        except (ArithmeticError, ValueError, LookupError, AssertionError, RecursionError) as error:
            return "error", (type(error), str(error))


def assert_same_outcome(native: Callable[[Sequence[object]], list], text: str, arguments: Sequence[object]) -> None:
    """The native program and CPython agree on these arguments."""
    expected = outcome(lambda: in_python(text)(*arguments))
    got = outcome(lambda: native(arguments))
    assert got[0] == expected[0], (got, expected, arguments)
    if got[0] == "error":
        assert got[1] == expected[1], arguments
        return
    results = expected[1] if isinstance(expected[1], tuple) else (expected[1],)
    assert len(got[1]) == len(results)  # type: ignore[arg-type]
    for mine, theirs in zip(got[1], results):  # type: ignore[call-overload]
        assert_same_value(mine, theirs)


def assert_same_value(mine: object, theirs: object) -> None:
    if isinstance(theirs, list):
        assert isinstance(mine, list) and len(mine) == len(theirs)
        for a, b in zip(mine, theirs):
            assert_same_value(a, b)
        return
    assert type(mine) is type(theirs), (mine, theirs)
    if isinstance(theirs, np.ndarray):
        assert mine.dtype == theirs.dtype and mine.shape == theirs.shape
    tolerance = {np.float16: 2e-3, np.float32: 1e-5}.get(np.asarray(theirs).dtype.type, 1e-12)
    np.testing.assert_allclose(mine, theirs, rtol=tolerance)
