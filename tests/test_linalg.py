"""Linear algebra by a library: values to the last bit, errors, derivatives, and programs as they are written."""

import pathlib
import re

import numpy as np
import pytest
import scipy.linalg

import pellucid
from pellucid import compile, grad, jvp, vmap
from pellucid.compiler.ops.python_names import BINDINGS
from pellucid.runtime import memory
from tests.harness.stages import STAGES, Stages, assert_same, in_python, module_of

pytestmark = pytest.mark.drawn(5)

PROGRAMS = module_of('''import numpy as np

import pellucid


def solve(a, b):
    return np.linalg.solve(a, b)


def ridge(X, y, strength):
    """Ridge regression by its normal equations."""
    n = X.shape[1]
    return np.linalg.solve(X.T @ X + strength * np.eye(n), X.T @ y)


def newton(x, a):
    """Newton's method for x_i ** 3 + sum_j a_ij x_j = 1."""
    for _ in range(6):
        residual = x**3 + a @ x - 1.0
        jacobian = np.diag(3.0 * x**2) + a
        x = x - np.linalg.solve(jacobian, residual)
    return x


def implicit_euler(a, y, h):
    """Steps of y' = a y, each of a length of its own."""
    system = np.eye(len(y))
    steps = np.zeros((len(h), len(y)))
    for k in range(len(h)):
        y = np.linalg.solve(system - h[k] * a, y)
        steps[k] = y
    return steps


def gain(P, H, R):
    """The gain of a Kalman filter, P H' (H P H' + R)^-1, without an inverse."""
    S = H @ P @ H.T + R
    return np.linalg.solve(S.T, H @ P.T).T


def twice(a, b):
    """One matrix, two right sides, the second made of the first solution."""
    x = np.linalg.solve(a, b)
    return np.linalg.solve(a, x + b) * np.linalg.solve(a.T, x)


def one_loss(a, b):
    return np.sum(np.sin(np.linalg.solve(a, b)))


def slopes(a, b):
    a_bar, b_bar = pellucid.grad(one_loss, (0, 1))(a, b)
    return np.sum(a_bar) + np.sum(b_bar)


def ridge_loss(X, y, strength):
    return np.sum(np.sin(ridge(X, y, strength)))


def newton_loss(x, a):
    return np.sum(np.sin(newton(x, a)))


def implicit_euler_loss(a, y, h):
    return np.sum(np.sin(implicit_euler(a, y, h)))


def gain_loss(P, H, R):
    return np.sum(np.sin(gain(P, H, R)))


def twice_loss(a, b):
    return np.sum(np.sin(twice(a, b)))
''')
RNG = np.random.default_rng(3)
N = 5
A = RNG.normal(size=(N, N)) + 4.0 * np.eye(N)
B, Y = RNG.normal(size=(N, 3)), RNG.normal(size=N)
CASES = {
    "ridge": (RNG.normal(size=(8, 3)), RNG.normal(size=8), 0.5),
    "newton": (np.linspace(0.5, 1.0, N), A),
    "implicit_euler": (-A, Y, np.array([0.1, 0.02, 0.3])),
    "gain": (A @ A.T, RNG.normal(size=(2, N)), np.eye(2)),
    "twice": (A, Y),
}


@pytest.mark.parametrize("right", [Y, B, B[:, ::2], B[::-1], B.T.copy().T, Y[::-1], B[:, :0]], ids=repr)
@pytest.mark.parametrize("matrix", [A, A.T, A[::-1], np.asfortranarray(A)], ids=["C", "T", "reversed", "F"])
def test_solutions_are_numpys_to_the_last_bit(matrix, right):
    np.testing.assert_array_equal(pellucid.compile(PROGRAMS["solve"])(matrix, right), np.linalg.solve(matrix, right))


@pytest.mark.parametrize("a", [np.float32, np.float64, np.int64, np.int32])
@pytest.mark.parametrize("b", [np.float32, np.float64, np.int64, np.bool_])
def test_dtypes_are_numpys(a, b):
    matrix, right = np.array([[4, 1], [2, 3]]).astype(a), np.array([1, 0]).astype(b)
    found, want = pellucid.compile(PROGRAMS["solve"])(matrix, right), np.linalg.solve(matrix, right)
    assert found.dtype == want.dtype
    np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize("right", [Y, B], ids=["vector", "matrix"])
def test_singles_are_solved_as_doubles(right):
    """As NumPy does it: the second matrix is singular only where it is computed with in singles."""
    near = np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-23]], np.float32) * np.float32(1.1)
    for matrix, vector in ((A, right), (near, right[:2])):
        single, column = matrix.astype(np.float32), vector.astype(np.float32)
        found, want = pellucid.compile(PROGRAMS["solve"])(single, column), np.linalg.solve(single, column)
        assert found.dtype == want.dtype == np.float32
        np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize("name", CASES)
def test_programs_agree_at_every_stage(name):
    stages = Stages(PROGRAMS[name])
    want = in_python(PROGRAMS[name], *CASES[name])
    for stage in STAGES:
        assert_same(stages.run(stage, *CASES[name]), want)


@pytest.mark.parametrize(
    "args",
    [(np.zeros((2, 2)), np.ones(2)), (np.ones((3, 3)), np.ones((3, 2))), (np.zeros((2, 3)), np.ones(2)),
     (np.eye(3), np.ones(2)), (np.eye(3), np.ones((2, 2))), (np.zeros((0, 0)), np.zeros(0)),
     (np.zeros((0, 0)), np.zeros((0, 2))), (np.full((2, 2), np.nan), np.ones(2)), (np.eye(2), np.array([np.inf, 1.0]))],
    ids=lambda args: "-".join(str(a.shape) for a in args),
)  # fmt: skip
def test_errors_are_numpys(args):
    """Of singular matrices, and of shapes that do not go together: the class and the words."""
    stages, want = Stages(PROGRAMS["solve"]), in_python(PROGRAMS["solve"], *args)
    for stage in STAGES:
        assert_same(stages.run(stage, *args), want)
    if want.error is not None:
        before = memory.live_bytes()
        with pytest.raises(type(want.error), match=str(want.error)[:40].replace("(", r"\(")):
            pellucid.compile(PROGRAMS["solve"])(*args)
        assert memory.live_bytes() <= before


def test_memory_of_a_library_is_mentioned():
    told = pellucid.compile(PROGRAMS["solve"]).explain("f64[n, n]", "f64[n]")
    assert "at most 8*n bytes at once, and what `gesv` needs" in told


@pytest.mark.parametrize("name", CASES)
def test_gradients_match_differences(name):
    """The slope of a loss along a direction of all arguments at once."""
    loss, args = PROGRAMS[f"{name}_loss"], CASES[name]
    directions = [RNG.normal(size=np.shape(a)) for a in args]
    wanted = slope(lambda h: loss(*(a + h * d for a, d in zip(args, directions))))
    found = pellucid.grad(loss, tuple(range(len(args))))(*args)
    assert sum(np.sum(g * d) for g, d in zip(found, directions)) == pytest.approx(wanted, rel=1e-6)


def test_second_derivatives_match_differences():
    gradient = pellucid.grad(PROGRAMS["one_loss"], (0, 1))
    along, beside = RNG.normal(size=A.shape), RNG.normal(size=Y.shape)
    wanted = slope(lambda h: sum(map(np.sum, gradient(A + h * along, Y + h * beside))))
    second = pellucid.grad(PROGRAMS["slopes"], (0, 1))(A, Y)
    assert np.sum(second[0] * along) + np.sum(second[1] * beside) == pytest.approx(wanted, rel=1e-6)


def slope(value, h=1e-5):
    return (value(h) - value(-h)) / (2.0 * h)


# --- factors, inverses, determinants -------------------------------------------------------------------------------

SYMMETRIC = A + A.T
POSITIVE = A @ A.T
TALL = RNG.normal(size=(6, 4))
FUNCTIONS = {
    "cholesky": POSITIVE, "inv": A, "det": A, "slogdet": A, "qr": TALL, "eigh": SYMMETRIC, "eigvalsh": SYMMETRIC,
    "svd": TALL, "svdvals": TALL,
}  # fmt: skip
OPTIONS = {"svd": ", full_matrices=False"}
FACTORS = module_of(
    "import numpy as np\n\nimport pellucid\n\n\n"
    + "\n\n\n".join(
        f"def {name}(a):\n    return np.linalg.{name}(a{OPTIONS.get(name, '')})\n\n\n"
        f"def {name}_loss(a):\n    made = {name}(a)\n    return {loss}\n\n\n"
        f"def {name}_slopes(a):\n    return np.sum(np.sin(pellucid.grad({name}_loss)(a)))"
        for name, loss in {
            **dict.fromkeys(("cholesky", "inv", "eigvalsh", "svdvals"), "np.sum(np.sin(made))"),
            "det": "np.sin(0.001 * made)",
            "slogdet": "np.sin(made[1]) * made[0]",
            "qr": "np.sum(np.sin(made[0])) + np.sum(np.cos(made[1]))",
            "eigh": "np.sum(np.sin(made[1]) * made[0])",
            "svd": "np.sum(np.sin(made[0]) * made[1]) + np.sum(np.cos(made[2]))",
        }.items()
    )
    + "\n"
)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_factors_are_numpys(name, dtype):
    """At every stage, and to the last bit of singles, which NumPy computes as doubles."""
    matrix = np.round(FUNCTIONS[name] * 8).astype(dtype)
    stages, want = Stages(FACTORS[name]), in_python(FACTORS[name], matrix)
    for stage in STAGES:
        assert_same(stages.run(stage, matrix), want)
    found, wanted = (f(matrix) for f in (pellucid.compile(FACTORS[name]), FACTORS[name]))
    assert isinstance(found, tuple) == isinstance(wanted, tuple)
    for one, other in zip(*((found, wanted) if isinstance(wanted, tuple) else ([found], [wanted])), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=4 * np.finfo(other.dtype).eps)


@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (2, 3), (3, 2), (0, 3)])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_factors_of_every_shape(name, shape):
    """Empty ones, those that are refused, and those that are singular."""
    before = memory.live_bytes()  # of arrays that other tests keep
    for matrix in (np.ones(shape), np.zeros(shape), np.full(shape, 2.0)):
        stages, want = Stages(FACTORS[name]), in_python(FACTORS[name], matrix)
        assert_same(stages.run("llvm", matrix), want)
    assert memory.live_bytes() <= before


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_of_factors_match_differences(name):
    """Of first and of second order; of triangles, of what is read."""
    matrix = FUNCTIONS[name]
    direction = RNG.normal(size=matrix.shape)
    for loss in (FACTORS[f"{name}_loss"], FACTORS[f"{name}_slopes"]):
        wanted = slope(lambda h, loss=loss: loss(matrix + h * direction))
        found = np.sum(pellucid.grad(loss)(matrix) * direction)
        assert found == pytest.approx(wanted, rel=2e-5, abs=1e-8)


def test_every_function_is_asked_for():
    names = {n.rpartition(".")[2] for n, b in BINDINGS.items() if (b.function or "").startswith("linear_algebra:")}
    asked = set(re.findall(r"\w+", pathlib.Path(__file__).read_text(encoding="utf-8")))
    asked |= {"eig", "eigvals", "tensorinv", "tensorsolve"}  # in `test_complex.py` and `numpy_calls.py`
    assert names and names <= asked, names - asked


# --- slopes of determinants: the cofactors, of whatever rank ---------------------------------------------------------


def cofactors(a):
    """By determinants of minors."""
    n = len(a)
    minors = [[np.delete(np.delete(a, i, 0), j, 1) for j in range(n)] for i in range(n)]
    return np.array([[(-1) ** (i + j) * np.linalg.det(minors[i][j]) for j in range(n)] for i in range(n)])


TALL = np.random.default_rng(5).normal(size=(6, 5))
OF_ANY_RANK = {
    "regular": np.array([[2.0, 1.0, 0.5], [0.1, 3.0, 1.0], [1.0, 0.0, 1.5]]), "zeros": np.zeros((3, 3)),
    "one short": np.arange(1.0, 10.0).reshape(3, 3), "two short": np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0]),
    "one number": np.zeros((1, 1)), "two by two": np.zeros((2, 2)), "six by six": TALL @ TALL.T,
}  # fmt: skip


@pytest.mark.parametrize("name", OF_ANY_RANK)
def test_slopes_of_determinants_are_cofactors(name):
    a = OF_ANY_RANK[name]
    for transform in (pellucid.grad, pellucid.jacfwd):
        np.testing.assert_allclose(transform(lambda a: np.linalg.det(a))(a), cofactors(a), rtol=1e-9, atol=1e-11)
    found = pellucid.grad(lambda a: np.real(np.linalg.det(a)))(a * (1.0 + 0.5j))
    np.testing.assert_allclose(found, cofactors(a * (1.0 + 0.5j)), rtol=1e-9, atol=1e-10)


def test_slopes_of_determinants_of_examples_one_of_which_is_singular():
    stack = np.stack([OF_ANY_RANK[name] for name in ("regular", "one short", "two short", "zeros")])
    wanted = [cofactors(a) for a in stack]
    det = pellucid.vmap(lambda a: np.linalg.det(a))
    np.testing.assert_allclose(pellucid.vmap(pellucid.grad(lambda a: np.linalg.det(a)))(stack), wanted, atol=1e-12)
    np.testing.assert_allclose(pellucid.grad(lambda stack: np.sum(det(stack)))(stack), wanted, atol=1e-12)


def test_a_characteristic_polynomial_at_its_root():
    a = OF_ANY_RANK["regular"] + OF_ANY_RANK["regular"].T
    w = np.linalg.eigvalsh(a)
    for k in range(3):
        slope = pellucid.grad(lambda root, a: np.linalg.det(a - root * np.eye(3)))(w[k], a)
        np.testing.assert_allclose(slope, -np.prod(np.delete(w, k) - w[k]), rtol=1e-10)


def test_second_slopes_of_determinants_are_never_wrong():
    """At a regular matrix those of cofactors by differences; at a singular one none is known."""
    a, h = OF_ANY_RANK["regular"], 1e-4
    steps = h * np.eye(9).reshape(3, 3, 3, 3)
    moved = [[(cofactors(a + step) - cofactors(a - step)) / (2 * h) for step in row] for row in steps]
    hessian = pellucid.hessian(lambda a: np.linalg.det(a))
    np.testing.assert_allclose(hessian(a), moved, atol=1e-6)
    assert np.isnan(hessian(OF_ANY_RANK["one short"])).all()


def cubed(a, b):
    return np.sum(np.linalg.solve(a, b) ** 3)


def shrinking(a, b):
    """Every iteration has a matrix of its own, whose factors are kept."""
    total = 0.0
    for _ in range(3):
        a = a * 1.1
        b = np.linalg.solve(a, b)
        total += np.sum(b**3)
    return total


def of_scipy(a, b):
    return np.sum(np.linalg.inv(a) ** 3) + np.sum(scipy.linalg.solve(a, b) ** 2)


def slope_along(f, a, b, along):
    return np.sum(grad(f)(a, b) * along)


SYSTEM = np.random.default_rng(4).normal(size=(5, 5))
ALONG = np.random.default_rng(5).normal(size=(5, 5))


@pytest.mark.parametrize("right", [SYSTEM[0] + 1.0, ALONG[:, :3]], ids=["vector", "columns"])
@pytest.mark.parametrize("f", [cubed, shrinking, of_scipy], ids=lambda f: f.__name__)
def test_slopes_by_kept_factors(f, right):
    a, h = SYSTEM, 1e-6 * ALONG
    slopes = grad(f, argnums=(0, 1))(a, right)
    wanted = (f(a + h, right) - f(a - h, right)) / 2e-6
    np.testing.assert_allclose(np.sum(slopes[0] * ALONG), wanted, rtol=1e-7)
    _, along = jvp(f, (a, right), (ALONG, right))
    np.testing.assert_allclose(along, np.sum(slopes[0] * ALONG) + np.sum(slopes[1] * right), rtol=1e-12)
    second = grad(lambda a, b, along: np.sum(grad(f)(a, b) * along))(a, right, ALONG)
    wanted = (slope_along(f, a + h, right, ALONG) - slope_along(f, a - h, right, ALONG)) / 2e-6
    np.testing.assert_allclose(np.sum(second * ALONG), wanted, rtol=1e-6)
    matrices, sides = np.stack([a, a.T, 2.0 * a]), np.stack([right, right + 1.0])
    found = vmap(grad(f), in_axes=(0, None))(matrices, right)
    np.testing.assert_allclose(found, [grad(f)(m, right) for m in matrices], rtol=1e-9)
    found = vmap(grad(f, argnums=1), in_axes=(None, 0))(a, sides)
    np.testing.assert_allclose(found, [grad(f, argnums=1)(a, s) for s in sides], rtol=1e-9)


def test_a_gradient_factorises_once():
    lines = str(grad(cubed).source("reverse", "f64[n, n]", "f64[n]")).splitlines()
    written = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
    assert written.count("factors_of(") == 1 and "linalg.solve" not in written
    assert "factors_of" not in compile(cubed).source("typed", "f64[n, n]", "f64[n]")


@pytest.mark.parametrize("args", [(np.ones((3, 3)), np.ones(3)), (np.ones((3, 4)), np.ones(3)),
                                  (SYSTEM, np.ones(3)), (SYSTEM, np.ones((2, 2)))])  # fmt: skip
def test_errors_of_gradients_are_numpys(args):
    with pytest.raises(ValueError) as wanted:  # LinAlgError is one
        cubed(*args)
    with pytest.raises(type(wanted.value)) as found:
        grad(cubed)(*args)
    assert str(found.value) == str(wanted.value)
