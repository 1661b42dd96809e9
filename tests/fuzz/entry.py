"""Malformed arguments thrown at the native entry of compiled functions: no crash, and what Python's way makes of them.

    .venv/bin/python -m tests.fuzz.entry --calls 1000000 --seed 1

Wrong types, numbers that do not fit, buffers that lie otherwise than compiled code reads, objects whose methods raise
or call the function again, containers that hold themselves or lose items meanwhile, names that are no parameters.
"""

import argparse
import collections
import dataclasses
import random
import sys
import warnings

import numpy as np
import scipy.sparse

import pellucid
from pellucid.runtime import memory


class Raises:
    """Whatever is asked of it raises."""

    def fail(self, *args):
        raise RuntimeError("asked")

    __float__ = __index__ = __array__ = __len__ = __iter__ = __eq__ = __getattr__ = __bool__ = fail
    __hash__ = object.__hash__


class CallsAgain:
    """Calls the function that it is an argument of."""

    def __array__(self, dtype=None, copy=None):
        return np.asarray(again(np.ones(2), 1.0)[0])


class OddKey(str):
    """Equal to other keys, after it has emptied a list."""

    victims: list = []

    def __eq__(self, other):
        OddKey.victims.clear()
        return str.__eq__(self, other)

    __hash__ = str.__hash__


@dataclasses.dataclass
class State:
    x: object
    scale: object = 1.0


class Pair(collections.namedtuple("Pair", "a b")):
    pass


class Number(float):
    pass


class Whole(int):
    pass


def add(x, y=1.0, *, k=0):
    return x + y * k, x


def inside(tree, k):
    return tree["a"][0] * k, tree["b"]


def fields(state, rest):
    return state.x * state.scale, rest[0]


def change(x, y=1.0, *, k=0):
    x[...] = y * k
    return y, x.copy()


def many(items, k):
    return items[k % len(items)], items[len(items) - 1]


def applied(matrix, x):
    return matrix @ x, matrix.data


KINDS = 50  # of arguments that are thrown at a function before it gives way to another like it
FUNCTIONS = (add, inside, fields, change, many, applied)
OPTIONS = {change: {"mutates": ("x",)}}
again = pellucid.compile(add)


def leaf(rng):
    n = rng.choice([0, 1, 2, 3])
    array = np.arange(float(n * 2)).reshape(n, 2)
    return rng.choice([
        lambda: rng.random(), lambda: rng.randrange(-9, 9), lambda: 2**70, lambda: True, lambda: None, lambda: "text",
        lambda: np.float32(1.5), lambda: np.int8(3), lambda: np.bool_(True), lambda: np.complex128(1j), lambda: 1j,
        lambda: array, lambda: array[:, ::2], lambda: array[::-1], lambda: array.T, lambda: array.astype(">f8"),
        lambda: array.astype(np.int32), lambda: array.astype(object), lambda: np.zeros(2, "S3"),
        lambda: np.zeros(3, [("a", "i1"), ("b", "f8")])["b"], lambda: np.broadcast_to(1.0, (n, 2)),
        lambda: np.float64(2.0), lambda: np.array(1.0), lambda: np.ones((1,) * 33), lambda: np.datetime64("2020-01-01"),
        lambda: pellucid.Array(array), lambda: pellucid.Array(np.float64(1.0)), lambda: np.ma.masked_array([1.0, 2.0]),
        lambda: np.matrix([[1.0]]), lambda: Number(1.0), lambda: Whole(2), lambda: Raises(), lambda: CallsAgain(),
        lambda: again, lambda: np.sin, lambda: object(), lambda: b"bytes", lambda: float("nan"), lambda: {1, 2},
        lambda: memoryview(b"abc"), lambda: np.longdouble(1.0), lambda: np.float16(1.0), lambda: range(3),
    ])()  # fmt: skip


def tree(rng, depth=0):
    kind = rng.randrange(12 if depth < 3 else 4)
    if kind < 5:
        return leaf(rng)
    parts = [tree(rng, depth + 1) for _ in range(rng.choice([0, 1, 1, 2, 12]))]
    if kind < 7:
        return parts
    if kind < 8:
        return tuple(parts)
    if kind < 9:
        return {rng.choice(["a", "b", 1, 2.0, None]): part for part in parts}
    if kind < 10:
        return State(tree(rng, depth + 1), leaf(rng))
    if kind < 11:
        return Pair(tree(rng, depth + 1), leaf(rng))
    return odd(rng, parts)


def odd(rng, parts):
    """Containers that are not what they seem."""
    state = State(1.0)
    vars(state)[OddKey("x")] = 2.0
    OddKey.victims = parts
    itself = [1.0]
    itself.append(itself)
    deep = 1.0
    for _ in range(40):
        deep = [deep]
    missing = State(1.0)
    del missing.x
    return rng.choice([[state, *parts], itself, deep, missing, collections.OrderedDict(a=1.0), [1.0] * 600])


def sparse(rng):
    """A sparse matrix, whole or with a part that is not as it should be."""
    kind = rng.choice(["csr_array", "csc_array", "coo_array", "csr_matrix", "coo_matrix"])
    matrix = getattr(scipy.sparse, kind)(np.arange(12.0).reshape(3, 4) % 3.0)
    if rng.random() < 0.5:
        return matrix
    name = rng.choice([*vars(matrix)])
    part = vars(matrix).pop(name)
    if rng.random() < 0.9:
        spoiled = rng.choice([lambda: part, lambda: spoil(rng, part), lambda: leaf(rng)])()
        vars(matrix)[rng.choice([str, OddKey])(name)] = spoiled
    return matrix


def spoil(rng, part):
    """Something like a part of a sparse matrix."""
    if isinstance(part, tuple):
        return rng.choice([part[:1], (), [*part], (*part, 1), (part[0], leaf(rng)), (2**70, *part[1:])])
    if isinstance(part, np.ndarray):
        return rng.choice([part[:-1], part[::-1], part[::2], part + 9, part.astype(">i4"), part.astype(np.int8), -part])
    return leaf(rng)


def usual(rng, function):
    """Arguments that the function takes, of a few kinds."""
    x = rng.choice([np.ones(3), np.ones(1), 2.0, np.float32(1.0), np.arange(4)[::2]])
    if function.__name__ in ("add", "change"):
        return [x, rng.choice([1.0, 2])], {"k": 3} if rng.random() < 0.5 else {}
    if function.__name__ == "many":
        return [rows(rng, x), rng.randrange(3)], {}
    if function.__name__ == "applied":
        return [sparse(rng), np.ones(4)], {}
    if function.__name__ == "inside":
        return [{"a": [x], "b": 1.0}, 2.0], {}
    return [State(x, 2.0), (x, 1.0)], {}


def rows(rng, x):
    """A long list of items that are alike, or nearly so."""
    item = rng.choice([lambda: x, lambda: (x, 1.0), lambda: State(x, 2.0), lambda: Pair(x, 1), lambda: 1.5])
    items = [item() for _ in range(rng.choice([8, 9, 30]))]
    if rng.random() < 0.5:
        items[rng.randrange(len(items))] = tree(rng, 2)
    if rng.random() < 0.2:
        state = State(1.0)
        vars(state)[OddKey("x")] = 2.0
        OddKey.victims = items
        items[rng.randrange(len(items))] = state
    return items


def arguments(rng, function):
    args, kwargs = usual(rng, function)
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        where = rng.randrange(5)
        if where < 3 and args:
            args[rng.randrange(len(args))] = tree(rng)
        elif where < 4:
            args += [tree(rng)] if rng.random() < 0.5 else []
        else:
            kwargs[rng.choice(["k", "x", "y", "tree", "state", "unknown", "rest", "items"])] = tree(rng)
    return args, kwargs


def outcome(call, args, kwargs):
    try:
        return pellucid.block_until_ready(call(*args, **kwargs))
    except Exception as error:
        return type(error)


def is_written(args, kwargs, got):
    """Whether what was declared as changed holds what the result says."""
    return isinstance(got, type) or alike(pellucid.Array(kwargs["x"] if "x" in kwargs else args[0]), got[1])


def alike(one, other):
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, np.ndarray | pellucid.Array):
        one, other = np.asarray(one), np.asarray(other)
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if dataclasses.is_dataclass(one) and not isinstance(one, type):
        return alike([*vars(one).values()], [*vars(other).values()])
    if isinstance(one, dict):
        return alike([*one.values()], [*other.values()])
    return one is other or one == other or one != one


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=20, help="calls with the same arguments")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    calls = native = 0
    for seed in range(options.seed, options.seed + options.calls):
        if calls >= options.calls:
            break
        rng = random.Random(seed)
        if (seed - options.seed) % KINDS == 0:
            functions = [pellucid.compile(function, **OPTIONS.get(function, {})) for function in FUNCTIONS]
        function = rng.choice(functions)
        args, kwargs = arguments(rng, function)
        want = outcome(type(function).__call__, (function, *args), kwargs)
        for _ in range(options.repeat if not isinstance(want, type) else 3):
            got = outcome(function, args, kwargs)
            calls += 1
            if not alike(got, want) or function.__pellucid__.mutates and not is_written(args, kwargs, got):
                print(f"seed {seed}: another result than by the general path")
                return 1
        native += not isinstance(want, type)
        del args, kwargs, want, got
    print(f"{calls} calls, {native} kinds of arguments understood, {memory.live_bytes()} bytes left")
    return int(memory.live_bytes() != 0)


if __name__ == "__main__":
    sys.exit(main())
