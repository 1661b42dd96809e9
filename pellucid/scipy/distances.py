"""Distances between points, `scipy.spatial.distance`, and clusters of them by `scipy.cluster.vq`.

    cdist(a, b)[i, j]    the distance of row i of `a` from row j of `b`
    pdist(a)             those of pairs of rows, i before j, one after the other

Sources: L. Kaufman and P. Rousseeuw, Finding Groups in Data (1990); S. Lloyd, Least squares quantization in PCM (1982).
"""

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.elementary import in_dtype, operand
from ..numpy.joining import concatenate
from ..numpy.manipulation import as_array
from .special import in_doubles, of_floats, rel_entr


def euclidean(u, v, w=None):
    return op.cast(root_of(sqeuclidean(u, v, w), 2.0), dtype="f64")


def root_of(x, p):
    """x ** (1 / p), with the derivative 0 at zero, which is that of the distance of a point from itself."""
    is_some = x > 0.0
    size = op.where(is_some, x, 1.0)
    return op.where(is_some, op.sqrt(size) if static.is_static(p) and p == 2.0 else size ** (1.0 / p), x)


def sqeuclidean(u, v, w=None):
    d = of_floats(u) - of_floats(v)
    return op.sum(weighted(d * d, w))


def weighted(parts, w):
    return parts if w is None else parts * of_floats(w)


def cityblock(u, v, w=None):
    return op.sum(weighted(op.absolute(of_floats(u) - of_floats(v)), w))


def chebyshev(u, v, w=None):
    if w is not None:
        static.refuse("U012", "scipy.spatial.distance.chebyshev has no `w=` here: leave it out")
    return op.max(op.absolute(of_floats(u) - of_floats(v)))


def minkowski(u, v, p=2, w=None):
    if p <= 0:
        raise ValueError("p must be greater than 0")
    d = op.absolute(of_floats(u) - of_floats(v))
    return root_of(op.sum(weighted(d**p, w)), p)


def cosine(u, v, w=None):
    u, v = of_floats(u), of_floats(v)
    uv, uu, vv = op.sum(weighted(u * v, w)), op.sum(weighted(u * u, w)), op.sum(weighted(v * v, w))
    return op.minimum(op.maximum(1.0 - uv / op.sqrt(uu * vv), 0.0), 2.0)


def correlation(u, v, w=None, centered=True):
    u, v = of_floats(u), of_floats(v)
    if w is not None or not centered:
        static.refuse("U012", "scipy.spatial.distance.correlation has no `w=` and no `centered=` here: leave them out")
    return cosine(u - op.sum(u) / u.shape[0], v - op.sum(v) / v.shape[0])


def canberra(u, v, w=None):
    u, v = in_doubles(u), in_doubles(v)
    size = op.absolute(u) + op.absolute(v)
    return op.sum(weighted(op.absolute(u - v) / op.where(size == 0.0, 1.0, size), w))


def braycurtis(u, v, w=None):
    u, v = of_floats(u), of_floats(v)
    return op.sum(weighted(op.absolute(u - v), w)) / op.sum(weighted(op.absolute(u + v), w))


def hamming(u, v, w=None):
    differs = op.cast(operand(u) != operand(v), dtype="f64")
    return op.sum(differs) / differs.shape[0] if w is None else op.sum(differs * of_floats(w)) / op.sum(of_floats(w))


def jensenshannon(p, q, base=None, *, axis=0, keepdims=False):
    p, q = of_floats(p), of_floats(q)
    p, q = p / op.sum(p, axis=axis, keepdims=True), q / op.sum(q, axis=axis, keepdims=True)
    m = 0.5 * (p + q)
    found = op.sum(rel_entr(p, m) + rel_entr(q, m), axis=axis, keepdims=keepdims)
    return op.sqrt((found if base is None else found / op.log(of_floats(base))) / 2.0)


def mahalanobis(u, v, VI):
    d = of_floats(u) - of_floats(v)
    return root_of(op.matmul(op.matmul(d, of_floats(VI)), d), 2.0)


def seuclidean(u, v, V):
    d = of_floats(u) - of_floats(v)
    return root_of(op.sum(d * d / of_floats(V)), 2.0)


METRICS = {
    "euclidean": euclidean, "l2": euclidean, "sqeuclidean": sqeuclidean, "cityblock": cityblock, "l1": cityblock,
    "manhattan": cityblock, "chebyshev": chebyshev, "cosine": cosine, "correlation": correlation,
    "minkowski": minkowski, "canberra": canberra, "braycurtis": braycurtis, "hamming": hamming,
    "jensenshannon": jensenshannon, "seuclidean": seuclidean, "mahalanobis": mahalanobis,
}  # fmt: skip
UNWEIGHTED = ("jensenshannon", "seuclidean", "mahalanobis")


def between(u, v, metric, p, w, spread):
    if not static.is_text(metric):
        return metric(u, v)
    distance = METRICS[metric]
    if metric == "minkowski":
        return distance(u, v, p, w)
    if metric not in UNWEIGHTED:
        return distance(u, v, w)
    if w is not None:
        static.refuse("U012", f"the metric {metric!r} has no `w=`: leave it out")
    return distance(u, v) if metric == "jensenshannon" else distance(u, v, spread)


def spread_of(metric, V, VI, rows):
    """The variances of the columns for "seuclidean", the inverse of their covariance for "mahalanobis"."""
    if not static.is_text(metric) or metric not in ("mahalanobis", "seuclidean"):
        return 0.0
    if metric == "seuclidean":
        return np.var(rows, axis=0, ddof=1) if V is None else of_floats(as_array(V))
    return np.linalg.inv(np.atleast_2d(np.cov(rows.T))).T if VI is None else of_floats(as_array(VI))


def require_known(metric):
    """A metric is a name, or a function of two vectors."""
    if static.is_text(metric) and metric not in METRICS:
        static.refuse("U012", f"the metric {metric!r} is not supported here: {', '.join(METRICS)} are")


def points(x, name):
    x = of_floats(as_array(x))
    if static.rank(x) != 2:
        raise ValueError(f"{name} must be a 2-dimensional array.")
    return x


def cdist(XA, XB, metric="euclidean", *, out=None, p=2.0, w=None, V=None, VI=None):
    """`metric`: a name, or a function of two vectors that gives a number."""
    a, b = doubles(XA, "XA", out), doubles(XB, "XB", out)
    if a.shape[1] != b.shape[1]:
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension.)")
    require_known(metric)
    spread = spread_of(metric, V, VI, concatenate((a, b)))
    found = op.empty(shape=(a.shape[0], b.shape[0]), dtype="f64")
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            found[i, j] = between(a[i], b[j], metric, p, w, spread)
    return found


def pdist(X, metric="euclidean", *, out=None, p=2.0, w=None, V=None, VI=None):
    x = doubles(X, "X", out)
    require_known(metric)
    n, spread = x.shape[0], spread_of(metric, V, VI, x)
    found = op.empty(shape=(n * (n - 1) // 2,), dtype="f64")
    k = 0
    for i in range(n):
        for j in range(i + 1, n):
            found[k] = between(x[i], x[j], metric, p, w, spread)
            k += 1
    return found


def doubles(x, name, out):
    if out is not None:
        static.refuse("U012", "cdist and pdist have no `out=` here: use the result")
    return in_dtype(points(x, name), "f64")


def squareform(X, force="no", checks=True):
    """The matrix of a vector of distances, or the vector of a matrix."""
    x = as_array(operand(X))
    if static.rank(x) == 2:
        n = x.shape[0]
        row = op.empty(shape=(n * (n - 1) // 2,), dtype=static.element(x))
        k = 0
        for i in range(n):
            for j in range(i + 1, n):
                row[k] = x[i, j]
                k += 1
        return row
    if static.rank(x) != 1:
        raise ValueError("The first argument must be one or two dimensional array.")
    n = max(int(np.ceil(np.sqrt(x.shape[0] * 2.0))), 1)
    if n * (n - 1) != 2 * x.shape[0]:
        raise ValueError("Incompatible vector size. It must be a binomial coefficient n choose 2 for some n >= 2.")
    whole = op.zeros(shape=(n, n), dtype=static.element(x))
    k = 0
    for i in range(n):
        for j in range(i + 1, n):
            whole[i, j] = x[k]
            whole[j, i] = x[k]
            k += 1
    return whole


def procrustes(data1, data2):
    """(the first points centered and scaled, the second ones turned and scaled onto them, the squares between)."""
    a, b = doubles(data1, "data1", None), doubles(data2, "data2", None)
    if a.shape[0] != b.shape[0] or a.shape[1] != b.shape[1]:
        raise ValueError("Input matrices must be of same shape")
    if a.size == 0:
        raise ValueError("Input matrices must be >0 rows and >0 cols")
    a, b = a - np.mean(a, axis=0), b - np.mean(b, axis=0)
    first, second = op.sqrt(op.sum(a * a)), op.sqrt(op.sum(b * b))
    if first == 0.0 or second == 0.0:
        raise ValueError("Input matrices must contain >1 unique points")
    a, b = a / first, b / second
    u, s, v = np.linalg.svd(np.transpose(np.matmul(np.transpose(b), a)))
    b = np.matmul(b, np.transpose(np.matmul(u, v))) * op.sum(s)
    return a, b, op.sum((a - b) ** 2)


# --- clusters --------------------------------------------------------------------------------------------------------


def vq(obs, code_book, check_finite=True):
    """(the nearest code of each observation, its distance)"""
    x, codes = points(obs, "obs"), points(code_book, "code_book")
    n = x.shape[0]
    places, found = op.empty(shape=(n,), dtype="i32"), op.empty(shape=(n,), dtype="f64")
    for i in range(n):
        best, least = 0, float("inf")
        for k in range(codes.shape[0]):
            d = x[i] - codes[k]
            size = op.sum(d * d)
            if size < least:
                best, least = k, size
        places[i] = best
        found[i] = op.sqrt(least)
    return places, found


def kmeans2(data, k, iter=10, thresh=1e-5, minit="random", missing="warn", check_finite=True, *, rng=None):
    """(centers, the cluster of each observation) after so many steps of Lloyd's from the centers `k`."""
    if minit != "matrix" and static.rank(k) != 2:
        static.refuse("U012", "scipy.cluster.vq.kmeans2 begins with centers that are given as `k` here")
    x, centers = points(data, "data"), points(k, "k")
    labels = vq(x, centers)[0]
    for _ in range(iter):
        labels = vq(x, centers)[0]
        sums = op.zeros(shape=centers.shape, dtype="f64")
        counts = op.zeros(shape=(centers.shape[0],), dtype="f64")
        for i in range(x.shape[0]):
            sums[labels[i]] += x[i]
            counts[labels[i]] += 1.0
        has_some = counts > 0.0
        if missing == "raise" and not op.all(has_some):
            raise ValueError("One of the clusters is empty. Re-run kmeans with a different initialization.")
        centers = op.where(has_some[:, None], sums / op.where(has_some, counts, 1.0)[:, None], centers)
    return centers, labels


def whiten(obs, check_finite=True):
    """Each column divided by its standard deviation, unless that is zero."""
    x = points(obs, "obs")
    deviations = np.std(x, axis=0)
    return x / op.where(deviations == 0.0, 1.0, deviations)
