"""The corpus of test programs: what they are, how to call them, what their gradients must be.

A corpus module holds plain NumPy functions.  Each public function is a program; one whose name starts with an
underscore is a helper.  Arguments are made from the names of the parameters by the table KINDS; parameters with a
default keep it.  A corpus module may also define

    ARGUMENTS = {"function": lambda rng, n: (first, second)}   where the names do not say enough
    MIN_SIZE = {"function": 3}                                 the smallest size that makes sense (else 1)
    NO_GRADIENT = {"function": "reason"}                       integer results, or not differentiable

Values are trees: scalars and arrays are leaves; tuples, lists, dicts, NamedTuples and dataclasses are branches.
"""

import collections
import dataclasses
import functools
import importlib.util
import inspect
import pathlib
import sys
import types
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "corpus"


# ---------------------------------------------------------------------------------------------------------------
# Kinds of arguments
# ---------------------------------------------------------------------------------------------------------------


def normal(*shape):
    """Standard normal values; a shape is made of sizes, `"n"` and `"n+2"`."""

    def make(rng, n):
        return rng.standard_normal([_length(part, n) for part in shape])

    return make


def uniform(low, high, *shape):
    """Values between `low` and `high`; without a shape, a Python float."""

    def make(rng, n):
        values = rng.uniform(low, high, [_length(part, n) for part in shape])
        return values if shape else float(values)

    return make


def integers(low, high, *shape, dtype=np.int64):
    """Integers from `low` to `high` inclusive, either of which may be "n"; without a shape, a Python int."""

    def make(rng, n):
        first, last = _length(low, n), _length(high, n)
        values = rng.integers(first, last + 1, [_length(part, n) for part in shape])
        return values.astype(dtype) if shape else int(values)

    return make


def _length(part, n):
    if isinstance(part, int):
        return part
    return n + int(part.removeprefix("n") or 0)


def small_count(rng, n):
    """At least 1, below n where n allows it, at most 3."""
    return int(rng.integers(1, max(2, min(n, 4))))


def increasing(rng, n):
    return np.cumsum(rng.uniform(0.2, 1.0, n))


def fractions(rng, n):
    """Positive and adding up to one."""
    parts = rng.uniform(0.5, 2.0, n)
    return parts / parts.sum()


def positive_definite(rng, n):
    root = rng.standard_normal((n, n))
    return root @ root.T / n + np.eye(n)


def diagonally_dominant(rng, n):
    return rng.uniform(-1.0, 1.0, (n, n)) + np.diag(n + rng.uniform(0.5, 1.5, n))


def lower_triangular(rng, n):
    return np.tril(rng.uniform(-1.0, 1.0, (n, n)), -1) + np.diag(rng.uniform(1.0, 2.0, n))


def upper_triangular(rng, n):
    return lower_triangular(rng, n).T.copy()


def some_true(rng, n):
    """Booleans, at least one of them true."""
    chosen = rng.random(n) < 0.5
    chosen[rng.integers(n)] = True
    return chosen


def star_polygon(rng, n):
    """Corners of a polygon around the origin, in order of angle."""
    angle = 2.0 * np.pi * (np.arange(n) + rng.uniform(-0.3, 0.3, n)) / n
    return rng.uniform(0.7, 1.3, (n, 1)) * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def network(rng, n):
    """Two layers from 3 features to one number, as nested containers."""
    return {
        "hidden": (rng.standard_normal((3, 4)) / 2.0, rng.standard_normal(4)),
        "output": (rng.standard_normal(4) / 2.0, float(rng.standard_normal())),
    }


def single(make):
    """The same values in float32."""
    return lambda rng, n: make(rng, n).astype(np.float32)


KINDS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    # vectors of length n
    **dict.fromkeys(("x", "y", "z", "u", "v", "targets", "increments"), normal("n")),
    **dict.fromkeys(("p", "q", "masses"), uniform(0.5, 2.0, "n")),
    "weights": fractions,
    **dict.fromkeys(("t", "s"), increasing),
    "signs": lambda rng, n: rng.choice([-1.0, 1.0], n),
    # scalars
    **dict.fromkeys(("a", "b", "c"), uniform(0.5, 1.5)),
    **dict.fromkeys(("alpha", "beta", "gamma"), uniform(0.1, 0.9)),
    **dict.fromkeys(("theta", "phi"), uniform(-1.2, 1.2)),
    "dt": uniform(0.01, 0.05),
    "rate": uniform(0.01, 0.08),
    "sigma": uniform(0.15, 0.5),
    **dict.fromkeys(("spot", "strike"), uniform(80.0, 120.0)),
    "maturity": uniform(0.5, 2.0),
    # counts
    "k": small_count,
    "count": integers(4, 9),
    "n_steps": integers(3, 6),
    # matrices and beyond
    **dict.fromkeys(("A", "B"), normal("n", "n")),
    "M": normal("n+2", "n"),
    "P": uniform(0.5, 2.0, "n", "n"),
    "S": positive_definite,
    "D": diagonally_dominant,
    "L": lower_triangular,
    "U": upper_triangular,
    "image": normal("n+2", "n+3"),
    "tensor": normal(2, "n", 3),
    "batch": normal(3, "n", "n"),
    # points in space, and tables of data
    **dict.fromkeys(("points", "positions", "velocities", "features"), normal("n", 3)),
    "others": normal("n+1", 3),
    "polygon": star_polygon,
    "labels": integers(0, 2, "n"),
    "codes": integers(0, 2, "n+1"),
    "params": network,
    # positions and choices
    "idx": integers(0, "n-1", "n"),
    "mask": some_true,
    "flag": lambda rng, n: bool(rng.random() < 0.5),
    # dtypes
    **dict.fromkeys(("x32", "y32"), single(normal("n"))),
    "A32": single(normal("n", "n")),
    "a32": lambda rng, n: np.float32(rng.uniform(0.5, 1.5)),
    "a64": lambda rng, n: np.float64(rng.uniform(0.5, 1.5)),
    **dict.fromkeys(("i32", "j32"), integers(1, 9, "n", dtype=np.int32)),
    **dict.fromkeys(("i64", "j64"), integers(1, 9, "n")),
}


# ---------------------------------------------------------------------------------------------------------------
# Programs
# ---------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class Program:
    """One function of the corpus, with what a test needs to run it."""

    name: str
    function: Callable[..., Any]
    module: types.ModuleType
    has_gradient: bool

    def __str__(self) -> str:
        """A readable test id: `statistics.welford`."""
        return f"{self.module.__name__.rpartition('.')[2]}.{self.name}"

    @property
    def min_size(self) -> int:
        return getattr(self.module, "MIN_SIZE", {}).get(self.name, 1)

    def make_arguments(self, seed: int = 0, size: int = 4) -> tuple[Any, ...]:
        """Fresh positional arguments, the same for the same seed and size; sizes below `min_size` are raised to it."""
        n = max(size, self.min_size)
        rng = np.random.default_rng([seed, n, zlib.crc32(str(self).encode())])
        special = getattr(self.module, "ARGUMENTS", {})
        if self.name in special:
            return tuple(special[self.name](rng, n))
        parameters = inspect.signature(self.function).parameters.values()
        return tuple(KINDS[p.name](rng, n) for p in parameters if p.default is p.empty)


@functools.cache
def _modules() -> tuple[types.ModuleType, ...]:
    return tuple(_load(path) for path in sorted(FOLDER.glob("*.py")) if path.stem != "__init__")


def _load(path: pathlib.Path) -> types.ModuleType:
    # By path, because two of the names (`signal`, `statistics`) also belong to the standard library.
    name = f"tests.corpus.{path.stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]


def programs() -> list[Program]:
    """Every program, by module and then in order of definition."""
    return [
        Program(name, function, module, name not in getattr(module, "NO_GRADIENT", {}))
        for module in _modules()
        for name, function in vars(module).items()
        if inspect.isfunction(function) and function.__module__ == module.__name__ and not name.startswith("_")
    ]


# ---------------------------------------------------------------------------------------------------------------
# Trees of values
# ---------------------------------------------------------------------------------------------------------------


def map_leaves(function: Callable[..., Any], tree: Any, *rest: Any) -> Any:
    """A tree of the same structure; `rest` are trees of that structure whose leaves are further arguments."""
    match tree:
        case dict():
            made = {key: map_leaves(function, tree[key], *(r[key] for r in rest)) for key in tree}
            if isinstance(tree, collections.defaultdict):
                return collections.defaultdict(tree.default_factory, made)
            return made if type(tree) is dict else type(tree)(made)
        case collections.deque():
            return map_leaves(function, list(tree), *map(list, rest))
        case tuple() | list():
            branches = [map_leaves(function, *items) for items in zip(tree, *rest, strict=True)]
            return type(tree)(*branches) if hasattr(tree, "_fields") else type(tree)(branches)
        case _ if dataclasses.is_dataclass(tree):
            names = [field.name for field in dataclasses.fields(tree)]
            return type(tree)(*(map_leaves(function, *(getattr(r, name) for r in (tree, *rest))) for name in names))
        case _:
            return function(tree, *rest)


def leaves(tree: Any) -> list[Any]:
    """The leaves in order."""
    found: list[Any] = []
    map_leaves(found.append, tree)
    return found


def is_float(leaf: Any) -> bool:
    """Whether a leaf has a derivative: a float scalar or an array of them."""
    return isinstance(leaf, float | np.floating) or (isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f")


def copy_tree(tree: Any) -> Any:
    """The same values in arrays of their own."""
    return map_leaves(lambda leaf: leaf.copy() if isinstance(leaf, np.ndarray) else leaf, tree)


# ---------------------------------------------------------------------------------------------------------------
# Gradients
# ---------------------------------------------------------------------------------------------------------------


def cotangent_like(result: Any, seed: int = 0) -> Any:
    """Fixed random weights in the structure and shape of the float leaves of `result`; None for other leaves."""
    rng = np.random.default_rng(seed)
    return map_leaves(lambda leaf: rng.standard_normal(np.shape(leaf)) if is_float(leaf) else None, result)


def weighted_sum(result: Any, cotangent: Any) -> float:
    """The scalar <cotangent, result>, over float leaves."""
    total = 0.0
    for leaf, weight in zip(leaves(result), leaves(cotangent), strict=True):
        if weight is not None:
            total += float(np.sum(np.asarray(leaf, np.float64) * weight))
    return total


def finite_difference_gradient(function: Callable[..., Any], args: tuple, step: float = 1e-6, seed: int = 0) -> tuple:
    """Gradient of <cotangent_like(result, seed), function(*args)> by central differences.

    The gradient has the structure of `args`: float64 arrays (0-dimensional for scalars) at the float leaves, None
    elsewhere.  The steps are `step * max(1, |value|)`.  float32 leaves are widened first: single precision has too
    few digits for differences, and the function of real numbers is the same.
    """
    wide = map_leaves(_widened, tuple(args))
    cotangent = cotangent_like(function(*copy_tree(_narrowed(wide, args))), seed)

    def value() -> float:
        return weighted_sum(function(*copy_tree(_narrowed(wide, args))), cotangent)

    def difference(leaf: Any) -> np.ndarray | None:
        if not is_float(leaf):
            return None
        gradient = np.zeros_like(leaf)
        for at in np.ndindex(leaf.shape):
            middle = leaf[at]
            h = step * max(1.0, abs(middle))
            leaf[at] = middle + h
            above, upper = value(), leaf[at]
            leaf[at] = middle - h
            below, lower = value(), leaf[at]
            leaf[at] = middle
            gradient[at] = (above - below) / (upper - lower)
        return gradient

    return map_leaves(difference, wide)


def _widened(leaf: Any) -> Any:
    """Float leaves as float64 arrays, so that a scalar too can be stepped in place."""
    return np.array(leaf, np.float64) if is_float(leaf) else leaf


def _narrowed(wide: tuple, args: tuple) -> tuple:
    """Float scalars as scalars again: a Python float where there was one, else np.float64."""
    return map_leaves(_scalar_again, wide, tuple(args))


def _scalar_again(leaf: Any, original: Any) -> Any:
    if not is_float(leaf) or isinstance(original, np.ndarray):
        return leaf
    return float(leaf) if type(original) is float else np.float64(leaf)


def float_leaves(tree: Any) -> Iterator[Any]:
    """The leaves that have derivatives, in order."""
    return (leaf for leaf in leaves(tree) if is_float(leaf))
