"""`vmap` of random functions, alone and with derivatives inside and outside, against a loop over the examples.

    outcome(seed, "grad of vmap")    ->    ("agreed", ""), ("refused", why), ("raised", "") or ("failed", what)

The oracle never maps: values are CPython's, derivatives are those of the function of one example.
"""

import linecache
import warnings

import numpy as np

import pellucid
from pellucid import CompileError
from pellucid.compiler.diagnostics import InternalError

from .random_mapped import random_batch, random_function

WAYS = ("vmap", "vmap of grad", "grad of vmap", "jvp of vmap")
FLOATS = (0, 1, 2, 3)


def load(source, name):
    """The function of a text, which the compiler finds in `linecache`."""
    path = f"<mapped {name}>"
    linecache.cache[path] = len(source), None, source.splitlines(True), path
    space = {"__name__": path}
    exec(compile(source, path, "exec"), space)
    return space["one"]


def examples(axes, args):
    count = next(np.shape(a)[axis] for axis, a in zip(axes, args, strict=True) if axis is not None)
    for number in range(count):
        yield [a if axis is None else np.moveaxis(a, axis, 0)[number] for axis, a in zip(axes, args, strict=True)]


def copied(args):
    return [np.array(a) if isinstance(a, np.ndarray) else a for a in args]


def wanted(function, way, axes, args, tangents):
    """What a loop over the examples gives."""
    each = [copied(one) for one in examples(axes, args)]
    if way == "vmap":
        return [np.stack([np.asarray(function(*one)) for one in each])]
    gradient = pellucid.grad(function, argnums=FLOATS)
    slopes = [[np.asarray(part) for part in gradient(*one)] for one in each]
    stacks = [np.stack(parts) for parts in zip(*slopes, strict=True)]
    if way == "vmap of grad":
        return stacks
    if way == "grad of vmap":
        return [s.sum(0) if axes[k] is None else np.moveaxis(s, 0, axes[k]) for k, s in enumerate(stacks)]
    along = list(examples(axes[:4], tangents)) if any(a is not None for a in axes[:4]) else [tangents] * len(each)
    return [np.array([sum(np.sum(s * t) for s, t in zip(*pair, strict=True)) for pair in zip(slopes, along)])]


def found(function, way, axes, args, tangents):
    """What the compiled transformation gives."""
    if way == "vmap of grad":
        return [np.asarray(p) for p in pellucid.vmap(pellucid.grad(function, argnums=FLOATS), in_axes=axes)(*args)]
    mapped = pellucid.vmap(function, in_axes=axes)
    if way == "vmap":
        return [np.asarray(mapped(*args))]
    if way == "grad of vmap":
        return [np.asarray(p) for p in pellucid.grad(lambda *a: np.sum(mapped(*a)), argnums=FLOATS)(*args)]
    k, idx = (pellucid.Array(part) if np.ndim(part) else part for part in args[4:])  # which have no tangents
    return [np.asarray(pellucid.jvp(lambda x, y, p, q: mapped(x, y, p, q, k, idx), args[:4], tangents)[1])]


def outcome(seed, way, size=4):
    """(agreed, ""), (refused, its codes), (raised, as CPython does) or (failed, what is wrong)."""
    return outcome_of(random_function(seed, size), *random_batch(seed), way, seed)


def outcome_of(source, axes, args, way, seed=0):
    """The same of a given text and batch."""
    function = load(source, seed)
    rng = np.random.default_rng(seed)
    tangents = tuple(rng.standard_normal(np.shape(a)) if np.ndim(a) else float(rng.standard_normal()) for a in args[:4])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            want = wanted(function, "vmap", axes, args, tangents)
        except Exception as error:
            return _raises(function, axes, args, error)
        try:
            if way != "vmap":
                want = wanted(function, way, axes, args, tangents)
            got = found(function, way, axes, copied(args), tangents)
        except InternalError as error:
            return "failed", f"InternalError: {error}"
        except CompileError as error:
            return "refused", ", ".join(f"{d.code} {d.message}" for d in error.diagnostics)
        except Exception as error:
            return "failed", f"{type(error).__name__}: {error}"
    wrong = _difference(got, want)
    return ("failed", wrong) if wrong else ("agreed", "")


def _raises(function, axes, args, error):
    try:
        got = found(function, "vmap", axes, copied(args), ())
    except InternalError as wrong:
        return "failed", f"InternalError: {wrong}"
    except CompileError as refused:
        return "refused", ", ".join(f"{d.code} {d.message}" for d in refused.diagnostics)
    except Exception as raised:
        return ("raised", "") if type(raised) is type(error) else ("failed", f"raised {raised!r}, not {error!r}")
    return "failed", f"gave {got}, where CPython raises {error!r}"


def _difference(got, want):
    for number, (g, w) in enumerate(zip(got, want, strict=True)):
        if np.shape(g) != np.shape(w):
            return f"shape of {number}: {np.shape(g)}, not {np.shape(w)}"
        finite = np.isfinite(w)
        size = max(1.0, float(np.max(np.abs(w), where=finite, initial=0.0)))
        if not np.allclose(g, w, rtol=1e-7, atol=1e-9 * size, equal_nan=True):
            return f"value of {number}: {g}, not {w}"
    return None
