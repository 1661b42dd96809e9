"""Calls through native dispatch give what calls through Python give: results, errors, reference counts, memory.

The general path stays reachable as `type(f).__call__(f, ...)` and is the oracle here.
"""

import collections
import copy
import dataclasses
import enum
import gc
import os
import pathlib
import pickle
import re
import subprocess
import sys
import textwrap
import threading
import traceback
import weakref
from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from pellucid import Array, compile, value_and_grad
from pellucid.compiler.dtypes import NUMPY_DTYPE
from pellucid.compiler.targets.llvm import abi
from pellucid.runtime import dtypes, memory
from pellucid.runtime.dispatch import records, support, words

VECTORCALL = 1 << 11  # Py_TPFLAGS_HAVE_VECTORCALL
native_only = pytest.mark.skipif(support.reason() is not None, reason=f"native dispatch is off: {support.reason()}")


def general(f, *args, **kwargs):
    return type(f).__call__(f, *args, **kwargs)


def learned(f, *args, **kwargs):
    """The function after calls with these arguments: compiled, then met again."""
    for _ in range(2):
        try:
            general(f, *args, **kwargs)
        except Exception:
            pass
    return f


def frames(f, *args, **kwargs):
    """The Python functions that a call enters."""
    seen = []

    def note(frame, event, argument):
        if event == "call":
            seen.append(frame.f_code.co_qualname)

    sys.setprofile(note)
    try:
        f(*args, **kwargs)
    except Exception:
        pass
    finally:
        sys.setprofile(None)
    return seen


def same(left, right):
    """Whether two results agree in types, structure, dtypes, values and signs."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[k], right[k]) for k in left)
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if dataclasses.is_dataclass(left) and not isinstance(left, type):
        return same(vars(left), vars(right))
    if isinstance(left, Array | np.generic):
        a, b = np.asarray(left), np.asarray(right)
        return a.dtype == b.dtype and a.shape == b.shape and a.strides == b.strides and a.tobytes() == b.tobytes()
    return left == right or (left != left and right != right)


def agree(f, *args, **kwargs):
    """The native call and the general one have one outcome; gives the Python frames of the native one."""
    learned(f, *args, **kwargs)
    outcomes = []
    for call in (lambda: f(*args, **kwargs), lambda: general(f, *args, **kwargs)):
        try:
            outcomes.append(call())
        except Exception as error:
            places = [(s.name, s.lineno) for s in traceback.extract_tb(error.__traceback__) if s.filename == __file__]
            own = [place for place in places if place[0] not in ("<lambda>", "agree", "general")]
            outcomes.append((type(error), str(error), own))
    assert same(*outcomes), outcomes
    return frames(f, *args, **kwargs)


class Pair(NamedTuple):
    a: float
    b: np.ndarray


@dataclasses.dataclass
class State:
    x: np.ndarray
    scale: float = 2.0


@dataclasses.dataclass(frozen=True, slots=True)
class Small:
    x: float


class WithProperty(NamedTuple):
    a: float

    @property
    def twice(self):
        return self.a * 2


@dataclasses.dataclass
class Lazy:
    x: float

    def __getattribute__(self, name):
        return object.__getattribute__(self, name)


@compile
def affine(x, scale=2.0, *, shift=1):
    return x * scale + shift


@compile
def three(a, b, c):
    return a * b + c


@compile
def doubled(x):
    return x * 2.0


@compile
def first_of(items):
    return items[0]


@compile
def element(x, i):
    return x[i]


@compile
def tree(parts):
    return {"sum": parts["w"] @ parts["x"], "rest": [parts["pair"][0] + 1, None, (parts["pair"][1], "text")]}


@compile
def record(state, pair):
    return State(state.x * state.scale, pair.a), Pair(pair.a, pair.b + 1.0)


@compile(static=("rest",))
def positional(a, /, b, *rest):
    total = a + b
    for r in rest:
        total = total + r
    return total


@compile(static=("n", "mode"))
def power(x, n, mode="plain"):
    result = x
    for _ in range(n - 1):
        result = result * x
    return -result if mode == "minus" else result


@compile
def view(x):
    return x[1:], x


@compile
def root(x):
    if x < 0.0:
        raise ValueError(f"negative: {x}")
    return x**0.5


@compile
def deep(n):
    if n == 0:
        return 0
    return deep(n - 1) + 1


BASE = np.arange(24.0).reshape(4, 6)
ARGUMENTS = {
    "float": 1.5, "minus zero": -0.0, "nan": float("nan"), "int": 7, "large int": 2**62, "bool": True,
    "f64": np.float64(1.5), "f32": np.float32(1.5), "i64": np.int64(-3), "i32": np.int32(-3), "bool_": np.bool_(True),
    "complex": 1.5 - 2.0j, "minus zeros": complex(-0.0, -0.0), "c128": np.complex128(1 + 2j),
    "c64": np.complex64(2 - 1j), "complex array": BASE * 1j, "complex view": (BASE * 1j).astype("c8")[::2, ::-1],
    "0-d": np.array(2.5), "1-d": BASE[0], "2-d": BASE, "row": BASE[:1], "column": BASE[:, :1], "one": BASE[:1, :1],
    "transposed": BASE.T, "backwards": BASE[::-1], "stepped": BASE[:, ::2], "empty": BASE[:0],
    "f32 array": BASE.astype("f4"),
    "i32 array": BASE.astype("i4"), "i64 array": BASE.astype("i8"), "bool array": BASE > 3, "Array": Array(BASE),
    "0-d Array": Array(np.array(1.5)), "read-only": np.broadcast_to(np.ones(3), (2, 3)),
}  # fmt: skip
UNUSUAL = {
    "big-endian": BASE.astype(">f8"), "unaligned": np.frombuffer(b"\0" * 33, "f8", 4, 1),
    "memmap": BASE.view(np.memmap),
    "half strides": np.zeros(4, "f8,i4")["f0"], "longlong": np.longlong(3), "longlong array": np.zeros(3, np.longlong),
    "IntEnum": type(pytest.ExitCode.OK)(1),
}  # fmt: skip
REFUSED = {"huge int": 2**63, "string": "x", "None": None, "matrix": np.ma.array([1.0])}


@pytest.mark.parametrize("kind", [*ARGUMENTS, *UNUSUAL, *REFUSED])
def test_every_kind_of_argument(kind):
    value = {**ARGUMENTS, **UNUSUAL, **REFUSED}[kind]
    entered = agree(affine, value)
    if kind in ARGUMENTS and support.reason() is None:
        assert entered == [], kind


@pytest.mark.parametrize("left", ["float", "int", "f32", "1-d", "i32 array", "transposed"])
@pytest.mark.parametrize("right", ["int", "bool", "f64", "column", "stepped", "Array"])
def test_pairs_of_arguments(left, right):
    a, b = ARGUMENTS[left], ARGUMENTS[right]
    agree(three, a, b, a)


@pytest.mark.parametrize("dtype", ["?", "i4", "i8", "f4", "f8"])
def test_results_of_every_dtype(dtype):
    @compile
    def first(x):
        return x[0], x, x.copy()

    assert agree(first, np.array([1, 0, 1], dtype)) in ([], ["Function.__call__"])


@native_only
def test_calls_enter_no_python_function():
    a, w = np.ones(4), np.ones((3, 4))
    pair = Pair(1.0, a)
    parts = {"w": w, "x": a, "pair": (1, 2.0)}
    cases = [
        (three, (a, a, a), {}), (three, (Array(a), 1, np.float32(2)), {}), (affine, (1.0,), {"shift": 2}),
        (affine, (), {"shift": 2, "x": a}), (tree, (parts,), {}), (positional, (1, a, 3.0, 4), {}),
        (power, (2.0, 3), {"mode": "minus"}), (view, (a,), {}), (element, (a, 2), {}),
        (value_and_grad(affine.__wrapped__), (2.0,), {}),
    ]  # fmt: skip
    for f, args, kwargs in cases:
        assert agree(f, *args, **kwargs) == [], f
    # a dataclass in the result is made by Python
    assert set(agree(record, State(a), pair)) <= {"NativeCalls", "record", "instance", "_maker.<locals>.<lambda>"}


@native_only
def test_what_is_asked_of_a_ufunc_needs_no_python():
    @compile
    def reduced(x):
        known = hasattr(np.add, "reduce"), hasattr(np.sin, "unknown")
        return np.add.reduce(x) if known[0] and not known[1] else x[0]

    x = np.arange(4.0)
    assert agree(reduced, x) == []
    try:
        np.sin.unknown = 1
        assert reduced(x) == 0.0
    finally:
        del np.sin.unknown
    assert reduced(x) == 6.0


def test_an_error_is_the_same_error():
    for call in (lambda f: f(root, -1.0), lambda f: f(element, BASE[0], 9), lambda f: f(element, BASE[0], -7)):
        call(agree)
    for bad in ((), (1, 2, 3, 4), (np.ones(2), np.ones(3), 1.0)):
        agree(three, *bad)
    learned(affine, 1.0)
    for args, kwargs in (((1.0,), {"other": 1}), ((1.0,), {"x": 1}), ((), {}), ((1, 2, 3), {})):
        agree(affine, *args, **kwargs)
    learned(positional, 1, 2)
    agree(positional, b=2, a=1)


@native_only
def test_the_traceback_of_a_native_call_has_the_line_of_the_user_and_no_line_of_ours():
    learned(root, -1.0)
    with pytest.raises(ValueError, match=r"negative: -1\.0") as caught:
        root(-1.0)
    names = [entry.name for entry in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-1] == "root" and len(names) == 2
    assert caught.value.__context__ is None


def test_keywords_defaults_and_star_arguments():
    for args, kwargs in (((1.0,), {}), ((1.0, 3.0), {}), ((1.0,), {"scale": 3.0}), ((1.0,), {"shift": 5, "scale": 2})):
        assert agree(affine, *args, **kwargs) in ([], ["Function.__call__"])
    for args in ((1, 2), (1.0, 2, 3), (1, 2, 3.0, True), (BASE, 2, 3)):
        agree(positional, *args)
    learned(affine, 1.0, scale=3.0)
    assert affine(2.0, **{"".join(["sc", "ale"]): 3.0}) == 7.0  # an equal name that is another object

    @compile(static=("more",))
    def named(x, **more):
        return x + more["y"]

    agree(named, 1.0, y=2.0)


def test_static_arguments_have_their_values_in_the_key():
    for n in (1, 2, 3, 2, 1):
        agree(power, 3.0, n)
    for mode in ("plain", "minus", "".join(["min", "us"])):
        assert power(2.0, 2, mode) == general(power, 2.0, 2, mode) == (4.0 if mode == "plain" else -4.0)

    @compile(static=("s",))
    def sign(x, s):
        return np.copysign(x, s)

    for s in (0.0, -0.0, 0, True, 1, (1, 2.0)[0]):
        agree(sign, 2.0, s)
    assert [sign(2.0, s) for s in (0.0, -0.0)] == [2.0, -2.0]

    @compile(static=("shape",))
    def filled(x, shape):
        return np.full(shape, x)

    for shape in ((2, 3), (3, 2), [2], 4, (2, 3)):
        assert agree(filled, 1.0, shape) in ([], ["Function.__call__"])


def test_functions_and_strings_among_the_arguments():
    @compile
    def apply(f, x, options):
        return f(x) if options["mode"] == "on" else x

    for f in (np.sin, np.cos, affine, lambda x: x * 3.0):
        for mode in ("on", "off"):
            agree(apply, f, 2.0, {"mode": mode, "none": None})


def test_containers_by_structure():
    @compile
    def total(parts):
        return parts[0] + parts[1]

    for parts in ((1, 2), [1, 2], (1.0, 2), {0: 1, 1: 2}, {0: 1, 1: 2.0}, {1: 1, 0: 2}, (BASE, 1), [BASE[0], BASE]):
        agree(total, parts)
    named = compile(lambda parts: parts["left"] - parts["right"])
    assert named({"left": 1.0, "right": 2.0}) == -1.0
    for _ in range(3):
        made = {"".join(["le", "ft"]): 5.0, "".join(["ri", "ght"]): 2.0}
        assert named(made) == 3.0
    assert named({"right": 2.0, "left": 5.0}) == 3.0


def test_an_ordered_dict_and_subclasses_go_the_general_way():
    class Mine(dict):
        pass

    named = compile(lambda parts: parts["a"] + 1.0)
    for kind in (dict, collections.OrderedDict, Mine, collections.defaultdict):
        value = kind() if kind is not collections.defaultdict else kind(float)
        value["a"] = 2.0
        agree(named, value)


def test_records():
    agree(record, State(BASE[0]), Pair(1.0, BASE[1]))
    agree(record, State(BASE[0], 3), Pair(1, BASE))
    read = compile(lambda s: s.x + 1.0)
    for s in (Small(2.0), Lazy(2.0), State(BASE)):
        agree(read, s)
    double = compile(lambda s: s.a * 2.0)
    agree(double, WithProperty(3.0))
    missing = State(BASE[0])
    learned(read, missing)
    del missing.scale, missing.x
    agree(read, missing)


def test_which_records_are_read_natively():
    assert records.reading(Pair) == (words.RECORD_TUPLE, ("a", "b"))
    assert records.reading(State) == (words.RECORD_ATTRIBUTES, ("x", "scale"))
    assert records.reading(Small) == (words.RECORD_ATTRIBUTES, ("x",))
    assert records.reading(Lazy) is None

    class Turned(Pair):
        a = property(lambda self: 0.0)

    assert records.reading(Turned) is None


def test_random_structures_agree():
    generator = np.random.default_rng(7)
    leaves = list(ARGUMENTS.values())

    def structure(depth):
        kind = generator.integers(5 if depth else 1)
        if kind == 0:
            return leaves[generator.integers(len(leaves))]
        count = generator.integers(0, 4)
        items = [structure(depth - 1) for _ in range(count)]
        return [tuple(items), items, {f"k{k}": v for k, v in enumerate(items)}, Pair(1.0, structure(0))][kind - 1]

    same_again = compile(lambda value: value)
    for _ in range(60):
        agree(same_again, structure(3))


def test_results_are_read_only_and_weakly_referable():
    x = np.ones(5)
    result, (part, whole) = learned(three, x, x, x)(x, x, x), learned(view, x)(x)
    for made in (result, part, whole):
        with pytest.raises(ValueError):
            np.asarray(made)[0] = 9.0
        assert not np.asarray(made).flags.writeable
        watched = weakref.ref(made)
        assert watched() is made
    x[:] = 7.0
    assert part[0] == 1.0 and whole[1] == 1.0  # memory of an argument is copied


@native_only
def test_one_compilation_serves_all_lengths():
    f = compile(lambda a: a * 2.0)
    learned(f, np.ones(3))
    assert frames(f, np.ones(4)) == [] and frames(f, np.ones(400)) == []
    assert len(f._compiled) == 1
    f(np.ones(1))  # a length of 1 broadcasts: another program
    assert len(f._compiled) == 2


@native_only
def test_many_keys():
    f = compile(lambda x, n: x * n, static=())
    g = compile(lambda x, n: x + n, static=("n",))
    for n in range(40):
        learned(g, 1.0, n)
    for n in range(40):
        assert frames(g, 1.0, n) == []
        assert g(1.0, n) == 1.0 + n
    assert f(2.0, 3) == 6.0


def test_more_than_fits_goes_the_general_way():
    total = compile(lambda items: items[0] + items[len(items) - 1])
    for count in (2, 300, 700):
        agree(total, [float(k) for k in range(count)])
    nested = 1.0
    for _ in range(40):
        nested = (nested,)
    agree(compile(lambda x: x), nested)
    endless = []
    endless.append(endless)
    one = learned(compile(lambda x: 1.0), [1.0])
    for call in (lambda: one(endless), lambda: general(one, endless)):
        with pytest.raises(RecursionError):  # its message tells where the limit was met
            call()


@dataclasses.dataclass(frozen=True)
class Fixed:
    x: float
    y: np.ndarray


class Layer(NamedTuple):
    w: np.ndarray
    b: float


MANY = 12
ROWS = {
    "floats": lambda k: 0.5 * k,
    "ints": lambda k: k,
    "bools": lambda k: k % 2 == 0,
    "complex": lambda k: 1j * k,
    "c64": lambda k: np.complex64(1j * k),
    "complex pairs": lambda k: (1j * k, np.ones(2) * 1j),
    "f32": lambda k: np.float32(k),
    "bool_": lambda k: np.bool_(k % 3),
    "vectors": lambda k: np.arange(3.0) + k,
    "one by one": lambda k: np.full((1, 1), float(k)),
    "ints in rows": lambda k: np.arange(4, dtype="i4").reshape(2, 2) * k,
    "stepped": lambda k: (np.arange(24.0) * k).reshape(4, 6)[::2, ::-1],
    "empty": lambda k: np.zeros((0, 2)),
    "an Array": lambda k: Array(np.arange(3.0) * k),
    "a result": lambda k: doubled(np.arange(3.0) * k),
    "pairs": lambda k: (np.full((2, 3), float(k)), np.arange(2.0)),
    "pairs in pairs": lambda k: ((1.0 * k, k), (np.ones(2), True)),
    "records": lambda k: Layer(np.ones((2, 2)) * k, 0.5),
    "instances": lambda k: Fixed(0.5 * k, np.arange(2.0) * k),
    "an Array in pairs": lambda k: (Array(np.ones(2)) if k % 2 else np.ones(2) * k, 1.0),
}
APART = {
    "ints and floats": lambda k: k if k % 2 else 1.0 * k,
    "bools and ints": lambda k: True if k == 5 else k,
    "other lengths": lambda k: np.ones(2 if k < 9 else 3),
    "other dtypes": lambda k: np.ones(2, "f4" if k == 11 else "f8"),
    "other layouts": lambda k: np.ones((2, 2)) if k else np.ones((2, 4))[:, ::2],
    "Arrays and arrays": lambda k: Array(np.ones(2)) if k == 3 else np.ones(2),
    "no dimensions": lambda k: np.array(1.0 * k),
    "dicts": lambda k: {"a": 1.0 * k},
    "lists": lambda k: [1.0 * k],
    "texts": lambda k: "text",
    "nothing": lambda k: None,
    "empty pairs": lambda k: (),
    "pairs and triples": lambda k: (1.0,) * (2 + (k == 7)),
    "records and pairs": lambda k: Layer(np.ones(2), 0.5) if k else (np.ones(2), 0.5),
    "a text in pairs": lambda k: (1.0, "text"),
}
GENERAL = {
    "large ints": lambda k: 2**63 if k == 4 else k,
    "a foreign byte order": lambda k: np.ones(2, ">f8"),
    "a large complex": lambda k: np.clongdouble(k),
    "a matrix": lambda k: np.ones(2).view(np.memmap),
}  # fmt: skip


@native_only
@pytest.mark.parametrize("kind", [*ROWS, *APART, *GENERAL])
def test_lists_of_many_items(kind):
    """Items that are alike become an array for each place in them, natively as in Python."""
    make = {**ROWS, **APART, **GENERAL}[kind]
    given = compile(lambda items, k: items[k])
    for count in (MANY, MANY + 5):
        for k in (0, count - 1):
            agree(given, [make(j) for j in range(count)], k)
    counted = compile(lambda items: len(items))
    learned(counted, [make(j) for j in range(MANY)])
    assert (frames(counted, [make(j) for j in range(MANY)]) == []) == (kind not in GENERAL)
    assert frames(counted, [make(j) for j in range(50)]) == [] or kind not in ROWS


@native_only
def test_fifty_layers():
    @compile
    def network(layers, x):
        for w, b in layers:
            x = np.tanh(w @ x + b)
        return x

    rng = np.random.default_rng(0)
    for count in (9, 50, 200):
        layers = [(rng.standard_normal((3, 3)), rng.standard_normal(3)) for _ in range(count)]
        learned(network, layers, np.ones(3))
        assert frames(network, layers, np.ones(3)) == []
        np.testing.assert_allclose(np.asarray(network(layers, np.ones(3))), network.__wrapped__(layers, np.ones(3)))
        layers[7] = (np.zeros((3, 3)), layers[7][1])
        np.testing.assert_allclose(np.asarray(network(layers, np.ones(3))), network.__wrapped__(layers, np.ones(3)))


class Side(enum.Enum):
    LEFT = "left"
    RIGHT = 2.0


class Weight(enum.IntEnum):
    LIGHT = 1
    HEAVY = 5


@native_only
def test_members_of_enums():
    sided = compile(lambda x, side: -x if side is Side.LEFT else x * side.value)
    for side in (Side.LEFT, Side.RIGHT, Side.LEFT):
        assert agree(sided, 3.0, side) == []
    weighed = compile(lambda x, weight: x * weight.value)
    for weight in (Weight.LIGHT, Weight.HEAVY, 5):
        entered = agree(weighed, 3.0, weight)
        assert entered == [] or weight == 5
    named = compile(lambda x, parts: x * len(parts), static=("parts",))
    for parts in ((Side.LEFT, Weight.HEAVY), (Side.RIGHT,), [Side.LEFT] * 12):
        assert agree(named, 2.0, parts) == []


@pellucid.tree.register_dataclass
@dataclasses.dataclass
class Model:
    w: np.ndarray
    turns: int = dataclasses.field(default=1, metadata={"static": True})
    mode: object = dataclasses.field(default="plain", metadata={"static": True})
    bias: float = 0.0


@native_only
def test_fields_that_are_known_values():
    @compile
    def run(model, x):
        for _ in range(model.turns):
            x = x * model.w + model.bias
        return x, model.mode

    for turns in (1, 2, 3, 1):
        for mode in ("plain", "minus", None, 2.0, -0.0, 0.0, (1, "a"), Side.LEFT):
            assert agree(run, Model(np.arange(3.0), turns, mode, 0.5), np.ones(3)) == []
    run(Model(np.arange(4.0), 2, "minus", 1.5), np.ones(4))
    assert frames(run, Model(np.arange(5.0), 2, "minus", 7.5), np.ones(5)) == []
    agree(compile(lambda models: len(models)), [Model(np.ones(2), k) for k in range(12)])


def test_frozen_arrays():
    for x in (np.ones(3), np.ones((2, 3))):
        assert agree(frozen_sum, x) in ([], ["Function.__call__"])


CHANGED = {
    "contiguous": lambda: np.arange(6.0).reshape(2, 3),
    "transposed": lambda: np.arange(6.0).reshape(3, 2).T,
    "stepped": lambda: np.arange(12.0).reshape(2, 6)[:, ::2],
    "backwards": lambda: np.arange(6.0)[::-1],
    "empty": lambda: np.zeros((0, 3)),
    "one row": lambda: np.ones((1, 3)),
    "no dimensions": lambda: np.array(1.0),
    "f32": lambda: np.ones(3, "f4"),
    "large": lambda: np.ones((300, 400)),
}


@native_only
@pytest.mark.parametrize("kind", CHANGED)
def test_arguments_that_are_changed(kind):
    """As the Python function changes them, its result included, without a Python frame."""
    learned(shifted, CHANGED[kind]())
    shifted(CHANGED[kind]())
    ours, theirs = CHANGED[kind](), CHANGED[kind]()
    assert frames(shifted, ours) == [] and shifted.__wrapped__(theirs) is not None
    assert ours.dtype == theirs.dtype and ours.tobytes() == theirs.tobytes()
    assert np.allclose(np.asarray(shifted(ours)), shifted.__wrapped__(theirs)) and ours.tobytes() == theirs.tobytes()


@native_only
def test_arguments_that_change_places():
    a, b = np.arange(4.0), np.ones(4)
    for _ in range(3):
        exchanged(a, b)
    want = b.copy(), a.copy(), a.copy()
    assert frames(exchanged, a, b) == [] and (a.tolist(), b.tolist()) == (want[0].tolist(), want[1].tolist())
    old = exchanged(a, b)
    a += 5.0
    assert np.asarray(old).tolist() == want[0].tolist(), "what is returned stays as it was"


def test_what_cannot_be_changed_natively_is_refused_as_ever():
    x, y = np.arange(8.0), np.ones(8)
    for _ in range(3):
        added(x, y)
    assert frames(added, x, y) == [] or support.reason() is not None
    for given in ((x, x), (x[:4], x[3:7]), (x[::-1], x), (np.broadcast_to(1.0, 8), y), (x, Array(x))):
        before = x.copy()
        with pytest.raises(ValueError, match="is declared with mutates="):
            added(*given)
        assert (x == before).all()
    added(x[:4], x[4:])
    assert (x == [*(before[:4] + before[4:]), *before[4:]]).all()
    with pytest.raises(ValueError, match="is declared with mutates="):
        added(Array(x), y)


@native_only
def test_an_error_leaves_arguments_as_they_were():
    x = np.ones(4)
    for _ in range(3):
        shifted_to(x, 2)
    before = x.copy()
    for _ in range(3):
        with pytest.raises(IndexError):
            shifted_to(x, 7)
    assert (x == before).all()
    shifted_to(x, 0)
    assert (x == before + [6.0, 1.0, 1.0, 1.0]).all()


@compile(mutates=("x",))
def shifted_to(x, k):
    x += 1.0
    x[k] += 5.0


@compile(mutates=("a", "b"))
def exchanged(a, b):
    t = a.copy()
    a[:] = b
    b[:] = t
    return t


@compile(mutates=("x",))
def added(x, y):
    x += y


bias = np.array([1.0, 2.0, 3.0])


@compile(freeze=("bias",))
def frozen_sum(x):
    return np.sum(x * bias)


@compile(mutates=("x",))
def shifted(x):
    x += 1.0
    return x.sum()


# --- memory --------------------------------------------------------------------------------------------------------


LEAK_CASES = {
    "scalars": (affine, (1.5,), {"shift": 2}),
    "arrays": (three, (np.ones(8), np.ones(8), np.ones(8)), {}),
    "a tree": (tree, ({"w": np.ones((2, 3)), "x": np.ones(3), "pair": (1, 2.0)},), {}),
    "records": (record, (State(np.ones(3)), Pair(1.0, np.ones(3))), {}),
    "views": (view, (np.ones(4),), {}),
    "an error": (element, (np.ones(3), 5), {}),
    "known fields": (compile(lambda model: model.w * model.turns), (Model(np.ones(3), 2, Side.LEFT),), {}),
    "many items": (first_of, ([(np.ones(3), 1.0)] * 12,), {}),
    "many items, not alike": (first_of, ([np.ones(3)] * 11 + [np.ones(2)],), {}),
    "many items, not understood": (first_of, ([np.ones(3)] * 11 + [object()],), {}),
    "a changed argument": (shifted, (np.ones(3),), {}),
    "a changed view": (shifted, (np.ones(6)[::2],), {}),
    "two that change places": (exchanged, (np.ones(3), np.zeros(3)), {}),
    "a change that fails": (shifted_to, (np.ones(3), 7), {}),
    "what cannot be changed": (shifted, (np.broadcast_to(1.0, 3),), {}),
    "a wrong call": (affine, (1.0, 2.0, 3.0), {}),
    "an argument that is not understood": (affine, (np.longlong(3),), {}),
}


@pytest.mark.parametrize("case", LEAK_CASES)
def test_nothing_leaks(case):
    f, args, kwargs = LEAK_CASES[case]
    learned(f, *args, **kwargs)

    def repeat(count):
        for _ in range(count):
            try:
                f(*args, **kwargs)
            except Exception:
                pass

    parts = [part for a in args if isinstance(a, dict) for part in a.values()]
    watched = [*args, *kwargs.values(), np.dtype("f8"), Array, f, True, None, *parts]
    repeat(50)
    gc.collect()
    before = [sys.getrefcount(w) for w in watched], memory.live_bytes(), sys.getallocatedblocks()
    slow = frames(f, *args, **kwargs)
    repeat(1_000 if slow else 10_000)
    gc.collect()
    after = [sys.getrefcount(w) for w in watched], memory.live_bytes(), sys.getallocatedblocks()
    assert all(abs(a - b) <= 20 for a, b in zip(after[0], before[0])), (before[0], after[0])
    assert after[1] == before[1]
    assert abs(after[2] - before[2]) < 500


def test_results_hold_their_memory_and_give_it_back():
    x = np.ones(100)
    learned(three, x, x, x)
    gc.collect()
    start = memory.live_bytes()
    made = [three(x, x, x) for _ in range(10)]
    parts = [np.asarray(m)[2:5] for m in made]
    assert memory.live_bytes() > start
    del made
    assert memory.live_bytes() > start and all(part.tolist() == [2.0] * 3 for part in parts)
    del parts
    gc.collect()
    assert memory.live_bytes() == start


def test_a_function_and_its_tables_can_go():
    f = learned(compile(lambda x: x + 1.0), 1.0)
    assert f(1.0) == 2.0
    watched = weakref.ref(f)
    del f
    gc.collect()
    assert watched() is None


def test_a_copy_is_the_function_itself_as_with_functions_of_python():
    f = learned(compile(lambda x: x + 1.0), 1.0)
    assert copy.copy(f) is f and copy.deepcopy({"f": [f]})["f"][0] is f


def test_a_pickle_holds_the_name():
    assert pickle.loads(pickle.dumps(affine)) is affine and len(pickle.dumps(affine)) < 100


# --- threads, recursion, processes ---------------------------------------------------------------------------------


def test_recursion_stops_in_every_thread():
    learned(deep, 10)
    outcomes = []

    def run():
        try:
            outcomes.append(deep(10**9))
        except RecursionError:
            outcomes.append(deep(100))

    run()
    for size in (2**18, 2**20, 2**22):
        previous = threading.stack_size(size)
        try:
            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
        finally:
            threading.stack_size(previous)
    assert outcomes == [100] * 4


def test_many_threads_call_and_learn_at_once():
    f = compile(lambda x, y: x * 2.0 + y)
    kinds = [value for name, value in ARGUMENTS.items() if name not in ("bool", "bool_", "bool array")]
    expected = [general(f, kind, kind) for kind in kinds]
    wrong = []

    def run(shift):
        for k in range(len(kinds) * 20):
            at = (k + shift) % len(kinds)
            if not same(f(kinds[at], kinds[at]), expected[at]):
                wrong.append(at)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_lock_is_kept_only_by_calls_that_are_over_at_once():
    @compile
    def pairs(x):
        total = 0.0
        for i in range(x.shape[0]):
            for j in range(x.shape[0]):
                total += x[i] * x[j]
        return total

    @compile
    def search(x):
        while x > 1.0:
            x = x * 0.5
        return x

    @compile
    def count(n):
        total = 0
        for k in range(n):
            total += k * k % 7
        return total

    def limit(f, *args):
        general(f, *args)
        return next(iter(f._compiled.values())).executable.quick_below

    assert limit(compile(lambda x: x + 1.0), 1.0) > 2**60
    assert limit(compile(lambda x: x + 1.0), np.ones(3)) == 2048
    assert limit(pairs, np.ones(3)) == 512
    assert limit(search, 3.0) == limit(count, 3) == limit(deep, 3) == 0


@native_only
def test_other_threads_run_during_long_work():
    @compile
    def count(n):
        total = 0
        for k in range(n):
            total = (total + k * k) % 1000003
        return total

    learned(count, 10)
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(1)
            done.wait(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        n = 10_000_000
        while len(ticks) < 5 and n < 10**10:
            count(n)
            n *= 4
    finally:
        done.set()
        thread.join()
    assert len(ticks) >= 5


def test_arguments_outlive_a_call_that_empties_their_container():
    total = compile(lambda parts: np.sum(parts["x"] * parts["x"]))
    parts = {"x": np.ones(3_000_000)}
    learned(total, parts)
    running = threading.Event()

    def empty():
        while running.is_set():
            parts["x"] = np.full(3_000_000, 1.0)  # the last reference to the array of a call under way

    running.set()
    thread = threading.Thread(target=empty)
    thread.start()
    try:
        assert {total(parts) for _ in range(50)} == {3_000_000.0}
    finally:
        running.clear()
        thread.join()


SCRIPT = """
    import sys
    import numpy as np
    import pellucid
    from pellucid.runtime.dispatch import support

    @pellucid.compile
    def f(x, y=2.0):
        return x * y, {"x": x + 1}

    x = np.ones(3)
    kept = [f(x) for _ in range(4)], [f(2.0, y=k) for k in range(4)]
    print(support.reason(), kept[1], float(kept[0][3][1]["x"].sum()), type(f).__mro__[1].__name__)
    sys.kept = kept  # is there until the very end
"""


def run_script(tmp_path, **environment):
    file = tmp_path / "script.py"
    file.write_text(textwrap.dedent(SCRIPT))
    environment = {**os.environ, **environment}
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_switch_turns_it_off(tmp_path):
    off = run_script(tmp_path, PELLUCID_NATIVE_DISPATCH="0")
    on = run_script(tmp_path)
    assert off.startswith("PELLUCID_NATIVE_DISPATCH=0") and off.rstrip().endswith("6.0 Plain")
    assert off.split("[", 1)[1].split("6.0")[0] == on.split("[", 1)[1].split("6.0")[0]


def test_the_function_is_still_a_python_object():
    learned(affine, 1.0)
    assert affine.__name__ == "affine" and callable(affine) and "affine" in repr(affine)
    assert affine.__call__(1.0) == affine(1.0) == 3.0
    assert isinstance(affine, pellucid.Function)

    class Holder:
        method = three

    x = np.ones(2)
    assert same(Holder.method(x, x, x), three(x, x, x))
    assert list(map(affine, [1.0, 2.0])) == [3.0, 5.0]
    assert affine(*(1.0,), **{"shift": 0}) == 2.0


# --- the two sides agree -------------------------------------------------------------------------------------------


HEADER = (pathlib.Path(memory.__file__).parent / "native" / "dispatch.h").read_text()


HEADER = re.sub(r"/\*.*?\*/", "", HEADER, flags=re.DOTALL)


def numbers_in_c():
    """The constants of the header's enumerations, by name."""
    found = {}
    for body in re.findall(r"\benum \{(.*?)\}", HEADER, re.DOTALL):
        following = 0
        for name, value in re.findall(r"([A-Z][A-Z_0-9]+)(?: = (\d+))?", body):
            following = int(value) if value else following
            found[name] = following
            following += 1
    return found


def fields_in_c(struct):
    body = re.search(r"typedef struct \{([^}]*)\} " + struct + ";", HEADER)[1]
    declared = [part.strip() for part in body.split(";") if part.strip()]
    return [re.search(r"(\w+)(?:\[\])?\)?(?:\([^)]*\))?$", part)[1].upper() for part in declared]


def test_both_sides_number_things_alike():
    found = numbers_in_c()
    assert found["CONTEXT_SLOTS"] == abi.ARGUMENTS and str(abi.LENGTH_LIMIT.bit_length() - 1) in HEADER
    assert (found["CONTEXT_STACK_LIMIT"], found["CONTEXT_DEPTH_LIMIT"]) == (abi.STACK_LIMIT, abi.DEPTH_LIMIT)
    for name in "PARAMETERS SLOTS RESULTS FLAG_STATIC FLAG_EXTRA RECORD_TUPLE RECORD_ATTRIBUTES".split():
        assert found[name] == getattr(words, name), name
    assert [found[f"LEAF_{name}"] for name in words.LEAVES] == list(range(len(words.LEAVES)))
    assert [found[f"STEP_{name}"] for name in words.RECIPE] == list(range(len(words.RECIPE)))
    assert set(dtypes.DTYPES) == {str(dtype) for dtype in NUMPY_DTYPE.values()}


@pytest.mark.parametrize("struct, fields", [("State", words.STATE), ("Entry", words.ENTRY), ("Plan", words.PLAN)])
def test_both_sides_have_the_same_fields(struct, fields):
    assert fields_in_c(struct) == fields


@native_only
def test_the_base_class_is_found_by_the_interpreter():
    base = support.base_class()
    assert pellucid.Function.__mro__[1] is base and base.__basicsize__ == object.__basicsize__ + 16
    learned(affine, 1.0)
    assert pellucid.Function.__flags__ & VECTORCALL and frames(affine, 1.0) == []
