"""A program of many devices against NumPy's program of the whole: values, and slopes of a weighted sum of them."""

import numpy as np

import pellucid

RNG = np.random.default_rng(11)


def listed(result):
    return list(result) if isinstance(result, tuple | list) else [result]


def agrees(sharded, whole, *args, by=(), rtol=1e-10, inside=False):
    """`whole` is plain NumPy; slopes by the arguments `by` are held against its differences along a direction.

    With `inside` it is called inside a compiled function, too, and gives the same bits.
    """
    found, want = listed(sharded(*args)), listed(whole(*args))
    for one, other in zip(found, want, strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol, atol=1e-11)
    again = listed(pellucid.compile(lambda *args: sharded(*args))(*args)) if inside else found
    for one, other in zip(again, found, strict=True):
        np.testing.assert_array_equal(one, other)
    if by:
        slopes_agree(sharded, whole, args, by, [RNG.normal(size=np.shape(part)) for part in want])


def slopes_agree(sharded, whole, args, by, weights):
    def weighed(*args):
        return sum(np.sum(weight * part) for weight, part in zip(weights, listed(whole(*args)), strict=True))

    def of_devices(weights, *args):
        found = sharded(*args)
        parts = found if isinstance(found, tuple) else (found,)
        total = 0.0
        for weight, part in zip(weights, parts):
            total = total + np.sum(weight * part)
        return total

    slopes = pellucid.grad(of_devices, argnums=tuple(place + 1 for place in by))(tuple(weights), *args)
    for slope, place in zip(slopes, by, strict=True):
        direction = RNG.normal(size=np.shape(args[place]))

        def moved(step, place=place, direction=direction):
            return weighed(*args[:place], args[place] + step * direction, *args[place + 1 :])

        h = 1e-5
        want = (8.0 * (moved(h) - moved(-h)) - moved(2.0 * h) + moved(-2.0 * h)) / (12.0 * h)
        np.testing.assert_allclose(np.sum(np.asarray(slope) * direction), want, rtol=1e-6, atol=1e-7)
