"""Functions of matrices, for each matrix of a stack: all of `np.linalg` takes stacks.

    over_stacks(inverse, [("f64", (n, n))], (a, 2))    ->    out = empty(shape=(k, n, n), dtype="f64")
                                                             for i in range(k): out[i] = inverse(a[i])

The axes before those of one matrix broadcast together.  A single matrix is given to the function as it is.
"""

import numpy

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .arranging import common_shape
from .elementary import operand
from .manipulation import shape


def over_stacks(function, results, *given):
    """What a function gives for each place in the stacks.

    `given` are arrays, each with the number of axes that the function takes of it; `results` the dtype word and the
    lengths of everything that the function gives.
    """
    leads = [lead_of(a, own) for a, own in given]
    stacks = [lead for lead in leads if len(lead) > 0]
    if len(stacks) == 0:
        return function(*[a for a, _ in given])
    lead = stacks[0] if len(stacks) == 1 else common_shape([op.empty(shape=own, dtype="bool") for own in stacks])
    outs = [op.empty(shape=(*lead, *lengths), dtype=word) for word, lengths in results]
    parts = [
        op.broadcast_to(a, shape=(*lead, *a.shape[len(own) :])) if len(own) > 0 and len(stacks) > 1 else a
        for own, (a, _) in zip(leads, given)
    ]
    fill(function, outs, parts, [len(own) > 0 for own in leads], len(lead), ())
    return outs[0] if len(outs) == 1 else tuple(outs)


def lead_of(a, own):
    """The lengths of the axes of a stack."""
    return shape(a)[: static.rank(a) - own]


def fill(function, outs, parts, varies, depth, place):
    """Store the results for every place, the last axis of the stack innermost."""
    if depth == len(place):
        made = function(*[part[place] if is_stack else part for part, is_stack in zip(parts, varies)])
        if len(outs) == 1:
            outs[0][place] = made
        else:
            for out, value in zip(outs, made):
                out[place] = value
    else:
        for k in range(outs[0].shape[len(place)]):
            fill(function, outs, parts, varies, depth, (*place, k))


def matrices(a):
    """One matrix or a stack of them."""
    a = operand(a)
    if static.rank(a) < 2:
        told = f"{static.rank(a)}-dimensional array given. Array must be at least two-dimensional"
        static.refuse("S002", told)
    return a


def squares(a):
    """One square or a stack of them; of one matrix the routines see themselves whether it is square."""
    a = matrices(a)
    if static.rank(a) > 2 and a.shape[-1] != a.shape[-2]:
        raise numpy.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    return a


def in_floats(a):
    """The dtype word that LAPACK's results have."""
    word = static.element(a)
    return word if word in ("f32", "c64", "c128") else "f64"
