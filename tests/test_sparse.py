"""Sparse Jacobians and Hessians: against dense ones, and against what is known of their patterns."""

import builtins

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
import scipy.sparse.csgraph

import pellucid
from pellucid import GradientError, compile, custom_jvp, hessian, jacfwd, jacobian
from pellucid.compiler.request import Gradient, Jacobian
from pellucid.sparsity import compressed
from tests.harness.stages import Stages

pytestmark = pytest.mark.drawn(5)

RNG = np.random.default_rng(11)


def in_python(made):
    """A sparse derivative whose programs run at the typed stage, for which they are quickly made."""

    def typed(function):
        runner = Stages(function.__pellucid__.python, function.__pellucid__.transforms)

        def run(*args):
            outcome = runner.run("typed", *args)
            if outcome.error is not None:
                raise outcome.error
            return outcome.value

        return run

    made._slope, made._reach = typed(made._slope), typed(made._reach)
    return made


def dense_of(function, x, *transforms):
    return np.asarray(Stages(function, transforms=transforms).run("typed", x).value)


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_by_a_loop(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


@pytest.mark.parametrize("function", [rosenbrock, rosenbrock_by_a_loop])
def test_the_hessian_of_rosenbrock(function):
    made = hessian(function, sparse=True)
    for n in (2, 3, 40):
        x = RNG.normal(size=n)
        found = made(x)
        assert isinstance(found, scipy.sparse.csr_array) and found.nnz == 3 * n - 2
        np.testing.assert_allclose(found.toarray(), scipy.optimize.rosen_hess(x), rtol=1e-12, atol=1e-12)


def prefix_products(x):
    y = np.empty(x.shape)
    carried = 1.0
    for i in range(len(x)):
        carried = carried * x[i]
        y[i] = carried
    return y


def until_small(x):
    y = x.copy()
    while np.max(np.abs(y)) > 0.5:
        y[1:] = 0.5 * y[1:] + 0.1 * y[:-1]
        y[0] = 0.5 * y[0]
    return y


def by_order(x):
    return x[np.argsort(x)] * 2.0


def upwind(x):
    y = np.zeros(x.shape)
    for i in range(1, len(x) - 1):
        if x[i] > 0.0:
            y[i] = x[i] * (x[i] - x[i - 1])
        else:
            y[i] = x[i] * (x[i + 1] - x[i])
    return y


def halves(x, depth):
    if depth == 0:
        return x * x
    middle = len(x) // 2
    return np.concatenate([halves(x[:middle], depth - 1), 3.0 * x[middle:]])


def grown(x):
    found = []
    for i in range(0, len(x), 2):
        found.append(x[i] * x[0])
    return np.array(found)


@custom_jvp
def rounded(x):
    return np.floor(x)


@rounded.defjvp
def straight_through(primals, tangents):
    return rounded(primals[0]), tangents[0]


N = 12
PROGRAMS = {  # with the number of elements, or None
    "elementwise": (lambda x: np.sin(x) * 2.0 + 1.0, N),
    "differences": (lambda x: x[1:] * x[:-1], 2 * (N - 1)),
    "second differences": (lambda x: x[2:] - 2.0 * x[1:-1] + x[:-2], 3 * (N - 2)),
    "gathered": (lambda x: x[[3, 3, 1, 0]] * np.exp(x[[0, 5, 5, 0]]), 7),
    "reduced": (lambda x: np.sum(x.reshape(3, 4) ** 2, axis=1), N),
    "extremes": (lambda x: np.max(x.reshape(3, 4), axis=0) + np.prod(x.reshape(3, 4), axis=0), N),
    "turned": (lambda x: (x.reshape(3, 4).T * 2.0)[::-1], N),
    "joined": (lambda x: np.concatenate([x[:3], np.zeros(2), x[3:] ** 2]), N),
    "products": (lambda x: x.reshape(3, 4) @ np.ones((4, 2)), 2 * N),
    "product of both": (lambda x: x.reshape(3, 4) @ x.reshape(3, 4).T, None),
    "solved": (lambda x: np.linalg.solve(np.eye(3) * 4.0 + x[:9].reshape(3, 3), np.ones(3)), 27),
    "factors": (lambda x: np.linalg.eigh(np.diag(x[:3] ** 2) + np.ones((3, 3)))[0], 9),
    "chosen": (lambda x: np.where(x > 0.0, x * x, 0.0 * x), N),
    "no slope": (lambda x: np.floor(x) + x[0], N),
    "stopped": (lambda x: pellucid.stop_gradient(x) * x[0], N),
    "prefix products": (prefix_products, N * (N + 1) // 2),
    "until small": (until_small, None),
    "by order": (by_order, N),
    "upwind": (upwind, 2 * (N - 2)),
    "halves": (lambda x: halves(x, 2), N),
    "grown": (grown, 11),
    "nothing": (lambda x: np.ones(3) * x.shape[0] + 0.0 * np.sign(x[0]), 0),
    "a number": (lambda x: x[0] * x[5], 2),
    "by a rule": (lambda x: 2.0 * rounded(x[:3]) * x[3:6], 4 * 3),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_jacobians(name):
    function, count = PROGRAMS[name]
    made, x = in_python(jacobian(function, sparse=True)), RNG.normal(size=N)
    for x in (x, x[::-1].copy(), x * 0.1):  # other values take other ways
        found, dense = made(x), dense_of(function, x, Jacobian()).reshape(-1, N)
        assert found.shape == dense.shape
        np.testing.assert_allclose(found.toarray(), dense, rtol=1e-10, atol=1e-12)
        assert count is None or made.pattern(x).nnz == count
        assert made.pattern(x).dtype == bool


def energy(x):
    """A mesh of springs: each of its points beside those next to it, and one that all are tied to."""
    grid = x[1:].reshape(4, 5)
    across, down = grid[:, 1:] - grid[:, :-1], grid[1:] - grid[:-1]
    return np.sum(np.cos(across)) + np.sum(down**4) + x[0] * np.sum(grid**3)


HESSIANS = {
    "springs": (energy, RNG.normal(size=21)),
    "an arrow": (lambda x: np.sum(x * x) * 0.5 + x[0] * np.sum(np.sin(x)), RNG.normal(size=15)),
    "pairs without squares": (lambda x: np.sum(x[::2] * x[1::2] * x[0]), RNG.normal(size=10)),
    "a ring": (lambda x: np.sum(np.exp(x * np.roll(x, 1))), RNG.normal(size=11)),
    "all with all": (lambda x: np.sum(x) ** 3, RNG.normal(size=6)),
    "straight": (lambda x: np.sum(3.0 * x), RNG.normal(size=6)),
    "some of a graph": (
        lambda x: np.sum(np.sin(x[[0, 4, 5, 2, 6, 1, 3]] * x[[3, 7, 8, 0, 6, 5, 9]] + x[[3, 2, 1, 1, 7, 8, 8]])),
        RNG.normal(size=10),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HESSIANS)
def test_hessians(name):
    function, x = HESSIANS[name]
    found = in_python(hessian(function, sparse=True))(x)
    dense = dense_of(function, x, Gradient(), Jacobian())
    np.testing.assert_allclose(found.toarray(), dense, rtol=1e-10, atol=1e-12)
    assert found.nnz <= np.count_nonzero(dense) + len(x)


def residuals(cameras, points, weights, seen):
    errors, priors = np.empty((len(seen), 2)), np.empty(len(seen))
    for i in range(len(seen)):
        camera, point = cameras[seen[i, 0]], points[seen[i, 1]]
        errors[i] = weights[i] * (point[:2] * camera[0] / (point[2] + 5.0) + camera[1:])
        priors[i] = 1.0 - weights[i] ** 2
    return {"errors": errors, "priors": priors}


def test_blocks_of_several_arguments():
    seen = np.array([[0, 0], [0, 1], [1, 1], [1, 2], [0, 2]])
    args = (RNG.normal(size=(2, 3)), RNG.normal(size=(3, 3)), RNG.normal(size=5), seen)
    made = jacobian(residuals, argnums=(0, 1, 2), sparse=True)
    found, dense = made(*args), jacfwd(residuals, (0, 1, 2))(*args)
    for name, rows in (("errors", 10), ("priors", 5)):
        for sparse, full, arg in zip(found[name], dense[name], args):
            np.testing.assert_allclose(sparse.toarray(), np.asarray(full).reshape(rows, arg.size), atol=1e-12)
    assert found["priors"][2].nnz == 5 and found["priors"][0].nnz == 0 and found["errors"][0].nnz == 20
    assert made.pattern(*args).shape == (15, 20)
    other = (*args[:3], seen[::-1].copy())  # the pattern follows what is not differentiated by
    found, dense = made(*other), jacfwd(residuals, 1)(*other)
    np.testing.assert_allclose(found["errors"][1].toarray(), np.asarray(dense["errors"]).reshape(10, 9), atol=1e-12)
    by_name = jacobian(residuals, argnums="weights", sparse=True)(*args)
    np.testing.assert_allclose(by_name["priors"].toarray(), np.diag(-2.0 * args[2]))


def test_containers_and_a_pattern_that_is_known():
    def f(p, scale=2.0):
        return p["a"][1:] * p["a"][:-1] * scale, (p["b"] * p["a"][0],)

    p = {"a": RNG.normal(size=4), "b": 3.0}
    made = jacobian(f, sparse=True)
    (by_p, (of_number,)), (dense, (dense_number,)) = made(p), jacfwd(f)(p)
    np.testing.assert_allclose(by_p["a"].toarray(), dense["a"])
    assert by_p["b"].shape == (3, 1) and by_p["b"].nnz == 0
    np.testing.assert_allclose(of_number["a"].toarray(), np.asarray(dense_number["a"])[None])
    np.testing.assert_allclose(of_number["b"].toarray(), [[p["a"][0]]])
    known = jacobian(f, sparse=made.pattern(p))
    np.testing.assert_allclose(known(p, scale=3.0)[0]["a"].toarray(), 1.5 * by_p["a"].toarray())
    with pytest.raises(ValueError, match="the pattern has 5 columns, and there are 6 arguments"):
        known({"a": np.ones(5), "b": 1.0})
    narrow = jacobian(lambda x: x * x, sparse=True)(np.ones(3, np.float32))
    assert narrow.dtype == np.float32


def test_what_a_function_reads_from_outside():
    order = np.array([2, 0, 1])

    def picked(x):
        return x[order] ** 2

    made, x = jacobian(compile(picked, freeze=True), sparse=True), np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(made(x).toarray(), np.diag(2.0 * x)[order])
    factor = 2.0

    def scaled(x):
        return x * factor if factor > 1.0 else x * x[0]

    made = jacobian(scaled, sparse=True)
    assert made(x).nnz == 3
    factor = 0.5
    assert made(x).nnz == 5


def test_refusals(monkeypatch):
    x = np.ones(3)
    with pytest.raises(GradientError, match="G001"):
        jacobian(lambda x: x * 2.0, sparse=True)(np.arange(3))
    with pytest.raises(GradientError, match="G002"):
        hessian(lambda x: x * 2.0, sparse=True)(x)
    with pytest.raises(ValueError, match="has_aux=True does not go together with sparse"):
        jacobian(rosenbrock, has_aux=True, sparse=True)
    with pytest.raises(ValueError, match="parameters are x"):
        jacobian(rosenbrock, argnums="y", sparse=True)(x)
    with pytest.raises(TypeError, match="not a method or a partial"):
        jacobian("text", sparse=True)
    with pytest.raises(TypeError, match="by name alone: y"):
        jacobian(lambda x, *, y=1.0: x * y, sparse=True)(x)
    for given in (None, "csr", np.ones(3)):
        with pytest.raises(ValueError, match="sparse is True, False, or a matrix"):
            jacobian(rosenbrock, sparse=given)
    assert jacobian(lambda x: np.arange(3), sparse=True)(x) is None
    with pytest.raises(pellucid.CompileError, match="sparse"):
        compile(lambda x: jacobian(rosenbrock, sparse=True)(x))(x)

    genuine = builtins.__import__

    def without_scipy(name, *rest):
        if name.startswith("scipy"):
            raise ImportError(name)
        return genuine(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_scipy)
    with pytest.raises(ImportError, match="SciPy is not installed"):
        jacobian(rosenbrock, sparse=True)


def test_a_pattern_that_lacks_what_counts():
    """Elements that it does not mention stand in the place of others."""
    x = np.array([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="the pattern lacks an element in row 1"):
        pellucid.jacobian(lambda x: np.cumsum(x**2), sparse=np.eye(3))(x)
    with pytest.raises(ValueError, match="the pattern lacks an element in row 0"):
        pellucid.hessian(lambda x: x[0] * x[1] * x[2], sparse=np.eye(3))(x)
    wide = np.tri(3) + np.eye(3, k=1)
    np.testing.assert_allclose(
        pellucid.jacobian(lambda x: np.cumsum(x**2), sparse=wide)(x).toarray(), np.tri(3) * 2.0 * x
    )


def test_ints_have_no_sparse_derivative():
    for derivative in (pellucid.jacobian(lambda x: x**2, sparse=True), pellucid.hessian(np_sum_of_cubes, sparse=True)):
        with pytest.raises(pellucid.GradientError, match="argument `x` is made of int64: only floats"):
            derivative(np.arange(3))


def np_sum_of_cubes(x):
    return np.sum(x**3)


def test_sparse_derivatives_stay_outside():
    made = pellucid.jacobian(lambda x: x**2, sparse=True)
    for transform in (pellucid.compile, pellucid.vmap, pellucid.jacfwd):
        with pytest.raises(TypeError, match="which compiled functions do not have: take them outside"):
            transform(made)


# --- colourings of symmetric matrices ---------------------------------------------------------------------------------


def recovered(pattern):
    """The directions for a symmetric pattern; and a matrix of it, and what is found of the matrix from them."""
    draw, size = np.random.default_rng(7), pattern.shape[0]
    plan = compressed(scipy.sparse.csr_array(pattern | pattern.T), is_symmetric=True)
    matrix = np.where(pattern | pattern.T, draw.standard_normal((size, size)), 0.0)
    matrix = matrix + matrix.T
    along = np.stack([matrix @ (plan.colour == k) for k in range(plan.count)])
    place = plan.pattern.indices, plan.pattern.indptr
    return plan, matrix, scipy.sparse.csr_array((plan.elements(along), *place), shape=matrix.shape).toarray()


def two_colours_have_no_cycle(plan):
    """Edges of two colours are fewer than their nodes in every part that hangs together."""
    size, coo = len(plan.colour), plan.pattern.tocoo()
    off = coo.row < coo.col
    row, column = coo.row[off], coo.col[off]
    for a in range(plan.count):
        for b in range(a + 1, plan.count):
            mine = np.isin(plan.colour[row], (a, b)) & np.isin(plan.colour[column], (a, b))
            graph = scipy.sparse.csr_array((np.ones(mine.sum()), (row[mine], column[mine])), shape=(size, size))
            parts = scipy.sparse.csgraph.connected_components(graph, directed=False)[0]
            if mine.sum() != size - parts:
                return False
    return np.all(plan.colour[row] != plan.colour[column])


@pytest.mark.parametrize("share", [0.02, 0.06, 0.2, 0.5])
def test_elements_of_random_symmetric_matrices(share):
    used = set()
    for seed in range(6):
        pattern = np.random.default_rng(seed).random((40, 40)) < share
        plan, matrix, found = recovered(pattern)
        np.testing.assert_allclose(found, matrix, rtol=0.0, atol=1e-13)
        assert two_colours_have_no_cycle(plan)  # which holds of stars as well
        used.add(plan.colouring.split()[1])
    assert "acyclic" in used


def test_an_acyclic_colouring_where_it_takes_fewer():
    def banded(size):
        return sum(np.eye(size, k=k) for k in range(4)) != 0.0

    short, long = recovered(banded(60))[0], recovered(banded(1000))[0]
    assert short.count == 4 and short.trees is not None
    assert long.count == 7 and long.trees is None  # chains of 1000 subtractions would cost digits
    hessian_of = pellucid.hessian(products_of_neighbours, sparse=True)
    x = np.linspace(0.5, 1.5, 40)
    assert "from 4 directions, by an acyclic colouring" in hessian_of.explain(x)
    np.testing.assert_allclose(hessian_of(x).toarray(), pellucid.hessian(products_of_neighbours)(x), atol=1e-12)
    assert "by a star colouring" in pellucid.hessian(np_sum_of_cubes, sparse=True).explain(x)


def products_of_neighbours(x):
    return np.sum(x[:-3] * x[1:-2] * x[2:-1] * x[3:]) + np.sum(x**4)
