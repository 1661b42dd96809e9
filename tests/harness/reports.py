"""Small programs about what a public bug report was about: how a file tells of them, and what judges them.

    REPORTS.value("a row past the end", past_last_row, np.ones((3, 2)), 3)      what CPython gives, or raises
    REPORTS.slope("no iterations", around_loop, x, 0)                           differences of the plain function
    REPORTS.slope("zero first", product, x, want=np.array([9.0, 0.0, 0.0]))     or what the report says is right
    REPORTS.answer("an axis at the end", negative, want)                        a function that calls Pellucid itself

A case has the name of its file and a title of its own, and the programs stay plain functions.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import pellucid

ARRAYS = (np.ndarray, pellucid.Array)
CLOSE = {2: 2e-3, 4: 1e-5}  # how far floats of so many bytes may be off, relative to what is right; others: 1e-9


@dataclass(frozen=True, slots=True)
class Case:
    """A program with the check that it must pass."""

    file: str
    title: str
    check: Callable[[], None]

    def __str__(self):
        return f"{self.file}: {self.title}"


class Reports:
    """The cases of one file, in the order in which it tells of them."""

    def __init__(self, module):
        self.file = module.rpartition(".")[2]
        self.cases = []

    def value(self, title, function, *args, made=None, want=None):
        """`compile(function)` gives `want`, or what the plain function gives, or raises what that one raises.

        made  gives the arguments anew, where they are what a copy would not be
        """
        self._add(title, lambda: check_value(function, made or (lambda: copy.deepcopy(args)), want))

    def slope(self, title, function, *args, by=0, want=None, with_value=False):
        """`grad(function, by)` gives `want`, or the differences of the plain function."""
        self._add(title, lambda: check_slope(function, args, by, want, with_value))

    def curvature(self, title, function, *args, want):
        """`hessian(function)` gives `want`."""
        self._add(title, lambda: assert_slopes(pellucid.hessian(function)(*args), want, 1e-7))

    def slopes_of_examples(self, title, function, *args, want):
        """`vmap(grad(function))` gives `want`."""
        self._add(title, lambda: assert_slopes(pellucid.vmap(pellucid.grad(function))(*args), want, 1e-8))

    def tangent(self, title, function, primals, tangents, want):
        """`jvp(function, primals, tangents)` gives the tangent `want`."""
        self._add(title, lambda: assert_slopes(pellucid.jvp(function, primals, tangents)[1], want, 1e-8))

    def answer(self, title, function, want):
        """`function()`, which calls Pellucid itself, gives `want`, or what that gives where it is a function."""
        self._add(title, lambda: assert_same(function(), want() if callable(want) else want))

    def refused(self, title, call, *kinds):
        """`call()` raises one of these, or says that it takes no such thing."""
        self._add(title, lambda: check_refused(call, kinds or (TypeError, ValueError, pellucid.CompileError)))

    def _add(self, title, check):
        self.cases.append(Case(self.file, title, check))


def check_value(function, make_arguments, want):
    if want is None:
        try:
            want = function(*make_arguments())
        except Exception as error:
            check_raises(function, make_arguments, type(error))
            return
    assert_same(pellucid.compile(function)(*make_arguments()), want)


def check_raises(function, make_arguments, kind):
    """The same exception, or a refusal: a program that cannot but fail may be told so at once."""
    try:
        got = pellucid.compile(function)(*make_arguments())
    except (kind, pellucid.CompileError):
        return
    raise AssertionError(f"gave {got!r}, where {kind.__name__} is raised")


def check_refused(call, kinds):
    try:
        got = call()
    except kinds:
        return
    raise AssertionError(f"gave {got!r}, where it should be refused")


def check_slope(function, args, by, want, with_value):
    tolerance = 1e-6 if want is None else 1e-9
    if want is None:
        want = (
            tuple(differences(function, args, k) for k in by)
            if isinstance(by, tuple)
            else differences(function, args, by)
        )
    if with_value:
        value, got = pellucid.value_and_grad(function, by)(*copy.deepcopy(args))
        assert_same(value, function(*copy.deepcopy(args)))
    else:
        got = pellucid.grad(function, by)(*copy.deepcopy(args))
    assert_slopes(got, want, tolerance)


def differences(function, args, k):
    """Central differences of the sixth order by argument `k`."""
    x = np.array(args[k], dtype=float)
    slope = np.zeros_like(x)
    step = 1e-3
    for place in np.ndindex(x.shape):
        for steps, weight in ((1, 45 / 60), (2, -9 / 60), (3, 1 / 60)):
            for side in (1, -1):
                moved = x.copy()
                moved[place] += side * steps * step
                changed = list(copy.deepcopy(args))
                changed[k] = moved if isinstance(args[k], np.ndarray) else float(moved)
                slope[place] += side * weight * float(function(*changed)) / step
    return slope


def assert_same(got, want, path="result"):
    """Structure, types, dtypes, shapes and values; an array may be one of Pellucid's."""
    if isinstance(want, ARRAYS) or isinstance(got, ARRAYS):
        assert isinstance(want, ARRAYS) and isinstance(got, ARRAYS), f"{path}: {got!r} for {want!r}"
        got, want = np.asarray(got), np.asarray(want)
        assert (got.shape, got.dtype) == (want.shape, want.dtype.newbyteorder("=")), f"{path}: {got!r} for {want!r}"
        assert_near(got, want, path)
        return
    assert type(got) is type(want), f"{path}: {type(got).__name__} {got!r} for {type(want).__name__} {want!r}"
    if isinstance(want, tuple | list):
        assert len(got) == len(want), f"{path}: {got!r} for {want!r}"
        for k, (one, other) in enumerate(zip(got, want)):
            assert_same(one, other, f"{path}[{k}]")
    elif isinstance(want, dict):
        assert list(got) == list(want), f"{path}: {got!r} for {want!r}"
        for key in want:
            assert_same(got[key], want[key], f"{path}[{key!r}]")
    elif isinstance(want, float | complex | np.inexact):
        assert_near(np.asarray(got), np.asarray(want), path)
    else:
        assert got == want, f"{path}: {got!r} for {want!r}"


def assert_near(got, want, path):
    if want.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, want, err_msg=path)
        return
    tolerance = CLOSE.get(want.real.dtype.itemsize, 1e-9)
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * 1e-3, err_msg=path)


def assert_slopes(got, want, tolerance):
    """Values and shapes; a slope of several arguments is a tuple."""
    if isinstance(want, tuple):
        assert len(got) == len(want)
        for one, other in zip(got, want):
            assert_slopes(one, other, tolerance)
        return
    assert np.shape(got) == np.shape(want)
    np.testing.assert_allclose(np.asarray(got), want, rtol=tolerance, atol=tolerance)
