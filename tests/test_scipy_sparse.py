"""Sparse arrays of SciPy in compiled functions: programs of the field, arguments, results, and their slopes."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import cg, splu, spsolve

import pellucid
from pellucid import compile, grad, jacfwd, jvp, lax, tree, value_and_grad, vmap
from pellucid.scipy.sparse_ordering import least_degree_order

# --- programs --------------------------------------------------------------------------------------------------------


def mesh(m):
    """Nodes and triangles of the unit square."""
    x, y = np.meshgrid(np.linspace(0.0, 1.0, m), np.linspace(0.0, 1.0, m))
    corners = [i * m + j for i in range(m - 1) for j in range(m - 1)]
    triangles = [t for a in corners for t in ((a, a + 1, a + m), (a + 1, a + m + 1, a + m))]
    return np.stack((x.ravel(), y.ravel()), axis=1), np.array(triangles)


def compliance(stiffness, nodes, triangles):
    """Poisson's equation by linear elements, zero at the boundary: the load times the solution."""
    p = nodes[triangles]
    edges = np.stack((p[:, 2] - p[:, 1], p[:, 0] - p[:, 2], p[:, 1] - p[:, 0]), axis=1)
    areas = 0.5 * np.abs(edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0])
    local = (stiffness / (4.0 * areas))[:, None, None] * np.einsum("tad,tbd->tab", edges, edges)
    row, col = triangles[:, [0, 0, 0, 1, 1, 1, 2, 2, 2]].ravel(), triangles[:, [0, 1, 2, 0, 1, 2, 0, 1, 2]].ravel()
    n = len(nodes)
    matrix = sp.coo_array((local.ravel(), (row, col)), shape=(n, n)).tocsr()
    load = np.zeros(n)
    np.add.at(load, triangles.ravel(), np.repeat(areas / 3.0, 3))
    at_edge = (nodes[:, 0] == 0.0) | (nodes[:, 0] == 1.0) | (nodes[:, 1] == 0.0) | (nodes[:, 1] == 1.0)
    held = sp.diags_array(np.where(at_edge, 1e6, 0.0))
    return np.sum(load * spsolve((matrix + held).tocsc(), load))


def pagerank(weights, source, target, count):
    links = sp.coo_matrix((weights, (target, source)), shape=(count, count)).tocsr()
    links = links @ sp.diags(1.0 / (links.T @ np.ones(count)))
    rank = np.ones(count) / count
    for _ in range(30):
        rank = 0.85 * (links @ rank) + 0.15 / count
    return rank


def smoothed(values, strength, i, j):
    n = values.shape[0]
    ones = np.ones(len(i))
    links = sp.coo_array((ones, (i, j)), shape=(n, n))
    links = (links + links.T).tocsr()
    laplacian = sp.diags_array(links.sum(axis=1)) - links
    return cg(sp.eye_array(n) + strength * laplacian, values, rtol=1e-12)[0]


def fitted(start, measured, i, j):
    """Positions on a line from squared distances, by Gauss and Newton with sparse normal equations."""
    x, pairs = start, np.arange(len(i))
    n = start.shape[0]
    for _ in range(6):
        apart = x[i] - x[j]
        rows, columns = np.concatenate((pairs, pairs)), np.concatenate((i, j))
        slopes = sp.csr_array((np.concatenate((2.0 * apart, -2.0 * apart)), (rows, columns)), shape=(len(i), n))
        x = x - spsolve((slopes.T @ slopes + 1e-3 * sp.eye_array(n)).tocsc(), slopes.T @ (apart**2 - measured))
    return x


def heated(start, conductivity, steps):
    """The heat equation on a grid, steps of backward Euler by one factorisation."""
    m = start.shape[0]
    line = sp.diags_array([-np.ones(m - 1), 2.0 * np.ones(m), -np.ones(m - 1)], offsets=[-1, 0, 1])
    plane = sp.kron(sp.eye_array(m), line) + sp.kron(line, sp.eye_array(m))
    factors = splu((sp.eye_array(m * m) + conductivity * plane).tocsc())
    u = start.ravel()
    for _ in range(steps):
        u = factors.solve(u)
    return u


NODES, TRIANGLES = mesh(6)
I, J = np.array([0, 1, 2, 3, 4, 0, 1]), np.array([1, 2, 3, 4, 5, 3, 4])
MEASURED = (np.arange(6.0)[I] - np.arange(6.0)[J]) ** 2
PROGRAMS = {
    "finite elements": (compliance, (1.0 + 0.1 * np.arange(50.0) % 3, NODES, TRIANGLES)),
    "pagerank": (pagerank, (1.0 + np.arange(6.0) % 3, np.arange(6) % 4, np.array([1, 2, 3, 0, 3, 0]), 4)),
    "smoothing": (smoothed, (np.cos(np.arange(6.0)), 0.7, I, J)),
    "gauss-newton": (fitted, (np.arange(6.0) + 0.1 * np.cos(np.arange(6.0)), MEASURED, I, J)),
    "heat": (heated, (np.outer(np.arange(5.0), np.ones(5)), 0.3, 4)),
}

OTHERS = [name for name in PROGRAMS if name != "smoothing"]


@pytest.mark.parametrize("name", ["smoothing", *(pytest.param(n, marks=pytest.mark.long) for n in OTHERS)])
def test_programs(name):
    program, given = PROGRAMS[name]
    np.testing.assert_allclose(compile(program)(*given), program(*given), rtol=1e-9, atol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_slopes_of_programs(name):
    program, (x, *rest) = PROGRAMS[name]

    def loss(x, *rest):
        return np.sum(program(x, *rest) ** 2)

    draw = np.random.default_rng(3).normal(size=x.shape)
    h = 1e-5
    wanted = (loss(x + h * draw, *rest) - loss(x - h * draw, *rest)) / (2.0 * h)
    np.testing.assert_allclose(np.sum(grad(loss)(x, *rest) * draw), wanted, rtol=2e-6)
    nothing = [np.zeros(np.shape(r))[()] if np.asarray(r).dtype.kind == "f" else None for r in rest]
    np.testing.assert_allclose(jvp(loss, (x, *rest), (draw, *nothing))[1], wanted, rtol=2e-6)


# --- arguments and results -------------------------------------------------------------------------------------------

DENSE = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.0, 2.0]])
X = np.array([1.0, -2.0, 3.0])
ARRAYS = [sp.csr_array, sp.csc_array, sp.coo_array]
KINDS = [pytest.param(kind, marks=pytest.mark.long) for kind in (*ARRAYS[1:], sp.csr_matrix, sp.csc_matrix)]
KINDS += [sp.csr_array, sp.coo_matrix]


@pytest.mark.parametrize("kind", KINDS)
def test_arguments_and_results(kind):
    given = kind(DENSE)

    @compile
    def f(A, x):
        return {"twice": A * 2.0, "turned": A.T, "product": A @ x, "rows": A.tocsr(), "size": A.shape}

    found = f(given, X)
    assert type(found["twice"]) is kind
    for name, wanted in (("twice", given * 2.0), ("turned", given.T), ("rows", given.tocsr())):
        assert type(found[name]) is type(wanted)
        assert found[name].data.dtype == wanted.data.dtype
        np.testing.assert_array_equal(found[name].toarray(), wanted.toarray())
    np.testing.assert_array_equal(found["product"], given @ X)
    assert found["size"] == (3, 3)
    other = f(kind(np.ones((2, 4), np.float32)), np.ones(4, np.float32))  # other lengths, another dtype
    assert other["size"] == (2, 4) and other["twice"].dtype == np.float32


@pytest.mark.long
@pytest.mark.parametrize("kind", ARRAYS)
def test_slope_by_a_sparse_argument(kind):
    given = kind(DENSE)

    def loss(A, x):
        return np.sum(spsolve(A.tocsc(), x) ** 2) + np.sum((A.T @ x) ** 2)

    value, (slope, by_x) = value_and_grad(loss, argnums=(0, 1))(given, X)
    assert type(slope) is kind and slope.shape == (3, 3)
    np.testing.assert_allclose(value, loss(given, X))

    def of_dense(D, x):
        return np.sum(np.linalg.solve(D, x) ** 2) + np.sum((D.T @ x) ** 2)

    by_matrix, by_right_side = grad(of_dense, argnums=(0, 1))(DENSE, X)
    np.testing.assert_allclose(slope.toarray(), np.where(DENSE != 0.0, by_matrix, 0.0))
    np.testing.assert_allclose(by_x, by_right_side)


@pytest.mark.long
def test_second_derivative_of_a_solution():
    given = sp.csr_array(DENSE)

    def loss(data, indices, indptr, x):
        return np.sum(spsolve(sp.csr_array((data, indices, indptr), shape=(3, 3)), x) ** 3)

    slope = grad(loss)
    rest = (given.indices, given.indptr, X)
    found = jacfwd(slope)(given.data, *rest)
    h = 1e-6
    for k, direction in enumerate(np.eye(6)):
        wanted = (slope(given.data + h * direction, *rest) - slope(given.data - h * direction, *rest)) / (2.0 * h)
        np.testing.assert_allclose(found[:, k], wanted, rtol=1e-6, atol=1e-8)


@pytest.mark.long
def test_many_right_sides():
    given, many = sp.csr_array(DENSE), np.random.default_rng(0).normal(size=(4, 3))
    for program in (lambda A, x: spsolve(A, x), lambda A, x: A @ x, lambda A, x: cg(A.T @ A, x, rtol=1e-13)[0]):
        wanted = np.stack([program(given, x) for x in many])
        np.testing.assert_allclose(vmap(program, in_axes=(None, 0))(given, many), wanted, rtol=1e-9)


def test_sparse_arrays_are_trees():
    given = sp.csr_array(DENSE)
    leaves, structure = tree.flatten({"A": given, "x": 1.0})
    assert len(leaves) == 4
    made = tree.unflatten(structure, leaves)["A"]
    assert type(made) is sp.csr_array and (made != given).nnz == 0
    assert tree.structure(given) == tree.structure(grad(lambda A: np.sum(A.data**2))(given))


@pytest.mark.long
@pytest.mark.parametrize("density", [0.02, 0.1])
def test_factors_of_drawn_matrices(density):
    """Nothing on some diagonals, so that rows are exchanged; one dense row and column."""
    solve = compile(lambda A, b: spsolve(A, b))
    for seed in range(4):
        draw = np.random.default_rng(seed)
        n = 120
        matrix = sp.random_array((n, n), density=density, rng=draw).tolil()
        for k, place in enumerate(draw.permutation(n)):
            matrix[k, place] = 1.0 + draw.uniform()
        matrix[3, :] = 0.1
        matrix[:, 7] = 0.2
        A, b = matrix.tocsr(), draw.normal(size=n)
        x = solve(A, b)
        assert np.max(np.abs(A @ x - b)) < 1e-9 * max(1.0, np.max(np.abs(x)))


def test_the_order_is_one():
    order = compile(least_degree_order)
    for n, density in ((1, 1.0), (40, 0.05), (300, 0.01), (60, 0.7)):
        A = sp.random_array((n, n), density=density, rng=n, format="csr")
        assert sorted(order(A.indptr, A.indices)) == list(range(n))


# --- refusals --------------------------------------------------------------------------------------------------------

REFUSED = {
    "index 5 exceeds": lambda A, x: sp.coo_array((x, (np.array([0, 5, 1]), np.array([0, 1, 2]))), shape=(3, 3)) @ x,
    "must have the same length": lambda A, x: sp.coo_array((x, (np.array([0, 1]), np.array([0, 1])))) @ x,
    "inconsistent shapes": lambda A, x: (A + sp.eye_array(2)).data,
    "dimension mismatch": lambda A, x: A @ x[:2],
    "matrix must be square": lambda A, x: spsolve(sp.csr_array(np.ones((2, 3))), x),
    "matrix - rhs dimension mismatch": lambda A, x: spsolve(A, x[:2]),
    "adding a nonzero scalar": lambda A, x: (A + 1.0).data,
    "exactly singular": lambda A, x: splu((0.0 * A).tocsc()).solve(x),
}


@pytest.mark.parametrize("words", REFUSED)
def test_errors_are_scipys(words):
    for program in (REFUSED[words], compile(REFUSED[words])):
        with pytest.raises((ValueError, NotImplementedError, RuntimeError), match=words):
            program(sp.csr_array(DENSE), X)


@pytest.mark.parametrize(
    ("words", "program"),
    [
        ("gives an np.matrix", lambda A, x: sp.csr_matrix(A).sum(axis=0)),
        ("multiplied by numbers and dense arrays", lambda A, x: (A * A).toarray()),
        ("takes a dense right side", lambda A, x: spsolve(A, A)),
        ("`callback=`", lambda A, x: cg(A, x, callback=print)[0]),
    ],
)
def test_refusals(words, program):
    with pytest.raises(pellucid.CompileError, match=words):
        compile(program)(sp.csr_array(DENSE), X)


def test_segment_sum():
    data, ids = np.arange(8.0).reshape(4, 2), np.array([2, 0, 2, -1])
    for f in (lax.segment_sum, compile(lambda d, i, n: lax.segment_sum(d, i, n))):
        np.testing.assert_array_equal(f(data, ids, 4), [[2.0, 3.0], [0.0, 0.0], [4.0, 6.0], [0.0, 0.0]])
    assert compile(lambda d, i: lax.segment_sum(d, i))(data, ids).shape == (3, 2)
    slope = grad(lambda d, i: np.sum(lax.segment_sum(d, i, 3) ** 2))(data, ids)
    np.testing.assert_array_equal(slope, [[8.0, 12.0], [4.0, 6.0], [8.0, 12.0], [0.0, 0.0]])


def test_scipy_is_not_imported():
    code = "import pellucid, sys; assert 'scipy' not in sys.modules and 'pellucid.scipy.sparse' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
