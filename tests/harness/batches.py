"""What `vmap` means: the loop over the examples in CPython, and its results put together.

    looped(f, (w, xs), (None, 0))    ->    Outcome(stack of f(w, xs[0]), f(w, xs[1]), ...)

An axis is an int for all leaves of an argument, or None for what all examples share.
"""

import dataclasses

import numpy as np

from pellucid.compiler.request import Batch

from .agreement import AGREEMENT, MOST_SENSITIVE, nudged, sensitivity
from .corpus import copy_tree, leaves, map_leaves
from .stages import Outcome, Stages, assert_same, attempt


class Apart(Exception):
    """The results of the examples do not stand in one array."""


def stacked(trees, axis=0):
    """The leaves of several trees, each along a new axis."""
    return map_leaves(lambda *parts: np.stack([np.asarray(p) for p in parts], axis), *trees)


def example(args, axes, number):
    """The arguments of one example; scalars are NumPy's, as elements of an array are."""

    def of(tree, axis):
        if axis is None:
            return tree
        return map_leaves(lambda leaf: np.moveaxis(leaf, axis, 0)[number], tree)

    return copy_tree(tuple(map(of, args, axes)))


def count_of(args, axes):
    tree, axis = next((a, k) for a, k in zip(args, axes) if k is not None)
    return leaves(tree)[0].shape[axis]


def looped(function, args, axes):
    """The outcome of the loop: the error of the first example that raises, or all results stacked.  Raises Apart."""
    results = []
    for number in range(count_of(args, axes)):
        outcome = attempt(function, *example(args, axes, number))
        if outcome.error is not None:
            return outcome
        results.append(outcome.value)
    return Outcome(joined(results))


def joined(results):
    try:
        return map_leaves(_one, *results)
    except (TypeError, ValueError, KeyError, IndexError):
        raise Apart from None


def _one(*parts):
    if parts[0] is None or isinstance(parts[0], str):
        if any(part is not parts[0] and part != parts[0] for part in parts):
            raise Apart
        return parts[0]
    if len({np.shape(part) for part in parts}) > 1:
        raise Apart
    return np.stack([np.asarray(part) for part in parts])


def mapped_agrees(written, stages, seed=0):
    """`vmap` of a random program is the loop, at every stage; which parameters are mapped is drawn by the seed."""
    function = written.function()
    rng = np.random.default_rng(seed)
    axes = tuple(int(axis) if (axis := rng.integers(-1, 2)) >= 0 else None for _ in written.parameters)
    if all(axis is None for axis in axes):
        axes = (0, *axes[1:])
    count = int(rng.integers(1, 4))
    args = mapped_arguments(written, axes, count)
    axes = tuple(None if k is None else min(k, np.ndim(a) - 1) for a, k in zip(args, axes))
    want = looped(function, args, axes)
    moved = sensitivity(want, looped(function, map_leaves(nudged, args), axes))
    if moved > MOST_SENSITIVE:
        return None
    runner = Stages(function, transforms=[Batch(axes)])
    tolerance = {dtype: max(base, 1e3 * moved) for dtype, base in AGREEMENT.items()}
    for stage in stages:
        assert_same(runner.run(stage, *args), want, tolerance)
    return want


def mapped_arguments(written, axes, count):
    """Arguments with the examples along these axes, or the last of fewer; every example has values of its own."""
    examples = [dataclasses.replace(written, seed=written.seed + number).arguments() for number in range(count)]
    return tuple(
        examples[0][k] if axis is None else np.stack([e[k] for e in examples], min(axis, np.ndim(examples[0][k])))
        for k, axis in enumerate(axes)
    )
