"""Whether a GPU computes what NumPy does: values, dtypes, shapes, errors, and the same bits twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gpu_parts import Run, Table
from gpu_programs import PROGRAMS, SHAPES, Program

import pellucid

TINY = 9  # elements of an axis, at most, on a device that is not there
IN_PYTHON = 50  # elements up to which the program itself, in CPython, says what is right; its twin beyond


def correctness(run: Run) -> None:
    """Correct: against NumPy, gradients against the processor's, and the same bits twice."""
    about = (
        "Programs in CPython up to fifty elements and over NumPy beyond; gradients are those of the same program "
        "compiled for the processor. *Apart* is the largest difference, over the largest element; every call was made "
        "twice and had to give the same bits."
    )
    table = run.table("Correct", about, "program", "calls", "apart", "")
    for program in PROGRAMS:
        run.guarded(program.name, lambda program=program: forward(run, table, program))
        if program.loss is not None:
            run.guarded(f"{program.name}, gradient", lambda program=program: gradient(run, table, program))
    for name, function in WORDS.items():
        run.guarded(name, lambda name=name, function=function: word(run, table, name, function))
    for name, call in ERRORS.items():
        run.guarded(name, lambda name=name, call=call: error(run, table, name, *call))


def forward(run: Run, table: Table, program: Program) -> None:
    compiled, twin = pellucid.compile(program.function), program.over(np)

    def right(*args: Any) -> Any:
        few = sum(np.size(arg) for arg in args) <= IN_PYTHON
        return (program.function if few else twin)(*args)

    held(run, table, program.name, compiled, right, arguments(run, program))


def gradient(run: Run, table: Table, program: Program) -> None:
    slopes = pellucid.grad(program.loss, argnums=program.slopes)
    held(run, table, f"{program.name}, gradient", slopes, slopes, arguments(run, program))


def arguments(run: Run, program: Program) -> list[tuple[Any, ...]]:
    random = np.random.default_rng(3)
    return [program.make(size, random) for size in fitting(run, program.sizes)]


def fitting(run: Run, sizes: Sequence[Any]) -> Sequence[Any]:
    """The sizes, cut down for a device that is not there."""
    cut = [tuple(min(n, TINY) for n in size) if isinstance(size, tuple) else min(size, TINY) for size in sizes]
    return list(dict.fromkeys(cut)) if run.is_tiny else sizes


def held(
    run: Run, table: Table, name: str, ours: Callable[..., Any], right: Callable[..., Any],
    calls: Sequence[tuple[Any, ...]],
) -> None:  # fmt: skip
    """A program against what is right, for each of the arguments."""
    apart, wrong = 0.0, []
    for args in calls:
        there, shapes = run.there(args), [np.shape(arg) for arg in args if isinstance(arg, np.ndarray)]
        once, again = leaves(ours(*there)), leaves(ours(*there))
        with np.errstate(all="ignore"):
            wanted = leaves(right(*args))
        if len(once) != len(wanted):
            wrong.append(f"{len(once)} results for {len(wanted)} at {shapes}")
        for got, other, want in zip(once, again, wanted):
            if (got.dtype, got.shape) != (want.dtype, want.shape):
                wrong.append(f"{got.dtype}{got.shape} for {want.dtype}{want.shape} at {shapes}")
                continue
            if got.tobytes() != other.tobytes():
                wrong.append(f"other bits the second time at {shapes}")
            distance = distance_of(got, want)
            apart = max(apart, distance)
            if not distance <= tolerance(got.dtype):
                wrong.append(f"{distance:.1e} apart at {shapes}")
    run.row(table, name, str(len(calls)), f"{apart:.1e}", "WRONG" if wrong else "")
    for text in wrong[:4]:
        run.fault(f"{name}: {text}")


def tolerance(dtype: np.dtype[Any]) -> float:
    return 0.0 if dtype.kind in "iub" else 2e-5 if dtype == np.float32 else 1e-10


def distance_of(got: np.ndarray, want: np.ndarray) -> float:
    """The largest difference over the largest element; infinite where only one of two is nan or infinite."""
    if want.size == 0:
        return 0.0
    got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
    finite = np.isfinite(want)
    if not np.array_equal(got[~finite], want[~finite], equal_nan=True):
        return float("inf")
    found = np.abs(got[finite] - want[finite]).max(initial=0.0) / max(1.0, np.abs(want[finite]).max(initial=0.0))
    return float(found) if np.isfinite(found) else float("inf")


def leaves(result: Any) -> list[np.ndarray]:
    if isinstance(result, tuple | list):
        return [leaf for part in result for leaf in leaves(part)]
    return [np.asarray(result)]


# --- what programs are made of ---------------------------------------------------------------------------------------


def elementwise(x):
    return np.where(x > 0.5, np.sqrt(np.abs(x)), np.sin(x)) * np.maximum(x, 0.25) // 0.125


def softmax(x):
    raised = np.exp(x - np.max(x, axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def folds(x):
    return x.sum(), x.sum(axis=0), x.sum(axis=1), x.max(), x.min(axis=0), x.mean(axis=1), (x > 0.5).sum()


def extremes(x):
    return np.argmax(x, axis=1), np.argmin(x, axis=0)


def tests(x):
    return np.any(x > 0.9, axis=1), np.all(x > 0.01, axis=0)


def running(x):
    return np.cumsum(x, axis=0), np.cumsum(x, axis=1)


def views(x):
    return x.T[::-1] + 1.0, x[::2, 1:] * 2.0, np.concatenate((x, -x))


def product(x):
    return x.T @ x


def stencil(x):
    found = np.zeros_like(x)
    for i in range(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            found[i, j] = x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1] - 4.0 * x[i, j]
    return found


WORDS = {
    "elementwise": elementwise, "softmax": softmax, "folds": folds, "extremes": extremes, "tests": tests,
    "running sums": running, "views": views, "x.T @ x": product, "stencil": stencil,
}  # fmt: skip
SLOW_IN_PYTHON = 50_000


def word(run: Run, table: Table, name: str, function: Callable[..., Any]) -> None:
    random, most = np.random.default_rng(5), SLOW_IN_PYTHON if function is stencil else 10**9
    calls = [(random.random(shape),) for shape in fitting(run, SHAPES) if np.prod(shape) <= most]
    held(run, table, name, pellucid.compile(function), function, calls)


# --- errors ----------------------------------------------------------------------------------------------------------


def taken(x, places):
    found = np.empty(places.shape[0])
    for i in range(places.shape[0]):
        found[i] = x[places[i]]
    return found


def counted(places, weights):
    out = np.zeros(8)
    for i in range(places.shape[0]):
        out[places[i]] += weights[i]
    return out


WRONG = np.array([0, 3, -9, 7])
ERRORS = {
    "taken from outside": (taken, np.ones(8), WRONG),
    "counted outside": (counted, WRONG, np.ones(4)),
    "no elements": (lambda x: np.max(x, axis=1), np.ones((4, 0))),
}


def error(run: Run, table: Table, name: str, function: Callable[..., Any], *args: Any) -> None:
    """The error of a call comes when its result is read, and says what NumPy's says."""
    wanted, got = said(function, args), said(pellucid.compile(function), run.there(args))
    run.row(table, name, "1", "", "" if wanted == got else "WRONG")
    if wanted != got or wanted is None:
        run.fault(f"{name}: {got} for {wanted}")


def said(function: Callable[..., Any], args: Sequence[Any]) -> tuple[str, str] | None:
    try:
        leaves(function(*args))
    except Exception as raised:
        return type(raised).__name__, str(raised).strip().splitlines()[0]
    return None
