"""What random programs must hold to: the same at every stage, and derivatives that match differences.

A random program may be badly conditioned: then rounding alone moves its result, or its path.  How much it may move is
measured, on arguments that differ in their last digits, and what moves too far is passed over.
"""

import math

import numpy as np
from hypothesis import assume

import pellucid
from pellucid.compiler.diagnostics import CompileError
from pellucid.compiler.request import Gradient, Tangent

from .corpus import finite_difference_gradient, is_float, leaves, map_leaves
from .stages import Outcome, Stages, assert_same, in_python

LAST_DIGITS = {np.float16: 1e-3, np.float32: 1e-6, np.float64: 1e-13}
AGREEMENT = {np.float16: 2e-2, np.float32: 5e-4, np.float64: 1e-9}
MOST_SENSITIVE = 1e-4


def agrees(written, stages):
    """Every stage gives what CPython gives, or raises the same type of exception, for two pairs of lengths."""
    function = written.function()
    pellucid.compile(function)  # what decoration checks finds nothing wrong with it
    runner = Stages(function)
    tried = 0
    for lengths in (written.lengths, tuple(n if n == 1 else n + 2 for n in written.lengths)):
        args = written.arguments(lengths)
        want = in_python(function, *args)
        moved = sensitivity(want, in_python(function, *map_leaves(nudged, args)))
        if moved > MOST_SENSITIVE:
            continue
        tried += 1
        tolerance = {dtype: max(base, 1e3 * moved) for dtype, base in AGREEMENT.items()}
        for stage in stages:
            assert_same(outcome_at(runner, stage, args, written), want, tolerance)
    assume(tried)


def outcome_at(runner, stage, args, written):
    """The outcome of a stage; a refusal is an answer only where a view is known to be at risk."""
    try:
        return runner.run(stage, *args)
    except CompileError as refused:
        assume(not (written.hazards and all(d.code == "R003" for d in refused.diagnostics)))
        raise


def nudged(leaf):
    """The same numbers but for their last digits."""
    if not is_float(leaf):
        return leaf
    change = 1.0 + LAST_DIGITS[np.asarray(leaf).dtype.type]
    return type(leaf)(leaf * change) if not isinstance(leaf, np.ndarray) else (leaf * change).astype(leaf.dtype)


def sensitivity(want: Outcome, near: Outcome) -> float:
    """How far a nudge moves the result, as a part of its size; infinite where it changes the path."""
    if want.error is not None or near.error is not None:
        return 0.0 if type(want.error) is type(near.error) else math.inf
    ones, others = leaves(want.value), leaves(near.value)
    if len(ones) != len(others):
        return math.inf
    return max((_distance(np.asarray(one), np.asarray(other)) for one, other in zip(ones, others)), default=0.0)


def _distance(one, other):
    if one.shape != other.shape or one.dtype != other.dtype:
        return math.inf
    if one.dtype.kind != "f":
        return 0.0 if np.array_equal(one, other) else math.inf
    finite = np.isfinite(one)
    if not np.array_equal(one[~finite], other[~finite], equal_nan=True) or not np.all(np.isfinite(other[finite])):
        return math.inf
    scale = max(1.0, float(np.max(np.abs(one[finite]), initial=0.0)))
    return float(np.max(np.abs(one[finite] - other[finite]), initial=0.0)) / scale


# --- derivatives ---------------------------------------------------------------------------------------------------


def gradient_agrees(written, stages):
    """The gradient of a program that returns one float, by all its float arguments, against central differences."""
    function, args = written.function(), written.arguments()
    value = in_python(function, *args)
    assume(value.error is None and is_float(value.value) and np.isfinite(value.value) and abs(value.value) < 1e6)
    want = differences(function, args)
    argnums = tuple(number for number, leaf in enumerate(args) if is_float(leaf))
    runner = Stages(function, [Gradient(argnums)])
    for stage in stages:
        got = runner.run(stage, *args)
        assert got.error is None, f"{stage} raised {got.error!r}"
        for number, one, (other, slack) in zip(argnums, leaves(got.value), want):
            assert np.shape(one) == np.shape(args[number])
            np.testing.assert_allclose(one, other, rtol=0.0, atol=slack, err_msg=f"{stage}, argument {number}")


def tangent_agrees(written, stages):
    """Forward mode along a direction of all float arguments is the gradient times the direction."""
    function, args = written.function(), written.arguments()
    value = in_python(function, *args)
    assume(value.error is None and is_float(value.value) and np.isfinite(value.value) and abs(value.value) < 1e6)
    draw = np.random.default_rng(1)
    floats = tuple(number for number, leaf in enumerate(args) if is_float(leaf))
    along = tuple(_direction(args[number], draw) for number in floats)
    gradient = Stages(function, [Gradient(floats)]).run("typed", *args)
    assume(gradient.error is None and all(np.all(np.isfinite(leaf)) for leaf in leaves(gradient.value)))
    want = sum(float(np.sum(np.asarray(g, np.float64) * d)) for g, d in zip(leaves(gradient.value), along))
    size = sum(float(np.sum(np.abs(np.asarray(g, np.float64) * d))) for g, d in zip(leaves(gradient.value), along))
    tangents = dict(zip(floats, along))
    runner = Stages(function, [Tangent()])
    for stage in stages:
        got = runner.run(stage, tuple(args), tuple(tangents.get(k) for k in range(len(args))))
        assert got.error is None, f"{stage} raised {got.error!r}"
        single = any(np.asarray(a).dtype != np.float64 for a in along)
        slack = (1e-3 if single else 1e-8) * (1.0 + size)
        np.testing.assert_allclose(float(got.value[1]), want, rtol=0.0, atol=slack, err_msg=stage)


def _direction(leaf, draw):
    made = draw.normal(size=np.shape(leaf))
    return made.astype(leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(made)


def differences(function, args):
    """Central differences at every float leaf, each with how far it may be off, judged by a second step."""
    weight = float(np.random.default_rng(0).standard_normal(()))  # the oracle weighs the result
    coarse, fine = (
        [leaf / weight for leaf in leaves(finite_difference_gradient(function, args, step)) if leaf is not None]
        for step in (4e-6, 1e-6)
    )
    pairs = []
    for one, other in zip(coarse, fine):
        scale = 1.0 + float(np.max(np.abs(other), initial=0.0))
        off = float(np.max(np.abs(one - other), initial=0.0))
        assume(np.all(np.isfinite(one)) and off < 1e-3 * scale)
        pairs.append((other, 1e-5 * scale + 10.0 * off))
    return pairs


def second_derivative_agrees(written, stages):
    """grad(grad(f)) by the first argument, against differences of grad(f) run by CPython."""
    function, args = written.function(), written.arguments()
    value = in_python(function, *args)
    assume(value.error is None and is_float(value.value) and np.isfinite(value.value) and abs(value.value) < 1e4)
    once = Stages(function, [Gradient(0)])

    def slope(*at):
        outcome = once.run("typed", *at)
        assert outcome.error is None, f"the first derivative raised {outcome.error!r}"
        return float(outcome.value)

    [(want, slack), *_] = differences(slope, args)
    twice = Stages(function, [Gradient(0), Gradient(0)])
    for stage in stages:
        got = twice.run(stage, *args)
        assert got.error is None, f"{stage} raised {got.error!r}"
        np.testing.assert_allclose(float(got.value), want, rtol=0.0, atol=slack, err_msg=stage)
