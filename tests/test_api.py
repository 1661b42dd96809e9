"""What `compile`, `grad` and `value_and_grad` promise: calls, containers, options, errors."""

import builtins
import dataclasses
import inspect
import math
import threading
import traceback
from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from pellucid import (
    Array,
    CompileError,
    Function,
    GradientError,
    PellucidError,
    PurityError,
    ShapeMismatchError,
    TypeMismatchError,
    UnsupportedError,
    compile,
    grad,
    value_and_grad,
)
from pellucid.compiler.stages import OF_GPU, STAGES


def line_in(function, text):
    """The number of the line in the body of a function that holds a text."""
    lines, first = inspect.getsourcelines(function)
    (found,) = [first + i for i, line in enumerate(lines) if text in line and not line.lstrip().startswith("def ")]
    return found


# --- the function --------------------------------------------------------------------------------------------------


def weighted(x: np.ndarray, *, scale: float = 2.0) -> np.ndarray:
    """Twice or more."""
    return scale * x


def test_a_function_keeps_its_identity():
    f = compile(weighted)
    assert isinstance(f, Function) and callable(f)
    assert (f.__name__, f.__doc__, f.__module__) == ("weighted", "Twice or more.", __name__)
    assert inspect.signature(f) == inspect.signature(weighted) and f.__wrapped__ is weighted
    assert f.__annotations__ == weighted.__annotations__
    assert "weighted(x: numpy.ndarray" in repr(f)
    assert grad(weighted).__name__ == "weighted_grad"


def test_the_package_exports_what_it_says():
    for name in pellucid.__all__:
        assert hasattr(pellucid, name)
    assert issubclass(TypeMismatchError, TypeError) and issubclass(ShapeMismatchError, ValueError)
    for error in (PurityError, UnsupportedError, TypeMismatchError, ShapeMismatchError, GradientError):
        assert issubclass(error, CompileError) and issubclass(error, PellucidError)


def test_arguments_are_bound_as_in_python():
    def f(x, y=10.0, /, z=100.0, *, k=0.5):
        return x + y * z + k

    c = compile(f)
    for args, kwargs in [((1.0,), {}), ((1.0, 2.0), {"z": 3.0}), ((1.0, 2.0, 3.0), {"k": 4.0})]:
        assert c(*args, **kwargs) == f(*args, **kwargs)
    for args, kwargs in [((), {}), ((1.0, 2.0, 3.0, 4.0), {}), ((1.0,), {"w": 1.0}), ((), {"x": 1.0})]:
        with pytest.raises(TypeError):
            f(*args, **kwargs)
        with pytest.raises(TypeError, match=r"^f\(\) "):
            c(*args, **kwargs)


def test_decorator_forms():
    @compile
    def plain(x):
        return x + 1.0

    @compile(static="n")
    def with_options(x, n):
        return x * n

    assert plain(1.0) == 2.0 and with_options(2.0, 3) == 6.0
    assert compile(plain)(1.0) == 2.0
    with pytest.raises(TypeError, match="compile takes a Python function, not int"):
        compile(3)


def test_compiling_again_keeps_options():
    f = compile(lambda x, axis: np.sum(x, axis=axis), static="axis")
    assert compile(f, fastmath=True)(np.ones((2, 3)), 1).tolist() == [3.0, 3.0]
    assert compile(f).__pellucid__.static == ("axis",)


def test_methods_and_static_methods():
    class Model:
        @compile
        def scaled(self, x):
            return 2.0 * x

        @staticmethod
        @compile
        def shifted(x):
            return x + 1.0

    assert Model.shifted(1.0) == 2.0
    assert Model().scaled(1.0) == 2.0


# --- one compilation for all lengths -------------------------------------------------------------------------------


def compilations(function, monkeypatch):
    """The list that grows by one with each compilation of a function."""
    made = []
    original = Function._compile

    def counted(self, flat, *reason):
        if self is function:
            made.append(flat.key)
        return original(self, flat, *reason)

    monkeypatch.setattr(Function, "_compile", counted)
    return made


def test_other_lengths_reuse_the_code(monkeypatch):
    f = compile(lambda x, y: x @ y + 1.0)
    made = compilations(f, monkeypatch)
    for n, m in [(3, 4), (5, 2), (100, 7), (2, 2), (0, 3), (3, 0)]:
        x, y = np.ones((n, m)), np.ones(m)
        assert f(x, y).tolist() == (x @ y + 1.0).tolist()
    assert len(made) == 1


def test_what_a_compilation_depends_on(monkeypatch):
    f = compile(lambda x: x + 1)
    made = compilations(f, monkeypatch)
    x = np.arange(12.0).reshape(3, 4)
    arrays = [x, x.astype(np.float32), x[0], x[:1], x[:, ::2], x > 1, x[0, 0, None]]
    for count, given in enumerate([*arrays, 1, 1.0, True, np.float64(1), np.float32(1)], start=1):
        want = given + 1
        found = f(given)
        assert np.array_equal(found, want) and getattr(found, "dtype", None) == getattr(want, "dtype", None)
        assert len(made) == count
        f(given)
        assert len(made) == count
    f(Array(x))
    f(x.T)
    assert len(made) == 12


def test_errors_do_not_poison_the_cache(monkeypatch):
    f = compile(lambda x, i: x[i])
    made = compilations(f, monkeypatch)
    for _ in range(2):
        with pytest.raises(IndexError):
            f(np.zeros(3), 3)
        assert f(np.arange(3.0), 2) == 2.0
    assert len(made) == 1


def test_threads_share_a_function():
    f = compile(lambda x: np.sum(np.sin(x) ** 2))
    x, found = np.linspace(0.0, 1.0, 1000), []
    threads = [threading.Thread(target=lambda: found.append(f(x))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [f(x)] * 4


# --- results -------------------------------------------------------------------------------------------------------

RESULTS = {
    "int": (lambda x: 3, 1.0),
    "float": (lambda x: x * 2.0, 1.0),
    "bool": (lambda x: x > 0.0, 1.0),
    "numpy bool": (lambda x: x > 0.0, np.float64(1.0)),
    "float32": (lambda x: x * 2.0, np.float32(1.5)),
    "int32": (lambda x: x + 1, np.int32(7)),
    "int by int": (lambda x: x / 2, 3),
    "none": (lambda x: None, 1.0),
    "string": (lambda x: ("name", x), 1.0),
    "array": (lambda x: x + 1, np.arange(3)),
    "zero-dimensional": (lambda x: x + 1, np.array(2.0)),
    "same zero-dimensional": (lambda x: x, np.array(2.0)),
    "sum": (lambda x: np.sum(x), np.arange(3, dtype=np.int32)),
    "mean": (lambda x: np.mean(x), np.arange(3, dtype=np.float32)),
    "shape": (lambda x: x.shape, np.zeros((2, 3))),
    "length": (lambda x: len(x), np.zeros((2, 3))),
    "identity": (lambda x: x, np.arange(4.0)),
    "view": (lambda x: x[::2], np.arange(4.0)),
    "transposed": (lambda x: x.T, np.arange(6.0).reshape(2, 3)),
    "element": (lambda x: x[1], np.arange(4.0)),
    "empty": (lambda x: x[:0], np.arange(4.0)),
    "tuple": (lambda x: (x, 1), np.arange(2.0)),
    "list": (lambda x: [x, [x + 1.0]], 1.0),
    "dict": (lambda x: {"a": x, 1: (x, None)}, 1.0),
    "nothing": (lambda x: (), 1.0),
}


@pytest.mark.parametrize("name", list(RESULTS))
def test_results_have_the_types_of_cpython(name):
    function, argument = RESULTS[name]
    same(compile(function)(argument), function(argument))


def same(found, want):
    """Equal in value and type; where CPython gives an ndarray, an Array."""
    if isinstance(want, np.ndarray):
        assert type(found) is Array and found.dtype == want.dtype and found.shape == want.shape
        np.testing.assert_array_equal(found, want)
        return
    assert type(found) is type(want)
    if dataclasses.is_dataclass(want):
        same(vars(found), vars(want))
    elif isinstance(want, dict):
        assert list(found) == list(want)
        for key in want:
            same(found[key], want[key])
    elif isinstance(want, tuple | list):
        assert len(found) == len(want)
        for f, w in zip(found, want):
            same(f, w)
    else:
        assert found == want


def test_results_do_not_share_memory_with_arguments_that_may_change():
    x = np.arange(3.0)
    kept = compile(lambda x: x)(x)
    x[0] = 100.0
    assert kept.tolist() == [0.0, 1.0, 2.0]


def test_inputs_of_any_memory_layout():
    f = compile(lambda x: 2.0 * x + 1.0)
    base = np.arange(24.0).reshape(4, 6)
    packed = np.zeros(5, dtype=[("flag", "i1"), ("x", "f8")])
    packed["x"] = np.arange(5.0)
    for x in (
        base[::2, ::-3], base.T, base[:, None, 2], np.broadcast_to(np.float64(3.0), (2, 2)), np.asfortranarray(base),
        base.astype(">f8"), packed["x"], np.lib.stride_tricks.sliding_window_view(base[0], 3), base[:0], base[:, :0].T,
    ):  # fmt: skip
        np.testing.assert_array_equal(f(x), 2.0 * x + 1.0)


# --- containers ----------------------------------------------------------------------------------------------------


class Layer(NamedTuple):
    weights: np.ndarray
    bias: np.ndarray


@dataclasses.dataclass
class State:
    position: np.ndarray
    energy: float
    name: str = "state"


@dataclasses.dataclass(frozen=True)
class Frozen:
    inner: State
    layers: list


def test_nested_containers_in_and_out():
    def move(state, options):
        layers = [Layer(layer.weights * options["scale"], layer.bias - 1.0) for layer in state.layers]
        position = state.inner.position + options["steps"][1]
        return Frozen(State(position, np.sum(position)), layers), {"count": len(layers), "scale": options["scale"]}

    layers = [Layer(np.ones((2, 2)), np.zeros(2)), Layer(np.ones((2, 1)), np.zeros(1))]
    state = Frozen(State(np.arange(3.0), 0.0), layers)
    options = {"scale": 3.0, "steps": (1, 2.5)}
    same(compile(move)(state, options), move(state, options))


@dataclasses.dataclass
class Counted:
    value: float
    doubled: float = dataclasses.field(init=False)

    def __post_init__(self):
        self.doubled = 2.0 * self.value


def test_records_are_passed_through_without_being_made_anew():
    given = Counted(1.0)
    given.doubled = 7.0
    same(compile(lambda record: record)(given), given)
    assert compile(lambda record: record.value + record.doubled)(given) == 8.0


def test_structure_is_part_of_the_specialisation(monkeypatch):
    def total(values):
        result = 0.0
        for value in values:
            result += np.sum(value)
        return result

    f = compile(total)
    made = compilations(f, monkeypatch)
    x = np.ones(3)
    assert [f([x]), f([x, x]), f((x, 1.0)), f([np.ones(5), x])] == [3.0, 6.0, 4.0, 8.0]
    assert len(made) == 3


def test_keys_and_classes_are_part_of_the_specialisation():
    class Other(NamedTuple):
        bias: float
        weights: float

    f = compile(lambda pair: pair.weights - pair.bias)
    assert f(Layer(3.0, 1.0)) == 2.0 and f(Other(3.0, 1.0)) == -2.0
    g = compile(lambda d: d["a"] * 2.0)
    assert g({"a": 1.0, "b": 2.0}) == 2.0 and g({"b": 1.0, "a": 2.0}) == 4.0
    with pytest.raises((CompileError, KeyError)):
        g({"b": 1.0})


# --- options -------------------------------------------------------------------------------------------------------


def test_static_arguments(monkeypatch):
    def reduced(x, axis, mode):
        return np.sum(x, axis=axis) if mode == "sum" else np.max(x, axis=axis)

    f = compile(reduced, static=("axis",))
    made = compilations(f, monkeypatch)
    x = np.arange(6.0).reshape(2, 3)
    for axis in (0, 1, -1, None):
        for mode in ("sum", "max"):
            same(f(x, axis, mode), reduced(x, axis, mode))
            same(f(x, axis=axis, mode=mode), reduced(x, axis, mode))
    assert len(made) == 8


def test_static_values_are_told_apart_by_type_and_sign():
    f = compile(lambda x, k: x * k, static="k")
    for k in (1, 1.0, True, 0.0, -0.0, 2):
        found, want = f(np.float32(-0.5), k), np.float32(-0.5) * k
        assert found.dtype == want.dtype and found == want and np.signbit(found) == np.signbit(want)


def test_static_functions_and_containers():
    def applied(x, function, settings):
        return function(x) * settings["scale"][0]

    f = compile(applied, static=("function", "settings"))
    assert f(1.0, math.cos, {"scale": (2.0,)}) == math.cos(1.0) * 2.0
    assert f(1.0, lambda x: x + 1.0, {"scale": (3.0,)}) == 6.0


def test_unknown_option_names():
    def f(x):
        return x

    for option in ("static", "mutates"):
        with pytest.raises(ValueError, match="'n' is no parameter of f"):
            compile(f, **{option: "n"})
    with pytest.raises(PurityError, match="table"):
        compile(f, freeze="table")


def test_a_value_that_must_be_static_is_asked_for():
    with pytest.raises(CompileError, match="static") as caught:
        compile(lambda x, axis: np.sum(x, axis=axis))(np.ones((2, 2)), 1)
    assert "axis" in str(caught.value)


def test_mutated_arguments_are_written_back():
    def gauss_seidel(a, b, x):
        """One sweep, in place."""
        for i in range(len(b)):
            x[i] = (b[i] - a[i] @ x + a[i, i] * x[i]) / a[i, i]
        return np.max(np.abs(b - a @ x))

    a, b = np.array([[4.0, 1.0], [2.0, 5.0]]), np.array([1.0, 2.0])
    plain, compiled = np.zeros(2), np.zeros(2)
    f = compile(gauss_seidel, mutates="x")
    for _ in range(3):
        assert f(a, b, compiled) == pytest.approx(gauss_seidel(a, b, plain), rel=1e-12)
        np.testing.assert_allclose(compiled, plain, rtol=1e-14)


def test_mutated_arguments_of_any_layout_and_several():
    def swap(x, y):
        for i in range(len(x)):
            x[i], y[i] = y[i], x[i]

    base = np.arange(10.0)
    x, y = base[::2], np.zeros(5)
    assert compile(swap, mutates=("x", "y"))(x, y) is None
    assert base.tolist() == [0, 1, 0, 3, 0, 5, 0, 7, 0, 9] and y.tolist() == [0, 2, 4, 6, 8]


def test_what_cannot_be_mutated():
    def fill(x, y):
        x[:] = y

    f = compile(fill, mutates="x")
    x = np.zeros(4)
    with pytest.raises(ValueError, match="shares memory with another argument"):
        f(x[1:], x[:-1])
    with pytest.raises(ValueError, match="cannot be written to"):
        f(Array(x), np.ones(4))
    frozen = np.zeros(4)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="cannot be written to"):
        f(frozen, np.ones(4))
    with pytest.raises(PurityError, match="P014"):
        compile(fill)


def test_what_is_known_when_the_function_is_compiled_is_not_changed():
    with pytest.raises(PurityError, match="`static` and `mutates` both name `x`") as refused:
        compile(lambda x, y: x + y, static=("x",), mutates=("y", "x"))
    assert [d.code for d in refused.value.diagnostics] == ["P017"]


TABLE = np.array([1.0, 2.0, 3.0])
RATE = 0.25


def test_globals():
    def looked_up(i):
        return TABLE[i] * RATE

    with pytest.raises(PurityError, match="P007"):
        compile(looked_up)
    f = compile(looked_up, freeze="TABLE")
    assert [f(i) for i in range(3)] == [0.25, 0.5, 0.75]
    with pytest.raises(IndexError):
        f(3)


def test_frozen_globals_keep_their_value():
    namespace_value = TABLE[1]
    f = compile(lambda: TABLE[1] + 0.0, freeze="TABLE")
    assert f() == 2.0
    TABLE[1] = 50.0
    try:
        assert f() == 2.0
    finally:
        TABLE[1] = namespace_value


def test_fastmath_and_one_thread_give_the_same():
    def power(x):
        return np.sum(np.sin(x) ** 2)

    x = np.linspace(0.0, 1.0, 1000)
    for options in ({"fastmath": True}, {"parallel": False}):
        np.testing.assert_allclose(compile(power, **options)(x), power(x), rtol=1e-12)


# --- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "argument",
    [
        bytearray(b"x"), {1.0}, object(), np.ones(2, "S1"), np.longdouble(1.0), np.array(["a"]), np.array([None]),
        2**63, [1.0, bytearray(b"x")], np.ma.masked_array([1.0], [True]), range(3),
    ],
    ids=lambda value: repr(value).split(" at 0x")[0],
)  # fmt: skip
def test_arguments_that_have_no_type(argument):
    def f(given):
        return given

    with pytest.raises(TypeMismatchError, match="T005") as caught:
        compile(f)(argument)
    assert "argument `given` of `f`" in str(caught.value) and "test_api.py:" in str(caught.value)


def test_all_faults_are_reported_at_decoration():
    def faulty(x):
        x[0] = 1.0
        print(x)
        return open(x)

    with pytest.raises(PurityError) as caught:
        compile(faulty)
    assert len(caught.value.diagnostics) == 3
    text = str(caught.value)
    for part in ("x[0] = 1.0", "print(x)", "open(x)"):
        assert f"test_api.py:{line_in(faulty, part)}:" in text


def test_type_and_shape_errors_name_the_line_and_the_types():
    def product(x, y):
        z = x + 1.0
        return z @ y

    f = compile(product)
    with pytest.raises(ValueError) as caught:
        f(np.ones((2, 3)), np.ones((2, 2)))
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.lineno) == (__file__, line_in(product, "z @ y"))
    with pytest.raises(ValueError) as caught:
        f(np.ones((2, 3)), 1.0)
    assert f"test_api.py:{line_in(product, 'z @ y')}:" in str(caught.value) and "f64[n, m]" in str(caught.value)


# --- errors inside compiled code -----------------------------------------------------------------------------------


class Refused(Exception):
    """An exception of the user's own."""


def index_fault(x):
    y = x + 1.0
    return y[7]


def shape_fault(x):
    return x + np.ones(len(x) + 1)


def division_fault(x):
    n = len(x) - 3
    return 1 / n


def modulo_fault(x):
    return 7 % (len(x) - 3)


def domain_fault(x):
    return math.sqrt(x[0] - 1.0)


def raised(x):
    if x[0] < 1.0:
        raise ValueError(f"{x[0]} is below one")
    return x


def raised_own(x):
    if len(x) == 3:
        raise Refused("three")
    return x


def asserted(x):
    assert np.all(x > 0.0), "not positive"
    return x


def plain_assert(x):
    assert len(x) == 2
    return x


def reshaped(x):
    return x.reshape(2, -1)


def negative_length(x):
    return np.zeros(len(x) - 5)


def empty_maximum(x):
    return np.max(x[x > 1.0])


def descend(n):
    return 1 if n < 0 else descend(n + 1) + 1


def endless(x):
    return descend(len(x))


def overflow(x):
    return math.exp(1000.0 + x[0])


FAULTS = {
    index_fault: "y[7]", shape_fault: "x + np.ones", division_fault: "1 / n", modulo_fault: "7 %", domain_fault: "sqrt",
    raised: "raise", raised_own: "raise", asserted: "assert", plain_assert: "assert", reshaped: "reshape",
    negative_length: "np.zeros", empty_maximum: "np.max", overflow: "math.exp",
}  # fmt: skip


@pytest.mark.parametrize("function", list(FAULTS), ids=lambda f: f.__name__)
def test_errors_are_those_of_cpython_at_the_users_line(function):
    x = np.zeros(3)
    with pytest.raises(Exception) as plain:
        function(x)
    with pytest.raises(Exception) as caught:
        compile(function)(x)
    assert type(caught.value) is type(plain.value)
    # pytest writes more into the message of an assert; NumPy ends one with a blank
    message = str(plain.value).split("\n")[0].rstrip()
    assert str(caught.value).rstrip() == ("" if function is plain_assert else message)
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.lineno) == (__file__, line_in(function, FAULTS[function]))
    assert last.name == function.__name__


def test_recursion_that_does_not_end():
    with pytest.raises(RecursionError) as caught:
        compile(endless)(np.zeros(3))
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert (frames[-1].filename, frames[-1].lineno) == (__file__, line_in(descend, "return"))


def called(x, i):
    return x[i]


def calling(x):
    return called(x, 1) + called(x, 5)


def test_the_traceback_shows_the_calls():
    with pytest.raises(IndexError) as caught:
        compile(calling)(np.zeros(3))
    frames = [(f.name, f.lineno) for f in traceback.extract_tb(caught.value.__traceback__) if f.filename == __file__]
    assert frames[-2:] == [("calling", line_in(calling, "called(x, 5)")), ("called", line_in(called, "x[i]"))]


def test_errors_in_derivatives_have_the_users_line():
    def indexed(x):
        return x[5] ** 2

    with pytest.raises(IndexError) as caught:
        grad(indexed)(np.zeros(3))
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.lineno) == (__file__, line_in(indexed, "x[5]"))


# --- derivatives ---------------------------------------------------------------------------------------------------


def model(w, b, x):
    return np.sum((x @ w + b) ** 2)


W, B, X = np.array([1.0, -2.0]), 0.5, np.array([[1.0, 2.0], [3.0, 4.0], [0.5, 0.25]])
SLOPE_W, SLOPE_B = 2.0 * X.T @ (X @ W + B), 2.0 * np.sum(X @ W + B)


def test_argnums():
    np.testing.assert_allclose(grad(model)(W, B, X), SLOPE_W)
    assert grad(model, 1)(W, B, X) == pytest.approx(SLOPE_B)
    assert grad(model, -2)(W, B, X) == pytest.approx(SLOPE_B)
    both = grad(model, argnums=(1, 0))(W, B, X)
    assert type(both) is tuple and both[0] == pytest.approx(SLOPE_B)
    np.testing.assert_allclose(both[1], SLOPE_W)
    (only,) = grad(model, argnums=(0,))(W, B, X)
    np.testing.assert_allclose(only, SLOPE_W)
    assert type(grad(model, [0, 1])(W, B, X)) is tuple
    for argnums in (3, (0, 5)):
        with pytest.raises(GradientError, match="argnums"):
            grad(model, argnums)(W, B, X)


def test_value_and_grad():
    value, slope = value_and_grad(model)(W, B, X)
    assert value == pytest.approx(model(W, B, X)) and type(slope) is Array
    value, (by_w, by_b) = value_and_grad(model, argnums=(0, 1))(W, B, X)
    np.testing.assert_allclose(by_w, SLOPE_W)
    assert by_b == pytest.approx(SLOPE_B)


def test_auxiliary_results():
    def with_auxiliary(w):
        return np.sum(w**2), {"largest": np.max(w), "name": "squares", "count": len(w)}

    slope, auxiliary = grad(with_auxiliary, has_aux=True)(W)
    assert slope.tolist() == (2.0 * W).tolist() and auxiliary == {"largest": 1.0, "name": "squares", "count": 2}
    (value, auxiliary), slope = value_and_grad(with_auxiliary, has_aux=True)(W)
    assert value == 5.0 and auxiliary["largest"] == 1.0 and slope.tolist() == (2.0 * W).tolist()
    with pytest.raises(GradientError, match="has_aux"):
        grad(with_auxiliary)(W)
    with pytest.raises(GradientError, match="pair"):
        grad(lambda w: np.sum(w), has_aux=True)(W)


def test_slopes_come_in_the_containers_of_the_parameters():
    def loss(parameters, x):
        for layer in parameters["layers"]:
            x = np.tanh(x @ layer.weights + layer.bias)
        return np.sum(x) * parameters["scale"][0]

    random = np.random.default_rng(0)
    layers = [Layer(random.normal(size=(2, 3)), np.zeros(3)), Layer(random.normal(size=(3, 1)), np.ones(1))]
    parameters = {"layers": layers, "scale": (np.float32(2.0),)}
    slopes = grad(loss)(parameters, X)
    assert list(slopes) == ["layers", "scale"] and type(slopes["layers"]) is list and type(slopes["scale"]) is tuple
    assert all(type(layer) is Layer for layer in slopes["layers"]) and slopes["scale"][0].dtype == np.float32
    for layer, slope in zip(layers, slopes["layers"]):
        assert slope.weights.shape == layer.weights.shape and slope.bias.shape == layer.bias.shape
    step = 1e-6
    moved = {"layers": [layers[0]._replace(bias=np.array([step, 0.0, 0.0])), layers[1]], "scale": parameters["scale"]}
    assert slopes["layers"][0].bias[0] == pytest.approx((loss(moved, X) - loss(parameters, X)) / step, rel=1e-4)


def test_slopes_have_the_dtypes_of_the_arguments():
    f = grad(lambda x, y: np.sum(x) * y, argnums=(0, 1))
    by_x, by_y = f(np.ones(2, np.float32), np.float64(3.0))
    assert by_x.dtype == np.float32 and by_y.dtype == np.float64
    assert type(grad(lambda x: x * x)(3.0)) is float


def test_derivatives_of_compiled_functions_and_of_derivatives():
    f = compile(lambda x: x**3)
    assert grad(f)(2.0) == pytest.approx(12.0) and grad(grad(f))(2.0) == pytest.approx(12.0)
    assert grad(grad(grad(lambda x: x**3)))(2.0) == pytest.approx(6.0)
    assert isinstance(grad(f), Function) and compile(lambda x: grad(f)(x) + 1.0)(2.0) == pytest.approx(13.0)


@pytest.mark.parametrize(
    ("function", "argument", "code"),
    [
        (lambda x: x * 2.0, 3, "G001"),
        (lambda x: np.sum(x * 2.0), np.arange(3), "G001"),
        (lambda x: x * 2.0, np.ones(3), "G002"),
        (lambda x: len(x), np.ones(3), "G002"),
        (lambda x: (x, x), 1.0, "G002"),
        (lambda x: "text", 1.0, "G002"),
    ],
)
def test_what_has_no_derivative(function, argument, code):
    with pytest.raises(GradientError, match=code):
        grad(function)(argument)


def test_no_derivative_of_functions_that_change_their_arguments():
    def fill(x):
        x[:] = 2.0
        return np.sum(x)

    with pytest.raises(GradientError, match="G004"):
        grad(compile(fill, mutates="x"))(np.ones(2))


# --- looking inside ------------------------------------------------------------------------------------------------


def test_sources_of_all_stages():
    f = compile(model)
    for stage in set(STAGES) - set(OF_GPU):
        text = f.source(stage, "f64[m]", "float", "f64[n, m]")
        assert text == f.source(stage, "f64[m]", "float", "f64[n, m]") and text.endswith("\n")
    assert "w: f64[m]   b: float   x: f64[n, m]" in f.source("typed", "f64[m]", "float", "f64[n, m]")
    assert "w: f64[" in f.source("typed", W, B, X)
    with pytest.raises(ValueError, match="there is no stage 'middle'; the stages are source, core"):
        f.source("middle")


def test_listings_are_those_of_the_last_compilation_where_nothing_is_said():
    f, g = compile(model), grad(model)
    for made in (f, g):
        with pytest.raises(TypeError, match=r"model\(\) has not been called yet: say which arguments .*\(w, b, x\)"):
            made.explain()
    assert f(W, B, X).tolist() == model(W, B, X).tolist()
    for stage in set(STAGES) - set(OF_GPU):
        assert f.source(stage) == f.source(stage, W, B, X)
    assert f.explain() == f.explain(W, B, X) and "w: f64[" in f.source("typed")
    f(np.float32(W), np.float32(B), np.float32(X))
    assert "w: f32[" in f.source("typed")
    with pytest.raises(TypeError, match="missing a required argument: 'b'"):
        f.source("typed", W)
    assert compile(lambda x=1.0: 2.0 * x).explain().startswith("lambda_(x: float)")


def test_strings_are_types_only_where_types_are_asked_for():
    def chosen(x, mode):
        return x * 2.0 if mode == "float" else x

    f = compile(chosen)
    assert f(1.0, "float") == 2.0 and f(1.0, "int") == 1.0
    text = compile(chosen, static="mode").source("typed", "f64[n]", "float")
    assert "2.0 * x" in text or "x * 2.0" in text


def test_explanations():
    def settle(x):
        total = 0
        while abs(x) > 0.1:
            x = math.sin(x) * 0.5
            total += x
        return total

    text = grad(settle).explain("float")
    assert text.startswith("settle_grad(x: float) -> float\n") and "`total`" in text and "is saved" in text
    assert text == grad(settle).explain(0.7)


def test_a_function_of_no_module_compiles(tmp_path):
    """As one has it that `exec` made among names of its own."""
    file, names = tmp_path / "made.py", {}
    file.write_text("def double(x):\n    return 2.0 * x\n")
    exec(builtins.compile(file.read_text(), str(file), "exec"), names)
    assert names["double"].__module__ is None and pellucid.compile(names["double"])(1.5) == 3.0


def test_what_is_nearly_a_type_is_told():
    f = compile(lambda x: x * 2.0)
    for wrong in ("f65[n]", "f64[n", "f65"):
        with pytest.raises(ValueError, match="not a type: .*; write for example"):
            f.source("typed", wrong)


@pytest.mark.parametrize("argnums", [True, (0, False)])
def test_truth_values_are_no_argnums(argnums):
    with pytest.raises(TypeError, match="argnums are ints or names of parameters"):
        grad(lambda x: x * 2.0, argnums=argnums)
    with pytest.raises(TypeError, match="takes a function, not None"):
        grad(None)
