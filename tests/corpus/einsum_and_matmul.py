"""Contractions: matrix products, einsum, dot and outer."""

import numpy as np


def chain_of_products(A, B, x):
    """Brackets decide the cost, not the value."""
    return A @ B @ x, A @ (B @ x), (A @ B).T @ x


def bilinear_form(A, x, y):
    """x A y, twice."""
    return x @ A @ y + np.einsum("i,ij->j", x, A) @ y


def gram_matrix(M):
    """Products of columns, written in three ways."""
    return M.T @ M, np.einsum("ki,kj->ij", M, M), np.dot(M.T, M)


def dot_in_all_ranks(A, x, y, a):
    """dot of vectors, of matrix and vector, and of a number."""
    return np.dot(x, y), np.dot(A, x), np.dot(x, A), np.dot(a, x)


def outer_products(x, y):
    """All pairs of two vectors."""
    return np.outer(x, y), np.einsum("i,j->ij", x, y), np.outer(x, x) @ y


def batched_products(batch, A, x):
    """Leading axes are looped over."""
    return batch @ A, A @ batch, batch @ x, batch @ batch.transpose(0, 2, 1)


def batched_einsum(batch, A):
    """The same with the batch as an axis that is kept."""
    return np.einsum("bij,jk->bik", batch, A), np.einsum("bij,bij->b", batch, batch)


def traces(A, B):
    """Traces of products without the products."""
    return np.einsum("ij,ji->", A, B), np.einsum("ij,ij->", A, B), np.sum(A * B.T)


def row_weights(A, x):
    """Products that keep an axis."""
    return np.einsum("ij,i->ij", A, x), np.einsum("ij,j->i", A, x), np.einsum("ij,i->", A, x)


def transposed_results(A, tensor):
    """Output axes in another order."""
    return np.einsum("ij,kjl->lik", A, tensor), np.einsum("bij,bkj->kbi", tensor, tensor)


def tensor_contraction(tensor, M):
    """Two axes at once."""
    return np.einsum("bij,bik->jk", tensor, tensor), np.einsum("bij,mi->bmj", tensor, M)


def metric_tensor(points, S3):
    """Squared lengths of points under a metric."""
    return np.einsum("ni,ni->n", points @ S3, points), (points @ S3 * points).sum(axis=1)


def commutator(A, B):
    """How far two matrices are from changing places."""
    return A @ B - B @ A


def bilinear_layer(features, others, kernel):
    """Scores x W y for all pairs and for matching pairs."""
    return features @ kernel @ others.T, np.einsum("ni,ni->n", features @ kernel, others[:-1])


def projected_points(points, u):
    """Parts of points along the mean direction, and across it."""
    direction = points.mean(axis=0) + np.array([0.5, -0.5, 1.0])
    along = np.outer(points @ direction / (direction @ direction), direction)
    return along * u[:, None], points - along


def accumulated_products(batch):
    """A product of matrices in a loop."""
    product = np.eye(batch.shape[1])
    for matrix in batch:
        product = product @ matrix / 2.0
    return product


def blocked_product(A, B, size=2):
    """A matrix product, tile by tile, with ragged tiles at the end."""
    n = len(A)
    C = np.zeros((n, n))
    for i in range(0, n, size):
        for j in range(0, n, size):
            for k in range(0, n, size):
                C[i : i + size, j : j + size] += A[i : i + size, k : k + size] @ B[k : k + size, j : j + size]
    return C


def polynomial_of_a_matrix(A, p):
    """Horner's rule with matrices."""
    n = len(A)
    value = np.zeros((n, n))
    for coefficient in p[::-1]:
        value = value @ (A / n) + coefficient * np.eye(n)
    return value


ARGUMENTS = {
    "metric_tensor": lambda rng, n: tuple(rng.standard_normal(shape) for shape in ((n, 3), (3, 3))),
    "bilinear_layer": lambda rng, n: tuple(rng.standard_normal(shape) for shape in ((n, 3), (n + 1, 3), (3, 3))),
}

NO_GRADIENT = {}
