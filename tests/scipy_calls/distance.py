import numpy as np

HEAD = "from scipy.spatial import distance\nfrom scipy.cluster import vq"
R = np.random.default_rng(13)
ARRAYS = {
    "F": R.normal(size=(5, 2)).astype(np.float32),
    "A": R.normal(size=(6, 3)),
    "B": R.normal(size=(4, 3)),
    "u": np.abs(R.normal(size=5)),
    "v": np.abs(R.normal(size=5)),
    "w": R.uniform(0.5, 1.0, size=5),
    "M": np.eye(5) + 0.1,
    "I": np.array([1, 2, 3, 1]),
    "J": np.array([1, 0, 3, 2]),
}
CALLS = """
(distance.euclidean(u, v), distance.sqeuclidean(u, v, w), distance.cityblock(u, v), distance.chebyshev(u, v))
(distance.minkowski(u, v, 3), distance.cosine(u, v), distance.correlation(u, v), distance.canberra(u, v))
(distance.braycurtis(u, v), distance.hamming(I, J), distance.jensenshannon(u, v), distance.mahalanobis(u, v, M))
distance.euclidean(I, J)
distance.cdist(A, B)
distance.cdist(A, B, "cityblock")
distance.cdist(A, B, metric="cosine")
distance.cdist(A, B, "minkowski", p=3.0)
distance.cdist(A, B, "chebyshev")
distance.pdist(A)
distance.pdist(A, "sqeuclidean")
distance.squareform(distance.pdist(A))
distance.squareform(distance.squareform(distance.pdist(A)))
vq.vq(A, B)
vq.kmeans2(A, B, minit="matrix")
vq.whiten(A)
distance.cdist(A, A)
(distance.cdist(F, F), distance.pdist(F))
(distance.cdist(A, B, "mahalanobis"), distance.cdist(A, B, "mahalanobis", VI=np.eye(3)))
distance.pdist(A, "mahalanobis")
(distance.cdist(A, B, "seuclidean"), distance.pdist(A, "seuclidean", V=np.array([1.0, 2.0, 3.0])))
distance.pdist(A, "minkowski", p=1.5, w=np.array([1.0, 2.0, 3.0]))
distance.cdist(A, B, lambda u, v: np.sum(np.abs(u - v) ** 1.5))
distance.squareform(distance.pdist(A[:1]))
"""
SMOOTH = """
distance.cdist(A, B)
distance.pdist(A, "cosine")
distance.jensenshannon(u, v)
distance.mahalanobis(u, v, M)
vq.vq(A, B)[1]
vq.whiten(A)
distance.cdist(A, A)
distance.cdist(A, A, "minkowski", p=3.0)
distance.cdist(A, B, "mahalanobis")
"""
