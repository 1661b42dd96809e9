"""Programs over arrays that are run in NumPy while they are written.

    case(seed)  ->  def program(x, A, s, k):
                        t = x[1:] * s
                        c = 0
                        while np.any(t > 0.1) and c < 4:
                            t[c:] -= A[0, c]
                            c += 1
                        return t, np.sum(t)

As every name's value is known, what is written is mostly valid: views, stores, nested loops, lengths that change, local
functions, lists, early returns.  Each program is called with seven variations of lengths, layouts and values.
"""

import numpy as np

from ..corpus import is_float
from .arguments import PARAMETERS, VARIATIONS, make
from .case import Call, Case, drawn, text_of
from .draft import Draft
from .expressions import Expressions
from .losses import loss_of
from .statements import Statements

LARGEST = 1e6  # a program whose values grow beyond says little about values


def case(seed: int) -> Case:
    """The program of this seed."""
    return drawn("run while writing", seed, write)


def write(rng):
    optional = [name for name in PARAMETERS if name not in ("x", "s")]
    smooth = rng.randrange(4) == 0
    chosen = set(
        rng.sample([n for n in optional if not smooth or PARAMETERS[n][0] == "f64"] + ["k"], rng.randint(1, 5))
    )
    names = [name for name in PARAMETERS if name in chosen or name in ("x", "s")]
    number = rng.randrange(2**30)
    calls = tuple(Call(text_of(make(names, variation, number + v))) for v, variation in enumerate(VARIATIONS))
    draft = Draft(names, [calls[v].arguments for v in (0, 2, 1)], rng)
    statements = Statements(draft, rng, Expressions(draft, rng, smooth))
    for _ in range(rng.randint(3, 7)):
        statements.write()
    if not finish(draft, statements):
        return None
    source = draft.text()
    loss = loss_of(source, names, make(names, VARIATIONS[0], number))
    return Case(source + loss, calls, "loss" if loss else "", smooth)


def finish(draft, statements):
    """The last `return`: what has been computed; nothing if the numbers have grown beyond measure."""
    if len(draft.body) < 3 or not draft.finish(f"return {statements.returned()}"):
        return False
    values = [v for v in draft.values.values() if is_float(v) or isinstance(v, np.ndarray)]
    return all(np.max(np.abs(v), initial=0.0) < LARGEST for v in values if np.asarray(v).dtype.kind in "fi")
