"""Elements chosen among several arrays, and comparisons of whole arrays.

    np.select([c, d], [x, y], z)    ->    where(c, x, where(d, y, z))
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import in_dtype, operand, require_no_out, strong
from .manipulation import as_array


def select(condlist, choicelist, default=0):
    """Of the choices, element by element, the first whose condition holds."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    conditions, choices = [operand(c) for c in condlist], [operand(c) for c in choicelist]
    for k, condition in enumerate(conditions):
        if static.kind(condition) != "bool":
            raise TypeError(f"invalid entry {k} in condlist: should be boolean ndarray")
    last = operand(default)
    word = static.common(*choices, last)
    out = in_dtype(strong(last), word)
    for k in range(len(choices) - 1, -1, -1):
        out = op.where(conditions[k], in_dtype(strong(choices[k]), word), out)
    return out


def choose(a, choices, out=None, mode="raise"):
    """Of each place the element of the array that `a` counts there."""
    require_no_out(out)
    a = operand(a)
    options = [operand(c) for c in choices] if static.is_sequence(choices) else list(operand(choices))
    if static.kind(a) not in ("int", "bool") or static.element(a) == "u64":
        raise TypeError("Cannot cast array data to dtype('int64') according to the rule 'safe'")
    count = len(options)
    places = in_dtype(a, "i64")
    if mode == "wrap":
        places = places % count
    elif mode == "raise" and op.any(op.logical_or(places < 0, places >= count)):
        raise ValueError("invalid entry in choice array")
    word = static.common(*options)
    out = in_dtype(options[count - 1], word)
    for k in range(count - 2, -1, -1):
        out = op.where(places <= k, in_dtype(options[k], word), out)
    return out


def piecewise(x, condlist, funclist, *args, **kw):
    """Of each element the value of the function, or the number, whose condition holds last, or of the one over."""
    x = as_array(x)
    conditions = condlist if static.is_sequence(condlist) else (condlist,)
    count = len(funclist)
    if count != len(conditions) and count != len(conditions) + 1:
        expected = f"either {len(conditions)} or {len(conditions) + 1} functions are expected"
        raise ValueError(f"with {len(conditions)} condition(s), {expected}")
    out = op.zeros(shape=x.shape, dtype=static.element(x))
    if count == len(conditions) + 1:
        holds = op.full(False, shape=x.shape, dtype="bool")
        for condition in conditions:
            holds = op.logical_or(holds, operand(condition))
        out = put(out, x, op.logical_not(holds), funclist[count - 1], args, kw)
    for k in range(len(conditions)):
        out = put(out, x, op.broadcast_to(operand(conditions[k]), shape=x.shape), funclist[k], args, kw)
    return out


def put(out, x, condition, function, args, kw):
    """With the value of one function where its condition holds: it sees those elements alone."""
    if callable(function):
        if static.rank(x) == 0:
            static.refuse("U012", "np.piecewise of one number is not supported; write `if`")
        out[condition] = function(x[condition], *args, **kw)
        return out
    return op.where(condition, in_dtype(function, static.element(x)), out)


def array_equal(a1, a2, equal_nan=False):
    """Whether two arrays have one shape and equal elements."""
    left, right = as_array(a1), as_array(a2)
    if static.rank(left) != static.rank(right):
        return False
    holds = True
    for k in range(static.rank(left)):
        holds = holds and left.shape[k] == right.shape[k]
    if holds:
        same = left == right
        if equal_nan and static.kind(left) == "float" and static.kind(right) == "float":
            same = op.logical_or(same, op.logical_and(op.isnan(left), op.isnan(right)))
        holds = op.cast(op.all(same), dtype="bool", weak=True)
    return holds
