"""`try`, `except`, `else` and `finally` mean in compiled code what they mean in CPython."""

import math

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError
from tests.harness import random_faults
from tests.harness.stages import STAGES, Stages, assert_same, in_python, module_of

pytestmark = pytest.mark.drawn(5)


class Mine(Exception):
    pass


class Yours(Mine):
    pass


@pytest.mark.parametrize("seed", range(24))
def test_random_programs_agree_at_every_stage(seed):
    """`python -m pytest` with other seeds finds more."""
    stages = Stages(module_of(random_faults.random_program(seed))["program"])
    for number in range(4):
        args = random_faults.random_arguments(seed * 10 + number)
        want = in_python(stages.function, *args)
        for stage in STAGES:
            assert_same(stages.run(stage, *args), want)


def each(function, *sets):
    stages = Stages(function)
    for args in sets:
        want = in_python(function, *args)
        for stage in STAGES:
            assert_same(stages.run(stage, *args), want)


FLOATS = (0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 0.5, 1e300, 1e-300, float("inf"), -float("inf"), float("nan"))

BY_TWO = ("x / y", "x // y", "x % y", "x ** y", "math.pow(x, y)", "math.fmod(x, y)", "math.remainder(x, y)",
          "divmod(x, y)[0]")  # fmt: skip
BY_ONE = tuple(f"math.{name}(x)" for name in (
    "sqrt", "log", "log2", "log10", "log1p", "exp", "expm1", "sin", "cos", "tan", "asin", "acos", "acosh", "atanh",
    "sinh", "cosh", "gamma", "lgamma", "floor", "ceil", "trunc",
)) + ("int(x)", "round(x)")  # fmt: skip


TO_INT = ("math.floor(x)", "math.ceil(x)", "math.trunc(x)", "int(x)", "round(x)")


@pytest.mark.parametrize("text", [*BY_TWO, *BY_ONE])
def test_each_operation_is_caught_where_python_raises(text):
    """What only compiled code refuses is not caught: complex powers and ints of more than 64 bits."""
    lines = ["import math", "def program(x, y):", "    try:", f"        z = {text}"]
    for k, name in enumerate(("ZeroDivisionError", "ValueError", "OverflowError")):
        lines += [f"    except {name}:", f"        return {k + 1}.0"]
    function = module_of("\n".join([*lines, "    return z * 1.0"]) + "\n")["program"]
    compiled = pellucid.compile(function)
    for x in FLOATS:
        for y in FLOATS if text in BY_TWO else (1.0,):
            want = function(x, y)
            if isinstance(want, complex):
                with pytest.raises(ValueError):
                    compiled(x, y)
            elif text in TO_INT and math.isfinite(x) and abs(x) > 1e299:
                with pytest.raises(OverflowError):
                    compiled(x, y)
            else:
                np.testing.assert_allclose(compiled(x, y), want, rtol=1e-12, err_msg=f"{text} of {x}, {y}")


INTS = ("k / j", "k // j", "k % j", "k << j", "k >> j", "xs[k]", "a[k]", "a[k, j]", "a[k][j]", "m[[k, j]][0]",
        "m[:k].max()", "m[k] + m[j]", "np.zeros(j)[k]", "m.reshape(k, j)[0, 0]", "(m[:j] + m[:k]).sum()",
        "a[:, :j] @ m[:k]", "np.concatenate((a[:, :k], a[:, :j]))[0, 0]")  # fmt: skip


@pytest.mark.parametrize("text", INTS)
def test_indices_and_lengths_are_caught(text):
    lines = ["import numpy as np", "def program(a, m, k, j):", "    xs = [1.0, 2.0, 3.0]", "    try:",
             f"        z = {text}", "    except (ZeroDivisionError, IndexError):", "        return -1.0",
             "    except ValueError:", "        return -2.0", "    return np.sum(z) * 1.0"]  # fmt: skip
    function = module_of("\n".join(lines) + "\n")["program"]
    compiled = pellucid.compile(function)
    a, m = np.arange(12.0).reshape(3, 4), np.arange(1.0, 5.0)
    for k in (-5, -4, -1, 0, 2, 3, 4, 5):
        for j in (-4, -1, 0, 2, 3, 4):
            try:
                found = compiled(a, m, k, j)
            except ValueError as error:  # lengths of 1 that broadcast are known when it is compiled, and ours to refuse
                assert any(word in str(error) for word in ("broadcast", "length", "reshape")), error
                continue
            np.testing.assert_allclose(found, function(a, m, k, j), err_msg=f"{text} of {k}, {j}")


SINGULAR = np.ones((3, 3))
MATRICES = (np.eye(3) * 2.0, SINGULAR, -np.eye(3), np.zeros((3, 3)), np.eye(3)[::-1] + 0.5, np.full((3, 3), np.nan))


@pytest.mark.parametrize("text", [
    "np.linalg.solve(A, b)", "np.linalg.solve(A, A)", "np.linalg.inv(A)", "np.linalg.cholesky(A)",
    "np.linalg.eigvalsh(A)", "np.linalg.eigh(A)[0]", "np.linalg.solve(A[:2], b)",
])  # fmt: skip
@pytest.mark.parametrize("caught", ["np.linalg.LinAlgError", "ValueError", "Exception"])
def test_linear_algebra_that_fails_is_caught(text, caught):
    lines = ["import numpy as np", "def program(A, b):", "    try:", f"        z = np.sum({text})",
             f"    except {caught}:", "        z = -1.0", "    return z * 1.0"]  # fmt: skip
    function = module_of("\n".join(lines) + "\n")["program"]
    compiled = pellucid.compile(function)
    for A in MATRICES:
        want = function(A, np.arange(3.0))
        np.testing.assert_allclose(compiled(A, np.arange(3.0)), want, rtol=1e-9, atol=1e-12)


# --- what is raised again, and what is known of it -------------------------------------------------------------------


def again(x, k):
    try:
        return x[k]
    except IndexError:
        raise


def by_name(x, k):
    try:
        if k > 5:
            raise Mine(f"too many: {k}", k)
        return x[k]
    except (IndexError, Mine) as fault:
        raise fault


def told(x, k):
    try:
        return x[k] / float(k)
    except (IndexError, ZeroDivisionError) as fault:
        raise ValueError(f"at {k}: {fault}") from fault


def arguments(x, k):
    try:
        if k > 2:
            raise Yours("mine", 3)
        return x[0]
    except Mine as fault:
        word, number = fault.args
        return x[0] * number + (1.0 if word == "mine" else 0.0) + (1.0 if isinstance(fault, Yours) else 0.0)


def keys(x, k):
    table = {"a": 1.0}
    try:
        return table["b"] * x[0]
    except KeyError as fault:
        raise ValueError(f"no {fault.args[0]!r}, {fault}") from None


def through_a_helper(x, k):
    try:
        return told(x, k)
    except ValueError:
        return -1.0


def not_caught_here(x, k):
    try:
        try:
            return x[k]
        except ZeroDivisionError:
            return 1.0
        finally:
            k = k + 1
    except LookupError:
        return 2.0 + k


def gone_after_the_handler(x, k):
    fault = 1.0
    try:
        y = x[k]
    except IndexError as fault:
        y = 2.0
    return y + fault


def without_an_exception(x, k):
    if k > 1:
        raise
    return x[0]


@pytest.mark.parametrize(
    "function", [again, by_name, told, arguments, keys, through_a_helper, not_caught_here, gone_after_the_handler,
                 without_an_exception],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_what_is_raised_again_says_the_same(function):
    each(function, *((np.array([1.0, 2.0, 4.0]), k) for k in (0, 2, 3, 7, -4)))


def test_arrays_keep_what_was_stored_before_the_fault():
    def filled(x, a):
        y = np.zeros(4)
        done = []
        try:
            for i in range(4):
                y[i] = 1.0 / (a - i)
                done.append(x[i])
        except (ZeroDivisionError, IndexError):
            y[3] = -1.0
        return y, len(done)

    each(filled, *((np.arange(float(n)), a) for n in (2, 5) for a in (0.5, 0.0, 1.0, 3.0)))


def test_gradients_go_the_way_that_was_taken():
    def loss(x, a):
        total = a
        for v in x:
            try:
                total += math.sqrt(v) * a
            except ValueError:
                total = total * a
        return total

    x, a = np.array([1.0, -1.0, 4.0, -2.0]), 1.5
    gradient = pellucid.grad(loss, argnums=(0, 1))(x, a)
    step = 1e-6
    by_a = (loss(x, a + step) - loss(x, a - step)) / (2 * step)
    by_x = [(loss(x + d, a) - loss(x - d, a)) / (2 * step) for d in step * np.eye(4)]
    np.testing.assert_allclose(gradient[1], by_a, rtol=1e-6)
    np.testing.assert_allclose(gradient[0], by_x, rtol=1e-6, atol=1e-9)


# --- what is refused -------------------------------------------------------------------------------------------------


def recursive(n):
    return 1.0 if n == 0 else recursive(n - 1) / n


def calls_a_recursive_one(n):
    try:
        return recursive(n)
    except ZeroDivisionError:
        return 0.0


def returns_in_finally(a):
    try:
        return 1.0 / a
    finally:
        return 2.0  # noqa: B012


def breaks_in_finally(a):
    while True:
        try:
            a = 1.0 / a
        finally:
            break  # noqa: B012
    return a


def raises_in_finally(a):
    try:
        a = 1.0 / a
    except ZeroDivisionError:
        a = 1.0
    finally:
        a = 1.0 / (a - 1.0)
    return a


def catches_no_class(a):
    try:
        return 1.0 / a
    except a:
        return 2.0


@pytest.mark.parametrize(
    "function", [calls_a_recursive_one, returns_in_finally, breaks_in_finally, raises_in_finally, catches_no_class],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_what_cannot_be_followed_is_refused(function):
    with pytest.raises(CompileError) as refused:
        pellucid.compile(function)(1)
    if function is not catches_no_class:
        assert refused.value.diagnostics[0].code == "U001" and refused.value.diagnostics[0].help


def test_limits_of_the_compiler_are_not_caught():
    def beyond(k):
        try:
            return (k * k) % 10
        except Exception:
            return -1

    with pytest.raises(OverflowError):
        pellucid.compile(beyond)(2**40)


class Place:
    def __init__(self, x, v):
        self.x, self.v = x, v


def test_items_that_are_not_there_are_caught_where_they_would_be_changed():
    def in_known_list(k):
        places = [Place(1.0, 0.5), Place(2.0, 0.25)]
        try:
            place = places[k]
            place.x = 5.0
            place.v += place.x
        except IndexError:
            return -1.0
        return places[0].x + 10.0 * places[1].v

    def in_list_that_grows(k):
        places = [Place(1.0 * j, 0.5) for j in range(k)]
        try:
            places[2].v += 1.0
            place = places[-4]
            place.x = 7.0
        except IndexError:
            return float(len(places))
        return sum(p.x * p.v for p in places)

    each(in_known_list, (0,), (1,), (2,), (-2,), (-3,))
    each(in_list_that_grows, (0,), (3,), (4,), (6,))
